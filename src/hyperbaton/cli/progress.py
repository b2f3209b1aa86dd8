"""Batches of lines, and a bar on a terminal that says how many are done."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
S = TypeVar("S", bound=Sized)


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """So many at a time.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def with_progress(
    parts: Iterable[S], wanted: bool = True, total: int | None = None, unit: str = "lines"
) -> Iterator[S]:
    """Show on a terminal how many of ``total`` lines are done; it may be unknown."""
    done = 0
    with counting(unit, wanted, total) as tell:
        for part in parts:
            yield part
            done += len(part)
            tell(done)


@contextlib.contextmanager
def counting(
    unit: str, wanted: bool = True, total: int | None = None
) -> Iterator[Callable[[int], None]]:
    """A function that is told how many are done, and shows it on a terminal."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    of = "" if total is None else f" of {total:,}"
    count = TextColumn("{task.completed:,.0f}" + of + " {task.description}", markup=False)
    columns = (SpinnerColumn(), BarColumn(), count, TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(unit, total=total)
        yield lambda done: progress.update(task, completed=done)
