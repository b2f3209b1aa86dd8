"""Drawings of dependency trees: arrows from heads to dependents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

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
    message_drawing,
    path,
    text_element,
)
from hyperbaton.views.svg import element, text_width

Span = tuple[int, int]
ARC = 15.0  # difference in height of nested arcs
RELATION_LINE = SMALL + 6  # height of the relations below the words


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
    row = _row(list(map(max, zip(widths, relation_widths, strict=True))), GAP)
    turned = row[-1][1] > MAX_WIDTH
    if turned:
        row = _row([LINE] * len(words), 0.0)
    length = row[-1][1]
    frame = Frame(length, turned, is_right_to_left("".join(words)) and not turned)
    edge = arcs_height(tree.heads)
    marks = list(draw_arcs(frame, row, tree.heads, edge, -1))
    for extent, word, relation in zip(row, words, relations, strict=True):
        middle = sum(extent) / 2
        if turned:
            marks.append(text_element(edge + PAD, middle, word, anchor="start"))
            x, y = edge + max(widths) + PAD, middle
        else:
            x, y = frame.point(middle, edge + LINE / 2)
            marks.append(text_element(x, y, word, mirrored=frame.mirrored))
            y = edge + LINE + SMALL / 2
        if relation:
            anchor = "start" if turned else "middle"
            marks.append(text_element(x, y, relation, "quiet", anchor, SMALL))
    if turned:
        across = edge + max(widths) + 2 * PAD + max(relation_widths)
    else:
        across = edge + LINE + (RELATION_LINE if tree.labels else 0)
    size = (across, length) if turned else (length, across)
    return finish_drawing(*size, marks, f"dependency tree of {len(words)} words", style)


def _row(sizes: Sequence[float], gap: float) -> list[tuple[float, float]]:
    """Return the extents of words of these sizes, one after another."""
    row, end = [], -gap
    for size in sizes:
        row.append((end + gap, end + gap + size))
        end += gap + size
    return row


def _levels(heads: Sequence[int]) -> dict[Span, int]:
    """Return the level of the arc of each token and its head: above all arcs that it covers."""
    spans = {(min(k, head), max(k, head)) for k, head in enumerate(heads, 1) if head}
    levels: dict[Span, int] = {}
    for start, end in sorted(spans, key=lambda span: (span[1] - span[0], span)):
        inside = (level for (a, b), level in levels.items() if start <= a and b <= end)
        levels[start, end] = 1 + max(inside, default=0)
    return levels


def arcs_height(heads: Sequence[int] | None) -> float:
    """Return the room that arcs need above or below the words."""
    if not heads:
        return 0.0
    return ARC * (max(_levels(heads).values(), default=0) + 2)


def draw_arcs(
    frame: Frame,
    row: Sequence[tuple[float, float]],
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
        tip = "".join(
            f"{'L' if k else 'M'}{frame.at(here + a, edge + side * b)}"
            for k, (a, b) in enumerate(((-3, 7), (3, 7), (0, 1)))
        )
        yield element("path", d=tip + "Z", class_="hb-delete-ink" if is_deleted else "hb-quiet")
