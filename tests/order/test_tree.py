"""Permutation trees, against a naive shift-reduce parser and the papers' figures.

SS14 and SS16 are the papers of Stanojević and Sima'an of 2014 and 2016.
"""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given

import hyperbaton as hb
from hyperbaton import Permutation
from permutations import all_permutations, nonempty, random_permutations
from reference import forest as reference


def test_equals_the_twin_for_all_small_permutations() -> None:
    for pi in all_permutations(7)[1:]:
        assert Permutation(pi).tree().to_dict() == reference.canonical_pet(pi)


def test_equals_the_twin_for_random_permutations() -> None:
    for pi in random_permutations(600, 60):
        assert Permutation(pi).tree().to_dict() == reference.canonical_pet(pi)


@given(nonempty)
def test_tree_to_permutation_to_tree(pi: tuple[int, ...]) -> None:
    tree = Permutation(pi).tree()
    again = reference.inflate(tree.to_dict())
    assert tuple(again) == pi
    assert Permutation(again).tree() == tree
    assert tuple(reference.inflate(unflattened(tree.flatten().to_dict()))) == pi


def unflattened(tree: dict[str, Any]) -> dict[str, Any]:
    """3×⟨2,1⟩ as an operator over all children, which ``inflate`` takes."""
    if "value" in tree:
        return tree
    children = [unflattened(child) for child in tree["children"]]
    operator = tree["operator"]
    if tree["repeat"] > 1:
        operator = sorted(range(1, len(children) + 1), reverse=operator == [2, 1])
    return {"operator": operator, "span": tree["span"], "children": children}


@given(nonempty)
def test_every_operator_is_primal_and_every_span_a_subpermutation(pi: tuple[int, ...]) -> None:
    for node in Permutation(pi).tree():
        assert reference.is_subpermutation(node.values)
        assert node.values == pi[slice(*node.span)]
        if node.operator is not None and len(node.operator) < 8:
            assert tuple(node.operator) in reference.simple_permutations(len(node.operator))
        assert node.arity == reference.factorizations(node.values)[0]


@given(nonempty)
def test_neighbouring_chains_differ_in_a_flattened_tree(pi: tuple[int, ...]) -> None:
    flat = Permutation(pi).tree().flatten()
    assert flat.size <= Permutation(pi).tree().size == sum(node.repeat for node in flat)
    for node in flat:
        for child in node.children:
            if node.arity == 2 and not child.is_leaf:
                assert child.operator != node.operator


@pytest.mark.parametrize(
    ("pi", "brackets", "source"),
    [
        (
            (5, 7, 4, 6, 3, 1, 2),
            "⟨2,1⟩[⟨2,1⟩[⟨2,4,1,3⟩[5, 7, 4, 6], 3], ⟨1,2⟩[1, 2]]",
            "SS14 fig. 3",
        ),
        ((2, 4, 1, 3), "⟨2,4,1,3⟩[2, 4, 1, 3]", "SS14 section 3: Wu's permutation"),
        # SS16, section 1: π_a and π_b are "built from ⟨1,2⟩ or ⟨2,1⟩ only"
        (
            (6, 1, 4, 2, 3, 5),
            "⟨2,1⟩[6, ⟨1,2⟩[⟨1,2⟩[1, ⟨2,1⟩[4, ⟨1,2⟩[2, 3]]], 5]]",
            "SS16 fig. 1, π_a",
        ),
        (
            (6, 1, 5, 2, 3, 4),
            "⟨2,1⟩[6, ⟨1,2⟩[1, ⟨2,1⟩[5, ⟨1,2⟩[⟨1,2⟩[2, 3], 4]]]]",
            "SS16 fig. 1, π_b",
        ),
        # SS16 calls π_d primal, but it begins with its largest value.
        ((6, 2, 4, 1, 5, 3), "⟨2,1⟩[6, ⟨2,4,1,5,3⟩[2, 4, 1, 5, 3]]", "SS16 section 1, π_d"),
        (
            (4, 2, 3, 1),
            "⟨2,1⟩[⟨2,1⟩[4, ⟨1,2⟩[2, 3]], 1]",
            "SS16 section 3: σ = ⟨2,1⟩, ⟨4,2,3⟩, ⟨1⟩",
        ),
        ((1,), "1", "one word"),
    ],
)
def test_papers_trees(pi: tuple[int, ...], brackets: str, source: str) -> None:
    assert str(Permutation(pi).tree()) == brackets, source


def test_figure_1_of_ss14_is_in_the_forest_and_its_mirror_is_canonical() -> None:
    pi = Permutation([2, 4, 5, 6, 1, 3])
    drawn = "⟨2,4,1,3⟩[2, ⟨1,2⟩[4, ⟨1,2⟩[5, 6]], 1, 3]"
    canonical = "⟨2,4,1,3⟩[2, ⟨1,2⟩[⟨1,2⟩[4, 5], 6], 1, 3]"
    # SS16, figures 3c and 3d: "both {4,5} and {5,6} are sub-permutations"
    assert [str(tree) for tree in pi.forest()] == [canonical, drawn]
    assert str(pi.tree()) == canonical


