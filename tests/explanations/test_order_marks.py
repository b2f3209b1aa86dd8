"""Marks between words where ``order`` sees a break: data, text, drawings and pages."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import hostile_text
import hyperbaton as hb
from hyperbaton import Alignment
from hyperbaton.explanations.explanation import Explanation
from hyperbaton.explanations.order_marks import CLEAR, GapMark, describe_worst, sentence_marks
from hyperbaton.order.moves import block_moves
from hyperbaton.order.permutation import Permutation
from hyperbaton.softorder.inspection import BrokenStep, ReversedPair, SoftOrderView
from hyperbaton.views.drawings.canvas import SHADES
from hyperbaton.views.drawings.sentences import alignment_svg
from hyperbaton.views.segments import encode_losses
from reference.soft_order import Precedence, broken_steps, mark_strengths, order_statistics
from views.svg_checks import SVG, Box, check_layout, parse_drawing, placed_elements, texts
from views.test_drawings import VOCABULARIES
from views.test_svg import contrast

EXAMPLE = Path(hb.__file__).parent / "example"
SYSTEM, REFERENCE = "today we in the meet lobby at noon", "we meet in the lobby at noon today"
# by hand: where a neighbour is not the same on the other side, the ends of a sentence included
GAPS, REFERENCE_GAPS = [0, 1, 2, 4, 5, 8], [0, 1, 2, 4, 7, 8]


def lines(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").split("\n")[:-1]


REFERENCES = lines("reference")


@pytest.fixture(scope="module")
def lobby() -> Explanation:
    return hb.explain(SYSTEM, REFERENCE, "pef", "en")


def seen(
    steps: list[float], reference_steps: list[float], pairs: dict[int, float]
) -> SoftOrderView:
    """Return a view with these losses of gaps; 0 is none."""
    own, other = (
        tuple(BrokenStep(k - 1, k, loss) for k, loss in enumerate(losses) if loss)
        for losses in (steps, reference_steps)
    )
    reversed_pairs = tuple(ReversedPair(k - 1, k, loss) for k, loss in pairs.items())
    return SoftOrderView((), (), 0.0, 0.0, 0.0, own, other, reversed_pairs)


# Data


def test_marks_are_where_neighbours_differ(lobby: Explanation) -> None:
    assert lobby.soft is not None
    marks = sentence_marks(lobby.soft)
    assert [[mark.gap for mark in side] for side in marks] == [GAPS, REFERENCE_GAPS]
    losses = broken_steps(SYSTEM.split(), REFERENCE.split())
    for side, side_losses in zip(marks, losses, strict=True):
        for mark in side:
            assert mark.step == pytest.approx(side_losses[mark.gap], abs=1e-9)


def test_a_gap_has_one_mark() -> None:
    marks, reference_marks = sentence_marks(
        seen([0.9, 0.9, 0.04, 0.3, 0.0], [0.06, 0.04], {1: 0.7, 2: 0.8, 3: 0.4, 4: 0.4})
    )
    assert [(mark.gap, mark.is_reversed, mark.loss) for mark in marks] == [
        (0, False, 0.9),
        (1, True, 0.7),  # a pair that is clearly reversed hides the break
        (2, True, 0.8),
        (3, False, 0.3),  # the pair is not clear; in gap 4 there is nothing else
    ]
    assert reference_marks == (GapMark(0, 0.06),)


def read_losses(code: str) -> dict[int, int]:
    """Return the losses of a code by gap, in tenths."""
    spread = re.sub("[a-z]", lambda letter: "0" * (ord(letter[0]) - ord("a") + 1), code)
    return {k: "0123456789X".index(c) for k, c in enumerate(spread) if c != "0"}


def report_marks(results: hb.Result) -> dict[str, list[dict[int, int]]]:
    """Return the losses of all segments by gap, and the strengths by word, in tenths."""
    codes = results.report().to_dict()["systems"][0]["segments"]["marks"]
    parts = [[*code.split("/"), "", "", "", ""][:5] for code in codes]
    return {
        key: list(map(read_losses, column))
        for key, column in zip(
            ("steps", "reference_steps", "pairs", "strengths", "reference_strengths"),
            zip(*parts, strict=True),
            strict=True,
        )
    }


def in_tenths(losses: Iterable[tuple[int, float]]) -> dict[int, int]:
    return {gap: round(10 * loss) for gap, loss in losses if round(10 * loss)}


def test_losses_of_long_sentences_are_read_back() -> None:
    rng = random.Random(1)
    for density in (0.01, 0.1, 0.9):
        losses = [(k, rng.random()) for k in range(400) if rng.random() < density]
        code = encode_losses(losses)
        assert read_losses(code) == in_tenths(losses)


def test_a_report_has_the_losses_of_the_definition() -> None:
    """They come from the naive twin."""
    systems = lines("literal")
    found = report_marks(hb.score(systems, REFERENCES, ["pef", "order"], "en"))
    split = hb.metrics.get("order").tokenization.split
    model = Precedence([split(line) for line in dict.fromkeys(REFERENCES)])
    for k, (hypothesis, reference) in enumerate(zip(systems, REFERENCES, strict=True)):
        hyp, ref = split(hypothesis), split(reference)
        steps, reference_steps = ([], []) if hyp == ref else broken_steps(hyp, ref)
        deltas = model.deltas(hyp, ref)
        losses = [(i + 1, math.tanh(-delta / 2)) for i, delta in deltas if delta < 0]
        assert found["steps"][k] == in_tenths(enumerate(steps))
        assert found["reference_steps"][k] == in_tenths(enumerate(reference_steps))
        assert found["pairs"][k] == in_tenths(losses)
        assert found["strengths"][k] == in_tenths(enumerate(mark_strengths(hyp, ref, model)))
        others = mark_strengths(ref, hyp)
        assert found["reference_strengths"][k] == in_tenths(enumerate(others))
    assert any(found["pairs"])


def test_a_report_without_order_counts_pairs_in_the_references_of_each_segment() -> None:
    systems = lines("literal")
    without = report_marks(hb.score(systems, REFERENCES, ["pef"], "en"))
    own = report_marks(hb.score(systems, REFERENCES, ["pef", "order:precedence=own"], "en"))
    fitted = report_marks(hb.score(systems, REFERENCES, ["pef", "hyper"], "en"))
    assert without == own
    assert without["steps"] == fitted["steps"]
    assert without["pairs"] != fitted["pairs"]


def test_a_report_has_the_options_of_its_metric() -> None:
    systems = lines("literal")
    strict = report_marks(hb.score(systems, REFERENCES, ["order:theta=1"], "en"))
    default = report_marks(hb.score(systems, REFERENCES, ["order"], "en"))
    # a step is broken further if more is needed for it to be whole
    assert sum(map(len, strict["steps"])) > sum(map(len, default["steps"]))


def test_a_report_marks_the_reference_that_it_shows() -> None:
    references = [["x y z", "b a c"]]
    found = report_marks(hb.score(["a b c"], references, ["pef"]))
    expected = broken_steps(["a", "b", "c"], ["b", "a", "c"])
    assert found["steps"] == [in_tenths(enumerate(expected[0]))]


def test_other_tokens_than_those_shown_have_no_marks() -> None:
    pair = "he came, yes", "yes, he came"
    metrics = ["adjacency:punct=drop", "order:precedence=off"]
    explained = hb.explain(*pair, metrics)
    assert explained.soft is not None
    assert explained.soft.steps
    assert "<g><title>" not in explained.drawings()["alignment"]
    # the text has both rows of words, so it can show those of order
    assert re.search(r"\n  system     .*he came │ , │ yes", explained.draw(100, details=True))
    found = report_marks(hb.score([pair[0]], [pair[1]], metrics))
    assert set(map(str, found.values())) == {"[{}]"}


# Text


def test_text_has_the_marks(lobby: Explanation) -> None:
    plain = lobby.draw(100, details=True)
    # In the reference, "we" is the first word and "today" the last.
    assert "\n  system     │ today ⇄ we │ in the │ meet │ lobby at noon │\n" in plain
    assert "\n  reference  │ we │ meet │ in the │ lobby at noon │ today │\n" in plain
    assert "(pairs of words counted in 1 line)" in plain
    assert "\x1b[31m│\x1b[0m today \x1b[31m⇄\x1b[0m we " in lobby.draw(
        100, colour=True, details=True
    )


def test_text_without_counts_has_no_pairs() -> None:
    plain = hb.explain(SYSTEM, REFERENCE, "order:precedence=off", "en").draw(100, details=True)
    assert "\n  system     │ today │ we │ in the │ meet │ lobby at noon │\n" in plain
    assert "(pairs of words were not counted)" in plain
    assert "⇄" not in plain


def test_text_says_how_strong_marks_are_and_what_was_counted() -> None:
    corpus = ["we meet in the lobby at noon today", "they met in the hall at night"] * 2
    explained = hb.explain(SYSTEM, REFERENCE, "order", "en", fit_on=corpus)
    view = explained.soft
    assert view is not None
    assert any(pair.loss >= CLEAR for pair in view.pairs)
    text = explained.draw(100, details=True)
    assert text.count("⇄") == 1 + sum(pair.loss >= CLEAR for pair in view.pairs)  # and the legend
    # equal lines count once
    assert f"order {100 * view.order:.1f} (pairs of words counted in 2 lines)" in text
    assert "weak" not in text


def test_weak_breaks_have_their_own_mark() -> None:
    hypothesis, reference = "昨日は本を図書館で読みました", "私は昨日図書館で古い本を読みました"
    losses = broken_steps(list(hypothesis), list(reference))
    weak = [sum(0.05 < loss < CLEAR for loss in side) for side in losses]
    assert sum(weak) > 0
    text = hb.explain(hypothesis, reference, "pef", tokenize="char").draw(80, details=True)
    rows = text.partition("\norder\n")[2].split("\n")
    assert [rows[0].count("·"), rows[1].count("·")] == weak
    assert rows[3].endswith("· weak break")


def test_equal_sides_have_no_marks() -> None:
    same = hb.explain("a b c", "a b c", "pef")
    assert "\norder\n  order 100.0 (pairs of words counted in 1 line)" in same.draw(
        100, details=True
    )
    assert "│" not in same.draw(100, details=True).split("links")[0]
    drawing = same.drawings()["alignment"]
    assert "<g><title>" not in drawing
    assert not any("break" in text for text in texts(drawing))
    assert "The order breaks" not in same.to_html()


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("words", VOCABULARIES[:3], ids=["en", "ar", "ja"])
def test_no_line_is_wider_than_the_terminal(words: list[str], width: int) -> None:
    moved = random.Random(width).sample(words, len(words))
    text = hb.explain(" ".join(moved), " ".join(words), "pef", tokenize="none").draw(
        width, details=True
    )
    block = text.partition("\n\norder\n")[2].partition("\n\n")[0].split("\n")
    assert max(map(cell_len, block)) <= width
    found = re.split(r"order [0-9]", "".join(block))[0]
    assert re.sub(r"[│·⇄\s]|system|reference", "", found) == "".join(moved + words)


def test_very_long_texts_have_no_block() -> None:
    long = hb.explain("a b " * 4000, "b a " * 4000, "wer")
    assert long.soft is None
    assert "\norder\n" not in long.draw(80, details=True)
    assert "pairs of words" not in long.to_html()


# Drawings


def mark_boxes(svg: str) -> list[Box]:
    """Return the bounding boxes of the marks between words, with their tooltips."""
    found = []
    for element, x, y in placed_elements(svg):
        if element.tag == SVG + "g" and element[0].tag == SVG + "title":
            (mark,) = (path for path in element if "hb-shade" in path.get("class", ""))
            xs, ys = coordinates(mark.get("d", ""))
            box = x + min(xs), y + min(ys), x + max(xs), y + max(ys)
            found.append(Box(element[0].text or "", *box))
    return found


def coordinates(path: str) -> tuple[list[float], list[float]]:
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", path)]
    return numbers[::2], numbers[1::2]


def word_boxes(svg: str) -> list[Box]:
    """Return the boxes around words that move."""
    found = []
    for element, x, y in placed_elements(svg):
        if element.tag == SVG + "rect" and element.get("class") != "hb-paper":
            left, top = x + float(element.get("x", 0)), y + float(element.get("y", 0))
            size = float(element.get("width", 0)), float(element.get("height", 0))
            found.append(Box("", left, top, left + size[0], top + size[1]))
    return found


@st.composite
def marked_drawings(draw: Any) -> tuple[str, int]:
    """Draw the words of a language in any order with any marks; return the number of marks, too."""
    pi = draw(st.permutations(range(1, draw(st.sampled_from([1, 2, 6, 25])) + 1)))
    rng = random.Random(draw(st.integers(0, 99)))
    vocabulary = draw(st.sampled_from(VOCABULARIES))
    words = [rng.choice(vocabulary) for _ in pi]
    losses = st.sampled_from([0.0, 0.0, 0.06, 0.5, 1.0])
    gaps = st.lists(losses, min_size=len(pi) + 1, max_size=len(pi) + 1)
    pairs = {gap: draw(losses) for gap in range(1, len(pi))}
    view = seen(draw(gaps), draw(gaps), pairs)
    alignment = Alignment(len(pi), len(pi), [(k, value - 1) for k, value in enumerate(pi)])
    marks = sentence_marks(view)
    moves = block_moves(Permutation(pi))
    return alignment_svg(alignment, words, words, moves, marks), sum(map(len, marks))


@given(marked_drawings())
def test_marks_lie_on_nothing_else(drawing: tuple[str, int]) -> None:
    svg, count = drawing
    words = check_layout(svg)
    marks = mark_boxes(svg)
    assert len(marks) == count
    root = parse_drawing(svg)
    paper = Box("", 0, 0, float(root.get("width", 0)), float(root.get("height", 0)))
    for mark in marks:
        assert paper.left <= mark.left < mark.right <= paper.right, mark
        assert paper.top <= mark.top < mark.bottom <= paper.bottom, mark
        for other in (*words, *word_boxes(svg), *marks):
            assert mark is other or not mark.overlaps(other), (mark, other)


def test_marks_lie_outside_of_the_links(lobby: Explanation) -> None:
    svg = lobby.drawings()["alignment"]
    heights = [
        y + across
        for element, _, y in placed_elements(svg)
        if "C" in element.get("d", "")
        for across in coordinates(element.get("d", ""))[1]
    ]
    assert len(heights) == 4 * 8  # points of the curves
    marks = mark_boxes(svg)
    assert len(marks) == len(GAPS) + len(REFERENCE_GAPS)
    for mark in marks:
        assert mark.bottom < min(heights) or mark.top > max(heights)


def test_worse_breaks_are_longer() -> None:
    alignment = Alignment(3, 3, [(0, 0), (1, 1), (2, 2)])
    marks = sentence_marks(seen([0.1, 0.5, 1.0, 0.0], [0.0], {}))
    drawn = mark_boxes(alignment_svg(alignment, marks=marks))
    heights = [box.bottom - box.top for box in drawn]
    assert heights == sorted(set(heights))
    assert [box.text for box in drawn] == [
        "before “0”: break 0.1",
        "between “0” and “1”: break 0.5",
        "between “1” and “2”: break 1.0",
    ]


def test_stronger_marks_are_clearer_and_thicker() -> None:
    alignment = Alignment(3, 3, [(0, 0), (1, 1), (2, 2)])
    strengths = (0.24, 0.3, 0.6, 1.0)
    for pair in (0.0, 1.0):
        marks = [GapMark(gap, 1.0, pair * (0 < gap < 3), s) for gap, s in enumerate(strengths)]
        svg = alignment_svg(alignment, marks=(marks, ()))
        looks = re.findall(r'pointer-events="all"[^>]*><path [^>]*class="hb-(shade\d)-ink"', svg)
        assert looks == ["shade0", "shade1", "shade2", "shade2"]
        boxes = mark_boxes(svg)
        assert [box.text.rpartition(", ")[2] for box in boxes] == [
            f"strength {strength:.1f}" for strength in strengths
        ]
        sizes = [(box.right - box.left, box.bottom - box.top) for box in boxes]
        own = sizes[1:3] if pair else sizes
        assert sorted(set(own)) == list(dict.fromkeys(own))
        assert "thicker and clearer: the words beside it count more" in texts(svg)


def test_shades_are_readable() -> None:
    """WCAG asks for a contrast of 3 to 1 of what is drawn; a darker shade has more of it."""
    for k, paper in enumerate(("#ffffff", "#16191d")):
        contrasts = [contrast(shade[k], paper) for shade in SHADES]
        assert contrasts == sorted(contrasts)
        assert contrasts[0] >= 3


def test_marks_stand_between_their_words() -> None:
    words = ["أمس", "التقينا", "في", "البهو"]
    alignment = Alignment(4, 4, [(k, k) for k in range(4)])
    for shown in (words, ["we", "met", "in", "it"]):
        marks = sentence_marks(seen([0.0, 0.9, 0.0, 0.0, 0.8], [0.0], {2: 0.7}))
        svg = alignment_svg(alignment, shown, shown, marks=marks)
        places = {}
        for box in check_layout(svg)[:4]:
            places[box.text] = (box.left + box.right) / 2
        first, arrows, last = ((box.left + box.right) / 2 for box in mark_boxes(svg))
        order = [places[shown[0]], first, places[shown[1]], arrows, places[shown[2]]]
        order += [places[shown[3]], last]
        assert order == sorted(order, reverse=shown is words)
        legend = {"break: not neighbours on the other side", "better the other way round"}
        assert legend <= set(texts(svg))


@pytest.mark.parametrize("word", [*hostile_text.WORDS, "\ufffd", "\u200fx\u200f", "z" * 500])
def test_hostile_words_in_tooltips_and_sentences_stay_words(word: str) -> None:
    explained = hb.explain(f"one {word} two", f"{word} two one", "pef", tokenize="none")
    tooltips = [box.text for box in mark_boxes(explained.drawings()["alignment"])]
    shown = explained.hypothesis_words[1]
    clipped = shown if len(shown) <= 40 else f"{shown[:39]}…"
    assert any(f"“{clipped}”" in text for text in tooltips)
    ElementTree.fromstring(explained.to_html().partition("<body>")[2].partition("</body>")[0])


# Pages


def test_the_page_names_the_worst_places(lobby: Explanation) -> None:
    page = re.sub(r"</?bdi>", "", lobby.to_html())
    # By the twin, "today", "we" and "meet" are marked with 1. By hand: steps of "meet", which has
    # moved far, are broken further than those of "today": there are words on both sides of it.
    strengths = mark_strengths(SYSTEM.split(), REFERENCE.split(), Precedence([REFERENCE.split()]))
    strong = [word for word, x in zip(SYSTEM.split(), strengths, strict=True) if x > 0.95]
    assert strong == ["today", "we", "meet"]
    assert (
        "The order breaks in 6 places, most clearly between “we” and “in”; between “the” and "
        "“meet”; between “meet” and “lobby”." in page
    )
    assert "Better the other way round: “today” and “we”." in page
    counts = Precedence([REFERENCE.split()])
    expected = order_statistics(SYSTEM.split(), REFERENCE.split(), counts).value
    assert f"order {100 * expected:.1f} (pairs of words counted in 1 line)" in page


def test_few_places_are_all_named() -> None:
    marks = GapMark(0, 0.6), GapMark(1, 0.4), GapMark(2, 0.9, 0.8)
    found = list(describe_worst(marks, ["a", "b", "c"], lambda word: word))
    assert found == [
        "The order breaks between b and c; before a.",
        "Better the other way round: b and c.",
    ]
