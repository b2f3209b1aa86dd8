"""Drawings of sentences: a dependency tree, or two sentences with lines between them."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.tree_edits import TreeEdit
from hyperbaton.explanations.order_marks import (
    BREAK_MEANING,
    REVERSED_MEANING,
    SHADE_MEANING,
    GapMark,
)
from hyperbaton.order.moves import Move, Span
from hyperbaton.presentation import Drawing, Markup
from hyperbaton.syntax.trees import DependencyTree
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
    mark_moved_words,
    message_drawing,
    move_look,
    path,
)
from hyperbaton.views.svg import element, text_width

Extent = tuple[float, float]  # start and end along a sentence
ARC = 15.0  # difference in height of nested arcs
RELATION_LINE = SMALL + 6  # height of the relations below the words
NAMES = ("system", "reference")
LINK_SPACE = 84.0  # between the sentences
CAPTION = 20.0
BREAK_ROOM, REVERSED_ROOM = 4.0, 12.0  # of marks, in addition to the gap between words
ARROW = ((-6, -1), (1, -1), (1, -3), (6, 0), (1, 3), (1, 1), (-6, 1))
THICKNESS = (0.6, 1.0, 1.6)  # of marks in each shade; half of that of a bar
LEGEND_LINE = 16.0
LEGEND_MARK = 24.0  # room for marks in the legend
LEGEND_STEP = 5.0  # between marks of one line
LEGEND_MARKS = ([GapMark(0, 0.5, 0.0, 0.5)], [GapMark(0, 0.0, 1.0, 0.5)])  # of a break, of a pair
SHADED_MARKS = [GapMark(0, 0.5, 0.0, strength) for strength in (0.0, 0.5, 1.0)]


def dependency_svg(tree: DependencyTree, style: bool = True) -> Drawing:
    """Draw arrows from heads to dependents above the words, and the relations below them.

    If the words are too many for a row, they stand one below another, with arrows at their left.
    """
    check_size(len(tree))
    if not len(tree):
        return message_drawing("no words", style)
    words = list(map(clip_word, tree.words))
    relations = list(map(clip_word, tree.labels or [""] * len(words)))
    widths = [text_width(word) + 2 * PAD for word in words]
    relation_widths = [text_width(relation, SMALL) + PAD for relation in relations]
    row = _lay_out_row(list(map(max, zip(widths, relation_widths, strict=True))), GAP)
    turned = row[-1][1] > MAX_WIDTH
    if turned:
        row = _lay_out_row([LINE] * len(words), 0.0)
    length = row[-1][1]
    frame = Frame(length, turned, is_right_to_left("".join(words)) and not turned)
    edge = arcs_height(tree.heads)
    marks = list(draw_arcs(frame, row, tree.heads, edge, -1))
    for extent, word, relation in zip(row, words, relations, strict=True):
        middle = sum(extent) / 2
        if turned:
            marks.append(frame.text(middle, edge + PAD, word, anchor="start"))
            below, anchor = edge + max(widths) + PAD, "start"
        else:
            marks.append(frame.text(middle, edge + LINE / 2, word, is_word=True))
            below, anchor = edge + LINE + SMALL / 2, "middle"
        if relation:
            marks.append(frame.text(middle, below, relation, "quiet", anchor, SMALL))
    if turned:
        across = edge + max(widths) + 2 * PAD + max(relation_widths)
    else:
        across = edge + LINE + (RELATION_LINE if tree.labels else 0)
    title = f"dependency tree of {len(words)} words"
    return finish_drawing(*frame.size(across), marks, title, style)


def _levels(heads: Sequence[int]) -> dict[Span, int]:
    """Return the level of the arc of each token and its head: above all arcs that it covers."""
    spans = {(min(k, head), max(k, head)) for k, head in enumerate(heads, 1) if head}
    levels: dict[Span, int] = {}
    for start, end in sorted(spans, key=lambda span: (span[1] - span[0], span)):
        inside = (level for (a, b), level in levels.items() if start <= a and b <= end)
        levels[start, end] = 1 + max(inside, default=0)
    return levels


def arcs_height(heads: Sequence[int]) -> float:
    """Return the room that arcs need above or below the words."""
    if not heads:
        return 0.0
    return ARC * (max(_levels(heads).values(), default=0) + 2)


def draw_arcs(
    frame: Frame,
    row: Sequence[Extent],
    heads: Sequence[int],
    edge: float,
    side: int,
    deleted: Collection[int] = (),
) -> Iterator[Markup]:
    """Yield an arrow from each head to its dependent, and one from outside to each root.

    Parameters
    ----------
    frame : Frame
    row : sequence of (float, float)
        The extents of the words along the sentence.
    heads : sequence of int
        The position of the head of each word, from 1; 0 for a root.
    edge : float
        Where the words end, across the sentence.
    side : {-1, 1}
        The direction from the words to the arcs.
    deleted : collection of int
        The words whose arrows are red, from 1.
    """
    levels = _levels(heads)
    top = arcs_height(heads) - 2
    middles = [sum(extent) / 2 for extent in row]
    for token, head in enumerate(heads, 1):
        is_deleted = token in deleted
        look = "delete-line" if is_deleted else "line"
        here = middles[token - 1]
        if head:
            there = middles[head - 1]
            # arrows to the left, to the right, and to the head itself do not touch
            there += 4 if here > there else -4
            level = levels[min(token, head), max(token, head)]
            high = edge + side * ARC * (level + 0.6)
            turn = min(10.0, abs(here - there) / 2)
            towards = turn if here > there else -turn
            steps = (
                f"M{frame.at(there, edge)}L{frame.at(there, high - side * turn)}"
                f"Q{frame.at(there, high)} {frame.at(there + towards, high)}"
                f"L{frame.at(here - towards, high)}"
                f"Q{frame.at(here, high)} {frame.at(here, high - side * turn)}"
                f"L{frame.at(here, edge + side * 2)}"
            )
        else:
            steps = f"M{frame.at(here, edge + side * top)}L{frame.at(here, edge + side * 2)}"
        yield path(steps, look, is_deleted)
        corners = [(a, side * b) for a, b in ((-3, 7), (3, 7), (0, 1))]
        tip = _outline(frame, here, edge, corners)
        yield element("path", d=tip, class_="hb-delete-ink" if is_deleted else "hb-quiet")


@dataclass(frozen=True)
class DrawnSentence:
    """Words, which of them are linked, the looks of boxes by word, and heads if there is a tree.

    ``marks`` are drawn between the words.
    """

    name: str
    words: Sequence[str]
    linked: Container[int]
    boxes: Mapping[int, str]
    heads: Sequence[int] = ()
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
        What ``order`` sees between the words of both sides.
    names : tuple of str
        Captions of the sentences.
    style : bool
        Whether the drawing contains its style sheet.
    """
    hyp = list(map(str, range(alignment.hyp_length))) if hyp is None else hyp
    ref = list(map(str, range(alignment.ref_length))) if ref is None else ref
    _, looks = mark_moved_words(alignment, moves, move_look)
    hyp_looks = {h: looks[r] for h, r in reversed(alignment.places) if r in looks}
    linked = {h for h, _ in alignment.links}, {r for _, r in alignment.links}
    sides = zip(names, (hyp, ref), linked, (hyp_looks, looks), ((), ()), marks, strict=True)
    connections = [
        Connection(
            (link.hyp, link.hyp + link.hyp_length),
            (link.ref, link.ref + link.ref_length),
            f"{looks[link.ref]}-line" if link.ref in looks else "line",
        )
        for link in alignment.phrases
    ]
    sentences = list(starmap(DrawnSentence, sides))
    return _pair(sentences, connections, "no word is linked", "word alignment", style)


