"""What follows for the defaults of `hyperbaton score`."""

from __future__ import annotations

from collections.abc import Callable

from evidence.data import label
from evidence.overview import LABEL_COMPARISONS, Overview, compute_overview
from evidence.page import format_number, join_names, markdown_table
from hyperbaton.metrics.registry import SETS

# The set that the results on this page support.
SUPPORTED = ("order", "chrf", "bleu")
# Metrics that were in the default set before, or are their competitors for a place in it.
CONSIDERED = (
    "hyper",
    "cder",
    "adjacency",
    "pef",
    "pef:bp=off",
    "kendall:bp=off",
    "full",
    "order:precedence=off",
)
# Metrics that are in the set, or were considered for it, and alternatives to them.
RIVALS = (
    ("chrf", "bleu"),
    ("hyper", "chrf"),
    ("hyper", "hyper:precedence=off"),
    ("hyper", "full"),
    ("cder", "bleu"),
    ("order", "order:precedence=off"),
    ("order", "adjacency"),
    ("order", "pef:bp=off"),
    ("order", "kendall:bp=off"),
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
    members = list(SETS["default"])
    best = [metric for metric in by_rank if metric not in members][:5]
    considered = {*best, *CONSIDERED}
    headings = [
        "metric",
        f"mean rank of {len(overview.ranks)}",
        "mean τ",
        "systems",
        "swaps",
        "controls",
        *LABEL_COMPARISONS,
    ]
    rows = [metric_row(overview, metric) for metric in members]
    rows.append(["*not in the set:*", *[""] * (len(headings) - 1)])
    rows += [metric_row(overview, metric) for metric in by_rank if metric in considered]
    return "\n\n".join(
        [
            "## What follows for the defaults",
            "The results on this page determine the defaults of `hyperbaton score`. The first "
            "table shows its default set of metrics, the five other metrics that agree best with "
            "people, and others that were considered, with columns from the table of "
            "[every metric](#every-metric) at the end. `order` is compared here by values, even "
            "where there is too little evidence to show them, because the other columns are about "
            "values, too:",
            markdown_table(headings, rows),
            "The second table compares metrics of the set, and others that were considered for it, "
            "with a rival each. The column τ gives the number of test sets, out of six, on which "
            "the metric is significantly better / the rival is significantly better / neither is. "
            "The other columns give the metric's advantage on swaps, both accuracies on the "
            "controls (0.5 is right for a metric of order alone), and the metric's advantage in "
            "the areas for word-order labels (intervals over segments).",
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
        format_number(overview.controls.get(metric)),
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
                " / ".join(format_number(overview.controls[name]) for name in (metric, rival)),
                *areas,
            ]
        )
    headings = ["metric", "rival", "τ", "swaps", "controls", *LABEL_COMPARISONS]
    return markdown_table(headings, rows, left=2)


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
        sets = "test set" if better == 1 else "test sets"
        return (
            f"`{a}` is significantly better than `{b}` on {better} {sets}, significantly worse on "
            f"{worse}, and not significantly different on {undecided}"
        )

    unbeaten_list = join_names(
        f"`{label(metric)}` ({overview.unbeaten_count(metric)})" for metric in unbeaten
    )
    swap_list = join_names(
        f"`{label(metric)}` ({format_number(overview.swaps[metric])} and "
        f"{format_number(overview.controls[metric])})"
        for metric in best_on_swaps
    )
    best_area, area_with_bp, area_without_bp = (
        format_number(overview.area(metric, comparison), 2)
        for metric in (best_on_labels, "pef", "pef:bp=off")
    )
    controls_with_bp, controls_without_bp = (
        format_number(overview.controls[metric]) for metric in ("pef", "pef:bp=off")
    )
    order_alone = join_names(
        f"`{metric}` {format_number(overview.mean_tau(metric))}"
        for metric in ("pef:bp=off", "order")
    )
    return [
        f"**Quality.** The number of test sets, out of {len(overview.segments)}, on which no other "
        f"metric is significantly better is highest for {unbeaten_list}. "
        f"{describe_wins('hyper', 'chrf')}; {behind(overview, 'hyper', 'chrf')}. Order without "
        f"words (mean τ: {order_alone}) says little about quality, because systems differ more in "
        "words than in order.",
        "**Word order.** The metrics that detect swaps best are, with their accuracy on swaps and "
        f"on the controls, {swap_list}. On the controls, 0.5 is right for order alone, so a high "
        "accuracy on swaps shows that a metric measures order only if its accuracy on the "
        "controls is low. For labels on the same segment, the best metric is "
        f"`{label(best_on_labels)}` ({best_area}). There, `pef` has {area_with_bp} with bp as "
        f"printed and {area_without_bp} without it; on the controls, it has {controls_with_bp} and "
        f"{controls_without_bp}. The reason is that bp falls with every reference word that has no "
        "link. This is why `pef` with bp agrees with people, and why it does not measure order.",
        precedence_summary(overview, describe_wins),
        f"**Options.** {describe_wins('pef', 'pef:bp=off')}: bp helps to measure quality. "
        f"{describe_wins('full:order=ulam', 'full')}; "
        f"{describe_wins('full:order=kendall', 'full')}; "
        f"{describe_wins('full:lexical=f1', 'full')}. "
        f"{describe_wins('lr_kb4:alpha=0.1', 'lr_kb4')}. "
        f"{describe_wins('cder', 'invwer')}; {describe_wins('invwer', 'wer')}.",
        "**Conclusion.** The results support the set "
        f"{join_names(f'`{metric}`' for metric in SUPPORTED)}: one for order, and two well-known "
        f"metrics of quality. {default_set_difference()}",
        rejections(overview, describe_wins),
        "β and γ make little difference ([figure 8](#figures-7-to-10), [table 5](#table-5)), and "
        "so does F1 instead of BLEU1. `full` would gain a little with `order=ulam` or "
        "`order=kendall`; it uses PEF because that is the published metric, not because PEF agrees "
        "better. α of `lr_kb4` should be 0.1 to 0.3 rather than 0.5. A metric that is meant to "
        "measure order alone needs `bp=off`.",
    ]


def format_area_difference(overview: Overview, a: str, b: str, comparison: str) -> str:
    difference, low, high = overview.area_difference(a, b, comparison)
    return f"{difference:+.2f} [{low:+.2f}, {high:+.2f}]"


def behind(overview: Overview, metric: str, rival: str) -> str:
    """Say where a metric is behind its rival, and give the mean ranks of both."""
    lower = [
        name for name in overview.segments if overview.tau(name, metric) < overview.tau(name, rival)
    ]
    ranks = [format_number(overview.ranks[name], 1) for name in (metric, rival)]
    return (
        f"its τ is lower on {join_names(lower) if lower else 'none'}, and its mean rank is "
        f"{ranks[0]} (`{rival}`: {ranks[1]})"
    )


def precedence_summary(overview: Overview, describe_wins: Callable[[str, str], str]) -> str:
    """Say what precedence adds to order and to the composite, and what it costs."""
    order, without = "order", "order:precedence=off"
    areas = [format_area_difference(overview, order, without, name) for name in LABEL_COMPARISONS]
    return (
        "**Precedence.** The accuracy of `order` on swaps is "
        f"{format_number(overview.swaps[order])} with precedence and "
        f"{format_number(overview.swaps[without])} without it; for labels, it adds {areas[0]} on "
        f"the same segment and {areas[1]} on the same length. "
        f"{describe_wins('hyper', 'hyper:precedence=off')}. The gain grows with [the number of "
        "references](#how-many-references-b-needs), and is there with a single one, so the set "
        "has no option in a name. All references are read before the first segment is scored, and "
        "the value of a segment depends on the references of the other segments. Where only one "
        "segment is known, pairs of words are counted in its own references (`precedence=own`)."
    )


def rejections(overview: Overview, describe_wins: Callable[[str, str], str]) -> str:
    """Say why other metrics are not in the set."""

    def both(metric: str) -> str:
        accuracies = overview.swaps[metric], overview.controls[metric]
        swapped, controls = map(format_number, accuracies)
        return f"`{metric}` has {swapped} on swaps and {controls} on the controls"

    better, worse, undecided = overview.wins("bleu", "chrf")
    return "\n".join(
        [
            "**What is not in the set, and why.**",
            "",
            f"- `hyper`: into English, {describe_wins('hyper', 'chrf')}. [Out of "
            "English](#words-and-order-together) it has no advantage, and it would be a third "
            "metric of quality that people do not know yet.",
            f"- `cder`: {describe_wins('cder', 'chrf')}. It answers no question that `chrf` and "
            "`bleu` leave open.",
            f"- `adjacency`: {both('adjacency')}, {both('order')}. [Replaced "
            "words](#differences-and-the-choice-of-words) alone make it significantly different.",
            f"- `pef` and the other metrics of permutations: {both('pef')}, {both('pef:bp=off')}. "
            "Their values follow [the choice of words](#differences-and-the-choice-of-words) as "
            "well. By sign, some of them react less often to the controls than `order`; [by "
            "size](#swaps-and-controls-by-sign-and-by-size), the controls change `order` least, "
            "beside the swaps. They show how words move as a whole, which `order` does not.",
            f"- `full`: {describe_wins('hyper', 'full')}.",
            f"- `bleu` stays although it is significantly worse than `chrf` on {worse} test sets "
            f"(better on {better}, no difference on {undecided}), because everyone knows and "
            "reports it.",
            "",
            "`order` is in the set for what it measures, order alone, and not for τ, which a "
            "metric can raise by reacting to words. It is compared by words that both systems "
            "have, which is why it is [not called different if words are replaced]"
            "(#differences-and-the-choice-of-words), and it has no value [where too few words are "
            "in the reference](#what-is-not-scored). These reasons were not fixed before the "
            "measurement.",
        ]
    )


def default_set_difference() -> str:
    """Describe how the default set differs from the supported one."""
    extra = [f"`{metric}`" for metric in SETS["default"] if metric not in SUPPORTED]
    lacking = [f"`{metric}`" for metric in SUPPORTED if metric not in SETS["default"]]
    if not extra and not lacking:
        return "This is the default set."
    differences = [f"also contains {join_names(extra)}"] if extra else []
    differences += [f"lacks {join_names(lacking)}"] if lacking else []
    return f"The default set currently {' and '.join(differences)}."
