"""The objective of tuning: agreement with people, on all of the data and on the folds."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperbaton.errors import ContractError, InputError
from hyperbaton.files.lines import printable
from hyperbaton.meta.agreement import MIN_SYSTEMS, Measure, PairMeasure, score_differences
from hyperbaton.meta.judgements import (
    Booleans,
    Floats,
    Integers,
    Judgements,
    Rankings,
    system_level_scores,
)
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.testsets import TestSet
from hyperbaton.metrics.inputs import check_reference_list
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.parts import fit_metrics
from hyperbaton.metrics.signature import Provenance, reference_count
from hyperbaton.runs.engine import read_batches, score_batches
from hyperbaton.runs.run import STATISTICS_ALONE, KeptBatches, ListCorpus, Run


@dataclass(frozen=True)
class FoldAgreements:
    """The agreement of one setting of a metric; NaN where it is undefined.

    Attributes
    ----------
    all : float
        On all segments or systems.
    training : tuple of float
        On all but those of each fold.
    held_out : tuple of float
        On those of each fold.
    """

    all: float
    training: tuple[float, ...]
    held_out: tuple[float, ...]


class Objective:
    """The mean agreement over test sets.

    Judged segments are divided at random into folds of equal size, and so are the other segments,
    which count for measures of systems. If people scored whole systems, every part of the segments
    would have the same human scores; the systems are divided instead. Computations that several
    settings of a metric share are done once.

    Parameters
    ----------
    test_sets : sequence of TestSet
    measure : Measure
    people : {"rankings", "ranks", "segments", "systems"}, optional
        Which human judgements to use; see :meth:`TestSet.human`.
    folds : int
        Number of folds; of systems, there are fewer if a fold would have less than three.
    seed : int
        Random seed of the folds.
    threads : int, optional
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
        judged = [(test_set, *test_set.human(measure, people)) for test_set in test_sets]
        self.folds = min(possible_folds(one.name, human, folds) for one, _, human in judged)
        generator = np.random.default_rng(seed)
        self._sets = [JudgedTestSet(*row, self.folds, generator, threads) for row in judged]

    @property
    def judged(self) -> int:
        """Number of judged segments, or of systems if these are held out."""
        return sum(judged_set.judged for judged_set in self._sets)

    @property
    def units(self) -> str:
        """What the folds are of: segments, systems, or both if the test sets differ."""
        return " and ".join(sorted({judged_set.units for judged_set in self._sets}))

    @property
    def names(self) -> list[str]:
        """Names of the test sets."""
        return [judged_set.name for judged_set in self._sets]

    def signature(self, metric: Metric) -> str:
        """Return the signature of a metric on these test sets."""
        batches = [judged_set.batches[0] for judged_set in self._sets]
        counts = (count for batch in batches for count in batch.references.counts.tolist())
        provenance = Provenance(trees=any(batch.has_trees for batch in batches))
        return str(metric.signature(reference_count(counts), provenance))

    def precompute(self, metric: Metric) -> None:
        """Score a metric, and keep what its other settings can use."""
        for judged_set in self._sets:
            judged_set.statistics(metric)

    def agreements(self, metric: Metric) -> FoldAgreements:
        """Return the agreements of one setting, without keeping what only this setting needs."""
        by_set = [judged_set.agreements(metric) for judged_set in self._sets]
        values = np.mean(by_set, axis=0).tolist()
        training, held_out = values[1 : 1 + self.folds], values[1 + self.folds :]
        return FoldAgreements(values[0], tuple(training), tuple(held_out))

    def ties(self, metric: Metric) -> float | None:
        """Return the share of human preferences that the metric ties.

        None if the measure is not one of pairs, or there are no preferences.
        """
        if not isinstance(self.measure, PairMeasure):
            return None
        by_set = [judged_set.ties(metric) for judged_set in self._sets]
        tied, preferences = np.sum(by_set, axis=0).tolist()
        return tied / preferences if preferences else None

    def why_undefined(self, metric: Metric) -> str:
        """Explain to the user why the agreement on all segments is undefined."""
        return next(why for judged_set in self._sets if (why := judged_set.why_undefined(metric)))


