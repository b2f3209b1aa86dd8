"""Confidence intervals, p-values, corrections for multiple comparisons, and clusters.

The plain bootstrap is too optimistic for few segments. Samples of n segments vary less than new
segments would: by √((n − 1)/n), and with the tails of a normal instead of a t distribution. Below
about 50 segments, this makes p-values too small and intervals too short.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal, localcontext
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.stats.sampling import PAIRED_TESTS

Floats = npt.NDArray[np.float64]
FEW_SEGMENTS = 20  # up to this number, all exchanges are tried and intervals are expanded
SEGMENTS_PER_BLOCK = 14  # 2^14 exchanges are held in memory at a time
# A tail probability of Student's t is a power times a continued fraction. In floating point, the
# power alone loses three digits in far tails, so decimal numbers with more digits than a float are
# used. They take a tenth of a millisecond to a millisecond per value.
T_CONTEXT = Context(prec=30)
T_PRECISION = Decimal("1e-28")
T_LAST_STEP = Decimal("1e-14")  # Newton's method doubles the number of right digits with each step
PI = Decimal("3.14159265358979323846264338327950288")
HALF = Decimal("0.5")


def percentile_interval(values: Floats, level: float) -> tuple[float, float]:
    """Return the percentile interval that holds the middle ``level`` of the samples.

    >>> percentile_interval(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def bootstrap_p(difference: float, sampled: Floats) -> float:
    """Two-sided p-value of a paired bootstrap test.

    p = (1 + #{samples : |Δ* − Δ| ≥ |Δ|}) / (1 + samples). The test assumes that differences vary
    around 0 under the null hypothesis as the samples vary around the observed difference Δ. Koehn
    (2004) counts on one side only how often the better system loses. The p-values of sacreBLEU's
    paired bootstrap are also only a third to a half of these.

    >>> bootstrap_p(1.0, np.array([0.9, 1.0, 2.5]))
    0.5
    """
    beyond = int(np.count_nonzero(at_least(np.abs(sampled - difference), abs(difference))))
    return (1 + beyond) / (1 + len(sampled))


def randomization_p(difference: float, sampled: Floats) -> float:
    """Two-sided p-value of a paired approximate randomization test.

    It is the share of random exchanges of segments after which the systems differ as much:
    p = (1 + #{samples : |Δ*| ≥ |Δ|}) / (1 + samples) (Riezler & Maxwell 2005).

    >>> randomization_p(1.0, np.array([0.5, -1.0, 0.2]))
    0.5
    """
    beyond = int(np.count_nonzero(at_least(np.abs(sampled), abs(difference))))
    return (1 + beyond) / (1 + len(sampled))


def williams_p(with_a: float, with_b: float, between: float, n: int) -> float:
    """Two-sided p-value of Williams' test for the difference of two dependent correlations.

    For n values, r₁ and r₂ are the correlations of a and b with a third variable, and r₁₂ is the
    correlation of a and b. With K = 1 − r₁² − r₂² − r₁₂² + 2 r₁ r₂ r₁₂,

        t = (r₁ − r₂) √((n − 1)(1 + r₁₂) / (2K (n − 1)/(n − 3) + (r₁ + r₂)²/4 · (1 − r₁₂)³))

    has n − 3 degrees of freedom (Williams 1959; for metrics, Graham & Baldwin 2014).

    Parameters
    ----------
    with_a, with_b : float
        r₁ and r₂.
    between : float
        r₁₂.
    n : int
        Number of values, at least 4.

    Examples
    --------
    >>> round(williams_p(0.9, 0.7, 0.6, 20), 4)
    0.0435
    """
    if n < 4:
        raise InputError(f"Williams' test needs at least 4 values, got {n}")
    k = 1 - with_a**2 - with_b**2 - between**2 + 2 * with_a * with_b * between
    mean = (with_a + with_b) / 2
    denominator = 2 * max(k, 0.0) * (n - 1) / (n - 3) + mean**2 * (1 - between) ** 3
    if denominator <= 0:  # a and b are the same
        return 1.0
    statistic = (with_a - with_b) * ((n - 1) * (1 + between) / denominator) ** 0.5
    return 2 * t_tail(abs(statistic), n - 3)


def sample_t_p(sampled: Floats) -> float:
    """Two-sided p-value of the t-test over bootstrap samples of Stanojević & Sima'an (2016).

    A paired test of whether the mean difference of the samples is 0. It treats samples as
    observations, so that with more samples any difference becomes significant. Use it only to
    reproduce their tables.

    >>> differences = np.array([0.01, -0.02, 0.03, 0.01])
    >>> sample_t_p(differences) > 0.4, sample_t_p(np.tile(differences, 100)) < 0.001
    (True, True)
    """
    spread = float(sampled.std(ddof=1)) if len(sampled) > 1 else 0.0
    if spread == 0:
        return 1.0 if float(sampled.mean()) == 0 else 0.0
    statistic = float(sampled.mean()) / (spread / len(sampled) ** 0.5)
    return 2 * t_tail(abs(statistic), len(sampled) - 1)


def at_least(numbers: Floats, bound: float) -> npt.NDArray[np.bool_]:
    """Compare with a tolerance, because the same segments may be added in another order."""
    return numbers >= bound - 1e-12 * max(1.0, bound)


def exact_exchange_p(aggregate: Callable[[Floats], Floats], a: Floats, b: Floats) -> float:
    """Two-sided p-value of the test that tries every exchange of segments between two systems.

    p is the share of exchanges after which the systems differ at least as much as they do. With n
    segments there are 2ⁿ⁻¹ distinct ones: an exchange and its complement differ only in the sign of
    the difference.

    Parameters
    ----------
    aggregate : callable
        Returns values from summed statistics, along the last axis.
    a, b : array of shape (segments, statistics)
        Statistics of the two systems.

    Examples
    --------
    Of the four exchanges, only none at all leaves a difference of 6:

    >>> a, b = np.array([[1.0], [2.0], [3.0]]), np.zeros((3, 1))
    >>> exact_exchange_p(lambda sums: sums[..., 0], a, b)
    0.25
    """
    sums_a, sums_b = a.sum(axis=0), b.sum(axis=0)
    difference = abs(float(aggregate(sums_a) - aggregate(sums_b)))
    changes = (b - a)[(a != b).any(axis=1)]  # an exchange of equal segments changes nothing
    if not len(changes):
        return 1.0
    inner = _subset_sums(changes[1 : SEGMENTS_PER_BLOCK + 1])
    outer = _subset_sums(changes[SEGMENTS_PER_BLOCK + 1 :])
    beyond = 0
    for offset in outer:
        moved = inner + offset
        found = aggregate(sums_a + moved) - aggregate(sums_b - moved)
        beyond += int(np.count_nonzero(at_least(np.abs(found), difference)))
    return beyond / (len(inner) * len(outer))


def _subset_sums(rows: Floats) -> Floats:
    """Return the sum of each subset of the rows."""
    sums = np.zeros((1, rows.shape[1]))
    for row in rows:
        sums = np.concatenate([sums, sums + row])
    return sums


def least_p_test(method: str, segments: int) -> str | None:
    """Return the test whose p is the least that ``method`` gives; None if there is none.

    Up to 20 segments it is the exact test, :func:`exact_exchange_p`. Up to 50, a bootstrap p is at
    least that of the randomization test with the same number of samples.
    """
    if segments <= FEW_SEGMENTS:
        return "exact"
    return "randomization" if segments <= PAIRED_TESTS.find(method).exchange_up_to else None


def fewest_segments(level: float, pairs: int = 1) -> int:
    """Return how many segments one of ``pairs`` needs to be significant at 1 − ``level``.

    With n segments, p of the exact test is at least 2¹⁻ⁿ, and a correction multiplies it by the
    number of pairs. Intervals need as many segments as a single pair.

    >>> fewest_segments(0.95), fewest_segments(0.95, pairs=136)
    (6, 13)
    """
    n = 1
    while pairs * 2.0 ** (1 - n) >= round(1 - level, 12):
        n += 1
    return n


def bootstrap_interval(
    sampled: Floats, level: float, segments: int
) -> tuple[float | None, float | None]:
    """Return the confidence interval of bootstrap samples of ``segments`` segments.

    It is the percentile interval, which is expanded for few segments: the tails are cut off at the
    normal quantile √(n/(n − 1)) · t, where t is the quantile of the t distribution with n − 1
    degrees of freedom (Hesterberg 2015). There is none, (None, None), for fewer
    segments than :func:`fewest_segments`.

    >>> samples = np.arange(1001.0)
    >>> [round(bound) for bound in bootstrap_interval(samples, 0.95, segments=100)]
    [25, 975]
    >>> [round(bound) for bound in bootstrap_interval(samples, 0.95, segments=10)]
    [9, 991]
    >>> bootstrap_interval(samples, 0.95, segments=5)
    (None, None)
    """
    if segments < fewest_segments(level):
        return None, None
    if segments <= FEW_SEGMENTS:
        level = expanded_level(level, segments)
    return percentile_interval(sampled, level)


def expanded_level(level: float, segments: int) -> float:
    """Return the level of the percentile interval that stands for ``level`` with few segments."""
    quantile = t_quantile((1 + level) / 2, segments - 1)
    normal_quantile = (segments / (segments - 1)) ** 0.5 * quantile
    return math.erf(normal_quantile / math.sqrt(2))  # the normal probability within ± the quantile


def interval_method(level: float, segments: int) -> str | None:
    """Return the name of the method of :func:`bootstrap_interval`; None if there is no interval."""
    if segments < fewest_segments(level):
        return None
    return "expanded percentile" if segments <= FEW_SEGMENTS else "percentile"


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for multiple comparisons (Holm 1979).

    The smallest of m p-values is multiplied by m, the next by m − 1, and so on. A corrected value
    is never below the previous one and never above 1.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(p_values)
    floor = 0.0
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    for rank, k in enumerate(order):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[k]))
        corrected[k] = floor
    return corrected


