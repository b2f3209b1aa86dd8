"""Permutation trees and forests, written from the papers.

SS14: Stanojević & Sima'an 2014, "Evaluating Word Order Recursively over Permutation-Forests".
SS16: Stanojević & Sima'an 2016, "Hierarchical Permutation Complexity for Word Order Evaluation".

``Forest`` is figure 5 of SS14 (figure 6 of SS16); ``pef_score`` and ``pet_score`` are figure 6 of
SS14; ``pet_size``, ``pet_count`` and ``max_operator`` are figure 7 of SS16, ``average_operator``
is the average of its section 4. ``pef_beer`` is the measure of BEER 1.1, the program that the
authors of SS14 released: the mean over all PETs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations, product
from typing import Any

Span = tuple[int, int]
Splits = tuple[int, ...]
Pattern = tuple[int, ...]
OperatorScore = Callable[[tuple[int, ...]], Any]


def is_subpermutation(values: Sequence[int]) -> bool:
    return max(values) - min(values) + 1 == len(values)


def rank_list(parts: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """RankListOf: the rank of each part after sorting the parts, smallest first."""
    ordered = sorted(parts, key=min)
    return tuple(ordered.index(part) + 1 for part in parts)


def ranks(values: Sequence[int]) -> Pattern:
    """The permutation of 1..n with the same relative order."""
    rank = {value: k for k, value in enumerate(sorted(values), 1)}
    return tuple(rank[value] for value in values)


@cache
def factorizations(pi: Pattern) -> tuple[int, list[Splits]]:
    """The arity a(π) and all sets of split points into a(π) sub-permutations.

    Split points are indices inside ``pi``. They are the shortest paths over its proper
    sub-permutations.
    """
    n = len(pi)
    if n == 1:
        return 1, []
    best: list[float] = [0] + [math.inf] * n
    paths: list[list[Splits]] = [[()], *([] for _ in range(n))]
    for end in range(1, n + 1):
        for start in range(end):
            if (start, end) == (0, n) or not is_subpermutation(pi[start:end]):
                continue
            cost = best[start] + 1
            if cost < best[end]:
                best[end], paths[end] = cost, []
            if cost == best[end]:
                paths[end] += [(*path, start) if start else path for path in paths[start]]
    return int(best[n]), paths[n]


class Forest:
    """entries[i, j] = (operator, inferences); an inference is a tuple of split points."""

    def __init__(self, pi: Sequence[int]) -> None:
        self.pi = tuple(pi)
        self.entries: dict[Span, tuple[tuple[int, ...], list[Splits]]] = {}
        self._counts: dict[Span, int] = {}
        self._pef(0, len(self.pi))

    def _pef(self, i: int, j: int) -> None:
        if (i, j) in self.entries:  # memoization
            return
        arity, split_sets = factorizations(ranks(self.pi[i:j]))
        if arity == 1:
            self.entries[i, j] = ((), [])
            return
        inferences = [tuple(i + split for split in splits) for splits in split_sets]
        operators = set()
        for inference in inferences:
            spans = self.children((i, j), inference)
            operators.add(rank_list([self.pi[a:b] for a, b in spans]))
            for a, b in spans:
                self._pef(a, b)
        (operator,) = operators  # "the same for all inferences of that span"
        self.entries[i, j] = (operator, sorted(inferences))

    def children(self, span: Span, inference: Splits) -> list[Span]:
        bounds = (span[0], *inference, span[1])
        return list(pairwise(bounds))

    def count(self, span: Span | None = None) -> int:
        span = span or (0, len(self.pi))
        if span not in self._counts:
            _, inferences = self.entries[span]
            self._counts[span] = (
                sum(
                    math.prod(self.count(child) for child in self.children(span, inference))
                    for inference in inferences
                )
                if inferences
                else 1
            )
        return self._counts[span]

    def trees(self, span: Span | None = None) -> Iterator[dict[str, Any]]:
        """Every PET, as nested dictionaries."""
        span = span or (0, len(self.pi))
        operator, inferences = self.entries[span]
        if not inferences:
            yield leaf(self.pi[span[0]], span)
        for inference in inferences:
            parts = [list(self.trees(child)) for child in self.children(span, inference)]
            for children in product(*parts):
                yield node(operator, span, children)


def leaf(value: int, span: Span) -> dict[str, Any]:
    return {"value": value, "span": list(span)}


def node(operator: Sequence[int], span: Span, children: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"operator": list(operator), "span": list(span), "children": list(children)}


def canonical_pet(pi: Sequence[int]) -> dict[str, Any]:
    """The PET of a shift-reduce parser that reduces as early and as little as possible."""
    stack: list[tuple[Span, dict[str, Any]]] = []
    for y, value in enumerate(pi):
        stack.append(((y, y + 1), leaf(value, (y, y + 1))))
        reduced = True
        while reduced:
            reduced = False
            for take in range(2, len(stack) + 1):
                spans = [span for span, _ in stack[-take:]]
                start, end = spans[0][0], spans[-1][1]
                if is_subpermutation(pi[start:end]):
                    operator = rank_list([pi[a:b] for a, b in spans])
                    tree = node(operator, (start, end), [tree for _, tree in stack[-take:]])
                    stack[-take:] = [((start, end), tree)]
                    reduced = True
                    break
    ((_, tree),) = stack
    return tree


def operators(tree: dict[str, Any]) -> list[tuple[int, ...]]:
    if "value" in tree:
        return []
    return [tuple(tree["operator"]), *(op for child in tree["children"] for op in operators(child))]


def inflate(tree: dict[str, Any]) -> list[int]:
    """The permutation of a tree of operators (σ[π₁, …, π_m] of Albert & Atkinson)."""
    if "value" in tree:
        return [1]
    parts = [inflate(child) for child in tree["children"]]
    base = {}
    total = 0
    for rank, part in sorted(zip(tree["operator"], parts, strict=True)):
        base[rank] = total
        total += len(part)
    return [
        base[rank] + v for rank, part in zip(tree["operator"], parts, strict=True) for v in part
    ]


def op_score(gamma: Any = 0) -> OperatorScore:
    """1 for ⟨1,2⟩, γ for ⟨2,1⟩ (section 6.2 of SS14), 0 for any other operator."""
    scores: dict[tuple[int, ...], Any] = {(1, 2): Fraction(1), (2, 1): gamma}
    return lambda operator: scores.get(operator, Fraction(0))


def pef_score(pi: Sequence[int], beta: Any, score: OperatorScore) -> Any:
    """Figure 6 of SS14: φ_node over the forest."""
    if len(pi) < 2:
        return Fraction(len(pi))
    forest = Forest(pi)
    memo: dict[Span, Any] = {}

    def phi_node(i: int, j: int) -> Any:
        if (i, j) not in memo:
            operator, inferences = forest.entries[i, j]
            if not inferences:
                memo[i, j] = Fraction(1)
            elif len(operator) == j - i:
                memo[i, j] = score(operator)
            else:
                average = sum(phi_inf((i, j), inference) for inference in inferences) / len(
                    inferences
                )
                memo[i, j] = beta * score(operator) + (1 - beta) * average
        return memo[i, j]

    def phi_inf(span: Span, inference: Splits) -> Any:
        inner = [phi_node(a, b) for a, b in forest.children(span, inference) if b - a > 1]
        return sum(inner) / len(inner)

    return phi_node(0, len(pi))


def pet_score(pi: Sequence[int], beta: Any, score: OperatorScore) -> Any:
    """Figure 6 of SS14 with "select a canonical l" instead of the sum over inferences."""
    if len(pi) < 2:
        return Fraction(len(pi))

    def phi(tree: dict[str, Any]) -> Any:
        if "value" in tree:
            return Fraction(1)
        inner = [phi(child) for child in tree["children"] if "value" not in child]
        op = score(tuple(tree["operator"]))
        return beta * op + (1 - beta) * sum(inner) / len(inner) if inner else op

    return phi(canonical_pet(pi))


def catalan(k: int) -> int:
    return math.comb(2 * k, k) // (k + 1)


def beer_of_tree(tree: dict[str, Any], beta: Fraction) -> Any:
    """BEER's score of one PET: children are weighted by their numbers of words."""
    if "value" in tree:
        return Fraction(1)
    i, j = tree["span"]
    inside = Fraction(0)
    for child in tree["children"]:
        a, b = child["span"]
        inside += beer_of_tree(child, beta) * Fraction(b - a, j - i)
    return beta * op_score()(tuple(tree["operator"])) + (1 - beta) * inside


