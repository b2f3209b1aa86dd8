"""Stanojević & Sima'an 2016: table 2 on WMT13, and which differences its tests find."""

from __future__ import annotations

from evidence.data import evaluated, test_sets, with_scores
from evidence.page import listed, mean_difference, number, table
from evidence.published import BLEU, COMPLEXITY, COMPLEXITY_ORDERS

METRICS = {f"senscore:order={order}": name for order, name in COMPLEXITY_ORDERS.items()}
BASELINES = ("hamming", "kendall", "spearman", "fuzzy", "ulam")
NEW = ("pet_size", "max_operator", "pet_count")


def section() -> str:
    named = {**METRICS, "bleu": BLEU}
    sets = [with_scores(one, named) for one in test_sets("wmt13")]
    found = evaluated(sets, "spearman_sys", over="rankings", test="t")
    fair = evaluated(sets, "spearman_sys", over="rankings", test="bootstrap")
    rows = []
    gaps: dict[str, float] = {}
    for metric, name in named.items():
        row = [name]
        for pair, printed in COMPLEXITY.items():
            own = found[pair, metric]
            mean, deviation = printed[list(named).index(metric)]
            row += [f"{mean:.3f} ± {deviation:.3f}"]
            row += [f"{number(own.mean)} ± {number(own.deviation)}", number(own.value)]
        rows.append(row)
    for pair, printed in COMPLEXITY.items():
        means = [found[pair, metric].mean or 0.0 for metric in METRICS]
        gaps[pair] = mean_difference(means, [mean for mean, _ in printed[: len(METRICS)]])
    headings = [""]
    for pair in COMPLEXITY:
        headings += [f"{pair}, published", "samples", "ρ"]
    wins = [
        [
            COMPLEXITY_ORDERS[new],
            *(
                " · ".join(
                    "/".join(map(str, one.wins(f"senscore:order={new}", f"senscore:order={old}")))
                    for one in (found, fair)
                )
                for old in BASELINES
            ),
        ]
        for new in NEW
    ]
    systems = evaluated(sets, "spearman_sys", people="rankings", over="systems", test="bootstrap")
    apparent, real, general = (
        sum(one.better is not None for one in tested.differences)
        for tested in (found, fair, systems)
    )
    return "\n\n".join(
        [
            "## Complexity: Stanojević & Sima'an 2016",
            "Table 2: system-level Spearman's ρ of `senscore` (F1, α = 0.5, bp) with the share "
            "of comparisons won. Means ± deviations over 1,000 bootstrap samples of rankings (for "
            "de-en, which has no rankings here, of its preferences), and ρ of all.",
            table(headings, rows),
            "The mean absolute difference of the means, without BLEU, is "
            + listed(f"{number(gap)} on {pair}" for pair, gap in gaps.items())
            + " (the aim was 0.03). Published BLEU is WMT13's own, of Moses' scorer; ours is "
            "sacreBLEU's.",
            "Table 3 has for two metrics N/B/D: on how many language pairs the new one is "
            "significantly better, the baseline is, neither is. Here over two pairs, by the "
            "paper's t-test over bootstrap samples · by the bootstrap itself:",
            table(["", *(COMPLEXITY_ORDERS[old] for old in BASELINES)], wins),
            f"The t-test takes samples for observations, and calls {apparent} of "
            f"{len(found.differences)} differences significant; more samples would make it call "
            f"all so. The bootstrap over rankings calls {real} so: other rankings of the very same "
            "systems would show most of them. Drawn over systems, it is "
            f"{general}: that one measure is better than another is known of these systems, not of "
            "others."
            if general < real
            else f"The t-test calls {apparent} of {len(found.differences)} differences "
            f"significant, the bootstrap over rankings {real}, over systems {general}.",
        ]
    )
