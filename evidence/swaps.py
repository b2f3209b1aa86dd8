"""DEMETR's swapped words: do metrics detect them?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evidence.data import (
    contrastive_test_set,
    data_folder,
    evaluate,
    every_metric,
    label,
    with_scores,
)
from evidence.page import format_number, format_with_interval, markdown_table
from hyperbaton.meta.tables import read_table
from hyperbaton.meta.testsets import TestSet

NAME = "DEMETR"
VARIANTS = ("kendall:unaligned=left", "pef:unaligned=left", "full:bp=off", "adjacency:align=exact")


def read_items() -> TestSet:
    table = read_table(data_folder() / "demetr" / "minor_id14_word_swap" / "items.tsv")
    good, swapped, references = (
        [row[table.require_column(name)] for _, row in table.rows]
        for name in ("mt_good", "mt_perturbed", "reference")
    )
    return contrastive_test_set(NAME, good, swapped, references)


def scored_items(metrics: Sequence[str]) -> TestSet:
    return with_scores(read_items(), metrics)


def tie_rate(test_set: TestSet, metric: str) -> float:
    """Return the share of items for which both texts have the same score."""
    better, worse = test_set.others[metric].segments
    return float(np.mean(better == worse))


def accuracy_with_half_ties(test_set: TestSet, metric: str) -> float:
    """Return the share of items in which the translation scores higher; ties count half."""
    better, worse = test_set.others[metric].segments
    return float(np.mean((np.sign(better - worse) + 1) / 2))


def section() -> str:
    test_set = scored_items([*every_metric(), *VARIANTS])
    evaluation = evaluate([test_set], "consistency")
    rows = []
    for agreement in sorted(evaluation.agreements, key=lambda each: -(each.value or 0.0)):
        metric = agreement.metric
        ties = tie_rate(test_set, metric)
        decided = (agreement.value or 0.0) / (1 - ties) if ties < 1 else None
        rows.append(
            [
                f"`{label(metric)}`",
                format_with_interval(agreement),
                format_number(ties),
                format_number(accuracy_with_half_ties(test_set, metric)),
                format_number(decided),
            ]
        )
    unbeaten = evaluation.unbeaten(NAME)
    best = [f"`{label(metric)}`" for metric in evaluation.metrics if metric in unbeaten]
    return "\n\n".join(
        [
            "## Swapped words: DEMETR",
            f"{test_set.n:,} translations into English from ten languages, each paired with a copy "
            "in which two neighbouring words are swapped. Accuracy is the share of items in which "
            "the original scores higher. Ties count as wrong, or as half in the column *ties "
            "half*. *Decided* is the accuracy on the items without a tie.",
            markdown_table(["metric", "accuracy", "ties", "ties half", "decided"], rows),
            "No metric is significantly better than "
            + ", ".join(best)
            + ". Permutations cannot show a swap with a word that has no link, unlike `adjacency` "
            "and n-grams; this causes their ties. `per` ignores order entirely.",
        ]
    )
