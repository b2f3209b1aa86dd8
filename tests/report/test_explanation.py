"""``hb.explain``: what it says, as an object, as text, as a page and as data."""

from __future__ import annotations

import html.parser
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import hyperbaton as hb
from hyperbaton.report.explanation import DRAWINGS, Explanation
from hyperbaton.syntax.conllu import read_trees
from hyperbaton.text.display import visible
from permutations import assorted, every
from reference.moves import moved
from report.drawn import HOSTILE, check_layout, parsed, texts

EXAMPLE = Path(hb.__file__).parent / "example"
SYSTEM, REFERENCE = "We will meet at noon in the lobby.", "We meet in the lobby at noon."


@pytest.fixture(scope="module")
def lobby() -> Explanation:
    return hb.explain(SYSTEM, REFERENCE, language="en")


def test_what_it_has(lobby: Explanation) -> None:
    # by hand: "at noon" and "in the lobby" have changed places, and "at noon" is shorter
    assert lobby.hypothesis_words == ("We", "will", "meet", "at", "noon", "in", "the", "lobby", ".")
    assert list(lobby.permutation) == [1, 2, 6, 7, 3, 4, 5, 8]
    assert lobby.sentences == ('moved "at noon" after "in the lobby"',)
    assert str(lobby.tree) == "3×⟨1,2⟩[1, 2, ⟨2,1⟩[⟨1,2⟩[6, 7], 2×⟨1,2⟩[3, 4, 5]], 8]"
    assert lobby.parse.cost == 2  # "will" is deleted, and two blocks change places
    assert lobby.edit is None
    assert list(lobby.scores) == list(hb.metrics.SETS["all"])


def test_scores_are_those_of_the_segment(lobby: Explanation) -> None:
    scored = hb.score([SYSTEM], [REFERENCE], "all", "en")
    for name, score in lobby.scores.items():
        assert score.value == scored[name].segments[0]
    assert "eff:yes" in lobby.scores["bleu"].signature  # sentence BLEU
    assert lobby.scores["pef"].signature == scored["pef"].signature


def test_metrics_can_be_chosen() -> None:
    chosen = hb.explain("b a", "a b", ["pef:bp=off", "wer"])
    assert list(chosen.scores) == ["pef:bp=off", "wer"]


def in_words(sentence: str, words: Sequence[str]) -> tuple[set[int], set[int], bool]:
    """What a sentence says, read as a person reads it; … stands for all words between."""
    match = re.fullmatch(r'moved "(.+)" (before|after) "(.+)"', sentence)
    assert match
    blocks = []
    for phrase in (match[1], match[3]):
        quoted = [words.index(word) for word in phrase.split() if word != "…"]
        blocks.append(set(range(quoted[0], quoted[-1] + 1)))
        if "…" not in phrase:
            assert blocks[-1] == set(quoted)
    return blocks[0], blocks[1], match[2] == "before"


@pytest.mark.parametrize("pi", [*every(4)[2:], *assorted(60, 40, seed=11)])
def test_sentences_applied_to_the_words_give_the_reference(pi: tuple[int, ...]) -> None:
    words = [f"w{value}" for value in pi]
    reference = [f"w{value}" for value in sorted(pi)]
    explanation = hb.explain(" ".join(words), " ".join(reference), "wer")
    order = list(range(len(pi)))
    for sentence in explanation.sentences:
        order = moved(order, *in_words(sentence, words))
    assert [words[k] for k in order] == reference


def test_a_word_in_several_places_stands_with_each() -> None:
    explained = hb.explain("zum Haus", "house to the", "pef", alignment="0-1 0-2 1-0")
    assert explained.placed_words == ("zum/to", "zum/the", "Haus")
    assert explained.sentences == ('moved "Haus" before "zum/to zum/the"',)
    assert explained.scores["pef"].signature.count("align:given") == 1


def test_given_alignments_are_taken(lobby: Explanation) -> None:
    same = hb.explain(SYSTEM, REFERENCE, "pef", "en", alignment=lobby.alignment)
    assert same.permutation == lobby.permutation
    with pytest.raises(ValueError, match="link 0-9 is outside the reference"):
        hb.explain("a", "b", alignment="0-9")
    with pytest.raises(ValueError, match="not a link"):
        hb.explain("a", "b", alignment="x")


def test_dependency_trees() -> None:
    lines = [
        (EXAMPLE / f"{name}.txt").read_text("utf-8").split("\n")
        for name in ("literal", "reference")
    ]
    trees = [list(read_trees(EXAMPLE / f"{name}.conllu")) for name in ("literal", "reference")]
    explained = hb.explain(
        lines[0][32], lines[1][32], language="en", tree=trees[0][32], reference_tree=trees[1][32]
    )
    assert explained.edit is not None
    assert explained.edit.distance == hb.tree_distance(trees[0][32], trees[1][32])
    assert "dted" in explained.scores
    assert list(explained.drawings()) == list(DRAWINGS)
    assert "dependency trees at distance 32" in explained.draw(100)
    for word in trees[0][32].words:
        assert word in texts(explained.drawings()["dependencies"])
    with pytest.raises(ValueError, match="come in pairs"):
        hb.explain("a", "b", tree=trees[0][0])
    with pytest.raises(ValueError, match="the tree has"):
        hb.explain("a", "b", tree=trees[0][0], reference_tree=trees[1][0])


