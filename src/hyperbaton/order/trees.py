"""Permutation trees: the canonical PET and its flattened form; and the forest of all of them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from operator import index

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.order.nodes import OperatorTree, TreeLists
from hyperbaton.order.permutation import Permutation
from hyperbaton.presentation import NotebookDisplay

Int32s = npt.NDArray[np.int32]
CANONICAL = np.empty(0, np.int32)

READABLE = 10**15  # messages do not quote larger numbers


class PermutationTree(OperatorTree):
    """The canonical permutation tree (PET) of a permutation.

    A left-to-right shift-reduce parser builds the canonical tree: chains of ⟨1,2⟩ or of ⟨2,1⟩
    branch to the left. (Figure 1 of Stanojević & Sima'an 2014 shows a right-branching tree, which
    is in the forest but not canonical.) The other trees come from ``PermutationForest``. Building
    takes O(n log n) time for every shape.

    Parameters
    ----------
    permutation : Permutation
        A permutation of one value or more.

    Examples
    --------
    >>> tree = PermutationTree(Permutation([5, 7, 4, 6, 3, 1, 2]))
    >>> print(tree)
    ⟨2,1⟩[⟨2,1⟩[⟨2,4,1,3⟩[5, 7, 4, 6], 3], ⟨1,2⟩[1, 2]]
    >>> tree.size, tree.max_arity
    (4, 4)
    >>> print(tree.flatten())
    2×⟨2,1⟩[⟨2,4,1,3⟩[5, 7, 4, 6], 3, ⟨1,2⟩[1, 2]]
    >>> print(tree.flatten().draw())
           2×⟨2,1⟩
        ┌─────┴─┬────┐
    ⟨2,4,1,3⟩   3  ⟨1,2⟩
    ┌──┬┴─┬──┐     ┌─┴┐
    5  7  4  6     1  2
    """

    __slots__ = ("_chain", "_children", "_end", "_first", "_flat", "_hash", "_low", "_start")

    _flat: bool
    _start: Int32s
    _end: Int32s
    _low: Int32s
    _chain: npt.NDArray[np.uint8]
    _first: Int32s
    _children: Int32s
    _hash: int | None

    def __init__(self, permutation: Permutation) -> None:
        self._initialize(permutation, CANONICAL)

    def _initialize(self, permutation: Permutation, reduces: Int32s | None) -> None:
        if not isinstance(permutation, Permutation):
            raise InputTypeError(f"a tree needs a Permutation, got {type(permutation).__name__}")
        if len(permutation) == 0:
            raise InputError("the empty permutation has no tree")
        self._permutation = permutation
        self._flat = reduces is None
        self._cached_lists = None
        self._hash = None
        self._start, self._end, self._low, self._chain, self._first, self._children = (
            _core.flat_tree(permutation._values)
            if reduces is None
            else _core.pet_tree(permutation._values, reduces)
        )

    @classmethod
    def flattened(cls, permutation: Permutation) -> PermutationTree:
        """Return the flattened tree of a permutation, without building the canonical tree first.

        Parameters
        ----------
        permutation : Permutation
            The permutation; it must not be empty.

        Returns
        -------
        PermutationTree
            The flattened tree.

        Examples
        --------
        >>> print(PermutationTree.flattened(Permutation([4, 3, 2, 1])))
        3×⟨2,1⟩[4, 3, 2, 1]
        """
        return cls._from_reductions(permutation, None)

    @classmethod
    def _from_reductions(cls, permutation: Permutation, reduces: Int32s | None) -> PermutationTree:
        """Build a PET by its reductions (core/permutations/tree.hpp), or the flattened tree."""
        tree = cls.__new__(cls)
        tree._initialize(permutation, reduces)
        return tree

    @property
    def is_flat(self) -> bool:
        """Whether each chain is a single node, such as 3×⟨2,1⟩."""
        return self._flat

    @property
    def size(self) -> int:
        """Number of operators without leaves, COUNT_node of Stanojević & Sima'an 2016."""
        return len(self._start)

    @property
    def max_arity(self) -> int:
        """Length of the longest operator, MaxOp of Stanojević & Sima'an 2016."""
        arities = np.where(self._chain, 2, np.diff(self._first))
        return int(arities.max(initial=1))

    def flatten(self) -> PermutationTree:
        """Return the flattened PET, with each chain of a binary operator as one node.

        FLAT(PET) of Stanojević & Sima'an 2016, section 5. It is the same for every PET of a
        permutation.

        >>> print(Permutation([4, 3, 2, 1]).tree().flatten())
        3×⟨2,1⟩[4, 3, 2, 1]
        """
        return self if self._flat else PermutationTree._from_reductions(self._permutation, None)

    def _make_lists(self) -> TreeLists:
        return TreeLists(
            list(self._permutation),
            list(zip(self._start.tolist(), self._end.tolist(), strict=True)),
            self._low.tolist(),
            self._chain.tolist(),
            self._first.tolist(),
            self._children.tolist(),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PermutationTree):
            return NotImplemented
        return self is other or (
            self._flat == other._flat
            and self._permutation == other._permutation
            and np.array_equal(self._first, other._first)
            and np.array_equal(self._children, other._children)
        )

    def __hash__(self) -> int:
        if self._hash is None:
            # About 64 of the children suffice to tell most trees of a permutation apart.
            sample = self._children[:: max(1, len(self._children) // 64)].tolist()
            self._hash = hash((self._flat, self._permutation, tuple(sample)))
        return self._hash


class PermutationForest(NotebookDisplay):
    """The permutation forest (PEF): [[i, j, Iᵢʲ, Oᵢʲ]] for each span, as in the papers.

    The span (i, j) covers πᵢ₊₁ … πⱼ and is in the forest iff these are a sub-permutation. An
    inference is the tuple of split points [l₁, …, l₍ₐ₋₁₎] of one way to factorize it. The papers'
    pseudo-code stores O(n³) entries. Here they are computed from the flattened tree, so that a
    forest takes O(n) memory.

    Parameters
    ----------
    permutation : Permutation
        A permutation of one value or more.

    Examples
    --------
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
        self._flat = PermutationTree.flattened(permutation)

    @property
    def permutation(self) -> Permutation:
        """The permutation of this forest."""
        return self._flat.permutation

    def inferences(self, i: int, j: int) -> list[tuple[int, ...]]:
        """Return Iᵢʲ, the ways to factorize πᵢ₊₁ … πⱼ.

        Parameters
        ----------
        i, j : int
            The span, with 0 ≤ i < j ≤ n.

        Returns
        -------
        list of tuple of int
            The split points of each way; an empty list for one word.

        Raises
        ------
        InputError
            If πᵢ₊₁ … πⱼ is not a sub-permutation.
        """
        bounds, is_chain = self._child_bounds(i, j)
        if is_chain:
            return [(split,) for split in bounds[1:-1]]
        return [tuple(bounds[1:-1])] if len(bounds) > 2 else []

    def operator(self, i: int, j: int) -> Permutation | None:
        """Return Oᵢʲ, the operator that all inferences of a span share; None for one word.

        Parameters
        ----------
        i, j : int
            The span, with 0 ≤ i < j ≤ n.

        Returns
        -------
        Permutation or None
            The operator.

        Raises
        ------
        InputError
            If πᵢ₊₁ … πⱼ is not a sub-permutation.
        """
        bounds, is_chain = self._child_bounds(i, j)
        if len(bounds) == 2:
            return None
        values = self.permutation
        starts = bounds[:2] if is_chain else bounds[:-1]
        return Permutation.standardize([values[start] for start in starts])

    def spans(self) -> Iterator[tuple[int, int]]:
        """Iterate over the spans in the forest: up to n(n + 1)/2 of them."""
        for node in self._flat:
            if node.repeat > 1:
                bounds = [child.span[0] for child in node.children] + [node.span[1]]
                for start in range(len(bounds) - 2):
                    for end in bounds[start + 2 :]:
                        yield (bounds[start], end)
            else:
                yield node.span

    def count(self) -> int:
        """Return the exact number of PETs: the product of Catalan(k − 1) over chains of k children.

        >>> PermutationForest(Permutation.identity(100)).count()
        227508830794229349661819540395688853956041682601541047340
        """
        chains = Counter(self._chain_lengths())
        return math.prod(catalan(k - 1) ** times for k, times in chains.items())

    def __iter__(self) -> Iterator[PermutationTree]:
        """Iterate over all PETs, the canonical one first.

        Trees are built lazily. The order goes from left-branching to right-branching chains, and
        the last chain in pre-order changes fastest.
        """
        chains = [[0] + [1] * (k - 1) for k in self._chain_lengths()]
        while True:
            yield self._tree_of(chains)
            for chain in reversed(chains):
                if next_binarization(chain):
                    break
                chain[:] = [0] + [1] * (len(chain) - 1)
            else:
                return

    def tree(self, k: int) -> PermutationTree:
        """Return the PET that iteration yields after k others, in O(n²) time however large k is.

        Parameters
        ----------
        k : int
            Number of the tree, from 0, the canonical one, to ``count() - 1``.

        Returns
        -------
        PermutationTree
            The tree.

        Raises
        ------
        InputError
            If the forest has no such tree.

        Examples
        --------
        >>> print(PermutationForest(Permutation([4, 3, 2, 1])).tree(4))
        ⟨2,1⟩[4, ⟨2,1⟩[3, ⟨2,1⟩[2, 1]]]
        """
        k, count = index(k), self.count()
        if not 0 <= k < count:
            last = f"{count - 1:,}" if count < READABLE else "count() − 1"
            shown = f" {k:,}" if abs(k) < READABLE else " of such a number"
            raise InputError(f"there is no tree{shown}: they are numbered from 0 to {last}")
        chains = []
        for length in reversed(self._chain_lengths()):
            k, rank = divmod(k, catalan(length - 1))
            chains.append(ranked_binarization(length, rank))
        return self._tree_of(reversed(chains))

    def _chain_lengths(self) -> list[int]:
        """Return the numbers of children of all chains, in pre-order."""
        lengths: list[int] = np.diff(self._flat._first)[self._flat._chain != 0].tolist()
        return lengths

    def _tree_of(self, chains: Iterable[list[int]]) -> PermutationTree:
        """Return the PET with these binarizations of its chains."""
        times = [reductions for chain in chains for reductions in chain]
        return PermutationTree._from_reductions(self.permutation, np.array(times, np.int32))

    def _child_bounds(self, i: int, j: int) -> tuple[list[int], bool]:
        """Return where the children of span (i, j) start, then j, and whether they are a chain."""
        n = len(self.permutation)
        i, j = index(i), index(j)
        if not 0 <= i < j <= n:
            raise InputError(f"a span (i, j) needs 0 ≤ i < j ≤ {n}, got ({i}, {j})")
        flat = self._flat
        if j - i == 1:
            return [i, j], False
        lists = flat._lists
        node = 0
        while (i, j) != lists.spans[node]:
            # Find the children in which the span starts and ends.
            slots = range(lists.first[node], lists.first[node + 1])
            first = bisect_right(slots, i, key=flat._child_start) - 1
            last = bisect_right(slots, j - 1, key=flat._child_start) - 1
            if first == last:
                node = lists.children[slots[first]]
                continue
            starts = [flat._child_start(slot) for slot in slots[first : last + 2]]
            end = starts[-1] if last + 1 < len(slots) else lists.spans[node][1]
            if lists.chain[node] and starts[0] == i and end == j:
                return [*starts[: last - first + 1], j], True
            excerpt = ", ".join(map(str, self.permutation[i : min(j, i + 10)]))
            dots = ", …" if j - i > 10 else ""
            raise InputError(f"⟨{excerpt}{dots}⟩ at ({i}, {j}) is not a sub-permutation")
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


def catalan(n: int) -> int:
    """Return the n-th Catalan number, the number of binarizations of n + 1 children."""
    return math.comb(2 * n, n) // (n + 1)


def ranked_binarization(length: int, rank: int) -> list[int]:
    """Return the binarization of a chain that follows after ``rank`` others.

    A shift-reduce parser has ``ways`` = (w + 1)/(s + w + 1) · C(2s + w, s) ways to go on, a ballot
    number, if s children are still to be shifted and w reductions are possible now. Those that
    begin with a reduction come first.

    Parameters
    ----------
    length : int
        Number of children.
    rank : int
        From 0 to ``catalan(length - 1) - 1``.

    Returns
    -------
    list of int
        How often the parser reduces after each child, as in :func:`next_binarization`.
    """
    times = [0]
    shifts, possible, ways = length - 1, 0, catalan(length - 1)
    while shifts or possible:
        reducing = ways * possible * (shifts + possible + 1)
        reducing //= (possible + 1) * (2 * shifts + possible)
        if rank < reducing:
            times[-1] += 1
            possible -= 1
            ways = reducing
        else:
            times.append(0)
            shifts -= 1
            possible += 1
            rank -= reducing
            ways -= reducing
    return times


def next_binarization(times: list[int]) -> bool:
    """Replace a binarization of a chain by the next one, in place.

    Parameters
    ----------
    times : list of int
        ``times[c]`` is how often a shift-reduce parser reduces after child c
        (core/permutations/tree.hpp). Binarizations come in falling lexicographic order: early
        reductions first.

    Returns
    -------
    bool
        False after the last binarization, the right-branching one.
    """
    for position in range(len(times) - 2, 0, -1):
        if times[position] > 0:
            break
    else:
        return False
    times[position] -= 1
    waiting = position + 1 - sum(times[: position + 1])  # items on the parser's stack
    for later in range(position + 1, len(times)):
        times[later] = waiting  # after the next shift, reduce everything to one item
        waiting = 1
    return True
