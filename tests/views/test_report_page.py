"""The page of a report in a real browser."""

from __future__ import annotations

import html
import itertools
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

import hostile_text
import hyperbaton as hb
from hyperbaton.cli.options import EXAMPLE
from hyperbaton.explanations.explaining import explain
from hyperbaton.explanations.explanation import Explanation
from hyperbaton.metrics.registry import SETS
from hyperbaton.runs.results import Report
from hyperbaton.stats.sampling import Sampling
from hyperbaton.text.display import visible
from hyperbaton.views.drawings.trees import shapes
from hyperbaton.views.svg import text_width
from views.page_checks import OVERRIDES, PageOpener, address

NAMES = ("literal", "phrasal", "fluent")
METRICS = ["pef", "bleu", "wer"]


def lines(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").split("\n")[:-1]


REFERENCES = lines("reference")
SYSTEMS = {name: lines(name) for name in NAMES}


@pytest.fixture(scope="session")
def comparison() -> Any:
    return hb.compare(SYSTEMS, REFERENCES, METRICS, "en")


@pytest.fixture(scope="session")
def report(comparison: Any) -> Report:
    found: Report = comparison.report()
    return found


def texts(page: Any, selector: str) -> list[str]:
    found: list[str] = page.locator(selector).all_inner_texts()
    return found


def numbers(page: Any) -> list[int]:
    """Return the numbers of the listed segments."""
    return [int(text) for text in texts(page, "#list .opener")]


def follow(page: Any, hash_: str) -> None:
    """Follow a link within the page."""
    page.goto(page.url.split("#")[0] + hash_)


def shown_value(value: float | None) -> str:
    """Return a value as people see it."""
    assert value is not None
    return f"{100 * value:.1f}"


def shows(text: str, value: float | None) -> bool:
    """Return whether a text shows a value, which the page may round up where Python rounds down."""
    assert value is not None
    return abs(float(text.replace("−", "-")) - 100 * value) < 0.0551


def points(value: float) -> str:
    """Return a difference with its sign."""
    text = f"{100 * value:+.1f}"
    return "0.0" if not float(text) else text.replace("-", "−")


def test_systems_are_those_of_compare(
    open_page: PageOpener, report: Report, comparison: Any
) -> None:
    """One table of all metrics; a sign says what is significantly below the best."""
    page = open_page(report)
    rows = page.locator("#system-table tbody tr").all()
    assert len(rows) == len(NAMES)
    signs = 0
    for row, (name, first) in zip(rows, comparison.scores("pef").items(), strict=True):
        result = next(result for result in comparison.results if result.name == name)
        label, *cells = row.locator("th, td").all_inner_texts()
        assert label == name
        for share in (result.matched, first.linked):
            assert cells.pop(0) == f"{100 * share:.0f}\xa0%"
        for metric, text in zip(METRICS, cells, strict=True):
            score = result[metric]
            half = (score.upper - score.lower) / 2
            best = next(iter(comparison.scores(metric)))
            is_below = any(
                {d.a, d.b} == {best, name} and d.better == best
                for d in comparison.differences_by(metric)
            )
            value, interval = text.split()[:2]
            assert (shows(value, score.value), interval[:1]) == (True, "±")
            assert float(interval[1:].rstrip("▼")) == pytest.approx(100 * half, abs=0.06)
            assert ("▼" in text) == is_below
            signs += is_below
    assert 0 < signs < len(NAMES) * len(METRICS)
    note = page.locator("#table-note").inner_text()
    assert "▼ significantly below the column's best" in note
    assert "values × 100" in note


def test_rankings_and_differences_are_those_of_compare(
    open_page: PageOpener, report: Report, comparison: Any
) -> None:
    page = open_page(report)
    for metric in METRICS:
        page.select_option("#metric", f"m{metric}")
        rows = texts(page, "#ranking tbody tr")
        ranking = comparison.ranking(metric)
        assert len(rows) == len(ranking)
        for row, rank in zip(rows, ranking, strict=True):
            name, value, interval, _, ranks, cluster = row.split("\t")
            assert (name, value) == (rank.system, shown_value(rank.value))
            assert interval == f"{shown_value(rank.lower)} to {shown_value(rank.upper)}"
            assert int(cluster) == rank.cluster
            assert ranks.split("–")[0] == str(rank.first)
            assert ranks.split("–")[-1] == str(rank.last)
        pairs = texts(page, "#differences tbody tr")
        for row, one in zip(pairs, comparison.differences_by(metric), strict=True):
            assert row.startswith(f"{one.a} – {one.b}")
            assert points(one.difference) in row
            assert f"{points(one.lower)} to {points(one.upper)}" in row
            assert f"\t{one.wins}/{one.ties}/{one.losses}" in row


def test_moves_are_compared_with_the_best_system(open_page: PageOpener, report: Report) -> None:
    page = open_page(report)
    content = report.to_dict()
    rows = page.locator("#move-table tbody tr").all()
    assert len(rows) == len(NAMES)
    by_name = {system["name"]: system["moves"] for system in content["systems"]}
    for row in rows:
        name, linked, *cells = row.locator("th, td").all_inner_texts()
        moves = by_name[name]
        assert linked == f"{100 * moves['linked']:.0f}\xa0%"
        for text, share in zip(cells, moves["kinds"].values(), strict=True):
            percent = f"{int(100 * share['segments'] / len(REFERENCES) + 0.5)}\xa0%"
            assert text.startswith(f"{share['segments']} {percent}")
            assert ("▲" in text) == (share["outcome"] == "more")
            assert ("▼" in text) == (share["outcome"] == "fewer")
            assert ("p " in text) == (name != content["beside"])
            if share["p"] is not None:
                difference, _, p = text.split("\n")[-1].partition(", p ")
                assert shows(difference, share["difference"])
                assert p == ("<0.001" if share["p"] < 0.0005 else f"{share['p']:.3f}")
    assert "Another order is not always a wrong one." in page.locator("#moves-note").inner_text()
    assert f"than with {content['beside']} (" in page.locator("#move-signs").inner_text()
    assert "▼ significantly fewer segments than with" in page.locator("#move-signs").inner_text()


def test_sections_come_in_the_order_of_questions(open_page: PageOpener, report: Report) -> None:
    page = open_page(report)
    sections = page.evaluate("[...document.querySelectorAll('main > section')].map((e) => e.id)")
    assert sections == ["summary", "moves", "examples", "segments", "technical", "words"]


def systems_like(count: int) -> dict[str, list[str]]:
    """Return systems whose names are longer than a column of a table."""
    rng = random.Random(count)
    named = {}
    for k in range(count):
        texts = [" ".join(rng.sample(text.split(), len(text.split()))) for text in REFERENCES[:k]]
        named[f"transformer-{k}-checkpoint-average"] = texts + REFERENCES[k:]
    return named


@pytest.mark.parametrize("count", [1, 2, 3, 17])
def test_the_first_screen_holds_the_verdict_and_the_table(
    open_page: PageOpener, count: int
) -> None:
    systems = systems_like(count)
    if count == 1:
        (texts_of_one,) = systems.values()
        found = hb.score(texts_of_one, REFERENCES, language="en").report()
    else:
        found = hb.compare(systems, REFERENCES, language="en", samples=20).report()
    page = open_page(found)
    page.set_viewport_size({"width": 1280, "height": 800})
    for part in ("#summary-title", "#system-table"):
        box = page.locator(part).bounding_box()
        assert box["y"] > 0
        assert box["y"] + box["height"] <= 800
    said = [page.locator("#summary-title").inner_text(), *texts(page, "#verdict p")]
    assert said == list(found.to_dict()["word_order"]["sentences"])
    assert page.locator("#system-table tbody tr").count() == count


def test_systems_are_sorted(open_page: PageOpener, report: Report, comparison: Any) -> None:
    page = open_page(report)
    names = "#system-table tbody th"
    assert texts(page, names) == list(comparison.scores("pef"))
    way = page.locator("th[aria-sort]")
    assert way.get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="wer ↓").click()
    assert texts(page, names) == list(comparison.scores("wer"))
    assert way.get_attribute("aria-sort") == "ascending"
    page.get_by_role("button", name="wer ↓").click()
    assert texts(page, names) == list(comparison.scores("wer"))[::-1]
    assert way.get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="system", exact=True).click()
    assert texts(page, names) == sorted(NAMES)
    assert way.inner_text() == "system"
    assert way.get_attribute("aria-sort") == "ascending"


