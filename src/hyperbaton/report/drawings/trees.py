"""Permutation trees: operators at the nodes, words at the leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hyperbaton.order.moves import Move
from hyperbaton.order.nodes import Node, OperatorTree
from hyperbaton.report.drawings.canvas import (
    LINE,
    PAD,
    SMALL,
    WIDEST,
    Frame,
    check_size,
    clipped,
    finished,
    move_look,
    path,
    word,
)
from hyperbaton.report.svg import Drawing, Markup, element, text_width
from hyperbaton.text.display import right_to_left

BETWEEN = 14.0  # leaves
LEVEL = 46.0  # from a node to those below it
NEXT_LINE = 18.0  # of a leaf's words
LONGEST = 26  # signs of an operator that is written out
LEAF_WIDTH = 200.0  # pixels in which a leaf's words are written; more where there is a column


@dataclass
class Shape:
    """A node, or a leaf with one word or several that stand in order, and its place."""

    label: str
    span: tuple[int, int]
    in_order: bool = True
    words: Sequence[str] = ()
    children: list[Shape] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    height: int = 0  # above the leaves
    start: float = 0.0
    end: float = 0.0
    anchor: float = 0.0

    @property
    def size(self) -> float:
        """How much of the sentence's way it takes."""
        return self.end - self.start


def tree_svg(
    tree: OperatorTree,
    words: Sequence[str] | None = None,
    moves: Sequence[Move] = (),
    style: bool = True,
) -> Drawing:
    """The tree with its root on top, or at the left where it is too wide for that.

    With words, these stand at the leaves, and in a flattened tree words that are in order and side
    by side share a leaf. A block that moves has the colour and the number of its move.
    """
    check_size(len(tree.permutation))
    found = shapes(tree, words)
    frame, size = _place(found, words)
    boxes, badges = _blocks(frame, size, found, moves)
    marks = list(boxes)
    for shape in found:
        if shape.children:
            marks.append(_branches(frame, size, shape))
    for shape in found:
        marks += _label(frame, size, shape)
    marks += badges
    width, height = (size.whole, frame.length) if frame.turned else (frame.length, size.whole)
    return finished(
        width, height, marks, f"permutation tree of {len(tree.permutation)} words", style
    )


# From nodes to shapes


def shapes(tree: OperatorTree, words: Sequence[str] | None) -> list[Shape]:
    """The tree as it is shown: all nodes and leaves, each before its children.

    With words, in a flattened tree, those that are in order and side by side share a leaf.
    """
    found: list[Shape] = []
    open_: list[tuple[Sequence[Node], Shape | None]] = [([tree.root], None)]
    while open_:
        nodes, parent = open_.pop()
        if nodes[0].is_leaf:
            shape = _leaf(tree, nodes, words)
        else:
            node = nodes[0]
            children = _groups(node, words is not None and tree.is_flat)
            if len(children) == 1:  # all of it stands in order
                shape = _leaf(tree, children[0], words)
                children = []
            else:
                shape = Shape(_short(node.label), node.span, _in_order(node))
            open_ += [(group, shape) for group in reversed(children)]
        if parent is not None:
            parent.children.append(shape)
        found.append(shape)
    return found


def _groups(node: Node, merge: bool) -> list[list[Node]]:
    """The children; leaves side by side and in order are one group."""
    children = list(node.children)
    if not merge or not _in_order(node):
        return [[child] for child in children]
    groups: list[list[Node]] = []
    for child in children:
        if groups and child.is_leaf and groups[-1][0].is_leaf:
            groups[-1].append(child)
        else:
            groups.append([child])
    return groups


def _leaf(tree: OperatorTree, nodes: Sequence[Node], words: Sequence[str] | None) -> Shape:
    start, end = nodes[0].span[0], nodes[-1].span[1]
    first, last = tree.permutation[start], tree.permutation[end - 1]
    value = str(first) if first == last else f"{first}–{last}"
    return Shape(value, (start, end), words=() if words is None else words[start:end])


