"""Correlations of many samples at once: each has its own weights, or its own numbers.

All take numbers along the last axis, and weights that say how often each of them is in a sample. A
coefficient that is not defined, of fewer than two numbers or of equal ones, is NaN.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
TINY = (
    1e-10  # a variance, relative to the squares it is made of, that rounding leaves of equal ones
)
AT_ONCE = 4_000_000  # pairs of numbers that are compared at a time


def moments(x: Floats, y: Floats) -> Floats:
    """1, x, y, x², y² and xy of each, whose sums are all that Pearson's r needs."""
    return np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=-1)


def pearson_of(sums: Floats) -> Floats:
    """Pearson's r from the sums of :func:`moments`, along the last axis."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    count = np.where(n > 1, n, np.nan)
    of_x, of_y = xx - x * x / count, yy - y * y / count
    with np.errstate(invalid="ignore"):
        defined = (of_x > TINY * xx) & (of_y > TINY * yy)
    product = np.where(defined, of_x * of_y, np.nan)
    r: Floats = np.clip((xy - x * y / count) / np.sqrt(product), -1, 1)
    return r


def pearson(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Pearson's r: the covariance over both standard deviations.

    >>> float(pearson(np.array([1.0, 2, 3]), np.array([2.0, 4, 9])).round(4))
    0.9707
    """
    if not x.shape[-1]:
        return np.asarray(np.full((x if weights is None else weights).shape[:-1], np.nan))
    x, y = (one - one.mean(axis=-1, keepdims=True) for one in (x, y))
    if x.ndim == 1:  # the same numbers in each sample
        rows = moments(x, y)
        return pearson_of(rows.sum(axis=0) if weights is None else weights @ rows)
    each = np.ones(x.shape) if weights is None else weights
    factors: list[list[Floats]] = [[], [x], [y], [x, x], [y, y], [x, y]]
    sums = [np.einsum(",".join(["...i"] * (1 + len(own))) + "->...", each, *own) for own in factors]
    return pearson_of(np.stack(sums, axis=-1))


def ranks(x: Floats, weights: Floats | None = None) -> Floats:
    """From 1; equal numbers, or one that is there several times, have the mean of their ranks.

    >>> ranks(np.array([10.0, 30, 20, 30])).tolist()
    [1.0, 3.5, 2.0, 3.5]
    """
    own = np.ones_like(x) if weights is None else weights
    if not x.shape[-1]:
        return np.zeros(own.shape)
    if x.ndim > 1:  # an order for each row
        below = (x[..., None, :] < x[..., :, None]).astype(np.float64)
        same = (x[..., None, :] == x[..., :, None]).astype(np.float64)
        counted = ((below + same / 2) * own[..., None, :]).sum(axis=-1)
        return np.asarray(counted + 0.5)
    order = np.argsort(x, kind="stable")
    starts = np.flatnonzero(np.diff(x[order], prepend=np.nan) != 0)
    together = np.add.reduceat(own[..., order], starts, axis=-1)
    last = np.cumsum(together, axis=-1)
    middle = last - (together - 1) / 2
    found = np.empty(own.shape)
    found[..., order] = np.repeat(middle, np.diff(starts, append=len(x)), axis=-1)
    return found


def spearman(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Spearman's ρ: Pearson's r of the ranks.

    >>> float(spearman(np.array([1.0, 2, 3]), np.array([2.0, 9, 4])))
    0.5
    """
    return pearson(ranks(x, weights), ranks(y, weights), weights)


def kendall(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Kendall's τ_b: (C − D) / √((C + D + T_x)(C + D + T_y)).

    C and D are the pairs in which x and y have the same order or opposite ones; T_x and T_y those
    with a tie only in x and only in y.

    >>> float(kendall(np.array([1.0, 2, 3]), np.array([2.0, 9, 4])).round(4))
    0.3333
    """
    if x.ndim == 1:
        unit = np.arange(len(x))
        rows = np.ones((1, len(x))) if weights is None else np.atleast_2d(weights)
        found = kendall_of(pair_forms(x, y, unit, len(x)), rows)
        return found if weights is not None and weights.ndim > 1 else found[0]
    of_x = np.sign(x[..., :, None] - x[..., None, :])
    of_y = np.sign(y[..., :, None] - y[..., None, :])
    each = np.ones(x.shape) if weights is None else weights
    both = each[..., :, None] * each[..., None, :]
    sums = [(both * form).sum(axis=(-1, -2)) for form in (of_x * of_y, of_x**2, of_y**2)]
    return _tau(*sums)


def pair_forms(x: Floats, y: Floats, unit: Integers, units: int) -> npt.NDArray[np.int32]:
    """For each pair of units: C − D, pairs untied in x, pairs untied in y, of their numbers.

    ``unit`` says which unit, a segment say, each number belongs to; these are all that τ_b of a
    sample of units needs.
    """
    order = np.argsort(unit, kind="stable")
    x, y, own = x[order], y[order], unit[order]
    there, starts = np.unique(own, return_index=True)
    forms = np.zeros((3, units, units), np.int32)
    rows = max(1, AT_ONCE // max(1, len(x)))
    for begin, end in _blocks(starts, len(x), rows):
        of_x = np.sign(x[starts[begin] : _stop(starts, end, len(x)), None] - x)
        of_y = np.sign(y[starts[begin] : _stop(starts, end, len(x)), None] - y)
        inner = starts[begin:end] - starts[begin]
        for form, signs in zip(forms, (of_x * of_y, of_x**2, of_y**2), strict=True):
            by_row = np.add.reduceat(signs, inner, axis=0)
            form[np.ix_(there[begin:end], there)] = np.add.reduceat(by_row, starts, axis=1)
    return forms


def kendall_of(forms: npt.NDArray[np.int32], weights: Floats) -> Floats:
    """τ_b of samples of units, a row of weights each, from :func:`pair_forms`."""
    rows = np.asarray(weights, np.float64)
    numerator, of_x, of_y = (
        np.einsum("su,su->s", rows @ form.astype(np.float64), rows) for form in forms
    )
    return _tau(numerator, of_x, of_y)


def _tau(numerator: Floats, of_x: Floats, of_y: Floats) -> Floats:
    product = np.where((of_x > 0) & (of_y > 0), of_x * of_y, np.nan)
    return np.asarray(numerator / np.sqrt(product))


def _blocks(starts: Integers, n: int, rows: int) -> list[tuple[int, int]]:
    """Runs of units that together have about so many numbers, or are one."""
    found, begin = [], 0
    for k in range(1, len(starts) + 1):
        if k == len(starts) or _stop(starts, k + 1, n) - starts[begin] > rows:
            found.append((begin, k))
            begin = k
    return found


def _stop(starts: Integers, k: int, n: int) -> int:
    return int(starts[k]) if k < len(starts) else n