def beer_raw_by_trees(pi: Sequence[int], beta: Fraction) -> Fraction:
    """The mean of ``beer_of_tree`` over all PETs, one by one: only for short permutations."""
    scores = [beer_of_tree(tree, beta) for tree in Forest(pi).trees()]
    return sum(scores, Fraction(0)) / len(scores)


@cache
def root_inferences(pattern: Pattern) -> tuple[tuple[int, ...], list[list[Pattern]]]:
    """The operator at the root, and the patterns of its children in each inference."""
    _, split_sets = factorizations(pattern)
    inferences = [
        [pattern[a:b] for a, b in pairwise((0, *splits, len(pattern)))] for splits in split_sets
    ]
    (operator,) = set(map(rank_list, inferences))  # "the same for all inferences of that span"
    return operator, [[ranks(child) for child in children] for children in inferences]


@cache
def count_trees(pattern: Pattern) -> int:
    """The number of PETs: one for each inference at the root and PET of each child."""
    if len(pattern) == 1:
        return 1
    _, inferences = root_inferences(pattern)
    return sum(math.prod(map(count_trees, children)) for children in inferences)


@cache
def beer_raw_of_pattern(pattern: Pattern, beta: Any) -> Any:
    """The mean of ``beer_of_tree`` over all PETs, by recursion.

    An inference counts as often as there are PETs with it at the root. The PETs of its children
    are chosen independently, so each child contributes its own mean.
    """
    if len(pattern) == 1:
        return Fraction(1)
    operator, inferences = root_inferences(pattern)
    inside: Any = Fraction(0)
    for children in inferences:
        share = Fraction(math.prod(map(count_trees, children)), count_trees(pattern))
        weighted = sum(beer_raw_of_pattern(child, beta) * len(child) for child in children)
        inside += share * weighted / len(pattern)
    return beta * op_score()(operator) + (1 - beta) * inside


