"""What is shown of each object: tables of results, drawings of explanations and of the rest."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.bracketing import InversionParse
from hyperbaton.edit.tree_edits import TreeEdit
from hyperbaton.errors import InputError
from hyperbaton.explanations.explanation import Explanation
from hyperbaton.explanations.order_marks import GapMark, sentence_marks
from hyperbaton.meta.results import MetaEvaluation
from hyperbaton.meta.tuning import Tuning
from hyperbaton.order.nodes import OperatorTree
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.profile import ReorderingProfile
from hyperbaton.order.trees import PermutationForest, PermutationTree
from hyperbaton.presentation import Drawing, Presenter
from hyperbaton.runs.comparing import Comparison
from hyperbaton.runs.results import Report, Result, Score
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.views.comparison_tables import ComparisonView
from hyperbaton.views.content import report_content
from hyperbaton.views.documents import render_text
from hyperbaton.views.drawings import DRAWINGS
from hyperbaton.views.drawings.canvas import LINE, LOOKS, MARGIN, Frame, message_drawing
from hyperbaton.views.drawings.parses import parse_svg
from hyperbaton.views.drawings.sentences import alignment_svg, dependency_svg, tree_edit_svg
from hyperbaton.views.drawings.trees import forest_svg, tree_svg
from hyperbaton.views.meta_tables import AgreementView, TuningView
from hyperbaton.views.notebook import isolate, render_html
from hyperbaton.views.page import explanation_fragment, explanation_page
from hyperbaton.views.profile_tables import ProfileView
from hyperbaton.views.reports import ReportView, report_page
from hyperbaton.views.score_tables import ScoreView, SingleScoreView
from hyperbaton.views.svg import document, element, number, text_width
from hyperbaton.views.tables import Document, Picture, Prose, Style, View, ViewPart
from hyperbaton.views.terminal import render_explanation

CAPTION_SIZE = 16.0
MAX_CANONICAL_VALUES = 40  # a longer tree is drawn flattened: its chains would be too deep


def result_text(result: object) -> str:
    """Return what the command line prints of a result, at the width of the terminal."""
    return render_text(find_view(result), Style())


@functools.singledispatch
def notebook_html(shown: object) -> str | None:
    """Return what a notebook shows of an object, or None if it is too large to be drawn.

    The notebook then falls back on the object's text.
    """
    try:
        return isolate(render_html(find_view(shown)), looks=LOOKS)
    except InputError:
        return None


notebook_html.register(Explanation, explanation_fragment)


@functools.singledispatch
def find_view(shown: object) -> View:
    """Return the view of an object.

    Raises
    ------
    InputError
        If the object is too large to be drawn.
    """
    raise NotImplementedError(f"there is no view of {type(shown).__name__}")


find_view.register(Result, lambda result: ScoreView([result], result.sampling))
find_view.register(Tuning, lambda tuning: TuningView([tuning]))
find_view.register(Score, SingleScoreView)
find_view.register(Comparison, ComparisonView)
find_view.register(MetaEvaluation, AgreementView)
find_view.register(ReorderingProfile, ProfileView)
find_view.register(Report, ReportView)


@dataclass(frozen=True)
class DrawnView(View):
    """What is shown of an object that is drawn."""

    parts: Sequence[ViewPart]

    def document(self) -> Document:
        """Return the parts."""
        return Document(self.parts)


def register_drawing(kind: type, draw: Callable[..., Drawing]) -> None:
    """Let a function draw objects of a type."""
    find_view.register(kind, lambda it: DrawnView([Picture(draw(it, style=False), str(it))]))


register_drawing(OperatorTree, tree_svg)
register_drawing(PermutationForest, forest_svg)
register_drawing(InversionParse, parse_svg)
register_drawing(TreeEdit, tree_edit_svg)
register_drawing(DependencyTree, dependency_svg)


@find_view.register
def _(alignment: Alignment) -> View:
    hyp, ref = alignment.words or (None, None)
    return DrawnView([Picture(alignment_svg(alignment, hyp, ref, style=False), str(alignment))])


@find_view.register
def _(permutation: Permutation) -> View:
    if not len(permutation):
        raise InputError("an empty permutation has no tree")
    drawing = tree_svg(permutation.tree().flatten(), style=False)
    return DrawnView([Prose([str(permutation)]), Picture(drawing, str(permutation))])


@find_view.register
def _(tree: PermutationTree) -> View:
    shown = tree.flatten() if len(tree.permutation) > MAX_CANONICAL_VALUES else tree
    return DrawnView([Picture(tree_svg(shown, style=False), str(tree))])


def explanation_drawings(
    explanation: Explanation, names: Sequence[str] = (), style: bool = True
) -> dict[str, Drawing]:
    """Return the named drawings; by default all, dependencies only if there are trees.

    ``style`` says whether each drawing contains its style sheet.
    """
    for name in names:
        if name not in DRAWINGS:
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
            middle, caption = top + MARGIN + LINE / 2, captions[name]
            parts.append(row.text(MARGIN, middle, caption, anchor="start", size=CAPTION_SIZE))
            top += MARGIN + LINE
        left = width - drawing.width if row.mirrored else 0.0
        parts.append(element("g", drawing, transform=f"translate({number(left)} {number(top)})"))
        top += drawing.height
    title = f"word order: {', '.join(drawings)}"
    return document(width, top, *parts, title=title, looks=LOOKS)


def _draw_or_explain(explanation: Explanation, name: str, style: bool) -> Drawing:
    """Return the drawing, or one with the reason why there is none."""
    try:
        return _draw(explanation, name, style)
    except InputError as error:
        return message_drawing(str(error), style)


def _draw(explanation: Explanation, name: str, style: bool) -> Drawing:
    words = explanation.hypothesis_words, explanation.reference_words
    if name == "alignment":
        marks = _drawn_marks(explanation)
        return alignment_svg(explanation.alignment, *words, explanation.moves, marks, style=style)
    if name == "parse":
        return parse_svg(explanation.parse, words, style=style)
    if name == "dependencies":
        if explanation.edit is None:
            raise InputError("no dependency trees were given")
        return tree_edit_svg(explanation.edit, style=style)
    if explanation.tree is None:
        raise InputError("no word is linked, so the word order cannot be compared")
    if name == "tree":
        return tree_svg(explanation.tree, explanation.placed_words, explanation.moves, style)
    return forest_svg(explanation.permutation.forest(), explanation.placed_words, style)


def _drawn_marks(explanation: Explanation) -> tuple[tuple[GapMark, ...], tuple[GapMark, ...]]:
    """Return the marks of ``order``, or none if it has other words than the drawing."""
    view = explanation.soft
    if (
        view is None
        or len(view.hypothesis_words) != len(explanation.hypothesis_words)
        or len(view.reference_words) != len(explanation.reference_words)
    ):
        return (), ()
    return sentence_marks(view)


PRESENTER = Presenter(
    text=result_text,
    html=notebook_html,
    report_content=report_content,
    report_page=report_page,
    explanation_text=render_explanation,
    explanation_page=explanation_page,
    explanation_drawings=explanation_drawings,
    stacked_drawings=stacked_drawings,
)
