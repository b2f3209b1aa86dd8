"""Formatting of numbers, lists and tables for the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from hyperbaton.meta.results import Agreement

NOT_MEASURED = "not measured"


def format_number(value: float | None, digits: int = 3) -> str:
    """Format a number with ``digits`` decimals; None and NaN become –."""
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def format_with_interval(agreement: Agreement, digits: int = 3) -> str:
    """Format a value with its confidence interval."""
    if agreement.value is None or agreement.lower is None:
        return format_number(agreement.value, digits)
    bounds = f"{format_number(agreement.lower, digits)}, {format_number(agreement.upper, digits)}"
    return f"{format_number(agreement.value, digits)} [{bounds}]"


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return a table of Markdown texts whose first ``left`` columns are aligned to the left.

    >>> print(markdown_table(["metric", "τ"], [["`order`", "0.1"]]))
    | metric | τ |
    | --- | ---: |
    | `order` | 0.1 |
    """
    rule = ["---"] * left + ["---:"] * (len(headings) - left)
    return "\n".join(f"| {' | '.join(row)} |" for row in (headings, rule, *rows))


def join_names(names: Iterable[str], last: str = "and") -> str:
    """Join names for use in a sentence.

    >>> join_names(["a", "b", "c"])
    'a, b and c'
    """
    *first, end = names
    return f"{', '.join(first)} {last} {end}" if first else end


def mean_absolute_difference(ours: Iterable[float], theirs: Iterable[float]) -> float:
    """Return the mean absolute difference between our numbers and published ones."""
    differences = [abs(a - b) for a, b in zip(ours, theirs, strict=True)]
    return sum(differences) / len(differences)
