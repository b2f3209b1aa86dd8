"""Hidden files that exist only while outputs are written, and the removal of abandoned ones.

A process holds a lock on each of its unfinished files. A process that is killed leaves the file
behind without the lock. The next run that writes into the same folder removes it.

Locks mean something only among processes of one running system: some network file systems keep
them on each machine. The name of an unfinished file therefore says on which system it was made.
Files of other systems, and those on file systems without locks, are removed only if they have not
changed for a week. Windows does not remove open files, so that no lock is needed there.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import platform
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

PART = ".part"  # the content of an output
RECORD = ".commit"  # a record of outputs that are being replaced
NAME = re.compile(r"\.hyperbaton-(?:([0-9a-f]{8})-)?[0-9a-z]+(\.part|\.commit)")
BOOT_ID = "/proc/sys/kernel/random/boot_id"  # the same in all containers of a machine
WEEK = 7 * 24 * 3600.0
# Windows: an output is closed shortly before it gets its name.
CLOSED_SECONDS = 60.0
MOST_TRIES = 10


class UnfinishedFile(NamedTuple):
    """A new file: its path, and a descriptor that is open for writing and locked."""

    path: str
    descriptor: int


@functools.cache
def system_tag() -> str:
    """Return a name for the running system, whose processes share their locks."""
    try:
        with open(BOOT_ID, "rb") as file:
            identity = file.read()
    except OSError:
        identity = platform.node().encode()
    return hashlib.sha256(identity).hexdigest()[:8]


def is_unfinished_name(name: str) -> bool:
    """Return whether a file with this name is unfinished.

    >>> is_unfinished_name(".hyperbaton-01234567-89ab.part")
    True
    >>> is_unfinished_name(".hyperbaton-serve.lock")
    False
    """
    return NAME.fullmatch(name) is not None


def create_unfinished(
    folder: str, suffix: str = PART, mode: int = 0o666, token: str = ""
) -> UnfinishedFile:
    """Create an unfinished file with a random name, and lock it if that is possible.

    The last part of the name starts with ``token``.

    Raises
    ------
    OSError
        If the file cannot be created.
    """
    for _ in range(MOST_TRIES):
        name = f".hyperbaton-{system_tag()}-{token}{secrets.token_hex(8)}{suffix}"
        file = _create_locked(os.path.join(folder, name), mode)
        if file is not None:
            return file
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)


def _create_locked(path: str, mode: int) -> UnfinishedFile | None:
    """Create a file, or return None if another process took it for an abandoned one."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, mode)
    if os.name == "nt":
        return UnfinishedFile(path, descriptor)
    try:
        lock_descriptor(descriptor)
        was_removed = os.fstat(descriptor).st_nlink == 0  # before it was locked
    except BlockingIOError:
        was_removed = True  # at once
    except OSError:  # without locks, nobody takes it for an abandoned one
        was_removed = False
    if was_removed:
        os.close(descriptor)
        return None
    return UnfinishedFile(path, descriptor)


def remove_abandoned(folder: str) -> None:
    """Remove unfinished files of this user whose process has ended. Errors are ignored."""
    for path in unfinished_files(folder):
        with claimed(path) as is_claimed:
            if is_claimed:
                with contextlib.suppress(OSError):
                    os.unlink(path)


def remove_token(folder: str, token: str) -> None:
    """Remove the unfinished files with a token, whose process has died. Errors are ignored."""
    for path in unfinished_files(folder):
        if f"-{token}" in os.path.basename(path):
            with contextlib.suppress(OSError):
                os.unlink(path)


def unfinished_files(folder: str, suffix: str = PART) -> list[str]:
    """Return the unfinished files in a folder, or none if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            names = (entry.name for entry in entries)
            matches = (NAME.fullmatch(name) for name in names if name.startswith(".hyperbaton-"))
            return [os.path.join(folder, m[0]) for m in matches if m and m[2] == suffix]
    except OSError:
        return []


@contextlib.contextmanager
def claimed(path: str) -> Iterator[bool]:
    """Lock an abandoned file while the context lasts; False if its process may still run."""
    try:
        info = os.lstat(path)
    except OSError:
        yield False
        return
    age = time.time() - info.st_mtime
    is_own = not hasattr(os, "getuid") or info.st_uid == os.getuid()
    if not stat.S_ISREG(info.st_mode) or not is_own:
        yield False
    elif os.name == "nt":
        yield age > CLOSED_SECONDS
    else:
        descriptor = None
        try:
            descriptor = _open(path)
            lock_descriptor(descriptor)
            match = NAME.fullmatch(os.path.basename(path))
            is_claimed = age > WEEK or (match is not None and match[1] == system_tag())
        except BlockingIOError:
            is_claimed = False
        except OSError:  # there are no locks
            is_claimed = age > WEEK
        try:
            yield is_claimed
        finally:
            if descriptor is not None:
                os.close(descriptor)


def _open(path: str) -> int:
    """Open a file that is not written to. Network file systems lock only writable descriptors."""
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        return os.open(path, os.O_RDWR | flags)
    except PermissionError:
        return os.open(path, os.O_RDONLY | flags)


def lock_descriptor(descriptor: int) -> None:
    """Lock an open file until it is closed.

    On POSIX systems the lock is advisory: only those who ask for it are kept out. It belongs to the
    open file, so that duplicates of the descriptor hold it, too.

    Raises
    ------
    BlockingIOError
        If another process, or another open file of this process, holds the lock.
    OSError
        If the file system has no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError from error
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
