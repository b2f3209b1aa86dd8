"""Trees of operators, the common base of permutation trees and weak factorizations, and drawings.

Labels in drawings are digits, commas and brackets, so that a character is as wide as a column.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from operator import index
from typing import Any, NamedTuple

from hyperbaton.errors import InputError
from hyperbaton.order.permutation import Permutation
from hyperbaton.presentation import NotebookDisplay

GAP = 2  # columns between siblings
MAX_CELLS = 20_000_000  # a larger drawing is useless and fills the memory


class Node:
    """A node of a tree: an operator with children, or a leaf with a value."""

    __slots__ = ("_id", "_tree")

    def __init__(self, tree: OperatorTree, node_id: int) -> None:
        self._tree = tree
        self._id = node_id  # as in the core: a leaf is ~position

    @property
    def is_leaf(self) -> bool:
        """Whether the node is a single word."""
        return self._id < 0

    @property
    def span(self) -> tuple[int, int]:
        """(i, j) of the papers' [[i, j]]: the node covers πᵢ₊₁ … πⱼ, or ``p[i:j]``."""
        if self.is_leaf:
            return (~self._id, ~self._id + 1)
        return self._tree._lists.spans[self._id]

    @property
    def values(self) -> tuple[int, ...]:
        """The values of π that the node covers."""
        start, end = self.span
        return self._tree.permutation[start:end]

    @property
    def children(self) -> tuple[Node, ...]:
        """The children from left to right; empty for a leaf."""
        return tuple(Node(self._tree, child) for child in self._tree._child_ids(self._id))

    @property
    def operator(self) -> Permutation | None:
        """The order of the children, such as ⟨2,4,1,3⟩; None for a leaf.

        A chain of a flattened tree has the binary operator that it repeats.
        """
        if self.is_leaf:
            return None
        return Permutation(self._tree._operator(self._id))

    @property
    def repeat(self) -> int:
        """Number of binary operators in a chain, such as 3 in 3×⟨2,1⟩; else 1, or 0 for a leaf."""
        return 0 if self.is_leaf else self._tree._repeat(self._id)

    @property
    def arity(self) -> int:
        """Length of the operator: a(π) of the papers.

        This is the smallest number of sub-permutations into which the span can be split, except
        in a weak factorization, where a node may be unfactorized. It is 2 for a chain of any
        length and 1 for a leaf.
        """
        return 1 if self.is_leaf else len(self._tree._operator(self._id))

    @property
    def label(self) -> str:
        """The operator as written in the papers' figures, or the value of a leaf."""
        return self._tree._label(self._id)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self._id == other._id and self._tree == other._tree

    def __hash__(self) -> int:
        return hash((self._id, self._tree))

    def __repr__(self) -> str:
        return f"<Node {self.label} over {self.span}>"


class TreeLists(NamedTuple):
    """The arrays of a tree as lists, whose items are faster to read one at a time.

    The children of node k are ``children[first[k]:first[k + 1]]``. ``lows`` are the smallest values
    below the nodes, and ``chain`` is nonzero for a node that stands for a chain.
    """

    values: list[int]
    spans: list[tuple[int, int]]
    lows: list[int]
    chain: list[int]
    first: list[int]
    children: list[int]


