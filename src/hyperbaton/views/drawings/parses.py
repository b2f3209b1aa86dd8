"""Drawings of inversion parses: pairs of words, and boxes enclosing blocks that changed places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hyperbaton.edit.bracketing import Block, InversionParse, Operation
from hyperbaton.presentation import Drawing, Markup
from hyperbaton.text.display import clip_word, is_right_to_left
from hyperbaton.views.drawings.canvas import (
    GAP,
    MAX_WIDTH,
    PAD,
    SMALL,
    Frame,
    check_size,
    finish_drawing,
    message_drawing,
    path,
)
from hyperbaton.views.drawings.sentences import NAMES
from hyperbaton.views.svg import element, number, text_width

ShownWords = tuple[Sequence[str], Sequence[str]]
ROW = 21.0  # distance between a word and the one below it
INSET = 5.0  # distance between nested boxes
SWAP = 22.0  # width of the arrows between two halves
ARROWS = "M-7 -3H6M3 -6L6 -3L3 0M7 4H-6M-3 1L-6 4L-3 7"


@dataclass
class Half:
    """One half of an inverted block: its depth, which half it is, and its extent in each line."""

    depth: int
    second: bool
    pieces: list[tuple[int, float, float]]  # line, start, end

    def grow(self, line: int, start: float, end: float) -> None:
        """Extend the half to the right."""
        if self.pieces and self.pieces[-1][0] == line:
            start = self.pieces.pop()[1]
        self.pieces.append((line, start, end))


@dataclass(frozen=True)
class EditCell:
    """An edit with the words of both sides and its place."""

    operation: Operation
    texts: tuple[str, str]
    line: int
    start: float
    end: float


def parse_svg(
    parse: InversionParse, words: ShownWords | None = None, style: bool = True
) -> Drawing:
    """Draw a parse in lines; the words of s are above those of t, and ε is the empty word.

    The two halves of an inverted block, which are exchanged in t, have boxes of two colours with
    arrows between them. Edits that have a cost are coloured.

    Parameters
    ----------
    parse : InversionParse
    words : pair of sequences of str, optional
        The words to show instead of the tokens that were compared.
    style : bool
        Whether the drawing contains its style sheet.
    """
    check_size(len(parse.operations))
    if not parse.tree.parts:
        return message_drawing("no words to parse", style)
    cells, halves, swaps = _lay_out(parse.tree, words)
    deepest = max((half.depth for half in halves), default=-1) + 1
    height = 2 * ROW + 2 * INSET * deepest + 18
    ends = [cell.end for cell in cells] + [end for half in halves for *_, end in half.pieces]
    length = max(ends) + 2
    mirrored = is_right_to_left("".join("".join(cell.texts) for cell in cells))
    frame = Frame(length, mirrored=mirrored)
    marks: list[Markup] = []
    for half in halves:
        pad = INSET * (deepest - half.depth) - 1
        look = "half1" if half.second else "half0"
        last = len(half.pieces) - 1
        for k, (line, start, end) in enumerate(half.pieces):
            top = line * height + 9 + INSET * deepest
            across = (top - pad, top + 2 * ROW + pad)
            marks.append(_piece(frame, (start, end), across, look, k > 0, k < last))
    for line, along in swaps:
        x, y = frame.point(along, line * height + height / 2)
        place = f"translate({number(x)} {number(y)})"
        marks.append(element("g", path(ARROWS), transform=place))
    for cell in cells:
        marks += _cell(frame, cell, cell.line * height + 9 + INSET * deepest)
    gutter = max(text_width(name, SMALL) for name in NAMES) + 12
    lines = cells[-1].line + 1
    for line in range(lines):
        for k, name in enumerate(NAMES):
            y = line * height + 9 + INSET * deepest + (k + 0.5) * ROW
            marks.append(frame.text(-gutter, y, name, "quiet", "start", SMALL))
    shift = 0.0 if mirrored else gutter
    whole = element("g", *marks, transform=f"translate({number(shift)} 0)")
    title = f"inversion parse of cost {parse.cost}"
    return finish_drawing(length + gutter, lines * height, [whole], title, style)


def _lay_out(
    tree: Block, words: ShownWords | None
) -> tuple[list[EditCell], list[Half], list[tuple[int, float]]]:
    """Return cells in lines, the halves enclosing them from outside to inside, and the arrows."""
    cells: list[EditCell] = []
    halves: list[Half] = []
    swaps: list[tuple[int, float]] = []
    enclosing: list[Half] = []
    line, at = 0, 0.0
    # a Half opens a box, None closes one
    stack: list[Block | Operation | Half | None] = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, Half):
            if item.second:
                swaps.append((line, at + (SWAP - GAP - INSET) / 2))
                for k, half in enumerate(enclosing):  # the arrows are inside of these
                    half.grow(line, at, at + SWAP - GAP + INSET * (len(enclosing) - k - 1))
            at += SWAP if item.second else INSET
            halves.append(item)
            enclosing.append(item)
        elif item is None:
            enclosing.pop()
            at += INSET
        elif isinstance(item, Block):
            if not item.inverted:
                stack.extend(reversed(item.parts))
                continue
            first, second = (Half(len(enclosing), k > 0, []) for k in range(2))
            stack += [None, item.parts[1], second, None, item.parts[0], first]
        else:
            texts = _texts(item, words)
            width = max(map(text_width, texts)) + 2 * PAD
            if at and at + width + SWAP > MAX_WIDTH:
                line, at = line + 1, INSET * len(enclosing)
            cells.append(EditCell(item, texts, line, at, at + width))
            for k, half in enumerate(enclosing):
                inset = INSET * (len(enclosing) - k) - 2
                half.grow(line, at - inset, at + width + inset)
            at += width + GAP
    return cells, halves, swaps


def _piece(
    frame: Frame,
    along: tuple[float, float],
    across: tuple[float, float],
    look: str,
    continued: bool,
    continues: bool,
) -> Markup:
    """Return a box that is open where it continues from the previous or on the next line."""
    if not continued and not continues:
        return frame.box(along, across, look)
    (start, end), (top, bottom) = along, across
    corners = [(start, top), (end, top), (end, bottom), (start, bottom)]
    # dashes and gaps hide the open edges; the order is top, end, bottom, start
    length, height = end - start, bottom - top
    dashes = [length, height, length, height] if continued else [length, height, length + height, 0]
    if not continues:
        dashes = [2 * length + height, height]
    dashing = " ".join(map(number, dashes))
    return element("path", d=frame.polygon(corners), class_=f"hb-{look}", stroke_dasharray=dashing)


def _texts(operation: Operation, words: ShownWords | None) -> tuple[str, str]:
    sides = (operation.i, operation.source), (operation.j, operation.target)
    first, second = (
        "ε" if at is None else clip_word(str(token) if words is None else words[k][at])
        for k, (at, token) in enumerate(sides)
    )
    return first, second


def _cell(frame: Frame, cell: EditCell, top: float) -> Iterator[Markup]:
    """Yield the words, one above the other, in a box if they were edited."""
    kind = cell.operation.kind
    if kind != "match":
        yield frame.box((cell.start, cell.end), (top + 1, top + 2 * ROW - 1), kind)
    for side, position in enumerate((cell.operation.i, cell.operation.j)):
        middle, line = (cell.start + cell.end) / 2, top + (side + 0.5) * ROW
        look = "quiet" if position is None else "ink"
        yield frame.text(middle, line, cell.texts[side], look, is_word=True)
