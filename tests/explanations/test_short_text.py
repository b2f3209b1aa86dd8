"""The short text of an explanation: the pair with its moves, the moves in words, and the links."""

from __future__ import annotations

import random
import re

import pytest
from rich.cells import cell_len

import hyperbaton as hb
from hyperbaton import Alignment
from hyperbaton.views.terminal import link_runs

WORDS = "yesterday the committee finally discussed a proposal about new parking spaces downtown"
LONGEST = 15  # lines of an explanation of 12 words, on 80 columns
COLOUR = re.compile(r"\x1b\[\d*m")


def test_the_whole_text_by_hand() -> None:
    explained = hb.explain("we will meet at noon in the lobby", "we meet in the lobby at noon")
    assert explained.draw(80).split("\n") == [
        "system     we will meet [1 at noon] in the lobby",
        "reference  we meet in the lobby [1 at noon]",
        "",
        '1  move "at noon" after "in the lobby", 3 words later',
        "",
        "links      we · meet · at noon · in the lobby",
        "no link    will (system)",
    ]
    assert str(explained) == explained.draw()


def test_twelve_words_take_at_most_fifteen_lines() -> None:
    rng, words = random.Random(41), WORDS.split()
    assert len(words) == 12
    for k in range(100):
        hypothesis = words[::-1] if k == 0 else rng.sample(words, 12)
        for place in rng.sample(range(12), k % 4):  # words that have no link
            hypothesis[place] = f"unknown{place}"
        lines = hb.explain(" ".join(hypothesis), WORDS, "wer").draw(80).split("\n")
        assert len(lines) - 2 <= LONGEST, hypothesis  # a named metric has two lines more
        assert max(map(cell_len, lines)) <= 80


def test_metrics_that_are_named_are_shown_if_they_are_few() -> None:
    pair = "b a", "a b"
    assert (
        hb.explain(*pair, ["wer", "kendall"])
        .draw(80)
        .endswith("\nmetrics    wer 100.0 ↓ · kendall 0.0 ↑ (values × 100)")
    )
    for metrics in (None, "permutations"):
        assert "metrics" not in hb.explain(*pair, metrics).draw(80)


def brackets(line: str) -> dict[int, list[str]]:
    """Return the words in brackets by the number of their move."""
    found: dict[int, list[str]] = {}
    for number, words in re.findall(r"\[(\d+) ([^\]]*)\]", line):
        found.setdefault(int(number), []).extend(words.split())
    return found


def test_brackets_are_around_the_words_that_move() -> None:
    """Each word has the number of the last move that has it, as the sentences of moves quote it."""
    rng = random.Random(7)
    for _ in range(40):
        words = [f"w{k}" for k in range(rng.randint(1, 12))]
        shuffled = rng.sample(words, len(words))
        explained = hb.explain(" ".join(shuffled), " ".join(words), "wer")
        expected: dict[str, int] = {}
        for k, move in enumerate(explained.moves):
            expected |= dict.fromkeys(shuffled[slice(*move.block)], k + 1)
        for side, line in zip((shuffled, words), explained.draw(1000).split("\n"), strict=False):
            shown = {word: k for k, moved in brackets(line).items() for word in moved}
            assert shown == expected
            text = re.sub(r"\[\d+ |\]", "", line)
            assert text.split()[1:] == side


def test_words_without_a_link_stay_in_the_bracket_of_their_block() -> None:
    text = hb.explain("c , d a b", "a b c d", "wer").draw(80)
    assert "[1 c , d]" in text or "[1 a b]" in text
    # by hand: "x" stands alone between blocks of two moves, so that it is in neither
    split = hb.explain("e x d c b a", "a b c d e", "wer").draw(80).split("\n")[0]
    assert re.search(r"\] x \[", split)