def segments_of(report: Report, name: str) -> dict[str, Any]:
    """Return the segments of a system."""
    systems = report.to_dict()["systems"]
    found: dict[str, Any] = next(s["segments"] for s in systems if s["name"] == name)
    return found


def test_segments_are_sorted(open_page: PageOpener, report: Report, comparison: Any) -> None:
    """Differences and losses are multiplied by the share of linked words."""
    page = open_page(report)
    a, b = comparison.contrast("pef")
    assert page.locator("#system option:checked").inner_text() == a
    assert page.locator("#other option:checked").inner_text() == b
    first, second = (comparison.scores("pef")[name].segments for name in (a, b))
    linked = [segments_of(report, name)["linked"] for name in (a, b)]
    shares = [min(pair) for pair in zip(*linked, strict=True)]
    weighted = [abs(x - y) * share for x, y, share in zip(first, second, shares, strict=True)]
    listed = [weighted[k - 1] for k in numbers(page)]
    assert listed == pytest.approx(sorted(weighted, reverse=True)[:25], abs=1e-4)
    page.select_option("#sort", "worst")
    losses = [(1 - value) * share for value, share in zip(first, linked[0], strict=True)]
    listed = [losses[k - 1] for k in numbers(page)]
    page.get_by_role("button", name="Next page").click()
    listed += [losses[k - 1] for k in numbers(page)]
    assert listed == pytest.approx(sorted(losses, reverse=True), abs=1e-4)
    page.select_option("#sort", "number")
    assert numbers(page) == list(range(1, 26))


def test_an_error_rate_is_worst_where_it_is_largest(open_page: PageOpener, report: Report) -> None:
    page = open_page(report, "#metric=wer&other=&sort=worst&system=fluent")
    segments = segments_of(report, "fluent")
    rates = [x * y for x, y in zip(segments["values"]["wer"], segments["linked"], strict=True)]
    listed = [rates[k - 1] for k in numbers(page)]
    assert listed == pytest.approx(sorted(rates, reverse=True)[:25])


def test_segments_with_few_links_do_not_lead(open_page: PageOpener) -> None:
    """The value of one linked word of seven is perfect and says nothing."""
    references = ["shopping now from the comfy old sofa", "we meet at noon in the lobby"]
    systems = {
        "few links": ["store our a big brown chair sofa", "we meet at noon in the lobby"],
        "other": ["sofa x", "at noon in the lobby we meet"],
    }
    found = hb.compare(systems, references, ["kendall:bp=off"], samples=20).report()
    page = open_page(found, "#system=few links&other=other&sort=difference")
    assert numbers(page) == [2, 1]
    assert texts(page, "#segment-1 .row .share")[1] == "14\xa0% linked"
    assert texts(page, "#segment-2 .row .share")[1:] == ["100\xa0% linked"] * 2


def test_filters_and_search(open_page: PageOpener, report: Report) -> None:
    page = open_page(report)
    page.fill("#from", "10")
    page.fill("#to", "12")
    lengths = report.to_dict()["systems"][0]["segments"]["length"]
    expected = [k + 1 for k, length in enumerate(lengths) if 10 <= length <= 12]
    assert sorted(numbers(page)) == expected
    page.get_by_role("button", name="Reset").click()
    page.fill("#linked", "80")
    a, b = (page.locator(f"#{key} option:checked").inner_text() for key in ("system", "other"))
    first, second = (
        system["segments"]["linked"]
        for name in (a, b)
        for system in report.to_dict()["systems"]
        if system["name"] == name
    )
    expected = [k + 1 for k in range(len(REFERENCES)) if min(first[k], second[k]) >= 0.8]
    assert page.locator("#count").inner_text().startswith(f"{len(expected)} of 48 segments")
    assert set(numbers(page)) <= set(expected)
    page.get_by_role("button", name="Reset").click()
    page.fill("#search", "COMMISSION")
    page.locator("#count", has_text=" of ").wait_for()
    expected = [
        k + 1
        for k in range(len(REFERENCES))
        if any("commission" in text[k].lower() for text in (REFERENCES, SYSTEMS[a], SYSTEMS[b]))
    ]
    assert expected
    assert sorted(numbers(page)) == expected
    page.fill("#search", "no such words")
    page.locator("#count", has_text="No segment matches").wait_for()
    assert numbers(page) == []
    open_page.check(page)
    page.locator("#search").blur()
    page.keyboard.press("n")  # there is nothing to go to
    assert page.locator(".detail").count() == 0


