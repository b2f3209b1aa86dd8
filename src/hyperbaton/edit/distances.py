"""Distances of pairs of sentences.

In the inversion edit distance of Leusch, Ueffing & Ney 2003, two sentences are parsed together as
one tree of straight and inverted blocks. The distance is the least cost of such a tree. By default
matching a token is free; substituting, deleting or inserting one costs 1, and so does every
inversion, which swaps two neighbouring blocks of any length.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.edit.costs import Number, ScaledCosts, scale_costs
from hyperbaton.edit.tokens import NumberedPairs, Tokens, number_pair, number_pairs
from hyperbaton.errors import BudgetExceeded, InputError, InputTypeError
from hyperbaton.threads import thread_count

DEFAULT_BUDGET = 800_000_000

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def inversion_distance(
    s: Tokens,
    t: Tokens,
    inversion: Number = 1,
    substitution: Number = 1,
    deletion: Number = 1,
    insertion: Number = 1,
    budget: int = DEFAULT_BUDGET,
) -> int | float:
    """Inversion edit distance: the cost of the cheapest tree that turns s into t.

    Parameters
    ----------
    s, t
        Sequences of hashable tokens. A string is a sequence of characters: split sentences first.
    inversion, substitution, deletion, insertion
        Costs of the operations.
    budget
        Maximum number of elementary search steps. It counts steps, not seconds, so that the same
        call always has the same result. The default suffices for real sentences of 80 tokens and
        more, and every call returns within seconds.

    Returns
    -------
    int or float
        An int if all costs are of type int. Otherwise a float that is rounded once: costs are
        added up exactly.

    Raises
    ------
    BudgetExceeded
        If the budget runs out. ``lower`` and ``upper`` are bounds of the distance.

    Notes
    -----
    The paper's recursion (equation 2) is used with empty left parts as well: as printed, i′ and j′
    start at i0 and j0, which would make d(a, xa) 2 and d(xa, a) 1. A token may be replaced by a
    deletion and an insertion if that is cheaper than a substitution, as in the paper's grammar.

    Examples
    --------
    >>> from hyperbaton import inversion_distance
    >>> noon = "we will meet at noon in the lobby".split()
    >>> twelve = "we will meet in the lobby at twelve o'clock".split()
    >>> inversion_distance(noon, twelve)
    3
    >>> inversion_distance("abcd", "bdac")
    3
    >>> inversion_distance("ab", "ba", inversion=0.5)
    0.5
    """
    costs = scale_costs(inversion, substitution, deletion, insertion)
    lower, upper = scaled_bounds(number_pair(s, t), costs, budget, 1)
    if lower[0] < upper[0]:
        raise BudgetExceeded(costs.unscale(int(lower[0])), costs.unscale(int(upper[0])))
    return costs.unscale(int(upper[0]))


def inversion_distances(
    pairs: Iterable[tuple[Tokens, Tokens]],
    threads: int | None = None,
    *,
    inversion: Number = 1,
    substitution: Number = 1,
    deletion: Number = 1,
    insertion: Number = 1,
    budget: int = DEFAULT_BUDGET,
) -> npt.NDArray[np.float64]:
    """Inversion edit distance of each pair; NaN where the budget ran out.

    Parameters
    ----------
    pairs
        Pairs of token sequences.
    threads
        Number of threads, by default one per core. The result does not depend on it.
    inversion, substitution, deletion, insertion
        Costs of the operations.
    budget
        Maximum number of search steps per pair.

    Returns
    -------
    array of float64
        One distance for each pair; NaN where the budget ran out.

    Examples
    --------
    >>> from hyperbaton import inversion_distances
    >>> inversion_distances([("abcd", "bdac"), ("ab", "ba"), ("", "abc")])
    array([3., 1., 3.])
    """
    costs = scale_costs(inversion, substitution, deletion, insertion)
    lower, upper = scaled_bounds(number_pairs(pairs), costs, budget, thread_count(threads))
    distances = costs.unscale_all(upper)
    distances[lower < upper] = np.nan
    return distances


def scaled_bounds(
    pairs: NumberedPairs, costs: ScaledCosts, budget: int, threads: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return certified lower and upper bounds of each distance, in units of the scaled costs."""
    lengths = np.diff(pairs.s_offsets) + np.diff(pairs.t_offsets)
    costs.check_length(int(lengths.max(initial=0)))
    return _core.inversion_bounds(*pairs, *costs.operations, check_budget(budget), threads)


def check_budget(budget: int) -> int:
    """Return a valid budget as the core takes it."""
    if isinstance(budget, bool) or not hasattr(budget, "__index__"):
        raise InputTypeError(f"budget must be an integer, got {type(budget).__name__}")
    steps = operator.index(budget)
    if steps < 0:
        raise InputError(f"budget must not be negative, got {steps}")
    return min(steps, 2**63)


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


def bag_distances(pairs: NumberedPairs, threads: int) -> Floats:
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
