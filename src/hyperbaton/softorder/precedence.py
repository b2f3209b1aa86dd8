"""Precedence: whether neighbouring words stand the right way round, by counts in a corpus."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError
from hyperbaton.softorder.order import CHARACTERS
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import TokenNumbers, Words, WordTable

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
UInt32s = npt.NDArray[np.uint32]
OWN_CLASS = 150  # the most frequent words have classes of their own
SHORT = 4  # characters of a short word
DIGITS = frozenset("0123456789")
DIGEST_CHARACTERS = 12  # of a label
NO_LINES = "there are no lines to count in"
BEGIN, END = "begin", "end"  # the classes of the marks


class PairCounts(NamedTuple):
    """How often pairs of words occur at one distance.

    The words that follow word x are ``followers[offsets[x]:offsets[x + 1]]``, sorted.
    """

    offsets: Int64s
    followers: Int32s
    counts: UInt32s

    @property
    def first(self) -> Int32s:
        """The first word of each pair."""
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int32), np.diff(self.offsets))


def word_class(word: str) -> Hashable:
    """Return the class of a word that is not frequent.

    It is a name for digits (``#d``), for letters and digits (``#x``) and for neither (``#p``).
    Other words have their last two characters, whether they are short, and whether they have a
    hyphen.

    >>> word_class("1,000"), word_class("running"), word_class("b-2")
    ('#d', ('ng', False, False), '#x')
    """
    if not word.isalpha():
        has_digit = not DIGITS.isdisjoint(word)
        if not any(map(str.isalpha, word)):
            return "#d" if has_digit else "#p"
        if has_digit:
            return "#x"
    return word[-2:], len(word) <= SHORT, "-" in word


@dataclass(frozen=True, eq=False)
class PrecedenceModel:
    """Counts of words and pairs of words in the distinct lines of a corpus.

    It is frozen and can be pickled. Models of different parts of a corpus can be merged.

    Attributes
    ----------
    text : Tokenization
        How lines became words.
    lines : int
        Number of distinct lines.
    digest : tuple of int
        Two sums of hashes of the lines, modulo 2⁶⁴. They do not depend on the order of lines.
    parts : tuple of int
        Which parts of the corpus were counted, from 0.
    part_count : int
        Into how many parts the corpus is divided, by a hash of each line.
    words : tuple of str
        The words, sorted by code point.
    word_counts : array
        How often each word occurs, then the mark of the begin, then that of the end.
    next, after_next : PairCounts
        Pairs of neighbours, and of words two apart. The marks are the last two words.
    """

    text: Tokenization
    lines: int
    digest: tuple[int, ...]
    parts: tuple[int, ...]
    part_count: int
    words: tuple[str, ...]
    word_counts: Int64s
    next: PairCounts
    after_next: PairCounts

    def __post_init__(self) -> None:
        for array in (self.word_counts, *self.next, *self.after_next):
            array.flags.writeable = False  # the core keeps them

    @property
    def label(self) -> str:
        """The number of lines and a short digest, as signatures name the model."""
        return f"{self.lines}-{self.hexadecimal_digest[:DIGEST_CHARACTERS]}"

    @property
    def hexadecimal_digest(self) -> str:
        """The digest as 32 characters."""
        return "".join(f"{half:016x}" for half in self.digest)

    def check_complete(self) -> None:
        """Raise an error if parts of the corpus are missing, or if it has no lines."""
        missing = self.part_count - len(self.parts)
        if missing:
            present = ", ".join(str(part + 1) for part in self.parts)
            raise InputError(
                f"the model has only part {present} of {self.part_count}: merge it with the others"
            )
        if not self.lines:
            raise InputError(NO_LINES)

    def check_counts(self) -> None:
        """Raise an error if the arrays contradict each other."""
        self._core  # noqa: B018 - it checks them

    def merge(self, other: PrecedenceModel) -> PrecedenceModel:
        """Return the model of the parts of both. If all are there, it is that of the whole.

        Raises
        ------
        InputError
            If both may have counted the same lines, or with different tokens.
        """
        if self.text != other.text:
            raise InputError("models of different tokens cannot be merged")
        if self.part_count != other.part_count or set(self.parts) & set(other.parts):
            raise InputError(
                "these models cannot be merged, because they may have counted the same lines: "
                "each must be another part of the same division"
            )
        words = sorted({*self.words, *other.words})
        numbers = {word: number for number, word in enumerate(words)}
        marks = [len(words), len(words) + 1]
        ranks = [
            np.array([*(numbers[word] for word in model.words), *marks], np.int32)
            for model in (self, other)
        ]
        parts = tuple(sorted((*self.parts, *other.parts)))
        is_complete = len(parts) == self.part_count
        word_counts = np.zeros(len(words) + 2, np.int64)
        for model, rank in zip((self, other), ranks, strict=True):
            word_counts[rank] += model.word_counts
        return replace(
            self,
            lines=self.lines + other.lines,
            digest=tuple(
                (a + b) % (1 << 64) for a, b in zip(self.digest, other.digest, strict=True)
            ),
            parts=(0,) if is_complete else parts,
            part_count=1 if is_complete else self.part_count,
            words=tuple(words),
            word_counts=word_counts,
            next=_merge_pairs((self.next, other.next), ranks),
            after_next=_merge_pairs((self.after_next, other.after_next), ranks),
        )

    def values(self, hyps: Words, refs: Words, threads: int) -> Floats:
        """Return, for each pair of sentences, how far neighbours stand the right way round."""
        return self._core.values(
            hyps.numbers,
            hyps.offsets,
            refs.numbers,
            refs.offsets,
            self._items.array(hyps.table, len(hyps.table)),
            threads,
        )

    def losses(self, hyp: Words, ref: Words) -> Floats:
        """Return the loss of each pair of neighbours in one sentence, between 0 and 1.

        Only its own words are looked up, since each sentence may have a model of its own.
        """
        numbers, places = np.unique(np.concatenate([hyp.numbers, ref.numbers]), return_inverse=True)
        items = self._look_up([hyp.table.tokens(k, k + 1)[0] for k in numbers.tolist()])
        own = places.astype(np.int32)
        return self._core.losses(own[: len(hyp.numbers)], own[len(hyp.numbers) :], items)

    @cached_property
    def _classes(self) -> tuple[Int32s, Mapping[Hashable, int]]:
        """The class of each word and of the marks, and the numbers of classes."""
        ranked = sorted(
            zip((-self.word_counts[:-2]).tolist(), self.words, strict=True)
        )  # ties by code point
        frequent = {word for _, word in ranked[:OWN_CLASS]}
        numbers: dict[Hashable, int] = {}
        keys: Iterable[Hashable] = (
            ("frequent", word) if word in frequent else word_class(word) for word in self.words
        )
        classes = [numbers.setdefault(key, len(numbers)) for key in (*keys, BEGIN, END)]
        return np.array(classes, np.int32), numbers

    @cached_property
    def _core(self) -> _core.PrecedenceModel:
        classes, numbers = self._classes
        counts = self.word_counts, *self.next, *self.after_next
        return _core.PrecedenceModel(*counts, classes, len(numbers))

    @cached_property
    def _items(self) -> TokenNumbers:
        return TokenNumbers(lambda: self._look_up)

    @cached_property
    def _look_up(self) -> Callable[[list[str]], Int32s]:
        """Returns the number of each token; words that were not counted have only a class."""
        known = {word: number for number, word in enumerate(self.words)}
        classes = self._classes[1]
        unseen = len(classes)

        def look_up(tokens: list[str]) -> Int32s:
            items = [
                known[token]
                if token in known
                else len(self.word_counts) + classes.get(word_class(token), unseen)
                for token in tokens
            ]
            return np.array(items, np.int32)

        return look_up

    def __getstate__(self) -> dict[str, object]:
        # What follows from the counts is computed again where the model arrives.
        derived = ("_classes", "_core", "_items", "_look_up")
        return {key: value for key, value in self.__dict__.items() if key not in derived}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self.__post_init__()


def _merge_pairs(tables: Iterable[PairCounts], ranks: Iterable[Int32s]) -> PairCounts:
    """Return the sums of counts of pairs, whose words have new numbers."""
    keys, counts, size = [], [], 0
    for table, rank in zip(tables, ranks, strict=True):
        keys.append(rank[table.first].astype(np.int64) << 32 | rank[table.followers])
        counts.append(table.counts)
        size = int(rank[-1]) + 1
    merged, places = np.unique(np.concatenate(keys), return_inverse=True)
    sums = np.zeros(len(merged), np.int64)
    np.add.at(sums, places, np.concatenate(counts))
    if len(sums) and sums.max() > np.iinfo(np.uint32).max:
        raise InputError("the corpus is too large: a pair of words occurs more than 2³² times")
    starts = np.searchsorted(merged, np.arange(size + 1, dtype=np.int64) << 32)
    followers = (merged & 0xFFFFFFFF).astype(np.int32)
    return PairCounts(starts.astype(np.int64), followers, sums.astype(np.uint32))


class PrecedenceCounter:
    """Counts words and pairs of words in lines, each distinct line once.

    Memory grows with the number of distinct lines, words and pairs of words.

    Parameters
    ----------
    text : Tokenization
        How lines become words.
    part, parts : int
        Count only the lines of part ``part`` of ``parts``, counted from 0. A hash of the line
        decides, so that no line is in two parts.
    """

    def __init__(self, text: Tokenization, part: int = 0, parts: int = 1) -> None:
        self._text = text
        self._part, self._parts = part, parts
        self._table = WordTable(text)
        self._counter = _core.LineCounter(part, parts)

    def add(self, lines: _core.Lines, threads: int) -> None:
        """Count more lines."""
        _, numbers, offsets = self._table.number_lines(lines, threads)
        self._counter.add(lines, numbers, offsets)

    def model(self) -> PrecedenceModel:
        """Return what was counted. The counter is then used up.

        Raises
        ------
        InputError
            If there were no lines.
        """
        lines = self._counter.lines
        if not lines and self._parts == 1:
            raise InputError(NO_LINES)
        tokens = self._table.tokens(0, len(self._table))
        counts = self._counter.word_counts()
        order = sorted(np.flatnonzero(counts).tolist(), key=tokens.__getitem__)
        ranks = np.zeros(len(counts), np.int32)  # of words that occur
        ranks[order] = np.arange(len(order))
        return PrecedenceModel(
            self._text,
            lines,
            self._counter.digest,
            (self._part,),
            self._parts,
            tuple(tokens[number] for number in order),
            np.concatenate((counts[order], [lines, lines])).astype(np.int64),
            PairCounts(*self._counter.take_table(1, ranks, len(order))),
            PairCounts(*self._counter.take_table(2, ranks, len(order))),
        )


def _number_classes() -> Callable[[list[str]], Int32s]:
    numbers = defaultdict[Hashable, int](count().__next__)

    def look_up(tokens: list[str]) -> Int32s:
        return np.array([numbers[word_class(token)] for token in tokens], np.int32)

    return look_up


CLASSES = TokenNumbers(_number_classes)


@dataclass(frozen=True, eq=False)
class OwnReferences:
    """The references of each segment, as the only corpus in which words of the segment are counted.

    Values are those of a :class:`PrecedenceModel` that was fitted on the references of the segment.

    Attributes
    ----------
    lines : Lines
        The references of all segments. Equal ones of a segment count once.
    starts : array
        The references of segment k are ``lines[starts[k]:starts[k + 1]]``.
    """

    lines: _core.Lines
    starts: Int64s

    def values(self, hyps: Words, refs: Words, threads: int) -> Floats:
        """Return, for each pair of sentences, how far neighbours stand the right way round."""
        table = hyps.table
        size = len(table)
        counted = np.diff(refs.offsets[self.starts])
        # All words of fewer are frequent, so that none of them has the class of a rare word.
        has_rare = counted.size > 0 and counted.max() > OWN_CLASS
        return _core.own_precedence(
            self.lines,
            self.starts,
            hyps.numbers,
            hyps.offsets,
            refs.numbers,
            refs.offsets,
            *CHARACTERS.arrays(table, size),
            CLASSES.array(table, size) if has_rare else np.zeros(size, np.int32),
            threads,
        )
