"""Line-aligned text files: reading, also compressed and in parallel, and names in messages."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import math
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any, BinaryIO, TypeVar, cast

from hyperbaton import _core
from hyperbaton.errors import InputError, MissingData, escape_unprintable
from hyperbaton.registries import load
from hyperbaton.text.plurals import count_noun

StrPath = str | os.PathLike[str]
P = TypeVar("P", str, StrPath)
T = TypeVar("T")

# A small compressed file, a pipe or a device may have lines without end.
MAX_LINE_BYTES = 10_000_000
MAX_BLOCK_BYTES = 1_000_000_000
HEAD = 10  # bytes that tell whether a file is compressed


def read_lines(path: StrPath) -> Iterator[str]:
    r"""Iterate over the lines of a UTF-8 text file, plain or compressed.

    Lines end only at "\n", so that line numbers are those of ``wc`` and ``paste``. A byte order
    mark is dropped. The file is opened when the first line is read.

    Parameters
    ----------
    path : str or path
        The file; ``-`` is standard input.

    Raises
    ------
    InputError
        If the file cannot be read, is not UTF-8, contains a NUL byte or has a line of more than
        10,000,000 bytes.
    """
    name = display_name(path)
    number = 0
    try:
        with open_bytes(path) as stream:
            for number, line in enumerate(bounded_lines(stream, name), 1):
                if number == 1:
                    line = line.removeprefix(codecs.BOM_UTF8)
                    if not line:  # a file that consists of the mark is empty
                        return
                yield _decode_line(line, name, number)
    except OSError as error:
        raise _reading_error(error, name, number) from None


def read_line_blocks(path: StrPath, size: int) -> Iterator[_core.Lines]:
    r"""Iterate over blocks of ``size`` lines of a UTF-8 text file, plain or compressed.

    Lines are those of :func:`read_lines`, without a carriage return at their end. They are not
    converted to Python strings.

    Raises
    ------
    InputError
        If the file cannot be read, is not UTF-8, contains a NUL byte, has a line of more than
        10,000,000 bytes or a block of more than 1,000,000,000.
    """
    name = display_name(path)
    number = 0
    read: list[bytes] = []
    try:
        with open_bytes(path) as stream:
            while True:
                # ``extend`` keeps what was read before an error.
                read.extend(islice(bounded_lines(stream, name, number, MAX_BLOCK_BYTES), size))
                if not read:
                    return
                if not number:
                    read[0] = read[0].removeprefix(codecs.BOM_UTF8)
                lines, invalid = _core.Lines.from_bytes(b"".join(read))
                if invalid >= 0:  # decoding it raises the error
                    _decode_line(read[invalid], name, number + invalid + 1)
                number += len(lines)
                read.clear()
                if lines:
                    yield lines
    except OSError as error:
        raise _reading_error(error, name, number + len(read)) from None


def bounded_lines(
    stream: BinaryIO, name: str, before: int = 0, max_bytes: float = math.inf
) -> Iterator[bytes]:
    """Iterate over the next lines of a file, of which ``before`` lines were read already.

    Raises
    ------
    InputError
        If a line is too long, or all of them together have more than ``max_bytes``.
    """
    number, total = before, 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        total += len(line)
        if len(line) > MAX_LINE_BYTES:
            raise InputError(f"{name}, line {number:,}, has more than {MAX_LINE_BYTES:,} bytes")
        if total > max_bytes:
            raise InputError(
                f"{name}: lines {before + 1:,} to {number:,}, which are read together, have more "
                f"than {max_bytes:,} bytes"
            )
        yield line


def _decode_line(line: bytes, name: str, number: int) -> str:
    """Return the text of a line; errors name the file and the number of the line."""
    try:
        text = line.removesuffix(b"\n").decode("utf-8")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InputError(
            f"{name}, line {number:,}, is not UTF-8: 0x{byte:02x} at byte {error.start + 1}"
            f"{_encoding_hint(line)}"
        ) from None
    if "\0" in text:  # a binary or damaged file
        column = line.index(b"\0") + 1
        raise InputError(
            f"{name}, line {number:,}, has a NUL byte at byte {column}{_encoding_hint(line)}"
        )
    return text


def _encoding_hint(line: bytes) -> str:
    r"""Return how to convert a file if a line of it looks like UTF-16.

    >>> _encoding_hint("a b".encode("utf-16")) == _encoding_hint(b"\0a\0 \0b") != ""
    True
    >>> _encoding_hint(b"a\0b")
    ''
    """
    if line.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "; it looks like UTF-32: convert it with iconv -f UTF-32 -t UTF-8"
    has_mark = line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    # Most characters of most languages with spaces have a zero byte, always on the same side.
    is_wide = any(2 * line[k::2].count(0) > len(line) // 2 for k in (0, 1)) and len(line) > 3
    if has_mark or is_wide:
        return "; it looks like UTF-16: convert it with iconv -f UTF-16 -t UTF-8"
    return ""


def _reading_error(error: OSError, name: str, number: int) -> InputError:
    """Return the error for a file that cannot be read after line ``number``."""
    if isinstance(error, DamagedFileError):
        return InputError(f"{name} is a damaged {error.kind} file after line {number:,}")
    return InputError(f"cannot read {name}: {error.strerror}")


def count_lines(path: StrPath) -> int | None:
    """Return the number of lines, or None if it is not quickly known (a pipe, or compressed)."""
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            if find_compression(file.peek(HEAD)) is not None:
                return None
            count, last = 0, b"\n"
            while chunk := file.read(1 << 20):
                count, last = count + chunk.count(b"\n"), chunk[-1:]
    except OSError:
        return None  # reading the file will raise the error
    return count + (last != b"\n")


def read_aligned(*paths: StrPath) -> Iterator[tuple[str, ...]]:
    """Iterate over the lines of several files in parallel; see :func:`read_lines`."""
    return zip_files(paths, read_lines)


def zip_files(paths: Sequence[P], read: Callable[[P], Iterator[T]]) -> Iterator[tuple[T, ...]]:
    """Iterate over several files in parallel.

    Parameters
    ----------
    paths : sequence of paths
        The files; at most one may be ``-``, standard input.
    read : callable
        Function that iterates over the rows of one file.

    Raises
    ------
    InputError
        If the files do not have the same number of rows.
    """
    check_standard_input(paths)
    files = [read(path) for path in paths]
    for complete, row in enumerate(zip_longest(*files)):
        if None in row:
            shorter = row.index(None)
            longer = next(k for k, line in enumerate(row) if line is not None)
            count = complete + 1 + sum(1 for _ in files[longer])
            raise different_lengths(paths[longer], count, paths[shorter], complete)
        yield row


def check_standard_input(paths: Sequence[StrPath]) -> None:
    """Raise an error if standard input, or a pipe, is more than one of the files.

    Each reader would get some of its lines.
    """
    seen: dict[object, str] = {}
    for path in (os.fspath(path) for path in paths):
        stream = _stream(path)
        if stream is not None and stream in seen:
            name = "standard input" if "-" in (path, seen[stream]) else printable(path)
            raise InputError(f"{name} can be only one of the files")
        seen[stream] = path


def _stream(path: str) -> object:
    """Return what is the same for all names of a stream; None for a file that can be read again."""
    own = path if path == "-" else None
    try:
        status = os.fstat(0) if path == "-" else os.stat(path)
    except (OSError, ValueError):
        return own
    is_stream = not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))
    return (status.st_dev, status.st_ino) if is_stream else own


def different_lengths(longer: StrPath, count: int, shorter: StrPath, less: int) -> InputError:
    """Return the error for two files that should have the same number of lines."""
    return InputError(
        f"{display_name(longer)} has {count_noun(count, 'line')}, but {display_name(shorter)}"
        + (f" has {less:,}" if less else " is empty")
    )


def check_file_name(name: str) -> None:
    """Raise an error if no file can have this name."""
    if not name:
        raise InputError("a file name is empty")
    try:
        is_valid = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        is_valid = False
    if not is_valid:
        raise InputError(f"{printable(name)} is not a valid name of a file")


def file_identity(status: os.stat_result) -> tuple[int, ...]:
    """Return what changes if a file is changed or replaced."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@contextlib.contextmanager
