"""Tables of the p-values of all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hyperbaton.meta.results import MetricDifference
from hyperbaton.runs.comparisons import Difference
from hyperbaton.views.tables import MISSING, Cell, Column, PValue, Table


def p_value_table(
    heading: str, labels: Mapping[str, str], differences: Iterable[Difference | MetricDifference]
) -> Table:
    """Return the p-values of all pairs of systems or metrics; significant ones are highlighted.

    Parameters
    ----------
    heading : str
    labels : mapping of str to str
        The names of rows, in their order, and how they are shown. Columns have their numbers.
    differences : iterable of Difference or MetricDifference
    """
    names = list(labels)
    by_pair = {frozenset((d.a, d.b)): d for d in differences}
    columns = [numbered_rows(heading, labels.values())]
    for j, other in enumerate(names[1:], 2):
        pairs = [by_pair.get(frozenset((name, other))) for name in names[: j - 1]]
        significant = frozenset(k for k, d in enumerate(pairs) if d and d.better)
        cells = [*map(_p_value_cell, pairs), *[""] * (len(names) - len(pairs))]
        columns.append(Column(str(j), cells, significant))
    return Table(columns)


def numbered_rows(heading: str, names: Iterable[str]) -> Column:
    """Return the column of names with their numbers, by which other columns are named."""
    return Column(heading, [f"{k:>2} {name}" for k, name in enumerate(names, 1)], left=True)


def _p_value_cell(difference: Difference | MetricDifference | None) -> Cell:
    if difference is None:
        return ""
    return MISSING if difference.p is None else PValue(difference.p)
