"""Texts in the forms that functions take: lists, series, Arrow arrays and data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any, Protocol, TypeAlias

from hyperbaton.errors import InputError, InputTypeError


class ArrowStrings(Protocol):
    """An array of pyarrow."""

    def to_pylist(self) -> list[Any]:
        """Return Python objects."""


class DataFrame(Protocol):
    """A data frame of pandas or Polars."""

    @property
    def columns(self) -> Iterable[Any]:
        """The names of the columns."""

    def __getitem__(self, name: str, /) -> Any: ...


# A series of pandas or Polars is an iterable of strings, too.
Lines: TypeAlias = Iterable[str] | ArrowStrings
References: TypeAlias = Lines | Iterable[Iterable[str]] | DataFrame
Systems: TypeAlias = Mapping[str, Lines] | DataFrame


def frame_columns(given: object, argument: str) -> dict[Any, Any] | None:
    """Return the columns of a data frame by name; None for an object that is no data frame.

    Data frames are those of pandas and Polars, and tables and record batches of pyarrow.

    Raises
    ------
    InputError, InputTypeError
        If the data frame has no columns, or two of the same name, or if it is lazy. The message
        calls it ``argument``.
    """
    if isinstance(given, (str, list, tuple)):  # what is given most often, told apart quickly
        return None
    frame: Any = given
    if hasattr(frame, "collect_schema") and hasattr(frame, "collect"):  # a lazy frame of Polars
        kind = type(frame).__name__
        raise InputTypeError(f"{argument} is a {kind}, which has no rows yet: collect() it")
    if hasattr(frame, "column_names") and hasattr(frame, "itercolumns"):  # pyarrow
        names, columns = frame.column_names, list(frame.itercolumns())
    elif hasattr(frame, "get_columns"):  # Polars
        names, columns = frame.columns, frame.get_columns()
    elif hasattr(frame, "iloc") and frame.ndim == 2:  # pandas
        names = list(frame.columns)
        columns = [frame.iloc[:, k] for k in range(len(names))]
    else:
        return None
    if not names:
        raise InputError(f"{argument} is a data frame without columns")
    by_name: dict[Any, Any] = {}
    for name, column in zip(names, columns, strict=True):
        if name in by_name:
            raise InputError(f"{argument} is a data frame with two columns named {name!r}")
        by_name[name] = column
    return by_name


def check_list(items: object, name: str, kind: str) -> list[Any]:
    """Return an ordered iterable as a list.

    Raises
    ------
    InputTypeError
        If it has no order, or is a single text. The message calls it ``name``, a list of ``kind``.
    """
    check_no_frame(items, name, kind)
    is_number = getattr(items, "ndim", 1) == 0  # a NumPy array without dimensions is iterable, too
    is_single = isinstance(items, (str, bytes, Mapping, Set)) or not isinstance(items, Iterable)
    if is_single or is_number:
        raise InputTypeError(f"{name} must be a list of {kind}, got {type(items).__name__}")
    if hasattr(items, "to_pylist"):  # pyarrow's own objects are no strings and lists
        items = items.to_pylist()
    # A list is not copied, since it is never changed.
    return items if isinstance(items, list) else list(items)  # type: ignore[call-overload]


def check_no_frame(items: object, name: str, kind: str) -> None:
    """Raise an error for a data frame where a column of it is meant, a list of ``kind``."""
    if frame_columns(items, name) is not None:
        frame = type(items).__name__
        raise InputTypeError(
            f"{name} must be a list of {kind}, got {frame}: give one of its columns"
        )
