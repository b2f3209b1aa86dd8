"""Pairs of translations, as people and a metric have them, and what their numbers say.

Of pairs there are five kinds: concordant (C), discordant (D), a tie of the metric only (M), a tie
of the people only (H), a tie of both (B). The formulas take how many there are of each, in this
order along the last axis.
"""

from __future__ import annotations

import numpy as np

from hyperbaton.meta.judgements import Floats, Integers, ratio

KINDS = 5


def kinds(outcome: Integers, difference: Floats, threshold: float) -> Integers:
    """Of each pair: 0 concordant, 1 discordant, 2 a tie of the metric, 3 of people, 4 of both.

    >>> kinds(np.array([1, 1, 1, 0, 0]), np.array([0.2, -0.2, 0.0, 0.2, 0.0]), 0.0).tolist()
    [0, 1, 2, 3, 4]
    """
    of_metric = np.where(abs(difference) <= threshold, 0, np.sign(difference)).astype(np.int64)
    agreed = of_metric * outcome
    decided = np.where(agreed > 0, 0, np.where(agreed < 0, 1, 2))
    return np.where(outcome != 0, decided, np.where(of_metric != 0, 3, 4))


def tau(pairs: Floats) -> Floats:
    """(C − D) / (C + D): pairs with a tie do not count (Stanojević & Sima'an 2014).

    So had it WMT13 (Macháček & Bojar 2013).

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
    """(C − D) / (C + D + M): a tie of the metric counts, as neither (Macháček & Bojar 2014).

    >>> float(tau_wmt14(np.array([6.0, 2, 2, 1, 0])))
    0.4
    """
    c, d, m, *_ = np.moveaxis(pairs, -1, 0)
    return ratio(np.stack([c - d, c + d + m], axis=-1))


def consistency(pairs: Floats) -> Floats:
    """C / (C + D + M): a tie of the metric is wrong (Birch & Osborne 2010, who print percents).

    >>> float(consistency(np.array([6.0, 2, 2, 1, 0])))
    0.6
    """
    c, d, m, *_ = np.moveaxis(pairs, -1, 0)
    return ratio(np.stack([c, c + d + m], axis=-1))


def accuracy(pairs: Floats) -> Floats:
    """(C + B) / (C + D + M + H + B): a tie is as right as a preference (Deutsch et al. 2023).

    >>> float(accuracy(np.array([6.0, 2, 0, 1, 1])))
    0.7
    """
    c, _, _, _, both = np.moveaxis(pairs, -1, 0)
    return ratio(np.stack([c + both, pairs.sum(axis=-1)], axis=-1))


def system_accuracy(x: Floats, y: Floats, weights: Floats) -> Floats:
    """The share of pairs of systems that the metric has in the order of people (Kocmi et al. 2021).

    Pairs that people score equally do not count; a tie of the metric is wrong.

    >>> x, y = np.array([1.0, 2, 3]), np.array([1.0, 3, 2])
    >>> float(system_accuracy(x, y, np.ones(3)).round(4))
    0.6667
    """
    of_x = np.sign(x[..., :, None] - x[..., None, :])
    of_y = np.sign(y[..., :, None] - y[..., None, :])
    both = weights[..., :, None] * weights[..., None, :]
    right = (both * (of_x * of_y > 0)).sum(axis=(-1, -2))
    return ratio(np.stack([right, (both * of_y**2).sum(axis=(-1, -2))], axis=-1))
