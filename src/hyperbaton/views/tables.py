"""Tables, and documents of tables and notes, as plain text, Markdown or LaTeX."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from hyperbaton.files.lines import printable
from hyperbaton.text.display import terminal_width

HIGHLIGHT, RESET = "\x1b[1;32m", "\x1b[0m"
GAP = "  "
MISSING = "–"  # the cell of a value that is not defined
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
# What has a meaning in Markdown. The signs of a_b, <0.001 and [0.1, 0.2] have none.
MARKDOWN_MARKUP = re.compile(
    r"[\\`*|~$]|<(?=[A-Za-z/!?])|&(?=[#A-Za-z])|\](?=[(\[])|(?<![^\W_])_|_(?![^\W_])"
)


@dataclass(frozen=True)
class Column:
    """A heading, one cell per row, and the rows whose cells are highlighted."""

    heading: str
    cells: tuple[str, ...]
    highlighted: frozenset[int] = frozenset()
    left: bool = False  # align left, as text; numbers are aligned right

    def __post_init__(self) -> None:
        # names may have any characters
        if not self.heading.isprintable() or not all(map(str.isprintable, self.cells)):
            object.__setattr__(self, "heading", printable(self.heading))
            object.__setattr__(self, "cells", tuple(map(printable, self.cells)))


@dataclass(frozen=True)
class Table:
    """Columns of the same length.

    Parameters
    ----------
    columns : sequence of Column
        The first one is repeated where a wide table is split.
    rules : frozenset of int
        Rows with a horizontal rule above them, in text and LaTeX.
    splittable : bool
        Whether text may place columns that do not fit in the width below the others.
    """

    columns: Sequence[Column]
    rules: frozenset[int] = frozenset()
    splittable: bool = True

    @property
    def row_count(self) -> int:
        """The number of rows below the headings."""
        return len(self.columns[0].cells)


@dataclass(frozen=True)
class Prose:
    """Sentences, which text wraps one by one. LaTeX does without: they would have to be escaped."""

    sentences: Sequence[str]


@dataclass(frozen=True)
class Document:
    """What the command line, ``print`` and notebooks show of a result.

    Parameters
    ----------
    parts : sequence of Table or Prose
    notes : sequence of str
        Lines below the parts.
    signatures : sequence of str
        Signatures of the metrics, which follow the notes.
    cautions : sequence of str
        Warnings and notes for readers. The command line prints them as messages.
    """

    parts: Sequence[Table | Prose]
    notes: Sequence[str] = ()
    signatures: Sequence[str] = ()
    cautions: Sequence[str] = ()


def render_document(
    parts: Sequence[Table | Prose | str],
    notes: Sequence[str] = (),
    format: str = "text",  # noqa: A002
    *,
    width: int | None = None,
    colour: bool = False,
    notes_adjoin: bool = False,
) -> str:
    """Render tables and the lines below them.

    Parameters
    ----------
    parts : sequence of Table, Prose or str
        Tables, sentences, and paragraphs that are written as they are. Blank lines separate them.
    notes : sequence of str
        Lines below the parts, such as signatures: plain lines in text, a list of code in Markdown,
        comments in LaTeX.
    format : {"text", "markdown", "latex"}
    width : int, optional
        Columns of the terminal, for text. The default is the width of the current terminal.
    colour : bool
        Whether text may contain terminal colours.
    notes_adjoin : bool
        In LaTeX, write the notes directly below the last table. A blank line would end the
        paragraph that contains the table.

    Returns
    -------
    str
        The document, without a final newline.

    Examples
    --------
    >>> systems = Column("system", ("a.txt", "b.txt"), left=True)
    >>> values = Column("pef ↑", ("0.9312", "0.8804"), frozenset({0}))
    >>> print(render_document([Table([systems, values])], ["2 segments"]))
    system    pef ↑
    a.txt   0.9312*
    b.txt   0.8804
    <BLANKLINE>
    2 segments
    """
    rendered = [
        text for part in parts if (text := _render_part(part, format, width, colour)) is not None
    ]
    if notes:
        shown = list(map(printable, notes))
        if format == "markdown":
            shown = list(map(_markdown_code, shown))
        elif format == "latex":
            shown = [f"% {note}" for note in shown]
        lines = "\n".join(shown)
        if notes_adjoin and format == "latex":
            rendered[-1] += f"\n{lines}"
        else:
            rendered.append(lines)
    return "\n\n".join(rendered)


def _render_part(
    part: Table | Prose | str,
    format: str,  # noqa: A002
    width: int | None,
    colour: bool,
) -> str | None:
    if isinstance(part, str):
        return part
    if isinstance(part, Table):
        return render_table(part, format, width=width, colour=colour)
    if format == "latex":
        return None
    sentences = map(printable, part.sentences)
    if format == "markdown":
        return "\n".join(map(_escape_markdown, sentences))
    columns = terminal_width() if width is None else width
    return "\n".join(textwrap.fill(sentence, columns) for sentence in sentences)


def render_table(
    table: Table,
    format: str = "text",  # noqa: A002
    *,
    width: int | None = None,
    colour: bool = False,
) -> str:
    """Render one table; see :func:`render_document` for the parameters."""
    if format == "markdown":
        return _markdown(table)
    if format == "latex":
        return _latex(table)
    if width is None:
        width = terminal_width()
    return _text(table, width, colour)


# rich.table.Table is not used for text: it folds cells that are too wide, where these tables move
# whole columns below the others, and it pads lines with spaces that end up in files. Importing it
# would also make every command start later.
def _text(table: Table, width: int, colour: bool) -> str:
    """Padded columns. Highlighted cells have a *; wide tables are split into several."""
    if not table.splittable:
        width = sys.maxsize
    first, *others = table.columns
    labels = _padded_cells(first, colour=False)
    blocks: list[list[list[str]]] = [[labels]]
    used = cell_len(labels[0])
    for column in others:
        cells = _padded_cells(column, colour)
        added = len(GAP) + cell_len(cells[0])
        if used + added > width and len(blocks[-1]) > 1:
            blocks.append([labels])
            used = cell_len(labels[0])
        blocks[-1].append(cells)
        used += added
    return "\n\n".join(_text_block(block, table.rules) for block in blocks)


def _text_block(columns: Sequence[Sequence[str]], rules: frozenset[int]) -> str:
    heading, *rows = (GAP.join(row).rstrip() for row in zip(*columns, strict=True))
    lines = [heading]
    for k, row in enumerate(rows):
        lines += ["─" * len(heading), row] if k in rules else [row]
    return "\n".join(lines)


def _padded_cells(column: Column, colour: bool) -> list[str]:
    """The heading and the cells, as wide as the widest; a star, or room for it, after numbers."""
    stars = ["*" if k in column.highlighted else " " for k in range(len(column.cells))]
    has_stars = bool(column.highlighted)
    cells = [cell + star * has_stars for cell, star in zip(column.cells, stars, strict=True)]
    width = max(map(cell_len, [column.heading, *cells]))
    padded = []
    for k, cell in enumerate([column.heading, *cells]):
        space = " " * (width - cell_len(cell))
        if colour and k - 1 in column.highlighted:
            cell = f"{HIGHLIGHT}{cell}{RESET}"
        padded.append(cell + space if column.left else space + cell)
    return padded


def _markdown(table: Table) -> str:
    """Highlighted cells are bold."""
    columns = table.columns
    rows = [[_escape_markdown(column.heading) for column in columns]]
    rows.append(["---" if column.left else "---:" for column in columns])
    for k in range(table.row_count):
        cells = (_escape_markdown(column.cells[k]) for column in columns)
        marks = ("**" if k in column.highlighted else "" for column in columns)
        rows.append([f"{mark}{cell}{mark}" for mark, cell in zip(marks, cells, strict=True)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _escape_markdown(text: str) -> str:
    r"""Return text that Markdown shows as it is.

    >>> print(_escape_markdown("a_b, <0.001, <b>, [x](y), [1, 2], _c_"))
    a_b, <0.001, \<b>, [x\](y), [1, 2], \_c\_
    """
    return MARKDOWN_MARKUP.sub(r"\\\g<0>", text)


def _markdown_code(text: str) -> str:
    """Return an item of a list with text as code, inside more backticks than the text has.

    >>> print(_markdown_code("pef|nrefs:1"), _markdown_code("a`b"), sep="\\n")
    - `pef|nrefs:1`
    - `` a`b ``
    """
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " * (len(fence) > 1)
    return f"- {fence}{space}{text}{space}{fence}"


def _latex(table: Table) -> str:
    """A tabular for the package booktabs; highlighted cells are bold."""
    columns = table.columns
    alignment = "".join("l" if column.left else "r" for column in columns)
    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule"]
    lines.append(" & ".join(c.heading.translate(LATEX_ESCAPES) for c in columns) + r" \\")
    lines.append(r"\midrule")
    for k in range(table.row_count):
        if k in table.rules:
            lines.append(r"\midrule")
        cells = []
        for column in columns:
            text = column.cells[k].translate(LATEX_ESCAPES)
            cells.append(rf"\textbf{{{text}}}" if k in column.highlighted else text)
        if cells[0].startswith(("[", "*")):  # they would belong to the \\ of the line before
            cells[0] = f"{{}}{cells[0]}"
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def format_number(value: float, digits: int) -> str:
    """Return the value with ``digits`` decimals."""
    return f"{value:.{digits}f}"


def format_estimate(value: float, lower: float | None, upper: float | None, digits: int) -> str:
    """Return the value, followed by its interval if it has one.

    >>> format_estimate(0.5, 0.4, 0.6, 2), format_estimate(0.5, None, None, 2)
    ('0.50 [0.40, 0.60]', '0.50')
    """
    text = format_number(value, digits)
    if lower is None or upper is None:
        return text
    return f"{text} [{format_number(lower, digits)}, {format_number(upper, digits)}]"


def format_p_value(p: float) -> str:
    """Return a p-value with three decimals.

    >>> format_p_value(0.0321), format_p_value(0.0001), format_p_value(1.0)
    ('0.032', '<0.001', '1.000')
    """
    return f"{p:.3f}" if p >= 0.0005 else "<0.001"
