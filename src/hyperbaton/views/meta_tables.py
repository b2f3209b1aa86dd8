"""What is shown of meta-evaluations, and of tuned metrics before and after tuning."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from hyperbaton.meta.agreement import MEASURES
from hyperbaton.meta.results import Coverage, MetaEvaluation
from hyperbaton.meta.tuning import SCHEMA, TIES_DROPPED, Tuning, format_settings
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.tables import (
    MISSING,
    Cell,
    Column,
    Document,
    Estimate,
    Note,
    NumberCell,
    ResultView,
    Table,
    legend,
    numbered_rows,
    optional_number,
    p_value_table,
)

SETTINGS = ("agreement", "average", "bootstrap", "test", "exchange")  # of a record
JUDGEMENT_KINDS = {
    "rankings": "rankings by people",
    "ranks": "people's ranks as scores",
    "segments": "human scores of segments",
    "systems": "human scores of systems",
}


@dataclass(frozen=True)
class AgreementView(ResultView):
    """The agreement of metrics with people.

    Attributes
    ----------
    evaluation : MetaEvaluation
    pairwise : bool
        Whether tables compare each two metrics.
    """

    evaluation: MetaEvaluation
    pairwise: bool = False
    digits = 3

    def data(self) -> dict[str, Any]:
        """Return the evaluation."""
        return self.evaluation.to_dict()

    def records(self) -> list[dict[str, object]]:
        """Return one row per metric and language pair."""
        evaluation = self.evaluation
        settings = {name: getattr(evaluation, name) for name in SETTINGS}
        settings |= _without(evaluation.sampling.to_dict(), "method")
        rows = []
        for agreement in evaluation.agreements:
            row = _without(asdict(agreement), "signature", "ranking")
            unbeaten = agreement.metric in evaluation.unbeaten(agreement.pair)
            row["unbeaten"] = "yes" if unbeaten else "no"
            rows.append({**row, **settings, "signature": agreement.signature})
        return rows

    def document(self) -> Document:
        """Return the table of agreements, then rankings of systems if there are any."""
        signatures = [text for text in self.evaluation.signatures.values() if text is not None]
        return Document(list(self._tables()), list(self._notes()), signatures)

    def cautions(self) -> Sequence[str]:
        """Return what was left out, and reasons to interpret the numbers with care."""
        return [*self.evaluation.notes, *self.evaluation.warnings]

    @property
    def _compares_metrics(self) -> bool:
        return self.pairwise and len(self.evaluation.metrics) > 1

    def _tables(self) -> Iterator[Table]:
        yield self._agreement_table()
        for pair in self.evaluation.systems:
            yield self._ranking_table(pair)
        if self._compares_metrics:
            if len(self.evaluation.pairs) > 1:
                yield self._win_table()
            yield from map(self._p_value_table, self.evaluation.pairs)

    def _agreement_table(self) -> Table:
        """Return metrics by language pairs; metrics that no other one beats are highlighted.

        With several pairs, the last columns are the mean agreement and the mean rank of each
        metric.
        """
        evaluation = self.evaluation
        columns = [Column("metric", evaluation.metrics, left=True)]
        columns += map(self._agreement_column, evaluation.pairs)
        if len(evaluation.pairs) > 1:
            known = {average.metric: average for average in evaluation.averages()}
            averages = [known.get(metric) for metric in evaluation.metrics]
            values = [MISSING if a is None else NumberCell(a.value) for a in averages]
            ranks = [MISSING if a is None else NumberCell(a.rank, ".2f") for a in averages]
            columns += [Column("mean", values), Column("mean rank", ranks)]
        return Table(columns)

    def _agreement_column(self, pair: str) -> Column:
        metrics = self.evaluation.metrics
        best: frozenset[int] = frozenset()
        if pair in self._tested_pairs:
            unbeaten = self.evaluation.unbeaten(pair)
            best = frozenset(k for k, metric in enumerate(metrics) if metric in unbeaten)
        return Column(pair, [self._agreement_cell(pair, metric) for metric in metrics], best)

    @cached_property
    def _tested_pairs(self) -> set[str]:
        """The language pairs on which the test could compare at least two metrics."""
        return {d.pair for d in self.evaluation.differences if d.p is not None}

    def _agreement_cell(self, pair: str, metric: str) -> Cell:
        try:
            agreement = self.evaluation[pair, metric]
        except KeyError:  # only another test set has scores of this metric
            return MISSING
        if agreement.value is None:
            return MISSING
        return Estimate(agreement.value, agreement.lower, agreement.upper)

    def _ranking_table(self, pair: str) -> Table:
        """Return the ranking of systems by each metric; S1 is the best one according to people."""
        agreements = [
            a for a in self.evaluation.agreements if a.pair == pair and a.ranking is not None
        ]
        rankings = [" ".join(f"S{k}" for k in a.ranking or ()) for a in agreements]
        values = [optional_number(a.value, "", MISSING) for a in agreements]
        names = Column(f"metric, {pair}", [a.metric for a in agreements], left=True)
        ranked = Column("ranking", rankings, left=True)
        return Table([names, ranked, Column(self.evaluation.agreement, values)])

    def _win_table(self) -> Table:
        """Return N/B/D: on how many pairs the row's metric, the column's, or neither wins."""
        metrics = self.evaluation.metrics
        columns = [numbered_rows("N/B/D", metrics)]
        for j, baseline in enumerate(metrics, 1):
            counts = [self.evaluation.wins(metric, baseline) for metric in metrics]
            cells = [
                "" if metric == baseline else f"{wins}/{losses}/{draws}"
                for metric, (wins, losses, draws) in zip(metrics, counts, strict=True)
            ]
            ahead = frozenset(k for k, (wins, losses, _) in enumerate(counts) if wins > losses)
            columns.append(Column(str(j), cells, ahead))
        return Table(columns)

    def _p_value_table(self, pair: str) -> Table:
        """Return the p-values of all pairs of metrics on one test set."""
        names = {metric: metric for metric in self.evaluation.metrics}
        differences = (d for d in self.evaluation.differences if d.pair == pair)
        return p_value_table(f"p, {pair}", names, differences)

    def _notes(self) -> Iterator[str | Note]:
        """Yield what the numbers mean and how much data they are from."""
        evaluation, sampling = self.evaluation, self.evaluation.sampling
        average = f", mean by {evaluation.average}" if evaluation.average != "none" else ""
        yield (
            f"{evaluation.agreement}: {MEASURES[evaluation.agreement].about}{average}; "
            f"{100 * sampling.level:.10g} % intervals: bootstrap over {evaluation.bootstrap}, "
            f"{sampling.samples:,} samples, seed {sampling.seed}"
        )
        if self._tested_pairs:
            exchange = f" of {evaluation.exchange}" if evaluation.exchange else ""
            yield legend(
                f"no other metric is significantly better ({evaluation.test} test{exchange}, "
                f"p < {sampling.alpha:.10g})"
            )
        if self._compares_metrics:
            yield from self._pairwise_legends()
        for pair, systems in evaluation.systems.items():
            names = ", ".join(f"S{k} {name}" for k, name in enumerate(systems, 1))
            yield f"{pair}: ranked by people, best first: {names}"
        scores_segments = MEASURES[evaluation.agreement].level == "sentence"
        for counts in evaluation.counts:
            yield describe_coverage(counts, scores_segments)

    def _pairwise_legends(self) -> Iterator[Note]:
        if len(self.evaluation.pairs) > 1:
            yield legend(
                "N > B",
                "N/B/D: number of pairs on which the row's metric is significantly better (N), "
                "the column's metric is (B), or neither is (D); ",
            )
        alpha = self.evaluation.sampling.alpha
        yield legend(f"p < {alpha:.10g}", "p: two-sided p-value of two metrics; ")


def _without(fields: Mapping[str, object], *keys: str) -> dict[str, object]:
    return {key: value for key, value in fields.items() if key not in keys}


def describe_coverage(counts: Coverage, scores_segments: bool) -> str:
    """Return which judgements were used, and how many; some measures score all segments."""
    start = f"{counts.pair}: {JUDGEMENT_KINDS[counts.people]}; "
    systems = f"{counts.used_systems} of {counts.systems} systems used"
    if counts.people == "systems":
        return f"{start}{counts.judgements} of {counts.systems} systems judged; {systems}"
    scored = f", {counts.scored:,} scored, {counts.used:,} both" if scores_segments else ""
    return (
        f"{start}{systems}; {counts.judged:,} of {counts.segments:,} segments judged{scored}; "
        f"{counts.used_judgements:,} of {counts.judgements:,} judgements used"
    )


def measure_table() -> Table:
    """Return all measures of agreement with their descriptions and papers."""
    rows = ((name, measure.about, measure.paper) for name, measure in MEASURES.items())
    columns = zip(("agreement", "", "paper"), zip(*rows, strict=True), strict=True)
    return Table([Column(heading, cells, left=True) for heading, cells in columns])


@dataclass(frozen=True)
class TuningView(ResultView):
    """Metrics that were tuned on the same data."""

    tunings: Sequence[Tuning]

    def data(self) -> dict[str, Any]:
        """Return all tunings."""
        return {"schema": SCHEMA, "tunings": [tuning.to_dict() for tuning in self.tunings]}

    def records(self) -> list[dict[str, object]]:
        """Return one row per metric."""
        omitted = ("settings", "folds", "values", "curves")
        return [_without(t.to_dict(), *omitted) | {"folds": len(t.folds)} for t in self.tunings]

    def document(self) -> Document:
        """Return the table of all metrics and, if there is only one, the table of its folds."""
        tables = [self._tuning_table()]
        if len(self.tunings) == 1:
            tables.append(fold_table(self.tunings[0]))
        signatures = [tuning.signature for tuning in self.tunings]
        return Document(tables, list(self._notes()), signatures)

    def cautions(self) -> list[str]:
        """Return warnings for readers who want to use the tuned metrics."""
        return [warning for tuning in self.tunings for warning in warn_of(tuning)]

    def _tuning_table(self) -> Table:
        """Return one row per metric: agreement on held-out and on all data, given and tuned."""
        tunings = self.tunings
        columns = [
            Column("metric", [tuning.given.spec for tuning in tunings], left=True),
            Column("tuned", [tuning.spec for tuning in tunings], left=True),
            Column("held out: given", [agreement_cell(t.untuned_held_out) for t in tunings]),
            Column("held out: tuned", [agreement_cell(t.held_out) for t in tunings]),
            Column("all: given", [agreement_cell(t.untuned) for t in tunings]),
            Column("all: tuned", [agreement_cell(t.value) for t in tunings]),
        ]
        if tunings[0].measure.name in TIES_DROPPED:
            given = [optional_number(tuning.untuned_ties, ".1%", MISSING) for tuning in tunings]
            tuned = [optional_number(tuning.ties, ".1%", MISSING) for tuning in tunings]
            columns += [Column("ties: given", given), Column("ties: tuned", tuned)]
        return Table(columns)

    def _notes(self) -> Iterator[str]:
        """Yield what the numbers mean and how much data they are from."""
        first = self.tunings[0]
        measure, search = first.measure, first.search
        average = f", mean by {measure.average}" if measure.average != "none" else ""
        sets = first.test_sets
        data = f"mean over {', '.join(sets)}" if len(sets) > 1 else sets[0]
        yield f"{measure.name}: {MEASURES[measure.name].about}{average}; {data}"
        tried = ", ".join(f"{tuning.tried:,}" for tuning in self.tunings)
        method = "all settings of a grid"
        if search.method == "climb":
            method = f"hill-climbing from {count_noun(search.restarts, 'random start')}"
        yield f"{method}, seed {search.seed}; {tried} settings tried"
        yield (
            f"held out: mean over {len(first.folds)} folds of {first.judged:,} judged "
            f"{first.units}, each with the settings that are best on the others"
        )
        yield f"all: on the {first.units} used for tuning, which overestimates the agreement"


def fold_table(tuning: Tuning) -> Table:
    """Return one row per fold: the best settings on the other folds, and how they do on it."""
    folds = tuning.folds
    settings = [format_settings(fold.settings) for fold in folds]
    columns = [
        Column("fold", [str(k) for k in range(1, len(folds) + 1)]),
        Column("best on the others", settings, left=True),
        Column("there", [agreement_cell(fold.training) for fold in folds]),
        Column("held out: given", [agreement_cell(fold.untuned) for fold in folds]),
        Column("held out: tuned", [agreement_cell(fold.held_out) for fold in folds]),
    ]
    return Table(columns)


def agreement_cell(value: float) -> Cell:
    """Return the cell of an agreement, which may be undefined."""
    return MISSING if math.isnan(value) else NumberCell(value)


def warn_of(tuning: Tuning) -> Iterator[str]:
    """Yield reasons not to use a tuned metric."""
    if tuning.evades:
        yield (
            f"{tuning.spec} leaves {tuning.ties:.0%} of people's preferences undecided, "
            f"{tuning.given.spec} {tuning.untuned_ties:.0%}: {tuning.measure.name} ignores "
            "ties, so a metric gains by not deciding; consistency counts ties as wrong"
        )
    if tuning.spec == tuning.given.spec:
        yield f"no setting that was tried is better than {tuning.spec} as given"
    elif tuning.held_out <= tuning.untuned_held_out:
        yield f"{tuning.spec} is not better than {tuning.given.spec} on held-out {tuning.units}"
