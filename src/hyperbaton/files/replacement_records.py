"""Records of outputs that are replaced together, so that an interruption is noticed.

Files cannot be renamed at the same moment. A run that replaces several files first writes a record
into their folders: what each file was, and what it becomes. The record is removed when all files
are replaced. If a run is killed in between, the next run that writes into the folder finds the
record, compares it with the files, and warns as long as some are new and others are old.

A record is only compared with files. It never makes a run replace or remove any of them, because
it may come from somebody else, for example in an archive.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Sequence
from typing import NamedTuple

from hyperbaton.files.lines import printable
from hyperbaton.files.unfinished_files import (
    RECORD,
    UnfinishedFile,
    claimed,
    create_unfinished,
    unfinished_files,
)

SCHEMA = "hyperbaton/commit/1"
MOST_BYTES = 1 << 20
MOST_NAMES = 3  # in a message

Identity = tuple[int, int, int]


class Replacement(NamedTuple):
    """A file, what it was before it is replaced, None if it did not exist, and what it becomes."""

    path: str
    old: Identity | None
    new: Identity


def identify(path: str) -> Identity | None:
    """Return what a file keeps when it is renamed, or None if there is no file."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):  # no file can have the name, which a foreign record may hold
        return None
    return info.st_ino, info.st_size, info.st_mtime_ns


def write_record(folder: str, files: Sequence[Replacement]) -> UnfinishedFile:
    """Write a record into a folder. The descriptor holds its lock.

    Raises
    ------
    OSError
        If it cannot be written. The error names the folder.
    """
    content = json.dumps({"schema": SCHEMA, "files": [file._asdict() for file in files]}).encode()
    try:
        record = create_unfinished(folder, RECORD)
        try:
            if os.write(record.descriptor, content) < len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except BaseException:
            remove_record(record)
            raise
    except OSError as error:
        raise type(error)(error.errno, error.strerror, folder) from None
    return record


def remove_record(record: UnfinishedFile) -> None:
    """Remove a record that is no longer needed."""
    os.close(record.descriptor)
    with contextlib.suppress(OSError):
        os.unlink(record.path)


def find_interruptions(folder: str) -> list[str]:
    """Return a message for each run that has replaced only some of its files in a folder.

    Other records whose process has ended are removed.
    """
    messages = []
    for path in unfinished_files(folder, RECORD):
        with claimed(path) as is_claimed:
            if not is_claimed:
                continue
            message = describe_interruption(path)
            if message is not None:
                messages.append(message)
            else:
                with contextlib.suppress(OSError):
                    os.unlink(path)
    return messages


def describe_interruption(path: str) -> str | None:
    """Return which files of a record are new and which are old; None if it does not matter.

    It does not matter if none or all were replaced, or if the old ones have changed since.
    """
    files = read_record(path)
    now = [identify(file.path) for file in files]
    new = [file.path for file, identity in zip(files, now, strict=True) if identity == file.new]
    old = [file.path for file, identity in zip(files, now, strict=True) if identity == file.old]
    if not new or not old:
        return None
    return (
        f"an earlier run was interrupted after it had replaced {_join(new)} and before it replaced "
        f"{_join(old)}: they do not belong together until they are written again; to keep them, "
        f"delete {printable(path)}"
    )


def read_record(path: str) -> list[Replacement]:
    """Return the files of a record; none if it is not complete."""
    try:
        with open(path, "rb") as file:
            content = json.loads(file.read(MOST_BYTES))
        files = [
            Replacement(
                entry["path"],
                None if entry["old"] is None else _identity(entry["old"]),
                _identity(entry["new"]),
            )
            for entry in content["files"]
        ]
        if content["schema"] == SCHEMA and all(os.path.isabs(file.path) for file in files):
            return files
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    return []


def _identity(values: Sequence[int]) -> Identity:
    inode, size, time = values
    return inode, size, time


def _join(paths: Sequence[str]) -> str:
    more = len(paths) - MOST_NAMES
    shown = ", ".join(map(printable, paths[:MOST_NAMES]))
    return shown if more <= 0 else f"{shown} and {more:,} more"
