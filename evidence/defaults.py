"""What follows for the defaults of `hyperbaton score`."""

from __future__ import annotations

from evidence.data import label
from evidence.overview import LABEL_COMPARISONS, Overview, compute_overview
from evidence.page import format_number, join_names, markdown_table
from hyperbaton.metrics.registry import SETS

# The set that the results on this page support.
SUPPORTED = ("bleu", "chrf", "full", "pef:bp=off", "adjacency", "cder")
# Metrics that are in the set, or were considered for it, and alternatives to them.
RIVALS = (
    ("bleu", "chrf"),
    ("pef", "pef:bp=off"),
    ("pef:bp=off", "pef:unaligned=left"),
    ("pef:bp=off", "kendall:bp=off"),
    ("pef:bp=off", "adjacency"),
    ("full", "full:bp=off"),
    ("full", "full:order=kendall"),
    ("full", "full:order=ulam"),
    ("full", "full:lexical=f1"),
    ("lr_kb4", "bleu"),
    ("lr_kb4", "lr_kb4:alpha=0.1"),
    ("lr_kb4", "full"),
    ("adjacency", "meteor_frag"),
    ("invwer", "wer"),
    ("invwer", "cder"),
)


def section() -> str:
    overview = compute_overview()
    by_rank = sorted(overview.ranks, key=overview.ranks.__getitem__)
    members = [metric for metric in by_rank if metric in SETS["default"]]
    others = [metric for metric in by_rank if metric not in SETS["default"]][:5]
    rows = [metric_row(overview, metric) for metric in members]
    rows.append(["*not in the set:*", *[""] * 6])
    rows += [metric_row(overview, metric) for metric in others]
    headings = [
        "metric",
        f"mean rank of {len(overview.ranks)}",
        "mean τ",
        "systems",
        "swaps",
        *LABEL_COMPARISONS,
    ]
    return "\n\n".join(
        [
            "## What follows for the defaults",
            "The results on this page determine the defaults of `hyperbaton score`. The first "
            "table shows its default set of metrics and the five other metrics that agree best "
            "with people, with columns from the table of [every metric](#every-metric) at the end:",
            markdown_table(headings, rows),
            "The second table compares metrics of the set, and others that were considered for it, "
            "with possible alternatives. The column τ gives the number of test sets, out of six, "
            "on which the metric is significantly better / the rival is / neither is. The other "
            "columns give the metric's advantage on swaps and in the areas for word-order labels "
            "(intervals over segments).",
            rival_table(overview),
            *conclusions(overview),
        ]
    )


def metric_row(overview: Overview, metric: str) -> list[str]:
    return [
        f"`{label(metric)}`",
        format_number(overview.ranks[metric], 1),
        format_number(overview.mean_tau(metric)),
        format_number(overview.systems[metric], 2),
        format_number(overview.swaps.get(metric)),
        *(format_number(overview.area(metric, name), 2) for name in LABEL_COMPARISONS),
    ]


def rival_table(overview: Overview) -> str:
    rows = []
    for metric, rival in RIVALS:
        areas = []
        for name in LABEL_COMPARISONS:
            difference, low, high = overview.area_difference(metric, rival, name)
            areas.append(f"{difference:+.2f} [{low:+.2f}, {high:+.2f}]")
        rows.append(
            [
                f"`{metric}`",
                f"`{rival}`",
                "/".join(map(str, overview.wins(metric, rival))),
                f"{overview.swaps[metric] - overview.swaps[rival]:+.3f}",
                *areas,
            ]
        )
    return markdown_table(["metric", "rival", "τ", "swaps", *LABEL_COMPARISONS], rows, left=2)


