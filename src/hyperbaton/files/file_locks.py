"""Locks on open files, which the operating system releases when their process ends."""

from __future__ import annotations

import sys


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
