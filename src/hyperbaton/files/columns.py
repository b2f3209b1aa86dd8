"""Texts from whole files, or from columns of TSV, JSONL and Parquet files, and their names."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice, pairwise, starmap

from hyperbaton.errors import InputError
from hyperbaton.files.lines import (
    COMPRESSED_SUFFIXES,
    StrPath,
    check_standard_input,
    count_lines,
    different_lengths,
    printable,
    read_line_blocks,
    read_lines,
)
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

TAB, COMMA = "\t", ","


def read_cells(path: StrPath, separator: str | None = None) -> Iterator[list[str]]:
    """Iterate over the cells of each line of a file, plain or compressed.

    Tabs separate cells wherever they are; commas do not inside of quotes. Without a ``separator``,
    the first line decides which of the two it is.

    Raises
    ------
    InputError
        If the file cannot be read, is not valid CSV, or has other separators.
    """
    lines = (line.removesuffix("\r") for line in read_lines(path))
    for first in lines:
        if (separator or _find_separator(path, first)) == TAB:
            yield from (line.split(TAB) for line in chain([first], lines))
        else:
            # A quote that is not closed ends with the first line.
            yield from _split_commas(path, iter([first]))
            yield from _split_commas(path, lines)


def _find_separator(path: StrPath, line: str) -> str:
    if TAB in line:
        return TAB
    if ";" in line and COMMA not in line:
        name = printable(os.fspath(path))
        raise InputError(f"{name} separates columns by ';'; use tabs or commas")
    return COMMA


def _split_commas(path: StrPath, lines: Iterator[str]) -> Iterator[list[str]]:
    try:
        yield from csv.reader(lines)
    except csv.Error as error:
        raise InputError(f"{printable(os.fspath(path))} is not valid CSV: {error}") from None


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
    columns : callable
        Returns the names of the columns of a file, as far as they hold texts.
    blocks : callable, optional
        Iterates over blocks of lines, by the path, the column and the number of lines, if that is
        faster than line by line.
    files : callable
        Returns the files of a path, which may be a pattern.
    count : callable
        Returns the number of lines, or None if it is not quickly known.
    describe : callable, optional
        Returns where a line is, by path and number, if it is not a line of a text file.
    expanded_bytes : callable, optional
        Returns the size of a file before compression, if the file itself knows it.
    """

    rows: Callable[[str, str], Iterator[tuple[str, ...]]]
    columns: Callable[[str], list[str]]
    blocks: Callable[[str, str, int], Iterator[TextBlock]] | None = None
    files: Callable[[str], list[str]] = lambda path: [path]
    count: Callable[[str], int | None] = count_lines
    describe: Callable[[str, int], str] | None = None
    expanded_bytes: Callable[[str], int] | None = None


def blocks_of_rows(rows: Iterator[tuple[str, ...]], size: int) -> Iterator[TextBlock]:
    """Iterate over blocks of ``size`` lines, each of which comes as its texts."""
    while block := list(islice(rows, size)):
        counts = [len(texts) for texts in block]
        texts = [text for row in block for text in row]
        yield TextBlock(texts, counts if max(counts) > 1 else None)


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


def _describe_parquet_row(path: str, number: int) -> str:
    file, row = locate_row(path, number)
    return f"{printable(file)}, row {row:,}"


READERS = Registry(
    "input format",
    {
        "tsv": Reader(_read_tsv, lambda path: next(read_cells(path, TAB), [])),
        "jsonl": Reader(_read_jsonl, _keys),
        "parquet": Reader(
            _read_parquet,
            text_columns,
            _read_parquet_blocks,
            expand_pattern,
            count_rows,
            _describe_parquet_row,
            parquet_bytes,
        ),
    },
)


TEXT = "text"  # the kind of a file that is read as a whole
WHOLE = Reader(
    lambda path, _: ((line.removesuffix("\r"),) for line in read_lines(path)),
    lambda path: [],
    lambda path, _, size: map(TextBlock, read_line_blocks(path, size)),
)
COLUMN = r"(?P<path>.+?\.(?P<kind>{})(?:\.(?:gz|xz|bz2|zst))?):(?P<column>[^/\\]+)"


def split_column(source: str) -> tuple[str, str, str | None]:
    """Split a source such as ``data.tsv:reference`` into path, kind and column.

    An existing file is always read as a whole.

    >>> split_column("data.tsv.gz:reference")
    ('data.tsv.gz', 'tsv', 'reference')
    >>> split_column("system.txt")
    ('system.txt', 'text', None)
    """
    pattern = COLUMN.format("|".join(map(re.escape, READERS)))
    match = None if os.path.exists(source) else re.fullmatch(pattern, source, re.IGNORECASE)
    if match is None:
        return source, TEXT, None
    return match["path"], match["kind"].lower(), match["column"]


