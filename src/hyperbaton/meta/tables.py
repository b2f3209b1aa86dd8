"""Tables in TSV or CSV files, with errors that name the file and the line."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.files.columns import read_cells
from hyperbaton.files.lines import StrPath, printable
from hyperbaton.meta.judgements import SHOWN_UNKNOWN, first_duplicate
from hyperbaton.text.plurals import count_noun

# Columns for the segment; the first counts from 0, the others from 1.
SEGMENT = ("seg_id", "segment", "srcIndex")
MISSING = ("", "none", "nan", "na")
MAX_SEGMENTS = 10_000_000  # arrays have a place for each, and a file may say any number
SHOWN_KNOWN = 3  # known systems that an error message lists


@dataclass(frozen=True)
class FileTable:
    """The contents of a file with a header.

    Attributes
    ----------
    path : str
        The file, as error messages name it.
    columns : tuple of str
        The header.
    rows : tuple of (int, list of str)
        Line number and cells of each row.
    """

    path: str
    columns: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]

    def find_column(self, *names: str) -> int | None:
        """Return the index of the first of these columns that the table has, or None."""
        return next((self.columns.index(name) for name in names if name in self.columns), None)

    def require_column(self, *names: str) -> int:
        """Return the index of the first of these columns; raise InputError if there is none."""
        index = self.find_column(*names)
        if index is None:
            raise InputError(
                f"{self.path} has no column {names[0]!r}; it has {', '.join(self.columns)}"
            )
        return index

    def error(self, line: int, message: str) -> InputError:
        """Return an error that names the file and the line."""
        return InputError(f"{self.path}, line {line:,}: {message}")

    def parse_integer(self, line: int, cells: Sequence[str], column: int) -> int:
        """Return the integer in a column of a row."""
        digits = cells[column].strip()  # int() does not strip all that counts as white space
        if not re.fullmatch(r"[+-]?[0-9]{1,15}", digits):
            got = f"got {printable(cells[column])!r}"
            raise self.error(line, f"{self.columns[column]} must be an integer, {got}")
        return int(digits)

    def parse_segment(
        self, line: int, cells: Sequence[str], column: int | None, n: int | None
    ) -> int:
        """Return the index, from 0, of the segment of a row; 0 without a column.

        There are ``n`` segments if it is known.
        """
        if column is None:
            return 0
        first = 0 if self.columns[column] == SEGMENT[0] else 1
        index = self.parse_integer(line, cells, column) - first
        if index < 0 or (n is not None and index >= n):
            bounds = "" if n is None else f"; segments run from {first} to {first + n - 1:,}"
            raise self.error(line, f"there is no segment {cells[column].strip()}{bounds}")
        if index >= MAX_SEGMENTS:
            raise self.error(line, f"segment {cells[column].strip()} is beyond {MAX_SEGMENTS:,}")
        return index

    def parse_score(self, line: int, cells: Sequence[str], column: int) -> float:
        """Return the number in a column of a row; NaN if it is missing."""
        text = cells[column]
        if text.strip().lower() in MISSING:
            return float("nan")
        try:
            number = float(text)
        except ValueError:
            number = float("inf")
        if not np.isfinite(number):
            name = self.columns[column]
            raise self.error(line, f"{name} must be a number, got {printable(text)!r}")
        return number


def read_table(path: StrPath) -> FileTable:
    """Read a TSV or CSV file, plain or gzipped; the header decides which of the two it is."""
    name = printable(os.fspath(path))
    lines = read_cells(path)
    header = next(lines, None)
    if header is None:
        raise InputError(f"{name} is empty")
    columns = tuple(header)
    duplicate = first_duplicate(columns)
    if duplicate is not None:
        raise InputError(f"{name} has two columns {duplicate!r}")
    rows = []
    for line, cells in enumerate(lines, 2):
        if len(cells) != len(columns):
            raise InputError(
                f"{name}, line {line:,}, has {count_noun(len(cells), 'column')}, but "
                f"the first line has {len(columns)}"
            )
        rows.append((line, cells))
    if not rows:
        raise InputError(f"{name} has a header but no rows")
    return FileTable(name, columns, tuple(rows))


def strip_text_suffix(name: str) -> str:
    """Return the name of the system whose text is in this file.

    >>> strip_text_suffix("A.txt.gz"), strip_text_suffix("B")
    ('A', 'B')
    """
    return name.removesuffix(".gz").removesuffix(".txt")


class SystemIndex:
    """Indices of the systems that a table names.

    If the systems are known, all others are collected, so that one error can report them all.
    Otherwise systems are indexed in the order in which they occur.

    Parameters
    ----------
    table : FileTable
    known : sequence of str, optional
        The known systems.
    """

    def __init__(self, table: FileTable, known: Sequence[str] | None) -> None:
        self.indices = {name: k for k, name in enumerate(known or ())}
        self._closed = known is not None
        self._table = table
        self._unknown: dict[str, list[int]] = {}  # the lines that name it

    @property
    def names(self) -> tuple[str, ...]:
        """The systems in the order of their indices."""
        return tuple(self.indices)

    def is_known(self, name: str) -> bool:
        """Whether this is one of the known systems, perhaps with the suffix of its file."""
        return self._closed and self.canonical_name(name) in self.indices

    def canonical_name(self, name: str) -> str:
        """Return the name of a system; without .txt if it is known only by that name."""
        stem = strip_text_suffix(name)
        return stem if self._closed and name not in self.indices and stem in self.indices else name

    def index(self, line: int, name: str) -> int:
        """Return the index of a system; an unknown system gets a negative index."""
        name = self.canonical_name(name)
        if self._closed and name not in self.indices:
            self._unknown.setdefault(name, []).append(line)
            return -1 - list(self._unknown).index(name)
        return self.indices.setdefault(name, len(self.indices))

    def check_all_known(self) -> None:
        """Raise InputError if the table named unknown systems."""
        if not self._unknown:
            return
        shown = ", ".join(
            f"{printable(name)!r} (line {lines[0]:,}, {count_noun(len(lines), 'time')})"
            for name, lines in list(self._unknown.items())[:SHOWN_UNKNOWN]
        )
        count = len(self._unknown)
        rest = f" and {count - SHOWN_UNKNOWN:,} more" if count > SHOWN_UNKNOWN else ""
        known = ", ".join(printable(name) for name in self.names[:SHOWN_KNOWN])
        raise InputError(
            f"{self._table.path} names {count_noun(count, 'unknown system')}: "
            f"{shown}{rest}; known systems: {known}{', …' * (len(self.indices) > SHOWN_KNOWN)}"
        )
