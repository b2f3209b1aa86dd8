"""Complexity functions and their tightness, against the definitions applied to every pair.

SS16 is the paper of Stanojević and Sima'an of 2016.
"""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, islice, permutations
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton import Permutation, WeakFactorization, check_semi_tight, check_tight, complexity
from hyperbaton.order.nodes import OperatorTree
from hyperbaton.order.weak import count_factorizations
from permutations import random_permutations
from reference import forest as trees
from reference import weak as reference

Ground = Callable[[Permutation], Any]
CHECKS = {
    check_tight: reference.tight_for,
    check_semi_tight: reference.semi_tight_for,
}


def by_length(costs: dict[int, Any]) -> Ground:
    return lambda operator: costs[len(operator)]


def sloped(operator: Permutation) -> Fraction:
    """Strictly growing in length, and yet not tight: C_o(2) = 0, C_o(k) = 10 + k/10."""
    return Fraction(0) if len(operator) == 2 else 10 + Fraction(len(operator), 10)


def length_and_inversions(operator: Permutation) -> int:
    """0 only for ⟨1,2⟩, as footnote 6 of SS16 requires."""
    return len(operator) - 2 + sum(a > b for a, b in combinations(operator, 2))


def lengths(wf: WeakFactorization) -> list[int]:
    return [len(operator) for operator in wf.operators]


# ---- the functions ------------------------------------------------------------------------------


def test_functions_are_their_formulas() -> None:
    for pi in random_permutations(40, 9):
        if len(pi) == 1:
            continue
        for tree in islice(reference.weak_factorizations(pi), 40):
            spans = [node["span"] for node in nodes_of(tree)]
            wf = WeakFactorization(Permutation(pi), [(a, b) for a, b in spans])
            ops = reference.operators(tree)
            costs = [len(op) ** 2 for op in ops]
            assert complexity.minus_nodes(wf) == -len(ops)
            assert complexity.average()(wf) == Fraction(sum(map(len, ops)), len(ops))
            assert complexity.average(lambda op: len(op) ** 2)(wf) == Fraction(sum(costs), len(ops))
            assert complexity.maximum()(wf) == max(map(len, ops))
            assert complexity.maximum(lambda op: len(op) ** 2)(wf) == max(costs)
            assert complexity.non_binary(wf) == sum(len(op) > 2 for op in ops)


def nodes_of(tree: Any, start: int = 0) -> list[dict[str, Any]]:
    """The spans of a twin's tree."""
    if isinstance(tree, int):
        return []
    found, here = [], start
    for child in tree[1]:
        found += nodes_of(child, here)
        here += leaves(child)
    return [{"span": (start, here)}, *found]


def leaves(tree: Any) -> int:
    return 1 if isinstance(tree, int) else sum(map(leaves, tree[1]))


def test_pet_choices_counts_the_pets_below() -> None:
    for pi in [(1, 2, 3, 4, 5), (1, 3, 2), (2, 1, 3, 4), (2, 4, 1, 3), (5, 4, 1, 2, 3)]:
        found = {str(wf): wf for wf in WeakFactorization.all(Permutation(pi))}
        for tree in reference.weak_factorizations(pi):
            below = {tree} | reference.reachable(tree)
            pets = sum(map(reference.is_pet, below))
            assert complexity.pet_choices(found[reference.brackets(tree)]) == pets
        assert (
            complexity.pet_choices(WeakFactorization(Permutation(pi))) == trees.Forest(pi).count()
        )


def test_average_is_exact_whatever_the_numbers() -> None:
    """0.1 + 0.1 + 0.1 is not 3 × 0.1 in floats; here, an average of 0.1 is 0.1."""
    constant = complexity.average(lambda operator: 0.1)
    found = {constant(wf) for wf in WeakFactorization.all(Permutation.identity(5))}
    assert found == {Fraction(0.1)}
    for number in (np.int64(2), np.float32(0.5), np.float64(-1)):
        ground: Any = lambda operator, number=number: number  # noqa: E731
        assert complexity.maximum(ground)(Permutation([1, 2]).tree()) == number
        assert complexity.average(ground)(Permutation([1, 2]).tree()) == number


