"""Python functions that the core calls raise, call the core again, and delete and change things."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from hyperbaton import _core
from hyperbaton.errors import CancelledError, InputError
from threads.core_calls import THREADS, core, core_calls, word_table
from threads.running import run_together

LINES = [f"é{k} … a{k}" for k in range(5000)]
TOKENS = [line.split() for line in LINES]


def keep_all(tokens: list[str]) -> list[bool]:
    return [True] * len(tokens)


def number(table: _core.WordTable, lines: list[str] = LINES) -> list[str]:
    """Return all tokens of the lines, by number."""
    numbers, _ = table.number_lines(_core.Lines.from_strings(lines), THREADS)
    tokens = table.tokens(0, len(table))
    return [tokens[n] for n in numbers]


@pytest.mark.parametrize("failing", ["normalize", "keeps"])
def test_a_table_is_usable_after_a_callback_has_raised(failing: str) -> None:
    fails = True

    def fail_first(words: list[str]) -> list[str]:
        if fails:
            raise KeyError("callback")
        return words

    def fail_first_to_keep(tokens: list[str]) -> list[bool]:
        fail_first(tokens)
        return keep_all(tokens)

    table = (
        word_table(fail_first) if failing == "normalize" else word_table(keeps=fail_first_to_keep)
    )
    for _ in range(3):
        with pytest.raises(KeyError, match="callback"):
            number(table)
    fails = False
    assert number(table) == " ".join(LINES).split()


@pytest.mark.parametrize("depth", [1, 5])
def test_a_callback_uses_the_same_table(depth: int) -> None:
    left = depth

    def normalize(words: list[str]) -> list[str]:
        nonlocal left
        assert table.bytes > 0
        table.tokens(0, len(table))
        if left > 0:
            left -= 1
            number(table, [*LINES[: 100 * left], f"ü{left}"])
        return words

    table = word_table(normalize)
    assert number(table) == " ".join(LINES).split()
    assert left == 0


def test_threads_in_callbacks_of_one_table() -> None:
    counter = itertools.count()

    def normalize(words: list[str]) -> list[str]:
        if words[0][0] != "ö":
            number(table, [f"ö{next(counter)}"])
        return words

    table = word_table(normalize)

    def work() -> None:
        assert number(table) == " ".join(LINES).split()

    run_together([work] * 8)


def test_a_callback_deletes_the_table() -> None:
    def normalize(words: list[str]) -> list[str]:
        tables.clear()
        return words

    tables = [word_table(normalize)]
    lines = _core.Lines.from_strings(LINES)
    numbers, offsets = tables[0].number_lines(lines, THREADS)
    assert not tables
    assert len(numbers) == offsets[-1] == 3 * len(LINES)


@pytest.mark.parametrize(
    ("change", "noticed"),
    [
        (lambda sentences: sentences.clear(), True),
        (lambda sentences: sentences.append([]), True),
        (lambda sentences: sentences.__delitem__(slice(4000, 4999)), True),
        (lambda sentences: [sentence.clear() for sentence in sentences], False),
    ],
)
def test_a_callback_changes_the_sentences(
    change: Callable[[list[list[str]]], object], noticed: bool
) -> None:
    def normalize(words: list[str]) -> list[str]:
        change(sentences)
        return words

    sentences = [list(tokens) for tokens in TOKENS]
    table = word_table(normalize, unit="text")
    # 4,096 sentences are read before the callback is asked, and the rest after it.
    if noticed:
        with pytest.raises(InputError, match=r"^tokens changed while it was read$"):
            table.number_tokens(sentences, "tokens", THREADS)
        return
    numbers, offsets = table.number_tokens(sentences, "tokens", THREADS)
    assert len(offsets) == len(LINES) + 1
    assert len(numbers) == offsets[-1] == 3 * 4096
    assert table.tokens(int(numbers[0]), int(numbers[0]) + 1) == [TOKENS[0][0]]


@pytest.mark.parametrize(
    "answer",
    [
        lambda words: [],
        lambda words: [*words, "more"],
        lambda words: words.clear() or [],
        lambda words: words.clear() or words,
        lambda words: words.append("more") or words,
        lambda words: [None] * len(words),
        lambda words: None,
        lambda words: words[0],
        lambda words: ["\ud800"] * len(words),
    ],
)
def test_wrong_answers_of_callbacks(answer: Callable[[list[str]], object]) -> None:
    errors = (ValueError, TypeError, RuntimeError)
    with pytest.raises(errors):
        number(word_table(answer))  # type: ignore[arg-type]
    with pytest.raises(errors):
        number(word_table(keeps=answer))  # type: ignore[arg-type]


def test_a_callback_shortens_its_list_and_its_answer() -> None:
    def keeps(tokens: list[str]) -> list[bool]:
        del tokens[1:]
        return [True]

    words = [chr(0x4E00 + k) for k in range(4000)]
    with pytest.raises(ValueError, match="same number of items, got 4000 and 1"):
        number(word_table(keeps=keeps), words)


TRAINING = core_calls()["train_aligner"].arguments
PAIRS, SPELLINGS = TRAINING[0], TRAINING[1:5]


def train(progress: Callable[[int, int], None] | None, iterations: int = 80) -> object:
    """Train long enough for several calls of ``progress``."""
    return core.train_aligner(PAIRS, *SPELLINGS, 1, (iterations, 1, 1), THREADS, progress)


def test_progress_raises() -> None:
    calls = 0

    def progress(done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        assert 0 <= done <= total
        raise KeyError("progress")

    with pytest.raises(KeyError, match="progress"):
        train(progress)
    assert calls == 1
    PAIRS.add(*_empty_pairs())  # nobody trains any more


def _empty_pairs() -> tuple[object, ...]:
    call = core_calls()["Bitext.add"]
    return tuple(array[:0] if k % 2 == 0 else array[:1] for k, array in enumerate(call.arrays))


def test_progress_calls_the_core_again() -> None:
    calls = 0

    def progress(done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if calls > 3:
            return
        assert str(train(None, 1)) == str(alone)
        with pytest.raises(RuntimeError, match="the bitext is being trained on"):
            PAIRS.add(*_empty_pairs())

    alone = train(None, 1)
    assert str(train(progress)) == str(train(None))
    assert calls > 0


def test_an_exception_of_progress_cancels_no_other_work() -> None:
    def progress(done: int, total: int) -> None:
        raise KeyError("progress")

    call = core_calls()["pet"]
    cancellation = _core.Cancellation()

    def work() -> object:
        with pytest.raises(KeyError):
            train(progress)
        return call()

    assert str(cancellation.run(work)) == str(call())


def test_nested_cancellations() -> None:
    call = core_calls()["pet"]
    outer, inner = _core.Cancellation(), _core.Cancellation()
    inner.cancel()

    def work() -> object:
        with pytest.raises(CancelledError):
            inner.run(call)
        assert outer.run(call) is not None
        return call()

    assert str(outer.run(work)) == str(call())
    outer.cancel()
    for cancellation in (outer, inner):
        with pytest.raises(CancelledError):
            cancellation.run(call)
    # A function that fails, or that has no work in the core, is not affected.
    with pytest.raises(ZeroDivisionError):
        outer.run(lambda: 1 // 0)
    assert outer.run(lambda: 1) == 1
