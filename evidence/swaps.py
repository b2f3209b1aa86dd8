"""DEMETR's swapped words: does a metric see them?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evidence.data import evaluated, every_metric, folder, label, of_pairs, with_scores
from evidence.page import number, table, with_interval
from hyperbaton.meta.tables import read_table
from hyperbaton.meta.testsets import TestSet

NAME = "DEMETR"
MORE = ("kendall:unaligned=left", "pef:unaligned=left", "full:bp=off", "adjacency:align=exact")


def items() -> TestSet:
    read = read_table(folder() / "demetr" / "minor_id14_word_swap" / "items.tsv")
    good, swapped, reference = (
        [row[read.needed(name)] for _, row in read.rows]
        for name in ("mt_good", "mt_perturbed", "reference")
    )
    return of_pairs(NAME, good, swapped, reference)


def scored(metrics: Sequence[str]) -> TestSet:
    return with_scores(items(), metrics)


def tied(given: TestSet, metric: str) -> float:
    """The share of items of which both texts score the same."""
    better, worse = given.others[metric].segments
    return float(np.mean(better == worse))


def right(given: TestSet, metric: str) -> float:
    """The share of items in which the translation scores higher; ties are half."""
    better, worse = given.others[metric].segments
    return float(np.mean((np.sign(better - worse) + 1) / 2))


def section() -> str:
    given = scored([*every_metric(), *MORE])
    found = evaluated([given], "consistency")
    rows = []
    for one in sorted(found.agreements, key=lambda one: -(one.value or 0.0)):
        ties = tied(given, one.metric)
        decided = (one.value or 0.0) / (1 - ties) if ties < 1 else None
        rows.append(
            [
                f"`{label(one.metric)}`",
                with_interval(one),
                number(ties),
                number(right(given, one.metric)),
                number(decided),
            ]
        )
    unbeaten = [f"`{label(one)}`" for one in found.metrics if one in found.unbeaten(NAME)]
    return "\n\n".join(
        [
            "## Swapped words: DEMETR",
            f"{given.n:,} translations into English from ten languages, each beside itself with "
            "two neighbouring words swapped. Accuracy is the share of items in which the "
            "translation scores higher: a tie is wrong, or half. *Decided* is the accuracy where "
            "there is no tie.",
            table(["metric", "accuracy", "ties", "ties half", "decided"], rows),
            "No metric is significantly better than "
            + ", ".join(unbeaten)
            + ". Permutations cannot see a swap with a word that has no link, as `adjacency` and "
            "n-grams can: that is where their ties come from. `per` looks at no order at all.",
        ]
    )
