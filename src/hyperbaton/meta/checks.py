"""Judgements as callers give them, checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError, InputTypeError


def system_names(systems: Sequence[str]) -> tuple[str, ...]:
    """Names, each of which is there once."""
    names = tuple(systems)
    for name in names:
        if not isinstance(name, str):
            raise InputTypeError(f"systems are names, not {type(name).__name__}")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two systems are called {twice}")
    return names


def whole_numbers(
    given: npt.ArrayLike,
    name: str,
    length: int | None = None,
    below: int | None = None,
    least: int | None = 0,
) -> npt.NDArray[np.int64]:
    """A list of whole numbers, from ``least`` on and less than ``below``.

    >>> whole_numbers([0, 3], "segment", below=3)
    Traceback (most recent call last):
    ...
    ValueError: segment[1] is 3, but there are 3, counted from 0
    """
    numbers = np.asarray(given)
    if numbers.ndim != 1:
        raise InputTypeError(f"{name} is a list of whole numbers")
    if numbers.size and not np.issubdtype(numbers.dtype, np.integer):
        raise InputTypeError(f"{name} is a list of whole numbers, not of {numbers.dtype}")
    if length is not None and len(numbers) != length:
        raise InputError(f"{name} has length {len(numbers):,}, but others have {length:,}")
    wrong = np.zeros(len(numbers), np.bool_)
    if least is not None:
        wrong |= numbers < least
    if below is not None:
        wrong |= numbers >= below
    if wrong.any():
        k = int(np.argmax(wrong))
        known = f"at least {least}" if below is None else f"{below:,}, counted from 0"
        what = "it is" if below is None else "there are"
        raise InputError(f"{name}[{k}] is {numbers[k]}, but {what} {known}")
    return numbers.astype(np.int64)


def scores_of(
    given: npt.ArrayLike, name: str, shape: tuple[int | None, ...]
) -> npt.NDArray[np.float64]:
    """Numbers, NaN where there is none, in a table of so many rows.

    >>> scores_of([[1, float("inf")]], "segments", (1, None))
    Traceback (most recent call last):
    ...
    ValueError: segments has inf: a score is a number, or NaN where there is none
    """
    try:
        numbers = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(f"{name} is a table of numbers with equally long rows") from None
    if numbers.ndim != len(shape):
        kind = "a list for each system" if len(shape) == 2 else "a number for each system"
        raise InputTypeError(f"{name} has {kind}")
    if shape[0] is not None and len(numbers) != shape[0]:
        raise InputError(f"{name} has {len(numbers):,} rows, but there are {shape[0]:,} systems")
    if np.isinf(numbers).any():
        raise InputError(f"{name} has inf: a score is a number, or NaN where there is none")
    return numbers