def conclusions(overview: Overview) -> list[str]:
    """State the conclusions; the best metrics are determined from the numbers."""
    metrics = list(overview.ranks)
    unbeaten = sorted(metrics, key=lambda metric: -overview.unbeaten_count(metric))[:3]
    best_on_swaps = sorted(metrics, key=lambda metric: -overview.swaps[metric])[:3]
    labelled = [metric for metric in metrics if overview.outputs.scores.get(metric) is not None]
    comparison = LABEL_COMPARISONS[0]
    best_on_labels = max(labelled, key=lambda metric: overview.area(metric, comparison))

    def describe_wins(a: str, b: str) -> str:
        better, worse, undecided = overview.wins(a, b)
        return (
            f"`{a}` is significantly better than `{b}` on {better} test sets, significantly worse "
            f"on {worse}, and not significantly different on {undecided}"
        )

    unbeaten_list = join_names(
        f"`{label(metric)}` ({overview.unbeaten_count(metric)})" for metric in unbeaten
    )
    swap_list = join_names(
        f"`{label(metric)}` ({format_number(overview.swaps[metric])})" for metric in best_on_swaps
    )
    best_area, area_with_bp, area_without_bp = (
        format_number(overview.area(metric, comparison), 2)
        for metric in (best_on_labels, "pef", "pef:bp=off")
    )
    order_alone = format_number(overview.mean_tau("pef:bp=off"))
    return [
        f"**Quality.** The number of test sets, out of {len(overview.segments)}, on which no other "
        f"metric is significantly better is highest for {unbeaten_list}. Metrics that combine "
        "words and order come next. "
        f"Order without words (`pef:bp=off`, mean τ {order_alone}) says little about quality, "
        "because systems differ more in words than in order.",
        f"**Word order.** The metrics that detect swaps best are {swap_list}. For labels on the "
        f"same segment, the best metric is `{label(best_on_labels)}` ({best_area}). There, `pef` "
        f"has {area_with_bp} with bp as printed and {area_without_bp} without it, because bp "
        "falls with every reference word that has no link. This is why `pef` with bp agrees with "
        "people, and why it does not measure order.",
        f"**Options.** {describe_wins('pef', 'pef:bp=off')}: bp helps to measure quality. "
        f"{describe_wins('full:order=ulam', 'full')}; "
        f"{describe_wins('full:order=kendall', 'full')}; "
        f"{describe_wins('full:lexical=f1', 'full')}. "
        f"{describe_wins('lr_kb4:alpha=0.1', 'lr_kb4')}. "
        f"{describe_wins('cder', 'invwer')}; {describe_wins('invwer', 'wer')}.",
        "**Conclusion.** The results support the set "
        f"{join_names(f'`{metric}`' for metric in SUPPORTED)}: two well-known metrics of quality, "
        "one for words and order together, two for order alone, and an error rate. `pef` with bp "
        "is best neither for quality nor for order. `lr_kb4` is no better than `bleu` and `full` "
        "for quality, and no better than `adjacency` for order. `cder` agrees with people at least "
        "as well as `invwer` and is faster, but it has no parse to show. "
        f"{default_set_difference()}",
        "β and γ make little difference ([figure 8](#figures-7-to-10), [table 5](#table-5)), and "
        "so does F1 instead of BLEU1. `full` would gain a little with `order=ulam` or "
        "`order=kendall`; it uses PEF because that is the published metric, not because PEF agrees "
        "better. α of `lr_kb4` should be 0.1 to 0.3 rather than 0.5. A metric that is meant to "
        "measure order alone needs `bp=off`. All matchers of METEOR together help `full` a little, "
        "but they need data that cannot be shipped.",
    ]


def default_set_difference() -> str:
    """Describe how the default set differs from the supported one."""
    extra = [f"`{metric}`" for metric in SETS["default"] if metric not in SUPPORTED]
    lacking = [f"`{metric}`" for metric in SUPPORTED if metric not in SETS["default"]]
    if not extra and not lacking:
        return "This is the default set."
    differences = [f"also contains {join_names(extra)}"] if extra else []
    differences += [f"lacks {join_names(lacking)}"] if lacking else []
    return f"The default set currently {' and '.join(differences)}."
