"""What a run over Parquet files has to do: its input, its shards and its settings."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.files.parquet import check_column, expand_pattern, open_parquet
from hyperbaton.runs.run import Run
from hyperbaton.runs.tables.columns import TableColumns

SHARD_ROWS = 50_000  # scored in a second
MOST_PARTS = 10  # of a row group: each part has to skip the rows before it
UNKNOWN_COUNT = 0  # of references, in signatures
UNSAFE = re.compile(r'[/\\:*?"<>|%\x00-\x1f]|^\.+')


@dataclass(frozen=True)
class InputFile:
    """A Parquet file, as it was when the run was planned.

    Attributes
    ----------
    path : str
        The file.
    size, modified : int
        Its size in bytes, and when it was changed, in nanoseconds.
    groups : tuple of int
        The number of rows of each of its row groups.
    first : int
        The number of its first row in the corpus, from 0.
    """

    path: str
    size: int
    modified: int
    groups: tuple[int, ...]
    first: int

    def check_unchanged(self) -> None:
        """Raise an error if the file has changed."""
        try:
            status = os.stat(self.path)
        except OSError as error:
            raise InputError(f"cannot read {printable(self.path)}: {error.strerror}") from None
        if (status.st_size, status.st_mtime_ns) != (self.size, self.modified):
            raise InputError(f"{printable(self.path)} has changed since the run was planned")


@dataclass(frozen=True)
class Shard:
    """Consecutive rows of one file, which are scored at a time.

    Attributes
    ----------
    index : int
        Number of the shard, from 0.
    file : InputFile
        The file.
    groups : tuple of int
        Its row groups to read.
    skip : int
        Number of rows to skip in the first of them.
    rows : int
        Number of rows.
    first : int
        Number of the first row in the corpus.
    """

    index: int
    file: InputFile
    groups: tuple[int, ...]
    skip: int
    rows: int
    first: int

    @property
    def description(self) -> str:
        """The rows, as error messages name them."""
        begin = self.first - self.file.first
        return f"{printable(self.file.path)}, rows {begin + 1:,} to {begin + self.rows:,}"

    def identity(self) -> dict[str, Any]:
        """Return what the shard was made from, for its footer."""
        file = {name: getattr(self.file, name) for name in ("path", "size", "modified")}
        return {**file, "first": self.first, "rows": self.rows}


@dataclass(frozen=True)
class TablePlan:
    """A run over Parquet files: input, output and settings. It can be sent to workers.

    Attributes
    ----------
    shards : tuple of Shard
        What has to be scored.
    columns : TableColumns
        Where the texts are.
    run : Run
        What is computed by each worker.
    keep : tuple of str
        Columns that are copied to the output.
    output : Path
        Folder of the output.
    statistics : bool
        Whether the statistics of each segment are written, for comparisons.
    on_error : str
        What happens with a row that cannot be scored: ``raise`` or ``null``.
    """

    shards: tuple[Shard, ...]
    columns: TableColumns
    run: Run
    keep: tuple[str, ...]
    output: Path
    statistics: bool = True
    on_error: str = "raise"

    @property
    def folders(self) -> dict[str, Path]:
        """The folder of the shards of each system: a folder of its own if there are several."""
        names = [name for name, _ in self.columns.systems]
        if len(names) == 1:
            return {names[0]: self.output}
        return {name: self.output / safe_name(name) for name in names}

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What changes the numbers, or what is written of them, for footers."""
        from hyperbaton import __version__

        columns = asdict(self.columns)
        del columns["systems"]
        settings = {
            "version": __version__,
            "metrics": {key: asdict(metric.resources) for key, metric in self.run.metrics.items()},
            "columns": {key: value for key, value in columns.items() if value is not None},
            "keep": list(self.keep),
            "statistics": self.statistics,
            # They name the versions of other packages. The number of references varies by shard.
            "signatures": {
                key: str(metric.signature(UNKNOWN_COUNT, self.columns.provenance))
                for key, metric in self.run.metrics.items()
            },
        }
        content: dict[str, Any] = json.loads(json.dumps(settings))  # as it is read again
        return content

    @cached_property
    def inputs_digest(self) -> str:
        """A digest of the names of all input files and of how they are split."""
        content = json.dumps([(one.file.path, one.first, one.rows) for one in self.shards])
        return hashlib.sha256(content.encode()).hexdigest()[:32]


