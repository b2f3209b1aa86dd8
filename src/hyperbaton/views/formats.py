"""The output formats: functions that render the view of a result.

The command line, its configuration file and its completion offer what is registered here, and the
web page the formats that have a label.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hyperbaton.registries import Registry
from hyperbaton.text.display import safe_json
from hyperbaton.views.delimited import render_csv, render_tsv
from hyperbaton.views.latex import render_latex
from hyperbaton.views.markdown import render_markdown
from hyperbaton.views.plain_text import render_text
from hyperbaton.views.tables import ResultView, Style


@dataclass(frozen=True)
class Format:
    """An output format.

    Attributes
    ----------
    render : callable
        Returns a result in this format, without a final newline.
    suffix : str
        The end of the names of its files.
    media_type : str
    label : str
        What the page calls its files; the page does not offer a format without a label.
    content : {"document", "data", "records"}
        What it shows of a view: what people see, or for programs the data or a single table.
    has_texts : bool
        Whether it can show texts of segments.
    """

    render: Callable[[ResultView, Style], str]
    suffix: str
    media_type: str
    label: str = ""
    content: Literal["document", "data", "records"] = "document"
    has_texts: bool = False

    @property
    def for_machines(self) -> bool:
        """Whether it is for programs, which need all digits."""
        return self.content != "document"


def render_json(view: ResultView, style: Style) -> str:
    """Return the data of a result as JSON."""
    return safe_json(view.data(), indent=2)


FORMATS = Registry(
    "format",
    {
        "text": Format(render_text, ".txt", "text/plain", has_texts=True),
        "json": Format(
            render_json, ".json", "application/json", "scores as JSON", "data", has_texts=True
        ),
        "tsv": Format(render_tsv, ".tsv", "text/tab-separated-values", content="records"),
        "csv": Format(render_csv, ".csv", "text/csv", content="records"),
        "markdown": Format(render_markdown, ".md", "text/markdown", "tables as Markdown"),
        "latex": Format(render_latex, ".tex", "text/x-tex", "tables as LaTeX"),
    },
)
