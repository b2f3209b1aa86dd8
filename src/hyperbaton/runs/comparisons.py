"""The result of a comparison: differences between systems, and their ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hyperbaton.files.lines import printable
from hyperbaton.notices import NOTE, Notice
from hyperbaton.runs.intervals import few_segments_warning, interval_settings
from hyperbaton.runs.results import ReportedResult, Result, Score
from hyperbaton.runs.shown_links import MoveCounts, count_moves
from hyperbaton.stats.sampling import CORRECTIONS, Sampling
from hyperbaton.stats.significance import (
    FEW_SEGMENTS,
    clusters,
    fewest_segments,
    least_p_test,
    rank_ranges,
)

SCHEMA = "hyperbaton/compare/2"


@dataclass(frozen=True)
class Difference:
    """The difference between two systems by one metric.

    Attributes
    ----------
    metric : str
        The metric as it was written.
    a, b : str
        Names of the systems.
    difference : float or None
        Value of ``a`` minus value of ``b``; by `order`, the difference of the neighbours that their
        shared anchors keep. None if one of the systems is not scored.
    lower, upper : float or None
        Confidence interval of the difference (bootstrap only).
    p : float
        Two-sided p-value, corrected if a correction was asked for.
    effect : float or None
        Cohen's d for pairs: the mean of the segments' differences divided by their standard
        deviation. It is positive where ``a`` is better, and None where segments do not differ.
    wins, ties, losses : int
        Number of segments in which ``a`` is better, equal and worse.
    better : str or None
        The better system, if the difference is significant; by `order`, the one that is closer to
        the order of the reference.
    outcome : str
        What is known of ``a`` against ``b``: "better" or "worse"; by `order`, "closer" or
        "farther", or "too few words in common"; otherwise "no certain difference" or "not scored".
    anchors : int or None
        By `order`, the number of shared anchors: words that the reference and both systems have
        exactly once.
    anchored : float or None
        Their share of the reference's words.
    """

    metric: str
    a: str
    b: str
    difference: float | None
    lower: float | None
    upper: float | None
    p: float | None
    effect: float | None
    wins: int
    ties: int
    losses: int
    better: str | None
    outcome: str
    anchors: int | None = None
    anchored: float | None = None


@dataclass(frozen=True)
class Rank:
    """A system's place by one metric: its cluster, and the ranks that it may have."""

    system: str
    value: float | None
    lower: float | None
    upper: float | None
    cluster: int | None
    first: int | None
    last: int | None


