"""The scoring engine: batches in, exact partial sums and results out.

Every command and function that scores goes through :func:`score_batches`. Producers of batches
(:mod:`~hyperbaton.runs.list_input`, :mod:`~hyperbaton.runs.file_input`) may hand them over
lazily, in any order and from any process. Sums are exact, so that partial scores merge to the same
last bit in whatever order they are merged.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError
from hyperbaton.metrics.batches import BATCH_SIZE, Batch, Corpus, locate_errors
from hyperbaton.metrics.fitting import fit_metrics
from hyperbaton.metrics.provenance import Provenance
from hyperbaton.metrics.signature import reference_count
from hyperbaton.parallel import map_in_order
from hyperbaton.runs.results import Result, Score
from hyperbaton.runs.source_linking import find_source_aligner
from hyperbaton.runs.stored_batches import StoredBatch
from hyperbaton.runs.stored_statistics import StoredRows, StoredStatistics
from hyperbaton.stats.sums import ExactSums
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.alignment.aligner_training import Progress as AlignProgress
    from hyperbaton.metrics.metric import Metric
    from hyperbaton.metrics.needs import Linker

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Keep:
    """What is kept of each segment beyond the sums.

    Attributes
    ----------
    statistics : bool
        The segments' statistics, for segment values, intervals and comparisons.
    texts : bool
        The texts, for reports.
    linking : Linker, optional
        What found the links that are kept with the texts, so that a report does not align again.
    """

    statistics: bool = True
    texts: bool = False
    linking: Linker | None = None


class MetricStatistics(NamedTuple):
    """What one metric computes from a batch: statistics, and linked and all words if it aligns."""

    rows: Floats
    coverage: Floats | None


def compute_statistics(batch: Batch, metrics: Mapping[str, Metric]) -> dict[str, MetricStatistics]:
    """Return the statistics of each metric: a pure function of the batch.

    Raises
    ------
    InputError
        If a segment is invalid. The message says where the segment comes from.
    """
    measures = (metric.needs.measures for metric in metrics.values())
    batch.expect_measures(frozenset().union(*measures))
    with locate_errors(batch):
        statistics = {
            key: MetricStatistics(metric.statistics(batch), count_coverage(metric, batch))
            for key, metric in metrics.items()
        }
    for key, (rows, _) in statistics.items():
        check_rows(key, rows, len(batch))
    return statistics


def count_coverage(metric: Metric, batch: Batch) -> Floats | None:
    """Return linked words and all words of each segment; None if no words are compared."""
    count = metric.needs.coverage
    return None if count is None else count(batch)


def check_rows(metric: str, rows: object, segments: int) -> None:
    """Raise an error if a metric, perhaps of another package, breaks the contract of statistics."""
    if not isinstance(rows, np.ndarray) or rows.dtype != np.float64:
        kind = getattr(rows, "dtype", type(rows).__name__)
        raise InputError(f"{metric}: statistics must be an array of float64, got {kind}")
    if rows.ndim != 2 or len(rows) != segments or not rows.shape[1]:
        raise InputError(
            f"{metric}: statistics must have a row for each of {segments:,} segments, got the "
            f"shape {rows.shape}"
        )
    if not np.isfinite(rows).all():
        segment = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise InputError(f"{metric}: the statistics of segment {segment} of a batch are not finite")


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
            self._stored.append(StoredBatch.from_batch(batch, self.keep.linking))
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


def score_batches(
    batches: Iterable[Batch],
    metrics: Mapping[str, Metric],
    keep: Keep = Keep(),
    observe: Callable[[Batch, Mapping[str, MetricStatistics]], None] | None = None,
    threads: int = 1,
) -> dict[str, PartialScores]:
    """Score batches of one or more systems.

    Parameters
    ----------
    batches : iterable of Batch
        Batches in any order. Each is scored and then released.
    metrics : mapping of str to Metric
        The metrics, keyed as results will be.
    keep : Keep
        What to keep of each segment.
    observe : callable, optional
        Called with each batch and its statistics, in the order of batches.
    threads : int
        Number of batches that are computed at a time, if all metrics allow it. Batches are read a
        little ahead.

    Returns
    -------
    dict of str to PartialScores
        For each system, in the order in which systems first occur.
    """
    partials: dict[str, PartialScores] = {}
    for batch, statistics in compute_batches(batches, metrics, threads):
        if batch.system not in partials:
            partials[batch.system] = PartialScores(metrics, keep, batch.system)
        partials[batch.system].add(batch, statistics)
        if observe is not None:
            observe(batch, statistics)
    return partials


def compute_batches(
    batches: Iterable[Batch], metrics: Mapping[str, Metric], threads: int = 1
) -> Iterator[tuple[Batch, dict[str, MetricStatistics]]]:
    """Yield each batch with its statistics, in order.

    ``threads`` batches are computed at a time, if all metrics allow it.
    """
    if threads == 1 or not all(metric.needs.thread_safe for metric in metrics.values()):
        for batch in batches:
            yield batch, compute_statistics(batch, metrics)
        return

    def compute(batch: Batch, threads: int) -> dict[str, MetricStatistics]:
        batch.threads = threads
        return compute_statistics(batch, metrics)

    yield from map_in_order(compute, batches, threads)


def need_trees(metrics: Iterable[Metric]) -> bool:
    """Return whether one of the metrics needs dependency trees."""
    return any(metric.needs.trees for metric in metrics)


def score_corpus(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    keep: Keep = Keep(),
    observe: Callable[[Batch, Mapping[str, MetricStatistics]], None] | None = None,
    *,
    batch_size: int = BATCH_SIZE,
    progress: Callable[[Iterable[Batch]], Iterable[Batch]] = iter,
    fit_progress: Callable[[Iterable[_core.Lines]], Iterable[_core.Lines]] = iter,
    align_progress: Callable[[], AbstractContextManager[AlignProgress | None]] = nullcontext,
) -> list[Result]:
    """Score all systems of a corpus.

    Parameters
    ----------
    corpus : Corpus
        Producer of batches.
    metrics, keep, observe
        As for :func:`score_batches`.
    batch_size : int
        Number of segments that are scored at a time. It changes no number.
    progress : callable
        Receives the batches and hands them on one by one.
    fit_progress : callable
        Does the same with blocks of references, if a metric is fitted on them.
    align_progress : callable
        Returns a context in which a source aligner is trained, if there is one, with a function
        that is called with the work done and the total.
    """
    with align_progress() as report:
        aligner = find_source_aligner(corpus, metrics, report)
    metrics = fit_metrics(metrics, lambda: fit_progress(corpus.reference_blocks()), corpus.threads)
    needs_trees = need_trees(metrics.values())
    batches = progress(corpus.batches(batch_size, needs_trees=needs_trees, aligner=aligner))
    partials = score_batches(batches, metrics, keep, observe, thread_count(corpus.threads))
    return [partial.result() for partial in partials.values()]
