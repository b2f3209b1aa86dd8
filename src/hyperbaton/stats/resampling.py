"""Random samples of segments, and the sums of their statistics.

The random numbers of a sample depend only on the seed and on the sample's index. A seed gives the
same samples on every machine and with any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError
from hyperbaton.stats.sampling import DRAWS_PER_BATCH, Sampling
from hyperbaton.threads import thread_count

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int32]


def draw_counts(
    segments: int,
    samples: int,
    seed: int,
    threads: int | None = None,
    draws_per_batch: int = DRAWS_PER_BATCH,
    *,
    coins: bool,
) -> Iterator[Counts]:
    """Draw samples of segments.

    Parameters
    ----------
    segments, samples : int
        Number of segments and of samples.
    seed : int
        Random seed.
    threads : int, optional
        Number of threads; by default all cores.
    draws_per_batch : int
        Maximum number of draws in a batch, unless a single sample has more.
    coins : bool
        Whether a coin is tossed for each segment: 1 if two systems exchange it, else 0. Otherwise,
        as many segments are drawn with replacement as there are.

    Yields
    ------
    array of int32, shape (some samples, segments)
        How often each segment is in each sample, for a batch of samples at a time.

    Examples
    --------
    >>> [counts.sum(axis=1).tolist() for counts in bootstrap_counts(5, 3, seed=1)]
    [[5, 5, 5]]
    """
    batch = max(1, draws_per_batch // segments)
    for first in range(0, samples, batch):
        rows = min(batch, samples - first)
        counts = _core.draw(coins, segments, first, rows, seed, thread_count(threads))
        yield counts.reshape(rows, segments)


bootstrap_counts = partial(draw_counts, coins=False)
swap_counts = partial(draw_counts, coins=True)


def draw_samples(
    draw: Callable[..., Iterator[Counts]], segments: int, sampling: Sampling
) -> Iterator[Counts]:
    """Draw samples of segments by ``draw``, with the settings of ``sampling``."""
    return draw(
        segments, sampling.samples, sampling.seed, sampling.threads, sampling.draws_per_batch
    )


def sampled_sums(
    counts: Iterator[Counts], tables: Sequence[Floats], threads: int | None = None
) -> Iterator[list[Floats]]:
    """Sum the rows of tables over samples.

    Parameters
    ----------
    counts : iterator of array
        How often each row is in each sample, for a batch of samples at a time.
    tables : sequence of array
        Statistics, one row per segment.
    threads : int, optional
        Number of threads; by default all cores.

    Yields
    ------
    list of array
        For each batch of samples: for each table, the sums of each sample as a row.

    Raises
    ------
    InputError
        If a statistic is not finite, or a table has another number of rows than the samples.

    Examples
    --------
    >>> counts = np.array([[2, 0], [1, 1]], np.int32)
    >>> [sums[0].tolist() for sums in sampled_sums(iter([counts]), [np.array([[1.0], [5.0]])])]
    [[[2.0], [6.0]]]
    """
    flat = [np.ascontiguousarray(table, np.float64).ravel() for table in tables]
    if not all(np.isfinite(rows).all() for rows in flat):
        raise InputError("statistics must be finite numbers")
    for batch in counts:
        samples, length = batch.shape
        for table in tables:
            if len(table) != length:
                raise InputError(f"samples have {length:,} rows, but a table has {len(table):,}")
        yield [
            _core.weighted_sums(batch.ravel(), rows, length, thread_count(threads)).reshape(
                samples, -1
            )
            for rows in flat
        ]
