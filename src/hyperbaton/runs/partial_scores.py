"""Results from scored batches: exact partial sums, which merge to the same last bit.

Batches may come in any order and from any process, and partial scores may be merged in any order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.metrics.batches import Batch
from hyperbaton.metrics.linking import first_linking
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.signature import Provenance, reference_count
from hyperbaton.runs.engine import (
    NO_PROGRESS,
    MetricStatistics,
    ProgressHooks,
    ScoredBatch,
    score_batches,
)
from hyperbaton.runs.results import Result, Score
from hyperbaton.runs.run import Corpus, Keep, Run
from hyperbaton.runs.stored_segments import StoredBatch, StoredRows, StoredStatistics
from hyperbaton.stats.sums import ExactSums

Floats = npt.NDArray[np.float64]


class PartialScores:
    """The exact sums of one system over some batches, and what is kept of its segments.

    Partial scores of different batches can be pickled and merged. The result does not depend on
    the order of batches or of merging.
    """

    def __init__(self, metrics: Mapping[str, Metric], keep: Keep, system: str = "system") -> None:
        self.metrics = dict(metrics)
        self.keep = keep
        self.system = system
        self._sums: dict[str, ExactSums] = {}
        self._coverage: dict[str, ExactSums] = {}
        self._spans: list[tuple[int, int]] = []  # first segment and end of each batch
        self._rows: list[StoredRows] = []  # of each batch
        self._stored: list[StoredBatch] = []
        self._reference_counts: set[int] = set()
        self._provenances: set[Provenance] = set()

    def add(self, batch: Batch, statistics: Mapping[str, MetricStatistics]) -> None:
        """Add the statistics of one more batch."""
        for key, (rows, coverage) in statistics.items():
            self._sums.setdefault(key, ExactSums(rows.shape[1])).add(rows)
            if coverage is not None:
                self._coverage.setdefault(key, ExactSums(2)).add(coverage)
        self._spans.append((batch.first, batch.first + len(batch)))
        if self.keep.statistics:
            rows_by_key: dict[Hashable, Floats] = {}
            for key, (rows, coverage) in statistics.items():
                rows_by_key[key] = rows
                if coverage is not None:
                    rows_by_key[key, "coverage"] = coverage
            self._rows.append(StoredRows(rows_by_key))
        if self.keep.texts:
            linked = first_linking(self.metrics.values()) if self.keep.links else None
            self._stored.append(StoredBatch.from_batch(batch, linked))
        self._reference_counts.update(batch.references.counts.tolist())
        self._provenances.add(batch.provenance)

    def merge(self, other: PartialScores) -> None:
        """Add the batches of other partial scores of the same system and metrics."""
        if (self.metrics, self.keep, self.system) != (other.metrics, other.keep, other.system):
            raise ValueError("partial scores of different metrics or systems cannot be merged")
        for mine, theirs in ((self._sums, other._sums), (self._coverage, other._coverage)):
            for key, sums in theirs.items():
                if key in mine:
                    mine[key].merge(sums)
                else:
                    mine[key] = ExactSums.from_state(sums.state())
        self._spans += other._spans
        self._rows += other._rows
        self._stored += other._stored
        self._reference_counts |= other._reference_counts
        self._provenances |= other._provenances

    @property
    def n(self) -> int:
        """The number of segments."""
        return sum(end - first for first, end in self._spans)

    def state(self) -> dict[str, Any]:
        """Return the exact sums and what belongs to them, for JSON, without kept segments."""
        return {
            "sums": {key: sums.state() for key, sums in self._sums.items()},
            "coverage": {key: sums.state() for key, sums in self._coverage.items()},
            "spans": _join_spans(self._spans),
            "reference_counts": sorted(self._reference_counts),
            "provenances": sorted(
                dataclasses.astuple(provenance) for provenance in self._provenances
            ),
        }

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], metrics: Mapping[str, Metric], system: str = "system"
    ) -> PartialScores:
        """Restore partial scores from their :meth:`state`."""
        partial = cls(metrics, Keep(statistics=False), system)
        partial._sums = {key: ExactSums.from_state(sums) for key, sums in state["sums"].items()}
        partial._coverage = {
            key: ExactSums.from_state(sums) for key, sums in state["coverage"].items()
        }
        partial._spans = [(first, end) for first, end in state["spans"]]
        partial._reference_counts = set(state["reference_counts"])
        partial._provenances = {Provenance(*fields) for fields in state["provenances"]}
        return partial

    def result(self) -> Result:
        """Return the scores of all batches.

        Raises
        ------
        InputError
            If there are no segments, or if alignments or trees were given only for some of them.
        """
        if not self.n:
            raise InputError("there are no segments")
        if len(self._provenances) > 1:
            raise InputError(
                f"{self.system}: alignments or trees are given for some segments and not for others"
            )
        order = sorted(range(len(self._spans)), key=lambda k: self._spans[k])
        for before, after in pairwise(order):
            if self._spans[after][0] < self._spans[before][1]:
                raise ValueError(f"segment {self._spans[after][0]} is in two batches")
        stored = tuple(self._stored[k] for k in order) if self.keep.texts else None
        return Result({key: self._score(key, order) for key in self.metrics}, self.system, stored)

    def _score(self, key: str, order: list[int]) -> Score:
        metric, sums = self.metrics[key], self._sums[key].totals()
        (provenance,) = self._provenances
        aligned = None
        if key in self._coverage:
            linked, words = self._coverage[key].totals().tolist()
            aligned = linked / max(words, 1)
        rows = [self._rows[k] for k in order] if self.keep.statistics else None
        return Score(
            metric,
            float(metric.aggregate(sums)),
            self.n,
            str(metric.signature(reference_count(self._reference_counts), provenance)),
            sums,
            None if rows is None else StoredStatistics(rows, key),
            aligned,
            metric.inexact(sums),
            stored_coverage=None
            if rows is None or aligned is None
            else StoredStatistics(rows, (key, "coverage")),
        )


def _join_spans(spans: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the spans in order, neighbours joined.

    >>> _join_spans([(6, 9), (0, 3), (3, 5)])
    [[0, 5], [6, 9]]
    """
    joined: list[list[int]] = []
    for first, end in sorted(spans):
        if joined and joined[-1][1] == first:
            joined[-1][1] = end
        else:
            joined.append([first, end])
    return joined


def score_corpus(
    corpus: Corpus,
    run: Run,
    observe: Callable[[ScoredBatch], None] | None = None,
    progress: ProgressHooks = NO_PROGRESS,
) -> list[Result]:
    """Return the scores of each system, in the order in which systems first occur.

    Parameters
    ----------
    corpus : Corpus
        The texts.
    run : Run
        What is computed and kept.
    observe : callable, optional
        Called with each scored batch, in the order of batches.
    progress : ProgressHooks
        How progress is shown; by default not at all.
    """
    partials: dict[str, PartialScores] = {}
    for scored in score_batches(corpus, run, progress):
        system = scored.batch.system
        if system not in partials:
            partials[system] = PartialScores(scored.metrics, run.keep, system)
        partials[system].add(scored.batch, scored.statistics)
        if observe is not None:
            observe(scored)
    results = [partial.result() for partial in partials.values()]
    if run.source_alignment is not None:
        for result in results:
            result.notices = tuple(run.source_alignment.notes)
    return results
