"""Correlation coefficients of many samples at once.

All functions take numbers along the last axis, and optionally weights: how often each number
occurs in a sample. Samples differ in their weights or in their numbers. An undefined coefficient,
of fewer than two numbers or of equal numbers, is NaN.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hyperbaton import _core

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
# Equal numbers may have a variance above 0 by rounding. It is below this share of their squares.
VARIANCE_TOLERANCE = 1e-10
PAIRS_PER_BLOCK = 4_000_000


def moments(x: Floats, y: Floats) -> Floats:
    """Return 1, x, y, x², y² and xy of each pair. Pearson's r depends only on their sums."""
    return np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=-1)


def pearson_from_sums(sums: Floats) -> Floats:
    """Return Pearson's r from the sums of :func:`moments` along the last axis."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    count = np.where(n > 1, n, np.nan)
    spread_x, spread_y = xx - x * x / count, yy - y * y / count
    with np.errstate(invalid="ignore"):
        defined = (spread_x > VARIANCE_TOLERANCE * xx) & (spread_y > VARIANCE_TOLERANCE * yy)
    product = np.where(defined, spread_x * spread_y, np.nan)
    r: Floats = np.clip((xy - x * y / count) / np.sqrt(product), -1, 1)
    return r


def pearson(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Pearson's r: the covariance over both standard deviations.

    >>> float(pearson(np.array([1.0, 2, 3]), np.array([2.0, 4, 9])).round(4))
    0.9707
    """
    if not x.shape[-1]:
        return np.asarray(np.full((x if weights is None else weights).shape[:-1], np.nan))
    x, y = (numbers - numbers.mean(axis=-1, keepdims=True) for numbers in (x, y))
    if x.ndim == 1:  # all samples have the same numbers
        rows = moments(x, y)
        return pearson_from_sums(rows.sum(axis=0) if weights is None else weights @ rows)
    counts = np.ones(x.shape) if weights is None else weights
    products: list[list[Floats]] = [[], [x], [y], [x, x], [y, y], [x, y]]
    sums = [
        np.einsum(",".join(["...i"] * (1 + len(factors))) + "->...", counts, *factors)
        for factors in products
    ]
    return pearson_from_sums(np.stack(sums, axis=-1))


def ranks(x: Floats, weights: Floats | None = None) -> Floats:
    """Return ranks from 1. Equal numbers, and repetitions by weight, get their mean rank.

    >>> ranks(np.array([10.0, 30, 20, 30])).tolist()
    [1.0, 3.5, 2.0, 3.5]
    """
    counts = np.ones_like(x) if weights is None else weights
    if not x.shape[-1]:
        return np.zeros(counts.shape)
    if x.ndim > 1:  # each row has its own order
        below = (x[..., None, :] < x[..., :, None]).astype(np.float64)
        equal = (x[..., None, :] == x[..., :, None]).astype(np.float64)
        preceding = ((below + equal / 2) * counts[..., None, :]).sum(axis=-1)
        return np.asarray(preceding + 0.5)
    order = np.argsort(x, kind="stable")
    starts = np.flatnonzero(np.diff(x[order], prepend=np.nan) != 0)
    tied = np.add.reduceat(counts[..., order], starts, axis=-1)
    last_ranks = np.cumsum(tied, axis=-1)
    mean_ranks = last_ranks - (tied - 1) / 2
    result = np.empty(counts.shape)
    result[..., order] = np.repeat(mean_ranks, np.diff(starts, append=len(x)), axis=-1)
    return result


