"""Checks of drawings: texts, their positions, and forbidden content."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

from hyperbaton.views.svg import SIZE, text_width

SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {"svg", "title", "style", "g", "rect", "text", "path", "circle"}


class Box(NamedTuple):
    """A text and its bounding box."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def parse_drawing(svg: str) -> ElementTree.Element:
    """Parse a drawing; it must not contain scripts, links or control characters."""
    svg.encode("utf-8")
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in ALLOWED, element.tag
        for name in element.attrib:
            assert not name.startswith("on"), name
            assert "href" not in name, name
        # Words may look like this as well; only rules and looks are more than shown.
        rules = element.text if element.tag == SVG + "style" else element.get("style")
        assert not re.search(r"url\(|@import", rules or ""), rules
    for c in svg:
        assert unicodedata.category(c) not in ("Cc", "Cs"), repr(c)
        assert not "\u202a" <= c <= "\u202e", repr(c)
        assert not "\u2066" <= c <= "\u2069", repr(c)
    return root


def boxes(svg: str) -> list[Box]:
    """Return the bounding boxes of all texts."""
    return [
        _text_box(element, x, y)
        for element, x, y in placed_elements(svg)
        if element.tag == SVG + "text"
    ]


def texts(svg: str) -> list[str]:
    return [box.text for box in boxes(svg)]


def placed_elements(svg: str) -> Iterator[tuple[ElementTree.Element, float, float]]:
    """Yield all elements, each with the shift of the groups around it."""

    def visit(
        element: ElementTree.Element, x: float, y: float
    ) -> Iterator[tuple[ElementTree.Element, float, float]]:
        moved = re.fullmatch(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
        if moved:
            x, y = x + float(moved[1]), y + float(moved[2])
        yield element, x, y
        for child in element:
            yield from visit(child, x, y)

    return visit(parse_drawing(svg), 0.0, 0.0)


def _text_box(element: ElementTree.Element, x: float, y: float) -> Box:
    size = float(element.get("font-size", SIZE))
    text = "".join(element.itertext())
    width = text_width(text, size)
    anchor = element.get("text-anchor", "start")
    if element.get("direction") == "rtl":
        anchor = {"start": "end", "end": "start"}.get(anchor, anchor)
    left = x + float(element.get("x", 0)) - width * {"start": 0, "middle": 0.5, "end": 1}[anchor]
    base = y + float(element.get("y", 0))
    # the extent of letters above and below the baseline
    return Box(text, left, base - 0.72 * size, left + width, base + 0.2 * size)


def check_layout(svg: str) -> list[Box]:
    """Check that texts do not overlap and are within the drawing."""
    root = parse_drawing(svg)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    found = boxes(svg)
    for box in found:
        assert box.left >= 0, box
        assert box.right <= width, box
        assert box.top >= 0, box
        assert box.bottom <= height, box
    for one, other in itertools.combinations(found, 2):
        assert not one.overlaps(other), (one, other)
    return found
