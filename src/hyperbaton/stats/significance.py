"""What samples say: intervals, p-values, corrections, clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

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
