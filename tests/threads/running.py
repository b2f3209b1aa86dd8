"""Functions that run on several threads at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

SECONDS = float(os.environ.get("THREADS_SECONDS", "1"))  # of a test that goes on for a while
WAIT = 120  # seconds after which a thread counts as stuck


def run_together(functions: Sequence[Callable[[], object]]) -> None:
    """Run functions on a thread each, which start at the same time; raise the first failure."""
    failures: list[BaseException] = []
    start = threading.Barrier(len(functions))

    def run(function: Callable[[], object]) -> None:
        try:
            start.wait(WAIT)
            function()
        except BaseException as failure:
            failures.append(failure)

    threads = [
        threading.Thread(target=run, args=(function,), daemon=True) for function in functions
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert not any(thread.is_alive() for thread in threads), "a thread is stuck"
    if failures:
        raise failures[0]
