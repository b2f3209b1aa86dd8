"""Permutation forests: all trees in one drawing, a bar for each span."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from hyperbaton.order.forest import PermutationForest
from hyperbaton.report.drawings.canvas import (
    LINE,
    MOST,
    PAD,
    SMALL,
    WIDEST,
    Frame,
    check_size,
    clipped,
    finished,
    path,
    word,
)
from hyperbaton.report.svg import Drawing, Markup, element, text_width
from hyperbaton.text.display import right_to_left

Span = tuple[int, int]
UNFOLDED = 6  # children of a chain of which every span is shown
UNFOLDED_IN_COLUMNS = 4
LEAST = 34.0  # pixels of a leaf
BAR = 30.0  # from one bar to the next


def forest_svg(
    forest: PermutationForest, words: Sequence[str] | None = None, style: bool = True
) -> Drawing:
    """All trees, packed: a bar for each span [[i, j]], with its operator and its inferences.

    Strokes on a bar are the split points of its one inference; dots are inferences of which each
    has that one split point. Of a chain of many children only the whole is shown, as 9×⟨1,2⟩.
    """
    n = len(forest.permutation)
    shown = [str(value) for value in forest.permutation]
    texts = shown if words is None else list(map(clipped, words))
    widths = [max(LEAST, text_width(text) + 2 * PAD) for text in texts]
    turned = sum(widths) > WIDEST
    spans = list(islice(_bars(forest, UNFOLDED_IN_COLUMNS if turned else UNFOLDED), MOST + 1))
    check_size(n + 2 * len(spans))  # each bar is placed beside all others
    ends = [0.0]
    for width in widths:
        ends.append(ends[-1] + (LINE if turned else width))
    frame = Frame(ends[-1], turned, not turned and right_to_left("".join(words or ())))
    labels = {span: _label(forest, span, whole) for span, whole in spans}
    levels = _levels([span for span, _ in spans])
    tops = _tops(levels, labels, turned)
    marks: list[Markup] = []
    for span, _ in spans:
        level = levels[span]
        across = (tops[level], tops[level - 1] - 4)
        marks += _bar(frame, ends, span, labels[span], forest.inferences(*span), across)
    base = tops[0]
    for k, text in enumerate(texts):
        middle = (ends[k] + ends[k + 1]) / 2
        if turned:
            marks.append(word(base + PAD, middle, text, anchor="start"))
        else:
            x, y = frame.point(middle, base + LINE / 2)
            marks.append(word(x, y, text, mirrored=frame.mirrored))
            if words is not None:
                x, y = frame.point(middle, base + LINE + SMALL / 2)
                marks.append(word(x, y, shown[k], "quiet", size=SMALL))
    room = max(widths) if turned else LINE + (SMALL + 4) * (words is not None)
    width, height = (base + room, ends[-1]) if turned else (ends[-1], base + room)
    caption = _caption(forest.count())
    width = max(width, text_width(caption, SMALL))
    marks.append(word(width / 2, height + LINE / 2, caption, "quiet", size=SMALL))
    title = f"permutation forest of {n} words, {caption}"
    return finished(width, height + LINE, marks, title, style)


def _bars(forest: PermutationForest, unfolded: int) -> Iterator[tuple[Span, bool]]:
    """The spans to be shown, and whether each is the whole of a long chain."""
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
    """A level for each span, from 1: above all that it covers, and on which it meets no other."""
    levels: dict[Span, int] = {}
    for start, end in sorted(spans, key=lambda span: (span[1] - span[0], span)):
        met = [(a, b, level) for (a, b), level in levels.items() if a < end and start < b]
        lowest = 1 + max((lv for a, b, lv in met if start <= a and b <= end), default=0)
        taken = {level for *_, level in met}
        while lowest in taken:
            lowest += 1
        levels[start, end] = lowest
    return levels


def _tops(levels: dict[Span, int], labels: dict[Span, str], turned: bool) -> list[float]:
    """Where each level begins, across; level 0 is that of the words."""
    highest = max(levels.values(), default=0)
    breadths = [BAR] * (highest + 1)
    if turned:
        for level in range(1, highest + 1):
            own = (text_width(labels[span]) for span, at in levels.items() if at == level)
            breadths[level] = max(own) + 16
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
    rises = "⟨1,2⟩" in label
    yield frame.box((start, end), across, "bar" if rises else "bar-turned")
    low = across[1]
    for splits in inferences:
        for split in splits:
            if len(inferences) > 1:
                x, y = frame.point(ends[split], low)
                yield element("circle", cx=x, cy=y, r=3, class_="hb-ink")
            else:
                yield path(f"M{frame.at(ends[split], low - 6)}L{frame.at(ends[split], low)}")
    x, y = frame.point((start + end) / 2, sum(across) / 2 - (0 if frame.turned else 1))
    yield word(x, y, label, "quiet" if rises else "ink", size=12.0)


def _caption(count: int) -> str:
    """How many trees there are."""
    if count < 10**9:
        return f"{count:,} tree{'s' * (count != 1)}"
    return f"about 10^{len(str(count)) - 1} trees"
