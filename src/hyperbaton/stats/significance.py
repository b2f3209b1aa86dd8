"""Confidence intervals, p-values, corrections for multiple comparisons, and clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.stats.student_t import t_tail

Floats = npt.NDArray[np.float64]


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
