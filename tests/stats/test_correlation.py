"""Correlations of weighted samples, against SciPy on expanded samples."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats

from hyperbaton.stats.correlation import (
    kendall_from_pairs,
    kendall_tau,
    pair_matrices,
    pearson,
    ranks,
    spearman_rho,
)

CASES = [
    pytest.param(pearson, scipy.stats.pearsonr, id="pearson"),
    pytest.param(spearman_rho, scipy.stats.spearmanr, id="spearman"),
    pytest.param(kendall_tau, scipy.stats.kendalltau, id="kendall"),
]


def by_scipy(peer, x, y) -> float:  # type: ignore[no-untyped-def]
    if len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2:
        return float("nan")
    return float(peer(x, y).statistic)


@pytest.mark.parametrize(("ours", "peer"), CASES)
def test_weights_are_repetitions(ours, peer) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(1)
    for _ in range(150):
        n = int(rng.integers(1, 25))
        x, y = rng.integers(0, 6, (2, n)).astype(float)  # many ties
        weights = rng.integers(0, 4, (4, n)).astype(float)
        expected = [
            by_scipy(peer, np.repeat(x, w), np.repeat(y, w)) for w in weights.astype(np.int64)
        ]
        np.testing.assert_allclose(ours(x, y, weights), expected, atol=1e-12)
        np.testing.assert_allclose(ours(x, y), by_scipy(peer, x, y), atol=1e-12)


@pytest.mark.parametrize(("ours", "peer"), CASES)
def test_rows_have_their_own_numbers(ours, peer) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 5, (2, 60, 7)).astype(float)
    there = rng.random((60, 7)) < 0.8  # the others are missing
    expected = [by_scipy(peer, a[t], b[t]) for a, b, t in zip(x, y, there, strict=True)]
    np.testing.assert_allclose(ours(x, y, there.astype(float)), expected, atol=1e-12)


@pytest.mark.parametrize(("ours", "peer"), CASES)
def test_large_numbers_keep_their_digits(ours, peer) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(3)
    x = 1e6 + rng.normal(size=500)
    y = x + rng.normal(size=500)
    np.testing.assert_allclose(ours(x, y), peer(x, y).statistic, atol=1e-9)


@pytest.mark.parametrize("ours", [pearson, spearman_rho, kendall_tau])
def test_undefined_for_no_numbers_or_equal_numbers(ours) -> None:  # type: ignore[no-untyped-def]
    for x in (np.array([]), np.array([1.0]), np.full(9, 0.1)):
        assert np.isnan(ours(x, np.arange(float(len(x)))))


def test_kendall_with_all_patterns_of_ties() -> None:
    """All pairs of rows with 4 numbers out of 3."""
    rows = np.array(list(itertools.product(range(3), repeat=4)), np.float64)
    for x, y in itertools.product(rows[::2], rows):
        if (x == x[0]).all() or (y == y[0]).all():
            assert np.isnan(kendall_tau(x, y))
        else:
            sign_x, sign_y = (np.sign(z[:, None] - z).ravel() for z in (x, y))
            untied = np.sqrt((sign_x @ sign_x) * (sign_y @ sign_y))
            assert kendall_tau(x, y) == sign_x @ sign_y / untied


@pytest.mark.parametrize("n", [2, 10, 300, 20_000])
@pytest.mark.parametrize("values", [2, 50, 10**6])
def test_kendall_is_that_of_scipy_to_the_last_digit(n: int, values: int) -> None:
    rng = np.random.default_rng(n + values)
    for _ in range(5):
        x, y = rng.integers(0, values, (2, n)).astype(float)
        np.testing.assert_allclose(
            kendall_tau(x, y), by_scipy(scipy.stats.kendalltau, x, y), rtol=5e-16
        )
        y = x + rng.integers(0, values, n)
        np.testing.assert_allclose(
            kendall_tau(x, y), by_scipy(scipy.stats.kendalltau, x, y), rtol=5e-16
        )


def test_units_of_several_numbers() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 9, (2, 60)).astype(float)
    unit = rng.integers(0, 12, 60)
    counts = rng.integers(0, 3, (5, 12))
    found = kendall_from_pairs(pair_matrices(x, y, unit, 12), counts.astype(float))
    for row, value in zip(counts, found, strict=True):
        times = row[unit]
        expected = scipy.stats.kendalltau(np.repeat(x, times), np.repeat(y, times)).statistic
        assert value == pytest.approx(expected, abs=1e-12)


def test_many_units_are_compared_in_blocks() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 90))
    unit = np.sort(rng.integers(0, 30, 90))
    whole = pair_matrices(x, y, unit, 30)
    in_blocks = pair_matrices(x, y, unit, 30, pairs_per_block=400)
    np.testing.assert_array_equal(in_blocks, whole)


def test_ranks_are_those_of_scipy() -> None:
    rng = np.random.default_rng(6)
    x = rng.integers(0, 9, (20, 15)).astype(float)
    np.testing.assert_array_equal(ranks(x), scipy.stats.rankdata(x, axis=1))
    for row in x:
        np.testing.assert_array_equal(ranks(row), scipy.stats.rankdata(row))
