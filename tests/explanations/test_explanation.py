"""``hb.explain``: its attributes, text, page and data."""

from __future__ import annotations

import html.parser
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len

import hostile_text
import hyperbaton as hb
from hyperbaton import Alignment
from hyperbaton.explanations.explanation import Explanation
from hyperbaton.order.moves import block_moves
from hyperbaton.runs.results import Result
from hyperbaton.syntax.conllu import read_trees
from hyperbaton.text.display import visible
from hyperbaton.views.drawings import DRAWINGS
from hyperbaton.views.notebook import CLASSES
from permutations import all_permutations, random_permutations
from views.svg_checks import check_layout, parse_drawing, texts

EXAMPLE = Path(hb.__file__).parent / "example"
SYSTEM, REFERENCE = "We will meet at noon in the lobby.", "We meet in the lobby at noon."


@pytest.fixture(scope="module")
def lobby() -> Explanation:
    return hb.explain(SYSTEM, REFERENCE, language="en")


def test_attributes(lobby: Explanation) -> None:
    # by hand: "at noon" and "in the lobby" have changed places, and "at noon" is shorter
    assert lobby.hypothesis_words == ("We", "will", "meet", "at", "noon", "in", "the", "lobby", ".")
    assert list(lobby.permutation) == [1, 2, 6, 7, 3, 4, 5, 8]
    assert lobby.sentences == ('moved "at noon" after "in the lobby"',)
    assert str(lobby.tree) == "3×⟨1,2⟩[1, 2, ⟨2,1⟩[⟨1,2⟩[6, 7], 2×⟨1,2⟩[3, 4, 5]], 8]"
    assert lobby.parse.cost == 2  # "will" is deleted, and two blocks change places
    assert lobby.edit is None
    assert list(lobby.scores) == list(hb.metrics.SETS["all"])


def test_scores_are_those_of_the_segment(lobby: Explanation) -> None:
    assert lobby.uncounted == ("order", "hyper")
    # The only corpus to count pairs of words in is the reference.
    without_fit = {name: f"{name}:precedence=own" for name in ("order", "hyper")}
    specs = {name: without_fit.get(name, name) for name in hb.metrics.SETS["all"]}
    scored = hb.score([SYSTEM], [REFERENCE], list(specs.values()), "en")
    assert list(lobby.scores) == list(specs)
    for name, score in lobby.scores.items():
        assert score.value == scored[specs[name]].segments[0]
    assert "eff:yes" in lobby.scores["bleu"].signature  # sentence BLEU
    assert lobby.scores["pef"].signature == scored["pef"].signature


def test_metrics_that_miss_their_references_say_so(lobby: Explanation) -> None:
    caveat = "neighbours only by this reference: to count pairs of words, give all references"
    for text in (lobby.draw(200), Page(lobby.to_html()).text):
        assert f"order and hyper judge {caveat}" in text
    one = hb.explain(SYSTEM, REFERENCE, ["order", "pef"], "en")
    assert [text.partition(":")[0] for text in one.caveats] == [
        "order judges neighbours only by this reference"
    ]
    assert one.to_dict()["uncounted"] == ["order"]
    fitted = hb.explain(SYSTEM, REFERENCE, language="en", fit_on=[REFERENCE])
    off = hb.explain(SYSTEM, REFERENCE, ["order:precedence=off", "pef"], "en")
    assert fitted.caveats == off.caveats == ()


def test_metrics_can_be_chosen() -> None:
    chosen = hb.explain("b a", "a b", ["pef:bp=off", "wer"])
    assert list(chosen.scores) == ["pef:bp=off", "wer"]


PHRASE = r'(?:"([^"]+)"|“([^”]+)”)(?: \(([^)]+)\))?'
SENTENCE = re.compile(f"moved {PHRASE} (before|after) {PHRASE}")


