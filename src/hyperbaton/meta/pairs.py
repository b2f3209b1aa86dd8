"""Agreement of people and a metric on pairs of translations.

A pair is of one of five kinds: concordant (C), discordant (D), a tie of the metric only (M), a tie
of the people only (H), or a tie of both (B). The formulas take the numbers of pairs of each kind,
in this order along the last axis.
"""

from __future__ import annotations

import numpy as np

from hyperbaton.meta.arrays import Floats, Integers, ratio

PAIR_KINDS = 5


def classify_pairs(outcome: Integers, difference: Floats, threshold: float) -> Integers:
    """Return the kind of each pair: 0 for C, 1 for D, 2 for M, 3 for H, 4 for B.

    Parameters
    ----------
    outcome : array
        1, −1 or 0 for the preference of people.
    difference : array
        Difference of the two scores by the metric.
    threshold : float
        Differences up to this size are ties of the metric.

    >>> difference = np.array([0.2, -0.2, 0.0, 0.2, 0.0])
    >>> classify_pairs(np.array([1, 1, 1, 0, 0]), difference, 0.0).tolist()
    [0, 1, 2, 3, 4]
    """
    preference = np.where(abs(difference) <= threshold, 0, np.sign(difference)).astype(np.int64)
    product = preference * outcome
    decided = np.where(product > 0, 0, np.where(product < 0, 1, 2))
    return np.where(outcome != 0, decided, np.where(preference != 0, 3, 4))


def tie_threshold(
    outcome: Integers, difference: Floats, count: Integers, item: Integers | None = None
) -> float:
    """Return the tie threshold ε that maximises the accuracy (Deutsch et al. 2023).

    Differences up to ε count as ties of the metric. All differences that occur, and 0, are tried;
    the smallest of several best values is returned.

    Parameters
    ----------
    outcome, difference : array
        As for :func:`classify_pairs`.
    count : array
        How often each pair was judged.
    item : array, optional
        The segment of each pair, if the accuracy is averaged over segments.

    >>> tie_threshold(np.array([0, 1]), np.array([0.1, 0.2]), np.array([1, 1]))
    0.1
    """
    weights = count.astype(np.float64)
    if item is not None:
        weights = weights / np.bincount(item, weights)[item]
    order = np.argsort(abs(difference), kind="stable")
    steps = abs(difference[order])
    # The change in the number of correct pairs when a pair becomes a tie.
    correct = np.sign(difference) == outcome
    gain = (weights * ((outcome == 0).astype(np.int64) - correct))[order]
    gain[steps == 0] = 0
    last = np.flatnonzero(np.diff(steps, append=np.inf) != 0)
    gains = np.cumsum(gain)[last]
    best = int(np.argmax(gains)) if len(gains) else 0
    # A gain below 1e-9 is a rounding error.
    return float(steps[last][best]) if len(gains) and gains[best] > 1e-9 else 0.0


def tau(pairs: Floats) -> Floats:
    """Kendall's tau without ties, (C − D) / (C + D) (Stanojević & Sima'an 2014).

    Used at WMT13 (Macháček & Bojar 2013).

    >>> float(tau(np.array([6.0, 2, 1, 1, 0])))
    0.5
    """
    c, d, *_ = np.moveaxis(pairs, -1, 0)
    return ratio(np.stack([c - d, c + d], axis=-1))


def tau_wmt12(pairs: Floats) -> Floats:
    """(C − D − M) / (C + D + M): a tie of the metric is discordant (Callison-Burch et al. 2012).

    >>> float(tau_wmt12(np.array([6.0, 2, 2, 1, 0])))
    0.2
    """
    c, d, m, *_ = np.moveaxis(pairs, -1, 0)
    return ratio(np.stack([c - d - m, c + d + m], axis=-1))


def tau_wmt14(pairs: Floats) -> Floats:
    """(C − D) / (C + D + M): a tie of the metric counts as 0 (Macháček & Bojar 2014).

    >>> float(tau_wmt14(np.array([6.0, 2, 2, 1, 0])))
    0.4
    """
    c, d, m, *_ = np.moveaxis(pairs, -1, 0)
    return ratio(np.stack([c - d, c + d + m], axis=-1))


def consistency(pairs: Floats) -> Floats:
    """C / (C + D + M): a tie of the metric is wrong (Birch & Osborne 2010, in per cent).

    >>> float(consistency(np.array([6.0, 2, 2, 1, 0])))
    0.6
    """
    c, d, m, *_ = np.moveaxis(pairs, -1, 0)
    return ratio(np.stack([c, c + d + m], axis=-1))


def accuracy(pairs: Floats) -> Floats:
    """(C + B) / (C + D + M + H + B): correct ties count, too (Deutsch et al. 2023).

    >>> float(accuracy(np.array([6.0, 2, 0, 1, 1])))
    0.7
    """
    c, _, _, _, b = np.moveaxis(pairs, -1, 0)
    return ratio(np.stack([c + b, pairs.sum(axis=-1)], axis=-1))


def system_accuracy(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Share of pairs of systems that the metric orders as people do (Kocmi et al. 2021).

    Pairs to which people give equal scores do not count; a tie of the metric is wrong.

    Parameters
    ----------
    x, y : array
        Scores of systems, along the last axis, by the metric and by people.
    weights : array
        How often each system counts.

    >>> x, y = np.array([1.0, 2, 3]), np.array([1.0, 3, 2])
    >>> float(system_accuracy(x, y, np.ones(3)).round(4))
    0.6667
    """
    x_sign = np.sign(x[..., :, None] - x[..., None, :])
    y_sign = np.sign(y[..., :, None] - y[..., None, :])
    pair_weights = weights[..., :, None] * weights[..., None, :]
    correct = (pair_weights * (x_sign * y_sign > 0)).sum(axis=(-1, -2))
    return ratio(np.stack([correct, (pair_weights * y_sign**2).sum(axis=(-1, -2))], axis=-1))
