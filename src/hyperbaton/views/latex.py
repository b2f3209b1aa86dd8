"""Documents as LaTeX: tables for the package booktabs, with notes as comments."""

from __future__ import annotations

from hyperbaton.views.tables import DIGITS, Prose, Style, Table, TextColumn, View, note_lines

ESCAPES = str.maketrans(
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
    lines.append(" & ".join(column.heading.translate(ESCAPES) for column in columns) + r" \\")
    lines.append(r"\midrule")
    for k in table.rows:
        if k in table.rules:
            lines.append(r"\midrule")
        first, *others = (_cell(column, k) for column in columns)
        if first.startswith(("[", "*")):  # they would belong to the \\ of the line before
            first = f"{{}}{first}"
        lines.append(" & ".join([first, *others]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _cell(column: TextColumn, row: int) -> str:
    text = column.cells[row].translate(ESCAPES)
    return rf"\textbf{{{text}}}" if row in column.highlighted else text
