"""Links by word vectors, which an encoder that the user brings gives to the words of sentences."""

from __future__ import annotations

import functools
import math
import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.alignment.batch import Ints, word_links_as_rows
from hyperbaton.alignment.choices import ENCODER
from hyperbaton.errors import InputError, InputTypeError, TooLongError
from hyperbaton.files.lines import printable
from hyperbaton.registries import unknown_name_message
from hyperbaton.text.words import Words
from hyperbaton.threads import SharedLock, map_in_order

if TYPE_CHECKING:
    Vectors = npt.NDArray[np.float32]
    Tokens = tuple[str, ...]

LINK_SETTINGS = ("neighbours", "distance", "threshold")
MODEL_SETTINGS = ("layer", "pooling", "window")
UNNAMED = re.compile(r"[^\w.-]+")  # what names in signatures do not contain
SPEC_SETTING = re.compile(r"[A-Za-z_]+=[^=]*")
CHUNK = 64  # sentences of about the same length that are encoded at a time
PART_WORDS = 20_000  # words of the pairs that are linked at a time: their vectors are copied
MAX_CELLS = 50_000_000  # words of one side × words of the other
MAX_BYTES = 1 << 28  # of the vectors that are remembered
NO_VECTORS = np.zeros((0, 0), np.float32)  # of a sentence without words


class Encoder(Protocol):
    """What gives each word of a sentence a vector, such that words that mean the same are close.

    An encoder is any object with ``name``, ``digest`` and ``encode``. A subclass of this class has
    the defaults of everything else.

    Attributes
    ----------
    name : str
        A short name, for signatures.
    digest : str
        What tells the encoder from others of the same name, such as the beginning of the SHA-256 of
        its file. It is part of signatures.
    settings : mapping of str to str, int or float
        Everything else that changes vectors, for signatures: a layer, a version.
    neighbours : float
        How much the similarity of the words before and after a pair of words counts.
    distance : float
        How much similarity a pair loses with its distance in the sentences.
    threshold : float
        The least similarity of two words that are linked.
    thread_safe : bool
        Whether two threads may call ``encode`` at the same time.

    Examples
    --------
    >>> import numpy as np
    >>> import hyperbaton as hb
    >>> class Letters(hb.Encoder):
    ...     name, digest = "letters", "1"
    ...
    ...     def encode(self, sentences):
    ...         return [
    ...             np.array([[word.count(letter) for letter in "abcd"] for word in words], float)
    ...             for words in sentences
    ...         ]
    >>> hb.align("abba c dd", "d cc baab", matchers=Letters()).links
    ((0, 2), (1, 1), (2, 0))
    """

    name: str
    digest: str
    settings: Mapping[str, str | int | float] = MappingProxyType({})
    neighbours: float = 0.1
    distance: float = 0.2
    threshold: float = 0.4
    thread_safe: bool = False

    def encode(self, sentences: Sequence[Sequence[str]]) -> Sequence[npt.NDArray[np.floating[Any]]]:
        """Return the vectors of the words of each sentence: an array with a row for each word.

        No sentence is empty, and none occurs twice. A word without a vector has a row of zeros: it
        is like an equal word and like no other. The vectors of a sentence must not depend on the
        other sentences.
        """


