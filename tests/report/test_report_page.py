"""The page of a report in a real browser."""

from __future__ import annotations

import html
import itertools
import random
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import hyperbaton as hb
from hyperbaton.cli.options import EXAMPLE
from hyperbaton.report.drawings.trees import shapes
from hyperbaton.report.explanation import explain
from hyperbaton.report.reports import Report
from hyperbaton.text.display import visible
from report.page_checks import PageOpener
from report.svg_checks import HOSTILE_TEXTS

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


def test_systems_are_those_of_compare(
    open_page: PageOpener, report: Report, comparison: Any
) -> None:
    page = open_page(report)
    for metric in METRICS:
        page.select_option("#metric", f"m{metric}")
        rows = texts(page, "#system-table tbody tr")
        ranking = comparison.ranking(metric)
        assert len(rows) == len(ranking)
        for row, rank in zip(rows, ranking, strict=True):
            cluster, name, ranks, aligned, *_ = row.split("\t")
            result = next(result for result in comparison.results if result.name == rank.system)
            assert name == rank.system
            assert int(cluster) == rank.cluster
            assert ranks.split("–")[0] == str(rank.first)
            assert ranks.split("–")[-1] == str(rank.last)
            assert aligned == f"{result.aligned:.2f}"
            for score in result.values():
                assert f"{score.value:.4f}" in row
                assert f"[{score.lower:.4f}, {score.upper:.4f}]" in row
        pairs = texts(page, "#differences tbody tr")
        for row, one in zip(pairs, comparison.differences_by(metric), strict=True):
            assert row.startswith(f"{one.a} – {one.b}")
            assert f"{one.difference:.4f}" in row
            assert f"[{one.lower:.4f}, {one.upper:.4f}]" in row
            assert f"\t{one.wins}/{one.ties}/{one.losses}" in row


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


def test_segments_are_sorted(open_page: PageOpener, report: Report, comparison: Any) -> None:
    page = open_page(report)
    a, b = comparison.contrast("pef")
    assert page.locator("#system option:checked").inner_text() == a
    assert page.locator("#other option:checked").inner_text() == b
    expected = [k + 1 for k, *_ in comparison.separating("pef", a, b, 25)]
    assert numbers(page)[: len(expected)] == expected
    page.select_option("#sort", "worst")
    values = comparison.scores("pef")[a].segments
    order = sorted(range(len(values)), key=lambda k: (round(values[k], 4), k))
    assert numbers(page) == [k + 1 for k in order[:25]]
    page.get_by_role("button", name="Next page").click()
    assert numbers(page) == [k + 1 for k in order[25:]]
    page.select_option("#sort", "number")
    assert numbers(page) == list(range(1, 26))


def test_an_error_rate_is_worst_where_it_is_largest(open_page: PageOpener, comparison: Any) -> None:
    page = open_page(comparison.report(), "#metric=wer&other=&sort=worst&system=fluent")
    values = comparison.scores("wer")["fluent"].segments
    order = sorted(range(len(values)), key=lambda k: (-round(values[k], 4), k))
    assert numbers(page) == [k + 1 for k in order[:25]]


def test_filters_and_search(open_page: PageOpener, report: Report) -> None:
    page = open_page(report)
    page.fill("#from", "10")
    page.fill("#to", "12")
    lengths = report.to_dict()["systems"][0]["segments"]["length"]
    expected = [k + 1 for k, length in enumerate(lengths) if 10 <= length <= 12]
    assert sorted(numbers(page)) == expected
    page.get_by_role("button", name="Reset").click()
    page.fill("#aligned", "80")
    a, b = (page.locator(f"#{key} option:checked").inner_text() for key in ("system", "other"))
    first, second = (
        system["segments"]["aligned"]
        for name in (a, b)
        for system in report.to_dict()["systems"]
        if system["name"] == name
    )
    expected = [k + 1 for k in range(len(REFERENCES)) if min(first[k], second[k]) >= 0.8]
    assert page.locator("#count").inner_text().startswith(f"{len(expected)} segments of")
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
    page.keyboard.press("Escape")
    page.keyboard.press("n")  # there is nothing to go to
    assert page.locator(".detail").count() == 0


def test_keyboard(open_page: PageOpener, report: Report) -> None:
    page = open_page(report)
    order = numbers(page)
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("p")
    assert page.locator("#list .open .opener").inner_text() == str(order[1])
    assert page.locator(".detail").count() == 1
    assert f"segment={order[1]}" in page.url
    page.keyboard.press("Escape")
    assert page.locator(".detail").count() == 0
    for _ in range(26):  # to the next page of the list
        page.keyboard.press("j")
    assert page.locator("#pager").inner_text().count("page 2 of 2") == 1
    page.keyboard.press("/")
    page.keyboard.type("nn")
    page.locator("#count", has_text=" of ").wait_for()
    assert page.input_value("#search") == "nn"


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
        follow(page, f"#segment={segment}&system={system}&other=")
        found = explain(SYSTEMS[system][segment - 1], REFERENCES[segment - 1], "pef", "en")
        shown = [text.translate(marks) for text in texts(page, ".moves li")]
        assert shown == [text.translate(marks) for text in found.sentences]
        assert page.locator(".panel .values").inner_text().split("\n")[:3] == [
            "pef ↑",
            f"{found.scores['pef'].value:.4f}",
            "bleu ↑",
        ]
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
    metrics = ["pef", "soft_order"]
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
        paths = shown.locator("path.hb-delete-ink").count()
        assert paths == drawing.count('class="hb-delete-ink"')
    assert arrows
    open_page.check(page)


