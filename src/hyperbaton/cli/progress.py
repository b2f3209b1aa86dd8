"""A progress bar on the terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sized
from itertools import islice
from typing import TypeVar

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
    if not shows_progress():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        TextColumn("left:", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("training the source aligner", total=None, visible=False)
        yield lambda done, total: progress.update(task, completed=done, total=total, visible=True)


@contextlib.contextmanager
def counting(
    unit: str, wanted: bool = True, total: int | None = None
) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on a terminal, and return a function that updates its count."""
    if not wanted or not shows_progress():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    out_of = "" if total is None else f" of {total:,}"
    count = TextColumn("{task.completed:,.0f}" + out_of + " {task.description}", markup=False)
    columns = (SpinnerColumn(), BarColumn(), count, TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(unit, total=total)
        yield lambda done: progress.update(task, completed=done)
