"""Sums that are the same in any order and in any batches."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
MOST_PARTS = 256  # kept of a column before they are made fewer


class ExactSums:
    """Sums of columns, each the true sum of its numbers, rounded once.

    Adding floats rounds at every step, so that the last digits of a plain sum tell in what order
    and in what batches the numbers came. Here, what rounding takes away is kept and added, too.

    >>> sums = ExactSums(1)
    >>> sums.add(np.array([[1e16], [1.0]]))
    >>> sums.add(np.array([[-1e16]]))
    >>> sums.totals()
    array([1.])
    """

    def __init__(self, columns: int) -> None:
        self._parts: list[list[float]] = [[] for _ in range(columns)]

    def add(self, rows: Floats) -> None:
        """Add rows of numbers, one for each column."""
        for parts, column in zip(self._parts, rows.T, strict=True):
            parts += _exact_parts(column.tolist())
            if len(parts) > MOST_PARTS:
                parts[:] = _exact_parts(parts)

    def totals(self) -> Floats:
        """The sum of each column so far."""
        return np.array([math.fsum(parts) for parts in self._parts])


def _exact_parts(numbers: list[float]) -> list[float]:
    """A few numbers with exactly the same sum: it, rounded; what is left of it, rounded; …"""
    parts: list[float] = []
    while part := math.fsum([*numbers, *(-found for found in parts)]):
        parts.append(part)
    return parts
