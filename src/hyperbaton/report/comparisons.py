"""A comparison as tables: for each metric a ranking, and the differences of pairs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from hyperbaton.metrics.comparison import Comparison, Difference
from hyperbaton.report.tables import Column, as_text, number, with_bounds

FEW_PAIRS = 6  # up to so many are listed; more are a table of p-values
Table = Callable[[Sequence[Column]], str]


def heading(comparison: Comparison, metric: str) -> str:
    """A metric, and which way is better."""
    higher = comparison.results[0][metric].higher_is_better
    return f"{metric} {'↑' if higher else '↓'}"


def ranking_columns(comparison: Comparison, metric: str, digits: int) -> list[Column]:
    """Systems, the best first, with their clusters and the ranks they may have."""
    ranks = comparison.ranking(metric)
    names = [rank.system for rank in ranks]

    def marked(name: str) -> str:
        return f"{name} (baseline)" if name == comparison.baseline else name

    columns = [
        Column("system", tuple(map(marked, names)), left=True),
        Column(heading(comparison, metric), tuple(with_bounds(rank, digits) for rank in ranks)),
    ]
    if comparison.baseline is None:
        spans = (f"{r.first}" if r.first == r.last else f"{r.first}–{r.last}" for r in ranks)
        columns.insert(0, Column("cluster", tuple(str(rank.cluster) for rank in ranks)))
        columns.append(Column("rank", tuple(spans)))
    return columns


def difference_columns(found: Sequence[Difference], digits: int) -> list[Column]:
    """One row for each pair."""
    bounds = [
        number(one.difference, digits)
        if one.lower is None or one.upper is None
        else f"{number(one.difference, digits)} "
        f"[{number(one.lower, digits)}, {number(one.upper, digits)}]"
        for one in found
    ]
    counts = tuple(f"{one.wins}/{one.ties}/{one.losses}" for one in found)
    effects = tuple("" if one.effect is None else f"{one.effect:+.2f}" for one in found)
    better = frozenset(k for k, one in enumerate(found) if one.better is not None)
    return [
        Column("pair", tuple(f"{one.a} – {one.b}" for one in found), left=True),
        Column("difference", tuple(bounds)),
        Column("p", tuple(shown_p(one.p) for one in found), better),
        Column("effect", effects),
        Column("better/equal/worse", counts),
    ]


def matrix_columns(comparison: Comparison, metric: str) -> list[Column]:
    """p-values of all pairs, systems in the order of their ranking and called by number."""
    names = [rank.system for rank in comparison.ranking(metric)]
    found = {frozenset((one.a, one.b)): one for one in comparison.of(metric)}
    rows = tuple(f"{k:>2} {name}" for k, name in enumerate(names, 1))
    columns = [Column("p", rows, left=True)]
    for j, other in enumerate(names[1:], 2):
        pairs = [found.get(frozenset((name, other))) for name in names[: j - 1]]
        cells = [shown_p(one.p) if one else "" for one in pairs]
        best = frozenset(k for k, one in enumerate(pairs) if one and one.better)
        columns.append(Column(str(j), tuple(cells + [""] * (len(names) - len(cells))), best))
    return columns


def shown_p(p: float) -> str:
    """With three digits, or as less than the smallest of them.

    >>> shown_p(0.0321), shown_p(0.0001), shown_p(1.0)
    ('0.032', '<0.001', '1.000')
    """
    return f"{p:.3f}" if p >= 0.0005 else "<0.001"


def sections(comparison: Comparison, digits: int, table: Table) -> list[str]:
    """For each metric, its ranking and its pairs."""
    parts = []
    for metric in comparison.metrics:
        parts.append(table(ranking_columns(comparison, metric, digits)))
        found = comparison.of(metric)
        if comparison.baseline is None and len(found) > FEW_PAIRS:
            parts.append(table(matrix_columns(comparison, metric)))
        else:
            parts.append(table(difference_columns(found, digits)))
    return parts


def cluster_ends(columns: Sequence[Column]) -> frozenset[int]:
    """The rows before which a cluster ends."""
    if columns[0].heading != "cluster":
        return frozenset()
    numbers = columns[0].cells
    return frozenset(k for k in range(1, len(numbers)) if numbers[k] != numbers[k - 1])


def as_comparison_text(comparison: Comparison, digits: int, width: int, colour: bool) -> str:
    """For people: clusters are apart, and what is significant has a star."""

    def table(columns: Sequence[Column]) -> str:
        if columns[0].heading != "cluster":
            return as_text(columns, width, colour)
        # few columns, which stay together however long names are
        head, *rows = as_text(columns, sys.maxsize, colour).split("\n")
        ends = cluster_ends(columns)
        lines = [head]
        for k, row in enumerate(rows):
            lines += ["─" * len(head), row] if k in ends else [row]
        return "\n".join(lines)

    return "\n\n".join(sections(comparison, digits, table))


def as_comparison_tsv(comparison: Comparison) -> str:
    """One row for each metric and pair, with all digits."""
    head = ["metric", "a", "b", "value_a", "value_b", "difference", "lower", "upper", "p"]
    texts = {metric: score.signature for metric, score in comparison.results[0].items()}
    settings = {**comparison.sampling.to_dict(), "correction": comparison.correction}
    lines = [[*head, "effect", "wins", "ties", "losses", "better", *settings, "n", "signature"]]
    values = {result.name: result for result in comparison.results}
    for one in comparison.differences:
        numbers = [
            values[one.a][one.metric].value,
            values[one.b][one.metric].value,
            one.difference,
            one.lower,
            one.upper,
            one.p,
            one.effect,
            one.wins,
            one.ties,
            one.losses,
        ]
        cells = ["" if value is None else repr(value) for value in numbers]
        own = [*map(str, settings.values()), str(comparison.n), texts[one.metric]]
        lines.append([one.metric, one.a, one.b, *cells, one.better or "", *own])
    return "\n".join("\t".join(line) for line in lines)
