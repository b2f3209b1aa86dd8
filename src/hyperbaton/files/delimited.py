"""The cells of TSV and CSV files."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator

from hyperbaton.errors import InputError
from hyperbaton.files.lines import StrPath, printable, read_lines

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
        if separator is None:
            separator = _find_separator(path, first)
        split = _split_tabs if separator == TAB else _split_commas
        yield from split(path, iter([first]))  # a quote that is not closed ends with the first line
        yield from split(path, lines)


def _find_separator(path: StrPath, line: str) -> str:
    if TAB in line:
        return TAB
    if ";" in line and COMMA not in line:
        name = printable(os.fspath(path))
        raise InputError(f"{name} separates columns by ';'; use tabs or commas")
    return COMMA


def _split_tabs(path: StrPath, lines: Iterator[str]) -> Iterator[list[str]]:
    return (line.split(TAB) for line in lines)


def _split_commas(path: StrPath, lines: Iterator[str]) -> Iterator[list[str]]:
    try:
        yield from csv.reader(lines)
    except csv.Error as error:
        raise InputError(f"{printable(os.fspath(path))} is not valid CSV: {error}") from None
