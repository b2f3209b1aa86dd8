"""Rows of cells as TSV and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence


def render_rows(rows: Sequence[Sequence[str]], format: str) -> str:  # noqa: A002
    r"""Return rows as TSV or CSV, without a final newline.

    Cells of TSV are written as they are. CSV has quotes where RFC 4180 asks for them.

    >>> render_rows([["a,b", "c"]], "tsv"), render_rows([["a,b", "c"]], "csv")
    ('a,b\tc', '"a,b",c')
    """
    if format == "tsv":
        return "\n".join("\t".join(row) for row in rows)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().removesuffix("\n")
