"""Exhaustive tests of whether a complexity function is tight or semi-tight."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from operator import index
from typing import NamedTuple

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.order.complexity import Number, as_finite_number
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.weak import (
    Span,
    WeakFactorization,
    child_starts,
    compatible_subsets,
    proper_blocks,
)

MAX_FACTORIZATIONS = 3_000_000  # enough for n = 8, in less than a minute
FactorizationComplexity = Callable[[WeakFactorization], Number]


@dataclass(frozen=True)
class Counterexample:
    """A factorization step that violates tightness or semi-tightness.

    Attributes
    ----------
    before, after : WeakFactorization
        Two weak factorizations of a permutation; ``before`` factorizes into ``after``.
    complexities : tuple of (number, number)
        C of both.
    strict : bool
        Whether C had to fall. If False, it only had to not rise.
    """

    before: WeakFactorization
    after: WeakFactorization
    complexities: tuple[Number, Number]
    strict: bool

    @property
    def permutation(self) -> Permutation:
        """The permutation of both factorizations."""
        return self.before.permutation

    def __str__(self) -> str:
        first, second = map(format_number, self.complexities)
        requirement = "fall" if self.strict else "not rise"
        return (
            f"before, C = {first}:\n{self.before.draw()}\n"
            f"after, where it must {requirement}, C = {second}:\n{self.after.draw()}"
        )


@dataclass(frozen=True)
class Tightness:
    """Result of ``check_tight`` or ``check_semi_tight``; true if the property holds up to n.

    Attributes
    ----------
    name : str
        The property, ``"tight"`` or ``"semi-tight"``.
    n : int
        Length of the longest permutations.
    permutations, factorizations : int
        Number of permutations and weak factorizations checked: all up to n, or all up to the
        counterexample.
    counterexample : Counterexample or None
        The smallest counterexample, if there is one.
    """

    name: str
    n: int
    permutations: int
    factorizations: int
    counterexample: Counterexample | None

    @property
    def holds(self) -> bool:
        """Whether there is no counterexample up to n. This proves nothing for longer ones."""
        return self.counterexample is None

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        if self.counterexample is None:
            return f"<{self.name} up to n = {self.n}>"
        return f"<not {self.name}: {self.counterexample.permutation}>"

    def __str__(self) -> str:
        if self.counterexample is None:
            return (
                f"{self.name} up to n = {self.n}: {self.permutations:,} permutations, "
                f"{self.factorizations:,} weak factorizations"
            )
        return f"not {self.name}: {self.counterexample.permutation}\n{self.counterexample}"


def check_tight(
    complexity: FactorizationComplexity, n: int, most: int = MAX_FACTORIZATIONS
) -> Tightness:
    """Check whether C is tight for every permutation of up to n values.

    Section 4 of Stanojević & Sima'an 2016: "A complexity metric C(·) is *tight* for a non-primal
    permutation π iff for every two weak factorizations τₓ ≠ τ_y of π holds: if τₓ factorizes into
    τ_y then C(τₓ) > C(τ_y). […] A metric C(·) is tight iff it is tight for all π." A primal
    permutation has only one weak factorization, so it needs no check.

    Values are compared without tolerance. A C that divides should return a ``Fraction``, because a
    rounding error may look like a rise. As > is transitive, it is enough to check the steps that
    add one node (``refinements``). The smallest counterexample has the shortest permutation; among
    these the first in lexicographic order; and for that permutation the τₓ with the fewest nodes.

    Parameters
    ----------
    complexity : callable
        C, a function from a ``WeakFactorization`` to a number, such as those in
        ``hyperbaton.complexity``.
    n : int
        Length of the longest permutations, at least 3. 7 takes seconds.
    most : int
        Maximum number of weak factorizations to check.

    Returns
    -------
    Tightness
        Whether C is tight, and the smallest counterexample if it is not.

    Raises
    ------
    ValueError
        If n is below 3, or more than ``most`` weak factorizations would have to be checked.

    Examples
    --------
    >>> from hyperbaton import complexity
    >>> print(check_tight(complexity.average(), 5))
    tight up to n = 5: 150 permutations, 1,382 weak factorizations
    >>> print(check_tight(lambda wf: max(map(len, wf.operators)) % 3, 5))
    not tight: ⟨1, 2, 3⟩
    before, C = 0:
    ⟨1,2,3⟩
    ┌──┼──┐
    1  2  3
    after, where it must fall, C = 2:
      ⟨1,2⟩
      ┌─┴──┐
    ⟨1,2⟩  3
    ┌─┴┐
    1  2
    """
    return find_counterexample("tight", complexity, n, most)


def check_semi_tight(
    complexity: FactorizationComplexity, n: int, most: int = MAX_FACTORIZATIONS
) -> Tightness:
    """Check whether C is semi-tight for every permutation of up to n values.

    "A *semi-tight* metric fulfills the weaker requirement C(τₓ) ≥ C(τ_y) for all cases except
    when τₓ is the flattest weak factorization (single node) and [τ_y] is a PET, where it strictly
    requires C(τₓ) > C(τ_y). […] It is semi-tight if it is semi-tight for at least one π and tight
    otherwise." As tight for π implies semi-tight for π, this means: semi-tight for every
    non-primal π. The paper does not say whether a tight metric is also called semi-tight; here it
    is.

    Parameters
    ----------
    complexity, n, most
        As for ``check_tight``.

    Returns
    -------
    Tightness
        Whether C is semi-tight, and the smallest counterexample if it is not.

    Examples
    --------
    >>> from hyperbaton import complexity
    >>> check_semi_tight(complexity.maximum(), 5)
    <semi-tight up to n = 5>
    >>> check_semi_tight(complexity.non_binary, 5)
    <not semi-tight: ⟨1, 2, 3, 4, 5⟩>
    """
    return find_counterexample("semi-tight", complexity, n, most)


class SearchPlan(NamedTuple):
    """What all permutations with the same blocks have in common.

    Attributes
    ----------
    factorizations : list
        Spans and child starts of each weak factorization, fewest nodes first.
    steps : list of (int, int)
        Indices of two factorizations; the second has one more node.
    to_pets : list of (int, int)
        Indices of the flattest factorization and of each PET.
    """

    factorizations: list[tuple[tuple[Span, ...], tuple[tuple[int, ...], ...]]]
    steps: list[tuple[int, int]]
    to_pets: list[tuple[int, int]]


def find_counterexample(
    name: str, complexity: FactorizationComplexity, n: int, most: int
) -> Tightness:
    """Check all permutations up to n, smallest first, until there is a counterexample."""
    if not callable(complexity):
        kind = type(complexity).__name__
        raise InputTypeError(f"C must be a function of a weak factorization, got {kind}")
    for argument, value in (("n", n), ("most", most)):
        if not hasattr(value, "__index__"):
            raise InputTypeError(f"{argument} must be an integer, got {type(value).__name__}")
    n = index(n)
    check_length(n, index(most))
    checked = factorizations = 0
    for length in range(3, n + 1):
        for values in permutations(range(1, length + 1)):
            permutation = Permutation(values)
            plan = make_plan(length, proper_blocks(permutation))
            checked += 1
            factorizations += len(plan.factorizations)
            failure = find_failure(name == "tight", complexity, permutation, plan)
            if failure:
                return Tightness(name, n, checked, factorizations, failure)
    return Tightness(name, n, checked, factorizations, None)


def find_failure(
    tight: bool, complexity: FactorizationComplexity, permutation: Permutation, plan: SearchPlan
) -> Counterexample | None:
    """Return the first step of one permutation at which C violates the property."""
    if not plan.steps:
        return None  # primal
    factorizations = [
        WeakFactorization._from_valid(permutation, spans, starts)
        for spans, starts in plan.factorizations
    ]
    costs = [as_finite_number(complexity(wf), "C", wf) for wf in factorizations]
    pets = set() if tight else set(plan.to_pets)
    failed = [
        (x, y)
        for x, y in plan.steps
        if not (costs[x] > costs[y] or (not tight and costs[x] == costs[y]))
    ]
    failed += [(x, y) for x, y in pets if not costs[x] > costs[y]]
    if not failed:
        return None
    x, y = min(failed)
    return Counterexample(
        factorizations[x], factorizations[y], (costs[x], costs[y]), tight or (x, y) in pets
    )


@lru_cache(maxsize=1 << 13)
def make_plan(n: int, blocks: tuple[Span, ...]) -> SearchPlan:
    """List all weak factorizations of a permutation with these proper blocks."""
    # Fewest nodes first, so that every step leads to a later one.
    subsets = sorted(compatible_subsets(blocks), key=len)
    indices = {subset: k for k, subset in enumerate(subsets)}
    steps = []
    is_pet = [True] * len(subsets)
    for y, finer in enumerate(subsets):
        for removed in range(len(finer)):
            x = indices[finer[:removed] + finer[removed + 1 :]]
            steps.append((x, y))
            is_pet[x] = False
    nodes = [((0, n), *subset) for subset in subsets]
    to_pets = [(0, y) for y in range(1, len(subsets)) if is_pet[y]]
    return SearchPlan([(spans, child_starts(spans)) for spans in nodes], sorted(steps), to_pets)


def check_length(n: int, most: int) -> None:
    """Raise InputError if there is nothing, or too much, to check."""
    if n < 3:
        raise InputError(f"n must be at least 3, got {n}: shorter permutations do not factorize")
    total = 0
    for length, count in enumerate(count_factorizations(), 1):
        total += count if length > 2 else 0
        if length == n or (length > 20 and total > most):
            break
    if total > most:
        at_least = "" if length == n else "more than "
        raise InputError(
            f"up to n = {n} there are {at_least}{total:,} weak factorizations, "
            f"but at most {most:,} are checked (most={most})"
        )


def count_factorizations() -> Iterator[int]:
    """Yield the number of weak factorizations of all permutations of 1, 2, 3, … values.

    A weak factorization is a tree with any of the k! operators at a node of k children:
    T(x) = x + Σ k! T(x)ᵏ.

    >>> from itertools import islice
    >>> list(islice(count_factorizations(), 8))
    [1, 2, 14, 124, 1244, 13488, 154320, 1837776]
    """
    trees = [0]  # index: number of leaves
    # rows[k][m]: number of sequences of k trees with m leaves in total
    rows: list[list[int]] = [[1]]
    while True:
        n = len(trees)
        rows[0].append(0)
        rows.append([0] * n)
        total = 1 if n == 1 else 0
        for k in range(2, n + 1):
            # The first of k trees has m < n leaves, so that their number is known.
            rows[k].append(sum(trees[m] * rows[k - 1][n - m] for m in range(1, n - k + 2)))
            total += math.factorial(k) * rows[k][n]
        trees.append(total)
        rows[1].append(total)
        yield total


def format_number(value: Number) -> str:
    """Format a number; fractions with a large denominator as decimals."""
    if isinstance(value, Fraction) and value.denominator > 1000:
        value = float(value)
    return f"{value:.12g}" if isinstance(value, float) else str(value)
