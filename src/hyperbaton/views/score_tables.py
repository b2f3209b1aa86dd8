"""The table of scores: one row per system, one column per metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hyperbaton.runs.cautions import cautions
from hyperbaton.runs.intervals import describe_sampling, interval_settings
from hyperbaton.runs.results import Result
from hyperbaton.stats.sampling import Sampling
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.tables import Column, Document, Table, format_estimate, format_number


def score_document(results: Sequence[Result], digits: int, sampling: Sampling | None) -> Document:
    """Return the scores of systems; ``sampling`` says how their intervals were computed."""
    count = count_noun(results[0].n, "segment")
    return Document(
        [score_table(results, digits)],
        [count if sampling is None else f"{count}; {describe_sampling(sampling, results[0].n)}"],
        [score.signature for score in results[0].values()],
        list(cautions(results)),
    )


class MetricValues(NamedTuple):
    """The value of each system by a metric, with its interval if it has one."""

    metric: str
    higher_is_better: bool
    estimates: Sequence[tuple[float, float | None, float | None]]


def score_table(results: Sequence[Result], digits: int) -> Table:
    """Return the table of systems and metrics; see :func:`system_table`."""
    values = [
        MetricValues(
            metric,
            score.higher_is_better,
            [(s.value, s.lower, s.upper) for s in (result[metric] for result in results)],
        )
        for metric, score in results[0].items()
    ]
    names, shares = zip(*((result.name, result.aligned) for result in results), strict=True)
    return system_table(names, shares, values, digits)


def system_table(
    names: Sequence[str],
    shares: Sequence[float | None],
    metrics: Sequence[MetricValues],
    digits: int,
) -> Table:
    """Return the table of systems and metrics, with the share of aligned words if it is known.

    The best values of each metric are highlighted, unless all systems look the same when rounded
    to ``digits``.
    """
    columns = [Column("system", tuple(names), left=True)]
    if any(share is not None for share in shares):
        cells = tuple("" if share is None else format_number(share, 2) for share in shares)
        columns.append(Column("aligned", cells))
    for metric, higher_is_better, estimates in metrics:
        rounded = [float(format_number(value, digits)) for value, _, _ in estimates]
        top = max(rounded) if higher_is_better else min(rounded)
        best = frozenset(k for k, value in enumerate(rounded) if value == top)
        if len(set(rounded)) == 1:
            best = frozenset()
        cells = tuple(format_estimate(*estimate, digits) for estimate in estimates)
        columns.append(Column(f"{metric} {'↑' if higher_is_better else '↓'}", cells, best))
    return Table(columns)


def score_rows(results: Sequence[Result], sampling: Sampling | None) -> list[list[str]]:
    """Return the headings, and one row per system and metric: all digits, interval, settings."""
    settings = {} if sampling is None else interval_settings(sampling, results[0].n)
    heading = ["system", "metric", "value", "lower", "upper", "aligned", "n", "signature"]
    rows = [[*heading, *settings]]
    for result in results:
        for metric, score in result.items():
            values = (score.value, score.lower, score.upper, score.aligned, score.n)
            cells = ["" if value is None else repr(value) for value in values]
            shared = ["" if value is None else str(value) for value in settings.values()]
            rows.append([result.name, metric, *cells, score.signature, *shared])
    return rows
