"""All drawings: well-formed, harmless, complete, without overlapping texts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hostile_text
from hyperbaton import (
    Alignment,
    DependencyTree,
    Permutation,
    align,
    inversion_parse,
    tree_edit,
)
from hyperbaton.order.moves import block_moves
from hyperbaton.presentation import NotebookDisplay
from hyperbaton.text.display import visible
from hyperbaton.views.drawings.canvas import MAX_ITEMS, MAX_WIDTH
from hyperbaton.views.drawings.parses import parse_svg
from hyperbaton.views.drawings.sentences import NAMES, alignment_svg, dependency_svg, tree_edit_svg
from hyperbaton.views.drawings.trees import forest_svg, tree_svg
from permutations import permutations
from views.svg_checks import SVG, boxes, check_layout, parse_drawing, texts

ENGLISH = "we will meet in the lobby of the old hotel at noon and then go for a walk"
ARABIC = "التقينا أمس في البهو مع أصدقائنا من القاهرة ( و ) عند الظهر تماما قبل الغداء"
JAPANESE = "私 は 昨日 図書館 で 古い 本 を 三 冊 読み ました 。 とても 面白かった です"
GERMAN = "Donaudampfschifffahrtsgesellschaft hat gestern den Rechtsschutzversicherungsvertrag"
VOCABULARIES = [text.split() for text in (ENGLISH, ARABIC, JAPANESE, GERMAN)]


def alignment_of(pi: tuple[int, ...]) -> Alignment:
    return Alignment(len(pi), len(pi), [(k, value - 1) for k, value in enumerate(pi)])


def heads_of(rng: random.Random, n: int) -> list[int]:
    """Return a random tree: the head of each token comes before it."""
    order = rng.sample(range(1, n + 1), n)
    heads = [0] * n
    for k, token in enumerate(order[1:], 1):
        heads[token - 1] = rng.choice(order[:k])
    return heads


def every_drawing(words: list[str], pi: tuple[int, ...], seed: int = 1) -> dict[str, str]:
    """Return the explanation of a sentence whose words are in this order."""
    rng = random.Random(seed)
    p = Permutation(pi)
    ordered = [word for _, word in sorted(zip(pi, words, strict=True))]
    moves = block_moves(p)
    one, other = (
        SimpleNamespace(heads=heads_of(rng, len(words)), words=texts) for texts in (words, ordered)
    )
    return {
        "alignment": alignment_svg(alignment_of(pi), words, ordered, moves),
        "tree": tree_svg(p.tree(), words, moves),
        "flat tree": tree_svg(p.tree().flatten(), words, moves),
        "forest": forest_svg(p.forest(), words),
        "parse": parse_svg(inversion_parse(words, ordered)),
        "dependencies": tree_edit_svg(tree_edit(one, other)),
        "dependency tree": dependency_svg(DependencyTree(words, one.heads, ["nsubj"] * len(words))),
    }


def test_hostile_words_stay_words() -> None:
    hostile = [*hostile_text.WORDS, *hostile_text.REFUSED]
    pi = tuple(random.Random(2).sample(range(1, len(hostile) + 1), len(hostile)))
    for name, svg in every_drawing(hostile, pi).items():
        parse_drawing(svg)
        shown = " ".join(texts(svg))
        for word in hostile:
            assert visible(word)[:20] in shown, (name, word)  # long words are shortened


@pytest.mark.parametrize("name", ["<script>", "\ud800", '"'])
def test_hostile_captions_stay_captions(name: str) -> None:
    pair = Alignment(1, 1, [(0, 0)])
    assert visible(name) in texts(alignment_svg(pair, ["a"], ["b"], names=(name, name)))


@pytest.mark.parametrize("words", VOCABULARIES, ids=["en", "ar", "ja", "de"])
@pytest.mark.parametrize("n", [1, 2, 9, 25, 60])
def test_nothing_lies_on_anything_else(words: list[str], n: int) -> None:
    rng = random.Random(n)
    chosen = [rng.choice(words) for _ in range(n)]
    for pi in (
        tuple(range(1, n + 1)),
        tuple(range(n, 0, -1)),
        tuple(rng.sample(range(1, n + 1), n)),
    ):
        for name, svg in every_drawing(chosen, pi).items():
            shown = " ".join(box.text for box in check_layout(svg))
            for word in chosen:
                assert word in shown, (name, word)


@settings(max_examples=40)
@given(permutations.filter(bool), st.integers(0, 3), st.integers(0, 99))
def test_any_order_of_any_words(pi: tuple[int, ...], language: int, seed: int) -> None:
    rng = random.Random(seed)
    words = [rng.choice(VOCABULARIES[language]) for _ in pi]
    for svg in every_drawing(words, pi, seed).values():
        check_layout(svg)


def test_trees_without_words_have_all_operators_and_values() -> None:
    tree = Permutation([5, 7, 4, 6, 3, 1, 2]).tree()
    assert sorted(texts(tree_svg(tree))) == sorted(node.label for node in tree)


def test_words_in_order_share_a_leaf_of_a_flattened_tree_only() -> None:
    tree, words = Permutation([3, 4, 1, 2]).tree(), ["a", "b", "c", "d"]
    assert {"a b", "c d", "3–4", "1–2"} <= set(texts(tree_svg(tree.flatten(), words)))
    assert {"a", "b", "c", "d"} <= set(texts(tree_svg(tree, words)))


def test_every_block_that_moves_has_its_number() -> None:
    pi = Permutation([5, 7, 4, 6, 3, 1, 2])
    drawn = tree_svg(pi.tree().flatten(), list("abcdefg"), block_moves(pi))
    assert [text for text in texts(drawn) if text in "1234"].count("4") == 2  # and a value
    assert drawn.count("<circle") == 4


def test_a_forest_has_every_span_and_every_inference() -> None:
    # Stanojević & Sima'an 2014, figure 5: spans of ⟨4,3,2,1⟩ are all six of two words and more;
    # their inferences are 1 each for the three of two words, 2 each for two of three, and 3
    drawn = forest_svg(Permutation([4, 3, 2, 1]).forest())
    assert texts(drawn).count("⟨2,1⟩") == 6
    assert drawn.count("<circle") == 2 + 2 + 3
    assert "5 trees" in texts(drawn)


def test_a_long_chain_stays_one_bar() -> None:
    drawn = forest_svg(Permutation.identity(30).forest())
    assert "29×⟨1,2⟩" in texts(drawn)
    assert drawn.count("<circle") == 29


def test_right_to_left_sentences_begin_at_the_right() -> None:
    words = ["أمس", "التقينا", "في", "البهو"]
    boxes = {box.text: box for box in check_layout(parse_svg(inversion_parse(words, words)))}
    assert boxes["أمس"].left > boxes["التقينا"].left > boxes["في"].left > boxes["البهو"].left
    drawn = alignment_svg(alignment_of((1, 2, 3, 4)), words, words)
    places = [box for box in check_layout(drawn) if box.text in words][:4]
    assert [box.left for box in places] == sorted((box.left for box in places), reverse=True)


def test_brackets_in_right_to_left_sentences_are_turned() -> None:
    root = parse_drawing(alignment_svg(alignment_of((1, 2)), ["البهو", "("], ["البهو", "("]))
    directions = {t.text: t.get("direction") for t in root.iter("{http://www.w3.org/2000/svg}text")}
    assert directions["("] == "rtl"
    assert directions["system"] is None


def test_a_pair_without_a_link_says_so() -> None:
    assert "no word is linked" in texts(alignment_svg(Alignment(2, 1, []), ["a", "b"], ["c"]))
    empty = texts(alignment_svg(Alignment(0, 0, []), [], []))
    assert empty.count("(no words)") == 2
    assert "no word is linked" in empty
    assert texts(parse_svg(inversion_parse([], []))) == ["no words to parse"]
    assert "no word is matched" in texts(tree_edit_svg(tree_edit([], [0])))


def test_phrases_are_joined_by_a_bar() -> None:
    drawn = alignment_svg(Alignment(3, 2, [(0, 0, 2, 1, "paraphrase"), (2, 1)]))
    assert drawn.count("<path") == 3  # two links, and the bar below two words
    check_layout(drawn)


def test_columns_of_short_words_have_room_for_their_captions() -> None:
    words = ["a"] * 60
    drawn = alignment_svg(alignment_of(tuple(range(1, 61))), words, words)
    (word, *_), captions = check_layout(drawn), [b for b in boxes(drawn) if b.text in NAMES]
    assert [caption.text for caption in captions] == list(NAMES)
    assert word.right - word.left < captions[0].right - captions[0].left


def test_a_very_long_word_is_cut() -> None:
    word = "https://" + "x" * 500
    for svg in every_drawing([word, "b", "c"], (3, 1, 2)).values():
        assert not any("x" * 60 in text for text in texts(svg))
        check_layout(svg)


@pytest.mark.parametrize(
    "draw",
    [
        lambda n: alignment_svg(Alignment(n, n, [])),
        lambda n: tree_svg(Permutation.identity(n).tree().flatten()),
        lambda n: forest_svg(Permutation.identity(n).forest()),
        lambda n: parse_svg(inversion_parse("a" * n, "a" * n)),
        lambda n: tree_edit_svg(tree_edit([0] * n, [0])),
        lambda n: dependency_svg(DependencyTree(["a"] * n, [0] * n)),
    ],
)
def test_drawings_that_are_too_large_are_refused(draw: Callable[[int], str]) -> None:
    with pytest.raises(ValueError, match="too many to draw"):
        draw(MAX_ITEMS + 1)


def test_notebooks_show_objects_and_do_without_drawings_that_are_too_large() -> None:
    p = Permutation([2, 4, 1, 3])
    edit = tree_edit([0, 1], [0, 1])
    for thing in (p, p.tree(), p.forest(), alignment_of((2, 1)), inversion_parse("ab", "ba"), edit):
        parse_drawing(drawn(thing))
    large = Permutation.identity(MAX_ITEMS + 1)
    for shown in (large, large.tree(), large.forest(), Permutation([])):
        assert shown._repr_html_() is None
    deep = drawn(Permutation.identity(300).tree())
    assert "299×⟨1,2⟩" in texts(deep)


def drawn(thing: NotebookDisplay) -> str:
    """The drawing that a notebook shows."""
    html = thing._repr_html_() or ""
    return html[html.index("<svg") : html.index("</svg>") + len("</svg>")]


def test_notebooks_show_the_words_of_an_alignment() -> None:
    alignment = align("See you", "you see")
    assert texts(drawn(alignment)) == ["See", "you", "system", "you", "see", "reference"]
    assert texts(drawn(Alignment.from_pharaoh("0-1 1-0", 2, 2)))[:2] == ["0", "1"]


def test_dependency_trees_have_an_arrow_for_each_word() -> None:
    tree = DependencyTree(["She", "left", "<early>"], [2, 0, 2], ["nsubj", "root", "advmod"])
    assert sorted(texts(dependency_svg(tree))) == sorted([*tree.words, *(tree.labels or ())])
    assert dependency_svg(tree).count('"hb-quiet"') == 3 + 3  # tips of arrows, and relations
    unlabelled = dependency_svg(DependencyTree(tree.words, tree.heads))
    assert texts(unlabelled) == list(tree.words)
    long = DependencyTree(["word"] * 50, range(50))
    assert dependency_svg(long).width < MAX_WIDTH < dependency_svg(long).height
    assert texts(dependency_svg(DependencyTree([], []))) == ["no words"]


def test_dependency_trees_of_right_to_left_scripts_start_at_the_right() -> None:
    root = parse_drawing(dependency_svg(DependencyTree(["كتب", "الولد"], [0, 1])))
    first, second = (float(e.get("x", "")) for e in root.iter(f"{SVG}text"))
    assert first > second


def test_the_style_of_many_drawings_can_be_shared() -> None:
    pair = alignment_of((2, 1))
    styled, shared = alignment_svg(pair), alignment_svg(pair, style=False)
    assert "<style>" in styled
    assert "<style>" not in shared
    assert len(shared) < 2000


def test_every_inversion_has_its_sign() -> None:
    # the second half begins with another inversion
    parse = inversion_parse("abcdefghi", "ghidefabc")
    assert str(parse) == "⟨[a/a b/b c/c] ⟨[d/d e/e f/f] [g/g h/h i/i]⟩⟩"
    drawn = parse_svg(parse)
    assert drawn.count('"hb-half0"') == drawn.count('"hb-half1"') == 2
    assert drawn.count('<g transform="translate') == 2 + 2  # signs, and groups of all


def test_a_box_that_goes_on_in_the_next_line_is_open_there() -> None:
    words = [f"word{k}" for k in range(120)]
    drawing = parse_svg(inversion_parse([*words[60:], *words[:60]], words))
    found = re.findall(
        r'<path d="M([^"]+)Z" class="hb-half(\d)" stroke-dasharray="([^"]+)"', drawing
    )
    kinds: dict[str, list[str]] = {}
    for steps, half, dashes in found:
        corners = [tuple(map(float, step.split())) for step in steps.split("L")]
        (left, top), (right, bottom) = corners[0], corners[2]
        gaps, at = [], 0.0
        for k, length in enumerate(map(float, dashes.split())):
            if k % 2 and length:
                gaps.append(round(at))
                assert length == pytest.approx(bottom - top)
            at += length
        assert at == pytest.approx(2 * (right - left + bottom - top), abs=0.1)
        after, before = round(right - left), round(2 * (right - left) + bottom - top)
        kind = ("end" if after in gaps else "") + ("start" if before in gaps else "")
        kinds.setdefault(half, []).append(kind)
    assert {half: (one[0], one[-1]) for half, one in kinds.items()} == {
        "0": ("end", "start"),
        "1": ("end", "start"),
    }
    assert all(kind == "endstart" for one in kinds.values() for kind in one[1:-1])