def open_bytes(path: StrPath) -> Iterator[BinaryIO]:
    """Open a file for reading bytes; a compressed file is decompressed."""
    with contextlib.ExitStack() as stack:
        if os.fspath(path) != "-":
            stored = stack.enter_context(open(path, "rb"))
        elif sys.stdin is not None:
            stored = cast(io.BufferedReader, sys.stdin.buffer)
        else:
            raise InputError("there is no standard input")
        yield stack.enter_context(decompressed(stored, os.fspath(path), display_name(path)))


def display_name(path: StrPath) -> str:
    """Return the name of a file for error messages."""
    name = os.fspath(path)
    return "standard input" if name == "-" else printable(name)


MAX_NAME_WIDTH = 16  # columns of a system's name in tables and sentences


def printable(text: str) -> str:
    """Escape unprintable characters of a name, as error messages do."""
    return text if text.isprintable() else escape_unprintable(text)


def short_names(names: Sequence[str]) -> dict[str, str]:
    r"""Return how people see the names of systems: printable, and at most 16 columns wide.

    Longer names are shortened in the middle. Those that would become equal get numbers, which do
    not depend on the order of the names.

    >>> short_names(["nmt", "transformer-big-base", "a\tb"]).values()
    dict_values(['nmt', 'transfor…ig-base', 'a\\tb'])
    >>> list(short_names(["transformer-a1-large", "transformer-b1-large"]).values())
    ['transfo…-large~1', 'transfo…-large~2']
    """
    shown = {name: _shorten(printable(name), MAX_NAME_WIDTH) for name in names}
    equal = Counter(shown.values())
    used = {text for name, text in shown.items() if equal[text] == 1 or text == name}
    changed = (name for name, text in shown.items() if text != name and equal[text] > 1)
    for name in sorted(changed):
        number = 0
        while not number or shown[name] in used:
            number += 1
            tail = f"~{number}"
            shown[name] = _shorten(printable(name), MAX_NAME_WIDTH - len(tail)) + tail
        used.add(shown[name])
    return shown


def _shorten(text: str, width: int) -> str:
    """Return a text of at most ``width`` columns: its start and its end."""
    from rich.cells import cell_len  # imported here, because most of the program does without

    if cell_len(text) <= width:
        return text
    head, tail = 0, len(text)
    while cell_len(text[: head + 1]) <= width // 2:
        head += 1
    while cell_len(text[tail - 1 :]) < width - width // 2:
        tail -= 1
    return f"{text[:head]}…{text[tail:]}"


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
