"""Batches of permutations: every form of input and any number of threads give the same numbers."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperbaton as hb
from hyperbaton import _core
from hyperbaton.order.batch import as_batch
from permutations import permutations, random_permutations
from waiting import environment_of_tests, interrupt

NAMES = list(hb.measures([[1]]))
Perms = list[tuple[int, ...]]


def flat(perms: Perms, dtype: Any = np.int64) -> tuple[Any, Any]:
    values = np.array([value for pi in perms for value in pi], dtype)
    return values, np.cumsum([0, *map(len, perms)])


def test_there_is_a_function_for_every_measure() -> None:
    assert all(callable(getattr(hb, name)) for name in NAMES)
    assert set(NAMES) <= set(hb.__all__)


@given(st.lists(permutations, max_size=8), st.sampled_from(NAMES))
def test_a_batch_equals_single_calls(perms: Perms, name: str) -> None:
    measure = getattr(hb, name)
    one_by_one = [measure(pi) for pi in perms]
    assert all(type(score) is float for score in one_by_one)
    values, offsets = flat(perms)
    many = [
        hb.measures(perms)[name],
        hb.measures(values, offsets)[name],
        measure(values, offsets=offsets),
        measure(flat(perms, np.int32)[0], offsets=offsets.tolist()),
        measure(flat(perms, np.uint16)[0], offsets=offsets.astype(np.int32), threads=2),
    ]
    if perms:  # [] would be the empty permutation
        many += [
            measure(perms),
            measure([list(pi) for pi in perms]),
            measure(tuple(hb.Permutation(pi) for pi in perms)),
            measure([np.array(pi, np.int64) for pi in perms]),
            measure(iter(perms)),
            measure([hb.Permutation(perms[0]), *perms[1:]], threads=1),
        ]
    for scores in many:
        assert scores.dtype == np.float64
        assert scores.tolist() == one_by_one


@pytest.mark.parametrize("name", NAMES)
def test_threads_do_not_change_values(name: str) -> None:
    perms = random_permutations(3_000, 60)  # enough for several threads
    values, offsets = flat(perms)
    one = getattr(hb, name)(values, offsets=offsets, threads=1)
    for threads in (2, 3, 8, None):
        assert np.array_equal(one, getattr(hb, name)(values, offsets=offsets, threads=threads))
        assert np.array_equal(one, hb.measures(values, offsets, threads)[name])


def test_rows_of_an_array() -> None:
    rows = np.array([[1, 2, 3], [3, 1, 2]])
    assert hb.ulam(rows).tolist() == [1, 0.5]
    assert hb.ulam(rows.T[:, ::-1][:0]).tolist() == []
    assert hb.measures(rows)["ulam"].tolist() == [1, 0.5]


class Table:
    """The common interface of pandas tables, series and tensors."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype)

    def __iter__(self) -> Any:
        return iter([3, 2, 1])  # such as the labels of a table, not its values


def test_tables_and_series_are_read_as_arrays() -> None:
    assert hb.ulam(Table([[1, 2, 3], [3, 1, 2]])).tolist() == [1, 0.5]  # type: ignore[call-overload]
    assert hb.ulam(Table([3, 1, 2])) == 0.5  # type: ignore[call-overload]
    column = np.empty(2, object)
    column[:] = [[1, 2, 3], hb.Permutation([3, 1, 2])]
    assert hb.ulam(Table(column)).tolist() == [1, 0.5]  # type: ignore[call-overload]
    mixed: Any = [Table([3, 1, 2]), [1]]
    assert hb.ulam(mixed).tolist() == [0.5, 1]
    assert hb.ulam({"a": [3, 1, 2]}.values()).tolist() == [0.5]  # type: ignore[call-overload]


def test_very_many_lists() -> None:
    """This takes minutes if packing is quadratic, as it once was."""
    perms = [list(pi) for pi in random_permutations(1_000, 30)] * 150
    values, offsets = flat([tuple(pi) for pi in perms])
    assert np.array_equal(hb.fuzzy(perms), hb.fuzzy(values, offsets=offsets))


