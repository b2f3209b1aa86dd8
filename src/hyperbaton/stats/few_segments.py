"""Tests and intervals for few segments, where the plain bootstrap is too optimistic.

Bootstrap samples of n segments vary less than new segments would: by √((n − 1)/n), and with the
tails of a normal instead of a t distribution. Below about 50 segments, this makes p-values too
small and intervals too short.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from hyperbaton.stats.methods import PAIRED_TESTS
from hyperbaton.stats.significance import at_least, percentile_interval
from hyperbaton.stats.student_t import t_quantile

Floats = npt.NDArray[np.float64]
FEW_SEGMENTS = 20  # up to this number, all exchanges are tried and intervals are expanded
SEGMENTS_PER_BLOCK = 14  # 2^14 exchanges are held in memory at a time


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