def plan_shards(paths: Sequence[str], columns: TableColumns, keep: Sequence[str]) -> list[Shard]:
    """Return the shards of Parquet files, in the order of their rows.

    Parameters
    ----------
    paths : sequence of str
        Files, or patterns such as ``data/*.parquet``.
    columns : TableColumns
        The columns to read. Every file must have them.
    keep : sequence of str
        Columns to copy. They must have the same type in every file.
    """
    names = [name for path in paths for name in expand_pattern(path)]
    if not names:
        raise InputError("no input files were given")
    known: set[str] = set()
    for name in names:
        if os.path.realpath(name) in known:
            raise InputError(f"{printable(name)} is given twice")
        known.add(os.path.realpath(name))
    shards: list[Shard] = []
    first = 0
    first_kept: list[Any] | None = None
    for name in names:
        parquet = open_parquet(name)
        status = os.stat(name)
        schema = parquet.schema_arrow
        columns.check(schema, printable(name))
        kept = [check_column(schema, column, name) for column in keep]
        first_kept = kept if first_kept is None else first_kept
        for field, expected in zip(kept, first_kept, strict=True):
            if field.type != expected.type:
                raise InputError(
                    f"{printable(name)}: column {field.name!r} has the type {field.type}, but in "
                    f"{printable(names[0])} it has {expected.type}"
                )
        metadata = parquet.metadata
        groups = tuple(metadata.row_group(k).num_rows for k in range(metadata.num_row_groups))
        if sum(groups) != metadata.num_rows:
            raise InputError(f"{printable(name)} is a damaged Parquet file: its row counts differ")
        file = InputFile(name, status.st_size, status.st_mtime_ns, groups, first)
        shards += split_file(file, len(shards))
        first += sum(groups)
    if not shards:
        raise InputError(f"{printable(', '.join(paths))}: there are no rows")
    return shards


def split_file(file: InputFile, index: int) -> list[Shard]:
    """Split a file into shards of about ``SHARD_ROWS`` rows; the first is number ``index``.

    Small row groups share a shard, and large ones are split.
    """
    shards: list[Shard] = []
    first = file.first

    def add(groups: tuple[int, ...], skip: int, rows: int) -> None:
        nonlocal first
        shards.append(Shard(index + len(shards), file, groups, skip, rows, first))
        first += rows

    small: list[int] = []  # row groups for the next shard
    small_rows = 0
    for group, rows in enumerate(file.groups):
        if small and small_rows + rows > SHARD_ROWS:
            add(tuple(small), 0, small_rows)
            small, small_rows = [], 0
        if rows > SHARD_ROWS:
            size = max(SHARD_ROWS, -(-rows // MOST_PARTS))
            for skip in range(0, rows, size):
                add((group,), skip, min(size, rows - skip))
        elif rows:
            small.append(group)
            small_rows += rows
    if small:
        add(tuple(small), 0, small_rows)
    return shards


def choose_shards(count: int, part: tuple[int, int]) -> range:
    """Return the shards of part ``k`` of ``n``, counted from 1: consecutive ones, evenly divided.

    >>> [list(choose_shards(5, (k, 3))) for k in (1, 2, 3)]
    [[0], [1, 2], [3, 4]]
    """
    k, n = part
    return range((k - 1) * count // n, k * count // n)


def parse_part(text: str | tuple[int, int], name: str = "shard") -> tuple[int, int]:
    """Return a part such as ``3/64`` as two numbers. Errors call it by ``name``."""
    if isinstance(text, str):
        match = re.fullmatch(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*", text)
        given = tuple(map(int, match.groups())) if match else ()
    else:
        given = text
    match given:
        case (int(k), int(n)) if 1 <= k <= n:
            return k, n
    raise InputError(f"{name} must be K/N with K from 1 to N, such as 3/64, got {text!r}")


def shard_name(index: int, count: int) -> str:
    """Return the file name of a shard.

    >>> shard_name(0, 64)
    '00001-of-00064.parquet'
    """
    return f"{index + 1:05}-of-{count:05}.parquet"


def safe_name(name: str) -> str:
    """Return a name for a folder. Characters that file systems forbid are escaped.

    >>> safe_name("a/b"), safe_name("..")
    ('a%2Fb', '%2E%2E')
    """
    return UNSAFE.sub(lambda found: "".join(f"%{ord(c):02X}" for c in found[0]), name)


def difference_of_settings(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> str | None:
    """Return the first setting that differs, in words; None if all are the same.

    >>> difference_of_settings({"metrics": {"pef": 1}}, {"metrics": {"full": 1}})
    'metrics: full there, pef now'
    >>> difference_of_settings({"pef": {"language": "en"}}, {"pef": {"language": None}})
    'language: none there, en now'
    """
    for key in dict.fromkeys([*mine, *theirs]):
        now, there = mine.get(key), theirs.get(key)
        if isinstance(now, dict) and isinstance(there, dict) and now.keys() == there.keys():
            difference = difference_of_settings(now, there)
            if difference:
                return difference
        elif now != there:
            return f"{key}: {describe_setting(there)} there, {describe_setting(now)} now"
    return None


def describe_setting(value: Any) -> str:
    """Return the value of a setting in words.

    >>> describe_setting(["a", "b"]), describe_setting([]), describe_setting(True)
    ('a, b', 'none', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, dict)):
        value = ", ".join(value)
    return printable(str(value)) if value else "none"
