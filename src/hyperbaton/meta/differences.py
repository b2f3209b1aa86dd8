"""Differences of agreement between metrics, with intervals and significance tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from hyperbaton.meta.agreement_statistics import AgreementStatistic, exchange_differences
from hyperbaton.meta.arrays import Floats
from hyperbaton.meta.defaults import TESTS
from hyperbaton.meta.judgements import Judgements, Scores
from hyperbaton.meta.measures import Measure, SystemMeasure
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.results import MetricDifference
from hyperbaton.meta.score_exchange import score_exchange_differences, translation_agreement
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
    differences : list of float
        The difference of agreement of each pair of metrics.
    samples : list of array
        The same differences in bootstrap samples.
    plan : Plan
    """

    measure: Measure
    human: Judgements
    metrics: Sequence[MetricScores]
    differences: list[float]
    samples: list[Floats]
    plan: Plan

    @property
    def indices(self) -> list[tuple[int, int]]:
        """The indices of the two metrics of each pair."""
        return list(combinations(range(len(self.metrics)), 2))


def compare_metrics(
    pair: str,
    measure: Measure,
    human: Judgements,
    metrics: Sequence[MetricScores],
    statistics: Mapping[str, AgreementStatistic],
    samples: Mapping[str, Floats],
    plan: Plan,
) -> list[MetricDifference]:
    """Compare each pair of metrics on one test set.

    Parameters
    ----------
    pair : str
        Name of the test set.
    measure, human, metrics, plan
        As in :class:`MetricPairs`.
    statistics, samples : mapping
        Agreement of each metric, and its values in bootstrap samples, by name.
    """
    names = list(combinations([metric.name for metric in metrics], 2))
    if not names:
        return []
    values = [statistics[a].value - statistics[b].value for a, b in names]
    sampled = [samples[a] - samples[b] for a, b in names]
    p_values = load(TESTS.find(plan.test))(
        MetricPairs(measure, human, metrics, values, sampled, plan)
    )
    differences = []
    for (a, b), difference, sample, tested in zip(names, values, sampled, p_values, strict=True):
        p = 1.0 if difference == 0 and tested is not None else tested
        interval = sample_interval(sample, plan.sampling.level)
        better = a if difference > 0 else b
        is_significant = p is not None and p < plan.sampling.alpha
        differences.append(
            MetricDifference(
                pair, a, b, difference, *interval, p, better if is_significant else None
            )
        )
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
    threads = plan.sampling.threads
    differences: Callable[[Counts], Floats]
    if plan.exchanged == "scores":
        scored = ~np.isnan(metrics[0].segments)  # all metrics have scored the same translations
        agreement = translation_agreement(measure, human, scored)
        scores = [agreement.select(metric.segments) for metric in metrics]
        units, values = len(agreement.system), [agreement.value(x) for x in scores]
        differences = partial(
            score_exchange_differences, agreement, scores, pairs.indices, threads=threads
        )
    else:
        unit = "systems" if measure.level == "system" else "segments"
        statistics = measure.statistics(human, metrics, unit)
        units, values = statistics[0].units, [statistic.value for statistic in statistics]
        differences = partial(exchange_differences, statistics, pairs.indices, threads=threads)
    batches = draw_samples(swap_counts, units, plan.sampling)
    sampled = np.concatenate([differences(coins) for coins in batches])
    return [
        randomization_p(values[a] - values[b], np.where(np.isnan(column), np.inf, column))
        for (a, b), column in zip(pairs.indices, sampled.T, strict=True)
    ]


def williams_p_values(pairs: MetricPairs) -> list[float | None]:
    """Return p-values of Williams' test for Pearson's r; None where there are too few values."""
    return [
        _williams_p_value(pairs.measure, pairs.human, pairs.metrics[a], pairs.metrics[b])
        for a, b in pairs.indices
    ]


def _williams_p_value(
    measure: Measure, human: Judgements, a: MetricScores, b: MetricScores
) -> float | None:
    """Return p of Williams' test for Pearson's r, or None if there are too few values."""
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


def sample_interval(values: Floats, level: float) -> tuple[float | None, float | None]:
    """Return the percentile interval of sampled values; (None, None) if there are none."""
    return percentile_interval(values, level) if len(values) else (None, None)
