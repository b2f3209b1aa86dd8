"""Texts from columns of Parquet files, which go to the core as Arrow arrays."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hyperbaton import _core
from hyperbaton.errors import HyperbatonError, InputError, MissingData
from hyperbaton.files.lines import printable
from hyperbaton.registries import similar_names

if TYPE_CHECKING:
    import pyarrow
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

MAGIC = b"PAR1"
# By default, pyarrow holds the whole column of a row group in memory.
BUFFERS = {"pre_buffer": False, "buffer_size": 1 << 20}
SHOWN_COLUMNS = 10


def expand_pattern(pattern: str) -> list[str]:
    """Return the files that a pattern such as ``data/*.parquet`` matches, sorted by name.

    An existing file is never a pattern, and neither is a name without ``*``, ``?`` and ``[``.
    ``**`` matches folders of any depth.

    Raises
    ------
    InputError
        If no file matches the pattern.
    """
    if os.path.exists(pattern) or not glob.has_magic(pattern):
        return [pattern]
    paths = sorted(glob.glob(pattern, recursive=True))
    if not paths:
        raise InputError(f"no file matches {printable(pattern)}")
    return paths


def open_parquet(path: str) -> ParquetFile:
    """Open a Parquet file, which reads its footer.

    The file is closed when the returned object is deleted.

    Raises
    ------
    InputError
        If the file cannot be read, is not a Parquet file or has a damaged footer.
    MissingData
        If pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise MissingData("pyarrow is not installed: pip install 'hyperbaton[table]'") from None
    name = printable(path)
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise InputError(f"cannot read {name}: a Parquet file cannot be read from a pipe or device")
    try:
        with open(path, "rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise InputError(f"{name} is not a Parquet file")
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}") from None
    try:
        # As bytes, a path need not be UTF-8.
        parquet = ParquetFile(pa.OSFile(os.fsencode(path)), **BUFFERS)
        _ = parquet.schema_arrow.names  # in a damaged file, they may not be UTF-8
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise unreadable_file(path, error) from None
    return parquet


def unreadable_file(path: str, error: Exception) -> InputError:
    """Return the error for a Parquet file that pyarrow cannot read."""
    name, reason = printable(path), printable(str(error).splitlines()[0].rstrip("."))
    # pyarrow reports damage as an OSError, too, but only the system's errors have a number.
    is_intact = isinstance(error, NotImplementedError) or getattr(error, "errno", None)
    return InputError(
        f"cannot read {name}: {reason}"
        if is_intact
        else f"{name} is a damaged Parquet file: {reason}"
    )


def check_column(schema: pa.Schema, column: str, path: str) -> pa.Field:
    """Return the field of a column.

    Parameters
    ----------
    schema : pyarrow.Schema
        The columns of a file.
    column : str
        Name of the column.
    path : str
        The file, for error messages.

    Raises
    ------
    InputError
        If there is no such column, or more than one.
    """
    count = schema.names.count(column)
    if count == 1:
        return schema.field(column)
    if count > 1:
        raise InputError(f"{printable(path)} has {count} columns {column!r}")
    similar = printable(" or ".join(similar_names(column, schema.names)))
    it = f"did you mean {similar}? It" if similar else "it"
    shown = printable(", ".join(schema.names[:SHOWN_COLUMNS])) or "none"
    more = len(schema.names) - SHOWN_COLUMNS
    others = f" and {more:,} more" if more > 0 else ""
    raise InputError(f"{printable(path)} has no column {column!r}; {it} has {shown}{others}")


def text_columns(path: str) -> list[str]:
    """Return the names of the columns that hold texts or lists of texts."""
    return [field.name for field in open_parquet(path).schema_arrow if _has_texts(field.type)]


def parquet_bytes(path: str) -> int:
    """Return the size of a file's columns before compression, as its footer says."""
    metadata = open_parquet(path).metadata
    return sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))


def count_rows(pattern: str) -> int | None:
    """Return the number of rows in the files that a pattern matches, from their footers.

    None if a footer cannot be read: reading the files will raise the error.
    """
    try:
        return int(sum(open_parquet(path).metadata.num_rows for path in expand_pattern(pattern)))
    except HyperbatonError:
        return None


def locate_row(pattern: str, number: int) -> tuple[str, int]:
    """Return the file of a row, and its number in this file.

    Parameters
    ----------
    pattern : str
        The files, see :func:`expand_pattern`.
    number : int
        Number of the row in all files together, from 1.
    """
    *paths, last = expand_pattern(pattern)
    for path in paths:
        count = open_parquet(path).metadata.num_rows
        if number <= count:
            return path, number
        number -= count
    return last, number


def read_column(
    pattern: str, column: str, size: int
) -> Iterator[tuple[_core.Lines, list[int] | None]]:
    """Iterate over blocks of ``size`` rows of a column; only the last block may be smaller.

    Parameters
    ----------
    pattern : str
        The files, which are read one after another; see :func:`expand_pattern`.
    column : str
        Name of a column of strings or of lists of strings.
    size : int
        Number of rows in a block.

    Yields
    ------
    texts : Lines
        The texts of all rows, one after another.
    counts : list of int or None
        The number of texts of each row; None if each row has one.

    Raises
    ------
    InputError
        If a file cannot be read, lacks the column, or has something else than texts in it.
    MissingData
        If pyarrow is not installed.
    """
    block: list[_Rows] = []
    missing = size
    for path in expand_pattern(pattern):
        for rows in _read_file(path, column, size):
            while len(rows.values) >= missing:
                yield _join([*block, rows.slice(0, missing)], column)
                rows = rows.slice(missing)
                block, missing = [], size
            if len(rows.values):
                block.append(rows)
                missing -= len(rows.values)
    if block:
        yield _join(block, column)


@dataclass(frozen=True)
class _Rows:
    """Consecutive values of a column in one file."""

    path: str
    first: int  # index of the first row in the file
    values: pa.Array

    def slice(self, start: int, length: int | None = None) -> _Rows:
        """Return some of the rows."""
        return _Rows(self.path, self.first + start, self.values.slice(start, length))

    def error(self, k: int, message: str) -> InputError:
        """Return the error for the row with index ``k`` of these."""
        return InputError(f"{printable(self.path)}, row {self.first + k + 1:,}: {message}")


def _read_file(path: str, column: str, size: int) -> Iterator[_Rows]:
    file = open_parquet(path)
    import pyarrow as pa  # only now, since open_parquet reports that it is missing

    field = check_column(file.schema_arrow, column, path)
    if not _has_texts(field.type):
        raise InputError(
            f"{printable(path)}: the column {column!r} must have strings or lists of strings, "
            f"not {printable(str(field.type))}"
        )
    first = 0
    # Threads of pyarrow would read different columns of a file, and this is one column.
    batches = file.iter_batches(size, columns=[column], use_threads=False)
    while True:
        try:
            batch = next(batches, None)
        except (pa.ArrowException, OSError) as error:
            raise unreadable_file(path, error) from None
        if batch is None:
            return
        yield _Rows(path, first, batch.column(column))
        first += len(batch)


def _has_texts(kind: pa.DataType) -> bool:
    from pyarrow import types

    if not is_list(kind):
        return is_text(kind)
    # pyarrow cannot read lists of categories from several row groups.
    return is_text(kind.value_type) and not types.is_dictionary(kind.value_type)


def _join(block: Sequence[_Rows], column: str) -> tuple[_core.Lines, list[int] | None]:
    """Return the texts of a block, and the number of texts of each row."""
    import pyarrow as pa

    arrays, counts = [], []
    for rows in block:
        array, row_counts = _flatten(rows, column)
        arrays.append(array)
        counts.append(row_counts)
    if len({array.type for array in arrays}) > 1:  # files with different types of strings
        arrays = [array.cast(pa.large_string()) for array in arrays]
    try:
        lines = _core.Lines.from_arrow(pa.chunked_array(arrays), "")
    except HyperbatonError as error:
        raise _locate_error(error, block, counts, column) from None
    assert lines is not None  # the types were checked
    all_counts = [count for row_counts in counts for count in row_counts]
    return lines, all_counts if max(all_counts) > 1 else None


def _flatten(rows: _Rows, column: str) -> tuple[pa.Array, list[int]]:
    """Return the texts of rows one after another, and the number of texts of each row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(rows.values.type):
        return rows.values.dictionary_decode(), [1] * len(rows.values)
    if not is_list(rows.values.type):
        return rows.values, [1] * len(rows.values)
    counts = pc.list_value_length(rows.values).to_pylist()
    for wrong, name in ((None, "null"), (0, "an empty list")):
        if wrong in counts:
            message = f"{printable(column)} must be a list of strings, got {name}"
            raise rows.error(counts.index(wrong), message)
    return rows.values.flatten(), counts


def _locate_error(
    error: HyperbatonError, block: Sequence[_Rows], counts: Sequence[list[int]], column: str
) -> InputError:
    """Return the core's error for a text, such as ``[17] is not UTF-8``, with file and row."""
    index, _, fault = str(error).removeprefix("[").partition("] ")
    text = int(index)
    for rows, row_counts in zip(block, counts, strict=True):
        for k, count in enumerate(row_counts):
            if text < count:
                return rows.error(k, f"{printable(column)} {fault}")
            text -= count
    raise AssertionError("the core names a text that it was not given")


def is_text(kind: pyarrow.DataType) -> bool:
    """Return whether a type holds strings, also if they are categories."""
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def is_list(kind: pyarrow.DataType) -> bool:
    """Return whether a type holds lists."""
    from pyarrow import types

    return bool(
        types.is_list(kind)
        or types.is_large_list(kind)
        or types.is_fixed_size_list(kind)
        or types.is_list_view(kind)
        or types.is_large_list_view(kind)
    )
