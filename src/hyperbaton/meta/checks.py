"""Checks of the judgements that callers pass in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.lines import printable
from hyperbaton.meta.arrays import Floats, Integers
from hyperbaton.text.plurals import count_noun

SHOWN_UNKNOWN = 5  # unknown systems that an error message lists


def first_duplicate(names: Iterable[str]) -> str | None:
    """Return the first name that occurs more than once, or None.

    >>> first_duplicate(["a", "b", "b", "a"])
    'a'
    """
    return next((name for name, count in Counter(names).items() if count > 1), None)


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise InputError if the value of an argument is not one of its choices."""
    if value not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}, got {value!r}")


def check_system_names(systems: Sequence[str]) -> tuple[str, ...]:
    """Return the names of systems as a tuple of distinct strings."""
    names = tuple(systems)
    for name in names:
        if not isinstance(name, str):
            raise InputTypeError(f"names of systems must be strings, got {type(name).__name__}")
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise InputError(f"two systems have the name {duplicate}")
    return names


def index_systems(counts: Mapping[str, int], systems: Sequence[str], kind: str) -> dict[str, int]:
    """Return the index of each system, after checking that no judgement names another one.

    Parameters
    ----------
    counts : mapping of str to int
        Number of judgements of each judged system.
    systems : sequence of str
        The known systems.
    kind : str
        Singular noun for the judgements, for the error message.
    """
    index = {name: k for k, name in enumerate(systems)}
    unknown = Counter({name: k for name, k in counts.items() if name not in index})
    if unknown:
        shown = ", ".join(
            f"{printable(name)} ({k:,})" for name, k in unknown.most_common(SHOWN_UNKNOWN)
        )
        rest = len(unknown) - SHOWN_UNKNOWN
        total = unknown.total()
        raise InputError(
            f"{count_noun(total, kind)} of {count_noun(len(unknown), 'unknown system')}: "
            f"{shown}{f' and {rest} more' if rest > 0 else ''}"
        )
    return index


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
