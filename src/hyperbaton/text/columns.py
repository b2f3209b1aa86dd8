"""Texts from whole files or from columns of TSV and JSONL files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

from hyperbaton.errors import InputError
from hyperbaton.text.lines import printable, read_lines
from hyperbaton.text.plurals import count_noun

COLUMN = re.compile(r"(?P<path>.+?\.(?P<kind>tsv|jsonl)(?:\.gz)?):(?P<column>[^/\\]+)", re.I)


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


def read_texts(source: str) -> Iterator[tuple[str, ...]]:
    """Iterate over the texts of each line.

    Parameters
    ----------
    source : str
        A file, ``file.tsv:name`` for a column with this heading, ``file.tsv:2`` for the second
        column of a file without headings, or ``file.jsonl:key`` for the values of a key. A
        carriage return at the end of a line is dropped.

    Yields
    ------
    tuple of str
        One text, or all texts of a list in JSONL.

    Raises
    ------
    InputError
        If the file cannot be read, or a line lacks the column or the key.
    """
    path, kind, column = split_column(source)
    if kind == "tsv":
        yield from _read_tsv(path, str(column))
    elif kind == "jsonl":
        yield from _read_jsonl(path, str(column))
    else:
        for line in read_lines(path):
            yield (line.removesuffix("\r"),)


def read_single_texts(source: str) -> Iterator[str]:
    """Iterate over the lines of a source in which each line has one text.

    Raises
    ------
    InputError
        As for :func:`read_texts`, and if a line of JSONL has a list of several texts.
    """
    for number, texts in enumerate(read_texts(source), 1):
        if len(texts) != 1:
            raise InputError(
                f"{printable(source)}, line {number:,}: expected one text, got {len(texts)}"
            )
        yield texts[0]


def _read_tsv(path: str, column: str) -> Iterator[tuple[str, ...]]:
    index = None if not column.isdecimal() else int(column) - 1
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
