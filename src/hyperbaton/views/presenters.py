"""What is shown of each object: tables of results, and drawings of the rest."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.bracketing import InversionParse
from hyperbaton.edit.tree_edits import TreeEdit
from hyperbaton.errors import InputError
from hyperbaton.explanations.explanation import Explanation
from hyperbaton.meta.results import MetaEvaluation
from hyperbaton.meta.tuning import Tuning
from hyperbaton.order.nodes import OperatorTree
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.profile import ReorderingProfile
from hyperbaton.order.trees import PermutationForest, PermutationTree
from hyperbaton.presentation import Drawing, Presenter
from hyperbaton.runs.comparisons import Comparison
from hyperbaton.runs.reports import Report
from hyperbaton.runs.results import Result, Score
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.views.agreement_tables import AgreementView
from hyperbaton.views.comparison_tables import ComparisonView
from hyperbaton.views.content import report_content
from hyperbaton.views.drawings.canvas import LOOKS
from hyperbaton.views.drawings.dependencies import dependency_svg
from hyperbaton.views.drawings.forests import forest_svg
from hyperbaton.views.drawings.parses import parse_svg
from hyperbaton.views.drawings.sentences import alignment_svg, tree_edit_svg
from hyperbaton.views.drawings.trees import tree_svg
from hyperbaton.views.explanation_drawings import explanation_drawings, stacked_drawings
from hyperbaton.views.html_documents import render_html
from hyperbaton.views.notebook import isolate
from hyperbaton.views.page import explanation_fragment, explanation_page
from hyperbaton.views.plain_text import render_text
from hyperbaton.views.profile_tables import ProfileView
from hyperbaton.views.reports import ReportView, report_page
from hyperbaton.views.score_tables import ScoreView, SingleScoreView
from hyperbaton.views.tables import Document, Part, Picture, Prose, Section, Style, View
from hyperbaton.views.terminal import render_explanation
from hyperbaton.views.tuning_tables import TuningView

MAX_CANONICAL_VALUES = 40  # a longer tree is drawn flattened: its chains would be too deep


def result_text(result: object) -> str:
    """Return what the command line prints of a result, at the width of the terminal."""
    return render_text(view_of(result), Style())


@functools.singledispatch
def notebook_html(shown: object) -> str | None:
    """Return what a notebook shows of an object, or None if it is too large to be drawn.

    The notebook then falls back on the object's text.
    """
    try:
        return isolate(render_html(view_of(shown)), looks=LOOKS)
    except InputError:
        return None


notebook_html.register(Explanation, explanation_fragment)


@functools.singledispatch
def view_of(shown: object) -> View:
    """Return the view of an object.

    Raises
    ------
    InputError
        If the object is too large to be drawn.
    """
    raise NotImplementedError(f"there is no view of {type(shown).__name__}")


view_of.register(Result, lambda result: ScoreView([result], result.sampling))
view_of.register(Tuning, lambda tuning: TuningView([tuning]))
view_of.register(Score, SingleScoreView)
view_of.register(Comparison, ComparisonView)
view_of.register(MetaEvaluation, AgreementView)
view_of.register(ReorderingProfile, ProfileView)
view_of.register(Report, ReportView)


@dataclass(frozen=True)
class DrawnView(View):
    """What is shown of an object that is drawn."""

    parts: Sequence[Part]

    def document(self) -> Document:
        """Return the parts."""
        return Document([Section(self.parts)])


def register_drawing(kind: type, draw: Callable[..., Drawing]) -> None:
    """Let a function draw objects of a type."""
    view_of.register(kind, lambda drawn: DrawnView([Picture(draw(drawn, style=False), str(drawn))]))


register_drawing(OperatorTree, tree_svg)
register_drawing(PermutationForest, forest_svg)
register_drawing(InversionParse, parse_svg)
register_drawing(TreeEdit, tree_edit_svg)
register_drawing(DependencyTree, dependency_svg)


@view_of.register
def _(alignment: Alignment) -> View:
    hyp, ref = alignment.words or (None, None)
    return DrawnView([Picture(alignment_svg(alignment, hyp, ref, style=False), str(alignment))])


@view_of.register
def _(permutation: Permutation) -> View:
    if not len(permutation):
        raise InputError("an empty permutation has no tree")
    drawing = tree_svg(permutation.tree().flatten(), style=False)
    return DrawnView([Prose([str(permutation)]), Picture(drawing, str(permutation))])


@view_of.register
def _(tree: PermutationTree) -> View:
    shown = tree.flatten() if len(tree.permutation) > MAX_CANONICAL_VALUES else tree
    return DrawnView([Picture(tree_svg(shown, style=False), str(tree))])


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
