"""Drawings of two sentences with lines between them: alignments and tree edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.tree_edits import TreeEdit
from hyperbaton.explanations.order_marks import BREAK_MEANING, REVERSED_MEANING, GapMark
from hyperbaton.order.moves import Move
from hyperbaton.presentation import Drawing, Markup
from hyperbaton.text.display import clip_word, is_right_to_left
from hyperbaton.views.drawings.canvas import (
    GAP,
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
from hyperbaton.views.drawings.dependencies import arcs_height, draw_arcs
from hyperbaton.views.svg import element, text_width

Span = tuple[int, int]
NAMES = ("system", "reference")
LINK_SPACE = 84.0  # between the sentences
CAPTION = 20.0
BREAK_ROOM, REVERSED_ROOM = 4.0, 12.0  # of marks, in addition to the gap between words
ARROW = ((-6, -1), (1, -1), (1, -3), (6, 0), (1, 3), (1, 1), (-6, 1))
LEGEND_LINE = 16.0
LEGEND_MARK = 24.0  # room for a mark in the legend


@dataclass(frozen=True)
class Sentence:
    """Words, the looks of the words and of boxes around them, and heads if there is a tree.

    ``marks`` are drawn between the words.
    """

    name: str
    words: Sequence[str]
    looks: Sequence[str]
    boxes: Sequence[str | None]
    heads: Sequence[int] | None = None
    marks: Sequence[GapMark] = ()


@dataclass(frozen=True)
class Connection:
    """A line between words of the first and of the second sentence."""

    first: Span
    second: Span
    look: str = "line"


def alignment_svg(
    alignment: Alignment,
    hyp: Sequence[str] | None = None,
    ref: Sequence[str] | None = None,
    moves: Sequence[Move] = (),
    marks: tuple[Sequence[GapMark], Sequence[GapMark]] = ((), ()),
    names: tuple[str, str] = NAMES,
    style: bool = True,
) -> Drawing:
    """Draw the links of an alignment; words without a link are grey.

    Parameters
    ----------
    alignment : Alignment
    hyp, ref : sequence of str, optional
        The words of both sides. The default is their positions, from 0.
    moves : sequence of Move
        The words of blocks that move have the colours of their moves.
    marks : pair of sequences of GapMark
        What soft order sees between the words of both sides.
    names : tuple of str
        Captions of the sentences.
    style : bool
        Whether the drawing contains its style sheet.
    """
    hyp = list(map(str, range(alignment.hyp_length))) if hyp is None else hyp
    ref = list(map(str, range(alignment.ref_length))) if ref is None else ref
    looks: dict[int, str] = {}  # by reference word; inner blocks override outer ones
    places = alignment.places
    for number, move in enumerate(moves):
        for _, r in places[slice(*move.block)]:
            looks[r] = move_look(number, move.is_punctuation)
    hyp_looks = {h: looks[r] for h, r in reversed(places) if r in looks}
    linked = {h for h, _ in alignment.links}, {r for _, r in alignment.links}
    first, second = (
        Sentence(
            name,
            words,
            ["ink" if k in side_linked else "quiet" for k in range(len(words))],
            [side_looks.get(k) for k in range(len(words))],
            marks=side_marks,
        )
        for name, words, side_linked, side_looks, side_marks in zip(
            names, (hyp, ref), linked, (hyp_looks, looks), marks, strict=True
        )
    )
    connections = [
        Connection(
            (link.hyp, link.hyp + link.hyp_length),
            (link.ref, link.ref + link.ref_length),
            f"{looks[link.ref]}-line" if link.ref in looks else "line",
        )
        for link in alignment.phrases
    ]
    return _pair(first, second, connections, "no word is aligned", "word alignment", style)


def tree_edit_svg(edit: TreeEdit, names: tuple[str, str] = NAMES, style: bool = True) -> Drawing:
    """Draw a tree edit: arcs from heads, lines between matched words, and deleted words in red."""
    sides = []
    for name, words, heads, deleted in (
        (names[0], edit.words_a, edit.heads_a, edit.deleted_a),
        (names[1], edit.words_b, edit.heads_b, edit.deleted_b),
    ):
        texts = list(map(str, range(1, len(heads) + 1) if words is None else words))
        deleted_words = set(deleted)
        boxes = ["delete" if k in deleted_words else None for k in range(1, len(texts) + 1)]
        sides.append(Sentence(name, texts, ["ink"] * len(texts), boxes, heads))
    connections = [Connection((a - 1, a), (b - 1, b)) for a, b in edit.matched]
    return _pair(sides[0], sides[1], connections, "no word is matched", "dependency trees", style)


def _pair(
    first: Sentence,
    second: Sentence,
    connections: Sequence[Connection],
    message: str,
    title: str,
    style: bool,
) -> Drawing:
    check_size(len(first.words) + len(second.words))
    sides = [replace(s, words=list(map(clip_word, s.words))) for s in (first, second)]
    legend = _legend([*first.marks, *second.marks])
    layout = PairLayout.of_sides(sides, message, [text for _, text in legend])
    backwards = is_right_to_left("".join(word for side in sides for word in side.words))
    frame = Frame(layout.length, layout.turned, backwards, layout.width)
    drawn = [*_side(frame, layout, sides[0], -1), *_side(frame, layout, sides[1], 1)]
    for connection in connections:
        drawn += _connection_marks(frame, layout.rows, connection, layout.edges)
    if not connections:
        x, y = frame.point(layout.length / 2, sum(layout.edges) / 2)
        drawn.insert(0, text_element(x, y, message, "quiet"))
    height = layout.length if layout.turned else layout.across
    height += (GAP + BREAK_ROOM) * bool(legend) if layout.turned else CAPTION
    for reversed_pair, text in legend:
        drawn += _legend_line(frame, layout.width, height + LEGEND_LINE / 2, reversed_pair, text)
        height += LEGEND_LINE
    shifted = element("g", *drawn, transform=f"translate(0 {CAPTION:.0f})")
    return finish_drawing(layout.width, height + CAPTION, [shifted], title, style)


@dataclass(frozen=True)
class PairLayout:
    """Where two sentences stand: one above the other or, turned, side by side.

    Attributes
    ----------
    rows : sequence of lists of (float, float)
        The extents of the words of each sentence, along it.
    widths : sequence of lists of float
        The widths of the words as texts.
    turned : bool
    length : float
        The length of the longer sentence.
    legend_width : float
    breadths : tuple of float
        The room of the words of each sentence, across it.
    heights : sequence of float
        The room of the arcs beside them.
    between : float
        The room of the lines between both sentences.
    """

    rows: Sequence[Sequence[tuple[float, float]]]
    widths: Sequence[Sequence[float]]
    turned: bool
    length: float
    legend_width: float
    breadths: tuple[float, ...]
    heights: Sequence[float]
    between: float

    @classmethod
    def of_sides(cls, sides: Sequence[Sentence], message: str, legend: Sequence[str]) -> PairLayout:
        """Return the layout of two sentences, which is turned if their lines would be too long."""
        widths = [[text_width(word) + 2 * PAD for word in side.words] for side in sides]
        heights = [arcs_height(side.heads) for side in sides]
        legend_width = max((LEGEND_MARK + text_width(t, SMALL) for t in legend), default=0.0)
        rows = [_extents(w, GAP, side.marks) for w, side in zip(widths, sides, strict=True)]
        texts = (message, *(side.name for side in sides))
        length = max(_end(rows, 0.0), *map(text_width, texts), legend_width)
        if length <= MAX_WIDTH:
            breadths: tuple[float, ...] = (LINE, LINE)
            return cls(rows, widths, False, length, legend_width, breadths, heights, LINK_SPACE)
        rows = [_extents([LINE] * len(side.words), 0.0, side.marks) for side in sides]
        captions = (PAD + text_width(side.name, SMALL) for side in sides)
        breadths = tuple(max([c, *w]) for c, w in zip(captions, widths, strict=True))
        # lines between long columns need more room to stay distinguishable
        between = LINK_SPACE * 1.5 + min(140.0, 2.0 * max(map(len, rows)))
        length = _end(rows, LINE)
        return cls(rows, widths, True, length, legend_width, breadths, heights, between)

    @property
    def edges(self) -> tuple[float, float]:
        """Where the lines between the sentences start and end."""
        first = self.heights[0] + self.breadths[0]
        return first, first + self.between

    @property
    def across(self) -> float:
        """The room from one side to the other: arcs, words, lines, words, arcs."""
        return self.edges[1] + self.breadths[1] + self.heights[1]

    @property
    def width(self) -> float:
        """The width of the drawing."""
        return max(self.across, self.legend_width) if self.turned else self.length


def _end(rows: Sequence[Sequence[tuple[float, float]]], default: float) -> float:
    return max((row[-1][1] for row in rows if row), default=default)


def _side(frame: Frame, layout: PairLayout, sentence: Sentence, side: int) -> Iterator[Markup]:
    """Yield a sentence with its arcs, marks and caption; the first side is -1, the other 1."""
    k = int(side > 0)
    row, edge = layout.rows[k], layout.edges[k]
    if sentence.heads is not None:
        deleted = {n for n, box in enumerate(sentence.boxes, 1) if box is not None}
        far = edge + side * layout.breadths[k]
        yield from draw_arcs(frame, row, sentence.heads, far, side, deleted)
    yield from _words(frame, row, layout.widths[k], sentence, edge, side)
    yield from _order_marks(frame, row, sentence, edge, side)
    yield _caption(frame, sentence.name, edge, side, layout.across)


def _extents(
    sizes: Sequence[float], gap: float, marks: Sequence[GapMark]
) -> list[tuple[float, float]]:
    """Return the extents of words of these sizes; gaps with marks are wider."""
    room = {mark.gap: REVERSED_ROOM if mark.is_reversed else BREAK_ROOM for mark in marks}
    extents, end = [], -gap
    for k, size in enumerate(sizes):
        start = end + gap + room.get(k, 0.0)
        end = start + size
        extents.append((start, end))
    return extents


def _words(
    frame: Frame,
    row: Sequence[tuple[float, float]],
    widths: Sequence[float],
    sentence: Sentence,
    edge: float,
    side: int,
) -> Iterator[Markup]:
    """Yield the words next to the edge where their lines start."""
    for extent, width, text, look, box in zip(
        row, widths, sentence.words, sentence.looks, sentence.boxes, strict=True
    ):
        far = edge + side * (width if frame.turned else LINE)
        if box:
            along = (extent[0] + 1, extent[1] - 1) if frame.turned else extent
            dashes = {"stroke_dasharray": "4 3"} if box == "delete" else {}
            yield frame.box(along, (edge, far), box, **dashes)
        middle = sum(extent) / 2
        if frame.turned:
            x, y = frame.point(middle, edge + side * PAD)
            anchor = frame.anchor("end" if side < 0 else "start")
            yield text_element(x, y, text, look, anchor)
        else:
            x, y = frame.point(middle, (edge + far) / 2)
            yield text_element(x, y, text, look, mirrored=frame.mirrored)
    if not sentence.words:
        x, y = frame.point(LINE / 2 if frame.turned else PAD, edge + side * LINE / 2)
        anchor = frame.anchor("end" if frame.turned and side < 0 else "start")
        yield text_element(x, y, "(no words)", "quiet", anchor)


def _order_marks(
    frame: Frame, row: Sequence[tuple[float, float]], sentence: Sentence, edge: float, side: int
) -> Iterator[Markup]:
    """Yield a mark with a tooltip in each gap where soft order sees something."""
    margin = 0.0 if frame.turned else GAP
    ends = [-margin, *(end for _, end in row)]
    starts = [*(start for start, _ in row), ends[-1] + margin + BREAK_ROOM]
    middle = edge + side * LINE / 2
    for mark in sentence.marks:
        center = (ends[mark.gap] + starts[mark.gap]) / 2
        tooltip = element("title", mark.describe(sentence.words))
        # the mark itself is too thin to point at
        corners = _outline(frame, center, middle, _rectangle(GAP / 2 + PAD, LINE / 2))
        area = element("path", d=corners, fill="none", pointer_events="all")
        yield element("g", tooltip, area, _mark(frame, center, middle, mark.is_reversed, mark.loss))


def _mark(frame: Frame, along: float, across: float, reversed_pair: bool, loss: float) -> Markup:
    """Return the mark of a gap: a bar whose length shows the loss, or two arrows."""
    if reversed_pair:
        arrows = ([(sign * a, sign * (b - 3.5)) for a, b in ARROW] for sign in (1, -1))
        steps = "".join(_outline(frame, along, across, arrow) for arrow in arrows)
    else:
        steps = _outline(frame, along, across, _rectangle(1, 2 + 7 * loss))
    return element("path", d=steps, class_="hb-delete-ink")


def _rectangle(along: float, across: float) -> list[tuple[float, float]]:
    return [(-along, -across), (along, -across), (along, across), (-along, across)]


def _outline(
    frame: Frame, along: float, across: float, corners: Iterable[tuple[float, float]]
) -> str:
    """Return the path of a shape around a point."""
    return f"M{'L'.join(frame.at(along + a, across + b) for a, b in corners)}Z"


def _legend(marks: Sequence[GapMark]) -> list[tuple[bool, str]]:
    """Return the kinds of marks that there are, and what they mean."""
    kinds = {mark.is_reversed for mark in marks}
    meanings = (False, BREAK_MEANING), (True, REVERSED_MEANING)
    return [(kind, text) for kind, text in meanings if kind in kinds]


def _legend_line(
    frame: Frame, width: float, middle: float, reversed_pair: bool, text: str
) -> Iterator[Markup]:
    """Yield a mark and its meaning, at the side where the drawing starts."""
    row = Frame(width, mirrored=frame.mirrored)
    x, _ = row.point(LEGEND_MARK / 2, middle)
    along, across = (middle, x) if frame.turned else (x, middle)
    yield _mark(Frame(0.0, frame.turned), along, across, reversed_pair, 0.5)
    x, _ = row.point(LEGEND_MARK, middle)
    yield text_element(x, middle, text, "quiet", row.anchor("start"), SMALL)


def _caption(frame: Frame, name: str, edge: float, side: int, across: float) -> Markup:
    """Return the name of the sentence: above its column, or outside of its row."""
    if frame.turned:
        x, y = frame.point(-CAPTION / 2, edge + side * PAD)
        anchor = frame.anchor("end" if side < 0 else "start")
        return text_element(x, y, name, "quiet", anchor, SMALL)
    x, _ = frame.point(PAD, 0)
    y = -CAPTION / 2 if side < 0 else across + CAPTION / 2
    return text_element(x, y, name, "quiet", frame.anchor("start"), SMALL)


def _connection_marks(
    frame: Frame,
    rows: Sequence[Sequence[tuple[float, float]]],
    connection: Connection,
    edges: tuple[float, ...],
) -> Iterator[Markup]:
    """Yield the curve between words; a bar joins several words of one side."""
    middles = []
    for row, (start, end), edge, side in zip(
        rows, (connection.first, connection.second), edges, (1, -1), strict=True
    ):
        begin, finish = row[start][0], row[end - 1][1]
        middles.append((begin + finish) / 2)
        if end - start > 1:
            bar = edge + side * 2
            inner = 2 if frame.turned else PAD
            steps = f"M{frame.at(begin + inner, bar)}L{frame.at(finish - inner, bar)}"
            yield path(steps, connection.look)
    near, far = edges[0] + 2, edges[1] - 2
    bend = (far - near) * 0.4
    yield path(
        f"M{frame.at(middles[0], near)}C{frame.at(middles[0], near + bend)} "
        f"{frame.at(middles[1], far - bend)} {frame.at(middles[1], far)}",
        connection.look,
    )
