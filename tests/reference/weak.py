"""Weak factorizations and tightness, written from sections 3 and 4 of SS16.

SS16: Stanojević & Sima'an 2016, "Hierarchical Permutation Complexity for Word Order Evaluation".

A tree is (operator, children); a leaf is its value. A step factorizes one operator of length n into
m adjacent sub-permutations with 2 ≤ m < n; "τₓ factorizes into τ_y" in one or more steps. All pairs
of trees are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations
from typing import Any

from reference.forest import is_subpermutation, rank_list, ranks, simple_permutations

Pi = tuple[int, ...]
Tree = Any  # (operator, children), or the value of a leaf
Complexity = Callable[[Tree], Any]


def flattest(pi: Pi) -> Tree:
    """The tree with a single operator."""
    return (ranks(pi), tuple(pi)) if len(pi) > 1 else pi[0]


def partitions(operator: Pi) -> Iterator[list[tuple[int, int]]]:
    """All partitions of an operator into adjacent sub-permutations, as (start, end)."""
    if not operator:
        yield []
    for first in range(1, len(operator) + 1):
        if is_subpermutation(operator[:first]):
            for rest in partitions(operator[first:]):
                yield [(0, first), *((first + a, first + b) for a, b in rest)]


def steps(tree: Tree) -> Iterator[Tree]:
    """The trees that one step can reach."""
    if isinstance(tree, int):
        return
    operator, children = tree
    for cuts in partitions(operator):
        if 2 <= len(cuts) < len(operator):
            parts = [operator[a:b] for a, b in cuts]
            below = tuple(
                children[a] if b - a == 1 else (ranks(operator[a:b]), children[a:b])
                for a, b in cuts
            )
            yield (rank_list(parts), below)
    for k, child in enumerate(children):
        for other in steps(child):
            yield (operator, (*children[:k], other, *children[k + 1 :]))


@cache
def reachable(tree: Tree) -> frozenset[Tree]:
    """The trees that one or more steps can reach."""
    reached: set[Tree] = set()
    for following in steps(tree):
        reached |= {following} | reachable(following)
    return frozenset(reached)


def weak_factorizations(pi: Pi) -> list[Tree]:
    return [flattest(pi), *reachable(flattest(pi))]


def operators(tree: Tree) -> list[Pi]:
    """The multiset of operators, sorted by length and then by value."""
    if isinstance(tree, int):
        return []
    found = [tree[0], *(operator for child in tree[1] for operator in operators(child))]
    return sorted(found, key=lambda operator: (len(operator), operator))


def is_pet(tree: Tree) -> bool:
    """Whether all operators are primal."""
    return all(operator in primal(len(operator)) for operator in operators(tree))


@cache
def primal(n: int) -> list[Pi]:
    return simple_permutations(n)


def brackets(tree: Tree) -> str:
    """A tree as text, as ``str`` of a ``WeakFactorization`` prints it."""
    if isinstance(tree, int):
        return str(tree)
    operator, children = tree
    return f"⟨{','.join(map(str, operator))}⟩[{', '.join(map(brackets, children))}]"


def tight_for(pi: Pi, complexity: Complexity) -> bool:
    return all(complexity(x) > complexity(y) for x in weak_factorizations(pi) for y in reachable(x))


def semi_tight_for(pi: Pi, complexity: Complexity) -> bool:
    return all(
        complexity(x) > complexity(y)
        if x == flattest(pi) and is_pet(y)
        else complexity(x) >= complexity(y)
        for x in weak_factorizations(pi)
        for y in reachable(x)
    )


def first_failure(holds_for: Callable[[Pi, Complexity], bool], c: Complexity, n: int) -> Pi | None:
    """The first of the shortest permutations for which a property does not hold."""
    for length in range(1, n + 1):
        for pi in permutations(range(1, length + 1)):
            if not holds_for(pi, c):
                return pi
    return None
