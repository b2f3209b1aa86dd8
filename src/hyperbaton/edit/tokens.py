"""Tokens as numbers: equal tokens of a pair of sentences get equal numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputTypeError

Tokens = Iterable[object]  # hashable tokens; a string is a sequence of characters
UNORDERED = (dict, set, frozenset)


class NumberedPairs(NamedTuple):
    """Pairs of numbered sentences.

    Pair ``k`` is ``s[s_offsets[k]:s_offsets[k + 1]]`` and ``t[t_offsets[k]:t_offsets[k + 1]]``.
    """

    s: npt.NDArray[np.int32]
    s_offsets: npt.NDArray[np.int64]
    t: npt.NDArray[np.int32]
    t_offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.s_offsets) - 1


def number_pair(s: Tokens, t: Tokens) -> NumberedPairs:
    """Number the tokens of one pair from 0.

    >>> pair = number_pair("abca", ["a", "x"])
    >>> pair.s.tolist(), pair.t.tolist()
    ([0, 1, 2, 0], [0, 3])
    """
    return _number_tokens([as_list(s, "s")], [as_list(t, "t")], [("s", "t")])


def number_pairs(
    pairs: Iterable[tuple[Tokens, Tokens]], names: Sequence[tuple[str, str]] | None = None
) -> NumberedPairs:
    """Number the tokens of many pairs.

    ``names`` are the names of the sentences in error messages; by default they are ``s`` and ``t``
    of ``pairs[k]``.
    """
    all_s: list[list[object]] = []
    all_t: list[list[object]] = []
    for k, pair in enumerate(as_list(pairs, "pairs", "pairs")):
        name_s, name_t = ("s", "t") if names is None else names[k]
        try:
            s, t = as_pair(pair, "sentences")
            all_s.append(as_list(s, name_s))
            all_t.append(as_list(t, name_t))
        except InputTypeError as error:
            where = f"pairs[{k}]: " if names is None else ""
            raise InputTypeError(f"{where}{error}") from None
    return _number_tokens(all_s, all_t, names)


def as_list(sequence: Iterable[object], name: str, items: str = "tokens") -> list[object]:
    """Return a sequence as a list; the error for other objects names it and its items."""
    kind = type(sequence).__name__
    if isinstance(sequence, UNORDERED):
        raise InputTypeError(f"{name} must be a sequence of {items}, but a {kind} has no order")
    try:
        return list(sequence)
    except TypeError:
        raise InputTypeError(f"{name} must be a sequence of {items}, got {kind}") from None


def as_pair(pair: object, items: str) -> tuple[Any, Any]:
    """Return the two items of a pair."""
    if type(pair) is tuple and len(pair) == 2:  # the usual case, without further checks
        return pair
    if isinstance(pair, (str, bytes)) or not isinstance(pair, Iterable):
        raise InputTypeError(f"a pair must be two {items}, got {type(pair).__name__}")
    members = as_list(pair, "a pair", f"two {items}")
    if len(members) != 2:
        raise InputTypeError(f"a pair must be two {items}, got {len(members)}")
    return members[0], members[1]


def _number_tokens(
    s: list[list[object]], t: list[list[object]], names: Sequence[tuple[str, str]] | None
) -> NumberedPairs:
    try:
        return NumberedPairs(*_core.number_tokens(tuple(map(tuple, s)), tuple(map(tuple, t))))
    except TypeError:
        for k, pair in enumerate(zip(s, t, strict=True)):
            where = f"pairs[{k}]: " if names is None else ""
            for sentence, name in zip(pair, ("s", "t") if names is None else names[k], strict=True):
                _check_hashable(sentence, where, name)
        raise


def _check_hashable(tokens: list[object], where: str, name: str) -> None:
    for k, token in enumerate(tokens):
        try:
            hash(token)
        except TypeError:
            kind = type(token).__name__
            raise InputTypeError(f"{where}token {k} of {name} is unhashable: {kind}") from None
