"""Texts from whole files or from columns of TSV, JSONL and Parquet files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise, starmap

from hyperbaton.errors import HyperbatonError, InputError
from hyperbaton.files.lines import (
    check_standard_input,
    count_lines,
    different_lengths,
    printable,
    read_line_blocks,
    read_lines,
)
from hyperbaton.files.parquet import count_rows, expand_pattern, locate_row, read_column
from hyperbaton.text.plurals import count_noun

COLUMN = re.compile(
    r"(?P<path>.+?\.(?P<kind>tsv|jsonl|parquet)(?:\.(?:gz|xz|bz2|zst))?):(?P<column>[^/\\]+)", re.I
)
MAX_COLUMN_DIGITS = 9  # Python converts no number with thousands of digits
PARQUET_BLOCK = 1000  # rows that are converted to Python strings at a time


def split_column(source: str) -> tuple[str, str, str | None]:
    """Split a source such as ``data.tsv:reference`` into path, kind and column.

    An existing file is always read as a whole.

    >>> split_column("data.tsv.gz:reference")
    ('data.tsv.gz', 'tsv', 'reference')
    >>> split_column("system.txt")
    ('system.txt', 'text', None)
    """
    match = None if os.path.exists(source) else COLUMN.fullmatch(source)
    if match is None:
        return source, "text", None
    return match["path"], match["kind"].lower(), match["column"]


def source_files(source: str) -> list[str]:
    """Return the files of a source: one, or those that a pattern of Parquet files matches.

    Raises
    ------
    InputError
        If no file matches the pattern.
    """
    path, kind, _ = split_column(source)
    return expand_pattern(path) if kind == "parquet" else [path]


def source_exists(source: str) -> bool:
    """Return whether a source is an existing file, or a column of existing files."""
    if os.path.lexists(source):
        return True
    try:
        return any(map(os.path.lexists, source_files(source)))
    except InputError:
        return False  # a pattern that matches nothing


def count_source_lines(source: str) -> int | None:
    """Return the number of lines of a source, or None if it is not quickly known."""
    path, kind, _ = split_column(source)
    if kind != "parquet":
        return count_lines(path)
    try:
        return count_rows(path)
    except HyperbatonError:
        return None  # reading the files will raise the error


def check_rereadable(paths: Sequence[str], reason: str) -> None:
    """Raise an error if a file can be read only once: standard input, a pipe or a device."""
    for name in paths:
        for path in source_files(name):
            if path == "-":
                raise InputError(f"{reason}: standard input cannot be one of them")
            if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
                raise InputError(f"{reason}: {printable(path)} is not a regular file")


def describe_line(source: str, number: int) -> str:
    """Return the file and the number of a line, for error messages.

    >>> describe_line("data.tsv:reference", 1000)
    'data.tsv:reference, line 1,000'
    """
    path, kind, _ = split_column(source)
    if kind == "parquet":
        file, row = locate_row(path, number)
        return f"{printable(file)}, row {row:,}"
    return f"{printable(source)}, line {number:,}"


def read_texts(source: str) -> Iterator[tuple[str, ...]]:
    """Iterate over the texts of each line.

    Parameters
    ----------
    source : str
        A file, ``file.tsv:name`` for a column with this heading, ``file.tsv:2`` for the second
        column of a file without headings, ``file.jsonl:key`` for the values of a key, or
        ``file.parquet:name`` for a column of a Parquet file or, with a pattern such as
        ``data/*.parquet:name``, of several. A carriage return at the end of a line is dropped.

    Yields
    ------
    tuple of str
        One text, or all texts of a list in JSONL or Parquet.

    Raises
    ------
    InputError
        If the file cannot be read, or a line lacks the column or the key.
    MissingData
        If the file is a Parquet file, but pyarrow is not installed.
    """
    path, kind, column = split_column(source)
    if kind == "tsv":
        yield from _read_tsv(path, str(column))
    elif kind == "jsonl":
        yield from _read_jsonl(path, str(column))
    elif kind == "parquet":
        for block in read_blocks(source, PARQUET_BLOCK):
            yield from map(tuple, block.rows)
    else:
        for line in read_lines(path):
            yield (line.removesuffix("\r"),)


@dataclass(frozen=True)
class TextBlock:
    """Consecutive lines of a source.

    Attributes
    ----------
    texts : sequence of str
        The texts of all lines, one after another.
    counts : list of int, optional
        The number of texts of each line; None if each line has one.
    """

    texts: Sequence[str]
    counts: list[int] | None = None

    @classmethod
    def from_rows(cls, rows: Sequence[tuple[str, ...]]) -> TextBlock:
        """Collect the texts of some lines."""
        counts = [len(texts) for texts in rows]
        return cls([text for texts in rows for text in texts], counts if max(counts) > 1 else None)

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.texts) if self.counts is None else len(self.counts)

    @property
    def rows(self) -> list[Sequence[str]]:
        """The texts of each line."""
        texts = list(self.texts)
        if self.counts is None:
            return [(text,) for text in texts]
        return [texts[begin:end] for begin, end in pairwise(accumulate(self.counts, initial=0))]


EMPTY = TextBlock([])


def read_blocks(source: str, size: int) -> Iterator[TextBlock]:
    """Iterate over blocks of ``size`` lines of a source; see :func:`read_texts`."""
    path, kind, column = split_column(source)
    if kind == "text":
        yield from map(TextBlock, read_line_blocks(path, size))
    elif kind == "parquet":
        yield from starmap(TextBlock, read_column(path, str(column), size))
    else:
        yield from blocks_of_rows(read_texts(source), size)


def blocks_of_rows(rows: Iterator[tuple[str, ...]], size: int) -> Iterator[TextBlock]:
    """Iterate over blocks of ``size`` lines, each of which comes as its texts."""
    while block := list(islice(rows, size)):
        yield TextBlock.from_rows(block)


def zip_blocks(
    sources: Sequence[str],
    size: int,
    read: Callable[[str, int], Iterator[TextBlock]] = read_blocks,
) -> Iterator[list[TextBlock]]:
    """Iterate over blocks of ``size`` lines of several sources in parallel.

    Raises
    ------
    InputError
        If the sources do not have the same number of lines.
    """
    check_standard_input(sources)
    files = [read(source, size) for source in sources]
    complete = 0
    while any(blocks := [next(file, EMPTY) for file in files]):
        lengths = [len(block) for block in blocks]
        least = min(lengths)
        if max(lengths) > least:
            longer = next(k for k, length in enumerate(lengths) if length > least)
            count = complete + lengths[longer] + sum(map(len, files[longer]))
            shorter = sources[lengths.index(least)]
            raise different_lengths(sources[longer], count, shorter, complete + least)
        yield blocks
        complete += least


def read_single_texts(source: str) -> Iterator[str]:
    """Iterate over the lines of a source in which each line has one text.

    Raises
    ------
    InputError
        As for :func:`read_texts`, and if a line has a list of several texts.
    """
    for number, texts in enumerate(read_texts(source), 1):
        if len(texts) != 1:
            raise InputError(
                f"{describe_line(source, number)}: expected one text, got {len(texts)}"
            )
        yield texts[0]


def _read_tsv(path: str, column: str) -> Iterator[tuple[str, ...]]:
    is_number = column.isdecimal() and len(column) <= MAX_COLUMN_DIGITS
    index = int(column) - 1 if is_number else None
    if index == -1:
        raise InputError(f"{path}: columns are counted from 1, not from 0")
    for number, line in enumerate(read_lines(path), 1):
        cells = line.removesuffix("\r").split("\t")
        if index is None:
            if column not in cells:
                names = printable(", ".join(cells))
                raise InputError(f"{printable(path)} has no column {column!r}; it has {names}")
            if cells.count(column) > 1:
                raise InputError(f"{printable(path)} has {cells.count(column)} columns {column!r}")
            index = cells.index(column)
            continue
        if index >= len(cells):
            count = count_noun(len(cells), "column")
            raise InputError(
                f"{path}, line {number:,}, has {count}, but column {index + 1} is needed"
            )
        yield (cells[index],)


def _read_jsonl(path: str, key: str) -> Iterator[tuple[str, ...]]:
    for number, line in enumerate(read_lines(path), 1):
        location = f"{path}, line {number:,},"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{location} is not JSON: {error}") from None
        except RecursionError:
            raise InputError(f"{location} is nested too deeply") from None
        if not isinstance(row, dict) or key not in row:
            raise InputError(f"{location} has no {key!r}")
        value = row[key]
        texts = value if isinstance(value, list) else [value]
        if not texts or not all(isinstance(text, str) for text in texts):
            raise InputError(f"{location} has no string or list of strings under {key!r}")
        for text in texts:
            if "\0" in text:
                raise InputError(f"{location} has a NUL character under {key!r}")
            if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
                raise InputError(f"{location} has an unpaired surrogate under {key!r}")
        yield tuple(texts)
