"""Tokens as numbers: equal tokens of a pair of sentences get equal numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count
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


def number_pair(
    s: Tokens, t: Tokens, names: tuple[str, str] = ("s", "t")
) -> tuple[list[int], list[int]]:
    """Both sentences as numbers from 0; ``names`` is what an error calls them.

    >>> number_pair("abca", ["a", "x"])
    ([0, 1, 2, 0], [0, 3])
    """
    numbers: dict[object, int] = defaultdict(count().__next__)
    return _number(s, names[0], numbers), _number(t, names[1], numbers)


def _number(sentence: Tokens, name: str, numbers: dict[object, int]) -> list[int]:
    tokens = as_tokens(sentence, name)
    try:
        return list(map(numbers.__getitem__, tokens))
    except TypeError:
        for k, token in enumerate(tokens):
            try:
                hash(token)
            except TypeError:
                kind = type(token).__name__
                raise TypeError(f"token {k} of {name} is unhashable: {kind}") from None
        raise


def as_tokens(sequence: Iterable[object], name: str, of: str = "tokens") -> list[object]:
    """A sequence as a list, of tokens if nothing else is said."""
    kind = type(sequence).__name__
    if isinstance(sequence, UNORDERED):
        raise TypeError(f"{name} is a sequence of {of}, but a {kind} has no order")
    try:
        return list(sequence)
    except TypeError:
        raise TypeError(f"{name} is a sequence of {of}, not {kind}") from None


def number_pairs(
    pairs: Iterable[tuple[Tokens, Tokens]], names: Sequence[tuple[str, str]] | None = None
) -> NumberedPairs:
    """Many pairs; an error names the pair, or its sentences by their ``names``."""
    flat_s: list[int] = []
    flat_t: list[int] = []
    s_ends, t_ends = [0], [0]
    for k, pair in enumerate(as_tokens(pairs, "pairs", "pairs")):
        try:
            s, t = _two(pair)
            a, b = number_pair(s, t) if names is None else number_pair(s, t, names[k])
        except TypeError as error:
            raise TypeError(f"pairs[{k}]: {error}" if names is None else str(error)) from None
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
    if isinstance(pair, (str, bytes)) or not isinstance(pair, Iterable):
        raise TypeError(f"two sentences make a pair, not one {type(pair).__name__}")
    both = as_tokens(pair, "a pair", "two sentences")
    if len(both) != 2:
        raise TypeError(f"two sentences make a pair, but here are {len(both)}")
    return both[0], both[1]  # type: ignore[return-value]
