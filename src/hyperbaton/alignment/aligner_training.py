"""The training of a source aligner: its sentence pairs, iterations and seed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.alignment.translation_model import (
    UNKNOWN,
    Lexicon,
    LinkSums,
    Spellings,
    TranslationModel,
)
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.text.folding import FOLDS
from hyperbaton.text.tokenization import DEFAULT_FOLD, Tokenization
from hyperbaton.text.tokenizers import check_tokenizer, default_tokenizer
from hyperbaton.text.words import Words, WordTable
from hyperbaton.threads import thread_count

Int32s = npt.NDArray[np.int32]
DEFAULT_SEED = 1
MAX_ITERATIONS = 250  # more change little even for very small bitexts
MIN_ITERATIONS = 4
Progress = Callable[[int, int], None]


class LeftOut(NamedTuple):
    """How many sentence pairs were not used for training."""

    empty: int  # a side has no words
    long: int  # a side has more than 400 words


def aligner_text(
    language: str | None, tokenize: str | None = None, fold: str | None = None
) -> Tokenization:
    """Return how a source aligner splits the lines of a language into words."""
    fold = DEFAULT_FOLD if fold is None else fold
    if fold not in FOLDS:
        raise InputError(f"fold must be one of {', '.join(FOLDS)}, got {fold!r}")
    tok = default_tokenizer(language) if tokenize is None else tokenize
    check_tokenizer(tok)
    return Tokenization.for_language(language, tok, "lc", fold)


def default_iterations(pairs: int) -> int:
    """Return the number of iterations: the fewer pairs there are, the more.

    It is half of what eflomal does by default. Twice as many raise the agreement of two seeds by
    0.01, see docs/through-the-source.md.

    >>> default_iterations(447), default_iterations(40_000), default_iterations(10**7)
    (118, 13, 4)
    """
    iterations = int(2500 / math.sqrt(max(pairs, 1)) + 0.5)
    return min(max(iterations, MIN_ITERATIONS), MAX_ITERATIONS)


class AlignerTraining:
    """Collects sentence pairs, as numbers of words, and trains a model on them.

    Parameters
    ----------
    source_text, target_text : Tokenization
        How lines become words.

    Attributes
    ----------
    source_table, target_table : WordTable
        The tables with which the words of pairs are numbered.
    """

    def __init__(self, source_text: Tokenization, target_text: Tokenization) -> None:
        self._texts = source_text, target_text
        self.source_table, self.target_table = WordTable(source_text), WordTable(target_text)
        self._bitext = _core.Bitext()
        self._is_trained = False

    def __len__(self) -> int:
        """Return the number of pairs that can be used."""
        return len(self._bitext)

    def add_lines(self, sources: _core.Lines, targets: _core.Lines, threads: int = 1) -> None:
        """Add pairs of lines."""
        self.add(
            self.source_table.number_lines(sources, threads),
            self.target_table.number_lines(targets, threads),
        )

    def add(self, sources: Words, targets: Words) -> None:
        """Add pairs of sentences, numbered with the tables of this training."""
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
        check_seed(seed)
        check_iterations(iterations)
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
        source_words, source_ranks = self._sort_words(0, self.source_table)
        target_words, target_ranks = self._sort_words(1, self.target_table)
        self._is_trained = True
        bitext.arrange(source_ranks, target_ranks)
        spellings = Spellings()
        source, target = Lexicon(source_words, spellings), Lexicon(target_words, spellings)
        first = max(1, count // 4)
        to_target, to_source, samples = _core.train_aligner(
            bitext,
            source.texts,
            source.prefixes,
            target.texts,
            target.prefixes,
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

    def _sort_words(self, side: int, table: WordTable) -> tuple[tuple[str, ...], Int32s]:
        """Return the words of all pairs of a side in order, and the rank of each number.

        Sorted words make a model independent of the order in which sentences were read.
        """
        words = table.tokens(0, len(table))
        used = np.flatnonzero(self._bitext.used_words(side, len(words))).tolist()
        order = sorted(used, key=words.__getitem__)
        ranks = np.full(len(words), UNKNOWN, np.int32)
        ranks[order] = np.arange(len(order), dtype=np.int32)
        return tuple(words[k] for k in order), ranks


def check_iterations(iterations: object) -> None:
    """Raise an error unless a number of iterations is positive, or None."""
    if iterations is None:
        return
    if not is_integer(iterations) or not 1 <= int(iterations) <= 100_000:  # type: ignore[call-overload]
        raise InputError(f"iterations must be an integer from 1 to 100,000, got {iterations!r}")


def check_seed(seed: object) -> None:
    """Raise an error unless a seed is an integer that the core can use."""
    if not is_integer(seed) or not 0 <= int(seed) < 1 << 64:  # type: ignore[call-overload]
        raise InputError(f"seed must be a non-negative integer below 2**64, got {seed!r}")


def is_integer(value: object) -> bool:
    """Return whether a value is an integer, of Python or of NumPy."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
