"""Dependency trees: what they are, and what they refuse."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.errors import TreeError
from hyperbaton.syntax.trees import DependencyTree

# McCaffery & Nederhof 2016, figure 1, as heads that fit it
REFERENCE = [2, 3, 0, 5, 3, 3, 8, 6, 3]


def words(count: int) -> list[str]:
    return [f"w{k}" for k in range(1, count + 1)]


def reaches_a_root(heads: tuple[int, ...], token: int) -> bool:
    """The definition, slow and obvious: no more steps than there are tokens."""
    for _ in heads:
        if token == 0:
            return True
        token = heads[token - 1]
    return token == 0


def test_every_small_list_of_heads() -> None:
    """What is taken is what the definition takes; counts are Cayley's: (n + 1) ** (n - 1)."""
    for count in range(6):
        trees = 0
        for heads in itertools.product(range(count + 1), repeat=count):
            if all(reaches_a_root(heads, token) for token in range(1, count + 1)):
                DependencyTree(words(count), heads)
                trees += 1
            else:
                with pytest.raises(TreeError) as caught:
                    DependencyTree(words(count), heads)
                assert not reaches_a_root(heads, caught.value.token), heads
        assert trees == (count + 1) ** (count - 1)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([2, 3, 9, 0, 4, 4, 4], "token 3 has the head 9, but there are 7 tokens"),
        ([-1], "token 1 has the head -1, but there is 1 token"),
        ([0, 5, 2, 1, 2], "tokens 2, 5 form a cycle"),
        ([2, 1], "tokens 1, 2 form a cycle"),
        ([2, 2], "token 2 is its own head"),
        ([*range(2, 31), 1], "tokens 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … form a cycle"),
    ],
)
def test_wrong_heads(heads: list[int], message: str) -> None:
    with pytest.raises(TreeError) as caught:
        DependencyTree(words(len(heads)), heads)
    assert str(caught.value) == message
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.token) == (message, caught.value.token)


def test_wrong_counts_and_words() -> None:
    with pytest.raises(ValueError, match="there are 2 words, but 1 heads"):
        DependencyTree(["a", "b"], [0])
    with pytest.raises(ValueError, match="there are 2 words, but 3 labels"):
        DependencyTree(["a", "b"], [0, 1], ["x", "y", "z"])
    for word in ("", " ", "\u3000"):
        with pytest.raises(TreeError, match="token 2 is empty"):
            DependencyTree(["a", word], [0, 1])
    with pytest.raises(TypeError):
        DependencyTree(["a"], [0.0])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("multiwords", "message"),
    [
        ([(1, 4, "x")], "token 1-4: word ranges must be from 1 to 3"),
        ([(0, 1, "x")], "token 0-1: word ranges must be from 1 to 3"),
        ([(2, 1, "x")], "token 2-1: word ranges must be from 1 to 3"),
        ([(1, 2, "x"), (2, 3, "y")], "token 2-3: word ranges must be disjoint and in order"),
        ([(3, 3, "x"), (1, 2, "y")], "token 1-2: word ranges must be disjoint and in order"),
        ([(1, 2, " ")], "token 1-2 is empty"),
    ],
)
def test_wrong_multiwords(multiwords: list[tuple[int, int, str]], message: str) -> None:
    with pytest.raises(TreeError) as caught:
        DependencyTree(words(3), [0, 1, 1], multiwords=multiwords)
    assert str(caught.value) == message


def test_a_tree_is_a_value() -> None:
    tree = DependencyTree(words(9), REFERENCE, multiwords=[(2, 3, "x")])
    same = DependencyTree(tuple(words(9)), np.array(REFERENCE), None, ((2, 3, "x"),))
    assert tree == same
    assert hash(tree) == hash(same)
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert tree != tree.flat()
    assert all(type(head) is int for head in same.heads)
    with pytest.raises(AttributeError):
        tree.heads = ()  # type: ignore[misc]


def test_the_empty_tree() -> None:
    empty = DependencyTree([], [])
    assert empty == DependencyTree([], [], []) == empty.flat() == DependencyTree.join([])
    assert (len(empty), empty.roots, empty.surface) == (0, (), ())


def test_flat() -> None:
    flat = DependencyTree(words(9), REFERENCE, ["x"] * 9).flat()
    assert flat.heads == (0, 1, 2, 3, 4, 5, 6, 7, 8)
    assert flat.words == tuple(words(9))
    assert flat.labels is None


def test_join_keeps_annotations_of_all_trees() -> None:
    one = DependencyTree(["de", "le", "x"], [3, 3, 0], ["case", "det", "root"], [(1, 2, "du")])
    both = DependencyTree.join([one, one])
    assert both.heads == (3, 3, 0, 6, 6, 0)
    assert both.roots == (3, 6)
    assert both.multiwords == ((1, 2, "du"), (4, 5, "du"))
    assert both.surface == ("du", "x", "du", "x")
    assert both.labels == ("case", "det", "root") * 2
    assert DependencyTree.join([one, DependencyTree(["y"], [0])]).labels is None
    assert DependencyTree.join([one, DependencyTree([], [])]).heads == one.heads


@given(st.lists(st.integers(0, 40), max_size=40))
def test_long_heads(steps: list[int]) -> None:
    """Heads before their tokens are always a tree, and after a reversal as well."""
    heads = [min(step, k) for k, step in enumerate(steps)]
    tree = DependencyTree(words(len(heads)), heads)
    assert len(tree.roots) == heads.count(0)
    count = len(heads)
    DependencyTree(words(count), [head and count + 1 - head for head in reversed(heads)])


def test_a_very_long_chain() -> None:
    count = 100_000
    assert len(DependencyTree(["w"] * count, [*range(2, count + 1), 0])) == count
