"""The tree edit distance as the recursion that defines it (Demaine et al. 2009, section 2).

A forest is a tuple of trees, and a tree is (token, forest of its children). The last roots x and y
of two forests are matched, or one of them is deleted and replaced by its children.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Forest = tuple[Any, ...]
Delete = Callable[[str, int], Any]  # cost by side ("a" or "b") and token, counted from 1
Match = Callable[[int, int], Any]


def forest(heads: Sequence[int], head: int = 0) -> Forest:
    """The children of a token with their subtrees, in the order of the sentence."""
    return tuple(
        (token, forest(heads, token)) for token, other in enumerate(heads, start=1) if other == head
    )


def unit_delete(side: str, token: int) -> int:
    return 1


def unit_match(x: int, y: int) -> int:
    """A match costs 1 for all words (McCaffery & Nederhof 2016, section 3.2)."""
    return 1


class Recursion:
    """Distance and preferred mapping of one pair of trees."""

    def __init__(
        self,
        a: Sequence[int],
        b: Sequence[int],
        delete: Delete = unit_delete,
        match: Match = unit_match,
    ) -> None:
        self.a, self.b = forest(a), forest(b)
        self.delete, self.match = delete, match
        self.distance = functools.cache(self._distance)

    def _distance(self, a: Forest, b: Forest) -> Any:
        if not a and not b:
            return 0
        return min(cost for cost, *_ in self.choices(a, b))

    def choices(self, a: Forest, b: Forest) -> Iterator[tuple[Any, int | None, int | None, Any]]:
        """The operations on the last roots, in the order of preference.

        Each is its total cost, the tokens in a and in b, and the pairs of forests that remain.
        """
        if a and b:
            (*rest_a, (x, below_x)), (*rest_b, (y, below_y)) = a, b
            left = [(tuple(rest_a), tuple(rest_b)), (below_x, below_y)]
            yield self.match(x, y) + sum(self.distance(*pair) for pair in left), x, y, left
        if a:
            *rest, (x, below) = a
            left = [((*rest, *below), b)]
            yield self.delete("a", x) + self.distance(*left[0]), x, None, left
        if b:
            *rest, (y, below) = b
            left = [(a, (*rest, *below))]
            yield self.delete("b", y) + self.distance(*left[0]), None, y, left

    def mapping(self) -> tuple[list[tuple[int, int]], list[int], list[int]]:
        """Matched pairs and deleted tokens of a and of b, in the preferred mapping."""
        matched, deleted_a, deleted_b = [], [], []
        todo = [(self.a, self.b)]
        while todo:
            a, b = todo.pop()
            if not a and not b:
                continue
            least = self.distance(a, b)
            _, x, y, left = next(choice for choice in self.choices(a, b) if choice[0] == least)
            todo.extend(left)
            if x is not None and y is not None:
                matched.append((x, y))
            elif x is not None:
                deleted_a.append(x)
            elif y is not None:
                deleted_b.append(y)
        return sorted(matched), sorted(deleted_a), sorted(deleted_b)


def distance(a: Sequence[int], b: Sequence[int]) -> int:
    recursion = Recursion(a, b)
    cost: int = recursion.distance(recursion.a, recursion.b)
    return cost
