"""Types, checks and small functions of arrays, shared by the modules of this package."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError, InputTypeError

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
    if not x.size:
        return x
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


def check_integers(
    values: npt.ArrayLike,
    name: str,
    length: int | None = None,
    below: int | None = None,
    least: int = 0,
) -> Integers:
    """Return a one-dimensional array of integers within bounds.

    Parameters
    ----------
    values : array_like of int
    name : str
        Name of the argument, for error messages.
    length : int, optional
        Required length.
    below : int, optional
        Exclusive upper bound: the number of systems or segments that are indexed.
    least : int
        Inclusive lower bound.

    Raises
    ------
    InputError
        If the length is wrong or a value is out of bounds.
    InputTypeError
        If the values are not a list of integers.

    >>> check_integers([0, 3], "segment", below=3)
    Traceback (most recent call last):
    ...
    hyperbaton.InputError: segment[1] is 3, but it must be from 0 to 2
    """
    numbers = np.asarray(values)
    if numbers.ndim != 1:
        raise InputTypeError(f"{name} must be a list of integers")
    if numbers.size and not np.issubdtype(numbers.dtype, np.integer):
        raise InputTypeError(f"{name} must be a list of integers, got {numbers.dtype}")
    if length is not None and len(numbers) != length:
        raise InputError(f"{name} has length {len(numbers):,}, but the others have {length:,}")
    invalid = numbers < least
    if below is not None:
        invalid |= numbers >= below
    if invalid.any():
        k = int(np.argmax(invalid))
        bounds = f"at least {least}" if below is None else f"from {least} to {below - 1}"
        raise InputError(f"{name}[{k}] is {numbers[k]}, but it must be {bounds}")
    return numbers.astype(np.int64)


def check_scores(values: npt.ArrayLike, name: str, shape: tuple[int | None, ...]) -> Floats:
    """Return an array of finite numbers, NaN where there is no score.

    Parameters
    ----------
    values : array_like of float
    name : str
        Name of the argument, for error messages.
    shape : tuple of (int or None)
        Required shape; only the first length is checked, and only if it is not None.

    Raises
    ------
    InputError
        If the number of rows is wrong or a score is infinite.
    InputTypeError
        If the values are not numbers or have another number of dimensions.

    >>> check_scores([[1, float("inf")]], "segments", (1, None))
    Traceback (most recent call last):
    ...
    hyperbaton.InputError: segments contains inf; use NaN for a missing score
    """
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        message = f"{name} must be a table of numbers with rows of equal length"
        raise InputTypeError(message) from None
    if numbers.ndim != len(shape):
        row = "one list" if len(shape) == 2 else "one number"
        raise InputTypeError(f"{name} must have {row} per system")
    if shape[0] is not None and len(numbers) != shape[0]:
        raise InputError(f"{name} has {len(numbers):,} rows, but there are {shape[0]:,} systems")
    if np.isinf(numbers).any():
        raise InputError(f"{name} contains inf; use NaN for a missing score")
    return numbers
