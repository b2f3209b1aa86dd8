"""What is shown of a comparison: for each metric the ranking of the systems, their differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from hyperbaton.runs.comparing import Comparison
from hyperbaton.runs.differences import Difference
from hyperbaton.runs.intervals import describe_sampling
from hyperbaton.runs.verdict import verdict_writer
from hyperbaton.text.display import visible
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.score_tables import arrow, scaled_note
from hyperbaton.views.tables import (
    Column,
    Document,
    Estimate,
    Example,
    ExampleLine,
    NumberCell,
    Prose,
    ResultView,
    Table,
    ViewSection,
    optional_number,
    p_value_cell,
    p_value_table,
)

MAX_LISTED_PAIRS = 6  # more pairs are shown as a matrix of p-values


@dataclass(frozen=True)
class ComparisonView(ResultView):
    """A comparison of systems.

    Attributes
    ----------
    comparison : Comparison
    labels, scale
        As for :class:`~hyperbaton.views.score_tables.ScoreView`.
    separating : sequence of dict
        The segments that separate two systems most, with both outputs.
    """

    comparison: Comparison
    labels: Mapping[str, str] = field(default_factory=dict)
    scale: float = 1
    separating: Sequence[Mapping[str, Any]] = ()

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
        """Return the ranking of the systems, their differences and the verdict by each metric."""
        comparison = self.comparison
        sections = [*self._sections(), *map(self._example, self.separating)]
        note = count_noun(comparison.n, "segment")
        note += f"; {describe_sampling(comparison.sampling, comparison.n)}"
        least_p = comparison.settings()["least_p"]
        if least_p is not None:
            note += f"; p at least that of the {least_p} test"
        if comparison.correction != "none":
            note += f"; correction: {comparison.correction}"
        signatures = [score.signature for score in comparison.results[0].values()]
        return Document(sections, [scaled_note(note, self.scale)], signatures)

    def cautions(self) -> Sequence[str]:
        """Return reasons to distrust the p-values."""
        return self.comparison.notes

    def _sections(self) -> Iterator[ViewSection]:
        """Yield a section for each metric. A sentence that verdicts share is written once."""
        writer = verdict_writer(self.comparison, self.labels, self.scale)
        written: set[str] = set()
        for metric in self.comparison.metrics:
            sentences = [text for text in writer.sentences(metric) if text not in written]
            written.update(sentences)
            tables = [self._ranking_table(metric), self._pair_table(metric)]
            yield ViewSection(tables, Prose(sentences))

    def _ranking_table(self, metric: str) -> Table:
        """Return the systems, best first.

        Without a baseline, each system has its cluster and the range of ranks that it may have,
        and rules separate the clusters.
        """
        comparison = self.comparison
        ranks = comparison.ranking(metric)
        names = [
            self._label(rank.system) + " (baseline)" * (rank.system == comparison.baseline)
            for rank in ranks
        ]
        values = [Estimate(r.value, r.lower, r.upper).times(self.scale) for r in ranks]
        heading = f"{metric} {arrow(comparison.results[0][metric].higher_is_better)}"
        columns = [Column("system", names, left=True), Column(heading, values)]
        matched = {result.name: result[metric].matched for result in comparison.results}
        if any(share is not None for share in matched.values()):
            shares = [optional_number(matched[rank.system], ".2f") for rank in ranks]
            columns.insert(1, Column("matched", shares))
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
        starts = frozenset(k for k in range(1, len(ranks)) if clusters[k] != clusters[k - 1])
        # a cluster number without its system would mean nothing, so the columns stay together
        return Table(columns, starts, splittable=False)

    def _pair_table(self, metric: str) -> Table:
        """Return the pairs of systems, or the p-values alone if there are many pairs."""
        differences = self.comparison.differences_by(metric)
        if self.comparison.baseline is not None or len(differences) <= MAX_LISTED_PAIRS:
            return self._difference_table(differences)
        names = [rank.system for rank in self.comparison.ranking(metric)]
        return p_value_table("p", {name: self._label(name) for name in names}, differences)

    def _difference_table(self, differences: Sequence[Difference]) -> Table:
        """Return one row per pair of systems; significant p-values are highlighted."""
        estimates = [
            Estimate(d.difference, d.lower, d.upper).times(self.scale) for d in differences
        ]
        significant = frozenset(k for k, d in enumerate(differences) if d.better is not None)
        pairs = [f"{self._label(d.a)} – {self._label(d.b)}" for d in differences]
        columns = [
            Column("pair", pairs, left=True),
            Column("difference", estimates),
            Column("p", [p_value_cell(d) for d in differences], significant),
            Column("effect", [optional_number(d.effect, "+.2f") for d in differences]),
            Column("better/equal/worse", [f"{d.wins}/{d.ties}/{d.losses}" for d in differences]),
        ]
        return Table(columns)

    def _example(self, segment: Mapping[str, Any]) -> ViewSection:
        """Return a segment that separates two systems, with their outputs."""
        lines = [ExampleLine("reference", visible(text)) for text in segment["references"]]
        for system in segment["systems"]:
            value = NumberCell(self.scale * system["value"])
            lines.append(ExampleLine(self._label(system["name"]), visible(system["text"]), value))
        heading = f"{segment['metric']}, segment {segment['segment']:,}"
        if self.comparison.results[0][segment["metric"]].stored_anchors is not None:
            heading += " (shares of neighbours that the shared words keep)"
        return ViewSection([Example(heading, lines)])

    def _label(self, name: str) -> str:
        return self.labels.get(name, name)
