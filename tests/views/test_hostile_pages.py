"""Hostile texts in pages, drawings and notebook displays, opened in a browser.

A page with hostile texts must be built like the same page with harmless ones: no other elements, no
other attributes. Scripts are not what these tests rely on, because most pages have a policy that
would stop them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import hostile_text
import hyperbaton as hb
from hyperbaton.views.plots import scatter, sweep
from views.page_checks import PageOpener, structure
from views.test_drawings import every_drawing

PLAIN_PAGE = "<!doctype html><meta charset=utf-8>"
# Harmless texts that need everything that pages have for texts: signs and their explanation, right
# to left, and words too long to be shown.
HARMLESS = ["co\u00adop", "bell\x07", "سلام", "w" * 200, "\ue000"]


def harmless_like(texts: Sequence[str]) -> list[str]:
    """Return as many harmless texts, none of them twice."""
    return [f"{HARMLESS[k % len(HARMLESS)]}{k}" for k in range(len(texts))]


def explanation_page(words: Sequence[str]) -> str:
    order = random.Random(3).sample(list(words), len(words))
    pair = " ".join(order), " ".join(words)
    explained = hb.explain(*pair, ["order", "order"], source=pair[1], tokenize="none")
    return explained.to_html()


def displays(words: Sequence[str]) -> str:
    """Notebook displays of every kind of object that shows texts or names."""
    names = [*words[:2], *words[-2:]]
    references = [f"one {word} two three" for word in words]
    systems = {name: [f"three {word} {k} one" for word in words] for k, name in enumerate(names)}
    compared = hb.compare(systems, references, ["pef", "wer"], samples=10)
    people = hb.Rankings.from_pairs(names[:2], [0, 1], [0, 0], [1, 1], n=2)
    texts = {name: systems[name][:2] for name in names[:2]}
    judged = hb.TestSet.of("de-en", texts, [["a b c"], ["c d"]], [people])
    heads = [0, *range(1, len(words))]
    objects: list[Any] = [
        compared,
        compared.results[0],
        hb.meta_evaluate(judged, ["wer", "chrf"], samples=10),
        hb.DependencyTree(list(words), heads, list(words)),
        hb.explain(" ".join(words[:20]), " ".join(words[19::-1]), "pef"),
    ]
    return PLAIN_PAGE + "".join(o._repr_html_() for o in objects)


def report_page(words: Sequence[str]) -> str:
    systems = {word: [f"b {word} a"] * 2 for word in [*words[:3], *words[-3:]]}
    found = hb.compare(systems, [f"a {word} b" for word in words[:2]], ["pef"], samples=10)
    return found.report(words[0]).to_html()


def drawings(words: Sequence[str]) -> dict[str, str]:
    """Every drawing, and a plot of metrics whose names and title are words."""
    order = tuple(random.Random(2).sample(range(1, len(words) + 1), len(words)))
    curves = {word: [0.1 * k, 0.2 * k] for k, word in enumerate(words[:9])}
    systems = list(words[9:20])
    numbers = [float(k) for k in range(len(systems))]
    return {
        **every_drawing(list(words), order),
        "sweep": sweep(words[-1], [0, 1], curves, words[-2], title=words[-3]),
        "scatter": scatter(numbers, {words[-1]: numbers, words[-2]: numbers}, systems, {}),
    }


def open_structure(open_page: PageOpener, path: Path) -> set[str]:
    page = open_page(path)
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    return structure(page)


def without_policy(html: str) -> str:
    """The policy is a second line of defence; without it, escaping has to hold alone."""
    return re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)


@pytest.mark.parametrize("build", [explanation_page, displays, report_page])
def test_pages_are_built_as_with_harmless_texts(
    open_page: PageOpener, tmp_path: Path, build: Callable[[Sequence[str]], str]
) -> None:
    words = hostile_text.WORDS
    path = tmp_path / "page.html"
    path.write_text(without_policy(build(harmless_like(words))), "utf-8")
    expected = open_structure(open_page, path)
    path.write_text(without_policy(build(words)), "utf-8")
    assert open_structure(open_page, path) <= expected


def test_drawings_are_built_as_with_harmless_texts(open_page: PageOpener, tmp_path: Path) -> None:
    words = [*hostile_text.MARKUP, *hostile_text.BIDI, *hostile_text.TERMINAL]
    # Inside a page, which the browser reads as HTML.
    page = tmp_path / "page.html"
    page.write_text(PLAIN_PAGE + "".join(drawings(harmless_like(words)).values()), "utf-8")
    expected = open_structure(open_page, page)
    hostile = drawings(words)
    page.write_text(PLAIN_PAGE + "".join(hostile.values()), "utf-8")
    assert open_structure(open_page, page) <= expected
    # As files, which the browser reads as XML and shows by themselves.
    for svg in hostile.values():
        path = tmp_path / "drawing.svg"
        path.write_text(svg, "utf-8")
        found = open_structure(open_page, path)
        assert "svg" in found
        assert "HTML" not in found
        assert found <= expected
