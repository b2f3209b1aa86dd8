"""Anchors equal their naive twin, and bindings refuse what no caller should pass."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from hyperbaton import _core
from hyperbaton.errors import InputError
from hyperbaton.softorder.anchors import Anchors, PairedAnchors, find_anchors, pair_anchors
from reference import anchors as twin
from softorder.sentences import number_sentences
from waiting import check_linear_time

Tokens = Sequence[str]
References = Sequence[Sequence[Tokens]]
Row = tuple[int, float, float, int]  # weight, both shares, tokens


def starts_of(refs: References) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([0, *itertools.accumulate(map(len, refs))], np.int64)


def found_anchors(
    systems: Sequence[Sequence[Tokens]], refs: References, threads: int = 1
) -> list[Anchors]:
    flat = [ref for segment in refs for ref in segment]
    *numbered, numbered_refs = number_sentences(*systems, flat)
    return [find_anchors(hyps, numbered_refs, starts_of(refs), threads) for hyps in numbered]


def paired(
    a: Sequence[Tokens], b: Sequence[Tokens], refs: References, threads: int = 1
) -> PairedAnchors:
    anchors_a, anchors_b = found_anchors([a, b], refs, threads)
    return pair_anchors(anchors_a, anchors_b, threads)


def records(anchors: Anchors) -> list[list[int]]:
    bounds = itertools.pairwise(anchors.offsets.tolist())
    return [anchors.values[begin:end].tolist() for begin, end in bounds]


def numbers(pair: PairedAnchors) -> list[Row]:
    return list(zip(*(column.tolist() for column in pair), strict=True))


def check_against_twin(a: Sequence[Tokens], b: Sequence[Tokens], refs: References) -> None:
    found = found_anchors([a, b], refs)
    for system, anchors in zip((a, b), found, strict=True):
        expected = [
            [number for ref in segment for number in record(hyp, ref)]
            for hyp, segment in zip(system, refs, strict=True)
        ]
        assert records(anchors) == expected
    rows = numbers(pair_anchors(found[0], found[1], 1))
    for row, hyp_a, hyp_b, segment_refs in zip(rows, a, b, refs, strict=True):
        segment = twin.compare_segment(hyp_a, hyp_b, segment_refs)
        assert row == (segment.weight, float(segment.a), float(segment.b), segment.words)


def record(hyp: Tokens, ref: Tokens) -> list[int]:
    positions = twin.positions_of_single_words(hyp, ref)
    return [len(ref), len(positions), *positions]


# By hand ---------------------------------------------------------------------------------------


def test_an_example_by_hand() -> None:
    """Each system has a word twice or not at all; of five, three are left."""
    ref = ["the", "old", "house", "is", "big"]
    a = ["the", "house", "the", "old", "is", "big"]
    b = ["is", "house", "big", "old", "and", "tall"]
    anchors_a, anchors_b = found_anchors([[a], [b]], [[ref]])
    assert records(anchors_a) == [[5, 4, 2, 1, 3, 4]]
    assert records(anchors_b) == [[5, 4, 3, 2, 4, 1]]
    # The anchors are old, house, is and big. Of the five steps between <s> and </s>, three are
    # broken in a, which has house old is big (2 1 3 4), and all in b: is house big old (3 2 4 1).
    expected = twin.Segment(4, Fraction(2, 5), Fraction(0), 5)
    assert twin.compare_segment(a, b, [ref]) == expected
    assert numbers(paired([a], [b], [[ref]])) == [(4, 0.4, 0, 5)]


def test_the_reference_with_most_anchors_and_the_first_on_ties() -> None:
    refs = [list("xy"), list("bac"), list("abcd"), list("cbaxxx")]
    text = list("abc")
    assert numbers(paired([text], [text], [refs])) == [(3, 0.25, 0.25, 3)]
    assert numbers(paired([text], [text], [[refs[2], refs[1]]])) == [(3, 1, 1, 4)]


def test_fewer_than_two_anchors_have_no_weight() -> None:
    texts = [[], ["a"], ["a", "b"], ["a", "a", "b", "b"]]
    for a, b in itertools.product(texts, repeat=2):
        (row,) = numbers(paired([a], [b], [[["a", "b", "c"]]]))
        assert row == ((2, 1, 1, 3) if len(a) == len(b) == 2 else (0, 0, 0, 3))
    assert numbers(paired([["a"]], [["a"]], [[[]]])) == [(0, 0, 0, 0)]
    assert numbers(paired([["a"]], [["a"]], [[]])) == [(0, 0, 0, 0)]
    assert numbers(paired([], [], [])) == []


# Against the twin ------------------------------------------------------------------------------


def test_all_short_sentences() -> None:
    texts = [list(t) for n in range(4) for t in itertools.product("abc", repeat=n)]
    ref = list("abcd")
    pairs = list(itertools.product(texts, repeat=2))
    check_against_twin([a for a, _ in pairs], [b for _, b in pairs], [[ref]] * len(pairs))


def random_corpus(
    seed: int, segments: int, most: int = 12
) -> tuple[list[list[str]], list[list[str]], list[list[list[str]]]]:
    """Two systems with some words of the first reference in another order."""
    rng = random.Random(seed)
    a: list[list[str]] = []
    b: list[list[str]] = []
    refs: list[list[list[str]]] = []
    for _ in range(segments):
        words = [str(k) for k in range(rng.choice((2, 8, 40)))]
        refs.append([rng.choices(words, k=rng.randrange(most)) for _ in range(rng.randrange(1, 4))])
        for system in (a, b):
            text = rng.sample(refs[-1][0], rng.randint(0, len(refs[-1][0])))
            text += rng.choices(words, k=rng.randrange(3))
            system.append(text)
    return a, b, refs


@pytest.mark.parametrize("seed", range(6))
def test_random_sentences(seed: int) -> None:
    check_against_twin(*random_corpus(seed, 300))


def test_long_sentences() -> None:
    check_against_twin(*random_corpus(9, 10, 150))


# Properties ------------------------------------------------------------------------------------


def test_exchanging_two_systems_exchanges_their_numbers() -> None:
    a, b, refs = random_corpus(1, 300)
    weights, kept_a, kept_b, tokens = paired(a, b, refs)
    exchanged = paired(b, a, refs)
    for found, expected in zip(exchanged, (weights, kept_b, kept_a, tokens), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("threads", [2, 7])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    a, b, refs = random_corpus(2, 2000)
    for one, several in zip(
        found_anchors([a, b], refs), found_anchors([a, b], refs, threads), strict=True
    ):
        np.testing.assert_array_equal(one.values, several.values)
        np.testing.assert_array_equal(one.offsets, several.offsets)
    assert numbers(paired(a, b, refs)) == numbers(paired(a, b, refs, threads))


def test_batches_change_nothing() -> None:
    a, b, refs = random_corpus(3, 90)
    whole = numbers(paired(a, b, refs))
    parts = [
        row
        for k in range(0, 90, 7)
        for row in numbers(paired(a[k : k + 7], b[k : k + 7], refs[k : k + 7]))
    ]
    assert whole == parts


def test_words_that_only_one_system_has_change_nothing() -> None:
    a, b, refs = random_corpus(4, 200)
    longer = [[*text[:2], f"new{k}", *text[2:]] for k, text in enumerate(a)]
    assert numbers(paired(longer, b, refs)) == numbers(paired(a, b, refs))


def test_a_system_against_itself_with_empty_lines() -> None:
    a, _, refs = random_corpus(5, 200)
    blanked = [text if k % 3 else [] for k, text in enumerate(a)]
    weights, kept_a, kept_b, _ = paired(a, blanked, refs)
    assert weights.any()
    assert not weights[::3].any()
    np.testing.assert_array_equal(kept_a, kept_b)


def test_many_equal_words_take_linear_time() -> None:
    """Apart from sorting, whose time hardly grows faster."""
    check_linear_time(
        lambda size: paired([["a"] * size], [["a"] * size], [[["a"] * size]]), 100_000
    )
    assert numbers(paired([["a"] * 100_000], [["a"]], [[["a"] * 100_000]])) == [(0, 0, 0, 100_000)]


# What no caller should pass ---------------------------------------------------------------------


def pair_records(a: Sequence[int], b: Sequence[int]) -> list[Row]:
    sides = [Anchors(np.array(v, np.int32), np.array([0, len(v)])) for v in (a, b)]
    return numbers(pair_anchors(sides[0], sides[1], 1))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([3], "segment 1: anchors end too early"),
        ([3, 2, 0], "segment 1: anchors end too early"),
        ([3, 4, 0, 1, 2, 0], "segment 1: 4 anchors in a reference of 3 words"),
        ([-1, 0], "segment 1: 0 anchors in a reference of -1 words"),
        ([3, -1], "segment 1: -1 anchors in a reference of 3 words"),
        ([3, 1, 3], "segment 1: an anchor at position 3 of a reference of 3 words"),
        ([3, 1, -1], "segment 1: an anchor at position -1 of a reference of 3 words"),
        ([3, 2, 1, 1], "segment 1: two anchors are at the same position"),
        ([4, 1, 1], "segment 1: two systems have references of . and . words"),
        ([3, 1, 1, 3, 0], "segment 1: two systems have different numbers of references"),
        ([], "segment 1: two systems have different numbers of references"),
    ],
)
def test_damaged_anchors(record: list[int], message: str) -> None:
    valid = [3, 2, 0, 1]
    assert pair_records(valid, valid) == [(2, 1, 1, 3)]
    for sides in ((record, valid), (valid, record)):
        with pytest.raises(InputError, match=f"^{message}$"):
            pair_records(*sides)


def test_the_first_damaged_segment_is_named_with_any_number_of_threads() -> None:
    values = np.tile(np.array([1, 1, 0], np.int32), 5000)
    offsets = np.arange(0, 15_001, 3)
    damaged = values.copy()
    damaged[[3 * 4000 + 2, 3 * 3000 + 2]] = 7
    for threads in (1, 4):
        with pytest.raises(InputError, match="segment 3001: an anchor at position 7 of"):
            pair_anchors(Anchors(values, offsets), Anchors(damaged, offsets), threads)


def test_batches_that_do_not_belong_together() -> None:
    numbers, offsets = np.array([1, 2], np.int32), np.array([0, 1, 2])
    for starts in ([0, 2], [0, 2, 1], [1, 1, 2], [0, 1, 3], [-1, 1, 2], []):
        with pytest.raises(ValueError, match=r"starts of references|same number of items"):
            _core.find_anchors(numbers, offsets, numbers, offsets, np.array(starts, np.int64), 1)
    with pytest.raises(ValueError, match="offsets end at 1"):
        _core.find_anchors(numbers, np.array([0, 1]), numbers, offsets, np.array([0, 2]), 1)
    with pytest.raises(ValueError, match="same number of items"):
        _core.pair_anchors(numbers, np.array([0, 2]), numbers, offsets, 1)