def tree_edit_svg(edit: TreeEdit, style: bool = True) -> Drawing:
    """Draw a tree edit: arcs from heads, lines between matched words, and deleted words in red."""
    sides = []
    for name, words, heads, deleted in (
        (NAMES[0], edit.words_a, edit.heads_a, edit.deleted_a),
        (NAMES[1], edit.words_b, edit.heads_b, edit.deleted_b),
    ):
        texts = list(map(str, range(1, len(heads) + 1) if words is None else words))
        boxes = {k - 1: "delete" for k in deleted}
        sides.append(DrawnSentence(name, texts, range(len(texts)), boxes, heads))
    connections = [Connection((a - 1, a), (b - 1, b)) for a, b in edit.matched]
    return _pair(sides, connections, "no word is matched", "dependency trees", style)


def _pair(
    sentences: Sequence[DrawnSentence],
    connections: Sequence[Connection],
    message: str,
    title: str,
    style: bool,
) -> Drawing:
    check_size(sum(len(side.words) for side in sentences))
    sides = [replace(side, words=list(map(clip_word, side.words))) for side in sentences]
    legend = _legend([mark for side in sides for mark in side.marks])
    layout = PairLayout.of_sides(sides, message, [text for _, text in legend])
    backwards = is_right_to_left("".join(word for side in sides for word in side.words))
    frame = Frame(layout.length, layout.turned, backwards, layout.width)
    drawn: list[Markup] = []
    for k, side in enumerate(sides):
        row, widths, edge = layout.rows[k], layout.widths[k], layout.edges[k]
        drawn += Side(frame, side, row, widths, edge, 2 * k - 1).draw(layout)
    for connection in connections:
        drawn += _connection_marks(frame, layout.rows, connection, layout.edges)
    if not connections:
        drawn.insert(0, frame.text(layout.length / 2, sum(layout.edges) / 2, message, "quiet"))
    height = layout.length if layout.turned else layout.across
    height += (GAP + BREAK_ROOM) * bool(legend) if layout.turned else CAPTION
    for examples, text in legend:
        drawn += _legend_line(frame, layout.width, height + LEGEND_LINE / 2, examples, text)
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

    rows: Sequence[Sequence[Extent]]
    widths: Sequence[Sequence[float]]
    turned: bool
    length: float
    legend_width: float
    breadths: tuple[float, ...]
    heights: Sequence[float]
    between: float

    @classmethod
    def of_sides(
        cls, sides: Sequence[DrawnSentence], message: str, legend: Sequence[str]
    ) -> PairLayout:
        """Return the layout of two sentences, which is turned if their lines would be too long."""
        widths = [[text_width(word) + 2 * PAD for word in side.words] for side in sides]
        heights = [arcs_height(side.heads) for side in sides]
        legend_width = max((LEGEND_MARK + text_width(t, SMALL) for t in legend), default=0.0)
        rows = [_lay_out_row(w, GAP, side.marks) for w, side in zip(widths, sides, strict=True)]
        texts = (message, *(side.name for side in sides))
        length = max(_end(rows, 0.0), *map(text_width, texts), legend_width)
        if length <= MAX_WIDTH:
            breadths: tuple[float, ...] = (LINE, LINE)
            return cls(rows, widths, False, length, legend_width, breadths, heights, LINK_SPACE)
        rows = [_lay_out_row([LINE] * len(side.words), 0.0, side.marks) for side in sides]
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


