"""The number of threads."""

from __future__ import annotations

import os
from numbers import Integral

from hyperbaton.errors import InputError, InputTypeError

MAX_THREADS = 1024


def thread_count(threads: int | None) -> int:
    """Return ``threads`` after checking it; None means all cores that this process may use."""
    if threads is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if isinstance(threads, bool) or not isinstance(threads, Integral):
        raise InputTypeError(f"threads must be an integer, got {type(threads).__name__}")
    if threads < 1:
        raise InputError(f"threads must be at least 1, got {threads}")
    return min(int(threads), MAX_THREADS)
