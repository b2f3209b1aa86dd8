"""Drawings of permutation trees, and of permutation forests: all trees with one bar per span."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice

from hyperbaton.order.moves import Move, Span
from hyperbaton.order.nodes import Node, OperatorTree
from hyperbaton.order.trees import PermutationForest
from hyperbaton.presentation import Drawing, Markup
from hyperbaton.text.display import clip_word, is_right_to_left
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.drawings.canvas import (
    LINE,
    MAX_ITEMS,
    MAX_WIDTH,
    PAD,
    PLAIN,
    SMALL,
    Frame,
    check_size,
    finish_drawing,
    move_look,
    path,
)
from hyperbaton.views.svg import element, text_width

LEAF_GAP = 14.0
LEVEL = 46.0  # distance between a node and its children
NEXT_LINE = 18.0  # line height of a leaf's words
MAX_OPERATOR_LENGTH = 26  # characters; longer operators are shortened
LEAF_WIDTH = 200.0  # pixels after which a leaf's words are wrapped; more in turned drawings
MAX_UNFOLDED = 6  # children of a chain; longer chains are drawn as one bar
MAX_UNFOLDED_TURNED = 4
MIN_LEAF_WIDTH = 34.0
BAR = 30.0  # distance between bars


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
    needed: float = 0.0  # least extent along the sentence

    @property
    def size(self) -> float:
        """The extent along the sentence."""
        return self.end - self.start

    def inner_size(self, between: float) -> float:
        """Return what the children need, with ``between`` between each two."""
        return sum(child.needed for child in self.children) + between * (len(self.children) - 1)


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
    marks = [*boxes, *(_branches(frame, size, shape) for shape in tree_shapes if shape.children)]
    for shape in tree_shapes:
        marks += _label(frame, size, shape)
    marks += badges
    title = f"permutation tree of {len(tree.permutation)} words"
    return finish_drawing(*frame.size(size.whole), marks, title, style)


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
    for shape in reversed(shapes):
        if shape.children:
            label = LINE if turned else text_width(shape.label) + 2 * PAD
            shape.needed = max(shape.inner_size(between), label)
        else:
            shape.lines = _wrap(shape.words, LEAF_WIDTH * (2.2 if turned else 1))
            if turned:
                shape.needed = LINE + NEXT_LINE * (len(shape.lines) - 1)
            else:
                texts = [text_width(line) for line in shape.lines] + [text_width(shape.label)]
                shape.needed = max(texts) + 2 * PAD
    shapes[0].end = shapes[0].needed
    for shape in shapes:
        start = shape.start + (shape.size - shape.inner_size(between)) / 2
        for child in shape.children:
            child.start, child.end = start, start + child.needed
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
        look = move_look(number, move)
        boxes.append(frame.box(along, across, look))
        x, y = frame.point(shape.anchor if frame.turned else along[0] + 1, across[0])
        badges.append(element("circle", cx=x, cy=y, r=8, class_=f"hb-{look}"))
        badges.append(PLAIN.text(x, y, str(number + 1), f"{look}-ink", size=SMALL))
    return boxes, badges


def _branches(frame: Frame, size: Size, shape: Shape) -> Markup:
    """Return the lines from a node to its children."""
    bottom = size.bottom(shape)
    bus = size.across(shape.height) + (
        size.level - 14 if frame.turned else LINE / 2 + (size.level - LINE) / 2
    )
    first, last = shape.children[0].anchor, shape.children[-1].anchor
    lines = [((shape.anchor, bottom), (shape.anchor, bus)), ((first, bus), (last, bus))]
    lines += [((c.anchor, bus), (c.anchor, size.top(c))) for c in shape.children]
    return path("".join(f"M{frame.at(*start)}L{frame.at(*end)}" for start, end in lines))


def _label(frame: Frame, size: Size, shape: Shape) -> Iterator[Markup]:
    """Yield the operator of a node, or the words and the values of a leaf."""
    beside = "start" if frame.turned else "middle"
    if shape.children:
        look = "quiet" if shape.in_order else "ink"
        yield frame.text(shape.anchor, size.across(shape.height), shape.label, look, beside)
        return
    across = size.across(0)
    if not shape.words:
        pad = PAD if frame.turned else 0
        yield frame.text(shape.anchor, across + pad, shape.label, anchor=beside)
        return
    for k, line in enumerate(shape.lines):
        along = shape.start + LINE / 2 + k * NEXT_LINE
        if not frame.turned:
            yield frame.text(shape.anchor, across + k * NEXT_LINE, line, is_word=True)
        elif is_right_to_left(line) and not frame.mirrored:
            yield PLAIN.text(size.whole - PAD, along, line, anchor="end")
        else:
            place = across + size.numbers + 2 * PAD
            yield frame.text(along, place, line, anchor="start", is_word=True)
    if frame.turned:
        along, place = shape.start + LINE / 2, across + PAD
    else:
        along = shape.anchor
        place = across + (len(shape.lines) - 1) * NEXT_LINE + LINE / 2 + SMALL / 2
    yield frame.text(along, place, shape.label, "quiet", beside, SMALL)


# Forests


def forest_svg(
    forest: PermutationForest, words: Sequence[str] | None = None, style: bool = True
) -> Drawing:
    """Draw all trees of a permutation: one bar per span [[i, j]], with operator and inferences.

    Strokes on a bar are the split points of its only inference. Dots stand for several inferences
    with one split point each. A chain of many children is drawn as one bar, such as 9×⟨1,2⟩.

    Parameters
    ----------
    forest : PermutationForest
    words : sequence of str, optional
        The words at the leaves. The default is the values of the permutation.
    style : bool
        Whether the drawing contains its style sheet.
    """
    n = len(forest.permutation)
    values = [str(value) for value in forest.permutation]
    texts = values if words is None else list(map(clip_word, words))
    widths = [max(MIN_LEAF_WIDTH, text_width(text) + 2 * PAD) for text in texts]
    turned = sum(widths) > MAX_WIDTH
    unfolded = MAX_UNFOLDED_TURNED if turned else MAX_UNFOLDED
    spans = list(islice(_bars(forest, unfolded), MAX_ITEMS + 1))
    check_size(n + 2 * len(spans))  # placing the bars takes quadratic time
    ends = list(accumulate([LINE] * n if turned else widths, initial=0.0))
    labels = {span: _bar_label(forest, span, whole) for span, whole in spans}
    levels = _levels([span for span, _ in spans])
    tops = _tops(levels, labels, turned)
    base = tops[0]
    room = max(widths) if turned else LINE + (SMALL + 4) * (words is not None)
    mirrored = is_right_to_left("".join(words or ()))
    frame = Frame(ends[-1], turned, mirrored, base + room)
    marks: list[Markup] = []
    for span, _ in spans:
        level = levels[span]
        across = (tops[level], tops[level - 1] - 4)
        marks += _bar(frame, ends, span, labels[span], forest.inferences(*span), across)
    for k, text in enumerate(texts):
        middle = (ends[k] + ends[k + 1]) / 2
        if turned:
            marks.append(frame.text(middle, base + PAD, text, anchor="start", is_word=True))
            continue
        marks.append(frame.text(middle, base + LINE / 2, text, is_word=True))
        if words is not None:
            below = base + LINE + SMALL / 2
            marks.append(frame.text(middle, below, values[k], "quiet", size=SMALL))
    width, height = frame.size(base + room)
    caption = _caption(forest.count())
    width = max(width, text_width(caption, SMALL))
    marks.append(PLAIN.text(width / 2, height + LINE / 2, caption, "quiet", size=SMALL))
    title = f"permutation forest of {n} words, {caption}"
    return finish_drawing(width, height + LINE, marks, title, style)


def _bars(forest: PermutationForest, unfolded: int) -> Iterator[tuple[Span, bool]]:
    """Yield the spans to draw, and whether each one is a whole long chain."""
    for node in forest.permutation.tree().flatten():
        if node.is_leaf:
            continue
        folded = len(node.children) > unfolded and node.repeat > 1
        if folded or node.repeat == 1:
            yield node.span, folded
            continue
        bounds = [child.span[0] for child in node.children] + [node.span[1]]
        for start in range(len(bounds) - 2):
            for end in bounds[start + 2 :]:
                yield (bounds[start], end), False


def _bar_label(forest: PermutationForest, span: Span, folded: bool) -> str:
    operator = forest.operator(*span)
    values = list(operator or ())
    text = f"⟨{','.join(map(str, values))}⟩"
    if len(values) > 9:
        text = f"⟨{values[0]},{values[1]},…,{values[-1]}⟩ ({len(values)})"
    return f"{len(forest.inferences(*span))}×{text}" if folded else text


def _levels(spans: Sequence[Span]) -> dict[Span, int]:
    """Return a level for each span, from 1: above the spans it covers, overlapping no other."""
    levels: dict[Span, int] = {}
    for start, end in sorted(spans, key=lambda span: (span[1] - span[0], span)):
        overlapping = [(a, b, level) for (a, b), level in levels.items() if a < end and start < b]
        lowest = 1 + max((lv for a, b, lv in overlapping if start <= a and b <= end), default=0)
        taken = {level for *_, level in overlapping}
        while lowest in taken:
            lowest += 1
        levels[start, end] = lowest
    return levels


def _tops(levels: dict[Span, int], labels: dict[Span, str], turned: bool) -> list[float]:
    """Return where each level starts; level 0 contains the words."""
    highest = max(levels.values(), default=0)
    breadths = [BAR] * (highest + 1)
    if turned:
        for level in range(1, highest + 1):
            widths = (text_width(labels[span]) for span, at in levels.items() if at == level)
            breadths[level] = max(widths) + 16
    return list(accumulate(reversed(breadths[1:]), initial=0.0))[::-1]


def _bar(
    frame: Frame,
    ends: Sequence[float],
    span: Span,
    label: str,
    inferences: Sequence[tuple[int, ...]],
    across: tuple[float, float],
) -> Iterator[Markup]:
    start, end = ends[span[0]] + 2, ends[span[1]] - 2
    in_order = "⟨1,2⟩" in label
    yield frame.box((start, end), across, "bar" if in_order else "bar-turned")
    low = across[1]
    for splits in inferences:
        for split in splits:
            if len(inferences) > 1:
                x, y = frame.point(ends[split], low)
                yield element("circle", cx=x, cy=y, r=3, class_="hb-ink")
            else:
                yield path(f"M{frame.at(ends[split], low - 6)}L{frame.at(ends[split], low)}")
    middle = sum(across) / 2 - (0 if frame.turned else 1)
    yield frame.text((start + end) / 2, middle, label, "quiet" if in_order else "ink", size=12.0)


def _caption(count: int) -> str:
    """Return the number of trees in words."""
    if count < 10**9:
        return count_noun(count, "tree")
    return f"about 10^{len(str(count)) - 1} trees"