def spearman_rho(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Spearman's ρ: Pearson's r of the ranks.

    >>> float(spearman_rho(np.array([1.0, 2, 3]), np.array([2.0, 9, 4])))
    0.5
    """
    return pearson(ranks(x, weights), ranks(y, weights), weights)


def kendall_tau(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Kendall's τ_b: (C − D) / √((C + D + T_x)(C + D + T_y)).

    C and D are the numbers of pairs that x and y order in the same and in the opposite way. T_x
    and T_y are the numbers of pairs that are tied only in x and only in y.

    >>> float(kendall_tau(np.array([1.0, 2, 3]), np.array([2.0, 9, 4])).round(4))
    0.3333
    """
    if x.ndim == 1:
        if weights is None:
            return _tau(*_count_pairs(x, y))
        matrices = pair_matrices(x, y, np.arange(len(x)), len(x))
        tau = kendall_from_pairs(matrices, np.atleast_2d(weights))
        return tau if weights.ndim > 1 else tau[0]
    sign_x = np.sign(x[..., :, None] - x[..., None, :])
    sign_y = np.sign(y[..., :, None] - y[..., None, :])
    counts = np.ones(x.shape) if weights is None else weights
    pair_counts = counts[..., :, None] * counts[..., None, :]
    signs = (sign_x * sign_y, sign_x**2, sign_y**2)
    return _tau(*((pair_counts * matrix).sum(axis=(-1, -2)) for matrix in signs))


def _count_pairs(x: Floats, y: Floats) -> Floats:
    """Return C − D, the pairs not tied in x, and the pairs not tied in y, in n log n time."""
    n = len(x)
    pairs = n * (n - 1) // 2
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    y_order = np.argsort(y, kind="stable")
    # Numbers that are tied in x or y are in order here, so only D pairs are not. The core returns
    # the share of pairs in order, and rounding restores their number (for n below 60 million).
    permutation = np.empty(n, np.int64)
    permutation[y_order] = np.arange(1, n + 1)
    in_order = _core.kendall(permutation, np.array([0, n], np.int64), 1)[0]
    discordant = pairs - round(in_order * pairs)
    x_differs, y_differs = x[1:] != x[:-1], y[1:] != y[:-1]
    tied_x = _tied_pairs(x_differs)
    tied_y = _tied_pairs(np.diff(y[y_order]) != 0)
    tied_both = _tied_pairs(x_differs | y_differs)
    untied = pairs - tied_x - tied_y + tied_both
    return np.array([untied - 2 * discordant, pairs - tied_x, pairs - tied_y], np.float64)


def _tied_pairs(differs: npt.NDArray[np.bool_]) -> int:
    """Count pairs of equal numbers, given which sorted numbers differ from their predecessor."""
    starts = np.concatenate([[0], np.flatnonzero(differs) + 1])
    lengths = np.diff(starts, append=len(differs) + 1)
    return int((lengths * (lengths - 1) // 2).sum())


def pair_matrices(
    x: Floats, y: Floats, unit: Integers, units: int, pairs_per_block: int = PAIRS_PER_BLOCK
) -> npt.NDArray[np.int32]:
    """Count pairs of numbers for each pair of units.

    A unit, such as a segment, is drawn as a whole. τ_b of a sample of units depends only on these
    counts and on how often each unit is in the sample.

    Parameters
    ----------
    x, y : array of float
        The numbers.
    unit : array of int
        The unit of each number, from 0.
    units : int
        Number of units.
    pairs_per_block : int
        How many pairs of numbers are compared at a time. It limits memory.

    Returns
    -------
    array of int32, shape (3, units, units)
        C − D, the pairs not tied in x, and the pairs not tied in y.
    """
    order = np.argsort(unit, kind="stable")
    x, y = x[order], y[order]
    present, starts = np.unique(unit[order], return_index=True)
    matrices = np.zeros((3, units, units), np.int32)
    rows = max(1, pairs_per_block // max(1, len(x)))
    for begin, end in _unit_blocks(starts, len(x), rows):
        block = slice(starts[begin], _unit_end(starts, end, len(x)))
        sign_x = np.sign(x[block, None] - x)
        sign_y = np.sign(y[block, None] - y)
        block_starts = starts[begin:end] - starts[begin]
        for matrix, signs in zip(matrices, (sign_x * sign_y, sign_x**2, sign_y**2), strict=True):
            by_row = np.add.reduceat(signs, block_starts, axis=0)
            matrix[np.ix_(present[begin:end], present)] = np.add.reduceat(by_row, starts, axis=1)
    return matrices


def kendall_from_pairs(matrices: npt.NDArray[np.int32], weights: Floats) -> Floats:
    """Return τ_b of samples of units, each a row of weights, from :func:`pair_matrices`."""
    rows = np.asarray(weights, np.float64)
    numerator, untied_x, untied_y = (
        np.einsum("su,su->s", rows @ matrix.astype(np.float64), rows) for matrix in matrices
    )
    return _tau(numerator, untied_x, untied_y)


def _tau(numerator: Floats, untied_x: Floats, untied_y: Floats) -> Floats:
    product = np.where((untied_x > 0) & (untied_y > 0), untied_x * untied_y, np.nan)
    return np.asarray(numerator / np.sqrt(product))


def _unit_blocks(starts: Integers, n: int, rows: int) -> list[tuple[int, int]]:
    """Split units into runs of at most ``rows`` numbers, or of one unit."""
    blocks, begin = [], 0
    for k in range(1, len(starts) + 1):
        if k == len(starts) or _unit_end(starts, k + 1, n) - starts[begin] > rows:
            blocks.append((begin, k))
            begin = k
    return blocks


def _unit_end(starts: Integers, k: int, n: int) -> int:
    """Return where the units before unit ``k`` end."""
    return int(starts[k]) if k < len(starts) else n
