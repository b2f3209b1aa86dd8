"""Scoring of one shard: a pure function from rows of a Parquet file to Parquet files."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.files.output_files import create_unfinished, deferred_signals, remove_token
from hyperbaton.files.parquet import open_parquet, unreadable_file
from hyperbaton.metrics.batches import BATCH_SIZE
from hyperbaton.metrics.metric import Metric
from hyperbaton.runs.engine import PartialScores
from hyperbaton.runs.tables.columns import import_pyarrow, list_array
from hyperbaton.runs.tables.plan import Shard, TablePlan, shard_name
from hyperbaton.runs.tables.scorer import RowOrigin, RowScorer, ScoredRows, score_columns
from hyperbaton.runs.tables.stored_scores import (
    add_digests,
    anchors_column,
    check_same_run,
    digest_references,
    is_shard_name,
    make_footer,
    read_footer,
    statistics_column,
)

if TYPE_CHECKING:
    import pyarrow

READ_ROWS = BATCH_SIZE  # at a time
WRITTEN_ROWS = 60_000  # in a row group of the output, to bound memory
MOST_TRIES = 3  # for a shard whose worker dies


class ShardSummary(NamedTuple):
    """What was done for one shard: its number, its rows, and how many have no scores."""

    shard: int
    rows: int
    skipped: int


def score_shard(plan: TablePlan, index: int, token: str) -> ShardSummary:
    """Score a shard, and write a file for each system.

    Files are written beside their place and renamed, so that a shard exists only if it is complete.
    ``token`` is part of the temporary names.
    """
    shard = plan.shards[index]
    shard.file.check_unchanged()
    scorer = RowScorer(plan.columns, plan.run, plan.on_error)
    origin = RowOrigin(printable(shard.file.path), shard.file.first)
    with contextlib.ExitStack() as files:
        writers = {
            name: files.enter_context(ShardWriter(plan, shard, name, token))
            for name in plan.folders
        }
        for table, first in read_tables(plan, shard):
            for name, scored in scorer.score(table, first, origin).items():
                writers[name].add(table, scored)
        skipped = sum(writer.finish() for writer in writers.values())
        shard.file.check_unchanged()
        for name, folder in plan.folders.items():
            check_other_runs(plan, name, folder)
        # A run that is killed in between leaves a shard for some systems only. The next one scores
        # it again for all of them.
        for writer in writers.values():
            writer.replace(shard_name(index, len(plan.shards)))
    return ShardSummary(index, shard.rows, skipped)


def check_other_runs(plan: TablePlan, system: str, folder: Path) -> None:
    """Raise an error if another run, with other settings, writes to the same folder."""
    column = dict(plan.columns.systems)[system]
    # Any shard will do. To list them all for each shard would take long if there are many.
    with os.scandir(folder) as entries:
        name = next((entry.name for entry in entries if is_shard_name(entry.name)), None)
    if name is not None:
        footer = read_footer(folder / name)
        check_same_run(footer, plan.settings, plan.inputs_digest, system, column)


def remove_unfinished(plan: TablePlan, token: str) -> None:
    """Remove what a worker that died has left."""
    for folder in plan.folders.values():
        remove_token(str(folder), token)


def read_tables(plan: TablePlan, shard: Shard) -> Iterator[tuple[pyarrow.Table, int]]:
    """Read the rows of a shard in small tables, each with the number of its first row."""
    arrow = import_pyarrow()
    parquet = open_parquet(shard.file.path)
    columns = list(dict.fromkeys([*plan.columns.names, *plan.keep]))
    skip, left, first = shard.skip, shard.rows, shard.first
    batches = parquet.iter_batches(READ_ROWS, list(shard.groups), columns)
    while True:
        try:
            batch = next(batches, None)
        except (arrow.ArrowException, OSError) as error:
            raise unreadable_file(shard.file.path, error) from None
        if batch is None:
            raise InputError(f"{printable(shard.file.path)} has fewer rows than its footer says")
        if skip >= batch.num_rows:
            skip -= batch.num_rows
            continue
        batch = batch.slice(skip, left)
        skip, left = 0, left - batch.num_rows
        yield arrow.Table.from_batches([batch]), first
        first += batch.num_rows
        if not left:
            return


class ShardWriter:
    """Writes the scores of one system in a shard."""

    def __init__(self, plan: TablePlan, shard: Shard, system: str, token: str) -> None:
        self._plan = plan
        self._shard = shard
        self._folder = plan.folders[system]
        self._token = token
        self._partial = PartialScores(plan.run.metrics, plan.run.keep, system)
        self._references = (0, 0)
        self._scored_rows = 0
        self._waiting: list[pyarrow.Table] = []
        self._waiting_rows = 0
        self._writer: Any = None
        self._file: BinaryIO | None = None
        self._path: str | None = None

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, *_: object) -> None:
        for opened in (self._writer, self._file):
            if opened is not None:
                with contextlib.suppress(OSError):
                    opened.close()
        if self._path is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._path)

    def add(self, table: pyarrow.Table, scored: Sequence[ScoredRows]) -> None:
        """Add the scores of some rows of the input."""
        for part in scored:
            batch = part.scored.batch
            self._partial.add(batch, part.scored.statistics)
            self._scored_rows += len(part.rows)
            digest = digest_references(batch.references, batch.first)
            self._references = add_digests(self._references, digest)
        count, metrics = table.num_rows, self._plan.run.metrics
        columns = {name: table.column(name) for name in self._plan.keep}
        columns |= score_columns(scored, count, metrics, linked=True, matched=True)
        if self._plan.statistics:
            columns |= statistics_columns(scored, count, metrics)
        self._waiting.append(import_pyarrow().Table.from_arrays([*columns.values()], [*columns]))
        self._waiting_rows += count
        if self._waiting_rows >= WRITTEN_ROWS:
            self._write()

    def finish(self) -> int:
        """Write what is left and the footer. Return the number of rows without scores."""
        self._write()
        skipped = self._shard.rows - self._scored_rows
        footer = make_footer(self._plan, self._shard, self._partial, skipped, self._references)
        with self._named_errors():
            self._writer.add_key_value_metadata(footer)
            self._writer.close()
            assert self._file is not None
            self._file.flush()
            os.fsync(self._file.fileno())
            # Windows cannot rename what is open. Elsewhere, open files hold their locks.
            if os.name == "nt":
                self._file.close()
        return skipped

    def replace(self, name: str) -> None:
        """Give the file its name."""
        assert self._path is not None
        os.replace(self._path, self._folder / name)
        self._path = None

    def _write(self) -> None:
        arrow = import_pyarrow()
        import pyarrow.parquet

        if not self._waiting:
            return
        table = arrow.concat_tables(self._waiting)
        with self._named_errors():
            if self._writer is None:
                with deferred_signals():  # a signal may arrive as soon as the file exists
                    self._path, descriptor = create_unfinished(str(self._folder), token=self._token)
                    self._file = os.fdopen(descriptor, "wb")
                self._writer = pyarrow.parquet.ParquetWriter(
                    self._file, table.schema, compression="zstd", write_page_checksum=True
                )
            self._writer.write_table(table)
        self._waiting, self._waiting_rows = [], 0

    @contextlib.contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Name the folder in errors of writing, which are not always errors of the system."""
        try:
            yield
        except OSError as error:
            full = error.errno == errno.ENOSPC or "No space left" in str(error)
            code = errno.ENOSPC if full else error.errno or errno.EIO
            raise OSError(code, os.strerror(code), str(self._folder)) from None


def statistics_columns(
    scored: Sequence[ScoredRows], count: int, metrics: Mapping[str, Metric]
) -> dict[str, pyarrow.Array]:
    """Return the statistics and anchors of ``count`` rows by each metric: lists of numbers."""
    columns = {}
    for key in metrics:
        lengths, anchor_lengths = np.zeros(count, np.int32), np.zeros(count, np.int32)
        flat: list[npt.NDArray[Any]] = [np.zeros(0)]
        anchors = [np.zeros(0, np.int32)]
        for part in scored:
            statistics = part.scored.statistics[key]
            lengths[part.rows] = statistics.rows.shape[1]
            flat.append(statistics.rows.ravel())
            if statistics.anchors is not None:
                anchor_lengths[part.rows] = np.diff(statistics.anchors.offsets)
                anchors.append(statistics.anchors.values)
        columns[statistics_column(key)] = list_array(np.concatenate(flat), lengths)
        if metrics[key].needs.anchors is not None:
            columns[anchors_column(key)] = list_array(np.concatenate(anchors), anchor_lengths)
    return columns