def test_one_permutation_or_many() -> None:
    assert hb.kendall([]) == 0
    assert hb.kendall(np.array([])) == 0
    assert hb.kendall([np.int64(2), np.int64(1)]) == 0  # type: ignore[list-item]
    assert hb.kendall([[]]).tolist() == [0]
    assert hb.kendall([[], [1], [2, 1]]).tolist() == [0, 1, 0]
    assert hb.kendall([], offsets=[0]).tolist() == []
    assert hb.kendall([], offsets=[0, 0, 0]).tolist() == [0, 0]
    assert hb.measures([])["pef"].tolist() == []
    assert hb.measures(hb.Permutation([2, 1]))["kendall"].tolist() == [0]
    assert hb.measures([hb.Permutation([])])["pef"].tolist() == [0]


def test_values_are_not_copied_and_not_changed() -> None:
    values, offsets = flat(random_permutations(50, 20))
    values.flags.writeable = offsets.flags.writeable = False
    before = values.copy()
    for dtype in (np.int32, np.int64):
        given = values.astype(dtype)
        assert np.shares_memory(as_batch(given, offsets, None)[0].values, given)
    hb.measures(values, offsets)
    assert np.array_equal(values, before)


@pytest.mark.parametrize(
    ("offsets", "error", "message"),
    [
        ([], ValueError, "offsets are empty"),
        ([1, 3], ValueError, r"offsets\[0\] is 1, not 0"),
        ([0, 2], ValueError, "offsets end at 2, but there are 3 values"),
        ([0, 4], ValueError, "offsets end at 4, but there are 3 values"),
        ([0, 2, 1, 3], ValueError, r"offsets\[2\] is 1, less than the 2 before it"),
        ([0, -1, 3], ValueError, r"offsets\[1\] is -1, less than the 0 before it"),
        ([0, 2**62, 3], ValueError, r"offsets\[2\] is 3, less than the"),
        (np.array([0, 2**64 - 1], np.uint64), ValueError, r"offsets\[1\] is 18446744073709551615"),
        ([0, 1.5, 3], TypeError, "offsets must be integers, got float64"),
        ([[0, 3]], TypeError, "offsets must have one dimension, got 2"),
        (3, TypeError, "offsets must have one dimension, got 0"),
        ("03", TypeError, "offsets must have one dimension"),
    ],
)
def test_offsets_that_do_not_fit(offsets: Any, error: type[Exception], message: str) -> None:
    values = np.array([1, 2, 1])
    with pytest.raises(error, match=message):
        hb.kendall(values, offsets=offsets)
    with pytest.raises(error, match=message):
        hb.measures(values, offsets)


