"""The measures over permutation trees and forests, against the papers' formulas."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperbaton as hb
from permutations import all_permutations, nonempty, random_permutations
from reference import forest as reference
from reference.flat import FLAT

Twin = Callable[[tuple[int, ...]], Any]
BETA = Fraction(6, 10)
TWINS: dict[str, Twin] = {
    "pet": lambda pi: reference.pet_score(pi, BETA, reference.op_score()),
    "pef": lambda pi: reference.pef_score(pi, BETA, reference.op_score()),
    "pef_beer": lambda pi: reference.pef_beer(pi, BETA),
    "pet_size": reference.pet_size,
    "pet_count": reference.pet_count,
    "max_operator": reference.max_operator,
    "average_operator": reference.average_operator,
}
EXACT = {"pet_size", "max_operator", "average_operator"}  # one division of small integers
OTHER_OPTIONS = [(0.0, 0.0), (1.0, 0.5), (0.25, 1.0), (0.6, 0.5)]


def assert_close(name: str, scores: Any, expected: list[float]) -> None:
    if name in EXACT:
        assert list(scores) == expected
    else:
        np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", TWINS)
def test_equals_the_twin_for_all_small_permutations(name: str) -> None:
    perms = all_permutations(7)[1:]
    assert_close(name, getattr(hb, name)(perms), [float(TWINS[name](pi)) for pi in perms])
    assert getattr(hb, name)([]) == 0


@pytest.mark.parametrize("name", TWINS)
def test_equals_the_twin_for_random_permutations(name: str) -> None:
    perms = random_permutations(150, 60)
    assert_close(name, getattr(hb, name)(perms), [float(TWINS[name](pi)) for pi in perms])


@pytest.mark.parametrize(("beta", "gamma"), OTHER_OPTIONS)
def test_other_beta_and_gamma(beta: float, gamma: float) -> None:
    score = reference.op_score(gamma)
    for perms in (all_permutations(5)[1:], random_permutations(60, 40)):
        for name, twin in (("pet", reference.pet_score), ("pef", reference.pef_score)):
            expected = [float(twin(pi, beta, score)) for pi in perms]
            assert_close(name, getattr(hb, name)(perms, beta, gamma), expected)


@pytest.mark.parametrize("beta", [1e-6, 0.1, 0.5, 1.0])
def test_pef_beer_with_other_beta(beta: float) -> None:
    exact = Fraction(beta)
    for perms in (all_permutations(5)[1:], random_permutations(45, 40)):
        expected = [float(reference.pef_beer(pi, exact)) for pi in perms]
        # With a tiny beta, the score is a difference of two numbers near 1.
        scores = hb.pef_beer(perms, beta)
        np.testing.assert_allclose(scores, expected, atol=1e-12 if beta > 1e-3 else 1e-9)


@pytest.mark.parametrize("name", FLAT)
def test_flat_measures_as_operator_score(name: str) -> None:
    def score(operator: tuple[int, ...]) -> Any:
        return FLAT[name](operator)

    for perms in (all_permutations(5)[1:], random_permutations(60, 40)):
        pef = [float(reference.pef_score(pi, BETA, score)) for pi in perms]
        pet = [float(reference.pet_score(pi, BETA, score)) for pi in perms]
        assert_close("pef", hb.pef(perms, op_score=name), pef)
        assert_close("pet", hb.pet(perms, op_score=name), pet)


def test_beta_may_be_any_real_number() -> None:
    assert hb.pef([2, 1, 3, 4], Fraction(3, 5)) == hb.pef([2, 1, 3, 4], np.float64(0.6))  # type: ignore[call-overload]


def test_a_function_as_operator_score() -> None:
    asked: list[hb.Permutation] = []

    def score(operator: hb.Permutation) -> float:
        asked.append(operator)
        return 1 / len(operator) if operator[0] == 2 else 0.75

    def twin(operator: tuple[int, ...]) -> float:
        return 1 / len(operator) if operator[0] == 2 else 0.75

    perms = random_permutations(60, 40)
    expected = [float(reference.pef_score(pi, 0.3, twin)) for pi in perms]
    assert_close("pef", hb.pef(perms, beta=0.3, op_score=score), expected)
    assert len(asked) == len(set(asked))  # called once for each operator
    assert hb.pef(perms[0], beta=0.3, op_score=score) == pytest.approx(expected[0], rel=1e-12)
    assert hb.pef([], op_score=score) == 0
    assert hb.pef([1], op_score=score) == 1


def test_the_default_operator_score_as_a_function_changes_nothing() -> None:
    def monotone(operator: hb.Permutation) -> float:
        return float(operator == hb.Permutation([1, 2]))

    perms = random_permutations(90, 40)
    assert hb.pef(perms, op_score=monotone).tolist() == hb.pef(perms).tolist()
    assert hb.pet(perms, op_score=monotone).tolist() == hb.pet(perms).tolist()


@given(nonempty)
def test_pef_is_the_same_for_the_inverse(pi: tuple[int, ...]) -> None:
    inverse = hb.Permutation(pi).inverse()
    assert hb.pef(inverse) == pytest.approx(hb.pef(pi), abs=1e-12)
    assert hb.pef_beer(inverse) == pytest.approx(hb.pef_beer(pi), abs=1e-12)


@given(nonempty, st.sampled_from([*TWINS, *FLAT]))
def test_values_lie_between_0_and_1_and_identity_scores_1(pi: tuple[int, ...], name: str) -> None:
    score = getattr(hb, name)(pi)
    assert score <= 1
    assert score >= 0 or name == "pef_beer"
    assert getattr(hb, name)(hb.Permutation.identity(len(pi))) == 1


@pytest.mark.parametrize("name", ["pet_size", "pet_count", "max_operator", "average_operator"])
@pytest.mark.parametrize("n", [1, 2, 3, 50, 2_000])
def test_complexity_is_blind_to_reversal(name: str, n: int) -> None:
    assert getattr(hb, name)(hb.Permutation.reverse(n)) == 1


def test_beer_passes_its_authors_test() -> None:
    """PEFscoreTest.scala of BEER: monotone 1, inverted 0, ⟨1,2,3,5,4⟩ 0.93 ± 0.01, at β = 0.6."""
    assert hb.pef_beer([1, 2, 3, 4, 5]) == 1
    assert hb.pef_beer([6, 5, 4, 3, 2, 1]) == 0
    assert hb.pef_beer([1, 2, 3, 5, 4]) == pytest.approx(0.93, abs=0.01)


def test_beer_can_fall_below_0() -> None:
    """⟨n, …, 1⟩ does not have the lowest raw score. The twin confirms that the formula says so."""
    pi, beta = (5, 7, 4, 6, 3, 2, 1), Fraction(9, 10)
    expected = float(reference.pef_beer(pi, beta, reference.beer_raw_by_trees))
    assert hb.pef_beer(pi, 0.9) == pytest.approx(expected, abs=1e-12)
    assert expected < 0


@given(
    nonempty,
    st.sampled_from(["pet", "pef"]),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_rounding_stays_within_0_and_1(
    pi: tuple[int, ...], name: str, beta: float, gamma: float
) -> None:
    assert 0 <= getattr(hb, name)(pi, beta, gamma) <= 1
    if hb.Permutation(pi).tree().max_arity == 2:  # only ⟨1,2⟩ and ⟨2,1⟩, which both score 1
        assert getattr(hb, name)(pi, beta, 1) == 1


def test_beer_is_the_mean_over_all_trees() -> None:
    for pi in all_permutations(5)[3:]:
        expected = reference.pef_beer(pi, BETA, reference.beer_raw_by_trees)
        assert reference.pef_beer(pi, BETA) == expected  # the recursion equals the enumeration
        assert hb.pef_beer(pi) == pytest.approx(float(expected), abs=1e-12)


def rising_chain(children: list[list[int]]) -> list[int]:
    """Return a rising chain of these children."""
    values: list[int] = []
    for child in children:
        base = len(values)
        values += [base + value for value in child]
    return values


def expected_powers(k: int, q: float) -> list[float]:
    """E[q^depth] of each leaf over all binary trees with k leaves, by recursion over the split."""
    rows: list[list[float]] = [[], [1.0]]
    for size in range(2, k + 1):
        row = [0.0] * size
        for split in range(1, size):
            weight = q * math.exp(
                log_catalan(split - 1) + log_catalan(size - split - 1) - log_catalan(size - 1)
            )
            for i in range(split):
                row[i] += weight * rows[split][i]
            for i in range(size - split):
                row[split + i] += weight * rows[size - split][i]
        rows.append(row)
    return rows[k]


def log_catalan(k: int) -> float:
    return math.lgamma(2 * k + 1) - 2 * math.lgamma(k + 1) - math.log(k + 1)


@pytest.mark.parametrize(("k", "beta"), [(150, 0.6), (150, 0.001), (150, 0.99)])
def test_beer_over_a_long_chain(k: int, beta: float) -> None:
    """A chain of k pairs ⟨2,1⟩ among single words, whose score has a closed form in E[q^depth]."""
    rng = random.Random(k)
    children = [rng.choice([[1], [2, 1]]) for _ in range(k)]
    pi = rising_chain(children)
    q = 1 - beta
    weights = expected_powers(k, q)
    # The raw score of a child ⟨2,1⟩ is q, that of a rising chain 1 + Σ E·span/n·(score − 1).
    lost = (w * 2 * (q - 1) for w, child in zip(weights, children, strict=True) if len(child) == 2)
    raw = 1 + sum(lost) / len(pi)
    n = len(pi)
    turned = sum(expected_powers(n, q)) / n
    assert hb.pef_beer(pi, beta) == pytest.approx((raw - turned) / (1 - turned), abs=1e-9)


def mean_expected_power(k: int, q: float) -> float:
    """Σ E[q^depth]/k over the k leaves, from the number of leaves at each depth u of all trees.

    2^u · u/(2m − u) · C(2m − u, m) leaves in all trees with m + 1 = k leaves have depth u (the
    ballot numbers), of Catalan(m) trees.
    """
    m = k - 1
    total = 0.0
    for u in range(1, min(m, 40 * math.isqrt(k) + 100) + 1):
        ballot = math.lgamma(2 * m - u + 1) - math.lgamma(m + 1) - math.lgamma(m - u + 1)
        log = u * math.log(2 * q) + math.log(u / (2 * m - u)) + ballot - log_catalan(m)
        total += math.exp(log) if log > -700 else 0.0
    return total / k


def test_both_computations_of_the_expected_power_agree() -> None:
    for k, q in ((2, 0.4), (30, 0.4), (80, 0.95)):
        by_recursion = sum(expected_powers(k, q)) / k
        assert mean_expected_power(k, q) == pytest.approx(by_recursion, rel=1e-11)


@pytest.mark.parametrize("k", [100, 3_000, 50_000])
@pytest.mark.parametrize("beta", [0.001, 0.05, 0.6])
def test_beer_over_a_long_falling_chain_of_pairs(k: int, beta: float) -> None:
    """Each pair ⟨1,2⟩ scores 1 and has the same weight, so that x is the mean of E[q^depth]."""
    pairs = np.arange(2 * k, 0, -1).reshape(-1, 2)[:, ::-1].reshape(-1)
    x, turned = mean_expected_power(k, 1 - beta), mean_expected_power(2 * k, 1 - beta)
    # Logarithms of numbers near e^(10⁵) give the expected value nine or ten digits.
    assert hb.pef_beer(pairs, beta) == pytest.approx((x - turned) / (1 - turned), rel=1e-7)


def test_beer_over_a_very_long_chain_lies_between_that_of_its_halves() -> None:
    """Too long for the recursion, so this tests symmetry and that one child changes little."""
    k = 50_000
    left = rising_chain([[2, 1]] + [[1]] * (k - 1))
    right = rising_chain([[1]] * (k - 1) + [[2, 1]])
    for beta in (1e-4, 0.05, 0.6):
        assert hb.pef_beer(left, beta) == pytest.approx(hb.pef_beer(right, beta), abs=1e-12)
        assert 0.99 < hb.pef_beer(left, beta) < 1


@pytest.mark.parametrize("n", [3, 30, 31, 60, 500, 1_000, 2_000])
def test_pet_count_is_right_to_12_digits(n: int) -> None:
    """Against exact integers, for chains of random lengths side by side."""
    rng = random.Random(n)
    for pieces in (1, 2, 3, 10, n // 3):
        lengths = [2] * pieces
        for _ in range(n - 2 * pieces):
            lengths[rng.randrange(pieces)] += 1
        pi = rising_chain([list(range(length, 0, -1)) for length in lengths if length > 0])
        forest = hb.Permutation(pi).forest()
        exact = Fraction(forest.count() - 1, reference.catalan(len(pi) - 1) - 1)
        assert hb.pet_count(pi) == pytest.approx(float(exact), rel=1e-12, abs=5e-324)


def test_pet_count_underflows_to_0() -> None:
    # One primal operator over n values has one tree, so exactly 0. Then a chain inside one.
    assert hb.pet_count([2, 4, 1, 3]) == 0
    pi = rising_chain([[2, 4, 1, 3]] * 500)
    exact = Fraction(hb.Permutation(pi).forest().count() - 1, reference.catalan(1999) - 1)
    assert float(exact) == 0 == hb.pet_count(pi)


def test_a_long_mixed_chain_in_quadratic_time() -> None:
    """2,000 pairs ⟨2,1⟩: every child scores 0, so that a recursion over k gives the score."""
    k = 2_000
    phi = [0.0, 0.0]  # phi[m]: a sub-chain of m pairs
    total = 0.0
    for m in range(2, k + 1):
        total += phi[m - 1]
        phi.append(0.6 + 0.4 / (m - 1) * total)
    assert hb.pef(rising_chain([[2, 1]] * k)) == pytest.approx(phi[k], rel=1e-12)


@pytest.mark.parametrize("name", ["pet", "pef"])
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"beta": 1.01}, ValueError, r"beta is 1\.01, but it must lie in \[0, 1\]"),
        ({"beta": -0.1}, ValueError, r"beta is -0\.1"),
        ({"beta": math.nan}, ValueError, "beta is nan"),
        ({"beta": "0.6"}, TypeError, "beta must be a number, got str"),
        ({"beta": True}, TypeError, "beta must be a number, got bool"),
        ({"gamma": 2}, ValueError, "gamma is 2, but it must lie"),
        ({"gamma": math.inf}, ValueError, "gamma is inf"),
        (
            {"op_score": "kendal"},
            ValueError,
            "op_score must be a function or one of .*, got 'kendal'",
        ),
        ({"op_score": 3}, ValueError, "op_score must be a function or one of .*, got 3"),
        ({"op_score": "ulam", "gamma": 0.5}, ValueError, "gamma and op_score exclude each other"),
        ({"op_score": lambda _: 1.5}, ValueError, r"op_score\(⟨2, 1⟩\) is 1\.5, but it must lie"),
        ({"op_score": lambda _: math.nan}, ValueError, r"op_score\(⟨2, 1⟩\) is nan"),
        ({"op_score": lambda _: "much"}, TypeError, "must be a number, got 'much'"),
    ],
)
def test_wrong_options(name: str, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        getattr(hb, name)([2, 1], **options)


def test_wrong_options_of_beer() -> None:
    for beta in (0, 1e-7):
        with pytest.raises(
            ValueError, match=f"beta of pef_beer must be at least 1e-06, got {beta}"
        ):
            hb.pef_beer([2, 1], beta=beta)
    with pytest.raises(ValueError, match="beta is 7"):
        hb.pef_beer([2, 1], beta=7)


def test_an_error_inside_a_users_function_is_not_hidden() -> None:
    def broken(_: hb.Permutation) -> float:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        hb.pef([2, 1], op_score=broken)