def _end(rows: Sequence[Sequence[Extent]], default: float) -> float:
    return max((row[-1][1] for row in rows if row), default=default)


def _lay_out_row(sizes: Sequence[float], gap: float, marks: Sequence[GapMark] = ()) -> list[Extent]:
    """Return the extents of words of these sizes, one after another; gaps with marks are wider."""
    room = {mark.gap: REVERSED_ROOM if mark.is_reversed else BREAK_ROOM for mark in marks}
    row, end = [], -gap
    for k, size in enumerate(sizes):
        start = end + gap + room.get(k, 0.0)
        end = start + size
        row.append((start, end))
    return row


@dataclass(frozen=True)
class Side:
    """One of the sentences, and where it stands.

    Attributes
    ----------
    frame : Frame
    sentence : DrawnSentence
    row : sequence of (float, float)
        The extents of the words, along the sentence.
    widths : sequence of float
        The widths of the words as texts.
    edge : float
        Where the lines to the other sentence start, across the sentence.
    side : {-1, 1}
        The direction from the edge to the words: that of the first sentence is -1.
    """

    frame: Frame
    sentence: DrawnSentence
    row: Sequence[Extent]
    widths: Sequence[float]
    edge: float
    side: int

    @property
    def anchor(self) -> str:
        """The part of a text that is next to the edge."""
        return "end" if self.frame.turned and self.side < 0 else "start"

    def draw(self, layout: PairLayout) -> Iterator[Markup]:
        """Yield the sentence with its arcs, marks and caption."""
        if self.sentence.heads:
            deleted = {k + 1 for k in self.sentence.boxes}
            far = self.edge + self.side * layout.breadths[self.side > 0]
            yield from draw_arcs(self.frame, self.row, self.sentence.heads, far, self.side, deleted)
        yield from self._words()
        yield from self._order_marks()
        yield self._caption(layout.across)

    def _words(self) -> Iterator[Markup]:
        """Yield the words next to the edge where their lines start."""
        frame, edge, side, sentence = self.frame, self.edge, self.side, self.sentence
        drawn = zip(self.row, self.widths, sentence.words, strict=True)
        for k, (extent, width, text) in enumerate(drawn):
            look, box = "ink" if k in sentence.linked else "quiet", sentence.boxes.get(k)
            far = edge + side * (width if frame.turned else LINE)
            if box:
                along = (extent[0] + 1, extent[1] - 1) if frame.turned else extent
                dashes = {"stroke_dasharray": "4 3"} if box == "delete" else {}
                yield frame.box(along, (edge, far), box, **dashes)
            middle = sum(extent) / 2
            if frame.turned:
                yield frame.text(middle, edge + side * PAD, text, look, self.anchor)
            else:
                yield frame.text(middle, (edge + far) / 2, text, look, is_word=True)
        if not sentence.words:
            start = LINE / 2 if frame.turned else PAD
            yield frame.text(start, edge + side * LINE / 2, "(no words)", "quiet", self.anchor)

    def _order_marks(self) -> Iterator[Markup]:
        """Yield a mark with a tooltip in each gap where ``order`` sees something."""
        margin = 0.0 if self.frame.turned else GAP
        ends = [-margin, *(end for _, end in self.row)]
        starts = [*(start for start, _ in self.row), ends[-1] + margin + BREAK_ROOM]
        middle = self.edge + self.side * LINE / 2
        for mark in self.sentence.marks:
            center = (ends[mark.gap] + starts[mark.gap]) / 2
            tooltip = element("title", mark.describe(self.sentence.words))
            # the mark itself is too thin to point at
            corners = _outline(self.frame, center, middle, _rectangle(GAP / 2 + PAD, LINE / 2))
            area = element("path", d=corners, fill="none", pointer_events="all")
            drawn = _mark(self.frame, center, middle, mark)
            yield element("g", tooltip, area, drawn)

    def _caption(self, across: float) -> Markup:
        """Return the name of the sentence: above its column, or outside of its row."""
        if self.frame.turned:
            place = -CAPTION / 2, self.edge + self.side * PAD
        else:
            place = PAD, -CAPTION / 2 if self.side < 0 else across + CAPTION / 2
        return self.frame.text(*place, self.sentence.name, "quiet", self.anchor, SMALL)


