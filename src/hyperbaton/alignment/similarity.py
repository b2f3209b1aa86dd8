"""Words whose characters are alike: links for any language, without data."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein, Prefix

LEAST = 0.5


def similarity(a: str, b: str) -> float:
    """The larger of normalised Levenshtein similarity and the common prefix's share.

    That share is the length of the common prefix over that of the longer word.

    >>> similarity("reordering", "reordered")
    0.7
    """
    return max(Levenshtein.normalized_similarity(a, b), Prefix.normalized_similarity(a, b))


def similar_links(
    hyp: Sequence[str], ref: Sequence[str], free_hyp: Sequence[int], free_ref: Sequence[int]
) -> list[tuple[int, int]]:
    """Links between free words, the most similar first, ties by position."""
    pairs = [(-similarity(hyp[h], ref[r]), h, r) for h in free_hyp for r in free_ref]
    taken_hyp: set[int] = set()
    taken_ref: set[int] = set()
    links = []
    for score, h, r in sorted(pairs):
        if -score < LEAST:
            break
        if h not in taken_hyp and r not in taken_ref:
            links.append((h, r))
            taken_hyp.add(h)
            taken_ref.add(r)
    return sorted(links)
