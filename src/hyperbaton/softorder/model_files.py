"""Files of precedence models: lines with the format, a checksum and JSON, and then arrays.

The checksum is the SHA-256 of all that comes after its line. The arrays are little-endian and
follow one another: the words in UTF-8, each with a NUL character at its end; the counts of words
(int64); and for neighbours, then for words two apart, the offsets (int64), the followers (int32)
and the counts (uint32) of a :class:`~hyperbaton.softorder.precedence.PairCounts`. The JSON has the
sizes of all of them. Nothing in a file is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from dataclasses import asdict, fields
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.softorder.precedence import PairCounts, PrecedenceModel
from hyperbaton.text.folding import FOLDS
from hyperbaton.text.lines import open_bytes, printable, write_bytes_beside
from hyperbaton.text.tokenization import PUNCTS, Tokenization
from hyperbaton.text.tokenizers import TOKENIZERS

StrPath = str | os.PathLike[str]
FORMAT = b"hyperbaton/precedence/"
VERSION = b"1"
DIGEST = re.compile("[0-9a-f]{32}")


class _Section(NamedTuple):
    """An array of a file: its name in the header, and its type."""

    name: str
    kind: str


SECTIONS = (
    _Section("words", "u1"),
    _Section("word_counts", "<i8"),
    _Section("next_offsets", "<i8"),
    _Section("next_followers", "<i4"),
    _Section("next_counts", "<u4"),
    _Section("after_next_offsets", "<i8"),
    _Section("after_next_followers", "<i4"),
    _Section("after_next_counts", "<u4"),
)


def is_model_file(path: StrPath) -> bool:
    """Return whether a file says that it is a saved model, of whatever version."""
    try:
        with open_bytes(path) as file:
            return file.read(len(FORMAT)) == FORMAT
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: StrPath, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or "it is a damaged gzip file"
    return InputError(f"cannot read {printable(os.fspath(path))}: {reason}")


def save_model(model: PrecedenceModel, path: StrPath) -> None:
    """Write a model to a file, which is replaced only when it is complete."""
    words = "".join(f"{word}\0" for word in model.words).encode()
    arrays = [
        np.frombuffer(words, "u1"),
        model.word_counts,
        *model.next,
        *model.after_next,
    ]
    contents = [
        np.ascontiguousarray(array, section.kind).tobytes()
        for array, section in zip(arrays, SECTIONS, strict=True)
    ]
    header = {
        "text": asdict(model.text),
        "lines": model.lines,
        "digest": model.hexadecimal_digest,
        "parts": list(model.parts),
        "part_count": model.part_count,
        "sizes": {
            section.name: len(array) for section, array in zip(SECTIONS, arrays, strict=True)
        },
    }
    contents.insert(0, json.dumps(header, ensure_ascii=True).encode() + b"\n")
    with write_bytes_beside(path) as file:
        file.write(FORMAT + VERSION + b"\n")
        file.write(_checksum_line(*contents))
        for content in contents:
            file.write(content)


def _checksum_line(*contents: bytes) -> bytes:
    checksum = hashlib.sha256()
    for content in contents:
        checksum.update(content)
    return checksum.hexdigest().encode() + b"\n"


def load_model(path: StrPath) -> PrecedenceModel:
    """Read a model from a file.

    Raises
    ------
    InputError
        If it is not a model of this version, or damaged.
    """
    name = printable(os.fspath(path))
    try:
        with open_bytes(path) as file:
            first, checksum = file.readline(1000), file.readline(1000)
            header, content = file.readline(1 << 24), file.read()
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from None
    if not first.startswith(FORMAT):
        raise InputError(f"{name} is not a saved model: hyperbaton fit writes them")
    version = first[len(FORMAT) :].strip()
    if version != VERSION:
        raise InputError(
            f"{name} has version {printable(version.decode('ascii', 'replace'))} of the format, "
            f"but only version {VERSION.decode()} can be read: fit the model again"
        )
    try:
        if checksum != _checksum_line(header, content):
            raise ValueError("checksum")
        return _read_model(json.loads(header), content)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise InputError(f"{name} is damaged: fit the model again") from None


def _read_model(header: dict[str, Any], content: bytes) -> PrecedenceModel:
    """Return the model of a file, or raise one of several errors if the file is damaged."""
    arrays: list[Any] = []
    at = 0
    for section in SECTIONS:
        size = header["sizes"][section.name] * np.dtype(section.kind).itemsize
        arrays.append(np.frombuffer(content[at : at + size], section.kind))
        at += size
    if at != len(content):
        raise ValueError("size")
    words_content, word_counts, *pairs = arrays
    native = [array.astype(array.dtype.newbyteorder("=")) for array in (word_counts, *pairs)]
    words = tuple(words_content.tobytes().decode().split("\0")[:-1])
    parts, part_count = tuple(header["parts"]), header["part_count"]
    if not DIGEST.fullmatch(header["digest"]):
        raise ValueError("digest")
    model = PrecedenceModel(
        _read_text(header["text"]),
        header["lines"],
        (int(header["digest"][:16], 16), int(header["digest"][16:], 16)),
        parts,
        part_count,
        words,
        native[0],
        PairCounts(*native[1:4]),
        PairCounts(*native[4:7]),
    )
    _check_numbers(model)
    return model


def _read_text(text: dict[str, Any]) -> Tokenization:
    types = {field.name: type(field.default) for field in fields(Tokenization)}
    if {name: type(value) for name, value in text.items()} != types:
        raise ValueError("text")
    read = Tokenization(**text)
    known = (
        (read.tok, TOKENIZERS),
        (read.case, ("lc", "mixed")),
        (read.fold, FOLDS),
        (read.punct, PUNCTS),
    )
    if not all(value in values for value, values in known):
        raise ValueError("text")
    return read


def _check_numbers(model: PrecedenceModel) -> None:
    """Raise an error if the numbers of a model contradict each other."""
    integers = [model.lines, model.part_count, *model.parts]
    if not all(type(number) is int and number >= 0 for number in integers):
        raise ValueError("integers")
    is_sorted = all(a < b for a, b in pairwise(model.words)) and all(
        a < b for a, b in pairwise(model.parts)
    )
    parts_exist = model.parts and model.parts[-1] < model.part_count
    if not is_sorted or not parts_exist or len(model.word_counts) != len(model.words) + 2:
        raise ValueError("words")
    if model.word_counts[-2:].tolist() != [model.lines, model.lines]:
        raise ValueError("lines")
    model.check_counts()
