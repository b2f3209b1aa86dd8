"""Tokens as numbers: equal tokens of a pair of sentences get equal numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputTypeError

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


def number_pair(s: Tokens, t: Tokens) -> NumberedPairs:
    """One pair, its tokens as numbers from 0.

    >>> pair = number_pair("abca", ["a", "x"])
    >>> pair.s.tolist(), pair.t.tolist()
    ([0, 1, 2, 0], [0, 3])
    """
    return _number([as_tokens(s, "s")], [as_tokens(t, "t")], [("s", "t")])


def as_tokens(sequence: Iterable[object], name: str, of: str = "tokens") -> list[object]:
    """A sequence as a list, of tokens if nothing else is said."""
    kind = type(sequence).__name__
    if isinstance(sequence, UNORDERED):
        raise InputTypeError(f"{name} is a sequence of {of}, but a {kind} has no order")
    try:
        return list(sequence)
    except TypeError:
        raise InputTypeError(f"{name} is a sequence of {of}, not {kind}") from None


def number_pairs(
    pairs: Iterable[tuple[Tokens, Tokens]], names: Sequence[tuple[str, str]] | None = None
) -> NumberedPairs:
    """Many pairs; an error names the pair, or its sentences by their ``names``."""
    all_s: list[list[object]] = []
    all_t: list[list[object]] = []
    for k, pair in enumerate(as_tokens(pairs, "pairs", "pairs")):
        name_s, name_t = ("s", "t") if names is None else names[k]
        try:
            s, t = _two(pair)
            all_s.append(as_tokens(s, name_s))
            all_t.append(as_tokens(t, name_t))
        except TypeError as error:
            raise InputTypeError(f"pairs[{k}]: {error}" if names is None else str(error)) from None
    return _number(all_s, all_t, names)


def _number(
    s: list[list[object]], t: list[list[object]], names: Sequence[tuple[str, str]] | None
) -> NumberedPairs:
    try:
        return NumberedPairs(*_core.number_tokens(tuple(map(tuple, s)), tuple(map(tuple, t))))
    except TypeError:
        for k, pair in enumerate(zip(s, t, strict=True)):
            where = f"pairs[{k}]: " if names is None else ""
            _check_hashable(pair[0], f"{where}token", "s" if names is None else names[k][0])
            _check_hashable(pair[1], f"{where}token", "t" if names is None else names[k][1])
        raise


def _check_hashable(tokens: list[object], what: str, name: str) -> None:
    for k, token in enumerate(tokens):
        try:
            hash(token)
        except TypeError:
            kind = type(token).__name__
            raise InputTypeError(f"{what} {k} of {name} is unhashable: {kind}") from None


def _two(pair: object) -> tuple[Tokens, Tokens]:
    if type(pair) is tuple and len(pair) == 2:  # the usual case, without the questions
        return pair
    if isinstance(pair, (str, bytes)) or not isinstance(pair, Iterable):
        raise InputTypeError(f"two sentences make a pair, not one {type(pair).__name__}")
    both = as_tokens(pair, "a pair", "two sentences")
    if len(both) != 2:
        raise InputTypeError(f"two sentences make a pair, but here are {len(both)}")
    return both[0], both[1]  # type: ignore[return-value]
