"""sacreBLEU's interface of a metric, so that its paired tests take our metrics beside ``BLEU()``.

References come here as sacreBLEU has them: one list for each reference stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.metrics.batches import Batch, ReferenceTexts
from hyperbaton.metrics.inputs import (
    References,
    check_lines,
    check_reference_list,
    references_from_streams,
)
from hyperbaton.metrics.metric import Floats, Metric, Streams, has_value, segment_signature
from hyperbaton.metrics.parts import fit_metrics, with_saved_model, without_fit
from hyperbaton.metrics.signature import Signature, reference_count
from hyperbaton.runs.engine import score_batches, score_corpus
from hyperbaton.runs.intervals import with_intervals
from hyperbaton.runs.results import Score
from hyperbaton.runs.run import STATISTICS_ALONE, KeptBatches, Run
from hyperbaton.runs.stored_segments import StoredStatistics
from hyperbaton.stats.sampling import Sampling
from hyperbaton.stats.sums import ExactSums


@dataclass(frozen=True)
class SacrebleuAdapter:
    """A metric as sacreBLEU calls it. It has no state that changes between calls.

    Like sacreBLEU's own metrics it may be made with references. Signatures then name their number,
    and calls may leave them out.

    >>> from hyperbaton import metrics
    >>> adapter = metrics.get("pef:tok=none").with_references([["a b c"]])
    >>> adapter.corpus_score(["a c b"], None).value
    0.6
    >>> print(adapter.get_signature())
    pef|beta:0.6|gamma:0|bp:permutation|unaligned:drop|weight:none|nrefs:1|case:lc|tok:none|...
    """

    metric: Metric
    references: Streams | None = None

    def corpus_score(
        self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1
    ) -> Score:
        """Score a corpus.

        Parameters
        ----------
        hypotheses : sequence of str
            Translations.
        references : sequence of sequences
            One list for each reference stream; None stands for a missing reference.
        n_bootstrap : int
            With more than one bootstrap sample, the score has a 95 % interval.
        """
        batch = self._batch(hypotheses, references)
        results = score_corpus(KeptBatches([batch]), Run({self.metric.name: self.metric}))
        if n_bootstrap > 1:
            results = with_intervals(results, Sampling(samples=n_bootstrap))
        return results[0][self.metric.name]

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Score:
        """Score one segment.

        A metric that has not been fitted counts pairs of words in these references alone: its
        signature says ``precedence:own``.
        """
        lines = check_lines(references, "references")
        if not lines:
            raise InputError("references is empty: a segment needs a reference")
        hypotheses = check_lines([hypothesis], "hypotheses")
        batch = Batch(hypotheses, ReferenceTexts(lines, [len(lines)]))
        metric = without_fit(self.fitted)
        rows = self._statistics(metric, batch)
        value = float(metric.segment_values(rows)[0])
        signature = segment_signature(metric, metric.signature(len(lines)))
        return _score_of_rows(metric, value, rows, rows[0], signature)

    def get_signature(self) -> Signature:
        """Return the signature; it names the number of references if they are known."""
        return self.fitted.signature(self._reference_count)

    @cached_property
    def fitted(self) -> Metric:
        """The metric, fitted on the references with which the adapter was made, if it needs it."""
        if self.references is None:
            return with_saved_model(self.metric)
        name, lines = self.metric.name, self._batch_references.utf8
        return fit_metrics({name: self.metric}, lambda: [lines])[name]

    @cached_property
    def _batch_references(self) -> ReferenceTexts:
        streams = self.references or ()
        return references_from_streams(streams, len(next(iter(streams), ())))

    @cached_property
    def _reference_count(self) -> int | str | None:
        if self.references is None:
            return None
        return reference_count(self._batch_references.counts.tolist())

    def fit(self, references: References, threads: int | None = None) -> Metric:
        """Return the metric fitted on references. See :meth:`hyperbaton.Metric.fit`."""
        lines = check_reference_list(references).utf8
        if self.metric.needs.fitting is None:
            return self.metric
        unfitted = {self.metric.name: self.metric.with_options(model=None)}
        (fitted,) = fit_metrics(unfitted, lambda: [lines], threads).values()
        return fitted

    # sacreBLEU's paired tests call the following.

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Streams | None
    ) -> Floats:
        return self._statistics(self.metric, self._batch(hypotheses, references))

    def _aggregate_and_compute(self, stats: Floats) -> Score:
        metric, rows = self.metric, np.asarray(stats, np.float64)
        exact = ExactSums(rows.shape[1])
        exact.add(rows)
        sums = exact.totals()
        value = float(metric.aggregate(sums))
        return _score_of_rows(metric, value, rows, sums, self.get_signature())

    def _compute_score_from_stats(self, stats: Floats) -> Score:
        sums = np.asarray(stats, np.float64)
        value = float(self.metric.aggregate(sums))
        return Score(self.metric, value, 0, str(self.get_signature()), sums)

    def _batch(self, hypotheses: Sequence[str], references: Streams | None) -> Batch:
        streams = self.references if references is None else references
        if streams is None:
            raise InputError(f"{self.metric.name} has no references: give them with the hypotheses")
        lines = check_lines(hypotheses, "hypotheses")
        return Batch(lines, references_from_streams(streams, len(lines)))

    @staticmethod
    def _statistics(metric: Metric, batch: Batch) -> Floats:
        run = Run({metric.name: metric}, keep=STATISTICS_ALONE)
        (scored,) = score_batches(KeptBatches([batch]), run)
        return scored.statistics[metric.name].rows


def _score_of_rows(
    metric: Metric, value: float, rows: Floats, sums: Floats, signature: Signature
) -> Score:
    """Return the score of some rows; without a value if there is too little evidence."""
    stored, inexact = StoredStatistics.from_rows(rows), metric.inexact(sums)
    shown = value if has_value(metric, sums) else None
    return Score(metric, shown, len(rows), str(signature), sums, stored, inexact=inexact)
