"""Readers of files with human judgements or with scores of other metrics."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.files.columns import read_cells
from hyperbaton.files.lines import StrPath, printable, read_lines
from hyperbaton.meta.judgements import (
    SHOWN_UNKNOWN,
    Rankings,
    Scores,
    first_duplicate,
    system_level_scores,
)
from hyperbaton.text.plurals import count_noun

# Columns for the segment; the first counts from 0, the others from 1.
SEGMENT = ("seg_id", "segment", "srcIndex")
MISSING = ("", "none", "nan", "na")
MAX_SEGMENTS = 10_000_000  # arrays have a place for each, and a file may say any number
SHOWN_KNOWN = 3  # known systems that an error message lists
JUDGE = ("judge", "judgeId", "judgeID")
RANKING = ("ranking_id", "rankingID", "rankingId")
LANGUAGES = ("srclang", "trglang")
NO_RANK = -1  # WMT's mark for a system that the judge did not rank


def read_judgements(
    path: StrPath,
    systems: Sequence[str] | None = None,
    n: int | None = None,
    *,
    standardize: bool = False,
) -> Rankings | Scores:
    """Read human judgements; the header of the file decides of which kind they are.

    * ``seg_id, system1, rank1, system2, rank2, …``: one row per ranking, as in the files of WMT
      (there ``srcIndex``, counted from 1, and ``system1Id``, ``system1rank``);
    * ``ranking_id, seg_id, system, rank``: one row per system; ``a+b`` are two systems with the
      same output;
    * ``seg_id, better, worse``: one row per preference, with an optional column ``n`` that says
      how often it was stated;
    * scores in a column ``score``, as in :func:`read_score_table`.

    The columns ``judge`` and ``ranking_id`` are used if present.

    Parameters
    ----------
    path : path-like
    systems : sequence of str, optional
        The known systems; others raise an error. By default, those in the file.
    n : int, optional
        Number of segments. By default, the last segment in the file decides.
    standardize : bool
        As for :func:`read_score_table`.

    Raises
    ------
    InputError
        If the file is invalid; the message names the line.
    """
    table = read_table(path)
    if table.find_column("score") is not None:
        return _parse_scores(table, systems, n, standardize)["score"]
    _check_one_language_pair(table)
    index = SystemIndex(table, systems)
    if table.find_column("better") is not None:
        return _parse_preferences(table, index, n)
    return _parse_ranks(table, index, n)


def read_score_table(
    path: StrPath,
    systems: Sequence[str] | None = None,
    n: int | None = None,
    *,
    standardize: bool = False,
) -> dict[str, Scores]:
    """Read scores of segments or of whole systems; the header of the file decides which.

    ``system, seg_id, score`` are scores of segments, and ``system, score`` are scores of systems.
    Each column of numbers is one metric, so that output of ``hyperbaton score --segments``
    (``segment, system, …`` with segments counted from 1) can be read, too.

    Parameters
    ----------
    path : path-like
    systems : sequence of str, optional
        The known systems; others raise an error. By default, those in the file.
    n : int, optional
        Number of segments. By default, the last segment in the file decides.
    standardize : bool
        If there is a column ``judge``, the scores of several judges are averaged. With
        ``standardize``, those of each judge are first scaled to mean 0 and variance 1.

    Returns
    -------
    dict of str to Scores
        By the name of the column.

    Raises
    ------
    InputError
        If the file is invalid; the message names the line.
    """
    return _parse_scores(read_table(path), systems, n, standardize)


def read_external_scores(path: StrPath, systems: Sequence[str], n: int) -> dict[str, Scores]:
    """Read scores of other metrics, named by their columns.

    If the only column is ``score``, the metric gets the name of the file.
    """
    scores = read_score_table(path, systems, n)
    if list(scores) == ["score"]:
        name = os.path.basename(os.fspath(path)).removesuffix(".gz")
        name = name.removesuffix(".tsv").removesuffix(".csv")
        return {name: scores["score"]}
    return scores


def read_score_file(
    path: StrPath, systems: Sequence[str], n: int, left_out: Sequence[str] = ()
) -> Scores:
    """Read a score file of mt-metrics-eval: a system and a number on each line, no header.

    Each system has one line per segment, in order, or one line for the whole system. ``None``
    stands for a missing score.

    Parameters
    ----------
    path : path-like
    systems : sequence of str
        The systems to read.
    n : int
        Number of segments.
    left_out : sequence of str
        Systems that may be in the file but are ignored; all others raise an error.
    """
    name = printable(os.fspath(path))
    table = FileTable(name, ("system", "score"), ())
    index = SystemIndex(table, [*systems, *left_out])
    numbers: dict[str, list[float]] = {}
    for line, text in enumerate(read_lines(path), 1):
        cells = text.split()
        if len(cells) != 2:
            raise table.error(line, f"expected a system and a score, got {len(cells)} words")
        index.index(line, cells[0])
        score = table.parse_score(line, cells, 1)
        numbers.setdefault(index.canonical_name(cells[0]), []).append(score)
    index.check_all_known()
    segments = np.full((len(systems), n), np.nan)
    rows = {system: numbers[system] for system in systems if system in numbers}
    for system, row in rows.items():
        if len(row) not in (1, n):
            raise InputError(
                f"{name} has {len(row):,} scores of {printable(system)}, but there are "
                f"{n:,} segments"
            )
        segments[systems.index(system)] = row
    if n != 1 and all(len(row) == 1 for row in rows.values()):
        return system_level_scores(systems, segments[:, 0], n)
    return Scores(tuple(systems), segments)


def _check_one_language_pair(table: FileTable) -> None:
    """Refuse rankings of several language pairs, whose segments cannot be told apart."""
    columns = [k for k in map(table.find_column, LANGUAGES) if k is not None]
    pairs = sorted({"-".join(cells[k] for k in columns) for _, cells in table.rows})
    if len(pairs) > 1:
        raise InputError(
            f"{table.path} has rankings of {len(pairs)} language pairs "
            f"({', '.join(pairs[:5])}{', …' * (len(pairs) > 5)}); use one file per pair"
        )


def _parse_preferences(table: FileTable, index: SystemIndex, n: int | None) -> Rankings:
    segment_column = table.require_column(*SEGMENT)
    better_column, worse_column = table.require_column("better"), table.require_column("worse")
    count_column, judge_column = table.find_column("n"), table.find_column(*JUDGE)
    judges: dict[str, int] = {}
    first_lines: dict[tuple[int, ...], int] = {}
    rows: list[tuple[int, int, int, int, int]] = []
    for line, cells in table.rows:
        segment = table.parse_segment(line, cells, segment_column, n)
        better, worse = (index.index(line, cells[k]) for k in (better_column, worse_column))
        if better == worse:
            name = printable(cells[better_column])
            raise table.error(line, f"{name!r} cannot be better than itself")
        times = 1 if count_column is None else table.parse_integer(line, cells, count_column)
        if times < 1:
            raise table.error(line, f"n must be at least 1, got {times}")
        judge = _judge_index(judges, cells, judge_column)
        row = (segment, better, worse, judge)
        if count_column is not None and first_lines.setdefault(row, line) != line:
            raise table.error(
                line, f"the same pair already has a count on line {first_lines[row]:,}"
            )
        rows.append((*row, times))
    index.check_all_known()
    segments, winners, losers, judge_indices, counts = np.array(rows, np.int64).T
    return Rankings.from_pairs(
        index.names,
        segments,
        winners,
        losers,
        int(segments.max()) + 1 if n is None else n,
        count=counts,
        judge=judge_indices,
        judges=tuple(judges),
    )


def _parse_ranks(table: FileTable, index: SystemIndex, n: int | None) -> Rankings:
    segment_column = table.require_column(*SEGMENT)
    judge_column = table.find_column(*JUDGE)
    rank_columns = _rank_columns(table)
    # In files with one row per ranking, ids may repeat, so that each line is a ranking.
    one_by_line = table.find_column("system") is None
    ranking_column = None if one_by_line else table.require_column(*RANKING)
    judges: dict[str, int] = {}
    rankings: dict[str, int] = {}
    segments: dict[int, int] = {}  # the segment of each ranking
    ranked: set[tuple[int, int]] = set()
    entries: list[tuple[int, ...]] = []
    for line, cells in table.rows:
        segment = table.parse_segment(line, cells, segment_column, n)
        key = str(line) if ranking_column is None else cells[ranking_column]
        ranking = rankings.setdefault(key, len(rankings))
        if segments.setdefault(ranking, segment) != segment:
            raise table.error(line, "all rows of a ranking must have the same segment")
        judge = _judge_index(judges, cells, judge_column)
        for system_column, rank_column in rank_columns:
            if not cells[system_column].strip():
                continue
            rank = table.parse_integer(line, cells, rank_column)
            if rank == NO_RANK:
                continue
            if rank < 1:
                name = table.columns[rank_column]
                raise table.error(line, f"{name} must be at least 1, got {rank}")
            output = len(entries)
            # Systems with the same output are joined, unless it is the name of a known system.
            joined = cells[system_column]
            for name in [joined] if index.is_known(joined) else joined.split("+"):
                system = index.index(line, name)
                if (ranking, system) in ranked:
                    raise table.error(line, f"{printable(name)!r} occurs twice in the ranking")
                ranked.add((ranking, system))
                entries.append((ranking, system, rank, segment, judge, output))
    index.check_all_known()
    if not entries:
        raise InputError(f"{table.path} has no ranks")
    ranking_, system_, rank_, segment_, judge_, output_ = np.array(entries, np.int64).T
    return Rankings.from_ranks(
        index.names,
        ranking_,
        system_,
        rank_,
        int(segment_.max()) + 1 if n is None else n,
        segment=segment_,
        judge=judge_,
        judges=tuple(judges),
        output=output_,
    )


def _rank_columns(table: FileTable) -> list[tuple[int, int]]:
    """Return the columns of systems, each with the column of its ranks."""
    if table.find_column("system") is not None:
        return [(table.require_column("system"), table.require_column("rank"))]
    columns = []
    for k in count(1):
        system = table.find_column(f"system{k}", f"system{k}Id")
        if system is None:
            break
        columns.append((system, table.require_column(f"rank{k}", f"system{k}rank")))
    if not columns:
        raise InputError(
            f"{table.path} has no ranks (system1, rank1, …) or preferences (better, worse); "
            f"it has {', '.join(table.columns)}"
        )
    return columns


def _judge_index(judges: dict[str, int], cells: Sequence[str], column: int | None) -> int:
    """Return the index of the judge of a row; without a column, all rows have the same judge."""
    return judges.setdefault("" if column is None else cells[column], len(judges))


def _parse_scores(
    table: FileTable, systems: Sequence[str] | None, n: int | None, standardize: bool
) -> dict[str, Scores]:
    system_column = table.require_column("system")
    segment_column, judge_column = table.find_column(*SEGMENT), table.find_column(*JUDGE)
    other_columns = {system_column, segment_column, judge_column, table.find_column("n")}
    score_columns = [k for k in range(len(table.columns)) if k not in other_columns]
    if not score_columns:
        raise InputError(f"{table.path} has no scores; it has {', '.join(table.columns)}")
    index = SystemIndex(table, systems)
    judges: dict[str, int] = {}
    first_lines: dict[tuple[int, int, int], int] = {}
    keys, rows = [], []
    for line, cells in table.rows:
        system = index.index(line, cells[system_column])
        segment = table.parse_segment(line, cells, segment_column, n)
        key = (system, segment, _judge_index(judges, cells, judge_column))
        if first_lines.setdefault(key, line) != line:
            what = printable(cells[system_column])
            if segment_column is not None:
                what += f", segment {cells[segment_column]}"
            if judge_column is not None:
                what += f", judge {printable(cells[judge_column])}"
            raise table.error(line, f"a second score of {what}; see line {first_lines[key]:,}")
        keys.append(key)
        rows.append([table.parse_score(line, cells, k) for k in score_columns])
    index.check_all_known()
    system_, segment_, judge_ = np.array(keys, np.int64).T
    numbers = np.array(rows)
    scores = {}
    for k, column in enumerate(score_columns):
        name = table.columns[column]
        scored = ~np.isnan(numbers[:, k])
        if segment_column is None:
            system_scores = np.full(len(index.names), np.nan)
            system_scores[system_[scored]] = numbers[scored, k]
            scores[name] = system_level_scores(index.names, system_scores, n or 0)
            continue
        scores[name] = Scores.from_records(
            index.names,
            system_[scored],
            segment_[scored],
            numbers[scored, k],
            int(segment_.max()) + 1 if n is None else n,
            judge=judge_[scored],
            standardize=standardize,
        )
    return scores


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
