"""How objects reach the report layer without importing it.

``hyperbaton.report`` imports all other layers. An object of a lower layer that can be drawn or
reported therefore looks its presenter up by name when it is asked for.
"""

from __future__ import annotations

import importlib
from typing import Any


def present(presenter: str, *arguments: Any, **options: Any) -> Any:
    """Call a function of :mod:`hyperbaton.report.presenters` by its name."""
    module = importlib.import_module("hyperbaton.report.presenters")
    return getattr(module, presenter)(*arguments, **options)


class NotebookDrawing:
    """Mixin for objects that a notebook shows as an SVG drawing."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        drawing: str | None = present("notebook_svg", self)
        return drawing
