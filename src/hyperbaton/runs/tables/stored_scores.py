"""Scores that were written to Parquet files, read again without the texts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.files.lines import StrPath, printable
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.registry import make_metric
from hyperbaton.metrics.signature import Signature
from hyperbaton.runs.partial_scores import PartialScores
from hyperbaton.runs.results import Result, Score
from hyperbaton.runs.tables.arrow import import_pyarrow
from hyperbaton.runs.tables.footers import (
    Footer,
    check_same_run,
    damaged,
    open_shard,
    read_footer,
    report_damage,
    shard_files,
)
from hyperbaton.runs.tables.scorer import ALIGNED
from hyperbaton.runs.tables.shard_scoring import add_digests, statistics_column
from hyperbaton.text.plurals import count_noun

Floats = npt.NDArray[np.float64]
MOST_NAMED = 3


def read_scores(folder: StrPath) -> Result:
    """Read the scores of a system that :func:`hyperbaton.score_table` has written.

    The values of the corpus come from the footers of the files. The values and the statistics of
    segments are read when they are asked for.

    Parameters
    ----------
    folder : path
        The output folder, or the folder of one system in it.

    Returns
    -------
    Result
        The scores of the system.

    Raises
    ------
    InputError
        If the folder has no scores, lacks some of them, or has those of several systems.
    """
    systems = find_stored_scores(folder)
    if len(systems) > 1:
        names = ", ".join(printable(stored.path.name) for stored in systems)
        raise InputError(
            f"{printable(str(folder))} has several systems: give the folder of one ({names})"
        )
    return systems[0].result()


def find_stored_scores(folder: StrPath) -> list[StoredScores]:
    """Return the stored scores in an output folder: of one system, or of the folders in it."""
    path = Path(folder)
    if not os.path.isdir(path):  # Path.is_dir raises errors for names that are too long
        what = "is not a folder" if os.path.exists(path) else "does not exist"
        raise InputError(f"{printable(str(path))} {what}")
    if shard_files(path):
        stored = [StoredScores.open(path)]
    else:
        stored = [
            StoredScores.open(inner)
            for inner in sorted(path.iterdir())
            if inner.is_dir() and shard_files(inner)
        ]
    if not stored:
        raise InputError(f"{printable(str(path))} has no scores")
    return stored


@dataclass(frozen=True)
class StoredScores:
    """The shards of one system, all of them and all from the same run.

    Attributes
    ----------
    path : Path
        Their folder.
    footers : tuple of Footer
        Their footers, in order.
    """

    path: Path
    footers: tuple[Footer, ...]

    @classmethod
    def open(cls, path: Path) -> StoredScores:
        """Read the footers in a folder, and check that they belong together."""
        footers = [read_footer(file) for file in shard_files(path)]
        with report_damage(path):
            return cls._check(path, footers)

    @classmethod
    def _check(cls, path: Path, footers: list[Footer]) -> StoredScores:
        first = footers[0]
        for footer in footers[1:]:
            check_same_run(footer, first.settings, first.inputs, first.system, first.column)
        found = {footer.shard: footer for footer in footers}
        missing = first.shards - len(found)
        if missing:
            absent = (str(k + 1) for k in range(first.shards) if k not in found)
            named = ", ".join(islice(absent, MOST_NAMED))
            more = ", …" if missing > MOST_NAMED else ""
            raise InputError(
                f"{printable(str(path))}: {count_noun(missing, 'shard')} of {first.shards:,} "
                f"{'is' if missing == 1 else 'are'} missing ({named}{more})"
            )
        return cls(path, tuple(found[k] for k in range(first.shards)))

    def same_run(self, other: StoredScores) -> bool:
        """Return whether both were scored with the same settings, from the same files."""
        mine, theirs = self.footers[0], other.footers[0]
        return (mine.settings, mine.inputs) == (theirs.settings, theirs.inputs)

    @property
    def system(self) -> str:
        """Name of the system."""
        return self.footers[0].system

    @property
    def skipped(self) -> int:
        """Number of rows without scores."""
        return sum(footer.skipped for footer in self.footers)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return sum(int(footer.input["rows"]) for footer in self.footers)

    @property
    def references(self) -> tuple[int, int]:
        """Digest of the references."""
        total = (0, 0)
        for footer in self.footers:
            total = add_digests(total, footer.references)
        return total

    @property
    def has_statistics(self) -> bool:
        """Whether the statistics of segments were written."""
        return bool(self.footers[0].settings["statistics"])

    @property
    def language(self) -> str | None:
        """The language that was given."""
        languages = (metric.resources.language for metric in self.metrics.values())
        return next((language for language in languages if language), None)

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The metrics."""
        return {
            key: make_metric(key, Resources(**resources))
            for key, resources in self.footers[0].settings["metrics"].items()
        }

    def _signature(self, key: str, score: Score) -> str:
        """Return the signature from when the rows were scored, with the number of references."""
        signature = Signature.parse(self.footers[0].settings["signatures"][key])
        signature.info["nrefs"] = Signature.parse(score.signature).info["nrefs"]
        return str(signature)

    def result(self) -> Result:
        """Return the scores, as if they came from one run over all rows.

        Raises
        ------
        InputError
            If no row has scores, or the footers are damaged.
        """
        with report_damage(self.path):
            return self._merge()

    def _merge(self) -> Result:
        merged: PartialScores | None = None
        for footer in self.footers:
            partial = PartialScores.from_state(footer.scores, self.metrics, self.system)
            if merged is None:
                merged = partial
            else:
                merged.merge(partial)
        assert merged is not None
        if not merged.n:
            raise InputError(f"{printable(str(self.path))}: no row could be scored")
        scores: dict[str, Score] = {}
        for key, score in merged.result().items():
            stored = StatisticsColumn(self.footers, key) if self.has_statistics else None
            fields = {**vars(score), "stored": stored, "signature": self._signature(key, score)}
            scores[key] = StoredScore(**fields, footers=self.footers, key=key)
        if not scores:
            raise damaged(self.path)  # its footers name no metric
        return Result(scores, self.system, skipped=self.skipped)


