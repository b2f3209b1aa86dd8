"""Messages to standard error: warnings, notes and progress bars, which ``--quiet`` suppresses."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from hyperbaton.files.lines import printable
from hyperbaton.notices import NOTE, Notice

if TYPE_CHECKING:
    from hyperbaton.runs.engine import ProgressHooks

T = TypeVar("T")
S = TypeVar("S", bound=Sized)

# Some runs take minutes although no single step does, such as invwer over many long lines. Numbers
# must not depend on time, so such a run is not cut short; it says that it takes long.
LONG_RUN = 30  # seconds

_is_quiet = False  # of the command that runs; threads of the command share it
_printed: set[str] = set()  # notices of the command that runs, each of which is printed once


@contextlib.contextmanager
def suppressed_messages(quiet: bool) -> Iterator[None]:
    """Suppress warnings, notes and progress inside the context if ``quiet``."""
    global _is_quiet
    before, _is_quiet = _is_quiet, quiet
    _printed.clear()
    try:
        yield
    finally:
        _is_quiet = before


def print_notices(notices: Iterable[Notice]) -> None:
    """Print warnings and notes to standard error, each on one line and once in a run.

    They quote names and texts, which may contain anything.
    """
    if _is_quiet:
        return
    for notice in notices:
        if notice not in _printed:
            _printed.add(notice)
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
    timer = threading.Timer(seconds, print_long_run_note, [seconds])
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()


def print_long_run_note(seconds: float) -> None:
    """Print a note that a command takes long."""
    text = (
        f"this takes longer than {seconds:g} seconds, and may take minutes; Ctrl-C stops it "
        "(docs/bad-input.md says what takes long)"
    )
    print_notices([Notice(text, NOTE)])


def shows_progress() -> bool:
    """Return whether progress is shown: on a terminal."""
    return not _is_quiet and sys.stderr is not None and sys.stderr.isatty()


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of ``size`` items; the last one may be shorter.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def with_progress(
    parts: Iterable[S], wanted: bool = True, total: int | None = None, unit: str = "lines"
) -> Iterator[S]:
    """Yield the parts, and show on a terminal how many of ``total`` items are done.

    Parameters
    ----------
    parts : iterable
        Parts of known size, such as batches.
    wanted : bool
        Whether to show progress at all.
    total : int, optional
        Number of items of all parts together, if it is known.
    unit : str
        What the items are, in the plural.
    """
    done = 0
    with counting(unit, wanted, total) as report_count:
        for part in parts:
            yield part
            done += len(part)
            report_count(done)


@contextlib.contextmanager
def training_progress() -> Iterator[Callable[[int, int], None] | None]:
    """Show on a terminal how far the training of a source aligner is.

    The context gives a function that takes the work done and the total, or None.
    """
    columns = ("bar", "share", "{task.description}", "elapsed", "left:", "remaining")
    with progress_bar("training the source aligner", columns, visible=False) as update:
        if update is None:
            yield None
        else:
            yield lambda done, total: update(completed=done, total=total, visible=True)


def progress_hooks() -> ProgressHooks:
    """Return how runs show their progress on a terminal."""
    from hyperbaton.runs.engine import ProgressHooks

    return ProgressHooks(
        scoring=lambda batches, total: with_progress(batches, total=total, unit="segments"),
        fitting=functools.partial(with_progress, unit="references counted"),
        training=training_progress,
    )


@contextlib.contextmanager
def counting(
    unit: str, wanted: bool = True, total: int | None = None
) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on a terminal, and return a function that updates its count."""
    out_of = "" if total is None else f" of {total:,}"
    count = "{task.completed:,.0f}" + out_of + " {task.description}"
    with progress_bar(unit, ("spinner", "bar", count, "elapsed"), wanted, total=total) as update:
        yield lambda done: None if update is None else update(completed=done)


@contextlib.contextmanager
def progress_bar(
    description: str, columns: Sequence[str], wanted: bool = True, **task: Any
) -> Iterator[Callable[..., None] | None]:
    """Show a progress bar on a terminal; return the function that updates it, or None elsewhere.

    The columns are names of rich's columns, or texts about the task.
    """
    if not wanted or not shows_progress():
        yield None
        return
    from rich import progress
    from rich.console import Console

    named: dict[str, Callable[[], progress.ProgressColumn]] = {
        "spinner": progress.SpinnerColumn,
        "bar": progress.BarColumn,
        "share": progress.TaskProgressColumn,
        "elapsed": progress.TimeElapsedColumn,
        "remaining": progress.TimeRemainingColumn,
    }
    parts = (
        named[one]() if one in named else progress.TextColumn(one, markup=False) for one in columns
    )
    with progress.Progress(*parts, console=Console(stderr=True), transient=True) as bar:
        yield functools.partial(bar.update, bar.add_task(description, **{"total": None, **task}))
