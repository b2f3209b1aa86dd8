"""Readers of texts in columns, by the suffix of the file: TSV, JSONL and Parquet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise, starmap

from hyperbaton.errors import HyperbatonError, InputError
from hyperbaton.files.delimited import TAB, read_cells
from hyperbaton.files.lines import count_lines, printable, read_lines
from hyperbaton.files.parquet import (
    count_rows,
    expand_pattern,
    locate_row,
    parquet_bytes,
    read_column,
    text_columns,
)
from hyperbaton.registries import Registry
from hyperbaton.text.plurals import count_noun

MAX_COLUMN_DIGITS = 9  # Python converts no number with thousands of digits
PARQUET_BLOCK = 1000  # rows that are converted to Python strings at a time


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


@dataclass(frozen=True)
class Reader:
    """What reads a column of a file of some format.

    Attributes
    ----------
    rows : callable
        Iterates over the texts of each line, by the path and the column.
    blocks : callable
        Iterates over blocks of lines, by the path, the column and the number of lines.
    files : callable
        Returns the files of a path, which may be a pattern.
    columns : callable
        Returns the names of the columns of a file, as far as they hold texts.
    count : callable
        Returns the number of lines, or None if it is not quickly known.
    describe : callable, optional
        Returns where a line is, by path and number, if it is not a line of a text file.
    expanded_bytes : callable, optional
        Returns the size of a file before compression, if the file itself knows it.
    """

    rows: Callable[[str, str], Iterator[tuple[str, ...]]]
    blocks: Callable[[str, str, int], Iterator[TextBlock]]
    columns: Callable[[str], list[str]]
    files: Callable[[str], list[str]] = lambda path: [path]
    count: Callable[[str], int | None] = count_lines
    describe: Callable[[str, int], str] | None = None
    expanded_bytes: Callable[[str], int] | None = None

    @classmethod
    def of_rows(
        cls,
        rows: Callable[[str, str], Iterator[tuple[str, ...]]],
        columns: Callable[[str], list[str]],
    ) -> Reader:
        """Return the reader of a text file that is read line by line."""

        def blocks(path: str, column: str, size: int) -> Iterator[TextBlock]:
            return blocks_of_rows(rows(path, column), size)

        return cls(rows, blocks, columns)


def blocks_of_rows(rows: Iterator[tuple[str, ...]], size: int) -> Iterator[TextBlock]:
    """Iterate over blocks of ``size`` lines, each of which comes as its texts."""
    while block := list(islice(rows, size)):
        yield TextBlock.from_rows(block)


def _read_tsv(path: str, column: str) -> Iterator[tuple[str, ...]]:
    is_number = column.isdecimal() and len(column) <= MAX_COLUMN_DIGITS
    index = int(column) - 1 if is_number else None
    if index == -1:
        raise InputError(f"{path}: columns are counted from 1, not from 0")
    for number, cells in enumerate(read_cells(path, TAB), 1):
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


def _headings(path: str) -> list[str]:
    return next(read_cells(path, TAB), [])


def _keys(path: str) -> list[str]:
    """Return the keys of the first line, or none if it is no object."""
    try:
        row = json.loads(next(read_lines(path), ""))
    except (ValueError, RecursionError):
        return []
    return list(row) if isinstance(row, dict) else []


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


def _read_parquet(path: str, column: str) -> Iterator[tuple[str, ...]]:
    for block in _read_parquet_blocks(path, column, PARQUET_BLOCK):
        yield from map(tuple, block.rows)


def _read_parquet_blocks(path: str, column: str, size: int) -> Iterator[TextBlock]:
    return starmap(TextBlock, read_column(path, column, size))


def _count_parquet_rows(path: str) -> int | None:
    try:
        return count_rows(path)
    except HyperbatonError:
        return None  # reading the files will raise the error


def _describe_parquet_row(path: str, number: int) -> str:
    file, row = locate_row(path, number)
    return f"{printable(file)}, row {row:,}"


READERS = Registry(
    "input format",
    {
        "tsv": Reader.of_rows(_read_tsv, _headings),
        "jsonl": Reader.of_rows(_read_jsonl, _keys),
        "parquet": Reader(
            _read_parquet,
            _read_parquet_blocks,
            text_columns,
            expand_pattern,
            _count_parquet_rows,
            _describe_parquet_row,
            parquet_bytes,
        ),
    },
)
