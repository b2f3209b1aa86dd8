"""What a metric says of systems, turned so that higher is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hyperbaton.meta.judgements import Booleans, Floats, Scores, ratio, sums_of_segments
from hyperbaton.metrics.base import Score
from hyperbaton.metrics.sampling import kept_statistics
from hyperbaton.stats.resampling import Counts, sampled_sums


@dataclass(frozen=True, eq=False)
class MetricScores:
    """The scores of one metric for some systems; those of an error rate have their signs changed.

    ``segments`` has a row for each system and a column for each segment, NaN where there is none;
    ``whole`` has the scores of whole systems. A metric of ours has its ``scores``, of which come
    those of samples of segments: not each is a mean over segments.
    """

    name: str
    segments: Floats
    whole: Floats
    signature: str | None = None
    scores: tuple[Score, ...] | None = None

    @classmethod
    def of_ours(cls, name: str, scores: Sequence[Score]) -> MetricScores:
        """Of one metric, the score of each system."""
        sign = 1 if scores[0].higher_is_better else -1
        return cls(
            name,
            sign * np.stack([score.segments for score in scores]),
            sign * np.array([score.value for score in scores]),
            scores[0].signature,
            tuple(scores),
        )

    @classmethod
    def of_scores(cls, name: str, given: Scores, higher_is_better: bool = True) -> MetricScores:
        """Of another program, read from a file."""
        sign = 1 if higher_is_better else -1
        return cls(name, sign * given.segments, sign * given.of_whole_systems())

    def only(self, segments: Booleans) -> MetricScores:
        """As if there were only some of the segments; the others become NaN."""
        kept = np.where(segments, self.segments, np.nan)
        if self.scores is None:
            return MetricScores(self.name, kept, ratio(sums_of_segments(kept).sum(axis=0)))
        whole = self.sampled(segments[None].astype(np.int32), None)[0]
        return replace(self, segments=kept, whole=whole)

    def sampled(self, counts: Counts, threads: int | None) -> Floats:
        """The scores of whole systems in samples of segments, a row each.

        Those of another program that are not the means of its segments' stay as they are: nobody
        knows what it would have said of a sample.
        """
        if self.scores is not None:
            tables = [kept_statistics(score) for score in self.scores]
            (sums,) = sampled_sums(iter([counts]), tables, threads)
            metric = self.scores[0].metric
            sign = 1 if metric.higher_is_better else -1
            return sign * np.stack([metric.aggregate(one) for one in sums], axis=1)
        own = sums_of_segments(self.segments)
        if not np.allclose(ratio(own.sum(axis=0)), self.whole, equal_nan=True):
            return np.broadcast_to(self.whole, (len(counts), len(self.whole)))
        table = own.reshape(len(self.segments[0]), -1)
        ((pairs,),) = sampled_sums(iter([counts]), [table], threads)
        return ratio(pairs.reshape(len(counts), -1, 2))
