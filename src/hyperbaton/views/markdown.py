"""Documents as Markdown."""

from __future__ import annotations

import re

from hyperbaton.files.lines import printable
from hyperbaton.views.tables import DIGITS, Part, Prose, Style, Table, View, note_lines

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


def _part_text(part: Part, digits: int) -> str:
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