def stretches(phrase: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return all stretches that a quote can refer to; … stands for any words."""
    runs = [run.split() for run in phrase.split(" … ")]
    places = [
        [k for k in range(len(words)) if list(words[k : k + len(run)]) == run] for run in runs
    ]
    found = []
    for start in places[0]:
        end = start + len(runs[0])
        for run, starts in zip(runs[1:-1], places[1:-1], strict=True):
            end = next((k + len(run) for k in starts if k > end), len(words) + 1)
        ends = [end]
        if len(runs) > 1:
            ends = [k + len(runs[-1]) for k in places[-1] if k > end]
        found += [(start, one) for one in ends]
    return found


def parse_positions(positions: str) -> list[int | None]:
    """Parse positions such as 3–5, 9 … 12."""
    found: list[int | None] = []
    for part in re.split(r", | (?=…)|(?<=…) ", positions):
        first, _, last = part.partition("–")
        found += [None] if part == "…" else range(int(first), int(last or first) + 1)
    return found


def read(sentence: str, words: Sequence[str], positions: Sequence[int]) -> list[int]:
    """Return the order of the words after the move that a sentence describes."""
    match = SENTENCE.fullmatch(sentence)
    assert match, sentence
    meant = []
    for plain, curly, where in (match.group(1, 2, 3), match.group(5, 6, 7)):
        phrase = plain or curly
        found = stretches(phrase, words)
        if where:
            quoted = parse_positions(where)
            ends = quoted[0], quoted[-1]
            found = [(i, j) for i, j in found if (positions[i], positions[j - 1]) == ends]
        assert len(found) == 1, f"{phrase!r} is not one place in {' '.join(words)!r}"
        meant.append(found[0])
    (start, end), (first, last) = meant
    order = list(range(len(words)))
    block = order[start:end]
    assert last <= start or end <= first
    to = first if match[4] == "before" else last
    return (
        [k for k in order[:to] if k not in block]
        + block
        + [k for k in order[to:] if k not in block]
    )


def as_read(explanation: Explanation) -> list[int]:
    """Return the positions of the system's words after all moves that the sentences describe."""
    words = list(explanation.hypothesis_words)
    positions = list(range(len(words)))
    for sentence in explanation.sentences:
        order = read(sentence, words, positions)
        words, positions = [words[k] for k in order], [positions[k] for k in order]
    return positions


def permuted(pi: Sequence[int], words: Sequence[str], extra: Sequence[int] = ()) -> Explanation:
    """Explain these words in the order π, with an unaligned x after the places in ``extra``."""
    system: list[str] = []
    links = []
    for k, value in enumerate(pi):
        links.append(f"{len(system)}-{value - 1}")
        system += [words[value - 1], "x"] if k in extra else [words[value - 1]]
    nothing = Result({})
    alignment = Alignment.from_pharaoh(" ".join(links), len(system), len(words))
    return Explanation(
        " ".join(system),
        " ".join(words),
        tuple(system),
        tuple(words),
        alignment,
        alignment.permutation(),
        block_moves(alignment.permutation()),
        hb.inversion_parse("", ""),
        None,
        nothing,
    )


def in_order(explanation: Explanation) -> bool:
    place = dict(explanation.alignment.links)
    found = [place[h] for h in as_read(explanation) if h in place]
    return found == sorted(found)


def test_sentences_read_as_text_give_the_reference_of_all_short_permutations() -> None:
    for pi in all_permutations(7):
        explanation = permuted(pi, [f"w{k}" for k in range(len(pi))])
        assert in_order(explanation), pi
        assert not any("(" in sentence for sentence in explanation.sentences), "positions"


def test_sentences_read_as_text_also_of_words_without_links_and_of_words_that_recur() -> None:
    rng = random.Random(3)
    for pi in [*all_permutations(5), *random_permutations(300, 40, seed=11)]:
        words = [rng.choice("abcde") for _ in pi]
        explanation = permuted(pi, words, [k for k in range(len(pi)) if rng.random() < 0.2])
        assert in_order(explanation), (pi, words)


def test_anchors_are_quoted_as_they_stand_at_that_step() -> None:
    explained = hb.explain("beide hatten ein gutes sie", "sie hatten beide ein gutes", "pef")
    assert explained.sentences == (
        'moved "beide" after "hatten"',
        'moved "sie" before "hatten beide ein gutes"',
    )


def test_an_ambiguous_quote_has_positions() -> None:
    explained = hb.explain("saw the dog the cat", "the cat the dog saw", "pef")
    assert explained.sentences == ('moved "the dog" after "the cat"', 'moved "saw" after "the dog"')
    explained = hb.explain("b the c the a", "the a b the c", "pef", alignment="0-2 1-3 2-4 3-0 4-1")
    assert explained.sentences == ('moved "the a" before "b the c"',)
    explained = hb.explain("c the a the", "the c the a", "pef", alignment="0-1 1-2 2-3 3-0")
    assert explained.sentences == ('moved "the" (3) before "c the a"',)
    assert "” (3) before “" in Page(explained.to_html()).text


def test_unlinked_words_in_a_quote_are_shown_as_dots() -> None:
    explained = hb.explain("a x b c y d", "c d a b", "pef")
    assert explained.sentences == ('moved "a … b" after "c … d"',)


def test_long_words_are_shortened_in_sentences() -> None:
    long = "z" * 500
    explained = hb.explain(f"{long} b", f"b {long}", "pef")
    assert explained.sentences == (f'moved "{"z" * 39}…" after "b"',)
    assert ".hb-explanation li{overflow-wrap:anywhere}" in explained.to_html()


def test_all_links_of_a_word_are_listed() -> None:
    text = hb.explain("a b", "x y", "pef", alignment="0-0 0-1 1-0").draw(80)
    for row in ("0 a ── 0 x  given\n", "0 a ── 1 y  given\n", "1 b ── 0 x  given\n"):
        assert row in text
    text = hb.explain("a b c d", "x y", "pef", alignment="0-2=0 1=1").draw(80)
    for row in ("0 a b c ── 0 x  given\n", "1 b     ── 1 y  given\n", "\n  3 d\n"):
        assert row in text


def test_slow_metrics_are_left_out_for_long_texts_by_default() -> None:
    words = [f"w{k}" for k in range(201)]
    system, reference = " ".join([*words[100:], *words[:100]]), " ".join(words)
    explained = hb.explain(system, reference)
    assert explained.left_out == ("invwer", "ter")
    assert list(explained.scores) == [
        n for n in hb.metrics.SETS["all"] if n not in ("invwer", "ter")
    ]
    for text in (explained.draw(100), Page(explained.to_html()).text):
        assert "invwer and ter are omitted unless requested: they are slow" in text
    asked = hb.explain(system, reference, "invwer:budget=1")
    assert asked.left_out == ()
    for text in (asked.draw(100), Page(asked.to_html()).text):
        assert "invwer:budget=1 may not be minimal: its budget ran out" in text


def test_invalid_texts_are_refused() -> None:
    with pytest.raises(hb.InputError, match=r"^hypothesis has an unpaired surrogate$"):
        hb.explain("a \ud800 running", "runs a")
    with pytest.raises(hb.InputError, match=r"^reference has a NUL character$"):
        hb.explain("a", "a\0")


def test_a_word_in_several_places_stands_with_each() -> None:
    explained = hb.explain("zum Haus", "house to the", "pef", alignment="0-1 0-2 1-0")
    assert explained.placed_words == ("zum/to", "zum/the", "Haus")
    assert explained.sentences == ('moved "Haus" before "zum/to zum/the"',)
    assert explained.scores["pef"].signature.count("align:given") == 1


def test_invisible_characters_do_not_hide_a_move() -> None:
    hypothesis, reference = "Eve we \u200fmet\u200f there", "we met Eve there"
    folded = hb.explain(hypothesis, reference, ["pef", "wer", "bleu"], fold="standard")
    plain = hb.explain("Eve we met there", reference, ["pef", "wer", "bleu"])
    assert folded.alignment == plain.alignment
    assert folded.moves == plain.moves != ()
    assert folded.hypothesis_words == ("Eve", "we", "◦met◦", "there")
    assert list(folded.scores) == ["pef", "wer", "bleu"]
    assert "fold:standard" in folded.scores["wer"].signature
    assert folded.scores["wer"].value == plain.scores["wer"].value
    assert hb.explain(hypothesis, reference, "pef", fold="none").alignment != plain.alignment


def test_words_are_shown_as_they_are_written() -> None:
    found = hb.explain("“Don’t” go, E\u0301ve", 'éve "don\'t" go', "pef", fold="standard")
    assert found.hypothesis_words == ("“", "Don’t", "”", "go", ",", "E\u0301ve")
    assert len(found.alignment.links) == 5


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
    assert "no word is linked" in str(explained)
    for name in ("alignment", "tree", "forest"):
        assert any("no word is linked" in text for text in texts(explained.drawings()[name]))
    assert "No word is linked" in explained.to_html()
    parse_drawing(explained.to_svg())
    json.dumps(explained.to_dict())


def test_words_in_order_say_so() -> None:
    same = hb.explain("a b c", "a b c", "pef")
    assert "the linked words are in the order of the reference" in str(same)
    assert "The linked words are in the order of the reference" in same.to_html()


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
        '1  moved "at noon" after "in the lobby", 3 words later',
        "invwer",
    ):
        assert part in plain
    coloured = lobby.draw(100, colour=True)
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain
    assert '\x1b[34m1  moved "at noon" after "in the lobby", 3 words later\x1b[0m' in coloured


