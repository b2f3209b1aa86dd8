"""Parquet files for tests, and results as bits."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import hyperbaton as hb
from metrics import corpora

METRICS = ["pef", "full:bp=off", "bleu", "wer", "adjacency"]
ROWS = 120


def make_columns(rows: int = ROWS) -> dict[str, list[Any]]:
    """Return two systems, one to three references of each row, and two columns of references."""
    texts = corpora.corpus(21, rows)
    rng = random.Random(21)
    return {
        "id": list(range(rows)),
        "a": list(texts.hypotheses),
        "b": [" ".join(corpora.edited(rng, text.split())) for text in texts.hypotheses],
        "refs": texts.references,
        "first": [references[0] for references in texts.references],
        "last": [references[-1] for references in texts.references],
    }


def write_split(
    folder: Path, columns: Mapping[str, list[Any]], rows_of_files: list[int], group: int
) -> str:
    """Write the rows to files with these numbers of rows; return the pattern of their names."""
    folder.mkdir(parents=True)
    table = pa.table(dict(columns))
    assert sum(rows_of_files) == table.num_rows
    first = 0
    for k, rows in enumerate(rows_of_files):
        path = folder / f"{k:03}.parquet"
        pq.write_table(table.slice(first, rows), path, row_group_size=group)
        first += rows
    return str(folder / "*.parquet")


def bits(result: hb.Result) -> dict[str, Any]:
    """Return everything in a result, numbers as their bits."""
    found = {}
    for key, score in result.items():
        rows, anchors = score.statistics, score.stored_anchors
        found[key] = {
            "value": hexadecimal(score.value),
            "signature": score.signature,
            "n": score.n,
            "linked": hexadecimal(score.linked),
            "matched": hexadecimal(score.matched),
            "anchors": None if anchors is None else [part.tobytes() for part in anchors.expand()],
            "inexact": score.inexact,
            "segments": [value.hex() for value in score.segments.tolist()],
            "statistics": None if rows is None else (rows.shape, rows.tobytes()),
        }
    return found


def hexadecimal(value: float | None) -> str | None:
    """Return all bits of a number, if there is one."""
    return None if value is None else float(value).hex()


def corpus_bits(result: hb.Result) -> dict[str, Any]:
    """Return what does not depend on the order of segments."""
    return {
        key: [found[name] for name in ("value", "signature", "n", "linked", "matched")]
        for key, found in bits(result).items()
    }


def names_in(folder: Path) -> list[str]:
    """Return the names of all files in a folder, hidden ones included."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
