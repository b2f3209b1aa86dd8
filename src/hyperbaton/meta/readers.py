"""Files of human judgements, and of scores of other metrics."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import count

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.meta.judgements import Floats, Rankings, Scores
from hyperbaton.meta.tables import SEGMENT, Names, Table, read_table
from hyperbaton.text.lines import StrPath, printable, read_lines

JUDGE = ("judge", "judgeId", "judgeID")
RANKING = ("ranking_id", "rankingID", "rankingId")
PAIR = ("srclang", "trglang")
NO_RANK = -1  # what WMT has where a judge gave none


def read_rankings(
    path: StrPath, systems: Sequence[str] | None = None, n: int | None = None
) -> Rankings:
    """Rankings or preferences, by the headings of the file.

    * ``seg_id, system1, rank1, system2, rank2, …``: a row for each ranking, as WMT has them (there
      ``srcIndex``, from 1, and ``system1Id``, ``system1rank``);
    * ``ranking_id, seg_id, system, rank``: a row for each system; ``a+b`` had the same output;
    * ``seg_id, better, worse`` and perhaps ``n``, how often: preferences.

    Columns ``judge`` and ``ranking_id`` are used if they are there. ``systems`` and ``n``, the
    number of segments, say what is known: all else is refused.
    """
    return _rankings(read_table(path), systems, n)


def _rankings(table: Table, systems: Sequence[str] | None, n: int | None) -> Rankings:
    _one_pair(table)
    names = Names(table, systems)
    if table.column("better") is not None:
        return _preferences(table, names, n)
    return _ranks(table, names, n)


def _preferences(table: Table, names: Names, n: int | None) -> Rankings:
    at = [table.needed(*one) for one in (SEGMENT, ("better",), ("worse",))]
    times, judge = table.column("n"), table.column(*JUDGE)
    judges: dict[str, int] = {}
    seen: dict[tuple[int, ...], int] = {}
    rows: list[tuple[int, int, int, int, int]] = []
    for line, cells in table.rows:
        segment = table.segment(line, cells[at[0]], at[0], n)
        better, worse = (names.number(line, cells[k]) for k in at[1:])
        if better == worse:
            raise table.fail(line, f"{printable(cells[at[1]])!r} is better than itself")
        often = 1 if times is None else table.integer(line, cells[times], times)
        if often < 1:
            raise table.fail(line, f"n is {often}, but it must be at least 1")
        by = _judge(judges, cells, judge)
        row = (segment, better, worse, by)
        if times is not None and seen.setdefault(row, line) != line:
            raise table.fail(line, f"the same pair is on line {seen[row]:,}, with its own n")
        rows.append((*row, often))
    names.refuse_strangers()
    segments, better_, worse_, by_, counts = np.array(rows, np.int64).T
    return Rankings.from_pairs(
        tuple(names.numbers),
        segments,
        better_,
        worse_,
        int(segments.max()) + 1 if n is None else n,
        count=counts,
        judge=by_,
        judges=tuple(judges),
    )


def _ranks(table: Table, names: Names, n: int | None) -> Rankings:
    at = table.needed(*SEGMENT)
    own, judge = table.column(*RANKING), table.column(*JUDGE)
    places = _places(table)
    by_row = table.column("system") is None
    if not by_row and own is None:
        table.needed(*RANKING)
    judges: dict[str, int] = {}
    rankings: dict[str, int] = {}
    seen: set[tuple[int, int]] = set()
    where: dict[int, int] = {}
    entries: list[tuple[int, ...]] = []
    for line, cells in table.rows:
        segment = table.segment(line, cells[at], at, n)
        called = str(line) if by_row or own is None else cells[own]
        ranking = rankings.setdefault(called, len(rankings))
        if where.setdefault(ranking, segment) != segment:
            raise table.fail(line, "a ranking is of one segment, but this is of another")
        by = _judge(judges, cells, judge)
        for system, rank in places:
            if not cells[system].strip():
                continue
            place = table.integer(line, cells[rank], rank)
            if place == NO_RANK:
                continue
            if place < 1:
                raise table.fail(line, f"{table.columns[rank]} is {place}, but 1 is the best")
            output = len(entries)
            for name in _joined(cells[system], names):
                number = names.number(line, name)
                if (ranking, number) in seen:
                    raise table.fail(line, f"{printable(name)!r} is in the ranking twice")
                seen.add((ranking, number))
                entries.append((ranking, number, place, segment, by, output))
    names.refuse_strangers()
    if not entries:
        raise InputError(f"{table.path} has no ranks")
    ranking_, system_, rank_, segment_, by_, output_ = np.array(entries, np.int64).T
    return Rankings.from_ranks(
        tuple(names.numbers),
        ranking_,
        system_,
        rank_,
        int(segment_.max()) + 1 if n is None else n,
        segment=segment_,
        judge=by_,
        judges=tuple(judges),
        output=output_,
    )


def _judge(judges: dict[str, int], cells: Sequence[str], column: int | None) -> int:
    """The number of the judge of a row; without a column there is one for all."""
    return judges.setdefault("" if column is None else cells[column], len(judges))


def _places(table: Table) -> list[tuple[int, int]]:
    """The columns of systems, and of their ranks."""
    if table.column("system") is not None:
        return [(table.needed("system"), table.needed("rank"))]
    found = []
    for k in count(1):
        system = table.column(f"system{k}", f"system{k}Id")
        if system is None:
            break
        found.append((system, table.needed(f"rank{k}", f"system{k}rank")))
    if not found:
        raise InputError(
            f"{table.path} has neither systems and ranks nor better and worse; it has "
            f"{', '.join(table.columns)}"
        )
    return found


def _joined(name: str, names: Names) -> list[str]:
    """Systems with the same output, which were shown as one; a known name is one, + and all."""
    return [name] if names.closed and names.known(name) in names.numbers else name.split("+")


def _one_pair(table: Table) -> None:
    """A file of WMT's may be of several language pairs, which are not told apart by segments."""
    at = [k for k in map(table.column, PAIR) if k is not None]
    pairs = sorted({"-".join(cells[k] for k in at) for _, cells in table.rows})
    if len(pairs) > 1:
        raise InputError(
            f"{table.path} has rankings of {len(pairs)} language pairs, {', '.join(pairs[:5])}: "
            "make it a file for each"
        )


