"""What objects of other layers call through :mod:`hyperbaton.presentation`."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.comparison.results import Comparison
from hyperbaton.edit.bracketing import InversionParse
from hyperbaton.edit.tree_edits import TreeEdit
from hyperbaton.errors import InputError
from hyperbaton.order.forest import PermutationForest
from hyperbaton.order.nodes import OperatorTree
from hyperbaton.order.tree import PermutationTree
from hyperbaton.report.drawings.forests import forest_svg
from hyperbaton.report.drawings.parses import parse_svg
from hyperbaton.report.drawings.sentences import alignment_svg, tree_edit_svg
from hyperbaton.report.drawings.trees import tree_svg
from hyperbaton.report.move_counts import MoveCounts, count_moves
from hyperbaton.report.reports import create_report
from hyperbaton.report.verdict import default_metric, write_verdict

__all__ = ["comparison_verdict", "count_moves", "create_report", "draw", "notebook_svg"]

MAX_CANONICAL_VALUES = 40  # a longer tree is drawn flattened: its chains would be too deep


def comparison_verdict(
    comparison: Comparison, metric: str | None, moves: Mapping[str, MoveCounts]
) -> tuple[str, ...]:
    """Return the verdict of a comparison by a metric, or by the first that measures order alone."""
    results = comparison.results
    name = default_metric(results[0]) if metric is None else metric
    if name not in results[0]:
        raise InputError(f"{name!r} was not compared, only {', '.join(results[0])}")
    return write_verdict(results, comparison, name, moves)


def notebook_svg(drawable: object) -> str | None:
    """Return a drawing for a notebook, or None if the object is too large to be drawn.

    A notebook then falls back on the object's text.
    """
    try:
        return draw(drawable)
    except InputError:
        return None


@functools.singledispatch
def draw(drawable: object) -> str:
    """Return the SVG drawing of an object."""
    raise NotImplementedError(f"there is no drawing of {type(drawable).__name__}")


draw.register(Alignment, alignment_svg)
draw.register(InversionParse, parse_svg)
draw.register(OperatorTree, tree_svg)
draw.register(PermutationForest, forest_svg)
draw.register(TreeEdit, tree_edit_svg)


@draw.register
def _(tree: PermutationTree) -> str:
    return tree_svg(tree.flatten() if len(tree.permutation) > MAX_CANONICAL_VALUES else tree)
