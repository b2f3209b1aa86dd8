"""Documents as Markdown, and as LaTeX: tables for the package booktabs, with notes as comments."""

from __future__ import annotations

import re

from hyperbaton.files.lines import printable
from hyperbaton.views.tables import (
    DIGITS,
    Prose,
    Style,
    Table,
    TextColumn,
    View,
    ViewPart,
    note_lines,
)

# What has a meaning in Markdown. The signs of a_b, <0.001 and [0.1, 0.2] have none.
MARKUP = re.compile(
    r"[\\`*|~$]|<(?=[A-Za-z/!?])|&(?=[#A-Za-z])|\](?=[(\[])|(?<![^\W_])_|_(?![^\W_])"
)


def render_markdown(view: View, style: Style) -> str:
    """Return what a view shows, without a final newline. Highlighted cells are bold."""
    document, digits = view.document(), style.decimals(view)
    blocks = [_part_text(part, digits) for part in document.parts]
    if notes := note_lines(document, digits, "bold", style.short):
        blocks.append("\n".join(map(_code_item, notes)))
    return "\n\n".join(blocks)


def _part_text(part: ViewPart, digits: int) -> str:
    if isinstance(part, Table):
        return markdown_table(part, digits)
    if isinstance(part, Prose):
        return "\n".join(_escape(printable(sentence)) for sentence in part.sentences)
    return part.format(digits)


def markdown_table(table: Table, digits: int = DIGITS) -> str:
    """Return a table."""
    columns = table.format(digits)
    rows = [[_escape(column.heading) for column in columns]]
    rows.append(["---" if column.left else "---:" for column in columns])
    for k in table.rows:
        cells = (_escape(column.cells[k]) for column in columns)
        marks = ("**" if k in column.highlighted else "" for column in columns)
        rows.append([f"{mark}{cell}{mark}" for mark, cell in zip(marks, cells, strict=True)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _escape(text: str) -> str:
    r"""Return text that Markdown shows as it is.

    >>> print(_escape("a_b, <0.001, <b>, [x](y), [1, 2], _c_"))
    a_b, <0.001, \<b>, [x\](y), [1, 2], \_c\_
    """
    return MARKUP.sub(r"\\\g<0>", text)


def _code_item(text: str) -> str:
    """Return an item of a list with text as code, inside more backticks than the text has.

    >>> print(_code_item("pef|nrefs:1"), _code_item("a`b"), sep="\\n")
    - `pef|nrefs:1`
    - `` a`b ``
    """
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " * (len(fence) > 1)
    return f"- {fence}{space}{text}{space}{fence}"


LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "|": r"\textbar{}",
        "–": "--",
        "<": r"$<$",
        ">": r"$>$",
    }
)


def render_latex(view: View, style: Style) -> str:
    """Return the tables and notes of a view, without a final newline. Highlighted cells are bold.

    Sentences are left out.
    """
    document, digits = view.document(), style.decimals(view)
    blocks = [
        latex_table(part, digits) if isinstance(part, Table) else part.format(digits)
        for part in document.parts
        if not isinstance(part, Prose)
    ]
    notes = "\n".join(f"% {note}" for note in note_lines(document, digits, "bold", style.short))
    if notes and document.adjoining:
        blocks[-1] += f"\n{notes}"
    elif notes:
        blocks.append(notes)
    return "\n\n".join(blocks)


def latex_table(table: Table, digits: int = DIGITS) -> str:
    """Return a tabular."""
    columns = table.format(digits)
    alignment = "".join("l" if column.left else "r" for column in columns)
    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule"]
    lines.append(" & ".join(column.heading.translate(LATEX_ESCAPES) for column in columns) + r" \\")
    lines.append(r"\midrule")
    for k in table.rows:
        if k in table.rules:
            lines.append(r"\midrule")
        first, *others = (_latex_cell(column, k) for column in columns)
        if first.startswith(("[", "*")):  # they would belong to the \\ of the line before
            first = f"{{}}{first}"
        lines.append(" & ".join([first, *others]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _latex_cell(column: TextColumn, row: int) -> str:
    text = column.cells[row].translate(LATEX_ESCAPES)
    return rf"\textbf{{{text}}}" if row in column.highlighted else text
