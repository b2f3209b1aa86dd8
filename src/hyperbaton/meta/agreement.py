"""Agreement of metrics with people: measures by name, and statistics that can be resampled.

There are measures of pairs of translations, of segment scores and of system scores. A measure gives
a statistic for each metric. A unit is what is drawn with replacement, or exchanged between two
metrics: a segment, a ranking or a system. ``counts`` has one row per sample, which says how often
the sample contains each unit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.meta.judgements import (
    Floats,
    Integers,
    Judgements,
    Rankings,
    Scores,
    mean_where_defined,
    ratio,
    standardize,
    sum_cells,
)
from hyperbaton.meta.metric_scores import MetricScores, sampled_ratios
from hyperbaton.meta.plan import AVERAGES
from hyperbaton.metrics.options import normalize_name
from hyperbaton.registries import unknown_name_message
from hyperbaton.stats import correlation
from hyperbaton.stats.resampling import Counts, sampled_sums
from hyperbaton.threads import thread_count

Kind = TypeVar("Kind", bound="AgreementStatistic")
Formula = Callable[[Floats], Floats]
Coefficient = Callable[[Floats, Floats, Floats], Floats]
MAX_NUMBERS = 1_000_000  # numbers that are held in memory at a time
MIN_SYSTEMS = 3
# Coefficients of groups up to this size are computed together; larger ones need too much memory.
MAX_JOINT_GROUP = 40
PAIR_KINDS = 5


class AgreementStatistic:
    """The agreement of one metric with people: in samples of units, or after their exchange."""

    units: int

    @property
    def value(self) -> float:
        """The agreement over all units; NaN if it is undefined."""
        return float(self.sample_values(np.ones((1, self.units), np.int32), 1)[0])

    def sample_values(self, counts: Counts, threads: int | None) -> Floats:
        """Return the agreement in each sample."""
        raise NotImplementedError

    def value_after_exchange(self, other: Any, coins: Counts) -> float:
        """Return the agreement with the other metric's scores of units where the coin is 0."""
        raise NotImplementedError


@dataclass(eq=False)
class SumStatistic(AgreementStatistic):
    """A formula of sums over units, such as counts of pairs, moments or values of segments.

    Attributes
    ----------
    table : array of shape (units, groups, statistics)
        The formula is applied to the sums of each group. The value is the mean over the groups in
        which the formula is defined.
    formula : callable
    unit_pairs : tuple of (array, array, int), optional
        If given, rows of the table are pairs (i, j) of units: the arrays i and j, and the number
        of units. A sample contains a pair count(i) · count(j) times.
    """

    table: Floats
    formula: Formula
    unit_pairs: tuple[Integers, Integers, int] | None = None

    @property
    def units(self) -> int:  # type: ignore[override]
        """Number of units to draw from."""
        return len(self.table) if self.unit_pairs is None else self.unit_pairs[2]

    @property
    def value(self) -> float:
        """The agreement over all units; NaN if it is undefined."""
        return float(self.values_of_sums(self.table.sum(axis=0)[None])[0])

    def sample_values(self, counts: Counts, threads: int | None) -> Floats:
        """Return the agreement in each sample."""
        return self.values_of_sums(self.sample_sums(counts, threads))

    def sample_sums(self, counts: Counts, threads: int | None) -> Floats:
        """Return the sums of the statistics in each sample and group."""
        row_counts = counts
        if self.unit_pairs is not None:
            i, j, _ = self.unit_pairs
            row_counts = counts[:, i] * counts[:, j]
        shape = self.table.shape
        rows = self.table.reshape(shape[0], -1)
        ((sums,),) = sampled_sums(iter([row_counts]), [rows], threads)
        return sums.reshape(len(counts), *shape[1:])

    def values_of_sums(self, sums: Floats) -> Floats:
        """Return the agreement for each row of sums."""
        return mean_where_defined(self.formula(sums))


def unit_mean(values: Floats) -> SumStatistic:
    """Return the mean of one value per unit as a statistic; units with NaN are left out."""
    defined = ~np.isnan(values)
    table = np.stack([np.where(defined, values, 0), defined], axis=-1)
    return SumStatistic(table[:, None, :].astype(np.float64), ratio)


