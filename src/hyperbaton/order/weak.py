"""Weak factorizations: the steps from a single node to the permutation trees of a permutation.

A complexity function is tight or semi-tight if it falls in these steps. That is tested
exhaustively.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from operator import index
from typing import NamedTuple, Self

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.order.complexity import ComplexityValue, as_finite_number
from hyperbaton.order.nodes import OperatorTree, TreeLists
from hyperbaton.order.permutation import Permutation

Span = tuple[int, int]

MAX_FACTORIZATIONS = 3_000_000  # enough for n = 8, in less than a minute
FactorizationComplexity = Callable[["WeakFactorization"], ComplexityValue]


class WeakFactorization(OperatorTree):
    """A weak factorization (WF): a tree whose operators need not be primal.

    Section 3 of Stanojević & Sima'an 2016: "A permutation π is a *weak factorization* of itself,
    represented as a single node with operator equivalent to π. The process applies recursively
    factorizing an operator in a given weak factorization τ into any number of sub-permutations
    (not necessarily minimal). Weak factorization may terminate at any point."

    A weak factorization is thus a set of sub-permutations of two or more values, one per node. It
    includes π itself, and any two of them are disjoint or nested. The paper does not say whether a
    step may leave everything unchanged; here it may not.

    Parameters
    ----------
    permutation : Permutation
        A permutation of one value or more.
    spans : iterable of (int, int)
        The nodes other than the root, as (i, j) for πᵢ₊₁ … πⱼ. Without any, it is the flattest
        weak factorization.

    Raises
    ------
    InputError
        If the spans are not sub-permutations or if they overlap.

    Examples
    --------
    >>> p = Permutation([2, 4, 5, 6, 1, 3])
    >>> print(WeakFactorization(p))
    ⟨2,4,5,6,1,3⟩[2, 4, 5, 6, 1, 3]
    >>> print(WeakFactorization(p, [(1, 4)]).draw())
       ⟨2,4,1,3⟩
    ┌─────┬┴────┬──┐
    2  ⟨1,2,3⟩  1  3
       ┌──┼──┐
       4  5  6
    >>> for finer in WeakFactorization(p, [(1, 4)]).refinements():
    ...     print(finer)
    ⟨2,4,1,3⟩[2, ⟨1,2⟩[⟨1,2⟩[4, 5], 6], 1, 3]
    ⟨2,4,1,3⟩[2, ⟨1,2⟩[4, ⟨1,2⟩[5, 6]], 1, 3]
    """

    __slots__ = ("_cached_starts", "_spans")

    _spans: tuple[Span, ...]
    _cached_starts: tuple[tuple[int, ...], ...] | None

    def __init__(self, permutation: Permutation, spans: Iterable[Span] = ()) -> None:
        check_permutation(permutation)
        nodes = as_spans(spans)
        check_spans(permutation, nodes)
        root = {(0, len(permutation))} if len(permutation) > 1 else set()
        self._initialize(permutation, tuple(sorted(nodes | root, key=outermost_first)))

    def _initialize(
        self,
        permutation: Permutation,
        spans: tuple[Span, ...],
        starts: tuple[tuple[int, ...], ...] | None = None,
    ) -> None:
        self._permutation = permutation
        self._spans = spans
        self._cached_starts = starts
        self._cached_lists = None

    @classmethod
    def _from_valid(
        cls,
        permutation: Permutation,
        spans: tuple[Span, ...],
        starts: tuple[tuple[int, ...], ...] | None = None,
    ) -> Self:
        """Make a factorization of valid spans in pre-order.

        ``starts`` are the child starts of the spans, if known.
        """
        factorization = cls.__new__(cls)
        factorization._initialize(permutation, spans, starts)
        return factorization

    @classmethod
    def of(cls, tree: OperatorTree) -> Self:
        """Convert a permutation tree; each chain of a flattened tree becomes a node.

        >>> print(WeakFactorization.of(Permutation([4, 3, 2, 1]).tree().flatten()))
        ⟨4,3,2,1⟩[4, 3, 2, 1]
        """
        if not isinstance(tree, OperatorTree):
            raise InputTypeError(f"WeakFactorization.of takes a tree, got {type(tree).__name__}")
        spans = sorted(tree._lists.spans, key=outermost_first)
        return cls._from_valid(tree.permutation, tuple(spans))

    @classmethod
    def pets(cls, permutation: Permutation) -> Iterator[Self]:
        """Iterate lazily over the permutation trees, the canonical one first."""
        check_permutation(permutation)
        return map(cls.of, permutation.forest())

    @classmethod
    def all(cls, permutation: Permutation) -> Iterator[Self]:
        """Iterate lazily over all weak factorizations, the flattest first.

        ⟨1, …, n⟩ has as many as there are trees with n leaves. From n = 2 these are the little
        Schröder numbers: 1, 3, 11, 45, 197, 903, …

        >>> for wf in WeakFactorization.all(Permutation([1, 2, 3])):
        ...     print(wf)
        ⟨1,2,3⟩[1, 2, 3]
        ⟨1,2⟩[⟨1,2⟩[1, 2], 3]
        ⟨1,2⟩[1, ⟨1,2⟩[2, 3]]
        """
        root = cls(permutation)._spans
        subsets = compatible_subsets(proper_blocks(permutation))
        return (cls._from_valid(permutation, root + spans) for spans in subsets)

    @property
    def spans(self) -> tuple[Span, ...]:
        """(i, j) of every node, in pre-order."""
        return self._spans

    @property
    def size(self) -> int:
        """Number of operators, without leaves."""
        return len(self._spans)

    @property
    def max_arity(self) -> int:
        """Length of the longest operator."""
        return max(map(len, self._starts), default=1)

    @property
    def operators(self) -> tuple[Permutation, ...]:
        """The multiset of operators, shortest first: O_wf of Stanojević & Sima'an 2016.

        >>> print(*WeakFactorization(Permutation([2, 4, 5, 6, 1, 3]), [(1, 4)]).operators)
        ⟨1, 2, 3⟩ ⟨2, 4, 1, 3⟩
        """
        values = list(self._permutation)
        patterns = sorted(
            operator_pattern(tuple(values[k] for k in starts)) for starts in self._starts
        )
        return tuple(operator for _, _, operator in patterns)

    @property
    def is_flattest(self) -> bool:
        """Whether there is only one node."""
        return len(self._spans) <= 1

    @property
    def is_pet(self) -> bool:
        """Whether this is a permutation tree, that is, all operators are primal."""
        return next(self.refinements(), None) is None

    def refinements(self) -> Iterator[Self]:
        """Iterate over the weak factorizations that have one more node than this one.

        A step of the paper can add several nodes at once. It then corresponds to several of these.
        """
        for (_, end), starts in zip(self._spans, self._starts, strict=True):
            bounds = (*starts, end)
            operator = operator_pattern(tuple(self._permutation[k] for k in starts))[2]
            for i, j in proper_blocks(operator):
                spans = sorted((*self._spans, (bounds[i], bounds[j])), key=outermost_first)
                yield self._from_valid(self._permutation, tuple(spans))

    def factorizes_into(self, other: WeakFactorization) -> bool:
        """Return whether one or more steps lead from this factorization τₓ to the other, τ_y.

        This is so iff both have the same permutation and the other has all nodes of this one and
        more.

        >>> coarse, fine, other = WeakFactorization.all(Permutation([1, 2, 3]))
        >>> coarse.factorizes_into(fine), fine.factorizes_into(other)
        (True, False)
        """
        if not isinstance(other, WeakFactorization):
            kind = type(other).__name__
            raise InputTypeError(f"factorizes_into takes a WeakFactorization, got {kind}")
        return self._permutation == other._permutation and set(self._spans) < set(other._spans)

    @property
    def _starts(self) -> tuple[tuple[int, ...], ...]:
        if self._cached_starts is None:
            self._cached_starts = child_starts(self._spans)
        return self._cached_starts

    def _make_lists(self) -> TreeLists:
        values = list(self._permutation)
        # Nodes with the same start, from the top down.
        nodes_at: dict[int, list[int]] = {}
        for node_id, (start, _) in enumerate(self._spans):
            nodes_at.setdefault(start, []).append(node_id)
        first, children = [0], []
        for node_id, starts in enumerate(self._starts):
            for start in starts:
                nodes_below = (below for below in nodes_at.get(start, ()) if below > node_id)
                children.append(next(nodes_below, ~start))
            first.append(len(children))
        lows = [min(values[i:j]) for i, j in self._spans]
        return TreeLists(values, list(self._spans), lows, [0] * len(lows), first, children)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeakFactorization):
            return NotImplemented
        return self._spans == other._spans and self._permutation == other._permutation

    def __hash__(self) -> int:
        return hash((self._spans, self._permutation))


def outermost_first(span: Span) -> Span:
    """Sort key that puts nodes in pre-order."""
    start, end = span
    return start, -end


def disjoint_or_nested(first: Span, second: Span) -> bool:
    """Return whether two spans can be nodes of the same tree."""
    (a, b), (c, d) = first, second
    return b <= c or d <= a or (a <= c and d <= b) or (c <= a and b <= d)


def proper_blocks(permutation: Permutation) -> tuple[Span, ...]:
    """Return the sub-permutations with more than one but not all values, in pre-order."""
    n = len(permutation)
    blocks = (span for span in permutation.forest().spans() if 1 < span[1] - span[0] < n)
    return tuple(sorted(blocks, key=outermost_first))


def compatible_subsets(spans: tuple[Span, ...]) -> Iterator[tuple[Span, ...]]:
    """Yield every subset in which any two spans are disjoint or nested, in the given order."""
    yield ()
    stack: list[tuple[tuple[Span, ...], int]] = [((), 0)]  # subset, first span not tried yet
    while stack:
        subset, start = stack.pop()
        for k in range(start, len(spans)):
            if all(disjoint_or_nested(spans[k], chosen) for chosen in subset):
                larger = (*subset, spans[k])
                yield larger
                stack += [(subset, k + 1), (larger, k + 1)]
                break


def child_starts(spans: tuple[Span, ...]) -> tuple[tuple[int, ...], ...]:
    """Return where the children of each node start; ``spans`` are in pre-order."""
    starts: list[list[int]] = []
    path: list[int] = []  # from the root to the last node so far
    next_starts: list[int] = []  # for each node of the path, where its next child starts

    def close() -> None:
        node_id = path.pop()
        starts[node_id] += range(next_starts.pop(), spans[node_id][1])

    for node_id, (start, end) in enumerate(spans):
        while path and spans[path[-1]][1] <= start:
            close()
        if path:
            starts[path[-1]] += range(next_starts[-1], start + 1)
            next_starts[-1] = end
        starts.append([])
        path.append(node_id)
        next_starts.append(start)
    while path:
        close()
    return tuple(map(tuple, starts))


# The weak factorizations of a permutation share most operators. Caching makes equal operators
# identical objects, which compare in constant time.


@lru_cache(maxsize=1 << 13)
def operator_pattern(values: tuple[int, ...]) -> tuple[int, tuple[int, ...], Permutation]:
    """Return the operator over children with these values, preceded by its sort key."""
    ranks = tuple(Permutation.standardize(values))
    return len(ranks), ranks, cached_permutation(ranks)


@lru_cache(maxsize=1 << 13)
def cached_permutation(ranks: tuple[int, ...]) -> Permutation:
    """Return the same object for the same ranks."""
    return Permutation(ranks)


def check_permutation(permutation: Permutation) -> None:
    """Raise an error unless this is a permutation with at least one value."""
    if not isinstance(permutation, Permutation):
        kind = type(permutation).__name__
        raise InputTypeError(f"a weak factorization needs a Permutation, got {kind}")
    if len(permutation) == 0:
        raise InputError("the empty permutation has no weak factorization")


def as_spans(values: Iterable[Span]) -> set[Span]:
    """Convert spans to pairs of int; raise InputTypeError if they are not pairs of integers."""
    spans = set()
    try:
        for i, j in values:
            spans.add((index(i), index(j)))
    except (TypeError, ValueError):
        raise InputTypeError(
            f"spans must be pairs (i, j), such as [(1, 4)], got {values!r}"
        ) from None
    return spans


def check_spans(permutation: Permutation, spans: set[Span]) -> None:
    """Raise InputError unless the spans can be nodes of one tree over the permutation."""
    forest = permutation.forest()
    path: list[Span] = []
    for i, j in sorted(spans, key=outermost_first):
        forest.inferences(i, j)  # raises InputError if this is not a sub-permutation
        if j - i == 1:
            raise InputError(f"({i}, {j}) is one value: a leaf, not a node")
        while path and path[-1][1] <= i:
            path.pop()
        if path and j > path[-1][1]:
            raise InputError(f"{path[-1]} and ({i}, {j}) overlap: one must be within the other")
        path.append((i, j))


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
    complexities: tuple[ComplexityValue, ComplexityValue]
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


def format_number(value: ComplexityValue) -> str:
    """Format a number; fractions with a large denominator as decimals."""
    if isinstance(value, Fraction) and value.denominator > 1000:
        value = float(value)
    return f"{value:.12g}" if isinstance(value, float) else str(value)
