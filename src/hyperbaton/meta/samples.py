"""An agreement, ready for samples: what it needs of each unit that is drawn, and its value.

A unit is what is drawn with replacement, or exchanged between two metrics: a segment, a ranking or
a system. ``counts`` have a row for each sample, which says how often it has each unit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.meta.judgements import Floats, Integers, ratio
from hyperbaton.stats.correlation import kendall_of, pair_forms, spearman
from hyperbaton.stats.resampling import Counts, sampled_sums

Formula = Callable[[Floats], Floats]
Coefficient = Callable[[Floats, Floats, Floats], Floats]
AT_ONCE = 1_000_000  # numbers that are held at a time


class Sampled(ABC):
    """The agreement of one metric with people."""

    units: int

    @property
    def value(self) -> float:
        """Of all units; NaN where it is not defined."""
        return float(self.of_samples(np.ones((1, self.units), np.int32), 1)[0])

    @abstractmethod
    def of_samples(self, counts: Counts, threads: int | None) -> Floats:
        """The value in each sample."""


@dataclass(eq=False)
class OfSums(Sampled):
    """A formula of sums over units: of counts of pairs, of moments, of values of segments.

    ``table`` has axes units, groups and statistics. The formula is of the sums of a group, and the
    value is the mean over the groups in which it is defined. If ``of_pairs``, units are pairs of
    what is drawn: numbers (i, j), which a sample has as often as it has i times as it has j.
    """

    table: Floats
    formula: Formula
    of_pairs: tuple[Integers, Integers, int] | None = None

    @property
    def units(self) -> int:  # type: ignore[override]
        """How many there are to draw from."""
        return len(self.table) if self.of_pairs is None else self.of_pairs[2]

    @property
    def value(self) -> float:
        """Of all units."""
        return float(self.values(self.table.sum(axis=0)[None])[0])

    def of_samples(self, counts: Counts, threads: int | None) -> Floats:
        """The value in each sample."""
        return self.values(self.sums(counts, threads))

    def sums(self, counts: Counts, threads: int | None) -> Floats:
        """Of the statistics, in each sample and group."""
        drawn = counts
        if self.of_pairs is not None:
            i, j, _ = self.of_pairs
            drawn = counts[:, i] * counts[:, j]
        shape = self.table.shape
        ((sums,),) = sampled_sums(iter([drawn]), [self.table.reshape(shape[0], -1)], threads)
        return sums.reshape(len(counts), *shape[1:])

    def values(self, sums: Floats) -> Floats:
        """What sums are worth."""
        return mean_where_defined(self.formula(sums))


class OfCells(Sampled):
    """A coefficient of numbers that belong to units."""

    def __init__(self, x: Floats, y: Floats, unit: Integers, units: int) -> None:
        self.x, self.y, self.unit, self.units = x, y, unit, units

    @abstractmethod
    def of_numbers(self, x: Floats) -> float:
        """The value, if the metric had given these numbers."""

    def mixed(self, other: OfCells, coins: Counts) -> float:
        """The value, if the metric had the other's numbers where the coin is 0."""
        return self.of_numbers(np.where(coins[self.unit], self.x, other.x))


