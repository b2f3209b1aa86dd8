"""The engine: the one loop that computes statistics, of every run over every corpus.

Whatever scores goes through :func:`score_batches`. Results, the rows of tables, explanations and
the objective of tuning are made of the batches that it yields. Results are exact partial sums: the
batches may come in any order and from any process, and partial scores may be merged in any order.
They merge to the same last bit.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import ContractError, InputError
from hyperbaton.metrics.batches import Batch, locate_errors
from hyperbaton.metrics.metric import Metric, has_value, shown_values
from hyperbaton.metrics.parts import fit_metrics
from hyperbaton.metrics.signature import Provenance, reference_count
from hyperbaton.runs.results import Result, Score
from hyperbaton.runs.run import Corpus, Keep, Request, Run
from hyperbaton.runs.stored_segments import (
    StoredAnchors,
    StoredBatch,
    StoredRows,
    StoredStatistics,
)
from hyperbaton.softorder.anchors import Anchors
from hyperbaton.softorder.evidence import Evidence
from hyperbaton.stats.sums import ExactSums
from hyperbaton.threads import map_in_order, thread_count

if TYPE_CHECKING:
    from hyperbaton.alignment.source_aligner import SourceAlignment
    from hyperbaton.alignment.translation_model import PairBlock
    from hyperbaton.alignment.translation_model import Progress as TrainingProgress
    from hyperbaton.runs.source_linking import SourceLinker
    from hyperbaton.softorder.anchors import Anchors

Floats = npt.NDArray[np.float64]
SUMMED = ("sums", "coverage", "evidence")  # of statistics, linked words and matched words


class MetricStatistics(NamedTuple):
    """What one metric computes from a batch: statistics of segments, and what belongs to them.

    Attributes
    ----------
    rows : array
        The statistics.
    coverage : array, optional
        Linked words and all words, if it links words.
    evidence : array, optional
        Matched words, and words that could be told apart, if it compares their order.
    anchors : Anchors, optional
        The words by which systems are compared, if that is not done by values.
    """

    rows: Floats
    coverage: Floats | None = None
    evidence: Floats | None = None
    anchors: Anchors | None = None


class ScoredBatch(NamedTuple):
    """A batch with the statistics of each metric. The metrics are fitted."""

    batch: Batch
    metrics: Mapping[str, Metric]
    statistics: Mapping[str, MetricStatistics]

    def values(self, key: str) -> Floats:
        """Return the value of each segment by a metric; NaN where it is not scored."""
        return shown_values(self.metrics[key], self.statistics[key].rows)


@dataclass(frozen=True)
class ProgressHooks:
    """How a run shows what is done; by default not at all.

    Attributes
    ----------
    scoring : callable
        Receives the batches and the number of segments, if it is known, and hands the batches on.
    fitting : callable
        Does the same with blocks of references, if a metric is fitted on them.
    training : callable
        Returns a context in which a source aligner is trained, if there is one, with a function
        that is called with the work done and the total.
    """

    scoring: Callable[[Iterable[Batch], int | None], Iterable[Batch]] = lambda batches, _: batches
    fitting: Callable[[Iterable[_core.Lines]], Iterable[_core.Lines]] = iter
    training: Callable[[], AbstractContextManager[TrainingProgress | None]] = nullcontext


NO_PROGRESS = ProgressHooks()


def score_batches(
    corpus: Corpus, run: Run, progress: ProgressHooks = NO_PROGRESS
) -> Iterator[ScoredBatch]:
    """Return the batches of a corpus with their statistics, in order; they are read when needed.

    Metrics are fitted first, and a source aligner is trained, if the run needs it. Batches are
    computed at the same time if all metrics allow it, and read only a little ahead.

    Raises
    ------
    InputError
        If a segment is invalid. The message says where the segment comes from.
    ContractError
        If statistics are not what a metric has to give.
    """
    alignment = run.source_alignment
    total, threads = corpus.segment_count, thread_count(run.threads)
    linker = None if alignment is None else train_linker(corpus, run, alignment, progress)

    def references() -> Iterator[_core.Lines]:
        request = Request(hypotheses=False, again=True)
        return (batch.references.utf8 for batch in corpus.batches(request))

    metrics = fit_metrics(run.metrics, lambda: progress.fitting(references()), threads)
    trees = need_trees(metrics.values())
    batches = corpus.batches(Request(run.batch_size, source=linker is not None, trees=trees))
    if linker is not None:
        batches = linker.link(batches)
    shown = progress.scoring(batches, total)
    score = partial(score_batch, metrics=metrics, keep=run.keep)
    if all(metric.needs.thread_safe for metric in metrics.values()):
        return map_in_order(score, shown, threads)
    return (score(batch, threads) for batch in shown)


def train_linker(
    corpus: Corpus, run: Run, alignment: SourceAlignment, progress: ProgressHooks
) -> SourceLinker:
    """Return what finds links with the source, trained on the corpus unless it was before."""
    from hyperbaton.runs.source_linking import SourceLinker, source_pairs, target_text

    def pairs() -> Iterator[PairBlock]:
        return source_pairs(corpus.batches(Request(source=True, again=True)))

    with progress.training() as report:
        aligner = alignment.find_aligner(target_text(run.metrics), pairs, run.threads, report)
    return SourceLinker(aligner, alignment, run.threads)


def read_batches(corpus: Corpus, size: int, trees: bool) -> list[Batch]:
    """Return all batches of a corpus, perhaps with trees, to score them as ``KeptBatches``."""
    return list(corpus.batches(Request(size, trees=trees)))


def score_batch(
    batch: Batch, threads: int | None, metrics: Mapping[str, Metric], keep: Keep
) -> ScoredBatch:
    """Return a batch with the statistics of each metric: a pure function of the batch."""
    batch.threads = threads
    measures = (metric.needs.measures for metric in metrics.values())
    batch.expect_measures(frozenset().union(*measures))
    statistics = {}
    with locate_errors(batch):
        for key, metric in metrics.items():
            rows, needs = metric.statistics(batch), metric.needs
            statistics[key] = MetricStatistics(
                rows,
                needs.coverage(batch) if needs.coverage and keep.coverage else None,
                needs.evidence(batch) if needs.evidence and keep.coverage else None,
                needs.anchors(batch) if needs.anchors and keep.anchors else None,
            )
    for key, (rows, *_) in statistics.items():
        check_rows(key, rows, len(batch))
    return ScoredBatch(batch, metrics, statistics)


def check_rows(metric: str, rows: object, segments: int) -> None:
    """Raise an error if a metric, perhaps of another package, breaks the contract of statistics."""
    if not isinstance(rows, np.ndarray) or rows.dtype != np.float64:
        kind = getattr(rows, "dtype", type(rows).__name__)
        raise ContractError(f"{metric}: statistics must be an array of float64, got {kind}")
    if rows.ndim != 2 or len(rows) != segments or not rows.shape[1]:
        raise ContractError(
            f"{metric}: statistics must have a row for each of {segments:,} segments, got the "
            f"shape {rows.shape}"
        )
    if not np.isfinite(rows).all():
        segment = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise ContractError(
            f"{metric}: the statistics of segment {segment} of a batch are not finite"
        )


def need_trees(metrics: Iterable[Metric]) -> bool:
    """Return whether one of the metrics needs dependency trees."""
    return any(metric.needs.trees for metric in metrics)


class PartialScores:
    """The exact sums of one system over some batches, and what is kept of its segments.

    Partial scores of different batches can be pickled and merged. The result does not depend on
    the order of batches or of merging.
    """

    def __init__(self, metrics: Mapping[str, Metric], keep: Keep, system: str = "system") -> None:
        self.metrics = dict(metrics)
        self.keep = keep
        self.system = system
        self._sums: dict[str, dict[str, ExactSums]] = {kind: {} for kind in SUMMED}
        self._anchors: dict[str, list[Anchors]] = {}  # of each batch
        self._spans: list[tuple[int, int]] = []  # first segment and end of each batch
        self._rows: list[StoredRows] = []  # of each batch
        self._stored: list[StoredBatch] = []
        self._reference_counts: set[int] = set()
        self._provenances: set[Provenance] = set()

    def add(self, batch: Batch, statistics: Mapping[str, MetricStatistics]) -> None:
        """Add the statistics of one more batch."""
        stored: dict[Hashable, Floats] = {}
        for key, (rows, coverage, evidence, anchors) in statistics.items():
            for kind, numbers in zip(SUMMED, (rows, coverage, evidence), strict=True):
                if numbers is not None:
                    self._sums[kind].setdefault(key, ExactSums(numbers.shape[1])).add(numbers)
            stored[key] = rows
            if coverage is not None:
                stored[key, "coverage"] = coverage
            if anchors is not None and self.keep.statistics:
                self._anchors.setdefault(key, []).append(anchors)
        self._spans.append((batch.first, batch.first + len(batch)))
        if self.keep.statistics:
            self._rows.append(StoredRows(stored))
        if self.keep.texts:
            self._stored.append(
                StoredBatch.from_batch(batch, self.metrics.values(), self.keep.links)
            )
        self._reference_counts.update(batch.references.counts.tolist())
        self._provenances.add(batch.provenance)

    def merge(self, other: PartialScores) -> None:
        """Add the batches of other partial scores of the same system and metrics."""
        if (self.metrics, self.keep, self.system) != (other.metrics, other.keep, other.system):
            raise ValueError("partial scores of different metrics or systems cannot be merged")
        for kind, mine in self._sums.items():
            for key, sums in other._sums[kind].items():
                if key in mine:
                    mine[key].merge(sums)
                else:
                    mine[key] = ExactSums.from_state(sums.state())
        for key, anchors in other._anchors.items():
            self._anchors.setdefault(key, []).extend(anchors)
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
            **{
                kind: {key: sums.state() for key, sums in by_metric.items()}
                for kind, by_metric in self._sums.items()
            },
            "spans": _join_spans(self._spans),
            "reference_counts": sorted(self._reference_counts),
            "provenances": sorted(map(dataclasses.astuple, self._provenances)),
        }

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], metrics: Mapping[str, Metric], system: str = "system"
    ) -> PartialScores:
        """Restore partial scores from their :meth:`state`."""
        partial = cls(metrics, Keep(statistics=False), system)
        for kind, by_metric in partial._sums.items():
            by_metric |= {key: ExactSums.from_state(sums) for key, sums in state[kind].items()}
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
        metric, sums = self.metrics[key], self._sums["sums"][key].totals()
        (provenance,) = self._provenances
        share = evidence = None
        if key in self._sums["coverage"]:
            linked, words = self._sums["coverage"][key].totals().tolist()
            share = linked / max(words, 1)
        if key in self._sums["evidence"]:
            matched, words = self._sums["evidence"][key].totals().tolist()
            evidence = Evidence(matched, words, metric.tokenization.splits_characters)
        rows = [self._rows[k] for k in order] if self.keep.statistics else None
        anchors = self._anchors.get(key)
        return Score(
            metric,
            float(metric.aggregate(sums)) if has_value(metric, sums) else None,
            self.n,
            str(metric.signature(reference_count(self._reference_counts), provenance)),
            sums,
            None if rows is None else StoredStatistics(rows, key),
            share,
            metric.inexact(sums),
            stored_coverage=None
            if rows is None or share is None
            else StoredStatistics(rows, (key, "coverage")),
            evidence=evidence,
            stored_anchors=None if anchors is None else StoredAnchors([anchors[k] for k in order]),
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
    results = [of_system.result() for of_system in partials.values()]
    if run.source_alignment is not None:
        for result in results:
            result.notices = tuple(run.source_alignment.notes)
    return results