def test_ground_metric_is_called_once_for_each_operator() -> None:
    asked: list[Permutation] = []

    def ground(operator: Permutation) -> int:
        asked.append(operator)
        return len(operator)

    check_tight(complexity.average(ground), 5)
    assert len(asked) == len(set(asked))


# ---- the checks ---------------------------------------------------------------------------------


def bumpy(seed: int) -> Callable[[str, int], int]:
    """Tight except for a few trees, which depend on the seed."""

    def cost(brackets: str, size: int) -> int:
        chance = zlib.crc32(f"{seed}{brackets}".encode()) % 400
        return -3 * size + (chance if chance < 6 else 0)

    return cost


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("seed", range(24))
def test_the_smallest_counterexample_is_the_twins(check: Any, seed: int) -> None:
    """For functions of whole trees, not of their operators alone."""
    cost = bumpy(seed)
    expected = reference.first_failure(
        CHECKS[check],
        lambda tree: cost(reference.brackets(tree), len(reference.operators(tree))),
        5,
    )
    report = check(lambda wf: cost(str(wf), wf.size), 5)
    assert bool(report) == report.holds == (expected is None)
    if expected is not None:
        found = report.counterexample
        assert tuple(found.permutation) == expected
        assert_counts(found, lambda wf: cost(str(wf), wf.size), check is check_tight)


def test_bumps_are_found_at_several_lengths() -> None:
    """The test above would show nothing if all seeds failed at the same length, or none."""
    found = set()
    for cost in map(bumpy, range(24)):
        report = check_tight(lambda wf, cost=cost: cost(str(wf), wf.size), 5)  # type: ignore[misc]
        found.add(report.counterexample and len(report.counterexample.permutation))
    assert {4, 5} <= found


def assert_counts(
    found: hb.Counterexample, cost: Callable[[WeakFactorization], Any], tight: bool
) -> None:
    """Check by the definition that the counterexample is one."""
    assert found.before.factorizes_into(found.after)
    first, second = found.complexities
    assert (first, second) == (cost(found.before), cost(found.after))
    assert found.strict == (tight or (found.before.is_flattest and found.after.is_pet))
    assert first <= second if found.strict else first < second


BUILT_IN: dict[str, tuple[Any, Any]] = {
    "minus_nodes": (complexity.minus_nodes, lambda ops: -len(ops)),
    "average": (complexity.average(), lambda ops: Fraction(sum(map(len, ops)), len(ops))),
    "maximum": (complexity.maximum(), lambda ops: max(map(len, ops))),
    "non_binary": (complexity.non_binary, lambda ops: sum(len(op) > 2 for op in ops)),
    "pet_choices": (
        complexity.pet_choices,
        lambda ops: math.prod(trees.Forest(op).count() for op in ops),
    ),
    "constant": (complexity.average(lambda op: 1), lambda ops: 1),
    "inversions": (
        complexity.average(length_and_inversions),
        lambda ops: Fraction(sum(length_and_inversions(Permutation(op)) for op in ops), len(ops)),
    ),
}


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_functions_against_the_twin(check: Any, name: str) -> None:
    ours, twin = BUILT_IN[name]
    expected = reference.first_failure(
        CHECKS[check], lambda tree: twin(reference.operators(tree)), 5
    )
    report = check(ours, 5)
    found = report.counterexample
    assert (tuple(found.permutation) if found else None) == expected
    if found:
        assert_counts(found, ours, check is check_tight)
    else:
        assert (report.permutations, report.factorizations) == (6 + 24 + 120, 14 + 124 + 1244)


