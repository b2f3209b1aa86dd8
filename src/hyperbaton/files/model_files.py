"""Files of models: lines with the format, a checksum and JSON, and then arrays.

The checksum is the SHA-256 of all that comes after its line. The arrays are little-endian and
follow one another; the JSON has their sizes. Nothing in a file is ever executed.
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


@dataclass(frozen=True)
class ModelFormat:
    """A kind of model file.

    Attributes
    ----------
    name : bytes
        What the first line starts with; the version follows.
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

    def is_format_of(self, path: StrPath) -> bool:
        """Return whether a file says that it has this format, of whatever version."""
        try:
            with open_bytes(path) as file:
                return file.read(len(self.name)) == self.name
        except OSError as error:
            raise _unreadable(path, error) from None

    def write(
        self, path: StrPath, header: dict[str, Any], arrays: Sequence[npt.NDArray[Any]]
    ) -> None:
        """Write a model to a file, which is replaced only when it is complete."""
        contents = self.as_bytes(arrays)
        names = [name for name, _ in self.sections]
        sizes = dict(zip(names, map(len, arrays), strict=True))
        first = json.dumps({**header, "sizes": sizes}, ensure_ascii=True).encode() + b"\n"
        contents.insert(0, first)
        with write_bytes_beside(path) as file:
            file.write(self.name + self.version + b"\n")
            file.write(_checksum_line(contents))
            for content in contents:
                file.write(content)

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
                problem = self._check_version(file.readline(1000))
                if problem is None:
                    return build(*self._read_content(file))
        except OSError as error:
            raise _unreadable(path, error) from None
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            raise InputError(f"{name} is damaged: {self.remedy}") from None
        except MemoryError:
            raise InputError(f"{name} is too large for this machine") from None
        raise InputError(f"{name} {problem}")

    def _check_version(self, first: bytes) -> str | None:
        """Return what is wrong with the first line of a file; None if nothing is."""
        if not first.startswith(self.name):
            return f"is not a saved model: {self.origin}"
        version = first[len(self.name) :].strip()
        if version == self.version:
            return None
        return (
            f"has version {printable(version.decode('ascii', 'replace'))} of the format, but only "
            f"version {self.version.decode()} can be read: {self.remedy}"
        )

    def _read_content(self, file: BinaryIO) -> tuple[dict[str, Any], list[npt.NDArray[Any]]]:
        """Return header and arrays, or raise one of several errors if the file is damaged."""
        checksum, line = file.readline(1000), file.readline(1 << 24)
        header = json.loads(line)
        counts = [header["sizes"][name] for name, _ in self.sections]
        if not all(type(count) is int and count >= 0 for count in counts):
            raise ValueError("sizes")
        kinds = [np.dtype(kind) for _, kind in self.sections]
        sizes = (count * kind.itemsize for count, kind in zip(counts, kinds, strict=True))
        bounds = list(accumulate(sizes, initial=0))
        # No more than the header says is read, since a file may be endless.
        content = file.read(bounds[-1] + 1)
        if checksum != _checksum_line([line, content]):
            raise ValueError("checksum")
        if len(content) != bounds[-1]:
            raise ValueError("size")
        return header, [
            np.frombuffer(content[begin:end], kind).astype(kind.newbyteorder("="))
            for (begin, end), kind in zip(pairwise(bounds), kinds, strict=True)
        ]


def _unreadable(path: StrPath, error: OSError) -> InputError:
    return InputError(f"cannot read {printable(os.fspath(path))}: {error.strerror}")


def _checksum_line(contents: Iterable[bytes]) -> bytes:
    checksum = hashlib.sha256()
    for content in contents:
        checksum.update(content)
    return checksum.hexdigest().encode() + b"\n"


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