class ScoreStatistic(AgreementStatistic):
    """A coefficient of the scores x of the metric and y of people, each belonging to a unit."""

    coefficient: ClassVar[Callable[..., Floats]]

    def __init__(self, x: Floats, y: Floats, unit: Integers, units: int) -> None:
        self.x, self.y, self.unit, self.units = x, y, unit, units

    def value_of(self, x: Floats) -> float:
        """Return the agreement if the metric had given the scores x."""
        return float(self.coefficient(x, self.y))

    def value_after_exchange(self, other: Any, coins: Counts) -> float:
        """Return the agreement with the other metric's scores where the coin is 0."""
        return self.value_of(np.where(coins[self.unit], self.x, other.x))


class SpearmanStatistic(ScoreStatistic):
    """Spearman's ρ; scores are ranked anew in each sample."""

    coefficient = staticmethod(correlation.spearman_rho)

    def sample_values(self, counts: Counts, threads: int | None) -> Floats:
        """Return the agreement in each sample."""
        rows = max(1, MAX_NUMBERS // max(1, len(self.x)))
        weights = (counts[begin : begin + rows, self.unit] for begin in range(0, len(counts), rows))
        parts = [self.coefficient(self.x, self.y, part.astype(np.float64)) for part in weights]
        return np.concatenate(parts)


class KendallStatistic(ScoreStatistic):
    """Kendall's τ_b, computed from quadratic forms in the counts of units."""

    coefficient = staticmethod(correlation.kendall_tau)

    @cached_property
    def _forms(self) -> npt.NDArray[np.int32]:
        return correlation.pair_matrices(self.x, self.y, self.unit, self.units)

    def sample_values(self, counts: Counts, threads: int | None) -> Floats:
        """Return the agreement in each sample."""
        return correlation.kendall_from_pairs(self._forms, counts.astype(np.float64))


@dataclass(eq=False)
class SystemStatistic(AgreementStatistic):
    """A coefficient of the scores of whole systems by the metric and by people.

    Attributes
    ----------
    coefficient : callable
        Takes scores x, scores y and weights.
    x, y : array of shape (systems,)
        Scores by the metric and by people; NaN where there is none.
    units : int
    sample_x, sample_y : callable, optional
        Compute the scores in samples, with one row per sample. If None, the scores are the same
        in every sample.
    units_are_systems : bool
        If true, systems are drawn, and ``sample_x`` and ``sample_y`` are not used.
    """

    coefficient: Coefficient
    x: Floats
    y: Floats
    units: int
    sample_x: Callable[[Counts, int | None], Floats] | None = None
    sample_y: Callable[[Counts], Floats] | None = None
    units_are_systems: bool = False

    @property
    def value(self) -> float:
        """The agreement over all systems."""
        return float(self.values_of(self.x, self.y))

    def sample_values(self, counts: Counts, threads: int | None) -> Floats:
        """Return the agreement in each sample."""
        return self.sample_values_given(self.human_scores(counts), counts, threads)

    def human_scores(self, counts: Counts) -> Floats:
        """Return the scores by people in each sample; they are the same for every metric."""
        y = self.y if self.sample_y is None else self.sample_y(counts)
        return np.broadcast_to(y, (len(counts), len(self.y)))

    def sample_values_given(self, y: Floats, counts: Counts, threads: int | None) -> Floats:
        """Return the agreement in each sample, given the scores y by people in the samples."""
        if self.units_are_systems:
            return self.values_of(self.x, self.y, counts)
        x = self.x if self.sample_x is None else self.sample_x(counts, threads)
        scored = ~np.isnan(self.x)
        return self.values_of(np.where(scored, np.broadcast_to(x, y.shape), np.nan), y)

    def values_of(self, x: Floats, y: Floats, counts: Counts | None = None) -> Floats:
        """Return the agreement for rows of scores; ``counts`` says how often systems count."""
        scored = ~(np.isnan(x) | np.isnan(y))
        weights = scored.astype(np.float64) if counts is None else np.where(scored, counts, 0.0)
        return self.coefficient(np.where(scored, x, 0), np.where(scored, y, 0), weights)


@dataclass(eq=False)
class GroupMeanStatistic(AgreementStatistic):
    """The mean of the agreements of several groups of scores."""

    groups: list[ScoreStatistic]
    units: int

    def sample_values(self, counts: Counts, threads: int | None) -> Floats:
        """Return the agreement in each sample."""
        values = [group.sample_values(counts, threads) for group in self.groups]
        return mean_where_defined(np.stack(values, axis=1))

    def value_after_exchange(self, other: Any, coins: Counts) -> float:
        """Return the agreement with the other metric's scores where the coin is 0."""
        pairs = zip(self.groups, other.groups, strict=True)
        values = [group.value_after_exchange(their_group, coins) for group, their_group in pairs]
        return float(mean_where_defined(np.array(values)))


def sampled_agreements(
    statistics: Sequence[AgreementStatistic], counts: Counts, threads: int | None
) -> Floats:
    """Return the agreements of several metrics in the same samples, one column per metric."""
    if systems := _of_kind(SystemStatistic, statistics):
        y = systems[0].human_scores(counts)
        columns = [statistic.sample_values_given(y, counts, threads) for statistic in systems]
    elif sums := _of_kind(SumStatistic, statistics):
        # One matrix product for all metrics is faster than one for each.
        joint = replace(sums[0], table=np.concatenate([one.table for one in sums], axis=-1))
        parts = np.split(joint.sample_sums(counts, threads), len(sums), axis=-1)
        columns = [one.values_of_sums(part) for one, part in zip(sums, parts, strict=True)]
    else:
        columns = [statistic.sample_values(counts, threads) for statistic in statistics]
    return np.stack(columns, axis=1)


def exchange_differences(
    statistics: Sequence[AgreementStatistic],
    pairs: Sequence[tuple[int, int]],
    coins: Counts,
    threads: int | None,
) -> Floats:
    """Return differences of agreement between two metrics that exchange units at random.

    Parameters
    ----------
    statistics : sequence of AgreementStatistic
        One per metric, all of the same kind.
    pairs : sequence of (int, int)
        The pairs of metrics to compare.
    coins : array of shape (samples, units)
        1 where a metric keeps its own scores, 0 where it gets those of the other metric.
    threads : int, optional

    Returns
    -------
    array of shape (samples, pairs)
    """
    if sums := _of_kind(SumStatistic, statistics):
        kept = [statistic.sample_sums(coins, threads) for statistic in sums]
        # A metric keeps some of its sums and gets what the other metric does not keep.
        passed_on = [one.table.sum(axis=0) - part for one, part in zip(sums, kept, strict=True)]

        def after_exchange(a: int, b: int) -> Floats:
            return sums[a].values_of_sums(kept[a] + passed_on[b])

    elif systems := _of_kind(SystemStatistic, statistics):
        x = [standardize(statistic.x) for statistic in systems]
        y = np.broadcast_to(systems[0].y, coins.shape)

        def after_exchange(a: int, b: int) -> Floats:
            return systems[a].values_of(np.where(coins, x[a], x[b]), y)

    else:

        def after_exchange(a: int, b: int) -> Floats:
            values = partial(statistics[a].value_after_exchange, statistics[b])
            if thread_count(threads) == 1:
                return np.array(list(map(values, coins)))
            with ThreadPoolExecutor(thread_count(threads)) as pool:
                return np.array(list(pool.map(values, coins)))

    return np.stack([after_exchange(a, b) - after_exchange(b, a) for a, b in pairs], axis=1)


def _of_kind(kind: type[Kind], statistics: Sequence[AgreementStatistic]) -> list[Kind]:
    """Return the statistics that are of this kind: all or none."""
    return [statistic for statistic in statistics if isinstance(statistic, kind)]


@dataclass(frozen=True)
class PairFormula:
    """A ratio of two sums over pairs of translations: what a pair of each kind adds to them.

    A pair is of one of five kinds: concordant (C), discordant (D), a tie of the metric only (M), a
    tie of the people only (H), or a tie of both (B).

    >>> float(PairFormula((1, -1, 0, 0, 0), (1, 1, 0, 0, 0))(np.array([6.0, 2, 1, 1, 0])))
    0.5
    """

    numerator: tuple[int, int, int, int, int]
    denominator: tuple[int, int, int, int, int]

    def __call__(self, pairs: Floats) -> Floats:
        """Return the ratio for numbers of pairs, of each kind along the last axis."""
        return ratio(pairs @ np.array([self.numerator, self.denominator], np.float64).T)


ACCURACY = PairFormula((1, 0, 0, 0, 1), (1, 1, 1, 1, 1))
PAIR_FORMULAS: Mapping[str, PairFormula] = {
    "tau": PairFormula((1, -1, 0, 0, 0), (1, 1, 0, 0, 0)),
    "tau_wmt12": PairFormula((1, -1, -1, 0, 0), (1, 1, 1, 0, 0)),
    "tau_wmt14": PairFormula((1, -1, 0, 0, 0), (1, 1, 1, 0, 0)),
    "consistency": PairFormula((1, 0, 0, 0, 0), (1, 1, 1, 0, 0)),
    "accuracy": ACCURACY,
    "acc_eq": ACCURACY,
}


def classify_pairs(outcome: Integers, difference: Floats, threshold: float) -> Integers:
    """Return the kind of each pair: 0 for C, 1 for D, 2 for M, 3 for H, 4 for B.

    Parameters
    ----------
    outcome : array
        1, −1 or 0 for the preference of people.
    difference : array
        Difference of the two scores by the metric.
    threshold : float
        Differences up to this size are ties of the metric.

    >>> difference = np.array([0.2, -0.2, 0.0, 0.2, 0.0])
    >>> classify_pairs(np.array([1, 1, 1, 0, 0]), difference, 0.0).tolist()
    [0, 1, 2, 3, 4]
    """
    preference = np.where(abs(difference) <= threshold, 0, np.sign(difference)).astype(np.int64)
    product = preference * outcome
    decided = np.where(product > 0, 0, np.where(product < 0, 1, 2))
    return np.where(outcome != 0, decided, np.where(preference != 0, 3, 4))


def tie_threshold(
    outcome: Integers, difference: Floats, count: Integers, item: Integers | None = None
) -> float:
    """Return the tie threshold ε that maximises the accuracy (Deutsch et al. 2023).

    Differences up to ε count as ties of the metric. All differences that occur, and 0, are tried;
    the smallest of several best values is returned.

    Parameters
    ----------
    outcome, difference : array
        As for :func:`classify_pairs`.
    count : array
        How often each pair was judged.
    item : array, optional
        The segment of each pair, if the accuracy is averaged over segments.

    >>> tie_threshold(np.array([0, 1]), np.array([0.1, 0.2]), np.array([1, 1]))
    0.1
    """
    weights = count.astype(np.float64)
    if item is not None:
        weights = weights / np.bincount(item, weights)[item]
    order = np.argsort(abs(difference), kind="stable")
    steps = abs(difference[order])
    # The change in the number of correct pairs when a pair becomes a tie.
    correct = np.sign(difference) == outcome
    gain = (weights * ((outcome == 0).astype(np.int64) - correct))[order]
    gain[steps == 0] = 0
    last = np.flatnonzero(np.diff(steps, append=np.inf) != 0)
    gains = np.cumsum(gain)[last]
    best = int(np.argmax(gains)) if len(gains) else 0
    # A gain below 1e-9 is a rounding error.
    return float(steps[last][best]) if len(gains) and gains[best] > 1e-9 else 0.0


@dataclass(frozen=True)
class Measure(ABC):
    """A measure of agreement between a metric and people.

    Attributes
    ----------
    name : str
    about : str
        One-line description.
    paper : str
        Where the measure comes from.
    average : {"none", "item", "system"}
        Average per segment (item), per system, or not at all.
    level : {"sentence", "system"}
        Whether the measure compares scores of segments or of whole systems.
    averages : tuple of str
        The averages that the measure supports.
    """

    name: str
    about: str
    paper: str
    average: str = "none"

    level: ClassVar[str]
    averages: ClassVar[tuple[str, ...]]

    @property
    def coefficient(self) -> str:
        """A key of ``COEFFICIENTS``, for measures of segment scores or of system scores."""
        return self.name.removesuffix("_sys")

    @property
    def is_linear(self) -> bool:
        """Whether this is Pearson's r of all segment scores or of system scores."""
        return self.coefficient == "pearson" and self.average == "none"

    @abstractmethod
    def statistics(
        self, human: Judgements, metrics: Sequence[MetricScores], unit: str = "segments"
    ) -> Sequence[AgreementStatistic]:
        """Return the agreement of each metric, ready for samples of units.

        Parameters
        ----------
        human : Rankings or Scores
        metrics : sequence of MetricScores
        unit : {"segments", "rankings", "systems"}
            What is drawn.
        """

    def check_unit(self, human: Judgements, unit: str) -> None:
        """Raise InputError if these judgements cannot be resampled by this unit."""
        if unit != "rankings":
            return
        what, instead = "", "segments or systems"
        if isinstance(self, Correlation):
            what = f"{self.name} of segment scores"
        elif isinstance(human, Scores):
            what, instead = f"{self.name} of human scores", "segments"
        elif self.average == "item":
            what = "an average per item"
        if what:
            raise InputError(f"{what} cannot be resampled by rankings; use {instead}")

    def value(self, human: Judgements, segments: Floats, systems: Floats | None = None) -> float:
        """Return the agreement of scores with human judgements; higher scores are better.

        Parameters
        ----------
        human : Rankings or Scores
        segments : array of shape (systems, segments)
            Scores by the metric; NaN where there is none.
        systems : array of shape (systems,), optional
            Scores of whole systems, if they are not the means over segments.

        Raises
        ------
        InputError
            If the shape is wrong or the agreement is undefined.

        >>> from hyperbaton.meta.agreement import get
        >>> people = Rankings.from_pairs(["x", "y"], [0, 1, 2, 3], [0, 0, 0, 1], [1, 1, 1, 0], n=4)
        >>> get("tau").value(people, np.array([[0.9, 0.8, 0.7, 0.6], [0.1, 0.2, 0.7, 0.9]]))
        1.0
        """
        table = np.asarray(segments, np.float64)
        if table.shape != (len(human.systems), human.n):
            raise InputError(
                f"there are {len(human.systems)} systems and {human.n:,} segments, but the scores "
                f"have shape {' × '.join(map(str, table.shape))}"
            )
        metric = MetricScores.from_external("the metric", Scores(human.systems, table))
        if systems is not None:
            metric = replace(metric, system_scores=np.asarray(systems, np.float64))
        agreement = self.statistics(human, [metric])[0].value
        if np.isnan(agreement):
            raise InputError(f"{self.name} is undefined: {self.why_undefined(human, metric)}")
        return agreement

    def why_undefined(self, human: Judgements, metric: MetricScores) -> str:
        """Explain to the user why the agreement is undefined."""
        scored = metric.segments[:, human.judged]
        if np.isnan(scored).all():
            return "no segment is both judged and scored"
        if np.nanmin(scored) == np.nanmax(scored):
            return "the metric is constant on all judged segments"
        return "people or the metric tie all translations of each segment"


@dataclass(frozen=True)
class PairMeasure(Measure):
    """A formula of the numbers of concordant, discordant and tied pairs.

    With ``calibrated``, small differences of the metric are ties: up to the threshold that
    maximises the agreement, see :func:`tie_threshold`.
    """

    formula: PairFormula = ACCURACY
    calibrated: bool = False

    level = "sentence"
    averages = ("none", "item")

    def statistics(
        self, human: Judgements, metrics: Sequence[MetricScores], unit: str = "segments"
    ) -> list[SumStatistic]:
        """Return the agreement of each metric, from counts of pairs by unit and kind."""
        self.check_unit(human, unit)
        people = human if isinstance(human, Rankings) else human.to_rankings()
        if unit == "rankings":
            people = people.expanded()
        return [self._statistic(people, metric, unit) for metric in metrics]

    def _statistic(self, people: Rankings, metric: MetricScores, unit: str) -> SumStatistic:
        difference = score_differences(people, metric)
        scored = ~np.isnan(difference)
        difference, outcome = difference[scored], people.outcome[scored]
        weights = people.count[scored]
        by_item = self.average == "item"
        item = people.segment[scored] if by_item else None
        threshold = tie_threshold(outcome, difference, weights, item) if self.calibrated else 0.0
        kind = classify_pairs(outcome, difference, threshold)
        if unit != "systems":
            unit_of, units = people.units(unit)
            cells = unit_of[scored] * PAIR_KINDS + kind
            table = sum_cells(cells, weights, units * PAIR_KINDS).reshape(units, 1, PAIR_KINDS)
            if unit == "segments":
                table = table[people.judged]
            if by_item:
                return unit_mean(self.formula(table[:, 0]))
            return SumStatistic(table, self.formula)
        # Two systems are drawn together as often as one times the other: units are system pairs.
        systems = len(people.systems)
        low = np.minimum(people.first, people.second)[scored]
        high = np.maximum(people.first, people.second)[scored]
        i, j = np.triu_indices(systems, 1)
        pair = low * (2 * systems - low - 1) // 2 + high - low - 1
        items = 1 if item is None else people.n
        cells = (pair * items + (0 if item is None else item)) * PAIR_KINDS + kind
        table = sum_cells(cells, weights, len(i) * items * PAIR_KINDS)
        return SumStatistic(table.reshape(len(i), items, PAIR_KINDS), self.formula, (i, j, systems))


@dataclass(frozen=True)
class Correlation(Measure):
    """A correlation coefficient of segment scores by the metric and by people."""

    level = "sentence"
    averages = AVERAGES

    def statistics(
        self, human: Judgements, metrics: Sequence[MetricScores], unit: str = "segments"
    ) -> list[AgreementStatistic]:
        """Return the agreement of each metric, over all translations or averaged."""
        self.check_unit(human, unit)
        people = human if isinstance(human, Scores) else human.to_scores()
        return [self._statistic(people, metric, unit) for metric in metrics]

    def _statistic(self, people: Scores, metric: MetricScores, unit: str) -> AgreementStatistic:
        scored = ~(np.isnan(people.segments) | np.isnan(metric.segments))
        system, segment = np.nonzero(scored)
        x = standardize(metric.segments[scored])
        y = standardize(people.segments[scored])
        segment = (np.cumsum(people.judged) - 1)[segment]  # only judged segments are drawn
        by_segment = (segment, int(people.judged.sum()))
        by_system = (system, len(people.systems))
        whole = (np.zeros_like(system), 1)
        unit_of, units = by_segment if unit == "segments" else by_system
        group, groups = {"none": whole, "item": by_segment, "system": by_system}[self.average]
        if group is unit_of:
            return unit_mean(self.group_values(x, y, group, groups))
        if self.coefficient == "pearson":
            cells, size = unit_of * groups + group, units * groups
            columns = [sum_cells(cells, column, size) for column in correlation.moments(x, y).T]
            table = np.stack(columns, axis=1).reshape(units, groups, len(columns))
            return SumStatistic(table, correlation.pearson_from_sums)
        statistic = SpearmanStatistic if self.coefficient == "spearman" else KendallStatistic
        members = (group == k for k in range(groups))
        parts: list[ScoreStatistic] = [statistic(x[k], y[k], unit_of[k], units) for k in members]
        return parts[0] if self.average == "none" else GroupMeanStatistic(parts, units)

    def group_values(self, x: Floats, y: Floats, group: Integers, groups: int) -> Floats:
        """Return the coefficient of each group; small groups are computed together."""
        order = np.argsort(group, kind="stable")
        sizes = np.bincount(group, minlength=groups)
        ends = np.cumsum(sizes)
        coefficient = COEFFICIENTS[self.coefficient]
        if len(x) == 0 or sizes.max() > MAX_JOINT_GROUP:
            parts = np.split(order, ends[:-1])
            return np.array([float(coefficient(x[k], y[k], np.ones(len(k)))) for k in parts])
        column = np.arange(len(order)) - np.repeat(ends - sizes, sizes)
        rows = np.zeros((3, groups, int(sizes.max())))
        rows[:, group[order], column] = x[order], y[order], np.ones(len(order))
        return coefficient(*rows)


@dataclass(frozen=True)
class SystemMeasure(Measure):
    """A coefficient of the scores of whole systems by the metric and by people.

    Attributes
    ----------
    ranking_method : {"won", "ranks"}
        How rankings by people become scores of systems: the share of comparisons won, or the mean
        of the scores for ranks.
    weights : tuple of float, optional
        Weights of segments in the mean of human segment scores.
    """

    ranking_method: str = "won"
    weights: tuple[float, ...] | None = None

    level = "system"
    averages = ("none",)

    def statistics(
        self, human: Judgements, metrics: Sequence[MetricScores], unit: str = "segments"
    ) -> list[SystemStatistic]:
        """Return the agreement of each metric, over systems that are both judged and scored."""
        self.check_unit(human, unit)
        y, sums = self._human_scores(human, unit)
        units = {"segments": human.n, "rankings": len(sums), "systems": len(y)}[unit]
        statistics = []
        for metric in metrics:
            scored = ~(np.isnan(metric.system_scores) | np.isnan(y))
            count = int(scored.sum())
            if count < MIN_SYSTEMS:
                raise InputError(
                    f"{self.name} needs {MIN_SYSTEMS} systems, but {count} "
                    f"{'is' if count == 1 else 'are'} both judged and scored"
                )
            statistics.append(
                SystemStatistic(
                    COEFFICIENTS[self.coefficient],
                    np.where(scored, metric.system_scores, np.nan),
                    y,
                    units,
                    metric.sample_system_scores if unit == "segments" else None,
                    partial(sampled_ratios, sums) if unit != "systems" and len(sums) else None,
                    unit == "systems",
                )
            )
        return statistics

    def _human_scores(self, human: Judgements, unit: str) -> tuple[Floats, Floats]:
        """Return the human scores of systems, and the sums by unit that they are computed from.

        There are no sums, an array of length 0, if people scored whole systems.
        """
        if isinstance(human, Rankings):
            people = human.expanded() if unit == "rankings" else human
            over = "segments" if unit == "systems" else unit
            sums = people.system_sums(over, self.ranking_method)
            return ratio(sums.sum(axis=0)), sums
        weights = None if self.weights is None else np.array(self.weights)
        if human.system_scores is not None and weights is None:
            return human.system_scores, np.zeros((0, len(human.systems), 2))
        sums = human.system_sums(weights)
        return ratio(sums.sum(axis=0)), sums

    def why_undefined(self, human: Judgements, metric: MetricScores) -> str:
        """Explain to the user why the agreement is undefined."""
        if np.nanmin(metric.system_scores) == np.nanmax(metric.system_scores):
            return "the metric is constant over all systems"
        return "people gave all systems the same score"


def score_differences(people: Rankings, metric: MetricScores) -> Floats:
    """Return the score of the first system minus that of the second for each comparison.

    NaN if one of the two was not scored.
    """
    scores = metric.segments
    return np.asarray(scores[people.first, people.segment] - scores[people.second, people.segment])


def system_accuracy(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Share of pairs of systems that the metric orders as people do (Kocmi et al. 2021).

    Pairs to which people give equal scores do not count; a tie of the metric is wrong.

    Parameters
    ----------
    x, y : array
        Scores of systems, along the last axis, by the metric and by people.
    weights : array
        How often each system counts.

    >>> x, y = np.array([1.0, 2, 3]), np.array([1.0, 3, 2])
    >>> float(system_accuracy(x, y, np.ones(3)).round(4))
    0.6667
    """
    x_sign = np.sign(x[..., :, None] - x[..., None, :])
    y_sign = np.sign(y[..., :, None] - y[..., None, :])
    pair_weights = weights[..., :, None] * weights[..., None, :]
    correct = (pair_weights * (x_sign * y_sign > 0)).sum(axis=(-1, -2))
    return ratio(np.stack([correct, (pair_weights * y_sign**2).sum(axis=(-1, -2))], axis=-1))


COEFFICIENTS: Mapping[str, Coefficient] = {
    "pearson": correlation.pearson,
    "spearman": correlation.spearman_rho,
    "kendall": correlation.kendall_tau,
    "accuracy": system_accuracy,
}


def _make_measure(name: str, about: str, paper: str) -> Measure:
    if name in PAIR_FORMULAS:
        calibrated = name == "acc_eq"
        average = "item" if calibrated else "none"
        return PairMeasure(name, about, paper, average, PAIR_FORMULAS[name], calibrated)
    kind = SystemMeasure if name.endswith("_sys") else Correlation
    return kind(name, about, paper)


_rows = Path(__file__).with_name("catalogue.tsv").read_text("utf-8").splitlines()[1:]
MEASURES = {row.partition("\t")[0]: _make_measure(*row.split("\t")) for row in _rows}
ALIASES = {"tau_wmt13": "tau", "tau_xties": "tau", "c_r": "spearman_sys"}


def get(name: str, average: str | None = None) -> Measure:
    """Return a measure of agreement by name.

    Parameters
    ----------
    name : str
        A key of ``MEASURES`` or ``ALIASES``; case does not matter, and ``-`` is read as ``_``.
    average : {"none", "item", "system"}, optional
        Average per segment (item), per system, or not at all; by default as the measure does.

    Raises
    ------
    InputError
        If there is no such measure, or it cannot be averaged in this way.

    >>> get("pearson", "item").average
    'item'
    """
    key = normalize_name(name)
    key = ALIASES.get(key, key)
    if key not in MEASURES:
        raise InputError(unknown_name_message("agreement", name, (*MEASURES, *ALIASES)))
    measure = MEASURES[key]
    if average is None:
        return measure
    if average not in measure.averages:
        choices = ", ".join(measure.averages)
        raise InputError(f"average must be one of {choices} for {key}, got {average!r}")
    return replace(measure, average=average)
