"""Messages to standard error: warnings, notes and progress, which ``--quiet`` suppresses."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import TextIO

from hyperbaton.files.lines import printable
from hyperbaton.notices import NOTE, Notice

# Some runs take minutes although no single step does, such as invwer over many long lines. Numbers
# must not depend on time, so such a run is not cut short; it says that it takes long.
LONG_RUN = 30  # seconds

_is_quiet = False  # of the command that runs; threads of the command share it


@contextlib.contextmanager
def suppressed_messages(quiet: bool) -> Iterator[None]:
    """Suppress warnings, notes and progress inside the context if ``quiet``."""
    global _is_quiet
    before, _is_quiet = _is_quiet, quiet
    try:
        yield
    finally:
        _is_quiet = before


def print_notices(notices: Iterable[Notice]) -> None:
    """Print warnings and notes to standard error, each on one line.

    They quote names and texts, which may contain anything.
    """
    if _is_quiet:
        return
    for notice in notices:
        print_message(notice.line("command_line"))


def print_message(line: str) -> None:
    """Print a line to standard error, if that is possible.

    A message that nobody can read must not end a run, nor get among the results: without standard
    error, ``print`` would write to standard output.
    """
    if sys.stderr is None:
        return
    try:
        print(f"hyperbaton: {printable(line)}", file=sys.stderr, flush=True)
    except OSError:  # a full disk, or a pipe that its reader has closed
        discard_stream(sys.stderr)


def discard_stream(stream: TextIO | None) -> None:
    """Write to nowhere what is left in the buffer of a stream that cannot be written to.

    Python would try it again at the end, and then change the exit status.
    """
    if stream is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextlib.contextmanager
def long_run_note(seconds: float = LONG_RUN) -> Iterator[threading.Timer]:
    """Print a note if what happens inside the context takes longer than ``seconds``."""
    note = Notice(
        f"this takes longer than {seconds:g} seconds, and may take minutes; Ctrl-C stops it "
        "(docs/bad-input.md says what takes long)",
        NOTE,
    )
    timer = threading.Timer(seconds, print_notices, [[note]])
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()


def shows_progress() -> bool:
    """Return whether progress is shown: on a terminal."""
    return not _is_quiet and sys.stderr is not None and sys.stderr.isatty()
