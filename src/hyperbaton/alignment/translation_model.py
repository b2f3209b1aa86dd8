"""What a source aligner learns, and how it is trained.

A model has how often words were linked in samples of alignments.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.model_files import ModelFormat, pack_words, read_tokenization, unpack_words
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import Int32s, TokenNumbers, Words, WordTable, shared_table
from hyperbaton.threads import SharedLock, thread_count

PREFIX_LENGTH = 4  # letters that two words of a language pair seldom share by chance
UNKNOWN = -1
JUMPS = 201  # from -100 to 100
NUMBERS = ("pairs", "sources", "seed", "iterations", "samples")  # of a header
LINK_SUM_TYPES = ("<i8", "<i4", "<u4", "<u8", "<u8")

DEFAULT_SEED = 1
MAX_ITERATIONS = 250  # more change little even for very small bitexts
MIN_ITERATIONS = 4
Progress = Callable[[int, int], None]


class LinkSums(NamedTuple):
    """Links of the words of one side with the words of the other, summed over samples.

    The words that word ``e`` was linked with are ``words[offsets[e]:offsets[e + 1]]``, sorted, and
    ``counts`` says how often. ``unlinked`` has how often each word of the other side had no link,
    and ``jumps`` how often the positions of successive links were that far apart.
    """

    offsets: npt.NDArray[np.int64]
    words: Int32s
    counts: npt.NDArray[np.uint32]
    unlinked: npt.NDArray[np.uint64]
    jumps: npt.NDArray[np.uint64]

    def check(self, words: int, other_words: int) -> None:
        """Raise a ValueError if the arrays contradict each other."""
        sizes_fit = (
            len(self.offsets) == words + 1
            and len(self.words) == len(self.counts) == self.offsets[-1]
            and len(self.unlinked) == other_words
            and len(self.jumps) == JUMPS
        )
        # Differences of offsets could overflow.
        is_sorted = bool((self.offsets[1:] >= self.offsets[:-1]).all())
        if not sizes_fit or self.offsets[0] != 0 or not is_sorted:
            raise ValueError("sizes")
        word = np.repeat(np.arange(words), np.diff(self.offsets))
        if len(word) and (self.words.min() < 0 or self.words.max() >= other_words):
            raise ValueError("words")
        if (np.diff(word * other_words + self.words) <= 0).any() or (self.counts == 0).any():
            raise ValueError("links")


@dataclass(frozen=True, eq=False)
class TranslationModel:
    """The model of a source aligner: a function of the set of sentence pairs and the settings.

    Attributes
    ----------
    source_text, target_text : Tokenization
        How lines become words.
    pairs : int
        Number of sentence pairs that it was trained on.
    sources : int
        Number of different source sentences among them.
    seed, iterations : int
        Settings of the training.
    samples : int
        Number of samples that the counts are sums of.
    source_words, target_words : tuple of str
        All words that are known, sorted.
    to_target, to_source : LinkSums
        Links that target words have chosen among source words, and the opposite.
    """

    source_text: Tokenization
    target_text: Tokenization
    pairs: int
    sources: int
    seed: int
    iterations: int
    samples: int
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    to_target: LinkSums
    to_source: LinkSums

    @property
    def header(self) -> dict[str, Any]:
        """All but the words and the counts, for JSON."""
        return {
            "source_text": asdict(self.source_text),
            "target_text": asdict(self.target_text),
            **{name: getattr(self, name) for name in NUMBERS},
        }

    @cached_property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that tell models apart."""
        digest = hashlib.sha256(json.dumps(self.header, sort_keys=True).encode())
        for content in MODEL_FORMAT.as_bytes(self.arrays()):
            digest.update(len(content).to_bytes(8, "little"))
            digest.update(content)
        return digest.hexdigest()[:16]

    def arrays(self) -> list[npt.NDArray[Any]]:
        """Return words and counts in the order of a file."""
        words = [pack_words(self.source_words), pack_words(self.target_words)]
        return [*words, *self.to_target, *self.to_source]

    @classmethod
    def build(cls, header: dict[str, Any], arrays: list[npt.NDArray[Any]]) -> TranslationModel:
        """Return the model of a file, or raise one of several errors if the file is damaged."""
        numbers = {name: header[name] for name in NUMBERS}
        if not all(type(number) is int and 0 <= number < 1 << 64 for number in numbers.values()):
            raise ValueError("integers")
        source_words, target_words = map(unpack_words, arrays[:2])
        for words in (source_words, target_words):
            if not words or not all(a < b for a, b in pairwise(words)):
                raise ValueError("words")
        model = cls(
            read_tokenization(header["source_text"]),
            read_tokenization(header["target_text"]),
            source_words=source_words,
            target_words=target_words,
            to_target=LinkSums(*arrays[2:7]),
            to_source=LinkSums(*arrays[7:]),
            **numbers,
        )
        if model.samples == 0:
            raise ValueError("samples")
        model.to_target.check(len(source_words), len(target_words))
        model.to_source.check(len(target_words), len(source_words))
        return model


