"""Text drawings of permutation trees.

Labels are digits, commas and brackets, so that a character is as wide as a column.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hyperbaton.errors import InputError

if TYPE_CHECKING:
    from hyperbaton.order.nodes import Node

GAP = 2  # columns between siblings
MAX_CELLS = 20_000_000  # a larger drawing is useless and fills the memory


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
