"""Drawings: each a pure function from what is drawn to the text of an SVG."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def for_notebook(draw: Callable[[T], str], thing: T) -> str | None:
    """What ``_repr_svg_`` gives: the drawing, or None if it cannot be, for another form."""
    try:
        return draw(thing)
    except ValueError:
        return None
