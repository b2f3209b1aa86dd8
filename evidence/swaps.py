"""DEMETR's swapped words and its controls: do metrics detect swaps, and nothing but swaps?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from evidence.areas import Booleans, Floats
from evidence.data import (
    contrastive_test_set,
    data_folder,
    evaluate,
    every_metric,
    label,
    with_scores,
)
from evidence.page import format_number, format_with_interval, join_names, markdown_table
from hyperbaton.meta.readers import read_table
from hyperbaton.meta.testsets import TestSet

NAME = "DEMETR"
SWAPS = "minor_id14_word_swap"
CONTROLS = {  # the order of words stays the same
    "major_id3_hypernym": "hypernym",
    "minor_id26_misspelled": "misspelled",
    "minor_id16_function_word": "function word",
    "major_id17_tense": "tense",
}
CHANCE = 0.5
TIE = 1e-12  # the largest difference that rounding may cause
VARIANTS = ("kendall:unaligned=left", "pef:unaligned=left", "full:bp=off", "adjacency:align=exact")


def read_items(category: str = SWAPS) -> TestSet:
    table = read_table(data_folder() / "demetr" / category / "items.tsv")
    good, changed, references = (
        [row[table.require_column(name)] for _, row in table.rows]
        for name in ("mt_good", "mt_perturbed", "reference")
    )
    return contrastive_test_set(NAME, good, changed, references)


def scored_items(metrics: Sequence[str], category: str = SWAPS) -> TestSet:
    return with_scores(read_items(category), metrics)


def are_tied(better: Floats, worse: Floats, tie: float = TIE) -> Booleans:
    """Return, for each item, whether both scores are equal but for rounding, or up to ``tie``."""
    return np.asarray(np.abs(better - worse) <= tie)


def half_ties(better: Floats, worse: Floats, tie: float = TIE) -> Floats:
    """Return 1 for each item in which the translation scores higher, 1/2 for ties, otherwise 0."""
    return np.where(are_tied(better, worse, tie), CHANCE, better > worse)


def tie_rate(test_set: TestSet, metric: str) -> float:
    """Return the share of items for which both texts have the same score."""
    return float(np.mean(are_tied(*test_set.others[metric].segments)))


def accuracy_with_half_ties(test_set: TestSet, metric: str) -> float:
    """Return the share of items in which the translation scores higher; ties count half."""
    return float(np.mean(half_ties(*test_set.others[metric].segments)))


def with_exact_ties(test_set: TestSet) -> TestSet:
    """Return the test set with equal scores where two scores differ by rounding alone."""
    others = {}
    for metric, scores in test_set.others.items():
        better, worse = scores.segments
        worse = np.where(are_tied(better, worse), better, worse)
        others[metric] = replace(scores, segments=np.stack([better, worse]))
    return replace(test_set, others=others)


def decided_accuracy(test_set: TestSet, metric: str) -> float | None:
    """Return the share of items without a tie in which the translation scores higher."""
    better, worse = test_set.others[metric].segments
    decided = ~are_tied(better, worse)
    return float(np.mean((better > worse)[decided])) if decided.any() else None


@cache
def control_accuracies(metrics: tuple[str, ...]) -> dict[str, list[float]]:
    """Return the accuracy of each metric on each control."""
    controls = [scored_items(metrics, category) for category in CONTROLS]
    return {
        metric: [accuracy_with_half_ties(control, metric) for control in controls]
        for metric in metrics
    }


def section() -> str:
    metrics = [*every_metric(), *VARIANTS]
    test_set = with_exact_ties(scored_items(metrics))
    controls = control_accuracies(tuple(metrics))
    evaluation = evaluate([test_set], "consistency")
    rows = []
    advantages = {}
    for agreement in sorted(evaluation.agreements, key=lambda each: -(each.value or 0.0)):
        metric = agreement.metric
        half = accuracy_with_half_ties(test_set, metric)
        mean = float(np.mean(controls[metric]))
        advantages[metric] = half - mean
        rows.append(
            [
                f"`{label(metric)}`",
                format_with_interval(agreement),
                format_number(tie_rate(test_set, metric)),
                format_number(half),
                format_number(decided_accuracy(test_set, metric)),
                *map(format_number, (*controls[metric], mean)),
            ]
        )
    unbeaten = evaluation.unbeaten(NAME)
    best = [f"`{label(metric)}`" for metric in evaluation.metrics if metric in unbeaten]
    headings = ["metric", "accuracy", "ties", "ties half", "decided"]
    return "\n\n".join(
        [
            "## Swapped words and controls: DEMETR",
            f"The data has {test_set.n:,} translations into English from ten languages, each "
            "paired with a copy in which two neighbouring words are swapped. Accuracy is the "
            "share of items in which the original scores higher. Ties count as wrong, or as half "
            "in the column *ties half*. *Decided* is the accuracy on the items without a tie. "
            f"Scores that differ by {TIE:g} or less are ties. Fitted metrics count word pairs in "
            f"the {test_set.n:,} references.",
            "The other columns are controls: the same translations, each paired with a copy that "
            "is worse for another reason but keeps the order. A word is replaced by a more general "
            "one (*hypernym*), *misspelled*, replaced if it is a *function word*, or put into "
            "another *tense*, which may add or remove a word. Ties count half, and *controls* is "
            "the mean. A metric of quality should also detect these changes. A metric of order "
            f"alone should not: the copy should score lower as often as higher, so {CHANCE} is "
            "right. A metric with a high accuracy on swaps *and* on the controls reacts to any "
            "change, and its value says little about order.",
            markdown_table([*headings, *CONTROLS.values(), "controls"], rows),
            "No metric is significantly better than "
            + join_names(best)
            + " on swaps. Permutations cannot show a swap with a word that has no link, unlike "
            "`adjacency`, `order` and n-grams; this causes their ties. `per` ignores order "
            f"entirely. {controls_summary(advantages, controls)}",
        ]
    )


def controls_summary(advantages: dict[str, float], controls: dict[str, list[float]]) -> str:
    """Name the metrics that are nearest to chance on the controls and farthest above on swaps."""

    def distance(metric: str) -> float:
        return abs(float(np.mean(controls[metric])) - CHANCE)

    def names(metrics: list[str], values: Callable[[str], str]) -> str:
        return join_names(f"`{label(metric)}` ({values(metric)})" for metric in metrics)

    nearest = sorted(controls, key=distance)[:4]
    most = sorted(advantages, key=lambda metric: -advantages[metric])[:4]
    nearest_names = names(nearest, lambda metric: format_number(float(np.mean(controls[metric]))))
    most_names = names(most, lambda metric: f"{advantages[metric]:+.3f}")
    examples = names(["chrf", "adjacency"], lambda metric: f"{advantages[metric]:+.3f}")
    return (
        f"Nearest to {CHANCE} on the controls are {nearest_names}. The difference between swaps "
        f"and controls shows how far a metric measures order and nothing else; it is largest for "
        f"{most_names}. For comparison: {examples}."
    )
