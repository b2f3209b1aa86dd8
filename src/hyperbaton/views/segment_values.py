"""The values of segments as TSV."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TextIO

from hyperbaton.files.lines import printable
from hyperbaton.metrics.batches import Batch
from hyperbaton.metrics.metric import Metric
from hyperbaton.runs.engine import MetricStatistics


def segment_writer(
    table: TextIO, metrics: Mapping[str, Metric], system_count: int
) -> Callable[[Batch, Mapping[str, MetricStatistics]], None]:
    """Return a function that writes the values of batches: a row for each segment and system."""
    table.write("\t".join(["segment", "system", *map(printable, metrics)]) + "\n")
    waiting: list[tuple[str, list[tuple[float, ...]]]] = []  # systems of the same segments

    def write(batch: Batch, statistics: Mapping[str, MetricStatistics]) -> None:
        columns = [
            metrics[key].segment_values(rows).tolist() for key, (rows, _) in statistics.items()
        ]
        waiting.append((printable(batch.system), list(zip(*columns, strict=True))))
        if len(waiting) < system_count:
            return
        for k in range(len(batch)):
            for name, rows in waiting:
                values = "\t".join(map(repr, rows[k]))
                table.write(f"{batch.first + k + 1}\t{name}\t{values}\n")
        waiting.clear()

    return write
