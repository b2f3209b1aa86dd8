"""Rows of cells as TSV and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from hyperbaton.files.lines import printable


def render_rows(rows: Sequence[Sequence[str]], format: str) -> str:  # noqa: A002
    r"""Return rows as TSV or CSV, without a final newline.

    TSV has no quotes: each tab separates cells. CSV has quotes where RFC 4180 asks for them. Names
    with tabs, line ends or other unprintable characters are written as in tables, with escapes.
    Cells that a spreadsheet takes for formulas stay as they are: programs that read the file would
    not find a changed name again, and negative numbers begin as formulas do.

    >>> render_rows([["a,b", "c"]], "tsv"), render_rows([["a,b", "c"]], "csv")
    ('a,b\tc', '"a,b",c')
    """
    cells = [list(map(printable, row)) for row in rows]
    if format == "tsv":
        return "\n".join("\t".join(row) for row in cells)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(cells)
    return text.getvalue().removesuffix("\n")
