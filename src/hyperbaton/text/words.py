"""Lines of text as numbers of tokens, computed by the C++ core.

Each distinct word is analysed once and remembered in a table. Python is asked only for words that
are not ASCII, because case and normalisation follow Python's version of Unicode.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count, pairwise
from typing import Generic, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.text.folding import INVISIBLE
from hyperbaton.text.tokenization import Tokenization, insert_spaces
from hyperbaton.threads import SharedLock

Ints = npt.NDArray[np.int64]
Int32s = npt.NDArray[np.int32]
LookUp = TypeVar("LookUp")
NOTHING, NO_OFFSETS = np.array([], np.int32), np.array([0], np.int64)
Sequence.register(_core.Lines)
NATIVE_TOKENIZERS = ("13a", "none")
MAX_TABLE_BYTES = 1 << 25  # a table that is larger is replaced by an empty one
_table_numbers = count(1)


class Words(NamedTuple):
    """Numbered tokens of sentences; sentence ``k`` is ``numbers[offsets[k]:offsets[k + 1]]``.

    Numbers of the same table can be compared.
    """

    table: WordTable
    numbers: Int32s
    offsets: Ints

    @property
    def lengths(self) -> Ints:
        """The number of tokens of each sentence."""
        return np.diff(self.offsets)

    def take(self, sentences: Ints) -> Words:
        """Return the sentences with these indices, in this order."""
        lengths = self.lengths[sentences]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        inside = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        return Words(
            self.table,
            self.numbers[np.repeat(self.offsets[sentences], lengths) + inside],
            offsets,
        )

    def tokens(self, k: int) -> list[str]:
        """Return the tokens of sentence ``k``."""
        numbers = self.numbers[self.offsets[k] : self.offsets[k + 1]].tolist()
        return [self.table.tokens(number, number + 1)[0] for number in numbers]

    def strings(self) -> list[list[str]]:
        """Return the tokens of each sentence."""
        tokens = self.table.tokens(0, len(self.table))
        bounds = self.offsets.tolist()
        numbers = self.numbers.tolist()
        return [
            [tokens[number] for number in numbers[begin:end]] for begin, end in pairwise(bounds)
        ]


class WordTable:
    """Numbers of tokens. Tokens are equal if the tokenisation makes them equal.

    Parameters
    ----------
    text : Tokenization
        How lines become tokens.
    whole : bool
        Whether sentences come as lists of tokens, which are normalised but not split.

    Attributes
    ----------
    number : int
        A number that no other table of this process has or had.
    """

    def __init__(self, text: Tokenization, whole: bool = False) -> None:
        self.number = next(_table_numbers)
        self._text = text
        self._splits_lines = not whole and text.tok in (*NATIVE_TOKENIZERS, "intl")
        # Other tokenisers split in Python. Their tokens are normalised already.
        normalizes = whole or self._splits_lines
        is_native = text.tok != "intl" or whole
        unit = "text" if not self._splits_lines else "word" if is_native else "word_in_spaces"
        self._core = _core.WordTable(
            unit,
            text.tok == "13a" and self._splits_lines,
            text.case == "lc" and normalizes,
            text.turkic,
            is_native,
            text.punct == "drop" and self._splits_lines,
            list(INVISIBLE) if text.fold == "standard" else [],
            # These functions must not refer to this object: the garbage collector cannot see
            # references that the core holds.
            partial(_normalize_words, text, not whole) if normalizes else list,
            partial(_keeps_tokens, text),
        )

    def __len__(self) -> int:
        """Return the number of distinct tokens."""
        return len(self._core)

    @property
    def bytes(self) -> int:
        """The memory that the table takes, roughly."""
        return self._core.bytes

    def tokens(self, begin: int, end: int) -> list[str]:
        """Return the tokens with these numbers."""
        return self._core.tokens(begin, end)

    def number_lines(self, lines: _core.Lines, threads: int) -> Words:
        """Return the tokens of lines."""
        if self._splits_lines:
            return Words(self, *self._core.number_lines(lines, threads))
        return self.number_tokens([self._text.split(line) for line in lines], "lines", threads)

    def number_tokens(self, sentences: list[list[str]], name: str, threads: int) -> Words:
        """Return the tokens of sentences that are split already.

        Raises
        ------
        InputError, InputTypeError
            If a token is not a valid string. The message calls the sentences ``name``.
        """
        return Words(self, *self._core.number_tokens(sentences, name, threads))


def _normalize_words(text: Tokenization, splits: bool, words: list[str]) -> list[str]:
    normalized = [text.normalize(word) for word in words]
    if text.tok != "intl" or not splits:
        return normalized
    return [insert_spaces("intl")(word) for word in normalized]


def _keeps_tokens(text: Tokenization, tokens: list[str]) -> list[bool]:
    return [text.keeps(token) for token in tokens]


_tables: dict[tuple[Tokenization, bool], WordTable] = {}
_lock = SharedLock()


def as_utf8(lines: Sequence[str]) -> _core.Lines:
    """Return lines of text as the core reads them."""
    return lines if isinstance(lines, _core.Lines) else _core.Lines.from_strings(lines)


def lines_from_strings(strings: list[str]) -> _core.Lines:
    """Return lines of text; pickled lines are restored by it."""
    return _core.Lines.from_strings(strings)


if hasattr(os, "register_at_fork"):
    # A thread of the parent process may have locked a table, and it does not exist in the child.
    os.register_at_fork(after_in_child=_tables.clear)


def shared_table(text: Tokenization, whole: bool = False) -> WordTable:
    """Return the table that everyone uses for a tokenisation.

    It is replaced by an empty table when it has grown too large. Words that were numbered with
    different tables cannot be compared, so sentences that are compared are numbered with one.
    """
    with _lock:
        table = _tables.get((text, whole))
        if table is None or table.bytes > MAX_TABLE_BYTES:
            table = _tables[text, whole] = WordTable(text, whole)
        return table


class _TokenAttributes(Generic[LookUp]):
    """What is known about the tokens of tables.

    Parameters
    ----------
    look_up : callable
        Returns a function that returns what is known about each token of a list. It is called for
        each table, because numbers may depend on earlier tokens of the same table.
    """

    def __init__(self, look_up: Callable[[], LookUp]) -> None:
        self._make_look_up = look_up
        self._known: WeakKeyDictionary[WordTable, tuple[LookUp, Int32s, Ints]] = WeakKeyDictionary()
        self._lock = SharedLock()


class TokenSets(_TokenAttributes[Callable[[list[str]], list[Sequence[int]]]]):
    """A sequence of numbers for each token of a table."""

    def arrays(self, table: WordTable, count: int) -> tuple[Int32s, Ints]:
        """Return the numbers of the first ``count`` tokens, and the offset of each token."""
        with self._lock:
            known = self._known.get(table)
            look_up, numbers, offsets = known or (self._make_look_up(), NOTHING, NO_OFFSETS)
            if len(offsets) - 1 < count:
                sets = look_up(table.tokens(len(offsets) - 1, count))
                flat = np.array([number for of_token in sets for number in of_token], np.int32)
                ends = offsets[-1] + np.cumsum([len(of_token) for of_token in sets], dtype=np.int64)
                numbers, offsets = np.append(numbers, flat), np.append(offsets, ends)
            self._known[table] = look_up, numbers, offsets
        return numbers[: offsets[count]], offsets[: count + 1]


class TokenNumbers(_TokenAttributes[Callable[[list[str]], Int32s]]):
    """A number for each token of a table."""

    def array(self, table: WordTable, count: int) -> Int32s:
        """Return the numbers of the first ``count`` tokens."""
        with self._lock:
            known = self._known.get(table)
            look_up, numbers, _ = known or (self._make_look_up(), NOTHING, NO_OFFSETS)
            if len(numbers) < count:
                numbers = np.append(numbers, look_up(table.tokens(len(numbers), count)))
            self._known[table] = look_up, numbers, NO_OFFSETS
        return numbers[:count]
