"""Weak factorizations: every step from a permutation in one node to its permutation trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import index
from typing import Self

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.order.nodes import Lists, OperatorTree
from hyperbaton.order.permutation import Permutation

Span = tuple[int, int]


class WeakFactorization(OperatorTree):
    """A weak factorization (WF): a tree whose operators need not be primal.

    Section 3 of Stanojević & Sima'an 2016: "A permutation π is a *weak factorization* of itself,
    represented as a single node with operator equivalent to π. The process applies recursively
    factorizing an operator in a given weak factorization τ into any number of sub-permutations
    (not necessarily minimal). Weak factorization may terminate at any point."

    So it is a choice of sub-permutations of two values or more, the whole of π among them, any
    two of which are apart or one in the other: one node each. The paper does not say whether a
    step may leave everything as it was; here it may not.

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

    :param spans: the nodes beside the root, as (i, j) of πᵢ₊₁ … πⱼ. Without any it is the
        flattest one.
    """

    __slots__ = ("_made_starts", "_spans")

    _spans: tuple[Span, ...]
    _made_starts: tuple[tuple[int, ...], ...] | None

    def __init__(self, permutation: Permutation, spans: Iterable[Span] = ()) -> None:
        check_permutation(permutation)
        given = as_spans(spans)
        check(permutation, given)
        whole = {(0, len(permutation))} if len(permutation) > 1 else set()
        self._own(permutation, tuple(sorted(given | whole, key=outermost_first)))

    def _own(
        self,
        permutation: Permutation,
        spans: tuple[Span, ...],
        starts: tuple[tuple[int, ...], ...] | None = None,
    ) -> None:
        self._permutation = permutation
        self._spans = spans
        self._made_starts = starts
        self._made_lists = None

    @classmethod
    def _trusted(
        cls,
        permutation: Permutation,
        spans: tuple[Span, ...],
        starts: tuple[tuple[int, ...], ...] | None = None,
    ) -> Self:
        """Of spans that are right and in pre-order, and the starts of their children if known."""
        made = cls.__new__(cls)
        made._own(permutation, spans, starts)
        return made

    @classmethod
    def of(cls, tree: OperatorTree) -> Self:
        """A permutation tree as a weak factorization; a flattened one with its chains as nodes.

        >>> print(WeakFactorization.of(Permutation([4, 3, 2, 1]).tree().flatten()))
        ⟨4,3,2,1⟩[4, 3, 2, 1]
        """
        if not isinstance(tree, OperatorTree):
            raise InputTypeError(f"of takes a tree, not {type(tree).__name__}")
        spans = sorted(tree._lists.spans, key=outermost_first)
        return cls._trusted(tree.permutation, tuple(spans))

    @classmethod
    def pets(cls, permutation: Permutation) -> Iterator[Self]:
        """The permutation trees, the canonical one first, made when they are asked for."""
        check_permutation(permutation)
        return map(cls.of, permutation.forest())

    @classmethod
    def all(cls, permutation: Permutation) -> Iterator[Self]:
        """Every weak factorization, the flattest first, made when it is asked for.

        ⟨1, …, n⟩ has as many as there are trees with n leaves: 1, 3, 11, 45, 197, 903, … from
        n = 2, the little Schröder numbers.

        >>> for wf in WeakFactorization.all(Permutation([1, 2, 3])):
        ...     print(wf)
        ⟨1,2,3⟩[1, 2, 3]
        ⟨1,2⟩[⟨1,2⟩[1, 2], 3]
        ⟨1,2⟩[1, ⟨1,2⟩[2, 3]]
        """
        root = cls(permutation)._spans
        return (cls._trusted(permutation, root + spans) for spans in families(blocks(permutation)))

    @property
    def spans(self) -> tuple[Span, ...]:
        """(i, j) of every node, each before those below it and from left to right."""
        return self._spans

    @property
    def size(self) -> int:
        """The number of operators; leaves do not count."""
        return len(self._spans)

    @property
    def max_arity(self) -> int:
        """The length of the longest operator."""
        return max(map(len, self._starts), default=1)

    @property
    def operators(self) -> tuple[Permutation, ...]:
        """O_wf of Stanojević & Sima'an 2016: the multiset of operators, the shortest first.

        >>> print(*WeakFactorization(Permutation([2, 4, 5, 6, 1, 3]), [(1, 4)]).operators)
        ⟨1, 2, 3⟩ ⟨2, 4, 1, 3⟩
        """
        values = list(self._permutation)
        found = sorted(pattern(tuple(values[k] for k in starts)) for starts in self._starts)
        return tuple(permutation for _, _, permutation in found)

    @property
    def is_flattest(self) -> bool:
        """Whether it is the single node."""
        return len(self._spans) <= 1

    @property
    def is_pet(self) -> bool:
        """Whether it is a permutation tree: all its operators are primal."""
        return next(self.refinements(), None) is None

    def refinements(self) -> Iterator[Self]:
        """The weak factorizations with one node more, that this one factorizes into in one step.

        A step of the paper may make several nodes at once: then it is several of these.
        """
        for (_, end), starts in zip(self._spans, self._starts, strict=True):
            bounds = (*starts, end)
            operator = pattern(tuple(self._permutation[k] for k in starts))[2]
            for i, j in blocks(operator):
                spans = sorted((*self._spans, (bounds[i], bounds[j])), key=outermost_first)
                yield self._trusted(self._permutation, tuple(spans))

    def factorizes_into(self, other: WeakFactorization) -> bool:
        """Whether one or more steps lead from this one to the other, τₓ to τ_y.

        They do iff both are of the same permutation and the other has all the nodes of this one
        and more.

        >>> coarse, fine, other = WeakFactorization.all(Permutation([1, 2, 3]))
        >>> coarse.factorizes_into(fine), fine.factorizes_into(other)
        (True, False)
        """
        if not isinstance(other, WeakFactorization):
            kind = type(other).__name__
            raise InputTypeError(f"factorizes_into takes a WeakFactorization, not {kind}")
        return self._permutation == other._permutation and set(self._spans) < set(other._spans)

    @property
    def _starts(self) -> tuple[tuple[int, ...], ...]:
        if self._made_starts is None:
            self._made_starts = child_starts(self._spans)
        return self._made_starts

    def _make_lists(self) -> Lists:
        values = list(self._permutation)
        # of the nodes that start at one place, those further down come later in pre-order
        below: dict[int, list[int]] = {}
        for node_id, (start, _) in enumerate(self._spans):
            below.setdefault(start, []).append(node_id)
        first, children = [0], []
        for node_id, starts in enumerate(self._starts):
            for start in starts:
                inner = (one for one in below.get(start, ()) if one > node_id)
                children.append(next(inner, ~start))
            first.append(len(children))
        lows = [min(values[i:j]) for i, j in self._spans]
        return Lists(values, list(self._spans), lows, [0] * len(lows), first, children)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeakFactorization):
            return NotImplemented
        return self._spans == other._spans and self._permutation == other._permutation

    def __hash__(self) -> int:
        return hash((self._spans, self._permutation))


def outermost_first(span: Span) -> Span:
    """A key that sorts nodes into pre-order."""
    start, end = span
    return start, -end


def apart_or_nested(one: Span, other: Span) -> bool:
    """Whether two spans can be nodes of one tree."""
    (a, b), (c, d) = one, other
    return b <= c or d <= a or (a <= c and d <= b) or (c <= a and b <= d)


def blocks(permutation: Permutation) -> tuple[Span, ...]:
    """The sub-permutations of more than one value but not of all, in pre-order."""
    n = len(permutation)
    found = (span for span in permutation.forest().spans() if 1 < span[1] - span[0] < n)
    return tuple(sorted(found, key=outermost_first))


def families(spans: tuple[Span, ...]) -> Iterator[tuple[Span, ...]]:
    """Every choice of spans of which any two are apart or nested, in the order of ``spans``."""
    yield ()
    open_: list[tuple[tuple[Span, ...], int]] = [((), 0)]  # and the first span not yet tried
    while open_:
        chosen, start = open_.pop()
        for k in range(start, len(spans)):
            if all(apart_or_nested(spans[k], one) for one in chosen):
                larger = (*chosen, spans[k])
                yield larger
                open_ += [(chosen, k + 1), (larger, k + 1)]
                break


def child_starts(spans: tuple[Span, ...]) -> tuple[tuple[int, ...], ...]:
    """Where the children of each node start; ``spans`` are in pre-order."""
    starts: list[list[int]] = []
    open_: list[int] = []  # from the root to the last node so far
    reached: list[int] = []  # for each of these, where its next child starts

    def close() -> None:
        node_id = open_.pop()
        starts[node_id] += range(reached.pop(), spans[node_id][1])

    for node_id, (start, end) in enumerate(spans):
        while open_ and spans[open_[-1]][1] <= start:
            close()
        if open_:
            starts[open_[-1]] += range(reached[-1], start + 1)
            reached[-1] = end
        starts.append([])
        open_.append(node_id)
        reached.append(start)
    while open_:
        close()
    return tuple(map(tuple, starts))


# The weak factorizations of one permutation share most operators, and operators that are one
# object are compared at once.


@lru_cache(maxsize=1 << 13)
def pattern(values: tuple[int, ...]) -> tuple[int, tuple[int, ...], Permutation]:
    """The operator over children with these values, after what it is sorted by."""
    ranks = tuple(Permutation.standardize(values))
    return len(ranks), ranks, shared(ranks)


@lru_cache(maxsize=1 << 13)
def shared(ranks: tuple[int, ...]) -> Permutation:
    """The same object for the same operator."""
    return Permutation(ranks)


def check_permutation(permutation: Permutation) -> None:
    """Raises an error unless it is a permutation that has weak factorizations."""
    if not isinstance(permutation, Permutation):
        kind = type(permutation).__name__
        raise InputTypeError(f"a weak factorization is of a Permutation, not of {kind}")
    if len(permutation) == 0:
        raise InputError("the empty permutation has no weak factorization")


def as_spans(given: Iterable[Span]) -> set[Span]:
    """Pairs of whole numbers; TypeError if they are not."""
    found = set()
    try:
        for span in given:
            i, j = span
            found.add((index(i), index(j)))
    except (TypeError, ValueError):
        raise InputTypeError(f"spans are pairs (i, j), such as [(1, 4)], not {given!r}") from None
    return found


def check(permutation: Permutation, spans: set[Span]) -> None:
    """Raises ValueError unless the spans can be nodes of one tree over the permutation."""
    forest = permutation.forest()
    open_: list[Span] = []
    for i, j in sorted(spans, key=outermost_first):
        forest.inferences(i, j)  # raises where there is no sub-permutation
        if j - i == 1:
            raise InputError(f"({i}, {j}) is one value: a leaf, not a node")
        while open_ and open_[-1][1] <= i:
            open_.pop()
        if open_ and j > open_[-1][1]:
            raise InputError(f"{open_[-1]} and ({i}, {j}) overlap: one must be within the other")
        open_.append((i, j))