@pytest.mark.parametrize(
    ("hypothesis", "reference"), [("a b", "c d"), ("", ""), ("a", ""), ("", "a")]
)
def test_a_pair_without_an_aligned_word_says_so(hypothesis: str, reference: str) -> None:
    explained = hb.explain(hypothesis, reference)
    assert explained.tree is None
    assert explained.moves == ()
    assert "no word is aligned" in str(explained)
    for name in ("alignment", "tree", "forest"):
        assert any("no word is aligned" in text for text in texts(explained.drawings()[name]))
    assert "No word is aligned" in explained.to_html()
    parsed(explained.to_svg())
    json.dumps(explained.to_dict())


def test_words_in_order_say_so() -> None:
    same = hb.explain("a b c", "a b c", "pef")
    assert "the aligned words are in the reference's order" in str(same)
    assert "The aligned words are in the reference" in same.to_html()


def test_text(lobby: Explanation) -> None:
    plain = lobby.draw(100)
    assert "\x1b" not in plain
    assert max(map(len, plain.split("\n"))) <= 100
    for part in (
        "system     We will meet at noon in the lobby .",
        "reference  We meet in the lobby at noon .",
        "permutation  ⟨1, 2, 6, 7, 3, 4, 5, 8⟩",
        "1▸ at noon  6–7",
        "⟨[at/at noon/noon] [in/in the/the lobby/lobby]⟩",
        '1  moved "at noon" after "in the lobby"',
        "invwer",
    ):
        assert part in plain
    coloured = lobby.draw(100, colour=True)
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain
    assert '\x1b[34m1  moved "at noon" after "in the lobby"\x1b[0m' in coloured


def test_long_text_is_wrapped_at_words() -> None:
    rng = random.Random(5)
    words = [f"word{k}" for k in range(60)]
    explained = hb.explain(" ".join(rng.sample(words, 60)), " ".join(words), "pef")
    lines = explained.draw(72).split("\n")
    assert max(map(len, lines)) <= 72


def test_data(lobby: Explanation) -> None:
    data = json.loads(json.dumps(lobby.to_dict()))
    assert data["schema"] == "hyperbaton/explanation/1"
    assert data["permutation"] == [1, 2, 6, 7, 3, 4, 5, 8]
    assert data["moves"] == [
        {
            "block": [2, 4],
            "anchor": [4, 7],
            "before": False,
            "text": 'moved "at noon" after "in the lobby"',
        }
    ]
    assert data["operators"][1] == {"operator": [2, 1], "repeat": 1, "span": [2, 7]}
    assert data["scores"]["pef"]["value"] == lobby.scores["pef"].value
    assert data["edit"] is None


def test_one_svg_of_several_drawings(lobby: Explanation) -> None:
    check_layout(lobby.to_svg())
    one = lobby.to_svg("tree")
    assert "in the lobby" in texts(one)
    assert one.count("<svg") == 2
    assert one.count("<style>") == 1
    with pytest.raises(ValueError, match="there is no drawing 'bush'"):
        lobby.to_svg("bush")


class Page(html.parser.HTMLParser):
    """The tags of a page and their attributes, and the text outside of styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._style = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._style = False

    def handle_data(self, data: str) -> None:
        if not self._style:
            self.text += data


def check_harmless(page: str) -> Page:
    page.encode("utf-8")
    found = Page(page)
    for tag, attributes in found.tags:
        assert tag not in ("script", "img", "iframe", "link", "object", "a", "base"), tag
        for name, value in attributes.items():
            assert not name.startswith("on"), name
            assert name not in ("href", "src", "style"), name
            assert "javascript" not in (value or ""), value
    return found


def test_page(lobby: Explanation) -> None:
    page = lobby.to_html()
    assert page.startswith("<!DOCTYPE html>\n<html")
    found = check_harmless(page)
    policies = [a["content"] for tag, a in found.tags if a.get("http-equiv")]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert page.count("<svg") == 4
    for part in ("We will meet", "at noon", "after", "in the lobby", "kendall", "0.7857"):
        assert part in found.text
    assert "prefers-color-scheme:dark" in page
    assert lobby._repr_html_() in page


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_sentences_stay_sentences(word: str) -> None:
    explained = hb.explain(f"one {word} two", f"{word} two one", "pef", alignment=None)
    found = check_harmless(explained.to_html())
    assert "two" in found.text
    parsed(explained.to_svg())
    text = explained.draw(100)
    assert "".join(text.split("\n")).isprintable()
    json.dumps(explained.to_dict())
    assert all(visible(token) == token for token in explained.hypothesis_words)


def test_right_to_left_words_are_set_apart_in_the_page() -> None:
    page = hb.explain("في البهو أمس", "أمس في البهو", "pef").to_html()
    assert '<bdi class="hb-mark0">أمس</bdi>' in page
    assert 'dir="auto"' in page


def test_what_is_too_large_is_said_in_place_of_the_drawing() -> None:
    explained = hb.explain("a " * 3000, "a " * 3000, "wer")
    assert any("too many to draw" in text for text in texts(explained.drawings()["alignment"]))
    assert "… and" in explained.draw(80)


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="hypothesis is one line of text, not list"):
        hb.explain(["a"], "a")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no metric"):
        hb.explain("a", "a", "pfe")
