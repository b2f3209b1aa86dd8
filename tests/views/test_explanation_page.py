"""Explanation pages in a browser: narrow screens, right-to-left texts, and paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from views.page_checks import FAINT, SIDEWAYS, PageOpener

LONG = (
    "Yesterday has the committee , after a long and heated debate about the budget of the next "
    "year , the proposal of the minister with a narrow majority finally accepted , they said .",
    "They said that yesterday , after a long and heated debate about the budget of the next year "
    ", the committee finally accepted with a narrow majority the proposal of the minister .",
)
ARABIC = (
    "قال المتحدث إن اللجنة قبلت أخيرا أمس بعد نقاش طويل اقتراح الوزير",
    "بعد نقاش طويل قبلت اللجنة أخيرا أمس اقتراح الوزير قال المتحدث",
)
A4_WIDTH = 718  # pixels between margins of 1 cm
# The drawings that are wider than their figure, those that are hidden, and breaks of words.
TOO_WIDE = """() => [...document.querySelectorAll("figure")]
  .filter((f) => f.firstChild.getBoundingClientRect().right > f.getBoundingClientRect().right + 1)
  .map((f) => f.ariaLabel)"""
HIDDEN = """() => [...document.querySelectorAll("figure svg")]
  .filter((e) => !e.checkVisibility({contentVisibilityAuto: true}) || !e.clientHeight)
  .map((e) => e.parentElement.ariaLabel)"""
BROKEN = """() => [...document.querySelectorAll("th, summary, h1, h2, dt")].filter((e) => {
  const words = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    for (const match of words.currentNode.data.matchAll(/[^\\s]+/g)) {
      const range = document.createRange();
      range.setStart(words.currentNode, match.index);
      range.setEnd(words.currentNode, match.index + match[0].length);
      if (new Set([...range.getClientRects()].map((r) => r.top)).size > 1) return true;
    }
  }
  return false;
}).map((e) => e.textContent)"""


def open_explanation(
    open_page: PageOpener, folder: Path, texts: tuple[str, str], **view: Any
) -> Any:
    path = folder / "explanation.html"
    explained = hb.explain(*texts, ["order", "full:order=ulam,bp=off"], source="x y", language="en")
    path.write_text(explained.to_html(), "utf-8")
    return open_page(path, **view)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("texts", [LONG, ARABIC], ids=["en", "ar"])
def test_narrow_screen(
    open_page: PageOpener, tmp_path: Path, texts: tuple[str, str], scheme: str
) -> None:
    page = open_explanation(open_page, tmp_path, texts, width=400, scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    assert page.evaluate(SIDEWAYS) is False
    assert page.evaluate(BROKEN) == []
    assert page.evaluate(FAINT) == []


def test_what_needs_more_knowledge_is_folded(open_page: PageOpener, tmp_path: Path) -> None:
    page = open_explanation(open_page, tmp_path, LONG)
    assert page.evaluate(HIDDEN) == ["Permutation tree", "Inversion parse", "Permutation forest"]
    page.locator("summary").first.click()
    assert page.evaluate(HIDDEN) == ["Inversion parse", "Permutation forest"]


def test_terms_lead_to_their_definitions(open_page: PageOpener, tmp_path: Path) -> None:
    page = open_explanation(open_page, tmp_path, LONG)
    page.locator("a.hb-term", has_text="linked").first.click()
    assert page.locator("dt:target").text_content() == "linked"


@pytest.mark.parametrize("texts", [LONG, ARABIC], ids=["en", "ar"])
def test_paper(open_page: PageOpener, tmp_path: Path, texts: tuple[str, str]) -> None:
    page = open_explanation(open_page, tmp_path, texts, width=A4_WIDTH)
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    assert page.evaluate(TOO_WIDE) != [] or texts == ARABIC  # or else the test shows nothing
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = false; })")
    page.emulate_media(media="print")
    assert page.evaluate(HIDDEN) == []
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(SIDEWAYS) is False


def test_right_to_left_drawings_are_seen_from_their_start(
    open_page: PageOpener, tmp_path: Path
) -> None:
    page = open_explanation(open_page, tmp_path, ARABIC, width=400)
    offset, hidden = page.evaluate(
        """() => {
          const figure = document.querySelector("figure");
          const [outer, inner] = [figure, figure.firstChild].map((e) => e.getBoundingClientRect());
          return [inner.right - outer.right, outer.left - inner.left];
        }"""
    )
    assert offset == 0
    assert hidden > 100  # the drawing is wider than the screen


def test_notes_explain_values_that_surprise() -> None:
    """Words in order score below 1 by a brevity penalty, and a reversed sentence may score 1."""
    page = hb.explain("a c", "a b c d", ["kendall", "kendall:bp=off"]).to_html()
    assert "2 reference words are not linked." in page
    assert "kendall:bp=off looks at order alone." in page
    page = hb.explain("c b a", "a b c", ["kendall", "pet_size"]).to_html()
    assert "pet_size: how far the order factorizes" in page
    assert "not linked." not in page
