"""``hyperbaton align --source``: alignments of a bitext that were found elsewhere."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable

import numpy as np

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.pharaoh import read_alignments, read_pairs
from hyperbaton.cli.progress import batches, with_progress
from hyperbaton.order.profile import reordering_profile
from hyperbaton.report.profiles import as_profile_text
from hyperbaton.text.lines import write_beside

SCHEMA = "hyperbaton/profile/1"
BATCH = 4000  # lines between two words about progress


def convert(
    path: str,
    source: str,
    target: str | None,
    base: int,
    possible: bool,
    write: Callable[[Alignment], str],
    output: str,
) -> None:
    """Write a line for each alignment."""
    warnings: list[str] = []
    alignments = read_alignments(
        path, source, target, base=base, possible=possible, warn=warnings.append
    )
    with write_beside(output) as out:
        for batch in with_progress(batches(alignments, BATCH)):
            out.writelines(f"{write(alignment)}\n" for alignment in batch)
    say(warnings)


def profile(
    path: str,
    source: str,
    target: str | None,
    base: int,
    possible: bool,
    nulls: str,
    as_json: bool,
    top: int,
    threads: int | None,
    output: str,
) -> None:
    """Write what reorderings a bitext has."""
    warnings: list[str] = []
    pairs = read_pairs(path, source, target, base=base, possible=possible, warn=warnings.append)
    values, lengths = [np.array([], np.int64)], [np.array([0])]
    with write_beside(output) as out:
        for batch in with_progress(pairs):
            permutations, offsets = batch.permutations(nulls)
            values.append(permutations)
            lengths.append(np.diff(offsets))
        offsets = np.cumsum(np.concatenate(lengths))
        found = reordering_profile(np.concatenate(values), offsets, threads)
        if as_json:
            document = {"schema": SCHEMA, "nulls": nulls, **found.to_dict()}
            out.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
        else:
            width = shutil.get_terminal_size((100, 24)).columns
            out.write(as_profile_text(found, top, 4, width) + "\n")
    say(warnings)


def say(warnings: list[str]) -> None:
    """What a reader should know."""
    for text in warnings:
        print(f"hyperbaton: warning: {text}", file=sys.stderr)
