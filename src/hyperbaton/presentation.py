"""How objects reach the report layer without importing it.

``hyperbaton.views`` imports all other layers. An object of a lower layer that can be displayed or
reported therefore looks its presenter up by name when it is asked for.
"""

from __future__ import annotations

import importlib
from typing import Any


def present(presenter: str, *arguments: Any, **options: Any) -> Any:
    """Call a function of :mod:`hyperbaton.views.presenters` by its name."""
    module = importlib.import_module("hyperbaton.views.presenters")
    return getattr(module, presenter)(*arguments, **options)


class NotebookDisplay:
    """Mixin for objects that a notebook shows as tables or as a drawing."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        html: str | None = present("notebook_html", self)
        return html


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
        text: str = present("result_text", self)
        return text


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
