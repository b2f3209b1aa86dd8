"""Functions that run on several threads at a time."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from waiting import HANGING

SECONDS = float(os.environ.get("THREADS_SECONDS", "1"))  # of a test that goes on for a while


def rounds(least: int = 3, seconds: float = SECONDS) -> Iterator[int]:
    """Count rounds until the time is over, but at least a few, however slow the machine is."""
    end = time.monotonic() + seconds
    return itertools.takewhile(
        lambda number: number < least or time.monotonic() < end, itertools.count()
    )


def run_together(functions: Sequence[Callable[[], object]]) -> None:
    """Run functions on a thread each, which start at the same time; raise the first failure."""
    failures: list[BaseException] = []
    start = threading.Barrier(len(functions))

    def run(function: Callable[[], object]) -> None:
        try:
            start.wait(HANGING)
            function()
        except BaseException as failure:
            failures.append(failure)

    threads = [
        threading.Thread(target=run, args=(function,), daemon=True) for function in functions
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANGING)
    assert not any(thread.is_alive() for thread in threads), "a thread is stuck"
    if failures:
        raise failures[0]
