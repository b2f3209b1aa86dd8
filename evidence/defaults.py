"""What follows for the defaults of `hyperbaton score`."""

from __future__ import annotations

from evidence.data import label
from evidence.overview import OF_ORDER, Overview, measured
from evidence.page import listed, number, table
from hyperbaton.metrics.registry import SETS

# What the numbers below speak for.
SUPPORTED = ("bleu", "chrf", "full", "pef:bp=off", "adjacency", "cder")
# A metric that is in the set, or was in the first one, and what could take its place.
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
    found = measured()
    chosen = [metric for metric in SETS["default"] if metric in found.ranks]
    others = [metric for metric in found.ranks if metric not in chosen]
    rows = [row(found, metric) for metric in sorted(chosen, key=found.ranks.__getitem__)]
    first = sorted(others, key=found.ranks.__getitem__)[:5]
    rows += [["*not in the set:*", *[""] * 6], *(row(found, metric) for metric in first)]
    many = len(found.ranks)
    headings = ["metric", f"mean rank of {many}", "mean τ", "systems", "swaps", *OF_ORDER]
    return "\n\n".join(
        [
            "## What follows for the defaults",
            "The defaults of `hyperbaton score` follow from this page. Its set of metrics, "
            "and the five others that agree best with people, by the columns of the table of "
            "[every metric](#every-metric) at the end:",
            table(headings, rows),
            "Metrics of the set, and others that were thought of for it, each beside what could "
            "take its place. τ: on how many of the six test sets "
            "the metric is significantly better / the rival is / neither is; then by how much "
            "the metric is better at swaps, and its areas by labels of word order larger "
            "(intervals over segments).",
            duels(found),
            *verdicts(found),
        ]
    )


def row(found: Overview, metric: str) -> list[str]:
    return [
        f"`{label(metric)}`",
        number(found.ranks[metric], 1),
        number(found.mean(metric)),
        number(found.systems[metric], 2),
        number(found.swaps.get(metric)),
        *(number(found.area(metric, name), 2) for name in OF_ORDER),
    ]


def duels(found: Overview) -> str:
    rows = []
    for default, rival in RIVALS:
        areas = []
        for name in OF_ORDER:
            gap, low, high = found.area_gap(default, rival, name)
            areas.append(f"{gap:+.2f} [{low:+.2f}, {high:+.2f}]")
        rows.append(
            [
                f"`{default}`",
                f"`{rival}`",
                "/".join(map(str, found.wins(default, rival))),
                f"{found.swaps[default] - found.swaps[rival]:+.3f}",
                *areas,
            ]
        )
    return table(["metric", "rival", "τ", "swaps", *OF_ORDER], rows, left=2)


def verdicts(found: Overview) -> list[str]:
    """What follows, in words; who is better is read from the numbers."""
    many = len(found.segments)
    unbeaten = sorted(found.ranks, key=lambda metric: -found.not_beaten(metric))[:3]
    of_order = [metric for metric in found.ranks if found.labelled.scores.get(metric) is not None]
    best = max(of_order, key=lambda metric: found.area(metric, OF_ORDER[0]))
    swapped = sorted(found.ranks, key=lambda metric: -found.swaps[metric])[:3]

    def won(a: str, b: str) -> str:
        better, worse, neither = found.wins(a, b)
        return (
            f"`{a}` is significantly better than `{b}` on {better} test sets, worse on {worse}, "
            f"and neither on {neither}"
        )

    beaten = listed(
        f"`{label(m)}` is not significantly beaten on {found.not_beaten(m)}" for m in unbeaten
    )
    seen = listed(f"`{label(m)}` ({number(found.swaps[m])})" for m in swapped)
    area, with_bp, without = (
        number(found.area(metric, OF_ORDER[0]), 2) for metric in (best, "pef", "pef:bp=off")
    )
    alone = number(found.mean("pef:bp=off"))
    return [
        f"**Quality.** {beaten} of {many} test sets. Metrics of words and order together come "
        f"next; order without words (`pef:bp=off`, mean τ {alone}) says little of quality, for "
        "systems differ more in words than in order.",
        f"**Word order.** Swaps are seen best by {seen}; labels of the same segment by "
        f"`{label(best)}` ({area}). With bp as printed, `pef` has {with_bp} there, and {without} "
        "without it: bp counts words that have no link. That is why it agrees with people, and "
        "why it is no measure of order.",
        f"**Options.** {won('pef', 'pef:bp=off')}: for quality, bp belongs there. "
        f"{won('full:order=ulam', 'full')}; {won('full:order=kendall', 'full')}; "
        f"{won('full:lexical=f1', 'full')}. {won('lr_kb4:alpha=0.1', 'lr_kb4')}. "
        f"{won('cder', 'invwer')}; {won('invwer', 'wer')}.",
        f"**So** the set that this page speaks for is {listed(f'`{m}`' for m in SUPPORTED)}: two "
        "for quality that people know, one for words and order together, two for order alone, "
        "and an error rate. `pef` with bp is the best neither for quality nor for order; "
        "`lr_kb4` is no better than `bleu` and `full` for quality, nor than `adjacency` for "
        "order; `cder` agrees no worse than `invwer`, in less time, but has no parse to show. "
        f"{difference()}",
        "Of options: β and γ make little difference ([figure 8](#figures-7-to-10), "
        "[table 5](#table-5)), and so does F1 in place of BLEU1. `full` would gain a little with "
        "`order=ulam` or `order=kendall`; PEF is there because it is the published metric, not "
        "because it agrees better. α of `lr_kb4` should be 0.1 to 0.3 rather than 0.5. A "
        "metric of order that is to say something of order alone needs `bp=off`. All matchers "
        "of METEOR help `full` a little, and need data that cannot be shipped.",
    ]


def difference() -> str:
    """How the default set differs from the one that is spoken for."""
    extra = [f"`{metric}`" for metric in SETS["default"] if metric not in SUPPORTED]
    lacking = [f"`{metric}`" for metric in SUPPORTED if metric not in SETS["default"]]
    if not extra and not lacking:
        return "The default set is this one."
    said = [f"has {listed(extra)} beyond it"] if extra else []
    said += [f"lacks {listed(lacking)}"] if lacking else []
    return f"The default set now {' and '.join(said)}."
