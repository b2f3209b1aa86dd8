"""Tables of tuned metrics: their agreement with people before and after tuning."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hyperbaton.meta.agreement import MEASURES
from hyperbaton.meta.tuning import TIES_DROPPED, Tuning, format_settings
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.tables import MISSING, Column, Document, Table, format_number


def tuning_document(tunings: Sequence[Tuning], digits: int) -> Document:
    """Return the tables of tuned metrics and the lines below them."""
    return Document(
        tuning_tables(tunings, digits),
        tuning_notes(tunings),
        [tuning.signature for tuning in tunings],
        tuning_warnings(tunings),
    )


def tuning_tables(tunings: Sequence[Tuning], digits: int) -> list[Table]:
    """Return the table of all tuned metrics and, if there is only one, the table of its folds."""
    tables = [tuning_table(tunings, digits)]
    if len(tunings) == 1:
        tables.append(fold_table(tunings[0], digits))
    return tables


def tuning_table(tunings: Sequence[Tuning], digits: int) -> Table:
    """Return one row per metric: agreement on held-out and on all data, given and tuned."""
    agreements = {
        "held out: given": [tuning.untuned_held_out for tuning in tunings],
        "held out: tuned": [tuning.held_out for tuning in tunings],
        "all: given": [tuning.untuned for tuning in tunings],
        "all: tuned": [tuning.value for tuning in tunings],
    }
    columns = [
        Column("metric", tuple(tuning.given.spec for tuning in tunings), left=True),
        Column("tuned", tuple(tuning.spec for tuning in tunings), left=True),
    ]
    for heading, values in agreements.items():
        columns.append(Column(heading, tuple(_cell(value, digits) for value in values)))
    if tunings[0].measure.name in TIES_DROPPED:
        ties = {
            "ties: given": [tuning.untuned_ties for tuning in tunings],
            "ties: tuned": [tuning.ties for tuning in tunings],
        }
        for heading, shares in ties.items():
            cells = (MISSING if share is None else f"{share:.1%}" for share in shares)
            columns.append(Column(heading, tuple(cells)))
    return Table(columns)


def fold_table(tuning: Tuning, digits: int) -> Table:
    """Return one row per fold: the best settings on the other folds, and how they do on it."""
    folds = tuning.folds
    return Table(
        [
            Column("fold", tuple(str(k) for k in range(1, len(folds) + 1))),
            Column(
                "best on the others", tuple(format_settings(f.settings) for f in folds), left=True
            ),
            Column("there", tuple(_cell(f.training, digits) for f in folds)),
            Column("held out: given", tuple(_cell(f.untuned, digits) for f in folds)),
            Column("held out: tuned", tuple(_cell(f.held_out, digits) for f in folds)),
        ]
    )


def tuning_notes(tunings: Sequence[Tuning]) -> list[str]:
    """Return the lines below the tables: what the numbers mean and how much data they are from."""
    first = tunings[0]
    measure, search = first.measure, first.search
    average = f", mean by {measure.average}" if measure.average != "none" else ""
    sets = first.test_sets
    data = f"mean over {', '.join(sets)}" if len(sets) > 1 else sets[0]
    tried = ", ".join(f"{tuning.tried:,}" for tuning in tunings)
    method = (
        f"hill-climbing from {count_noun(search.restarts, 'random start')}"
        if search.method == "climb"
        else "all settings of a grid"
    )
    return [
        f"{measure.name}: {MEASURES[measure.name].about}{average}; {data}",
        f"{method}, seed {search.seed}; {tried} settings tried",
        f"held out: mean over {len(first.folds)} folds of {first.judged:,} judged {first.units}, "
        "each with the settings that are best on the others",
        f"all: on the {first.units} used for tuning, which overestimates the agreement",
    ]


def tuning_warnings(tunings: Sequence[Tuning]) -> list[str]:
    """Return warnings for readers who want to use the tuned metrics."""
    lines = []
    for tuning in tunings:
        if tuning.evades:
            lines.append(
                f"{tuning.spec} leaves {tuning.ties:.0%} of people's preferences undecided, "
                f"{tuning.given.spec} {tuning.untuned_ties:.0%}: {tuning.measure.name} ignores "
                "ties, so a metric gains by not deciding; consistency counts ties as wrong"
            )
        if tuning.spec == tuning.given.spec:
            lines.append(f"no setting that was tried is better than {tuning.spec} as given")
        elif tuning.held_out <= tuning.untuned_held_out:
            lines.append(
                f"{tuning.spec} is not better than {tuning.given.spec} on held-out {tuning.units}"
            )
    return lines


def tuning_rows(tunings: Sequence[Tuning]) -> list[list[str]]:
    """Return the headings, and one row per metric, with all digits."""
    omitted = ("settings", "folds", "values", "curves")
    rows = [
        {k: v for k, v in tuning.to_dict().items() if k not in omitted}
        | {"folds": len(tuning.folds)}
        for tuning in tunings
    ]
    lines = [list(rows[0])]
    for row in rows:
        values = (" ".join(v) if isinstance(v, list) else v for v in row.values())
        lines.append(["" if v is None else str(v) for v in values])
    return lines


def _cell(value: float, digits: int) -> str:
    return MISSING if math.isnan(value) else format_number(value, digits)
