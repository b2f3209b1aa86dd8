"""Weak factorizations, against the paper's process step by step.

SS16 is the paper of Stanojević and Sima'an of 2016.
"""

from __future__ import annotations

import pickle
import random
from itertools import islice

import pytest

import hyperbaton as hb
from hyperbaton import Permutation, WeakFactorization
from permutations import all_permutations, random_permutations
from reference import forest as trees
from reference import weak as reference

FIGURE_3 = Permutation([2, 4, 5, 6, 1, 3])


def walk(pi: Permutation, rng: random.Random) -> list[WeakFactorization]:
    """From the flattest to a PET, one node at a time."""
    path = [WeakFactorization(pi)]
    while finer := list(path[-1].refinements()):
        path.append(rng.choice(finer))
    return path


def test_all_follows_the_process_of_the_paper() -> None:
    for pi in all_permutations(5)[1:]:
        twins = {reference.brackets(tree): tree for tree in reference.weak_factorizations(pi)}
        found = list(WeakFactorization.all(Permutation(pi)))
        assert sorted(map(str, found)) == sorted(twins)
        assert str(found[0]) == reference.brackets(reference.flattest(pi))
        for wf in found:
            twin = twins[str(wf)]
            assert [tuple(operator) for operator in wf.operators] == reference.operators(twin)
            assert wf.is_pet == reference.is_pet(twin)
            assert wf.is_flattest == (twin == reference.flattest(pi))


def test_factorizes_into() -> None:
    for pi in all_permutations(5)[1:]:
        found = {str(wf): wf for wf in WeakFactorization.all(Permutation(pi))}
        for tree in reference.weak_factorizations(pi):
            wf = found[reference.brackets(tree)]
            below = {reference.brackets(other) for other in reference.reachable(tree)}
            assert {text for text, other in found.items() if wf.factorizes_into(other)} == below
            # Refinements add one node; a step of the paper can add several.
            one_more = {text for text in below if found[text].size == wf.size + 1}
            finer = list(map(str, wf.refinements()))
            assert len(finer) == len(one_more)
            assert set(finer) == one_more


def test_pets_are_the_forest() -> None:
    for pi in map(Permutation, all_permutations(6)[1:]):
        pets = list(WeakFactorization.pets(pi))
        assert list(map(str, pets)) == list(map(str, pi.forest()))
        if len(pi) > 4:
            continue
        assert set(pets) == {wf for wf in WeakFactorization.all(pi) if wf.is_pet}


def test_identities_have_one_per_tree() -> None:
    # The little Schröder numbers, A001003 in the OEIS.
    counts = [sum(1 for _ in WeakFactorization.all(Permutation.identity(n))) for n in range(1, 8)]
    assert counts == [1, 1, 3, 11, 45, 197, 903]


def test_a_walk_to_a_pet_of_longer_permutations() -> None:
    rng = random.Random(16)
    for pi in random_permutations(60, 30):
        permutation = Permutation(pi)
        path = walk(permutation, rng)
        assert [wf.size for wf in path] == list(range(path[0].size, path[-1].size + 1))
        for wf in path:
            assert tuple(trees.inflate(wf.to_dict())) == pi
            assert sum(len(operator) - 1 for operator in wf.operators) == len(pi) - 1
            assert WeakFactorization(permutation, wf.spans) == wf
            labels = [node.operator for node in wf if node.operator is not None]
            ordered = sorted(labels, key=lambda operator: (len(operator), tuple(operator)))
            assert tuple(ordered) == wf.operators
            assert wf.max_arity == max(map(len, wf.operators), default=1)
        assert path[-1].is_pet
        # All PETs have the same operators, and flattening keeps them.
        assert path[-1].operators == permutation.tree().operators
        assert path[-1].operators == permutation.tree().flatten().operators
        if permutation.forest().count() < 1000:
            assert str(path[-1]) in map(str, permutation.forest())


def test_figure_3_of_ss16() -> None:
    """3a is the flattest factorization, 3b the flattened tree, 3c and 3d are the two PETs."""
    a = WeakFactorization(FIGURE_3)
    b = WeakFactorization.of(FIGURE_3.tree().flatten())
    assert str(a) == "⟨2,4,5,6,1,3⟩[2, 4, 5, 6, 1, 3]"
    assert str(b) == "⟨2,4,1,3⟩[2, ⟨1,2,3⟩[4, 5, 6], 1, 3]"
    assert {str(wf) for wf in b.refinements()} == {
        "⟨2,4,1,3⟩[2, ⟨1,2⟩[⟨1,2⟩[4, 5], 6], 1, 3]",
        "⟨2,4,1,3⟩[2, ⟨1,2⟩[4, ⟨1,2⟩[5, 6]], 1, 3]",
    }
    assert set(b.refinements()) == set(WeakFactorization.pets(FIGURE_3))
    assert a.factorizes_into(b)
    assert not b.factorizes_into(a)
    assert not a.factorizes_into(a)
    assert not a.factorizes_into(WeakFactorization(Permutation.identity(6)))


