"""An agreement, ready for samples: what it needs of each unit that is drawn, and its value.

A unit is what is drawn with replacement, or exchanged between two metrics: a segment, a ranking or
a system. ``counts`` have a row for each sample, which says how often it has each unit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hyperbaton.meta.judgements import Floats, Integers, ratio
from hyperbaton.stats.correlation import kendall_of, pair_forms, spearman
from hyperbaton.stats.resampling import Counts, sampled_sums

Formula = Callable[[Floats], Floats]
Coefficient = Callable[[Floats, Floats, Floats], Floats]
AT_ONCE = 4_000_000  # numbers that are held at a time


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

    def of_samples(self, counts: Counts, threads: int | None) -> Floats:
        """The value in each sample."""
        return self._values(self._sums(counts, threads))

    def exchanged(self, other: OfSums, coins: Counts, threads: int | None) -> Floats:
        """By how much this exceeds the other, if in each sample they exchange units.

        What one has then is what it keeps, and all that the other has less what that keeps.
        """
        kept, theirs = self._sums(coins, threads), other._sums(coins, threads)
        mine, yours = self.table.sum(axis=0), other.table.sum(axis=0)
        return self._values(kept + yours - theirs) - self._values(theirs + mine - kept)

    def _sums(self, counts: Counts, threads: int | None) -> Floats:
        drawn = counts
        if self.of_pairs is not None:
            i, j, _ = self.of_pairs
            drawn = counts[:, i] * counts[:, j]
        shape = self.table.shape
        ((sums,),) = sampled_sums(iter([drawn]), [self.table.reshape(shape[0], -1)], threads)
        return sums.reshape(len(counts), *shape[1:])

    def _values(self, sums: Floats) -> Floats:
        return mean_where_defined(self.formula(sums))


@dataclass(eq=False)
class OfRanks(Sampled):
    """Spearman's ρ, of numbers that belong to units: in each sample they are ranked anew."""

    x: Floats
    y: Floats
    unit: Integers
    units: int

    def of_samples(self, counts: Counts, threads: int | None) -> Floats:
        """The value in each sample."""
        rows = max(1, AT_ONCE // max(1, len(self.x)))
        parts = [
            spearman(self.x, self.y, counts[begin : begin + rows, self.unit].astype(np.float64))
            for begin in range(0, len(counts), rows)
        ]
        return np.concatenate(parts)


class OfPairs(Sampled):
    """Kendall's τ_b, of numbers that belong to units: a form in how often units are drawn."""

    def __init__(self, x: Floats, y: Floats, unit: Integers, units: int) -> None:
        self.x, self.y, self.unit, self.units = x, y, unit, units
        self._forms = pair_forms(x, y, unit, units)

    def of_samples(self, counts: Counts, threads: int | None) -> Floats:
        """The value in each sample."""
        return kendall_of(self._forms, counts.astype(np.float64))


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
    metric: Callable[[Counts], Floats] | None = None
    human: Callable[[Counts], Floats] | None = None
    of_units: bool = False

    def of_samples(self, counts: Counts, threads: int | None) -> Floats:
        """The value in each sample."""
        if self.of_units:
            return self._value(self.x, self.y, counts)
        x = self.x if self.metric is None else self.metric(counts)
        y = self.y if self.human is None else self.human(counts)
        shape = (len(counts), len(self.x))
        return self._value(np.broadcast_to(x, shape), np.broadcast_to(y, shape))

    def exchanged(self, other: OfSystems, coins: Counts, threads: int | None) -> Floats:
        """By how much this exceeds the other, if in each sample they exchange systems."""
        x, theirs = (standardized(one.x) for one in (self, other))
        mixed, unmixed = np.where(coins, x, theirs), np.where(coins, theirs, x)
        y = np.broadcast_to(self.y, mixed.shape)
        return self._value(mixed, y) - self._value(unmixed, y)

    def _value(self, x: Floats, y: Floats, counts: Counts | None = None) -> Floats:
        there = ~(np.isnan(x) | np.isnan(y))
        weights = there.astype(np.float64) if counts is None else np.where(there, counts, 0.0)
        return self.coefficient(np.where(there, x, 0), np.where(there, y, 0), weights)


@dataclass(eq=False)
class OfGroups(Sampled):
    """The mean over groups, each of which has a value of its own."""

    groups: list[Sampled]
    units: int

    def of_samples(self, counts: Counts, threads: int | None) -> Floats:
        """The value in each sample."""
        values = [group.of_samples(counts, threads) for group in self.groups]
        return mean_where_defined(np.stack(values, axis=1))


def standardized(x: Floats) -> Floats:
    """Mean 0 and variance 1, so that metrics on different scales can be exchanged."""
    spread = np.nanstd(x)
    return np.asarray((x - np.nanmean(x)) / (spread if spread > 0 else 1.0))


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
