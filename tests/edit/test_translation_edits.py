"""The edits of TER are exactly those that sacreBLEU's own code counts."""

from __future__ import annotations

import itertools
import random

import pytest
from sacrebleu.metrics.lib_ter import translation_edit_rate

from hyperbaton.edit.distances import translation_edits
from hyperbaton.edit.tokens import number_pairs

Pair = tuple[list[str], list[str]]


def check(pairs: list[Pair], threads: int = 1) -> None:
    expected = [translation_edit_rate(list(hyp), list(ref))[0] for hyp, ref in pairs]
    assert translation_edits(number_pairs(pairs), threads).tolist() == expected


def moved(words: list[str], moves: int, rng: random.Random) -> list[str]:
    """Return the words after random moves of blocks."""
    words = list(words)
    for _ in range(moves):
        start = rng.randrange(len(words))
        block = words[start : start + rng.randint(1, 6)]
        del words[start : start + len(block)]
        at = rng.randint(0, len(words))
        words[at:at] = block
    return words


def test_all_short_pairs() -> None:
    sentences = [
        list(words) for n in range(5) for words in itertools.product("abc"[: 4 - n // 2], repeat=n)
    ]
    check(list(itertools.product(sentences, sentences)))


@pytest.mark.parametrize("letters", [2, 5, 100])
def test_random_pairs(letters: int) -> None:
    rng = random.Random(letters)
    vocabulary = [f"w{k}" for k in range(letters)]
    pairs: list[Pair] = []
    for n in (3, 6, 12, 20):
        for _ in range(12):
            ref = rng.choices(vocabulary, k=n)
            hyp = moved(ref, rng.randint(0, 4), rng)
            hyp[rng.randrange(n)] = rng.choice(vocabulary)
            pairs += [(hyp, ref), (rng.choices(vocabulary, k=n + rng.randint(-2, 2)), ref)]
    check(pairs, threads=2)


def test_long_pairs_within_and_above_the_limit_of_tried_shifts() -> None:
    # sacreBLEU discards the round in which it has tried 1,000 shifts: pairs of few letters reach it
    # at once, and those with many moves of distinct words later
    rng = random.Random(7)
    distinct = [f"w{k}" for k in range(150)]
    pairs: list[Pair] = [(rng.choices("ab", k=60), rng.choices("ab", k=60))]
    pairs += [(moved(distinct, moves, rng), distinct) for moves in (1, 4, 15)]
    check(pairs)


@pytest.mark.parametrize(("n", "m"), [(1, 200), (2, 150), (200, 1), (4, 300), (90, 40), (40, 100)])
def test_unequal_lengths(n: int, m: int) -> None:
    # the cells near the diagonal, which are all that is looked at, follow the ratio of the lengths
    rng = random.Random(n)
    vocabulary = [f"w{k}" for k in range(30)]
    check([(rng.choices(vocabulary, k=n), rng.choices(vocabulary, k=m))])
