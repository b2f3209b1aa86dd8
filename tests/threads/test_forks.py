"""Child processes compute, whatever the threads of their parent were doing."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
from collections.abc import Callable

import pytest

import hyperbaton as hb
from threads.core_calls import core_calls, text_lines
from threads.running import rounds
from waiting import HANGING

HYPS, REFS = (text_lines(random.Random(seed), 2000) for seed in (11, 12))

# Python 3.12 warns of forks while other threads run.
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")


def align() -> list[hb.Alignment]:
    """Align with several threads of the core."""
    return hb.align_many(HYPS, REFS, threads=3)


def align_in_a_pool(_: int) -> str:
    """Align in a worker of a process pool; the answer is short."""
    return repr([alignment.links for alignment in align()])


def status_of_child(work: Callable[[], bool]) -> int:
    """Return the exit status of a child process, 0 if ``work`` returned true in it."""
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(HANGING)
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_children_compute_while_threads_of_the_parent_do() -> None:
    expected = align()  # starts the threads of the core
    measure = core_calls()["measures"]
    measured = str(measure())
    working = True

    def work() -> None:
        while working:
            align()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    try:
        for _ in rounds():
            assert status_of_child(lambda: align() == expected and str(measure()) == measured) == 0
    finally:
        working = False
        for worker in workers:
            worker.join(HANGING)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_grandchildren_compute() -> None:
    expected = align()

    def work() -> bool:
        return align() == expected and status_of_child(lambda: align() == expected) == 0

    assert status_of_child(work) == 0


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_pool_of_processes_computes(method: str) -> None:
    expected = align_in_a_pool(0)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(align_in_a_pool, range(4)) == [expected] * 4
