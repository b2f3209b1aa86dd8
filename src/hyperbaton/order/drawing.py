"""Permutation trees as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hyperbaton.errors import InputError

if TYPE_CHECKING:
    from hyperbaton.order.nodes import Node

GAP = 2
MOST_CELLS = 20_000_000  # a larger picture helps nobody and fills the memory


class Placed:
    """A node on its way to a picture."""

    __slots__ = ("anchor", "children", "depth", "label", "left", "width")

    def __init__(self, label: str, depth: int) -> None:
        self.label = label
        self.depth = depth
        self.children: list[Placed] = []
        self.left = self.anchor = 0
        self.width = len(label)


def draw(root: Node, width: int | None) -> str:
    """The tree below ``root``: drawn from the top if ``width`` columns hold it, else outlined."""
    nodes = place(root)
    top = nodes[0]
    height = 2 * max(node.depth for node in nodes) + 1
    if (width is None or top.width <= width) and top.width * height <= MOST_CELLS:
        return from_the_top(nodes, height)
    if sum(4 * node.depth + len(node.label) for node in nodes) > MOST_CELLS:
        raise InputError(f"a tree of {len(nodes)} nodes and leaves is too large to draw")
    return "\n".join(outline(nodes))


def place(root: Node) -> list[Placed]:
    """All nodes in pre-order, with the columns that each one and its subtree take up."""
    nodes: list[Placed] = []
    open_: list[tuple[Node, Placed | None]] = [(root, None)]
    while open_:
        node, parent = open_.pop()
        placed = Placed(node.label, parent.depth + 1 if parent else 0)
        if parent:
            parent.children.append(placed)
        nodes.append(placed)
        open_ += [(child, placed) for child in reversed(node.children)]
    for placed in reversed(nodes):
        if placed.children:
            inner = sum(child.width for child in placed.children) + GAP * (len(placed.children) - 1)
            placed.width = max(inner, placed.width)
    return nodes


def from_the_top(nodes: list[Placed], height: int) -> str:
    """Labels above branches; a node stands in the middle of its outermost children."""
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
            # the label stays within the columns of its subtree
            start = min(
                max(middle - len(node.label) // 2, node.left),
                node.left + node.width - len(node.label),
            )
            node.anchor = start + len(node.label) // 2
            branch(canvas[2 * node.depth + 1], node)
        else:
            start = node.left + (node.width - len(node.label)) // 2
            node.anchor = start + len(node.label) // 2
        canvas[2 * node.depth][start : start + len(node.label)] = node.label
    return "\n".join("".join(row).rstrip() for row in canvas)


def branch(row: list[str], node: Placed) -> None:
    """The line between a node and its children."""
    first, last = node.children[0].anchor, node.children[-1].anchor
    row[first : last + 1] = "─" * (last + 1 - first)
    for child in node.children:
        row[child.anchor] = "┬"
    row[first], row[last] = "┌", "┐"
    row[node.anchor] = {"─": "┴", "┬": "┼", "┌": "├", "┐": "┤"}[row[node.anchor]]


def outline(nodes: list[Placed]) -> Iterator[str]:
    """One node a line, indented."""
    open_: list[tuple[Placed, str, str]] = [(nodes[0], "", "")]
    while open_:
        node, lead, indent = open_.pop()
        yield lead + node.label
        last = len(node.children) - 1
        open_ += [
            (
                child,
                indent + ("└── " if k == last else "├── "),
                indent + ("    " if k == last else "│   "),
            )
            for k, child in reversed(list(enumerate(node.children)))
        ]
