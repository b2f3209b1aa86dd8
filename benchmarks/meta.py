"""Sentence-level τ of many metrics with bootstrap intervals, compared with SciPy.

This benchmark requires the sentences and judgements of HYPERBATON_DATA (wmt13/de-en). Prints
Markdown.
"""

from __future__ import annotations

import statistics
import subprocess
import sys

import numpy as np
import scipy.stats
from benchmarks.timing import print_header, print_table, require_data, seconds

from hyperbaton.meta import agreement
from hyperbaton.meta.agreement import sampled_agreements, score_differences
from hyperbaton.meta.evaluation import score_metrics
from hyperbaton.meta.judgements import Floats, Rankings
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.testsets import read_test_sets
from hyperbaton.metrics.metric import Resources
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.runs.run import Run
from hyperbaton.stats.resampling import bootstrap_counts

ORDERS = ("kendall", "spearman", "hamming", "fuzzy", "ulam", "pef", "pet")
METRICS = (
    *ORDERS,
    *(f"full:order={order}" for order in ORDERS),
    *("pet_size", "max_operator", "adjacency", "wer", "per", "cder"),
)
SAMPLES = 1000
LOOP_SAMPLES = 3  # samples on which SciPy's loop is timed: all would take minutes
ROUNDS = 5


def sample_taus(people: Rankings, scored: list[MetricScores], samples: int = SAMPLES) -> Floats:
    """Compute τ in all samples from segment scores."""
    sampled = agreement.get("tau").statistics(people, scored)
    counts = bootstrap_counts(sampled[0].units, samples, 1)
    return np.concatenate([sampled_agreements(sampled, batch, None) for batch in counts])


def loop_over_scipy(people: Rankings, scored: list[MetricScores], samples: int) -> Floats:
    """Call kendalltau for each sample and metric.

    With each pair in both directions and without ties, Kendall's τ_b of the signs by people and by
    the metric is (C − D) / (C + D).
    """
    pairs = people.expanded()
    order = np.argsort(pairs.segment, kind="stable")
    ends = np.cumsum(np.bincount(pairs.segment, minlength=pairs.n))
    by_segment = [part for part in np.split(order, ends[:-1]) if len(part)]
    rng = np.random.default_rng(1)
    values = np.zeros((samples, len(scored)))
    for s in range(samples):
        drawn = rng.integers(0, len(by_segment), len(by_segment))
        entries = np.concatenate([by_segment[k] for k in drawn])
        outcome = pairs.outcome[entries]
        for k, metric in enumerate(scored):
            sign = np.sign(score_differences(pairs, metric)[entries])
            decided = (sign != 0) & (outcome != 0)
            x, y = outcome[decided], sign[decided]
            signs = np.concatenate([x, -x]), np.concatenate([y, -y])
            values[s, k] = scipy.stats.kendalltau(*signs).statistic
    return values


def scipy_bootstrap(people: Rankings, scored: list[MetricScores]) -> None:
    """Call scipy.stats.bootstrap on our counts, metric by metric."""
    for sampled in agreement.get("tau").statistics(people, scored):
        kinds = sampled.table[:, 0]  # type: ignore[attr-defined]
        scipy.stats.bootstrap(
            (kinds[:, 0], kinds[:, 1]),
            lambda c, d, axis: (c.sum(axis) - d.sum(axis)) / (c.sum(axis) + d.sum(axis)),
            n_resamples=SAMPLES,
            batch=100,
            vectorized=True,
            paired=True,
            method="percentile",
            rng=np.random.default_rng(1),
        )


def peak_memory(samples: int) -> float:
    """Return the peak memory of a separate process, in MB."""
    code = (
        "import re, sys\n"
        "from benchmarks.meta import sample_taus\n"
        "import numpy as np\n"
        "from hyperbaton.meta.judgements import Rankings, Scores\n"
        "from hyperbaton.meta.metric_scores import MetricScores\n"
        "rng = np.random.default_rng(1)\n"
        "systems = [str(k) for k in range(17)]\n"
        "n, m = 3000, 128668\n"
        "a = rng.integers(0, 17, m)\n"
        "b = (a + rng.integers(1, 17, m)) % 17\n"
        "people = Rankings.from_pairs(systems, rng.integers(0, n, m), a, b, n)\n"
        "scored = [MetricScores.from_external(str(k), Scores(systems, rng.random((17, n))))\n"
        "          for k in range(20)]\n"
        f"sample_taus(people, scored, {samples})\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


def main() -> None:
    print_header()
    data = require_data()
    (test_set,) = read_test_sets(data / "wmt13" / "de-en")
    people = test_set.rankings
    assert people is not None
    scored = score_metrics(test_set, Run(metrics_by_spec(METRICS, Resources("en"))))
    values = sample_taus(people, scored)
    np.testing.assert_allclose(
        values.mean(axis=0), loop_over_scipy(people, scored, 30).mean(axis=0), atol=0.02
    )
    rounds = [
        (
            seconds(lambda: sample_taus(people, scored)),
            seconds(lambda: loop_over_scipy(people, scored, LOOP_SAMPLES)) * SAMPLES / LOOP_SAMPLES,
            seconds(lambda: scipy_bootstrap(people, scored)),
        )
        for _ in range(ROUNDS)
    ]
    mine, loop, factored = (statistics.median(times) for times in zip(*rounds, strict=True))
    ratios = [statistics.median(r[k] / r[0] for r in rounds) for k in (1, 2)]
    print_table(
        f"τ of {len(METRICS)} metrics over {people.judgements:,} judgements, {SAMPLES:,} samples",
        ["ours", "peer", "peer's time", "ratio"],
        [
            [
                f"{mine:.2f} s",
                f"a loop over `scipy.stats.kendalltau` ({LOOP_SAMPLES} samples, scaled)",
                f"{loop:,.0f} s",
                f"{ratios[0]:,.0f} ×",
            ],
            [
                f"{mine:.2f} s",
                "`scipy.stats.bootstrap` on our counts",
                f"{factored:.2f} s",
                f"{ratios[1]:.1f} ×",
            ],
        ],
    )
    sizes = (100, 1_000, 10_000)
    rows = [[f"{samples:,}", f"{peak_memory(samples):,.0f} MB"] for samples in sizes]
    print_table(
        "Peak memory of a process, 20 metrics, 128,668 judgements", ["samples", "memory"], rows
    )


if __name__ == "__main__":
    main()
