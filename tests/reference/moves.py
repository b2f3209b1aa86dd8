"""Block moves: find them by trying all subsets that may stay, and apply them one by one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

Span = tuple[int, int]


def block_moves(
    pi: Sequence[int], nodes: Iterable[Sequence[Span]], punctuation: Sequence[bool]
) -> list[tuple[Span, Span, bool, int, bool]]:
    """The block, anchor, side and distance of each move, and whether it is of punctuation alone.

    ``nodes`` has the spans of the children of each node of the flattened tree.
    """
    movers = []
    for spans in nodes:
        stay = children_that_stay(pi, spans, punctuation)
        movers += [(span, stay) for span in spans if span not in stay]
    movers.sort(key=lambda m: (all(punctuation[slice(*m[0])]), m[0][0] - m[0][1], m[0]))
    moves = []
    order = list(range(len(pi)))
    for block, placed in movers:
        # The block goes before the lowest placed sibling above it, or after the highest one below.
        placed.sort(key=lambda span: pi[span[0]])
        above = [s for s in placed if pi[s[0]] > pi[block[0]]]
        below = [s for s in placed if pi[s[0]] < pi[block[0]]]
        before = not below or order.index(below[-1][0]) < order.index(block[0])
        anchor = above[0] if before else below[-1]
        moved = move_block(order, set(range(*block)), set(range(*anchor)), before)
        passed = sum(
            (order.index(k) < order.index(block[0])) != (moved.index(k) < moved.index(block[0]))
            for k in order
            if not block[0] <= k < block[1]
        )
        moves.append((block, anchor, before, passed, all(punctuation[slice(*block)])))
        placed.append(block)
        order = moved
    return moves


def children_that_stay(
    pi: Sequence[int], spans: Sequence[Span], punctuation: Sequence[bool]
) -> list[Span]:
    """The increasing children with the most blocks and words; real words come first."""

    def merit(stay: tuple[Span, ...]) -> tuple[Any, ...]:
        words = [sum(not flag for flag in punctuation[slice(*span)]) for span in stay]
        sizes = [b - a for a, b in stay]
        lowest = tuple(-pi[a] for a, _ in reversed(stay))
        return sum(count > 0 for count in words), len(stay), sum(words), sum(sizes), lowest

    subsets = (
        stay
        for count in range(len(spans) + 1)
        for stay in itertools.combinations(spans, count)
        if all(pi[a[0]] < pi[b[0]] for a, b in itertools.pairwise(stay))
    )
    chosen: tuple[Span, ...] = max(subsets, key=merit)
    return list(chosen)


def apply_moves(moves: Iterable[Sequence[Any]], n: int) -> list[int]:
    """The order of n words after the moves: each block is cut out and inserted again."""
    order = list(range(n))
    for block, anchor, before, *_ in moves:
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
