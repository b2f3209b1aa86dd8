"""The area under the ROC curve, of pairs that may be compared, in samples of segments.

A metric should score an output with an error lower than one without. The area is the share of such
pairs in which it does, ties being half (Mann & Whitney 1947). Of all pairs, only some may be
compared: of the same segment, or of equal length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hyperbaton.stats.resampling import bootstrap_counts

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Outputs with an error and outputs without, by number, and the segments of both."""

    bad: Integers
    good: Integers
    first: Integers
    second: Integers
    segments: int

    def __len__(self) -> int:
        return len(self.bad)

    def area(self, scores: Floats) -> float:
        """The share of pairs in which the output with an error scores lower."""
        return float(self.wins(scores).mean())

    def wins(self, scores: Floats) -> Floats:
        """Of each pair: 1, or 0, or 1/2 for a tie."""
        gap = scores[self.good] - scores[self.bad]
        return (np.sign(gap) + 1) / 2

    def sampled(self, scores: Floats, samples: int, seed: int) -> Floats:
        """The area in bootstrap samples of segments.

        A pair is there as often as its two segments are together; one within a segment, as often
        as that is.
        """
        n = self.segments
        cells = self.first * n + self.second
        won, all_ = (
            np.asarray(np.bincount(cells, one, n * n), np.float64).reshape(n, n)
            for one in (self.wins(scores), np.ones(len(cells)))
        )
        found = []
        for counts in bootstrap_counts(n, samples, seed):
            drawn = counts.astype(np.float64)
            found.append(_form(drawn, won) / _form(drawn, all_))
        return np.concatenate(found)


def _form(drawn: Floats, table: Floats) -> Floats:
    own = np.diag(table)
    apart = table - np.diag(own)
    return np.asarray(((drawn @ apart) * drawn).sum(axis=1) + drawn @ own)


def pairs(bad: Booleans, segment: Integers, key: Integers) -> Pairs:
    """All pairs of an output with an error and one without that have the same key.

    >>> found = pairs(np.array([True, False, False]), np.array([0, 0, 1]), np.zeros(3, np.int64))
    >>> found.area(np.array([0.1, 0.5, 0.1]))
    0.75
    """
    a, b = np.flatnonzero(bad), np.flatnonzero(~bad)
    i, j = np.nonzero(key[a][:, None] == key[b][None, :])
    first, second = a[i], b[j]
    return Pairs(first, second, segment[first], segment[second], int(segment.max()) + 1)
