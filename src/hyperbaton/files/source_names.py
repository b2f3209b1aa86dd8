"""Names of texts: short ones from paths and columns, and shorter ones for tables."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hyperbaton.files.compression import COMPRESSED_SUFFIXES
from hyperbaton.files.lines import printable


def source_names(sources: Sequence[tuple[str, str | None]]) -> list[str]:
    """Return short names of sources, each a path and perhaps a column, which may be equal.

    >>> source_names([("runs/a.txt", None), ("runs/b.tsv", "mt")])
    ['a.txt', 'b.tsv:mt']
    >>> source_names([("runs/b.tsv", "mt"), ("runs/b.tsv", "ref")])
    ['mt', 'ref']
    """
    same_file = len({os.path.realpath(path) for path, _ in sources}) == 1
    names = []
    for path, column in sources:
        name = "standard input" if path == "-" else os.path.basename(path)
        if column is not None:
            name = column if same_file else f"{name}:{column}"
        names.append(printable(name))
    return names


def table_labels(names: Sequence[str], is_file: Sequence[bool]) -> dict[str, str]:
    """Return the names of systems in tables.

    The names of files lose their extension if it is .txt, or if all files have it and it is no
    number. A name stays as it is if it would be confused with another.

    >>> table_labels(["a.txt.gz", "b.out", "c.out", "d.txt"], [True, True, False, True])
    {'a.txt.gz': 'a', 'b.out': 'b.out', 'c.out': 'c.out', 'd.txt': 'd'}
    >>> list(table_labels(["a.de", "b.de"], [True, True]).values())
    ['a', 'b']
    >>> list(table_labels(["v1.2", "v2.2"], [True, True]).values())
    ['v1.2', 'v2.2']
    >>> list(table_labels(["a.txt", "a"], [True, False]).values())
    ['a.txt', 'a']
    """
    bare = [
        _without_compression(name) if file else name
        for name, file in zip(names, is_file, strict=True)
    ]
    shared = {
        os.path.splitext(name)[1].lower() for name, file in zip(bare, is_file, strict=True) if file
    }
    dropped = {".txt"}
    if len(shared) == 1 and not any(extension[1:].isdigit() for extension in shared):
        dropped |= shared
    labels = []
    for name, file in zip(bare, is_file, strict=True):
        stem, extension = os.path.splitext(name)
        labels.append(stem if file and extension.lower() in dropped else name)
    return {
        name: label if labels.count(label) == 1 and label not in names else name
        for name, label in zip(names, labels, strict=True)
    }


def _without_compression(name: str) -> str:
    stem, extension = os.path.splitext(name)
    return stem if extension.lower() in COMPRESSED_SUFFIXES else name
