"""Distances of many pairs of numbered sentences."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from hyperbaton import _core
from hyperbaton.edit.costs import Number, whole_costs
from hyperbaton.edit.inversion import bounds
from hyperbaton.edit.tokens import NumberedPairs

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def levenshteins(pairs: NumberedPairs) -> Floats:
    """Insertions, deletions and substitutions."""
    # Numbers and not tokens: RapidFuzz compares hashes, and tokens may share one.
    s, t = pairs.s.tolist(), pairs.t.tolist()
    return np.array(
        [Levenshtein.distance(s[i0:i1], t[j0:j1]) for (i0, j0), (i1, j1) in _spans(pairs)],
        np.float64,
    )


def overlaps(pairs: NumberedPairs) -> Ints:
    """The size of the multiset intersection of each pair.

    >>> from hyperbaton.edit.tokens import number_pairs
    >>> overlaps(number_pairs([("abca", "aax"), ("", "b")]))
    array([2, 0])
    """
    most = 1 + int(max(pairs.s.max(initial=0), pairs.t.max(initial=0)))
    s, s_counts = _counted(pairs.s, pairs.s_offsets, most)
    t, t_counts = _counted(pairs.t, pairs.t_offsets, most)
    both, in_s, in_t = np.intersect1d(s, t, assume_unique=True, return_indices=True)
    shared: Ints = np.zeros(len(pairs), np.int64)
    np.add.at(shared, both // most, np.minimum(s_counts[in_s], t_counts[in_t]))
    return shared


def _counted(tokens: npt.NDArray[np.int32], offsets: Ints, most: int) -> tuple[Ints, Ints]:
    """The tokens of each sentence, as numbers that tell sentences apart, and how many of each."""
    which = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.unique(which * most + tokens, return_counts=True)


def bag_distances(pairs: NumberedPairs) -> Floats:
    """max(\\|s\\|, \\|t\\|) − \\|multiset intersection\\|."""
    longer = np.maximum(np.diff(pairs.s_offsets), np.diff(pairs.t_offsets))
    return (longer - overlaps(pairs)).astype(np.float64)


def cders(pairs: NumberedPairs, threads: int) -> Floats:
    """Edits of Leusch, Ueffing & Ney 2006, where a jump within s costs 1."""
    return _core.cder(*pairs, threads).astype(np.float64)


def inversion_bounds(
    pairs: NumberedPairs, budget: int, threads: int, inversion: Number = 1
) -> tuple[Floats, Floats]:
    """Between which numbers each inversion distance is; where they are equal, that is it."""
    costs = whole_costs(inversion, 1, 1, 1)
    unit = costs.unit  # products of whole numbers are exact, so that the quotient is rounded once
    lower, upper = (
        total.astype(np.float64) * unit.numerator / unit.denominator
        for total in bounds(pairs, costs, budget, threads)
    )
    return lower, upper


def _spans(pairs: NumberedPairs) -> Iterable[tuple[tuple[int, int], tuple[int, int]]]:
    return itertools.pairwise(zip(pairs.s_offsets.tolist(), pairs.t_offsets.tolist(), strict=True))
