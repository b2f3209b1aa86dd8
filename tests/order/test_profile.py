"""Reordering profiles, against a count over the nodes of each tree."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton.order.profile import ReorderingProfile


def count_by_tree(
    perms: list[tuple[int, ...]],
) -> tuple[Counter[tuple[tuple[int, ...], int]], Counter[int]]:
    """Count operators and spans of canonical trees, and distances of children of flattened ones."""
    operators: Counter[tuple[tuple[int, ...], int]] = Counter()
    moves: Counter[int] = Counter()
    for values in perms:
        if not values:
            continue
        tree = hb.Permutation(values).tree()
        for node in tree:
            if node.operator is not None:
                operators[tuple(node.operator), node.span[1] - node.span[0]] += 1
        for node in tree.flatten():
            if node.operator is None:
                continue
            # Where each child begins if the children are sorted by value.
            at = 0
            for child in sorted(node.children, key=lambda child: min(child.values)):
                here = child.span[0] - node.span[0]
                if here != at:
                    moves[abs(here - at)] += 1
                at += len(child.values)
    return operators, moves


def check(found: ReorderingProfile, perms: list[tuple[int, ...]]) -> None:
    operators, moves = count_by_tree(perms)
    assert {
        (row.operator, span): count for row in found.operators for span, count in row.spans.items()
    } == dict(operators)
    assert dict(found.moves) == dict(moves)
    assert list(found.moves) == sorted(found.moves)
    counts = [row.count for row in found.operators]
    assert counts == sorted(counts, reverse=True)
    some = [values for values in perms if values]
    assert (found.sentences, found.empty) == (len(perms), len(perms) - len(some))
    assert found.words == sum(map(len, perms))
    if not some:
        assert found.monotone is found.binarizable is None
        return
    in_order = [values == tuple(sorted(values)) for values in some]
    assert found.monotone == pytest.approx(sum(in_order) / len(some))
    binary = [hb.Permutation(values).tree().max_arity <= 2 for values in some]
    assert found.binarizable == pytest.approx(sum(binary) / len(some))
    for name, values in hb.measures(some).items():
        assert found.measures[name] == pytest.approx(values.mean())


@pytest.mark.parametrize("n", range(7))
def test_all_permutations(n: int) -> None:
    perms = list(permutations(range(1, n + 1)))
    check(hb.reordering_profile(perms), perms)


@pytest.mark.parametrize("threads", [1, 2])
def test_random_permutations(threads: int) -> None:
    rng = np.random.default_rng(5)
    perms: list[tuple[int, ...]] = [()]
    for k in range(400):
        n = int(rng.integers(0, 40))
        ranks = np.argsort(np.argsort(np.arange(n) + rng.normal(0, (0.5, 2, 50)[k % 3], n)))
        perms.append(tuple((ranks + 1).tolist()))
    found = hb.reordering_profile(perms, threads=threads)
    check(found, perms)
    values = np.array([value for perm in perms for value in perm])
    offsets = np.cumsum([0, *map(len, perms)])
    assert hb.reordering_profile(values, offsets) == found


def test_by_hand() -> None:
    # Two halves of two words are swapped; then one word moves past three.
    found = hb.reordering_profile([[3, 4, 1, 2], [2, 3, 4, 1]])
    assert [(row.operator, dict(row.spans)) for row in found.operators] == [
        ((1, 2), {2: 3, 3: 1}),
        ((2, 1), {4: 2}),
    ]
    assert dict(found.moves) == {1: 1, 2: 2, 3: 1}  # a block of three by 1, one word by 3
    assert dict(found.moved_words) == {1: 3, 2: 4, 3: 1}
    assert (found.reorderings, found.mean_span, found.mean_move) == (2, 4.0, 2.0)
    reverse = hb.reordering_profile([[3, 2, 1]])
    assert dict(reverse.moves) == {2: 2}  # the middle word stays


def test_the_mean_span_is_rounded_once() -> None:
    """A mean of the operators' means would be 3.928571428571428."""
    found = hb.reordering_profile([[2, 1]] * 3 + [[2, 4, 1, 3]] * 6 + [[3, 5, 1, 2, 4]] * 5)
    assert found.mean_span == 55 / 14 == 3.9285714285714284


def test_to_dict() -> None:
    found = hb.reordering_profile([[2, 4, 1, 3], [1, 2], []])
    data = found.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["operators"][1] == {
        "operator": [2, 4, 1, 3],
        "count": 1,
        "mean_span": 4.0,
        "spans": [[4, 1]],
    }
    assert data["moves"] == [
        {"distance": 1, "blocks": 2, "words": 2},
        {"distance": 2, "blocks": 2, "words": 2},
    ]
    assert (data["sentences"], data["empty"], data["words"]) == (3, 1, 6)


def test_no_permutations() -> None:
    for perms, offsets in (([[]], None), (np.array([], np.int64), np.array([0]))):
        found = hb.reordering_profile(perms, offsets)
        assert found.operators == ()
        assert (found.words, found.monotone, found.mean_span, found.mean_move) == (
            0,
            None,
            None,
            None,
        )
        assert found.measures == {}


def test_invalid_permutations() -> None:
    with pytest.raises(ValueError, match=r"perms\[1\]: value 3 at position 2 is outside 1..2"):
        hb.reordering_profile([[1, 2], [1, 3]])