def clusters(better: npt.NDArray[np.bool_]) -> list[int]:
    """Group systems into clusters as WMT does.

    A new cluster begins where each system above is significantly better than each system below.

    Parameters
    ----------
    better : array of bool, shape (systems, systems)
        Whether system i is significantly better than system j; the best system first.

    Returns
    -------
    list of int
        The cluster of each system, from 1.

    Examples
    --------

    >>> clusters(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], bool))
    [1, 1, 2]
    """
    numbers = []
    number = 1
    for k in range(len(better)):
        if k > 0 and better[:k, k:].all():
            number += 1
        numbers.append(number)
    return numbers


def successive_clusters(better: npt.NDArray[np.bool_]) -> list[int]:
    """Group systems into clusters whose every system is better than the first of the next one.

    Unlike :func:`clusters`, this asks nothing of later systems, since outcomes of comparisons need
    not be transitive.

    >>> successive_clusters(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], bool))
    [1, 2, 2]
    """
    numbers: list[int] = []
    number = 1
    first = 0  # of the cluster
    for k in range(len(better)):
        if k > first and better[first:k, k].all():
            number, first = number + 1, k
        numbers.append(number)
    return numbers


def rank_ranges(better: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the range of ranks of each system.

    It begins at 1 + the number of systems that are significantly better, and ends at the number of
    systems that are not significantly worse. ``better`` is as for :func:`clusters`.

    >>> rank_ranges(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], bool))
    [(1, 2), (1, 2), (3, 3)]
    """
    better_systems, worse_systems = better.sum(axis=0), better.sum(axis=1)
    return [
        (1 + int(above), len(better) - int(below))
        for above, below in zip(better_systems, worse_systems, strict=True)
    ]


def t_tail(t: float, degrees: int) -> float:
    """Return the probability that a t-distributed number is greater than ``t``.

    Parameters
    ----------
    t : float
        At least 0, or NaN.
    degrees : int
        Degrees of freedom, at least 1.

    Returns
    -------
    float
        NaN if ``t`` is.

    Examples
    --------
    >>> t_tail(2.0, 2), t_tail(40.0, 1000)
    (0.09175170953613698, 5.2394260775866807e-210)
    """
    if not math.isfinite(t):
        return math.nan if math.isnan(t) else 0.0
    with localcontext(T_CONTEXT):
        return float(_tail(Decimal(t), degrees))


@lru_cache
def t_quantile(probability: float, degrees: int) -> float:
    """Return the number that a t-distributed number exceeds with probability 1 − ``probability``.

    Parameters
    ----------
    probability : float
        At least 0.5 and less than 1.
    degrees : int
        Degrees of freedom, at least 1.

    Examples
    --------
    >>> t_quantile(0.975, 1), t_quantile(0.975, 19)
    (12.706204736174694, 2.093024054408309)
    """
    with localcontext(T_CONTEXT):
        target = 1 - Decimal(probability)
        t = Decimal(0)
        # The tail is convex, so Newton's method from 0 rises to the quantile and never passes it.
        while True:
            step = (_tail(t, degrees) - target) / _density(t, degrees)
            t += step
            if step <= t * T_LAST_STEP:
                return float(t)


def _tail(t: Decimal, degrees: int) -> Decimal:
    """Return P(T > t) = ½ I_x(degrees/2, ½), where x = degrees / (degrees + t²)."""
    square, half_degrees = t * t, Decimal(degrees) / 2
    power = t * _density(t, degrees)
    if square * (degrees + 2) > 3 * degrees:
        x = degrees / (degrees + square)
        return power * _beta_fraction(x, half_degrees, HALF) / degrees
    # The continued fraction converges slowly here, and that of I_{1 − x}(½, degrees/2) fast.
    return HALF - power * _beta_fraction(square / (degrees + square), HALF, half_degrees)


def _density(t: Decimal, degrees: int) -> Decimal:
    total = degrees + t * t
    return (degrees / total) ** (Decimal(degrees) / 2) / (total.sqrt() * _beta_half(degrees))


@lru_cache
def _beta_half(degrees: int) -> Decimal:
    """Return the beta function B(degrees/2, ½), from B(½, ½) = π or B(1, ½) = 2."""
    beta = PI if degrees % 2 else Decimal(2)
    for k in range(2 - degrees % 2, degrees, 2):
        beta = beta * k / (k + 1)
    return beta


def _beta_fraction(x: Decimal, a: Decimal, b: Decimal) -> Decimal:
    """Return the continued fraction 1 / (1 + d₁ / (1 + d₂ / …)) of the incomplete beta function.

    I_x(a, b) is xᵃ (1 − x)ᵇ / (a B(a, b)) times this fraction (NIST Digital Library of
    Mathematical Functions, 8.17.22). Steed's algorithm adds the changes from each convergent to
    the next one.
    """
    denominator = value = change = Decimal(1)
    m = 0
    while abs(change) > value * T_PRECISION:
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        for coefficient in (odd, even):
            denominator = 1 / (1 + coefficient * denominator)
            change *= denominator - 1
            value += change
    return value
