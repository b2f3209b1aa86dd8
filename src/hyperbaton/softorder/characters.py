"""The overlap of sentences as bags of character n-grams of their words: words without order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.text.token_data import TokenSets
from hyperbaton.text.words import Words

Floats = npt.NDArray[np.float64]
LONGEST = 4  # characters of an n-gram
BETA = 2.0  # recall counts twice as much as precision
# Marks of a word's begin and end. No text has unpaired surrogates.
BEGIN, END = "\ud800", "\udfff"


def ngrams(word: str) -> list[list[str]]:
    """Return the n-grams of a word, for n = 1…4. Those of more than one character see its ends.

    >>> [[gram.strip(BEGIN + END) for gram in grams] for grams in ngrams("ab")]
    [['a', 'b'], ['a', 'ab', 'b'], ['ab', 'ab'], ['ab']]
    """
    marked = BEGIN + word + END
    return [
        list(word),
        *([marked[k : k + n] for k in range(len(marked) - n + 1)] for n in range(2, LONGEST + 1)),
    ]


def _number_ngrams() -> Callable[[list[str]], list[Sequence[int]]]:
    known: dict[str, int] = {}

    def look_up(tokens: list[str]) -> list[Sequence[int]]:
        return [
            [
                LONGEST * known.setdefault(gram, len(known)) + k
                for k, grams in enumerate(ngrams(token))
                for gram in grams
            ]
            for token in tokens
        ]

    return look_up


NGRAMS = TokenSets(_number_ngrams)


def character_overlap(hyps: Words, refs: Words, threads: int) -> Floats:
    """Return F₂ of the n-grams in common, averaged over n, for each pair of sentences.

    An n counts if a side has n-grams of this length. The value is 0 if a side is empty.
    """
    table = hyps.table
    return _core.character_overlap(
        hyps.numbers,
        hyps.offsets,
        refs.numbers,
        refs.offsets,
        *NGRAMS.arrays(table, len(table)),
        BETA,
        threads,
    )
