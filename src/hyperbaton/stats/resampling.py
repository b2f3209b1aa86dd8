"""Samples of segments: which of them, how often, and the sums of their statistics.

Each sample has random numbers of its own, which its seed and its number stand for: a seed means the
same samples on any number of threads and on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError
from hyperbaton.threads import thread_count

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int32]
AT_ONCE = 2_000_000  # draws that are held at a time


def bootstrap_counts(
    segments: int, samples: int, seed: int, threads: int | None = None
) -> Iterator[Counts]:
    """How often each segment is in each sample: as many draws as segments, with replacement.

    Some samples at a time, a row each.

    >>> [counts.sum(axis=1).tolist() for counts in bootstrap_counts(5, 3, seed=1)]
    [[5, 5, 5]]
    """
    return _draws(False, segments, samples, seed, threads)


def swap_counts(
    segments: int, samples: int, seed: int, threads: int | None = None
) -> Iterator[Counts]:
    """Which segments two systems exchange in each sample: 0 or 1, as a coin has it."""
    return _draws(True, segments, samples, seed, threads)


def _draws(
    coins: bool, segments: int, samples: int, seed: int, threads: int | None
) -> Iterator[Counts]:
    most = max(1, AT_ONCE // segments)
    for first in range(0, samples, most):
        rows = min(most, samples - first)
        counts = _core.draw(coins, segments, first, rows, seed, thread_count(threads))
        yield counts.reshape(rows, segments)


def sampled_sums(
    counts: Iterator[Counts], tables: Sequence[Floats], threads: int | None = None
) -> Iterator[list[Floats]]:
    """For some samples at a time and each table, the sums of its rows, a row for each sample.

    >>> counts = np.array([[2, 0], [1, 1]], np.int32)
    >>> [sums[0].tolist() for sums in sampled_sums(iter([counts]), [np.array([[1.0], [5.0]])])]
    [[[2.0], [6.0]]]
    """
    flat = [np.ascontiguousarray(table, np.float64).ravel() for table in tables]
    if not all(np.isfinite(rows).all() for rows in flat):
        raise InputError("statistics are finite numbers")
    for part in counts:
        samples, length = part.shape
        if any(len(table) != length for table in tables):
            raise InputError(f"a sample is of {length:,} rows, but a table has others")
        yield [
            _core.weighted_sums(part.ravel(), rows, length, thread_count(threads)).reshape(
                samples, -1
            )
            for rows in flat
        ]
