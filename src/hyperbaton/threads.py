"""The number of threads, and a lock for what they share."""

from __future__ import annotations

import os
import threading
from numbers import Integral
from typing import ClassVar
from weakref import WeakSet

from hyperbaton.errors import InputError, InputTypeError

MAX_THREADS = 1024


def thread_count(threads: int | None, name: str = "threads") -> int:
    """Return ``threads`` after checking it; None means all cores that this process may use.

    ``name`` is the argument that errors name.
    """
    if threads is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if isinstance(threads, bool) or not isinstance(threads, (int, Integral)):
        raise InputTypeError(f"{name} must be an integer, got {type(threads).__name__}")
    if threads < 1:
        raise InputError(f"{name} must be at least 1, got {threads}")
    return min(int(threads), MAX_THREADS)


class SharedLock:
    """A lock that survives a fork.

    In a child process it is free, because a thread of the parent that held it does not exist there.
    A signal handler may take the lock that its thread already holds.
    """

    _all: ClassVar[WeakSet[SharedLock]] = WeakSet()

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._all.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @classmethod
    def free_all(cls) -> None:
        """Free all locks, in a child process."""
        for lock in cls._all:
            lock._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=SharedLock.free_all)
