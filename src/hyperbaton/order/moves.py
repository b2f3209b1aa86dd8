"""Block moves that put a permutation in order, read off its tree.

A node of the flattened tree has its children in order but for its operator: ⟨1,2⟩ needs no move,
and under any other operator some children stay, those of a longest increasing subsequence, and the
others move, each as one block. That is the least number of children to move; of several ways it is
one that moves the fewest words, so that of two blocks that changed places the shorter one moves.

Single words, moved one by one, need n − (longest increasing subsequence of π) moves at least, the
numerator of 1 − Ulam. Blocks never need more. (The least number of moves of any blocks, not only
of constituents, is the transposition distance, which is hard to compute and to read.)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

from hyperbaton.order.permutation import Permutation
from hyperbaton.order.tree import PermutationTree

Span = tuple[int, int]


class Move(NamedTuple):
    """The words of ``block`` go right before those of ``anchor``, or right after them.

    Both are spans (i, j) of π as it is at first, ``p[i:j]``. At any time each of them stands in one
    piece, though perhaps not in its first order.
    """

    block: Span
    anchor: Span
    before: bool

    @property
    def length(self) -> int:
        """How many words move."""
        return self.block[1] - self.block[0]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"block": list(self.block), "anchor": list(self.anchor), "before": self.before}


def block_moves(permutation: Permutation | Sequence[int]) -> tuple[Move, ...]:
    """The moves that make ⟨1, …, n⟩ of π, one after another, the longest block first.

    >>> block_moves([4, 5, 6, 2, 3, 1])
    (Move(block=(3, 5), anchor=(0, 3), before=True), Move(block=(5, 6), anchor=(3, 5), before=True))
    >>> block_moves([1, 2, 3])
    ()
    """
    if not isinstance(permutation, Permutation):
        permutation = Permutation(permutation)
    if not len(permutation):
        return ()
    movers: list[tuple[Child, bool, list[Child]]] = []
    flat = PermutationTree._of(permutation, None)
    values, spans = flat._lists.values, flat._lists.spans
    for node in range(flat.size):
        # children cover ranges of values: any of a child's values tells where it belongs
        places = [(~k, ~k + 1) if k < 0 else spans[k] for k in flat._child_ids(node)]
        children = [Child(values[span[0]], span) for span in places]
        if children == sorted(children):
            continue
        stay = heaviest_increasing(children)
        kept, placed = set(stay), list(stay)  # placed: those that stand in order, by value
        for child in children:
            if child not in kept:
                below = bisect_left(stay, child)
                to_the_right = below > 0 and stay[below - 1].span > child.span
                movers.append((child, to_the_right, placed))
    movers.sort(key=lambda mover: (-mover[0].length, mover[0].span))
    moves = []
    for child, to_the_right, placed in movers:
        # What is placed between the child and a sibling that it has to pass has been passed, too:
        # its neighbour among the placed is where it goes.
        at = bisect_left(placed, child)
        anchor = placed[at - 1] if to_the_right else placed[at]
        moves.append(Move(child.span, anchor.span, before=not to_the_right))
        placed.insert(at, child)
    return tuple(moves)


class Child(NamedTuple):
    """A child of a node: one of its values, and where it is."""

    value: int
    span: Span

    @property
    def length(self) -> int:
        """How many words it has."""
        return self.span[1] - self.span[0]


def heaviest_increasing(children: Sequence[Child]) -> list[Child]:
    """Of the longest increasing subsequences, one with the most words.

    Always the same one: of equals, that whose last child has the least value.
    """
    # The best subsequence that ends with each child, as (children, words); those of lower values
    # are asked for their maximum in a Fenwick tree over the ranks, so that this is O(k log k).
    ranks = {value: rank for rank, value in enumerate(sorted(child.value for child in children), 1)}
    size = len(children)
    none = (0, 0, 0, -1)  # children, words, less the rank of the last one, which it is
    best = [none] * (size + 1)
    before = [-1] * size
    for k, child in enumerate(children):
        rank = ranks[child.value]
        at, most = rank - 1, none
        while at:
            most = max(most, best[at])
            at &= at - 1
        before[k] = most[3]
        mine = (most[0] + 1, most[1] + child.length, -rank, k)
        at = rank
        while at <= size:
            best[at] = max(best[at], mine)
            at += at & -at
    at, most = size, none
    while at:
        most = max(most, best[at])
        at &= at - 1
    chosen = []
    k = most[3]
    while k >= 0:
        chosen.append(children[k])
        k = before[k]
    return chosen[::-1]
