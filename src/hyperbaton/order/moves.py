"""Block moves that put a permutation in order, derived from its tree.

The children of a node of the flattened tree are out of order only by its operator. ⟨1,2⟩ needs no
move. Under any other operator, the children of a longest increasing subsequence stay and the others
move, each as one block. This moves the fewest children and, among all ways to do so, the fewest
words: if two blocks are swapped, the shorter one moves.

Moving single words takes at least n − (longest increasing subsequence of π) moves, the numerator of
1 − Ulam. Moving blocks never takes more. (The minimum over arbitrary blocks, not only constituents,
is the transposition distance, which is hard to compute and to interpret.)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

from hyperbaton.order.permutation import Permutation
from hyperbaton.order.tree import PermutationTree

Span = tuple[int, int]


class Move(NamedTuple):
    """A move of the words of ``block`` to directly before or after those of ``anchor``.

    Attributes
    ----------
    block, anchor : tuple of (int, int)
        Spans (i, j) of the original π, ``p[i:j]``. The words of a span stay contiguous throughout
        all moves, but their order may change.
    before : bool
        Whether the block goes before the anchor.
    """

    block: Span
    anchor: Span
    before: bool

    @property
    def length(self) -> int:
        """Number of words that move."""
        return self.block[1] - self.block[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the move as a JSON-serializable dictionary."""
        return {"block": list(self.block), "anchor": list(self.anchor), "before": self.before}


def block_moves(permutation: Permutation | PermutationTree | Sequence[int]) -> tuple[Move, ...]:
    """Return the moves that turn π into ⟨1, …, n⟩, in the order to apply them.

    Longer blocks move first. A tree of π may be given instead, if there is one already.

    >>> block_moves([4, 5, 6, 2, 3, 1])
    (Move(block=(3, 5), anchor=(0, 3), before=True), Move(block=(5, 6), anchor=(3, 5), before=True))
    >>> block_moves([1, 2, 3])
    ()
    """
    if isinstance(permutation, PermutationTree):
        flat = permutation.flatten()
    else:
        if not isinstance(permutation, Permutation):
            permutation = Permutation(permutation)
        if not len(permutation):
            return ()
        flat = PermutationTree.flattened(permutation)
    movers: list[tuple[Child, bool, list[Child]]] = []
    values, spans = flat._lists.values, flat._lists.spans
    for node in range(flat.size):
        # Children cover disjoint ranges of values, so that any value of a child gives its rank.
        child_spans = [(~k, ~k + 1) if k < 0 else spans[k] for k in flat._child_ids(node)]
        children = [Child(values[span[0]], span) for span in child_spans]
        if children == sorted(children):
            continue
        fixed = heaviest_increasing_subsequence(children)
        fixed_set = set(fixed)
        placed = list(fixed)  # children that are in order so far, by value
        for child in children:
            if child not in fixed_set:
                below = bisect_left(fixed, child)
                to_the_right = below > 0 and fixed[below - 1].span > child.span
                movers.append((child, to_the_right, placed))
    movers.sort(key=lambda mover: (-mover[0].length, mover[0].span))
    moves = []
    for child, to_the_right, placed in movers:
        # A child that passes a sibling also passes every placed child between them. It therefore
        # moves next to its neighbour among the placed children.
        position = bisect_left(placed, child)
        anchor = placed[position - 1] if to_the_right else placed[position]
        moves.append(Move(child.span, anchor.span, before=not to_the_right))
        placed.insert(position, child)
    return tuple(moves)


class Child(NamedTuple):
    """A child of a node: one of its values, and its span."""

    value: int
    span: Span

    @property
    def length(self) -> int:
        """Number of words."""
        return self.span[1] - self.span[0]


def heaviest_increasing_subsequence(children: Sequence[Child]) -> list[Child]:
    """Return the longest increasing subsequence, and among these one with the most words.

    Ties are broken by the smallest value of the last child, so that the result is unique.
    """
    # A Fenwick tree over the ranks holds the best subsequence that ends at each child, so that the
    # best one below a rank is found in O(log k).
    ranks = {value: rank for rank, value in enumerate(sorted(child.value for child in children), 1)}
    size = len(children)
    nothing = (0, 0, 0, -1)  # number of children, number of words, −rank and index of the last
    fenwick = [nothing] * (size + 1)
    previous = [-1] * size
    for k, child in enumerate(children):
        rank = ranks[child.value]
        slot, best = rank - 1, nothing
        while slot:
            best = max(best, fenwick[slot])
            slot &= slot - 1
        previous[k] = best[3]
        extended = (best[0] + 1, best[1] + child.length, -rank, k)
        slot = rank
        while slot <= size:
            fenwick[slot] = max(fenwick[slot], extended)
            slot += slot & -slot
    slot, best = size, nothing
    while slot:
        best = max(best, fenwick[slot])
        slot &= slot - 1
    subsequence = []
    k = best[3]
    while k >= 0:
        subsequence.append(children[k])
        k = previous[k]
    return subsequence[::-1]