@pytest.mark.parametrize(
    ("check", "cost", "pi", "before", "after", "values"),
    [
        # Worked by hand. The paper's claims are in SS16, end of section 4 and section 6.
        (check_semi_tight, complexity.non_binary, (1, 2, 3, 4, 5), [5], [3, 3], (1, 2)),
        (check_semi_tight, complexity.pet_choices, (1, 3, 2), [3], [2, 2], (1, 1)),
        # Theorem 1 as printed is wrong: a constant does not fall with length and is not tight.
        (check_tight, complexity.average(lambda op: 1), (1, 2, 3), [3], [2, 2], (1, 1)),
        # (0 + 10.5)/2 = 5.25 < (0 + 10.3 + 10.3)/3
        (
            check_tight,
            complexity.average(sloped),
            (1, 2, 3, 4, 5, 6),
            [2, 5],
            [2, 3, 3],
            (Fraction(21, 4), Fraction(206, 30)),
        ),
        # The share of non-binary operators: 1 of 1, 2 of 2; then 1 of 2, 2 of 3.
        (
            check_tight,
            complexity.average(lambda op: int(len(op) > 2)),
            (1, 2, 3, 4, 5),
            [5],
            [3, 3],
            (1, 1),
        ),
        (
            check_semi_tight,
            complexity.average(lambda op: int(len(op) > 2)),
            (1, 2, 3, 4, 5, 6),
            [2, 5],
            [2, 3, 3],
            (Fraction(1, 2), Fraction(2, 3)),
        ),
        # The maximum does not change if another operator also has it.
        (check_tight, complexity.maximum(), (1, 2, 3, 4, 5), [3, 3], [2, 2, 3], (3, 3)),
    ],
)
def test_counterexamples_worked_by_hand(
    check: Any, cost: Any, pi: Any, before: list[int], after: list[int], values: Any
) -> None:
    found = check(cost, 7).counterexample
    assert tuple(found.permutation) == pi
    assert (lengths(found.before), lengths(found.after)) == (before, after)
    assert found.complexities == values


@pytest.mark.parametrize(
    "cost",
    [
        complexity.minus_nodes,
        complexity.average(),
        complexity.average(lambda op: len(op) ** 2),
        complexity.average(length_and_inversions),
    ],
)
def test_figure_3_of_ss16(cost: Callable[[OperatorTree], Any]) -> None:
    """A tight metric assigns C(3a) > C(3b) > C(x) for x in {3c, 3d}."""
    pi = Permutation([2, 4, 5, 6, 1, 3])
    a, b = WeakFactorization(pi), WeakFactorization.of(pi.tree().flatten())
    c, d = pi.forest()
    assert cost(a) > cost(b) > cost(c) == cost(d)
    assert check_tight(cost, 6)


# ---- Theorem 1, corrected: docs/permutation-complexity.md ---------------------------------------


def first_length_where_average_is_not_tight(c: dict[int, int], n: int) -> int | None:
    """Apply the inequality of the proof, with as many other binary operators as possible."""
    for length in range(3, n + 1):
        for k in range(3, length + 1):
            beside = length - k
            before = Fraction(beside * c[2] + c[k], beside + 1)
            if any(before <= c[a] + c[k + 1 - a] - c[k] for a in range(2, k)):
                return length
    return None


def test_average_is_tight_exactly_where_the_corrected_theorem_says() -> None:
    rng = random.Random(1)
    seen = set()
    for _ in range(30):
        steps = [rng.choice([0, 1, 2, 3, 5, 9]) for _ in range(6)]
        c = {k: sum(steps[: k - 1]) for k in range(2, 8)}
        expected = first_length_where_average_is_not_tight(c, 6)
        found = check_tight(complexity.average(by_length(c)), 6).counterexample
        assert (len(found.permutation) if found else None) == expected
        seen.add(expected)
        superadditive = c[3] > c[2] and all(
            c[a] + c[b] <= c[2] + c[a + b - 1] for a in range(2, 6) for b in range(2, 8 - a)
        )
        assert expected is None or not superadditive
    assert seen >= {None, 3, 5, 6}


def test_maximum_is_semi_tight_exactly_where_the_page_says() -> None:
    """c(2) < c(3) ≤ c(4) < c(5) < …: there is no primal operator of length 3."""
    rng = random.Random(2)
    seen = set()
    for _ in range(20):
        steps = [rng.choice([0, 1, 1, 1]) for _ in range(6)]
        c = {k: sum(steps[: k - 1]) for k in range(2, 8)}
        flat = [k for k in (3, 5, 6) if c[k] == c[k - 1]]
        found = check_semi_tight(complexity.maximum(by_length(c)), 6).counterexample
        expected = min(flat, default=None)
        assert (len(found.permutation) if found else None) == expected
        seen.add(expected)
    assert seen == {None, 3, 5, 6}


