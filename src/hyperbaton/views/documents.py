"""Documents as text for a terminal, as Markdown, and as LaTeX with tables for booktabs."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from hyperbaton.files.lines import printable
from hyperbaton.text.display import terminal_width
from hyperbaton.views.tables import (
    BELOW,
    DIGITS,
    Prose,
    Style,
    Table,
    TextColumn,
    View,
    ViewPart,
    note_lines,
)

HIGHLIGHT, RESET = "\x1b[1;32m", "\x1b[0m"
GAP = "  "
PROSE_WIDTH = 80  # columns of sentences, also where tables may be wider
MARK = "*"  # after highlighted numbers
# What has a meaning in Markdown. The signs of a_b, <0.001 and [0.1, 0.2] have none.
MARKUP = re.compile(
    r"[\\`*|~$]|<(?=[A-Za-z/!?])|&(?=[#A-Za-z])|\](?=[(\[])|(?<![^\W_])_|_(?![^\W_])"
)


def render_text(view: View, style: Style) -> str:
    """Return what a view shows, without a final newline.

    Tables have padded columns, and highlighted cells a star. Columns of a table that do not fit in
    the width stand below the others.
    """
    document, digits = view.document(), style.decimals(view)
    width = terminal_width() if style.width is None else style.width
    title = [Prose([printable(document.title)])] if document.title else []
    blocks = [_part_text(part, digits, width, style.colour) for part in (*title, *document.parts)]
    notes = [wrap_text(note, width, "  ") for note in note_lines(document, digits, MARK)]
    if notes := [*notes, *document.signature_lines()]:
        blocks.append("\n".join(notes))
    return "\n\n".join(blocks)


def _part_text(part: ViewPart, digits: int, width: int, colour: bool) -> str:
    if isinstance(part, Table):
        return table_text(part, digits, width, colour)
    if isinstance(part, Prose):
        indent = "  " * part.indented
        width = min(width, PROSE_WIDTH) if part.indented else width
        lines = [
            wrap_text(text, width, indent, indent * (k > 0))
            for k, text in enumerate(part.sentences)
        ]
        return "\n".join(lines)
    return part.format(digits)


def wrap_text(text: str, width: int, indent: str = "", first: str = "") -> str:
    """Return a text in lines of at most ``width`` columns; longer words have lines of their own.

    The first line is indented by ``first``, the others by ``indent``.

    >>> print(wrap_text("it keeps more beside their neighbours", 20, "  "))
    it keeps more beside
      their neighbours
    """
    from rich.cells import cell_len  # imported here, because the help of commands does without

    lines, start = [], first
    line = ""
    for word in text.split():
        if line and cell_len(f"{start}{line} {word}") > width:
            lines.append(start + line)
            line, start = word, indent
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, start + line])


# rich.table.Table is not used: it folds cells that are too wide, where these tables move whole
# columns below the others, and it pads lines with spaces that end up in files. Importing it would
# also make every command start later.
def table_text(table: Table, digits: int, width: int, colour: bool = False) -> str:
    """Return a table.

    >>> from hyperbaton.views.tables import Column, NumberCell
    >>> systems = Column("system", ("a.txt", "b.txt"), left=True)
    >>> values = Column("pef ↑", (NumberCell(0.9312), NumberCell(0.8804)), frozenset({0}))
    >>> print(table_text(Table([systems, values]), digits=3, width=80))
    system   pef ↑
    a.txt   0.931*
    b.txt   0.880
    """
    from rich.cells import cell_len  # imported here, because the help of commands does without

    first, *others = table.format(digits)
    labels = _padded_cells(first, colour=False)
    blocks: list[list[list[str]]] = [[labels]]
    room = width if table.splittable else sys.maxsize
    used = cell_len(labels[0])
    for column in others:
        cells = _padded_cells(column, colour)
        added = len(GAP) + cell_len(cells[0])
        if used + added > room and len(blocks[-1]) > 1:
            blocks.append([labels])
            used = cell_len(labels[0])
        blocks[-1].append(cells)
        used += added
    text = "\n\n".join(_text_block(block, table.rules) for block in blocks)
    legend = (wrap_text(line, min(width, PROSE_WIDTH)) for line in table.legend.splitlines())
    return "\n".join([text, *legend])


def _text_block(columns: Sequence[Sequence[str]], rules: frozenset[int]) -> str:
    heading, *rows = (GAP.join(row).rstrip() for row in zip(*columns, strict=True))
    lines = [heading]
    for k, row in enumerate(rows):
        lines += ["─" * len(heading), row] if k in rules else [row]
    return "\n".join(lines)


def _padded_cells(column: TextColumn, colour: bool) -> list[str]:
    """The heading and the cells, as wide as the widest; a sign, or room for it, after numbers."""
    from rich.cells import cell_len

    best, cells = column.highlighted, column.cells
    if any(cell.endswith(BELOW) for cell in cells):
        cells = [cell if cell.endswith(BELOW) else f"{cell} " for cell in cells]
    if best:
        cells = [cell + (MARK if k in best else " ") for k, cell in enumerate(cells)]
    width = max(map(cell_len, [column.heading, *cells]))
    padded = []
    for k, cell in enumerate([column.heading, *cells]):
        space = " " * (width - cell_len(cell))
        if colour and k - 1 in best:
            cell = f"{HIGHLIGHT}{cell}{RESET}"
        padded.append(cell + space if column.left else space + cell)
    return padded


def render_markdown(view: View, style: Style) -> str:
    """Return what a view shows, without a final newline. Highlighted cells are bold."""
    document, digits = view.document(), style.decimals(view)
    blocks = [_markdown_part(part, digits) for part in document.parts]
    if notes := [*note_lines(document, digits, "bold"), *document.signature_lines()]:
        blocks.append("\n".join(map(_code_item, notes)))
    return "\n\n".join(blocks)


def _markdown_part(part: ViewPart, digits: int) -> str:
    if isinstance(part, Table):
        return markdown_table(part, digits)
    if isinstance(part, Prose):
        return "\n".join(map(_escape, part.sentences))
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
    text = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{text}\n\n{_escape(table.legend)}" if table.legend else text


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
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "|": r"\textbar{}",
        "–": "--",
        "±": r"$\pm$",
        "▼": r"$\bigtriangledown$",
        "…": r"\dots{}",
        **{sign: f"${sign}$" for sign in "<>"},
    }
)


def render_latex(view: View, style: Style) -> str:
    """Return the tables and notes of a view, without a final newline. Highlighted cells are bold.

    Sentences are comments.
    """
    document, digits = view.document(), style.decimals(view)
    blocks = [_latex_part(part, digits) for part in document.parts]
    below = [*note_lines(document, digits, "bold"), *document.signature_lines()]
    notes = "\n".join(f"% {note}" for note in below)
    if notes and document.adjoining:
        blocks[-1] += f"\n{notes}"
    elif notes:
        blocks.append(notes)
    return "\n\n".join(blocks)


def _latex_part(part: ViewPart, digits: int) -> str:
    if isinstance(part, Table):
        return latex_table(part, digits)
    if isinstance(part, Prose):
        return "\n".join(f"% {sentence}" for sentence in part.sentences)
    return part.format(digits)


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
    legend = [f"% {line}" for line in table.legend.splitlines()]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", *legend])


def _latex_cell(column: TextColumn, row: int) -> str:
    text = column.cells[row].translate(LATEX_ESCAPES)
    return rf"\textbf{{{text}}}" if row in column.highlighted else text