def kind_of_moves(moves: Any) -> set[str]:
    """Return the kinds of moves of a segment, as the page names them."""
    kinds = set()
    of_words = [move for move in moves if not move.is_punctuation]
    for move in of_words:
        kinds |= {
            "word" if move.length == 1 else "group",
            "right" if move.before else "left",
            *(["far"] if move.distance >= 5 else []),
        }
    if not of_words:
        kinds.add("punctuation" if moves else "none")
    return kinds


def test_moves_are_filtered_by_kind(open_page: PageOpener, report: Report) -> None:
    kinds = [
        kind_of_moves(explain(text, reference, "pef", "en").moves)
        for text, reference in zip(SYSTEMS["literal"], REFERENCES, strict=True)
    ]
    page = open_page(report, "#system=literal&other=&sort=number")
    for kind in ("word", "group", "left", "right", "far", "punctuation", "none"):
        page.select_option("#kind", kind)
        expected = [k + 1 for k, found in enumerate(kinds) if kind in found]
        assert expected or kind == "punctuation"
        assert numbers(page) == expected[:25]
    # filters combine
    lengths = segments_of(report, "literal")["length"]
    page.select_option("#kind", "far")
    page.fill("#from", "15")
    page.fill("#search", "the")
    expected = [
        k + 1
        for k, found in enumerate(kinds)
        if "far" in found
        and lengths[k] >= 15
        and any("the" in text[k].lower() for text in (REFERENCES, SYSTEMS["literal"]))
    ]
    page.locator("#count", has_text=f"{len(expected)} of 48 segments").wait_for()
    assert 1 < len(expected) < sum("far" in found for found in kinds)
    assert numbers(page) == expected[:25]


def test_the_open_segment_follows_the_search(open_page: PageOpener, report: Report) -> None:
    page = open_page(report, "#segment=2&sort=number")
    opened = page.locator("#list .open .opener")
    page.fill("#search", "commission")
    page.locator("#count", has_text=" of ").wait_for()
    assert int(opened.inner_text()) == numbers(page)[0] != 2
    assert f"segment={numbers(page)[0]}" in address(page)
    page.fill("#search", "no such words")
    page.locator("#count", has_text="No segment matches").wait_for()
    assert page.locator(".detail").count() == 0
    assert "segment=" not in address(page)


def test_escape(open_page: PageOpener, report: Report) -> None:
    page = open_page(report, "#segment=45")
    page.fill("#search", "commission")
    page.locator("#count", has_text=" of ").wait_for()
    page.keyboard.press("Escape")
    assert page.input_value("#search") == ""
    assert page.locator("#count").inner_text() == "48 segments; 1–25 are shown"
    assert page.evaluate("document.activeElement === document.body"), "it also leaves the field"
    assert page.locator(".detail").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".detail").count() == 0
    follow(page, "#search=commission")
    page.locator("#count", has_text=" of ").wait_for()
    page.keyboard.press("Escape")
    assert page.locator("#count").inner_text() == "48 segments; 1–25 are shown"


def test_the_address_restores_the_view(open_page: PageOpener, report: Report) -> None:
    page = open_page(report)
    page.select_option("#metric", "mbleu")
    page.get_by_role("button", name="system", exact=True).click()
    page.get_by_role("button", name="system", exact=True).click()
    page.select_option("#system", label="fluent")
    page.select_option("#other", label="literal")
    page.select_option("#sort", "longest")
    page.select_option("#kind", "right")
    page.fill("#from", "5")
    page.fill("#to", "30")
    page.fill("#linked", "40")
    page.check("#punctuation")
    page.fill("#search", "e")
    page.wait_for_url("**search=e**")
    page.get_by_role("button", name="Next page").click()
    page.get_by_role("link", name="Moves").click()  # links to sections keep the address
    other = open_page(report, "#" + address(page).split("#")[1])
    view = """() => [
      ...[...document.querySelectorAll("select, input")].map((e) => [e.id, e.value, e.checked]),
      ...["count", "pager", "system-table", "list"].map((id) => byId(id).innerText),
    ]"""
    shown = other.evaluate(view)
    assert shown == page.evaluate(view)
    assert "page 2 of 2" in other.locator("#pager").inner_text()
    assert texts(other, "#system-table tbody th") == sorted(NAMES)[::-1]
    assert other.is_checked("#punctuation")
    other.locator("#list .opener").nth(1).click()
    third = open_page(report, "#" + address(other).split("#")[1])
    assert third.locator("#list .open .opener").inner_text() == texts(other, "#list .opener")[1]


def test_keyboard(open_page: PageOpener, report: Report) -> None:
    page = open_page(report)
    order = numbers(page)
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("p")
    assert page.locator("#list .open .opener").inner_text() == str(order[1])
    assert page.locator(".detail").count() == 1
    assert f"segment={order[1]}" in address(page)
    page.keyboard.press("Escape")
    assert page.locator(".detail").count() == 0
    for _ in range(26):  # to the next page of the list
        page.keyboard.press("j")
    assert page.locator("#pager").inner_text().count("page 2 of 2") == 1
    page.keyboard.press("/")
    page.keyboard.type("nn")
    page.locator("#count", has_text=" of ").wait_for()
    assert page.input_value("#search") == "nn"


def distance(move: Any) -> str:
    """Return how far a block moves, in words."""
    words = "1 word" if move.distance == 1 else f"{move.distance} words"
    return f"{words} {'earlier' if move.before else 'later'}"


def test_a_segment_says_what_explain_says(open_page: PageOpener, report: Report) -> None:
    page = open_page(report)
    marks = str.maketrans("“”", '""')
    moving = [
        (system, segment)
        for system in NAMES
        for segment in range(1, 49)
        if explain(SYSTEMS[system][segment - 1], REFERENCES[segment - 1], "pef", "en").moves
    ]
    assert len(moving) > 90
    for system, segment in moving:
        follow(page, f"#segment={segment}&system={system}&other=&punctuation=1")
        found = explain(SYSTEMS[system][segment - 1], REFERENCES[segment - 1], "pef", "en")
        shown = [text.translate(marks) for text in texts(page, ".moves li")]
        assert shown == [
            f"{sentence}, {distance(move)}".translate(marks)
            for sentence, move in zip(found.sentences, found.moves, strict=True)
        ]
        first, value, second = page.locator(".panel .values").inner_text().split("\n")[:3]
        assert (first, second) == ("pef", "bleu")
        assert shows(value, found.scores["pef"].value)
        for k, name in enumerate(("alignment", "tree")):
            words = page.locator(".panel svg").nth(k).locator("text").all_text_contents()
            drawing = found.drawings(name)[name]
            for text in words:
                assert f">{visible(text)}</text>" in html.unescape(drawing)
            assert drawing.count("<text ") == len(words)
            tooltips = page.locator(".panel svg").nth(k).locator("g > title").all_text_contents()
            assert tooltips == re.findall("<g><title>(.*?)</title>", html.unescape(drawing))
            marked = page.locator(".panel svg").nth(k).locator("rect:not(.hb-paper)").count()
            assert drawing.count("<rect ") - 1 == marked