def naive_runs(links: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Links one after another that are side by side on both sides."""
    runs: list[list[tuple[int, int]]] = []
    for h, r in sorted(links):
        if runs and runs[-1][-1] == (h - 1, r - 1):
            runs[-1].append((h, r))
        else:
            runs.append([(h, r)])
    return runs


def test_runs_of_links() -> None:
    rng = random.Random(3)
    for _ in range(200):
        n = rng.randint(1, 9)
        refs = rng.sample(range(n), n)
        links = [(h, refs[h]) for h in sorted(rng.sample(range(n), rng.randint(1, n)))]
        hyp, ref = [f"h{k}" for k in range(n)], [f"r{k}" for k in range(n)]
        pharaoh = " ".join(f"{h}-{r}" for h, r in links)
        found = link_runs(hyp, ref, Alignment.from_pharaoh(pharaoh, n, n).phrases)
        assert list(found) == [" ".join(f"h{h}/r{r}" for h, r in run) for run in naive_runs(links)]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "links", "expected"),
    [
        ("We met him", "we met Him", None, "links      all words, in one run"),
        ("zum Haus", "house to the", "0-1 0-2 1-0", "links      zum/to · zum/the · Haus/house"),
        ("a b c", "x y", "0-2=0", "links      a_b_c/x"),
        ("the a the", "a the the", "0-1 1-0 2-2", "links      the (0/1) · a · the (2/2)"),
        ("a", "b", None, "links      none"),
    ],
)
def test_links_by_hand(hypothesis: str, reference: str, links: str | None, expected: str) -> None:
    explained = hb.explain(hypothesis, reference, alignment=links)
    assert expected in explained.draw(80).split("\n")


def test_what_has_no_link() -> None:
    lines = hb.explain("a x b y", "a b z").draw(80).split("\n")
    assert lines[-1] == "no link    x y (system) · z (reference)"
    assert hb.explain("", "b").draw(80).split("\n") == [
        "system     (no words)",
        "reference  b",
        "",
        "no word is linked, so there are no moves",
        "",
        "links      none",
        "no link    b (reference)",
    ]


@pytest.mark.parametrize("text", ["a", "a b c", WORDS, " ".join(f"w{k}" for k in range(200))])
def test_equal_sentences(text: str) -> None:
    lines = hb.explain(text, text).draw(80).split("\n")
    assert lines[-3:] == [
        "the linked words are in the order of the reference",
        "",
        "links      all words, in one run",
    ]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "language", "expected"),
    [
        (
            "שלום עולם יפה",
            "עולם יפה שלום",
            None,
            [
                # each line and each quote is isolated from what stands around it
                "system     \u2067[1 שלום] עולם יפה\u2069\n",
                'move "\u2068שלום\u2069" after "\u2068עולם יפה\u2069", 2 words later',
            ],
        ),
        (
            "昨天我在公园看见了一只狗",
            "我昨天看见了一只猫在公园",
            "zh",
            [
                "[1 在 公 园]",
                'move "在 公 园" after "看 见 了 一 只", 5 words later',
                "狗 (system) · 猫 (reference)",
            ],
        ),
    ],
)
def test_other_scripts(
    hypothesis: str, reference: str, language: str | None, expected: list[str]
) -> None:
    explained = hb.explain(hypothesis, reference, language=language)
    for width in (40, 80):
        text = explained.draw(width)
        assert max(map(cell_len, text.split("\n"))) <= width
    for part in expected:
        assert part in text


def test_moves_that_have_no_room_are_counted() -> None:
    words = [*"abcdefghijkl"]
    lines = hb.explain(" ".join(reversed(words)), " ".join(words)).draw(80).split("\n")
    moves = [line for line in lines if "  move " in line]
    assert len(moves) == 4
    assert lines[lines.index(moves[-1]) + 1] == "… and 7 more moves"
    # a longer sentence has a line for each three words
    many = [f"w{k}" for k in range(200)]
    text = hb.explain(" ".join(reversed(many)), " ".join(many), "wer").draw(80)
    assert text.count("  move ") == 200 // 3 - 1
    assert f"… and {199 - 65} more moves" in text


def test_colours_are_around_the_same_text() -> None:
    explained = hb.explain("c , d x a b !", "! a b c d", "wer")
    coloured = explained.draw(80, colour=True)
    assert COLOUR.sub("", coloured) == explained.draw(80)
    assert "\x1b[34m" in coloured


def test_details_have_the_rest() -> None:
    explained = hb.explain("b a", "a b")
    for part in ("permutation", "tree", "inversion parse", "metrics", "\norder\n"):
        assert part in explained.draw(80, details=True)
        assert part not in explained.draw(80)
