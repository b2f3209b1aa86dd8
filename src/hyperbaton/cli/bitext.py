"""``hyperbaton align --source``: convert or profile existing alignments of a bitext."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.pharaoh import read_alignments, read_link_batches
from hyperbaton.cli.file_run import print_warnings
from hyperbaton.cli.progress import batches, with_progress
from hyperbaton.order.profile import reordering_profile
from hyperbaton.report.profile_tables import render_profile
from hyperbaton.text.display import terminal_width
from hyperbaton.text.lines import write_beside

SCHEMA = "hyperbaton/profile/1"
BATCH = 4000  # lines between two updates of the progress bar


def convert_alignments(
    path: str,
    source: str,
    target: str | None,
    base: int,
    possible: bool,
    write: Callable[[Alignment], str],
    output: str,
) -> None:
    """Write one line per alignment."""
    warnings: list[str] = []
    alignments = read_alignments(
        path, source, target, base=base, possible=possible, warn=warnings.append
    )
    with write_beside(output) as out:
        for batch in with_progress(batches(alignments, BATCH)):
            out.writelines(f"{write(alignment)}\n" for alignment in batch)
    print_warnings(f"warning: {text}" for text in warnings)


def write_profile(
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
    """Write statistics of the reorderings in a bitext."""
    warnings: list[str] = []
    pairs = read_link_batches(
        path, source, target, base=base, possible=possible, warn=warnings.append
    )
    values, lengths = [np.array([], np.int64)], [np.array([0])]
    with write_beside(output) as out:
        for batch in with_progress(pairs):
            permutations, offsets = batch.permutations(nulls)
            values.append(permutations)
            lengths.append(np.diff(offsets))
        offsets = np.cumsum(np.concatenate(lengths))
        profile = reordering_profile(np.concatenate(values), offsets, threads)
        if as_json:
            document = {"schema": SCHEMA, "nulls": nulls, **profile.to_dict()}
            out.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
        else:
            out.write(render_profile(profile, top, 4, terminal_width()) + "\n")
    print_warnings(f"warning: {text}" for text in warnings)
