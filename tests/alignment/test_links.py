"""Links of a batch as arrays, against the alignments one by one."""

from __future__ import annotations

import dataclasses
import random
from itertools import pairwise

import pytest

from hyperbaton import Aligner, Alignment
from hyperbaton.alignment.links import Links


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
def test_batches_agree_with_single_alignments(seed: int) -> None:
    rng = random.Random(seed)
    alignments = [some(rng) for _ in range(rng.randrange(12))]
    links = Links.of(alignments)
    for unaligned in ("drop", "left", "right"):
        values, offsets = links.permutations(unaligned)
        found = [values[a:b].tolist() for a, b in pairwise(offsets)]
        assert found == [list(a.permutation(unaligned)) for a in alignments]
    assert len(links) == len(alignments)
    assert links.chunks.tolist() == [a.chunks for a in alignments]
    assert links.counts.tolist() == [len(a.phrases) for a in alignments]
    hyp, ref = links.covered
    assert hyp.tolist() == [len({h for h, _ in a.links}) for a in alignments]
    assert ref.tolist() == [len({r for _, r in a.links}) for a in alignments]


def test_outermost_links() -> None:
    both = Alignment(3, 2, [(0, 0), (2, 1)])
    crossed = Alignment(2, 2, [(0, 1), (1, 0)])
    phrase = Alignment(3, 2, [(0, 0, 3, 2, "given")])  # first and last at once
    links = Links.of([both, crossed, phrase, Alignment(0, 0, [])])
    assert links.outermost.tolist() == [2, 0, 2, 0]


def test_unknown_strategy() -> None:
    with pytest.raises(ValueError, match="one of drop, left, right, not 'both'"):
        Links.of([]).permutations("both")


@pytest.mark.parametrize("matchers", ["exact", "exact+stem", "exact+stem+similar"])
def test_links_as_the_aligner_finds_them(matchers: str) -> None:
    rng = random.Random(3)
    words = ["a", "an", "the", "cat", "cats", "dog", "dogs", "runs", "running", "of", "in"]
    hyps, refs = ([rng.choices(words, k=rng.randrange(12)) for _ in range(200)] for _ in range(2))
    aligner = Aligner("en", matchers, "none")
    found = aligner.links_of_many(hyps, refs)
    expected = Links.of(aligner.align_many(hyps, refs))
    for field in dataclasses.fields(Links):
        assert getattr(found, field.name).tolist() == getattr(expected, field.name).tolist()