class OperatorTree(NotebookDisplay, ABC):
    """A tree over a permutation. Its nodes are operators and its leaves are the values."""

    __slots__ = ("_cached_lists", "_permutation")

    _permutation: Permutation
    _cached_lists: TreeLists | None

    @property
    def permutation(self) -> Permutation:
        """The permutation of this tree."""
        return self._permutation

    @property
    def root(self) -> Node:
        """The node that covers the whole permutation."""
        return Node(self, 0 if self.size else -1)

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of operators without leaves, COUNT_node of Stanojević & Sima'an 2016."""

    @property
    def is_flat(self) -> bool:
        """Whether each chain is a single node, such as 3×⟨2,1⟩."""
        return False

    @property
    def operators(self) -> tuple[Permutation, ...]:
        """The multiset of operators, shortest first: O_wf of Stanojević & Sima'an 2016.

        It is the same for all permutation trees of a permutation, flattened or not.

        >>> print(*Permutation([5, 7, 4, 6, 3, 1, 2]).tree().operators)
        ⟨1, 2⟩ ⟨2, 1⟩ ⟨2, 1⟩ ⟨2, 4, 1, 3⟩
        """
        times = Counter[tuple[int, ...]]()
        for node_id in range(self.size):
            times[tuple(self._operator(node_id))] += self._repeat(node_id)
        shortest_first = sorted(times, key=lambda values: (len(values), values))
        return tuple(
            operator
            for values in shortest_first
            for operator in [Permutation(values)] * times[values]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as nested JSON-serializable dictionaries.

        A node has ``operator``, ``span`` and ``children``, and in a flattened tree ``repeat``. A
        leaf has ``value`` and ``span``.

        >>> Permutation([2, 1]).tree().to_dict() == {
        ...     "operator": [2, 1], "span": [0, 2], "children": [
        ...         {"value": 2, "span": [0, 1]}, {"value": 1, "span": [1, 2]}]}
        True
        """
        root: dict[str, Any] = {}
        stack: list[tuple[int, dict[str, Any] | None]] = [(self.root._id, None)]
        while stack:
            node_id, parent = stack.pop()
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
            stack += [(child, entry) for child in reversed(self._child_ids(node_id))]
        return root

    @property
    def width(self) -> int:
        """Number of columns of the top-down drawing."""
        return place_nodes(self.root)[0].width

    def draw(self, width: int | None = None) -> str:
        """Draw the tree as text: top-down, or as an outline if that is too wide.

        Parameters
        ----------
        width : int, optional
            Number of columns available. By default the only limit is 20 million characters for
            the whole drawing.

        Returns
        -------
        str
            The drawing, in several lines.

        Raises
        ------
        InputError
            If even the outline would have more than 20 million characters.

        Examples
        --------
        >>> print(Permutation([2, 1, 3]).tree().draw(width=4))
        ⟨1,2⟩
        ├── ⟨2,1⟩
        │   ├── 2
        │   └── 1
        └── 3
        """
        return draw(self.root, None if width is None else index(width))

    def __iter__(self) -> Iterator[Node]:
        """Iterate over all nodes and leaves in pre-order."""
        stack = [self.root._id]
        while stack:
            node_id = stack.pop()
            yield Node(self, node_id)
            stack += reversed(self._child_ids(node_id))

    @abstractmethod
    def _make_lists(self) -> TreeLists: ...

    @property
    def _lists(self) -> TreeLists:
        if self._cached_lists is None:
            self._cached_lists = self._make_lists()
        return self._cached_lists

    # Methods that take the number of a node, as in the core: a leaf is ~position.

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
        """Return the ranks of the children by their smallest values (RankListOf in the papers)."""
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
        stack: list[int | str] = [self.root._id]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            parts.append(self._label(item))
            children = self._child_ids(item)
            if children:
                parts.append("[")
                stack.append("]")
                for child in reversed(children[1:]):
                    stack += [child, ", "]
                stack.append(children[0])
        return "".join(parts)

    def abbreviated(self) -> str:
        """Return the tree in brackets, or only its size if the permutation is long."""
        n = len(self._permutation)
        return str(self) if n <= 50 else f"of {n} values and {self.size} operators"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.abbreviated()}>"


class PlacedNode:
    """A node with its position in a drawing.

    Attributes
    ----------
    label : str
        Text of the node.
    depth : int
        Distance from the root.
    children : list of PlacedNode
        Children from left to right.
    left, width : int
        First column of the subtree, and the number of its columns.
    anchor : int
        Column at which branches meet the label.
    """

    __slots__ = ("anchor", "children", "depth", "label", "left", "width")

    def __init__(self, label: str, depth: int) -> None:
        self.label = label
        self.depth = depth
        self.children: list[PlacedNode] = []
        self.left = self.anchor = 0
        self.width = len(label)


def draw(root: Node, width: int | None) -> str:
    """Draw the tree below ``root`` top-down if it fits into ``width`` columns, else as an outline.

    Raises
    ------
    InputError
        If the outline would have more than ``MAX_CELLS`` characters.
    """
    nodes = place_nodes(root)
    top = nodes[0]
    height = 2 * max(node.depth for node in nodes) + 1
    if (width is None or top.width <= width) and top.width * height <= MAX_CELLS:
        return draw_top_down(nodes, height)
    if sum(4 * node.depth + len(node.label) for node in nodes) > MAX_CELLS:
        raise InputError(f"a tree with {len(nodes)} nodes and leaves is too large to draw")
    return "\n".join(outline(nodes))


def place_nodes(root: Node) -> list[PlacedNode]:
    """Return all nodes in pre-order, with depths and widths."""
    nodes: list[PlacedNode] = []
    stack: list[tuple[Node, PlacedNode | None]] = [(root, None)]
    while stack:
        node, parent = stack.pop()
        placed = PlacedNode(node.label, parent.depth + 1 if parent else 0)
        if parent:
            parent.children.append(placed)
        nodes.append(placed)
        stack += [(child, placed) for child in reversed(node.children)]
    for placed in reversed(nodes):
        if placed.children:
            inner = sum(child.width for child in placed.children) + GAP * (len(placed.children) - 1)
            placed.width = max(inner, placed.width)
    return nodes


def draw_top_down(nodes: list[PlacedNode], height: int) -> str:
    """Draw the root at the top, with each node centred above its outermost children."""
    for node in nodes:
        inner = sum(child.width for child in node.children) + GAP * (len(node.children) - 1)
        left = node.left + max(0, node.width - inner) // 2
        for child in node.children:
            child.left = left
            left += child.width + GAP
    canvas = [[" "] * nodes[0].width for _ in range(height)]
    for node in reversed(nodes):
        if node.children:
            middle = (node.children[0].anchor + node.children[-1].anchor) // 2
            # Keep the label within the columns of its subtree.
            start = min(
                max(middle - len(node.label) // 2, node.left),
                node.left + node.width - len(node.label),
            )
            node.anchor = start + len(node.label) // 2
            draw_branches(canvas[2 * node.depth + 1], node)
        else:
            start = node.left + (node.width - len(node.label)) // 2
            node.anchor = start + len(node.label) // 2
        canvas[2 * node.depth][start : start + len(node.label)] = node.label
    return "\n".join("".join(row).rstrip() for row in canvas)


def draw_branches(row: list[str], node: PlacedNode) -> None:
    """Draw the line between a node and its children."""
    first, last = node.children[0].anchor, node.children[-1].anchor
    row[first : last + 1] = "─" * (last + 1 - first)
    for child in node.children:
        row[child.anchor] = "┬"
    row[first], row[last] = "┌", "┐"
    row[node.anchor] = {"─": "┴", "┬": "┼", "┌": "├", "┐": "┤"}[row[node.anchor]]


def outline(nodes: list[PlacedNode]) -> Iterator[str]:
    """Yield one indented line per node."""
    stack: list[tuple[PlacedNode, str, str]] = [(nodes[0], "", "")]
    while stack:
        node, lead, indent = stack.pop()
        yield lead + node.label
        last = len(node.children) - 1
        stack += [
            (
                child,
                indent + ("└── " if k == last else "├── "),
                indent + ("    " if k == last else "│   "),
            )
            for k, child in reversed(list(enumerate(node.children)))
        ]
