"""The footer of a shard: what it was made from, its exact sums and its signatures."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperbaton.errors import HyperbatonError, InputError
from hyperbaton.files.lines import printable
from hyperbaton.runs.partial_scores import PartialScores
from hyperbaton.runs.tables.arrow import import_pyarrow
from hyperbaton.runs.tables.plan import Shard, TablePlan, difference_of_settings, shard_name

if TYPE_CHECKING:
    import pyarrow.parquet

KEY = b"hyperbaton"
SHARD_NAME = re.compile(r"\d{5,}-of-\d{5,}\.parquet")
DIGEST_KEY = b"hyperbaton-digest"  # Parquet does not check its footers
SCHEMA = "hyperbaton/shard/1"
FIELD_TYPES: dict[str, type] = {
    **dict.fromkeys(("system", "column", "inputs"), str),
    **dict.fromkeys(("shard", "shards", "skipped"), int),
    **dict.fromkeys(("settings", "input", "scores"), dict),
}


@dataclass(frozen=True)
class Footer:
    """What the footer of a shard says.

    Attributes
    ----------
    path : Path
        The shard's file.
    system, column : str
        Name and column of the system.
    shard, shards : int
        Number of the shard, from 0, and of all shards.
    settings : dict
        Settings of the run.
    inputs : str
        A digest of the names of all input files and of how they are split.
    input : dict
        The file and the rows that the shard was made from.
    scores : dict
        State of the partial scores.
    skipped : int
        Number of rows without scores.
    references : tuple of int
        Digest of the references. Digests of shards add up to that of the corpus.
    """

    path: Path
    system: str
    column: str
    shard: int
    shards: int
    settings: dict[str, Any]
    inputs: str
    input: dict[str, Any]
    scores: dict[str, Any]
    skipped: int
    references: tuple[int, int]


def shard_files(folder: Path) -> list[Path]:
    """Return the files of shards in a folder, in order."""
    return sorted(
        path
        for path in folder.glob("*-of-*.parquet")
        if is_shard_name(path.name) and path.is_file()
    )


def is_shard_name(name: str) -> bool:
    """Return whether a name is that of a shard.

    >>> is_shard_name("00001-of-00050.parquet"), is_shard_name("1-of-a.parquet")
    (True, False)
    """
    return SHARD_NAME.fullmatch(name) is not None


def open_shard(path: Path) -> pyarrow.parquet.ParquetFile:
    """Open a file of scores. Its pages are checked when they are read."""
    import pyarrow.parquet

    file = pyarrow.OSFile(os.fsencode(path))  # as bytes, a path need not be UTF-8
    return pyarrow.parquet.ParquetFile(file, page_checksum_verification=True)


def make_footer(
    plan: TablePlan,
    shard: Shard,
    partial: PartialScores,
    skipped: int,
    references: tuple[int, int],
) -> dict[str, str]:
    """Return the footer of a shard, for a Parquet file."""
    content = {
        "schema": SCHEMA,
        "system": partial.system,
        "column": dict(plan.columns.systems)[partial.system],
        "shard": shard.index,
        "shards": len(plan.shards),
        "settings": plan.settings,
        "inputs": plan.inputs_digest,
        "input": shard.identity(),
        "scores": partial.state(),
        "skipped": skipped,
        "references": [str(part) for part in references],
    }
    text = json.dumps(content)
    return {KEY.decode(): text, DIGEST_KEY.decode(): digest_text(text.encode())}


def digest_text(text: bytes) -> str:
    """Return the digest of a footer, by which damage is found."""
    return hashlib.sha256(text).hexdigest()[:32]


def damaged(path: Path) -> InputError:
    """Return the error for a file or a folder that cannot be read."""
    return InputError(f"{printable(str(path))} is damaged: delete it, and run the command again")


@contextlib.contextmanager
def report_damage(path: Path) -> Iterator[None]:
    """Raise one error for all that footers can have wrong in spite of their digests.

    Whoever can write a footer can write its digest, too.
    """
    try:
        yield
    except HyperbatonError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError):
        raise damaged(path) from None


def read_footer(path: Path) -> Footer:
    """Read the footer of a shard.

    Raises
    ------
    InputError
        If the file is not a shard, is damaged, or was renamed.
    """
    arrow = import_pyarrow()
    name = printable(str(path))
    try:
        metadata = open_shard(path).metadata.metadata or {}
    except (arrow.ArrowException, OSError, ValueError):
        raise damaged(path) from None
    if KEY not in metadata:
        raise InputError(f"{name} was not written by Hyperbaton: give another folder")
    if metadata.get(DIGEST_KEY) != digest_text(metadata[KEY]).encode():
        raise damaged(path)
    with report_damage(path):
        content = json.loads(metadata[KEY])
        if content.pop("schema") != SCHEMA:
            raise InputError(f"{name} was written by another version of Hyperbaton")
        low, high = map(int, content.pop("references"))
        footer = Footer(path, **content, references=(low, high))
        if any(type(getattr(footer, name)) is not kind for name, kind in FIELD_TYPES.items()):
            raise TypeError("fields")
    if path.name != shard_name(footer.shard, footer.shards):
        raise InputError(
            f"{name} has the name of another shard: it was written as "
            f"{shard_name(footer.shard, footer.shards)}"
        )
    return footer


def check_same_run(
    footer: Footer, settings: Mapping[str, Any], inputs: str, system: str, column: str
) -> None:
    """Raise an error if a shard is of other settings, files, or of another system."""
    folder = printable(str(footer.path.parent))
    advice = "give another output folder"
    difference = difference_of_settings(settings, footer.settings)
    if difference:
        raise InputError(f"{folder} has scores with other settings ({difference}): {advice}")
    if footer.inputs != inputs:
        raise InputError(
            f"{folder} has scores of other input files, or of files with other rows: {advice}"
        )
    for kind, there, now in (("column", footer.column, column), ("system", footer.system, system)):
        if there != now:
            raise InputError(
                f"{folder} has scores of the {kind} {there!r}, not of {now!r}: {advice}"
            )
