"""The folders of a server: a temporary one for uploads and jobs, and one in which results are kept.

A folder is locked as long as its server runs. What a killed server leaves behind is removed when
the next one starts.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import IO

from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.files.unfinished_files import lock_descriptor

PREFIX = "hyperbaton-serve-"
NEW_SECONDS = 60.0
LOCK = ".hyperbaton-serve.lock"


class LockedFolder:
    """A folder that belongs to this process until it is released."""

    def __init__(self, path: Path, lock: IO[bytes], temporary: bool) -> None:
        self.path = path
        self._lock = lock
        self._temporary = temporary

    @classmethod
    def create_temporary(cls) -> LockedFolder:
        """Create a folder for this run, after removing those of servers that were killed."""
        remove_stale()
        try:
            path = Path(tempfile.mkdtemp(prefix=PREFIX))
            return cls(path, _lock_file(path / LOCK), temporary=True)
        except OSError as error:
            where = printable(tempfile.gettempdir())
            raise InputError(f"cannot write to {where}: {error.strerror}") from None

    @classmethod
    def open(cls, path: Path) -> LockedFolder:
        """Open a folder in which results are kept; it is created if it does not exist.

        Raises
        ------
        InputError
            If it cannot be written, or another server uses it.
        """
        shown = printable(str(path))
        try:
            path.mkdir(parents=True, exist_ok=True)
            lock = _lock_file(path / LOCK)
        except BlockingIOError:
            raise InputError(f"another server keeps its results in {shown}") from None
        except OSError as error:
            raise InputError(f"cannot write to {shown}: {error.strerror}") from None
        return cls(path, lock, temporary=False)

    def close(self) -> None:
        """Remove a temporary folder, and unlock any other."""
        if self._temporary:
            _remove_locked(self.path, self._lock)
            return
        self._lock.close()
        with contextlib.suppress(OSError):
            (self.path / LOCK).unlink()


def remove_stale() -> None:
    """Remove the temporary folders of servers of this user that no longer run."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            info = path.lstat()
            if not stat.S_ISDIR(info.st_mode):
                continue
            if hasattr(os, "getuid") and info.st_uid != os.getuid():
                continue
            if not (path / LOCK).exists() and time.time() - info.st_mtime < NEW_SECONDS:
                continue  # another server is about to lock it
            lock = _lock_file(path / LOCK)  # fails if its server runs
            _remove_locked(path, lock)


def _remove_locked(path: Path, lock: IO[bytes]) -> None:
    """Remove a folder while its lock is held, and what is left of it afterwards."""
    shutil.rmtree(path, ignore_errors=True)
    lock.close()
    shutil.rmtree(path, ignore_errors=True)  # Windows cannot remove the lock while it is open


def _lock_file(path: Path) -> IO[bytes]:
    """Open a file and lock it as long as it is open.

    Raises
    ------
    BlockingIOError
        If another process holds the lock.
    """
    file = path.open("ab")
    try:
        lock_descriptor(file.fileno())
    except BaseException:
        file.close()
        raise
    return file
