"""Displays in notebooks: HTML that the notebook's own style sheets do not change.

A display has no script. Its colours follow the theme of the notebook, whatever the scheme of the
operating system: JupyterLab and VS Code mark the theme on the body of the page. Other pages follow
the scheme of the operating system.

Some viewers remove style sheets and drawings from notebooks of others. Tables stay readable there,
and the text of a drawing, which is hidden otherwise, takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hyperbaton.presentation import Markup
from hyperbaton.views.asset_files import style_template
from hyperbaton.views.svg import FONT, SIZE, Look, element, number
from hyperbaton.views.tables import Document, Picture, Prose, Table, TextColumn, View, ViewPart

# With the other two classes, MathJax 2 and 3 do not read dollar signs in texts as formulas.
CLASSES = "hb-display tex2jax_ignore mathjax_ignore"
DISPLAY_LOOKS: dict[str, tuple[Look, ...]] = {
    "display": (("color", "#1f2328", "#e6e9ed"), ("background", "#ffffff", "#16191d")),
    "note": (("color", "#5c6570", "#9aa5b1"),),
    "heading": (
        ("color", "#5c6570", "#9aa5b1"),
        ("border-bottom", "1px solid #7b848e", "1px solid #838d98"),
    ),
    "rule": (("border-top", "1px solid #7b848e", "1px solid #838d98"),),
}
COLOUR = re.compile("#[0-9a-f]{6}")


def isolate(
    *content: str, looks: Mapping[str, Iterable[Look]] | None = None, rules: str = ""
) -> str:
    """Return a display.

    Parameters
    ----------
    *content : str
        Elements without a style sheet of their own.
    looks : mapping of str to rules, optional
        The looks of their classes, in addition to those of displays.
    rules : str
        More style rules. Their colours are those of the looks.
    """
    markup = Markup("".join(map(str, content)))
    all_looks = {**(looks or {}), **DISPLAY_LOOKS}
    display = _declarations(all_looks.pop("display"))
    colours = "".join(
        f".hb-{name}{{{_declarations(look)}}}"
        for name, look in all_looks.items()
        if f"hb-{name}" in markup
    )
    sheet = style_template("display.css").substitute(
        font=FONT, size=f"{number(SIZE)}px", display=display, rules=rules + colours
    )
    return element("div", element("style", Markup(sheet)), markup, class_=CLASSES)


def _declarations(look: Iterable[Look]) -> str:
    return ";".join(f"{key}:{_scheme_value(day, night)}" for key, day, night in look)


def _scheme_value(day: str, night: str) -> str:
    """Return a value that depends on the scheme.

    >>> _scheme_value("1px solid #ffffff", "1px solid #000000")
    '1px solid light-dark(#ffffff,#000000)'
    """
    nights = iter(COLOUR.findall(night))
    if day == night:
        return day
    return COLOUR.sub(lambda found: f"light-dark({found[0]},{next(nights)})", day)


def render_html(view: View) -> Markup:
    """Return what a view shows; signatures can be opened."""
    document, digits = view.document(), view.digits
    blocks = [element("p", document.title, class_="hb-title")] if document.title else []
    blocks += [_part_html(part, digits) for part in document.parts]
    notes = document.format_notes(digits, "bold")
    blocks += _paragraphs([*notes, *view.cautions()], "hb-note")
    blocks += _signatures(document)
    return Markup("".join(blocks))


def _part_html(part: ViewPart, digits: int) -> Markup:
    if isinstance(part, Table):
        legend = _paragraphs([part.legend] if part.legend else [], "hb-note")
        return Markup("".join([table_html(part, digits), *legend]))
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
