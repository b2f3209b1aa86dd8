"""Tokens as numbers: equal tokens of a pair of sentences get equal numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Tokens = Iterable[object]  # any hashable tokens; of a string, its characters
UNORDERED = (dict, set, frozenset)


class NumberedPairs(NamedTuple):
    """Pair k is ``s[s_offsets[k]:s_offsets[k + 1]]`` and likewise of t."""

    s: npt.NDArray[np.int32]
    s_offsets: npt.NDArray[np.int64]
    t: npt.NDArray[np.int32]
    t_offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.s_offsets) - 1


def number_pair(s: Tokens, t: Tokens) -> tuple[list[int], list[int]]:
    """Both sentences as numbers from 0.

    >>> number_pair("abca", ["a", "x"])
    ([0, 1, 2, 0], [0, 3])
    """
    numbers: dict[object, int] = {}
    return _number(s, "s", numbers), _number(t, "t", numbers)


def _number(sentence: Tokens, name: str, numbers: dict[object, int]) -> list[int]:
    tokens = as_tokens(sentence, name)
    setdefault = numbers.setdefault
    try:
        return [setdefault(token, len(numbers)) for token in tokens]
    except TypeError:
        for k, token in enumerate(tokens):
            try:
                hash(token)
            except TypeError:
                kind = type(token).__name__
                raise TypeError(f"token {k} of {name} is unhashable: {kind}") from None
        raise


def as_tokens(sentence: Tokens, name: str) -> list[object]:
    """The tokens of a sentence."""
    if isinstance(sentence, UNORDERED):
        kind = type(sentence).__name__
        raise TypeError(f"{name} is a sequence of tokens, but a {kind} has no order")
    try:
        return list(sentence)
    except TypeError:
        kind = type(sentence).__name__
        raise TypeError(f"{name} is a sequence of tokens, not {kind}") from None


def number_pairs(pairs: Iterable[tuple[Tokens, Tokens]]) -> NumberedPairs:
    """Many pairs; an error names the pair."""
    flat_s: list[int] = []
    flat_t: list[int] = []
    s_ends, t_ends = [0], [0]
    for k, pair in enumerate(pairs):
        try:
            s, t = _two(pair)
            a, b = number_pair(s, t)
        except TypeError as error:
            raise TypeError(f"pairs[{k}]: {error}") from None
        flat_s += a
        flat_t += b
        s_ends.append(len(flat_s))
        t_ends.append(len(flat_t))
    return NumberedPairs(
        np.array(flat_s, np.int32),
        np.array(s_ends, np.int64),
        np.array(flat_t, np.int32),
        np.array(t_ends, np.int64),
    )


def _two(pair: object) -> tuple[Tokens, Tokens]:
    if isinstance(pair, (str, bytes)):
        raise TypeError(f"two sentences make a pair, not one {type(pair).__name__}")
    both = as_tokens(pair, "a pair")  # type: ignore[arg-type]
    if len(both) != 2:
        raise TypeError(f"two sentences make a pair, but here are {len(both)}")
    return both[0], both[1]  # type: ignore[return-value]
