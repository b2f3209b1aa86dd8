"""Permutations for tests: all short ones, random ones, and Hypothesis strategies."""

from __future__ import annotations

import itertools
import random
from functools import cache
from typing import Any

from hypothesis import strategies as st

from reference import forest as reference

Pi = tuple[int, ...]


@cache
def all_permutations(most: int) -> list[Pi]:
    """All permutations of up to ``most`` values, the empty one included."""
    return [pi for n in range(most + 1) for pi in itertools.permutations(range(1, n + 1))]


@cache
def random_permutations(count: int, most: int, seed: int = 2014) -> list[Pi]:
    """Random permutations of many shapes: shuffled, with moved blocks, inflated from operators."""
    rng = random.Random(seed)
    makers = (shuffled, blocks_moved, inflated)
    return [makers[k % 3](rng, rng.randint(1, most)) for k in range(count)]


def shuffled(rng: random.Random, n: int) -> Pi:
    """All permutations are equally likely."""
    return tuple(rng.sample(range(1, n + 1), n))


def blocks_moved(rng: random.Random, n: int) -> Pi:
    """Permutations like those of translations: mostly in order, with some blocks moved."""
    pi = list(range(1, n + 1))
    for _ in range(rng.randint(0, 6)):
        a, b, c = sorted(rng.choices(range(n + 1), k=3))
        pi = pi[:a] + pi[b:c] + pi[a:b] + pi[c:]
    return tuple(pi)


def inflated(rng: random.Random, n: int) -> Pi:
    """The permutation of a random tree, with chains and primal operators inside each other."""
    return tuple(reference.inflate(random_tree(rng, n)))


def random_tree(rng: random.Random, n: int) -> dict[str, Any]:
    """A tree of n leaves whose operators have two, four or five children."""
    if n == 1:
        return reference.leaf(1, (0, 1))
    arity = rng.choice([2, 2, 2, 4, 5]) if n >= 5 else 4 if n == 4 and rng.random() < 0.3 else 2
    operator = rng.choice(PRIMAL[arity])
    cuts = sorted(rng.sample(range(1, n), arity - 1))
    sizes = [b - a for a, b in itertools.pairwise([0, *cuts, n])]
    return reference.node(operator, (0, n), [random_tree(rng, size) for size in sizes])


PRIMAL: dict[int, list[Pi]] = {n: reference.simple_permutations(n) for n in (2, 4, 5)}

permutations = st.one_of(
    st.integers(0, 24).flatmap(lambda n: st.permutations(range(1, n + 1))),
    st.builds(blocks_moved, st.randoms(use_true_random=False), st.integers(1, 40)),
    st.builds(inflated, st.randoms(use_true_random=False), st.integers(1, 40)),
).map(tuple)
nonempty = permutations.filter(bool)
