"""Permutation forests: all the permutation trees of one permutation, packed."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from operator import index

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.tree import PermutationTree
from hyperbaton.presentation import NotebookDrawing


class PermutationForest(NotebookDrawing):
    """The permutation forest (PEF): [[i, j, Iᵢʲ, Oᵢʲ]] for each span, as in its papers.

    The span (i, j) covers πᵢ₊₁ … πⱼ and is in the forest iff these are a sub-permutation. An
    inference is the tuple of split points [l₁, …, l₍ₐ₋₁₎] of one way to factorize it. What the
    papers' pseudo-code stores in O(n³) is read off the flattened tree here, so that a forest
    takes O(n) memory.

    >>> forest = PermutationForest(Permutation([4, 3, 2, 1]))
    >>> forest.count()
    5
    >>> forest.inferences(0, 4), print(forest.operator(0, 4))
    ⟨2, 1⟩
    ([(1,), (2,), (3,)], None)
    >>> for tree in forest:
    ...     print(tree)
    ⟨2,1⟩[⟨2,1⟩[⟨2,1⟩[4, 3], 2], 1]
    ⟨2,1⟩[⟨2,1⟩[4, 3], ⟨2,1⟩[2, 1]]
    ⟨2,1⟩[⟨2,1⟩[4, ⟨2,1⟩[3, 2]], 1]
    ⟨2,1⟩[4, ⟨2,1⟩[⟨2,1⟩[3, 2], 1]]
    ⟨2,1⟩[4, ⟨2,1⟩[3, ⟨2,1⟩[2, 1]]]
    """

    __slots__ = ("_flat",)

    def __init__(self, permutation: Permutation) -> None:
        self._flat = PermutationTree._of(permutation, None)

    @property
    def permutation(self) -> Permutation:
        """The permutation that this is the forest of."""
        return self._flat.permutation

    def inferences(self, i: int, j: int) -> list[tuple[int, ...]]:
        """Iᵢʲ, the ways to factorize πᵢ₊₁ … πⱼ, as split points; none for one word.

        Raises ValueError where πᵢ₊₁ … πⱼ is not a sub-permutation.
        """
        bounds, chain = self._entry(i, j)
        if chain:
            return [(split,) for split in bounds[1:-1]]
        return [tuple(bounds[1:-1])] if len(bounds) > 2 else []

    def operator(self, i: int, j: int) -> Permutation | None:
        """Oᵢʲ, the operator that all inferences of a span share; None for one word."""
        bounds, chain = self._entry(i, j)
        if len(bounds) == 2:
            return None
        values = self.permutation
        parts = bounds[:3] if chain else bounds
        return Permutation.standardize([values[start] for start in parts[:-1]])

    def spans(self) -> Iterator[tuple[int, int]]:
        """The spans in the forest, one after another: up to n(n + 1)/2 of them."""
        for node in self._flat:
            if node.repeat > 1:
                bounds = [child.span[0] for child in node.children] + [node.span[1]]
                for start in range(len(bounds) - 2):
                    for end in bounds[start + 2 :]:
                        yield (bounds[start], end)
            else:
                yield node.span

    def count(self) -> int:
        """The number of PETs, exactly: the product of Catalan(k − 1) over chains of k children.

        >>> PermutationForest(Permutation.identity(100)).count()
        227508830794229349661819540395688853956041682601541047340
        """
        chains = Counter(np.diff(self._flat._first)[self._flat._chain != 0].tolist())
        return math.prod((math.comb(2 * k - 2, k - 1) // k) ** times for k, times in chains.items())

    def __iter__(self) -> Iterator[PermutationTree]:
        """Every PET, the canonical one first, made when it is asked for.

        Chains branch from left to right: the last chain, in pre-order, changes fastest.
        """
        flat = self._flat
        chains = [[0] + [1] * (k - 1) for k in np.diff(flat._first)[flat._chain != 0].tolist()]
        while True:
            yield PermutationTree._of(
                flat.permutation, np.array([times for chain in chains for times in chain], np.int32)
            )
            for chain in reversed(chains):
                if next_binarization(chain):
                    break
                chain[:] = [0] + [1] * (len(chain) - 1)
            else:
                return

    def _entry(self, i: int, j: int) -> tuple[list[int], bool]:
        """The bounds of the children of span (i, j), itself included, and whether it is a chain."""
        n = len(self.permutation)
        i, j = index(i), index(j)
        if not 0 <= i < j <= n:
            raise InputError(f"a span (i, j) needs 0 ≤ i < j ≤ {n}, not ({i}, {j})")
        flat = self._flat
        if j - i == 1:
            return [i, j], False
        lists = flat._lists
        node = 0
        while (i, j) != lists.spans[node]:
            # the children in which the span starts and ends
            whole = range(lists.first[node], lists.first[node + 1])
            first = bisect_right(whole, i, key=flat._child_start) - 1
            last = bisect_right(whole, j - 1, key=flat._child_start) - 1
            if first == last:
                node = lists.children[whole[first]]
                continue
            starts = [flat._child_start(slot) for slot in whole[first : last + 2]]
            end = starts[-1] if last + 1 < len(whole) else lists.spans[node][1]
            if lists.chain[node] and starts[0] == i and end == j:
                return [*starts[: last - first + 1], j], True
            shown = ", ".join(map(str, self.permutation[i : min(j, i + 10)]))
            dots = ", …" if j - i > 10 else ""
            raise InputError(f"⟨{shown}{dots}⟩ at ({i}, {j}) is not a sub-permutation")
        slots = range(lists.first[node], lists.first[node + 1])
        return [*map(flat._child_start, slots), j], flat._repeat(node) > 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PermutationForest):
            return NotImplemented
        return self.permutation == other.permutation

    def __hash__(self) -> int:
        return hash((PermutationForest, self.permutation))

    def __repr__(self) -> str:
        return f"<PermutationForest {self._flat.abbreviated()}>"


def next_binarization(times: list[int]) -> bool:
    """The next way to binarize a chain, in place; False after the last, the right-branching one.

    ``times[c]`` is how often a shift-reduce parser reduces after child c (core/tree.hpp). They
    come in falling lexicographic order: as early as possible first.
    """
    for place in range(len(times) - 2, 0, -1):
        if times[place] > 0:
            break
    else:
        return False
    times[place] -= 1
    waiting = place + 1 - sum(times[: place + 1])  # what is on the parser's stack
    for later in range(place + 1, len(times)):
        times[later] = waiting  # reduce all: one is left
        waiting = 1
    return True
