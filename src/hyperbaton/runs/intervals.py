"""Bootstrap intervals of scores, how tables and JSON name them, and a warning of wide ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hyperbaton.notices import Notice
from hyperbaton.runs.results import Result, Score
from hyperbaton.stats.sampling import PAIRED_TESTS, Sampling
from hyperbaton.stats.significance import bootstrap_interval, fewest_segments, interval_method

# Imported when samples are drawn, so that other scores are printed sooner.
if TYPE_CHECKING:
    from hyperbaton.stats.paired_tests import MetricTable


def metric_table(scores: Sequence[Score]) -> MetricTable:
    """Return what tests and intervals see of the scores of systems by one metric."""
    from hyperbaton.stats.paired_tests import MetricTable

    return MetricTable(
        scores[0].metric.aggregate,
        [score.kept_statistics for score in scores],
        [score.sums for score in scores],
        [score.computed_value for score in scores],
    )


def interval_settings(sampling: Sampling, segments: int) -> dict[str, Any]:
    """Return how samples were drawn and how intervals were computed from them, for JSON.

    ``interval`` names the method, which depends on the number of segments; None if there are no
    intervals.
    """
    has_intervals = PAIRED_TESTS[sampling.method].has_intervals
    method = interval_method(sampling.level, segments) if has_intervals else None
    return {**sampling.to_dict(), "interval": method}


def describe_sampling(sampling: Sampling, segments: int) -> str:
    """Return how samples were drawn and which intervals they gave, for the line below tables.

    >>> describe_sampling(Sampling(), 10)
    '95 % intervals (expanded percentiles): bootstrap, 1,000 samples, seed 1'
    >>> describe_sampling(Sampling(), 3)
    'no intervals, significance at 0.05: bootstrap, 1,000 samples, seed 1'
    """
    if not PAIRED_TESTS[sampling.method].has_intervals:
        return str(sampling)
    method = interval_method(sampling.level, segments)
    if method is None:
        return f"no intervals, significance at {sampling.alpha:.10g}: {sampling.draws}"
    kind = "" if method == "percentile" else f" ({method}s)"
    return f"{100 * sampling.level:.10g} % intervals{kind}: {sampling.draws}"


def few_segments_warning(count: int, level: float, tests: int = 1) -> Notice:
    """Return the warning for few segments, where so many tests are corrected together."""
    segments = f"{count} segments are" if count > 1 else "one segment is"
    needed = fewest_segments(level, tests)
    if count >= needed:
        return Notice(
            f"{segments} few: intervals are wide, and only large differences can be significant"
        )
    what = "intervals and significant differences"
    if count >= fewest_segments(level):
        what = f"significant differences of {tests:,} tests"
    return Notice(f"{segments} too few for {what}: at least {needed} are needed")


def with_intervals(results: Sequence[Result], sampling: Sampling) -> list[Result]:
    """Return the results with bootstrap intervals. Statistics must have been kept."""
    from hyperbaton.stats.paired_tests import bootstrap_values

    tables = [[result[metric] for result in results] for metric in results[0]]
    sampled = bootstrap_values(list(map(metric_table, tables)), sampling)
    bounds = (
        [bootstrap_interval(column, sampling.level, results[0].n) for column in values.T]
        for values in sampled
    )
    return with_scores(results, list(map(with_bounds, tables, bounds)), sampling)


def with_bounds(
    scores: Sequence[Score], bounds: Iterable[tuple[float | None, float | None]]
) -> list[Score]:
    """Return the scores of systems with the bounds of their intervals, if they have any."""
    return [
        score if lower is None or score.value is None else replace(score, lower=lower, upper=upper)
        for score, (lower, upper) in zip(scores, bounds, strict=True)
    ]


def with_scores(
    results: Sequence[Result], tables: Sequence[Sequence[Score]], sampling: Sampling | None = None
) -> list[Result]:
    """Return the results with other scores: for each metric, those of all systems."""
    return [
        result.with_scores(dict(zip(result, scores, strict=True)), sampling=sampling)
        for result, *scores in zip(results, *tables, strict=True)
    ]
