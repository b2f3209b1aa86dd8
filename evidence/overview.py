"""Every metric, with the options that matter, on all data."""

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
    evaluate,
    every_metric,
    judged_segments,
    label,
    load_test_sets,
    matcher_data,
    parser_available,
    with_scores,
)
from evidence.labels import LabelledOutputs
from evidence.page import NOT_MEASURED, format_number, join_names, markdown_table
from hyperbaton.meta.results import MetaEvaluation, average_ranks
from hyperbaton.meta.testsets import TestSet
from hyperbaton.stats.significance import percentile_interval

LABEL_COMPARISONS = ("same segment", "same length")
VARIANTS = (
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
    """All measurements: segment-level τ by test set, and the others by metric.

    ``systems`` is the mean pairwise accuracy of systems, ``ranks`` the mean rank by τ, and
    ``swaps`` and ``controls`` the accuracy on DEMETR with ties counted half.
    """

    segments: dict[str, MetaEvaluation]
    systems: dict[str, float]
    ranks: dict[str, float]
    swaps: dict[str, float]
    controls: dict[str, float]
    outputs: LabelledOutputs
    compared: dict[str, Pairs]

    def tau(self, test_set: str, metric: str) -> float:
        """Return τ on a test set, or NaN if it was not measured."""
        evaluation = self.segments[test_set]
        value = evaluation[test_set, metric].value if metric in evaluation.metrics else None
        return np.nan if value is None else value

    def mean_tau(self, metric: str) -> float:
        """Return the mean τ over all test sets."""
        return float(np.mean([self.tau(test_set, metric) for test_set in self.segments]))

    def unbeaten_count(self, metric: str) -> int:
        """Return the number of test sets on which no other metric is significantly better."""
        return sum(
            metric in evaluation.unbeaten(name) for name, evaluation in self.segments.items()
        )

    def wins(self, a: str, b: str) -> tuple[int, int, int]:
        """Count the test sets on which a is significantly better, b is, and neither is."""
        counts = [evaluation.wins(a, b) for evaluation in self.segments.values()]
        a_wins, b_wins, undecided = zip(*counts, strict=True)
        return sum(a_wins), sum(b_wins), sum(undecided)

    def area(self, metric: str, comparison: str) -> float:
        """Return the area for word-order labels, or NaN if it was not measured."""
        scores = self.outputs.scores.get(metric)
        return np.nan if scores is None else self.compared[comparison].area(scores)

    def area_difference(self, a: str, b: str, comparison: str) -> tuple[float, float, float]:
        """Return the difference of the areas of two metrics, and its interval."""
        scores, pairs = self.outputs.scores, self.compared[comparison]
        first, second = (pairs.sample_areas(scores[metric], SAMPLES, SEED) for metric in (a, b))
        difference = pairs.area(scores[a]) - pairs.area(scores[b])
        return difference, *percentile_interval(first - second, LEVEL)


def measured_metrics() -> list[str]:
    """Return every metric and all variants whose data is available."""
    data = matcher_data()
    return [*every_metric(), *(name for name in VARIANTS if data or ALL_MATCHERS not in name)]


def scored_test_sets() -> list[TestSet]:
    """Return all test sets with scores, without the metrics that are too slow for WMT13."""
    metrics = measured_metrics()
    fast_metrics = [metric for metric in metrics if metric not in (TER, DTED)]
    return [
        *(with_scores(test_set, fast_metrics) for test_set in load_test_sets("wmt13")),
        *(with_scores(judged_segments(test_set), metrics) for test_set in load_test_sets("wmt15")),
        *(with_scores(test_set, metrics) for test_set in load_test_sets("biomqm")),
    ]


@cache
def compute_overview() -> Overview:
    test_sets = scored_test_sets()
    segments = {test_set.name: evaluate([test_set], "tau_wmt14") for test_set in test_sets}
    complete = [
        metric
        for metric in measured_metrics()
        if all(metric in evaluation.metrics for evaluation in segments.values())
    ]
    by_system = [
        evaluate([test_set], "accuracy_sys", over="systems", samples=2, test="bootstrap")
        for test_set in test_sets
    ]
    accuracy = {
        metric: float(np.mean([result[result.pairs[0], metric].value for result in by_system]))
        for metric in complete
    }
    taus = np.array(
        [
            [evaluation[name, metric].value for metric in complete]
            for name, evaluation in segments.items()
        ]
    )
    ranks = {average.metric: average.rank for average in average_ranks(complete, taus)}
    swapped = swaps.scored_items(measured_metrics())
    swap_accuracy = {
        metric: swaps.accuracy_with_half_ties(swapped, metric) for metric in swapped.others
    }
    controls = swaps.control_accuracies(tuple(measured_metrics()))
    control_accuracy = {metric: float(np.mean(values)) for metric, values in controls.items()}
    label_variants = [name for name in VARIANTS if ALL_MATCHERS not in name]
    outputs = labels.read_labelled_outputs(labels.metrics_by_language(label_variants))
    compared = labels.comparisons(outputs)
    return Overview(segments, accuracy, ranks, swap_accuracy, control_accuracy, outputs, compared)


def lacking() -> str:
    """Say what was not measured because its data or its parser was not there."""
    names = ["all matchers of METEOR"] if matcher_data() is None else []
    names += [] if parser_available() else ["DTED"]
    return f" {NOT_MEASURED.capitalize()}: {join_names(names)}." if names else ""


def section() -> str:
    overview = compute_overview()
    names = list(overview.segments)
    order = sorted(
        measured_metrics(),
        key=lambda metric: (overview.ranks.get(metric, np.inf), -overview.tau(names[2], metric)),
    )
    columns = {"metric": [f"`{label(metric)}`" for metric in order]}
    for name in names:
        unbeaten = overview.segments[name].unbeaten(name)
        cells = (format_number(overview.tau(name, metric)) for metric in order)
        columns[name] = [
            f"**{cell}**" if metric in unbeaten else cell
            for metric, cell in zip(order, cells, strict=True)
        ]
    other_columns = {
        "mean rank": (overview.ranks, 1),
        "systems": (overview.systems, 2),
        "swaps": (overview.swaps, 3),
        "controls": (overview.controls, 3),
    }
    for heading, (values, digits) in other_columns.items():
        columns[heading] = [format_number(values.get(metric), digits) for metric in order]
    for name in LABEL_COMPARISONS:
        columns[name] = [format_number(overview.area(metric, name), 2) for metric in order]
    widths = []
    for name in names:
        bleu = overview.segments[name][name, "bleu"]
        if bleu.lower is not None and bleu.upper is not None:
            widths.append(f"±{format_number((bleu.upper - bleu.lower) / 2, 2)} on {name}")
    return "\n\n".join(
        [
            "## Every metric",
            "The first columns show sentence-level τ on six test sets; a tie of the metric counts "
            "as neither right nor wrong (`tau_wmt14`). A value is bold if no other metric here is "
            "significantly better (paired permutation test, p < 0.05, 1,000 samples, not corrected "
            "for the number of metrics). The other columns show the mean rank; *systems*, the "
            "share of pairs of systems that are in the human order, averaged over the six test "
            "sets; *swaps* and *controls*, the accuracy on "
            "[DEMETR](#swapped-words-and-controls-demetr) with ties counted half (on the controls, "
            "0.5 is right for order alone); and the areas for word-order labels. The intervals of "
            "τ are about "
            + ", ".join(widths)
            + ". TER and DTED were not measured on WMT13 because they are too slow."
            + lacking(),
            markdown_table(list(columns), zip(*columns.values(), strict=True)),
        ]
    )
