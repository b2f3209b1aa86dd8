"""Drawings of two sentences with lines between them: alignments and tree edits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.tree_edits import TreeEdit
from hyperbaton.order.moves import Move
from hyperbaton.report.drawings.canvas import (
    GAP,
    LINE,
    MAX_WIDTH,
    PAD,
    SMALL,
    Frame,
    check_size,
    clip_word,
    finish_drawing,
    move_look,
    path,
    text_element,
)
from hyperbaton.report.svg import Drawing, Markup, element, text_width
from hyperbaton.text.display import is_right_to_left

Span = tuple[int, int]
NAMES = ("system", "reference")
LINK_SPACE = 84.0  # between the sentences
CAPTION = 20.0
ARC = 15.0  # difference in height of nested arcs


@dataclass(frozen=True)
class Sentence:
    """Words, the looks of the words and of boxes around them, and heads if there is a tree."""

    name: str
    words: Sequence[str]
    looks: Sequence[str]
    boxes: Sequence[str | None]
    heads: Sequence[int] | None = None


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
            looks[r] = move_look(number)
    hyp_looks = {h: looks[r] for h, r in reversed(places) if r in looks}
    linked = {h for h, _ in alignment.links}, {r for _, r in alignment.links}
    first, second = (
        Sentence(
            name,
            words,
            ["ink" if k in side_linked else "quiet" for k in range(len(words))],
            [side_looks.get(k) for k in range(len(words))],
        )
        for name, words, side_linked, side_looks in zip(
            names, (hyp, ref), linked, (hyp_looks, looks), strict=True
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
    first, second = (replace(s, words=list(map(clip_word, s.words))) for s in (first, second))
    widths = [[text_width(w) + 2 * PAD for w in s.words] for s in (first, second)]
    rows = [_extents(row_widths) for row_widths in widths]
    length = max((row[-1][1] for row in rows if row), default=0.0)
    length = max(length, *(text_width(text) for text in (message, first.name, second.name)))
    turned = length > MAX_WIDTH
    breadths = (LINE, LINE)
    if turned:
        rows = [[(k * LINE, (k + 1) * LINE) for k in range(len(row))] for row in rows]
        length = max((row[-1][1] for row in rows if row), default=LINE)
        breadths = (max(widths[0], default=0.0), max(widths[1], default=0.0))
    backwards = is_right_to_left("".join(first.words) + "".join(second.words))
    frame = Frame(length, turned, backwards and not turned)
    heights = [_arcs_height(s.heads) for s in (first, second)]
    # lines between long columns need more room to stay distinguishable
    between = LINK_SPACE * 1.5 + min(140.0, 2.0 * max(map(len, rows))) if turned else LINK_SPACE
    # from one side to the other: arcs, words, lines, words, arcs
    edges = (heights[0] + breadths[0], heights[0] + breadths[0] + between)
    across = heights[0] + breadths[0] + between + breadths[1] + heights[1]
    marks: list[Markup] = []
    for sentence, row, row_widths, edge, side in zip(
        (first, second), rows, widths, edges, (-1, 1), strict=True
    ):
        breadth = breadths[side > 0]
        if sentence.heads is not None:
            marks += _arcs(frame, row, sentence, edge + side * breadth, side)
        marks += _words(frame, row, row_widths, sentence, edge, side)
        marks.append(_caption(frame, sentence.name, edge, side, across))
    for connection in connections:
        marks += _connection_marks(frame, rows, connection, edges)
    if not connections:
        x, y = frame.point(length / 2, sum(edges) / 2)
        marks.insert(0, text_element(x, y, message, "quiet"))
    width, height = (across, length) if turned else (length, across)
    shifted = element("g", *marks, transform=f"translate(0 {CAPTION:.0f})")
    return finish_drawing(width, height + CAPTION * (1 if turned else 2), [shifted], title, style)


def _extents(widths: Sequence[float]) -> list[tuple[float, float]]:
    extents, start = [], 0.0
    for width in widths:
        extents.append((start, start + width))
        start += width + GAP
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
            yield text_element(
                edge + side * PAD, middle, text, look, "end" if side < 0 else "start"
            )
        else:
            x, y = frame.point(middle, (edge + far) / 2)
            yield text_element(x, y, text, look, mirrored=frame.mirrored)
    if not sentence.words:
        x, y = frame.point(LINE / 2 if frame.turned else PAD, edge + side * LINE / 2)
        anchor = "end" if frame.mirrored or (frame.turned and side < 0) else "start"
        yield text_element(x, y, "(no words)", "quiet", anchor)


def _caption(frame: Frame, name: str, edge: float, side: int, across: float) -> Markup:
    """Return the name of the sentence: above its column, or outside of its row."""
    if frame.turned:
        anchor = "end" if side < 0 else "start"
        return text_element(edge + side * PAD, -CAPTION / 2, name, "quiet", anchor, SMALL)
    x, _ = frame.point(PAD, 0)
    y = -CAPTION / 2 if side < 0 else across + CAPTION / 2
    return text_element(x, y, name, "quiet", "end" if frame.mirrored else "start", SMALL)


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


def _levels(heads: Sequence[int]) -> dict[Span, int]:
    """Return the level of the arc of each token and its head: above all arcs that it covers."""
    spans = {(min(k, head), max(k, head)) for k, head in enumerate(heads, 1) if head}
    levels: dict[Span, int] = {}
    for start, end in sorted(spans, key=lambda span: (span[1] - span[0], span)):
        inside = (level for (a, b), level in levels.items() if start <= a and b <= end)
        levels[start, end] = 1 + max(inside, default=0)
    return levels


def _arcs_height(heads: Sequence[int] | None) -> float:
    if not heads:
        return 0.0
    return ARC * (max(_levels(heads).values(), default=0) + 2)


def _arcs(
    frame: Frame,
    row: Sequence[tuple[float, float]],
    sentence: Sentence,
    edge: float,
    side: int,
) -> Iterator[Markup]:
    """Yield an arrow from each head to its dependent, and one from outside to each root."""
    heads = sentence.heads or ()
    levels = _levels(heads)
    top = _arcs_height(heads) - 2
    middles = [sum(extent) / 2 for extent in row]
    for token, head in enumerate(heads, 1):
        deleted = sentence.boxes[token - 1] is not None
        look = "delete-line" if deleted else "line"
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
        yield path(steps, look, deleted)
        tip = "".join(
            f"{'L' if k else 'M'}{frame.at(here + a, edge + side * b)}"
            for k, (a, b) in enumerate(((-3, 7), (3, 7), (0, 1)))
        )
        yield element("path", d=tip + "Z", class_="hb-delete-ink" if deleted else "hb-quiet")
