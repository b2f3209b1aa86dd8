"""Steps that Ctrl-C and other requests to end do not interrupt."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


@contextlib.contextmanager
def deferred_signals() -> Iterator[None]:
    """Let signals that end the program wait until the context ends.

    It is for steps that take milliseconds. Python runs handlers in the main thread only, so that
    nothing has to be done in others.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    # None is the handler of another language, which could not be restored.
    before = {number: old for number, old in before.items() if old not in (None, signal.SIG_IGN)}
    for number in before:
        signal.signal(number, lambda number, _: received.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])
