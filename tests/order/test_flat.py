"""The flat measures, against their twins and against SciPy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

import hyperbaton as hb
from permutations import all_permutations, nonempty, random_permutations
from reference.flat import FLAT


@pytest.mark.parametrize("name", FLAT)
def test_equals_the_twin_to_the_last_digit_for_all_small_permutations(name: str) -> None:
    expected = [float(FLAT[name](pi)) for pi in all_permutations(7)]
    assert getattr(hb, name)(all_permutations(7)[1:]).tolist() == expected[1:]
    assert getattr(hb, name)([]) == expected[0]


@pytest.mark.parametrize("name", FLAT)
def test_equals_the_twin_to_the_last_digit_for_random_permutations(name: str) -> None:
    perms = random_permutations(600, 60)
    assert getattr(hb, name)(perms).tolist() == [float(FLAT[name](pi)) for pi in perms]


@given(nonempty)
def test_kendall_and_spearman_are_the_usual_coefficients_scaled(pi: tuple[int, ...]) -> None:
    if len(pi) < 2:
        return
    identity = np.arange(1, len(pi) + 1)
    assert hb.kendall(pi) == pytest.approx((stats.kendalltau(pi, identity).statistic + 1) / 2)
    assert hb.spearman(pi) == pytest.approx((stats.spearmanr(pi, identity).statistic + 1) / 2)


@pytest.mark.parametrize("name", FLAT)
@pytest.mark.parametrize("n", [2, 3, 10, 200_000])
def test_identity_scores_1_and_reversed_0(name: str, n: int) -> None:
    measure = getattr(hb, name)
    assert measure(hb.Permutation.identity(n)) == 1
    if name == "hamming":  # the middle word stays in place
        assert measure(hb.Permutation.reverse(n)) == (n % 2) / n
    else:
        assert measure(hb.Permutation.reverse(n)) == 0


@pytest.mark.parametrize("n", [1_357_428, 4_000_000, 4_000_001])
def test_sums_beyond_53_and_64_bits(n: int) -> None:
    # Σ (n + 1 − 2i)² = n(n² − 1)/3 for the reversed permutation, 2.1e19 for four million
    assert hb.spearman(hb.Permutation.reverse(n)) == 0
    swapped = np.arange(1, n + 1)
    swapped[[0, 1]] = 2, 1
    assert hb.spearman(swapped) == float(1 - Fraction(6, n * (n * n - 1)))


def test_kendall_sqrt_of_one_swapped_pair() -> None:
    assert hb.kendall_sqrt([2, 1, 3, 4, 5]) == pytest.approx(1 - (1 / 10) ** 0.5)