@pytest.mark.parametrize("width", [1280, 400])
def test_marks_are_those_of_explain(open_page: PageOpener, width: int) -> None:
    metrics = ["pef", "order"]
    page = open_page(hb.score(SYSTEMS["literal"], REFERENCES, metrics, "en").report(), width=width)
    arrows = 0
    for segment in (1, 6, 12, 33):
        follow(page, f"#segment={segment}")
        pair = SYSTEMS["literal"][segment - 1], REFERENCES[segment - 1]
        drawing = explain(*pair, metrics, "en", fit_on=REFERENCES).drawings()["alignment"]
        shown = page.locator(".panel svg").first
        tooltips = shown.locator("g > title").all_text_contents()
        assert tooltips == re.findall("<g><title>(.*?)</title>", html.unescape(drawing))
        arrows += sum("the other way round" in text for text in tooltips)
        for shade in ("hb-shade0-ink", "hb-shade1-ink", "hb-shade2-ink"):
            paths = shown.locator(f"path.{shade}").count()
            assert paths == drawing.count(f'class="{shade}"')
    assert arrows
    open_page.check(page)


def test_a_link_leads_to_a_segment(open_page: PageOpener, report: Report) -> None:
    page = open_page(report)
    page.locator("#worst tbody tr").nth(2).locator("a").first.click()
    page.locator(".detail").wait_for()
    url = address(page)
    segment = page.locator("#list .open .opener").inner_text()
    name = page.locator("#system option:checked").inner_text()
    other = open_page(report, "#" + url.split("#")[1])
    assert other.locator("#list .open .opener").inner_text() == segment
    assert other.locator("#system option:checked").inner_text() == name
    box = other.locator("#list .open").bounding_box()
    assert 0 <= box["y"] < 900
    other.get_by_role("link", name="link to this view").click()
    assert other.locator(".detail").count() == 1


@pytest.mark.parametrize(
    "hash_",
    [
        "#segment=0",
        "#segment=99999999999",
        "#segment=-1&system=nobody&other=nobody&metric=none&sort=toString&from=x&to=-1",
        "#metric=__proto__&sort=__proto__",
        "#systems",
        "#%",
        "#=%E0%A4%A",
    ],
)
def test_a_link_that_leads_nowhere(open_page: PageOpener, report: Report, hash_: str) -> None:
    page = open_page(report, hash_)
    assert page.locator(".detail").count() == 0
    assert len(numbers(page)) == 25


def test_a_link_beyond_the_filters(open_page: PageOpener, report: Report) -> None:
    page = open_page(report, "#segment=2&search=commission")
    assert 2 not in numbers(page)
    assert page.locator("#list .open .opener").inner_text() == str(numbers(page)[0])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_is_accessible(
    open_page: PageOpener, report: Report, width: int, scheme: str
) -> None:
    page = open_page(report, "#segment=45", width=width, scheme=scheme)
    assert page.locator(".detail").count() == 1
    open_page.check(page)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 25, 29)"
    assert dark == (scheme == "dark")


