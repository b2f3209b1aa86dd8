"""The footer of a shard: what it was made from, its exact sums and its signatures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyperbaton.errors import InputError
from hyperbaton.metrics.engine import PartialScores
from hyperbaton.tables.arrow import import_pyarrow
from hyperbaton.tables.plan import Plan, Shard
from hyperbaton.text.lines import printable

KEY = b"hyperbaton"
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
        "settings": plan.settings(),
        "inputs": plan.inputs_digest(),
        "input": shard.identity(),
        "scores": partial.state(),
        "skipped": skipped,
        "references": [str(part) for part in references],
    }
    return {KEY.decode(): json.dumps(content)}


def read_footer(path: Path) -> Footer:
    """Read the footer of a shard.

    Raises
    ------
    InputError
        If the file is not a shard, or is damaged.
    """
    arrow = import_pyarrow()
    import pyarrow.parquet

    name = printable(str(path))
    try:
        metadata = pyarrow.parquet.read_metadata(path).metadata or {}
    except (arrow.ArrowException, OSError, ValueError):
        raise InputError(f"{name} is damaged: delete it, and it is scored again") from None
    if KEY not in metadata:
        raise InputError(f"{name} is no shard of scores")
    try:
        content = json.loads(metadata[KEY])
        if content["schema"] != SCHEMA:
            raise InputError(
                f"{name} was written by another version of Hyperbaton ({content['schema']})"
            )
        low, high = map(int, content["references"])
        return Footer(
            path,
            str(content["system"]),
            str(content["column"]),
            int(content["shard"]),
            int(content["shards"]),
            dict(content["settings"]),
            str(content["inputs"]),
            dict(content["input"]),
            dict(content["scores"]),
            int(content["skipped"]),
            (low, high),
        )
    except InputError:
        raise
    except (KeyError, TypeError, ValueError):
        message = f"{name} has a damaged footer: delete it, and it is scored again"
        raise InputError(message) from None
