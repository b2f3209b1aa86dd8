"""The table of scores: one row per system, one column per metric."""

from __future__ import annotations

from collections.abc import Sequence

from hyperbaton.metrics.results import Result
from hyperbaton.report.tables import Column, Table, format_estimate, format_number
from hyperbaton.stats.sampling import Sampling


def score_table(results: Sequence[Result], digits: int) -> Table:
    """Return the table of systems and metrics, with the share of aligned words if it is known.

    The best values of each metric are highlighted, unless all systems look the same when rounded
    to ``digits``.
    """
    columns = [Column("system", tuple(result.name for result in results), left=True)]
    shares = [result.aligned for result in results]
    if any(share is not None for share in shares):
        cells = tuple("" if share is None else format_number(share, 2) for share in shares)
        columns.append(Column("aligned", cells))
    for metric in results[0]:
        scores = [result[metric] for result in results]
        higher_is_better = scores[0].higher_is_better
        rounded = [float(format_number(score.value, digits)) for score in scores]
        top = max(rounded) if higher_is_better else min(rounded)
        best = frozenset(k for k, value in enumerate(rounded) if value == top)
        if len(set(rounded)) == 1:
            best = frozenset()
        cells = tuple(format_estimate(s.value, s.lower, s.upper, digits) for s in scores)
        columns.append(Column(f"{metric} {'↑' if higher_is_better else '↓'}", cells, best))
    return Table(columns)


def scores_tsv(results: Sequence[Result], sampling: Sampling | None) -> str:
    """Return one row per system and metric: all digits, interval, signature and settings."""
    settings = {} if sampling is None else sampling.to_dict()
    heading = ["system", "metric", "value", "lower", "upper", "aligned", "n", "signature"]
    rows = [[*heading, *settings]]
    for result in results:
        for metric, score in result.items():
            values = (score.value, score.lower, score.upper, score.aligned, score.n)
            cells = ["" if value is None else repr(value) for value in values]
            rows.append(
                [result.name, metric, *cells, score.signature, *map(str, settings.values())]
            )
    return "\n".join("\t".join(row) for row in rows)
