"""Drawings of permutation forests: all trees in one drawing, with one bar per span."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from hyperbaton.order.trees import PermutationForest
from hyperbaton.presentation import Drawing, Markup
from hyperbaton.text.display import clip_word, is_right_to_left
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.drawings.canvas import (
    LINE,
    MAX_ITEMS,
    MAX_WIDTH,
    PAD,
    SMALL,
    Frame,
    check_size,
    finish_drawing,
    path,
    text_element,
)
from hyperbaton.views.svg import element, text_width

Span = tuple[int, int]
MAX_UNFOLDED = 6  # children of a chain; longer chains are drawn as one bar
MAX_UNFOLDED_TURNED = 4
MIN_LEAF_WIDTH = 34.0
BAR = 30.0  # distance between bars


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
    spans = list(
        islice(_bars(forest, MAX_UNFOLDED_TURNED if turned else MAX_UNFOLDED), MAX_ITEMS + 1)
    )
    check_size(n + 2 * len(spans))  # placing the bars takes quadratic time
    ends = [0.0]
    for width in widths:
        ends.append(ends[-1] + (LINE if turned else width))
    labels = {span: _label(forest, span, whole) for span, whole in spans}
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
            x, y = frame.point(middle, base + PAD)
            marks.append(text_element(x, y, text, anchor=frame.anchor("start"), mirrored=mirrored))
        else:
            x, y = frame.point(middle, base + LINE / 2)
            marks.append(text_element(x, y, text, mirrored=mirrored))
            if words is not None:
                x, y = frame.point(middle, base + LINE + SMALL / 2)
                marks.append(text_element(x, y, values[k], "quiet", size=SMALL))
    width, height = (base + room, ends[-1]) if turned else (ends[-1], base + room)
    caption = _caption(forest.count())
    width = max(width, text_width(caption, SMALL))
    marks.append(text_element(width / 2, height + LINE / 2, caption, "quiet", size=SMALL))
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


def _label(forest: PermutationForest, span: Span, folded: bool) -> str:
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
    tops = [0.0] * (highest + 1)
    for level in range(highest - 1, -1, -1):
        tops[level] = tops[level + 1] + breadths[level + 1]
    return tops


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
    x, y = frame.point((start + end) / 2, sum(across) / 2 - (0 if frame.turned else 1))
    yield text_element(x, y, label, "quiet" if in_order else "ink", size=12.0)


def _caption(count: int) -> str:
    """Return the number of trees in words."""
    if count < 10**9:
        return count_noun(count, "tree")
    return f"about 10^{len(str(count)) - 1} trees"