def beer_raw(pi: Sequence[int], beta: Any) -> Any:
    """The mean of ``beer_of_tree`` over all PETs.

    It depends on the relative order of the values only, so it is computed once for each pattern:
    in the reversal of 60 values, 1,830 spans have only 60 patterns.
    """
    return beer_raw_of_pattern(ranks(pi), beta)


def pef_beer(pi: Sequence[int], beta: Any, raw: Callable[..., Any] = beer_raw) -> Any:
    """The mean over all PETs, scaled so that the reversal has 0 and the identity 1."""
    n = len(pi)
    if n < 2:
        return Fraction(n)
    reversal = raw(range(n, 0, -1), beta)
    return (raw(pi, beta) - reversal) / (1 - reversal)


def pet_size(pi: Sequence[int]) -> Fraction:
    """|PET|; 0/0 at n = 2 counts as 1."""
    n = len(pi)
    if n < 3:
        return Fraction(min(n, 1))
    return Fraction(len(operators(canonical_pet(pi))) - 1, n - 2)


def pet_count(pi: Sequence[int]) -> Fraction:
    """#PETs; the forest of the identity has Catalan(n − 1) trees."""
    n = len(pi)
    if n < 3:
        return Fraction(min(n, 1))
    return Fraction(Forest(pi).count() - 1, catalan(n - 1) - 1)


def max_operator(pi: Sequence[int]) -> Fraction:
    """MAX|Op|."""
    n = len(pi)
    if n < 3:
        return Fraction(min(n, 1))
    return 1 - Fraction(max(map(len, operators(canonical_pet(pi)))) - 2, n - 2)


def average_operator(pi: Sequence[int]) -> Fraction:
    """AVG|Op|: the average of section 4 of SS16, scaled as figure 7 there scales the maximum."""
    n = len(pi)
    if n < 3:
        return Fraction(min(n, 1))
    lengths = [len(operator) for operator in operators(canonical_pet(pi))]
    return 1 - (Fraction(sum(lengths), len(lengths)) - 2) / (n - 2)


def simple_permutations(n: int) -> list[tuple[int, ...]]:
    """Permutations of 1..n without a proper sub-permutation: the primal ones."""
    return [
        pi
        for pi in permutations(range(1, n + 1))
        if not any(
            is_subpermutation(pi[a:b]) for a, b in combinations(range(n + 1), 2) if 1 < b - a < n
        )
    ]
