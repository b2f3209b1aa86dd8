"""What a source aligner has learned: how often words were linked in samples of alignments."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.files.lines import StrPath
from hyperbaton.files.model_files import (
    ModelFormat,
    Section,
    pack_words,
    read_tokenization,
    unpack_words,
)
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.threads import SharedLock

Int32s = npt.NDArray[np.int32]
PREFIX_LENGTH = 4  # letters that two words of a language pair seldom share by chance
UNKNOWN = -1
JUMPS = 201  # from -100 to 100
LINK_SUM_TYPES = {
    "offsets": "<i8",
    "words": "<i4",
    "counts": "<u4",
    "unlinked": "<u8",
    "jumps": "<u8",
}


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
            "pairs": self.pairs,
            "sources": self.sources,
            "seed": self.seed,
            "iterations": self.iterations,
            "samples": self.samples,
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

    def save(self, path: StrPath, header: dict[str, Any]) -> None:
        """Write the model to a file, with more entries of the header."""
        MODEL_FORMAT.write(path, {**self.header, **header}, self.arrays())

    @classmethod
    def build(cls, header: dict[str, Any], arrays: list[npt.NDArray[Any]]) -> TranslationModel:
        """Return the model of a file, or raise one of several errors if the file is damaged."""
        names = ("pairs", "sources", "seed", "iterations", "samples")
        numbers = {name: header[name] for name in names}
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
    b"hyperbaton/source-aligner/",
    b"1",
    (
        Section("source_words", "u1"),
        Section("target_words", "u1"),
        *(
            Section(f"{direction}_{name}", kind)
            for direction in ("to_target", "to_source")
            for name, kind in LINK_SUM_TYPES.items()
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
    """The words of one language: their numbers in a model, and their spellings."""

    def __init__(self, words: tuple[str, ...], spellings: Spellings) -> None:
        self._numbers = {word: number for number, word in enumerate(words)}
        self.spellings = spellings
        known = list(words)
        self.texts, self.prefixes = spellings.texts(known), spellings.prefixes(known)

    def numbers(self, words: list[str]) -> Int32s:
        """Return the number of each word; -1 if it is unknown."""
        return np.array([self._numbers.get(word, UNKNOWN) for word in words], np.int32)


def load_core(model: TranslationModel, source: Lexicon, target: Lexicon) -> _core.SourceAligner:
    """Return the model as the core needs it."""
    return _core.SourceAligner(
        source.texts,
        source.prefixes,
        target.texts,
        target.prefixes,
        model.samples,
        *model.to_target,
        *model.to_source,
    )
