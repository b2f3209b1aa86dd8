"""Explanations as HTML, without scripts: a page, or a fragment for another page.

A reader sees the sentences with their moves first, then the moves in words and the links. What
needs more knowledge is folded, and the metrics come last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from string import Template
from typing import NamedTuple

from hyperbaton.explanations.explanation import Explanation, describe_distance
from hyperbaton.explanations.order_marks import describe_worst, sentence_marks, summarize
from hyperbaton.metrics.registry import SETS, find_class
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.order.moves import Move
from hyperbaton.presentation import Drawing, Markup
from hyperbaton.text.display import clip_word
from hyperbaton.views.asset_files import read_asset, read_rows, style_template
from hyperbaton.views.drawings import DRAWINGS
from hyperbaton.views.drawings.canvas import LOOKS, MOVES, PALE_MOVE, marked_sentences
from hyperbaton.views.glossary import TERMS
from hyperbaton.views.notebook import isolate
from hyperbaton.views.score_tables import value_with_arrow
from hyperbaton.views.svg import FONT, ON_SCREEN, Look, element, escape_text, style_sheet


class DrawingNote(NamedTuple):
    """What a drawing that is folded shows, on one line, and how to read it.

    Words in [brackets] are terms of the glossary.
    """

    folded: str
    text: str


# In the order of the page; the first drawing is not folded.
NOTES = {name: DrawingNote(*texts) for name, *texts in read_rows("notes.tsv")}
COVERAGE = (
    "{} of {} words of the [system] and {} of {} of the [reference] are [linked]. Only these can "
    "have a [move]."
)
PENDING = "…"  # instead of a score that follows later
METRICS_NOTE = "The [score] of each [metric]: ↑ higher is better, ↓ lower is better."
TERM_ID = "hb-term-"  # and the key of the term
TERM = re.compile(r"\[([a-z0-9-]+)\]")
# Looks that pages use in addition to those of drawings.
PAGE_LOOKS: dict[str, tuple[Look, ...]] = {
    "explanation": (("color", "#1f2328", "#e6e9ed"), ("background", "#ffffff", "#16191d")),
    "note": (("color", "#5c6570", "#9aa5b1"),),
    "fold": (("border-color", "#d5dae0", "#363c44"),),
    **{
        f"mark{k}": (
            ("background", tint, dark_tint),
            ("box-shadow", f"inset 0 -2px {stroke}", f"inset 0 -2px {dark_stroke}"),
        )
        for k, (stroke, dark_stroke, tint, dark_tint) in [*enumerate(MOVES), ("-pale", PALE_MOVE)]
    },
}
MAX_PAGE_HEIGHT = 1300.0  # pixels of a drawing that is shrunk to a page of paper


class PagePart(NamedTuple):
    """A part of an explanation.

    Attributes
    ----------
    name : str
        ``sentences``, ``moves``, ``scores``, ``glossary``, or the name of a drawing.
    title : str
        Its heading; empty for the sentences, which need none.
    note : str
        What a drawing that is folded shows, on one line; empty for other parts.
    html : Markup
        Its content, without the heading.
    """

    name: str
    title: str
    note: str
    html: Markup


def explanation_page(explanation: Explanation) -> str:
    """Return a complete page."""
    parts = map(_with_heading, explanation_parts(explanation, linked=True))
    return Template(read_asset("explanation.html")).substitute(
        title=escape_text(f"Word order: {explanation.reference[:80]}"),
        style=explanation_styles(),
        content=_join(parts),
    )


def explanation_styles() -> str:
    """Return the style sheet of the parts, for a page that has them in ``.hb-explanation``."""
    return style_sheet(LOOKS | PAGE_LOOKS, ON_SCREEN) + _rules()


def _rules() -> str:
    return style_template("explanation.css").substitute(font=FONT)


def explanation_fragment(explanation: Explanation) -> str:
    """Return a display for notebooks."""
    parts = explanation_parts(explanation)
    shown = [_with_heading(part) for part in parts if part.name != "glossary"]
    content = element("div", *shown, class_="hb-explanation")
    return isolate(content, looks=LOOKS | PAGE_LOOKS, rules=_rules())


def explanation_parts(
    explanation: Explanation, linked: bool = False, pending: Sequence[str] = ()
) -> Iterator[PagePart]:
    """Yield the parts of an explanation in the order of the page.

    Parameters
    ----------
    explanation : Explanation
    linked : bool
        Whether terms are links to their definitions in the glossary.
    pending : sequence of str
        Metrics whose scores follow later: their rows say so.
    """
    signs = (element("p", text, class_="hb-note") for text in explanation.sign_notes)
    yield PagePart("sentences", "", "", _join([_sentences(explanation), *signs]))
    yield PagePart("moves", _moves_title(explanation), "", _join(_moves(explanation, linked)))
    drawings = explanation.drawings(style=False)
    # without links, one sentence replaces these drawings
    omitted = ("tree", "forest") if explanation.tree is None else ()
    shown = [n for n in NOTES if n in drawings and n not in omitted]
    for name in shown:
        content = _join(_drawing(explanation, name, drawings[name], linked))
        yield PagePart(name, DRAWINGS[name], NOTES[name].folded, content)
    yield PagePart("scores", "Metrics", "", _join(_scores(explanation, linked, pending)))
    coverage = [] if explanation.tree is None else [COVERAGE]
    notes = [*coverage, *(NOTES[name].text for name in shown), METRICS_NOTE]
    yield PagePart("glossary", "Words used here", "", _glossary(notes))


def _with_heading(part: PagePart) -> Markup:
    """Return a part below its heading; drawings that need more knowledge are folded."""
    if not part.title:
        return part.html
    heading = element("h2", part.title)
    if part.note:
        summary = element("summary", heading, element("span", part.note, class_="hb-note"))
        return element("details", summary, part.html, class_="hb-fold")
    if part.name in DRAWINGS:
        return element("section", heading, part.html)
    return _join([heading, part.html])


def _join(parts: Iterable[str]) -> Markup:
    return Markup("".join(map(escape_text, parts)))


def _sentences(explanation: Explanation) -> Markup:
    """The texts; words that move have the colour of their move, unlinked words are grey."""
    rows = [
        _row(name, words, looks, None if name == "source" else explanation.language)
        for name, words, looks in marked_sentences(explanation, _mark, "hb-note")
    ]
    return element("table", element("tbody", *rows), class_="hb-sentences")


def _row(
    name: str, words: Sequence[str], looks: Sequence[str | None], language: str | None
) -> Markup:
    tag = None if language is None else language.replace("_", "-")
    cell = element("td", *_marked_words(words, looks), dir="auto", lang=tag)
    return element("tr", element("th", name, scope="row", class_="hb-note"), cell)


def _mark(number: int, move: Move) -> str:
    return "hb-mark-pale" if move.is_punctuation else f"hb-mark{number % len(MOVES)}"


def _marked_words(words: Sequence[str], looks: Sequence[str | None]) -> Iterator[str]:
    """The words; consecutive words of the same look share an element."""
    if not words:
        yield element("span", "(no words)", class_="hb-note")
    for look, run in groupby(zip(words, looks, strict=True), key=lambda pair: pair[1]):
        text = " ".join(word for word, _ in run)
        yield element("bdi", text, class_=look) if look else text
        yield " "


def _moves_title(explanation: Explanation) -> str:
    if explanation.tree is None:
        return "No word is linked"
    if explanation.moves:
        return "From the system's order to the reference's"
    text = explanation.order_without_moves
    return text[0].upper() + text[1:]


def _moves(explanation: Explanation, linked: bool) -> Iterator[Markup]:
    """A list with one sentence per move, and how many words can move."""
    if explanation.tree is None:
        yield element("p", "The word order cannot be compared, and there are no moves.")
        return
    if explanation.moves:
        yield element("ol", *_move_items(explanation))
    counts: list[int] = []
    sides = zip(*explanation.alignment.links, strict=True)
    for side, (_, words) in zip(sides, explanation.named_words, strict=True):
        counts += len(set(side)), len(words)
    yield element("p", _with_terms(COVERAGE.format(*counts), linked), class_="hb-note")


def _move_items(explanation: Explanation) -> Iterator[Markup]:
    described = zip(explanation.moves, explanation.move_descriptions, strict=True)
    for k, (move, description) in enumerate(described):
        yield element(
            "li",
            "moved “",
            element("bdi", description.block.text, class_=_mark(k, move)),
            f"”{description.block.suffix} {description.side} “",
            element("bdi", description.anchor.text),
            f"”{description.anchor.suffix}, ",
            element("span", describe_distance(move), class_="hb-note"),
            class_="hb-note" if move.is_punctuation else None,
        )


def _with_terms(text: str, linked: bool) -> Markup:
    """The text with its terms as links to their definitions, or as plain words."""

    def show(found: re.Match[str]) -> str:
        key, name, _ = TERMS[found[1]]
        if not linked:
            return escape_text(name)
        return element("a", name, href=f"#{TERM_ID}{key}", class_="hb-term")

    return Markup(TERM.sub(show, escape_text(text)))


def _drawing(
    explanation: Explanation, name: str, drawing: Drawing, linked: bool
) -> Iterator[Markup]:
    """A drawing, how to read it, and what stands below it."""
    yield element("p", _with_terms(NOTES[name].text, linked), class_="hb-note")
    yield element(
        "figure",
        drawing,
        aria_label=DRAWINGS[name],
        tabindex=0,  # it can be scrolled with the keyboard
        dir="rtl" if explanation.is_right_to_left else None,  # scrolling starts where the text does
        # it would be too small if it were shrunk to one page of paper
        class_="hb-tall" if drawing.height > MAX_PAGE_HEIGHT else None,
    )
    yield from _remarks(explanation, name)


def _remarks(explanation: Explanation, name: str) -> Iterator[Markup]:
    """What stands below a drawing."""
    if name == "alignment":
        yield from _soft_order(explanation)
    if name == "tree":
        yield element("p", str(explanation.permutation), class_="hb-note")
    if name == "parse":
        caveat = "" if explanation.parse.exact else ", may not be minimal"
        yield element("p", f"Cost {explanation.parse.cost}{caveat}; as brackets:", class_="hb-note")
        yield element("p", element("code", str(explanation.parse)), dir="auto")


def _soft_order(explanation: Explanation) -> Iterator[Markup]:
    """Where the order differs, in words, and the value of ``order``."""
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


def _scores(explanation: Explanation, linked: bool, pending: Sequence[str]) -> Iterator[Markup]:
    """The table of metrics: name, value, direction and description."""
    yield element("p", _with_terms(METRICS_NOTE, linked), class_="hb-note")
    rows = {}
    for name, score in explanation.scores.items():
        description = score.metric.variant.description
        rows[name] = _score_row(name, value_with_arrow(score), description, score.signature)
    for name in pending:
        description = find_class(name).VARIANTS[name].description
        rows[name] = _score_row(name, PENDING, description)
    order = {name: k for k, name in enumerate(SETS["all"])} if pending else {}
    names = sorted(rows, key=lambda name: order.get(name, len(order)))
    yield element("table", element("tbody", *(rows[n] for n in names)), class_="hb-metrics")
    for text in (*explanation.caveats, *_score_notes(explanation)):
        yield element("p", text, class_="hb-note")


def _score_notes(explanation: Explanation) -> Iterator[str]:
    """What explains values that contradict what a reader sees in the drawings."""
    metrics = {name: score.metric for name, score in explanation.scores.items()}
    unlinked = len(explanation.reference_words) - len({r for _, r in explanation.alignment.links})
    penalized = [name for name, m in metrics.items() if m.options.get("bp") == "permutation"]
    if unlinked and penalized:
        words = "1 reference word is" if unlinked == 1 else f"{unlinked} reference words are"
        yield (
            f"{words} not linked. Metrics with a brevity penalty, such as {penalized[0]}, are "
            f"lower for it; {penalized[0]}:bp=off looks at order alone."
        )
    factorizing = [
        name for name in metrics if name in MEASURES and not MEASURES[name].measures_order
    ]
    if factorizing:
        yield (
            f"{', '.join(factorizing)}: how far the order factorizes, not how much of it is right; "
            "a fully reversed sentence scores 1."
        )


def _score_row(name: str, value: str, description: str, signature: str | None = None) -> Markup:
    shown = element("td", value, class_="hb-number", title=signature)
    about = element("td", description, class_="hb-note")
    return element("tr", element("th", name, scope="row"), shown, about)


def _glossary(notes: Sequence[str]) -> Markup:
    """The definitions of the terms in these notes."""
    keys = dict.fromkeys(key for note in notes for key in TERM.findall(note))
    terms = (
        (element("dt", TERMS[key].name, id=f"{TERM_ID}{key}"), element("dd", TERMS[key].text))
        for key in keys
    )
    return element("dl", *(element("div", *term) for term in terms))
