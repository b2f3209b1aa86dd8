"""Files of word alignments, a line for each pair of sentences, read and written line by line."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.notation import (
    ZERO,
    Ints,
    check_links,
    count_words,
    format_moses,
    parse_links,
    parse_pairs,
)
from hyperbaton.alignment.source import source_permutations
from hyperbaton.errors import InputError, LineError, LinkOutsideError
from hyperbaton.text.columns import read_texts
from hyperbaton.text.lines import StrPath, printable, side_by_side, write_beside

SIDES = ("source", "target")
NOTATIONS = ("pharaoh", "moses")
BATCH = 4000  # lines: enough to be read at once, little memory
Warn = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The links of a batch of lines: those of line ``line[m]`` are of these words, from 0."""

    line: Ints
    source: Ints
    target: Ints
    source_lengths: Ints

    def __len__(self) -> int:
        """The number of lines."""
        return len(self.source_lengths)

    def permutations(self, nulls: str) -> tuple[Ints, Ints]:
        """The reordering of each source, as flat values and offsets; empty without a link."""
        linked = np.bincount(self.line, minlength=len(self)) > 0
        lengths = np.where(linked, self.source_lengths, 0)
        return source_permutations(self.line, self.source, self.target, lengths, nulls)


def read_alignments(
    path: StrPath,
    source: StrPath,
    target: StrPath | None = None,
    *,
    base: int = 0,
    possible: bool = True,
    warn: Warn = warnings.warn,
) -> Iterator[Alignment]:
    """The alignments of a file, Pharaoh's or Moses' notation, beside the texts that they are of.

    ``source`` and ``target`` are files of tokens with spaces between them; without a ``target``,
    its sentences are as long as the links need. All may be gzipped, or columns of TSV and JSONL
    files (``file.jsonl:key``). The first word is ``base``, 0 or 1, on both sides; it warns if
    words are said to be counted from 0 but no index is 0. Possible links (``0?1``, ``0p1``) are
    left out if ``possible`` is false. What is wrong is an error that names file, line and field.
    """
    path, source = os.fspath(path), os.fspath(source)
    target = None if target is None else os.fspath(target)
    for number, (text, lengths) in enumerate(_rows(path, source, target, base, warn), 1):
        try:
            rows = parse_links(text, base, possible)
            ends = (row[1] + row[3] for row in rows)
            both = (lengths[0], lengths[1] if target else max(ends, default=0))
            check_links(rows, both, SIDES, base)
        except ValueError as error:
            raise _located(path, number, error, text, base) from None
        yield Alignment(*both, rows)


def read_pairs(
    path: str,
    source: str,
    target: str | None = None,
    *,
    base: int = 0,
    possible: bool = True,
    warn: Warn = warnings.warn,
) -> Iterator[Pairs]:
    """The same links batch by batch, as arrays: what a whole bitext needs."""
    lines = _rows(path, source, target, base, warn)
    done = 0
    while batch := list(islice(lines, BATCH)):
        texts = [text for text, _ in batch]
        lengths = np.array([both for _, both in batch], np.int64).T
        try:
            pairs = Pairs(*parse_pairs(texts, base, possible), lengths[0])
        except LineError as error:
            raise _located(path, done + error.line + 1, error) from None
        for words, most in zip((pairs.source, pairs.target), lengths, strict=False):
            for m in np.flatnonzero(words >= most[pairs.line])[:1]:
                k = int(pairs.line[m])
                both = lengths[:, k].tolist()
                try:  # to say it as it is said of a line
                    rows = parse_links(texts[k], base, possible)
                    check_links(rows, (both[0], both[1] if target else 1 << 60), SIDES, base)
                except ValueError as error:
                    raise _located(path, done + k + 1, error, texts[k], base) from None
        yield pairs
        done += len(batch)


def read_link_texts(
    path: str, base: int = 0, possible: bool = True, warn: Warn = warnings.warn
) -> Iterator[tuple[str, ...]]:
    """Lines of links as texts that count from 0, with what was asked to be left out left out.

    As :func:`hyperbaton.text.columns.read_texts`, a line may have several.
    """
    lines = _watched(path, read_texts(path), base, warn)
    if base == 0 and possible:
        yield from lines
        return
    for number, texts in enumerate(lines, 1):
        try:
            yield tuple(format_moses(parse_links(text, base, possible)) for text in texts)
        except ValueError as error:
            raise _located(path, number, error) from None


def write_alignments(
    path: StrPath, alignments: Iterable[Alignment], notation: str = "pharaoh", base: int = 0
) -> None:
    """Write a line for each alignment; the file appears when all is written."""
    if notation not in NOTATIONS:
        raise InputError(f"notation is one of {', '.join(NOTATIONS)}, not {notation!r}")
    with write_beside(path) as out:
        for one in alignments:
            line = one.to_pharaoh(base) if notation == "pharaoh" else one.to_moses(base)
            out.write(f"{line}\n")


def _rows(
    path: str, source: str, target: str | None, base: int, warn: Warn
) -> Iterator[tuple[str, list[int]]]:
    """The text of each line, and how many words its sentences have."""
    paths = [path, source] if target is None else [path, source, target]

    def read(name: str) -> Iterator[tuple[str, ...]]:
        texts = read_texts(name)
        return _watched(name, texts, base, warn) if name == path else texts

    for number, row in enumerate(side_by_side(paths, read), 1):
        for name, texts in zip(paths, row, strict=True):
            if len(texts) != 1:
                raise InputError(f"{printable(name)}, line {number:,}, has several texts")
        yield row[0][0], [count_words(texts[0]) for texts in row[1:]]


def _watched(
    path: str, lines: Iterator[tuple[str, ...]], base: int, warn: Warn
) -> Iterator[tuple[str, ...]]:
    """The same lines; at the end a warning if they have links, but no index that is 0."""
    links = zero = False
    for texts in lines:
        if not zero and base == 0:
            links = links or any(text.strip() for text in texts)
            zero = any(ZERO.search(text) for text in texts)
        yield texts
    if links and not zero:
        warn(
            f"{printable(path)}: no index is 0: are its words counted from 1? Then say so "
            "(--one-based, base=1)"
        )


def _located(
    path: str, number: int, error: ValueError, text: str = "", base: int = 0
) -> InputError:
    hint = ""
    if isinstance(error, LinkOutsideError) and base == 0 and not ZERO.search(text):
        hint = " (are words counted from 1? --one-based, base=1)"
    return InputError(f"{printable(path)}, line {number:,}: {error}{hint}")