def read_scores(
    path: StrPath,
    systems: Sequence[str] | None = None,
    n: int | None = None,
    *,
    standardize: bool = False,
) -> dict[str, Scores]:
    """Scores of segments or of whole systems, by the headings of the file.

    ``system, seg_id, score`` are of segments (and so is ``segment, system, …`` with as many
    columns as there are metrics, as ``hyperbaton score --segments`` writes it, where segments are
    counted from 1); ``system, score`` are of systems. Each column of numbers is a metric. Where
    there is a column ``judge``, scores of several judges are averaged, and made alike first with
    ``standardize``.
    """
    return _scores(read_table(path), systems, n, standardize)


def _scores(
    table: Table, systems: Sequence[str] | None, n: int | None, standardize: bool
) -> dict[str, Scores]:
    at = table.needed("system")
    segment, judge = table.column(*SEGMENT), table.column(*JUDGE)
    others = {at, segment, judge, table.column("n")}
    columns = [k for k in range(len(table.columns)) if k not in others]
    if not columns:
        raise InputError(f"{table.path} has no scores; it has {', '.join(table.columns)}")
    names = Names(table, systems)
    judges: dict[str, int] = {}
    seen: dict[tuple[int, int, int], int] = {}
    rows, values = [], []
    for line, cells in table.rows:
        number = names.number(line, cells[at])
        place = 0 if segment is None else table.segment(line, cells[segment], segment, n)
        by = _judge(judges, cells, judge)
        row = (number, place, by)
        if seen.setdefault(row, line) != line:
            of = "" if segment is None else f", segment {cells[segment]}"
            who = "" if judge is None else f", judge {printable(cells[judge])}"
            raise table.fail(
                line, f"a second score of {printable(cells[at])}{of}{who}; see line {seen[row]:,}"
            )
        rows.append(row)
        values.append([table.score(line, cells[k], k) for k in columns])
    names.refuse_strangers()
    system_, segment_, judge_ = np.array(rows, np.int64).T
    numbers = np.array(values)
    size = 0 if segment is None else int(segment_.max()) + 1
    found = {}
    for k, column in enumerate(columns):
        there = ~np.isnan(numbers[:, k])
        own = (system_[there], segment_[there], numbers[there, k])
        if segment is None:
            found[table.columns[column]] = _of_systems(tuple(names.numbers), own[0], own[2], n or 0)
            continue
        found[table.columns[column]] = Scores.from_records(
            tuple(names.numbers),
            *own,
            size if n is None else n,
            judge=judge_[there],
            standardize=standardize,
        )
    return found


def _of_systems(
    names: tuple[str, ...], system: Sequence[int] | Floats, score: Floats, n: int
) -> Scores:
    whole = np.full(len(names), np.nan)
    whole[np.asarray(system, np.int64)] = score
    return Scores(names, np.full((len(names), n), np.nan), whole)


def read_score_file(
    path: StrPath, systems: Sequence[str], n: int, left_out: Sequence[str] = ()
) -> Scores:
    """A file of mt-metrics-eval: a system and a number on each line, without headings.

    There are as many lines of a system as segments, in their order, or one for the whole system.
    ``None`` is no score. Systems to be ``left_out`` are so, and others must be known.
    """
    name = printable(os.fspath(path))
    table = Table(name, ("system", "score"), ())
    names = Names(table, [*systems, *left_out])
    found: dict[str, list[float]] = {}
    for number, line in enumerate(read_lines(path), 1):
        cells = line.split()
        if len(cells) != 2:
            raise InputError(f"{name}, line {number:,}, has {len(cells)} words, not 2")
        names.number(number, cells[0])
        found.setdefault(names.known(cells[0]), []).append(table.score(number, cells[1], 1))
    names.refuse_strangers()
    known = {system: found[system] for system in systems if system in found}
    for system, numbers in known.items():
        if len(numbers) not in (1, n):
            raise InputError(
                f"{name} has {len(numbers):,} scores of {printable(system)}, but there are "
                f"{n:,} segments"
            )
    if n != 1 and all(len(numbers) == 1 for numbers in known.values()):
        own = [systems.index(system) for system in known]
        return _of_systems(tuple(systems), own, np.array([v[0] for v in known.values()]), n)
    segments = np.full((len(systems), n), np.nan)
    for system, numbers in known.items():
        segments[systems.index(system)] = numbers
    return Scores(tuple(systems), segments)


def read_judgements(
    path: StrPath,
    systems: Sequence[str] | None = None,
    n: int | None = None,
    *,
    standardize: bool = False,
) -> Rankings | Scores:
    """Human judgements of any kind that ``read_rankings`` and ``read_scores`` know."""
    table = read_table(path)
    if table.column("score") is None:
        return _rankings(table, systems, n)
    return _scores(table, systems, n, standardize)["score"]