@pytest.mark.parametrize(
    ("perms", "error", "message"),
    [
        ([[1, 2], [1, 3]], ValueError, r"perms\[1\]: value 3 at position 2 is outside 1..2"),
        (
            [[1], [0, 1]],
            ValueError,
            r"perms\[1\]: value 0 at position 1 .*count from 1, not from 0",
        ),
        (
            [[1], [2, 2]],
            ValueError,
            r"perms\[1\]: value 2 at position 2 already occurs at position 1",
        ),
        ([[1], [1, 2.5]], TypeError, r"perms\[1\]: value 2.5 at position 2 is a float"),
        ([[1], 2], TypeError, r"perms\[1\]: a permutation is a sequence of integers, not an int"),
        ([[1], None], TypeError, r"perms\[1\]: .*not a NoneType"),
        (
            [np.array([1]), np.array([1.0])],
            TypeError,
            r"perms\[1\]: .*must be an array of integers, got float64",
        ),
        (
            [np.array([1]), np.array([[1]])],
            TypeError,
            r"perms\[1\]: .*must be a one-dimensional array, got",
        ),
        ([[1, 2], {1, 2}], TypeError, r"perms\[1\]: .*not a set"),
        ([{1, 2}, [1, 2]], TypeError, r"perms\[0\]: .*not a set"),
        ([[1], {1: 5}], TypeError, r"perms\[1\]: .*not a dict"),
        ([[2, 1], b"\x02\x01"], TypeError, r"perms\[1\]: .*not a bytes"),
        ([[2, 1], "21"], TypeError, r"perms\[1\]: .*not a str"),
        (np.ma.masked_equal([[2, 1], [1, 2]], 2), TypeError, "masked values"),
        (np.array([[1, 2], [1, 1]]), ValueError, r"perms\[1\]: value 1 at position 2"),
        (np.zeros((1, 1, 1), int), TypeError, "one-dimensional array, got 3 dimensions"),
        ([1, [2]], TypeError, r"value \[2\] at position 2 is a list"),
        ([["a"]], TypeError, r"perms\[0\]: value 'a' at position 1 is a str"),
    ],
)
def test_wrong_permutations_among_many(perms: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        hb.pef(perms)
    with pytest.raises(error, match=message):
        hb.measures(perms)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_first_wrong_permutation_is_named_whatever_the_threads(threads: int) -> None:
    perms: Perms = [(1, 2, 3, 4, 5, 6, 7, 8)] * 20_000
    for bad in (19_999, 12_345, 701, 700):
        perms[bad] = (1, 2, 3, 4, 5, 6, 7, 7)
    values, offsets = flat(perms)
    for _ in range(5):
        with pytest.raises(ValueError, match=r"perms\[700\]: value 7 at position 8"):
            hb.kendall(values, offsets=offsets, threads=threads)


@pytest.mark.parametrize(
    ("threads", "error", "message"),
    [
        (0, ValueError, "threads must be at least 1, got 0"),
        (-2, ValueError, "threads must be at least 1, got -2"),
        (1.5, TypeError, "threads must be an integer, got float"),
        (True, TypeError, "threads must be an integer, got bool"),
    ],
)
def test_wrong_threads(threads: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        hb.kendall([2, 1], threads=threads)


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_ctrl_c_ends_long_work() -> None:
    """A chain of two million mixed children takes 20 minutes."""
    setup = """
        import numpy as np
        pairs = np.arange(1, 4_000_001).reshape(-1, 2)[:, ::-1].reshape(-1)
        hb.pef(pairs[:2])
    """
    interrupt(setup, "hb.pef(pairs)")


@pytest.mark.parametrize("work", ["hb.kendall([2, 1, 3])", "hb.pef(pairs)"])
def test_a_daemon_thread_inside_does_not_abort_the_end_of_the_program(work: str) -> None:
    program = textwrap.dedent(f"""
        import threading, numpy as np, hyperbaton as hb
        from waiting import wait_for_work
        pairs = np.arange(1, 200_001).reshape(-1, 2)[:, ::-1].reshape(-1)
        def run():
            while True:
                {work}
        for _ in range(2):
            threading.Thread(target=run, daemon=True).start()
        wait_for_work()
    """)
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=False,
            env=environment_of_tests(),
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_the_thread_that_ends_the_program_may_still_use_the_core() -> None:
    """It releases the GIL and takes it again, which other threads must not do by then."""
    program = textwrap.dedent("""
        import os, sys
        from hyperbaton import _core
        table = _core.WordTable("text", *[False] * 5, [], list, list)
        class Last:
            def __del__(self, table=table, write=os.write, finalizing=sys.is_finalizing):
                write(1, f"{finalizing()} {len(table)}".encode())
        last = Last()
    """)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("True 0", "")


def test_the_core_takes_arrays_without_conversion_or_refuses_them() -> None:
    with pytest.raises(TypeError):
        _core.kendall(np.array([1.5, 2.7]), np.array([0, 2]), 1)
    with pytest.raises(TypeError):
        _core.flat_tree(np.array([2**32 + 1, 2**32 + 2]))
