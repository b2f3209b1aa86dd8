"""How well a metric agrees with people: of pairs, of scores of segments, of whole systems."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.meta import samples
from hyperbaton.meta.judgements import Floats, Integers, Rankings, Scores, ratio
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.pairs import KINDS, kinds, system_accuracy, tau
from hyperbaton.meta.samples import OfGroups, OfPairs, OfRanks, OfSums, OfSystems, Sampled
from hyperbaton.stats import correlation
from hyperbaton.stats.resampling import Counts, sampled_sums

Human = Rankings | Scores
UNITS = ("segments", "rankings", "systems")
AVERAGES = ("none", "item", "system")
FEWEST_SYSTEMS = 3
MANY = 40  # numbers whose pairs are too many to be compared at once for each segment


@dataclass(frozen=True)
class Measure(ABC):
    """A way to compare a metric with people."""

    name: str
    about: str
    paper: str
    average: str = "none"

    level: ClassVar[str]
    averages: ClassVar[tuple[str, ...]]

    @abstractmethod
    def sampled(
        self, human: Human, metrics: Sequence[MetricScores], over: str = "segments"
    ) -> Sequence[Sampled]:
        """The agreement of each metric, ready to be computed for samples of units."""

    def check(self, human: Human, over: str) -> None:
        """Whether these judgements can be drawn so."""
        if over == "rankings" and isinstance(human, Scores):
            raise InputError(f"{self.name} of scores has no rankings to draw: draw segments")

    def value(self, human: Human, segments: Floats, systems: Floats | None = None) -> float:
        """The agreement of scores of segments, a row for each system, higher is better.

        ``systems`` are the scores of whole systems if they are not the means of the rows.

        >>> from hyperbaton.meta.agreement import get
        >>> people = Rankings.from_pairs(["x", "y"], [0, 1, 2, 3], [0, 0, 0, 1], [1, 1, 1, 0], n=4)
        >>> get("tau").value(people, np.array([[0.9, 0.8, 0.7, 0.6], [0.1, 0.2, 0.7, 0.9]]))
        1.0
        """
        table = np.asarray(segments, np.float64)
        if table.shape != (len(human.systems), human.n):
            raise InputError(
                f"there are {len(human.systems)} systems and {human.n:,} segments, but scores "
                f"of {' × '.join(map(str, table.shape))}"
            )
        metric = MetricScores.of_scores("the metric", Scores(human.systems, table))
        if systems is not None:
            metric = replace(metric, whole=np.asarray(systems, np.float64))
        found = self.sampled(human, [metric])[0].value
        if np.isnan(found):
            raise InputError(f"{self.name} is not defined: {self.why_undefined(human, metric)}")
        return found

    def why_undefined(self, human: Human, metric: MetricScores) -> str:
        """What to tell a user whose agreement is NaN."""
        scored = metric.segments[:, human.judged]
        if np.isnan(scored).all():
            return "no segment is both judged and scored"
        if np.nanmin(scored) == np.nanmax(scored):
            return "the metric is constant over all that was judged"
        return "people or the metric never tell two translations apart"


@dataclass(frozen=True)
class PairMeasure(Measure):
    """A formula of the numbers of pairs that are concordant, discordant, tied."""

    formula: Callable[[Floats], Floats] = tau
    calibrated: bool = False

    level = "sentence"
    averages = ("none", "item")

    def sampled(
        self, human: Human, metrics: Sequence[MetricScores], over: str = "segments"
    ) -> list[OfSums]:
        """From how many pairs of each kind there are in each unit."""
        self.check(human, over)
        people = human if isinstance(human, Rankings) else human.to_rankings()
        if over == "rankings":
            people = people.expanded()
        return [self._sampled(people, metric, over) for metric in metrics]

    def check(self, human: Human, over: str) -> None:
        """Whether these judgements can be drawn so."""
        super().check(human, over)
        if over == "rankings" and self.average == "item":
            raise InputError("an average by item is over segments: draw segments, or systems")

    def _sampled(self, people: Rankings, metric: MetricScores, over: str) -> OfSums:
        threshold = self.threshold(people, metric) if self.calibrated else 0.0
        difference = differences(people, metric)
        there = ~np.isnan(difference)
        kind = kinds(people.outcome[there], difference[there], threshold)
        weights = people.count[there]
        names = len(people.systems)
        if over != "systems":
            unit, units = people.units(over)
            table = _table(unit[there] * KINDS + kind, weights, (units, 1, KINDS))
            if over == "segments":
                table = table[people.judged]
            return OfSums(table, self.formula) if self.average == "none" else self._by_item(table)
        low = np.minimum(people.first, people.second)[there]
        high = np.maximum(people.first, people.second)[there]
        i, j = np.triu_indices(names, 1)
        pair = low * (2 * names - low - 1) // 2 + high - low - 1
        items = people.segment[there] if self.average == "item" else np.zeros_like(pair)
        groups = people.n if self.average == "item" else 1
        cells = (pair * groups + items) * KINDS + kind
        return OfSums(_table(cells, weights, (len(i), groups, KINDS)), self.formula, (i, j, names))

    def _by_item(self, table: Floats) -> OfSums:
        return samples.of_values(self.formula(table[:, 0]))

    def threshold(self, people: Rankings, metric: MetricScores) -> float:
        """ε such that the agreement is highest if differences up to ε are ties of the metric.

        All the differences that there are, and 0, are tried (Deutsch et al. 2023); of equal
        agreements the smallest ε has it.
        """
        difference = differences(people, metric)
        there = ~np.isnan(difference)
        difference, outcome = difference[there], people.outcome[there]
        weights = people.count[there].astype(np.float64)
        if self.average == "item":
            sizes = np.bincount(people.segment[there], weights, people.n)
            weights = weights / sizes[people.segment[there]]
        order = np.argsort(abs(difference), kind="stable")
        steps = abs(difference[order])
        # What each pair adds to the number of pairs that are right when it becomes a tie.
        right = np.sign(difference) == outcome
        gain = (weights * ((outcome == 0).astype(np.int64) - right))[order]
        gain[steps == 0] = 0
        last = np.flatnonzero(np.diff(steps, append=np.inf) != 0)
        gains = np.cumsum(gain)[last]
        best = int(np.argmax(gains)) if len(gains) else 0
        # sums of shares differ by their rounding
        return float(steps[last][best]) if len(gains) and gains[best] > 1e-9 else 0.0


@dataclass(frozen=True)
class Correlation(Measure):
    """A coefficient of the scores of translations, by the metric and by people."""

    coefficient: str = "pearson"

    level = "sentence"
    averages = AVERAGES

    def sampled(
        self, human: Human, metrics: Sequence[MetricScores], over: str = "segments"
    ) -> list[Sampled]:
        """Of all translations together, or the mean over segments or over systems."""
        self.check(human, over)
        people = human if isinstance(human, Scores) else human.to_scores()
        return [self._sampled(people, metric, over) for metric in metrics]

    def check(self, human: Human, over: str) -> None:
        """Whether these judgements can be drawn so."""
        if over == "rankings":
            raise InputError(f"{self.name} is of scores of segments: draw segments, or systems")

    def _sampled(self, people: Scores, metric: MetricScores, over: str) -> Sampled:
        there = ~(np.isnan(people.segments) | np.isnan(metric.segments))
        system, segment = np.nonzero(there)
        x = _centred(metric.segments[there])
        y = _centred(people.segments[there])
        segment = (np.cumsum(people.judged) - 1)[segment]  # what was not judged is not drawn
        by_segment = (segment, int(people.judged.sum()))
        by_system = (system, len(people.systems))
        unit, units = by_segment if over == "segments" else by_system
        if self.average == "none":
            return self._of(x, y, unit, units)
        group, groups = by_segment if self.average == "item" else by_system
        if (over == "segments") == (self.average == "item"):
            return samples.of_values(self._by_group(x, y, group, groups))
        if self.coefficient == "pearson":
            table = _moments(x, y, unit * groups + group, units * groups)
            return OfSums(table.reshape(units, groups, table.shape[1]), correlation.pearson_of)
        chosen = (group == k for k in range(groups))
        kind = RANKED[self.coefficient]
        return OfGroups([kind(x[k], y[k], unit[k], units) for k in chosen], units)

    def _of(self, x: Floats, y: Floats, unit: Integers, units: int) -> Sampled:
        if self.coefficient == "pearson":
            table = _moments(x, y, unit, units)
            return OfSums(table[:, None, :], correlation.pearson_of)
        return RANKED[self.coefficient](x, y, unit, units)

    def _by_group(self, x: Floats, y: Floats, group: Integers, groups: int) -> Floats:
        """The coefficient of each group: at once for many small ones, or one by one."""
        order = np.argsort(group, kind="stable")
        sizes = np.bincount(group, minlength=groups)
        ends = np.cumsum(sizes)
        coefficient = COEFFICIENTS[self.coefficient]
        if len(x) == 0 or sizes.max() > MANY:
            parts = np.split(order, ends[:-1])
            return np.array([float(coefficient(x[k], y[k], np.ones(len(k)))) for k in parts])
        place = np.arange(len(order)) - np.repeat(ends - sizes, sizes)
        rows = np.zeros((3, groups, int(sizes.max())))
        rows[:, group[order], place] = x[order], y[order], np.ones(len(order))
        return coefficient(*rows)


@dataclass(frozen=True)
class SystemMeasure(Measure):
    """A coefficient of the scores of whole systems, by the metric and by people.

    ``by`` is what a system's score is made of if people ranked: ``won``, the share of comparisons
    it won, or ``ranks``, the mean of the scores that its ranks stand for.
    """

    coefficient: str = "pearson"
    by: str = "won"
    weights: tuple[float, ...] | None = None

    level = "system"
    averages = ("none",)

    def sampled(
        self, human: Human, metrics: Sequence[MetricScores], over: str = "segments"
    ) -> list[OfSystems]:
        """For systems that both people and a metric have scored."""
        self.check(human, over)
        y, sums = self._human(human, over)
        units = {"segments": human.n, "rankings": len(sums), "systems": len(y)}[over]
        flat = sums.reshape(len(sums), 2 * len(y))

        def of_people(counts: Counts) -> Floats:
            ((found,),) = sampled_sums(iter([counts]), [flat], None)
            return ratio(found.reshape(len(counts), -1, 2))

        found = []
        for metric in metrics:
            there = ~(np.isnan(metric.whole) | np.isnan(y))
            if there.sum() < FEWEST_SYSTEMS:
                raise InputError(
                    f"{self.name} needs {FEWEST_SYSTEMS} systems, but {there.sum()} "
                    f"{'is' if there.sum() == 1 else 'are'} both judged and scored"
                )
            own = OfSystems(
                COEFFICIENTS[self.coefficient],
                np.where(there, metric.whole, np.nan),
                y,
                units,
                metric.sampled if over == "segments" else None,
                of_people if over != "systems" and len(sums) else None,
                over == "systems",
            )
            found.append(own)
        return found

    def _human(self, human: Human, over: str) -> tuple[Floats, Floats]:
        """The scores of systems, and the sums of units they are made of, if they are."""
        if isinstance(human, Rankings):
            people = human.expanded() if over == "rankings" else human
            unit = "segments" if over == "systems" else over
            sums = people.system_sums(unit, self.by)
            return ratio(sums.sum(axis=0)), sums
        weights = None if self.weights is None else np.array(self.weights)
        if human.system_scores is not None and weights is None:
            return human.system_scores, np.zeros((0, len(human.systems), 2))
        sums = human.system_sums(weights)
        return ratio(sums.sum(axis=0)), sums

    def why_undefined(self, human: Human, metric: MetricScores) -> str:
        """What to tell a user whose agreement is NaN."""
        if np.nanmin(metric.whole) == np.nanmax(metric.whole):
            return "the metric is constant over all systems"
        return "people gave all systems the same score"


def differences(people: Rankings, metric: MetricScores) -> Floats:
    """By how much the metric prefers the first of each pair; NaN if one was not scored."""
    scores = metric.segments
    return np.asarray(scores[people.first, people.segment] - scores[people.second, people.segment])


def _table(cells: Integers, weights: Integers, shape: tuple[int, int, int]) -> Floats:
    counted = np.bincount(cells, weights, int(np.prod(shape)))
    return counted.astype(np.float64).reshape(shape)


def _moments(x: Floats, y: Floats, cell: Integers, cells: int) -> Floats:
    rows = correlation.moments(x, y)
    return np.stack([np.bincount(cell, column, cells) for column in rows.T], axis=1)


def _centred(x: Floats) -> Floats:
    """Mean 0 and variance 1: sums lose no digits, and metrics can be exchanged."""
    return samples.standardized(x) if len(x) else x


COEFFICIENTS: Mapping[str, samples.Coefficient] = {
    "pearson": correlation.pearson,
    "spearman": correlation.spearman,
    "kendall": correlation.kendall,
    "accuracy": system_accuracy,
}

RANKED: Mapping[str, type[OfRanks | OfPairs]] = {"spearman": OfRanks, "kendall": OfPairs}
