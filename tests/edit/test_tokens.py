"""Tokens as numbers."""

from __future__ import annotations

import gc
import random

import pytest

from hyperbaton import inversion_distance
from hyperbaton.edit.tokens import number_pair, number_pairs


def by_dict(s: list[object], t: list[object]) -> tuple[list[int], list[int]]:
    numbers: dict[object, int] = {}
    a, b = ([numbers.setdefault(token, len(numbers)) for token in side] for side in (s, t))
    return a, b


def test_tokens_are_equal_if_they_are_the_same_key_of_a_dict() -> None:
    nan = float("nan")
    s: list[object] = [1, "1", 1.0, True, nan, -1, b"1", None, (1, 2), 2**64]
    t: list[object] = [-2, nan, float("nan"), (1.0, 2), 2.0**64, "1", 0, False, -1, frozenset()]
    pair = number_pair(s, t)
    assert (pair.s.tolist(), pair.t.tolist()) == by_dict(s, t)


def test_many_pairs_of_all_lengths() -> None:
    rng = random.Random(1)
    pairs: list[tuple[list[object], list[object]]] = []
    for n in (0, 1, 31, 32, 33, 64, 200, 3000):
        # Multiples of a power of two, and of the modulus of Python's hash: many share a hash.
        tokens = [k * step for k in range(n) for step in (1, 2**20, 2**61 - 1)]
        pairs.append((rng.choices(tokens, k=n), rng.choices(tokens, k=2 * n)) if n else ([], []))
    numbered = number_pairs(iter(pairs))
    assert len(numbered) == len(pairs)
    for k, (s, t) in enumerate(pairs):
        in_s = numbered.s[numbered.s_offsets[k] : numbered.s_offsets[k + 1]]
        in_t = numbered.t[numbered.t_offsets[k] : numbered.t_offsets[k + 1]]
        assert (in_s.tolist(), in_t.tolist()) == by_dict(s, t)


class Contrary:
    """Hashable, but not to be compared."""

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        raise TypeError("do not ask")


def test_errors_name_the_token() -> None:
    with pytest.raises(TypeError, match=r"^pairs\[1\]: token 1 of t is unhashable: list$"):
        number_pairs([("ab", "ab"), ("ab", ["a", []])])
    with pytest.raises(TypeError, match=r"^token 0 of b is unhashable: set$"):
        number_pairs([("ab", [set()])], [("a", "b")])
    with pytest.raises(TypeError, match=r"^do not ask$"):
        number_pair([Contrary()], [Contrary()])


def test_lists_that_grow_while_they_are_read() -> None:
    """A token may reach the lists that its sentence was copied to."""

    class Greedy:
        def __hash__(self) -> int:
            for found in gc.get_referrers(self):
                if type(found) is list and len(found) < 100:
                    found.extend(range(1000))
            return 7

    assert inversion_distance(iter([Greedy()]), "ab") == 2
