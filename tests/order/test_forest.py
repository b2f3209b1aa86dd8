"""Permutation forests, against the papers' pseudo-code."""

from __future__ import annotations

import itertools
import math
import pickle
import random

import pytest
from hypothesis import given

import hyperbaton as hb
from hyperbaton import Permutation
from hyperbaton.order.trees import next_binarization, ranked_binarization
from permutations import all_permutations, nonempty, random_permutations
from reference import forest as reference


def assert_equals_twin(pi: tuple[int, ...]) -> None:
    forest = Permutation(pi).forest()
    twin = reference.Forest(pi)
    spans = list(forest.spans())
    assert len(spans) == len(set(spans))
    assert set(spans) == set(twin.entries)
    for (i, j), (operator, inferences) in twin.entries.items():
        assert forest.inferences(i, j) == inferences
        assert tuple(forest.operator(i, j) or ()) == operator
    assert forest.count() == twin.count()


def test_equals_the_twin_for_all_small_permutations() -> None:
    for pi in all_permutations(7)[1:]:
        assert_equals_twin(pi)


def test_equals_the_twin_for_random_permutations() -> None:
    for pi in random_permutations(60, 60):
        assert_equals_twin(pi)


def test_yields_the_twins_trees() -> None:
    for pi in all_permutations(6)[1:]:
        trees = [tree.to_dict() for tree in Permutation(pi).forest()]
        assert trees[0] == reference.canonical_pet(pi)
        assert sorted(map(repr, trees)) == sorted(map(repr, reference.Forest(pi).trees()))


def test_trees_by_number_are_those_of_the_iteration() -> None:
    for pi in all_permutations(7)[1:]:
        forest = Permutation(pi).forest()
        assert [forest.tree(k) for k in range(forest.count())] == list(forest)


@given(nonempty)
def test_trees_by_number_in_larger_forests(pi: tuple[int, ...]) -> None:
    forest = Permutation(pi).forest()
    first = list(itertools.islice(forest, 50))
    assert [forest.tree(k) for k in range(len(first))] == first
    last = forest.count() - 1
    assert forest.tree(0) == Permutation(pi).tree()
    if last:
        assert len({forest.tree(k) for k in (0, last // 2, last)}) == min(3, last + 1)


def test_trees_by_huge_numbers() -> None:
    n = 1000
    forest = Permutation.identity(n).forest()
    count = forest.count()
    assert forest.tree(0) == Permutation.identity(n).tree()
    assert [node.span for node in forest.tree(count - 1) if not node.is_leaf] == [
        (k, n) for k in range(n - 1)
    ]
    for k in random.Random(1).choices(range(1, 1000), k=20):
        rank = count * k // 1000
        times = ranked_binarization(n, rank)
        assert next_binarization(times)
        assert times == ranked_binarization(n, rank + 1)


@pytest.mark.parametrize("k", [-1, 5, 10**5000], ids=["below", "above", "huge"])
def test_trees_by_number_out_of_range(k: int) -> None:
    with pytest.raises(ValueError, match=r"there is no tree .*: they are numbered from 0 to 4"):
        Permutation([4, 3, 2, 1]).forest().tree(k)
    with pytest.raises(ValueError, match=r"from 0 to count\(\) − 1"):
        Permutation.identity(100).forest().tree(-1)


@given(nonempty)
def test_count_is_the_number_of_different_trees(pi: tuple[int, ...]) -> None:
    forest = Permutation(pi).forest()
    if forest.count() <= 500:
        trees = list(forest)
        assert len(trees) == len(set(trees)) == forest.count()


@given(nonempty)
def test_only_subpermutations_have_inferences(pi: tuple[int, ...]) -> None:
    forest = Permutation(pi).forest()
    for i, j in itertools.combinations(range(min(len(pi), 12) + 1), 2):
        if reference.is_subpermutation(pi[i:j]):
            assert bool(forest.inferences(i, j)) == (j - i > 1)
        else:
            with pytest.raises(ValueError, match=rf"\({i}, {j}\) is not a sub-permutation"):
                forest.inferences(i, j)


def test_five_trees_of_figure_3() -> None:
    """SS14, figure 3: "for π = ⟨4,3,2,1⟩ there are five PETs"; section 3 lists the inferences."""
    forest = Permutation([4, 3, 2, 1]).forest()
    assert forest.count() == 5
    assert {str(tree) for tree in forest} == {
        "⟨2,1⟩[4, ⟨2,1⟩[3, ⟨2,1⟩[2, 1]]]",
        "⟨2,1⟩[4, ⟨2,1⟩[⟨2,1⟩[3, 2], 1]]",
        "⟨2,1⟩[⟨2,1⟩[4, 3], ⟨2,1⟩[2, 1]]",
        "⟨2,1⟩[⟨2,1⟩[⟨2,1⟩[4, 3], 2], 1]",
        "⟨2,1⟩[⟨2,1⟩[4, ⟨2,1⟩[3, 2]], 1]",
    }
    assert forest.inferences(0, 4) == [(1,), (2,), (3,)]
    assert forest.operator(0, 4) == Permutation([2, 1])
    assert forest.inferences(2, 3) == []


def test_counts_of_long_chains_are_exact_catalan_numbers() -> None:
    n = 5_000
    assert Permutation.identity(n).forest().count() == math.comb(2 * n - 2, n - 1) // n


def test_trees_are_built_lazily() -> None:
    """A forest with about 10^600,000 trees yields the first ones at once."""
    forest = Permutation.identity(1_000_000).forest()
    first, second = itertools.islice(forest, 2)
    assert first == Permutation.identity(1_000_000).tree() != second


@pytest.mark.parametrize("span", [(0, 5), (-1, 2), (2, 2), (3, 1)])
def test_spans_outside(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="0 ≤ i < j ≤ 4"):
        Permutation([4, 3, 2, 1]).forest().inferences(*span)


def test_spans_that_are_not_integers() -> None:
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        Permutation([2, 1]).forest().inferences("a", 0)  # type: ignore[arg-type]


def test_not_a_subpermutation_of_ss14() -> None:
    """SS14, section 3: "the subsequence ⟨3,5⟩ of ⟨1,2,3,5,4⟩ is not a sub-permutation"."""
    forest = hb.Permutation([1, 2, 3, 5, 4]).forest()
    with pytest.raises(ValueError, match=r"⟨3, 5⟩ at \(2, 4\) is not a sub-permutation"):
        forest.inferences(2, 4)


def test_equality_and_repr() -> None:
    forest = Permutation([2, 1]).forest()
    assert forest == Permutation([2, 1]).forest() != Permutation([1, 2]).forest()
    assert len({forest, Permutation([2, 1]).forest()}) == 1
    assert pickle.loads(pickle.dumps(forest)) == forest
    assert repr(forest) == "<PermutationForest ⟨2,1⟩[2, 1]>"
    long = Permutation.identity(1000)
    assert repr(long.forest()) == "<PermutationForest of 1000 values and 1 operators>"
    assert repr(long.tree()) == "<PermutationTree of 1000 values and 999 operators>"


def test_empty() -> None:
    with pytest.raises(ValueError, match="empty permutation"):
        Permutation([]).forest()