def test_a_small_violation_shows_late() -> None:
    """c(3) + c(3) exceeds c(2) + c(5) by 1, which shows only beside eight other ⟨1,2⟩."""
    c = {2: 0, 3: 5, 4: 7, 5: 9, 6: 14, 7: 20}
    cost = complexity.average(by_length(c))
    assert check_tight(cost, 6)
    for n, values in {12: (Fraction(9, 8), Fraction(10, 9)), 13: (1, 1)}.items():
        spans = [(0, end) for end in range(5, n)]
        before = WeakFactorization(Permutation.identity(n), spans)
        after = WeakFactorization(Permutation.identity(n), [*spans, (0, 3)])
        assert lengths(before) == [2] * (n - 5) + [5]
        assert lengths(after) == [2] * (n - 5) + [3, 3]
        assert (cost(before), cost(after)) == values


# ---- reports and bad input ----------------------------------------------------------------------


def test_reports() -> None:
    holds = check_tight(complexity.minus_nodes, 4)
    assert holds
    assert (holds.n, holds.counterexample, repr(holds)) == (4, None, "<tight up to n = 4>")
    assert str(holds) == "tight up to n = 4: 30 permutations, 138 weak factorizations"
    fails = check_semi_tight(complexity.pet_choices, 7)
    assert not fails
    assert repr(fails) == "<not semi-tight: ⟨1, 3, 2⟩>"
    assert str(fails) == (
        "not semi-tight: ⟨1, 3, 2⟩\n"
        "before, C = 1:\n"
        "⟨1,3,2⟩\n"
        "┌──┼──┐\n"
        "1  3  2\n"
        "after, where it must fall, C = 1:\n" + Permutation([1, 3, 2]).tree().draw()
    )
    sloping = check_tight(complexity.average(lambda op: float(sloped(op))), 6)
    assert "C = 21/4:\n" in str(sloping)
    assert "C = 6.86666666667:\n" in str(sloping)


def test_numbers_of_weak_factorizations() -> None:
    found = list(islice(count_factorizations(), 6))
    for n, count in enumerate(found[:5], 1):
        all_of_them = permutations(range(1, n + 1))
        assert count == sum(len(reference.weak_factorizations(pi)) for pi in all_of_them)
    assert check_tight(complexity.minus_nodes, 6).factorizations == sum(found[2:])


@pytest.mark.parametrize(
    ("cost", "n", "error", "message"),
    [
        (complexity.minus_nodes, 2, ValueError, "n must be at least 3, got 2"),
        (complexity.minus_nodes, 9, ValueError, "n = 9 there are 24,595,462 weak factorizations"),
        (complexity.minus_nodes, 10**6, ValueError, "there are more than [0-9,]+ weak factor"),
        (complexity.minus_nodes, 3.0, TypeError, "float"),
        (5, 3, TypeError, "C must be a function of a weak factorization, got int"),
        (lambda wf: None, 3, TypeError, r"C\(⟨1,2,3⟩\[1, 2, 3\]\) must be a number, got None"),
        (lambda wf: True, 3, TypeError, r"must be a number, got True"),
        (lambda wf: 1j, 3, TypeError, r"must be a number, got 1j"),
        (lambda wf: math.nan, 3, ValueError, r"C\(⟨1,2,3⟩\[1, 2, 3\]\) is nan, but it must be"),
        (lambda wf: -math.inf, 3, ValueError, "is -inf, but it must be finite"),
        (complexity.average(lambda op: math.nan), 3, ValueError, r"C_o\(⟨1, 2, 3⟩\) is nan"),
        (complexity.maximum(lambda op: "3"), 3, TypeError, r"C_o\(⟨1, 2, 3⟩\) must be a number"),  # type: ignore[arg-type,return-value]
    ],
)
@pytest.mark.parametrize("check", CHECKS)
def test_bad_input(check: Any, cost: Any, n: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check(cost, n)


def test_trees_without_operators_and_invalid_functions() -> None:
    for cost in (complexity.average(), complexity.maximum()):
        with pytest.raises(ValueError, match="a single value has no operators"):
            cost(Permutation([1]).tree())
    with pytest.raises(TypeError, match="C_o must be a function of an operator, got int"):
        complexity.average(3)  # type: ignore[arg-type]


def test_the_limit_can_be_raised() -> None:
    with pytest.raises(ValueError, match="at most 100 are checked"):
        check_tight(complexity.minus_nodes, 4, most=100)
    assert check_tight(complexity.minus_nodes, 4, most=138)
