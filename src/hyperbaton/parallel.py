"""Work on several items at a time, with results in order."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

from hyperbaton import _core

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")


def map_in_order(
    function: Callable[[T, int], R], items: Iterable[T], threads: int
) -> Generator[tuple[T, R], None, None]:
    """Yield each item and its result in order, while other threads compute the next ones.

    Parameters
    ----------
    function : callable
        Called with an item and the number of threads that it may use itself: more than one if
        there are fewer items than threads.
    items : iterable
        Read a little ahead of the results, on the calling thread.
    threads : int
        Number of threads, and of items that are computed at a time.

    Raises
    ------
    Exception
        What the first failing item raises, whether reading or computing it fails. Results before
        it are yielded, whatever the number of threads. Work on later items is cancelled.
    """
    reader = _ReadAhead(items)
    first = list(islice(reader, threads))
    if len(first) < 2:
        for item in chain(first, reader):
            yield item, function(item, threads)
    else:
        yield from _map_concurrently(function, first, reader, threads)
    reader.raise_failure()


def _map_concurrently(
    function: Callable[[T, int], R], first: list[T], rest: Iterable[T], threads: int
) -> Generator[tuple[T, R], None, None]:
    from concurrent.futures import Future, wait

    cancellation = _core.Cancellation()
    lock = threading.Lock()
    waiting: SimpleQueue[tuple[T, Future[R]] | None] = SimpleQueue()
    pending: deque[tuple[T, Future[R]]] = deque()
    unfinished = 0

    def work() -> None:
        nonlocal unfinished
        while (task := waiting.get()) is not None:
            item, future = task
            with lock:
                share = max(1, threads // unfinished)
            try:
                future.set_result(cancellation.run(partial(function, item, share)))
            except BaseException as error:
                future.set_exception(error)
            with lock:
                unfinished -= 1

    def submit(items: list[T]) -> None:
        nonlocal unfinished
        with lock:
            unfinished += len(items)
        for item in items:
            pending.append((item, Future()))
            waiting.put(pending[-1])

    def take_result() -> tuple[T, R]:
        item, future = pending.popleft()
        while not wait([future], timeout=0.2).done:
            pass  # On Windows, Ctrl-C is noticed only between two waits.
        return item, future.result()

    workers = _start_threads(work, threads)
    if not workers:
        for item in chain(first, rest):
            yield item, function(item, 1)
        return
    try:
        submit(first)
        for item in rest:
            submit([item])
            if len(pending) >= 2 * threads:
                yield take_result()
        while pending:
            yield take_result()
    finally:
        cancellation.cancel()
        with contextlib.suppress(Empty):
            while True:
                waiting.get_nowait()
        for _ in workers:
            waiting.put(None)
        for worker in workers:
            worker.join()


def _start_threads(work: Callable[[], None], count: int) -> list[threading.Thread]:
    """Start threads, or fewer if the system has no more."""
    started = []
    for _ in range(count):
        thread = threading.Thread(target=work, name="hyperbaton", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            break
        started.append(thread)
    return started


class _ReadAhead(Generic[T]):
    """Items of an iterable, and the exception that ended it, for the time when it is its turn."""

    def __init__(self, items: Iterable[T]) -> None:
        self._iterator = iter(items)
        self._failure: Exception | None = None

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        try:
            return next(self._iterator)
        except StopIteration:
            raise
        except Exception as failure:
            self._failure = failure
            raise StopIteration from None

    def raise_failure(self) -> None:
        """Raise the exception of the iterable, if it has raised one."""
        if self._failure is not None:
            raise self._failure
