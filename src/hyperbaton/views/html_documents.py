"""Documents as HTML, without style sheets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hyperbaton.presentation import Markup
from hyperbaton.views.svg import element
from hyperbaton.views.tables import Document, Part, Picture, Prose, Table, TextColumn, View


def render_html(view: View) -> Markup:
    """Return what a view shows; signatures can be opened. Verdicts precede their tables."""
    document, digits = view.document(), view.digits
    blocks = [element("p", document.title, class_="hb-title")] if document.title else []
    for section in document.sections:
        verdict = [] if section.verdict is None else [section.verdict]
        blocks += [_part_html(part, digits) for part in (*verdict, *section.parts)]
    notes = document.format_notes(digits, "bold")
    blocks += _paragraphs([*notes, *view.cautions()], "hb-note")
    blocks += _signatures(document)
    return Markup("".join(blocks))


def _part_html(part: Part, digits: int) -> Markup:
    if isinstance(part, Table):
        return table_html(part, digits)
    if isinstance(part, Prose):
        return Markup("".join(_paragraphs(part.sentences)))
    text = element("pre", part.format(digits), class_="hb-plain")  # where drawings are removed
    return Markup(part.drawing + text) if isinstance(part, Picture) else text


def _paragraphs(sentences: Iterable[str], class_: str | None = None) -> Iterator[Markup]:
    return (element("p", sentence, class_=class_) for sentence in sentences)


def _signatures(document: Document) -> Iterator[Markup]:
    if document.signatures:
        lines = (element("p", element("code", text)) for text in document.signatures)
        summary = element("summary", "Signatures: everything that affects the numbers")
        yield element("details", summary, *lines, class_="hb-note")


def table_html(table: Table, digits: int) -> Markup:
    """Return a table; the first column of text names the rows."""
    columns = table.format(digits)
    name = next((k for k, column in enumerate(columns) if column.left), 0)
    headings = [
        element("th", column.heading, scope="col", class_=_classes("hb-heading", column.left))
        for column in columns
    ]
    rows = (
        element("tr", *(_cell(c, k, j == name, k in table.rules) for j, c in enumerate(columns)))
        for k in table.rows
    )
    return element("table", element("thead", element("tr", *headings)), element("tbody", *rows))


def _cell(column: TextColumn, row: int, names_row: bool, has_rule: bool) -> Markup:
    text = column.cells[row]
    content = element("b", text, class_="hb-best") if row in column.highlighted else text
    classes = _classes("hb-rule" if has_rule else None, column.left)
    if names_row:
        return element("th", content, scope="row", class_=classes)
    return element("td", content, class_=classes)


def _classes(name: str | None, left: bool) -> str | None:
    return " ".join(filter(None, (name, "hb-left" if left else None))) or None
