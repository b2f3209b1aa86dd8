"""Work on several items at a time: the same results and errors as one after another."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice

import pytest

import hyperbaton as hb
from hyperbaton import _core
from hyperbaton.errors import CancelledError
from hyperbaton.threads import map_in_order
from waiting import HANGING, cancel, interrupt


def square(number: int, threads: int) -> int:
    time.sleep(0.001 * (number % 3))  # later items may be ready first
    return number * number


@pytest.mark.parametrize("threads", [1, 2, 7, 100])
@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_results_come_in_the_order_of_the_items(threads: int, count: int) -> None:
    found = list(map_in_order(square, range(count), threads))
    assert found == [number * number for number in range(count)]


def test_few_items_share_the_threads() -> None:
    everyone_is_here = threading.Barrier(2)

    def share(_: int, threads: int) -> int:
        everyone_is_here.wait(HANGING)
        return threads

    assert list(map_in_order(share, range(2), 8)) == [4, 4]
    assert list(map_in_order(lambda _, threads: threads, [0], 8)) == [8]


def test_items_are_computed_on_several_threads_and_read_only_a_little_ahead() -> None:
    both_are_here = threading.Barrier(2)
    read = []

    def items() -> Iterator[int]:
        for item in range(100):
            read.append(item)
            yield item

    def compute(item: int, threads: int) -> None:
        if item < 2:
            both_are_here.wait(HANGING)

    results = map_in_order(compute, items(), 2)
    next(results)
    assert len(read) == 4
    results.close()


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(
    ("failing", "message", "before"),
    [((3, 4), "item 3", 3), ((), "item 6 cannot be read", 6)],
)
def test_the_first_failing_item_counts(
    threads: int, failing: tuple[int, ...], message: str, before: int
) -> None:
    def items() -> Iterator[int]:
        yield from range(6)
        raise ValueError("item 6 cannot be read")

    later_failed = threading.Event()

    def compute(item: int, _: int) -> int:
        if item in failing:
            if item == failing[1]:
                later_failed.set()
            elif threads > 1:
                assert later_failed.wait(HANGING)
            raise ValueError(f"item {item}")
        return item

    results = map_in_order(compute, items(), threads)
    assert list(islice(results, before)) == list(range(before))
    with pytest.raises(ValueError, match=f"^{message}$"):
        next(results)


def test_threads_end_with_the_last_result_or_when_nobody_wants_more() -> None:
    before = threading.active_count()
    list(map_in_order(square, range(10), 3))
    assert threading.active_count() == before
    results = map_in_order(square, range(10), 3)
    next(results)
    results.close()
    assert threading.active_count() == before


def test_work_goes_on_without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert list(map_in_order(square, range(4), 2)) == [0, 1, 4, 9]


@pytest.mark.parametrize("threads", [1, 2])
def test_another_thread_can_cancel_work_in_the_core(threads: int) -> None:
    cancellation = _core.Cancellation()
    repetitive = ["a b c " * 400] * 2000, ["c a b b " * 400] * 2000  # take five minutes
    work = partial(hb.align_many, *repetitive, threads=threads)
    assert cancel(cancellation, work) == "interrupted"
    # Work that was not cancelled is not affected.
    assert hb.align("a b", "b a").links == ((0, 1), (1, 0))
    assert cancellation.run(lambda: 1) == 1
    with pytest.raises(CancelledError):
        cancellation.run(lambda: hb.align_many(["a b"], ["a b"]))


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_ctrl_c_ends_scoring_on_several_threads() -> None:
    setup = """
        from hyperbaton.runs.run import ListCorpus
        from hyperbaton.runs.engine import score_corpus
        from hyperbaton.runs.run import Run
        hyps, refs = ["a b c " * 400] * 50_000, ["c a b b " * 400] * 50_000
        corpus = ListCorpus({"system": hyps}, refs)
        run = Run({"pef": hb.metrics.get("pef")}, batch_size=8, threads=2)
        hb.score(["a"], ["a"], "pef")
    """
    interrupt(setup, "score_corpus(corpus, run)")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_the_threads_of_the_core_work_in_a_child_process_too() -> None:
    pairs = ["a b c d"] * 2000, ["b a d c"] * 2000
    expected = hb.align_many(*pairs, threads=2)  # starts the threads of this process
    child = os.fork()
    if child == 0:
        os._exit(0 if hb.align_many(*pairs, threads=2) == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
