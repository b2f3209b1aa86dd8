"""What is shown of a comparison: the verdict, one table, and on request all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from hyperbaton.files.lines import short_names
from hyperbaton.notices import Notice
from hyperbaton.runs.cautions import evidence_notices
from hyperbaton.runs.comparing import Comparison
from hyperbaton.runs.differences import Difference
from hyperbaton.runs.intervals import describe_sampling
from hyperbaton.runs.shown_links import MoveCounts
from hyperbaton.runs.verdict import FEW_MOVES, MAX_MOVE_LINES, order_metric
from hyperbaton.runs.verdict_sentences import Verdict
from hyperbaton.text.display import visible
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.score_tables import (
    SystemColumn,
    arrow,
    cluster_starts,
    describe_tests,
    result_columns,
    system_table,
)
from hyperbaton.views.tables import (
    MISSING,
    Column,
    Document,
    Estimate,
    Example,
    ExampleLine,
    NumberCell,
    Prose,
    ResultView,
    Table,
    ViewPart,
    optional_number,
    p_value_cell,
    p_value_table,
)

MAX_LISTED_PAIRS = 6  # more pairs are shown as a matrix of p-values
MOVES_LEGEND = (
    "moves: segments in which words have to move; mostly: the most frequent kind, median distance"
)


@dataclass(frozen=True)
class ComparisonView(ResultView):
    """A comparison of systems.

    Attributes
    ----------
    comparison : Comparison
    separating : sequence of dict
        The segments that separate two systems most, with both outputs.
    details : bool
        Whether people see all pairs by each metric, and long signatures.
    """

    comparison: Comparison
    separating: Sequence[Mapping[str, Any]] = ()
    details: bool = False
    digits = 1

    def data(self) -> dict[str, Any]:
        """Return the comparison, and the segments that separate systems."""
        return {**self.comparison.to_dict(), "separating": list(self.separating)}

    def records(self) -> list[dict[str, object]]:
        """Return one row per metric and pair."""
        comparison = self.comparison
        settings = {**comparison.settings(), "correction": comparison.correction}
        results = {result.name: result for result in comparison.results}
        rows: list[dict[str, object]] = []
        for d in comparison.differences:
            a, b = (results[name][d.metric] for name in (d.a, d.b))
            row: dict[str, object] = {
                "metric": d.metric,
                "a": d.a,
                "b": d.b,
                "value_a": a.value,
                "value_b": b.value,
            }
            row |= asdict(d) | settings
            rows.append(row | {"n": comparison.n, "signature": a.signature})
        return rows

    def document(self) -> Document:
        """Return the verdict and the table of systems, then what was asked for besides."""
        comparison = self.comparison
        parts: list[ViewPart] = [Prose(self._verdict.sentences, indented=True), self._table()]
        if self.details:
            for metric in comparison.metrics:
                parts += [self._ranking_table(metric), self._pair_table(metric)]
        parts += map(self._example, self.separating)
        told = [metric for metric in (order_metric(comparison.results[0]),) if metric]
        reasons = evidence_notices(comparison.results, self._names, told)
        notes = [self._sampling_note(), *(notice.fact for notice in reasons)]
        signatures = [score.signature for score in comparison.results[0].values()]
        return Document(parts, notes, signatures, not self.details)

    def told(self) -> Iterable[Notice]:
        """Return the notices that the document tells by itself."""
        sentences = " ".join(self._verdict.sentences)
        told = [warning for warning in self.comparison.warnings if warning.fact[1:] in sentences]
        return [*evidence_notices(self.comparison.results), *told]

    def cautions(self) -> Sequence[str]:
        """Return reasons to distrust the p-values."""
        told = set(self.told())
        return [notice for notice in self.comparison.notes if notice not in told]

    @cached_property
    def _verdict(self) -> Verdict:
        return self.comparison.verdict()

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return short_names([result.name for result in self.comparison.results])

    def _sampling_note(self) -> str:
        comparison = self.comparison
        note = count_noun(comparison.n, "segment")
        note += f"; {describe_sampling(comparison.sampling, comparison.n)}"
        least_p = comparison.settings()["least_p"]
        if self.details and least_p is not None:
            note += f"; p at least that of the {least_p} test"
        if comparison.correction != "none":
            note += f"; correction: {comparison.correction}"
        return note

    def _table(self) -> Table:
        """Return the systems and metrics, the closest order first, with a sign for low values.

        Rules separate the clusters of `order`.
        """
        comparison = self.comparison
        order = order_metric(comparison.results[0])
        ranks = comparison.ranking(order or comparison.metrics[0])
        names = [rank.system for rank in ranks]
        below = {metric: systems_below(comparison, metric) for metric in comparison.metrics}
        columns = result_columns(comparison.results, below)
        tests = ""
        if comparison.can_be_significant:
            settings = comparison.sampling.level, comparison.baseline, order is not None
            tests = describe_tests(any(below.values()), *settings)
        legend = [tests]
        if order is not None and len(names) > MAX_MOVE_LINES and comparison._moves:
            columns += move_columns(comparison._moves)
            legend.append(MOVES_LEGEND)
        starts = cluster_starts([rank.cluster for rank in ranks]) if order else frozenset()
        return system_table(names, columns, starts, *legend)

    def _ranking_table(self, metric: str) -> Table:
        """Return the systems, best first.

        Without a baseline, each system has its cluster and the range of ranks that it may have,
        and rules separate the clusters.
        """
        comparison = self.comparison
        ranks = comparison.ranking(metric)
        names = [self._names[rank.system] for rank in ranks]
        values = [Estimate(r.value, r.lower, r.upper).times(100) for r in ranks]
        heading = f"{metric}{arrow(comparison.results[0][metric].higher_is_better)}"
        columns = [Column("system", names, left=True), Column(heading, values)]
        if comparison.baseline is not None:
            return Table(columns)
        clusters = [rank.cluster for rank in ranks]
        ranges = [
            "" if r.first is None else f"{r.first}" if r.first == r.last else f"{r.first}–{r.last}"
            for r in ranks
        ]
        columns.insert(
            0, Column("cluster", ["" if cluster is None else str(cluster) for cluster in clusters])
        )
        columns.append(Column("rank", ranges))
        starts = cluster_starts(clusters)
        # a cluster number without its system would mean nothing, so the columns stay together
        return Table(columns, starts, splittable=False)

    def _pair_table(self, metric: str) -> Table:
        """Return the pairs of systems, or the p-values alone if there are many pairs."""
        differences = self.comparison.differences_by(metric)
        if self.comparison.baseline is not None or len(differences) <= MAX_LISTED_PAIRS:
            return self._difference_table(differences)
        names = [rank.system for rank in self.comparison.ranking(metric)]
        return p_value_table("p", {name: self._names[name] for name in names}, differences)

    def _difference_table(self, differences: Sequence[Difference]) -> Table:
        """Return one row per pair of systems; significant p-values are highlighted."""
        estimates = [Estimate(d.difference, d.lower, d.upper).times(100) for d in differences]
        significant = frozenset(k for k, d in enumerate(differences) if d.better is not None)
        pairs = [f"{self._names[d.a]} – {self._names[d.b]}" for d in differences]
        columns = [
            Column("pair", pairs, left=True),
            Column("difference", estimates),
            Column("p", [p_value_cell(d) for d in differences], significant),
            Column("effect", [optional_number(d.effect, "+.2f") for d in differences]),
            Column("better/equal/worse", [f"{d.wins}/{d.ties}/{d.losses}" for d in differences]),
        ]
        return Table(columns)

    def _example(self, segment: Mapping[str, Any]) -> Example:
        """Return a segment that separates two systems, with their outputs."""
        lines = [ExampleLine("reference", visible(text)) for text in segment["references"]]
        for system in segment["systems"]:
            value = NumberCell(100 * system["value"])
            name = self._names[system["name"]]
            lines.append(ExampleLine(name, visible(system["text"]), value))
        heading = f"{segment['metric']}, segment {segment['segment']:,}"
        if self.comparison.results[0][segment["metric"]].stored_anchors is not None:
            heading += " (shares of neighbours that the shared words keep)"
        return Example(heading, lines)


def systems_below(comparison: Comparison, metric: str) -> set[str]:
    """Return the systems that are significantly below the best by a metric, or the baseline.

    By `order` they are farther from the order of the reference, by the words that they share.
    """
    best = comparison.baseline or next(iter(comparison.scores(metric)))
    won = [d for d in comparison.differences_by(metric) if d.better == best]
    return {d.b if d.a == best else d.a for d in won}


def move_columns(moves: Mapping[str, MoveCounts]) -> Iterator[SystemColumn]:
    """Yield the columns of moves: in how many segments, and the most frequent kind."""
    numbers = {
        name: f"{counts.reordered:,}" if counts.linked else MISSING
        for name, counts in moves.items()
    }
    yield SystemColumn("moves", numbers)
    yield SystemColumn("mostly", {name: _frequent_move(counts) for name, counts in moves.items()})


def _frequent_move(counts: MoveCounts) -> str:
    """Return the most frequent kind of move in a few characters."""
    frequent = counts.most_frequent
    if frequent is None or counts.moves < FEW_MOVES:
        return ""
    words = "word" if frequent.kind.is_single else "words"
    return f"{words} {frequent.distance} {'late' if frequent.kind.before else 'early'}"
