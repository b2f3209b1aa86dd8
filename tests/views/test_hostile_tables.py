"""Hostile names in TSV, CSV, JSON, Markdown and LaTeX: each format is read back as it was meant."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

import hostile_text
from hyperbaton.files.columns import read_texts
from hyperbaton.files.lines import printable
from hyperbaton.meta.readers import read_table
from hyperbaton.text.display import safe_json
from hyperbaton.views.documents import (
    LATEX_ESCAPES,
    latex_table,
    markdown_table,
    render_latex,
    render_markdown,
)
from hyperbaton.views.formats import csv_text, tsv_text
from hyperbaton.views.tables import Column, Document, Prose, Style, Table, View

NAMES = hostile_text.TEXTS
SHOWN = [printable(name) for name in NAMES]
ROWS = [["system", "value"], *([name, "-0.5"] for name in NAMES)]
SHOWN_ROWS = [["system", "value"], *([name, "-0.5"] for name in SHOWN)]


# Tables for programs


def test_tsv_is_read_back(tmp_path: Path) -> None:
    text = tsv_text(ROWS)
    # The format has no quotes: IANA's text/tab-separated-values.
    assert list(csv.reader(io.StringIO(text), "excel-tab", quoting=csv.QUOTE_NONE)) == SHOWN_ROWS
    path = tmp_path / "table.tsv"
    path.write_text(text + "\n", "utf-8", newline="")
    table = read_table(path)
    assert [list(table.columns), *(cells for _, cells in table.rows)] == SHOWN_ROWS
    assert [cell for (cell,) in read_texts(f"{path}:system")] == SHOWN


def test_csv_is_read_back(tmp_path: Path) -> None:
    text = csv_text(ROWS)
    assert list(csv.reader(io.StringIO(text), strict=True)) == SHOWN_ROWS
    path = tmp_path / "table.csv"
    path.write_text(text + "\n", "utf-8", newline="")
    table = read_table(path)
    assert [list(table.columns), *(cells for _, cells in table.rows)] == SHOWN_ROWS


def test_formulas_stay_as_they_are() -> None:
    """The files are for programs, which join them by these names; docs/scoring.md says so."""
    cells = ["=1+1", "-0.5", "@a", "+b"]
    assert tsv_text([cells]).split("\t") == cells
    assert csv_text([cells]).split(",") == cells


@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_read_back(indent: int | None) -> None:
    text = safe_json({name: [name] for name in NAMES}, indent)
    assert text.replace("\n", "").isprintable()
    assert json.loads(text) == {name: [name] for name in NAMES}


# Tables for documents


@dataclass(frozen=True)
class Shown(View):
    """A view of parts, with all names as notes."""

    parts: Sequence[Table | Prose]

    def document(self) -> Document:
        return Document(self.parts, NAMES)


def inline_texts(tokens: list[Token]) -> list[str]:
    """Return the text of each cell or paragraph; there must be nothing in it but text and code."""
    found = []
    for token in tokens:
        if token.type == "inline":
            children = token.children or []
            assert {child.type for child in children} <= {"text", "code_inline", "softbreak"}
            found.append("".join(child.content or "\n" for child in children))
        assert token.type not in ("html_block", "fence", "code_block", "heading_open")
    return found


def test_markdown_shows_names_as_they_are() -> None:
    table = Table(
        [Column("name", tuple(NAMES), left=True), Column("<b>x</b>", ("1",) * len(NAMES))]
    )
    text = render_markdown(Shown([table, Prose(["a <b> c"])]), Style())
    found = inline_texts(MarkdownIt("commonmark").enable("table").parse(text))
    # Markdown shows several spaces as one, and none at the ends of cells and of code.
    shown = [name.strip() for name in SHOWN]
    assert found[:2] == ["name", "<b>x</b>"]
    assert found[2 : 2 + 2 * len(NAMES) : 2] == shown
    assert found[2 + 2 * len(NAMES)] == "a <b> c"
    assert [note.strip() for note in found[3 + 2 * len(NAMES) :]] == shown


def test_ordinary_markdown_has_no_backslashes() -> None:
    names = Column("system_name", ("my_system.v2", "a-b (c) [d]"), left=True)
    values = Column("pef ↑", ("0.93 [0.91, 0.95]", "<0.001"))
    assert "\\" not in markdown_table(Table([names, values]))


def latex_text(cell: str) -> str:
    """Return what LaTeX shows; every character with a meaning must be one of our escapes."""
    backwards = {value: chr(code) for code, value in LATEX_ESCAPES.items()}
    parts = sorted(map(re.escape, backwards), key=len, reverse=True)
    read = re.compile("|".join([*parts, r"(?P<plain>[^\\&%$#_{}~^])", r"(?P<empty>\{\})"]))
    shown, at = "", 0
    while at < len(cell):
        match = read.match(cell, at)
        assert match is not None, cell[at : at + 20]
        if match["empty"] is None:
            shown += match["plain"] or backwards[match[0]]
        at = match.end()
    return shown


def test_latex_shows_names_as_they_are() -> None:
    names = [name for name in NAMES if "--" not in name]  # a dash, as everywhere in LaTeX
    text = latex_table(Table([Column("name", tuple(names), left=True)]))
    lines = text.split("\n")
    rows = lines[lines.index(r"\midrule") + 1 : -2]
    assert len(rows) == len(names)
    for name, row in zip(names, rows, strict=True):
        assert row.endswith(r" \\")
        # After \\, these begin an option and a starred form.
        assert not row.startswith(("[", "*"))
        assert latex_text(row.removesuffix(r" \\")) == printable(name)


def test_notes_of_latex_are_comments() -> None:
    table = Table([Column("name", ("a",))])
    text = render_latex(Shown([table]), Style())
    comments = text.split("\n\n", 1)[1].split("\n")
    assert comments == [f"% {name}" for name in SHOWN]
