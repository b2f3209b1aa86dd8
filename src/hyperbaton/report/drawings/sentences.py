"""Two sentences, one under the other or side by side, and what belongs together in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.tree_edits import TreeEdit
from hyperbaton.order.moves import Move
from hyperbaton.report.drawings.canvas import (
    GAP,
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

Span = tuple[int, int]
NAMES = ("system", "reference")
BETWEEN = 84.0  # from sentence to sentence, for the links
CAPTION = 20.0
ARC = 15.0  # what an arc is higher than those below it


@dataclass(frozen=True)
class Sentence:
    """Words with their looks: of the word, and of a box around it; and heads, if it is a tree."""

    name: str
    words: Sequence[str]
    looks: Sequence[str]
    boxes: Sequence[str | None]
    heads: Sequence[int] | None = None


@dataclass(frozen=True)
class Tie:
    """A line between words of the first sentence and of the second."""

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
    """The links of an alignment; words of blocks that move have the colours of their moves.

    Without words, their positions are shown, from 0. A word without a link is grey.
    """
    hyp = list(map(str, range(alignment.hyp_length))) if hyp is None else hyp
    ref = list(map(str, range(alignment.ref_length))) if ref is None else ref
    moving: dict[int, str] = {}  # by reference word; of blocks in one another, the inner one
    places = alignment.places
    for number, move in enumerate(moves):
        for _, r in places[slice(*move.block)]:
            moving[r] = move_look(number)
    by_hyp = {h: moving[r] for h, r in reversed(places) if r in moving}
    linked = {h for h, _ in alignment.links}, {r for _, r in alignment.links}
    first, second = (
        Sentence(
            name,
            words,
            ["ink" if k in own else "quiet" for k in range(len(words))],
            [look.get(k) for k in range(len(words))],
        )
        for name, words, own, look in zip(names, (hyp, ref), linked, (by_hyp, moving), strict=True)
    )
    ties = [
        Tie(
            (link.hyp, link.hyp + link.hyp_length),
            (link.ref, link.ref + link.ref_length),
            f"{moving[link.ref]}-line" if link.ref in moving else "line",
        )
        for link in alignment.phrases
    ]
    return _pair(first, second, ties, "no word is aligned", "word alignment", style)


def tree_edit_svg(edit: TreeEdit, names: tuple[str, str] = NAMES, style: bool = True) -> Drawing:
    """The trees of both sentences as arcs from heads, what is matched, and what is deleted."""
    sides = []
    for name, words, heads, deleted in (
        (names[0], edit.words_a, edit.heads_a, edit.deleted_a),
        (names[1], edit.words_b, edit.heads_b, edit.deleted_b),
    ):
        shown = list(map(str, range(1, len(heads) + 1) if words is None else words))
        gone = set(deleted)
        boxes = ["delete" if k in gone else None for k in range(1, len(shown) + 1)]
        sides.append(Sentence(name, shown, ["ink"] * len(shown), boxes, heads))
    ties = [Tie((a - 1, a), (b - 1, b)) for a, b in edit.matched]
    return _pair(sides[0], sides[1], ties, "no word is matched", "dependency trees", style)


def _pair(
    first: Sentence, second: Sentence, ties: Sequence[Tie], nothing: str, title: str, style: bool
) -> Drawing:
    check_size(len(first.words) + len(second.words))
    first, second = (replace(s, words=list(map(clipped, s.words))) for s in (first, second))
    widths = [[text_width(w) + 2 * PAD for w in s.words] for s in (first, second)]
    rows = [_extents(own) for own in widths]
    length = max((own[-1][1] for own in rows if own), default=0.0)
    length = max(length, *(text_width(text) for text in (nothing, first.name, second.name)))
    turned = length > WIDEST
    breadths = (LINE, LINE)
    if turned:
        rows = [[(k * LINE, (k + 1) * LINE) for k in range(len(own))] for own in rows]
        length = max((own[-1][1] for own in rows if own), default=LINE)
        breadths = (max(widths[0], default=0.0), max(widths[1], default=0.0))
    backwards = right_to_left("".join(first.words) + "".join(second.words))
    frame = Frame(length, turned, backwards and not turned)
    highs = [_arcs_height(s.heads) for s in (first, second)]
    # lines that go down a long column need more room not to become one
    between = BETWEEN * 1.5 + min(140.0, 2.0 * max(map(len, rows))) if turned else BETWEEN
    # across: arcs, words, lines, words, arcs
    edges = (highs[0] + breadths[0], highs[0] + breadths[0] + between)
    across = highs[0] + breadths[0] + between + breadths[1] + highs[1]
    marks: list[Markup] = []
    for sentence, row, own, edge, side in zip(
        (first, second), rows, widths, edges, (-1, 1), strict=True
    ):
        breadth = breadths[side > 0]
        if sentence.heads is not None:
            marks += _arcs(frame, row, sentence, edge + side * breadth, side)
        marks += _words(frame, row, own, sentence, edge, side)
        marks.append(_caption(frame, sentence.name, edge, side, across))
    for tie in ties:
        marks += _tie(frame, rows, tie, edges)
    if not ties:
        x, y = frame.point(length / 2, sum(edges) / 2)
        marks.insert(0, word(x, y, nothing, "quiet"))
    width, height = (across, length) if turned else (length, across)
    above = CAPTION
    moved = element("g", *marks, transform=f"translate(0 {above:.0f})")
    return finished(width, height + above * (1 if turned else 2), [moved], title, style)


def _extents(widths: Sequence[float]) -> list[tuple[float, float]]:
    found, start = [], 0.0
    for width in widths:
        found.append((start, start + width))
        start += width + GAP
    return found


def _words(
    frame: Frame,
    row: Sequence[tuple[float, float]],
    widths: Sequence[float],
    sentence: Sentence,
    edge: float,
    side: int,
) -> Iterator[Markup]:
    """The words beside the edge that their lines begin at."""
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
            yield word(edge + side * PAD, middle, text, look, "end" if side < 0 else "start")
        else:
            x, y = frame.point(middle, (edge + far) / 2)
            yield word(x, y, text, look, mirrored=frame.mirrored)
    if not sentence.words:
        x, y = frame.point(LINE / 2 if frame.turned else PAD, edge + side * LINE / 2)
        anchor = "end" if frame.mirrored or (frame.turned and side < 0) else "start"
        yield word(x, y, "(no words)", "quiet", anchor)


def _caption(frame: Frame, name: str, edge: float, side: int, across: float) -> Markup:
    """What the sentence is: over its column, or at the outer side of its row."""
    if frame.turned:
        anchor = "end" if side < 0 else "start"
        return word(edge + side * PAD, -CAPTION / 2, name, "quiet", anchor, SMALL)
    x, _ = frame.point(PAD, 0)
    y = -CAPTION / 2 if side < 0 else across + CAPTION / 2
    return word(x, y, name, "quiet", "end" if frame.mirrored else "start", SMALL)


def _tie(
    frame: Frame, rows: Sequence[Sequence[tuple[float, float]]], tie: Tie, edges: tuple[float, ...]
) -> Iterator[Markup]:
    """A curve from words to words; of several words, a bar joins them."""
    middles = []
    for row, (start, end), edge, side in zip(
        rows, (tie.first, tie.second), edges, (1, -1), strict=True
    ):
        begin, finish = row[start][0], row[end - 1][1]
        middles.append((begin + finish) / 2)
        if end - start > 1:
            bar = edge + side * 2
            inner = 2 if frame.turned else PAD
            steps = f"M{frame.at(begin + inner, bar)}L{frame.at(finish - inner, bar)}"
            yield path(steps, tie.look)
    near, far = edges[0] + 2, edges[1] - 2
    bend = (far - near) * 0.4
    yield path(
        f"M{frame.at(middles[0], near)}C{frame.at(middles[0], near + bend)} "
        f"{frame.at(middles[1], far - bend)} {frame.at(middles[1], far)}",
        tie.look,
    )


def _levels(heads: Sequence[int]) -> dict[Span, int]:
    """How high the arc of each token and its head is: above all arcs that it covers."""
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
    """An arrow from each head to its dependent, and one from outside to each root."""
    heads = sentence.heads or ()
    levels = _levels(heads)
    top = _arcs_height(heads) - 2
    middles = [sum(extent) / 2 for extent in row]
    for token, head in enumerate(heads, 1):
        gone = sentence.boxes[token - 1] is not None
        look = "delete-line" if gone else "line"
        here = middles[token - 1]
        if head:
            there = middles[head - 1]
            # arrows of a head's other side, and the one to itself, have their own places
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
        yield path(steps, look, gone)
        tip = "".join(
            f"{'L' if k else 'M'}{frame.at(here + a, edge + side * b)}"
            for k, (a, b) in enumerate(((-3, 7), (3, 7), (0, 1)))
        )
        yield element("path", d=tip + "Z", class_="hb-delete-ink" if gone else "hb-quiet")
