"""Readers of files with human judgements or with scores of other metrics."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import count

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.files.lines import StrPath, printable, read_lines
from hyperbaton.meta.judgements import Rankings, Scores, system_level_scores
from hyperbaton.meta.tables import SEGMENT, FileTable, SystemIndex, read_table

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
            for name in _split_joined(cells[system_column], index):
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


def _split_joined(name: str, index: SystemIndex) -> list[str]:
    """Split ``a+b``, systems with the same output, unless it is the name of a known system."""
    return [name] if index.is_known(name) else name.split("+")


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
