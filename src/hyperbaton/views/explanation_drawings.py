"""The drawings of an explanation, by name or all in one SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hyperbaton.errors import InputError
from hyperbaton.explanations.explanation import Explanation
from hyperbaton.explanations.order_marks import GapMark, sentence_marks
from hyperbaton.presentation import Drawing
from hyperbaton.views.drawings import DRAWINGS
from hyperbaton.views.drawings.canvas import (
    LINE,
    LOOKS,
    MARGIN,
    Frame,
    message_drawing,
    text_element,
)
from hyperbaton.views.drawings.forests import forest_svg
from hyperbaton.views.drawings.parses import parse_svg
from hyperbaton.views.drawings.sentences import alignment_svg, tree_edit_svg
from hyperbaton.views.drawings.trees import tree_svg
from hyperbaton.views.svg import document, element, number, text_width

CAPTION_SIZE = 16.0
NO_LINK = "no word is aligned, so the word order cannot be compared"


def explanation_drawings(
    explanation: Explanation, names: Sequence[str] = (), style: bool = True
) -> dict[str, Drawing]:
    """Return the named drawings; by default all, dependencies only if there are trees.

    ``style`` says whether each drawing contains its style sheet.
    """
    for name in names:
        if name not in MAKERS:
            raise InputError(f"unknown drawing {name!r}; choose from {', '.join(DRAWINGS)}")
    default = [name for name in DRAWINGS if name != "dependencies" or explanation.edit is not None]
    return {name: _draw_or_explain(explanation, name, style) for name in names or default}


def stacked_drawings(explanation: Explanation, names: Sequence[str] = ()) -> Drawing:
    """Return drawings as one SVG, one below another; several have captions."""
    drawings = explanation_drawings(explanation, names, style=False)
    captions = {name: DRAWINGS[name] for name in drawings} if len(drawings) > 1 else {}
    caption_widths = [2 * MARGIN + text_width(text, CAPTION_SIZE) for text in captions.values()]
    width = max([drawing.width for drawing in drawings.values()] + caption_widths)
    row = Frame(width, mirrored=explanation.is_right_to_left)
    parts, top = [], 0.0
    for name, drawing in drawings.items():
        if captions:
            x, y = row.point(MARGIN, top + MARGIN + LINE / 2)
            anchor = row.anchor("start")
            parts.append(text_element(x, y, captions[name], anchor=anchor, size=CAPTION_SIZE))
            top += MARGIN + LINE
        left = width - drawing.width if row.mirrored else 0.0
        parts.append(element("g", drawing, transform=f"translate({number(left)} {number(top)})"))
        top += drawing.height
    title = f"word order: {', '.join(drawings)}"
    return document(width, top, *parts, title=title, looks=LOOKS)


def _draw_or_explain(explanation: Explanation, name: str, style: bool) -> Drawing:
    """Return the drawing, or one with the reason why there is none."""
    try:
        return MAKERS[name](explanation, style)
    except InputError as error:
        return message_drawing(str(error), style)


def _draw_alignment(explanation: Explanation, style: bool) -> Drawing:
    words = explanation.hypothesis_words, explanation.reference_words
    marks = _drawn_marks(explanation)
    return alignment_svg(explanation.alignment, *words, explanation.moves, marks, style=style)


def _drawn_marks(explanation: Explanation) -> tuple[tuple[GapMark, ...], tuple[GapMark, ...]]:
    """Return the marks of soft order, or none if it has other words than the drawing."""
    view = explanation.soft
    if (
        view is None
        or len(view.hypothesis_words) != len(explanation.hypothesis_words)
        or len(view.reference_words) != len(explanation.reference_words)
    ):
        return (), ()
    return sentence_marks(view)


def _draw_tree(explanation: Explanation, style: bool) -> Drawing:
    if explanation.tree is None:
        return message_drawing(NO_LINK, style)
    return tree_svg(explanation.tree, explanation.placed_words, explanation.moves, style)


def _draw_forest(explanation: Explanation, style: bool) -> Drawing:
    if explanation.tree is None:
        return message_drawing(NO_LINK, style)
    return forest_svg(explanation.permutation.forest(), explanation.placed_words, style)


def _draw_parse(explanation: Explanation, style: bool) -> Drawing:
    words = explanation.hypothesis_words, explanation.reference_words
    return parse_svg(explanation.parse, words, style=style)


def _draw_dependencies(explanation: Explanation, style: bool) -> Drawing:
    if explanation.edit is None:
        return message_drawing("no dependency trees were given", style)
    return tree_edit_svg(explanation.edit, style=style)


MAKERS: dict[str, Callable[[Explanation, bool], Drawing]] = {
    "alignment": _draw_alignment,
    "tree": _draw_tree,
    "forest": _draw_forest,
    "parse": _draw_parse,
    "dependencies": _draw_dependencies,
}
