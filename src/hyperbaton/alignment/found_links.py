"""Links that an aligner has found, and the words of the sentences as they are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.alignment.choices import ROW_MATCHERS
from hyperbaton.alignment.notation import LinkRow
from hyperbaton.text.display import raw_tokens
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import Words

WordPair = tuple[tuple[str, ...], tuple[str, ...]]


class SentenceWords(NamedTuple):
    """Sentences of one side, which are split into words only when these are asked for.

    Parameters
    ----------
    sentences : sequence of str or of list of str
        Sentences, or their tokens. Lists of tokens are not copied, since that would take a tenth
        of the time of the alignment.
    text : Tokenization
        How sentences become tokens.
    aligned : Words
        The tokens as they were aligned.
    """

    sentences: Sequence[str | list[str]]
    text: Tokenization
    aligned: Words

    def load(self, k: int) -> tuple[str, ...]:
        """Return the words of sentence ``k``."""
        sentence = self.sentences[k]
        if isinstance(sentence, str):
            return raw_tokens(sentence, self.text)
        tokens = self.aligned.tokens(k)
        # the caller may have changed the list since
        is_unchanged = [self.text.normalize(token) for token in sentence] == tokens
        return tuple(sentence if is_unchanged else tokens)


@dataclass(frozen=True, eq=False)
class FoundLinks:
    """The links of many sentence pairs, which alignments look up when they are asked for them.

    Attributes
    ----------
    batch : AlignmentBatch
        The links.
    exact : array of bool, optional
        Whether no other selection of matches is better; None if there was no search.
    words : pair of SentenceWords, optional
        The words of both sides as they are written, if the sentences are at hand.
    similar : pair of lists of tokens, optional
        The tokens of both sides, if similar words that have no link are linked as well.
    """

    batch: AlignmentBatch
    exact: npt.NDArray[np.bool_] | None = None
    words: tuple[SentenceWords, SentenceWords] | None = None
    similar: tuple[list[list[str]], list[list[str]]] | None = None

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.batch)

    def lengths(self, k: int) -> tuple[int, int]:
        """Return the number of words of both sentences of pair ``k``."""
        return int(self.batch.hyp_lengths[k]), int(self.batch.ref_lengths[k])

    def is_exact(self, k: int) -> bool | None:
        """Return whether no other selection of pair ``k`` is better; None without a search."""
        return None if self.exact is None else bool(self.exact[k])

    def load_links(self, k: int) -> list[LinkRow]:
        """Return the links of pair ``k``, in any order."""
        begin, end = self.batch.offsets[k : k + 2]
        links = [
            (h, r, h_length, r_length, ROW_MATCHERS[matcher])
            for h, h_length, r, r_length, matcher in self.batch.rows[begin:end].tolist()
        ]
        if self.similar is None:
            return links
        from hyperbaton.alignment.similarity import add_similar_links

        hyps, refs = self.similar
        return add_similar_links(hyps[k], refs[k], links)

    def load_words(self, k: int) -> WordPair | None:
        """Return the words of pair ``k`` as they are written, or None if they are not at hand."""
        return None if self.words is None else (self.words[0].load(k), self.words[1].load(k))
