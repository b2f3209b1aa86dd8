"""The footer of a shard: what it was made from, its exact sums and its signatures."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyperbaton.errors import InputError
from hyperbaton.metrics.engine import PartialScores
from hyperbaton.tables.arrow import import_pyarrow
from hyperbaton.tables.plan import Plan, Shard, shard_name
from hyperbaton.text.lines import printable

KEY = b"hyperbaton"
DIGEST_KEY = b"hyperbaton-digest"  # Parquet does not check its footers
SCHEMA = "hyperbaton/shard/1"


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
        A digest of all input files.
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


def make_footer(
    plan: Plan,
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


def read_footer(path: Path) -> Footer:
    """Read the footer of a shard.

    Raises
    ------
    InputError
        If the file is not a shard, is damaged, or was renamed.
    """
    arrow = import_pyarrow()
    import pyarrow.parquet

    name = printable(str(path))
    damaged = InputError(f"{name} is damaged: delete it, and it is scored again")
    try:
        metadata = pyarrow.parquet.read_metadata(path).metadata or {}
    except (arrow.ArrowException, OSError, ValueError):
        raise damaged from None
    if KEY not in metadata:
        raise InputError(f"{name} was not written by Hyperbaton: give another folder")
    if metadata.get(DIGEST_KEY) != digest_text(metadata[KEY]).encode():
        raise damaged
    content = json.loads(metadata[KEY])
    if content.pop("schema") != SCHEMA:
        raise InputError(f"{name} was written by another version of Hyperbaton")
    low, high = map(int, content.pop("references"))
    footer = Footer(path, **content, references=(low, high))
    if path.name != shard_name(footer.shard, footer.shards):
        raise InputError(
            f"{name} has another shard's name: it was {shard_name(footer.shard, footer.shards)}"
        )
    return footer
