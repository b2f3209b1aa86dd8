"""SVG as text: escaping, styles and widths of words."""

from __future__ import annotations

import itertools
import sys
from html import unescape
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hostile_text
from hyperbaton.text.display import visible
from hyperbaton.views import svg
from hyperbaton.views.drawings.canvas import LOOKS
from hyperbaton.views.page import PAGE_LOOKS
from views.svg_checks import parse_drawing

ANY = st.text(st.characters(codec=None, categories=None, max_codepoint=sys.maxunicode))


@pytest.mark.parametrize("text", [*hostile_text.WORDS, *hostile_text.REFUSED])
def test_hostile_text_stays_text(text: str) -> None:
    drawing = svg.document(10, 10, svg.element("text", text, class_=text), title=text)
    root = parse_drawing(drawing)
    shown = visible(text)
    found = [element for element in root.iter() if element.get("class") == shown]
    assert len(found) == 1
    assert found[0].text == shown


@given(ANY)
def test_any_text_stays_text(text: str) -> None:
    markup = svg.element("g", text, id=text)
    assert ElementTree.fromstring(markup).text in (visible(text), None)
    assert unescape(svg.escape_text(text)) == visible(text)


def test_only_markup_is_taken_as_it_is() -> None:
    inner = svg.element("b", "x")
    assert svg.element("g", inner) == "<g><b>x</b></g>"
    assert svg.element("g", f"{inner}") == "<g>&lt;b&gt;x&lt;/b&gt;</g>"
    assert svg.element("g", str(inner) + "") == "<g>&lt;b&gt;x&lt;/b&gt;</g>"


def test_visible_characters() -> None:
    # joiners are needed to write Persian and emoji; nothing else that cannot be seen is kept
    assert visible("می\u200cخواهم 👩\u200d💻 日本 ä") == "می\u200cخواهم 👩\u200d💻 日本 ä"
    assert visible("a\u202eb\x00c\ud800d\u200be\x7f") == "a◦b␀c□d◦e␡"
    assert visible("ٱلۡعَٰلَمِينَ\u06dd a�b") == "ٱلۡعَٰلَمِينَ\u06dd a�b"


def luminance(colour: str) -> float:
    """WCAG 2: of #rrggbb."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def colour(look: str, name: str, dark: bool) -> str:
    return next(rule[1 + dark] for rule in LOOKS[look] if rule[0] == name)


@pytest.mark.parametrize("dark", [False, True])
def test_texts_can_be_read_in_light_and_in_dark(dark: bool) -> None:
    papers = [name for name in LOOKS if any(rule[0] == "fill" for rule in LOOKS[name])]
    papers = [name for name in papers if not name.endswith(("line", "ink", "quiet", "faint"))]
    assert {"paper", "move0", "move5", "delete", "bar", "half1"} <= set(papers)
    for paper, ink in itertools.product(papers, ("ink", "quiet")):
        ratio = contrast(colour(ink, "fill", dark), colour(paper, "fill", dark))
        assert ratio >= 4.5, (ink, paper, ratio)
    for paper in papers:
        if f"{paper}-ink" in LOOKS:  # the number of a move, in its circle
            inks = colour(f"{paper}-ink", "fill", dark), colour(paper, "fill", dark)
            assert contrast(*inks) >= 4.5, (paper, contrast(*inks))
            assert contrast(colour(paper, "stroke", dark), colour("paper", "fill", dark)) >= 3
    text, background = (
        next(rule[1 + dark] for rule in PAGE_LOOKS["explanation"] if rule[0] == name)
        for name in ("color", "background")
    )
    assert contrast(text, background) >= 4.5


def test_widths_are_those_of_arial() -> None:
    # from Adobe's metrics of Helvetica: W 944, i 222, @ 1015, ~ 584 thousandths
    assert svg.text_width("W", 1000) == 944
    assert svg.text_width("i", 1000) == 222
    assert svg.text_width("@~", 1000) == 1015 + 584
    assert svg.text_width("é", 10) == svg.text_width("e", 10)
    assert svg.text_width("e\u0301", 10) == svg.text_width("e", 10)
    assert svg.text_width("語", 10) == 10
    assert svg.text_width("") == 0
