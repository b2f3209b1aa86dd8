"""The engine: the one loop that computes statistics, of every run over every corpus.

Whatever scores goes through :func:`score_batches`. Results
(:mod:`~hyperbaton.runs.partial_scores`), the rows of tables, explanations and the objective of
tuning are made of the batches that it yields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import ContractError
from hyperbaton.metrics.batches import Batch, locate_errors
from hyperbaton.metrics.fitting import fit_metrics
from hyperbaton.runs.run import Corpus, Request, Run
from hyperbaton.threads import map_in_order, thread_count

if TYPE_CHECKING:
    from hyperbaton.alignment.source_aligner import SourceAlignment
    from hyperbaton.alignment.translation_model import Progress as TrainingProgress
    from hyperbaton.metrics.metric import Metric
    from hyperbaton.runs.source_linking import SourceLinker

Floats = npt.NDArray[np.float64]
READ_TO_TRAIN = "--align-source reads source, references and systems twice"
READ_TO_FIT = (
    "a metric is fitted on the references, which are then read twice "
    "(soft_order:precedence=off needs no fit)"
)


class MetricStatistics(NamedTuple):
    """What one metric computes from a batch: statistics, and linked and all words if it aligns."""

    rows: Floats
    coverage: Floats | None


class ScoredBatch(NamedTuple):
    """A batch with the statistics of each metric. The metrics are fitted."""

    batch: Batch
    metrics: Mapping[str, Metric]
    statistics: Mapping[str, MetricStatistics]

    def values(self, key: str) -> Floats:
        """Return the value of each segment by a metric."""
        return self.metrics[key].segment_values(self.statistics[key].rows)


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
    """Yield the batches of a corpus with their statistics, in order.

    Metrics are fitted first, and a source aligner is trained, if the run needs it. Batches are
    computed at the same time if all metrics allow it, and read only a little ahead.

    Raises
    ------
    InputError
        If a segment is invalid. The message says where the segment comes from.
    ContractError
        If statistics are not what a metric has to give.
    """
    total, threads = corpus.segment_count, thread_count(run.threads)
    linker = None
    if run.source_alignment is not None:
        linker = train_linker(corpus, run, run.source_alignment, progress)

    def references() -> Iterator[_core.Lines]:
        request = Request(hypotheses=False, again=READ_TO_FIT)
        return (batch.references.utf8 for batch in corpus.batches(request))

    metrics = fit_metrics(run.metrics, lambda: progress.fitting(references()), threads)
    trees = need_trees(metrics.values())
    batches = corpus.batches(Request(run.batch_size, source=linker is not None, trees=trees))
    if linker is not None:
        batches = linker.link(batches)
    shown = progress.scoring(batches, total)
    compute = partial(compute_statistics, metrics=metrics, coverage=run.keep.coverage)
    computed: Iterable[tuple[Batch, dict[str, MetricStatistics]]]
    if all(metric.needs.thread_safe for metric in metrics.values()):
        computed = map_in_order(compute, shown, threads)
    else:
        computed = ((batch, compute(batch, threads)) for batch in shown)
    for batch, statistics in computed:
        yield ScoredBatch(batch, metrics, statistics)


def train_linker(
    corpus: Corpus, run: Run, alignment: SourceAlignment, progress: ProgressHooks
) -> SourceLinker:
    """Return what finds links with the source, trained on the corpus unless it was before."""
    from hyperbaton.runs.source_linking import SourceLinker, source_pairs, target_text

    request = Request(source=True, again=READ_TO_TRAIN)
    with progress.training() as report:
        aligner = alignment.find_aligner(
            target_text(run.metrics),
            lambda: source_pairs(corpus.batches(request)),
            run.threads,
            report,
        )
    return SourceLinker(aligner, alignment, run.threads)


def read_batches(corpus: Corpus, size: int, trees: bool) -> list[Batch]:
    """Return all batches of a corpus, perhaps with trees, to score them as ``KeptBatches``."""
    return list(corpus.batches(Request(size, trees=trees)))


def compute_statistics(
    batch: Batch, threads: int | None, metrics: Mapping[str, Metric], coverage: bool = True
) -> dict[str, MetricStatistics]:
    """Return the statistics of each metric: a pure function of the batch."""
    batch.threads = threads
    measures = (metric.needs.measures for metric in metrics.values())
    batch.expect_measures(frozenset().union(*measures))
    statistics = {}
    with locate_errors(batch):
        for key, metric in metrics.items():
            rows = metric.statistics(batch)
            count = metric.needs.coverage if coverage else None
            statistics[key] = MetricStatistics(rows, None if count is None else count(batch))
    for key, (rows, _) in statistics.items():
        check_rows(key, rows, len(batch))
    return statistics


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
