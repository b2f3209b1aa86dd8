"""The columns of a table that hold texts, links and trees, and how they become batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.metrics.batches import Origin
from hyperbaton.metrics.list_input import CheckedReferences, ListCorpus
from hyperbaton.syntax.conllu import parse_tree
from hyperbaton.tables.arrow import import_pyarrow
from hyperbaton.text.names import unknown_name_message

if TYPE_CHECKING:
    import pyarrow


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
        for name in self.names:
            if not isinstance(name, str):
                kind = type(name).__name__
                raise InputTypeError(f"a column must be named by a string, got {kind}")
        if not self.references:
            raise InputError("no column of references was given")
        own = [self.alignments, self.trees]
        if len(self.systems) > 1 and any(column is not None for column in own):
            raise InputError("columns of links or trees belong to one system: give one system")

    @property
    def names(self) -> tuple[str, ...]:
        """All columns, each once."""
        optional = (
            self.source,
            self.alignments,
            self.reference_alignments,
            self.trees,
            self.reference_trees,
        )
        given = [column for _, column in self.systems] + [*self.references]
        return tuple(dict.fromkeys([*given, *(name for name in optional if name is not None)]))

    def check(self, schema: pyarrow.Schema) -> None:
        """Raise an error if the schema lacks a column, or one has a type that cannot be read."""
        systems = [column for _, column in self.systems]
        for name in self.names:
            lists = name not in systems and name != self.source
            if len(self.references) > 1 and name in self.references:
                lists = False
            check_type(find_column(schema, name), lists)

    def read(
        self,
        table: pyarrow.Table,
        systems: Sequence[str],
        origin: Origin,
        threads: int,
    ) -> ListCorpus:
        """Return the rows of a table as a corpus of some of the systems."""
        columns = dict(self.systems)
        texts = {name: read_strings(table, columns[name]) for name in systems}
        return ListCorpus(
            texts,
            self._read_references(table),
            source=self._read_optional(table, self.source),
            alignments=self._by_system(systems, self._read_optional(table, self.alignments)),
            reference_alignments=self._read_optional(table, self.reference_alignments),
            trees=self._by_system(systems, self._read_trees(table, self.trees)),
            reference_trees=self._read_trees(table, self.reference_trees),
            origin_for=lambda _: origin,
            threads=threads,
        )

    def _read_references(self, table: pyarrow.Table) -> CheckedReferences:
        arrow = import_pyarrow()
        if len(self.references) > 1:
            parts = [read_strings(table, name) for name in self.references]
            counts = [len(parts)] * table.num_rows
            return CheckedReferences(_core.Lines.interleave(parts), counts)
        (name,) = self.references
        column = table.column(name)
        if not _is_list(column.type):
            return CheckedReferences(read_strings(table, name))
        check_no_nulls(column, name)
        import pyarrow.compute

        counts = pyarrow.compute.list_value_length(column).to_pylist()
        flat = arrow.chunked_array(
            [chunk.flatten() for chunk in column.chunks], column.type.value_type
        )
        check_no_nulls(flat, name)
        return CheckedReferences(_read_lines(flat, name), counts)

    @staticmethod
    def _by_system(
        systems: Sequence[str], given: list[Any] | None
    ) -> Mapping[str, list[Any]] | None:
        return None if given is None else dict.fromkeys(systems, given)

    @staticmethod
    def _read_optional(table: pyarrow.Table, name: str | None) -> list[Any] | None:
        if name is None:
            return None
        check_no_nulls(table.column(name), name)
        values: list[Any] = table.column(name).to_pylist()
        return values

    def _read_trees(self, table: pyarrow.Table, name: str | None) -> list[Any] | None:
        given = self._read_optional(table, name)
        if given is None:
            return None
        return [
            parse_tree(text) if isinstance(text, str) else [parse_tree(one) for one in text]
            for text in given
        ]


def find_column(schema: pyarrow.Schema, name: str) -> pyarrow.Field:
    """Return a field of a schema.

    Raises
    ------
    InputError
        If there is none, or more than one. The message suggests the nearest name.
    """
    found = schema.get_all_field_indices(name)
    if not found:
        raise InputError(unknown_name_message("column", name, schema.names))
    if len(found) > 1:
        raise InputError(f"the table has {len(found)} columns named {name!r}")
    return schema.field(found[0])


def check_type(field: pyarrow.Field, lists: bool) -> None:
    """Raise an error unless a column has strings, or lists of strings where they are allowed."""
    item_type = field.type.value_type if lists and _is_list(field.type) else field.type
    if not _is_string(item_type):
        allowed = "strings or lists of strings" if lists else "strings"
        raise InputTypeError(f"column {field.name!r} must have {allowed}, got {field.type}")


def check_no_nulls(column: pyarrow.ChunkedArray, name: str) -> None:
    """Raise an error if a column has a null."""
    if column.null_count:
        raise InputError(f"{name} is null")


def read_strings(table: pyarrow.Table, name: str) -> _core.Lines:
    """Return a column of strings as the core reads it."""
    return _read_lines(table.column(name), name)


def _read_lines(column: pyarrow.ChunkedArray, name: str) -> _core.Lines:
    import pyarrow

    check_no_nulls(column, name)
    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    lines = _core.Lines.from_arrow(column, name)
    assert lines is not None  # the type has been checked
    return lines


def _is_string(kind: pyarrow.DataType) -> bool:
    import pyarrow

    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
    names = ("is_string", "is_large_string", "is_string_view")
    checks: Iterator[Callable[[Any], bool]] = (
        getattr(pyarrow.types, name) for name in names if hasattr(pyarrow.types, name)
    )
    return any(check(kind) for check in checks)


def _is_list(kind: pyarrow.DataType) -> bool:
    import pyarrow

    return bool(
        pyarrow.types.is_list(kind)
        or pyarrow.types.is_large_list(kind)
        or pyarrow.types.is_fixed_size_list(kind)
    )
