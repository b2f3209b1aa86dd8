"""Links between words with similar spelling."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from rapidfuzz.distance import Levenshtein, Prefix

import hyperbaton as hb
from hyperbaton.alignment.notation import LinkRow
from hyperbaton.alignment.similarity import MIN_SIMILARITY, add_similar_links


def similarity(a: str, b: str) -> float:
    """The larger of the normalised Levenshtein similarity and the share of the common prefix."""
    return max(Levenshtein.normalized_similarity(a, b), Prefix.normalized_similarity(a, b))


def naive_links(hyp: Sequence[str], ref: Sequence[str], links: list[LinkRow]) -> list[LinkRow]:
    """Go through all pairs of words without a link, the most similar first."""
    linked_hyp, linked_ref = {h for h, *_ in links}, {r for _, r, *_ in links}
    pairs = [
        (-similarity(hyp[h], ref[r]), h, r)
        for h in range(len(hyp))
        for r in range(len(ref))
        if h not in linked_hyp and r not in linked_ref
    ]
    similar: list[LinkRow] = []
    for score, h, r in sorted(pairs):
        if -score >= MIN_SIMILARITY and h not in linked_hyp and r not in linked_ref:
            similar.append((h, r, 1, 1, "similar"))
            linked_hyp.add(h)
            linked_ref.add(r)
    return links + sorted(similar)


def test_links_are_those_of_the_definition() -> None:
    rng = random.Random(2)
    for _ in range(500):
        hyp, ref = (
            ["".join(rng.choices("abcé", k=rng.randint(0, 6))) for _ in range(rng.randint(0, 12))]
            for _ in range(2)
        )
        links: list[LinkRow] = []
        if hyp and ref and rng.random() < 0.5:
            links = [(rng.randrange(len(hyp)), rng.randrange(len(ref)), 1, 1, "exact")]
        assert add_similar_links(hyp, ref, links) == naive_links(hyp, ref, links)


def test_too_many_words_without_a_link() -> None:
    hyp, ref = [f"a{k}" for k in range(2000)], [f"b{k}" for k in range(501)]
    with pytest.raises(
        hb.InputError, match=r"2,000 and 501 words without a link, at most 1,000,000"
    ):
        hb.align(hyp, ref, matchers="exact,similar")
    # only the words without a link count
    assert len(hb.align(hyp + ref, ref, matchers="exact,similar").links) > 500


def test_too_many_characters() -> None:
    with pytest.raises(hb.InputError, match=r"40,000 and 40,001 characters, at most 1,000,000,000"):
        hb.align(["a" * 40_000], ["a" * 40_001], matchers="similar")
