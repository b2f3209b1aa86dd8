"""Files with headings, read such that what is wrong with them can be told."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.text.lines import StrPath, printable, read_lines

# Names of columns; a segment is counted from 0 in the first, from 1 in the others.
SEGMENT = ("seg_id", "segment", "srcIndex")
MISSING = ("", "none", "nan", "na")


@dataclass(frozen=True)
class Table:
    """A file with headings: columns, and its rows with the numbers of their lines."""

    path: str
    columns: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]

    def column(self, *names: str) -> int | None:
        """The place of the first of these columns that there is."""
        return next((self.columns.index(name) for name in names if name in self.columns), None)

    def needed(self, *names: str) -> int:
        """The place of a column that must be there."""
        at = self.column(*names)
        if at is None:
            raise InputError(
                f"{self.path} has no column {names[0]!r}; it has {', '.join(self.columns)}"
            )
        return at

    def fail(self, line: int, why: str) -> InputError:
        """An error that says where."""
        return InputError(f"{self.path}, line {line:,}: {why}")

    def integer(self, line: int, text: str, column: int) -> int:
        """A whole number of a cell."""
        if not re.fullmatch(r"[+-]?[0-9]{1,15}", text.strip()):
            name = self.columns[column]
            raise self.fail(line, f"{name} is a whole number, not {printable(text)!r}")
        return int(text)

    def segment(self, line: int, text: str, column: int, n: int | None) -> int:
        """The number of a segment, from 0, of which there are ``n``."""
        first = 0 if self.columns[column] == SEGMENT[0] else 1
        number = self.integer(line, text, column) - first
        if number < 0 or (n is not None and number >= n):
            known = f": there are {n:,}, counted from {first}" if n is not None else ""
            raise self.fail(line, f"there is no segment {text.strip()}{known}")
        return number

    def score(self, line: int, text: str, column: int) -> float:
        """A number of a cell; NaN where there is none."""
        if text.strip().lower() in MISSING:
            return float("nan")
        try:
            number = float(text)
        except ValueError:
            number = float("inf")
        if not np.isfinite(number):
            name = self.columns[column]
            raise self.fail(line, f"{name} is a number, not {printable(text)!r}")
        return number


def read_table(path: StrPath) -> Table:
    """A TSV or CSV file, whichever its headings are; plain or gzipped."""
    name = printable(os.fspath(path))
    lines = (line.removesuffix("\r") for line in read_lines(path))
    head = next(lines, None)
    if head is None:
        raise InputError(f"{name} is empty")

    def cells(texts: Iterator[str]) -> Iterator[list[str]]:
        return (one.split("\t") for one in texts) if "\t" in head else csv.reader(texts)

    if ";" in head and "\t" not in head and "," not in head:
        raise InputError(f"{name} has columns with ; between them: make that tabs or commas")
    columns = tuple(next(cells(iter([head]))))
    if len(set(columns)) < len(columns):
        twice = next(one for one in columns if columns.count(one) > 1)
        raise InputError(f"{name} has two columns {twice!r}")
    rows = []
    for number, row in zip(count(2), cells(lines), strict=False):
        if len(row) != len(columns):
            raise InputError(
                f"{name}, line {number:,}, has {len(row)} column{'s' * (len(row) != 1)}, but "
                f"the first line has {len(columns)}"
            )
        rows.append((number, row))
    if not rows:
        raise InputError(f"{name} has headings, but nothing below them")
    return Table(name, columns, tuple(rows))


def bare(name: str) -> str:
    """What a system is called whose text is a file.

    >>> bare("A.txt.gz"), bare("B")
    ('A', 'B')
    """
    return name.removesuffix(".gz").removesuffix(".txt")


class Names:
    """The numbers of systems: of those that are known, or else as they come.

    Those that are not known are counted first, and told all at once.
    """

    def __init__(self, table: Table, known: Sequence[str] | None) -> None:
        self.numbers = {name: k for k, name in enumerate(known or ())}
        self.closed = known is not None
        self._table = table
        self._strangers: dict[str, tuple[int, int]] = {}

    def known(self, name: str) -> str:
        """What a system is called here: without .txt, if only so it is known."""
        unknown = self.closed and name not in self.numbers
        return bare(name) if unknown and bare(name) in self.numbers else name

    def number(self, line: int, name: str) -> int:
        """The number of a system; one that is not known gets one, too, for now."""
        name = self.known(name)
        if self.closed and name not in self.numbers:
            first, times = self._strangers.get(name, (line, 0))
            self._strangers[name] = (first, times + 1)
            return -1 - list(self._strangers).index(name)
        return self.numbers.setdefault(name, len(self.numbers))

    def refuse_strangers(self) -> None:
        """If there are any, say who, where first, and how often."""
        if self._strangers:
            listed = ", ".join(
                f"{printable(name)!r} (line {line:,}, {times:,} time{'s' * (times > 1)})"
                for name, (line, times) in list(self._strangers.items())[:5]
            )
            many = len(self._strangers)
            more = f" and {many - 5:,} more" if many > 5 else ""
            known = ", ".join(printable(name) for name in list(self.numbers)[:3])
            raise InputError(
                f"{self._table.path} names {many} unknown system{'s' * (many > 1)}: "
                f"{listed}{more}; there are {known}{', …' * (len(self.numbers) > 3)}"
            )
