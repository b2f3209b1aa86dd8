"""Numbers and tables as the page shows them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from hyperbaton.meta.results import Agreement
from hyperbaton.report.tables import Column, as_markdown

NOT_MEASURED = "not measured"


def number(value: float | None, digits: int = 3) -> str:
    """With so many digits; – for none."""
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def with_interval(found: Agreement, digits: int = 3) -> str:
    """A value and its bounds."""
    if found.value is None or found.lower is None:
        return number(found.value, digits)
    bounds = f"{number(found.lower, digits)}, {number(found.upper, digits)}"
    return f"{number(found.value, digits)} [{bounds}]"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table of Markdown; the first columns are words."""
    columns = zip(*rows, strict=True)
    return as_markdown(
        [
            Column(heading, tuple(cells), left=k < left)
            for k, (heading, cells) in enumerate(zip(headings, columns, strict=True))
        ]
    )


def listed(names: Iterable[str], last: str = "and") -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *first, end = names
    return f"{', '.join(first)} {last} {end}" if first else end


def mean_difference(ours: Iterable[float], theirs: Iterable[float]) -> float:
    """Of numbers that a paper prints and ours, the mean absolute difference."""
    gaps = [abs(a - b) for a, b in zip(ours, theirs, strict=True)]
    return sum(gaps) / len(gaps)