def _find_reader(source: str) -> tuple[str, Reader, str]:
    """Return the path of a source, what reads it, and its column."""
    path, kind, column = split_column(source)
    return path, READERS.get(kind, WHOLE), column or ""


def source_files(source: str) -> list[str]:
    """Return the files of a source: one, or those that a pattern of Parquet files matches.

    Raises
    ------
    InputError
        If no file matches the pattern.
    """
    path, reader, _ = _find_reader(source)
    return reader.files(path)


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
    path, reader, _ = _find_reader(source)
    return reader.count(path)


def check_rereadable(paths: Sequence[str], reason: str) -> None:
    """Raise an error if a file can be read only once: standard input, a pipe or a device."""
    for path in read_once(paths):
        if path == "-":
            raise InputError(f"{reason}: standard input cannot be one of them")
        raise InputError(f"{reason}: {printable(path)} is not a regular file")


def read_once(paths: Sequence[str]) -> Iterator[str]:
    """Yield the files that can be read only once: standard input, pipes and devices."""
    for path in (path for name in paths for path in source_files(name)):
        if path == "-" or (os.path.exists(path) and not os.path.isfile(path) | os.path.isdir(path)):
            yield path


def describe_line(source: str, number: int) -> str:
    """Return the file and the number of a line, for error messages.

    >>> describe_line("data.tsv:reference", 1000)
    'data.tsv:reference, line 1,000'
    """
    path, reader, _ = _find_reader(source)
    if reader.describe is None:
        return f"{printable(source)}, line {number:,}"
    return reader.describe(path, number)


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
    path, reader, column = _find_reader(source)
    yield from reader.rows(path, column)


EMPTY = TextBlock([])


def read_blocks(source: str, size: int) -> Iterator[TextBlock]:
    """Iterate over blocks of ``size`` lines of a source; see :func:`read_texts`."""
    path, reader, column = _find_reader(source)
    if reader.blocks is None:
        yield from blocks_of_rows(reader.rows(path, column), size)
    else:
        yield from reader.blocks(path, column, size)


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
        check_single(source, number, len(texts))
        yield texts[0]


def check_single(source: str, number: int, count: int) -> None:
    """Raise an error unless a line has one text."""
    if count != 1:
        raise InputError(f"{describe_line(source, number)}: expected one text, got {count}")


def source_names(sources: Sequence[tuple[str, str | None]]) -> list[str]:
    """Return short names of sources, each a path and perhaps a column, which may be equal.

    >>> source_names([("runs/a.txt", None), ("runs/b.tsv", "mt")])
    ['a.txt', 'b.tsv:mt']
    >>> source_names([("runs/b.tsv", "mt"), ("runs/b.tsv", "ref")])
    ['mt', 'ref']
    """
    same_file = len({os.path.realpath(path) for path, _ in sources}) == 1
    names = []
    for path, column in sources:
        name = "standard input" if path == "-" else os.path.basename(path)
        if column is not None:
            name = column if same_file else f"{name}:{column}"
        names.append(printable(name))
    return names


def table_labels(names: Sequence[str], is_file: Sequence[bool]) -> dict[str, str]:
    """Return the names of systems in tables.

    The names of files lose their extension if it is .txt, or if all files have it and it is no
    number. A name stays as it is if it would be confused with another.

    >>> table_labels(["a.txt.gz", "b.out", "c.out", "d.txt"], [True, True, False, True])
    {'a.txt.gz': 'a', 'b.out': 'b.out', 'c.out': 'c.out', 'd.txt': 'd'}
    >>> list(table_labels(["a.de", "b.de"], [True, True]).values())
    ['a', 'b']
    >>> list(table_labels(["v1.2", "v2.2"], [True, True]).values())
    ['v1.2', 'v2.2']
    >>> list(table_labels(["a.txt", "a"], [True, False]).values())
    ['a.txt', 'a']
    """
    parts = [
        os.path.splitext(_without_compression(name)) if file else (name, None)
        for name, file in zip(names, is_file, strict=True)
    ]
    shared = {extension.lower() for _, extension in parts if extension is not None}
    dropped = {".txt"}
    if len(shared) == 1 and not any(extension[1:].isdigit() for extension in shared):
        dropped |= shared
    labels = [
        stem if extension is None or extension.lower() in dropped else stem + extension
        for stem, extension in parts
    ]
    return {
        name: label if labels.count(label) == 1 and label not in names else name
        for name, label in zip(names, labels, strict=True)
    }


def _without_compression(name: str) -> str:
    stem, extension = os.path.splitext(name)
    return stem if extension.lower() in COMPRESSED_SUFFIXES else name
