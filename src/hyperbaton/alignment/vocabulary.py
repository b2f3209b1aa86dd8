"""Words as numbers, and the stems and synsets of a vocabulary."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.alignment.wordnet import WordNet
from hyperbaton.errors import InputTypeError

MAX_CACHED_WORDS = 1 << 20


class Vocabulary(dict[str, int]):
    """Numbers of words, assigned when a word is first looked up.

    Words that ``normalize`` turns into the same word have the same number.
    """

    def __init__(self, normalize: Callable[[str], str]) -> None:
        super().__init__()
        self._normalize = normalize
        self._numbers: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        if not isinstance(word, str):
            raise TypeError
        number = self._numbers.setdefault(self._normalize(word), len(self._numbers))
        self[word] = number
        return number

    @property
    def words(self) -> list[str]:
        """The words by number, as they are compared."""
        return list(self._numbers)


def number_sentences(
    sentences: list[list[str]], vocabulary: Vocabulary, name: str
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the numbers of all words and the offset of each sentence.

    ``name`` is the name of the argument in error messages.
    """
    try:
        return _core.number(sentences, vocabulary)
    except TypeError:
        for k, words in enumerate(sentences):
            for position, word in enumerate(words):
                if not isinstance(word, str):
                    kind = type(word).__name__
                    message = f"{name}[{k}]: token {position} must be a string, got {kind}"
                    raise InputTypeError(message) from None
        raise


class StemCache:
    """The stems of words, computed once per word."""

    def __init__(self, stem: Callable[[Sequence[str]], list[str]]) -> None:
        self._stem = stem
        self._stems: dict[str, str] = {}

    def stem_numbers(self, words: list[str]) -> npt.NDArray[np.int32]:
        """Return numbers that are equal for words with equal stems."""
        if len(self._stems) > MAX_CACHED_WORDS:
            self._stems = {}
        stems = self._stems  # another thread may replace it
        new = [word for word in words if word not in stems]
        stems.update(zip(new, self._stem(new), strict=True))
        numbers: dict[str, int] = defaultdict(itertools.count().__next__)
        return np.array([numbers[stems[word]] for word in words], np.int32)


class SynsetCache:
    """The synsets of words, looked up in WordNet once per word."""

    def __init__(self, wordnet: WordNet) -> None:
        self._wordnet = wordnet
        self._synsets: dict[str, tuple[int, ...]] = {}

    def synset_arrays(
        self, words: list[str]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return the synsets of all words, sorted per word, and the offset of each word."""
        if len(self._synsets) > MAX_CACHED_WORDS:
            self._synsets = {}
        synsets = self._synsets  # another thread may replace it
        for word in words:
            if word not in synsets:
                synsets[word] = tuple(sorted(self._wordnet.synsets(word)))
        sets = [synsets[word] for word in words]
        flat = list(itertools.chain.from_iterable(sets))
        return np.array(flat, np.int32), np.cumsum([0, *map(len, sets)], dtype=np.int64)
