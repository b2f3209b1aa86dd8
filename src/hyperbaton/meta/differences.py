"""Is one metric better at agreeing with people than another?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from hyperbaton.meta.judgements import Floats, Scores
from hyperbaton.meta.measures import Human, Measure, SystemMeasure
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.results import MetricDifference
from hyperbaton.meta.samples import Sampled, exchanged
from hyperbaton.metrics.sampling import Sampling
from hyperbaton.stats.resampling import swap_counts
from hyperbaton.stats.significance import (
    bootstrap_p,
    percentile_interval,
    randomization_p,
    sample_t_p,
    williams_p,
)

FEWEST = 4  # values for Williams' test


def differences_of(
    name: str,
    measure: Measure,
    human: Human,
    metrics: list[MetricScores],
    defined: Mapping[str, Sampled],
    columns: Mapping[str, Floats],
    plan: Plan,
) -> list[MetricDifference]:
    """Of each two metrics."""
    pairs = list(combinations(range(len(metrics)), 2))
    if not pairs:
        return []
    if plan.test == "permutation":
        p_values = _permuted(measure, human, metrics, pairs, plan.sampling)
    else:
        p_values = []
    found = []
    p: float | None
    for k, (i, j) in enumerate(pairs):
        a, b = metrics[i].name, metrics[j].name
        difference = defined[a].value - defined[b].value
        sampled = columns[a] - columns[b]
        if plan.test == "permutation":
            p = p_values[k]
        elif plan.test == "bootstrap":
            p = bootstrap_p(difference, sampled)
        elif plan.test == "t":
            p = sample_t_p(sampled)
        else:
            p = _williams(measure, human, metrics[i], metrics[j])
        if difference == 0 and p is not None:
            p = 1.0
        lower, upper = interval(sampled, plan.sampling.level)
        better = a if difference > 0 else b
        significant = p is not None and p < plan.sampling.alpha
        found.append(
            MetricDifference(
                name, a, b, difference, lower, upper, p, better if significant else None
            )
        )
    return found


def _permuted(
    measure: Measure,
    human: Human,
    metrics: list[MetricScores],
    pairs: Sequence[tuple[int, int]],
    sampling: Sampling,
) -> list[float]:
    """By metrics that exchange segments, or systems where scores are of systems.

    As Deutsch, Dror & Roth (2021) do it, on scores that were given mean 0 and variance 1.
    """
    unit = "systems" if measure.level == "system" else "segments"
    found = measure.sampled(human, metrics, unit)
    coins = swap_counts(found[0].units, sampling.samples, sampling.seed, sampling.threads)
    parts = [exchanged(found, pairs, part, sampling.threads) for part in coins]
    sampled = np.concatenate(parts)
    values = [one.value for one in found]
    return [
        randomization_p(values[a] - values[b], np.where(np.isnan(column), np.inf, column))
        for (a, b), column in zip(pairs, sampled.T, strict=True)
    ]


def _williams(measure: Measure, human: Human, a: MetricScores, b: MetricScores) -> float | None:
    """Of Pearson's r, over translations or over systems; None if there are too few."""
    if measure.level == "system":
        assert isinstance(measure, SystemMeasure)
        y = measure.sampled(human, [a], "systems")[0].y
        numbers = [y, a.whole, b.whole]
    else:
        people = human if isinstance(human, Scores) else human.to_scores()
        numbers = [people.segments, a.segments, b.segments]
    there = ~np.isnan(numbers).any(axis=0)
    if there.sum() < FEWEST:
        return None
    table = np.corrcoef([one[there] for one in numbers])
    return williams_p(table[0, 1], table[0, 2], table[1, 2], int(there.sum()))


def interval(values: Floats, level: float) -> tuple[float | None, float | None]:
    """Of the samples there are; none of none."""
    return percentile_interval(values, level) if len(values) else (None, None)
