"""The number of threads, a lock for what they share, and work on several items at a time."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from numbers import Integral
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, ClassVar, TypeVar
from weakref import WeakSet

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from concurrent.futures import Future

MAX_THREADS = 1024


def thread_count(threads: int | None, name: str = "threads") -> int:
    """Return ``threads`` after checking it; None means all cores that this process may use.

    ``name`` is the argument that errors name.
    """
    if threads is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, (int, Integral)):
        raise InputTypeError(f"{name} must be an integer, got {type(threads).__name__}")
    if threads < 1:
        raise InputError(f"{name} must be at least 1, got {threads}")
    return min(int(threads), MAX_THREADS)


class SharedLock:
    """A lock that survives a fork.

    In a child process it is free, because a thread of the parent that held it does not exist there.
    A signal handler may take the lock that its thread already holds.
    """

    _all: ClassVar[WeakSet[SharedLock]] = WeakSet()

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._all.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @classmethod
    def free_all(cls) -> None:
        """Free all locks, in a child process."""
        for lock in cls._all:
            lock._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=SharedLock.free_all)


T = TypeVar("T")
R = TypeVar("R")


def map_in_order(
    function: Callable[[T, int], R], items: Iterable[T], threads: int
) -> Generator[R, None, None]:
    """Yield the result of each item in order, while other threads compute the next ones.

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
    failures: list[Exception] = []
    reader = _until_failure(items, failures)
    first = list(islice(reader, threads))
    if len(first) < 2:
        for item in chain(first, reader):
            yield function(item, threads)
    else:
        yield from _map_concurrently(function, first, reader, threads)
    for failure in failures:
        raise failure


def _map_concurrently(
    function: Callable[[T, int], R], first: list[T], rest: Iterable[T], threads: int
) -> Generator[R, None, None]:
    from concurrent.futures import Future, wait

    cancellation = _core.Cancellation()
    lock = threading.Lock()
    waiting: SimpleQueue[tuple[T, Future[R]] | None] = SimpleQueue()
    pending: deque[Future[R]] = deque()
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
            pending.append(Future())
            waiting.put((item, pending[-1]))

    def take_result() -> R:
        future = pending.popleft()
        while not wait([future], timeout=0.2).done:
            pass  # On Windows, Ctrl-C is noticed only between two waits.
        return future.result()

    workers = _start_threads(work, threads)
    if not workers:
        for item in chain(first, rest):
            yield function(item, 1)
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


def _until_failure(items: Iterable[T], failures: list[Exception]) -> Iterator[T]:
    """Yield items; the exception that ends them is kept for the time when it is its turn."""
    try:
        yield from items
    except Exception as failure:
        failures.append(failure)
