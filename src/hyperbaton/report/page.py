"""Explanations as HTML, without scripts: a page, or a fragment for another page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from hyperbaton.report.drawings.canvas import LOOKS, MOVES, clip_word
from hyperbaton.report.notebook import isolate
from hyperbaton.report.order_marks import describe_worst, sentence_marks, summarize
from hyperbaton.report.svg import FONT, Drawing, Look, Markup, element, style_sheet

if TYPE_CHECKING:
    from hyperbaton.report.explanation import Explanation

TITLES = {
    "alignment": "Links",
    "tree": "Permutation tree",
    "parse": "Inversion parse",
    "dependencies": "Dependency trees",
    "forest": "Permutation forest",
}
NOTES = {
    "alignment": "Which system word is linked to which reference word; grey words have no link. "
    "Words that must move have the colour of their move.",
    "tree": "A node shows the order of its parts; the number under a leaf is its position in the "
    "reference. Blocks that must move have the numbers of their moves.",
    "parse": "Boxes joined by arrows have changed places; yellow words were replaced, red ones "
    "deleted, green ones inserted. Each edit and each change of places costs 1.",
    "dependencies": "Arrows point from heads to dependents. Red words are deleted; the remaining "
    "words form the same tree on both sides.",
    "forest": "All trees of the permutation: a bar for each part that can be a node. Strokes show "
    "where a part is split; dots show that it can be split in several ways.",
}
# Looks that pages use in addition to those of drawings.
PAGE_LOOKS: dict[str, tuple[Look, ...]] = {
    "explanation": (("color", "#1f2328", "#e6e9ed"), ("background", "#ffffff", "#16191d")),
    "note": (("color", "#5c6570", "#9aa5b1"),),
    **{
        f"mark{k}": (
            ("background", tint, dark_tint),
            ("box-shadow", f"inset 0 -2px {stroke}", f"inset 0 -2px {dark_stroke}"),
        )
        for k, (stroke, dark_stroke, tint, dark_tint) in enumerate(MOVES)
    },
}
RULES = (
    f".hb-explanation{{font:15px/1.5 {FONT};padding:12px 16px 16px;overflow-wrap:anywhere}}"
    ".hb-explanation h2{font-size:17px;margin:24px 0 4px}"
    ".hb-explanation p,.hb-explanation ol{margin:4px 0}"
    ".hb-explanation ol{padding-left:2em}"
    ".hb-explanation figure{margin:4px 0;overflow-x:auto}"
    ".hb-explanation svg{display:block}"
    ".hb-explanation table{border-collapse:collapse;font-size:14px}"
    ".hb-explanation td,.hb-explanation th{padding:2px 16px 2px 0;text-align:left;"
    "font-weight:normal;vertical-align:top;background:none}"
    ".hb-explanation td.hb-number{text-align:right;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}"
    ".hb-explanation bdi[class*=mark]{padding:1px 3px;border-radius:3px}"
    ".hb-explanation .hb-sentences td{font-size:16px}"
    ".hb-explanation .hb-sentences th{white-space:nowrap}"
    ".hb-explanation code{overflow-wrap:anywhere;white-space:pre-wrap;background:none;"
    "color:inherit}"
    "p.hb-note,td.hb-note,th.hb-note{font-size:13px}"
)
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def explanation_page(explanation: Explanation) -> str:
    """Return a complete page."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"/>'),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"Word order: {explanation.reference[:80]}"),
        element("style", Markup("body{margin:0}" + style_sheet(LOOKS | PAGE_LOOKS) + RULES)),
    )
    body = element("body", element("div", *_parts(explanation), class_="hb-explanation"))
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def explanation_fragment(explanation: Explanation) -> str:
    """Return a display for notebooks."""
    content = element("div", *_parts(explanation), class_="hb-explanation")
    return isolate(content, looks=LOOKS | PAGE_LOOKS, rules=RULES)


def _parts(explanation: Explanation) -> Iterator[Markup]:
    # without links, one sentence replaces these drawings
    omitted = ("tree", "forest") if explanation.tree is None else ()
    drawings = explanation.drawings(style=False)
    yield _sentences(explanation)
    yield from _moves(explanation)
    for name, title in TITLES.items():
        if name in drawings and name not in omitted:
            yield from _section(explanation, name, title, drawings[name])
    yield from _scores(explanation)


