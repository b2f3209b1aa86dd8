"""Simulations: p is uniform for equal systems, and intervals cover the true value."""

from __future__ import annotations

import math
import random
import statistics

import numpy as np
import pytest
from evidence.null_systems import (
    TRUE_ERROR_RATE,
    coverage,
    false_positives,
    p_values,
    plain_p_values,
    simulated_pairs,
    simulated_texts,
)
from scipy import stats

from hyperbaton.runs.comparing import Comparison, compare


@pytest.fixture(scope="module")
def simulations() -> dict[str, list[Comparison]]:
    """Comparisons of 150 pairs of equal systems, by method."""
    rng = random.Random(8)
    comparisons: dict[str, list[Comparison]] = {"bootstrap": [], "randomization": []}
    for k in range(150):
        (one, other), references = simulated_texts(rng, 80)
        systems = {"one": one, "other": other}
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
    assert 0.89 < np.mean([low <= TRUE_ERROR_RATE <= high for low, high, _ in bounds]) < 0.985  # type: ignore[operator]
    # The mean over segments ignores their lengths, and is a different number.
    assert np.mean([mean for _, _, mean in bounds]) < 0.85 * TRUE_ERROR_RATE
    differences = [comparison.differences[0] for comparison in simulations["bootstrap"]]
    covered = [pair.lower <= 0 <= pair.upper for pair in differences]  # type: ignore[operator]
    assert 0.89 < np.mean(covered) < 0.985


# Numbers of segments, and of pairs of equal systems for each.
FEW = {1: 300, 2: 300, 3: 300, 5: 300, 8: 300, 10: 300, 14: 200, 17: 100}
MORE = {21: 400, 30: 400, 50: 400}


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("pairs_by_segments", [FEW, MORE])
def test_false_positives_with_few_segments(method: str, pairs_by_segments: dict[int, int]) -> None:
    """At most 0.06 of equal systems differ significantly at 0.05, plus three standard errors."""
    rates = []
    for segments, count in pairs_by_segments.items():
        pairs = simulated_pairs(count, segments, seed=segments)
        rates.append(false_positives(p_values(pairs, 300, method)))
        assert rates[-1] <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / count), segments
    counts = list(pairs_by_segments.values())
    assert np.average(rates, weights=counts) <= 0.06 + math.sqrt(0.06 * 0.94 / sum(counts))


def test_the_plain_bootstrap_fails_this_test() -> None:
    """Without the exchange test, there are too many false positives."""
    rates = {
        segments: false_positives(plain_p_values(simulated_pairs(300, segments, segments), 300))
        for segments in (1, 2, 5, 10)
    }
    assert rates[1] > 0.6
    assert rates[2] > 0.12
    assert min(rates.values()) > 0.06 + 1.5 * math.sqrt(0.06 * 0.94 / 300)


def test_expanded_intervals_cover_better() -> None:
    """By 0.95, as far as 300 pairs can show; the plain percentile interval is too short."""
    plain, expanded, *_ = coverage(simulated_pairs(300, 8, seed=3), 300)
    assert plain < 0.92
    assert 0.95 - 3 * math.sqrt(0.95 * 0.05 / 300) < expanded < 0.985
