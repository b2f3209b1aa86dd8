"""Arrow tables: their columns of texts, links and trees become batches, and numbers columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.alignment.choices import GIVEN
from hyperbaton.errors import InputError, InputTypeError, MissingData
from hyperbaton.files.parquet import check_column, is_list, is_text
from hyperbaton.metrics.batches import Origin, ReferenceTexts
from hyperbaton.metrics.inputs import check_source_arguments, check_tree_arguments
from hyperbaton.metrics.signature import SOURCE, Provenance
from hyperbaton.registries import import_optional
from hyperbaton.runs.run import ListCorpus
from hyperbaton.syntax.conllu import parse_tree

if TYPE_CHECKING:
    import pyarrow


TABLE = "the table"


@dataclass(frozen=True)
class TableColumns:
    """The names of the columns to read.

    Attributes
    ----------
    systems : tuple of (str, str)
        Name and column of each system.
    references : tuple of str
        Columns of references: of strings, or one column of lists of strings.
    source : str, optional
        Column of source sentences.
    alignments : str, optional
        Column of links, as Pharaoh texts: of the system with its references (a list if there are
        several), or with a source column, of the source with the system.
    reference_alignments : str, optional
        Column of links of the source with the references.
    trees, reference_trees : str, optional
        Columns of dependency trees in CoNLL-U format, one sentence each.
    """

    systems: tuple[tuple[str, str], ...]
    references: tuple[str, ...]
    source: str | None = None
    alignments: str | None = None
    reference_alignments: str | None = None
    trees: str | None = None
    reference_trees: str | None = None

    def __post_init__(self) -> None:
        for name in self._given():
            check_column_name(name)
        if not self.references:
            raise InputError("no column of references was given")
        if self.source is not None or self.reference_alignments is not None:
            check_source_arguments(self.source, self.alignments, self.reference_alignments)
        check_tree_arguments(self.trees, self.reference_trees)
        own = [self.alignments, self.trees]
        if len(self.systems) > 1 and any(column is not None for column in own):
            raise InputError("columns of links or trees belong to one system: give one system")

    @property
    def names(self) -> tuple[str, ...]:
        """All columns, each once."""
        return tuple(dict.fromkeys(self._given()))

    @property
    def provenance(self) -> Provenance:
        """Where alignments and trees come from."""
        links = "" if self.alignments is None else GIVEN if self.source is None else SOURCE
        return Provenance(links, self.trees is not None)

    def _given(self) -> list[str]:
        systems, references, *optional = astuple(self)
        columns = [column for _, column in systems]
        return [*columns, *references, *(name for name in optional if name is not None)]

    def check(self, schema: pyarrow.Schema, owner: str = TABLE) -> None:
        """Raise an error if the schema lacks a column, or one has a type that cannot be read.

        Messages call the table ``owner``.
        """
        per_reference = [self.reference_alignments, self.reference_trees]
        if len(self.references) == 1:
            per_reference += self.references
        if self.source is None:
            per_reference.append(self.alignments)
        for name in self.names:
            field = check_column(schema, name, owner)
            check_type(field, name in per_reference, owner)

    def check_references(self, schema: pyarrow.Schema) -> None:
        """Do the same for the columns of references alone."""
        for name in self.references:
            check_type(check_column(schema, name, TABLE), len(self.references) == 1, TABLE)

    def read(self, table: pyarrow.Table, systems: Sequence[str], origin: Origin) -> ListCorpus:
        """Return the rows of a table as a corpus of some of the systems."""
        columns = {name: column for name, column in self.systems if name in systems}
        arrow = import_pyarrow()

        def by_system(given: list[Any] | None) -> Mapping[str, list[Any]] | None:
            return None if given is None else dict.fromkeys(systems, given)

        try:
            return ListCorpus(
                {name: read_strings(table.column(key), key) for name, key in columns.items()},
                self.read_references(table),
                source=self._read_optional(table, self.source),
                alignments=by_system(self._read_optional(table, self.alignments)),
                reference_alignments=self._read_optional(table, self.reference_alignments),
                trees=by_system(self._read_trees(table, self.trees)),
                reference_trees=self._read_trees(table, self.reference_trees),
                origin_for=lambda _: origin,
            )
        except arrow.ArrowNotImplementedError as error:
            raise MissingData(
                f"pyarrow {arrow.__version__} cannot read the types of this table, a newer one "
                f"may: {error}"
            ) from None

    def read_references(self, table: pyarrow.Table) -> ReferenceTexts:
        """Return the references of the rows of a table."""
        if len(self.references) > 1:
            parts = [read_strings(table.column(name), name) for name in self.references]
            counts = [len(parts)] * table.num_rows
            return ReferenceTexts(_core.Lines.interleave(parts), counts)
        (name,) = self.references
        column = table.column(name)
        if not is_list(column.type):
            return ReferenceTexts(read_strings(column, name))
        check_no_nulls(column, name)
        import pyarrow.compute

        counts = pyarrow.compute.list_value_length(column).to_pylist()
        if 0 in counts:
            raise InputError(f"{name} is an empty list")
        return ReferenceTexts(read_strings(_flatten(column), name), counts)

    @staticmethod
    def _read_optional(table: pyarrow.Table, name: str | None) -> list[Any] | None:
        if name is None:
            return None
        column = table.column(name)
        check_no_nulls(column, name)
        if is_list(column.type):
            check_no_nulls(_flatten(column), name)
        values: list[Any] = column.to_pylist()
        return values

    def _read_trees(self, table: pyarrow.Table, name: str | None) -> list[Any] | None:
        given = self._read_optional(table, name)
        if given is None:
            return None
        try:
            return [
                parse_tree(text) if isinstance(text, str) else [parse_tree(one) for one in text]
                for text in given
            ]
        except InputError as error:
            raise InputError(f"{name}: {error}") from None


def check_column_name(name: object) -> None:
    """Raise an error unless the name of a column is a string."""
    if not isinstance(name, str):
        raise InputTypeError(f"a column must be named by a string, got {type(name).__name__}")


def check_type(field: pyarrow.Field, lists: bool, owner: str) -> None:
    """Raise an error unless a column has strings, or lists of strings where they are allowed.

    Columns without a type, of nulls alone, are allowed: one part of a table may have no values.
    """
    from pyarrow import types

    item_type = field.type.value_type if lists and is_list(field.type) else field.type
    if not is_text(item_type) and not types.is_null(item_type):
        allowed = "strings or lists of strings" if lists else "strings"
        raise InputTypeError(
            f"{owner}: the column {field.name!r} must have {allowed}, not {field.type}"
        )


def check_no_nulls(column: pyarrow.ChunkedArray, name: str) -> None:
    """Raise an error if a column has a null."""
    if column.null_count:
        raise InputError(f"{name} is null")


def read_strings(column: pyarrow.ChunkedArray, name: str) -> _core.Lines:
    """Return a column of strings as the core reads it."""
    import pyarrow

    check_no_nulls(column, name)
    if pyarrow.types.is_dictionary(column.type):
        # Not a cast of the column, which pyarrow lacks for string views (categories of Polars).
        chunks = [
            chunk.dictionary.cast(pyarrow.large_string()).take(chunk.indices)
            for chunk in column.chunks
        ]
        column = pyarrow.chunked_array(chunks, pyarrow.large_string())
    lines = _core.Lines.from_arrow(column, name)
    assert lines is not None  # the type has been checked
    return lines


def _flatten(column: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    """Return the items of all lists of a column without null lists."""
    chunks = [chunk.flatten() for chunk in column.chunks]
    return import_pyarrow().chunked_array(chunks, column.type.value_type)


Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def import_pyarrow() -> Any:
    """Return the module ``pyarrow``."""
    return import_optional("pyarrow", "tables need pyarrow: pip install 'hyperbaton[table]'")


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


def number_array(values: Floats | npt.NDArray[np.int32]) -> pyarrow.Array:
    """Return numbers as an Arrow array, with nulls instead of NaN.

    ``pyarrow.array`` would do the same, but it imports pandas if that is installed.
    """
    arrow = import_pyarrow()
    buffers = [_validity(np.isnan(values)), arrow.py_buffer(np.ascontiguousarray(values))]
    return arrow.Array.from_buffers(arrow.from_numpy_dtype(values.dtype), len(values), buffers)


def list_array(
    values: Floats | npt.NDArray[np.int32], lengths: npt.NDArray[np.int32]
) -> pyarrow.Array:
    """Return lists of numbers, one after another in ``values``; a list without numbers is null."""
    arrow = import_pyarrow()
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    kind = arrow.list_(arrow.from_numpy_dtype(values.dtype))
    buffers = [_validity(lengths == 0), arrow.py_buffer(offsets)]
    return arrow.Array.from_buffers(kind, len(lengths), buffers, children=[number_array(values)])


def _validity(missing: Bools) -> pyarrow.Buffer | None:
    """Return the bits that say which items are there; None if all are."""
    if not missing.any():
        return None
    return import_pyarrow().py_buffer(np.packbits(~missing, bitorder="little"))
