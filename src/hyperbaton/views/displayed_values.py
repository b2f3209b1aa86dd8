"""How tables show results: under short names, scaled, and sorted by a metric."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from hyperbaton.errors import InputError
from hyperbaton.runs.comparisons import Comparison
from hyperbaton.runs.results import Result, Score


def displayed_results(
    results: Sequence[Result], labels: Mapping[str, str], scale: float
) -> list[Result]:
    """Return results with labels for names and scaled values, for tables only.

    Parameters
    ----------
    results : sequence of Result
        One result per system.
    labels : mapping of str to str
        Labels by name; a system without one keeps its name.
    scale : float
        What values and intervals are multiplied by.
    """
    return [
        result.with_scores(
            {metric: _scale_score(score, scale) for metric, score in result.items()},
            labels.get(result.name, result.name),
        )
        for result in results
    ]


def displayed_comparison(
    comparison: Comparison, labels: Mapping[str, str], scale: float
) -> Comparison:
    """Return a comparison with labels for names and scaled values, for tables only."""

    def label(name: str) -> str:
        return labels.get(name, name)

    differences = tuple(
        replace(
            difference,
            a=label(difference.a),
            b=label(difference.b),
            better=None if difference.better is None else label(difference.better),
            difference=scale * difference.difference,
            lower=_scale(difference.lower, scale),
            upper=_scale(difference.upper, scale),
        )
        for difference in comparison.differences
    )
    return replace(
        comparison,
        results=tuple(displayed_results(comparison.results, labels, scale)),
        differences=differences,
        baseline=None if comparison.baseline is None else label(comparison.baseline),
    )


def check_sort(metric: str | None, metrics: Collection[str]) -> None:
    """Raise an error if there is a metric to sort by, but systems have no scores of it."""
    if metric is not None and metric not in metrics:
        raise InputError(f"cannot sort by {metric!r}: valid metrics: {', '.join(metrics)}")


def sort_results(results: Sequence[Result], metric: str | None) -> list[Result]:
    """Return the results of systems, the best by a metric first; equal ones keep their order.

    Without a metric they keep their order, too.

    Raises
    ------
    InputError
        If the systems have no scores of the metric.
    """
    check_sort(metric, results[0])
    if metric is None:
        return list(results)
    sign = -1 if results[0][metric].higher_is_better else 1
    return sorted(results, key=lambda result: sign * result[metric].value)


def _scale_score(score: Score, scale: float) -> Score:
    return replace(
        score,
        value=scale * score.value,
        lower=_scale(score.lower, scale),
        upper=_scale(score.upper, scale),
    )


def _scale(value: float | None, scale: float) -> float | None:
    return None if value is None else scale * value
