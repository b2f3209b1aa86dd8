"""Intervals, p-values, corrections, clusters: by hand, against twins, and in simulations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hyperbaton.stats.resampling import bootstrap_counts, swap_counts
from hyperbaton.stats.significance import (
    bootstrap_p,
    clusters,
    holm,
    percentile_interval,
    randomization_p,
    rank_ranges,
    sample_t_p,
    williams_p,
)
from reference import resampling as reference

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
P = Callable[[float, Floats], float]

# Eighths, because their sums and differences are exact and many of them are equal.
eighths = st.integers(-40, 40).map(lambda k: k / 8)
samples = st.lists(eighths, min_size=1, max_size=30)
p_lists = st.lists(st.integers(1, 100).map(lambda k: k / 100), max_size=7)
TESTS: list[tuple[P, Callable[..., object]]] = [
    (bootstrap_p, reference.bootstrap_p),
    (randomization_p, reference.randomization_p),
]
BOTH = pytest.mark.parametrize(("test", "twin"), TESTS)


@st.composite
def relations(draw: st.DrawFn, most: int = 6) -> Bools:
    """Which systems are significantly better: only those above, and not always transitively."""
    count = draw(st.integers(1, most))
    better = np.zeros((count, count), bool)
    for i, j in itertools.combinations(range(count), 2):
        better[i, j] = draw(st.sampled_from([True, True, False]))
    return better


# Intervals --------------------------------------------------------------------------------------


@given(values=samples, level=st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.001]))
def test_intervals_beside_the_twin(values: list[float], level: float) -> None:
    found = percentile_interval(np.array(values), level)
    assert found == pytest.approx(reference.interval(values, level), abs=1e-12)
    assert min(values) <= found[0] <= found[1] <= max(values)
    assert percentile_interval(np.array(values[::-1]), level) == found


def test_intervals_by_hand() -> None:
    # Ten values have nine steps, and 2.5 % of nine is 0.225.
    assert percentile_interval(np.arange(10.0), 0.95) == pytest.approx((0.225, 8.775))
    assert percentile_interval(np.arange(10.0)[::-1], 0.95) == pytest.approx((0.225, 8.775))
    assert percentile_interval(np.array([1.0, 1.0, 1.0, 5.0]), 0.5) == (1.0, 2.0)
    assert percentile_interval(np.array([0.25]), 0.95) == (0.25, 0.25)
    assert percentile_interval(np.array([3.0, 1.0]), 0.5) == (1.5, 2.5)


@given(values=samples)
def test_a_higher_level_is_wider(values: list[float]) -> None:
    levels = [0.1, 0.5, 0.9, 0.99]
    found = [percentile_interval(np.array(values), level) for level in levels]
    assert [low for low, _ in found] == sorted((low for low, _ in found), reverse=True)
    assert [high for _, high in found] == sorted(high for _, high in found)


# p-values ---------------------------------------------------------------------------------------


@BOTH
@given(difference=eighths, sampled=samples)
def test_p_beside_the_twin(
    test: P, twin: Callable[..., float], difference: float, sampled: list[float]
) -> None:
    p = test(difference, np.array(sampled))
    assert p == float(twin(difference, sampled))
    assert 0 < p <= 1
    assert p >= 1 / (1 + len(sampled))
    # Neither the order of the samples nor that of the two systems matters.
    assert test(difference, np.array(sampled[::-1])) == p
    assert test(-difference, -np.array(sampled)) == p


def test_p_by_hand() -> None:
    # 0, 4, −1 and 4.5 are at least 2 away from 2; 0.5, 1, 2 and 3.9 are not.
    sampled = np.array([0.0, 4.0, -1.0, 4.5, 0.5, 1.0, 2.0, 3.9])
    assert bootstrap_p(2.0, sampled) == 5 / 9
    # around 0: 4, 4.5, 2 and 3.9
    assert randomization_p(2.0, sampled) == 5 / 9
    assert randomization_p(4.2, sampled) == 2 / 9
    assert bootstrap_p(4.2, sampled) == 3 / 9  # 0 and −1
    assert bootstrap_p(-1.0, np.array([-1.0, -1.5, -0.1])) == 1 / 4
    assert bootstrap_p(-1.0, np.array([-2.0, 0.0, -0.1])) == 3 / 4


@BOTH
def test_p_is_never_0(test: P, twin: object) -> None:
    sampled = np.full(999, 1.0) if test is bootstrap_p else np.zeros(999)
    assert test(1.0, sampled) == 1 / 1000
    assert test(1.0, sampled[:1]) == 1 / 2


@BOTH
@given(sampled=samples)
def test_no_difference_is_p_1(test: P, twin: object, sampled: list[float]) -> None:
    assert test(0.0, np.array(sampled)) == 1.0


@pytest.mark.parametrize("scale", [1e-3, 1.0, 37.0])
def test_rounding_does_not_break_ties(scale: float) -> None:
    """0.1 + 0.2 counts as 0.3: the same segments may be added in another order."""
    big, small = scale * (0.1 + 0.2), scale * 0.3
    assert big != small
    for found, sampled in ((big, small), (small, big)):
        assert randomization_p(found, np.array([sampled, -sampled])) == 1.0
        assert bootstrap_p(found, np.array([0.0, 2 * sampled])) == 1.0
    # Real differences still count.
    assert randomization_p(big, np.array([small * (1 - 1e-6)] * 9)) == 0.1
    assert bootstrap_p(big, np.array([small * 1e-6] * 9)) == 0.1


# Holm -------------------------------------------------------------------------------------------


@given(p_values=p_lists)
def test_holm_beside_the_twin(p_values: list[float]) -> None:
    found = holm(p_values)
    assert found == pytest.approx(reference.holm(p_values), abs=1e-12)
    assert len(found) == len(p_values)
    assert all(p <= corrected <= 1 for p, corrected in zip(p_values, found, strict=True))


@given(p_values=p_lists, seed=st.randoms(use_true_random=False))
def test_holm_in_any_order(p_values: list[float], seed: object) -> None:
    order = list(range(len(p_values)))
    seed.shuffle(order)  # type: ignore[attr-defined]
    found = holm(p_values)
    assert holm([p_values[k] for k in order]) == [found[k] for k in order]


def test_holm_by_hand() -> None:
    assert holm([]) == []
    assert holm([0.2]) == [0.2]
    # ×4, ×3, ×2, ×1, and none below the previous one.
    assert holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm([0.04, 0.01, 0.5, 0.6]) == pytest.approx([0.12, 0.04, 1.0, 1.0])
    assert holm([1.0, 1.0]) == [1.0, 1.0]
    assert holm([0.03, 0.03]) == pytest.approx([0.06, 0.06])


# Clusters ---------------------------------------------------------------------------------------


@given(better=relations())
def test_clusters_beside_the_twin(better: Bools) -> None:
    found = clusters(better)
    assert found == reference.clusters(better.tolist())
    assert found[0] == 1
    assert all(b - a in (0, 1) for a, b in itertools.pairwise(found))


@given(better=relations())
def test_rank_ranges_beside_the_twin(better: Bools) -> None:
    assert rank_ranges(better) == reference.rank_ranges(better.tolist())
    for first, last in rank_ranges(better):
        assert 1 <= first <= last <= len(better)


@given(better=relations(5))
def test_rank_ranges_are_the_ranks_that_are_possible(better: Bools) -> None:
    closed = better.copy()
    for _ in range(len(closed)):  # transitive closure: if i > j > k then i > k
        closed |= (closed.astype(int) @ closed.astype(int)) > 0
    assert rank_ranges(closed) == reference.possible_ranks(closed.tolist())


@given(better=relations())
def test_a_cluster_has_its_own_ranks(better: Bools) -> None:
    """No system may have a rank that belongs to another cluster."""
    found = clusters(better)
    for cluster, (first, last) in zip(found, rank_ranges(better), strict=True):
        ranks = [k for k, other in enumerate(found, 1) if other == cluster]
        assert min(ranks) <= first
        assert last <= max(ranks)


def chain(*pairs: tuple[int, int], count: int) -> Bools:
    better = np.zeros((count, count), bool)
    for i, j in pairs:
        better[i, j] = True
    return better


def test_clusters_by_hand() -> None:
    assert clusters(chain(count=1)) == [1]
    assert clusters(chain(count=4)) == [1, 1, 1, 1]
    assert clusters(chain((0, 1), (0, 2), (1, 2), count=3)) == [1, 2, 3]
    # Only the first beats the last, so that there is one cluster.
    assert clusters(chain((0, 2), count=3)) == [1, 1, 1]
    # Neighbours differ but the outer ones do not: still one cluster.
    assert clusters(chain((0, 1), (1, 2), count=3)) == [1, 1, 1]
    # All pairs across a boundary must differ: 1 beats 2 and 3, but 0 beats only 3.
    assert clusters(chain((1, 2), (1, 3), (0, 3), count=4)) == [1, 1, 1, 1]
    assert clusters(chain((1, 2), (1, 3), (0, 2), (0, 3), count=4)) == [1, 1, 2, 2]
    # The first is a cluster of its own; the others do not differ.
    assert clusters(chain((0, 1), (0, 2), (0, 3), count=4)) == [1, 2, 2, 2]


def test_rank_ranges_by_hand() -> None:
    assert rank_ranges(chain(count=3)) == [(1, 3)] * 3
    assert rank_ranges(chain((0, 2), count=3)) == [(1, 2), (1, 3), (2, 3)]
    assert rank_ranges(chain((0, 1), (0, 2), (1, 2), count=3)) == [(1, 1), (2, 2), (3, 3)]


# Simulations with fixed seeds, so that the tests are deterministic ------------------------------

CORPORA, SEGMENTS, DRAWS = 300, 100, 500


def skewed(rng: np.random.Generator) -> Floats:
    """Segments whose true mean is 1."""
    return rng.gamma(2.0, 0.5, SEGMENTS)


def mixed(rng: np.random.Generator) -> Floats:
    """Many segments without an error, the rest with several; the true mean is 1."""
    return np.where(rng.random(SEGMENTS) < 0.6, 0.0, rng.normal(2.5, 1, SEGMENTS))


def sampled_means(values: Floats, seed: int) -> Floats:
    (counts,) = bootstrap_counts(len(values), DRAWS, seed)
    return np.asarray(counts @ values / len(values))


@pytest.mark.parametrize("make", [skewed, mixed])
@pytest.mark.parametrize(
    ("level", "least", "most"), [(0.95, 0.90, 0.98), (0.8, 0.74, 0.85), (0.5, 0.43, 0.57)]
)
def test_intervals_cover_the_truth_as_often_as_they_say(
    make: Callable[[np.random.Generator], Floats], level: float, least: float, most: float
) -> None:
    rng = np.random.default_rng(20)
    covered = below = 0
    for corpus in range(CORPORA):
        low, high = percentile_interval(sampled_means(make(rng), corpus), level)
        covered += low <= 1 <= high
        below += high < 1
    assert least <= covered / CORPORA <= most
    assert 0 < below < CORPORA - covered  # misses on both sides


def null_p(test: P, rng: np.random.Generator, seed: int, shift: float = 0.0) -> float:
    """Return p for two correlated systems with the same distribution of segments."""
    common = rng.normal(0, 1, SEGMENTS)
    a, b = (common + rng.gamma(2.0, 0.5, SEGMENTS) for _ in range(2))
    differences = a - b + shift
    found = float(differences.mean())
    if test is bootstrap_p:
        return test(found, sampled_means(differences, seed))
    (kept,) = swap_counts(SEGMENTS, DRAWS, seed)
    return test(found, np.asarray((2 * kept - 1) @ differences / SEGMENTS))


@BOTH
def test_p_is_uniform_when_there_is_no_difference(test: P, twin: object) -> None:
    rng = np.random.default_rng(21)
    found = [null_p(test, rng, seed) for seed in range(CORPORA)]
    assert stats.kstest(found, "uniform").pvalue > 0.02
    for alpha in (0.05, 0.2, 0.5):
        spread = math.sqrt(alpha * (1 - alpha) / CORPORA)
        assert abs(np.mean([p < alpha for p in found]) - alpha) < 3 * spread


@BOTH
def test_p_is_small_when_there_is_a_difference(test: P, twin: object) -> None:
    rng = np.random.default_rng(22)
    # At four standard errors, a z-test would find 98 % of the differences at 5 %.
    shift = 4 * math.sqrt(2 * 0.5 / SEGMENTS)
    found = [null_p(test, rng, seed, shift) for seed in range(100)]
    assert np.mean([p < 0.05 for p in found]) > 0.93
    assert np.median(found) < 0.002 + 1 / DRAWS


def test_both_tests_agree() -> None:
    """On the same corpora they give nearly the same p-values."""
    pairs = [
        [null_p(test, np.random.default_rng(seed), seed, 0.1) for test, _ in TESTS]
        for seed in range(60)
    ]
    boot, swap = np.array(pairs).T
    assert np.corrcoef(boot, swap)[0, 1] > 0.98
    assert abs(boot - swap).mean() < 0.03


def test_bootstrap_p_and_its_interval_agree() -> None:
    """0 is outside the 95 % interval for about the same corpora as p < 0.05.

    They may differ a little, because the distributions are not symmetric.
    """
    for seed in range(60):
        rng = np.random.default_rng(seed)
        differences = rng.normal(0.15, 1, SEGMENTS)
        sampled = sampled_means(differences, seed)
        p = bootstrap_p(float(differences.mean()), sampled)
        low, high = percentile_interval(sampled, 0.95)
        if p < 0.03:
            assert low > 0 or high < 0
        if p > 0.09:
            assert low < 0 < high


def williams_by_determinant(x: Floats, a: Floats, b: Floats) -> float:
    """Williams' t as Steiger (1980) writes it, with the determinant of the three correlations."""
    table = np.corrcoef([x, a, b])
    n, r_a, r_b, between = len(x), table[0, 1], table[0, 2], table[1, 2]
    scale = (n - 1) / (n - 3) * np.linalg.det(table)
    below = 2 * scale + ((r_a + r_b) / 2) ** 2 * (1 - between) ** 3
    t = (r_a - r_b) * math.sqrt((n - 1) * (1 + between) / below)
    return float(2 * stats.t.cdf(-abs(t), n - 3))


