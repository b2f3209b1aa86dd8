"""Several threads use, replace and delete the objects of the core."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from hyperbaton import _core
from hyperbaton.errors import CancelledError
from threads.core_calls import (
    THREADS,
    VOCABULARY,
    Array,
    batch,
    bitext,
    core,
    core_calls,
    pair_counts,
    text_lines,
    word_table,
)
from threads.running import SECONDS, rounds, run_together
from waiting import HANGING, wait_until

CALLERS = 8
PARTS = 8  # of the input, each for one thread


def test_threads_count_in_one_counter() -> None:
    rng = random.Random(3)
    parts = [batch(rng) for _ in range(PARTS)]

    def lines(part: int) -> _core.Lines:
        return _core.Lines.from_strings([f"{part} {k}" for k in range(len(parts[part][1]) - 1)])

    counter = _core.LineCounter(0, 1)
    watching = True

    def watch() -> None:
        while watching:
            assert counter.lines <= PARTS * (len(parts[0][1]) - 1)
            assert len(counter.word_counts()) <= VOCABULARY
            assert len(counter.digest) == 2

    def add_all() -> None:
        nonlocal watching
        try:
            run_together([partial(counter.add, lines(part), *parts[part]) for part in range(PARTS)])
        finally:
            watching = False

    run_together([watch, add_all])
    alone = _core.LineCounter(0, 1)
    for part in range(PARTS):
        alone.add(lines(part), *parts[part])
    assert (counter.lines, counter.digest) == (alone.lines, alone.digest)
    words = np.concatenate([numbers for numbers, _ in parts])
    assert counter.word_counts().tolist() == np.bincount(words, minlength=VOCABULARY).tolist()
    ranks = np.arange(VOCABULARY, dtype=np.int32)
    tables: list[tuple[Array, ...]] = []

    def take() -> None:
        tables.append(counter.take_table(1, ranks, VOCABULARY))

    run_together([take] * CALLERS)
    # One of them gets the counts, the others find none left.
    pairs = len(words) + PARTS * (len(parts[0][1]) - 1)
    assert sorted(int(counts.sum()) for *_, counts in tables) == [0] * (CALLERS - 1) + [pairs]


def test_threads_number_words_in_one_table() -> None:
    rng = random.Random(4)
    strings = [text_lines(rng, 500) for _ in range(CALLERS)]
    table = word_table()

    def number(part: int) -> None:
        numbers, offsets = table.number_lines(_core.Lines.from_strings(strings[part]), THREADS)
        tokens = table.tokens(0, len(table))
        for k, line in enumerate(strings[part]):
            found = [tokens[n] for n in numbers[offsets[k] : offsets[k + 1]]]
            # The table lower-cases ASCII, and drops tokens of ASCII punctuation.
            assert found == line.replace("U.S.", "u.s.").split()

    run_together([partial(number, part) for part in range(CALLERS)])
    assert table.bytes > 0


def line_users() -> tuple[Callable[[], object], Callable[[_core.Lines], object]]:
    content = "\n".join(text_lines(random.Random(5))).encode()
    return lambda: _core.Lines.from_bytes(content)[0][3:], lambda lines: word_table().number_lines(
        lines, THREADS
    )


def table_users() -> tuple[Callable[[], object], Callable[[_core.WordTable], object]]:
    lines = _core.Lines.from_strings(text_lines(random.Random(6)))
    return word_table, lambda table: table.number_lines(lines, THREADS)


def model_users() -> tuple[Callable[[], object], Callable[[_core.PrecedenceModel], object]]:
    arguments = core_calls()["PrecedenceModel.values"].arguments
    counts = pair_counts(batch(random.Random(7)))
    classes = np.array([0] * VOCABULARY + [1, 2], np.int32)
    return (
        lambda: core.PrecedenceModel(*(array.copy() for array in counts), classes, 3),
        lambda model: model.values(*arguments),
    )


def bitext_users() -> tuple[Callable[[], object], Callable[[_core.Bitext], object]]:
    _, *rest = core_calls()["train_aligner"].arguments
    sides = batch(random.Random(8)), batch(random.Random(9))
    return lambda: bitext(*sides), lambda pairs: core.train_aligner(pairs, *rest)


def aligner_users() -> tuple[Callable[[], object], Callable[[_core.SourceAligner], object]]:
    calls = core_calls()
    return calls["SourceAligner.__init__"], lambda aligner: aligner.links(
        *calls["SourceAligner.links"].arguments
    )


def counter_users() -> tuple[Callable[[], object], Callable[[_core.LineCounter], object]]:
    words = batch(random.Random(10))
    lines = _core.Lines.from_strings([str(k) for k in range(len(words[1]) - 1)])
    return lambda: _core.LineCounter(0, 1), lambda counter: counter.add(lines, *words)


def cancellation_users() -> tuple[Callable[[], object], Callable[[_core.Cancellation], object]]:
    call = core_calls()["pet"]
    return _core.Cancellation, lambda cancellation: cancellation.run(call)


@pytest.mark.parametrize(
    "users",
    [
        line_users,
        table_users,
        model_users,
        bitext_users,
        aligner_users,
        counter_users,
        cancellation_users,
    ],
)
def test_objects_are_deleted_while_threads_use_them(
    users: Callable[[], tuple[Callable[[], object], Callable[[object], object]]],
) -> None:
    make, use = users()
    objects = [make()]

    def work() -> None:
        for _ in rounds(seconds=SECONDS / 3):
            use(objects[0])

    def replace() -> None:
        for _ in rounds(seconds=SECONDS / 3):
            objects[0] = make()

    run_together([*[work] * (CALLERS - 1), replace])


def refuses(function: Callable[[], object]) -> bool:
    """Whether a function fails because another thread trains on the bitext."""
    try:
        function()
    except RuntimeError as error:
        return str(error) == "the bitext is being trained on"
    return False


def test_a_bitext_does_not_change_during_training() -> None:
    calls = core_calls()
    pairs, *rest = calls["train_aligner"].arguments
    expected = calls["train_aligner"]()
    over = threading.Event()

    def train() -> None:
        while not over.is_set():
            assert str(core.train_aligner(pairs, *rest)) == str(expected)

    def change() -> None:
        table = np.arange(VOCABULARY, dtype=np.int32)
        nothing = np.array([], np.int32), np.array([0], np.int64)
        changes = partial(pairs.arrange, table, table), partial(pairs.add, *nothing, *nothing)
        try:
            wait_until(lambda: all(refuses(function) for function in changes))
            for number in rounds(seconds=SECONDS / 3):
                refuses(changes[number % 2])
        finally:
            over.set()

    run_together([train, train, change])


def test_several_threads_run_and_cancel() -> None:
    call = core_calls()["align"]
    cancellation = _core.Cancellation()
    outcomes: list[str] = []
    everyone_works = threading.Barrier(CALLERS)

    def work() -> None:
        cancellation.run(call)
        everyone_works.wait(HANGING)
        try:
            while True:
                cancellation.run(call)
        except CancelledError as error:
            outcomes.append(str(error))

    def cancel() -> None:
        everyone_works.wait(HANGING)
        cancellation.cancel()

    run_together([*[work] * (CALLERS - 1), cancel])
    assert outcomes == ["interrupted"] * (CALLERS - 1)
    call()  # is not cancelled without it