def test_figure_3b_and_5c_of_ss16_flattened() -> None:
    assert str(Permutation([2, 4, 5, 6, 1, 3]).tree().flatten()) == (
        "⟨2,4,1,3⟩[2, 2×⟨1,2⟩[4, 5, 6], 1, 3]"
    )
    flat = Permutation([4, 3, 2, 1]).tree().flatten()
    assert str(flat) == "3×⟨2,1⟩[4, 3, 2, 1]"
    assert flat.is_flat
    assert (flat.root.repeat, flat.root.arity, len(flat.root.children)) == (3, 2, 4)


def test_arities_of_section_3_of_ss14() -> None:
    assert Permutation([5, 7, 4, 6, 3, 1, 2]).tree().root.arity == 2
    assert Permutation([2, 4, 1, 3]).tree().root.arity == 4


def test_attributes_of_nodes() -> None:
    tree = Permutation([2, 4, 5, 6, 1, 3]).tree()
    root = tree.root
    assert (tree.size, tree.max_arity) == (3, 4)
    assert (root.operator, root.span, root.arity) == (Permutation([2, 4, 1, 3]), (0, 6), 4)
    two, inner, one, three = root.children
    assert [leaf.values for leaf in (two, one, three)] == [(2,), (1,), (3,)]
    assert (two.is_leaf, two.operator, two.arity, two.children) == (True, None, 1, ())
    assert (inner.span, inner.values, inner.label) == ((1, 4), (4, 5, 6), "⟨1,2⟩")
    assert [node.label for node in tree] == [
        "⟨2,4,1,3⟩", "2", "⟨1,2⟩", "⟨1,2⟩", "4", "5", "6", "1", "3"
    ]  # fmt: skip
    assert repr(inner) == "<Node ⟨1,2⟩ over (1, 4)>"


def test_equality_and_hash() -> None:
    left, right = Permutation([1, 2, 3]).forest()
    assert left == Permutation([1, 2, 3]).tree() != right
    assert len({left, Permutation([1, 2, 3]).tree(), right}) == 2
    assert left.flatten() == right.flatten() != left
    assert left != Permutation([1, 2]).tree()
    assert left != "⟨1,2⟩[⟨1,2⟩[1, 2], 3]"
    assert left.root == left.root != left.root.children[0]
    assert pickle.loads(pickle.dumps(left)) == left
    assert hash(pickle.loads(pickle.dumps(left))) == hash(left)
    assert (
        len(set(Permutation.identity(20_000).tree())) == 39_999
    )  # nodes; hashing them was once quadratic


def test_trees_need_a_nonempty_permutation() -> None:
    with pytest.raises(ValueError, match="the empty permutation has no tree"):
        Permutation([]).tree()
    with pytest.raises(TypeError, match="needs a Permutation, got list"):
        hb.PermutationTree([1, 2])  # type: ignore[arg-type]


def nested(depth: int) -> Permutation:
    """⟨2,4,1,3⟩ inside ⟨2,4,1,3⟩, in place of its 4, and so on."""
    before, after = [], []
    low, high = 1, 3 * depth + 1
    for _ in range(depth):
        # 2, [the inner values: 4], 1, 3 with the inner values on top
        before.append(low + 1)
        after += [low + 2, low]
        low += 3
    assert low == high
    return Permutation([*before, high, *reversed(after)])


def test_nested() -> None:
    assert str(nested(2).tree()) == "⟨2,4,1,3⟩[2, ⟨2,4,1,3⟩[5, 7, 4, 6], 1, 3]"


@pytest.mark.parametrize("shape", ["identity", "reverse", "random", "nested"])
def test_a_million_values(shape: str) -> None:
    n = 1_000_000
    pi = {
        "identity": lambda: Permutation.identity(n),
        "reverse": lambda: Permutation.reverse(n),
        "random": lambda: Permutation.random(n, seed=7),
        "nested": lambda: nested(n // 3),
    }[shape]()
    tree = pi.tree()
    # Two computations of the same numbers, such as 1 − (size − 1)/(n − 2), and known sizes.
    assert hb.pet_size(pi) == (tree.size - 1) / (len(pi) - 2)
    if shape in ("identity", "reverse"):
        assert (tree.size, tree.flatten().size, tree.max_arity) == (n - 1, 1, 2)
    if shape == "nested":
        assert (tree.size, tree.max_arity) == (n // 3, 4)
    assert next(iter(tree)).span == (0, len(pi))
    assert tree == pi.tree()


def test_deep_trees_print_and_become_dictionaries_without_recursion() -> None:
    tree = nested(20_000).tree()
    text = str(tree)
    assert text.count("⟨2,4,1,3⟩[") == 20_000 == text.count("]")
    node = tree.to_dict()
    depth = 0
    while "children" in node:
        node = node["children"][1]
        depth += 1
    assert depth == 20_000
    with pytest.raises(ValueError, match="too large to draw"):
        tree.draw()
