"""Student's t distribution, against mpmath, SciPy and printed tables."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from hyperbaton.stats.significance import t_quantile, t_tail

DEGREES = [*range(1, 21), 49, 96, 299, 999, 1000, 9999]
LEVELS = [0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.999998]


def exact_tail(t: float | mpmath.mpf, degrees: int) -> mpmath.mpf:
    x = degrees / (degrees + mpmath.mpf(t) ** 2)
    half = mpmath.mpf(1) / 2
    return mpmath.betainc(half * degrees, half, 0, x, regularized=True) / 2


def statistics_for(degrees: int) -> list[float]:
    """Statistics from the middle to beyond the last tail that a float can express."""
    turning_point = math.sqrt(3 * degrees / (degrees + 2))  # where another formula takes over
    around = [turning_point, math.nextafter(turning_point, 0), math.nextafter(turning_point, 9)]
    return [*np.linspace(0, 6, 25).tolist(), *np.geomspace(1e-12, 1e12, 25).tolist(), *around]


@pytest.mark.parametrize("degrees", DEGREES)
def test_tails_are_right_to_the_last_bit(degrees: int) -> None:
    with mpmath.workdps(50):
        for t in statistics_for(degrees):
            assert t_tail(t, degrees) == float(exact_tail(t, degrees)), t


def test_tails_are_those_of_scipy() -> None:
    """Up to the error of SciPy, which loses three digits in far tails."""
    for degrees in DEGREES:
        t = np.geomspace(0.01, 60, 40)
        expected = stats.t.sf(t, degrees)
        found = [t_tail(float(value), degrees) for value in t]
        np.testing.assert_allclose(found, expected, rtol=2e-13, atol=1e-305)


def test_many_degrees_of_freedom() -> None:
    """As many as there are bootstrap samples."""
    for t in (0.3, 1.7, 1.8, 2.5, 12.0):
        assert t_tail(t, 100_000) == pytest.approx(stats.t.sf(t, 100_000), rel=2e-13)
        assert t_tail(t, 100_000) == pytest.approx(stats.norm.sf(t), rel=0.1)


def test_special_statistics() -> None:
    assert t_tail(0.0, 3) == 0.5
    assert t_tail(5e-324, 3) == 0.5
    assert t_tail(math.inf, 3) == 0
    assert t_tail(1e308, 1_000) == 0
    assert t_tail(1e300, 1) == pytest.approx(1 / (math.pi * 1e300), rel=1e-15)
    assert math.isnan(t_tail(math.nan, 3))


@pytest.mark.parametrize("degrees", range(1, 20))
def test_quantiles_are_right_to_the_last_bit(degrees: int) -> None:
    """The exact quantile is nearer to the float than to each of its neighbours."""
    with mpmath.workdps(50):
        for level in LEVELS:
            probability = (1 + level) / 2
            t = t_quantile(probability, degrees)
            below, above = ((mpmath.mpf(t) + math.nextafter(t, end)) / 2 for end in (0.0, math.inf))
            tail = 1 - mpmath.mpf(probability)
            assert exact_tail(above, degrees) <= tail <= exact_tail(below, degrees), level


def test_quantiles_are_those_of_scipy() -> None:
    for degrees in range(1, 20):
        probabilities = [(1 + level) / 2 for level in LEVELS]
        found = [t_quantile(probability, degrees) for probability in probabilities]
        np.testing.assert_allclose(found, stats.t.ppf(probabilities, degrees), rtol=3e-14)


# Percentage points of the t distribution as textbooks print them, e.g. Fisher & Yates, table III.
@pytest.mark.parametrize(
    ("degrees", "printed"),
    [
        (1, [6.314, 12.706, 31.821, 63.657]),
        (2, [2.920, 4.303, 6.965, 9.925]),
        (5, [2.015, 2.571, 3.365, 4.032]),
        (9, [1.833, 2.262, 2.821, 3.250]),
        (19, [1.729, 2.093, 2.539, 2.861]),
        (30, [1.697, 2.042, 2.457, 2.750]),
        (120, [1.658, 1.980, 2.358, 2.617]),
    ],
)
def test_quantiles_are_those_of_the_printed_table(degrees: int, printed: list[float]) -> None:
    probabilities = [0.95, 0.975, 0.99, 0.995]
    assert [round(t_quantile(p, degrees), 3) for p in probabilities] == printed


def test_the_median_is_0() -> None:
    assert t_quantile(0.5, 4) == 0
