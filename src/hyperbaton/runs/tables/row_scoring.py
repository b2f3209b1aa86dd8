"""Statistics of the rows of a table, and what happens to rows that cannot be scored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import HyperbatonError, InputError, InputTypeError, LocatedError
from hyperbaton.metrics.batches import Batch
from hyperbaton.runs.corpus import KeptBatches, Request
from hyperbaton.runs.engine import ScoredBatch, need_trees, score_batches
from hyperbaton.runs.run import Run
from hyperbaton.runs.tables.arrow import import_pyarrow
from hyperbaton.runs.tables.columns import TableColumns
from hyperbaton.runs.tables.engines import ON_ERROR

if TYPE_CHECKING:
    import pyarrow

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RowOrigin:
    """The origin of segments that are rows of a table.

    Attributes
    ----------
    file : str
        The file, or empty for a table in memory.
    first : int
        The number of the file's first row in the corpus, from 0.
    """

    file: str = ""
    first: int = 0

    def describe(self, segment: int, part: tuple[str, int] | None = None) -> str:
        """Return the file and the number of the row in it, from 1."""
        place = f"{self.file}, row" if self.file else "row"
        return f"{place} {segment - self.first + 1:,}" + (f": {part[0]}" if part else "")


@dataclass(frozen=True)
class ScoredRows:
    """Rows of a table that were scored together.

    Attributes
    ----------
    rows : array
        Their indices in the table.
    scored : ScoredBatch
        Their texts and statistics.
    """

    rows: Ints
    scored: ScoredBatch


@dataclass(frozen=True)
class RowScorer:
    """Scores the rows of tables with the same columns.

    Attributes
    ----------
    columns : TableColumns
        Where the texts are.
    run : Run
        What is computed. Its metrics are fitted.
    on_error : str
        ``raise`` an error for a row that cannot be scored, or leave its values ``null``.
    """

    columns: TableColumns
    run: Run
    on_error: str = "raise"

    def __post_init__(self) -> None:
        if self.on_error not in ON_ERROR:
            raise InputError(
                f"on_error must be one of {', '.join(ON_ERROR)}, got {self.on_error!r}"
            )

    def score(
        self,
        table: pyarrow.Table,
        first: int = 0,
        origin: RowOrigin = RowOrigin(),
    ) -> dict[str, list[ScoredRows]]:
        """Return the scored rows of each system.

        ``first`` is the number of the table's first row in the corpus.
        """
        systems = [name for name, _ in self.columns.systems]
        if not table.num_rows:
            return {name: [] for name in systems}
        all_rows = np.arange(table.num_rows)
        if self.on_error == "raise":
            return self._score_rows(table, all_rows, first, origin, systems)
        table = table.select(self.columns.names)
        scored: dict[str, list[ScoredRows]] = {}
        for name in systems:
            rows = self._without_nulls(table, name)
            scored[name] = list(self._score_valid(table, rows, first, origin, name))
        return scored

    def _score_valid(
        self, table: pyarrow.Table, rows: Ints, first: int, origin: RowOrigin, system: str
    ) -> Iterable[ScoredRows]:
        """Score the rows that can be scored. Halves are tried where some cannot."""
        if not len(rows):
            return
        try:
            part = select_rows(table, rows)
            yield from self._score_rows(part, rows, first, origin, [system])[system]
        except LocatedError:  # other errors, such as a missing parser, concern all rows
            if len(rows) > 1:
                middle = len(rows) // 2
                yield from self._score_valid(table, rows[:middle], first, origin, system)
                yield from self._score_valid(table, rows[middle:], first, origin, system)

    def _score_rows(
        self,
        part: pyarrow.Table,
        rows: Ints,
        first: int,
        origin: RowOrigin,
        systems: Sequence[str],
    ) -> dict[str, list[ScoredRows]]:
        """Score all rows of a table, whose indices in a larger table are ``rows``."""
        try:
            batches = self._read(part, systems, origin)
        except (InputError, InputTypeError) as error:
            raise self._locate(error, part, rows, first, origin, systems) from None
        starts = []
        for batch in batches:
            starts.append(batch.first)
            batch.first = first + int(rows[batch.first])
        by_system: dict[str, list[ScoredRows]] = {name: [] for name in systems}
        computed = score_batches(KeptBatches(batches), self.run)
        for start, scored in zip(starts, computed, strict=True):
            own = rows[start : start + len(scored.batch)]
            by_system[scored.batch.system].append(ScoredRows(own, scored))
        return by_system

    def _read(self, part: pyarrow.Table, systems: Sequence[str], origin: RowOrigin) -> list[Batch]:
        request = Request(self.run.batch_size, trees=need_trees(self.run.metrics.values()))
        return list(self.columns.read(part, systems, origin).batches(request))

    def _locate(
        self,
        error: HyperbatonError,
        part: pyarrow.Table,
        rows: Ints,
        first: int,
        origin: RowOrigin,
        systems: Sequence[str],
    ) -> HyperbatonError:
        """Return the error of the first row that cannot be read."""
        for k in range(part.num_rows):
            try:
                self._read(part.slice(k, 1), systems, origin)
            except (InputError, InputTypeError) as found:
                message = re.sub(r"^(\S+?)\[0\]", r"\1", str(found))
                return LocatedError(f"{origin.describe(first + int(rows[k]))}: {message}")
        return error

    def _without_nulls(self, table: pyarrow.Table, system: str) -> Ints:
        """Return the rows in which no column of the system is null."""
        valid = np.ones(table.num_rows, bool)
        others = {column for name, column in self.columns.systems if name != system}
        for name in self.columns.names:
            column = table.column(name)
            if column.null_count and name not in others - set(self.columns.references):
                valid &= column.is_valid().to_numpy()
        return np.flatnonzero(valid)


def select_rows(table: pyarrow.Table, rows: Ints) -> pyarrow.Table:
    """Return some rows, given in ascending order.

    They are sliced, because ``table.take`` does not know all types, for example string views.
    """
    arrow = import_pyarrow()
    runs = np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1)
    return arrow.concat_tables([table.slice(int(run[0]), len(run)) for run in runs])


def read_row_references(
    table: pyarrow.Table, columns: TableColumns, first: int, origin: RowOrigin, on_error: str
) -> Iterator[_core.Lines]:
    """Yield the references of rows. Halves are tried where some cannot be read.

    With ``on_error`` null, rows whose references cannot be read are left out.
    """
    try:
        yield columns.read_references(table).utf8
    except (InputError, InputTypeError) as error:
        if table.num_rows == 1:
            if on_error == "null":
                return
            raise LocatedError(f"{origin.describe(first)}: {error}") from None
        middle = table.num_rows // 2
        for begin, end in ((0, middle), (middle, table.num_rows)):
            part = table.slice(begin, end - begin)
            yield from read_row_references(part, columns, first + begin, origin, on_error)
