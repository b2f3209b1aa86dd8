"""Rows of cells as TSV and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from hyperbaton.files.lines import printable
from hyperbaton.views.tables import ResultView, Style


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
