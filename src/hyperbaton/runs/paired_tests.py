"""Paired tests over segment statistics: bootstrap and approximate randomization."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.runs.comparisons import equal_in_every_segment
from hyperbaton.runs.intervals import bootstrap_values, joint_statistics, with_interval
from hyperbaton.runs.results import Score
from hyperbaton.stats.few_segments import bootstrap_interval, exact_exchange_p, least_p_test
from hyperbaton.stats.resampling import draw_samples, sampled_sums, swap_counts
from hyperbaton.stats.sampling import METHODS, Sampling
from hyperbaton.stats.significance import bootstrap_p, randomization_p

Floats = npt.NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]  # indices of two systems each


class PairTest(NamedTuple):
    """The p-value of a difference, and its confidence interval if the test gives one."""

    p: float
    lower: float | None = None
    upper: float | None = None


class MetricTests(NamedTuple):
    """For one metric, the scores of all systems, and the test of each pair."""

    scores: list[Score]
    tests: list[PairTest]


def run_tests(
    tables: Sequence[list[Score]], pairs: Pairs, sampling: Sampling
) -> Iterator[MetricTests]:
    """Test the differences of pairs of systems, by each metric.

    With few segments, p is at least that of the test that exchanges segments; see
    :func:`~hyperbaton.stats.few_segments.least_p_test`.

    Parameters
    ----------
    tables : sequence of lists of Score
        For each metric, the scores of all systems.
    pairs : sequence of tuples of int
        Indices of the systems to compare.
    sampling : Sampling
        Method, number of samples, seed and level.
    """
    method = bootstrap_tests if sampling.method == METHODS[0] else randomization_tests
    found = method(tables, pairs, sampling)
    least_test = least_p_test(sampling.method, tables[0][0].n)
    if least_test is None:
        return found
    exchange = exact_tests if least_test == "exact" else randomization_tests
    return map(_with_least_p, found, exchange(tables, pairs, sampling))


def _with_least_p(found: MetricTests, least: MetricTests) -> MetricTests:
    """Return the tests with p-values that are at least those of other tests."""
    pairs = zip(found.tests, least.tests, strict=True)
    return found._replace(tests=[test._replace(p=max(test.p, other.p)) for test, other in pairs])


def exact_tests(
    tables: Sequence[list[Score]], pairs: Pairs, sampling: Sampling
) -> Iterator[MetricTests]:
    """Test differences by every exchange of segments between the two systems."""
    for scores in tables:
        rows = [score.kept_statistics for score in scores]
        tests = [
            PairTest(exact_exchange_p(scores[a].metric.aggregate, rows[a], rows[b]))
            for a, b in pairs
        ]
        yield MetricTests(list(scores), tests)


def bootstrap_tests(
    tables: Sequence[list[Score]], pairs: Pairs, sampling: Sampling
) -> Iterator[MetricTests]:
    """Test differences by drawing segments with replacement."""
    for scores, values in zip(tables, bootstrap_values(tables, sampling), strict=True):
        tests = []
        for a, b in pairs:
            sampled = values[:, a] - values[:, b]
            p = bootstrap_p(scores[a].value - scores[b].value, sampled)
            if equal_in_every_segment(scores[a], scores[b]):
                p = 1.0
            tests.append(PairTest(p, *bootstrap_interval(sampled, sampling.level, scores[a].n)))
        with_bounds = [
            with_interval(score, values[:, k], sampling.level) for k, score in enumerate(scores)
        ]
        yield MetricTests(with_bounds, tests)


def randomization_tests(
    tables: Sequence[list[Score]], pairs: Pairs, sampling: Sampling
) -> Iterator[MetricTests]:
    """Test differences by exchanging segments between the two systems at random.

    The sum of what a system keeps and what it gets is Σ kept a + (Σ all b − Σ kept b). One pass
    over the segments of each system is therefore enough for all pairs.
    """
    rows = joint_statistics(tables)
    counts = draw_samples(swap_counts, len(rows[0]), sampling)
    parts: list[list[Floats]] = [[] for _ in tables]  # for each metric, a column for each pair
    for sums in sampled_sums(counts, rows, sampling.threads):
        for scores, metric_sums, differences in zip(tables, sums, parts, strict=True):
            differences.append(_differences_after_exchange(scores, metric_sums, pairs))
    for scores, differences in zip(tables, parts, strict=True):
        sampled = np.concatenate(differences)
        tests = []
        for k, (a, b) in enumerate(pairs):
            p = randomization_p(scores[a].value - scores[b].value, sampled[:, k])
            tests.append(PairTest(1.0 if equal_in_every_segment(scores[a], scores[b]) else p))
        yield MetricTests(list(scores), tests)


def _differences_after_exchange(scores: list[Score], sums: Floats, pairs: Pairs) -> Floats:
    """Return the difference of each pair in each sample, after the exchange."""
    metric = scores[0].metric
    kept = sums.reshape(len(sums), len(scores), -1)
    totals = [score.sums for score in scores]
    columns = []
    for a, b in pairs:
        mixed_a = metric.aggregate(kept[:, a] + (totals[b] - kept[:, b]))
        mixed_b = metric.aggregate(kept[:, b] + (totals[a] - kept[:, a]))
        columns.append(mixed_a - mixed_b)
    return np.stack(columns, axis=1)
