"""Links by vectors: by hand, and against the twin that compares all pairs of words."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from alignment.encoders import TABLE, Written
from hyperbaton import _core
from reference import mutual_links as twin

SETTINGS = [(0.1, 0.2, 0.4), (0.2, 0.2, 0.4), (0.0, 0.0, 0.0), (0.2, 0.5, 0.65), (1.0, 1.0, 1.0)]


def links(hyp: str, ref: str, **settings: float) -> tuple[tuple[int, int], ...]:
    return hb.align(hyp, ref, tokenize="none", matchers=Written(TABLE, **settings)).links


def expected_links(
    hyp: Sequence[str], ref: Sequence[str], encoder: Written
) -> tuple[tuple[int, int], ...]:
    vectors = [encoder.encode([words])[0].tolist() if words else [] for words in (hyp, ref)]
    similarity = twin.similarities(hyp, vectors[0], ref, vectors[1])
    weights = encoder.neighbours, encoder.distance, encoder.threshold
    return tuple(twin.mutual_links(similarity, len(ref), *weights))


def test_by_hand() -> None:
    # cos(big, large) = .8, cos(house, home) = .8, cos(large, home) = .48, cos(the, home) = .6
    assert links("the big house", "the large home") == ((0, 0), (1, 1), (2, 2))
    assert links("the big house", "home the large") == ((0, 1), (1, 2), (2, 0))
    # With d = .2, words at opposite ends of two sentences of two words lose .2 · ½ = .1: .8 − .1.
    assert links("big house", "home large", neighbours=0, threshold=0.7) == ((0, 1), (1, 0))
    assert links("big house", "home large", neighbours=0, threshold=0.71) == ()
    # The neighbour adds .1 · .8 to both pairs.
    assert links("big house", "large home", threshold=0.88) == ((0, 0), (1, 1))
    assert links("big house", "large home", threshold=0.881) == ()
    # The first of two equal words is nearer; the second one has no link that is mutual.
    assert links("the the", "the") == ((0, 0),)
    # Unknown words are like equal ones alone.
    assert links("Oslo big", "large Oslo") == ((0, 1), (1, 0))
    assert links("Oslo", "Bergen") == links("Oslo", "big") == links("", "big") == ()


def test_the_matcher_replaces_others() -> None:
    """Equal words have no link if the encoder finds a better partner."""
    vectors = {"to": (0.0, 1.0), "a": (1.0, 0.0), "b": (1.0, 0.0)}
    aligned = hb.align("to a", "b to", tokenize="none", matchers=Written(vectors, distance=1))
    assert [(x.hyp, x.ref, x.matcher) for x in aligned.phrases] == [
        (0, 1, "encoder"),
        (1, 0, "encoder"),
    ]
    assert aligned.exact is None


@pytest.mark.parametrize("settings", SETTINGS)
def test_all_short_pairs(settings: tuple[float, float, float]) -> None:
    """Every pair of sentences of up to three words out of four, one without a vector."""
    vectors = {"a": (1.0, 0.0), "b": (0.0, 1.0), "c": (-1.0, 0.0)}
    names = "neighbours", "distance", "threshold"
    encoder = Written(vectors, **dict(zip(names, settings, strict=True)))
    sentences = [list(words) for n in range(4) for words in itertools.product("abcd", repeat=n)]
    pairs = list(itertools.product(sentences, repeat=2))
    aligner = hb.Aligner(matchers=encoder)
    found = aligner.align_many([hyp for hyp, _ in pairs], [ref for _, ref in pairs])
    for (hyp, ref), alignment in zip(pairs, found, strict=True):
        assert alignment.links == expected_links(hyp, ref, encoder), (hyp, ref)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("dimensions", [1, 7, 16, 50])
def test_random_vectors(settings: tuple[float, float, float], dimensions: int) -> None:
    rng = random.Random(dimensions)
    vocabulary = [f"w{k}" for k in range(30)]
    vectors = {word: [rng.gauss(0, 1) for _ in range(dimensions)] for word in vocabulary}
    names = "neighbours", "distance", "threshold"
    encoder = Written(vectors, **dict(zip(names, settings, strict=True)))
    pairs = [[rng.sample(vocabulary, rng.randrange(12)) for _ in range(2)] for _ in range(60)]
    aligners = hb.Aligner(matchers=encoder), hb.Aligner(matchers=encoder)
    hyps, refs = [hyp for hyp, _ in pairs], [ref for _, ref in pairs]
    for aligner, threads in zip(aligners, (1, 3), strict=True):
        for (hyp, ref), alignment in zip(
            pairs, aligner.align_many(hyps, refs, threads), strict=True
        ):
            assert alignment.links == expected_links(hyp, ref, encoder), (hyp, ref)


def test_large_and_tiny_vectors() -> None:
    """Vectors whose squares are no 32-bit numbers have the same cosines."""
    for factor in (1e30, 1e-30):
        vectors = {word: [x * factor for x in vector] for word, vector in TABLE.items()}
        aligned = hb.align("the big house", "home the large", matchers=Written(vectors))
        assert aligned.links == ((0, 1), (1, 2), (2, 0))


def test_the_core_checks_its_arguments() -> None:
    words, offsets = np.array([1, 2], np.int32), np.array([0, 2], np.int64)
    vectors = np.ones(4, np.float32)
    side = words, offsets, vectors

    def find(other: tuple[Any, Any, Any], dimensions: int) -> list[int]:
        found: list[int] = _core.vector_links(*side, *other, dimensions, 0.1, 0.2, 0.4, 1).tolist()
        return found

    assert find(side, 2) == [0, 1]
    with pytest.raises(ValueError, match="each word must have a vector"):
        find(side, 3)
    with pytest.raises(ValueError, match="both sides must have the same number"):
        find((words[:0], offsets[:1], vectors[:0]), 2)
    vectors[1] = np.nan
    with pytest.raises(ValueError, match="a vector is not finite"):
        find(side, 2)
