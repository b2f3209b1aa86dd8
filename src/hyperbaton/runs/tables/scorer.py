"""``TableScorer``, a function from tables with texts to tables with scores, and its parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import HyperbatonError, InputError, InputTypeError, LocatedError
from hyperbaton.files.lines import StrPath, printable
from hyperbaton.files.parquet import check_column, open_parquet, unreadable_file
from hyperbaton.metrics.batches import BATCH_SIZE, Batch
from hyperbaton.metrics.inputs import check_list
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.parts import fit_metrics, with_saved_model, without_fit
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.registries import check_choice, import_optional
from hyperbaton.runs.engine import ScoredBatch, need_trees, read_batches, score_batches
from hyperbaton.runs.results import linked_share
from hyperbaton.runs.run import KeptBatches, Run
from hyperbaton.runs.tables.columns import (
    TABLE,
    TableColumns,
    as_table,
    check_column_name,
    import_pyarrow,
    number_array,
)
from hyperbaton.runs.tables.engines import ON_ERROR
from hyperbaton.runs.tables.plan import InputFile
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    import polars
    import pyarrow


BATCHES_PER_THREAD = 2  # enough work for all threads, little memory
LINKED, MATCHED = "linked", "matched"
SYSTEM = "system"


class TableScorer:
    """Scores the rows of tables: a function from an Arrow table to an Arrow table.

    It can be pickled, and each call depends only on its table, so that it fits into the pipelines
    of Ray, Spark, Polars, DuckDB and Dask (see docs/large-data.md).

    Parameters
    ----------
    metrics, language, wordnet, paraphrases, parser
        As for :func:`hyperbaton.score`.
    hypothesis : str
        Column of translations.
    reference : str or sequence of str
        Column of references, of strings or of lists of strings; or several columns of strings.
    keep : sequence of str, or mapping of str to type
        Columns that are copied to the result. A type is an Arrow type or its name, such as
        ``int64``; ``spark_schema`` and ``polars_schema`` need it, because they are asked for
        before there is a table.
    linked : bool
        Whether to add a column with the share of words that have a link, by the first metric that
        aligns words.
    matched : bool
        Whether to add a column with the share of words that have a counterpart in the reference, by
        the first metric that compares order.
    source, alignments, reference_alignments, trees, reference_trees : str, optional
        Columns of sources, links (Pharaoh texts) and trees (CoNLL-U texts), as for
        :func:`hyperbaton.score`.
    fit_on : table, optional
        A table with all references. Metrics that are fitted, such as ``order`` and ``hyper``, are
        fitted on them; without it, they count pairs of words in the references of each row.
    on_error : {"raise", "null"}
        What happens if a row cannot be scored, for example because a text is null: an error that
        names the row, or nulls in its columns of scores.
    threads : int, optional
        Number of threads, by default 1, because pipelines run many scorers at a time. None stands
        for all cores.

    Examples
    --------
    >>> import pyarrow
    >>> from hyperbaton import TableScorer
    >>> scorer = TableScorer("kendall", hypothesis="mt", reference="ref", keep=["id"])
    >>> scorer(pyarrow.table({"id": [7], "mt": ["b a c"], "ref": ["a b c"]})).to_pylist()
    [{'id': 7, 'kendall': 0.6666666666666666}]
    """

    def __init__(
        self,
        metrics: Sequence[str | Metric] | str | Metric = "default",
        language: str | None = None,
        *,
        hypothesis: str = "hypothesis",
        reference: str | Sequence[str] = "reference",
        keep: Sequence[str] | Mapping[str, Any] = (),
        linked: bool = False,
        matched: bool = False,
        source: str | None = None,
        alignments: str | None = None,
        reference_alignments: str | None = None,
        trees: str | None = None,
        reference_trees: str | None = None,
        fit_on: Any = None,
        on_error: str = "raise",
        wordnet: StrPath | None = None,
        paraphrases: StrPath | None = None,
        parser: str | None = None,
        threads: int | None = 1,
    ) -> None:
        import_pyarrow()
        resources = Resources.from_arguments(language, wordnet, paraphrases, parser)
        named = metrics_by_spec(metrics, resources)
        columns = TableColumns(
            ((SYSTEM, hypothesis),),
            (reference,)
            if isinstance(reference, str)
            else tuple(check_list(reference, "reference", "columns")),
            *(source, alignments, reference_alignments, trees, reference_trees),
        )
        if fit_on is None:
            fitted = load_fitted(named)
        else:
            given = as_table(fit_on)
            columns.check_references(given.schema)
            rows = TablePart.whole(given, 0, RowOrigin())
            fitted = fit_metrics(
                named, lambda: read_row_references(rows, columns, on_error), threads
            )
        self.rows = RowScorer(columns, Run(fitted, language, threads=threads), on_error)
        self.keep = check_kept(keep)
        self.linked, self.matched = linked, matched
        check_distinct_names([*self.keep, *self._score_names])

    def __call__(self, table: Any) -> pyarrow.Table:
        """Return the scores of each row of a table.

        Parameters
        ----------
        table
            A table or record batch of pyarrow, a data frame of pandas or Polars, a relation of
            DuckDB, or another object with Arrow's PyCapsule interface.

        Raises
        ------
        InputError
            If a column is missing or has the wrong type, or if a row cannot be scored.
        """
        given = as_table(table)
        self.rows.columns.check(given.schema)
        scores = select_columns(given, self.keep)
        arrow = import_pyarrow()
        parts = list(self._score_parts(given))
        for name in self._score_names:
            chunks = [part[name] for part in parts]
            scores = scores.append_column(name, arrow.chunked_array(chunks, arrow.float64()))
        return scores

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics, fitted."""
        return self.rows.run.metrics

    @property
    def _score_names(self) -> list[str]:
        return [*self.metrics, *[LINKED] * self.linked, *[MATCHED] * self.matched]

    def _score_parts(self, table: pyarrow.Table) -> Iterator[dict[str, pyarrow.Array]]:
        """Score a few batches at a time, so that memory does not grow with the table."""
        run = self.rows.run
        size = BATCHES_PER_THREAD * thread_count(run.threads) * run.batch_size
        for first in range(0, table.num_rows, size):
            part = table.slice(first, size)
            scored = self.rows.score(part, first)[SYSTEM]
            yield score_columns(scored, part.num_rows, self.metrics, self.linked, self.matched)

    def map_in_arrow(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Score record batches one by one, for Spark's ``mapInArrow``."""
        for batch in batches:
            yield from self(batch).to_batches()

    def polars(self, frame: polars.DataFrame) -> polars.DataFrame:
        """Score a data frame of Polars, for ``LazyFrame.map_batches``."""
        import polars

        scores = polars.from_arrow(self(frame))
        assert isinstance(scores, polars.DataFrame)
        return scores

    @property
    def schema(self) -> pyarrow.Schema:
        """The Arrow schema of the results, if the types of kept columns are known."""
        arrow = import_pyarrow()
        unknown = [name for name, kind in self.keep.items() if kind is None]
        if unknown:
            raise InputError(
                f"the type of the column {unknown[0]!r} is not known: give it with the name, as in "
                f"keep={{{unknown[0]!r}: 'int64'}}"
            )
        scores = ((name, arrow.float64()) for name in self._score_names)
        return arrow.schema([*self.keep.items(), *scores])

    @property
    def spark_schema(self) -> Any:
        """The schema of the results for Spark."""
        message = "pyspark is not installed: pip install 'hyperbaton[spark]'"
        types = import_optional("pyspark.sql.pandas.types", message)
        return types.from_arrow_schema(self.schema)

    @property
    def polars_schema(self) -> dict[str, Any]:
        """The schema of the results for Polars."""
        polars = import_optional("polars", "polars is not installed: pip install polars")
        return dict(polars.from_arrow(self.schema.empty_table()).schema)

    def __repr__(self) -> str:
        (_, hypothesis), *_ = self.rows.columns.systems
        references = ", ".join(self.rows.columns.references)
        return f"TableScorer({', '.join(self.metrics)}; {hypothesis} with {references})"


def load_fitted(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Return metrics that need no fit, because all references are not seen before a row is scored.

    They have what their files were fitted with, or count in the references of each row.
    """
    return {key: without_fit(with_saved_model(metric)) for key, metric in metrics.items()}


def check_kept(keep: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns to keep, each with its Arrow type or None."""
    arrow = import_pyarrow()
    if not isinstance(keep, Mapping):
        names = check_list(keep, "keep", "columns")
        check_distinct_names(names)
        keep = dict.fromkeys(names)
    kept = {}
    for name, kind in keep.items():
        check_column_name(name)
        try:
            kept[name] = arrow.type_for_alias(kind) if isinstance(kind, str) else kind
        except (ValueError, KeyError):
            raise InputError(f"keep: {kind!r} is not the name of an Arrow type") from None
        if kept[name] is not None and not isinstance(kept[name], arrow.DataType):
            raise InputTypeError(f"keep: the type of {name!r} must be an Arrow type or its name")
    return kept


def check_distinct_names(names: Sequence[str]) -> None:
    """Raise an error if two columns of a result would have the same name."""
    for k, name in enumerate(names):
        if name in names[:k]:
            raise InputError(f"the result would have two columns named {name!r}")


def select_columns(table: pyarrow.Table, keep: Mapping[str, Any]) -> pyarrow.Table:
    """Return the columns to keep, cast to their types."""
    arrow = import_pyarrow()
    kept = table.select([check_column(table.schema, name, TABLE).name for name in keep])
    for k, (name, kind) in enumerate(keep.items()):
        if kind is not None and kept.schema.field(k).type != kind:
            try:
                kept = kept.set_column(k, arrow.field(name, kind), kept.column(k).cast(kind))
            except arrow.ArrowException as error:
                raise InputTypeError(f"column {name!r} cannot be cast to {kind}: {error}") from None
    return kept


def score_columns(
    scored: Sequence[ScoredRows],
    count: int,
    metrics: Mapping[str, Metric],
    linked: bool,
    matched: bool,
) -> dict[str, pyarrow.Array]:
    """Return the values of ``count`` rows by each metric, and perhaps the shares of words."""
    shares = [*[LINKED] * linked, *[MATCHED] * matched]
    columns = {name: np.full(count, np.nan) for name in (*metrics, *shares)}
    for part in scored:
        for key in metrics:
            columns[key][part.rows] = part.scored.values(key)
        for name in shares:
            counts = (
                statistics.coverage if name == LINKED else statistics.evidence
                for statistics in part.scored.statistics.values()
            )
            found = next((rows for rows in counts if rows is not None), None)
            if found is not None:
                columns[name][part.rows] = linked_share(found)
    return {name: number_array(values) for name, values in columns.items()}


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
class TablePart:
    """Rows of a table, with where they come from.

    Attributes
    ----------
    table : pyarrow.Table
        The rows.
    rows : array
        Their indices in the whole table.
    first : int
        The number of the whole table's first row in the corpus.
    origin : RowOrigin
        Where the rows come from, for error messages.
    """

    table: pyarrow.Table
    rows: Ints
    first: int
    origin: RowOrigin

    @classmethod
    def whole(cls, table: pyarrow.Table, first: int, origin: RowOrigin) -> TablePart:
        """Return all rows of a table."""
        return cls(table, np.arange(table.num_rows), first, origin)

    def slice(self, begin: int, count: int) -> TablePart:
        """Return some neighbouring rows."""
        table, rows = self.table.slice(begin, count), self.rows[begin : begin + count]
        return replace(self, table=table, rows=rows)

    def halves(self) -> Iterator[TablePart]:
        """Yield both halves of the rows."""
        middle = len(self.rows) // 2
        yield self.slice(0, middle)
        yield self.slice(middle, len(self.rows) - middle)

    def locate(self, error: object) -> LocatedError:
        """Return an error of the first row."""
        return LocatedError(f"{self.origin.describe(self.first + int(self.rows[0]))}: {error}")


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
        check_choice("on_error", self.on_error, ON_ERROR)

    def score(
        self, table: pyarrow.Table, first: int = 0, origin: RowOrigin = RowOrigin()
    ) -> dict[str, list[ScoredRows]]:
        """Return the scored rows of each system.

        ``first`` is the number of the table's first row in the corpus.
        """
        systems = [name for name, _ in self.columns.systems]
        if not table.num_rows:
            return {name: [] for name in systems}
        if self.on_error == "raise":
            return self._score_rows(TablePart.whole(table, first, origin), systems)
        table = table.select(self.columns.names)
        scored: dict[str, list[ScoredRows]] = {}
        for name in systems:
            rows = self._without_nulls(table, name)
            scored[name] = []
            if len(rows):
                part = TablePart(select_rows(table, rows), rows, first, origin)
                scored[name] += self._score_valid(part, name)
        return scored

    def _score_valid(self, part: TablePart, system: str) -> Iterator[ScoredRows]:
        """Score the rows that can be scored. Halves are tried where some cannot."""
        try:
            yield from self._score_rows(part, [system])[system]
        except LocatedError:  # other errors, such as a missing parser, concern all rows
            if len(part.rows) > 1:
                for half in part.halves():
                    yield from self._score_valid(half, system)

    def _score_rows(self, part: TablePart, systems: Sequence[str]) -> dict[str, list[ScoredRows]]:
        """Score all rows of a part."""
        try:
            batches = self._read(part, systems)
        except (InputError, InputTypeError) as error:
            raise self._locate(error, part, systems) from None
        starts = []
        for batch in batches:
            starts.append(batch.first)
            batch.first = part.first + int(part.rows[batch.first])
        by_system: dict[str, list[ScoredRows]] = {name: [] for name in systems}
        computed = score_batches(KeptBatches(batches), self.run)
        for start, scored in zip(starts, computed, strict=True):
            own = part.rows[start : start + len(scored.batch)]
            by_system[scored.batch.system].append(ScoredRows(own, scored))
        return by_system

    def _read(self, part: TablePart, systems: Sequence[str]) -> list[Batch]:
        corpus = self.columns.read(part.table, systems, part.origin)
        return read_batches(corpus, self.run.batch_size, need_trees(self.run.metrics.values()))

    def _locate(
        self, error: HyperbatonError, part: TablePart, systems: Sequence[str]
    ) -> HyperbatonError:
        """Return the error of the first row that cannot be read."""
        for k in range(len(part.rows)):
            row = part.slice(k, 1)
            try:
                self._read(row, systems)
            except (InputError, InputTypeError) as found:
                return row.locate(re.sub(r"^(\S+?)\[0\]", r"\1", str(found)))
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
    part: TablePart, columns: TableColumns, on_error: str
) -> Iterator[_core.Lines]:
    """Yield the references of rows. Halves are tried where some cannot be read.

    With ``on_error`` null, rows whose references cannot be read are left out.
    """
    try:
        yield columns.read_references(part.table).utf8
    except (InputError, InputTypeError) as error:
        if len(part.rows) > 1:
            for half in part.halves():
                yield from read_row_references(half, columns, on_error)
        elif on_error != "null":
            raise part.locate(error) from None


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
                part = TablePart.whole(table, first, origin)
                yield list(read_row_references(part, columns, on_error)), batch.num_rows
                first += batch.num_rows
        except (arrow.ArrowException, OSError) as error:
            raise unreadable_file(file.path, error) from None
        file.check_unchanged()
