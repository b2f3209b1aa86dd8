"""What tuning maximizes: agreement with people, on all segments and on the parts of each fold."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hyperbaton.errors import InputError, SegmentError
from hyperbaton.meta.judgements import Booleans, Floats, Integers, Rankings
from hyperbaton.meta.measures import Human, Measure, PairMeasure, differences
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.testsets import TestSet
from hyperbaton.metrics.base import Metric
from hyperbaton.metrics.segments import References, Segments
from hyperbaton.text.lines import printable


@dataclass(frozen=True)
class Agreements:
    """The agreement of one setting: of all segments, and with and without those of each fold.

    NaN where it is not defined.
    """

    all: float
    training: tuple[float, ...]
    held_out: tuple[float, ...]


class Objective:
    """Agreement by a measure, the mean over test sets.

    The segments that were judged are divided at random into folds of the same size, and so are the
    others, which count where whole systems are compared. What metrics share of the segments is made
    once, so that a setting that changes little costs little.
    """

    def __init__(
        self,
        test_sets: Sequence[TestSet],
        measure: Measure,
        people: str | None = None,
        folds: int = 5,
        seed: int = 1,
        threads: int | None = None,
    ) -> None:
        if not test_sets:
            raise InputError("there are no test sets to tune on")
        self.measure = measure
        self.folds = folds
        generator = np.random.default_rng(seed)
        self._sets = [_Judged(one, measure, people, folds, generator, threads) for one in test_sets]

    @property
    def judged(self) -> int:
        """How many segments were judged."""
        return sum(one.judged for one in self._sets)

    @property
    def names(self) -> list[str]:
        """Of the test sets."""
        return [one.name for one in self._sets]

    def signature(self, metric: Metric) -> str:
        """That of the metric's numbers here."""
        counts = {count for one in self._sets for count in one.references.counts.tolist()}
        trees = any(one.references.given_trees is not None for one in self._sets)
        number = counts.pop() if len(counts) == 1 else "var"
        return str(metric.signature(number, given_trees=trees))

    def keep(self, metric: Metric) -> None:
        """Score a metric, and keep what others like it can use."""
        for one in self._sets:
            one.statistics(metric)

    def agreements(self, metric: Metric) -> Agreements:
        """Those of one setting; what only it needs is not kept."""
        values = np.mean([one.agreements(metric) for one in self._sets], axis=0).tolist()
        parts = values[1 : 1 + self.folds], values[1 + self.folds :]
        return Agreements(values[0], *map(tuple, parts))

    def ties(self, metric: Metric) -> float | None:
        """The share of people's preferences in which the metric has none; for measures of pairs."""
        if not isinstance(self.measure, PairMeasure):
            return None
        tied, all_of_them = np.sum([one.ties(metric) for one in self._sets], axis=0).tolist()
        return tied / all_of_them if all_of_them else None

    def why_undefined(self, metric: Metric) -> str:
        """What to tell a user, if the agreement of all is NaN."""
        return next(why for one in self._sets if (why := one.why_undefined(metric)))


def fold_numbers(judged: Booleans, folds: int, generator: np.random.Generator) -> Integers:
    """The fold of each segment, at random; those judged are shared out evenly, and so are others.

    >>> numbers = fold_numbers(np.arange(12) < 6, 3, np.random.default_rng(1))
    >>> np.bincount(numbers[:6]).tolist(), np.bincount(numbers[6:]).tolist()
    ([2, 2, 2], [2, 2, 2])
    """
    numbers = np.empty(len(judged), np.int64)
    for part in (judged, ~judged):
        numbers[part] = generator.permutation(np.arange(part.sum()) % folds)
    return numbers