def test_a_link_leads_to_a_segment(open_page: PageOpener, report: Report) -> None:
    page = open_page(report)
    page.locator("#worst tbody tr").nth(2).locator("a").first.click()
    page.locator(".detail").wait_for()
    url = page.url
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
    page = open_page(report, "#segment=2&search=no+such+words")
    assert numbers(page) == [2]
    assert "not among them" in page.locator("#count").inner_text()


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
    page = open_page(report, "#segment=45", scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    open_page.check(page)  # dark colours are for screens
    paper = "getComputedStyle(document.querySelector('.hb-paper')).fill"
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    assert not page.locator("#controls").is_visible()
    assert page.locator(".detail svg").first.is_visible()
    assert page.pdf().startswith(b"%PDF")


def test_nothing_is_executed(open_page: PageOpener, tmp_path: Path) -> None:
    harm = [
        *HOSTILE_TEXTS,
        "</script><script>globalThis.harmed = 1</script>",
        "<img src=x onerror=globalThis.harmed=1>",
        "--><svg onload=globalThis.harmed=1>",
        "${globalThis.harmed=1}",
        "$policy $content",
        "<link rel=stylesheet href=https://example.org/x.css>",
        "javascript:globalThis.harmed=1",
        "__proto__",
    ]
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
    assert not page.locator("#other-label").is_visible()
    assert page.locator("#differences").inner_text() == ""
    page.keyboard.press("n")
    assert page.locator(".everyone").count() == 0
    open_page.check(page)


def test_nothing_is_aligned(open_page: PageOpener) -> None:
    systems = {"other words": ["x y z", "", "w"], "none": ["", "", ""], "all": ["a b", "c d", "e"]}
    found = hb.compare(systems, ["a b", "c d", "e"], ["pef", "bleu", "wer"], samples=20)
    page = open_page(found.report())
    for name in systems:
        for segment in (1, 2, 3):
            follow(page, f"#segment={segment}&system={quote(name)}&other=")
            says = page.locator(".panel").inner_text()
            assert ("No word is aligned" in says) == (name != "all")
        open_page.check(page)


def test_several_references(open_page: PageOpener) -> None:
    references = [["b a x y", "a b c d"], ["e f"]]
    page = open_page(hb.score(["a b c d", "e f"], references, ["pef"]).report(), "#segment=1")
    assert "a b c d" in page.locator("#segment-1 .row .line").first.inner_text()
    assert texts(page, ".detail ol li") == ["b a x y", "a b c d"]


def test_other_scripts(open_page: PageOpener) -> None:
    arabic = ["القط الأسود على الكرسي", "قرأ الولد كتابا جديدا"]
    moved = ["على الكرسي القط الأسود", "كتابا جديدا قرأ الولد"]
    page = open_page(hb.score(moved, arabic, ["pef"]).report(), "#segment=1")
    assert page.locator(".panel svg text[direction=rtl]").count() > 4
    open_page.check(page)


def shuffled(rng: random.Random, size: int) -> list[int]:
    """Return a permutation in which blocks have moved, as in translations."""
    values = list(range(1, size + 1))
    for _ in range(rng.randint(0, 5)):
        a, b, c = sorted(rng.choices(range(size + 1), k=3))
        values[a:c] = values[b:c] + values[a:b]
    return values if rng.random() < 0.7 else rng.sample(values, size)


def test_trees_and_moves_are_those_of_python(open_page: PageOpener) -> None:
    """The page decodes the trees, moves and sentences that Python has encoded."""
    rng = random.Random(5)
    perms = [list(p) for n in range(1, 6) for p in itertools.permutations(range(1, n + 1))]
    perms += [shuffled(rng, rng.randint(7, 50)) for _ in range(200)]
    # repeated words need positions, and x is unaligned
    references = [[rng.choice("abcdefgh") for _ in values] for values in perms]
    hypotheses, links = [], []
    for values, words in zip(perms, references, strict=True):
        system: list[str] = []
        pairs = []
        for value in values:
            pairs.append(f"{len(system)}-{value - 1}")
            system += [words[value - 1], *["x"] * (rng.random() < 0.2)]
        hypotheses.append(" ".join(system))
        links.append(" ".join(pairs))
    texts = [" ".join(words) for words in references]
    metric = "pef:tok=none,case=mixed"
    report = hb.score(hypotheses, texts, [metric], alignments=links).report()
    found = open_page(report).evaluate(
        """() => data.references.map((_, k) => decodeSegment(0, k)).map(({ tree, moves }) => ({
          moves: moves.map((move) => move.span),
          sentences: moves.map(({ block, side, anchor }) =>
            `moved "${block.text}"${block.suffix} ${side} "${anchor.text}"${anchor.suffix}`),
          shapes: tree.map(({ label, start, end, words }) => [label, start, end, words]),
        }))"""
    )
    given = zip(perms, hypotheses, texts, links, found, strict=True)
    for values, hypothesis, text, pharaoh, segment in given:
        explained = explain(hypothesis, text, "pef", alignment=pharaoh, tokenize="none")
        assert list(explained.permutation) == values
        assert segment["moves"] == [list(move.block) for move in explained.moves]
        assert segment["sentences"] == list(explained.sentences)
        expected = []
        if explained.moves:
            assert explained.tree is not None
            expected = [
                [shape.label, *shape.span, list(shape.words)]
                for shape in shapes(explained.tree, explained.placed_words)
            ]
        assert segment["shapes"] == expected


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