@dataclass(frozen=True, eq=False)
class Comparison(ReportedResult):
    """The result of :func:`hyperbaton.compare`.

    ``sampling`` says how samples were drawn. ``default_samples`` is the number of samples before it
    was raised for the correction.
    """

    results: tuple[Result, ...]
    differences: tuple[Difference, ...]
    sampling: Sampling
    baseline: str | None
    correction: str
    default_samples: int

    @property
    def n(self) -> int:
        """The number of segments."""
        return self.results[0].n

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics as they were written."""
        return tuple(self.results[0])

    def differences_by(self, metric: str) -> list[Difference]:
        """Return the differences by one metric.

        Parameters
        ----------
        metric : str
            The metric, as it was written in the call.

        Returns
        -------
        list of Difference
            One difference for each pair of systems.
        """
        return [difference for difference in self.differences if difference.metric == metric]

    def scores(self, metric: str) -> dict[str, Score]:
        """Return the scores by one metric, best first; equal scores keep their order.

        Systems that are not scored come last.

        Parameters
        ----------
        metric : str
            The metric, as it was written in the call.

        Returns
        -------
        dict of str to Score
            The score of each system.
        """
        order = sorted(self.results, key=lambda result: result[metric].rank_key)
        return {result.name: result[metric] for result in order}

    def ranking(self, metric: str) -> list[Rank]:
        """Return the systems, best first; with clusters only if every pair was compared.

        Parameters
        ----------
        metric : str
            The metric, as it was written in the call.

        Returns
        -------
        list of Rank
            The rank of each system.
        """
        scores = self.scores(metric)
        names = [name for name, score in scores.items() if score.is_scored]
        numbers: list[int | None] = [None] * len(scores)
        ranges: list[tuple[int | None, int | None]] = [(None, None)] * len(scores)
        if self.baseline is None and names:
            is_better = np.zeros((len(names), len(names)), bool)
            for difference in self.differences_by(metric):
                if difference.better is not None:
                    worse = difference.b if difference.better == difference.a else difference.a
                    is_better[names.index(difference.better), names.index(worse)] = True
            find = clusters if scores[names[0]].stored_anchors is None else first_clusters
            numbers[: len(names)] = find(is_better)
            ranges[: len(names)] = rank_ranges(is_better)
        return [
            Rank(name, score.value, score.lower, score.upper, number, first, last)
            for (name, score), number, (first, last) in zip(
                scores.items(), numbers, ranges, strict=True
            )
        ]

    def separating(self, metric: str, a: str, b: str, count: int) -> list[tuple[int, float, float]]:
        """Return the segments in which two systems differ most, and both values.

        Segments are counted from 0. They are sorted by the size of the difference, whichever
        system is better; equal ones keep their order.

        Parameters
        ----------
        metric : str
            The metric, as it was written in the call.
        a, b : str
            The names of the systems.
        count : int
            Maximum number of segments.

        Returns
        -------
        list of (int, float, float)
            The segment, and the values of both systems.
        """
        segments = {result.name: result[metric].segments for result in self.results}
        first, second = segments[a], segments[b]
        sizes = abs(first - second)
        order = sorted(range(len(sizes)), key=lambda k: (-sizes[k], k))[:count]
        return [(k, float(first[k]), float(second[k])) for k in order if sizes[k] > 0]

    def contrast(self, metric: str) -> tuple[str, str]:
        """Return the two systems to look at: the best two, or the best and the baseline.

        Parameters
        ----------
        metric : str
            The metric, as it was written in the call.

        Returns
        -------
        tuple of (str, str)
            The names of the systems.
        """
        best, *others = (name for name in self.scores(metric) if name != self.baseline)
        return best, self.baseline or others[0]

    def settings(self) -> dict[str, Any]:
        """Return how samples were drawn and read.

        Few segments change how: ``interval`` names the method of the intervals, and ``least_p`` the
        test whose p-values are the least ones; None if there is none.
        """
        settings = interval_settings(self.sampling, self.n)
        return {**settings, "least_p": least_p_test(self.sampling.method, self.n)}

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        return {
            "schema": SCHEMA,
            **self.settings(),
            "correction": self.correction,
            "baseline": self.baseline,
            "n": self.n,
            "notes": self.notes,
            "metrics": {
                metric: {
                    "signature": self.results[0][metric].signature,
                    "higher_is_better": self.results[0][metric].higher_is_better,
                    "verdict": list(self.verdict(metric)),
                    "ranking": [asdict(rank) for rank in self.ranking(metric)],
                    "differences": [
                        asdict(difference) for difference in self.differences_by(metric)
                    ],
                }
                for metric in self.metrics
            },
        }

    def verdict(self, metric: str | None = None) -> tuple[str, ...]:
        """Return what the comparison shows by a metric, in a few sentences.

        They say which systems differ significantly, which words of the best one must move (if the
        texts were kept), and how much of the text is aligned.

        Parameters
        ----------
        metric : str, optional
            The metric as it was written; by default the first that measures order alone.

        Returns
        -------
        tuple of str
            The sentences.
        """
        # imported here, because verdicts are about comparisons
        from hyperbaton.runs.verdict import verdict_writer

        return verdict_writer(self).sentences(metric)

    def _reported(self) -> tuple[Sequence[Result], Sampling, Comparison]:
        return self.results, self.sampling, self

    @cached_property
    def _moves(self) -> Mapping[str, MoveCounts]:
        return count_moves(self.results)

    @property
    def warnings(self) -> list[Notice]:
        """Reasons to distrust every p-value: too few segments, or too few samples."""
        sampling, pairs = self.sampling, self._corrected_pairs
        warnings = []
        if self.n <= FEW_SEGMENTS or self.n < fewest_segments(sampling.level, pairs):
            warnings.append(few_segments_warning(self.n, sampling.level, pairs))
        least = self._least_sampled_p
        if least >= sampling.alpha and self.n >= fewest_segments(sampling.level, pairs):
            for_pairs = f" and {pairs} pairs" if pairs > 1 else ""
            needed = sampling.samples_needed(pairs)
            warnings.append(
                Notice(
                    f"with {sampling.samples:,} samples{for_pairs}, no p can be less than "
                    f"{min(least, 1):.3f}: at least {needed:,} samples are needed"
                )
            )
        return warnings

    @property
    def can_be_significant(self) -> bool:
        """Whether a difference could be significant with so many segments and samples.

        If not, the last of ``warnings`` says why.
        """
        has_segments = self.n >= fewest_segments(self.sampling.level, self._corrected_pairs)
        return has_segments and self._least_sampled_p < self.sampling.alpha

    @property
    def _least_sampled_p(self) -> float:
        """The least p that so many samples can give; it may be more than 1."""
        return self._corrected_pairs / (self.sampling.samples + 1)

    @property
    def _corrected_pairs(self) -> int:
        """The number of pairs whose p-values are corrected together; 1 without a correction."""
        return (
            len(self.differences_by(self.metrics[0])) if CORRECTIONS[self.correction].grows else 1
        )

    @cached_property
    def notes(self) -> list[Notice]:
        """What a reader should know before trusting the p-values."""
        notes = list(self.warnings)
        if self.sampling.samples != self.default_samples:
            reason = f"the correction for {self._corrected_pairs:,} pairs needs them"
            samples, default = self.sampling.samples, self.default_samples
            notes.append(
                Notice(f"{samples:,} samples instead of {default:,}, because {reason}", NOTE)
            )
        equal: dict[tuple[str, str], list[str]] = {}
        results = {result.name: result for result in self.results}
        for difference in self.differences:
            if equal_in_every_segment(
                results[difference.a][difference.metric], results[difference.b][difference.metric]
            ):
                equal.setdefault((difference.a, difference.b), []).append(difference.metric)
        for (a, b), metrics in equal.items():
            names = ", ".join(metrics)
            notes.append(Notice(f"{a} and {b} are equal in every segment by {names}: p = 1", NOTE))
        return notes

    def __repr__(self) -> str:
        names = ", ".join(printable(result.name) for result in self.results)
        return f"Comparison({names}; {', '.join(self.metrics)}; n={self.n})"


def equal_in_every_segment(a: Score, b: Score) -> bool:
    """Return whether two systems do not differ in any segment."""
    if np.array_equal(a.kept_statistics, b.kept_statistics):
        return True
    return a.value == b.value and np.array_equal(a.segments, b.segments)
