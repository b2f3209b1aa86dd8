"""Block moves: apply them one by one, and find the fewest by trying all."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

Span = tuple[int, int]


def apply_moves(moves: Iterable[tuple[Span, Span, bool]], n: int) -> list[int]:
    """The order of n words after the moves: each block is cut out and inserted again."""
    order = list(range(n))
    for block, anchor, before in moves:
        order = move_block(order, set(range(*block)), set(range(*anchor)), before)
    return order


def move_block(order: Sequence[int], block: set[int], anchor: set[int], before: bool) -> list[int]:
    """Move a contiguous block to the words of the anchor, which are contiguous, too."""
    at = [order.index(k) for k in sorted(block, key=order.index)]
    assert at == list(range(at[0], at[0] + len(at))), "the block is not contiguous"
    rest = [k for k in order if k not in block]
    there = sorted(rest.index(k) for k in anchor)
    assert there == list(range(there[0], there[0] + len(there))), "the anchor is not contiguous"
    place = there[0] if before else there[-1] + 1
    return rest[:place] + [order[k] for k in at] + rest[place:]


def fewest_moves(values: Sequence[int], weights: Sequence[int]) -> tuple[int, int]:
    """The fewest children that must move to sort the values, and the fewest words in them."""
    best = (len(values), sum(weights))
    places = range(len(values))
    for count in places:
        for stay in itertools.combinations(places, len(values) - count):
            if all(values[a] < values[b] for a, b in itertools.pairwise(stay)):
                words = sum(weights) - sum(weights[k] for k in stay)
                best = min(best, (count, words))
        if best[0] <= count:
            return best
    return best


def transpositions(n: int) -> dict[tuple[int, ...], int]:
    """For each permutation of n values, the fewest block moves that sort it."""
    start = tuple(range(1, n + 1))
    steps = {start: 0}
    edge = [start]
    while edge:
        reached = []
        for pi in edge:
            for a, b, c in itertools.combinations(range(n + 1), 3):
                new = pi[:a] + pi[b:c] + pi[a:b] + pi[c:]
                if new not in steps:
                    steps[new] = steps[pi] + 1
                    reached.append(new)
        edge = reached
    return steps
