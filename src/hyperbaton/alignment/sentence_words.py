"""The words of aligned sentences as they are written, for displays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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


class PairWords(NamedTuple):
    """The words of both sides."""

    hyps: SentenceWords
    refs: SentenceWords

    def load(self, k: int) -> WordPair:
        """Return the words of pair ``k``."""
        return self.hyps.load(k), self.refs.load(k)