def _sentences(explanation: Explanation) -> Markup:
    """Both sentences; words that move have the colour of their move, unlinked words are grey."""
    marks: tuple[dict[int, str], dict[int, str]] = ({}, {})
    for number, move in enumerate(explanation.moves):
        for pair in explanation.alignment.places[slice(*move.block)]:
            for side in (0, 1):
                marks[side][pair[side]] = f"hb-mark{number % len(MOVES)}"
    rows = []
    for side, name, words in (
        (0, "system", explanation.hypothesis_words),
        (1, "reference", explanation.reference_words),
    ):
        linked = {pair[side] for pair in explanation.alignment.links}
        looks = [
            marks[side].get(k) or (None if k in linked else "hb-note") for k in range(len(words))
        ]
        cell = element("td", *_marked_words(words, looks), dir="auto")
        rows.append(element("tr", element("th", name, scope="row", class_="hb-note"), cell))
    return element("table", element("tbody", *rows), class_="hb-sentences")


def _marked_words(words: Sequence[str], looks: Sequence[str | None]) -> Iterator[str]:
    """The words; consecutive words of the same look share an element."""
    if not words:
        yield element("span", "(no words)", class_="hb-note")
    for look, run in groupby(zip(words, looks, strict=True), key=lambda pair: pair[1]):
        text = " ".join(word for word, _ in run)
        yield element("bdi", text, class_=look) if look else text
        yield " "


def _moves(explanation: Explanation) -> Iterator[Markup]:
    """A list with one sentence per move."""
    if explanation.tree is None:
        yield element("h2", "No word is aligned")
        yield element("p", "The word order cannot be compared, and there are no moves.")
        return
    if not explanation.moves:
        yield element("h2", "The aligned words are in the reference's order")
        return
    yield element("h2", "From the system's order to the reference's")
    yield element(
        "ol",
        *(
            element(
                "li",
                "moved “",
                element("bdi", move.block.text, class_=f"hb-mark{k % len(MOVES)}"),
                f"”{move.block.suffix} {move.side} “",
                element("bdi", move.anchor.text),
                f"”{move.anchor.suffix}",
            )
            for k, move in enumerate(explanation.move_descriptions)
        ),
    )


def _section(explanation: Explanation, name: str, title: str, drawing: Drawing) -> Iterator[Markup]:
    note = element("p", NOTES[name], class_="hb-note")
    figure = element("figure", drawing)
    if name == "forest":  # collapsed: it is large and few readers need it
        yield element("details", element("summary", title), note, figure)
        return
    yield element("h2", title)
    yield note
    yield figure
    if name == "alignment":
        yield from _soft_order(explanation)
    if name == "tree" and explanation.tree is not None:
        yield element("p", str(explanation.permutation), class_="hb-note")
    if name == "parse":
        caveat = "" if explanation.parse.exact else ", may not be minimal"
        yield element(
            "details",
            element("summary", f"cost {explanation.parse.cost}{caveat}; as brackets"),
            element("p", element("code", str(explanation.parse)), dir="auto"),
        )


def _soft_order(explanation: Explanation) -> Iterator[Markup]:
    """Where the order is wrong by soft order, in words, and its value."""
    view = explanation.soft
    if view is None:
        return
    shown, seen = explanation.hypothesis_words, view.hypothesis_words
    words = shown if len(shown) == len(seen) else seen
    worst = describe_worst(sentence_marks(view)[0], words, _quote)
    text = Markup(" ".join(worst))
    if text:
        yield element("p", text)
    yield element("p", summarize(view), class_="hb-note")


def _quote(word: str) -> Markup:
    return Markup(f"“{element('bdi', clip_word(word))}”")


def _scores(explanation: Explanation) -> Iterator[Markup]:
    """The table of metrics: name, value, direction and description."""
    yield element("h2", "Metrics")
    rows = [
        element(
            "tr",
            element("th", name, scope="row"),
            element(
                "td",
                f"{score.value:.4f} {'↑' if score.higher_is_better else '↓'}",
                class_="hb-number",
                title=score.signature,
            ),
            element("td", score.metric.variant.description, class_="hb-note"),
        )
        for name, score in explanation.scores.items()
    ]
    yield element("figure", element("table", element("tbody", *rows)))
    yield element("p", "↑ higher is better, ↓ lower is better", class_="hb-note")
    for text in explanation.caveats:
        yield element("p", text, class_="hb-note")
