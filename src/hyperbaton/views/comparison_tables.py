"""Tables of a comparison: for each metric the ranking of the systems and their differences."""

from __future__ import annotations

from collections.abc import Sequence

from hyperbaton.runs.comparisons import Comparison, Difference
from hyperbaton.runs.intervals import describe_sampling
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.tables import (
    Column,
    Document,
    Prose,
    Table,
    format_estimate,
    format_p_value,
)

MAX_LISTED_PAIRS = 6  # more pairs are shown as a matrix of p-values


def comparison_document(
    comparison: Comparison, digits: int, verdict_first: bool = False
) -> Document:
    """Return the ranking of the systems, their differences and the verdict by each metric.

    A sentence that the verdicts of two metrics share is written once.
    """
    parts: list[Table | Prose] = []
    written: set[str] = set()
    for metric in comparison.metrics:
        differences = comparison.differences_by(metric)
        tables = [ranking_table(comparison, metric, digits)]
        if comparison.baseline is None and len(differences) > MAX_LISTED_PAIRS:
            tables.append(p_value_table(comparison, metric))
        else:
            tables.append(difference_table(differences, digits))
        verdict = Prose([s for s in comparison.verdict(metric) if s not in written])
        written.update(verdict.sentences)
        parts += [verdict, *tables] if verdict_first else [*tables, verdict]
    sampling = describe_sampling(comparison.sampling, comparison.n)
    settings = f"{count_noun(comparison.n, 'segment')}; {sampling}"
    least_p = comparison.settings()["least_p"]
    if least_p is not None:
        settings += f"; p at least that of the {least_p} test"
    if comparison.correction != "none":
        settings += f"; correction: {comparison.correction}"
    signatures = [score.signature for score in comparison.results[0].values()]
    return Document(parts, [settings], signatures, comparison.notes)


def ranking_table(comparison: Comparison, metric: str, digits: int) -> Table:
    """Return the systems, best first.

    Without a baseline, each system has its cluster and the range of ranks that it may have, and
    rules separate the clusters.
    """
    ranks = comparison.ranking(metric)
    higher_is_better = comparison.results[0][metric].higher_is_better
    names = (
        f"{rank.system} (baseline)" if rank.system == comparison.baseline else rank.system
        for rank in ranks
    )
    values = (format_estimate(rank.value, rank.lower, rank.upper, digits) for rank in ranks)
    columns = [
        Column("system", tuple(names), left=True),
        Column(f"{metric} {'↑' if higher_is_better else '↓'}", tuple(values)),
    ]
    if comparison.baseline is not None:
        return Table(columns)
    clusters = [rank.cluster for rank in ranks]
    ranges = (f"{r.first}" if r.first == r.last else f"{r.first}–{r.last}" for r in ranks)
    columns.insert(0, Column("cluster", tuple(map(str, clusters))))
    columns.append(Column("rank", tuple(ranges)))
    starts = frozenset(k for k in range(1, len(ranks)) if clusters[k] != clusters[k - 1])
    # a cluster number without its system would mean nothing, so the columns stay together
    return Table(columns, starts, splittable=False)


def difference_table(differences: Sequence[Difference], digits: int) -> Table:
    """Return one row per pair of systems; significant p-values are highlighted."""
    estimates = (format_estimate(d.difference, d.lower, d.upper, digits) for d in differences)
    effects = ("" if d.effect is None else f"{d.effect:+.2f}" for d in differences)
    significant = frozenset(k for k, d in enumerate(differences) if d.better is not None)
    return Table(
        [
            Column("pair", tuple(f"{d.a} – {d.b}" for d in differences), left=True),
            Column("difference", tuple(estimates)),
            Column("p", tuple(format_p_value(d.p) for d in differences), significant),
            Column("effect", tuple(effects)),
            Column(
                "better/equal/worse", tuple(f"{d.wins}/{d.ties}/{d.losses}" for d in differences)
            ),
        ]
    )


def p_value_table(comparison: Comparison, metric: str) -> Table:
    """Return the p-values of all pairs; systems are in ranking order and columns have numbers."""
    names = [rank.system for rank in comparison.ranking(metric)]
    by_pair = {frozenset((d.a, d.b)): d for d in comparison.differences_by(metric)}
    labels = tuple(f"{k:>2} {name}" for k, name in enumerate(names, 1))
    columns = [Column("p", labels, left=True)]
    for j, other in enumerate(names[1:], 2):
        pairs = [by_pair.get(frozenset((name, other))) for name in names[: j - 1]]
        cells = [format_p_value(d.p) if d else "" for d in pairs]
        significant = frozenset(k for k, d in enumerate(pairs) if d and d.better)
        padding = [""] * (len(names) - len(cells))
        columns.append(Column(str(j), tuple(cells + padding), significant))
    return Table(columns)


def comparison_rows(comparison: Comparison) -> list[list[str]]:
    """Return the headings, and one row per metric and pair, with all digits."""
    heading = ["metric", "a", "b", "value_a", "value_b", "difference", "lower", "upper", "p"]
    signatures = {metric: score.signature for metric, score in comparison.results[0].items()}
    settings = {**comparison.settings(), "correction": comparison.correction}
    rows = [[*heading, "effect", "wins", "ties", "losses", "better", *settings, "n", "signature"]]
    results = {result.name: result for result in comparison.results}
    for d in comparison.differences:
        values = [
            results[d.a][d.metric].value,
            results[d.b][d.metric].value,
            d.difference,
            d.lower,
            d.upper,
            d.p,
            d.effect,
            d.wins,
            d.ties,
            d.losses,
        ]
        cells = ["" if value is None else repr(value) for value in values]
        shared = ["" if value is None else str(value) for value in settings.values()]
        ends = [*shared, str(comparison.n), signatures[d.metric]]
        rows.append([d.metric, d.a, d.b, *cells, d.better or "", *ends])
    return rows
