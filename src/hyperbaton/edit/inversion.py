"""The inversion edit distance of Leusch, Ueffing & Ney 2003.

Two sentences are read as one tree of straight and inverted blocks. The distance is the least cost
of such a tree: a token matched costs nothing, one substituted, deleted or inserted 1, and so does
every inversion, which swaps two neighbouring blocks, however long they are.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.edit.costs import Number, WholeCosts, whole_costs
from hyperbaton.edit.tokens import NumberedPairs, Tokens, number_pair, number_pairs
from hyperbaton.errors import BudgetExceeded, InputError, InputTypeError
from hyperbaton.threads import thread_count

DEFAULT_BUDGET = 800_000_000


def inversion_distance(
    s: Tokens,
    t: Tokens,
    inversion: Number = 1,
    substitution: Number = 1,
    deletion: Number = 1,
    insertion: Number = 1,
    budget: int = DEFAULT_BUDGET,
) -> int | float:
    """The cost of the cheapest tree of straight and inverted blocks that makes t of s.

    >>> from hyperbaton import inversion_distance
    >>> noon = "we will meet at noon in the lobby".split()
    >>> twelve = "we will meet in the lobby at twelve o'clock".split()
    >>> inversion_distance(noon, twelve)
    3
    >>> inversion_distance("abcd", "bdac")
    3
    >>> inversion_distance("ab", "ba", inversion=0.5)
    0.5

    Tokens are any hashable values, equal if Python says so; a string is a sequence of characters,
    so split sentences first. If all costs are of type int, so is the distance; else it is a float,
    rounded once: costs are added up exactly.

    ``budget`` counts elementary steps of the search, not seconds, so that the same call always has
    the same answer. When they do not suffice, ``BudgetExceeded`` is raised with ``lower`` and
    ``upper``, between which the distance certainly is. The default is enough for real sentences
    of 80 tokens and more, and makes every call return within seconds.

    The paper's own recursion (its equation 2) is meant here with empty left parts, too: as printed,
    i′ and j′ start at i0 and j0, which would make d(a, xa) 2 and d(xa, a) 1. And a token may be
    replaced by a deletion and an insertion, if that is cheaper than a substitution, as the
    paper's grammar has it.
    """
    costs = whole_costs(inversion, substitution, deletion, insertion)
    lower, upper = bounds(number_pair(s, t), costs, budget, 1)
    if lower[0] < upper[0]:
        raise BudgetExceeded(costs.value(int(lower[0])), costs.value(int(upper[0])))
    return costs.value(int(upper[0]))


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
    """The distance of each pair, on all cores or ``threads`` of them; NaN where the budget ran out.

    >>> from hyperbaton import inversion_distances
    >>> inversion_distances([("abcd", "bdac"), ("ab", "ba"), ("", "abc")])
    array([3., 1., 3.])

    The budget is that of one pair. The numbers do not depend on the threads.
    """
    costs = whole_costs(inversion, substitution, deletion, insertion)
    lower, upper = bounds(number_pairs(pairs), costs, budget, thread_count(threads))
    if costs.unit == 1:
        distances = upper.astype(np.float64)
    else:
        distances = np.array([costs.value(int(total)) for total in upper], np.float64)
    distances[lower < upper] = np.nan
    return distances


def bounds(
    pairs: NumberedPairs, costs: WholeCosts, budget: int, threads: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Certified bounds of each distance, in units of the whole costs."""
    lengths = np.diff(pairs.s_offsets) + np.diff(pairs.t_offsets)
    costs.check_length(int(lengths.max(initial=0)))
    return _core.inversion_bounds(*pairs, *costs.four, checked_budget(budget), threads)


def checked_budget(budget: int) -> int:
    """``budget=`` as the core takes it."""
    if isinstance(budget, bool) or not hasattr(budget, "__index__"):
        raise InputTypeError(f"budget is a whole number, not {type(budget).__name__}")
    steps = operator.index(budget)
    if steps < 0:
        raise InputError(f"budget is {steps}, but a number of steps is not negative")
    return min(steps, 2**63)
