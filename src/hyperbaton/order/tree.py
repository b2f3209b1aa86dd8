"""Permutation trees: the canonical PET of a permutation, and its flattened form."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.order.nodes import OperatorTree, TreeLists
from hyperbaton.order.permutation import Permutation

Int32s = npt.NDArray[np.int32]
CANONICAL = np.empty(0, np.int32)


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

    __slots__ = (
        "_chain",
        "_children",
        "_end",
        "_first",
        "_flat",
        "_hash",
        "_low",
        "_start",
    )

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
