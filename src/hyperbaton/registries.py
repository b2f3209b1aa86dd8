"""Registries: tables of choices by name, and messages for names that do not exist.

A choice, such as a paired test, an output format or an engine, is a row of one table. Options,
configuration, completion and messages read the names from there, and a name that is not in the
table is refused.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from hyperbaton.errors import InputError, MissingData

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


def import_optional(module: str, message: str) -> Any:
    """Return a module of another package; MissingData with this message if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingData(message) from None


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise InputError if the value of an argument is not one of its choices."""
    if value not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}, got {value!r}")


def similar_names(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names that are close to a name, the closest first.

    >>> similar_names("kendal", ["pef", "kendall"])
    ['kendall']
    """
    return difflib.get_close_matches(name, list(known), 3, 0.6)


def unknown_name_message(
    kind: str, name: str, known: Iterable[str], owner: str | None = None
) -> str:
    """Return the error message for an unknown name, suggesting close matches.

    >>> unknown_name_message("metric", "kendal", ["kendall", "pef"])
    "unknown metric 'kendal'; did you mean kendall?"
    >>> unknown_name_message("option", "x", ["beta", "bp"], owner="pef")
    "unknown option 'x' of pef; valid names: beta, bp"
    """
    of_owner = "" if owner is None else f" of {owner}"
    names = list(known)
    if not names:
        return f"unknown {kind} {name!r}{of_owner}; there are none"
    similar = similar_names(name, names)
    hint = (
        f"did you mean {' or '.join(similar)}?" if similar else f"valid names: {', '.join(names)}"
    )
    return f"unknown {kind} {name!r}{of_owner}; {hint}"
