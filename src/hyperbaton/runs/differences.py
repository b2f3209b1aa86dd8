"""Differences between systems: by values, and by `order` by the words that systems share.

A difference between two values of `order` depends on the choice of words as well. Two systems are
compared instead by their anchors, the words that both of them and the reference have exactly once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.registries import load
from hyperbaton.runs.verdict_sentences import (
    CLOSER,
    FARTHER,
    NONE_CERTAIN,
    NOT_SCORED,
    TOO_FEW,
)
from hyperbaton.softorder.anchors import PairedAnchors, pair_anchors
from hyperbaton.softorder.evidence import LEAST_ANCHORED_SHARE, LEAST_ANCHORS
from hyperbaton.stats.paired_tests import (
    MetricTable,
    Pairs,
    PairTest,
    compare_segments,
    guarded_tests,
)
from hyperbaton.stats.sampling import CORRECTIONS, Sampling
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.runs.results import Score

Floats = npt.NDArray[np.float64]
MOST_VALUES = 2_000_000  # of samples that are held at a time, for two systems each


@dataclass(frozen=True)
class Difference:
    """The difference between two systems by one metric.

    Attributes
    ----------
    metric : str
        The metric as it was written.
    a, b : str
        Names of the systems.
    difference : float or None
        Value of ``a`` minus value of ``b``. By `order`, it is that of the neighbours that the
        shared anchors keep; None if there are none.
    lower, upper : float or None
        Confidence interval of the difference (bootstrap only).
    p : float
        Two-sided p-value, corrected if a correction was asked for; 1 if one of the systems is not
        scored.
    effect : float or None
        Cohen's d for pairs: the mean of the segments' differences divided by their standard
        deviation. It is positive where ``a`` is better, and None where segments do not differ.
    wins, ties, losses : int
        Number of segments in which ``a`` is better, equal and worse.
    better : str or None
        The better system, if the difference is significant; by `order`, the one that is closer to
        the order of the reference.
    outcome : str
        What is known of ``a`` against ``b``: "better" or "worse"; by `order`, "closer" or
        "farther", or "too few words in common"; otherwise "no certain difference", or "not scored".
    standard_error : float or None
        By `order`, the standard error of the difference.
    anchors : int or None
        By `order`, the number of shared anchors: words that the reference and both systems have
        exactly once.
    anchored : float or None
        Their share of the reference's words.
    """

    metric: str
    a: str
    b: str
    difference: float | None
    lower: float | None
    upper: float | None
    p: float
    effect: float | None
    wins: int
    ties: int
    losses: int
    better: str | None
    outcome: str
    standard_error: float | None = None
    anchors: int | None = None
    anchored: float | None = None

    @property
    def shown_p(self) -> float | None:
        """The p-value for people; None if one of the systems is not scored."""
        return None if self.outcome == NOT_SCORED else self.p


def compare_values(
    metric: str,
    scores: Mapping[str, Score],
    pairs: Pairs,
    tests: Sequence[PairTest],
    alpha: float,
    correction: str,
) -> Iterator[Difference]:
    """Yield the difference of each pair of systems, whose values were tested.

    Parameters
    ----------
    metric : str
        The metric as it was written.
    scores : mapping of str to Score
        The score of each system.
    pairs : sequence of tuples of int
        Indices of the systems to compare.
    tests : sequence of PairTest
        The test of each pair.
    alpha : float
        A difference is significant if p is less.
    correction : {"none", "holm"}
        Multiple-comparison correction of the p-values.
    """
    systems = list(scores.items())
    p_values = correct(tests, correction)
    for (i, j), test, p in zip(pairs, tests, p_values, strict=True):
        (a, first), (b, second) = systems[i], systems[j]
        sign = 1 if first.higher_is_better else -1
        difference = first.computed_value - second.computed_value
        better, outcome = None, NONE_CERTAIN
        if not (first.is_scored and second.is_scored):
            p, outcome = 1.0, NOT_SCORED
        elif p < alpha and difference != 0:
            better, outcome = (a, "better") if sign * difference > 0 else (b, "worse")
        yield Difference(
            metric,
            a,
            b,
            difference,
            test.lower,
            test.upper,
            p,
            **compare_segments(
                sign * (first.computed_segments - second.computed_segments)
            )._asdict(),
            better=better,
            outcome=outcome,
        )


def correct(tests: Sequence[PairTest], correction: str) -> list[float]:
    """Return the p-values of tests, corrected for their number if that is asked for."""
    corrected: list[float] = load(CORRECTIONS.find(correction).function)([t.p for t in tests])
    return corrected


def compare_anchors(
    metric: str,
    is_scored: Mapping[str, bool],
    pairs: Pairs,
    shared: Sequence[PairedAnchors],
    sampling: Sampling,
    correction: str = CORRECTIONS.default,
) -> Iterator[Difference]:
    """Yield the difference of each pair of systems by the order of their shared anchors.

    Only segments in which a pair has at least two anchors are counted, exchanged and drawn.

    Parameters
    ----------
    metric : str
        The metric as it was written.
    is_scored : mapping of str to bool
        Whether each system has a value.
    pairs : sequence of tuples of int
        Indices of the systems to compare.
    shared : sequence of PairedAnchors
        What each pair shares.
    sampling : Sampling
        Method, number of samples, seed and level.
    correction : {"none", "holm"}
        Multiple-comparison correction of the p-values.
    """
    tables = list(map(anchor_table, shared))
    tests = anchored_tests(tables, sampling)
    p_values = correct(tests, correction)
    names = list(is_scored)
    for (i, j), pair, table, test, p in zip(pairs, shared, tables, tests, p_values, strict=True):
        a, b = names[i], names[j]
        tested = test._replace(p=p) if is_scored[a] and is_scored[b] else None
        yield _anchored_difference((metric, a, b), pair, table, tested, sampling.alpha)


def share_anchors(
    scores: Sequence[Score], pairs: Pairs, threads: int | None
) -> list[PairedAnchors]:
    """Return what pairs of systems share.

    Raises
    ------
    InputError
        If systems have not been compared with the same references, or anchors are damaged.
    """
    stored = [score.stored_anchors for score in scores]
    anchors = [each.expand() for each in stored if each is not None]
    found = []
    for a, b in pairs:
        try:
            found.append(pair_anchors(anchors[a], anchors[b], thread_count(threads)))
        except InputError as error:
            places = " and ".join(each.place for each in (stored[a], stored[b]) if each is not None)
            raise InputError(f"{places}: {error}") from None
    return found


def anchor_table(shared: PairedAnchors) -> MetricTable:
    """Return what a test sees of two systems: rows (w·s, w) of segments with anchors."""
    counted = shared.weights > 0
    weights = shared.weights[counted].astype(np.float64)
    rows = [np.stack([weights * kept[counted], weights], axis=1) for kept in (shared.a, shared.b)]
    # Exact sums, so that the order of segments changes nothing.
    sums = [np.array([math.fsum(column) for column in table.T.tolist()]) for table in rows]
    values = [float(weighted_mean(total)) for total in sums] if len(weights) else []
    return MetricTable(weighted_mean, rows, sums, values)


def weighted_mean(sums: Floats) -> Floats:
    """Return the weighted mean of summed rows (w·s, w), along the last axis."""
    means: Floats = sums[..., 0] / sums[..., 1]
    return means


def anchored_tests(tables: Sequence[MetricTable], sampling: Sampling) -> list[PairTest]:
    """Return the test of each pair; p is 1 if it has no anchors."""
    tests = [PairTest(1.0)] * len(tables)
    by_segments: dict[int, list[int]] = {}
    for k, table in enumerate(tables):
        by_segments.setdefault(len(table.rows[0]), []).append(k)
    by_segments.pop(0, None)
    # A number of segments has the same samples for all pairs, so that they are drawn once for as
    # many pairs as memory is meant for.
    most = max(1, MOST_VALUES // sampling.samples)
    for group in by_segments.values():
        for first in range(0, len(group), most):
            block = group[first : first + most]
            found = guarded_tests([tables[k] for k in block], [(0, 1)], sampling)
            for k, (pair_tests, _) in zip(block, found, strict=True):
                (tests[k],) = pair_tests
    return tests


def _anchored_difference(
    names: tuple[str, str, str],
    shared: PairedAnchors,
    table: MetricTable,
    test: PairTest | None,
    alpha: float,
) -> Difference:
    """Return the difference of two systems by a metric; they have no test if one has no value."""
    _, a, b = names
    difference = table.difference(0, 1) if table.values else None
    counted = shared.weights > 0
    anchors = int(shared.weights.sum(dtype=np.int64))
    share = anchors / max(int(shared.tokens.sum(dtype=np.int64)), 1)
    better, outcome = None, NONE_CERTAIN
    if test is None:  # nor is anything known of the difference
        difference, test, outcome = None, PairTest(1.0), NOT_SCORED
    elif anchors < LEAST_ANCHORS or share < LEAST_ANCHORED_SHARE:
        outcome = TOO_FEW
    elif difference and test.p < alpha:
        better, outcome = (a, CLOSER) if difference > 0 else (b, FARTHER)
    return Difference(
        *names,
        difference,
        test.lower,
        test.upper,
        test.p,
        **compare_segments(shared.a[counted] - shared.b[counted])._asdict(),
        better=better,
        outcome=outcome,
        standard_error=ratio_error(table),
        anchors=anchors,
        anchored=share,
    )


def ratio_error(table: MetricTable) -> float | None:
    """Return the standard error of the difference of two weighted means over the same segments.

    It is that of a ratio of sums: √(n/(n − 1) · Σ(w·(s_a − s_b − D))²) / Σw.
    """
    (kept_a, weights), (kept_b, _) = (rows.T for rows in table.rows)
    n = len(weights)
    if n < 2:
        return None
    residuals = kept_a - kept_b - weights * table.difference(0, 1)
    return math.sqrt(n / (n - 1) * math.fsum((residuals**2).tolist())) / float(weights.sum())