MODEL_FORMAT = ModelFormat(
    b"source-aligner",
    b"3",
    (
        ("source_words", "u1"),
        ("target_words", "u1"),
        *(
            (f"{direction}_{name}", kind)
            for direction in ("to_target", "to_source")
            for name, kind in zip(LinkSums._fields, LINK_SUM_TYPES, strict=True)
        ),
    ),
    "hyperbaton align --save-model writes them",
    "train the model again",
)


class Spellings:
    """Numbers of words and of their first letters, which both languages share."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}
        self._prefixes: dict[str, int] = {}
        self._lock = SharedLock()

    def texts(self, words: list[str]) -> Int32s:
        """Return a number for each word, the same for equal words."""
        with self._lock:
            numbers = [self._texts.setdefault(word, len(self._texts)) for word in words]
        return np.array(numbers, np.int32)

    def prefixes(self, words: list[str]) -> Int32s:
        """Return a number for the first letters of each word; -1 if they are not all letters."""
        with self._lock:
            numbers = [
                self._prefixes.setdefault(prefix, len(self._prefixes))
                if len(prefix) == PREFIX_LENGTH and prefix.isalpha()
                else UNKNOWN
                for prefix in (word[:PREFIX_LENGTH] for word in words)
            ]
        return np.array(numbers, np.int32)


class Lexicon:
    """The words of one language: their numbers in a model, and their spellings.

    Attributes
    ----------
    spellings : pair of arrays
        The number of the spelling of each word, and that of its first letters.
    """

    def __init__(self, words: tuple[str, ...], spellings: Spellings) -> None:
        self._numbers = {word: number for number, word in enumerate(words)}
        known = list(words)
        self.spellings = spellings.texts(known), spellings.prefixes(known)
        self._attributes = [
            TokenNumbers(lambda look_up=look_up: look_up)  # type: ignore[misc]
            for look_up in (self._find_numbers, spellings.texts, spellings.prefixes)
        ]

    def look_up(self, words: Words) -> tuple[Int32s, Int32s, Int32s]:
        """Return the number in the model, the spelling and the prefix of each word."""
        count = len(words.table)
        numbers, texts, prefixes = (
            attribute.array(words.table, count)[words.numbers] for attribute in self._attributes
        )
        return numbers, texts, prefixes

    def _find_numbers(self, words: list[str]) -> Int32s:
        """Return the number of each word; -1 if it is unknown."""
        return np.array([self._numbers.get(word, UNKNOWN) for word in words], np.int32)


class LeftOut(NamedTuple):
    """How many sentence pairs were not used for training."""

    empty: int  # a side has no words
    long: int  # a side has more than 400 words


def default_iterations(pairs: int) -> int:
    """Return the number of iterations: the fewer pairs there are, the more.

    It is half of what eflomal does by default. Twice as many raise the agreement of two seeds by
    0.01, see docs/through-the-source.md.

    >>> default_iterations(447), default_iterations(40_000), default_iterations(10**7)
    (118, 13, 4)
    """
    iterations = int(2500 / math.sqrt(max(pairs, 1)) + 0.5)
    return min(max(iterations, MIN_ITERATIONS), MAX_ITERATIONS)


class PairBlock(NamedTuple):
    """Some sentence pairs: target ``k`` is a translation of source ``source_of[k]``."""

    sources: _core.Lines
    targets: _core.Lines
    source_of: npt.NDArray[np.int64] | None = None  # None: of source k

    def words(self, source_text: Tokenization, target_text: Tokenization) -> tuple[Words, Words]:
        """Return the words of each pair, numbered with the shared tables."""
        return self.number(shared_table(source_text), shared_table(target_text), 1)

    def number(
        self, source_table: WordTable, target_table: WordTable, threads: int
    ) -> tuple[Words, Words]:
        """Return the words of each pair, numbered with two tables."""
        sources = source_table.number_lines(self.sources, threads)
        if self.source_of is not None:
            sources = sources.take(self.source_of)
        return sources, target_table.number_lines(self.targets, threads)


class AlignerTraining:
    """Collects sentence pairs, as numbers of words, and trains a model on them.

    Parameters
    ----------
    source_text, target_text : Tokenization
        How lines become words.

    Attributes
    ----------
    tables : pair of WordTable
        The tables with which the words of both sides are numbered.
    """

    def __init__(self, source_text: Tokenization, target_text: Tokenization) -> None:
        self._texts = source_text, target_text
        self.tables = WordTable(source_text), WordTable(target_text)
        self._bitext = _core.Bitext()
        self._is_trained = False

    def add(self, block: PairBlock, threads: int = 1) -> None:
        """Add pairs of sentences."""
        sources, targets = block.number(*self.tables, threads)
        self._bitext.add(sources.numbers, sources.offsets, targets.numbers, targets.offsets)

    def train(
        self,
        seed: int = DEFAULT_SEED,
        iterations: int | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> tuple[TranslationModel, LeftOut]:
        """Train a model on all pairs; see :meth:`hyperbaton.SourceAligner.train`.

        Returns the model, and how many pairs were left out.
        """
        if not _is_integer(seed, 0, (1 << 64) - 1):
            raise InputError(f"seed must be a non-negative integer below 2**64, got {seed!r}")
        if iterations is not None and not _is_integer(iterations, 1, 100_000):
            raise InputError(f"iterations must be an integer from 1 to 100,000, got {iterations!r}")
        if progress is not None and not callable(progress):
            raise InputTypeError(f"progress must be callable, got {type(progress).__name__}")
        if self._is_trained:
            # Their words have new numbers.
            raise RuntimeError("the pairs were already used for training")
        bitext = self._bitext
        if not len(bitext):
            raise InputError(
                "there is no sentence pair to train on: "
                f"{bitext.empty_pairs:,} with an empty side, {bitext.long_pairs:,} with more than "
                f"{bitext.MAX_WORDS} words on a side"
            )
        count = default_iterations(len(bitext)) if iterations is None else int(iterations)
        source_words, source_ranks = self._sort_words(0)
        target_words, target_ranks = self._sort_words(1)
        self._is_trained = True
        bitext.arrange(source_ranks, target_ranks)
        spellings = Spellings()
        source, target = Lexicon(source_words, spellings), Lexicon(target_words, spellings)
        first = max(1, count // 4)
        to_target, to_source, samples = _core.train_aligner(
            bitext,
            *source.spellings,
            *target.spellings,
            int(seed),
            (first, first, count),
            thread_count(threads),
            progress,
        )
        model = TranslationModel(
            *self._texts,
            len(bitext),
            bitext.distinct_sources,
            int(seed),
            count,
            samples,
            source_words,
            target_words,
            LinkSums(*to_target),
            LinkSums(*to_source),
        )
        return model, LeftOut(bitext.empty_pairs, bitext.long_pairs)

    def _sort_words(self, side: int) -> tuple[tuple[str, ...], Int32s]:
        """Return the words of all pairs of a side in order, and the rank of each number.

        Sorted words make a model independent of the order in which sentences were read.
        """
        words = self.tables[side].tokens(0, len(self.tables[side]))
        used = np.flatnonzero(self._bitext.used_words(side, len(words))).tolist()
        order = sorted(used, key=words.__getitem__)
        ranks = np.full(len(words), UNKNOWN, np.int32)
        ranks[order] = np.arange(len(order), dtype=np.int32)
        return tuple(words[k] for k in order), ranks


def _is_integer(value: object, least: int, most: int) -> bool:
    """Return whether a value is an integer, of Python or of NumPy, within bounds."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        return False
    return least <= int(value) <= most