def test_nodes_drawings_and_dictionaries_like_trees() -> None:
    wf = WeakFactorization(FIGURE_3, [(1, 4)])
    root = wf.root
    assert (root.operator, root.span, root.arity, root.repeat) == (
        Permutation([2, 4, 1, 3]), (0, 6), 4, 1
    )  # fmt: skip
    assert [node.label for node in wf] == ["⟨2,4,1,3⟩", "2", "⟨1,2,3⟩", "4", "5", "6", "1", "3"]
    assert wf.to_dict()["children"][1]["operator"] == [1, 2, 3]
    assert wf.draw(width=3).splitlines()[:3] == ["⟨2,4,1,3⟩", "├── 2", "├── ⟨1,2,3⟩"]
    for pet in FIGURE_3.forest():
        assert WeakFactorization.of(pet).draw() == pet.draw()
        assert WeakFactorization.of(pet).to_dict() == pet.to_dict()
    assert repr(wf) == "<WeakFactorization ⟨2,4,1,3⟩[2, ⟨1,2,3⟩[4, 5, 6], 1, 3]>"


def test_equality_and_hash() -> None:
    wf = WeakFactorization(FIGURE_3, [(1, 4)])
    assert wf == WeakFactorization(FIGURE_3, [(0, 6), (1, 4)])
    assert wf != WeakFactorization(FIGURE_3)
    assert wf != WeakFactorization(Permutation([2, 4, 5, 3, 1, 6]), [(1, 3)])
    assert wf != "⟨2,4,1,3⟩[2, ⟨1,2,3⟩[4, 5, 6], 1, 3]"
    assert len({wf, WeakFactorization.of(FIGURE_3.tree().flatten())}) == 1
    assert pickle.loads(pickle.dumps(wf)) == wf


def test_one_value() -> None:
    (only,) = WeakFactorization.all(Permutation([1]))
    assert (str(only), only.operators, only.size, only.max_arity) == ("1", (), 0, 1)
    assert only.is_flattest
    assert only.is_pet


def test_lazy() -> None:
    """⟨1, …, 30⟩ has 4 × 10¹⁹ weak factorizations; the first ones come at once."""
    some = list(islice(WeakFactorization.all(Permutation.identity(30)), 500))
    assert len(set(some)) == 500
    assert next(WeakFactorization.pets(Permutation.identity(30))).size == 29


@pytest.mark.parametrize(
    ("pi", "spans", "message"),
    [
        ([], [], "the empty permutation has no weak factorization"),
        ([1, 3, 2], [(0, 2)], r"⟨1, 3⟩ at \(0, 2\) is not a sub-permutation"),
        ([1, 2, 3], [(0, 2), (1, 3)], r"\(0, 2\) and \(1, 3\) overlap"),
        ([1, 2, 3], [(1, 2)], r"\(1, 2\) is one value: a leaf, not a node"),
        ([1, 2, 3], [(1, 4)], r"needs 0 ≤ i < j ≤ 3, got \(1, 4\)"),
    ],
)
def test_invalid_spans(pi: list[int], spans: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WeakFactorization(Permutation(pi), spans)


def test_wrong_types() -> None:
    with pytest.raises(TypeError, match="needs a Permutation, got list"):
        WeakFactorization([1, 2])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs a Permutation, got tuple"):
        WeakFactorization.all((1, 2))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="of takes a tree, got Permutation"):
        WeakFactorization.of(FIGURE_3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes a WeakFactorization, got PermutationTree"):
        WeakFactorization(FIGURE_3).factorizes_into(FIGURE_3.tree())  # type: ignore[arg-type]
    assert hb.WeakFactorization is WeakFactorization


@pytest.mark.parametrize("spans", [(0, 2), 3, None, "ab", [(0, 1, 2)], [(0.0, 2)], [(1,)]])
def test_spans_that_are_not_pairs(spans: object) -> None:
    with pytest.raises(
        TypeError, match=r"spans must be pairs \(i, j\), such as \[\(1, 4\)\], got "
    ):
        WeakFactorization(Permutation([1, 2, 3]), spans)  # type: ignore[arg-type]


def test_pets_and_all_need_a_permutation() -> None:
    for make in (WeakFactorization.pets, WeakFactorization.all):
        with pytest.raises(TypeError, match="needs a Permutation, got list"):
            make([1, 2, 3])  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="the empty permutation has no weak factorization"):
            make(Permutation([]))


def test_complexity_needs_trees() -> None:
    complexity = hb.complexity
    functions = [complexity.minus_nodes, complexity.non_binary, complexity.pet_choices]
    for function in (*functions, complexity.average(), complexity.maximum()):
        for given in (Permutation([1, 2, 3]), [1, 2, 3]):
            with pytest.raises(TypeError, match="needs a tree or a weak factorization, got "):
                function(given)  # type: ignore[arg-type]


def test_n_and_most_must_be_integers() -> None:
    for n, most, name in ((2.5, 9, "n"), ("5", 9, "n"), (5, "x", "most")):
        with pytest.raises(TypeError, match=f"{name} must be an integer, got "):
            hb.check_tight(hb.complexity.minus_nodes, n, most)  # type: ignore[arg-type]
