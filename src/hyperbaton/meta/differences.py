"""Differences of agreement between metrics, with intervals and significance tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.meta.agreement import (
    PAIR_KINDS,
    AgreementStatistic,
    Correlation,
    Measure,
    PairMeasure,
    SystemMeasure,
    classify_pairs,
    exchange_differences,
    tie_threshold,
)
from hyperbaton.meta.judgements import (
    Booleans,
    Floats,
    Integers,
    Judgements,
    Rankings,
    Scores,
    mean_where_defined,
    standardize,
)
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.plan import TESTS, Plan
from hyperbaton.meta.results import MetricDifference
from hyperbaton.registries import load
from hyperbaton.stats.resampling import Counts, draw_samples, swap_counts
from hyperbaton.stats.significance import (
    bootstrap_p,
    percentile_interval,
    randomization_p,
    sample_t_p,
    williams_p,
)

WILLIAMS_MIN_VALUES = 4


class MetricPairs(NamedTuple):
    """The metrics that are compared on one test set, and everything that tests see of them.

    Attributes
    ----------
    measure : Measure
    human : Rankings or Scores
    metrics : sequence of MetricScores
        The metrics whose agreement is defined.
    statistics : sequence of AgreementStatistic
        The agreement of each metric.
    values : array of shape (samples, metrics)
        The agreements in bootstrap samples.
    plan : Plan
    """

    measure: Measure
    human: Judgements
    metrics: Sequence[MetricScores]
    statistics: Sequence[AgreementStatistic]
    values: Floats
    plan: Plan

    @property
    def indices(self) -> list[tuple[int, int]]:
        """The indices of the two metrics of each pair."""
        return list(combinations(range(len(self.metrics)), 2))

    @property
    def differences(self) -> list[float]:
        """The difference of agreement of each pair of metrics."""
        return [self.statistics[a].value - self.statistics[b].value for a, b in self.indices]

    @property
    def samples(self) -> list[Floats]:
        """The same differences in bootstrap samples."""
        return [self.values[:, a] - self.values[:, b] for a, b in self.indices]


def compare_metrics(test_set: str, pairs: MetricPairs) -> list[MetricDifference]:
    """Compare each pair of metrics on one test set, which has this name."""
    if not pairs.indices:
        return []
    sampling = pairs.plan.sampling
    p_values = load(TESTS.find(pairs.plan.test))(pairs)
    rows = zip(pairs.indices, pairs.differences, pairs.samples, p_values, strict=True)
    differences = []
    for indices, difference, sample, tested in rows:
        a, b = (pairs.metrics[k].name for k in indices)
        p = 1.0 if difference == 0 and tested is not None else tested
        lower, upper = percentile_interval(sample, sampling.level) if len(sample) else (None, None)
        better = a if difference > 0 else b
        found = better if p is not None and p < sampling.alpha else None
        differences.append(MetricDifference(test_set, a, b, difference, lower, upper, p, found))
    return differences


def bootstrap_p_values(pairs: MetricPairs) -> list[float]:
    """Return p-values of the paired bootstrap test."""
    return list(map(bootstrap_p, pairs.differences, pairs.samples))


def sample_t_p_values(pairs: MetricPairs) -> list[float]:
    """Return p-values of the t-test over bootstrap samples."""
    return list(map(sample_t_p, pairs.samples))


def permutation_p_values(pairs: MetricPairs) -> list[float]:
    """Return p-values of a permutation test (Deutsch, Dror & Roth 2021).

    Two metrics exchange whole segments or single scores, or systems for a measure of systems. The
    scores are standardized first, so that they are on the same scale.
    """
    measure, human, metrics, _, _, plan = pairs
    statistics: Sequence[AgreementStatistic]
    if plan.exchanged == "scores":
        scored = ~np.isnan(metrics[0].segments)  # all metrics have scored the same translations
        agreement = translation_agreement(measure, human, scored)
        statistics = [agreement.statistic(metric.segments) for metric in metrics]
    else:
        unit = "systems" if measure.level == "system" else "segments"
        statistics = measure.statistics(human, metrics, unit)
    batches = draw_samples(swap_counts, statistics[0].units, plan.sampling)
    threads = plan.sampling.threads
    parts = [exchange_differences(statistics, pairs.indices, coins, threads) for coins in batches]
    sampled = np.concatenate(parts)
    return [
        randomization_p(
            statistics[a].value - statistics[b].value, np.where(np.isnan(column), np.inf, column)
        )
        for (a, b), column in zip(pairs.indices, sampled.T, strict=True)
    ]


def williams_p_values(pairs: MetricPairs) -> list[float | None]:
    """Return p-values of Williams' test for Pearson's r; None where there are too few values."""
    return [_williams_p_value(pairs, a, b) for a, b in combinations(pairs.metrics, 2)]


def _williams_p_value(pairs: MetricPairs, a: MetricScores, b: MetricScores) -> float | None:
    """Return p of Williams' test for Pearson's r, or None if there are too few values."""
    measure, human = pairs.measure, pairs.human
    if measure.level == "system":
        assert isinstance(measure, SystemMeasure)
        y = measure.statistics(human, [a], "systems")[0].y
        numbers = [y, a.system_scores, b.system_scores]
    else:
        people = human if isinstance(human, Scores) else human.to_scores()
        numbers = [people.segments, a.segments, b.segments]
    complete = ~np.isnan(numbers).any(axis=0)
    count = int(complete.sum())
    if count < WILLIAMS_MIN_VALUES:
        return None
    table = np.corrcoef([row[complete] for row in numbers])
    return williams_p(table[0, 1], table[0, 2], table[1, 2], count)


@dataclass(eq=False)
class TranslationStatistic(AgreementStatistic):
    """The agreement of a metric whose scores of single translations may be exchanged.

    Attributes
    ----------
    x : array of shape (translations,)
        The standardized scores.
    value_of : callable
        Returns the agreement of such scores with people.
    units : int
        Number of translations.
    """

    x: Floats
    value_of: Callable[[Floats], float]
    units: int

    @property
    def value(self) -> float:
        """The agreement of the scores as they are."""
        return self.value_of(self.x)

    def value_after_exchange(self, other: Any, coins: Counts) -> float:
        """Return the agreement with the other metric's scores where the coin is 0."""
        return self.value_of(np.where(coins, self.x, other.x))


