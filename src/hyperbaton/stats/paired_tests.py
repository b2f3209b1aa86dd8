"""Paired tests over segment statistics: bootstrap, approximate randomization and all exchanges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.registries import load
from hyperbaton.stats.resampling import bootstrap_counts, draw_samples, sampled_sums, swap_counts
from hyperbaton.stats.sampling import PAIRED_TESTS, Sampling
from hyperbaton.stats.significance import (
    bootstrap_interval,
    bootstrap_p,
    exact_exchange_p,
    least_p_test,
    randomization_p,
)

Floats = npt.NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]  # indices of two systems each
Interval = tuple[float | None, float | None]


class MetricTable(NamedTuple):
    """What a test sees of one metric.

    Attributes
    ----------
    aggregate : callable
        Returns values from summed statistics, along the last axis.
    rows : list of array
        The statistics of each system, a row for each segment.
    sums : list of array
        Their exact sums.
    values : list of float
        The values that follow from the sums.
    """

    aggregate: Callable[[Floats], Floats]
    rows: list[Floats]
    sums: list[Floats]
    values: list[float]

    def difference(self, a: int, b: int) -> float:
        """Return the value of system ``a`` minus that of ``b``."""
        return self.values[a] - self.values[b]


class PairTest(NamedTuple):
    """The p-value of a difference, and its confidence interval if the test gives one."""

    p: float
    lower: float | None = None
    upper: float | None = None


class MetricTests(NamedTuple):
    """For one metric, the test of each pair, and the interval of each system's value."""

    tests: list[PairTest]
    intervals: list[Interval]


class SegmentDifferences(NamedTuple):
    """How one system does in the segments, beside another one.

    Attributes
    ----------
    effect : float or None
        Cohen's d for pairs: the mean of the differences divided by their standard deviation; None
        where segments do not differ in it.
    wins, ties, losses : int
        Number of segments in which the system is better, equal and worse.
    """

    effect: float | None
    wins: int
    ties: int
    losses: int


def compare_segments(better: Floats) -> SegmentDifferences:
    """Return what the differences of segments say, which are positive where a system is better.

    >>> compare_segments(np.array([2.0, 1.0, 0.0]))
    SegmentDifferences(effect=1.0, wins=2, ties=1, losses=0)
    """
    # Rounding leaves a little spread where all differences are the same.
    is_constant = len(better) < 2 or float(np.ptp(better)) < 1e-12
    spread = 0.0 if is_constant else float(better.std(ddof=1))
    return SegmentDifferences(
        effect=float(better.mean()) / spread if spread > 0 else None,
        wins=int((better > 0).sum()),
        ties=int((better == 0).sum()),
        losses=int((better < 0).sum()),
    )


def guarded_tests(
    tables: Sequence[MetricTable], pairs: Pairs, sampling: Sampling
) -> Iterator[MetricTests]:
    """Test differences by the method of ``sampling``, and mind few segments.

    With few segments, p is at least that of a test that exchanges them; see
    :func:`~hyperbaton.stats.significance.least_p_test`.
    """
    run = load(PAIRED_TESTS.find(sampling.method).function)
    found: Iterator[MetricTests] = run(tables, pairs, sampling)
    least_test = least_p_test(sampling.method, len(tables[0].rows[0]))
    if least_test is None:
        yield from found
        return
    exchange = exact_tests if least_test == "exact" else randomization_tests
    for (tests, intervals), (least, _) in zip(
        found, exchange(tables, pairs, sampling), strict=True
    ):
        guarded = [
            test._replace(p=max(test.p, floor.p)) for test, floor in zip(tests, least, strict=True)
        ]
        yield MetricTests(guarded, intervals)


def exact_tests(
    tables: Sequence[MetricTable], pairs: Pairs, sampling: Sampling
) -> Iterator[MetricTests]:
    """Test differences by every exchange of segments between the two systems."""
    for table in tables:
        rows = table.rows
        tests = [PairTest(exact_exchange_p(table.aggregate, rows[a], rows[b])) for a, b in pairs]
        yield MetricTests(tests, [(None, None)] * len(rows))


