"""Distances of many pairs of numbered sentences."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.edit.costs import Number, scale_costs
from hyperbaton.edit.inversion import scaled_bounds
from hyperbaton.edit.tokens import NumberedPairs

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def levenshtein_distances(pairs: NumberedPairs, threads: int) -> Floats:
    """Return the number of insertions, deletions and substitutions of each pair.

    >>> from hyperbaton.edit.tokens import number_pairs
    >>> levenshtein_distances(number_pairs([("kitten", "sitting"), ("", "b")]), threads=1).tolist()
    [3.0, 1.0]
    """
    return _core.levenshtein(*pairs, threads).astype(np.float64)


def bag_overlaps(pairs: NumberedPairs) -> Ints:
    """Return the size of the multiset intersection of each pair.

    >>> from hyperbaton.edit.tokens import number_pairs
    >>> bag_overlaps(number_pairs([("abca", "aax"), ("", "b")])).tolist()
    [2, 0]
    """
    return _core.bag_overlaps(*pairs)


def bag_distances(pairs: NumberedPairs) -> Floats:
    """Return max(\\|s\\|, \\|t\\|) − \\|multiset intersection\\| of each pair."""
    longer = np.maximum(np.diff(pairs.s_offsets), np.diff(pairs.t_offsets))
    return (longer - bag_overlaps(pairs)).astype(np.float64)


def cder_distances(pairs: NumberedPairs, threads: int) -> Floats:
    """Return the edits of Leusch, Ueffing & Ney 2006, where a jump within s costs 1."""
    return _core.cder(*pairs, threads).astype(np.float64)


def translation_edits(pairs: NumberedPairs, threads: int) -> Floats:
    """Return the edits and shifts of TER, exactly as sacreBLEU counts them.

    >>> from hyperbaton.edit.tokens import number_pairs
    >>> translation_edits(number_pairs([("xyabc", "abcxy")]), threads=1).tolist()
    [1.0]
    """
    return _core.translation_edits(*pairs, threads).astype(np.float64)


def inversion_bounds(
    pairs: NumberedPairs, budget: int, threads: int, inversion: Number = 1
) -> tuple[Floats, Floats]:
    """Return lower and upper bounds of each inversion distance; equal bounds are the distance."""
    costs = scale_costs(inversion, 1, 1, 1)
    lower, upper = scaled_bounds(pairs, costs, budget, threads)
    return costs.unscale_all(lower), costs.unscale_all(upper)
