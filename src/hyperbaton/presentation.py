"""How objects are shown without importing the layer that shows them.

``hyperbaton.views`` imports all other layers, so that objects of lower layers cannot import it.
They ask a :class:`Presenter` instead. The views have it; they are imported when something is first
shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hyperbaton.registries import load

PRESENTER = "hyperbaton.views.presenters:PRESENTER"


class Markup(str):
    """Text that is SVG or HTML. Elements escape all other text."""

    __slots__ = ()


class Drawing(Markup):
    """A complete SVG with its size."""

    width: float
    height: float

    def __new__(cls, text: str, width: float, height: float) -> Drawing:
        """Create a drawing from its text and size."""
        drawing = super().__new__(cls, text)
        drawing.width, drawing.height = width, height
        return drawing


@dataclass(frozen=True)
class Presenter:
    """What shows objects.

    Attributes
    ----------
    text : callable
        Returns what ``print`` shows of a result.
    html : callable
        Returns what a notebook shows of an object; None if that is the object's text.
    report_content, report_page : callable
        Return what a report says about results, as data for JSON, and its page.
    explanation_text, explanation_page : callable
        Return an explanation as text, for a width in columns, perhaps with colours and
        details, and as a page.
    explanation_drawings, stacked_drawings : callable
        Return named drawings of an explanation, perhaps with their style, or all as one drawing.
    """

    text: Callable[[Any], str]
    html: Callable[[Any], str | None]
    report_content: Callable[..., dict[str, Any]]
    report_page: Callable[[Any], str]
    explanation_text: Callable[[Any, int, bool, bool], str]
    explanation_page: Callable[[Any], str]
    explanation_drawings: Callable[[Any, Sequence[str], bool], dict[str, Drawing]]
    stacked_drawings: Callable[[Any, Sequence[str]], Drawing]


def presenter() -> Presenter:
    """Return the presenter."""
    found: Presenter = load(PRESENTER)
    return found


class NotebookDisplay:
    """Mixin for objects that a notebook shows as tables or as a drawing."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return presenter().html(self)


class PrintedResult(NotebookDisplay):
    """Mixin for results that ``print`` shows as the command line does.

    Results are equal if their data for JSON are, also after pickling.
    """

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result for JSON."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PrintedResult) or type(self) is not type(other):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(repr(self))

    def __str__(self) -> str:
        return presenter().text(self)