def bootstrap_tests(
    tables: Sequence[MetricTable], pairs: Pairs, sampling: Sampling
) -> Iterator[MetricTests]:
    """Test differences by drawing segments with replacement.

    Parameters
    ----------
    tables : sequence of MetricTable
        The statistics of all systems by each metric.
    pairs : sequence of tuples of int
        Indices of the systems to compare.
    sampling : Sampling
        Number of samples, seed and level.

    Yields
    ------
    MetricTests
        The tests of each metric.
    """
    for table, values in zip(tables, bootstrap_values(tables, sampling), strict=True):
        segments = len(table.rows[0])
        tests = []
        for a, b in pairs:
            sampled = values[:, a] - values[:, b]
            interval = bootstrap_interval(sampled, sampling.level, segments)
            tests.append(PairTest(bootstrap_p(table.difference(a, b), sampled), *interval))
        yield MetricTests(
            tests, [bootstrap_interval(column, sampling.level, segments) for column in values.T]
        )


def bootstrap_values(tables: Sequence[MetricTable], sampling: Sampling) -> list[Floats]:
    """Return the values of systems in bootstrap samples, which all metrics share.

    Returns
    -------
    list of array
        For each metric, a row for each sample and a column for each system.
    """
    rows = _joint_statistics(tables)
    counts = draw_samples(bootstrap_counts, len(rows[0]), sampling)
    parts: list[list[Floats]] = [[] for _ in tables]
    for sums in sampled_sums(counts, rows, sampling.threads):
        for table, metric_sums, values in zip(tables, sums, parts, strict=True):
            values.append(table.aggregate(_by_system(table, metric_sums)))
    return [np.concatenate(values) for values in parts]


def randomization_tests(
    tables: Sequence[MetricTable], pairs: Pairs, sampling: Sampling
) -> Iterator[MetricTests]:
    """Test differences by exchanging segments between the two systems at random.

    The sum of what a system keeps and what it gets is Σ kept a + (Σ all b − Σ kept b). One pass
    over the segments of each system is therefore enough for all pairs.
    """
    rows = _joint_statistics(tables)
    counts = draw_samples(swap_counts, len(rows[0]), sampling)
    parts: list[list[Floats]] = [[] for _ in tables]  # for each metric, a column for each pair
    for sums in sampled_sums(counts, rows, sampling.threads):
        for table, metric_sums, differences in zip(tables, sums, parts, strict=True):
            differences.append(_differences_after_exchange(table, metric_sums, pairs))
    for table, differences in zip(tables, parts, strict=True):
        sampled = np.concatenate(differences)
        tests = [
            PairTest(randomization_p(table.difference(a, b), sampled[:, k]))
            for k, (a, b) in enumerate(pairs)
        ]
        yield MetricTests(tests, [(None, None)] * len(table.rows))


def _differences_after_exchange(table: MetricTable, sums: Floats, pairs: Pairs) -> Floats:
    """Return the difference of each pair in each sample, after the exchange."""
    kept, totals = _by_system(table, sums), table.sums
    columns = []
    for a, b in pairs:
        mixed_a = table.aggregate(kept[:, a] + (totals[b] - kept[:, b]))
        mixed_b = table.aggregate(kept[:, b] + (totals[a] - kept[:, a]))
        columns.append(mixed_a - mixed_b)
    return np.stack(columns, axis=1)


def _joint_statistics(tables: Sequence[MetricTable]) -> list[Floats]:
    """Return, for each metric, the statistics of all systems beside each other."""
    return [np.hstack(table.rows) for table in tables]


def _by_system(table: MetricTable, sums: Floats) -> Floats:
    """Return sums of joint statistics with an axis for the systems."""
    return sums.reshape(len(sums), len(table.rows), -1)
