"""The values of segments as TSV."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TextIO

from hyperbaton.files.lines import printable
from hyperbaton.metrics.metric import Metric
from hyperbaton.runs.engine import ScoredBatch


def segment_writer(
    table: TextIO, metrics: Mapping[str, Metric], system_count: int
) -> Callable[[ScoredBatch], None]:
    """Return a function that writes the values of batches: a row for each segment and system."""
    table.write("\t".join(["segment", "system", *map(printable, metrics)]) + "\n")
    waiting: list[tuple[str, list[tuple[float, ...]]]] = []  # systems of the same segments

    def write(scored: ScoredBatch) -> None:
        batch = scored.batch
        columns = [scored.values(key).tolist() for key in metrics]
        waiting.append((printable(batch.system), list(zip(*columns, strict=True))))
        if len(waiting) < system_count:
            return
        for k in range(len(batch)):
            for name, rows in waiting:
                values = "\t".join(map(repr, rows[k]))
                table.write(f"{batch.first + k + 1}\t{name}\t{values}\n")
        waiting.clear()

    return write
