"""Exact sums, which do not depend on the order of the numbers or on how they are batched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from hyperbaton import _core

Floats = npt.NDArray[np.float64]
MAX_PARTS = 256


class ExactSums:
    """Sums of columns, each the exact sum of its numbers, rounded once.

    Adding floats rounds at every step, so that the last digits of a plain sum depend on the order
    of the numbers and on the batches. Here, rounding errors are kept and added as well. Sums can
    be split over processes: partial sums are picklable, and merging them in any order gives the
    same totals to the last bit.

    Parameters
    ----------
    columns : int
        Number of columns.
    max_parts : int
        How many parts of a column are kept before they are reduced to a few.

    Examples
    --------
    >>> sums = ExactSums(1)
    >>> sums.add(np.array([[1e16], [1.0]]))
    >>> other = ExactSums(1)
    >>> other.add(np.array([[-1e16]]))
    >>> sums.merge(other)
    >>> sums.totals()
    array([1.])
    """

    def __init__(self, columns: int, max_parts: int = MAX_PARTS) -> None:
        self._max_parts = max_parts
        self._parts: list[list[float]] = [[] for _ in range(columns)]

    @classmethod
    def from_state(cls, state: Sequence[Sequence[float]], max_parts: int = MAX_PARTS) -> Self:
        """Restore sums from their :meth:`state`."""
        sums = cls(len(state), max_parts)
        sums._append(state)
        return sums

    def add(self, rows: Floats) -> None:
        """Add rows of numbers, one number for each column."""
        parts: dict[bytes, list[float]] = {}  # of each distinct column
        added = []
        for column in np.ascontiguousarray(rows.T):
            content = column.tobytes()
            if content not in parts:
                # The core reduces many numbers to a few with the same exact sum, if all are finite.
                is_finite = np.isfinite(column).all()
                few = _core.exact_partials(column) if is_finite else column
                parts[content] = _exact_parts(few.tolist())
            added.append(parts[content])
        self._append(added)

    def merge(self, other: ExactSums) -> None:
        """Add the sums of ``other``, which is left unchanged."""
        self._append(other._parts)

    def totals(self) -> Floats:
        """Return the sum of each column."""
        return np.array([math.fsum(parts) for parts in self._parts])

    def state(self) -> list[list[float]]:
        """Return the exact sum of each column as a short list of floats.

        The lists depend only on the exact sums: however the numbers were batched and merged,
        equal sums have equal states.
        """
        return [_exact_parts(parts) for parts in self._parts]

    def _append(self, columns: Sequence[Sequence[float]]) -> None:
        for parts, new_parts in zip(self._parts, columns, strict=True):
            parts += new_parts
            if len(parts) > self._max_parts:
                parts[:] = _exact_parts(parts)


def _exact_parts(numbers: Sequence[float]) -> list[float]:
    """Return a few floats with the same exact sum: its rounded value, the rounded rest, …"""
    parts: list[float] = []
    while part := math.fsum([*numbers, *(-known for known in parts)]):
        if not math.isfinite(part):
            return [part]  # the rest of infinity or NaN would never be 0
        parts.append(part)
    return parts
