"""Whether a complexity function respects factorization: tight and semi-tight, by trying it."""

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
from hyperbaton.order.complexity import Number, real
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.weak import Span, WeakFactorization, blocks, child_starts, families

MOST = 3_000_000  # weak factorizations: n = 8, in less than a minute
Judged = Callable[[WeakFactorization], Number]


@dataclass(frozen=True)
class Counterexample:
    """Two weak factorizations of a permutation: ``before`` factorizes into ``after``.

    ``complexities`` are C of both. ``strict`` is whether C had to fall from one to the other;
    if not, it had to fall or stay.
    """

    before: WeakFactorization
    after: WeakFactorization
    complexities: tuple[Number, Number]
    strict: bool

    @property
    def permutation(self) -> Permutation:
        """The permutation that both are of."""
        return self.before.permutation

    def __str__(self) -> str:
        first, second = map(shown, self.complexities)
        must = "fall" if self.strict else "not rise"
        return (
            f"before, C = {first}:\n{self.before.draw()}\n"
            f"after, where it must {must}, C = {second}:\n{self.after.draw()}"
        )


@dataclass(frozen=True)
class Tightness:
    """What ``check_tight`` or ``check_semi_tight`` found; true if the property holds up to n.

    ``name`` is the property, tight or semi-tight. ``permutations`` and ``factorizations`` are how
    many were looked at: all up to n, or all up to the counterexample.
    """

    name: str
    n: int
    permutations: int
    factorizations: int
    counterexample: Counterexample | None

    @property
    def holds(self) -> bool:
        """Whether there is no counterexample up to n. That is no proof for longer ones."""
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
        found = self.counterexample
        return f"not {self.name}: {found.permutation}\n{found}"


