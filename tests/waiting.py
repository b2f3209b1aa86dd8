"""Waiting in tests: for events and for work, because a machine may be fast, slow or busy.

No test expects something to happen within a time, or to last for a time. Its only limit is
``HANGING``, so that a hang is a failure and not a run without an end.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from hyperbaton import _core
from hyperbaton.errors import CancelledError

T = TypeVar("T")

HANGING = 600  # seconds: nothing that goes on at all takes so long
PAUSE = 0.02  # seconds between two looks
WORK = 0.5  # seconds of CPU time: more than what a call does before its long work begins


def wait_until(condition: Callable[[], T | None]) -> T:
    """Return the value of a condition as soon as it is true."""
    end = time.monotonic() + HANGING
    while not (value := condition()):
        assert time.monotonic() < end, "it hangs"
        time.sleep(PAUSE)
    return value


def wait_for_work() -> None:
    """Wait until the other threads of this process have computed for a while.

    It is CPU time, which does not go on while a busy machine does something else.
    """
    end = time.process_time() + WORK
    wait_until(lambda: time.process_time() > end)


def cancel(cancellation: _core.Cancellation, work: Callable[[], object]) -> str:
    """Cancel work that takes minutes while it goes on, and return its message."""
    messages: list[str] = []

    def run() -> None:
        try:
            cancellation.run(work)
        except CancelledError as error:
            messages.append(str(error))

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    wait_for_work()
    cancellation.cancel()
    worker.join(HANGING)
    assert messages, "it goes on, or ended too early"
    return messages[0]


def check_linear_time(work: Callable[[int], object], size: int) -> None:
    """Check that work of a size takes about as long as its fiftieth, fifty times.

    Quadratic work takes fifty times as long. CPU times on one machine vary much less, apart from an
    interruption such as a garbage collection, which is not there three times.
    """
    parts, most = 50, 7

    def measure(times: int, size: int) -> float:
        begin = time.process_time()
        for _ in range(times):
            work(size)
        return time.process_time() - begin

    limit = most * measure(parts, size // parts)
    assert any(measure(1, size) < limit for _ in range(3))


@contextlib.contextmanager
def killed_if_it_hangs(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Kill a process that goes on for too long, so that what waits for it fails."""
    watchdog = threading.Timer(HANGING, process.kill)
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()


def environment_of_tests() -> Mapping[str, str]:
    """Return the environment of a Python process that can import what this one can."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def interrupt(setup: str, work: str) -> None:
    """Run a program whose work takes minutes, and check that Ctrl-C ends it.

    A thread of the program reports that the work goes on, so the work must not hold the GIL. The
    setup imports what the work needs, since that would count as work.
    """
    program = INTERRUPTED.format(setup=textwrap.dedent(setup), work=work)
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env=environment_of_tests(),
    )
    with process, killed_if_it_hangs(process):
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "interrupted\n"
    assert process.returncode == 0


INTERRUPTED = """
import threading
import hyperbaton as hb
from waiting import wait_for_work
{setup}
def report():
    wait_for_work()
    print("working", flush=True)
try:
    threading.Thread(target=report, daemon=True).start()
    {work}
except KeyboardInterrupt:
    print("interrupted")
"""