def test_williams() -> None:
    rng = np.random.default_rng(1)
    for n in (4, 10, 50):
        x, a, b = rng.normal(size=(3, n))
        table = np.corrcoef([x, a, b])
        found = williams_p(table[0, 1], table[0, 2], table[1, 2], n)
        assert found == pytest.approx(williams_by_determinant(x, a, b))
        assert williams_p(table[0, 2], table[0, 1], table[1, 2], n) == pytest.approx(found)
    assert williams_p(0.5, 0.5, 0.3, 10) == 1
    assert williams_p(0.7, 0.7, 1.0, 10) == 1  # the same variable
    with pytest.raises(ValueError, match="needs at least 4 values, got 3"):
        williams_p(0.5, 0.4, 0.3, 3)


def test_williams_is_uniform_if_correlations_are_equal() -> None:
    rng = np.random.default_rng(2)
    p_values = []
    for _ in range(500):
        x, e, f = rng.normal(size=(3, 30))
        table = np.corrcoef([x, x + e, x + f])
        p_values.append(williams_p(table[0, 1], table[0, 2], table[1, 2], 30))
    assert stats.kstest(p_values, "uniform").pvalue > 0.01


def test_the_t_test_over_samples_is_that_of_scipy() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 40))
    assert sample_t_p(a - b) == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert sample_t_p(np.zeros(5)) == 1
    assert sample_t_p(np.full(5, 0.25)) == 0


def test_the_t_test_over_samples_depends_on_how_many_there_are() -> None:
    """The same data with more samples: this is why the test only serves to reproduce a paper."""
    differences = np.random.default_rng(4).normal(0.1, 1, 40_000)
    assert sample_t_p(differences[:40]) > 0.1
    assert sample_t_p(differences) < 1e-9