class EncoderLinker:
    """Links the words of pairs of sentences by the vectors that an encoder gives them.

    The similarity of two words is the cosine of their vectors, plus ``neighbours`` times the sum of
    the cosines of the words before them and after them, minus ``distance`` times the distance of
    their places, which are from 0 to 1. Two words are linked if each is the other's most similar
    word and their similarity is at least ``threshold``.

    Raises
    ------
    InputTypeError, InputError
        If the object is no encoder, or its settings are not valid.
    """

    def __init__(self, encoder: Encoder) -> None:
        if isinstance(encoder, type):
            raise InputTypeError(f"an encoder must be an object, not the class {encoder.__name__}")
        for attribute, kind in (("name", str), ("digest", str)):
            given = getattr(encoder, attribute, None)
            if not isinstance(given, kind):
                raise InputTypeError(
                    f"an encoder must have a {attribute}, a string: {type(encoder).__name__} has "
                    f"{given!r}"
                )
        self.encoder = encoder
        settings: dict[str, str | int | float] = dict(getattr(encoder, "settings", {}))
        weights = (getattr(encoder, key, getattr(Encoder, key)) for key in LINK_SETTINGS)
        self._weights = check_link_settings(*weights)
        self._settings = settings | dict(zip(LINK_SETTINGS, self._weights, strict=True))
        self._cache = VectorCache(encoder)

    @functools.cached_property
    def spec(self) -> str:
        """The encoder and its settings as the name of a matcher."""
        fields = (f"{key}={_plain_text(value)}" for key, value in self._settings.items())
        label = _plain_text(f"{self.encoder.name}-{self.encoder.digest}")
        return ":".join([f"{ENCODER}:{label}", *fields])

    @functools.cached_property
    def signature(self) -> str:
        """Everything that changes the links."""
        _, *parts = self.spec.split(":")
        return f"{ENCODER}({','.join(parts)})"

    def find_links(
        self, hyps: Words, refs: Words, threads: int
    ) -> tuple[npt.NDArray[np.int32], Ints]:
        """Return the rows of the links of each pair, and the offset of each pair.

        Raises
        ------
        TooLongError
            If a pair has too many words.
        InputError
            If the encoder does not give what it has to give.
        """
        hyp_lengths, ref_lengths = hyps.lengths, refs.lengths
        for k in np.flatnonzero(hyp_lengths * ref_lengths > MAX_CELLS):
            raise TooLongError(
                int(k),
                f"the sentences are too long for an encoder: {hyp_lengths[k]:,} and "
                f"{ref_lengths[k]:,} words, at most {MAX_CELLS:,} pairs of words",
            )
        tokens = [list(map(tuple, side.strings())) for side in (hyps, refs)]
        ends = np.concatenate(([0], np.cumsum(hyp_lengths + ref_lengths)))
        found, begin = [np.zeros(0, np.int32)], 0
        while begin < len(hyp_lengths):
            # As many pairs as have PART_WORDS words together, but at least one.
            end = int(np.searchsorted(ends, ends[begin] + PART_WORDS, "right")) - 1
            part = slice(begin, max(end, begin + 1))
            found.append(self._link_part(hyps, refs, tokens, part, threads))
            begin = part.stop
        ref = np.concatenate(found)
        linked = np.flatnonzero(ref >= 0)
        pair = np.searchsorted(hyps.offsets, linked, "right") - 1
        rows = word_links_as_rows(linked - hyps.offsets[pair], ref[linked], ENCODER)
        counts = np.bincount(pair, minlength=len(hyp_lengths))
        return rows, np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))

    def _link_part(
        self, hyps: Words, refs: Words, tokens: list[list[Tokens]], part: slice, threads: int
    ) -> npt.NDArray[np.int32]:
        """Return the linked word of the reference, or -1, for each word of some hypotheses."""
        sentences = [side[part] for side in tokens]
        # References come first: they are remembered longer, for the next system.
        vectors = self._cache.load([*sentences[1], *sentences[0]], threads)
        count = len(sentences[0])
        dimensions = max((array.shape[1] for array in vectors), default=0)

        def side(
            words: Words, arrays: list[Vectors]
        ) -> tuple[npt.NDArray[np.int32], Ints, Vectors]:
            taken = words.take(np.arange(part.start, part.stop))
            return taken.numbers, taken.offsets, np.concatenate([a.ravel() for a in arrays])

        hyp, ref = side(hyps, vectors[count:]), side(refs, vectors[:count])
        neighbours, distance, threshold = self._weights
        return _core.vector_links(*hyp, *ref, dimensions, neighbours, distance, threshold, threads)


