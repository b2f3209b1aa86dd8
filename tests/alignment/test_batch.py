"""Alignments of a batch as arrays, against naive definitions and single alignments."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

import reference.scoring as twin
from hyperbaton import Aligner, Alignment
from hyperbaton.alignment.batch import AlignmentBatch


def some(rng: random.Random) -> Alignment:
    """Any links: phrases, words with several partners, sentences without words."""
    n, m = rng.randrange(9), rng.randrange(9)
    rows = set()
    for _ in range(rng.randrange(7) if n and m else 0):
        h, r = rng.randrange(n), rng.randrange(m)
        long = rng.random() < 0.3
        rows.add(
            (
                h,
                r,
                rng.randint(1, min(3, n - h)) if long else 1,
                rng.randint(1, min(3, m - r)) if long else 1,
                "given",
            )
        )
    return Alignment(n, m, sorted(rows))


@pytest.mark.parametrize("seed", range(100))
def test_batches_agree_with_the_definitions(seed: int) -> None:
    rng = random.Random(seed)
    alignments = [some(rng) for _ in range(rng.randrange(12))]
    batch = AlignmentBatch.from_alignments(alignments)
    places = [first_places(alignment) for alignment in alignments]
    for unaligned in ("drop", "left", "right"):
        values, offsets = batch.permutations(unaligned)
        found = [values[a:b].tolist() for a, b in pairwise(offsets)]
        twins = zip(places, alignments, strict=True)
        assert found == [twin.permutation(p, a.ref_length, unaligned) for p, a in twins]
        assert found == [list(a.permutation(unaligned)) for a in alignments]
    assert len(batch) == len(alignments)
    assert [list(a.places) for a in alignments] == places
    assert batch.chunks.tolist() == [count_chunks(a) for a in alignments]
    assert batch.chunks.tolist() == [a.chunks for a in alignments]
    assert batch.link_counts.tolist() == [len(a.phrases) for a in alignments]
    hyp, ref = batch.covered_words
    assert hyp.tolist() == [len({h for h, _ in a.links}) for a in alignments]
    assert ref.tolist() == [len({r for _, r in a.links}) for a in alignments]
    for a, h, r in zip(alignments, hyp.tolist(), ref.tolist(), strict=True):
        assert a.hyp_coverage == (h / a.hyp_length if a.hyp_length else 0)
        assert a.ref_coverage == (r / a.ref_length if a.ref_length else 0)
    words = zip(*(column.tolist() for column in batch.word_links()), strict=True)
    assert list(words) == [(k, *link) for k, a in enumerate(alignments) for link in a.links]


def first_places(alignment: Alignment) -> list[tuple[int, int]]:
    """Each linked reference word with its first hypothesis word, in hypothesis order."""
    linked = {r for _, r in alignment.links}
    return sorted((min(h for h, other in alignment.links if other == r), r) for r in linked)


def count_chunks(alignment: Alignment) -> int:
    """Links that do not continue another link."""
    return sum(
        not any(
            (a.hyp + a.hyp_length, a.ref + a.ref_length) == (b.hyp, b.ref)
            for a in alignment.phrases
        )
        for b in alignment.phrases
    )


def test_selected_pairs() -> None:
    rng = random.Random(5)
    alignments = [some(rng) for _ in range(20)]
    batch = AlignmentBatch.from_alignments(alignments)
    for pairs in ([], [0], [3, 4, 11, 19], list(range(20))):
        selected = batch.select(np.array(pairs, np.int64))
        assert_equal(selected, AlignmentBatch.from_alignments([alignments[k] for k in pairs]))


def assert_equal(found: AlignmentBatch, expected: AlignmentBatch) -> None:
    assert found.rows[:, :4].tolist() == expected.rows[:, :4].tolist()  # without the matcher
    for name in ("offsets", "hyp_lengths", "ref_lengths", "pair"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


def test_linked_sentence_boundaries() -> None:
    both = Alignment(3, 2, [(0, 0), (2, 1)])
    crossed = Alignment(2, 2, [(0, 1), (1, 0)])
    phrase = Alignment(3, 2, [(0, 0, 3, 2, "given")])  # first and last at once
    links = AlignmentBatch.from_alignments([both, crossed, phrase, Alignment(0, 0, [])])
    assert links.boundary_links.tolist() == [2, 0, 2, 0]


def test_unknown_strategy() -> None:
    with pytest.raises(ValueError, match="one of drop, left, right, got 'both'"):
        AlignmentBatch.from_alignments([]).permutations("both")


@pytest.mark.parametrize("matchers", ["exact", "exact+stem", "exact+stem+similar"])
def test_links_as_the_aligner_finds_them(matchers: str) -> None:
    rng = random.Random(3)
    words = ["a", "an", "the", "cat", "cats", "dog", "dogs", "runs", "running", "of", "in"]
    hyps, refs = ([rng.choices(words, k=rng.randrange(12)) for _ in range(200)] for _ in range(2))
    aligner = Aligner("en", matchers, "none")
    found = aligner.align_batch(hyps, refs)
    expected = AlignmentBatch.from_alignments(aligner.align_many(hyps, refs))
    assert_equal(found, expected)
