"""Batches of lines, and a word on a terminal about how many are done."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """So many at a time.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def with_progress(parts: Iterable[list[T]], wanted: bool = True) -> Iterator[list[T]]:
    """Say on a terminal how many lines are done; the number of all is not known before."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield from parts
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,.0f} lines"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        for part in parts:
            yield part
            progress.advance(task, len(part))