def _plain_text(value: str | int | float) -> str:
    """Return a value as signatures write it.

    >>> _plain_text("a|b (c)"), _plain_text(0.0), _plain_text(0.25)
    ('a_b_c_', '0', '0.25')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return UNNAMED.sub("_", str(value))


class VectorCache:
    """The vectors of sentences, of which the last ones are remembered.

    Several threads may ask for vectors. A sentence is encoded once, also if two ask for it at the
    same time, unless the vectors of other sentences have filled the memory since.
    """

    _all: ClassVar[WeakSet[VectorCache]] = WeakSet()

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._lock = SharedLock()
        is_safe = getattr(encoder, "thread_safe", False)
        self._turn = nullcontext() if is_safe else SharedLock()
        self._most_threads = 1024 if is_safe else 1
        self.forget_all()
        self._all.add(self)

    def forget_all(self) -> None:
        """Forget all sentences."""
        self._known: dict[Tokens, Future[Vectors]] = {}  # the sentence asked for last is the last
        self._bytes = 0
        self._dimensions: int | None = None

    def load(self, sentences: Sequence[Tokens], threads: int) -> list[Vectors]:
        """Return the vectors of the words of each sentence."""
        distinct = dict.fromkeys(sentences)
        found: dict[Tokens, Future[Vectors]] = {}
        missing: list[Tokens] = []
        with self._lock:
            for sentence in reversed(distinct):
                future = self._known.pop(sentence, None)
                if future is None:
                    future = Future()
                    missing.append(sentence)
                self._known[sentence] = found[sentence] = future
        self._encode(missing, found, threads)
        vectors = {sentence: future.result() for sentence, future in found.items()}
        self._forget_oldest()
        return [vectors[sentence] for sentence in sentences]

    def _encode(
        self, missing: list[Tokens], found: dict[Tokens, Future[Vectors]], threads: int
    ) -> None:
        """Encode sentences, those of about the same length together."""
        missing.sort(key=len)
        chunks = [missing[k : k + CHUNK] for k in range(0, len(missing), CHUNK)]
        count = min(threads, self._most_threads)
        try:
            for chunk, arrays in zip(
                chunks, map_in_order(self._encode_chunk, chunks, count), strict=True
            ):
                with self._lock:
                    self._bytes += sum(array.nbytes for array in arrays)
                for sentence, array in zip(chunk, arrays, strict=True):
                    found[sentence].set_result(array)
        except BaseException as error:
            with self._lock:
                for sentence in missing:
                    if not found[sentence].done():
                        found[sentence].set_exception(error)
                        self._known.pop(sentence, None)
            raise

    def _encode_chunk(self, chunk: list[Tokens], _: int) -> list[Vectors]:
        """Return the vectors of some sentences, checked."""
        words = [list(sentence) for sentence in chunk if sentence]
        with self._turn:
            given = self._encoder.encode(words) if words else []
        try:
            arrays = [np.asarray(array) for array in given]
        except (TypeError, ValueError) as error:
            raise self._error(f"must return arrays of numbers: {error}") from None
        if len(arrays) != len(words):
            count = f"{len(words):,} sentences, got {len(arrays):,}"
            raise self._error(f"must return an array for each of {count}")
        checked = iter([self._check_array(*pair) for pair in zip(words, arrays, strict=True)])
        return [next(checked) if sentence else NO_VECTORS for sentence in chunk]

    def _check_array(self, sentence: Sequence[str], array: npt.NDArray[Any]) -> Vectors:
        """Return the vectors of a sentence, or raise an error if they are none."""
        dimensions = self._dimensions
        if array.ndim == 2 and dimensions is None:
            dimensions = array.shape[1]
        expected = len(sentence), dimensions
        if array.shape != expected or array.dtype.kind not in "fiu" or not array.shape[1]:
            shape = f"{len(sentence)} × {dimensions or 'dimensions'}"
            raise self._error(
                f"must return {shape} numbers for the sentence {shorten(sentence)!r}, got the "
                f"shape {array.shape} of {array.dtype}"
            )
        with np.errstate(over="ignore"):  # what becomes infinite is found
            vectors = np.array(array, np.float32)
        if not np.isfinite(vectors).all():
            word = sentence[int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])]
            raise self._error(f"gives the word {word!r} a vector that is not finite")
        self._dimensions = dimensions
        return vectors

    def _error(self, problem: str) -> InputError:
        return InputError(f"the encoder {printable(self._encoder.name)} {problem}")

    def _forget_oldest(self) -> None:
        with self._lock:
            for sentence in list(self._known) if self._bytes > MAX_BYTES else ():
                future = self._known[sentence]
                if self._bytes > MAX_BYTES and future.done():
                    del self._known[sentence]
                    self._bytes -= future.result().nbytes

    @classmethod
    def forget_everywhere(cls) -> None:
        """Forget all sentences of all encoders, in a child process.

        A thread of the parent process may have been at work on some, and it does not exist there.
        """
        for cache in cls._all:
            cache.forget_all()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=VectorCache.forget_everywhere)


def shorten(sentence: Sequence[str]) -> str:
    """Return the beginning of a sentence, for messages.

    >>> shorten(["the"] * 30)
    'the the the the the the the the …'
    """
    return " ".join(sentence[:8]) + " …" * (len(sentence) > 8)


def check_link_settings(*values: object) -> tuple[float, ...]:
    """Return ``neighbours``, ``distance`` and ``threshold`` after checking them."""
    numbers = []
    for name, value in zip(LINK_SETTINGS, values, strict=True):
        try:
            numbers.append(float(value))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            numbers.append(math.nan)
        if not 0 <= numbers[-1] <= 1:
            raise InputError(f"{name} must be a number from 0 to 1, got {value!r}")
    return tuple(numbers)


@functools.lru_cache(4)
def open_encoder(spec: str) -> Encoder:
    """Return the encoder that a text such as ``encoder:model:layer=4`` describes.

    The path of a file is that of a table of word vectors, the path of a folder that of an ONNX
    model.

    Raises
    ------
    InputError
        If there is no such file, or it is invalid, or a setting is.
    MissingData
        If the packages that run models are not installed.
    """
    path, settings = split_spec(spec)
    if os.path.isdir(path):
        from hyperbaton.alignment.onnx_encoder import OnnxEncoder

        return OnnxEncoder(path, **settings)
    for key in settings:
        if key in MODEL_SETTINGS:
            raise InputError(f"{spec}: a table of word vectors has no {key}")
    from hyperbaton.alignment.word_vectors import WordVectors

    return WordVectors(path, **settings)


def split_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Split the text of an encoder into the path and the settings.

    >>> split_spec("encoder:C:/models/small:layer=4:threshold=0.5")
    ('C:/models/small', {'layer': '4', 'threshold': '0.5'})
    """
    parts = spec.removeprefix(f"{ENCODER}:").split(":")
    settings: dict[str, Any] = {}
    while len(parts) > 1 and SPEC_SETTING.fullmatch(parts[-1]):
        key, _, value = parts.pop().partition("=")
        if key not in (*LINK_SETTINGS, *MODEL_SETTINGS):
            known = (*LINK_SETTINGS, *MODEL_SETTINGS)
            raise InputError(f"{spec}: {unknown_name_message('setting', key, known)}")
        if key in settings:
            raise InputError(f"{spec} sets {key} twice")
        settings[key] = value
    path = ":".join(parts)
    if not path:
        raise InputError(f"{spec!r} names no file: write {ENCODER}:PATH")
    return path, dict(reversed(settings.items()))
