"""Samples of segments: which of them, how often, and the sums of their statistics.

All draws come from one stream of random numbers, sample after sample, whatever the number of
threads: a seed stands for the same samples on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.threads import thread_count

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int32]
AT_ONCE = 2_000_000  # draws that are held at a time


def bootstrap_counts(segments: int, samples: int, seed: int) -> Iterator[Counts]:
    """How often each segment is in each sample: as many draws as segments, with replacement.

    Some samples at a time, a row each.

    >>> [counts.sum(axis=1).tolist() for counts in bootstrap_counts(5, 3, seed=1)]
    [[5, 5, 5]]
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    for rows in _rows_at_once(segments, samples):
        drawn = generator.integers(0, segments, (rows, segments))
        drawn += np.arange(rows)[:, None] * segments
        counts = np.bincount(drawn.ravel(), minlength=rows * segments)
        yield counts.astype(np.int32).reshape(rows, segments)


def swap_counts(segments: int, samples: int, seed: int) -> Iterator[Counts]:
    """Which segments two systems exchange in each sample: 0 or 1, as a coin has it."""
    generator = np.random.Generator(np.random.PCG64(seed))
    for rows in _rows_at_once(segments, samples):
        yield generator.integers(0, 2, (rows, segments), np.int32)


def sampled_sums(counts: Iterator[Counts], rows: Floats, threads: int | None) -> Floats:
    """The sums of rows over each sample, a row each."""
    table = np.ascontiguousarray(rows, np.float64)
    length, columns = table.shape
    parts = [
        _core.weighted_sums(part.ravel(), table.ravel(), length, thread_count(threads))
        for part in counts
    ]
    return np.concatenate(parts).reshape(-1, columns)


def _rows_at_once(segments: int, samples: int) -> Iterator[int]:
    most = max(1, AT_ONCE // segments)
    for begin in range(0, samples, most):
        yield min(most, samples - begin)
