"""The overlap of sentences as bags of character n-grams of their words: words without order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.text.words import TokenSets, Words

Floats = npt.NDArray[np.float64]
LONGEST = 4  # characters of an n-gram
BETA = 2.0  # recall counts twice as much as precision
MARK = "\0"  # of a word's begin and end; no text has NUL characters


def ngrams(word: str, length: int) -> list[str]:
    """Return the n-grams of a word. Those of more than one character see its ends.

    >>> [[gram.strip(MARK) for gram in ngrams("ab", n)] for n in (1, 2, 3, 4)]
    [['a', 'b'], ['a', 'ab', 'b'], ['ab', 'ab'], ['ab']]
    """
    if length == 1:
        return list(word)
    marked = MARK + word + MARK
    return [marked[k : k + length] for k in range(len(marked) - length + 1)]


def _number_ngrams() -> Callable[[list[str]], list[Sequence[int]]]:
    # The numbers of n-grams of length n are n − 1, n + 3, n + 7 and so on.
    numbers = [defaultdict[str, int](count(k, LONGEST).__next__) for k in range(LONGEST)]

    def look_up(tokens: list[str]) -> list[Sequence[int]]:
        return [
            [
                known[gram]
                for length, known in enumerate(numbers, 1)
                for gram in ngrams(token, length)
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