class OfRanks(OfCells):
    """Spearman's ρ: in each sample, numbers are ranked anew."""

    def of_samples(self, counts: Counts, threads: int | None) -> Floats:
        """The value in each sample."""
        rows = max(1, AT_ONCE // max(1, len(self.x)))
        parts = [
            spearman(self.x, self.y, counts[begin : begin + rows, self.unit].astype(np.float64))
            for begin in range(0, len(counts), rows)
        ]
        return np.concatenate(parts)

    def of_numbers(self, x: Floats) -> float:
        """The value, if the metric had given these numbers."""
        return float(spearman(x, self.y))


class OfPairs(OfCells):
    """Kendall's τ_b: a form in how often units are drawn."""

    @cached_property
    def _forms(self) -> npt.NDArray[np.int32]:
        return pair_forms(self.x, self.y, self.unit, self.units)

    def of_samples(self, counts: Counts, threads: int | None) -> Floats:
        """The value in each sample."""
        return kendall_of(self._forms, counts.astype(np.float64))

    def of_numbers(self, x: Floats) -> float:
        """The value, if the metric had given these numbers."""
        from scipy.stats import kendalltau

        return float(kendalltau(x, self.y).statistic)


@dataclass(eq=False)
class OfSystems(Sampled):
    """A coefficient of the scores of whole systems: by the metric, and by people.

    ``metric`` and ``human`` give the scores in samples, a row each and NaN where a system has none;
    None for units that are systems: they have the scores they have.
    """

    coefficient: Coefficient
    x: Floats
    y: Floats
    units: int
    metric: Callable[[Counts, int | None], Floats] | None = None
    human: Callable[[Counts], Floats] | None = None
    of_units: bool = False

    def of_samples(self, counts: Counts, threads: int | None) -> Floats:
        """The value in each sample."""
        return self.beside(self.people(counts), counts, threads)

    @property
    def value(self) -> float:
        """Of the scores as they are."""
        return float(self.of_scores(self.x, self.y))

    def people(self, counts: Counts) -> Floats:
        """The scores by people in each sample, which are the same for every metric."""
        y = self.y if self.human is None else self.human(counts)
        return np.broadcast_to(y, (len(counts), len(self.y)))

    def beside(self, y: Floats, counts: Counts, threads: int | None) -> Floats:
        """The value in each sample, in which people gave these scores."""
        if self.of_units:
            return self.of_scores(self.x, self.y, counts)
        x = self.x if self.metric is None else self.metric(counts, threads)
        there = ~np.isnan(self.x)
        return self.of_scores(np.where(there, np.broadcast_to(x, y.shape), np.nan), y)

    def of_scores(self, x: Floats, y: Floats, counts: Counts | None = None) -> Floats:
        """The value of rows of scores; NaN is no score."""
        there = ~(np.isnan(x) | np.isnan(y))
        weights = there.astype(np.float64) if counts is None else np.where(there, counts, 0.0)
        return self.coefficient(np.where(there, x, 0), np.where(there, y, 0), weights)


@dataclass(eq=False)
class OfGroups(Sampled):
    """The mean over groups, each of which has a value of its own."""

    groups: list[OfCells]
    units: int

    def of_samples(self, counts: Counts, threads: int | None) -> Floats:
        """The value in each sample."""
        values = [group.of_samples(counts, threads) for group in self.groups]
        return mean_where_defined(np.stack(values, axis=1))

    def mixed(self, other: OfGroups, coins: Counts) -> float:
        """The value, if the metric had the other's numbers where the coin is 0."""
        pairs = zip(self.groups, other.groups, strict=True)
        values = [mine.mixed(theirs, coins) for mine, theirs in pairs]
        return float(mean_where_defined(np.array(values)))


def standardized(x: Floats) -> Floats:
    """Mean 0 and variance 1, so that metrics on different scales can be exchanged."""
    spread = np.nanstd(x)
    return np.asarray((x - np.nanmean(x)) / (spread if spread > 0 else 1.0))


def bootstrapped(found: Sequence[Sampled], counts: Counts, threads: int | None) -> Floats:
    """The values of several metrics in the same samples, a column each."""
    if all(isinstance(one, OfSystems) for one in found):
        systems = [one for one in found if isinstance(one, OfSystems)]
        y = systems[0].people(counts)
        return np.stack([one.beside(y, counts, threads) for one in systems], axis=1)
    if not all(isinstance(one, OfSums) for one in found):
        return np.stack([one.of_samples(counts, threads) for one in found], axis=1)
    tables = [one for one in found if isinstance(one, OfSums)]
    together = replace(tables[0], table=np.concatenate([one.table for one in tables], axis=-1))
    parts = np.split(together.sums(counts, threads), len(tables), axis=-1)
    return np.stack([one.values(sums) for one, sums in zip(tables, parts, strict=True)], axis=1)


def exchanged(
    found: Sequence[Sampled], pairs: Sequence[tuple[int, int]], coins: Counts, threads: int | None
) -> Floats:
    """By how much one metric exceeds another if they exchange units: samples down, pairs across.

    What one then has is what it keeps, and all that the other has less what that keeps.
    """
    if all(isinstance(one, OfSums) for one in found):
        tables = [one for one in found if isinstance(one, OfSums)]
        kept = [one.sums(coins, threads) for one in tables]
        given = [one.table.sum(axis=0) - own for one, own in zip(tables, kept, strict=True)]
        columns = [
            tables[a].values(kept[a] + given[b]) - tables[b].values(kept[b] + given[a])
            for a, b in pairs
        ]
    elif all(isinstance(one, OfSystems) for one in found):
        systems = [one for one in found if isinstance(one, OfSystems)]
        own = [standardized(one.x) for one in systems]
        y = np.broadcast_to(systems[0].y, coins.shape)
        columns = [
            systems[a].of_scores(np.where(coins, own[a], own[b]), y)
            - systems[a].of_scores(np.where(coins, own[b], own[a]), y)
            for a, b in pairs
        ]
    else:
        columns = [
            np.array(
                [mixed(found[a], found[b], row) - mixed(found[b], found[a], row) for row in coins]
            )
            for a, b in pairs
        ]
    return np.stack(columns, axis=1)


def mixed(one: Sampled, other: Sampled, coins: Counts) -> float:
    """The value of the first, if it had the other's numbers where the coin is 0."""
    if isinstance(one, OfCells) and isinstance(other, OfCells) and len(one.x) == len(other.x):
        return one.mixed(other, coins)
    if isinstance(one, OfGroups) and isinstance(other, OfGroups):
        return one.mixed(other, coins)
    raise InputError("metrics that do not score the same segments cannot exchange them")


def mean_where_defined(values: Floats) -> Floats:
    """Along the last axis; NaN where nothing is defined."""
    there = ~np.isnan(values)
    count = there.sum(axis=-1)
    total = np.where(there, values, 0).sum(axis=-1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def of_values(values: Floats) -> OfSums:
    """The mean of what units have, each for itself; those with NaN are left out."""
    there = ~np.isnan(values)
    table = np.stack([np.where(there, values, 0), there], axis=-1)
    return OfSums(table[:, None, :].astype(np.float64), ratio)
