"""Tuned metrics as tables: what they agree, as given and tuned, on all segments and held out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hyperbaton.meta.agreement import MEASURES
from hyperbaton.meta.tuning import TIES_DROPPED, Tuning, setting
from hyperbaton.report.agreements import NOTHING
from hyperbaton.report.plots import sweep
from hyperbaton.report.tables import Column, number


def tuning_columns(found: Sequence[Tuning], digits: int) -> list[Column]:
    """Metrics down; agreement held out and of all segments, as given and tuned."""
    values = {
        "held out: given": [one.untuned_held_out for one in found],
        "held out: tuned": [one.held_out for one in found],
        "all: given": [one.untuned for one in found],
        "all: tuned": [one.value for one in found],
    }
    columns = [
        Column("metric", tuple(one.given.spec for one in found), left=True),
        Column("tuned", tuple(one.spec for one in found), left=True),
        *(Column(name, tuple(_cell(v, digits) for v in own)) for name, own in values.items()),
    ]
    if found[0].measure.name in TIES_DROPPED:
        ties = {
            "ties: given": [one.untuned_ties for one in found],
            "ties: tuned": [one.ties for one in found],
        }
        columns += [
            Column(name, tuple(NOTHING if share is None else f"{share:.1%}" for share in own))
            for name, own in ties.items()
        ]
    return columns


def fold_columns(one: Tuning, digits: int) -> list[Column]:
    """The folds of a metric: what is best on the others, and how it does on the fold."""
    folds = one.folds
    return [
        Column("fold", tuple(str(k) for k in range(1, len(folds) + 1))),
        Column("best on the others", tuple(setting(fold.settings) for fold in folds), left=True),
        Column("there", tuple(_cell(fold.training, digits) for fold in folds)),
        Column("held out: given", tuple(_cell(fold.untuned, digits) for fold in folds)),
        Column("held out: tuned", tuple(_cell(fold.held_out, digits) for fold in folds)),
    ]


def explained(found: Sequence[Tuning]) -> list[str]:
    """What the numbers are, and of how much."""
    one = found[0]
    measure = one.measure
    average = f", mean by {measure.average}" if measure.average != "none" else ""
    sets = f"mean over {', '.join(one.test_sets)}" if len(one.test_sets) > 1 else one.test_sets[0]
    tried = ", ".join(f"{each.tried:,}" for each in found)
    starts = one.search.restarts
    search = (
        f"hill-climbing from {starts:,} random start{'s' * (starts != 1)}"
        if one.search.method == "climb"
        else "all settings of a grid"
    )
    return [
        f"{measure.name}: {MEASURES[measure.name].about}{average}; {sets}",
        f"{search}, seed {one.search.seed}; {tried} settings tried",
        f"held out: mean over {len(one.folds)} folds of {one.judged:,} judged segments, each with "
        "what is best on the others",
        "all: on the segments that it was tuned on, which flatters it",
    ]


def tuning_warnings(found: Sequence[Tuning]) -> list[str]:
    """What a reader should know before using what was found."""
    lines = []
    for one in found:
        if one.evades:
            lines.append(
                f"{one.spec} leaves {one.ties:.0%} of people's preferences undecided, "
                f"{one.given.spec} {one.untuned_ties:.0%}: {one.measure.name} leaves ties out, so "
                "that a metric gains by not deciding; consistency counts them as wrong"
            )
        if one.spec == one.given.spec:
            lines.append(f"{one.spec} is best as it was given, of all that was tried")
        elif one.held_out <= one.untuned_held_out:
            lines.append(f"{one.spec} is not better than {one.given.spec} on what is held out")
    return lines


def tunings_tsv(found: Sequence[Tuning]) -> str:
    """A row for each metric, with all digits."""
    dropped = ("settings", "folds", "values", "curves")
    rows = [
        {k: v for k, v in one.to_dict().items() if k not in dropped} | {"folds": len(one.folds)}
        for one in found
    ]
    lines = ["\t".join(rows[0])]
    for row in rows:
        values = (" ".join(v) if isinstance(v, list) else v for v in row.values())
        lines.append("\t".join("" if v is None else str(v) for v in values))
    return "\n".join(lines)


def tuning_plot(found: Sequence[Tuning]) -> str:
    """How the agreement of each metric depends on the one option that was tuned."""
    ((option, values),) = found[0].lattice.items()
    return sweep(
        option,
        values,
        {one.given.spec: one.curves[option] for one in found},
        found[0].measure.name,
        found[0].settings[option] if len(found) == 1 else None,
        f"Effect of {option}: {', '.join(found[0].test_sets)}",
    )


def _cell(value: float, digits: int) -> str:
    return NOTHING if math.isnan(value) else number(value, digits)
