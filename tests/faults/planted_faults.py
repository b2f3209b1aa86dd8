"""Faults that a run of the tests can have, to show that the tests notice them.

Each function changes the package in a process of its own.
"""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from hyperbaton.alignment import paraphrases
from hyperbaton.files import output_files
from hyperbaton.syntax import cache


def plant(owner: object, name: str, value: object) -> None:
    """Change a part of the package."""
    assert hasattr(owner, name)
    setattr(owner, name, value)


class Anything(int):
    """A number that equals all others."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = int.__hash__


def write_directly() -> None:
    """Outputs are written to their final place."""

    def open_bytes(files: output_files.OutputFiles, path: Any) -> BinaryIO:
        stream = open(path, "wb")  # noqa: SIM115
        files._streams.append(stream)
        return stream

    plant(output_files.OutputFiles, "open_bytes", open_bytes)


def rename_unflushed() -> None:
    """Outputs get their names before their last bytes are written."""

    def commit(files: output_files.OutputFiles) -> None:
        for file in files._files:
            file.replace()
        for stream in reversed(files._streams):
            stream.flush()
        files._discard()

    plant(output_files.OutputFiles, "commit", commit)


def keep_no_record() -> None:
    """Outputs are replaced together without a record of it."""

    def replace(files: output_files.OutputFiles) -> None:
        for file in files._files:
            file.replace()

    plant(output_files.OutputFiles, "_replace", replace)


def leave_abandoned() -> None:
    """What killed runs have left is not removed."""
    plant(output_files, "remove_abandoned", lambda folder: None)


def remove_all() -> None:
    """The files of runs that are still at work are removed, too."""

    @contextlib.contextmanager
    def claimed(path: str) -> Iterator[bool]:
        yield True

    plant(output_files, "claimed", claimed)


def write_index_directly() -> None:
    """The index of paraphrases is written to its final place."""

    @contextlib.contextmanager
    def write(path: Any) -> Iterator[BinaryIO]:
        with open(path, "wb", buffering=0) as file:
            yield file

    plant(paraphrases, "write_bytes_beside", write)


def trust_index() -> None:
    """The checksum of the index of paraphrases is not compared."""
    plant(zlib, "crc32", lambda *_: Anything())


def trust_cache() -> None:
    """The checksum of a cached tree is not compared."""
    plant(cache, "_checksum", lambda key, text: Anything())


class CarelessConnection(sqlite3.Connection):
    """A database whose file is written again from its beginning, in two operations."""

    def executemany(self, query: str, rows: Any, /) -> sqlite3.Cursor:
        cursor = super().executemany(query, rows)
        self.commit()
        path = Path(self.execute("PRAGMA database_list").fetchone()[2])
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        path.write_bytes(content)
        return cursor


def write_cache_in_place() -> None:
    """The cache of trees is written to its final place without a journal."""
    connect = sqlite3.connect

    def connect_carelessly(*arguments: Any, **options: Any) -> sqlite3.Connection:
        return connect(*arguments, **options, factory=CarelessConnection)

    plant(sqlite3, "connect", connect_carelessly)


def swallow_errors() -> None:
    """A full disk is not reported."""
    write = output_files._NamedFile.write

    def write_if_possible(file: Any, data: Any) -> int:
        with contextlib.suppress(OSError):
            return write(file, data)
        return len(data)

    plant(output_files._NamedFile, "write", write_if_possible)
    plant(output_files._NewFile, "synchronize", lambda file: None)


FAULTS: dict[str, Callable[[], None]] = {
    fault.__name__: fault
    for fault in (
        write_directly,
        rename_unflushed,
        keep_no_record,
        leave_abandoned,
        remove_all,
        write_index_directly,
        trust_index,
        trust_cache,
        write_cache_in_place,
        swallow_errors,
    )
}