class TranslationAgreement(NamedTuple):
    """Agreement with people as a function of the scores of translations.

    ``system`` and ``segment`` say which translations these are.
    """

    system: Integers
    segment: Integers
    value: Callable[[Floats], float]

    def statistic(self, scores: Floats) -> TranslationStatistic:
        """Return the agreement of a metric with these scores of all translations."""
        x = standardize(scores[self.system, self.segment])
        return TranslationStatistic(x, self.value, len(x))


def translation_agreement(
    measure: Measure, human: Judgements, scored: Booleans
) -> TranslationAgreement:
    """Return the agreement as a function of the scores of single translations.

    Parameters
    ----------
    measure : PairMeasure or Correlation
    human : Rankings or Scores
    scored : array of bool, shape (systems, segments)
        Which translations the metrics have scored.
    """
    if isinstance(measure, PairMeasure):
        people = human if isinstance(human, Rankings) else human.to_rankings()
        return _pair_agreement(measure, people, scored)
    if isinstance(measure, Correlation):
        scores = human if isinstance(human, Scores) else human.to_scores()
        return _correlation_agreement(measure, scores, scored)
    raise InputError(f"{measure.name} compares whole systems, which have no scores to exchange")


def _pair_agreement(
    measure: PairMeasure, people: Rankings, scored: Booleans
) -> TranslationAgreement:
    used = scored[people.first, people.segment] & scored[people.second, people.segment]
    segment, outcome, count = people.segment[used], people.outcome[used], people.count[used]
    weights = count.astype(np.float64)
    cells = np.stack([people.first[used], people.second[used]]) * people.n + segment
    translations, index = np.unique(cells, return_inverse=True)
    first, second = index.reshape(cells.shape)
    by_item = measure.average == "item"
    item = np.unique(segment, return_inverse=True)[1] if by_item else np.zeros_like(segment)
    items = int(item.max()) + 1 if len(item) else 1

    def value(x: Floats) -> float:
        difference = x[first] - x[second]
        threshold = 0.0
        if measure.calibrated:
            # Equal differences may differ by rounding since scores were standardized.
            difference = difference.round(9)
            threshold = tie_threshold(outcome, difference, count, item if by_item else None)
        cell = item * PAIR_KINDS + classify_pairs(outcome, difference, threshold)
        counts = np.bincount(cell, weights, items * PAIR_KINDS).astype(np.float64)
        return float(mean_where_defined(measure.formula(counts.reshape(items, PAIR_KINDS))))

    return TranslationAgreement(translations // people.n, translations % people.n, value)


def _correlation_agreement(
    measure: Correlation, people: Scores, scored: Booleans
) -> TranslationAgreement:
    system, segment = np.nonzero(scored & ~np.isnan(people.segments))
    y = standardize(people.segments[system, segment])
    group = np.zeros_like(system)
    if measure.average != "none":
        group = np.unique(segment if measure.average == "item" else system, return_inverse=True)[1]
    groups = int(group.max()) + 1 if len(group) else 1

    def value(x: Floats) -> float:
        return float(mean_where_defined(measure.group_values(x, y, group, groups)))

    return TranslationAgreement(system, segment, value)
