"""Simulations: p is uniform for equal systems, and intervals cover the true value."""

from __future__ import annotations

import math
import random
import statistics

import numpy as np
import pytest
from scipy import stats

from hyperbaton.comparison.comparing import compare
from hyperbaton.comparison.results import Comparison


def simulated(rng: random.Random, count: int) -> tuple[dict[str, list[str]], list[str]]:
    """Two systems with the same error rate, which is higher in long segments."""
    lines = [["a"] * rng.randint(2, 20) for _ in range(count)]
    systems = {
        name: [
            " ".join("b" if rng.random() < len(line) / 60 else "a" for _ in line) for line in lines
        ]
        for name in ("one", "other")
    }
    return systems, [" ".join(line) for line in lines]


# All lengths from 2 to 20 are equally likely: Σ n·n/60 / Σ n.
TRUE_WER = sum(n * n / 60 for n in range(2, 21)) / sum(range(2, 21))


@pytest.fixture(scope="module")
def simulations() -> dict[str, list[Comparison]]:
    """Comparisons of 150 pairs of equal systems, by method."""
    rng = random.Random(8)
    comparisons: dict[str, list[Comparison]] = {"bootstrap": [], "randomization": []}
    for k in range(150):
        systems, references = simulated(rng, 80)
        for method, compared in comparisons.items():
            compared.append(
                compare(systems, references, ["wer:tok=none"], method=method, samples=300, seed=k)
            )
    return comparisons


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_p_is_uniform_for_equal_systems(
    method: str, simulations: dict[str, list[Comparison]]
) -> None:
    found = [pair.differences[0].p for pair in simulations[method]]
    assert stats.kstest(found, "uniform").pvalue > 0.02
    assert abs(np.mean([p < 0.1 for p in found]) - 0.1) < 3 * math.sqrt(0.1 * 0.9 / 150)


def test_intervals_cover_the_true_error_rate(simulations: dict[str, list[Comparison]]) -> None:
    bounds = [
        (score.lower, score.upper, statistics.fmean(score.segments.tolist()))
        for comparison in simulations["bootstrap"]
        for score in (comparison.results[0]["wer:tok=none"],)
    ]
    assert 0.89 < np.mean([low <= TRUE_WER <= high for low, high, _ in bounds]) < 0.985  # type: ignore[operator]
    # The mean over segments ignores their lengths, and is a different number.
    assert np.mean([mean for _, _, mean in bounds]) < 0.85 * TRUE_WER
    differences = [comparison.differences[0] for comparison in simulations["bootstrap"]]
    covered = [pair.lower <= 0 <= pair.upper for pair in differences]  # type: ignore[operator]
    assert 0.89 < np.mean(covered) < 0.985
