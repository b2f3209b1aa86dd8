"""Compressed files, which are recognised by their first bytes."""

from __future__ import annotations

import contextlib
import errno
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from hyperbaton.errors import InputError, MissingData
from hyperbaton.registries import load

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


ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


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
    module : str
        The module that reads its files. Some builds of Python lack some of them.
    damage : str
        The error that it raises for damaged data.
    """

    name: str
    suffix: str
    magic: re.Pattern[bytes]
    module: str
    damage: str

    def open(self, file: BinaryIO) -> Any:
        """Return a reader of the decompressed bytes of a file."""
        try:
            return load(f"{self.module}:open")(file)
        except ImportError:
            if self.module != ZSTD:
                raise
            raise MissingData(
                "files in the format zstd cannot be read: pip install 'hyperbaton[zstd]'"
            ) from None


# None of them is likely to begin a text: all but that of bzip2 are not valid UTF-8, and that one
# has ten bytes, of which the last six begin a block or the end of the data.
BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
COMPRESSIONS = (
    Compression("gzip", ".gz", re.compile(rb"\x1f\x8b"), "gzip", "zlib:error"),
    Compression("xz", ".xz", re.compile(rb"\xfd7zXZ\0"), "lzma", "lzma:LZMAError"),
    Compression("bzip2", ".bz2", BZIP2, "bz2", "builtins:OSError"),  # without a number
    Compression("zstd", ".zst", re.compile(rb"\x28\xb5\x2f\xfd"), ZSTD, f"{ZSTD}:ZstdError"),
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
    with compression.open(file) as reader, io.BufferedReader(reader) as stream:
        try:
            yield cast(BinaryIO, stream)
        except (EOFError, OSError, load(compression.damage)) as error:
            if getattr(error, "errno", None) is not None:
                raise  # the file itself cannot be read, whatever it holds
            raise DamagedFileError(compression.name) from error