@pytest.mark.parametrize("width", [1280, 360])
def test_long_words_and_names_do_not_widen_the_page(open_page: PageOpener, width: int) -> None:
    word, name = "Donau" * 60, "system" * 20
    systems = {name: [f"b a {word} c d"] * 12, "other": [f"a b c d {word}"] * 12}
    found = hb.compare(systems, [f"a b c {word} d"] * 12, ["pef", "wer"])
    page = open_page(found.report(), "#segment=1", width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    bar, row = (page.locator(at).bounding_box() for at in (".bar", "#segment-1"))
    assert row["y"] >= bar["y"] + bar["height"] - 1


def test_the_page_can_be_printed(open_page: PageOpener, report: Report) -> None:
    page = open_page(report, "#segment=45", width=700, scheme="dark")  # as wide as paper
    page.emulate_media(media="print", color_scheme="dark")
    open_page.check(page)  # dark colours are for screens
    paper = "getComputedStyle(document.querySelector('.hb-paper')).fill"
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    assert not page.locator("#controls").is_visible()
    assert page.locator(".detail svg").first.is_visible()
    assert page.locator("#examples .example").first.is_visible()
    for element, name, value in [
        ("h3", "breakAfter", "avoid"),
        (".note", "breakAfter", "avoid"),
        ("thead", "display", "table-header-group"),
        ("tr", "breakInside", "avoid"),
        ("td.tinted", "printColorAdjust", "exact"),
    ]:
        style = f"getComputedStyle(document.querySelector('main {element}')).{name}"
        assert page.evaluate(style) == value, element
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize(("count", "as_cards"), [(3, False), (12, True)])
def test_scores_fit_on_paper(open_page: PageOpener, count: int, as_cards: bool) -> None:
    """A table of many metrics would be wider than the page, so each system is a card."""
    metrics = ["pef", "bleu", "wer", *SETS["permutations"][:9]][:count]
    found = hb.compare(SYSTEMS, REFERENCES, metrics, "en", samples=20).report()
    page = open_page(found, width=700)
    page.emulate_media(media="print")
    table = page.locator(".system-table")
    assert (table.evaluate("(e) => getComputedStyle(e).display") == "block") == as_cards
    box = table.bounding_box()
    assert box["x"] + box["width"] <= 700
    values = table.locator("tbody td:not([data-label=linked], [data-label=matched])").all()
    assert len(values) == 3 * count
    for value in values:
        box = value.bounding_box()
        assert box["x"] + box["width"] <= 700


def test_wide_drawings_shrink_to_the_page(open_page: PageOpener) -> None:
    words = [f"Wort{k}" for k in range(14)]
    moved = " ".join(words[7:] + words[:7])
    page = open_page(hb.score([moved], [" ".join(words)], ["pef"]).report(), "#segment=1")
    drawing = page.locator(".detail svg").first
    assert drawing.bounding_box()["width"] > 700
    page.set_viewport_size({"width": 700, "height": 900})
    page.emulate_media(media="print")
    box = drawing.bounding_box()
    assert box["x"] + box["width"] <= 700
    assert page.evaluate("document.documentElement.scrollWidth") == 700


def test_nothing_is_executed(open_page: PageOpener, tmp_path: Path) -> None:
    # Several in each text and name, since every segment is opened.
    harm = [" ".join(hostile_text.LINES[k : k + 9]) for k in range(0, len(hostile_text.LINES), 9)]
    rng = random.Random(12)
    references = [f"one {text} two three" for text in harm]
    systems = {name: rng.sample(references, len(harm)) for name in harm[-12:]}
    systems[harm[0]] = [f"three {text} one" for text in harm]
    found = hb.compare(systems, references, ["pef", "wer"], samples=20)
    page = open_page(found.report(harm[0]), "#segment=1")
    assert page.locator("h1").inner_text() == harm[0]
    open_page.check(page)
    for segment in range(1, len(harm) + 1):
        follow(page, f"#segment={segment}")
        page.locator(".everyone button").first.click()
        page.locator("#worst a").first.click()
    for text in harm:
        follow(page, f"#segment=1&search={quote(text, errors='replace')}")
        follow(page, f"#segment=1&system={quote(text, errors='replace')}")
        assert page.locator(".detail").count() == 1
    page.fill("#search", harm[0])
    page.locator("#count", has_text=" of ").wait_for()
    open_page.check(page)


def test_the_policy_holds(open_page: PageOpener, report: Report, tmp_path: Path) -> None:
    """Unescaped markup would not be executed."""
    html = report.to_html().replace("</main>", "<script>globalThis.harmed = 1</script></main>")
    path = tmp_path / "hole.html"
    path.write_text(html, "utf-8")
    page = open_page(path)
    assert page.evaluate("globalThis.harmed") is None
    refused = [text for text in open_page.seen if "Content Security Policy" in text]
    assert len(refused) == 1
    open_page.seen.clear()


def test_one_system_alone(open_page: PageOpener) -> None:
    page = open_page(hb.score(SYSTEMS["fluent"], REFERENCES, METRICS, "en").report("Alone"))
    assert page.locator("h1").inner_text() == "Alone"
    assert "darker" not in page.locator("main").inner_text().lower()
    assert not page.locator("#other-label").is_visible()
    assert page.locator("#differences").inner_text() == ""
    page.keyboard.press("n")
    assert page.locator(".everyone").count() == 0
    open_page.check(page)


def test_the_footer_of_one_system(open_page: PageOpener) -> None:
    found = hb.score(SYSTEMS["fluent"], REFERENCES, ["pef"], "en")
    page = open_page(found.with_scores(found, sampling=Sampling()).report())
    footer = page.locator("footer").inner_text()
    assert "95 % intervals: bootstrap, 1,000 samples, seed 1\n" in footer
    assert "null" not in footer


def test_nothing_is_aligned(open_page: PageOpener) -> None:
    systems = {"other words": ["x y z", "", "w"], "none": ["", "", ""], "all": ["a b", "c d", "e"]}
    found = hb.compare(systems, ["a b", "c d", "e"], ["pef", "bleu", "wer"], samples=20)
    page = open_page(found.report())
    for name in systems:
        for segment in (1, 2, 3):
            follow(page, f"#segment={segment}&system={quote(name)}&other=")
            says = page.locator(".panel").inner_text()
            assert ("No word is linked" in says) == (name != "all")
        open_page.check(page)


def test_several_references(open_page: PageOpener) -> None:
    references = [["b a x y", "a b c d"], ["e f"]]
    page = open_page(hb.score(["a b c d", "e f"], references, ["pef"]).report(), "#segment=1")
    assert "a b c d" in page.locator("#segment-1 .row .line").first.inner_text()
    assert texts(page, ".detail ol li") == ["b a x y", "a b c d"]


ARABIC = "القط الأسود جلس على الكرسي القديم في البيت الكبير ثم نام طويلا حتى جاء الولد الصغير"


def test_names_in_other_scripts_are_isolated_and_shortened(open_page: PageOpener) -> None:
    """By hand: of 28 columns, 8 at both ends stay, where a Chinese character takes two."""
    arabic, chinese = "نظام الترجمة 2", "机器翻译系统第一号测试版本二"
    references = [" ".join(f"{word}{k}" for word in "abcdefg") for k in range(20)]
    moved = [" ".join(text.split()[::-1]) for text in references]
    systems = {arabic: references, chinese: moved}
    page = open_page(hb.compare(systems, references, "order", samples=50).report())
    names = [arabic, "机器翻译…版本二"]
    assert texts(page, "#system-table tbody th") == names
    heading = page.locator("#summary-title")
    assert heading.locator("bdi").all_inner_texts() == [arabic]
    answer = "Word order: {} is closer to the order of the reference than {}."
    assert heading.inner_text() == answer.format(*names)
    assert page.evaluate(OVERRIDES) == []
    full = page.locator("#system-table bdi").nth(1)
    assert full.get_attribute("title") == chinese
    open_page.check(page)


def test_other_scripts(open_page: PageOpener) -> None:
    arabic = ["القط الأسود على الكرسي", "قرأ الولد كتابا جديدا"]
    moved = ["على الكرسي القط الأسود", "كتابا جديدا قرأ الولد"]
    page = open_page(hb.score(moved, arabic, ["pef"]).report(), "#segment=1")
    assert page.locator(".panel svg text[direction=rtl]").count() > 4
    open_page.check(page)


@pytest.mark.parametrize("width", [1280, 400])
def test_right_to_left_drawings_start_at_the_right(open_page: PageOpener, width: int) -> None:
    """Rows start at the right; in columns, the system is at the right and the reference left."""
    words = ARABIC.split()
    found = hb.score([" ".join(words[6:] + words[:6])], [ARABIC], ["pef"]).report()
    page = open_page(found, "#segment=1", width=width)
    turned = width == 400
    for figure in page.locator(".panel figure").all():
        drawing = figure.locator("svg").bounding_box()
        box = figure.bounding_box()
        assert drawing["x"] + drawing["width"] == pytest.approx(box["x"] + box["width"], abs=1)
    alignment = page.locator(".panel svg").first

    def left(text: str) -> float:
        place: float = alignment.locator("text", has_text=text).first.bounding_box()["x"]
        return place

    if turned:
        assert left("system") > left("reference")
    else:
        assert left(words[6]) > left(words[7]) > left(words[5])  # the system's first words
    open_page.check(page)


class LinkedSegment(NamedTuple):
    """A segment with given links, and the permutation that they form."""

    permutation: list[int]
    hypothesis: str
    reference: str
    links: str


def shuffled(rng: random.Random, size: int) -> list[int]:
    """Return a permutation in which blocks have moved, as in translations."""
    values = list(range(1, size + 1))
    for _ in range(rng.randint(0, 5)):
        a, b, c = sorted(rng.choices(range(size + 1), k=3))
        values[a:c] = values[b:c] + values[a:b]
    return values if rng.random() < 0.7 else rng.sample(values, size)


@pytest.fixture(scope="session")
def linked_segments() -> list[LinkedSegment]:
    """Return segments with all small permutations and with random ones."""
    rng = random.Random(5)
    perms = [list(p) for n in range(1, 6) for p in itertools.permutations(range(1, n + 1))]
    perms += [shuffled(rng, rng.randint(7, 50)) for _ in range(200)]
    # repeated words need positions, and x is unaligned
    segments = []
    for values in perms:
        words = [rng.choice("abcdefgh") for _ in values]
        system: list[str] = []
        pairs = []
        for value in values:
            pairs.append(f"{len(system)}-{value - 1}")
            system += [words[value - 1], *["x"] * (rng.random() < 0.2)]
        segments.append(LinkedSegment(values, " ".join(system), " ".join(words), " ".join(pairs)))
    return segments


def open_segments(open_page: PageOpener, segments: Sequence[LinkedSegment]) -> Any:
    """Return the page of a report about one system."""
    _, hypotheses, references, links = zip(*segments, strict=True)
    metric = "pef:tok=none,case=mixed"
    return open_page(hb.score(hypotheses, references, [metric], alignments=links).report())


def explain_segment(segment: LinkedSegment) -> Explanation:
    _, hypothesis, reference, links = segment
    return explain(hypothesis, reference, "pef", alignment=links, tokenize="none")


def test_trees_and_moves_are_those_of_python(
    open_page: PageOpener, linked_segments: Sequence[LinkedSegment]
) -> None:
    """The page decodes the trees, moves and sentences that Python has encoded."""
    page = open_segments(open_page, linked_segments)
    found = page.evaluate(
        """() => data.references.map((_, k) => decodeSegment(0, k)).map(({ tree, moves }) => ({
          moves: moves.map((move) => move.span),
          sentences: moves.map(({ block, before, anchor }) =>
            `move "${block.text}"${block.suffix} ${before ? "before" : "after"} ` +
            `"${anchor.text}"${anchor.suffix}`),
          distances: moves.map((move) => move.distance),
          shapes: tree.map(({ label, start, end, words }) => [label, start, end, words]),
        }))"""
    )
    for given, segment in zip(linked_segments, found, strict=True):
        explained = explain_segment(given)
        assert list(explained.permutation) == given.permutation
        assert segment["moves"] == [list(move.block) for move in explained.moves]
        assert segment["sentences"] == list(explained.sentences)
        assert segment["distances"] == [move.distance for move in explained.moves]
        expected = []
        if explained.moves:
            assert explained.tree is not None
            expected = [
                [shape.label, *shape.span, list(shape.words)]
                for shape in shapes(explained.tree, explained.placed_words)
            ]
        assert segment["shapes"] == expected


# The widths of letters are those of Python, because fonts differ.
DRAW_ALL = """(widths) => {
  ruler.measureText = (text) => ({ width: [...text].reduce((sum, c) => sum + widths[c], 0) });
  return data.references.map((_, k) => decodeSegment(0, k)).map((segment) => {
    const { tree, placedWords, moves } = segment;
    const drawings = { alignment: drawAlignment(segment).outerHTML };
    if (moves.length) drawings.tree = drawTree(tree, placedWords, moves).outerHTML;
    return drawings;
  });
}"""
PLACES = ("x", "y", "width", "height", "cx", "cy", "r", "d")
LOOKS = {"class": "", "text-anchor": "start", "direction": "ltr", "font-size": ""}


def marks_of(drawing: str) -> list[tuple[str, list[float]]]:
    """Return the shapes and texts of a drawing with their looks and places, sorted by kind."""
    marks = []
    for element in ElementTree.fromstring(drawing).iter():
        name = element.tag.rpartition("}")[2]
        if name in ("rect", "circle", "text", "path"):
            places = " ".join(element.get(key, "") for key in PLACES)
            numbers = re.findall(r"-?[0-9.]+", places)
            looks = (element.get(key, default) for key, default in LOOKS.items())
            look = " ".join((name, *looks, element.text or ""))
            marks.append((look, list(map(float, numbers))))
    return sorted(marks, key=lambda mark: mark[0])


@pytest.mark.parametrize("letters", ["abcdefghx", "אבגדהוזחט"])
def test_drawings_have_the_places_of_those_of_python(
    open_page: PageOpener, linked_segments: Sequence[LinkedSegment], letters: str
) -> None:
    alphabet = str.maketrans("abcdefghx", letters)
    segments = [
        LinkedSegment(values, hypothesis.translate(alphabet), reference.translate(alphabet), links)
        for values, hypothesis, reference, links in linked_segments
    ]
    widths = {character: text_width(character, 100) for character in map(chr, range(32, 0x2800))}
    page = open_segments(open_page, segments)
    turned = dict.fromkeys(("alignment", "tree"), 0)
    for segment, drawn in zip(segments, page.evaluate(DRAW_ALL, widths), strict=True):
        explained = explain_segment(segment)
        assert ("tree" in drawn) == bool(explained.moves)
        for name, drawing in drawn.items():
            python_drawing = explained.drawings(name)[name]
            turned[name] += python_drawing.height > 960
            expected, shown = marks_of(python_drawing), marks_of(drawing)
            assert [look for look, _ in shown] == [look for look, _ in expected]
            for (_, places), (look, python_places) in zip(shown, expected, strict=True):
                assert places == pytest.approx(python_places, abs=0.5), (segment, look)
    assert all(turned.values()), turned


def test_links_are_read_back(open_page: PageOpener, report: Report) -> None:
    """The page has the alignments that Python has."""
    page = open_page(report)
    aligner = hb.Aligner("en")
    for k, name in enumerate(NAMES):
        expected = [
            aligner.align(aligner.tokens(hyp), aligner.tokens(ref))
            for hyp, ref in zip(SYSTEMS[name], REFERENCES, strict=True)
        ]
        found = page.evaluate(
            "(k) => data.references.map((_, j) => decodeSegment(k, j)).map((segment) => "
            "[segment.links, segment.places, segment.words.map((words) => words.length)])",
            k,
        )
        for (links, places, counts), alignment in zip(found, expected, strict=True):
            assert links == [list(link) for link in alignment.links]
            assert places == [list(place) for place in alignment.places]
            assert counts == [alignment.hyp_length, alignment.ref_length]


def test_the_verdict_comes_first(open_page: PageOpener, report: Report) -> None:
    page = open_page(report)
    answer, *others = report.to_dict()["word_order"]["sentences"]
    assert page.locator("h2").first.inner_text() == answer
    for metric in METRICS:  # it is one verdict, whatever details are shown
        page.select_option("#metric", f"m{metric}")
        assert texts(page, "#verdict p") == others


def test_sources_are_shown_and_searched(open_page: PageOpener, comparison: Any) -> None:
    source = [f"משפט {k} במקור" for k in range(1, len(REFERENCES) + 1)]
    page = open_page(comparison.report(source=source), "#segment=7&sort=number")
    line = page.locator("#segment-7 .row .line").first
    assert line.inner_text().split("\n")[0] == "source"
    assert line.locator(".text").inner_text() == source[6]
    assert line.locator(".text").evaluate("(e) => getComputedStyle(e).direction") == "rtl"
    assert page.locator("#segment-7 .everyone .line .text").first.inner_text() == source[6]
    assert page.locator(".example .line .text").first.inner_text() in source
    page.fill("#search", "משפט 12 ")
    page.locator("#count", has_text=" of ").wait_for()
    assert numbers(page) == [12]
    open_page.check(page)


def test_punctuation_is_no_move_unless_asked(open_page: PageOpener) -> None:
    references = ["we meet at noon , in the lobby", "red , green and blue"]
    hypotheses = ["in the lobby we meet , at noon", "red green , and blue"]
    found = hb.score(hypotheses, references, ["pef"]).report()
    page = open_page(found, "#segment=1")
    for segment, says in ((1, "in the lobby"), (2, "Only punctuation")):
        follow(page, f"#segment={segment}")
        hidden = page.locator(".panel").inner_text()
        assert says in hidden
        assert "“,”" not in hidden
        marks = page.locator("[class*=pale]").count()
        assert marks == 0
        assert page.locator(f"#segment-{segment} .row bdi", has_text=",").count() == 0
        boxes = page.locator(".panel svg").first.locator("rect:not(.hb-paper)").count()
        page.check("#punctuation")
        assert "punctuation=1" in address(page)
        moves = texts(page, ".moves li")
        assert "“,”" in moves[-1]
        assert not any("“,”" in text for text in moves[:-1])
        assert texts(page, ".panel h4")[-3] == "Moves of punctuation"
        assert page.locator(".open .row .hb-mark-pale").all_inner_texts() == [",", ","]
        drawing = page.locator(".panel svg").first
        assert drawing.locator("rect:not(.hb-paper)").count() == boxes + 2
        assert drawing.locator("rect.hb-move-pale").count() == 2
        numbers_of = page.locator(".panel svg").nth(1).locator("text.hb-move-pale-ink")
        assert numbers_of.all_text_contents() == [str(len(moves))]
        open_page.check(page)


LABELS = """() => {
  const broken = [];
  const labels = "th, label, caption, button, a, h1, h2, h3, h4, dt, .who, .share, .facts, .term";
  for (const label of document.querySelectorAll(labels)) {
    if (!label.checkVisibility() || label.closest("[popover]")) continue;
    const texts = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const { 0: word, index } of texts.currentNode.data.matchAll(/[\\p{L}\\p{N}_]+/gu)) {
        const range = new Range();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
        if (lines.size > 1) broken.push(word);
      }
    }
  }
  return broken;
}"""


def many_systems() -> Report:
    """Return a report with many metrics and with systems whose names are long."""
    names = ["LIMSI-Ncode-SOUL-primary.2591", "uedin_syntax", "MES-Szeged-reorder-split-primary"]
    systems = dict(zip(names, SYSTEMS.values(), strict=True))
    metrics = ["order:precedence=off", "hyper:precedence=off", *METRICS, "chrf", "kendall"]
    found: Report = hb.compare(systems, REFERENCES, metrics, "en", samples=20).report()
    return found


@pytest.mark.parametrize("width", [1280, 400])
def test_labels_are_not_broken_within_words(open_page: PageOpener, width: int) -> None:
    page = open_page(many_systems(), "#segment=45", width=width)
    assert page.evaluate(LABELS) == []
    page.set_viewport_size({"width": 700, "height": 900})
    page.emulate_media(media="print")
    assert page.evaluate(LABELS) == []


def test_scores_are_visible_on_narrow_screens(open_page: PageOpener) -> None:
    found = many_systems()
    page = open_page(found, width=400)
    table = page.locator("#system-table")
    assert table.evaluate("(e) => e.scrollWidth <= e.clientWidth")
    for system in found.to_dict()["systems"]:
        card = table.locator("tbody tr", has=page.get_by_text(system["label"], exact=True))
        for metric, score in system["scores"].items():
            value = card.get_by_text(shown_value(score["value"])).first
            assert value.is_visible()
            box = value.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 400
            label = value.evaluate("(e) => getComputedStyle(e, '::before').content")
            assert metric in label
    page.get_by_role("button", name="wer ↓").click()
    values = [system["scores"]["wer"]["value"] for system in found.to_dict()["systems"]]
    shown = table.locator("tbody td[data-label='wer ↓']").all_inner_texts()
    assert [text.split()[0] for text in shown] == list(map(shown_value, sorted(values)))
    open_page.check(page)


def test_systems_have_the_same_order_everywhere(
    open_page: PageOpener, report: Report, comparison: Any
) -> None:
    page = open_page(report, "#segment=1")
    for metric in METRICS:
        page.select_option("#metric", f"m{metric}")
        ranking = [rank.system for rank in comparison.ranking(metric)]
        for names in (
            "#ranking tbody th",
            "#by-length tbody th",
            "#by-share tbody th",
            "#profile tbody th",
            "#operator-spans .scroll:nth-child(2) tbody th",
            "#worst tbody th",
            "#histograms b",
            ".everyone button",
            "#system option",
        ):
            assert texts(page, names) == ranking, names
    assert len({tuple(comparison.scores(metric)) for metric in METRICS}) > 1


def test_histograms_have_axes(open_page: PageOpener, report: Report) -> None:
    page = open_page(report)
    assert "logarithmic" not in page.locator("#spread-note").inner_text()
    for drawing in page.locator("#histograms svg").all():
        labels = drawing.locator("text").all_text_contents()
        assert {"segments", "pef of a segment", "0", "100"} <= set(labels)


def test_a_histogram_shows_few_segments_beside_many(open_page: PageOpener) -> None:
    """299 segments of 300 are perfect, and the bar of the last one can still be seen."""
    references = ["a b c d e f"] * 300
    found = hb.score([*references[:299], "d e f a b c"], references, ["kendall"]).report()
    page = open_page(found)
    assert "logarithmic" in page.locator("#spread-note").inner_text()
    drawing = page.locator("#histograms svg")
    assert "segments (log scale)" in drawing.locator("text").all_text_contents()
    heights = [bar.bounding_box()["height"] for bar in drawing.locator("rect").all()]
    assert sum(height > 0 for height in heights) == 2
    assert max(heights) < 12 * min(filter(None, heights))
    assert "best value 100: 299" in page.locator("#histograms").inner_text()


def test_moves_are_counted_in_a_fitting_unit(open_page: PageOpener, report: Report) -> None:
    """Few sentences have numbers of moves; only many words have rates."""
    page = open_page(report)
    kinds, distances = page.locator("#moves-of-words table").all()
    assert kinds.locator("caption").inner_text() == "Moves of words by kind: number"
    moves = [
        move
        for text, reference in zip(SYSTEMS["literal"], REFERENCES, strict=True)
        for move in explain(text, reference, "pef", "en").moves
        if not move.is_punctuation
    ]

    def counts(table: Any) -> list[int]:
        cells = table.locator("tbody tr", has_text="literal").locator("td")
        return [int(text) for text in cells.all_inner_texts()]

    assert counts(kinds) == [
        sum((move.length == 1, move.before) == kind for move in moves)
        for kind in itertools.product([True, False], [False, True])
    ]
    assert sum(counts(kinds)) == sum(counts(distances)) == len(moves)
    assert counts(distances)[1] == sum(move.distance in (3, 4) for move in moves)
    many = hb.score(["b a c d e f g h i j"] * 1000, ["a b c d e f g h i j"] * 1000, ["pef"])
    page = open_page(many.report())
    assert "number per 1,000 linked words" in page.locator("#moves-of-words").inner_text()
    # one move of a word in each 10 words
    assert "100.0" in texts(page, "#moves-of-words table:first-of-type td")[:2]


def test_terms_are_explained(open_page: PageOpener, report: Report) -> None:
    glossary = [
        {"key": "cluster", "name": "cluster", "text": "Systems that cannot be told apart."},
        {"key": "link", "name": "link", "text": "A line between <b>words</b>."},
    ]
    explained = Report({**report.to_dict(), "glossary": glossary})
    page = open_page(explained, "#segment=45")
    definition = page.locator("#definition")
    assert not definition.is_visible()
    page.get_by_role("button", name="cluster").focus()
    page.keyboard.press("Enter")
    assert definition.inner_text().split("\n")[0] == "cluster"
    assert "cannot be told apart" in definition.inner_text()
    page.keyboard.press("Escape")  # closes the definition alone
    assert not definition.is_visible()
    assert page.locator(".detail").count() == 1
    page.get_by_role("button", name="Links").first.click()
    assert "<b>words</b>" in definition.inner_text()
    box = definition.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 1280
    page.get_by_role("button", name="cluster").click()  # another term replaces it
    assert "cannot be told apart" in definition.inner_text()
    page.mouse.click(640, 5)
    assert not definition.is_visible()
    assert texts(page, "#glossary dt") == ["cluster", "link"]
    open_page.check(page)


@pytest.mark.parametrize("width", [1280, 400])
def test_definitions_open_at_their_terms(open_page: PageOpener, report: Report, width: int) -> None:
    page = open_page(report, "#segment=45", width=width)
    terms = page.locator(".term:visible").all()
    assert len(terms) > 15
    for term in terms:
        term.click()
        box, at = page.locator("#definition").bounding_box(), term.bounding_box()
        assert box["y"] == pytest.approx(at["y"] + at["height"] + 4, abs=2)
        assert 0 <= box["y"] <= 902 - box["height"]
        assert 0 <= box["x"] <= width - box["width"]
        page.keyboard.press("Escape")


def test_a_page_without_a_glossary(open_page: PageOpener, report: Report) -> None:
    page = open_page(Report({**report.to_dict(), "glossary": None}), "#segment=45")
    assert page.locator(".term").count() == 0
    assert not page.locator("#words").is_visible()
    assert not page.locator("#words-link").is_visible()
    assert "cluster" in page.locator("#ranking thead").inner_text()


def test_signs_are_explained(open_page: PageOpener) -> None:
    """Characters that are not seen are marked by signs, and the open segment says what they are."""
    hypotheses = ["co\u00adop we", "we meet □"]  # the second sign is one of the text
    found = hb.score(hypotheses, ["we coop", "we meet"], ["pef"]).report()
    page = open_page(found, "#segment=1")
    assert "◦" in page.locator("#segment-1 .row").inner_text()
    assert texts(page, ".detail > .note") == ["◦ is an invisible character: soft hyphen (U+00AD)."]
    follow(page, "#segment=2")
    page.locator("#segment-2.open").wait_for()
    assert texts(page, ".detail > .note") == []


def test_a_segment_that_is_too_long_to_draw(open_page: PageOpener) -> None:
    words = [f"w{k}" for k in range(6000)]
    texts = " ".join(words[3000:] + words[:3000]), " ".join(words)
    page = open_page(hb.score([texts[0]], [texts[1]], ["pef"]).report(), "#segment=1")
    assert "6,000 words are too many to draw." in page.locator(".detail").inner_text()


def test_no_move_is_said_of_all_shown_systems(open_page: PageOpener, report: Report) -> None:
    page = open_page(report, "#kind=none&system=fluent&other=literal")
    both = [segments_of(report, name)["moves"] for name in ("fluent", "literal")]
    expected = {k + 1 for k in range(48) if not both[0][k] and not both[1][k]}
    assert 0 < len(expected) < 25
    assert set(numbers(page)) == expected


def test_a_word_with_several_partners(open_page: PageOpener) -> None:
    """Equal partners of a word are told apart by their positions, as in Python."""
    texts = "x for y", "y de x de"
    links = "0-2 1-1 1-3 2-0"
    metric = "pef:tok=none"
    found = hb.score([texts[0]], [texts[1]], [metric], alignments=[links]).report()
    page = open_page(found)
    explained = explain(*texts, "pef", alignment=links, tokenize="none")
    assert "for/de(3)" in explained.placed_words
    placed = page.evaluate("decodeSegment(0, 0).placedWords")
    assert placed == list(explained.placed_words)
