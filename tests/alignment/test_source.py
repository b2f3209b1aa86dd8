"""Through the source: the paper's examples, null rules by hand, and a literal twin."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton import Alignment, Permutation
from hyperbaton.alignment.batch import NULLS, relative_permutations, source_permutations
from reference import source as twin

TEN = range(10)
# Birch & Osborne 2010, figure 1: which target word each source word is linked to, from 1, and
# table 1. (d) of the figure has the inverse of what (d) of the table prints: the table lists
# source words in the order of the target.
FIGURE = {
    "a": ([*range(1, 11)], [*range(1, 11)]),
    "b": ([1, 2, 3, 4, 6, 5, 7, 8, 9, 10], [1, 2, 3, 4, 6, 5, 7, 8, 9, 10]),
    "c": ([6, 7, 8, 9, 10, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 1, 2, 3, 4, 5]),
    "d": ([10, 1, 2, 3, 4, 5, 6, 7, 8, 9], [2, 3, 4, 5, 6, 7, 8, 9, 10, 1]),
}
# by hand: pairs out of order of 45, words in place of 10
DISTANCES = {"a": (0, 10), "b": (1, 8), "c": (25, 0), "d": (9, 0)}


def of_targets(*targets: int | None) -> Alignment:
    links = [(s, t) for s, t in enumerate(targets) if t is not None]
    return Alignment(len(targets), 1 + max((t for _, t in links), default=0), links)


@pytest.mark.parametrize("figure", FIGURE)
@pytest.mark.parametrize("nulls", NULLS)
def test_the_papers_figure_and_table(figure: str, nulls: str) -> None:
    targets, table = FIGURE[figure]
    found = of_targets(*(t - 1 for t in targets)).source_permutation(nulls)
    assert list(found) == targets
    assert list(found.inverse()) == table
    pairs, words = DISTANCES[figure]
    assert hb.kendall(found) == pytest.approx(1 - pairs / 45)
    assert hb.hamming(found) == words / 10
    # the translation is (a), the reference one of the others: two permutations of the source
    monotone = list(range(1, 11))
    assert twin.kendall(monotone, targets) == 1 - Fraction(pairs, 45)
    assert twin.hamming(monotone, targets) == Fraction(words, 10)


@pytest.mark.parametrize("nulls", NULLS)
def test_the_example_of_moses(nulls: str) -> None:
    """Targets 9 1 – 3 6 6 6 8, one word with a second target (4)."""
    text = "1-9 2-1 4-3 4-4 5-6 6-6 7-6 8-8"
    found = Alignment.from_pharaoh(text, 8, 9, base=1).source_permutation(nulls)
    assert list(found) == [8, 1, 2, 3, 4, 5, 6, 7]
    # seven pairs of 28 are out of order: Moses gives 1 − √(7/28)
    assert hb.kendall_sqrt(found) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("targets", "paper", "moses"),
    [
        ((4, 3, None), [2, 1, 3], [3, 1, 2]),
        ((None, None, 0), [1, 2, 3], [1, 2, 3]),  # leading ones come first
        ((None, 1, 0), [1, 3, 2], [1, 3, 2]),
        ((2, None, None, 3), [1, 2, 4, 3], [1, 2, 3, 4]),  # 2 3 4 3, and 2 2 2 3
        ((5, None, 0), [2, 3, 1], [2, 3, 1]),
        ((1, 1, 1), [1, 2, 3], [1, 2, 3]),  # many to one
        ((None, None), [1, 2], [1, 2]),
        ((0, None, 1), [1, 2, 3], [1, 2, 3]),
        ((), [], []),
    ],
)
def test_nulls_by_hand(targets: tuple[int | None, ...], paper: list[int], moses: list[int]) -> None:
    alignment = of_targets(*targets)
    assert list(alignment.source_permutation()) == paper
    assert list(alignment.source_permutation("moses")) == moses


def test_one_to_many_takes_the_first() -> None:
    assert list(Alignment(2, 5, [(0, 4), (0, 1), (1, 2)]).source_permutation()) == [1, 2]
    assert list(Alignment(2, 5, [(0, 4), (0, 3), (1, 2)]).source_permutation()) == [2, 1]


def test_unknown_rule() -> None:
    with pytest.raises(ValueError, match="nulls must be one of paper, moses, got 'drop'"):
        Alignment(1, 1, []).source_permutation("drop")


@pytest.mark.parametrize("nulls", NULLS)
def test_all_small_alignments(nulls: str) -> None:
    for length in range(5):
        for targets in itertools.product([None, 0, 1, 2, 3], repeat=length):
            links = [(s, t) for s, t in enumerate(targets) if t is not None]
            found = Alignment(length, 4, links).source_permutation(nulls)
            assert list(found) == twin.reordering(links, length, nulls), targets


def some_links(rng: random.Random, source: int, target: int) -> list[tuple[int, int]]:
    every = list(itertools.product(range(source), range(target)))
    return sorted(rng.sample(every, rng.randint(0, min(len(every), 2 * source))))


@pytest.mark.parametrize("nulls", NULLS)
@pytest.mark.parametrize("seed", range(20))
def test_batches_equal_single_sentences(seed: int, nulls: str) -> None:
    rng = random.Random(seed)
    lengths = [rng.randrange(12) for _ in range(rng.randrange(8))]
    both = []
    for _ in range(2):
        links = [some_links(rng, n, rng.randrange(12)) for n in lengths]
        rows = np.array([(k, *pair) for k, pairs in enumerate(links) for pair in pairs], np.int64)
        rows = rows.reshape(-1, 3)
        values, offsets = source_permutations(
            rows[:, 0], rows[:, 1], rows[:, 2], np.array(lengths, np.int64), nulls
        )
        expected = [
            twin.reordering(pairs, n, nulls) for pairs, n in zip(links, lengths, strict=True)
        ]
        assert values.tolist() == [value for permutation in expected for value in permutation]
        assert np.diff(offsets).tolist() == lengths
        both.append((values, expected))
    (system, pis), (reference, sigmas) = both
    values = relative_permutations(system, reference, offsets)
    kendall, hamming = hb.kendall(values, offsets=offsets), hb.hamming(values, offsets=offsets)
    for k, (pi, sigma) in enumerate(zip(pis, sigmas, strict=True)):
        assert kendall[k] == pytest.approx(float(twin.kendall(pi, sigma)), abs=1e-12)
        assert hamming[k] == pytest.approx(float(twin.hamming(pi, sigma)), abs=1e-12)
        listed = [sigma[word] for word in sorted(range(len(pi)), key=lambda w: pi[w])]
        assert values[offsets[k] : offsets[k + 1]].tolist() == listed


@pytest.mark.parametrize("seed", range(50))
def test_composition_is_that_of_relations(seed: int) -> None:
    rng = random.Random(seed)
    source, system, reference = (rng.randrange(7) for _ in range(3))
    to_system = some_links(rng, source, system)
    to_reference = some_links(rng, source, reference)
    a, b = Alignment(source, system, to_system), Alignment(source, reference, to_reference)
    found = a.inverse().compose(b)
    every = itertools.product(range(system), range(reference))
    meet = [
        (h, r)
        for h, r in every
        if any((s, h) in to_system and (s, r) in to_reference for s in range(source))
    ]
    assert list(found.links) == meet
    assert (found.hyp_length, found.ref_length) == (system, reference)
    assert a.inverse().inverse() == a
    assert b.inverse().compose(a) == found.inverse()


def test_composition_needs_a_common_sentence() -> None:
    with pytest.raises(ValueError, match="has 3 words in one and 2 in the other"):
        Alignment(1, 3, []).compose(Alignment(2, 1, []))


def test_one_to_one_composition_is_the_direct_permutation() -> None:
    rng = random.Random(7)
    for _ in range(50):
        n = rng.randrange(1, 9)
        pi, sigma = (Permutation(rng.sample(range(1, n + 1), n)) for _ in range(2))
        a = of_targets(*(v - 1 for v in pi))
        b = of_targets(*(v - 1 for v in sigma))
        composed = a.inverse().compose(b).permutation()
        values = relative_permutations(np.array(pi), np.array(sigma), np.array([0, n]))
        assert list(composed) == values.tolist()
