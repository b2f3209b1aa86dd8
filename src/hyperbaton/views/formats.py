"""The output formats: functions that render the view of a result.

The command line, its configuration file and its completion offer what is registered here, and the
web page the formats that have a label.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TextIO

from hyperbaton.files.lines import printable
from hyperbaton.registries import Registry, load
from hyperbaton.text.display import safe_json
from hyperbaton.views.tables import ResultView, Style

if TYPE_CHECKING:
    from hyperbaton.metrics.metric import Metric
    from hyperbaton.runs.engine import ScoredBatch


def render_tsv(view: ResultView, style: Style) -> str:
    """Return the records of a result as TSV, without a final newline."""
    return tsv_text(_rows(view))


def render_csv(view: ResultView, style: Style) -> str:
    """Return the records of a result as CSV, without a final newline."""
    return csv_text(_rows(view))


def tsv_text(rows: Sequence[Sequence[str]]) -> str:
    r"""Return rows as TSV, which has no quotes: each tab separates cells.

    Names with tabs, line ends or other unprintable characters are written as in tables, with
    escapes. Cells that a spreadsheet takes for formulas stay as they are: programs that read the
    file would not find a changed name again, and negative numbers begin as formulas do.

    >>> tsv_text([["a,b", "c\td"]])
    'a,b\tc\\td'
    """
    return "\n".join("\t".join(map(printable, row)) for row in rows)


def csv_text(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as CSV, with quotes where RFC 4180 asks for them; see :func:`tsv_text`.

    >>> csv_text([["a,b", "c"]])
    '"a,b",c'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(list(map(printable, row)) for row in rows)
    return text.getvalue().removesuffix("\n")


def _rows(view: ResultView) -> list[list[str]]:
    records = view.records()
    return [list(records[0]), *(list(map(_text, record.values())) for record in records)]


def _text(value: object) -> str:
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def segment_writer(
    table: TextIO, metrics: Mapping[str, Metric], system_count: int
) -> Callable[[ScoredBatch], None]:
    """Return a function that writes the values of batches: a row for each segment and system.

    A value that is not known is empty, as in other tables.
    """
    table.write("\t".join(["segment", "system", *map(printable, metrics)]) + "\n")
    waiting: list[tuple[str, list[tuple[float, ...]]]] = []  # systems of the same segments

    def write(scored: ScoredBatch) -> None:
        batch = scored.batch
        columns = [scored.values(key).tolist() for key in metrics]
        waiting.append((printable(batch.system), list(zip(*columns, strict=True))))
        if len(waiting) < system_count:
            return
        for k in range(len(batch)):
            for name, rows in waiting:
                values = "\t".join("" if math.isnan(value) else repr(value) for value in rows[k])
                table.write(f"{batch.first + k + 1}\t{name}\t{values}\n")
        waiting.clear()

    return write


@dataclass(frozen=True)
class Format:
    """An output format.

    Attributes
    ----------
    renderer : str or callable
        The function that returns the view of a result in this format, or where it is:
        ``module:name``.
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

    renderer: str | Callable[[ResultView, Style], str]
    suffix: str
    media_type: str
    label: str = ""
    content: Literal["document", "data", "records"] = "document"
    has_texts: bool = False

    @property
    def for_machines(self) -> bool:
        """Whether it is for programs, which need all digits."""
        return self.content != "document"

    def render(self, view: ResultView, style: Style) -> str:
        """Return a result in this format, without a final newline."""
        return str(load(self.renderer)(view, style))


def render_json(view: ResultView, style: Style) -> str:
    """Return the data of a result as JSON."""
    return safe_json(view.data(), indent=2)


# Renderers of tables for people are loaded when they are needed: the program starts sooner.
DOCUMENTS = "hyperbaton.views.documents"
FORMATS = Registry(
    "format",
    {
        "text": Format(f"{DOCUMENTS}:render_text", ".txt", "text/plain", has_texts=True),
        "json": Format(render_json, ".json", "application/json", "scores as JSON", "data", True),
        "tsv": Format(render_tsv, ".tsv", "text/tab-separated-values", content="records"),
        "csv": Format(render_csv, ".csv", "text/csv", content="records"),
        "markdown": Format(
            f"{DOCUMENTS}:render_markdown", ".md", "text/markdown", "tables as Markdown"
        ),
        "latex": Format(f"{DOCUMENTS}:render_latex", ".tex", "text/x-tex", "tables as LaTeX"),
    },
)