def test_long_text_is_wrapped_at_words() -> None:
    rng = random.Random(5)
    words = [f"word{k}" for k in range(60)]
    explained = hb.explain(" ".join(rng.sample(words, 60)), " ".join(words), "pef")
    lines = explained.draw(72).split("\n")
    assert max(map(len, lines)) <= 72


@pytest.mark.parametrize("width", [40, 72, 100])
def test_no_line_of_a_tree_or_a_move_is_wider_than_the_terminal(width: int) -> None:
    words = [f"日本{k}" for k in range(60)]
    system = [*words[30:59], *words[:30], "z" * 39]
    explained = hb.explain(" ".join(system), " ".join([*words, "z" * 39]), "pef")
    lines = explained.draw(width).split("\n")
    shown = lines[lines.index("tree") : lines.index("metrics")]
    trees = [line for line in shown if "▸" in line or "──" in line]
    moves = lines[lines.index("from the system's order to the reference's") + 1 :]
    moves = moves[: moves.index("")]
    assert max(map(cell_len, [*trees, *moves])) <= width
    assert any("日本30" in line and "…" in line and "日本58" in line for line in trees)


def test_data(lobby: Explanation) -> None:
    data = json.loads(json.dumps(lobby.to_dict()))
    assert data["schema"] == "hyperbaton/explanation/1"
    assert data["permutation"] == [1, 2, 6, 7, 3, 4, 5, 8]
    assert data["moves"] == [
        {
            "block": [2, 4],
            "anchor": [4, 7],
            "before": False,
            "distance": 3,
            "is_punctuation": False,
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
    with pytest.raises(ValueError, match="unknown drawing 'bush'"):
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
        assert tag not in ("script", "img", "iframe", "link", "object", "base"), tag
        for name, value in attributes.items():
            assert not name.startswith("on"), name
            assert name not in ("src", "style"), name
            assert name != "href" or re.fullmatch("#hb-term-[a-z0-9-]+", value or ""), value
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
    tags = [tag for tag, _ in found.tags]
    assert tags.count("h1") == tags.count("main") == tags.count("header") == 1
    assert tags.index("h1") < tags.index("main") < tags.index("table") < tags.index("ol")
    assert tags.index("ol") < tags.index("svg") < tags.index("details") < tags.index("dl")


@pytest.mark.parametrize("texts", [(SYSTEM, REFERENCE), ("a", "a"), ("a", "b"), ("", "")])
def test_terms_of_the_page_are_defined_on_it(texts: tuple[str, str]) -> None:
    explained = hb.explain(*texts, "pef")
    tags = check_harmless(explained.to_html()).tags
    linked = {attributes["href"] for tag, attributes in tags if tag == "a"}
    defined = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(defined) == len(set(defined))
    assert linked == {f"#{key}" for key in defined}
    # in a notebook, several explanations would define the same names
    fragment = explained._repr_html_()
    assert fragment is not None
    assert not any("id" in attributes for _, attributes in Page(fragment).tags)


def test_notebooks_show_what_the_page_shows(lobby: Explanation) -> None:
    shown = check_harmless(lobby._repr_html_() or "")
    assert shown.tags[0] == ("div", {"class": CLASSES})
    for part in ("We will meet", "at noon", "after", "in the lobby", "kendall", "0.7857"):
        assert part in shown.text


@pytest.mark.parametrize("word", hostile_text.WORDS)
def test_hostile_sentences_stay_sentences(word: str) -> None:
    explained = hb.explain(f"one {word} two", f"{word} two one", "pef", alignment=None)
    found = check_harmless(explained.to_html())
    assert "two" in found.text
    parse_drawing(explained.to_svg())
    text = explained.draw(100)
    assert re.sub("[\n\u200c\u200d]", "", text).isprintable()  # joiners are part of the spelling
    json.dumps(explained.to_dict())
    assert all(visible(token) == token for token in explained.hypothesis_words)


def test_right_to_left_words_are_set_apart_in_the_page() -> None:
    page = hb.explain("في البهو أمس", "أمس في البهو", "pef").to_html()
    assert '<bdi class="hb-mark0">أمس</bdi>' in page
    assert 'dir="auto"' in page


def test_the_source_is_shown_above_the_other_texts() -> None:
    explained = hb.explain("b a", "a b", "pef", source="ب\u200fا x", language="en")
    rows = explained.draw(80).split("\n")
    assert [row.split()[0] for row in rows[:3]] == ["source", "system", "reference"]
    assert rows[0].endswith("ب◦ا x")
    assert rows[3] == "◦ is an invisible character: right-to-left mark (U+200F)."
    assert explained.to_dict()["source"] == "ب\u200fا x"
    page = Page(explained.to_html())
    cells = [attributes for tag, attributes in page.tags if tag == "td" and "dir" in attributes]
    assert cells == [{"dir": "auto"}, *[{"dir": "auto", "lang": "en"}] * 2]
    assert page.text.index("source") < page.text.index("system")
    assert "right-to-left mark (U+200F)" in page.text
    without = hb.explain("b a", "a b", "pef")
    assert without.to_dict()["source"] is None
    assert "source" not in without.draw(80)
    assert without.scores["pef"].value == explained.scores["pef"].value
    with pytest.raises(TypeError, match="source must be a string, got int"):
        hb.explain("a", "a", source=3)  # type: ignore[arg-type]


def test_punctuation_moves_last_and_pale() -> None:
    texts_of_pair = "! he came, yes", "yes, he came!"
    explained = hb.explain(*texts_of_pair, "pef")
    # by hand: "he came" stays, "yes" goes before it, and then the comma and "!" find their places
    assert explained.sentences[0] == 'moved "yes" before "he came"'
    assert [move.is_punctuation for move in explained.moves] == [False, True, True]
    assert explained.punctuation_moves == 2
    coloured = explained.draw(100, colour=True)
    assert re.search(r"\x1b\[34m1  moved \"yes\"", coloured)
    assert re.search(r"\x1b\[2m2  moved \"[!,]\"", coloured)
    page = explained.to_html()
    assert page.count('<li class="hb-note">') == 2
    assert '<bdi class="hb-mark-pale">!</bdi>' in page
    assert 'class="hb-move-pale"' in explained.drawings()["alignment"]
    hidden = hb.explain(*texts_of_pair, "pef", punctuation=False)
    assert hidden.moves == explained.moves[:1]
    assert hidden.scores["pef"].value == explained.scores["pef"].value
    only = hb.explain("yes he came ,", "yes , he came", "pef", punctuation=False)
    assert only.moves == ()
    for text in (only.draw(80), Page(only.to_html()).text):
        assert "linked words are in the order of the reference, except for punctuation" in text


def test_equal_reference_words_of_one_word_are_told_apart() -> None:
    explained = hb.explain(
        "x for y", "y de x de", "pef", alignment="0-2 1-1 1-3 2-0", tokenize="none"
    )
    assert explained.placed_words == ("x", "for/de(1)", "for/de(3)", "y")
    # by hand: y de(1) x de(3) is the goal, and x for(1) for(3) y the start
    assert sorted(explained.sentences) == [
        'moved "x" after "for/de(1)"',
        'moved "y" before "for/de(1) x for/de(3)"',
    ]
    long = "w" * 50
    clipped = hb.explain(
        f"x {long} y", "y de x de", "pef", alignment="0-2 1-1 1-3 2-0", tokenize="none"
    )
    # a word of more than 40 characters is cut, but not its position
    assert clipped.placed_words[1:3] == ("w" * 36 + "…(1)", "w" * 36 + "…(3)")
    assert 'moved "x" after "' + "w" * 36 + '…(1)"' in clipped.sentences


def test_several_drawings_in_one_svg_have_captions(lobby: Explanation) -> None:
    both = check_layout(lobby.to_svg("tree", "parse"))
    captions = {box.text: box for box in both if box.text in DRAWINGS.values()}
    assert list(captions) == ["Permutation tree", "Inversion parse"]
    assert captions["Permutation tree"].bottom < captions["Inversion parse"].top
    assert not set(texts(lobby.to_svg("tree"))) & set(DRAWINGS.values())


@pytest.mark.parametrize("count", [5, 40])
def test_drawings_of_right_to_left_texts_start_at_the_right(count: int) -> None:
    """The first word is at the right of a row, and the system at the right of two columns."""
    letters = "ابتثجحخدذرزسشصضطظعغفقكلمنهوي"
    reference = [f"{letters[k % 28]}{letters[k // 28]}لكتاب" for k in range(count)]
    system = [*reference[2:], *reference[:2]]
    explained = hb.explain(" ".join(system), " ".join(reference), "pef", tokenize="none")
    drawings = explained.drawings()
    for drawing in drawings.values():
        check_layout(drawing)
    alignment = {box.text: box for box in reversed(check_layout(drawings["alignment"]))}
    if count == 5:
        assert alignment[system[0]].left > alignment[system[1]].right
        assert alignment["system"].right > alignment[system[1]].right
        return
    assert alignment["system"].left > alignment["reference"].right
    tree = check_layout(drawings["tree"])
    root = next(box for box in tree if "⟨2,1⟩" in box.text)
    assert all(box.right < root.left for box in tree if box.text in reference)
    forest = check_layout(drawings["forest"])
    root = next(box for box in forest if box.text == "⟨2,1⟩")
    assert all(box.right < root.left for box in forest if box.text in reference)
    stacked = explained.to_svg("alignment", "tree")
    width = float(parse_drawing(stacked).get("width", 0))
    captions = [box for box in check_layout(stacked) if box.text in DRAWINGS.values()]
    assert [round(width - box.right) for box in captions] == [16, 16]


def test_a_message_replaces_a_drawing_that_is_too_large() -> None:
    explained = hb.explain("a " * 3000, "a " * 3000, "wer")
    assert any("too many to draw" in text for text in texts(explained.drawings()["alignment"]))
    assert "… and" in explained.draw(80)


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="hypothesis must be a string, got list"):
        hb.explain(["a"], "a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^hypothesis must be a string, got NoneType$"):
        hb.explain(None, "a")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown metric"):
        hb.explain("a", "a", "pfe")


def test_the_tokens_are_those_of_the_first_metric() -> None:
    """What is drawn is what the metric sees, and scores have the names that were asked for."""
    pair = "he came, yes", "yes, he came"
    explained = hb.explain(*pair, ["adjacency:punct=drop", "pef"])
    assert explained.hypothesis_words == ("he", "came", "yes")
    assert explained.sentences == ('moved "yes" before "he came"',)
    assert list(explained.scores) == ["adjacency:punct=drop", "pef"]
    folded = hb.explain("don’t go", "go don't", ["pef:fold=standard"])
    assert len(folded.alignment.links) == 2
    assert list(hb.explain("a", "a", ["pef"], fold="standard").scores) == ["pef"]
    given = hb.explain(*pair, ["adjacency:punct=drop"], alignment="0-2 1-3 2-1 3-0")
    assert given.alignment.links == ((0, 1), (1, 2), (2, 0))


def test_entities_of_one_word_do_not_change_others() -> None:
    explained = hb.explain("“a” &amp; can’t", "can't a", ["pef"], fold="standard")
    assert explained.hypothesis_words == ("“", "a", "”", "&", "can’t")
