"""The playground in a browser: typing, examples, the address, narrow windows and dark colours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hostile_text
import hyperbaton as hb
from views.get_axe import SCRIPT
from views.page_checks import VIOLATIONS, Windows, address, structure

PAGE = Path(__file__).parents[2] / "build" / "playground" / "index.html"
SHOWN = """(id) => Object.fromEntries([...document.querySelectorAll(`#${id} tr:has(td)`)]
  .map((row) => [row.cells[0].textContent, Number(row.cells[1].title)]))"""
DRAWN_WORDS = "(id) => [...document.querySelectorAll(`#${id} text`)].map((t) => t.textContent)"


class Playground(Windows):
    """Opens the playground from its file."""

    def __call__(self, fragment: str = "", width: int = 1280) -> Any:
        page = self.open(PAGE.as_uri() + fragment, width, "light")
        page.locator("#loading").wait_for(state="hidden")
        return page

    def check(self, page: Any) -> None:
        """Check the page in both colour schemes and widths."""
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            for width in (400, 1280):
                page.set_viewport_size({"width": width, "height": 900})
                self.check_contents(page)
        if SCRIPT.exists():
            page.evaluate(SCRIPT.read_text("utf-8"))
            # axe-core would fetch the style sheets again, which browsers refuse for files.
            found = page.evaluate(VIOLATIONS.replace("axe.run()", "axe.run({ preload: false })"))
            assert not found, found


@pytest.fixture
def open_playground(browser: Any) -> Iterator[Playground]:
    """Opens the playground; at the end, there must be no messages and no external requests."""
    if not PAGE.exists():
        pytest.skip("the playground has not been built (make playground)")
    windows = Playground(browser, (PAGE.parent.as_uri(), "data:"))
    yield windows
    windows.close()


def shown_measures(page: Any) -> dict[str, float]:
    """The measures as the page has them, with all digits."""
    order, other = (page.evaluate(SHOWN, f"{kind}-measures") for kind in ("order", "other"))
    return {**order, **other}


def test_permutation(open_playground: Playground) -> None:
    page = open_playground()
    page.fill("#values", "5 7 4 6 3 1 2")
    p = hb.Permutation([5, 7, 4, 6, 3, 1, 2])
    assert page.locator("#canonical").inner_text() == str(p.tree())
    assert page.locator("#flat").inner_text() == str(p.tree().flatten())
    assert "has 2 permutation trees; 4 blocks must move" in page.inner_text("#tree-summary")
    assert shown_measures(page) == {name: float(v[0]) for name, v in hb.measures([p]).items()}
    assert page.locator("#order-measures tr").first.inner_text().split("\t")[1] == "0.1905"
    assert page.evaluate(DRAWN_WORDS, "tree").count("⟨2,1⟩") == 2
    page.check("#draw-flat")
    assert "2×⟨2,1⟩" in page.evaluate(DRAWN_WORDS, "tree")
    assert address(page).endswith("#permutation?p=5+7+4+6+3+1+2")
    open_playground.check(page)

    page.fill("#values", "1 2 2")
    assert (
        page.inner_text("#permutation-error")
        == "Value 2 at position 3 already occurs at position 2."
    )
    assert not page.locator("#result").is_visible()
    page.fill("#values", "")
    assert page.inner_text("#permutation-error") == "There are no values."
    open_playground.check(page)
    page.get_by_role("button", name="reversed").press("Enter")
    assert page.input_value("#values") == "6 5 4 3 2 1"
    assert "has 42 permutation trees" in page.inner_text("#tree-summary")
    page.fill("#values", "1")
    assert page.inner_text("#canonical") == "1"


def test_sentences(open_playground: Playground) -> None:
    page = open_playground(width=400)
    page.get_by_role("link", name="Two sentences").click()
    hyp, ref = "We in the lobby at noon meet!", "At noon we meet in the lobby."
    page.fill("#hypothesis", hyp)
    page.fill("#reference", ref)
    alignment = hb.align(hyp, ref)
    measures = hb.measures([alignment.permutation()])
    scores = hb.score([hyp], [ref], metrics=["wer", "per", "cder", "invwer"])
    assert shown_measures(page) == {name: float(v[0]) for name, v in measures.items()}
    assert page.evaluate(SHOWN, "errors") == {
        name: float(score.segments[0]) for name, score in scores.items()
    }
    assert (
        page.inner_text("#links-summary")
        == "7 links in 4 chunks, for 7 of 8 words of the reference."
    )
    words = page.evaluate(DRAWN_WORDS, "links")
    assert {"system", "reference", "We", "lobby", "!"} <= set(words)
    assert page.locator("#links path").count() == len(alignment.links)
    open_playground.check(page)
    # The skip link leaves the view as it is.
    page.evaluate("location.hash = 'main'")
    assert page.input_value("#hypothesis") == hyp
    assert page.locator("#sentences").is_visible()

    page.fill("#reference", "nothing else")
    assert "No word is linked" in page.inner_text("#tree-summary")
    assert not page.locator("#tree").is_visible()
    assert set(shown_measures(page).values()) == {0.0}
    open_playground.check(page)


def test_address_restores_a_right_to_left_pair(open_playground: Playground) -> None:
    page = open_playground("#sentences")
    page.get_by_role("button", name="Arabic").click()
    shared, texts = address(page), page.input_value("#hypothesis")
    other = open_playground(shared[shared.index("#") :], width=400)
    assert other.input_value("#hypothesis") == texts
    assert other.locator("#links").get_attribute("dir") == "rtl"
    assert shown_measures(other) == shown_measures(page)
    assert math.isclose(shown_measures(other)["pef"], 0.272)
    open_playground.check(other)


def test_hostile_sentences_are_text(open_playground: Playground) -> None:
    words = [word for word in hostile_text.WORDS if len(word) < 500]
    groups = [["w1", "w2", "سلام"], *(words[k : k + 16] for k in range(0, len(words), 16))]
    page = open_playground("#sentences")
    built = []
    for group in groups:
        page.fill("#hypothesis", " ".join(group))
        page.fill("#reference", " ".join(reversed(group)))
        assert page.evaluate(DRAWN_WORDS, "links"), group
        built.append(structure(page))
    page.reload()  # the sentences are in the address
    page.locator("#loading").wait_for(state="hidden")
    built.append(structure(page))
    page.get_by_role("link", name="Permutation").click()
    page.fill("#values", " ".join(words))
    assert page.locator("#permutation-error").is_visible()
    built.append(structure(page))
    assert set.union(*built) == built[0]
