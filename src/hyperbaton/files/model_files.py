"""Files of models: a line with the format, a line of JSON, arrays, and a checksum.

The arrays are little-endian and follow one another; the JSON has their sizes. The checksum is the
SHA-256 of all that comes before it. Nothing in a file is ever executed.

An option may name a text or a model. So that neither can be taken for the other, a file begins and
ends with bytes that no text in UTF-8 has: no begin or end of a model is a text, and no text becomes
one if a few of its bits change.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import accumulate, pairwise
from typing import Any, BinaryIO, TypeVar

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.files.lines import StrPath, open_bytes, printable
from hyperbaton.files.output_files import write_bytes_beside
from hyperbaton.text.folding import FOLDS
from hyperbaton.text.tokenization import PUNCTS, TOKENIZERS, Tokenization

T = TypeVar("T")
# One changed byte leaves others that are not UTF-8.
MAGIC = b"\xff\xf8hyperbaton\xf8\xff"
END = b"\xff"
MAX_FIRST_LINE, MAX_HEADER = 1000, 1 << 24  # bytes


@dataclass(frozen=True)
class ModelFormat:
    """A kind of model file.

    Attributes
    ----------
    name : bytes
        The kind of model, which the first line has after ``MAGIC``.
    version : bytes
        The only version that can be read.
    sections : tuple of pairs of str
        The arrays of a file: the name of each in the header, and its type.
    origin : str
        What writes such files, for error messages: "hyperbaton fit writes them".
    remedy : str
        What to do if a file cannot be read, for error messages: "fit the model again".
    """

    name: bytes
    version: bytes
    sections: tuple[tuple[str, str], ...]
    origin: str
    remedy: str

    def write(
        self, path: StrPath, header: dict[str, Any], arrays: Sequence[npt.NDArray[Any]]
    ) -> None:
        """Write a model to a file, which is replaced only when it is complete."""
        names = [name for name, _ in self.sections]
        sizes = dict(zip(names, map(len, arrays), strict=True))
        line = json.dumps({**header, "sizes": sizes}, ensure_ascii=True).encode() + b"\n"
        contents = [self._first_line, line, *self.as_bytes(arrays)]
        with write_bytes_beside(path) as file:
            for content in (*contents, _checksum(contents), END):
                file.write(content)

    @property
    def _first_line(self) -> bytes:
        return MAGIC + self.name + b"/" + self.version + b"\n"

    def as_bytes(self, arrays: Sequence[npt.NDArray[Any]]) -> list[bytes]:
        """Return the content of each array in a file."""
        return [
            np.ascontiguousarray(array, kind).tobytes()
            for array, (_, kind) in zip(arrays, self.sections, strict=True)
        ]

    def read(
        self, path: StrPath, build: Callable[[dict[str, Any], list[npt.NDArray[Any]]], T]
    ) -> T:
        """Read a model from a file.

        Parameters
        ----------
        path : path-like
            The file.
        build : callable
            Returns the model of a header and arrays. It may raise ``ValueError``, ``KeyError`` and
            the like if they contradict each other.

        Raises
        ------
        InputError
            If it is not a model of this format and version, or damaged.
        """
        name = printable(os.fspath(path))
        try:
            with open_bytes(path) as file:
                problem = self._check_first_line(file.readline(MAX_FIRST_LINE))
                if problem is None:
                    return build(*self._read_content(file))
        except OSError as error:
            raise _unreadable(path, error) from None
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            raise InputError(f"{name} is damaged: {self.remedy}") from None
        except MemoryError:
            raise InputError(f"{name} is too large for this machine") from None
        raise InputError(f"{name} {problem}")

    def _check_first_line(self, line: bytes) -> str | None:
        """Return what is wrong with the first line of a file; None if nothing is."""
        if not line.startswith(MAGIC):
            return f"is not a saved model: {self.origin}"
        if not line.endswith(b"\n"):
            raise ValueError("first line")
        name, _, version = line.removeprefix(MAGIC).removesuffix(b"\n").partition(b"/")
        if name != self.name:
            kind = printable(name.decode("ascii", "replace"))
            return f"is a model of the kind {kind}, not {self.name.decode()}: {self.origin}"
        if version == self.version:
            return None
        return (
            f"has version {printable(version.decode('ascii', 'replace'))} of the format, but only "
            f"version {self.version.decode()} can be read: {self.remedy}"
        )

    def _read_content(self, file: BinaryIO) -> tuple[dict[str, Any], list[npt.NDArray[Any]]]:
        """Return header and arrays, or raise one of several errors if the file is damaged."""
        line = file.readline(MAX_HEADER)
        header = json.loads(line)
        counts = [header["sizes"][name] for name, _ in self.sections]
        if not all(type(count) is int and count >= 0 for count in counts):
            raise ValueError("sizes")
        kinds = [np.dtype(kind) for _, kind in self.sections]
        sizes = (count * kind.itemsize for count, kind in zip(counts, kinds, strict=True))
        bounds = list(accumulate(sizes, initial=0))
        # No more than the header says is read, since a file may be endless.
        content = file.read(bounds[-1])
        checksum = _checksum([self._first_line, line, content])
        if file.read(len(checksum) + len(END) + 1) != checksum + END:
            raise ValueError("checksum")
        return header, [
            np.frombuffer(content[begin:end], kind).astype(kind.newbyteorder("="))
            for (begin, end), kind in zip(pairwise(bounds), kinds, strict=True)
        ]


def is_model_file(path: StrPath) -> bool:
    """Return whether a file says that it is a saved model, of whatever kind and version."""
    try:
        with open_bytes(path) as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: StrPath, error: OSError) -> InputError:
    return InputError(f"cannot read {printable(os.fspath(path))}: {error.strerror}")


def _checksum(contents: Iterable[bytes]) -> bytes:
    checksum = hashlib.sha256()
    for content in contents:
        checksum.update(content)
    return checksum.digest()


def pack_words(words: Iterable[str]) -> npt.NDArray[np.uint8]:
    """Return words in UTF-8, each with a NUL character at its end."""
    return np.frombuffer("".join(f"{word}\0" for word in words).encode(), np.uint8)


def unpack_words(content: npt.NDArray[np.uint8]) -> tuple[str, ...]:
    """Return the words of :func:`pack_words`."""
    *words, rest = content.tobytes().decode().split("\0")
    if rest:
        raise ValueError("words")
    return tuple(words)


def read_tokenization(text: dict[str, Any]) -> Tokenization:
    """Return the tokenisation that a header holds, or raise a ``ValueError``."""
    types = {field.name: type(field.default) for field in fields(Tokenization)}
    if {name: type(value) for name, value in text.items()} != types:
        raise ValueError("text")
    read = Tokenization(**text)
    if read.tok not in TOKENIZERS or read.case not in ("lc", "mixed"):
        raise ValueError("text")
    if read.fold not in FOLDS or read.punct not in PUNCTS:
        raise ValueError("text")
    return read