def _in_order(node: Node) -> bool:
    return tuple(node.operator or ()) == (1, 2)


def _short(label: str) -> str:
    """A long operator in part, with its length."""
    if len(label) <= LONGEST:
        return label
    values = label.strip("⟨⟩").split(",")
    return f"⟨{','.join(values[:3])},…,{values[-1]}⟩ ({len(values)})"


# Places


@dataclass(frozen=True)
class Size:
    """How levels are placed across the sentence."""

    highest: int
    level: float
    leaves: float  # how far the leaves go
    turned: bool
    numbers: float = 0.0  # what the values beside the leaves' words take

    def across(self, height: int) -> float:
        """The middle of the labels of a level; of leaves, where their words begin."""
        return (self.highest - height) * self.level + (0 if self.turned else LINE / 2)

    def top(self, shape: Shape) -> float:
        """Where a line from above ends."""
        if self.turned:
            return self.across(shape.height) - (3 if shape.children else 0)
        return self.across(shape.height) - LINE / 2 + (0 if shape.children else 2)

    def bottom(self, shape: Shape) -> float:
        """Where lines to those below begin."""
        return self.across(shape.height) + (
            text_width(shape.label) + 4 if self.turned else LINE / 2
        )

    @property
    def whole(self) -> float:
        """All the way across."""
        return self.across(0) + self.leaves


def _place(shapes: list[Shape], words: Sequence[str] | None) -> tuple[Frame, Size]:
    """Give each shape its place: along a row if it is not too long, else down a column."""
    for shape in reversed(shapes):
        if shape.children:
            shape.height = 1 + max(child.height for child in shape.children)
    highest = shapes[0].height
    length = _extents(shapes, False)
    if length <= WIDEST:
        deepest = max(len(shape.lines) for shape in shapes if not shape.children)
        numbers = SMALL + 6 if words is not None else 0  # below the words
        size = Size(highest, LEVEL, LINE / 2 + (deepest - 1) * NEXT_LINE + numbers, False)
        mirrored = right_to_left("".join(words or ()))
        return Frame(length, False, mirrored), size
    length = _extents(shapes, True)
    labels = [text_width(shape.label) for shape in shapes if shape.children]
    level = max(labels, default=0.0) + 30
    widest = max(text_width(line) for shape in shapes if not shape.children for line in shape.lines)
    numbers = max(text_width(shape.label, SMALL) for shape in shapes if not shape.children)
    return Frame(length, True), Size(highest, level, widest + numbers + 4 * PAD, True, numbers)


def _extents(shapes: list[Shape], turned: bool) -> float:
    """Where each shape begins and ends, from the leaves up and from the root down."""
    between = 4.0 if turned else BETWEEN
    need: dict[int, float] = {}
    for shape in reversed(shapes):
        if shape.children:
            inner = sum(need[id(c)] for c in shape.children) + between * (len(shape.children) - 1)
            own = LINE if turned else text_width(shape.label) + 2 * PAD
            need[id(shape)] = max(inner, own)
        else:
            shape.lines = _wrapped(shape.words, LEAF_WIDTH * (2.2 if turned else 1))
            if turned:
                need[id(shape)] = LINE + NEXT_LINE * (max(1, len(shape.lines)) - 1)
            else:
                texts = [text_width(line) for line in shape.lines] + [text_width(shape.label)]
                need[id(shape)] = max(texts) + 2 * PAD
    shapes[0].start, shapes[0].end = 0.0, need[id(shapes[0])]
    for shape in shapes:
        inner = sum(need[id(c)] for c in shape.children) + between * (len(shape.children) - 1)
        start = shape.start + (shape.size - inner) / 2
        for child in shape.children:
            child.start, child.end = start, start + need[id(child)]
            start = child.end + between
    for shape in reversed(shapes):
        ends = (shape.start, shape.end)
        if shape.children:
            ends = (shape.children[0].anchor, shape.children[-1].anchor)
        shape.anchor = sum(ends) / 2
    return shapes[0].size


