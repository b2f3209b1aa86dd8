"""Inversion parses: pairs of words in lines, and boxes around blocks that changed places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hyperbaton.edit.bracketing import Block, InversionParse, Operation
from hyperbaton.report.drawings.canvas import (
    GAP,
    PAD,
    SMALL,
    WIDEST,
    Frame,
    check_size,
    clipped,
    empty,
    finished,
    path,
    word,
)
from hyperbaton.report.drawings.sentences import NAMES
from hyperbaton.report.svg import Drawing, Markup, element, number, text_width
from hyperbaton.text.display import right_to_left

Words = tuple[Sequence[str], Sequence[str]]
ROW = 21.0  # from a word to the one below it
INSET = 5.0  # of a box within a box
SWAP = 22.0  # for the sign between two halves
ARROWS = "M-7 -3H6M3 -6L6 -3L3 0M7 4H-6M-3 1L-6 4L-3 7"


@dataclass
class Half:
    """One part of an inverted block: how deep it is, which of the two, and where in each line."""

    depth: int
    second: bool
    pieces: list[tuple[int, float, float]]  # line, from, to

    def grow(self, line: int, start: float, end: float) -> None:
        """Take in what stands there, after all that it has."""
        if self.pieces and self.pieces[-1][0] == line:
            start = self.pieces.pop()[1]
        self.pieces.append((line, start, end))


@dataclass(frozen=True)
class Cell:
    """An edit in its place, with the words of both sides."""

    operation: Operation
    texts: tuple[str, str]
    line: int
    start: float
    end: float


def parse_svg(
    parse: InversionParse,
    words: Words | None = None,
    names: tuple[str, str] = NAMES,
    style: bool = True,
) -> Drawing:
    """The parse, line by line: what s has is above what t has, and ε is nothing.

    ``words`` of both are shown in place of the tokens that were compared.

    The two halves of an inverted block have boxes of two colours with arrows between them: in t
    they stand the other way round. Edits that cost something are coloured.
    """
    check_size(len(parse.operations))
    if not parse.tree.parts:
        return empty("no words to parse", style)
    cells, halves, swaps = _laid_out(parse.tree, words)
    deepest = max((half.depth for half in halves), default=-1) + 1
    height = 2 * ROW + 2 * INSET * deepest + 18
    ends = [cell.end for cell in cells] + [end for half in halves for *_, end in half.pieces]
    length = max(ends) + 2
    backwards = right_to_left("".join("".join(cell.texts) for cell in cells))
    frame = Frame(length, mirrored=backwards)
    marks: list[Markup] = []
    for half in halves:
        pad = INSET * (deepest - half.depth) - 1
        look = "half1" if half.second else "half0"
        last = len(half.pieces) - 1
        for k, (line, start, end) in enumerate(half.pieces):
            top = line * height + 9 + INSET * deepest
            across = (top - pad, top + 2 * ROW + pad)
            if last:
                marks.append(_piece(frame, (start, end), across, look, k > 0, k < last))
            else:
                marks.append(frame.box((start, end), across, look))
    for line, along in swaps:
        x, y = frame.point(along, line * height + height / 2)
        place = f"translate({number(x)} {number(y)})"
        marks.append(element("g", path(ARROWS), transform=place))
    for cell in cells:
        marks += _cell(frame, cell, cell.line * height + 9 + INSET * deepest)
    gutter = max(text_width(name, SMALL) for name in names) + 12
    lines = cells[-1].line + 1
    side = -gutter if not backwards else length + gutter
    for line in range(lines):
        for k, name in enumerate(names):
            y = line * height + 9 + INSET * deepest + (k + 0.5) * ROW
            marks.append(word(side, y, name, "quiet", "end" if backwards else "start", SMALL))
    shift = 0.0 if backwards else gutter
    whole = element("g", *marks, transform=f"translate({number(shift)} 0)")
    title = f"inversion parse of cost {parse.cost}"
    return finished(length + gutter, lines * height, [whole], title, style)


def _laid_out(
    tree: Block, words: Words | None
) -> tuple[list[Cell], list[Half], list[tuple[int, float]]]:
    """Cells in lines, the halves around them from the outside in, and where they are swapped."""
    cells: list[Cell] = []
    halves: list[Half] = []
    swaps: list[tuple[int, float]] = []
    around: list[Half] = []
    line, at = 0, 0.0
    stack: list[Block | Operation | Half | None] = [tree]  # a half opens, None closes one
    while stack:
        item = stack.pop()
        if isinstance(item, Half):
            if item.second:
                swaps.append((line, at + (SWAP - GAP - INSET) / 2))
                for k, half in enumerate(around):  # the sign stands inside of these
                    half.grow(line, at, at + SWAP - GAP + INSET * (len(around) - k - 1))
            at += SWAP if item.second else INSET
            halves.append(item)
            around.append(item)
        elif item is None:
            around.pop()
            at += INSET
        elif isinstance(item, Block):
            if not item.inverted:
                stack.extend(reversed(item.parts))
                continue
            first, second = (Half(len(around), k > 0, []) for k in range(2))
            stack += [None, item.parts[1], second, None, item.parts[0], first]
        else:
            texts = _texts(item, words)
            width = max(map(text_width, texts)) + 2 * PAD
            if at and at + width + SWAP > WIDEST:
                line, at = line + 1, INSET * len(around)
            cells.append(Cell(item, texts, line, at, at + width))
            for k, half in enumerate(around):
                inset = INSET * (len(around) - k) - 2
                half.grow(line, at - inset, at + width + inset)
            at += width + GAP
    return cells, halves, swaps


def _piece(
    frame: Frame,
    along: tuple[float, float],
    across: tuple[float, float],
    look: str,
    begun: bool,
    goes_on: bool,
) -> Markup:
    """A box that has begun in the line before, or goes on in the next, is open there."""
    (start, end), (top, bottom) = along, across
    steps = [f"{frame.at(a, b)}" for a, b in ((start, top), (end, top), (end, bottom))]
    steps.append(frame.at(start, bottom))
    # the edges as dashes and gaps: top, end, bottom, start
    length, height = end - start, bottom - top
    dashes = [length, height, length, height] if begun else [length, height, length + height, 0]
    if not goes_on:
        dashes = [2 * length + height, height]
    return element(
        "path",
        d=f"M{'L'.join(steps)}Z",
        class_=f"hb-{look}",
        stroke_dasharray=" ".join(map(number, dashes)),
    )


def _texts(operation: Operation, words: Words | None) -> tuple[str, str]:
    sides = (operation.i, operation.source), (operation.j, operation.target)
    first, second = (
        "ε" if at is None else clipped(str(token) if words is None else words[k][at])
        for k, (at, token) in enumerate(sides)
    )
    return first, second


def _cell(frame: Frame, cell: Cell, top: float) -> Iterator[Markup]:
    """The words, one above the other; in a box if they were edited."""
    kind = cell.operation.kind
    if kind != "match":
        yield frame.box((cell.start, cell.end), (top + 1, top + 2 * ROW - 1), kind)
    for side, position in enumerate((cell.operation.i, cell.operation.j)):
        x, y = frame.point((cell.start + cell.end) / 2, top + (side + 0.5) * ROW)
        look = "quiet" if position is None else "ink"
        yield word(x, y, cell.texts[side], look, mirrored=frame.mirrored)
