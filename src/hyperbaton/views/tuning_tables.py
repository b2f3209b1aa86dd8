"""What is shown of tuned metrics: their agreement with people before and after tuning."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hyperbaton.meta.agreement import MEASURES
from hyperbaton.meta.tuning import SCHEMA, TIES_DROPPED, Tuning, format_settings
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.tables import (
    MISSING,
    Cell,
    Column,
    Document,
    Number,
    ResultView,
    Section,
    Table,
    optional_number,
)


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
        return [
            {k: v for k, v in tuning.to_dict().items() if k not in omitted}
            | {"folds": len(tuning.folds)}
            for tuning in self.tunings
        ]

    def document(self) -> Document:
        """Return the table of all metrics and, if there is only one, the table of its folds."""
        tables = [self._tuning_table()]
        if len(self.tunings) == 1:
            tables.append(fold_table(self.tunings[0]))
        signatures = [tuning.signature for tuning in self.tunings]
        return Document([Section(tables)], list(self._notes()), signatures)

    def cautions(self) -> list[str]:
        """Return warnings for readers who want to use the tuned metrics."""
        return [warning for tuning in self.tunings for warning in warn_of(tuning)]

    def _tuning_table(self) -> Table:
        """Return one row per metric: agreement on held-out and on all data, given and tuned."""
        tunings = self.tunings
        agreements = {
            "held out: given": [tuning.untuned_held_out for tuning in tunings],
            "held out: tuned": [tuning.held_out for tuning in tunings],
            "all: given": [tuning.untuned for tuning in tunings],
            "all: tuned": [tuning.value for tuning in tunings],
        }
        columns = [
            Column("metric", [tuning.given.spec for tuning in tunings], left=True),
            Column("tuned", [tuning.spec for tuning in tunings], left=True),
            *(Column(name, list(map(agreement_cell, row))) for name, row in agreements.items()),
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
        method = (
            f"hill-climbing from {count_noun(search.restarts, 'random start')}"
            if search.method == "climb"
            else "all settings of a grid"
        )
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
    return Table(
        [
            Column("fold", [str(k) for k in range(1, len(folds) + 1)]),
            Column("best on the others", settings, left=True),
            Column("there", [agreement_cell(fold.training) for fold in folds]),
            Column("held out: given", [agreement_cell(fold.untuned) for fold in folds]),
            Column("held out: tuned", [agreement_cell(fold.held_out) for fold in folds]),
        ]
    )


def agreement_cell(value: float) -> Cell:
    """Return the cell of an agreement, which may be undefined."""
    return MISSING if math.isnan(value) else Number(value)


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
