"""The accessor ``hyperbaton`` of pandas' data frames: ``df.hyperbaton.score("mt", "ref")``.

Importing this module registers it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperbaton.adapters.data_frames import FrameAccessor, FrameScoring
from hyperbaton.adapters.hosts import MissingHost
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.runs.tables.columns import import_pyarrow

try:
    import pandas
except ImportError as error:
    raise MissingHost("pandas", "hyperbaton[pandas]", error) from None

if TYPE_CHECKING:
    import pyarrow


class MissingPandasColumn(InputError, KeyError):  # noqa: N818 - a KeyError, as pandas raises it
    """A data frame lacks a column."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError would print it in quotes


@pandas.api.extensions.register_dataframe_accessor("hyperbaton")
class HyperbatonAccessor(FrameAccessor[pandas.DataFrame]):
    """Word order of the rows of a data frame.

    Examples
    --------
    >>> import pandas
    >>> import hyperbaton.adapters.pandas
    >>> frame = pandas.DataFrame({"mt": ["b a c"], "ref": ["a b c"]})
    >>> frame.hyperbaton.score("mt", "ref", ["kendall"])["kendall"].tolist()
    [0.6666666666666666]
    """

    MISSING_COLUMN = MissingPandasColumn

    def _column_names(self) -> Iterable[Any]:
        return self._frame.columns

    def _add_scores(self, scoring: FrameScoring) -> pandas.DataFrame:
        frame = self._frame
        skip_invalid = scoring.options.get("on_error") == "null"
        table = import_pyarrow().table(
            {name: _as_array(frame, name, skip_invalid) for name in scoring.text_columns}
        )
        scores = scoring.score(table)
        columns = {name: scores.column(name).to_numpy() for name in scores.column_names}
        return frame.assign(**columns)


def _as_array(frame: pandas.DataFrame, name: str, skip_invalid: bool) -> pyarrow.Array:
    """Return a column as an Arrow array; with ``skip_invalid``, what is no text is null."""
    arrow = import_pyarrow()
    column = frame[name]
    if column.ndim != 1:
        raise InputError(f"the data frame has two columns named {name!r}")
    try:
        return arrow.Array.from_pandas(column)
    except (arrow.ArrowException, UnicodeEncodeError) as error:
        faults = [_find_fault(item) for item in column]
        for k, fault in enumerate(faults):
            if fault is not None and not skip_invalid:
                raise InputTypeError(f"row {k + 1:,}: {name} {fault}") from None
        if not any(faults):
            raise InputTypeError(f"the column {name!r} must have strings: {error}") from None
        is_fault = np.array([fault is not None for fault in faults])
        return arrow.Array.from_pandas(column.mask(is_fault))


def _find_fault(item: Any) -> str | None:
    """Return why an item cannot be scored; None if it can, or if it is missing."""
    if isinstance(item, str):
        try:
            item.encode()
        except UnicodeEncodeError:
            return "has an unpaired surrogate"
        return None
    if isinstance(item, (list, tuple, np.ndarray)) or pandas.isna(item):
        return None
    return f"must be a string, got {type(item).__name__}"
