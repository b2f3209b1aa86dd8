"""What samples say: intervals, p-values, corrections, clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError

Floats = npt.NDArray[np.float64]


def percentile_interval(values: Floats, level: float) -> tuple[float, float]:
    """Between which numbers the middle ``level`` of the samples are.

    >>> percentile_interval(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def bootstrap_p(difference: float, sampled: Floats) -> float:
    """How often samples are as far from the difference found as that is from 0; two-sided.

    p = (1 + #{samples : |Δ* − Δ| ≥ |Δ|}) / (1 + samples): the spread of the samples around the
    difference found is taken for the spread of differences around 0 if there were none. Koehn
    (2004) counts on one side only how often the better system loses; sacreBLEU's paired
    bootstrap, too, has only a third to a half of this p.

    >>> bootstrap_p(1.0, np.array([0.9, 1.0, 2.5]))
    0.5
    """
    beyond = int(np.count_nonzero(_at_least(np.abs(sampled - difference), abs(difference))))
    return (1 + beyond) / (1 + len(sampled))


def randomization_p(difference: float, sampled: Floats) -> float:
    """How often systems that exchange segments at random differ as much; two-sided.

    p = (1 + #{samples : |Δ*| ≥ |Δ|}) / (1 + samples) (Riezler & Maxwell 2005).

    >>> randomization_p(1.0, np.array([0.5, -1.0, 0.2]))
    0.5
    """
    beyond = int(np.count_nonzero(_at_least(np.abs(sampled), abs(difference))))
    return (1 + beyond) / (1 + len(sampled))


def williams_p(with_a: float, with_b: float, between: float, n: int) -> float:
    """Whether two variables correlate with a third to different degrees; two-sided.

    Of n values, r₁ and r₂ are the correlations of a and b with the third, and r₁₂ that of a and b.
    With K = 1 − r₁² − r₂² − r₁₂² + 2 r₁ r₂ r₁₂,

        t = (r₁ − r₂) √((n − 1)(1 + r₁₂) / (2K (n − 1)/(n − 3) + (r₁ + r₂)²/4 · (1 − r₁₂)³))

    has n − 3 degrees of freedom (Williams 1959; for metrics, Graham & Baldwin 2014).

    >>> round(williams_p(0.9, 0.7, 0.6, 20), 4)
    0.0435
    """
    from scipy.stats import t

    if n < 4:
        raise InputError(f"Williams' test needs 4 values, but there are {n}")
    k = 1 - with_a**2 - with_b**2 - between**2 + 2 * with_a * with_b * between
    mean = (with_a + with_b) / 2
    below = 2 * max(k, 0.0) * (n - 1) / (n - 3) + mean**2 * (1 - between) ** 3
    if below <= 0:  # a and b are the same
        return 1.0
    statistic = (with_a - with_b) * ((n - 1) * (1 + between) / below) ** 0.5
    return float(2 * t.sf(abs(statistic), n - 3))


def sample_t_p(sampled: Floats) -> float:
    """The t-test over bootstrap samples of Stanojević & Sima'an (2016); two-sided.

    A paired test of whether the mean of the samples' differences is 0. It takes samples for
    observations: with more samples any difference becomes significant, however few people were
    asked. For their tables only.

    >>> differences = np.array([0.01, -0.02, 0.03, 0.01])
    >>> sample_t_p(differences) > 0.4, sample_t_p(np.tile(differences, 100)) < 0.001
    (True, True)
    """
    from scipy.stats import t

    spread = float(sampled.std(ddof=1)) if len(sampled) > 1 else 0.0
    if spread == 0:
        return 1.0 if float(sampled.mean()) == 0 else 0.0
    statistic = float(sampled.mean()) / (spread / len(sampled) ** 0.5)
    return float(2 * t.sf(abs(statistic), len(sampled) - 1))


def _at_least(numbers: Floats, least: float) -> npt.NDArray[np.bool_]:
    """Equal but for rounding counts as equal: the same segments may be added in another order."""
    return numbers >= least - 1e-12 * max(1.0, least)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for how many there are (Holm 1979).

    The smallest of m is multiplied by m, the next by m − 1, and so on; none falls below the one
    before it, and none exceeds 1.

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
    """The cluster of each system, from 1; systems in order, the best first.

    ``better[i, j]`` says whether i is significantly better than j. A new cluster begins where
    each system above is significantly better than each one below, as WMT groups its systems.

    >>> clusters(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], bool))
    [1, 1, 2]
    """
    found = []
    number = 1
    for k in range(len(better)):
        if k > 0 and better[:k, k:].all():
            number += 1
        found.append(number)
    return found


def rank_ranges(better: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """From 1 + how many are significantly better, to how many are not significantly worse.

    >>> rank_ranges(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], bool))
    [(1, 2), (1, 2), (3, 3)]
    """
    above, below = better.sum(axis=0), better.sum(axis=1)
    return [(1 + int(a), len(better) - int(b)) for a, b in zip(above, below, strict=True)]
