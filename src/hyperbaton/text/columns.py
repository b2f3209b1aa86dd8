"""Texts to be read side by side: whole files, or columns of TSV and JSONL files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

from hyperbaton.errors import InputError
from hyperbaton.text.lines import read_lines

COLUMN = re.compile(r"(?P<path>.+?\.(?P<kind>tsv|jsonl)(?:\.gz)?):(?P<column>[^/\\]+)", re.I)


def split_column(source: str) -> tuple[str, str, str | None]:
    """A path, its kind, and the column that is meant.

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
    r"""The texts of each line: one, or of a list in JSONL all that it has.

    ``file.tsv:name`` is the column that the first line calls so, ``file.tsv:2`` the second one of
    a file without headings; ``file.jsonl:key`` is what each line has under that key. A carriage
    return at the end of a line is dropped.
    """
    path, kind, column = split_column(source)
    if kind == "tsv":
        yield from _tsv(path, str(column))
    elif kind == "jsonl":
        yield from _jsonl(path, str(column))
    else:
        for line in read_lines(path):
            yield (line.removesuffix("\r"),)


def _tsv(path: str, column: str) -> Iterator[tuple[str, ...]]:
    at = None if not column.isdecimal() else int(column) - 1
    if at == -1:
        raise InputError(f"{path}: columns are counted from 1, not from 0")
    for number, line in enumerate(read_lines(path), 1):
        cells = line.removesuffix("\r").split("\t")
        if at is None:
            if column not in cells:
                raise InputError(f"{path} has no column {column!r}; it has {', '.join(cells)}")
            if cells.count(column) > 1:
                raise InputError(f"{path} has {cells.count(column)} columns {column!r}")
            at = cells.index(column)
            continue
        if at >= len(cells):
            count = f"{len(cells)} column{'s' * (len(cells) > 1)}"
            raise InputError(
                f"{path}, line {number:,}, has {count}, but column {at + 1} is asked for"
            )
        yield (cells[at],)


def _jsonl(path: str, key: str) -> Iterator[tuple[str, ...]]:
    for number, line in enumerate(read_lines(path), 1):
        where = f"{path}, line {number:,},"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{where} is not JSON: {error}") from None
        if not isinstance(row, dict) or key not in row:
            raise InputError(f"{where} has no {key!r}")
        found = row[key]
        texts = found if isinstance(found, list) else [found]
        if not texts or not all(isinstance(text, str) for text in texts):
            raise InputError(f"{where} has no text, or list of texts, under {key!r}")
        for text in texts:
            if "\0" in text:
                raise InputError(f"{where} has a NUL character under {key!r}")
            if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
                raise InputError(f"{where} has half a character (a surrogate) under {key!r}")
        yield tuple(texts)
