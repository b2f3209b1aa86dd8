"""Stanojević & Sima'an 2014: tables 2, 3 and 5 on WMT13, and figures 7 to 10."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evidence.data import ALL_MATCHERS, ROOT, evaluated, matchers_data, test_sets, with_scores
from evidence.page import NOT_MEASURED, listed, mean_difference, number, table
from evidence.published import AVERAGES, FORESTS, INVERSIONS, ORDERS
from hyperbaton.meta import agreement
from hyperbaton.meta.results import MetaEvaluation, MetricDifference, average_ranks
from hyperbaton.meta.testsets import TestSet
from hyperbaton.report import plots
from hyperbaton.text.lines import write_beside

NAMES = ("wmt13 de-en", "wmt13 fr-en")
# What is done with unaligned words, as it is called and as the metric takes it.
WAYS = {"left": "unaligned=left", "drop, bp": "bp=permutation", "drop, no bp": "bp=off"}
MATCHERS = {"exact+stem": "", "all": f",{ALL_MATCHERS}"}
LEFT = WAYS["left"]
STEPS = [round(0.05 * k, 2) for k in range(21)]
IMAGES = ROOT / "docs" / "img"


def full(order: str, way: str = LEFT, matchers: str = "", more: str = "") -> str:
    return f"full:order={order},{way}{more}{matchers}"


def chosen_matchers() -> dict[str, str]:
    """Those whose data is there."""
    return {name: text for name, text in MATCHERS.items() if not text or matchers_data()}


def scored() -> list[TestSet]:
    """WMT13 with all that the tables need."""
    metrics = [
        full(order, way, text)
        for text in chosen_matchers().values()
        for way in WAYS.values()
        for order in ORDERS
    ]
    metrics += [
        full(order, LEFT, text, ",gamma=0.5")
        for text in chosen_matchers().values()
        for order in ("pef", "pet")
    ]
    return [with_scores(one, metrics) for one in test_sets("wmt13")]


def section() -> str:
    sets = scored()
    found = evaluated(sets, "tau")
    return "\n\n".join(
        [
            "## Forests: Stanojević & Sima'an 2014",
            "Sentence-level τ of `full` (α = 0.5, β = 0.6, unigram BLEU) on WMT13, the two "
            "language pairs at hand of the paper's ten: "
            f"{counted(found)}. The paper's aligner is METEOR's, with all its matchers, and it "
            "does not say what becomes of words without a link. Three readings: `left`, "
            "`unaligned=left`, as in the authors' released code, where no word is lost and bp is "
            "always 1; or `drop`, dropped, with bp as printed, or without.",
            *table_2(found),
            *kendall_or_pef(found),
            *table_3(found),
            *table_5(found),
            *figures(sets, found),
        ]
    )


def counted(found: MetaEvaluation) -> str:
    return listed(
        f"{one.pair} has {one.judgements:,} comparisons of {one.systems} systems in {one.judged:,} "
        "segments"
        for one in found.counts
    )


def value(found: MetaEvaluation, pair: str, metric: str) -> float:
    own = found[pair, metric].value
    assert own is not None
    return own


def table_2(found: MetaEvaluation) -> list[str]:
    headings = ["matchers", "unaligned", *ORDERS.values(), "mean abs. difference"]
    parts = ["### Table 2"]
    said = []
    for pair in NAMES:
        rows = [["", "published", *(number(one) for one in FORESTS[pair]), ""]]
        for matchers, text in MATCHERS.items():
            for name, way in WAYS.items():
                if matchers not in chosen_matchers():
                    rows.append([matchers, name, *([NOT_MEASURED] + 6 * [""]), ""])
                    continue
                values = [value(found, pair, full(order, way, text)) for order in ORDERS]
                gap = mean_difference(values, FORESTS[pair])
                rows.append([matchers, name, *map(number, values), number(gap)])
                best = max(zip(values, ORDERS.values(), strict=True))[1]
                said.append((matchers, name, gap, best))
        parts += [f"**{pair}**", table(headings, rows, left=2)]
    gaps = {name: [gap for _, way, gap, _ in said if way == name] for name in WAYS}
    first = {name: sorted({best for _, way, _, best in said if way == name}) for name in WAYS}
    parts.append(
        "The published numbers come out with `left` (mean absolute differences "
        f"{listed(number(gap) for gap in gaps['left'])}; the aim was 0.02), and nearly without bp "
        f"({listed(number(gap) for gap in gaps['drop, no bp'])}). As the paper prints it, with "
        f"words dropped and bp, τ is higher ({listed(number(gap) for gap in gaps['drop, bp'])} "
        f"away). The best measure is {listed(first['left'], 'or')} with `left`, "
        f"{listed(first['drop, bp'], 'or')} with bp, {listed(first['drop, no bp'], 'or')} without."
    )
    return parts


def between(found: MetaEvaluation, pair: str, a: str, b: str) -> MetricDifference:
    for one in found.differences:
        if one.pair == pair and {one.a, one.b} == {a, b}:
            if one.a == a:
                return one
            assert one.lower is not None
            assert one.upper is not None
            return replace(
                one, a=a, b=b, difference=-one.difference, lower=-one.upper, upper=-one.lower
            )
    raise KeyError((pair, a, b))


def kendall_or_pef(found: MetaEvaluation) -> list[str]:
    rows, won, lost = [], 0, 0
    for pair in NAMES:
        for matchers, text in chosen_matchers().items():
            for name, way in WAYS.items():
                own = between(found, pair, full("pef", way, text), full("kendall", way, text))
                won += own.better == own.a
                lost += own.better == own.b
                bounds = f"[{number(own.lower, 4)}, {number(own.upper, 4)}]"
                rows.append([pair, matchers, name, f"{own.difference:+.4f}", bounds, number(own.p)])
    many = len(rows)
    return [
        "**Is PEF better than Kendall?** Differences of τ, 95 % intervals by the bootstrap over "
        "segments, p of the paired permutation test (1,000 samples each, seed 1).",
        table(["", "matchers", "unaligned", "PEF − Kendall", "interval", "p"], rows, left=3),
        f"PEF is significantly better (p < 0.05) in {won} of {many} comparisons and significantly "
        f"worse in {lost}. The paper has no test of its differences and ranks PEF first.",
    ]


def table_3(found: MetaEvaluation) -> list[str]:
    parts = [
        "### Table 3",
        "Average rank and τ: published over ten language pairs, ours over the two (`left`).",
    ]
    chosen = chosen_matchers()
    averages = {}
    for matchers, text in chosen.items():
        grid = np.array(
            [[value(found, pair, full(order, LEFT, text)) for order in ORDERS] for pair in NAMES]
        )
        averages[matchers] = {one.metric: one for one in average_ranks(list(ORDERS), grid)}
    headings = ["", "rank", "τ"]
    for matchers in chosen:
        headings += [f"rank, {matchers}", f"τ, {matchers}"]
    rows = []
    for order, (rank, tau) in AVERAGES.items():
        own = [averages[matchers][order] for matchers in chosen]
        cells = [text for one in own for text in (f"{one.rank:g}", number(one.value, 4))]
        rows.append([ORDERS[order], f"{rank:g}", number(tau, 4), *cells])
    return [*parts, table(headings, rows)]


def table_5(found: MetaEvaluation) -> list[str]:
    headings = ["", "matchers", "published γ = 0", "γ = 0.5", "ours γ = 0", "γ = 0.5", "p"]
    rows, gaps, significant = [], [], 0
    for pair in NAMES:
        for order in ("pef", "pet"):
            for matchers, text in chosen_matchers().items():
                metrics = [full(order, LEFT, text), full(order, LEFT, text, ",gamma=0.5")]
                ours = [value(found, pair, metric) for metric in metrics]
                own = between(found, pair, *metrics)
                theirs = INVERSIONS[pair][order]
                gaps.append(mean_difference(ours, theirs))
                significant += own.better is not None
                rows.append(
                    [
                        f"{pair} {ORDERS[order]}",
                        matchers,
                        *map(number, theirs),
                        *map(number, ours),
                        number(own.p),
                    ]
                )
    return [
        "### Table 5",
        "What an inverted node is worth: γ = 0 as all other nodes that are not monotone, or 0.5 "
        "(`left`; p of the permutation test between both).",
        table(headings, rows, left=2),
        f"The mean absolute difference is {number(float(np.mean(gaps)))}. As in the paper, γ makes "
        f"little difference: {significant} of {len(rows)} are significant.",
    ]


def figures(sets: Sequence[TestSet], found: MetaEvaluation) -> list[str]:
    """The sweeps over α and β on de-en, and scaled correlations of both pairs."""
    tau = agreement.get("tau")
    german = next(one for one in test_sets("wmt13") if one.name == NAMES[0])
    measure, people = german.human(tau)
    # α·words + (1 − α)·order: any α is a mean of the scores at 0 and at 1
    ends = [[full(order, more=f",alpha={end}") for end in (0, 1)] for order in ORDERS]
    own = with_scores(german, [metric for both in ends for metric in both]).others
    alphas = {
        ORDERS[order]: [
            measure.value(people, alpha * own[b].segments + (1 - alpha) * own[a].segments)
            for alpha in STEPS
        ]
        for order, (a, b) in zip(ORDERS, ends, strict=True)
    }
    swept = {
        ORDERS[order]: [full(order, more=f",beta={beta}") for beta in STEPS]
        for order in ("pef", "pet")
    }
    others = with_scores(german, [metric for curve in swept.values() for metric in curve]).others
    betas = {
        name: [measure.value(people, others[metric].segments) for metric in curve]
        for name, curve in swept.items()
    }
    scaled = {
        name: [value(found, pair, full(order)) for pair in NAMES] for order, name in ORDERS.items()
    }
    pictures = {
        "alpha": plots.sweep("α", STEPS, alphas, chosen=0.5, title="Effect of α, WMT13 de-en"),
        "beta": plots.sweep("β", STEPS, betas, chosen=0.6, title="Effect of β, WMT13 de-en"),
        "scaled": plots.scaled_correlations(NAMES, scaled),
    }
    IMAGES.mkdir(exist_ok=True)
    for name, picture in pictures.items():
        with write_beside(IMAGES / f"{name}.svg") as file:
            file.write(picture)
    peaks = {name: STEPS[int(np.argmax(curve))] for name, curve in alphas.items()}
    best = {name: STEPS[int(np.argmax(curve))] for name, curve in betas.items()}
    spread = {name: max(curve) - min(curve) for name, curve in betas.items()}
    words = alphas["PEFs"][-1]
    return [
        "### Figures 7 to 10",
        "τ by α (figure 7; at α = 1 only words count), and by β (figure 8), on de-en with "
        "`left` and exact+stem; below, τ of both pairs scaled between the worst measure and the "
        "best (figures 9 and 10).",
        "![τ by α](img/alpha.svg)",
        "![τ by β](img/beta.svg)",
        "![scaled τ](img/scaled.svg)",
        f"The best α is {listed(f'{alpha:g} for {name}' for name, alpha in peaks.items())}; "
        f"words alone have τ = {number(words)}, order alone (PEF) {number(alphas['PEFs'][0])}. The "
        f"best β is {listed(f'{beta:g} for {name}' for name, beta in best.items())}, and between "
        f"the best and the worst β lie {listed(number(gap) for gap in spread.values())}.",
    ]
