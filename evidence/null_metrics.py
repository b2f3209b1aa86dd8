"""How often tests of ``meta`` find a difference between metrics that agree equally with people.

``python -m evidence.null_metrics`` prints the table of docs/meta-evaluation.md. It does not belong
to docs/evidence.md, since all scores are simulated. People and both metrics see the quality of a
translation, which is the sum of a part of its system, a part of its segment and a part of its own.
Each adds errors of the same size to it. A share of the variance of a metric's errors is common to
all translations of a segment or of a system, as if the metric misjudged some of these as a whole.
The two metrics have the same distribution, so that every significant difference is a false
positive.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import hyperbaton as hb
from hyperbaton.meta import agreement
from hyperbaton.meta.evaluation import evaluate_test_sets
from hyperbaton.meta.plan import EXCHANGES, Plan
from hyperbaton.meta.testsets import TestSet
from hyperbaton.runs.run import Run
from hyperbaton.stats.sampling import Sampling

ALPHA = 0.05


class Design(NamedTuple):
    """What is compared: the measure of agreement, and the size of the test sets."""

    measure: str
    systems: int
    segments: int
    shared_by: str  # what a metric's errors are shared by: segments or systems


class SignificanceTest(NamedTuple):
    """A significance test, and what it exchanges if it is the permutation test."""

    test: str
    exchange: str = EXCHANGES[0]


SEGMENT_LEVEL = Design("pearson", 10, 40, "segments")
SYSTEM_LEVEL = Design("pearson_sys", 10, 100, "systems")
SHARES = {SEGMENT_LEVEL: (0.0, 0.3, 0.7), SYSTEM_LEVEL: (0.0, 0.01, 0.03, 0.1)}


def simulated_set(design: Design, shared: float, rng: np.random.Generator) -> TestSet:
    """Return human scores and those of two equal metrics.

    Parameters
    ----------
    design : Design
    shared : float
        The share of the variance of a metric's errors that translations share.
    rng : Generator
    """
    shape = (design.systems, design.segments)
    names = tuple(f"s{k}" for k in range(design.systems))
    quality = (
        rng.normal(0, 0.5, (design.systems, 1))
        + rng.normal(0, 0.5, (1, design.segments))
        + rng.normal(size=shape)
    )

    def judge(share: float) -> hb.Scores:
        by_segment = design.shared_by == "segments"
        units = (1, design.segments) if by_segment else (design.systems, 1)
        errors = share**0.5 * rng.normal(size=units)
        errors = errors + (1 - share) ** 0.5 * rng.normal(size=shape)
        return hb.Scores(names, quality + errors)

    texts = {name: [""] * design.segments for name in names}
    metrics = {"a": judge(shared), "b": judge(shared)}
    references = [[""]] * design.segments
    return TestSet("simulated", texts, references, segments=judge(0.0), others=metrics)


def false_positives(
    design: Design,
    shared: float,
    tests: Sequence[SignificanceTest],
    count: int,
    samples: int,
    seed: int = 1,
) -> list[float]:
    """Return the share of simulated test sets on which each test finds a difference."""
    rng = np.random.default_rng(seed)
    found = np.zeros((count, len(tests)), np.bool_)
    for number, row in enumerate(found):
        test_set = simulated_set(design, shared, rng)
        for k, (test, exchange) in enumerate(tests):
            plan = Plan(
                agreement.get(design.measure),
                Sampling(samples=samples, seed=number, level=1 - ALPHA, threads=1),
                test=test,
                exchange=exchange,
            )
            (difference,) = evaluate_test_sets([test_set], Run({}), plan).differences
            row[k] = difference.better is not None
    return [float(rate) for rate in found.mean(axis=0)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2000, help="number of simulated test sets")
    parser.add_argument("--samples", type=int, default=500)
    options = parser.parse_args()
    tests = {
        "permutation of segments": SignificanceTest("permutation"),
        "permutation of scores": SignificanceTest("permutation", "scores"),
        "bootstrap": SignificanceTest("bootstrap"),
        "williams": SignificanceTest("williams"),
    }
    print("| measure | errors shared | " + " | ".join(tests) + " |")
    print("|---|---:|" + "---:|" * len(tests))
    for design, shares in SHARES.items():
        for shared in shares:
            rates = false_positives(
                design, shared, list(tests.values()), options.sets, options.samples
            )
            cells = " | ".join(f"{rate:.3f}" for rate in rates)
            print(
                f"| {design.measure} | {shared:.0%} by {design.shared_by} | {cells} |", flush=True
            )


if __name__ == "__main__":
    main()
