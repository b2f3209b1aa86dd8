"""Permutation trees: the canonical PET of a permutation, and its flattened form."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.order import drawing
from hyperbaton.order.permutation import Permutation

Int32s = npt.NDArray[np.int32]
CANONICAL = np.empty(0, np.int32)


class Node:
    """A node of a permutation tree: an operator over its children, or a leaf with a value."""

    __slots__ = ("_id", "_tree")

    def __init__(self, tree: PermutationTree, node_id: int) -> None:
        self._tree = tree
        self._id = node_id  # as in the core: ~position for a leaf

    @property
    def is_leaf(self) -> bool:
        """Whether this is one word."""
        return self._id < 0

    @property
    def span(self) -> tuple[int, int]:
        """(i, j) of the papers' [[i, j]]: the node covers πᵢ₊₁ … πⱼ, ``values = p[i:j]``."""
        if self.is_leaf:
            return (~self._id, ~self._id + 1)
        return self._tree._lists.spans[self._id]

    @property
    def values(self) -> tuple[int, ...]:
        """The sub-permutation that the node covers, with the values it has in π."""
        start, end = self.span
        return self._tree.permutation[start:end]

    @property
    def children(self) -> tuple[Node, ...]:
        """The children from left to right; none for a leaf."""
        return tuple(Node(self._tree, child) for child in self._tree._child_ids(self._id))

    @property
    def operator(self) -> Permutation | None:
        """The order of the children, such as ⟨2,4,1,3⟩; None for a leaf.

        In a flattened tree a chain has the binary operator that it repeats.
        """
        if self.is_leaf:
            return None
        return Permutation(self._tree._operator(self._id))

    @property
    def repeat(self) -> int:
        """How many binary operators a chain stands for: 3 in 3×⟨2,1⟩; otherwise 1, a leaf's 0."""
        return 0 if self.is_leaf else self._tree._repeat(self._id)

    @property
    def arity(self) -> int:
        """a(π) of the papers, the fewest sub-permutations that the span can be split into.

        The length of the operator: 2 for a chain however many children it has, 1 for a leaf.
        """
        return 1 if self.is_leaf else len(self._tree._operator(self._id))

    @property
    def label(self) -> str:
        """The operator as the papers' figures write it, or the value of a leaf."""
        return self._tree._label(self._id)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self._id == other._id and self._tree == other._tree

    def __hash__(self) -> int:
        return hash((self._id, self._tree))

    def __repr__(self) -> str:
        return f"<Node {self.label} over {self.span}>"


class Lists(NamedTuple):
    """The arrays of a tree as Python's own numbers, which are faster to read one by one."""

    values: list[int]
    spans: list[tuple[int, int]]
    lows: list[int]
    chain: list[int]
    first: list[int]
    children: list[int]


