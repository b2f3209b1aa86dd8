"""The tree edit distance against its twin, and what it promises."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import pickle
import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperbaton as hb
from hyperbaton import _core
from reference import tree_edit as reference

# Heads that fit figure 1 of McCaffery & Nederhof 2016 (an image) and its table 2: 4 nodes are
# deleted, 6 are matched.
HYPOTHESIS = [2, 5, 2, 3, 0, 5, 5]
REFERENCE = [2, 3, 0, 5, 3, 3, 8, 6, 3]
PATHS = ["left of a", "right of a", "heavy of a", "left of b", "right of b", "heavy of b"]


def random_tree(rng: random.Random, n: int, shape: str) -> list[int]:
    """Shallow as real ones, or deep, or deep with leaves at both sides; edges may cross."""
    tokens = rng.sample(range(1, n + 1), n)
    heads = [0] * n
    for k in range(1, n):
        if rng.random() < 0.07:
            continue  # another root
        parent = {
            "shallow": rng.randrange(k),
            "deep": max(0, k - rng.randint(1, 3)),
            "zigzag": max(0, k - 3 + k % 3 - rng.randint(0, 1)),
        }[shape]
        heads[tokens[k] - 1] = tokens[parent]
    return heads


def random_pairs(count: int, most: int, seed: int) -> Iterator[tuple[list[int], list[int]]]:
    rng = random.Random(seed)
    shapes = ["shallow", "deep", "zigzag"]
    for _ in range(count):
        a, b = (random_tree(rng, rng.randint(0, most), rng.choice(shapes)) for _ in "ab")
        yield a, b


def every_forest(n: int) -> list[list[int]]:
    """Heads of all ordered forests of n nodes, which are numbered in preorder."""
    forests: list[list[int]] = []
    for depths in itertools.product(range(n), repeat=n):
        if all(deep <= before + 1 for before, deep in itertools.pairwise((-1, *depths))):
            last = {-1: 0}
            heads = []
            for token, deep in enumerate(depths, start=1):
                heads.append(last[deep - 1])
                last[deep] = token
            forests.append(heads)
    return forests


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    n = draw(st.integers(0, 12))
    tokens = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for k, token in enumerate(tokens):
        heads[token - 1] = draw(st.sampled_from([0, *tokens[:k]]))
    return heads


def test_all_pairs_of_forests_to_6_nodes() -> None:
    forests = [heads for n in range(7) for heads in every_forest(n)]
    assert len(forests) == 1 + 1 + 2 + 5 + 14 + 42 + 132  # Catalan numbers
    pairs = list(itertools.product(forests, forests))

    def nameless(forest: Any) -> Any:
        return tuple((0, nameless(below)) for _, below in forest)

    shapes = [nameless(reference.forest(heads)) for heads in forests]
    twin = reference.Recursion([], [])
    distances = hb.tree_distances(pairs)
    for (a, b), ours in zip(itertools.product(shapes, shapes), distances, strict=True):
        assert ours == twin.distance(a, b), (a, b)


def test_random_pairs_to_40_nodes() -> None:
    pairs = list(random_pairs(60, 40, seed=2016))
    for (a, b), distance in zip(pairs, hb.tree_distances(pairs), strict=True):
        twin = reference.Recursion(a, b)
        edit = hb.tree_edit(a, b)
        assert distance == hb.tree_distance(a, b) == edit.distance == twin.distance(twin.a, twin.b)
        assert mapping(edit) == twin.mapping(), (a, b)


def mapping(edit: hb.TreeEdit) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    return list(edit.matched), list(edit.deleted_a), list(edit.deleted_b)


@pytest.mark.parametrize("path", range(6), ids=PATHS)
def test_every_path_strategy_gives_the_same_mapping(path: int) -> None:
    rng = random.Random(path)
    for a, b in random_pairs(150, 25, seed=path):
        flat = np.array(a, np.int64), np.array(b, np.int64)
        tables = [None, np.array([rng.randint(-2, 5) for _ in range(len(a) * len(b))], np.int64)]
        for savings in tables:
            best, ours = (_core.tree_mapping(*flat, savings, which) for which in (-1, path))
            assert best[0] == ours[0], (a, b)
            assert best[1].tolist() == ours[1].tolist()
            assert best[2].tolist() == ours[2].tolist()


def test_trees_for_which_paths_are_chosen() -> None:
    # Deep, with a leaf at both sides of each node: Zhang & Shasha's paths would be slow.
    k = 40
    zigzag = [*range(k + 1, 2 * k + 1), 0, *range(k + 1, 2 * k), *range(2 * k, k, -1)]
    shallow = random_tree(random.Random(3), 100, "shallow")
    for a, b in itertools.product([zigzag, shallow], repeat=2):
        flat = np.array(a), np.array(b)
        left = _core.tree_mapping(*flat, None, 0)
        assert hb.tree_distance(a, b) == len(a) + len(b) - left[0]
    assert hb.tree_distance(zigzag, zigzag) == 3 * k


@pytest.mark.parametrize("unit", [1, Fraction(1, 3)], ids=str)
def test_other_costs(unit: Fraction) -> None:
    for k, (a, b) in enumerate(random_pairs(60, 14, seed=7)):
        costs = RandomCosts(a, b, unit, seed=k)
        twin = reference.Recursion(a, b, costs.delete_token, costs.match_tokens)
        expected = twin.distance(twin.a, twin.b)
        edit = hb.tree_edit(a, b, costs)
        assert hb.tree_distance(a, b, costs) == edit.distance == float(expected)
        assert hb.tree_distances([(a, b)], costs=costs).tolist() == [float(expected)]
        assert mapping(edit) == twin.mapping()


class RandomCosts:
    def __init__(self, a: list[int], b: list[int], unit: Fraction, seed: int) -> None:
        rng = random.Random(seed)
        self.unit = unit
        self.deletes = {
            "a": [rng.randint(0, 4) for _ in a],
            "b": [rng.randint(0, 4) for _ in b],
        }
        self.matches = [[rng.randint(0, 9) for _ in b] for _ in a]

    def delete_token(self, side: str, token: int) -> Fraction:
        return self.deletes[side][token - 1] * self.unit

    def match_tokens(self, x: int, y: int) -> Fraction:
        return self.matches[x - 1][y - 1] * self.unit

    def delete(self, node: Any) -> Fraction:
        return self.delete_token(node.side, node.position)

    def match(self, x: Any, y: Any) -> Fraction:
        return self.match_tokens(x.position, y.position)


@pytest.mark.parametrize(
    ("delete", "match"), [(1, 0), (2, 3), (1, 2), (1, 3), (0, 0), (0.5, 0.25), (0, 1)]
)
def test_costs_that_are_numbers(delete: float, match: float) -> None:
    costs = {"delete": delete, "match": match}
    for a, b in random_pairs(25, 12, seed=5):
        twin = reference.Recursion(a, b, lambda side, k: delete, lambda i, j: match)
        expected = twin.distance(twin.a, twin.b)
        edit = hb.tree_edit(a, b, costs)
        assert hb.tree_distance(a, b, costs) == edit.distance == expected
        assert hb.tree_distances([(a, b)], costs=SimpleNamespace(**costs)).tolist() == [expected]
        assert mapping(edit) == twin.mapping()


def test_the_example_of_the_paper() -> None:
    edit = hb.tree_edit(HYPOTHESIS, REFERENCE)
    assert len(edit.deleted_a) + len(edit.deleted_b) == 4
    assert len(edit.matched) == 6
    assert edit.distance == 10
    assert 1 - edit.distance / 16 == 0.375


@given(trees(), trees())
def test_symmetry_bounds_identity(a: list[int], b: list[int]) -> None:
    distance = hb.tree_distance(a, b)
    assert distance == hb.tree_distance(b, a)
    assert distance == hb.tree_distance(mirrored(a), mirrored(b))
    assert max(len(a), len(b)) <= distance <= len(a) + len(b)
    assert hb.tree_distance(a, a) == len(a)
    assert hb.tree_distance(a, []) == hb.tree_distance([], a) == len(a)


def mirrored(heads: list[int]) -> list[int]:
    return [0 if head == 0 else len(heads) + 1 - head for head in reversed(heads)]


@given(trees(), trees())
def test_the_remaining_nodes_form_the_same_tree(a: list[int], b: list[int]) -> None:
    edit = hb.tree_edit(a, b)
    assert edit.distance == len(edit.matched) + len(edit.deleted_a) + len(edit.deleted_b)
    assert sorted([*edit.deleted_a, *(x for x, _ in edit.matched)]) == list(range(1, len(a) + 1))
    assert sorted([*edit.deleted_b, *(y for _, y in edit.matched)]) == list(range(1, len(b) + 1))
    names = dict(edit.matched)

    def without(forest: Any, deleted: tuple[int, ...]) -> Any:
        """The children of what is deleted take its place."""
        left: list[Any] = []
        for token, below in forest:
            rest = without(below, deleted)
            left.extend(rest if token in deleted else [(token, rest)])
        return left

    def renamed(forest: Any) -> Any:
        return [(names[token], renamed(below)) for token, below in forest]

    left_of_a = without(reference.forest(a), edit.deleted_a)
    assert renamed(left_of_a) == without(reference.forest(b), edit.deleted_b)


def test_deep_and_wide_trees() -> None:
    n = 2000
    chain, star, roots = [0, *range(1, n)], [0] + [1] * (n - 1), [0] * n
    for tree in (chain, star, roots):
        edit = hb.tree_edit(tree, tree)
        assert edit.distance == n
        assert edit.matched == tuple((k, k) for k in range(1, n + 1))
    # By hand: a chain has a node below a node, no two side by side; a row of roots is the contrary.
    assert hb.tree_distance(chain, star) == 2 * n - 2
    assert hb.tree_distance(chain, roots) == 2 * n - 1
    assert hb.tree_distance(star, roots) == 2 * n - (n - 1)
    assert hb.tree_distance(chain, [*range(2, n + 1), 0]) == n  # the same tree, from the other end


def test_edges_may_cross() -> None:
    # 1 has the children 3 and 5, 2 the child 4: crossing edges. Without words the tree is that of
    # 1 (2, 3) 4 (5) in the order of a sentence.
    crossing, plain = [0, 0, 1, 2, 1], [0, 1, 1, 0, 4]
    assert hb.tree_distance(crossing, plain) == 5
    assert hb.tree_edit(crossing, plain).matched == ((1, 1), (2, 4), (3, 2), (4, 5), (5, 3))


def test_several_roots_differ_from_a_single_root() -> None:
    assert hb.tree_distance([0, 0], [0, 1]) == 3
    assert hb.tree_distance([0, 0], [0, 1, 1]) == 3
    assert hb.tree_distance([0, 0, 0], [0, 0, 0]) == 3


def test_threads_and_batches_make_no_difference() -> None:
    pairs = list(random_pairs(700, 30, seed=11))
    one = hb.tree_distances(pairs, threads=1)
    assert one.dtype == np.float64
    assert one.tolist() == hb.tree_distances(iter(pairs), threads=3).tolist()
    assert one.tolist() == [hb.tree_distance(a, b) for a, b in pairs]
    assert hb.tree_distances([]).tolist() == []
    functions = {"delete": lambda node: node.position % 3, "match": 1}
    assert (
        hb.tree_distances(pairs[:40], 1, functions).tolist()
        == hb.tree_distances(pairs[:40], 3, functions).tolist()
        == [hb.tree_distance(a, b, functions) for a, b in pairs[:40]]
    )
    assert hb.tree_distances([], costs=functions).tolist() == []


def test_accepted_types_of_trees() -> None:
    kinds: list[Any] = [
        tuple(HYPOTHESIS),
        np.array(HYPOTHESIS),
        np.array(HYPOTHESIS, np.uint8),
        iter(HYPOTHESIS),
        SimpleNamespace(heads=HYPOTHESIS),
        SimpleNamespace(heads=tuple(HYPOTHESIS), words=list("abcdefg")),
        SimpleNamespace(heads=HYPOTHESIS, words=None),
    ]
    for tree in kinds:
        assert hb.tree_distance(tree, REFERENCE) == 10
    assert hb.tree_distances([[HYPOTHESIS, REFERENCE]]).tolist() == [10]


def test_many_pairs_of_mixed_types() -> None:
    """The core reads plain lists and tuples, Python everything else; the distances are the same."""
    plain = list(random_pairs(80, 30, seed=4))
    kinds: list[Any] = [list, tuple, np.array, iter, lambda heads: SimpleNamespace(heads=heads)]
    mixed = [
        [kinds[k % 5](a), kinds[k // 5 % 5](b)]  # a pair may be a list, too
        for k, (a, b) in enumerate(plain)
    ]
    tuples = tuple((tuple(a), tuple(b)) for a, b in plain)
    expected = [float(hb.tree_distance(a, b)) for a, b in plain]
    for pairs in (plain, tuples, mixed):
        assert hb.tree_distances(pairs).tolist() == expected


def test_words() -> None:
    a = SimpleNamespace(heads=[2, 0, 2], words=["she", "sang", "loudly"])
    b = SimpleNamespace(heads=[2, 0], words=["loudly", "sang"])
    edit = hb.tree_edit(a, b, {"match": lambda x, y: 0 if x.word == y.word else math.inf})
    assert (
        edit.distance == 1
    )  # that loudly follows its head here and comes before it there is no edit
    assert edit.matched == ((2, 2), (3, 1))


def test_costs_are_added_up_exactly() -> None:
    assert hb.tree_distance([0] * 10, [], {"delete": 0.1}) == 1.0
    assert hb.tree_distance([0] * 3, [], {"delete": lambda node: Fraction(1, 3)}) == 1.0
    assert hb.tree_distance([0], [0], {"match": Decimal("0.25")}) == 0.25
    assert isinstance(hb.tree_distance([0], [0]), int)
    assert isinstance(hb.tree_distance([0], [0], {"delete": np.int64(1)}), int)
    assert isinstance(hb.tree_distance([0], [0], {"delete": 1.0}), float)
    assert isinstance(hb.tree_distance([0], [0], {"match": lambda x, y: x.head != y.head}), int)
    assert hb.tree_distance([0, 1], [0, 1], {"match": math.inf}) == 4


def test_the_table_of_operations() -> None:
    a = SimpleNamespace(heads=[2, 0], words=["語順", "is"])
    assert str(hb.tree_edit(a, [0])) == "         a     b\nDeleted  語順\nMatched  is    1"
    assert hb.tree_edit([], [0]).draw(("Reference", "Hypothesis")).splitlines() == [
        "         Reference  Hypothesis",
        "Deleted             1",
    ]
    assert str(hb.tree_edit([], [])) == "  a  b"
    broken = SimpleNamespace(heads=[0], words=["a\nb"])
    assert len(str(hb.tree_edit(broken, broken)).splitlines()) == 2


def test_the_result_is_a_value() -> None:
    edit = hb.tree_edit(HYPOTHESIS, REFERENCE)
    assert edit == hb.tree_edit(HYPOTHESIS, REFERENCE) == pickle.loads(pickle.dumps(edit))
    assert json.loads(json.dumps(edit.to_dict()))["distance"] == 10
    with pytest.raises(dataclasses.FrozenInstanceError):
        edit.distance = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("tree", "error", "message"),
    [
        ([0, 1, 9, 1, 1, 1, 1], ValueError, "a: token 3 has the head 9, but there are 7 tokens"),
        ([0, 5, 6], ValueError, "a: token 2 has the head 5, but there are 3 tokens"),
        ([2], ValueError, "a: token 1 has the head 2, but there is 1 token"),
        ([0, -1], ValueError, "a: token 2 has the head -1, but there are 2 tokens"),
        ([2**32, 0], ValueError, f"a: token 1 has the head {2**32}, but there are 2 tokens"),
        ([0, -(2**31) - 1], ValueError, "a: token 2 has the head -2147483649, but there are 2"),
        ([10**30, 0], ValueError, f"a: token 1 has the head {10**30}, but there are 2 tokens"),
        ([0, 5, 1, 1, 2], ValueError, "a: tokens 2, 5 form a cycle"),
        ([2, 3, 2], ValueError, "a: tokens 2, 3 form a cycle"),
        ([0, 2], ValueError, "a: token 2 is its own head"),
        ([*range(2, 31), 1], ValueError, "a: tokens 1, 2, .*, 20, … form a cycle"),
        ([0, 1.0], TypeError, "a: the head of token 2 must be an integer, got float"),
        ([0, True], TypeError, "a: the head of token 2 must be an integer, got bool"),
        ([0, None], TypeError, "a: the head of token 2 must be an integer, got NoneType"),
        (
            np.zeros((2, 2), int),
            TypeError,
            "a: the head of token 1 must be an integer, got ndarray",
        ),
        ("01", TypeError, "a must be a sequence of heads, got str"),
        (None, TypeError, "a must be a sequence of heads, got NoneType"),
        ({1: 0}, TypeError, "a must be a sequence of heads, but a dict has no order"),
        (
            SimpleNamespace(heads=[0], words=[]),
            ValueError,
            r"a has 0 words, but 1 heads",
        ),
        (
            SimpleNamespace(heads=[0], words=3),
            TypeError,
            "the words of a must be a sequence of words",
        ),
    ],
)
def test_bad_trees(tree: Any, error: type[Exception], message: str) -> None:
    for function in (hb.tree_distance, hb.tree_edit):
        with pytest.raises(error, match=f"^{message}"):
            function(tree, [0])
        with pytest.raises(error, match=r"\bb\b"):
            function([0], tree)
    for as_kind in (list, tuple, np.array):
        with pytest.raises(error, match=r"pairs\[1\]: b"):
            hb.tree_distances([(as_kind([0]), [0]), ([0], tree), ([7], [0])])
    if isinstance(tree, list):
        with pytest.raises(error, match=r"pairs\[1\]: b"):
            hb.tree_distances([([0], [0]), ([0], tuple(tree)), ([7], [0])])


def test_bad_pairs() -> None:
    bad: list[tuple[Any, str]] = [
        ([([0],)], r"pairs\[0\]: a pair must be two trees, got 1"),
        ([3], r"pairs\[0\]: a pair must be two trees, got int"),
        (3, "pairs must be a sequence of pairs, got int"),
    ]
    for pairs, message in bad:
        with pytest.raises(TypeError, match=message):
            hb.tree_distances(pairs)
    with pytest.raises(ValueError, match="threads must be at least 1, got 0"):
        hb.tree_distances([], threads=0)
    with pytest.raises(ValueError, match=r"at most 2\^26"):
        hb.tree_distance([0] * 9000, [0] * 9000)


@pytest.mark.parametrize(
    ("costs", "error", "message"),
    [
        ({"delete": -1}, ValueError, "the cost of delete must be finite and not negative, got -1"),
        (
            {"delete": math.inf},
            ValueError,
            "the cost of delete must be finite and not negative, got inf",
        ),
        (
            {"match": math.nan},
            ValueError,
            "the cost of match must be finite and not negative, got nan",
        ),
        ({"match": "1"}, TypeError, "the cost of match must be a number, got str"),
        (
            {"delete": -1, "match": lambda x, y: 1},
            ValueError,
            "the cost of delete must be finite and not negative, got -1",
        ),
        ({"insert": 1}, ValueError, "costs may have delete and match, got insert"),
        (
            3,
            TypeError,
            "costs must have delete or match as items or attributes, but int has neither",
        ),
        (
            {"match": lambda x, y: None},
            TypeError,
            "the cost of match must be a number, got NoneType",
        ),
        (
            {"delete": lambda x: -0.5},
            ValueError,
            "the cost of delete must be finite and not negative, got -0.5",
        ),
        ({"delete": lambda x: 2.0**70}, ValueError, "the costs have too many digits"),
    ],
)
def test_bad_costs(costs: Any, error: type[Exception], message: str) -> None:
    for function in (hb.tree_distance, hb.tree_edit):
        with pytest.raises(error, match=f"^{message}"):
            function([0], [0, 1], costs)
    with pytest.raises(error, match=message):
        hb.tree_distances([([0], [0])], costs=costs)


def test_errors_of_cost_functions_are_not_hidden() -> None:
    def fails(*nodes: object) -> float:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        hb.tree_distance([0], [0], {"match": fails})


def test_the_core_checks_its_arguments() -> None:
    heads, offsets = np.array([0, 1, 1]), np.array([0, 3])
    big = np.full(9, 2**62)
    with pytest.raises(ValueError, match="too large to be added up"):
        _core.tree_savings(heads, offsets, heads, offsets, big, 1)
    with pytest.raises(ValueError, match="too large to be added up"):
        _core.tree_savings(heads, offsets, heads, offsets, -big, 1)
    with pytest.raises(ValueError, match="8 savings for 9 pairs"):
        _core.tree_savings(heads, offsets, heads, offsets, big[:8], 1)
    with pytest.raises(ValueError, match="8 savings for 9 pairs"):
        _core.tree_mapping(heads, heads, big[:8], -1)
    with pytest.raises(ValueError, match="both sides must have the same number"):
        _core.tree_matches(heads, offsets, heads, np.array([0, 1, 3]), 1)
    with pytest.raises(ValueError, match="path must be 0 to 5"):
        _core.tree_mapping(heads, heads, None, 6)
    thirty_two = heads.astype(np.int32)
    assert _core.tree_matches(thirty_two, offsets, thirty_two, offsets, 1).tolist() == [3]
