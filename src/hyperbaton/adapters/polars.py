"""The namespace ``hyperbaton`` of Polars' data frames: ``df.hyperbaton.score("mt", "ref")``.

Importing this module registers it, for data frames and lazy frames.
"""

from __future__ import annotations

from hyperbaton.adapters.data_frames import FrameAccessor, FrameScoring
from hyperbaton.adapters.hosts import MissingHost
from hyperbaton.errors import InputError
from hyperbaton.runs.tables.columns import as_table

try:
    import polars
except ImportError as error:
    raise MissingHost("polars", "hyperbaton[polars]", error) from None


class MissingPolarsColumn(InputError, polars.exceptions.ColumnNotFoundError):  # noqa: N818 - as Polars
    """A data frame lacks a column."""


@polars.api.register_dataframe_namespace("hyperbaton")
class DataFrameNamespace(FrameAccessor[polars.DataFrame]):
    """Word order of the rows of a data frame.

    Examples
    --------
    >>> import polars
    >>> import hyperbaton.adapters.polars
    >>> frame = polars.DataFrame({"mt": ["b a c"], "ref": ["a b c"]})
    >>> frame.hyperbaton.score("mt", "ref", ["kendall"])["kendall"].to_list()
    [0.6666666666666666]
    """

    MISSING_COLUMN = MissingPolarsColumn

    def _column_names(self) -> list[str]:
        return self._frame.columns

    def _add_scores(self, scoring: FrameScoring) -> polars.DataFrame:
        table = as_table(self._frame.select(scoring.text_columns))
        scores = polars.from_arrow(scoring.score(table))
        assert isinstance(scores, polars.DataFrame)
        return self._frame.with_columns(scores.get_columns())


@polars.api.register_lazyframe_namespace("hyperbaton")
class LazyFrameNamespace(FrameAccessor[polars.LazyFrame]):
    """Word order of the rows of a lazy frame."""

    MISSING_COLUMN = MissingPolarsColumn

    def _column_names(self) -> list[str]:
        return self._frame.collect_schema().names()

    def _add_scores(self, scoring: FrameScoring) -> polars.LazyFrame:
        added = {name: polars.Float64() for name in scoring.score_columns}
        return self._frame.map_batches(
            lambda frame: DataFrameNamespace(frame)._add_scores(scoring),
            predicate_pushdown=False,
            projection_pushdown=False,
            slice_pushdown=False,
            schema={**self._frame.collect_schema(), **added},
        )
