"""The Explain and Permutation views in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

import hostile_text
import hyperbaton as hb
from command_line import CommandLine
from hyperbaton.metrics.registry import SETS
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.text.display import visible
from serve.page_server import SiteOpener
from serve.running_server import running_server
from views.page_checks import address, stop_clock, structure

VIEWS = [("light", 1280), ("dark", 1280), ("light", 400), ("dark", 400)]
views = pytest.mark.parametrize(("scheme", "width"), VIEWS)
PAIR = ("we will meet at noon in the lobby", "we meet in the lobby at noon")
ARABIC = ("الكلب رأى القط", "القط رأى الكلب")
LONG_PAIR = (
    "we will meet at noon in the big lobby of the old hotel with all our friends from the north "
    "and then we want to go home by train at night",
    "at noon we meet in the big lobby of the old hotel with all our northern friends and at night "
    "we then want to go home by train again",
)
SENTENCE = "today we meet in the lobby"
TRANSLATION, REFERENCE = "#explain-hypothesis", "#explain-reference"
ALL_SCORES = "#explain-result .hb-metrics:not(:has-text('…'))"
# Whether the sentence in the result is this one, whatever the spaces between its words.
SHOWN = """(text) => {
  const squeeze = (line) => line.replace(/\\s/g, "");
  const shown = document.querySelector("#explain-result .hb-sentences td");
  return squeeze(shown.textContent) === squeeze(text);
}"""


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with running_server() as running:
        yield running


def explain_address(hypothesis: str, reference: str, language: str = "en", links: str = "") -> str:
    address = f"#explain?h={quote(hypothesis)}&r={quote(reference)}&l={language}"
    return f"{address}&a={quote(links)}" if links else address


def table(page: Any, selector: str) -> dict[str, str]:
    """Return the values of a table by the names of its rows."""
    rows = page.locator(f"{selector} tr:has(td)")
    cells = rows.evaluate_all("(rows) => rows.map((r) => [...r.cells].map((c) => c.textContent))")
    return {name: value.split()[0] for name, value, *_ in cells}


def shown_scores(page: Any) -> dict[str, str]:
    page.locator(ALL_SCORES).wait_for()
    return table(page, "#explain-result .hb-metrics")


def expected_scores(hypothesis: str, reference: str, **options: Any) -> dict[str, str]:
    scores = hb.explain(hypothesis, reference, **options).scores
    return {name: f"{score.value:.4f}" for name, score in scores.items()}


def whole_answer(page: Any, pair: tuple[str, str]) -> Any:
    """Wait in a context for the answer about an English pair that has all metrics."""
    expected = {"hypothesis": pair[0], "reference": pair[1], "language": "en"}

    def is_whole(answer: Any) -> bool:
        asked = answer.request.post_data_json or {}
        return "slow" not in asked and expected.items() <= asked.items()

    return page.expect_response(is_whole)


def word(page: Any, side: str, name: str) -> Any:
    """Return the first button of a word."""
    group = page.get_by_role("group", name=f"Words of the {side}")
    return group.get_by_role("button", name=re.compile(f"^{re.escape(name)}:")).first


def drawn_word(page: Any, text: str, index: int) -> Any:
    """Return a word of the drawing, with index 0 in the translation."""
    return page.locator("#explain-links text.link-word").get_by_text(text, exact=True).nth(index)


def tab_to(page: Any, selector: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("(s) => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")


# Explain


@views
def test_explain_is_accessible(open_site: SiteOpener, scheme: str, width: int) -> None:
    page = open_site("#explain", width, scheme)
    page.locator(ALL_SCORES).wait_for()
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    word(page, "translation", "found").click()
    if width == 1280:
        open_site.check(page)
        return
    # The result of the example stays, marked as old.
    page.fill(TRANSLATION, "a" * 8001)
    page.locator("#explain-error").get_by_text("8,001 characters").wait_for()
    assert page.locator("#explain-result.old").count() == 1
    open_site.check(page)
    open_site.expect_refusal()


def test_a_newcomer_sees_an_example_and_can_try_others(open_site: SiteOpener) -> None:
    page = open_site("#explain")
    page.locator("#explain-result svg").first.wait_for()
    assert page.input_value(TRANSLATION)
    for button in page.locator("#explain-examples button").all():
        button.click()
        page.wait_for_function(SHOWN, arg=page.input_value(TRANSLATION))
        page.locator("#explain-result li").first.wait_for()  # there are moves
    assert page.locator("#explain-error").inner_text() == ""
    # common languages come first
    suggested = page.locator("#languages option").evaluate_all("(all) => all.map((o) => o.value)")
    assert suggested[:3] == ["English (en)", "German (de)", "French (fr)"]
    assert len(suggested) == len(set(suggested)) > 100


def test_scores_are_those_of_the_command_line(open_site: SiteOpener, cli: CommandLine) -> None:
    page = open_site("#explain")
    page.locator(ALL_SCORES).wait_for()
    page.fill("#explain-language", "en")
    page.fill(REFERENCE, PAIR[1])
    with whole_answer(page, PAIR) as caught:
        page.fill(TRANSLATION, PAIR[0])
    printed = cli.succeed("explain", *PAIR, "-l", "en", "--json").json()
    answer = caught.value.json()
    assert {key: answer[key] for key in printed} == printed
    page.wait_for_function(SHOWN, arg=PAIR[0])
    shown = shown_scores(page)
    assert list(shown) == list(SETS["all"])
    assert shown == {name: f"{score['value']:.4f}" for name, score in printed["scores"].items()}
    moves = page.locator("#explain-result [data-part=moves] li").all_inner_texts()
    assert moves == ["moved “at noon” after “in the lobby”, 3 words later"]


def test_the_page_follows_the_typing(open_site: SiteOpener) -> None:
    page = open_site(explain_address(*LONG_PAIR))
    page.locator(ALL_SCORES).wait_for()
    page.focus(TRANSLATION)
    page.keyboard.press("Control+End")
    for count, letter in enumerate("tomorrow", 1):
        page.keyboard.press(letter)
        page.wait_for_function(SHOWN, arg=LONG_PAIR[0] + "tomorrow"[:count])


def test_links_by_mouse(open_site: SiteOpener) -> None:
    page = open_site(explain_address(*PAIR))
    page.locator(ALL_SCORES).wait_for()
    reset = page.get_by_role("button", name="Reset links")
    assert reset.get_attribute("aria-disabled") == "true"
    # in the drawing: remove the link between the two "noon"
    drawn_word(page, "noon", 0).click()
    assert word(page, "translation", "noon").get_attribute("aria-pressed") == "true"
    drawn_word(page, "noon", 1).click()
    page.get_by_text("Removed the link of “noon” and “noon”").wait_for()
    # in the rows: link "will" with "noon"
    word(page, "translation", "will").click()
    word(page, "reference", "noon").click()
    page.get_by_text("Linked “will” and “noon”").wait_for()
    word(page, "translation", "will").and_(page.locator(":not(.unlinked)")).wait_for()
    links = "0-0 1-6 2-1 3-5 5-2 6-3 7-4"
    expected = expected_scores(*PAIR, language="en", alignment=links)
    page.wait_for_function(
        "(value) => document.querySelector('.hb-metrics td').textContent.startsWith(value)",
        arg=expected["kendall"],
    )
    assert shown_scores(page) == expected
    assert address(page).split("&a=")[1].replace("%20", " ").split() == sorted(
        links.split(), key=lambda link: (link == "1-6", link)
    )
    reset.click()
    word(page, "translation", "will").and_(page.locator(".unlinked")).wait_for()
    page.locator(ALL_SCORES).wait_for()
    assert shown_scores(page) == expected_scores(*PAIR, language="en")
    assert "&a=" not in address(page)


def test_links_are_dropped_when_a_text_changes(open_site: SiteOpener) -> None:
    page = open_site(explain_address(*PAIR, links="0-0"))
    page.get_by_text("1 of 8 words of the system").wait_for()
    page.locator(REFERENCE).press_sequentially(" again")
    note = page.locator("#explain-dropped", has_text="The edited links were dropped")
    note.wait_for()
    page.get_by_text("7 of 8 words of the system").wait_for()
    assert "&a=" not in address(page)
    assert note.bounding_box()["y"] < page.locator("#explain-language").bounding_box()["y"]
    open_site.check(page)
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("1 of 8 words of the system").wait_for()
    assert page.input_value(REFERENCE) == PAIR[1]
    assert address(page).endswith("&a=0-0")
    assert note.count() == 0
    # a language that is only half typed changes nothing
    page.locator("#explain-language").fill("Ger")
    assert note.count() == 0
    page.locator("#explain-language").fill("German")
    note.wait_for()


def test_explain_by_keyboard(open_site: SiteOpener) -> None:
    page = open_site("#explain")
    page.locator(ALL_SCORES).wait_for()
    for selector, text in ((TRANSLATION, PAIR[0]), (REFERENCE, PAIR[1])):
        tab_to(page, selector)
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
    tab_to(page, "#explain-language")
    page.keyboard.press("Control+A")
    with whole_answer(page, PAIR):  # no later answer changes the page
        page.keyboard.type("English")
    page.get_by_text("7 of 8 words of the system").wait_for()
    tab_to(page, ".word-row button")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")  # will
    assert word(page, "translation", "will").get_attribute("aria-pressed") == "true"
    page.keyboard.press("Escape")
    assert word(page, "translation", "will").get_attribute("aria-pressed") == "false"
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")  # noon
    page.get_by_text("Linked “will” and “noon”").wait_for()
    focused = page.evaluate("document.activeElement.textContent")
    assert focused == "noon"  # the reader goes on from where they are
    word(page, "reference", "noon").and_(page.locator("[aria-label*='will']")).wait_for()
    tab_to(page, "#explain-reset")
    page.keyboard.press("Enter")
    page.get_by_text("The links are those of the aligner again.").wait_for()
    tab_to(page, "summary")
    page.keyboard.press("Enter")
    page.locator("[data-part=tree] svg").wait_for()
    assert page.locator("[data-part=tree]").get_attribute("open") is not None


def test_an_address_restores_everything(open_site: SiteOpener) -> None:
    page = open_site("#explain")
    page.locator(ALL_SCORES).wait_for()
    hypothesis, reference = "100% a+b c&d #e ü", "c&d 100% ü a+b #e"
    page.fill(TRANSLATION, hypothesis)
    page.fill(REFERENCE, reference)
    page.fill("#explain-language", "german")
    page.check("#explain-plain")
    page.get_by_text("5 of 5 words of the system").wait_for()
    word(page, "translation", "ü").click()
    word(page, "reference", "ü").click()
    page.get_by_text("4 of 5 words of the system").wait_for()
    address = page.evaluate("location.hash")
    page.locator(ALL_SCORES).wait_for()
    scores = shown_scores(page)
    again = open_site(address)
    again.locator(ALL_SCORES).wait_for()
    assert again.input_value(TRANSLATION) == hypothesis
    assert again.input_value(REFERENCE) == reference
    assert again.input_value("#explain-language") == "German (de)"
    assert again.is_checked("#explain-plain")
    assert again.evaluate("location.hash") == address
    assert shown_scores(again) == scores
    reset = again.get_by_role("button", name="Reset links")
    assert reset.get_attribute("aria-disabled") == "false"
    # other views keep the state
    again.get_by_role("link", name="Permutation").click()
    again.locator("#permutation-result svg").first.wait_for()
    again.get_by_role("link", name="Explain").click()
    again.wait_for_function("(hash) => location.hash === hash", arg=address)
    assert again.input_value(TRANSLATION) == hypothesis


def test_an_address_can_be_copied(open_site: SiteOpener) -> None:
    page = open_site(explain_address(*PAIR))
    page.locator(ALL_SCORES).wait_for()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    stop_clock(page)  # the page says so for a few seconds
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == address(page)


def test_errors_are_shown_in_place(open_site: SiteOpener) -> None:
    page = open_site(explain_address(*PAIR))
    page.locator(ALL_SCORES).wait_for()
    page.fill(TRANSLATION, "word " * 401)
    page.get_by_text("the translation has 401 words; the limit is 400").wait_for()
    assert page.locator("#explain-result.old").count() == 1
    assert page.evaluate(SHOWN, PAIR[0])
    page.fill(TRANSLATION, PAIR[1])
    page.get_by_text("The linked words are in the order of the reference").wait_for()
    assert page.locator("#explain-result.old").count() == 0
    assert page.locator("#explain-error").inner_text() == ""
    open_site.expect_refusal()
    page.fill(TRANSLATION, "...")  # no word is linked
    page.get_by_role("heading", name="No word is linked").wait_for()
    word(page, "reference", "we").click()
    open_site.check(page)
    page.fill("#explain-language", "Klingonese")
    page.locator("#explain-language").blur()
    page.get_by_text("Unknown language: Klingonese").wait_for()


def test_missing_texts_are_asked_for(open_site: SiteOpener) -> None:
    page = open_site(explain_address(*PAIR))
    page.locator(ALL_SCORES).wait_for()
    page.fill(TRANSLATION, " ")
    page.get_by_text("Type a translation. The explanation will be shown here.").wait_for()
    assert not page.locator("#explain-result").is_visible()
    page.fill(REFERENCE, "")
    page.get_by_text("Type a translation and a reference.").wait_for()
    open_site.check(page)
    page.fill(REFERENCE, PAIR[1])
    page.fill(TRANSLATION, PAIR[1])
    page.get_by_text("The linked words are in the order of the reference").wait_for()
    assert page.locator("#explain-hint").inner_text() == ""


def test_hostile_texts_are_only_shown(open_site: SiteOpener) -> None:
    page = open_site("#explain")
    page.locator(ALL_SCORES).wait_for()
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    before = structure(page)
    words = [*hostile_text.MARKUP, *hostile_text.BIDI]
    for end, group in (("one", words[:20]), ("two", words[20:])):  # a text may have 400 words
        page.fill(REFERENCE, f"last {' '.join(reversed(group))} {end} first")
        page.fill(TRANSLATION, f"first {' '.join(group)} {end} last")
        word(page, "translation", end).wait_for()
        page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
        page.locator(ALL_SCORES).wait_for()
        open_site.check(page)
        assert structure(page) <= before
    page.fill(REFERENCE, f"last {words[0]} short first")
    page.fill(TRANSLATION, f"first {words[0]} short last")
    word(page, "translation", "short").wait_for()
    word(page, "translation", "first").click()
    word(page, "reference", "last").click()
    page.get_by_text("Linked “first” and “last”").wait_for()
    open_site.check(page)
    page.get_by_role("link", name="Permutation").click()
    page.fill("#permutation-sentence", f"{' '.join(words)} end")
    page.locator("#permutation-chips").get_by_text("end", exact=True).wait_for()
    open_site.check(page)
    structure(page)
    shown = page.locator("#permutation-chips .word").all_inner_texts()
    # Their order is that of the permutation that was shown before, if there was one.
    assert sorted(shown) == sorted(visible(word) for word in [*words, "end"])


def test_right_to_left(open_site: SiteOpener) -> None:
    page = open_site(explain_address(*ARABIC, language="ar"))
    page.locator(ALL_SCORES).wait_for()
    assert page.locator("#explain-links figure").get_attribute("dir") == "rtl"
    first = word(page, "translation", "الكلب")
    second = word(page, "translation", "رأى")
    assert first.bounding_box()["x"] > second.bounding_box()["x"]
    first.focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.textContent") == "رأى"
    drawn_word(page, "الكلب", 0).click()
    drawn_word(page, "القط", 1).click()
    page.get_by_text("Linked “الكلب” and “القط”").wait_for()


# Permutation


def open_permutation(open_site: SiteOpener, values: str, words: str = "", tree: int = 0) -> Any:
    page = open_site(f"#permutation?p={values}&w={quote(words)}&t={tree}")
    page.locator("#permutation-result svg").first.wait_for()
    return page


def wait_for_values(page: Any, values: str) -> None:
    """Wait until everything is about these values."""
    written = ", ".join(values.split())
    page.locator("#permutation-summary", has_text=f"⟨{written}⟩").wait_for()
    assert page.input_value("#permutation-values") == values
    chips = page.locator("#permutation-chips .number").all_inner_texts()
    assert chips == values.split()


def chip(page: Any, name: str) -> Any:
    return page.locator("#permutation-chips").get_by_role("button", name=re.compile(f"^{name} "))


@views
def test_permutation_is_accessible(open_site: SiteOpener, scheme: str, width: int) -> None:
    page = open_site("#permutation", width, scheme)
    page.locator("#permutation-result svg").first.wait_for()
    if width == 1280:
        open_site.check(page)
        return
    page.fill("#permutation-values", " ".join(map(str, range(1, 61))))
    page.locator("#permutation-summary", has_text="60 values").wait_for()
    page.fill("#permutation-values", "1 1")
    page.locator("#permutation-result.old").wait_for()
    open_site.check(page)
    open_site.expect_refusal()


def test_measures_are_those_of_the_command_line(open_site: SiteOpener, cli: CommandLine) -> None:
    page = open_site("#permutation")
    page.locator("#permutation-result svg").first.wait_for()
    with page.expect_response("**/api/permutation") as caught:
        page.fill("#permutation-values", "⟨5, 7, 4, 6, 3, 1, 2⟩")
    printed = cli.succeed("permutation", "5 7 4 6 3 1 2", "--json").json()
    answer = caught.value.json()
    assert {key: answer[key] for key in printed} == printed
    page.locator("#permutation-summary", has_text="⟨5, 7, 4, 6, 3, 1, 2⟩").wait_for()
    shown = table(page, ".measures")
    assert list(shown) == list(MEASURES)
    assert shown == {name: f"{value:.4f}" for name, value in printed["measures"].items()}
    assert page.locator("#permutation-brackets").inner_text() == printed["brackets"]
    meanings = page.locator("#permutation-operators dt").all_inner_texts()
    assert meanings == ["⟨2,1⟩, 2 nodes", "⟨2,4,1,3⟩, 1 node", "⟨1,2⟩, 1 node"]


@pytest.mark.parametrize("width", [1280, 400])
def test_words_by_mouse(open_site: SiteOpener, width: int) -> None:
    page = open_site("#permutation", width)
    wait_for_values(page, "2 4 5 6 1 3")  # we in the lobby today meet
    source, target = (chip(page, name).bounding_box() for name in ("today", "we"))
    page.mouse.move(source["x"] + 10, source["y"] + 10)
    page.mouse.down()
    page.mouse.move(target["x"] + 30, target["y"] + 15, steps=8)
    page.mouse.move(target["x"] + 3, target["y"] + 15, steps=3)
    page.mouse.up()
    wait_for_values(page, "1 2 4 5 6 3")
    source, target = (chip(page, name).bounding_box() for name in ("meet", "in"))
    page.mouse.move(source["x"] + 10, source["y"] + 10)
    page.mouse.down()
    page.mouse.move(target["x"] + 3, target["y"] + 15, steps=8)
    page.mouse.up()
    wait_for_values(page, "1 2 3 4 5 6")
    assert page.locator("#permutation-chips .dragged").count() == 0
    for name, values in (("Reversed", "6 5 4 3 2 1"), ("Interleaved", "2 4 6 1 3 5")):
        page.get_by_role("button", name=name).click()
        wait_for_values(page, values)
    page.get_by_role("button", name="Shuffled").click()
    page.get_by_role("button", name="In order").click()
    wait_for_values(page, "1 2 3 4 5 6")


def test_permutation_by_keyboard(open_site: SiteOpener) -> None:
    page = open_site("#permutation")
    wait_for_values(page, "2 4 5 6 1 3")
    tab_to(page, "#permutation-values")
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    page.locator("#permutation-error:not(:empty)").wait_for()  # 3 alone is refused
    page.keyboard.type(" 2 1")
    page.locator("#permutation-summary", has_text="3 values").wait_for()
    page.get_by_text("The permutation has no place for the last 3 words.").wait_for()
    tab_to(page, "#permutation-chips button")
    page.keyboard.press("ArrowRight")
    wait_for_values(page, "2 3 1")
    page.keyboard.press("End")
    wait_for_values(page, "2 1 3")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Home")
    wait_for_values(page, "1 2 3")
    assert page.locator("#permutation-status").inner_text() == "today: position 1 of 3"
    assert page.evaluate("document.activeElement.dataset.value") == "1"
    tab_to(page, "[data-step=next]")
    page.keyboard.press("Enter")
    page.get_by_text("Tree 2 of 2.").wait_for()
    page.keyboard.press("Enter")  # there is no next one, and the focus stays
    assert page.evaluate("document.activeElement.dataset.step") == "next"
    open_site.expect_refusal()


def test_a_sentence_of_ones_own(open_site: SiteOpener) -> None:
    page = open_permutation(open_site, "2,1")
    assert page.locator("#permutation-chips .word").all_inner_texts() == ["2", "1"]
    page.fill("#permutation-sentence", "der alte Mann")
    wait_for_values(page, "2 1 3")
    words = page.locator("#permutation-chips .word").all_inner_texts()
    assert words == ["alte", "der", "Mann"]
    page.locator("#permutation-tree-drawing text", has_text="Mann").wait_for()
    page.fill("#permutation-sentence", "alte")
    wait_for_values(page, "1")
    page.get_by_text("A single word has no operator").wait_for()
    page.fill("#permutation-sentence", "w " * 61)
    page.get_by_text("The sentence has 61 words; the limit is 60.").wait_for()
    page.fill("#permutation-sentence", "هذا كتاب قديم")
    wait_for_values(page, "1 2 3")
    boxes = [one.bounding_box()["x"] for one in page.locator("#permutation-chips button").all()]
    assert boxes == sorted(boxes, reverse=True)
    page.locator("#permutation-chips button").first.focus()
    page.keyboard.press("ArrowLeft")
    wait_for_values(page, "2 1 3")


def test_all_trees_one_by_one(open_site: SiteOpener) -> None:
    page = open_permutation(open_site, "4,3,2,1")
    trees = [str(tree) for tree in hb.Permutation([4, 3, 2, 1]).forest()]
    brackets = page.locator("#permutation-brackets")
    for number, tree in enumerate(trees, 1):
        page.get_by_text(f"Tree {number} of 5").wait_for()
        assert brackets.inner_text() == tree
        page.get_by_role("button", name="Next").click(force=True)  # without effect at the end
    for name, number in (("Previous", 4), ("First", 1), ("Last", 5)):
        page.get_by_role("button", name=name).click()
        page.get_by_text(f"Tree {number} of 5").wait_for()
        assert brackets.inner_text() == trees[number - 1]
    page.fill("#permutation-tree", "3")
    page.keyboard.press("Enter")
    page.get_by_text("Tree 3 of 5").wait_for()
    assert page.evaluate("location.hash") == "#permutation?p=4,3,2,1&t=2"
    page.fill("#permutation-tree", "6")
    page.keyboard.press("Enter")
    page.get_by_text("Type a number from 1 to 5.").wait_for()
    again = open_permutation(open_site, "4,3,2,1", tree=2)
    assert again.locator("#permutation-brackets").inner_text() == trees[2]


def test_astronomically_many_trees(open_site: SiteOpener) -> None:
    page = open_permutation(open_site, ",".join(map(str, range(60, 0, -1))))
    forest = hb.Permutation(range(60, 0, -1)).forest()
    count = forest.count()
    page.get_by_role("button", name="Last").click()
    page.get_by_text(f"Tree {count:,} of {count:,}").wait_for()
    page.get_by_role("button", name="Previous").click()
    page.get_by_text(f"Tree {count - 1:,} of {count:,}").wait_for()
    assert page.locator("#permutation-brackets").inner_text() == str(forest.tree(count - 2))
    page.fill("#permutation-tree", str(count // 3))
    page.keyboard.press("Enter")
    page.get_by_text(f"Tree {count // 3:,} of {count:,}").wait_for()
    assert page.locator("#permutation-brackets").inner_text() == str(forest.tree(count // 3 - 1))


def test_permutation_errors_are_shown_in_place(open_site: SiteOpener) -> None:
    page = open_site("#permutation")
    wait_for_values(page, "2 4 5 6 1 3")
    page.fill("#permutation-values", "2 4 x")
    page.get_by_text("value 'x' at position 3 is not an integer").wait_for()
    assert page.locator("#permutation-result.old").count() == 1
    assert page.locator("#permutation-summary").inner_text().startswith("⟨2, 4, 5, 6, 1, 3⟩")
    page.get_by_role("button", name="Reversed").click()  # of the last valid permutation
    wait_for_values(page, "6 5 4 3 2 1")
    assert page.locator("#permutation-result.old").count() == 0
    open_site.expect_refusal()
