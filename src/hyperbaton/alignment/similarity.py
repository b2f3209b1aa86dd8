"""Links between words with similar spelling, for any language and without data."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein, Prefix

from hyperbaton.alignment.notation import LinkRow

MIN_SIMILARITY = 0.5


def similarity(a: str, b: str) -> float:
    """Return the larger of the normalised Levenshtein similarity and the common prefix's share.

    The share is the length of the common prefix divided by the length of the longer word.

    >>> similarity("reordering", "reordered")
    0.7
    """
    return max(Levenshtein.normalized_similarity(a, b), Prefix.normalized_similarity(a, b))


def add_similar_links(
    hyp: Sequence[str], ref: Sequence[str], links: list[LinkRow]
) -> list[LinkRow]:
    """Return the links and, in addition, links between similar words that have none.

    Words are linked greedily: the most similar pair first, ties by position.
    """
    linked_hyp = {h + i for h, _, length, _, _ in links for i in range(length)}
    linked_ref = {r + i for _, r, _, length, _ in links for i in range(length)}
    free_hyp = [h for h in range(len(hyp)) if h not in linked_hyp]
    free_ref = [r for r in range(len(ref)) if r not in linked_ref]
    pairs = [(-similarity(hyp[h], ref[r]), h, r) for h in free_hyp for r in free_ref]
    similar: list[LinkRow] = []
    for score, h, r in sorted(pairs):
        if -score < MIN_SIMILARITY:
            break
        if h not in linked_hyp and r not in linked_ref:
            similar.append((h, r, 1, 1, "similar"))
            linked_hyp.add(h)
            linked_ref.add(r)
    return links + sorted(similar)
