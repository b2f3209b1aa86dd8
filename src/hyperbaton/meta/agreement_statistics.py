"""Agreement of one metric with people, in a form that can be resampled.

A unit is what is drawn with replacement, or exchanged between two metrics: a segment, a ranking or
a system. ``counts`` has one row per sample, which says how often the sample contains each unit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from hyperbaton.meta.arrays import Floats, Integers, mean_where_defined, ratio, standardize
from hyperbaton.stats.correlation import (
    kendall_from_pairs,
    kendall_tau,
    pair_matrices,
    spearman_rho,
)
from hyperbaton.stats.resampling import Counts, sampled_sums
from hyperbaton.threads import thread_count

Kind = TypeVar("Kind", bound="AgreementStatistic")
Formula = Callable[[Floats], Floats]
Coefficient = Callable[[Floats, Floats, Floats], Floats]
MAX_NUMBERS = 1_000_000  # numbers that are held in memory at a time


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


class ScoreStatistic(AgreementStatistic, ABC):
    """A coefficient of the scores x of the metric and y of people, each belonging to a unit."""

    def __init__(self, x: Floats, y: Floats, unit: Integers, units: int) -> None:
        self.x, self.y, self.unit, self.units = x, y, unit, units

    @abstractmethod
    def value_of(self, x: Floats) -> float:
        """Return the agreement if the metric had given the scores x."""

    def value_after_exchange(self, other: Any, coins: Counts) -> float:
        """Return the agreement with the other metric's scores where the coin is 0."""
        return self.value_of(np.where(coins[self.unit], self.x, other.x))


class SpearmanStatistic(ScoreStatistic):
    """Spearman's ρ; scores are ranked anew in each sample."""

    def sample_values(self, counts: Counts, threads: int | None) -> Floats:
        """Return the agreement in each sample."""
        rows = max(1, MAX_NUMBERS // max(1, len(self.x)))
        parts = [
            spearman_rho(self.x, self.y, counts[begin : begin + rows, self.unit].astype(np.float64))
            for begin in range(0, len(counts), rows)
        ]
        return np.concatenate(parts)

    def value_of(self, x: Floats) -> float:
        """Return the agreement if the metric had given the scores x."""
        return float(spearman_rho(x, self.y))


class KendallStatistic(ScoreStatistic):
    """Kendall's τ_b, computed from quadratic forms in the counts of units."""

    @cached_property
    def _forms(self) -> npt.NDArray[np.int32]:
        return pair_matrices(self.x, self.y, self.unit, self.units)

    def sample_values(self, counts: Counts, threads: int | None) -> Floats:
        """Return the agreement in each sample."""
        return kendall_from_pairs(self._forms, counts.astype(np.float64))

    def value_of(self, x: Floats) -> float:
        """Return the agreement if the metric had given the scores x."""
        return float(kendall_tau(x, self.y))


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
