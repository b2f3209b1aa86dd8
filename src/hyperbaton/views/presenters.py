"""What objects of other layers call through :mod:`hyperbaton.presentation`."""

from __future__ import annotations

from collections.abc import Mapping

from hyperbaton.errors import InputError
from hyperbaton.runs.comparisons import Comparison
from hyperbaton.runs.move_counts import MoveCounts, count_moves
from hyperbaton.runs.verdict import default_metric, write_verdict
from hyperbaton.views.explanation_drawings import explanation_drawings, stacked_drawings
from hyperbaton.views.notebook_displays import notebook_html
from hyperbaton.views.page import explanation_fragment, explanation_page
from hyperbaton.views.reports import create_report
from hyperbaton.views.result_documents import result_document
from hyperbaton.views.tables import render_document
from hyperbaton.views.terminal import render_explanation

__all__ = [
    "comparison_verdict",
    "count_moves",
    "create_report",
    "explanation_drawings",
    "explanation_fragment",
    "explanation_page",
    "notebook_html",
    "render_explanation",
    "result_text",
    "stacked_drawings",
]


def result_text(result: object) -> str:
    """Return the table that the command line prints, at the width of the terminal."""
    document = result_document(result)
    return render_document(document.parts, [*document.notes, *document.signatures])


def comparison_verdict(
    comparison: Comparison, metric: str | None, moves: Mapping[str, MoveCounts]
) -> tuple[str, ...]:
    """Return the verdict of a comparison by a metric, or by the first that measures order alone."""
    results = comparison.results
    name = default_metric(results[0]) if metric is None else metric
    if name not in results[0]:
        raise InputError(f"{name!r} was not compared; compared: {', '.join(results[0])}")
    return write_verdict(results, comparison, name, moves)
