"""Bindings of texts: lines, tokens and tables of words."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from fuzz.python.byte_source import ByteSource
from fuzz.python.hostile import Hostile, HostileError, call, odd_object, refuse
from fuzz.python.targets import CALLER_ERRORS, only_user_errors, require, target

from hyperbaton import _core
from hyperbaton.files.lines import read_lines  # noqa: F401 - the same lines are read there


@target("binding_lines", b"\r\n", b"\0", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80")
def check_lines(data: bytes) -> None:
    """Make lines of bytes and of strings, and use them as a sequence."""
    source = ByteSource(data)
    strings: list[Any] = [source.text(4) for _ in range(source.integer(0, 3))]
    if source.chance(32):
        strings.insert(0, odd_object(source, strings))
    call(source, "check_string", _core.check_string, strings[0] if strings else "", "text")
    call(source, "check_strings", _core.check_strings, strings, "texts")
    made = call(source, "Lines.from_strings", _core.Lines.from_strings, strings)
    content = source.rest()
    lines, invalid = _core.Lines.from_bytes(content)
    expected = content.split(b"\n")
    expected = expected[:-1] if expected[-1] == b"" else expected
    require(len(lines) == len(expected), "as many lines as newlines")
    clean = [_is_clean(line) for line in expected]
    first = clean.index(False) if False in clean else -1
    require(invalid == first, f"line {invalid} is the first invalid one, not {first}")
    if invalid < 0:
        texts = [line.decode().removesuffix("\r") for line in expected]
        require(lines.tolist() == texts == list(lines), "the same lines")
        require(pickle.loads(pickle.dumps(lines)).tolist() == texts, "pickle copies them")
        _check_sequence(ByteSource(data[:16]), lines, texts)
    if made is not None:
        require(made.tolist() == strings, "the same strings")


def _is_clean(line: bytes) -> bool:
    try:
        return "\0" not in line.decode()
    except UnicodeDecodeError:
        return False


def _check_sequence(source: ByteSource, lines: _core.Lines, texts: list[str]) -> None:
    """Index, slice, interleave and count."""
    index = source.any_integer()
    with only_user_errors("Lines.__getitem__", IndexError):
        require(lines[index] == texts[index], f"line {index}")
    low, high = source.any_integer(), source.any_integer()
    step = source.choice((None, 1, 2, -1))
    with only_user_errors("Lines slice", ValueError):
        require(lines[low:high:step].tolist() == texts[low:high:step], "a slice")
    copies = source.integer(0, 3)
    both = call(source, "Lines.interleave", _core.Lines.interleave, [lines] * copies)
    if both is not None:
        require(both.tolist() == [text for text in texts for _ in range(copies)], "interleaved")
    call(source, "Lines.count_ending", lines.count_ending, source.text(2))
    call(source, "Lines.digest", lines.digest, np.arange(len(lines)))


@target("binding_tokens")
def check_tokens(data: bytes) -> None:
    """Number the tokens of pairs, and compare with dictionaries."""
    source = ByteSource(data)
    count = source.integer(0, 3)
    if source.chance(96):
        s, s_offsets = source.batch(count, 5, 0, 6)
        t, t_offsets = source.batch(count, 5, 0, 6)
        call(source, "bag_overlaps", _core.bag_overlaps, s, s_offsets, t, t_offsets)
        of = source.integers(count, 0, max(count - 1, 0))
        call(source, "renumber_pairs", _core.renumber_pairs, s, s_offsets, of, t, t_offsets)
        return
    makers: tuple[Callable[[], Any], ...] = (
        lambda: source.integer(0, 3),
        lambda: source.text(1),
        lambda: Hostile(source),
        lambda: (1, source.byte()),
        lambda: odd_object(source),
        lambda: float("nan"),
    )

    def sentences() -> tuple[tuple[Any, ...], ...]:
        return tuple(
            tuple(source.choice(makers)() for _ in range(source.integer(0, 5)))
            for _ in range(count)
        )

    call(source, "number_tokens", _core.number_tokens, sentences(), sentences())


@target("binding_word_table")
def check_word_table(data: bytes) -> None:
    """Tokenise lines and number their words, with callbacks that may fail or call the table."""
    source = ByteSource(data)
    tables: list[Any] = []

    def reenter(texts: list[str]) -> list[Any]:
        return tables[0].tokens(0, 3) if tables else []  # also the wrong number of answers

    normalizers: tuple[Callable[..., Any], ...] = (
        lambda texts: texts,
        lambda texts: [text.casefold() for text in texts],
        refuse,
        reenter,
        lambda texts: None,
        lambda texts: ["\ud800" for _ in texts],
        lambda texts: [Hostile(source) for _ in texts],
        lambda texts: [1] * len(texts),
        lambda texts: texts + texts,
    )
    keepers: tuple[Callable[..., Any], ...] = (
        lambda texts: [True] * len(texts),
        lambda texts: [False] * len(texts),
        *normalizers,
    )
    flags = [source.chance(128) for _ in range(5)]
    removed = [source.text(1) for _ in range(source.integer(0, 2))]
    unit = source.choice(("word", "text", "word_in_spaces", "x"))
    functions = source.choice(normalizers), source.choice(keepers)
    table = call(source, "WordTable", _core.WordTable, unit, *flags, removed, *functions)
    if table is None:
        return
    tables.append(table)
    for _ in range(source.integer(1, 3)):
        texts = [source.clean_text(12) for _ in range(source.integer(0, 4))]
        lines = _core.Lines.from_strings(texts)
        found = call(source, "WordTable.number_lines", table.number_lines, lines, 1)
        _check_numbers(found, len(texts), len(table))
        sentences: list[Any] = [text.split() for text in texts]
        if source.chance(32):
            sentences.insert(0, odd_object(source, sentences))
        call(source, "WordTable.number_tokens", table.number_tokens, sentences, "words", 1)
    begin, end = source.any_integer(), source.any_integer()
    with only_user_errors("WordTable.tokens", *CALLER_ERRORS, HostileError):
        tokens = table.tokens(begin, end)
        require(len(tokens) <= len(table), "no more tokens than there are")
    require(table.bytes >= 0, "a size")


def _check_numbers(found: Any, lines: int, size: int) -> None:
    if found is None:
        return
    numbers, offsets = found
    require(len(offsets) == lines + 1 and offsets[-1] == len(numbers), "offsets of each line")
    require(not len(numbers) or (numbers.min() >= 0 and numbers.max() < size), "known tokens")
