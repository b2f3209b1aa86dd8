"""Bootstrap samples of scores, and the confidence intervals they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.runs.results import Result, Score
from hyperbaton.stats.few_segments import bootstrap_interval, interval_method
from hyperbaton.stats.resampling import bootstrap_counts, draw_samples, sampled_sums
from hyperbaton.stats.sampling import METHODS, Sampling

Floats = npt.NDArray[np.float64]


def bootstrap_values(tables: Sequence[Sequence[Score]], sampling: Sampling) -> list[Floats]:
    """Return the values of systems in bootstrap samples.

    Parameters
    ----------
    tables : sequence of sequences of Score
        For each metric, the scores of all systems. All systems and metrics share the samples.
    sampling : Sampling
        How samples are drawn.

    Returns
    -------
    list of array
        For each metric, a row for each sample and a column for each system.
    """
    rows = joint_statistics(tables)
    counts = draw_samples(bootstrap_counts, len(rows[0]), sampling)
    parts: list[list[Floats]] = [[] for _ in tables]
    for sums in sampled_sums(counts, rows, sampling.threads):
        for scores, metric_sums, values in zip(tables, sums, parts, strict=True):
            by_system = metric_sums.reshape(len(metric_sums), len(scores), -1)
            values.append(scores[0].metric.aggregate(by_system))
    return [np.concatenate(values) for values in parts]


def joint_statistics(tables: Sequence[Sequence[Score]]) -> list[Floats]:
    """Return, for each metric, the statistics of all systems beside each other."""
    return [np.hstack([score.kept_statistics for score in scores]) for scores in tables]


def with_interval(score: Score, sampled: Floats, level: float) -> Score:
    """Return the score with the interval of its sampled values, if there are enough segments."""
    lower, upper = bootstrap_interval(sampled, level, score.n)
    return replace(score, lower=lower, upper=upper)


def interval_settings(sampling: Sampling, segments: int) -> dict[str, Any]:
    """Return how samples were drawn and how intervals were computed from them, for JSON.

    ``interval`` names the method, which depends on the number of segments; None if there are no
    intervals.
    """
    is_bootstrap = sampling.method == METHODS[0]
    method = interval_method(sampling.level, segments) if is_bootstrap else None
    return {**sampling.to_dict(), "interval": method}


def describe_sampling(sampling: Sampling, segments: int) -> str:
    """Return how samples were drawn and which intervals they gave, for the line below tables.

    >>> describe_sampling(Sampling(), 10)
    '95 % intervals (expanded percentiles): bootstrap, 1,000 samples, seed 1'
    >>> describe_sampling(Sampling(), 3)
    'no intervals, significance at 0.05: bootstrap, 1,000 samples, seed 1'
    """
    if sampling.method != METHODS[0]:
        return str(sampling)
    level, _, samples = str(sampling).partition(":")
    method = interval_method(sampling.level, segments)
    if method is None:
        level = f"no intervals, significance at {sampling.alpha:.10g}"
    elif method != "percentile":
        level += f" ({method}s)"
    return f"{level}:{samples}"


def with_intervals(results: Sequence[Result], sampling: Sampling) -> list[Result]:
    """Return the results with bootstrap intervals. Statistics must have been kept."""
    metrics = list(results[0])
    tables = [[result[metric] for result in results] for metric in metrics]
    scored: list[dict[str, Score]] = [{} for _ in results]
    sampled = bootstrap_values(tables, sampling)
    for metric, scores, values in zip(metrics, tables, sampled, strict=True):
        for k, score in enumerate(scores):
            scored[k][metric] = with_interval(score, values[:, k], sampling.level)
    return [
        result.with_scores(scores, sampling=sampling)
        for scores, result in zip(scored, results, strict=True)
    ]
