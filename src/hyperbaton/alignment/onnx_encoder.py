"""Word vectors from a local ONNX model with its tokeniser."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.encoders import Encoder, check_link_settings
from hyperbaton.errors import InputError
from hyperbaton.files.lines import StrPath, printable
from hyperbaton.registries import check_choice, import_optional

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
CONFIG, TOKENIZER_CONFIG = "config.json", "tokenizer_config.json"
POOLINGS = ("mean", "first")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
LAST = "last_hidden_state"
MISSING = "the package {} is missing: pip install 'hyperbaton[onnx]' installs it"
DIGEST = 12  # hexadecimal digits of the SHA-256
DEFAULT_WINDOW = 512  # pieces, if the folder does not say how many the model takes
NO_LIMIT = 1_000_000  # tokenisers write larger numbers where they know no limit
LEAST_CONTENT = 4  # pieces of a window that are no special ones
BATCH_PIECES = 4096  # that the model gets at a time

Ints = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.float32]


class OnnxEncoder(Encoder):
    """A model such as BERT, in a folder with ``model.onnx`` and ``tokenizer.json``.

    Nothing is downloaded. The model gets sentences of equal length together, so that none is filled
    up, and computes on one processor core: the same machine gives the same bits. Several batches
    may be computed at the same time. A sentence with more pieces than the model takes is cut into
    windows that overlap by half; each piece has the vector of a window in whose middle half it is.

    Parameters
    ----------
    folder : path
        The folder. If it has ``config.json`` or ``tokenizer_config.json``, these say how many
        pieces the model takes.
    layer : int or str, optional
        The output of the model with the vectors of pieces: its name, or the number at the end of
        its name, such as 4 for ``hidden_states.4``. By default ``last_hidden_state``, or else the
        only output.
    pooling : {"mean", "first"}
        Whether a word has the mean of the vectors of its pieces, or that of its first piece.
    window : int, optional
        How many pieces the model gets at most; by default what the folder says, or else 512.
    neighbours, distance, threshold : float
        See :class:`hyperbaton.Encoder`.

    Raises
    ------
    InputError
        If the folder lacks a file, or the model cannot be read, does not fit the tokeniser or has
        no such layer.
    MissingData
        If onnxruntime or tokenizers is not installed.
    """

    thread_safe = True

    def __init__(
        self,
        folder: StrPath,
        *,
        layer: int | str | None = None,
        pooling: str = "mean",
        window: int | str | None = None,
        neighbours: float = 0.1,
        distance: float = 0.2,
        threshold: float = 0.4,
    ) -> None:
        settings = check_link_settings(neighbours, distance, threshold)
        check_choice("pooling", pooling, POOLINGS)
        self.neighbours, self.distance, self.threshold = settings
        self._again = functools.partial(
            OnnxEncoder,
            folder,
            layer=layer,
            pooling=pooling,
            window=window,
            neighbours=neighbours,
            distance=distance,
            threshold=threshold,
        )
        path = Path(os.fspath(folder))
        for file in (MODEL, TOKENIZER):
            if not (path / file).is_file():
                raise InputError(f"{printable(str(path))} is no model folder: it has no {file}")
        self._pooling = pooling
        self._pieces = _Pieces(path)
        self._model = _Model(path, layer)
        config = _read_config(path / CONFIG)
        self._pieces.check_vocabulary(config)
        self._window = self._find_window(window, config, _read_config(path / TOKENIZER_CONFIG))
        self.name = path.resolve().name
        self.digest = _digest(path)
        self.settings = {
            "layer": self._model.output,
            "pooling": pooling,
            **({} if window is None else {"window": self._window}),
            "onnxruntime": self._model.version,
            "tokenizers": self._pieces.version,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        # The receiving process reads the files again.
        return self._again, ()

    def _find_window(self, given: int | str | None, *configs: Mapping[str, Any]) -> int:
        """Return how many pieces the model gets at most, special ones among them."""
        named = (
            config.get(key)
            for config in configs
            for key in ("max_position_embeddings", "model_max_length")
        )
        known = [limit for limit in named if isinstance(limit, int) and 0 < limit < NO_LIMIT]
        least = self._pieces.special + LEAST_CONTENT
        most = min(known, default=DEFAULT_WINDOW)
        if given is None:
            return max(most, least)
        try:
            window = int(given) if isinstance(given, int | str) else 0
        except ValueError:
            window = 0
        if not least <= window <= (most if known else NO_LIMIT):
            raise InputError(f"window must be a number of pieces from {least} to {most}: {given!r}")
        return window

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Vectors]:
        """Return the vectors of words: of their pieces, pooled."""
        split = [self._pieces.split(words) for words in sentences]
        vectors = self._encode_pieces([pieces for pieces, _ in split])
        return [
            self._pool(of_pieces, word_of_piece, len(words))
            for of_pieces, (_, word_of_piece), words in zip(vectors, split, sentences, strict=True)
        ]

    def _encode_pieces(self, sentences: Sequence[Ints]) -> list[Vectors]:
        """Return the vector of each piece of each sentence."""
        content = self._window - self._pieces.special
        windows = [
            (k, first, sentence[first : first + content])
            for k, sentence in enumerate(sentences)
            for first in window_starts(len(sentence), content)
        ]
        windows.sort(key=lambda window: len(window[2]))
        found: list[list[tuple[int, Vectors]]] = [[] for _ in sentences]
        for batch in _batches_of_equal_length(windows):
            vectors = self._model.run(np.stack([self._pieces.enclose(w) for _, _, w in batch]))
            for (k, first, pieces), of_window in zip(batch, vectors, strict=True):
                begin = self._pieces.leading
                found[k].append((first, of_window[begin : begin + len(pieces)]))
        return [_join_windows(parts, content) for parts in found]

    def _pool(self, of_pieces: Vectors, word_of_piece: Ints, count: int) -> Vectors:
        """Return the vector of each word; zeros for a word without pieces."""
        vectors = np.zeros((count, self._model.dimensions), np.float32)
        words, starts, counts = np.unique(word_of_piece, return_index=True, return_counts=True)
        if not len(words):
            return vectors
        if self._pooling == "first":
            vectors[words] = of_pieces[starts]
        else:
            sums = np.add.reduceat(of_pieces, starts, axis=0)
            vectors[words] = sums / counts[:, None].astype(np.float32)
        return vectors


def window_starts(length: int, content: int) -> Iterator[int]:
    """Yield where the windows of a sentence begin; they overlap by half.

    >>> list(window_starts(5, 8)), list(window_starts(19, 8))
    ([0], [0, 4, 8, 11])
    """
    yield 0
    last = length - content
    yield from range(content // 2, last, content // 2)
    if last > 0:
        yield last


def _join_windows(parts: list[tuple[int, Vectors]], content: int) -> Vectors:
    """Return the vector of each piece, from the windows of a sentence.

    The first quarter of a window is taken from the window before it, where there is one.
    """
    parts.sort(key=lambda part: part[0])
    joined = parts[0][1]
    for first, vectors in parts[1:]:
        skipped = content // 4
        joined = np.concatenate([joined[: first + skipped], vectors[skipped:]])
    return joined


Window = tuple[int, int, Ints]


def _batches_of_equal_length(windows: Sequence[Window]) -> Iterator[list[Window]]:
    """Yield windows that have the same number of pieces, as many as the model gets at a time."""
    batch: list[Window] = []
    for window in windows:
        length = len(window[2])
        is_full = len(batch) * (length + 1) >= BATCH_PIECES
        if batch and (is_full or len(batch[0][2]) != length):
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


class _Pieces:
    """The tokeniser of a model, which splits words into pieces."""

    def __init__(self, folder: Path) -> None:
        tokenizers = import_optional("tokenizers", MISSING.format("tokenizers"))
        self.version: str = tokenizers.__version__
        self._name = printable(str(folder / TOKENIZER))
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # it raises no class of its own
            raise InputError(f"cannot read {self._name}: {_first_line(error)}") from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._find_special_pieces()

    def _find_special_pieces(self) -> None:
        """Find the pieces at the beginning and at the end that belong to no word."""
        encoding = self._tokenizer.encode("a")
        own = [k for k, special in enumerate(encoding.special_tokens_mask) if not special]
        begin, end = (own[0], own[-1] + 1) if own else (len(encoding.ids),) * 2
        self._before: list[int] = encoding.ids[:begin]
        self._after: list[int] = encoding.ids[end:]
        self.leading, self.special = begin, begin + len(self._after)

    def check_vocabulary(self, config: Mapping[str, Any]) -> None:
        """Raise an error if the model does not know all pieces."""
        pieces, known = self._tokenizer.get_vocab_size(), config.get("vocab_size")
        if isinstance(known, int) and pieces > known:
            raise InputError(
                f"{self._name} has {pieces:,} pieces, but the model knows {known:,}: they do not "
                "belong together"
            )

    def split(self, words: Sequence[str]) -> tuple[Ints, Ints]:
        """Return the pieces of the words, and the word of each piece.

        The tokeniser sees a text, because some pieces include the space before a word.
        """
        encoding = self._tokenizer.encode(" ".join(words), add_special_tokens=False)
        ids = np.array(encoding.ids, np.int64)
        spans = np.array(encoding.offsets, np.int64).reshape(-1, 2)
        lengths = np.array([len(word) for word in words], np.int64)
        ends = np.cumsum(lengths + 1) - 1  # the place after the last character of each word
        # A piece belongs to the word of its last character; it may begin with a space.
        word = np.searchsorted(ends, spans[:, 1], "left")
        return ids, np.minimum(word, len(words) - 1)

    def enclose(self, pieces: Ints) -> Ints:
        """Return pieces with the special ones around them."""
        return np.concatenate([self._before, pieces, self._after]).astype(np.int64)


class _Model:
    """A session of the model, and the output that has the vectors."""

    def __init__(self, folder: Path, layer: int | str | None) -> None:
        runtime = import_optional("onnxruntime", MISSING.format("onnxruntime"))
        self.version: str = runtime.__version__
        self._name = printable(str(folder / MODEL))
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # errors are raised
        try:
            self._session = runtime.InferenceSession(
                str(folder / MODEL), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its classes have no common one
            raise InputError(f"cannot read {self._name}: {_first_line(error)}") from None
        self._inputs = [node.name for node in self._session.get_inputs()]
        unknown = [name for name in self._inputs if name not in INPUTS]
        if unknown:
            raise InputError(
                f"{self._name} needs the input {unknown[0]!r}; known: {', '.join(INPUTS)}"
            )
        self.output = self._find_output(layer)
        self.dimensions = self._run(np.zeros((1, 1), np.int64)).shape[-1]
        self.run(np.zeros((1, 1), np.int64))  # checks the shape

    def _find_output(self, layer: int | str | None) -> str:
        """Return the name of the output that is the layer."""
        names: list[str] = [node.name for node in self._session.get_outputs()]
        if layer is None:
            found = [name for name in names if name == LAST] or names
        else:
            numbered = re.compile(rf"(.*\D)?{re.escape(str(layer))}")
            found = [name for name in names if name == str(layer)]
            if not found and str(layer).isdigit():
                found = [name for name in names if numbered.fullmatch(name)]
        if len(found) == 1:
            return found[0]
        several = "has several outputs: choose a layer"
        problem = several if layer is None else f"has no layer {layer!s}"
        raise InputError(f"{self._name} {problem}; outputs: {', '.join(names)}")

    def run(self, pieces: Ints) -> Vectors:
        """Return the vectors of the pieces of sentences of equal length."""
        vectors = self._run(pieces)
        if vectors.shape != (*pieces.shape, self.dimensions):
            raise InputError(
                f"{self._name}: the output {self.output} has the shape {vectors.shape} for "
                f"{pieces.shape[0]} sentences of {pieces.shape[1]} pieces; it must have a vector "
                "for each piece"
            )
        return vectors

    def _run(self, pieces: Ints) -> Vectors:
        values = {"input_ids": pieces, "attention_mask": np.ones_like(pieces)}
        given = {name: values.get(name, np.zeros_like(pieces)) for name in self._inputs}
        try:
            (vectors,) = self._session.run([self.output], given)
        except Exception as error:  # its classes have no common one
            raise InputError(
                f"{self._name} fails on sentences of {pieces.shape[1]} pieces: {_first_line(error)}"
            ) from None
        return np.asarray(vectors, np.float32)


def _read_config(path: Path) -> Mapping[str, Any]:
    """Return the content of a file of the folder; nothing if there is no such file."""
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot read {printable(str(path))}: {_first_line(error)}") from None
    return content if isinstance(content, dict) else {}


def _digest(folder: Path) -> str:
    """Return the beginning of the SHA-256 of all files that change vectors."""
    digest = hashlib.sha256()
    model = (folder / MODEL).read_bytes()
    models = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and is_part(path.relative_to(folder).as_posix(), model)
    ]
    for path in (*models, *(folder / name for name in (TOKENIZER, CONFIG, TOKENIZER_CONFIG))):
        if path.exists():
            digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
            with open(path, "rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()[:DIGEST]


def is_part(name: str, model: bytes) -> bool:
    """Return whether a file belongs to a model, which names the files of its weights.

    >>> is_part("weights.bin", b"...location weights.bin..."), is_part("README.md", b"...")
    (True, False)
    """
    return name.startswith(MODEL) or name.encode() in model


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
