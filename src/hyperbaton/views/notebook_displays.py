"""What notebooks show of each object: tables of results, and drawings of the rest."""

from __future__ import annotations

import functools
from dataclasses import replace

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.bracketing import InversionParse
from hyperbaton.edit.tree_edits import TreeEdit
from hyperbaton.errors import InputError
from hyperbaton.meta.results import MetaEvaluation
from hyperbaton.order.forest import PermutationForest
from hyperbaton.order.nodes import OperatorTree
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.tree import PermutationTree
from hyperbaton.presentation import Drawing, Markup
from hyperbaton.runs.comparisons import Comparison
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.views.agreement_tables import agreement_document
from hyperbaton.views.comparison_tables import comparison_document
from hyperbaton.views.drawings.canvas import LOOKS
from hyperbaton.views.drawings.dependencies import dependency_svg
from hyperbaton.views.drawings.forests import forest_svg
from hyperbaton.views.drawings.parses import parse_svg
from hyperbaton.views.drawings.sentences import alignment_svg, tree_edit_svg
from hyperbaton.views.drawings.trees import tree_svg
from hyperbaton.views.notebook import document_html, drawing_html, isolate
from hyperbaton.views.reports import Report
from hyperbaton.views.result_documents import AGREEMENT_DIGITS, DIGITS, result_document
from hyperbaton.views.svg import element

MAX_CANONICAL_VALUES = 40  # a longer tree is drawn flattened: its chains would be too deep


@functools.singledispatch
def display(shown: object) -> Markup:
    """Return the HTML of an object, without a style sheet.

    Raises
    ------
    InputError
        If the object is too large to be drawn.
    """
    return document_html(result_document(shown))


def notebook_html(shown: object) -> str | None:
    """Return the display of an object, or None if the object is too large to be drawn.

    A notebook then falls back on the object's text.
    """
    try:
        return isolate(display(shown), looks=LOOKS)
    except InputError:
        return None


# Results


@display.register
def _(comparison: Comparison) -> Markup:
    return document_html(comparison_document(comparison, DIGITS, verdict_first=True))


@display.register
def _(evaluation: MetaEvaluation) -> Markup:
    return document_html(agreement_document(evaluation, AGREEMENT_DIGITS, mark="bold"))


@display.register
def _(report: Report) -> Markup:
    document = result_document(report)
    title = element("p", report.to_dict()["title"], class_="hb-title")
    return Markup(title + document_html(replace(document, parts=document.parts[1:])))


# Drawings


@display.register
def _(alignment: Alignment) -> Markup:
    hyp, ref = alignment.words or (None, None)
    return _drawing(alignment_svg(alignment, hyp, ref, style=False), alignment)


@display.register
def _(permutation: Permutation) -> Markup:
    if not len(permutation):
        raise InputError("an empty permutation has no tree")
    drawing = tree_svg(permutation.tree().flatten(), style=False)
    return Markup(element("p", str(permutation)) + _drawing(drawing, permutation))


@display.register
def _(tree: PermutationTree) -> Markup:
    shown = tree.flatten() if len(tree.permutation) > MAX_CANONICAL_VALUES else tree
    return _drawing(tree_svg(shown, style=False), tree)


@display.register
def _(tree: OperatorTree) -> Markup:
    return _drawing(tree_svg(tree, style=False), tree)


@display.register
def _(forest: PermutationForest) -> Markup:
    return _drawing(forest_svg(forest, style=False), forest)


@display.register
def _(parse: InversionParse) -> Markup:
    return _drawing(parse_svg(parse, style=False), parse)


@display.register
def _(edit: TreeEdit) -> Markup:
    return _drawing(tree_edit_svg(edit, style=False), edit)


@display.register
def _(tree: DependencyTree) -> Markup:
    return _drawing(dependency_svg(tree, style=False), tree)


def _drawing(drawing: Drawing, drawn: object) -> Markup:
    return drawing_html(drawing, str(drawn))
