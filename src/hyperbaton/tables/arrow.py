"""Arrow tables from whatever offers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hyperbaton.errors import InputTypeError, MissingData

if TYPE_CHECKING:
    import pyarrow


def import_pyarrow() -> Any:
    """Return the module ``pyarrow``."""
    try:
        import pyarrow
    except ImportError:
        raise MissingData("tables need pyarrow: pip install 'hyperbaton[table]'") from None
    return pyarrow


def as_table(given: Any) -> pyarrow.Table:
    """Return an Arrow table from any object with Arrow's PyCapsule interface.

    Such are tables and record batches of pyarrow, data frames of pandas and Polars, and relations
    of DuckDB.
    """
    arrow = import_pyarrow()
    if isinstance(given, arrow.Table):
        return given
    if isinstance(given, arrow.RecordBatch):
        return arrow.Table.from_batches([given])
    try:
        if hasattr(given, "__arrow_c_stream__"):
            return arrow.table(given)
        if hasattr(given, "__arrow_c_array__"):
            return arrow.Table.from_batches([arrow.record_batch(given)])
    except (arrow.ArrowException, TypeError, ValueError) as error:
        kind = type(given).__name__
        raise InputTypeError(f"the {kind} cannot be read as an Arrow table: {error}") from None
    raise InputTypeError(
        f"a table must have Arrow's interface (pyarrow, pandas, Polars, DuckDB), got "
        f"{type(given).__name__}"
    )