@dataclass(frozen=True, eq=False)
class StoredScore(Score):
    """A score whose segments are in files."""

    footers: Sequence[Footer] = ()
    key: str = ""

    @cached_property
    def segments(self) -> Floats:
        """The value of each row; NaN if it could not be scored."""
        columns = [read_score_column(footer, self.key) for footer in self.footers]
        values: Floats = np.concatenate([column.to_numpy() for column in columns])
        values.flags.writeable = False
        return values

    @property
    def aligned_segments(self) -> Floats | None:
        """The share of linked words of each row; NaN if it could not be scored."""
        if self.aligned is None:
            return None
        # A shard has one column of shares: those of the metric that the result's share is from.
        columns = [read_score_column(footer, ALIGNED) for footer in self.footers]
        return np.concatenate([column.to_numpy() for column in columns])


@dataclass(frozen=True)
class StatisticsColumn:
    """The statistics of segments in files; they are read anew each time."""

    footers: Sequence[Footer]
    key: str

    def expand(self) -> Floats:
        """Return all rows as one array that cannot be changed."""
        name = statistics_column(self.key)
        parts = [
            read_score_column(footer, name).drop_null().combine_chunks() for footer in self.footers
        ]
        parts = [part for part in parts if len(part)]
        rows: Floats = np.concatenate(
            [part.flatten().to_numpy().reshape(len(part), -1) for part in parts]
        )
        rows.flags.writeable = False
        return rows


def read_score_column(footer: Footer, name: str) -> Any:
    """Read one column of a shard."""
    arrow = import_pyarrow()
    try:
        column = open_shard(footer.path).read(columns=[name]).column(name)
        if len(column) == footer.input["rows"] and column.null_count == footer.skipped:
            return column
    except (arrow.ArrowException, OSError, ValueError, KeyError):
        pass
    name = printable(str(footer.path))
    raise InputError(f"{name} is damaged: delete it, and score again") from None
