"""Stanojević & Sima'an 2016: table 2 on WMT13, and the differences that its tests find."""

from __future__ import annotations

from evidence.data import evaluate, load_test_sets, with_scores
from evidence.page import format_number, join_names, markdown_table, mean_absolute_difference
from evidence.published import BLEU, COMPLEXITY, COMPLEXITY_ORDERS

METRICS = {f"senscore:order={order}": name for order, name in COMPLEXITY_ORDERS.items()}
BASELINES = ("hamming", "kendall", "spearman", "fuzzy", "ulam")
NEW = ("pet_size", "max_operator", "pet_count")


def section() -> str:
    names = {**METRICS, "bleu": BLEU}
    test_sets = [with_scores(test_set, names) for test_set in load_test_sets("wmt13")]
    by_t_test = evaluate(test_sets, "spearman_sys", over="rankings", test="t")
    by_bootstrap = evaluate(test_sets, "spearman_sys", over="rankings", test="bootstrap")
    rows = []
    for k, (metric, name) in enumerate(names.items()):
        row = [name]
        for pair, published in COMPLEXITY.items():
            ours = by_t_test[pair, metric]
            mean, deviation = published[k]
            row += [
                f"{mean:.3f} ± {deviation:.3f}",
                f"{format_number(ours.mean)} ± {format_number(ours.deviation)}",
                format_number(ours.value),
            ]
        rows.append(row)
    differences: dict[str, float] = {}
    for pair, published in COMPLEXITY.items():
        means = [by_t_test[pair, metric].mean or 0.0 for metric in METRICS]
        published_means = [mean for mean, _ in published[: len(METRICS)]]
        differences[pair] = mean_absolute_difference(means, published_means)
    headings = [""]
    for pair in COMPLEXITY:
        headings += [f"{pair}, published", "samples", "ρ"]
    wins = [
        [
            COMPLEXITY_ORDERS[new],
            *(
                " · ".join(
                    "/".join(
                        map(str, result.wins(f"senscore:order={new}", f"senscore:order={old}"))
                    )
                    for result in (by_t_test, by_bootstrap)
                )
                for old in BASELINES
            ),
        ]
        for new in NEW
    ]
    by_systems = evaluate(
        test_sets, "spearman_sys", people="rankings", over="systems", test="bootstrap"
    )
    t_test_count, bootstrap_count, system_count = (
        sum(difference.better is not None for difference in result.differences)
        for result in (by_t_test, by_bootstrap, by_systems)
    )
    total = len(by_t_test.differences)
    return "\n\n".join(
        [
            "## Complexity: Stanojević & Sima'an 2016",
            "Table 2: system-level Spearman's ρ between `senscore` (F1, α = 0.5, bp) and the share "
            "of comparisons won. The columns show means ± deviations over 1,000 bootstrap samples "
            "of rankings (for de-en, which has no rankings here, samples of its preferences), and "
            "ρ of the full data.",
            markdown_table(headings, rows),
            "The mean absolute difference of the means, without BLEU, is "
            + join_names(
                f"{format_number(difference)} on {pair}" for pair, difference in differences.items()
            )
            + " (the target was 0.03). The published BLEU is that of WMT13, computed by Moses' "
            "scorer; ours is sacreBLEU's.",
            "Table 3 gives N/B/D for pairs of metrics: the number of language pairs on which the "
            "new metric is significantly better, on which the baseline is, and on which neither "
            "is. Here it covers two language pairs, with the paper's t-test over bootstrap samples "
            "before the · and the bootstrap itself after it:",
            markdown_table(["", *(COMPLEXITY_ORDERS[old] for old in BASELINES)], wins),
            f"The t-test treats samples as observations and finds {t_test_count} of {total} "
            "differences significant; with more samples it would find all of them significant. "
            f"The bootstrap over rankings finds {bootstrap_count}: with other rankings of the same "
            "systems, most of the differences would be found again. The bootstrap over systems "
            f"finds {system_count}: the data shows which measure is better on these systems, but "
            "not on others."
            if system_count < bootstrap_count
            else f"The t-test finds {t_test_count} of {total} differences significant, the "
            f"bootstrap over rankings {bootstrap_count}, and the bootstrap over systems "
            f"{system_count}.",
        ]
    )
