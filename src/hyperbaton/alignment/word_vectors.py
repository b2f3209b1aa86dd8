"""Tables of word vectors: text as word2vec and GloVe write it, or an array beside its words."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.encoders import Encoder, check_link_settings
from hyperbaton.errors import InputError
from hyperbaton.files.lines import StrPath, open_bytes, printable, read_lines
from hyperbaton.text.plurals import count_noun

DIGEST = 12  # hexadecimal digits of the SHA-256
BLOCK = 2000  # lines that are read at a time
LONGEST_NUMBER = 64  # characters
BOM = b"\xef\xbb\xbf"
Vectors = npt.NDArray[np.float32]


class WordVectors(Encoder):
    """A table with a vector for each word, whatever its sentence is.

    Parameters
    ----------
    path : path
        A text file, plain or compressed, with a line for each word: the word, then its numbers,
        separated by spaces. A first line with the number of words and of dimensions, as word2vec
        writes it, is checked. Or a file NAME.npy, an array with a row for each word, beside
        NAME.txt, which has the words line by line.
    neighbours, distance, threshold : float
        See :class:`hyperbaton.Encoder`.

    Raises
    ------
    InputError
        If the file cannot be read, its lines have different lengths, or a number is not finite.

    Examples
    --------
    >>> import hyperbaton as hb
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "vectors.txt")
    ...     _ = path.write_text("big 1 0.1\\nlarge 1 0\\nhouse 0 1\\n", "utf-8")
    ...     vectors = hb.WordVectors(path)
    >>> hb.align("big house", "large house", matchers=vectors).links
    ((0, 0), (1, 1))
    """

    thread_safe = True

    def __init__(
        self,
        path: StrPath,
        *,
        neighbours: float = 0.2,
        distance: float = 0.2,
        threshold: float = 0.4,
    ) -> None:
        self._path = os.fspath(path)
        settings = check_link_settings(neighbours, distance, threshold)
        self.neighbours, self.distance, self.threshold = settings
        self.name = os.path.basename(self._path)
        words, vectors, self.digest = (
            _read_array(self._path) if self._path.endswith(".npy") else _read_text(self._path)
        )
        self._rows: dict[str, int] = {}
        for row, word in enumerate(words):
            self._rows.setdefault(word, row)
        # The last row is that of unknown words.
        self._vectors = np.concatenate([vectors, np.zeros((1, vectors.shape[1]), np.float32)])

    def __reduce__(self) -> tuple[Any, ...]:
        # The receiving process reads the file again.
        settings = self.neighbours, self.distance, self.threshold
        return _open_again, (self._path, *settings)

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self._rows)

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Vectors]:
        """Return the vectors of words; of unknown words those of their lower case, or zeros."""
        return [self._vectors[[self._find(word) for word in words]] for words in sentences]

    def _find(self, word: str) -> int:
        row = self._rows.get(word, -1)
        return row if row >= 0 else self._rows.get(word.lower(), -1)


def _open_again(path: str, neighbours: float, distance: float, threshold: float) -> WordVectors:
    return WordVectors(path, neighbours=neighbours, distance=distance, threshold=threshold)


def _read_array(path: str) -> tuple[list[str], Vectors, str]:
    """Return the words, their vectors and a digest of both files."""
    words_path = os.path.splitext(path)[0] + ".txt"
    name = printable(path)
    try:
        # Mapped, a shape that is larger than the file takes no memory.
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # damaged headers raise errors of many classes
        raise InputError(f"cannot read {name}: {_reason(error)}") from None
    if not isinstance(array, np.ndarray):
        raise InputError(f"{name} is an archive, not a single array")
    if not os.path.exists(words_path):
        raise InputError(f"{name} needs its words, line by line, in {printable(words_path)}")
    words = list(read_lines(words_path))
    if array.ndim != 2 or array.dtype.kind != "f":
        raise InputError(
            f"{name} must be an array of numbers with a row for each word, got the shape "
            f"{array.shape} of {array.dtype}"
        )
    if len(array) != len(words):
        raise InputError(
            f"{name} has {count_noun(len(array), 'row')}, but {printable(words_path)} has "
            f"{count_noun(len(words), 'word')}"
        )
    with np.errstate(over="ignore"):
        vectors = np.ascontiguousarray(array, np.float32)
    for row in np.flatnonzero(~np.isfinite(vectors).all(axis=1)):
        raise InputError(f"{name}, row {row + 1:,}: the vector of {words[row]!r} is not finite")
    digest = hashlib.sha256(vectors.tobytes())
    digest.update("\n".join(words).encode())
    return words, vectors, digest.hexdigest()[:DIGEST]


def _read_text(path: str) -> tuple[list[str], Vectors, str]:
    """Return the words, their vectors and a digest of the file."""
    digest = hashlib.sha256()
    words: list[str] = []
    blocks: list[Vectors] = []
    reader = _TextReader(path)
    for lines in reader.blocks():
        digest.update(b"".join(lines))
        own, vectors = reader.parse(lines)
        words += own
        blocks.append(vectors)
    reader.check_count(len(words))
    return words, np.concatenate(blocks), digest.hexdigest()[:DIGEST]


class _TextReader:
    """Reads words and vectors, and knows where it is."""

    def __init__(self, path: str) -> None:
        self._path, self._name = path, printable(path)
        self._line = 0  # lines read before
        self._columns: int | None = None
        self._announced: int | None = None  # number of words, as the first line says

    def blocks(self) -> Iterator[list[bytes]]:
        """Yield the lines of the file, some at a time."""
        try:
            with open_bytes(self._path) as file:
                while lines := list(islice(file, BLOCK)):
                    yield lines
        except (OSError, EOFError, ValueError) as error:
            raise InputError(f"cannot read {self._name}: {_reason(error)}") from None

    def parse(self, lines: list[bytes]) -> tuple[list[str], Vectors]:
        """Return the words of some lines, and their vectors."""
        rows = [line.rstrip(b" \r\n").split(b" ") for line in lines]
        if self._line == 0:
            rows[0][0] = rows[0][0].removeprefix(BOM)
            self._read_header(rows)
        for k, row in enumerate(rows, self._line + 1):
            self._join_word(row)
            self._check_length(k, row)
        words = [self._decode(k, row[0]) for k, row in enumerate(rows, self._line + 1)]
        numbers = [number for row in rows for number in row[1:]]
        if max(map(len, numbers), default=0) > LONGEST_NUMBER:
            raise self._number_error(rows)
        try:
            with np.errstate(over="ignore"):
                flat = np.array(numbers).astype(np.float32) if numbers else np.zeros(0, np.float32)
            vectors = flat.reshape(-1, self._columns or 1)
        except ValueError:
            raise self._number_error(rows) from None
        if not np.isfinite(vectors).all():
            raise self._number_error(rows)
        self._line += len(rows)
        return words, vectors

    def _read_header(self, rows: list[list[bytes]]) -> None:
        """Take the first line away if it has the numbers of words and of dimensions."""
        is_alone = len(rows) == 1 or len(rows[1]) != 2
        if len(rows[0]) == 2 and is_alone and all(map(bytes.isdigit, rows[0])) and int(rows[0][1]):
            self._announced, self._columns = map(int, rows[0])
            del rows[0]
            self._line = 1

    def _join_word(self, row: list[bytes]) -> None:
        """Join the parts of a word with spaces, which GloVe has, unless a part is a number."""
        parts = len(row) - (self._columns or len(row))
        if parts > 1 and not any(map(_is_number, row[1:parts])):
            row[:parts] = [b" ".join(row[:parts])]

    def _check_length(self, line: int, row: list[bytes]) -> None:
        if self._columns is None:
            self._columns = len(row) - 1
        if len(row) - 1 != self._columns or not self._columns:
            raise InputError(
                f"{self._name}, line {line:,}: expected a word and "
                f"{count_noun(self._columns or 1, 'number')}, got "
                f"{count_noun(len(row), 'column')}"
            )

    def _decode(self, line: int, word: bytes) -> str:
        try:
            return word.decode()
        except UnicodeDecodeError:
            raise InputError(f"{self._name}, line {line:,}: the word is not UTF-8") from None

    def _number_error(self, rows: list[list[bytes]]) -> InputError:
        for line, row in enumerate(rows, self._line + 1):
            for number in row[1:]:
                if not _is_number(number):
                    text = number[:LONGEST_NUMBER].decode("utf-8", "replace")
                    return InputError(f"{self._name}, line {line:,}: {text!r} is not a number")
        lines = f"lines {self._line + 1:,} to {self._line + len(rows):,}"
        return InputError(f"{self._name}, {lines}: something is not a number")

    def check_count(self, words: int) -> None:
        """Raise an error if there are other words than the first line says, or none."""
        if not words:
            raise InputError(f"{self._name} has no word vectors")
        if self._announced not in (None, words):
            raise InputError(
                f"{self._name} has {count_noun(words, 'word')}, but its first line says "
                f"{self._announced:,}"
            )


def _is_number(text: bytes) -> bool:
    """Return whether a text is a finite number, in few digits."""
    if len(text) > LONGEST_NUMBER:
        return False
    try:
        with np.errstate(over="ignore"):
            return bool(np.isfinite(np.float32(text.decode("ascii"))))
    except ValueError:
        return False


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error).partition("\n")[0]
