"""The overlap of characters equals its naive twin."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given

from hyperbaton.softorder.characters import character_overlap
from reference import soft_order as twin
from softorder import sentences
from softorder.sentences import LONG, WORDS, number_sentences, random_pairs


def values(pairs: Sequence[tuple[list[str], list[str]]], threads: int = 1) -> list[float]:
    hyps, refs = number_sentences([hyp for hyp, _ in pairs], [ref for _, ref in pairs])
    found: list[float] = character_overlap(hyps, refs, threads).tolist()
    return found


def close(expected: object) -> object:
    return pytest.approx(expected, rel=0, abs=1e-9)


@given(sentences.sentences, sentences.sentences)
def test_it_equals_the_twin(hyp: list[str], ref: list[str]) -> None:
    (value,) = values([(hyp, ref)])
    assert value == close(twin.chars(hyp, ref))
    assert 0 <= value <= 1


def test_many_sentences_equal_the_twin() -> None:
    pairs = random_pairs(3, 300, most=15, pool=(*WORDS, *LONG))
    expected = [twin.chars(hyp, ref) for hyp, ref in pairs]
    assert values(pairs) == close(expected)
    assert len({round(value, 6) for value in expected}) > 50


@given(sentences.filled_sentences)
def test_it_is_blind_to_order(words: list[str]) -> None:
    assert values([(words[::-1], words), (sorted(words), words)]) == [1, 1]


def test_a_long_repetition_gains_nothing() -> None:
    """Matches are clipped: F₂ of one match among a thousand words and one word is 5/(4 + 1000)."""
    assert values([(["a"] * 1000, ["a"])]) == close([5 / 1004])


def test_marks_of_words_are_not_characters() -> None:
    """``^a$`` is a word of three characters, not ``a`` between its marks."""
    pairs = [(["^a$"], ["a"]), (["^"], ["$"]), (["<s>"], ["</s>"])]
    assert values(pairs) == close([twin.chars(*pair) for pair in pairs])
    assert values([(["^a$"], ["a"])])[0] < 0.6


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    pairs = random_pairs(10, 2000, most=15)
    together = values(pairs, threads)
    assert together == [value for pair in pairs for value in values([pair])]
