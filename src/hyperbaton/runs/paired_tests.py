"""Paired tests of the scores of systems, with the guards that every test has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from hyperbaton.registries import load
from hyperbaton.runs.comparisons import equal_in_every_segment
from hyperbaton.runs.intervals import metric_table
from hyperbaton.runs.results import Score
from hyperbaton.stats.paired_tests import (
    MetricTable,
    MetricTests,
    Pairs,
    PairTest,
    exact_tests,
    randomization_tests,
)
from hyperbaton.stats.sampling import PAIRED_TESTS, Sampling
from hyperbaton.stats.significance import least_p_test


class TestedScores(NamedTuple):
    """For one metric, the scores of all systems, and the test of each pair."""

    scores: list[Score]
    tests: list[PairTest]


def run_tests(
    tables: Sequence[list[Score]], pairs: Pairs, sampling: Sampling
) -> Iterator[TestedScores]:
    """Test the differences of pairs of systems, by each metric.

    With few segments, p is at least that of the test that exchanges segments; see
    :func:`~hyperbaton.stats.significance.least_p_test`. It is 1 for systems that do not differ in
    any segment.

    Parameters
    ----------
    tables : sequence of lists of Score
        For each metric, the scores of all systems.
    pairs : sequence of tuples of int
        Indices of the systems to compare.
    sampling : Sampling
        Method, number of samples, seed and level.
    """
    statistics = list(map(metric_table, tables))
    run = load(PAIRED_TESTS.find(sampling.method).function)
    found: Iterator[MetricTests] = run(statistics, pairs, sampling)
    floors = _least_p_values(statistics, pairs, sampling)
    for scores, (tests, intervals), floor in zip(tables, found, floors, strict=True):
        guarded = [
            test._replace(p=1.0 if equal_in_every_segment(scores[a], scores[b]) else max(test.p, p))
            for test, p, (a, b) in zip(tests, floor, pairs, strict=True)
        ]
        bounded = [
            score if lower is None else replace(score, lower=lower, upper=upper)
            for score, (lower, upper) in zip(scores, intervals, strict=True)
        ]
        yield TestedScores(bounded, guarded)


def _least_p_values(
    tables: Sequence[MetricTable], pairs: Pairs, sampling: Sampling
) -> Iterator[list[float]]:
    """Yield, for each metric, the p-values that those of a test must not be less than."""
    least_test = least_p_test(sampling.method, len(tables[0].rows[0]))
    if least_test is None:
        yield from ([0.0] * len(pairs) for _ in tables)
        return
    exchange = exact_tests if least_test == "exact" else randomization_tests
    for tests, _ in exchange(tables, pairs, sampling):
        yield [test.p for test in tests]
