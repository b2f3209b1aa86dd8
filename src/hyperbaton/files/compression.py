"""Compressed files, which are recognised by their first bytes."""

from __future__ import annotations

import contextlib
import errno
import io
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from hyperbaton.errors import InputError, MissingData

HEAD = 10  # bytes that tell whether a file is compressed


class DamagedFileError(OSError):
    """A compressed file is damaged or truncated.

    Attributes
    ----------
    kind : str
        Name of its format.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(errno.EIO, f"it is a damaged {kind} file")
        self.kind = kind


# Functions that open a compressed file. They return a reader of the decompressed bytes, and the
# error that it raises for damaged data. Some builds of Python lack some of the modules.
Opener = Callable[[BinaryIO], tuple[Any, type[Exception]]]


def _open_gzip(file: BinaryIO) -> tuple[Any, type[Exception]]:
    import gzip

    return gzip.GzipFile(fileobj=file), zlib.error


def _open_xz(file: BinaryIO) -> tuple[Any, type[Exception]]:
    import lzma

    return lzma.LZMAFile(file), lzma.LZMAError


def _open_bzip2(file: BinaryIO) -> tuple[Any, type[Exception]]:
    import bz2

    return bz2.BZ2File(file), OSError  # without a number


def _open_zstd(file: BinaryIO) -> tuple[Any, type[Exception]]:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        raise MissingData(
            "files in the format zstd cannot be read: pip install 'hyperbaton[zstd]'"
        ) from None
    return zstd.ZstdFile(file), zstd.ZstdError


@dataclass(frozen=True)
class Compression:
    """A format of compressed files.

    Attributes
    ----------
    name : str
        Name of the format.
    suffix : str
        How names of its files end.
    magic : pattern of bytes
        How its files begin.
    open : callable
        Function that opens a file of this format.
    """

    name: str
    suffix: str
    magic: re.Pattern[bytes]
    open: Opener


# None of them is likely to begin a text: all but that of bzip2 are not valid UTF-8, and that one
# has ten bytes, of which the last six begin a block or the end of the data.
COMPRESSIONS = (
    Compression("gzip", ".gz", re.compile(rb"\x1f\x8b"), _open_gzip),
    Compression("xz", ".xz", re.compile(rb"\xfd7zXZ\0"), _open_xz),
    Compression("bzip2", ".bz2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), _open_bzip2),
    Compression("zstd", ".zst", re.compile(rb"\x28\xb5\x2f\xfd"), _open_zstd),
)
COMPRESSED_SUFFIXES = tuple(compression.suffix for compression in COMPRESSIONS)


def find_compression(head: bytes) -> Compression | None:
    """Return the format of a file that begins with these bytes; None if it is not compressed."""
    return next((c for c in COMPRESSIONS if c.magic.match(head)), None)


@contextlib.contextmanager
def decompressed(file: io.BufferedReader, path: str, name: str) -> Iterator[BinaryIO]:
    """Open what a file holds: its bytes or, if it is compressed, the decompressed ones.

    Parameters
    ----------
    file : BufferedReader
        The file, at its begin.
    path : str
        Its path. If it ends like that of a compressed file, the file must be one.
    name : str
        Its name in messages.

    Raises
    ------
    InputError
        If the path ends like that of a compressed file, but the file is not one.
    MissingData
        If a package is missing.
    DamagedFileError
        If a compressed file is damaged, while it is read inside the context.
    """
    compression = find_compression(file.peek(HEAD))
    for expected in COMPRESSIONS:
        if path.lower().endswith(expected.suffix) and compression is not expected:
            kind = f"{'an' if expected.name == 'xz' else 'a'} {expected.name}"
            raise InputError(f"{name} is not {kind} file, although its name says so")
    if compression is None:
        yield file
        return
    # BufferedReader splits lines in C, the readers of the formats in Python.
    reader, damage = compression.open(file)
    with reader, io.BufferedReader(reader) as stream:
        try:
            yield cast(BinaryIO, stream)
        except (EOFError, OSError, damage) as error:
            if getattr(error, "errno", None) is not None:
                raise  # the file itself cannot be read, whatever it holds
            raise DamagedFileError(compression.name) from error
