"""Names of systems: given as ``name=file``, or taken from their files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hyperbaton.errors import InputError
from hyperbaton.files.columns import source_exists, source_names, split_column, table_labels
from hyperbaton.files.lines import printable, short_names

NAMED = re.compile(r"(?P<name>[^=/\\]*)=(?P<path>.*)", re.S)


@dataclass(frozen=True)
class NamedSystems:
    """The systems of a command.

    Attributes
    ----------
    paths : list of str
        Their files, columns of files, or folders.
    names : list of str
        The names that were given, or those of the files, without extensions that say nothing.
    file_names : list of str
        The names that were given, or those of the files.
    """

    paths: list[str]
    names: list[str]
    file_names: list[str]

    def find(self, wanted: str) -> str:
        """Return the name of the system that a name, also as tables show it, or a file refers to.

        What refers to no system is returned as it is.
        """
        if wanted in self.names:
            return wanted
        wanted_path = os.path.realpath(split_name(wanted)[1])
        shown = short_names(self.names)
        for name, path, file_name in zip(self.names, self.paths, self.file_names, strict=True):
            if wanted in (shown[name], file_name) or os.path.realpath(path) == wanted_path:
                return name
        return wanted


def split_name(source: str) -> tuple[str | None, str]:
    """Split ``name=file`` into the name, or None, and the file.

    An existing file whose name contains ``=`` is that file, and so is a column of one.

    Raises
    ------
    InputError
        If the name is empty.

    Examples
    --------
    >>> split_name("baseline=runs/3.txt"), split_name("runs/x=3.txt")
    (('baseline', 'runs/3.txt'), (None, 'runs/x=3.txt'))
    """
    match = NAMED.fullmatch(source)
    if match is None or source_exists(source):
        return None, source
    if not match["name"].strip():
        raise InputError(f"{printable(source)}: the name of the system is empty")
    return match["name"], match["path"]


def find_systems(given: Sequence[str]) -> NamedSystems:
    """Return systems with their names, from ``name=file`` or files alone.

    Raises
    ------
    InputError
        If two systems have the same file or the same name.
    """
    given_names, paths = zip(*map(split_name, given), strict=True)
    return name_systems(given_names, paths)


def name_systems(given_names: Sequence[str | None], paths: Sequence[str]) -> NamedSystems:
    """Return systems with the names that were given; None stands for the name of the file.

    Raises
    ------
    InputError
        If two systems have the same file or the same name.
    """
    parts = [split_column(path) for path in paths]
    real = [(os.path.realpath(path), column) for path, _, column in parts]
    for k, file in enumerate(real):
        if file in real[:k]:
            first = paths[real.index(file)]
            hint = "" if first == paths[k] else f": it is the same file as {printable(first)}"
            raise InputError(f"{printable(paths[k])} is given twice{hint}")
    for file_names in (
        source_names([(path, column) for path, _, column in parts]),
        [printable(path) for path in paths],
    ):
        names = [
            file_name if name is None else printable(name)
            for name, file_name in zip(given_names, file_names, strict=True)
        ]
        if len(set(names)) == len(names):
            break
    else:
        repeated = next(name for k, name in enumerate(names) if name in names[:k])
        raise InputError(f"two systems have the name {repeated}")
    is_file = [
        name is None and column is None and not os.path.isdir(path)
        for name, (path, _, column) in zip(given_names, parts, strict=True)
    ]
    return NamedSystems(list(paths), list(table_labels(names, is_file).values()), names)


def system_names(paths: Sequence[str]) -> list[str]:
    """Return the names of files of systems, without folders where that is unambiguous."""
    return name_systems([None] * len(paths), paths).file_names
