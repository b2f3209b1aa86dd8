"""Two ways to make links or words, compared by τ, by labels of word order and by swapped words.

A figure is one number with the first way and with the second, and p of a paired test. Holm's
correction is over all figures of a question. Settings and rules are fixed before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from evidence import labels, order_sets, swaps
from evidence.areas import Booleans, Floats
from evidence.data import SEED, evaluate, with_scores
from evidence.forests import metric_difference
from evidence.page import markdown_table
from hyperbaton.meta.testsets import TestSet
from hyperbaton.stats.significance import bootstrap_p, holm, randomization_p

SAMPLES = 10_000  # so that a p-value may stay below 5 % after the correction
ALPHA = 0.05
LABELLED = ("same segment", "same length")
SWAPS = "swaps, DEMETR"
METHOD = (
    "A figure is τ (`tau_wmt14`) on one of 16 test sets, by target language; the area for labels "
    "of word order, on the same segment or the same length; or the accuracy on DEMETR's swaps, "
    "ties half. Each is compared by a paired test with 10,000 samples (exchanges of segments or "
    "items; for labels, bootstrap samples of segments). Cells with two numbers count figures that "
    "rise / fall significantly, before and after Holm's correction over all figures of the table."
)
# Returns a test set with the scores of metrics, for texts of a language.
Scoring = Callable[[TestSet, Sequence[str], str], TestSet]


def with_option(metric: str, option: str, value: str) -> str:
    """Return a metric with one more option.

    >>> with_option("pef", "punct", "drop"), with_option("pef:bp=off", "fold", "none")
    ('pef:punct=drop', 'pef:bp=off,fold=none')
    """
    return f"{metric}{',' if ':' in metric else ':'}{option}={value}"


def with_option_scores(
    test_set: TestSet, metrics: Sequence[str], language: str, option: str, value: str
) -> TestSet:
    """Return a test set with the scores of metrics with one more option, under their own names."""
    named = {with_option(metric, option, value): metric for metric in metrics}
    others = with_scores(test_set, named, language).others
    return replace(test_set, others={metric: others[name] for name, metric in named.items()})


@dataclass(frozen=True)
class Figure:
    """A number before and after a change, with p of a paired test; higher is better."""

    group: str
    name: str
    metric: str
    before: float
    after: float
    p: float

    @property
    def change(self) -> float:
        return self.after - self.before


@cache
def test_sets() -> list[TestSet]:
    """Return all test sets with human scores, into English and out of it."""
    return [*order_sets.unscored_sets(True), *order_sets.unscored_sets(False)]


def tau_figures(test_set: TestSet, metrics: Sequence[str], *ways: Scoring) -> list[Figure]:
    """Compare sentence-level τ on a test set, by exchanges of segments."""
    language = order_sets.target_language(test_set)
    before, after = (way(test_set, metrics, language).others for way in ways)
    found = []
    for metric in metrics:
        both = replace(test_set, others={"before": before[metric], "after": after[metric]})
        result = evaluate([both], "tau_wmt14", samples=SAMPLES)
        change = metric_difference(result, test_set.name, "after", "before")
        first, second = (result[test_set.name, name].value for name in ("before", "after"))
        assert first is not None
        assert second is not None
        assert change.p is not None
        found.append(Figure(f"τ, {language}", test_set.name, metric, first, second, change.p))
    return found


def label_figures(metrics: Sequence[str], *ways: Scoring) -> list[Figure]:
    """Compare the areas for labels of word order, by bootstrap samples of segments."""
    found = []
    for language in labels.TARGET_LANGUAGES.values():
        given = {language: metrics}
        before, after = (labels.read_labelled_outputs(given, way) for way in ways)
        for name in LABELLED:
            pairs = labels.comparisons(before)[name]
            for metric in metrics:
                scores = before.scores[metric], after.scores[metric]
                area, new = (pairs.area(each) for each in scores)
                first, second = (pairs.sample_areas(each, SAMPLES, SEED) for each in scores)
                p = bootstrap_p(new - area, second - first)
                found.append(Figure(f"labels, {language}", name, metric, area, new, p))
    return found


def swap_figures(metrics: Sequence[str], *ways: Scoring) -> list[Figure]:
    """Compare how often metrics see swapped words, with ties half, by exchanges of items."""
    items = swaps.read_items()
    before, after = (way(items, metrics, "en") for way in ways)
    signs = np.random.default_rng(SEED).choice([-1.0, 1.0], (SAMPLES, items.n))
    found = []
    for metric in metrics:
        first, second = (swaps.half_ties(*each.others[metric].segments) for each in (before, after))
        p = randomization_p(float((second - first).mean()), signs @ (second - first) / items.n)
        found.append(Figure(SWAPS, "", metric, float(first.mean()), float(second.mean()), p))
    return found


def all_figures(metrics: Sequence[str], *ways: Scoring) -> list[Figure]:
    return [
        *(figure for each in test_sets() for figure in tau_figures(each, metrics, *ways)),
        *label_figures(metrics, *ways),
        *swap_figures(metrics, *ways),
    ]


def significant(figures: Sequence[Figure]) -> Booleans:
    """Return which figures differ significantly after Holm's correction."""
    return np.array(holm([figure.p for figure in figures])) < ALPHA


def significantly_worse(figures: Sequence[Figure]) -> list[Figure]:
    return [
        figure
        for figure, differs in zip(figures, significant(figures), strict=True)
        if differs and figure.change < 0
    ]


def figure_table(figures: Sequence[Figure]) -> str:
    """Return one row for each group of figures: how many get better and worse, and how far."""
    corrected = significant(figures)
    rows = []
    for group in dict.fromkeys(figure.group for figure in figures):
        mine = np.array([figure.group == group for figure in figures])
        changes = np.array([figure.change for figure in figures])[mine]
        uncorrected = np.array([figure.p for figure in figures])[mine] < ALPHA
        lowest = min((f for f in figures if f.group == group), key=lambda figure: figure.change)
        rows.append(
            [
                group,
                str(mine.sum()),
                f"{changes.mean():+.4f}",
                *(better_and_worse(changes, found) for found in (uncorrected, corrected[mine])),
                describe(lowest),
            ]
        )
    headings = ["figures of", "number", "mean change", "p < .05", "after Holm", "largest fall"]
    return markdown_table(headings, rows)


def better_and_worse(changes: Floats, found: Booleans) -> str:
    better, worse = (int((found & (sign * changes > 0)).sum()) for sign in (1, -1))
    return f"{better} / {worse}"


def describe(figure: Figure) -> str:
    """Return where a figure falls; an empty text if it does not."""
    if figure.change >= 0:
        return ""
    where = f" ({figure.name})" if figure.name else ""
    return f"{figure.change:+.4f}, p {figure.p:.3f}: `{figure.metric}`{where}"
