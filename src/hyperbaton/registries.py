"""Registries: tables of choices by name, such as paired tests, output formats or engines.

A choice is a row of one table. Options, configuration, completion and messages read the names from
there, and a name that is not in the table is refused.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from hyperbaton.errors import InputError

Row = TypeVar("Row")


class Registry(Mapping[str, Row]):
    """Rows by name, in the order in which they were registered; the first one is the default.

    >>> engines = Registry("engine", {"local": "processes", "ray": "a cluster"})
    >>> engines.default, engines.find("ray")
    ('local', 'a cluster')
    >>> engines.find("spark")
    Traceback (most recent call last):
    hyperbaton.InputError: engine must be one of local, ray, got 'spark'
    """

    def __init__(self, kind: str, rows: Mapping[str, Row]) -> None:
        self.kind = kind
        self._rows = dict(rows)

    def __getitem__(self, name: str) -> Row:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    # Rows may be added, so that tables are equal only to themselves.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def default(self) -> str:
        """The name of the first row."""
        return next(iter(self._rows))

    def register(self, name: str, row: Row) -> None:
        """Add a row.

        Raises
        ------
        InputError
            If the name is taken.
        """
        if name in self._rows:
            raise InputError(f"there already is a {self.kind} {name!r}")
        self._rows[name] = row

    def check(self, name: object, argument: str | None = None) -> str:
        """Return a name that is in the table.

        Raises
        ------
        InputError
            If it is not; the message calls it ``argument``, or else the kind of the rows.
        """
        if not isinstance(name, str) or name not in self._rows:
            raise InputError(
                f"{argument or self.kind} must be one of {', '.join(self._rows)}, got {name!r}"
            )
        return name

    def find(self, name: object, argument: str | None = None) -> Row:
        """Return the row of a name, or raise the error of :meth:`check`."""
        return self._rows[self.check(name, argument)]


def load(reference: Any) -> Any:
    """Return the object that a row names as ``module:name``; another value is returned as it is.

    >>> load("hyperbaton.registries:load") is load, load(len) is len
    (True, True)
    """
    if not isinstance(reference, str):
        return reference
    module, _, name = reference.partition(":")
    return getattr(importlib.import_module(module), name)
