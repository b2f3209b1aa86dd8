"""Differences of agreement between metrics, with intervals and significance tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from hyperbaton.meta.agreement_statistics import AgreementStatistic, exchange_differences
from hyperbaton.meta.arrays import Floats
from hyperbaton.meta.judgements import Judgements, Scores
from hyperbaton.meta.measures import Measure, SystemMeasure
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.results import MetricDifference
from hyperbaton.meta.score_exchange import score_exchange_differences, translation_agreement
from hyperbaton.stats.resampling import Counts, draw_samples, swap_counts
from hyperbaton.stats.significance import (
    bootstrap_p,
    percentile_interval,
    randomization_p,
    sample_t_p,
    williams_p,
)

WILLIAMS_MIN_VALUES = 4


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
    measure : Measure
    human : Rankings or Scores
    metrics : sequence of MetricScores
        The metrics whose agreement is defined.
    statistics, samples : mapping
        Agreement of each metric, and its values in bootstrap samples, by name.
    plan : Plan
    """
    index_pairs = list(combinations(range(len(metrics)), 2))
    if not index_pairs:
        return []
    permutation_p: list[float] = []
    if plan.test == "permutation":
        permutation_p = _permutation_p_values(measure, human, metrics, index_pairs, plan)
    differences = []
    p: float | None
    for k, (i, j) in enumerate(index_pairs):
        a, b = metrics[i].name, metrics[j].name
        difference = statistics[a].value - statistics[b].value
        sampled = samples[a] - samples[b]
        if plan.test == "permutation":
            p = permutation_p[k]
        elif plan.test == "bootstrap":
            p = bootstrap_p(difference, sampled)
        elif plan.test == "t":
            p = sample_t_p(sampled)
        else:
            p = _williams_p_value(measure, human, metrics[i], metrics[j])
        if difference == 0 and p is not None:
            p = 1.0
        lower, upper = sample_interval(sampled, plan.sampling.level)
        better = a if difference > 0 else b
        significant = p is not None and p < plan.sampling.alpha
        differences.append(
            MetricDifference(
                pair, a, b, difference, lower, upper, p, better if significant else None
            )
        )
    return differences


def _permutation_p_values(
    measure: Measure,
    human: Judgements,
    metrics: Sequence[MetricScores],
    index_pairs: Sequence[tuple[int, int]],
    plan: Plan,
) -> list[float]:
    """Return p-values of a permutation test (Deutsch, Dror & Roth 2021).

    Two metrics exchange whole segments or single scores, or systems for a measure of systems. The
    scores are standardized first, so that they are on the same scale.
    """
    threads = plan.sampling.threads
    differences: Callable[[Counts], Floats]
    if plan.exchanged == "scores":
        scored = ~np.isnan(metrics[0].segments)  # all metrics have scored the same translations
        agreement = translation_agreement(measure, human, scored)
        scores = [agreement.select(metric.segments) for metric in metrics]
        units, values = len(agreement.system), [agreement.value(x) for x in scores]
        differences = partial(
            score_exchange_differences, agreement, scores, index_pairs, threads=threads
        )
    else:
        unit = "systems" if measure.level == "system" else "segments"
        statistics = measure.statistics(human, metrics, unit)
        units, values = statistics[0].units, [statistic.value for statistic in statistics]
        differences = partial(exchange_differences, statistics, index_pairs, threads=threads)
    batches = draw_samples(swap_counts, units, plan.sampling)
    sampled = np.concatenate([differences(coins) for coins in batches])
    return [
        randomization_p(values[a] - values[b], np.where(np.isnan(column), np.inf, column))
        for (a, b), column in zip(index_pairs, sampled.T, strict=True)
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
