"""The exact test and the expanded intervals of few segments."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from hyperbaton.stats import significance
from reference import resampling as reference

# Darwin's maize: cross-fertilised minus self-fertilised plants, in eighths of an inch. Fisher
# (1935, section 21) counts 863 of 32,768 exchanges with a sum of 314 or more, and as many of -314
# or less.
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def test_fisher() -> None:
    rows = np.array(DARWIN, np.float64)[:, None]
    p = significance.exact_exchange_p(lambda sums: sums[..., 0], rows, np.zeros_like(rows))
    assert p == float(Fraction(2 * 863, 32768))


def ratio(rows: list[list[float]]) -> float:
    """The first statistic over the second, which is no mean of the segments."""
    return sum(row[0] for row in rows) / sum(row[1] for row in rows)


@pytest.mark.parametrize("block", [1, 2, 14])
def test_exact_test_equals_the_twin(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in several blocks of exchanges, and where some segments are equal."""
    monkeypatch.setattr(significance, "SEGMENTS_PER_BLOCK", block)
    rng = random.Random(block)
    found = set()
    for n in [1, 1, 2, 2, 3, 4, 5, 6, 7, 8] * 3:
        a, b = (
            [[float(rng.randint(0, 4)), float(rng.randint(3, 6))] for _ in range(n)] for _ in "ab"
        )
        for k in rng.sample(range(n), rng.randint(0, n // 2)):
            b[k] = a[k]
        p = significance.exact_exchange_p(
            lambda sums: sums[..., 0] / sums[..., 1], np.array(a, float), np.array(b, float)
        )
        assert p == float(reference.exact_exchange_p(ratio, a, b))
        found.add(p)
    assert len(found) > 5


def test_equal_systems_have_p_1() -> None:
    rows = np.ones((3, 2))
    assert significance.exact_exchange_p(lambda sums: sums[..., 0], rows, rows.copy()) == 1


@pytest.mark.parametrize(
    ("share", "freedom", "expected"), [(0.975, 9, 2.262), (0.95, 5, 2.015), (0.995, 19, 2.861)]
)
def test_quantiles_of_the_twin(share: float, freedom: int, expected: float) -> None:
    """Student's table, as it is printed in textbooks."""
    assert reference.t_quantile(share, freedom) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("n", [6, 10, 20])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_expanded_interval_equals_the_twin(n: int, level: float) -> None:
    rng = random.Random(n)
    values = [rng.gauss(0, 1) for _ in range(500)]
    found = significance.bootstrap_interval(np.array(values), level, n)
    assert found == pytest.approx(reference.expanded_interval(values, level, n), abs=1e-6)
    plain = reference.interval(values, level)
    assert found[0] < plain[0] < plain[1] < found[1]  # type: ignore[operator]
    many = significance.bootstrap_interval(np.array(values), level, 21)
    assert many == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.99999])
def test_expanded_level_is_that_of_scipy(level: float) -> None:
    for n in range(significance.fewest_segments(level), significance.FEW_SEGMENTS + 1):
        bound = (n / (n - 1)) ** 0.5 * stats.t.ppf((1 + level) / 2, n - 1)
        expected = stats.norm.cdf(bound) - stats.norm.cdf(-bound)
        assert significance.expanded_level(level, n) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("pairs", [1, 3, 136])
def test_fewest_segments(level: float, pairs: int) -> None:
    """The least p of the twin, where one system wins every segment, must be below 1 − level."""
    needed = significance.fewest_segments(level, pairs)
    least = [
        pairs * reference.exact_exchange_p(sum, [1] * n, [0] * n)
        for n in range(1, min(needed, 12) + 1)
    ]
    alpha = Fraction(str(round(1 - level, 6)))
    assert all(p >= alpha for p in least[: needed - 1])
    assert needed > 12 or least[needed - 1] < alpha


@pytest.mark.parametrize(
    ("n", "least", "interval"),
    [
        (1, "exact", None),
        (5, "exact", None),
        (6, "exact", "expanded percentile"),
        (20, "exact", "expanded percentile"),
        (21, "randomization", "percentile"),
        (50, "randomization", "percentile"),
        (51, None, "percentile"),
    ],
)
def test_names_of_the_methods(n: int, least: str | None, interval: str | None) -> None:
    assert significance.least_p_test("bootstrap", n) == least
    assert significance.least_p_test("randomization", n) == ("exact" if n <= 20 else None)
    assert significance.interval_method(0.95, n) == interval
