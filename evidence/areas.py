"""The area under the ROC curve over restricted pairs, with bootstrap samples of segments.

A metric should score an output with an error lower than one without. The area is the share of such
pairs in which it does, with ties counted as half (Mann & Whitney 1947). Only some pairs are
compared: for example, pairs from the same segment or pairs of equal length.
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
    """Pairs of an output with an error and an output without.

    ``bad`` and ``good`` are the indices of the outputs; ``bad_segment`` and ``good_segment`` are
    the segments that they belong to.
    """

    bad: Integers
    good: Integers
    bad_segment: Integers
    good_segment: Integers
    segments: int

    def __len__(self) -> int:
        return len(self.bad)

    def area(self, scores: Floats) -> float:
        """Return the share of pairs in which the output with an error scores lower."""
        return float(self.wins(scores).mean())

    def wins(self, scores: Floats) -> Floats:
        """Return 1, 0, or 1/2 for a tie, for each pair."""
        difference = scores[self.good] - scores[self.bad]
        return (np.sign(difference) + 1) / 2

    def sample_areas(self, scores: Floats, samples: int, seed: int) -> Floats:
        """Return the area in each bootstrap sample of segments.

        The weight of a pair is the product of the counts of its two segments or, for a pair within
        one segment, the count of that segment.
        """
        n = self.segments
        cells = self.bad_segment * n + self.good_segment
        wins, totals = (
            np.asarray(np.bincount(cells, weights, n * n), np.float64).reshape(n, n)
            for weights in (self.wins(scores), np.ones(len(cells)))
        )
        areas = []
        for counts in bootstrap_counts(n, samples, seed):
            weights = counts.astype(np.float64)
            areas.append(_weighted_sum(weights, wins) / _weighted_sum(weights, totals))
        return np.concatenate(areas)


def _weighted_sum(weights: Floats, table: Floats) -> Floats:
    within = np.diag(table)
    across = table - np.diag(within)
    return np.asarray(((weights @ across) * weights).sum(axis=1) + weights @ within)


def comparable_pairs(bad: Booleans, segment: Integers, key: Integers) -> Pairs:
    """Return all pairs of an output with an error and one without that have the same key.

    >>> bad, segment = np.array([True, False, False]), np.array([0, 0, 1])
    >>> pairs = comparable_pairs(bad, segment, np.zeros(3, np.int64))
    >>> pairs.area(np.array([0.1, 0.5, 0.1]))
    0.75
    """
    with_error, without_error = np.flatnonzero(bad), np.flatnonzero(~bad)
    i, j = np.nonzero(key[with_error][:, None] == key[without_error][None, :])
    first, second = with_error[i], without_error[j]
    return Pairs(first, second, segment[first], segment[second], int(segment.max()) + 1)
