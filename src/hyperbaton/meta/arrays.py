"""Array types and small array functions shared by the modules of this package."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


def ratio(sums: Floats) -> Floats:
    """Divide the first entry of the last axis by the second; 0/0 is NaN.

    >>> ratio(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [0.75, nan]
    """
    defined = sums[..., 1] > 0
    return np.where(defined, sums[..., 0] / np.where(defined, sums[..., 1], 1), np.nan)


def sum_cells(cells: Integers, weights: npt.ArrayLike | None, size: int) -> Floats:
    """Sum the weights that fall into each of ``size`` cells; without weights, count them."""
    return np.bincount(cells, weights, size).astype(np.float64)


def segment_sums(segments: Floats, weights: Floats | None = None) -> Floats:
    """Numerators and denominators of the mean score of each system.

    Parameters
    ----------
    segments : array of shape (systems, segments)
        Scores; NaN where there is none.
    weights : array of shape (segments,), optional
        Weights of the segments in the mean.

    Returns
    -------
    array of shape (segments, systems, 2)
        ``ratio`` of the sum over segments is the mean.
    """
    scored = ~np.isnan(segments)
    weight = scored * (1.0 if weights is None else weights)
    return np.stack([np.where(scored, segments, 0) * weight, weight], axis=2).swapaxes(0, 1)


def mean_where_defined(values: Floats) -> Floats:
    """Mean along the last axis without NaN; NaN where all values are NaN."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=-1)
    total = np.where(defined, values, 0).sum(axis=-1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def standardize(x: Floats) -> Floats:
    """Scale to mean 0 and variance 1, ignoring NaN; a constant becomes 0."""
    spread = np.nanstd(x)
    return np.asarray((x - np.nanmean(x)) / (spread if spread > 0 else 1.0))


def standardize_groups(numbers: Floats, group: Integers) -> Floats:
    """Scale to mean 0 and variance 1 within each group; a constant group becomes 0.

    >>> standardize_groups(np.array([1.0, 3.0, 5.0, 5.0]), np.array([0, 0, 1, 1])).tolist()
    [-1.0, 1.0, 0.0, 0.0]
    """
    sizes = np.bincount(group)
    centred = numbers - (np.bincount(group, numbers) / np.maximum(sizes, 1))[group]
    spread = np.sqrt(np.bincount(group, centred**2) / np.maximum(sizes, 1))[group]
    # Rounding can leave a tiny spread in a constant group.
    varied = spread > 1e-12 * np.maximum(1, abs(numbers))
    return np.where(varied, centred / np.where(varied, spread, 1), 0.0)