class _Judged:
    """A test set, ready to be scored again and again."""

    def __init__(
        self,
        test_set: TestSet,
        measure: Measure,
        people: str | None,
        folds: int,
        generator: np.random.Generator,
        threads: int | None,
    ) -> None:
        self.name = test_set.name
        self._measure, human = test_set.human(measure, people)
        every = np.ones(test_set.n, np.bool_)
        # People's scores of whole systems alone have no parts: all segments count as judged.
        by_segment = bool(human.judged.any())
        counted = human.judged if by_segment else every
        self.judged = int(counted.sum())
        if self.judged < folds:
            raise InputError(
                f"{self.name}: {folds} folds, but only {self.judged:,} segments are judged"
            )
        held_out = fold_numbers(counted, folds, generator) == np.arange(folds)[:, None]
        self._masks: Booleans = np.vstack([every, ~held_out, held_out])
        parts = [human.only(mask) if by_segment else human for mask in self._masks[1:]]
        self._human: list[Human] = [human, *parts]
        # For a measure of segments, those that were not judged need no score.
        self._used = np.flatnonzero(counted if self._measure.level == "sentence" else every)
        chosen = self._used.tolist()
        trees, own = test_set.trees, test_set.reference_trees
        self.references = References(
            [test_set.references[k] for k in chosen],
            None if own is None else [tree for k in chosen for tree in own[k]],
        )
        self._segments = {
            name: Segments(
                [lines[k] for k in chosen],
                self.references,
                threads,
                given_trees=None if trees is None else [trees[name][k] for k in chosen],
            )
            for name, lines in test_set.systems.items()
        }

    def statistics(self, metric: Metric) -> list[Floats]:
        """Those of each system."""
        found = []
        for name, segments in self._segments.items():
            try:
                found.append(metric.statistics(segments))
            except SegmentError as error:
                line = int(self._used[error.segment]) + 1
                raise InputError(
                    f"{self.name}: {printable(name)}, line {line:,}: {error}"
                ) from None
            except ValueError as error:
                raise InputError(f"{self.name}: {error}") from None
        return found

    def agreements(self, metric: Metric) -> Floats:
        """Of all, of the others of each fold, and of each fold; NaN where it is not defined."""
        scores = self._scores(metric)
        values = [
            self._agreement(human, one) for human, one in zip(self._human, scores, strict=True)
        ]
        return np.array(values)

    def ties(self, metric: Metric) -> tuple[int, int]:
        """How many preferences the metric does not decide, and how many there are."""
        human = self._human[0]
        people = human if isinstance(human, Rankings) else human.to_rankings()
        difference = differences(people, self._scores(metric)[0])
        count = people.count * ((people.outcome != 0) & ~np.isnan(difference))
        return int(count[difference == 0].sum()), int(count.sum())

    def why_undefined(self, metric: Metric) -> str:
        """What to tell a user; nothing if it is defined."""
        human, scores = self._human[0], self._scores(metric)[0]
        if not np.isnan(self._agreement(human, scores)):
            return ""
        return f"{self.name}: {self._measure.why_undefined(human, scores)}"

    def _agreement(self, human: Human, scores: MetricScores) -> float:
        # Systems as units: then the scores of whole systems are taken as they are.
        over = "systems" if self._measure.level == "system" else "segments"
        try:
            return self._measure.sampled(human, [scores], over)[0].value
        except InputError:
            return float("nan")

    def _scores(self, metric: Metric) -> list[MetricScores]:
        """The scores of all, of the others of each fold, and of each fold."""
        with contextlib.ExitStack() as stack:
            for shared in (self.references, *self._segments.values()):
                stack.enter_context(shared.for_now())
            statistics = self.statistics(metric)
        sign = 1 if metric.higher_is_better else -1
        segments = np.full((len(statistics), self._masks.shape[1]), np.nan)
        for row, own in zip(segments, statistics, strict=True):
            row[self._used] = sign * metric.segment_values(own)
        whole = np.full((len(self._masks), len(statistics)), np.nan)
        if self._measure.level == "system":
            for k, own in enumerate(statistics):
                whole[:, k] = sign * metric.aggregate(self._masks.astype(np.float64) @ own)
        return [MetricScores(metric.spec, segments, one) for one in whole]
