"""Arrow tables from whatever offers them, and Arrow arrays of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputTypeError, MissingData

if TYPE_CHECKING:
    import pyarrow

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


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
    if hasattr(given, "collect"):  # a lazy frame of Polars
        raise InputTypeError(
            f"a {type(given).__name__} has no rows yet: collect() it, or give scorer.polars to its "
            "map_batches()"
        )
    raise InputTypeError(
        f"a table must have Arrow's interface (pyarrow, pandas, Polars, DuckDB), got "
        f"{type(given).__name__}"
    )


def number_array(values: Floats, missing: Bools) -> pyarrow.Array:
    """Return numbers as an Arrow array, with nulls where they are missing.

    ``pyarrow.array`` would do the same, but it imports pandas if that is installed.
    """
    arrow = import_pyarrow()
    buffers = [_validity(missing), arrow.py_buffer(np.ascontiguousarray(values))]
    return arrow.Array.from_buffers(arrow.float64(), len(values), buffers)


def list_array(values: Floats, lengths: npt.NDArray[np.int32]) -> pyarrow.Array:
    """Return lists of numbers, one after another in ``values``; a list without numbers is null."""
    arrow = import_pyarrow()
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    numbers = number_array(values, np.zeros(len(values), bool))
    kind = arrow.list_(arrow.float64())
    buffers = [_validity(lengths == 0), arrow.py_buffer(offsets)]
    return arrow.Array.from_buffers(kind, len(lengths), buffers, children=[numbers])


def _validity(missing: Bools) -> pyarrow.Buffer | None:
    """Return the bits that say which items are there; None if all are."""
    if not missing.any():
        return None
    return import_pyarrow().py_buffer(np.packbits(~missing, bitorder="little"))
