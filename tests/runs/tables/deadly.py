"""A metric that does harm to its process where a translation is long, if a test asks for it.

The variable ``DEADLY`` names a folder. A file in it says what happens: ``once`` and ``always`` kill
the process, ``wait`` makes it wait until the file is deleted, ``bug`` raises an exception.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hyperbaton.metrics import MeanMetric, Option, Variant
from hyperbaton.metrics.batches import Batch
from hyperbaton.metrics.metric import Resources
from hyperbaton.runs.tables import shard_scoring
from waiting import wait_until

LONG = 30  # words


class Deadly(MeanMetric):
    """The length of the translation divided by that of the reference, at most 1."""

    VARIANTS: ClassVar[Mapping[str, Variant]] = {"deadly": Variant("", "", "")}
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "case": Option("lc", "case", ("lc", "mixed")),
        "tok": Option(None, "tokeniser", ("13a", "none")),
    }

    def statistics(self, batch: Batch) -> Any:
        hyp, ref = batch.lengths(self.tokenization)
        if hyp.max() >= LONG and "DEADLY" in os.environ:
            do_harm(Path(os.environ["DEADLY"]))
        values = np.minimum(1, hyp / np.maximum(ref, 1))
        return self.weighted_statistics(values[batch.best(values)], np.ones(len(batch)))

    def __reduce__(self) -> tuple[object, ...]:
        return load_in_worker, (self.name, self.resources)


def load_in_worker(name: str, resources: Resources) -> Deadly:
    """Return the metric in a process that begins to write files early."""
    write_early()
    return Deadly(name, resources)


def write_early() -> None:
    """Write the scores of every few rows, so that shards are half-written when harm is done."""
    shard_scoring.READ_ROWS = 4
    shard_scoring.WRITTEN_ROWS = 1


def do_harm(folder: Path) -> None:
    """Do what the files in the folder say, and note who did it."""
    (folder / f"reached-{os.getpid()}").touch()
    if (folder / "bug").exists():
        raise ZeroDivisionError
    if (folder / "once").exists():
        (folder / "once").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    if (folder / "always").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    wait_until(lambda: not (folder / "wait").exists())