def _mark(frame: Frame, along: float, across: float, mark: GapMark) -> Markup:
    """Return the mark of a gap: a bar whose length shows the loss, or two arrows.

    Its shade and its thickness show the strength.
    """
    thickness = THICKNESS[mark.shade]
    if mark.is_reversed:
        arrows = ([(sign * a, sign * thickness * (b - 3.5)) for a, b in ARROW] for sign in (1, -1))
        steps = "".join(_outline(frame, along, across, arrow) for arrow in arrows)
    else:
        steps = _outline(frame, along, across, _rectangle(thickness, 2 + 7 * mark.loss))
    return element("path", d=steps, class_=f"hb-shade{mark.shade}-ink")


def _rectangle(along: float, across: float) -> list[tuple[float, float]]:
    return [(-along, -across), (along, -across), (along, across), (-along, across)]


def _outline(
    frame: Frame, along: float, across: float, corners: Iterable[tuple[float, float]]
) -> str:
    """Return the path of a shape around a point."""
    return frame.polygon((along + a, across + b) for a, b in corners)


def _legend(marks: Sequence[GapMark]) -> list[tuple[Sequence[GapMark], str]]:
    """Return examples of the marks that there are, and what they mean."""
    kinds = {mark.is_reversed for mark in marks}
    lines: list[tuple[Sequence[GapMark], str]] = [
        (LEGEND_MARKS[kind], text)
        for kind, text in ((False, BREAK_MEANING), (True, REVERSED_MEANING))
        if kind in kinds
    ]
    return [*lines, (SHADED_MARKS, SHADE_MEANING)] if lines else []


def _legend_line(
    frame: Frame, width: float, middle: float, marks: Sequence[GapMark], text: str
) -> Iterator[Markup]:
    """Yield marks and their meaning, at the side where the drawing starts."""
    row = Frame(width, mirrored=frame.mirrored)
    for k, mark in enumerate(marks):
        shift = LEGEND_STEP * (k - (len(marks) - 1) / 2)  # bars stand side by side
        x, _ = row.point(LEGEND_MARK / 2 + shift * (not frame.turned), middle)
        along, across = (middle + shift, x) if frame.turned else (x, middle)
        yield _mark(Frame(0.0, frame.turned), along, across, mark)
    yield row.text(LEGEND_MARK, middle, text, "quiet", "start", SMALL)


def _connection_marks(
    frame: Frame,
    rows: Sequence[Sequence[Extent]],
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
