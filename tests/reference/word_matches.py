"""Which words match and which links are allowed, without the aligner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import Stemmer

from hyperbaton import Alignment
from hyperbaton.alignment.wordnet import WordNet
from reference.aligner import Match

MATCHERS = ("exact", "stem", "synonym")


class WordMatches:
    """Tells whether two English words are equal, have the same stem, or share a synset."""

    def __init__(self) -> None:
        stem, wordnet = Stemmer.Stemmer("english", 0).stemWords, WordNet.find()
        self.stem = cache(lambda word: stem([word])[0])
        self.synsets = cache(wordnet.synsets)

    def __call__(self, a: str, b: str) -> bool:
        return (
            a == b
            or self.stem(a) == self.stem(b)
            or not self.synsets(a).isdisjoint(self.synsets(b))
        )

    def allow(self, hyp: Sequence[str], ref: Sequence[str], links: Iterable[Match]) -> bool:
        """Whether all links join single words that match, and no word has two links."""
        used_hyp, used_ref = set(), set()
        for h, h_length, r, r_length, _ in links:
            if (h_length, r_length) != (1, 1) or h in used_hyp or r in used_ref:
                return False
            used_hyp.add(h)
            used_ref.add(r)
            if not self(hyp[h], ref[r]):
                return False
        return True


def as_matches(alignment: Alignment) -> list[Match]:
    """The links of an alignment as matches."""
    return [
        Match(x.hyp, x.hyp_length, x.ref, x.ref_length, MATCHERS.index(x.matcher))
        for x in alignment.phrases
    ]