def check_tight(complexity: Judged, n: int, most: int = MOST) -> Tightness:
    """Whether C is tight for every permutation of up to n values, or the smallest counterexample.

    Section 4 of Stanojević & Sima'an 2016: "A complexity metric C(·) is *tight* for a non-primal
    permutation π iff for every two weak factorizations τₓ ≠ τ_y of π holds: if τₓ factorizes into
    τ_y then C(τₓ) > C(τ_y). […] A metric C(·) is tight iff it is tight for all π." A primal
    permutation has one weak factorization: there is nothing to hold.

    Numbers are compared as they are, without tolerance: a C that divides should give a
    ``Fraction``, or what is lost in rounding may look like a rise. As > is transitive, it is
    enough to look at the steps that add one node (``refinements``). The smallest counterexample
    is the shortest permutation, the first of these in lexicographic order, and there the τₓ of
    fewest nodes.

    :param complexity: C, a function from a ``WeakFactorization`` to a number, such as those in
        ``hyperbaton.complexity``.
    :param n: 3 or more. 7 takes seconds.
    :param most: the number of weak factorizations that may have to be looked at.

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
    return search("tight", complexity, n, most)


def check_semi_tight(complexity: Judged, n: int, most: int = MOST) -> Tightness:
    """Whether C is semi-tight for every permutation of up to n values, as ``check_tight``.

    "A *semi-tight* metric fulfills the weaker requirement C(τₓ) ≥ C(τ_y) for all cases except
    when τₓ is the flattest weak factorization (single node) and [τ_y] is a PET, where it strictly
    requires C(τₓ) > C(τ_y). […] It is semi-tight if it is semi-tight for at least one π and tight
    otherwise." As tight for π implies semi-tight for π, that is: semi-tight for every non-primal
    π. Whether a tight metric is to be called semi-tight, too, the paper leaves open; here it is.

    >>> from hyperbaton import complexity
    >>> check_semi_tight(complexity.maximum(), 5)
    <semi-tight up to n = 5>
    >>> check_semi_tight(complexity.non_binary, 5)
    <not semi-tight: ⟨1, 2, 3, 4, 5⟩>
    """
    return search("semi-tight", complexity, n, most)


class Plan(NamedTuple):
    """What all permutations with the same sub-permutations have in common."""

    factorizations: list[tuple[tuple[Span, ...], tuple[tuple[int, ...], ...]]]  # and child_starts
    steps: list[tuple[int, int]]  # one node more
    to_pets: list[tuple[int, int]]  # from the flattest one, in any number of steps


def search(name: str, complexity: Judged, n: int, most: int) -> Tightness:
    """All permutations up to n, the smallest first, until there is a counterexample."""
    if not callable(complexity):
        kind = type(complexity).__name__
        raise InputTypeError(f"C is a function of a weak factorization, not {kind}")
    for what, number in (("n", n), ("most", most)):
        if not hasattr(number, "__index__"):
            raise InputTypeError(f"{what} is a whole number, not {type(number).__name__}")
    n = index(n)
    check_length(n, index(most))
    looked_at = compared = 0
    for length in range(3, n + 1):
        for values in permutations(range(1, length + 1)):
            permutation = Permutation(values)
            plan = plan_of(length, blocks(permutation))
            looked_at += 1
            compared += len(plan.factorizations)
            found = first_failure(name == "tight", complexity, permutation, plan)
            if found:
                return Tightness(name, n, looked_at, compared, found)
    return Tightness(name, n, looked_at, compared, None)


def first_failure(
    tight: bool, complexity: Judged, permutation: Permutation, plan: Plan
) -> Counterexample | None:
    """The first step of one permutation that C does not respect."""
    if not plan.steps:
        return None  # primal
    made = [WeakFactorization._trusted(permutation, *one) for one in plan.factorizations]
    costs = [real(complexity(one), "C", one) for one in made]
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
    return Counterexample(made[x], made[y], (costs[x], costs[y]), tight or (x, y) in pets)


@lru_cache(maxsize=1 << 13)
def plan_of(n: int, spans: tuple[Span, ...]) -> Plan:
    """All weak factorizations of a permutation with these proper sub-permutations."""
    # fewest nodes first, and so every step leads forward
    chosen = sorted(families(spans), key=len)
    number = {one: k for k, one in enumerate(chosen)}
    steps = []
    ends = [True] * len(chosen)
    for y, finer in enumerate(chosen):
        for out in range(len(finer)):
            x = number[finer[:out] + finer[out + 1 :]]
            steps.append((x, y))
            ends[x] = False
    made = [((0, n), *one) for one in chosen]
    pets = [(0, y) for y in range(1, len(chosen)) if ends[y]]
    return Plan([(one, child_starts(one)) for one in made], sorted(steps), pets)


def check_length(n: int, most: int) -> None:
    """Raises ValueError if there is nothing, or too much, to look at."""
    if n < 3:
        raise InputError(f"n is {n}, but the shortest permutations that factorize have 3 values")
    total = 0
    for length, count in enumerate(counts(), 1):
        total += count if length > 2 else 0
        if length == n or (length > 20 and total > most):
            break
    if total > most:
        more = "" if length == n else "more than "
        raise InputError(
            f"up to n = {n} there are {more}{total:,} weak factorizations, "
            f"but at most {most:,} are looked at (most={most})"
        )


def counts() -> Iterator[int]:
    """The number of weak factorizations of all permutations of 1, 2, 3, … values together.

    A weak factorization is a tree with any of the k! operators at a node of k children:
    T(x) = x + Σ k! T(x)ᵏ.

    >>> from itertools import islice
    >>> list(islice(counts(), 8))
    [1, 2, 14, 124, 1244, 13488, 154320, 1837776]
    """
    trees = [0]  # by number of leaves
    # rows[k][m]: sequences of k trees with m leaves in all
    rows: list[list[int]] = [[1]]
    while True:
        n = len(trees)
        rows[0].append(0)
        rows.append([0] * n)
        total = 1 if n == 1 else 0
        for k in range(2, n + 1):
            # the first tree of k has m leaves, and m < n: it is known
            rows[k].append(sum(trees[m] * rows[k - 1][n - m] for m in range(1, n - k + 2)))
            total += math.factorial(k) * rows[k][n]
        trees.append(total)
        rows[1].append(total)
        yield total


def shown(value: Number) -> str:
    """A number for people: small fractions as they are."""
    if isinstance(value, Fraction) and value.denominator > 1000:
        value = float(value)
    return f"{value:.12g}" if isinstance(value, float) else str(value)