def _wrapped(words: Sequence[str], width: float) -> list[str]:
    """The words in lines; at least one, which may be empty."""
    lines: list[str] = []
    for text in map(clipped, words):
        if lines and text_width(f"{lines[-1]} {text}") <= width:
            lines[-1] += f" {text}"
        else:
            lines.append(text)
    return lines or [""]


# Marks


def _blocks(
    frame: Frame, size: Size, found: Sequence[Shape], moves: Sequence[Move]
) -> tuple[list[Markup], list[Markup]]:
    """A coloured box for each block that moves, the outer ones first, and its number."""
    numbers = {move.block: k for k, move in enumerate(moves)}
    boxes: list[Markup] = []
    badges: list[Markup] = []
    for shape in found:
        number = numbers.get(shape.span)
        if number is None:
            continue
        pad = min(2.0 + shape.height, 6.0)
        if frame.turned:
            along = (shape.start - 1, shape.end + 1)
            across = (size.across(shape.height) - PAD - pad, size.whole + pad - PAD)
        else:
            along = (shape.start - pad, shape.end + pad)
            across = (size.across(shape.height) - LINE / 2, size.whole + pad)
        look = move_look(number)
        boxes.append(frame.box(along, across, look))
        x, y = frame.point(shape.anchor if frame.turned else along[0] + 1, across[0])
        badges.append(element("circle", cx=x, cy=y, r=8, class_=f"hb-{look}"))
        badges.append(word(x, y, str(number + 1), f"{look}-ink", size=SMALL))
    return boxes, badges


def _branches(frame: Frame, size: Size, shape: Shape) -> Markup:
    """From a node to the middle of the way, along, and down to each child."""
    bottom = size.bottom(shape)
    bus = size.across(shape.height) + (
        size.level - 14 if frame.turned else LINE / 2 + (size.level - LINE) / 2
    )
    first, last = shape.children[0].anchor, shape.children[-1].anchor
    steps = [f"M{frame.at(shape.anchor, bottom)}L{frame.at(shape.anchor, bus)}"]
    steps.append(f"M{frame.at(first, bus)}L{frame.at(last, bus)}")
    for child in shape.children:
        steps.append(f"M{frame.at(child.anchor, bus)}L{frame.at(child.anchor, size.top(child))}")
    return path("".join(steps))


def _label(frame: Frame, size: Size, shape: Shape) -> Iterator[Markup]:
    """The operator of a node; of a leaf its words, and below or beside them its values."""
    if shape.children:
        x, y = frame.point(shape.anchor, size.across(shape.height))
        look = "quiet" if shape.in_order else "ink"
        yield word(x, y, shape.label, look, "start" if frame.turned else "middle")
        return
    across = size.across(0)
    if not shape.words:
        if frame.turned:
            yield word(across + PAD, shape.anchor, shape.label, anchor="start")
        else:
            yield word(*frame.point(shape.anchor, across), shape.label)
        return
    for k, line in enumerate(shape.lines):
        if frame.turned:
            y = shape.start + LINE / 2 + k * NEXT_LINE
            if right_to_left(line):
                yield word(size.whole - PAD, y, line, anchor="end")
            else:
                yield word(across + size.numbers + 2 * PAD, y, line, anchor="start")
        else:
            x, y = frame.point(shape.anchor, across + k * NEXT_LINE)
            yield word(x, y, line, mirrored=frame.mirrored)
    if frame.turned:
        yield word(across + PAD, shape.start + LINE / 2, shape.label, "quiet", "start", SMALL)
    else:
        below = across + (len(shape.lines) - 1) * NEXT_LINE + LINE / 2 + SMALL / 2
        yield word(*frame.point(shape.anchor, below), shape.label, "quiet", size=SMALL)
