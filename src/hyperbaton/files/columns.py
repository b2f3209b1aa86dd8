"""Texts from whole files, or from columns of files in the formats of the table of readers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence

from hyperbaton.errors import InputError
from hyperbaton.files.lines import (
    check_standard_input,
    count_lines,
    different_lengths,
    printable,
    read_line_blocks,
    read_lines,
)
from hyperbaton.files.readers import READERS, TextBlock

TEXT = "text"  # the kind of a file that is read as a whole
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


def source_files(source: str) -> list[str]:
    """Return the files of a source: one, or those that a pattern of Parquet files matches.

    Raises
    ------
    InputError
        If no file matches the pattern.
    """
    path, kind, _ = split_column(source)
    return [path] if kind == TEXT else READERS[kind].files(path)


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
    return count_lines(path) if kind == TEXT else READERS[kind].count(path)


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
    describe = None if kind == TEXT else READERS[kind].describe
    if describe is None:
        return f"{printable(source)}, line {number:,}"
    return describe(path, number)


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
    if column is not None:
        yield from READERS[kind].rows(path, column)
    else:
        for line in read_lines(path):
            yield (line.removesuffix("\r"),)


EMPTY = TextBlock([])


def read_blocks(source: str, size: int) -> Iterator[TextBlock]:
    """Iterate over blocks of ``size`` lines of a source; see :func:`read_texts`."""
    path, kind, column = split_column(source)
    if column is None:
        yield from map(TextBlock, read_line_blocks(path, size))
    else:
        yield from READERS[kind].blocks(path, column, size)


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
