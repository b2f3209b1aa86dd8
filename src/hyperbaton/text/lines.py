"""Line-aligned text files: read side by side, and written whole or not at all."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import os
import secrets
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import BinaryIO, TextIO, TypeVar, cast

from hyperbaton.errors import InputError

StrPath = str | os.PathLike[str]
P = TypeVar("P", str, StrPath)
T = TypeVar("T")
GZIP = b"\x1f\x8b"  # never the beginning of UTF-8


def read_lines(path: StrPath) -> Iterator[str]:
    r"""The lines of a UTF-8 text, plain or gzipped; ``-`` is standard input.

    A line ends at "\n" and nowhere else, so that line numbers are those of ``wc`` and ``paste``.
    A byte order mark is dropped. The file is opened, and errors are raised, by the first line.
    """
    name = _shown(path)
    number = 0
    try:
        with _opened(path) as stream:
            for number, line in enumerate(stream, 1):
                if number == 1:
                    line = line.removeprefix(codecs.BOM_UTF8)
                    if not line:  # the mark is all there is: an empty file
                        return
                text = line.removesuffix(b"\n").decode("utf-8")
                if "\0" in text:  # text has none: this is some other file, or a damaged one
                    at = line.index(b"\0") + 1
                    raise InputError(f"{name}, line {number:,}, has a NUL byte at byte {at}")
                yield text
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InputError(
            f"{name}, line {number:,}, is not UTF-8: 0x{byte:02x} at byte {error.start + 1}"
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise InputError(f"{name} is a damaged gzip file after line {number:,}") from None
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}") from None


def count_lines(path: StrPath) -> int | None:
    """How many lines a file has, if that is quickly known: not of a pipe or a packed file."""
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            if file.peek(2).startswith(GZIP):
                return None
            whole, last = 0, b"\n"
            while chunk := file.read(1 << 20):
                whole, last = whole + chunk.count(b"\n"), chunk[-1:]
    except OSError:
        return None  # whoever reads it says what is wrong
    return whole + (last != b"\n")


def read_aligned(*paths: StrPath) -> Iterator[tuple[str, ...]]:
    """The lines of several files side by side, each file read as ``read_lines`` does."""
    return side_by_side(paths, read_lines)


def side_by_side(paths: Sequence[P], read: Callable[[P], Iterator[T]]) -> Iterator[tuple[T, ...]]:
    """What ``read`` gives for several files, together; they must be equally long."""
    if [os.fspath(path) for path in paths].count("-") > 1:
        raise InputError("standard input can be only one of the files")
    files = [read(path) for path in paths]
    for before, row in enumerate(zip_longest(*files)):
        if None in row:
            shorter = row.index(None)
            longer = next(k for k, line in enumerate(row) if line is not None)
            count = before + 1 + sum(1 for _ in files[longer])
            lines = f"{_shown(paths[longer])} has {count:,} line{'s' * (count > 1)}, but "
            raise InputError(
                lines + _shown(paths[shorter]) + (f" has {before:,}" if before else " is empty")
            )
        yield row


@contextlib.contextmanager
def write_beside(path: StrPath) -> Iterator[TextIO]:
    """A file to write UTF-8 text to, which takes its place at ``path`` when all is written.

    After an exception there is no trace of it, and a file that was there is as it was. ``-`` is
    standard output, written to directly, as is what cannot be replaced: a pipe or a device.
    """
    name = os.fspath(path)
    streams = {"-": sys.stdout, "/dev/stdout": sys.stdout, "/dev/stderr": sys.stderr}
    if name in streams:
        # By their files' names, files behind them would be replaced, with all that is in them.
        if streams[name] is None:
            raise InputError("there is no standard output")
        yield streams[name]
        return
    target = os.path.realpath(name)  # of a link, the file that it leads to is replaced
    if os.path.isdir(target):
        raise InputError(f"cannot write {printable(name)}: it is a folder")
    if os.path.exists(name) and not os.path.isfile(name):
        with _created(name, name, "w") as file:
            yield file
        return
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise InputError(f"cannot write {printable(name)}: there is no folder {printable(folder)}")
    # Not tempfile, which would make a file that others cannot read.
    beside = os.path.join(folder, f".hyperbaton-{secrets.token_hex(8)}.part")
    file = _created(beside, name, "x")
    try:
        with file:
            yield file
        if os.path.isfile(target):
            shutil.copymode(target, beside)
        try:
            os.replace(beside, target)
        except OSError as error:
            raise InputError(f"cannot write {printable(name)}: {error.strerror}") from None
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


@contextlib.contextmanager
def _opened(path: StrPath) -> Iterator[BinaryIO]:
    """The bytes of the text, unpacked."""
    with contextlib.ExitStack() as stack:
        if os.fspath(path) != "-":
            packed = stack.enter_context(open(path, "rb"))
        elif sys.stdin is not None:
            packed = cast(io.BufferedReader, sys.stdin.buffer)
        else:
            raise InputError("there is no standard input")
        if not packed.peek(2).startswith(GZIP):
            yield packed
        else:
            unpacked = stack.enter_context(gzip.GzipFile(fileobj=packed))
            # GzipFile finds lines in Python, a buffer does it in C.
            yield stack.enter_context(io.BufferedReader(unpacked))


def _created(path: str, name: str, mode: str) -> TextIO:
    """A file for writing, which errors call by its ``name``."""
    try:
        return cast(TextIO, open(path, mode, encoding="utf-8", newline="\n"))
    except OSError as error:
        raise InputError(f"cannot write {printable(name)}: {error.strerror}") from None


def _shown(path: StrPath) -> str:
    """A file as errors call it."""
    name = os.fspath(path)
    return "standard input" if name == "-" else printable(name)


def printable(text: str) -> str:
    """A name that goes into a line: what cannot be printed is escaped.

    >>> printable("one\\ttwo")
    'one\\\\ttwo'
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
