"""Scores of systems by one metric, with signs such that higher is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hyperbaton.meta.judgements import Booleans, Floats, Scores, ratio, segment_sums
from hyperbaton.runs.results import Score
from hyperbaton.stats.resampling import Counts, sampled_sums


@dataclass(frozen=True, eq=False)
class MetricScores:
    """Scores of some systems by one metric; the scores of an error rate are negated.

    Attributes
    ----------
    name : str
        Name of the metric.
    segments : array of shape (systems, segments)
        NaN where there is no score.
    system_scores : array of shape (systems,)
    signature : str, optional
    scores : tuple of Score, optional
        One per system if Hyperbaton computed them. They give the scores of whole systems in
        samples of segments, which are not always means over segments.
    """

    name: str
    segments: Floats
    system_scores: Floats
    signature: str | None = None
    scores: tuple[Score, ...] | None = None

    @classmethod
    def from_computed(cls, name: str, scores: Sequence[Score]) -> MetricScores:
        """Build from the scores that Hyperbaton computed, one per system."""
        sign = 1 if scores[0].higher_is_better else -1
        return cls(
            name,
            sign * np.stack([score.computed_segments for score in scores]),
            sign * np.array([score.computed_value for score in scores]),
            scores[0].signature,
            tuple(scores),
        )

    @classmethod
    def from_external(cls, name: str, scores: Scores) -> MetricScores:
        """Build from the scores of another program."""
        return cls(name, scores.segments, scores.of_whole_systems())

    def negated(self) -> MetricScores:
        """Return the scores with opposite signs."""
        return replace(self, segments=-self.segments, system_scores=-self.system_scores)

    def restricted_to(self, segments: Booleans) -> MetricScores:
        """Return the scores on some segments only; the others become NaN."""
        kept = np.where(segments, self.segments, np.nan)
        if self.scores is None:
            return MetricScores(self.name, kept, ratio(segment_sums(kept).sum(axis=0)))
        system_scores = self.sample_system_scores(segments[None].astype(np.int32), None)[0]
        return replace(self, segments=kept, system_scores=system_scores)

    def sample_system_scores(self, counts: Counts, threads: int | None) -> Floats:
        """Return the scores of whole systems in samples of segments.

        System scores of another program that are not the means of its segment scores cannot be
        computed for a sample. They are the same in every sample.

        Parameters
        ----------
        counts : array of shape (samples, segments)
            How often each sample contains each segment.
        threads : int, optional

        Returns
        -------
        array of shape (samples, systems)
        """
        if self.scores is not None:
            tables = [score.kept_statistics for score in self.scores]
            (sums,) = sampled_sums(iter([counts]), tables, threads)
            metric = self.scores[0].metric
            sign = 1 if metric.higher_is_better else -1
            return sign * np.stack([metric.aggregate(row) for row in sums], axis=1)
        sums_by_segment = segment_sums(self.segments)
        means = ratio(sums_by_segment.sum(axis=0))
        if not np.allclose(means, self.system_scores, equal_nan=True):
            return np.broadcast_to(self.system_scores, (len(counts), len(self.system_scores)))
        return sampled_ratios(sums_by_segment, counts, threads)


def sampled_ratios(sums: Floats, counts: Counts, threads: int | None = None) -> Floats:
    """Return the scores of systems in samples, from numerators and denominators by unit.

    Parameters
    ----------
    sums : array of shape (units, systems, 2)
    counts : array of shape (samples, units)
        How often each sample contains each unit.
    threads : int, optional

    Returns
    -------
    array of shape (samples, systems)
    """
    ((sampled,),) = sampled_sums(iter([counts]), [sums.reshape(len(sums), -1)], threads)
    return ratio(sampled.reshape(len(counts), -1, 2))


def translations_scored_by_all(metrics: Sequence[MetricScores]) -> Booleans:
    """Return which translations are scored by all metrics that have scores of segments."""
    by_metric = [~np.isnan(metric.segments) for metric in metrics]
    by_metric = [scored for scored in by_metric if scored.any()]
    if not by_metric:
        return np.zeros_like(metrics[0].segments, np.bool_)
    return np.asarray(np.all(by_metric, axis=0))
