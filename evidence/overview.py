"""Every metric, and the options that matter, on all data side by side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from evidence import labels, swaps
from evidence.areas import Pairs
from evidence.data import (
    ALL_MATCHERS,
    DTED,
    LEVEL,
    SAMPLES,
    SEED,
    TER,
    evaluated,
    every_metric,
    judged,
    label,
    matchers_data,
    test_sets,
    with_scores,
)
from evidence.labels import Labelled
from evidence.page import number
from hyperbaton.meta.results import MetaEvaluation, average_ranks
from hyperbaton.meta.testsets import TestSet
from hyperbaton.report.tables import Column, as_markdown
from hyperbaton.stats.significance import percentile_interval

OF_ORDER = ("same segment", "same length")
OPTIONS = (
    "pef:bp=system",
    "pef:unaligned=left",
    "pef:align=exact",
    f"pef:{ALL_MATCHERS}",
    f"pef:bp=off,{ALL_MATCHERS}",
    "kendall:unaligned=left",
    "ulam:bp=off",
    "adjacency:align=exact",
    f"adjacency:{ALL_MATCHERS}",
    "full:bp=off",
    "full:unaligned=left",
    "full:order=kendall",
    "full:order=ulam",
    "full:lexical=f1",
    "full:order=ulam,lexical=f1",
    f"full:{ALL_MATCHERS}",
    "lr_kb4:alpha=0.1",
    "lr_kb4:alpha=0.2",
)


@dataclass(frozen=True, eq=False)
class Overview:
    """By metric: τ of segments in each test set, and what else was measured of it."""

    segments: dict[str, MetaEvaluation]
    systems: dict[str, float]
    ranks: dict[str, float]
    swaps: dict[str, float]
    labelled: Labelled
    compared: dict[str, Pairs]

    def tau(self, test_set: str, metric: str) -> float:
        """NaN where it was not measured."""
        found = self.segments[test_set]
        value = found[test_set, metric].value if metric in found.metrics else None
        return np.nan if value is None else value

    def mean(self, metric: str) -> float:
        """The mean τ over all test sets."""
        return float(np.mean([self.tau(test_set, metric) for test_set in self.segments]))

    def not_beaten(self, metric: str) -> int:
        """On how many test sets no other metric is significantly better."""
        return sum(metric in found.unbeaten(name) for name, found in self.segments.items())

    def wins(self, a: str, b: str) -> tuple[int, int, int]:
        """On how many test sets is the first significantly better, the second, neither?"""
        won, lost, neither = zip(*(one.wins(a, b) for one in self.segments.values()), strict=True)
        return sum(won), sum(lost), sum(neither)

    def area(self, metric: str, name: str) -> float:
        """By labels of word order; NaN where it was not measured."""
        scores = self.labelled.scores.get(metric)
        return np.nan if scores is None else self.compared[name].area(scores)

    def area_gap(self, a: str, b: str, name: str) -> tuple[float, float, float]:
        """By how much the area of the first is larger, and the interval of that."""
        own, pairs = self.labelled.scores, self.compared[name]
        sampled = [pairs.sampled(own[metric], SAMPLES, SEED) for metric in (a, b)]
        gap = pairs.area(own[a]) - pairs.area(own[b])
        return gap, *percentile_interval(sampled[0] - sampled[1], LEVEL)


def wanted() -> list[str]:
    data = matchers_data()
    return [*every_metric(), *(one for one in OPTIONS if data or ALL_MATCHERS not in one)]


def scored() -> list[TestSet]:
    """All test sets with scores; what is too slow for the large ones has none there."""
    metrics = wanted()
    found = []
    for name in ("wmt13", "wmt15", "biomqm"):
        for one in test_sets(name):
            if name == "wmt13":
                found.append(with_scores(one, [m for m in metrics if m not in (TER, DTED)]))
            else:
                found.append(with_scores(judged(one) if name == "wmt15" else one, metrics))
    return found


@cache
def measured() -> Overview:
    sets = scored()
    segments = {one.name: evaluated([one], "tau_wmt14") for one in sets}
    whole = [m for m in wanted() if all(m in found.metrics for found in segments.values())]
    by_system = [
        evaluated([one], "accuracy_sys", over="systems", samples=2, test="bootstrap")
        for one in sets
    ]
    accuracy = {
        metric: float(np.mean([found[found.pairs[0], metric].value for found in by_system]))
        for metric in whole
    }
    taus = np.array([[found[name, m].value for m in whole] for name, found in segments.items()])
    extra = [one for one in OPTIONS if ALL_MATCHERS not in one]
    labelled = labels.read(labels.with_more(extra))
    swapped = swaps.scored(wanted())
    right = {metric: swaps.right(swapped, metric) for metric in swapped.others}
    ranks = {one.metric: one.rank for one in average_ranks(whole, taus)}
    return Overview(segments, accuracy, ranks, right, labelled, labels.comparisons(labelled))


def section() -> str:
    found = measured()
    names = list(found.segments)
    order = sorted(wanted(), key=lambda m: (found.ranks.get(m, np.inf), -found.tau(names[2], m)))
    columns = [Column("metric", tuple(f"`{label(m)}`" for m in order), left=True)]
    for name in names:
        best = found.segments[name].unbeaten(name)
        columns.append(
            Column(
                name,
                tuple(number(found.tau(name, m)) for m in order),
                frozenset(k for k, m in enumerate(order) if m in best),
            )
        )
    more = {
        "mean rank": (found.ranks, 1),
        "systems": (found.systems, 2),
        "swaps": (found.swaps, 3),
    }
    for heading, (values, digits) in more.items():
        cells = tuple(number(values.get(m), digits) for m in order)
        columns.append(Column(heading, cells))
    for name in OF_ORDER:
        columns.append(Column(name, tuple(number(found.area(m, name), 2) for m in order)))
    widths = [
        f"±{number((own.upper - own.lower) / 2, 2)} on {name}"
        for name in names
        if (own := found.segments[name][name, "bleu"]).lower is not None and own.upper is not None
    ]
    return "\n\n".join(
        [
            "## Every metric",
            "Sentence-level τ in which a tie of the metric counts as neither right nor wrong "
            "(`tau_wmt14`), on six test sets. In bold: no other metric here is significantly "
            "better (paired permutation test, p < 0.05, 1,000 samples; not corrected for so many "
            "metrics). Then the mean rank; the share of pairs of systems in the order of people, "
            "the mean of the six; the accuracy on DEMETR's swaps, ties being half; and the areas "
            "by labels of word order. The intervals of τ are about "
            + ", ".join(widths)
            + ". TER and DTED were not measured on WMT13, for their time.",
            as_markdown(columns),
        ]
    )
