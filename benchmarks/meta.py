"""Sentence-level τ of many metrics with bootstrap intervals, beside SciPy. Prints Markdown.

The sentences and judgements are those of HYPERBATON_DATA (wmt13/de-en), and there is nothing
without it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import scipy.stats
from benchmarks.timing import header, seconds, table

from hyperbaton.meta import agreement
from hyperbaton.meta.evaluation import score_test_set
from hyperbaton.meta.judgements import Floats, Rankings
from hyperbaton.meta.measures import differences
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.samples import bootstrapped
from hyperbaton.meta.testsets import read_test_sets
from hyperbaton.metrics.scoring import named_metrics
from hyperbaton.stats.resampling import bootstrap_counts

ORDERS = ("kendall", "spearman", "hamming", "fuzzy", "ulam", "pef", "pet")
METRICS = (
    *ORDERS,
    *(f"full:order={order}" for order in ORDERS),
    *("pet_size", "max_operator", "adjacency", "wer", "per", "cder"),
)
SAMPLES = 1000
LOOPED = 3  # samples that SciPy's loop is timed on: it would take minutes for all
ROUNDS = 5


def ours(people: Rankings, scored: list[MetricScores], samples: int = SAMPLES) -> Floats:
    """From scores of segments to the values in samples: all of it."""
    found = agreement.get("tau").sampled(people, scored)
    counts = bootstrap_counts(found[0].units, samples, 1)
    return np.concatenate([bootstrapped(found, part, None) for part in counts])


def looped(people: Rankings, scored: list[MetricScores], samples: int) -> Floats:
    """For each sample and metric, kendalltau of the judgements drawn.

    With each pair in both directions and ties left out, Kendall's τ_b of ±1 by people and ±1 by
    the metric is (C − D) / (C + D).
    """
    one = people.expanded()
    order = np.argsort(one.segment, kind="stable")
    ends = np.cumsum(np.bincount(one.segment, minlength=one.n))
    by_segment = [part for part in np.split(order, ends[:-1]) if len(part)]
    rng = np.random.default_rng(1)
    values = np.zeros((samples, len(scored)))
    for s in range(samples):
        drawn = rng.integers(0, len(by_segment), len(by_segment))
        entries = np.concatenate([by_segment[k] for k in drawn])
        outcome = one.outcome[entries]
        for k, metric in enumerate(scored):
            sign = np.sign(differences(one, metric)[entries])
            kept = (sign != 0) & (outcome != 0)
            x, y = outcome[kept], sign[kept]
            both = np.concatenate([x, -x]), np.concatenate([y, -y])
            values[s, k] = scipy.stats.kendalltau(*both).statistic
    return values


def counted(people: Rankings, scored: list[MetricScores]) -> None:
    """scipy.stats.bootstrap, of pairs that were counted for it, metric by metric."""
    for found in agreement.get("tau").sampled(people, scored):
        kinds = found.table[:, 0]  # type: ignore[attr-defined]
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


def memory(samples: int) -> float:
    """The most that a process of its own ever has, in MB."""
    code = (
        "import re, sys\n"
        "from benchmarks.meta import ours\n"
        "import numpy as np\n"
        "from hyperbaton.meta.judgements import Rankings, Scores\n"
        "from hyperbaton.meta.metric_scores import MetricScores\n"
        "rng = np.random.default_rng(1)\n"
        "systems = [str(k) for k in range(17)]\n"
        "n, m = 3000, 128668\n"
        "a = rng.integers(0, 17, m)\n"
        "b = (a + rng.integers(1, 17, m)) % 17\n"
        "people = Rankings.from_pairs(systems, rng.integers(0, n, m), a, b, n)\n"
        "scored = [MetricScores.of_scores(str(k), Scores(tuple(systems), rng.random((17, n))))\n"
        "          for k in range(20)]\n"
        f"ours(people, scored, {samples})\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


def main() -> None:
    header()
    data = os.environ.get("HYPERBATON_DATA")
    if not data:
        print("\nno HYPERBATON_DATA: there are no judgements")
        return
    (given,) = read_test_sets(Path(data, "wmt13", "de-en"))
    people = given.rankings
    assert people is not None
    scored = score_test_set(given, named_metrics(METRICS, "en"))
    values = ours(people, scored)
    np.testing.assert_allclose(
        values.mean(axis=0), looped(people, scored, 30).mean(axis=0), atol=0.02
    )
    rounds = [
        (
            seconds(lambda: ours(people, scored)),
            seconds(lambda: looped(people, scored, LOOPED)) * SAMPLES / LOOPED,
            seconds(lambda: counted(people, scored)),
        )
        for _ in range(ROUNDS)
    ]
    mine, loop, factored = (statistics.median(times) for times in zip(*rounds, strict=True))
    ratios = [statistics.median(r[k] / r[0] for r in rounds) for k in (1, 2)]
    table(
        f"τ of {len(METRICS)} metrics over {people.judgements:,} judgements, {SAMPLES:,} samples",
        ["ours", "peer", "its time", "ratio"],
        [
            [
                f"{mine:.2f} s",
                f"a loop over `scipy.stats.kendalltau` ({LOOPED} samples, scaled)",
                f"{loop:,.0f} s",
                f"{ratios[0]:,.0f} ×",
            ],
            [
                f"{mine:.2f} s",
                "`scipy.stats.bootstrap` of our counts",
                f"{factored:.2f} s",
                f"{ratios[1]:.1f} ×",
            ],
        ],
    )
    sizes = (100, 1_000, 10_000)
    rows = [[f"{samples:,}", f"{memory(samples):,.0f} MB"] for samples in sizes]
    table("Largest memory of a process, 20 metrics, 128,668 judgements", ["samples", ""], rows)


if __name__ == "__main__":
    main()