def possible_folds(name: str, human: Judgements, folds: int) -> int:
    """Return the number of folds, or less if systems are held out and each fold must have three."""
    scores = scores_of_whole_systems(human)
    if scores is None:
        return folds
    count = int((~np.isnan(scores)).sum())
    if count < 2 * MIN_SYSTEMS:
        raise InputError(
            f"{name}: people scored {count} whole systems, but tuning needs {2 * MIN_SYSTEMS}: it "
            f"holds out systems, at least {MIN_SYSTEMS} at a time; judgements of segments or "
            "rankings need fewer"
        )
    return min(folds, count // MIN_SYSTEMS)


def scores_of_whole_systems(human: Judgements) -> Floats | None:
    """Return people's scores of whole systems; None if they judged segments."""
    if isinstance(human, Rankings) or human.judged.any():
        return None
    return human.system_scores


def fold_numbers(judged: Booleans, folds: int, generator: np.random.Generator) -> Integers:
    """Return the fold of each segment or system, at random.

    Those that were judged are divided evenly among the folds, and so are the others.

    >>> numbers = fold_numbers(np.arange(12) < 6, 3, np.random.default_rng(1))
    >>> np.bincount(numbers[:6]).tolist(), np.bincount(numbers[6:]).tolist()
    ([2, 2, 2], [2, 2, 2])
    """
    numbers = np.empty(len(judged), np.int64)
    for part in (judged, ~judged):
        numbers[part] = generator.permutation(np.arange(part.sum()) % folds)
    return numbers


@dataclass(frozen=True)
class LineOrigin:
    """The origin of segments that are lines of a system; ``lines`` are their indices."""

    system: str
    lines: Sequence[int]

    def describe(self, segment: int, part: tuple[str, int] | None) -> str:
        """Return the system and the line."""
        return f"{printable(self.system)}, line {self.lines[segment] + 1:,}"


class JudgedTestSet:
    """A test set that is scored again and again, with the folds of its segments or systems."""

    def __init__(
        self,
        test_set: TestSet,
        measure: Measure,
        human: Judgements,
        folds: int,
        generator: np.random.Generator,
        threads: int | None,
    ) -> None:
        self.name = test_set.name
        self._measure = measure
        system_scores = scores_of_whole_systems(human)
        self.units = "segments" if system_scores is None else "systems"
        counted = human.judged if system_scores is None else ~np.isnan(system_scores)
        self.judged = int(counted.sum())
        if self.judged < folds:
            raise InputError(
                f"{self.name}: {folds} folds, but only {self.judged:,} segments are judged"
            )
        held_out = fold_numbers(counted, folds, generator) == np.arange(folds)[:, None]
        every = np.ones(test_set.n, np.bool_)
        self._human: list[Judgements] = [human]
        if system_scores is None:
            self._masks: Booleans = np.vstack([every, ~held_out, held_out])
            self._human += [human.only(mask) for mask in self._masks[1:]]
        else:  # metrics score all segments of all systems, whichever systems are held out
            self._masks = np.broadcast_to(every, (1 + 2 * folds, test_set.n))
            for part in np.vstack([~held_out, held_out]):
                scores = np.where(part, system_scores, np.nan)
                self._human.append(system_level_scores(human.systems, scores, test_set.n))
        # For a measure of segments, those that were not judged need no score.
        self._used = np.flatnonzero(counted if measure.level == "sentence" else every)
        chosen = self._used.tolist()
        trees, reference_trees = test_set.trees, test_set.reference_trees
        corpus = ListCorpus(
            {name: [lines[k] for k in chosen] for name, lines in test_set.systems.items()},
            [test_set.references[k] for k in chosen],
            trees=trees and {name: [given[k] for k in chosen] for name, given in trees.items()},
            reference_trees=reference_trees and [reference_trees[k] for k in chosen],
            origin_for=lambda system: LineOrigin(system, chosen),
        )
        self._all_references = check_reference_list(test_set.references).utf8
        self._models: dict[Hashable, Any] = {}
        # One batch for each system: tuning scores the same segments again and again.
        self.batches = read_batches(corpus, max(len(chosen), 1), trees is not None)
        self._threads = threads

    def statistics(self, metric: Metric) -> list[Floats]:
        """Return the statistics of each system."""
        try:
            run = Run(self._fit(metric), keep=STATISTICS_ALONE, threads=self._threads)
            scored = score_batches(KeptBatches(self.batches), run)
            return [one.statistics[metric.spec].rows for one in scored]
        except ContractError:
            raise
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from None

    def _fit(self, metric: Metric) -> dict[str, Metric]:
        """Return the metric fitted on all references of the test set, if it needs that.

        Settings that share a model are fitted once.
        """
        references = [self._all_references]
        return fit_metrics({metric.spec: metric}, lambda: references, self._threads, self._models)

    def agreements(self, metric: Metric) -> Floats:
        """Return the agreement on all segments or systems, without each fold, and on each fold.

        It is NaN where it is undefined.
        """
        return np.array(list(map(self._agreement, self._human, self._scores(metric))))

    def ties(self, metric: Metric) -> tuple[int, int]:
        """Return the number of human preferences that the metric ties, and of all preferences."""
        human = self._human[0]
        people = human if isinstance(human, Rankings) else human.to_rankings()
        difference = score_differences(people, self._scores(metric)[0])
        count = people.count * ((people.outcome != 0) & ~np.isnan(difference))
        return int(count[difference == 0].sum()), int(count.sum())

    def why_undefined(self, metric: Metric) -> str:
        """Return why the agreement on all segments is undefined; empty if it is defined."""
        human, scores = self._human[0], self._scores(metric)[0]
        if not np.isnan(self._agreement(human, scores)):
            return ""
        return f"{self.name}: {self._measure.why_undefined(human, scores)}"

    def _agreement(self, human: Judgements, scores: MetricScores) -> float:
        # With systems as units, the scores of whole systems are taken as they are.
        unit = "systems" if self._measure.level == "system" else "segments"
        try:
            return self._measure.statistics(human, [scores], unit)[0].value
        except InputError:
            return float("nan")

    def _scores(self, metric: Metric) -> list[MetricScores]:
        """Return the scores on all segments, without each fold, and on each fold."""
        with contextlib.ExitStack() as stack:
            for memo in (self.batches[0].references, *self.batches):
                stack.enter_context(memo.scratch())
            statistics = self.statistics(metric)
        sign = 1 if metric.higher_is_better else -1
        segments = np.full((len(statistics), self._masks.shape[1]), np.nan)
        for row, rows in zip(segments, statistics, strict=True):
            row[self._used] = sign * metric.segment_values(rows)
        systems = np.full((len(self._masks), len(statistics)), np.nan)
        if self._measure.level == "system":
            for k, rows in enumerate(statistics):
                systems[:, k] = sign * metric.aggregate(self._masks.astype(np.float64) @ rows)
        return [MetricScores(metric.spec, segments, scores) for scores in systems]
