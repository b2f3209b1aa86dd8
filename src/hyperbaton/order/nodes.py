"""Trees of operators: what permutation trees and weak factorizations have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from operator import index
from typing import Any, NamedTuple

from hyperbaton.order import drawing
from hyperbaton.order.permutation import Permutation
from hyperbaton.presentation import NotebookDrawing


class Node:
    """A node of a tree: an operator over its children, or a leaf with a value."""

    __slots__ = ("_id", "_tree")

    def __init__(self, tree: OperatorTree, node_id: int) -> None:
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

        The length of the operator: 2 for a chain however many children it has, 1 for a leaf. In a
        weak factorization more than the fewest, where it leaves a node unfactorized.
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


class OperatorTree(NotebookDrawing, ABC):
    """A tree over a permutation: its nodes are operators, its leaves are the values."""

    __slots__ = ("_made_lists", "_permutation")

    _permutation: Permutation
    _made_lists: Lists | None

    @property
    def permutation(self) -> Permutation:
        """The permutation that this is a tree of."""
        return self._permutation

    @property
    def root(self) -> Node:
        """The node over the whole permutation."""
        return Node(self, 0 if self.size else -1)

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of operators, COUNT_node of Stanojević & Sima'an 2016; leaves do not count."""

    @property
    def is_flat(self) -> bool:
        """Whether chains are written as one node, as in 3×⟨2,1⟩."""
        return False

    @property
    def operators(self) -> tuple[Permutation, ...]:
        """O_wf of Stanojević & Sima'an 2016: the multiset of operators, the shortest first.

        The same for all permutation trees of a permutation, flattened or not.

        >>> print(*Permutation([5, 7, 4, 6, 3, 1, 2]).tree().operators)
        ⟨1, 2⟩ ⟨2, 1⟩ ⟨2, 1⟩ ⟨2, 4, 1, 3⟩
        """
        times = Counter[tuple[int, ...]]()
        for node_id in range(self.size):
            times[tuple(self._operator(node_id))] += self._repeat(node_id)
        shortest_first = sorted(times, key=lambda values: (len(values), values))
        return tuple(
            one for values in shortest_first for one in [Permutation(values)] * times[values]
        )

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
                if self.is_flat:
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

    @abstractmethod
    def _make_lists(self) -> Lists: ...

    @property
    def _lists(self) -> Lists:
        if self._made_lists is None:
            self._made_lists = self._make_lists()
        return self._made_lists

    # Nodes by number, as in the core: a leaf is ~position.

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
        return f"<{type(self).__name__} {self.abbreviated()}>"
