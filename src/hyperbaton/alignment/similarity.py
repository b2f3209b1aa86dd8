"""Links between words with similar spelling, for any language and without data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein, Prefix
from rapidfuzz.process import cdist

from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.alignment.notation import LinkRow
from hyperbaton.errors import TooLongError

MIN_SIMILARITY = 0.5
# Each word without a link is compared with each other one. Sentences have some tens of such words;
# these limits keep a line that is a document within a second and 100 MB.
MAX_PAIRS = 1_000_000
MAX_CHARACTER_PAIRS = 1_000_000_000
ROWS = 100  # words that are compared at a time


def check_similar_words(
    hyp_tokens: Sequence[Sequence[str]], ref_tokens: Sequence[Sequence[str]], batch: AlignmentBatch
) -> None:
    """Raise an error if a pair of sentences has too many words to compare.

    Only words without a link among those of the ``batch`` are compared.
    """
    hyp_words, ref_words = batch.covered_words
    free = (batch.hyp_lengths - hyp_words).tolist(), (batch.ref_lengths - ref_words).tolist()
    pairs = zip(hyp_tokens, ref_tokens, *free, strict=True)
    for k, (hyp, ref, free_hyp, free_ref) in enumerate(pairs):
        if free_hyp * free_ref > MAX_PAIRS:
            raise TooLongError(
                k,
                f"too many words for the matcher similar: {free_hyp:,} and {free_ref:,} words "
                f"without a link, at most {MAX_PAIRS:,} pairs of words",
            )
        characters = [sum(map(len, tokens)) for tokens in (hyp, ref)]
        if free_hyp and free_ref and characters[0] * characters[1] > MAX_CHARACTER_PAIRS:
            raise TooLongError(
                k,
                f"the sentences are too long for the matcher similar: {characters[0]:,} and "
                f"{characters[1]:,} characters, at most {MAX_CHARACTER_PAIRS:,} pairs of "
                "characters",
            )


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
    if not free_hyp or not free_ref:
        return links
    similar: list[LinkRow] = []
    pairs = _ranked_pairs([hyp[h] for h in free_hyp], [ref[r] for r in free_ref])
    for h, r in ((free_hyp[i], free_ref[j]) for i, j in pairs):
        if h not in linked_hyp and r not in linked_ref:
            similar.append((h, r, 1, 1, "similar"))
            linked_hyp.add(h)
            linked_ref.add(r)
    return links + sorted(similar)


def _ranked_pairs(hyp: Sequence[str], ref: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of similar words, the most similar first, ties by position."""
    hyp_types, ref_types = list(dict.fromkeys(hyp)), list(dict.fromkeys(ref))
    # RapidFuzz cannot be interrupted, so it gets a few words at a time.
    blocks = [
        _similarities(hyp_types[k : k + ROWS], ref_types) for k in range(0, len(hyp_types), ROWS)
    ]
    hyp_numbers, ref_numbers = (
        {word: number for number, word in enumerate(types)} for types in (hyp_types, ref_types)
    )
    rows, columns = [hyp_numbers[word] for word in hyp], [ref_numbers[word] for word in ref]
    scores = np.concatenate(blocks)[rows][:, columns]
    found = np.flatnonzero(scores.ravel() >= MIN_SIMILARITY)
    found = found[np.argsort(-scores.ravel()[found], kind="stable")]
    for k in found.tolist():
        yield divmod(k, len(ref))


def _similarities(hyp: Sequence[str], ref: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the similarity of each word of ``hyp`` with each word of ``ref``.

    It is the larger of the normalised Levenshtein similarity and the common prefix's share: the
    length of the prefix divided by that of the longer word.
    """
    spelling, prefix = (
        cdist(hyp, ref, scorer=scorer.normalized_similarity, dtype=np.float64)
        for scorer in (Levenshtein, Prefix)
    )
    larger: npt.NDArray[np.float64] = np.maximum(spelling, prefix)
    return larger
