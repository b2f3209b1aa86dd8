"""Comparisons of systems by `order`: tests of the order of the words that they share.

A difference between two values of `order` depends on the choice of words as well. Two systems are
compared instead by their anchors, the words that both of them and the reference have exactly once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from hyperbaton.registries import load
from hyperbaton.softorder.anchors import Anchors, PairedAnchors, pair_anchors
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

Floats = npt.NDArray[np.float64]
MOST_VALUES = 2_000_000  # of samples that are held at a time, for two systems each
Outcome = Literal[
    "closer", "farther", "no certain difference", "too few words in common", "not scored"
]


@dataclass(frozen=True)
class AnchoredDifference:
    """How close two systems are to the order of the reference, by the words that they share.

    Attributes
    ----------
    difference : float or None
        The mean of ``a`` minus that of ``b``; None if no segment has two anchors.
    lower, upper : float or None
        Confidence interval of the difference (bootstrap only).
    p : float
        Two-sided p-value, corrected if a correction was asked for; 1 if nothing can be compared.
    uncorrected_p : float
        The p-value before the correction.
    a, b : float or None
        Share of neighbours that each system keeps among the anchors: the mean over segments,
        weighted by their anchors.
    anchors : int
        Number of anchors, in segments that have at least two.
    share : float
        Their share of the words of the references.
    segments : int
        Number of segments with at least two anchors.
    standard_error : float or None
        Standard error of the difference; None with fewer than two of these segments.
    effect : float or None
        Cohen's d for pairs, over these segments.
    wins, ties, losses : int
        Number of these segments in which ``a`` keeps more neighbours, equally many, and fewer.
    outcome : str
        What can be said of ``a`` beside ``b``.
    """

    difference: float | None
    lower: float | None
    upper: float | None
    p: float
    uncorrected_p: float
    a: float | None
    b: float | None
    anchors: int
    share: float
    segments: int
    standard_error: float | None
    effect: float | None
    wins: int
    ties: int
    losses: int
    outcome: Outcome


def compare_anchors(
    systems: Sequence[Anchors],
    is_scored: Sequence[bool],
    pairs: Pairs,
    sampling: Sampling,
    correction: str = CORRECTIONS.default,
) -> list[AnchoredDifference]:
    """Compare pairs of systems by the order of their shared anchors.

    Only segments in which a pair has at least two anchors are counted, exchanged and drawn.

    Parameters
    ----------
    systems : sequence of Anchors
        The anchors of each system.
    is_scored : sequence of bool
        Whether each system has a value of `order`.
    pairs : sequence of tuples of int
        Indices of the systems to compare.
    sampling : Sampling
        Method, number of samples, seed and level.
    correction : {"none", "holm"}
        Multiple-comparison correction of the p-values.

    Returns
    -------
    list of AnchoredDifference
        One for each pair.

    Raises
    ------
    InputError
        If systems have not been compared with the same references, or anchors are damaged.
    """
    threads = thread_count(sampling.threads)
    shared = [pair_anchors(systems[a], systems[b], threads) for a, b in pairs]
    tables = [anchor_table(pair) for pair in shared]
    tests = anchored_tests(tables, sampling)
    p_values = load(CORRECTIONS.find(correction).function)([test.p for test in tests])
    return [
        _difference(pair, table, test, p, is_scored[a] and is_scored[b], sampling.alpha)
        for (a, b), pair, table, test, p in zip(pairs, shared, tables, tests, p_values, strict=True)
    ]


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


def _difference(
    shared: PairedAnchors,
    table: MetricTable,
    test: PairTest,
    p: float,
    is_scored: bool,
    alpha: float,
) -> AnchoredDifference:
    a, b = table.values or (None, None)
    difference = table.difference(0, 1) if table.values else None
    counted = shared.weights > 0
    anchors = int(shared.weights.sum(dtype=np.int64))
    share = anchors / max(int(shared.tokens.sum(dtype=np.int64)), 1)
    outcome: Outcome = "no certain difference"
    if not is_scored:
        outcome = "not scored"
    elif anchors < LEAST_ANCHORS or share < LEAST_ANCHORED_SHARE:
        outcome = "too few words in common"
    elif difference and p < alpha:
        outcome = "closer" if difference > 0 else "farther"
    if outcome == "not scored":  # nor is anything known of the difference
        difference, test = None, PairTest(1.0)
    return AnchoredDifference(
        difference=difference,
        lower=test.lower,
        upper=test.upper,
        p=p,
        uncorrected_p=test.p,
        a=a,
        b=b,
        anchors=anchors,
        share=share,
        segments=int(counted.sum()),
        standard_error=ratio_error(table),
        **compare_segments(shared.a[counted] - shared.b[counted])._asdict(),
        outcome=outcome,
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
