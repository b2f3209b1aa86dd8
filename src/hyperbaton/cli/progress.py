"""A progress bar on the terminal."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, TypeVar

from hyperbaton.cli.messages import shows_progress

T = TypeVar("T")
S = TypeVar("S", bound=Sized)


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
