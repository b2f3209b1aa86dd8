"""How many threads to use."""

from __future__ import annotations

import os

import numpy as np

from hyperbaton.errors import InputError, InputTypeError


def thread_count(threads: int | None) -> int:
    """``threads=`` as a number; None is all the cores that this process may use."""
    if threads is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)):
        raise InputTypeError(f"threads is a whole number, not {type(threads).__name__}")
    if threads < 1:
        raise InputError(f"threads is {threads}, but at least one is needed")
    return min(int(threads), 1024)
