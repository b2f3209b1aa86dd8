"""Drawings of permutation trees: operators at the nodes, words at the leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hyperbaton.order.moves import Move
from hyperbaton.order.nodes import Node, OperatorTree
from hyperbaton.presentation import Drawing, Markup
from hyperbaton.text.display import clip_word, is_right_to_left
from hyperbaton.views.drawings.canvas import (
    LINE,
    MAX_WIDTH,
    PAD,
    SMALL,
    Frame,
    check_size,
    finish_drawing,
    move_look,
    path,
    text_element,
)
from hyperbaton.views.svg import element, text_width

LEAF_GAP = 14.0
LEVEL = 46.0  # distance between a node and its children
NEXT_LINE = 18.0  # line height of a leaf's words
MAX_OPERATOR_LENGTH = 26  # characters; longer operators are shortened
LEAF_WIDTH = 200.0  # pixels after which a leaf's words are wrapped; more in turned drawings


@dataclass
class Shape:
    """A node, or a leaf with consecutive words that are in order, and its coordinates."""

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
        """The extent along the sentence."""
        return self.end - self.start


def tree_svg(
    tree: OperatorTree,
    words: Sequence[str] | None = None,
    moves: Sequence[Move] = (),
    style: bool = True,
) -> Drawing:
    """Draw a tree with the root at the top, or at the left if the tree is too wide.

    Parameters
    ----------
    tree : OperatorTree
    words : sequence of str, optional
        The words at the leaves. In a flattened tree, consecutive words that are in order share a
        leaf.
    moves : sequence of Move
        Blocks that move have the colours and the numbers of their moves.
    style : bool
        Whether the drawing contains its style sheet.
    """
    check_size(len(tree.permutation))
    tree_shapes = shapes(tree, words)
    frame, size = _place(tree_shapes, words)
    boxes, badges = _blocks(frame, size, tree_shapes, moves)
    marks = list(boxes)
    for shape in tree_shapes:
        if shape.children:
            marks.append(_branches(frame, size, shape))
    for shape in tree_shapes:
        marks += _label(frame, size, shape)
    marks += badges
    width, height = (size.whole, frame.length) if frame.turned else (frame.length, size.whole)
    return finish_drawing(
        width, height, marks, f"permutation tree of {len(tree.permutation)} words", style
    )


# Shapes


def shapes(tree: OperatorTree, words: Sequence[str] | None) -> list[Shape]:
    """Return the nodes and leaves to draw, each before its children.

    With words, consecutive words of a flattened tree that are in order share a leaf.
    """
    result: list[Shape] = []
    pending: list[tuple[Sequence[Node], Shape | None]] = [([tree.root], None)]
    while pending:
        nodes, parent = pending.pop()
        if nodes[0].is_leaf:
            shape = _leaf(tree, nodes, words)
        else:
            node = nodes[0]
            label = node.label
            in_order = label.endswith("⟨1,2⟩")
            groups = _group_children(node, in_order and words is not None and tree.is_flat)
            if len(groups) == 1:  # all words below the node are in order
                shape = _leaf(tree, groups[0], words)
                groups = []
            else:
                shape = Shape(_shorten_operator(label), node.span, in_order)
            pending += [(group, shape) for group in reversed(groups)]
        if parent is not None:
            parent.children.append(shape)
        result.append(shape)
    return result


def _group_children(node: Node, merge: bool) -> list[list[Node]]:
    """Return the children; with ``merge``, adjacent leaves form one group."""
    groups: list[list[Node]] = []
    for child in node.children:
        if merge and groups and child.is_leaf and groups[-1][0].is_leaf:
            groups[-1].append(child)
        else:
            groups.append([child])
    return groups


def _leaf(tree: OperatorTree, nodes: Sequence[Node], words: Sequence[str] | None) -> Shape:
    start, end = nodes[0].span[0], nodes[-1].span[1]
    first, last = tree.permutation[start], tree.permutation[end - 1]
    value = str(first) if first == last else f"{first}–{last}"
    return Shape(value, (start, end), words=() if words is None else words[start:end])


def _shorten_operator(label: str) -> str:
    """Return the label, or the ends of a long operator and its length."""
    if len(label) <= MAX_OPERATOR_LENGTH:
        return label
    values = label.strip("⟨⟩").split(",")
    return f"⟨{','.join(values[:3])},…,{values[-1]}⟩ ({len(values)})"


# Layout


@dataclass(frozen=True)
class Size:
    """The layout across the sentence."""

    highest: int
    level: float
    leaves: float  # extent of the leaves
    turned: bool
    numbers: float = 0.0  # extent of the values beside the leaves' words

    def across(self, height: int) -> float:
        """Return the middle of the labels of a level, or the start of the words of leaves."""
        return (self.highest - height) * self.level + (0 if self.turned else LINE / 2)

    def top(self, shape: Shape) -> float:
        """Return where a line from the parent ends."""
        if self.turned:
            return self.across(shape.height) - (3 if shape.children else 0)
        return self.across(shape.height) - LINE / 2 + (0 if shape.children else 2)

    def bottom(self, shape: Shape) -> float:
        """Return where lines to the children begin."""
        return self.across(shape.height) + (
            text_width(shape.label) + 4 if self.turned else LINE / 2
        )

    @property
    def whole(self) -> float:
        """The whole extent."""
        return self.across(0) + self.leaves


def _place(shapes: list[Shape], words: Sequence[str] | None) -> tuple[Frame, Size]:
    """Set the coordinates of all shapes: in a row if it is not too long, otherwise in a column."""
    for shape in reversed(shapes):
        if shape.children:
            shape.height = 1 + max(child.height for child in shape.children)
    highest = shapes[0].height
    mirrored = is_right_to_left("".join(words or ()))
    length = _extents(shapes, False)
    if length <= MAX_WIDTH:
        deepest = max(len(shape.lines) for shape in shapes if not shape.children)
        numbers = SMALL + 6 if words is not None else 0  # below the words
        size = Size(highest, LEVEL, LINE / 2 + (deepest - 1) * NEXT_LINE + numbers, False)
        return Frame(length, False, mirrored), size
    length = _extents(shapes, True)
    labels = [text_width(shape.label) for shape in shapes if shape.children]
    level = max(labels, default=0.0) + 30
    widest = max(text_width(line) for shape in shapes if not shape.children for line in shape.lines)
    numbers = max(text_width(shape.label, SMALL) for shape in shapes if not shape.children)
    size = Size(highest, level, widest + numbers + 4 * PAD, True, numbers)
    return Frame(length, True, mirrored, size.whole), size


def _extents(shapes: list[Shape], turned: bool) -> float:
    """Set where each shape starts and ends: sizes from the leaves up, places from the root down."""
    between = 4.0 if turned else LEAF_GAP
    needed: dict[int, float] = {}
    for shape in reversed(shapes):
        if shape.children:
            inner = sum(needed[id(c)] for c in shape.children) + between * (len(shape.children) - 1)
            label = LINE if turned else text_width(shape.label) + 2 * PAD
            needed[id(shape)] = max(inner, label)
        else:
            shape.lines = _wrap(shape.words, LEAF_WIDTH * (2.2 if turned else 1))
            if turned:
                needed[id(shape)] = LINE + NEXT_LINE * (max(1, len(shape.lines)) - 1)
            else:
                texts = [text_width(line) for line in shape.lines] + [text_width(shape.label)]
                needed[id(shape)] = max(texts) + 2 * PAD
    shapes[0].start, shapes[0].end = 0.0, needed[id(shapes[0])]
    for shape in shapes:
        inner = sum(needed[id(c)] for c in shape.children) + between * (len(shape.children) - 1)
        start = shape.start + (shape.size - inner) / 2
        for child in shape.children:
            child.start, child.end = start, start + needed[id(child)]
            start = child.end + between
    for shape in reversed(shapes):
        ends = (shape.start, shape.end)
        if shape.children:
            ends = (shape.children[0].anchor, shape.children[-1].anchor)
        shape.anchor = sum(ends) / 2
    return shapes[0].size


def _wrap(words: Sequence[str], width: float) -> list[str]:
    """Return the words in lines; there is at least one, which may be empty."""
    lines: list[str] = []
    for text in map(clip_word, words):
        if lines and text_width(f"{lines[-1]} {text}") <= width:
            lines[-1] += f" {text}"
        else:
            lines.append(text)
    return lines or [""]


# Marks


def _blocks(
    frame: Frame, size: Size, shapes: Sequence[Shape], moves: Sequence[Move]
) -> tuple[list[Markup], list[Markup]]:
    """Return a coloured box for each block that moves, outer ones first, and their numbers."""
    by_block = {move.block: (k, move) for k, move in enumerate(moves)}
    boxes: list[Markup] = []
    badges: list[Markup] = []
    for shape in shapes:
        if shape.span not in by_block:
            continue
        number, move = by_block[shape.span]
        pad = min(2.0 + shape.height, 6.0)
        if frame.turned:
            along = (shape.start - 1, shape.end + 1)
            across = (size.across(shape.height) - PAD - pad, size.whole + pad - PAD)
        else:
            along = (shape.start - pad, shape.end + pad)
            across = (size.across(shape.height) - LINE / 2, size.whole + pad)
        look = move_look(number, move.is_punctuation)
        boxes.append(frame.box(along, across, look))
        x, y = frame.point(shape.anchor if frame.turned else along[0] + 1, across[0])
        badges.append(element("circle", cx=x, cy=y, r=8, class_=f"hb-{look}"))
        badges.append(text_element(x, y, str(number + 1), f"{look}-ink", size=SMALL))
    return boxes, badges


def _branches(frame: Frame, size: Size, shape: Shape) -> Markup:
    """Return the lines from a node to its children."""
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
    """Yield the operator of a node, or the words and the values of a leaf."""
    if shape.children:
        x, y = frame.point(shape.anchor, size.across(shape.height))
        look = "quiet" if shape.in_order else "ink"
        yield text_element(
            x, y, shape.label, look, frame.anchor("start") if frame.turned else "middle"
        )
        return
    across = size.across(0)
    if not shape.words:
        if frame.turned:
            x, y = frame.point(shape.anchor, across + PAD)
            yield text_element(x, y, shape.label, anchor=frame.anchor("start"))
        else:
            yield text_element(*frame.point(shape.anchor, across), shape.label)
        return
    for k, line in enumerate(shape.lines):
        if frame.turned:
            along = shape.start + LINE / 2 + k * NEXT_LINE
            if is_right_to_left(line) and not frame.mirrored:
                yield text_element(size.whole - PAD, along, line, anchor="end")
            else:
                x, y = frame.point(along, across + size.numbers + 2 * PAD)
                yield text_element(
                    x, y, line, anchor=frame.anchor("start"), mirrored=frame.mirrored
                )
        else:
            x, y = frame.point(shape.anchor, across + k * NEXT_LINE)
            yield text_element(x, y, line, mirrored=frame.mirrored)
    if frame.turned:
        x, y = frame.point(shape.start + LINE / 2, across + PAD)
        yield text_element(x, y, shape.label, "quiet", frame.anchor("start"), SMALL)
    else:
        below = across + (len(shape.lines) - 1) * NEXT_LINE + LINE / 2 + SMALL / 2
        yield text_element(*frame.point(shape.anchor, below), shape.label, "quiet", size=SMALL)
