"""References of Parquet files, for metrics that are fitted on all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hyperbaton import _core
from hyperbaton.files.lines import printable
from hyperbaton.files.parquet import open_parquet, unreadable_file
from hyperbaton.metrics.batches import BATCH_SIZE
from hyperbaton.runs.tables.arrow import import_pyarrow
from hyperbaton.runs.tables.columns import TableColumns
from hyperbaton.runs.tables.plan import InputFile
from hyperbaton.runs.tables.row_scoring import RowOrigin, read_row_references


def read_references(
    files: Sequence[InputFile], columns: TableColumns, on_error: str
) -> Iterator[tuple[list[_core.Lines], int]]:
    """Read the references of all rows, in pieces, each time with the number of their rows.

    With ``on_error`` null, rows whose references cannot be read are left out. They have no scores.
    """
    arrow = import_pyarrow()
    for file in files:
        origin = RowOrigin(printable(file.path))
        first = 0
        try:
            batches = open_parquet(file.path).iter_batches(
                BATCH_SIZE, columns=list(dict.fromkeys(columns.references))
            )
            for batch in batches:
                table = arrow.Table.from_batches([batch])
                parts = read_row_references(table, columns, first, origin, on_error)
                yield list(parts), batch.num_rows
                first += batch.num_rows
        except (arrow.ArrowException, OSError) as error:
            raise unreadable_file(file.path, error) from None
        file.check_unchanged()