class PermutationTree:
    """A permutation tree (PET): by default the canonical one.

    Canonical is what a left-to-right shift-reduce parser builds: chains of ⟨1,2⟩ or of ⟨2,1⟩
    branch to the left. (Figure 1 of Stanojević & Sima'an 2014 happens to draw a right-branching
    one: it is in the forest, not canonical.) Built in O(n log n), whatever the shape.

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
        "_made_lists",
        "_permutation",
        "_start",
    )

    _permutation: Permutation
    _flat: bool
    _start: Int32s
    _end: Int32s
    _low: Int32s
    _chain: npt.NDArray[np.uint8]
    _first: Int32s
    _children: Int32s
    _made_lists: Lists | None
    _hash: int | None

    def __init__(self, permutation: Permutation) -> None:
        self._build(permutation, CANONICAL)

    def _build(self, permutation: Permutation, reduces: Int32s | None) -> None:
        if not isinstance(permutation, Permutation):
            raise TypeError(f"a tree is of a Permutation, not of {type(permutation).__name__}")
        if len(permutation) == 0:
            raise ValueError("the empty permutation has no tree")
        self._permutation = permutation
        self._flat = reduces is None
        self._made_lists = None
        self._hash = None
        self._start, self._end, self._low, self._chain, self._first, self._children = (
            _core.flat_tree(permutation._values)
            if reduces is None
            else _core.pet_tree(permutation._values, reduces)
        )

    @classmethod
    def _of(cls, permutation: Permutation, reduces: Int32s | None) -> PermutationTree:
        """The PET that ``reduces`` chooses (see core/tree.hpp), or the flattened tree for None."""
        tree = cls.__new__(cls)
        tree._build(permutation, reduces)
        return tree

    @property
    def permutation(self) -> Permutation:
        """The permutation that this is a tree of."""
        return self._permutation

    @property
    def is_flat(self) -> bool:
        """Whether chains are written as one node, as in 3×⟨2,1⟩."""
        return self._flat

    @property
    def root(self) -> Node:
        """The node over the whole permutation."""
        return Node(self, 0 if self.size else -1)

    @property
    def size(self) -> int:
        """The number of operators, COUNT_node of Stanojević & Sima'an 2016; leaves do not count."""
        return len(self._start)

    @property
    def max_arity(self) -> int:
        """The length of the longest operator, MaxOp of Stanojević & Sima'an 2016."""
        arities = np.where(self._chain, 2, np.diff(self._first))
        return int(arities.max(initial=1))

    def flatten(self) -> PermutationTree:
        """The flattened PET, with each chain of one binary operator as one node.

        FLAT(PET) of Stanojević & Sima'an 2016, section 5: the same for every PET of a permutation.

        >>> print(Permutation([4, 3, 2, 1]).tree().flatten())
        3×⟨2,1⟩[4, 3, 2, 1]
        """
        return self if self._flat else PermutationTree._of(self._permutation, None)

    def to_dict(self) -> dict[str, Any]:
        """Nested dictionaries: operator, span and children, or value and span of a leaf.

        A node of a flattened tree also has ``repeat``.

        >>> Permutation([2, 1]).tree().to_dict() == {
        ...     "operator": [2, 1], "span": [0, 2], "children": [
        ...         {"value": 2, "span": [0, 1]}, {"value": 1, "span": [1, 2]}]}
        True
        """
        root: dict[str, Any] = {}
        open_: list[tuple[int, dict[str, Any] | None]] = [(self.root._id, None)]
        while open_:
            node_id, parent = open_.pop()
            if node_id < 0:
                entry = {"value": self._lists.values[~node_id], "span": [~node_id, ~node_id + 1]}
            else:
                entry = {"operator": self._operator(node_id)}
                if self._flat:
                    entry["repeat"] = self._repeat(node_id)
                entry |= {"span": list(self._lists.spans[node_id]), "children": []}
            if parent is None:
                root = entry
            else:
                parent["children"].append(entry)
            open_ += [(child, entry) for child in reversed(self._child_ids(node_id))]
        return root

    @property
    def width(self) -> int:
        """The columns that ``draw`` takes from the top."""
        return drawing.place(self.root)[0].width

    def draw(self, width: int | None = None) -> str:
        """The tree as a picture of text: the root on top, or an outline where that is too wide.

        :param width: the columns there are; None for as many as a picture of 20 million
            characters has.
        :raise ValueError: if the outline, too, would be larger than that.

        >>> print(Permutation([2, 1, 3]).tree().draw(width=4))
        ⟨1,2⟩
        ├── ⟨2,1⟩
        │   ├── 2
        │   └── 1
        └── 3
        """
        return drawing.draw(self.root, None if width is None else index(width))

    def __iter__(self) -> Iterator[Node]:
        """Every node, leaves too, each before its children and from left to right."""
        open_ = [self.root._id]
        while open_:
            node_id = open_.pop()
            yield Node(self, node_id)
            open_ += reversed(self._child_ids(node_id))

    # Nodes by number, as in the core: a leaf is ~position.

    @property
    def _lists(self) -> Lists:
        if self._made_lists is None:
            self._made_lists = Lists(
                list(self._permutation),
                list(zip(self._start.tolist(), self._end.tolist(), strict=True)),
                self._low.tolist(),
                self._chain.tolist(),
                self._first.tolist(),
                self._children.tolist(),
            )
        return self._made_lists

    def _child_ids(self, node_id: int) -> list[int]:
        if node_id < 0:
            return []
        lists = self._lists
        return lists.children[lists.first[node_id] : lists.first[node_id + 1]]

    def _child_start(self, slot: int) -> int:
        child = self._lists.children[slot]
        return ~child if child < 0 else self._lists.spans[child][0]

    def _repeat(self, node_id: int) -> int:
        lists = self._lists
        return lists.first[node_id + 1] - lists.first[node_id] - 1 if lists.chain[node_id] else 1

    def _operator(self, node_id: int) -> list[int]:
        """RankListOf the children: by their smallest values."""
        lists = self._lists
        children = self._child_ids(node_id)
        if lists.chain[node_id]:
            children = children[:2]
        lows = [lists.lows[child] if child >= 0 else lists.values[~child] for child in children]
        ranks = {low: rank for rank, low in enumerate(sorted(lows), 1)}
        return [ranks[low] for low in lows]

    def _label(self, node_id: int) -> str:
        if node_id < 0:
            return str(self._lists.values[~node_id])
        text = f"⟨{','.join(map(str, self._operator(node_id)))}⟩"
        repeat = self._repeat(node_id)
        return f"{repeat}×{text}" if repeat > 1 else text

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
            # equal trees have equal children; these few tell most trees of a permutation apart
            some = self._children[:: max(1, len(self._children) // 64)].tolist()
            self._hash = hash((self._flat, self._permutation, tuple(some)))
        return self._hash

    def __str__(self) -> str:
        parts: list[str] = []
        open_: list[int | str] = [self.root._id]
        while open_:
            item = open_.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            parts.append(self._label(item))
            children = self._child_ids(item)
            if children:
                parts.append("[")
                open_.append("]")
                for child in reversed(children[1:]):
                    open_ += [child, ", "]
                open_.append(children[0])
        return "".join(parts)

    def abbreviated(self) -> str:
        """The brackets, or for a long permutation just how large the tree is."""
        n = len(self._permutation)
        return str(self) if n <= 50 else f"of {n} values and {self.size} operators"

    def __repr__(self) -> str:
        return f"<PermutationTree {self.abbreviated()}>"
