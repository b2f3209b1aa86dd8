"""A progress bar on the terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sized
from itertools import islice
from typing import Protocol, TypeVar

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


class ReportCount(Protocol):
    """A function that updates a progress bar."""

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show how many items are done, and their total if it is known only now."""


@contextlib.contextmanager
def counting(unit: str, wanted: bool = True, total: int | None = None) -> Iterator[ReportCount]:
    """Show a progress bar on a terminal, and return a function that updates its count."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total=None: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TimeElapsedColumn,
    )
    from rich.text import Text

    class CountColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            out_of = "" if task.total is None else f" of {task.total:,.0f}"
            return Text(f"{task.completed:,.0f}{out_of} {task.description}")

    columns = (SpinnerColumn(), BarColumn(), CountColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(unit, total=total)
        yield lambda done, total=None: progress.update(task, completed=done, total=total)
