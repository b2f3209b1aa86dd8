"""Block moves, plainly: how they are applied, and how few children of a node must move."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

Span = tuple[int, int]


def applied(moves: Iterable[tuple[Span, Span, bool]], n: int) -> list[int]:
    """The places of n words after the moves, each done by hand: cut out, and put in again."""
    order = list(range(n))
    for block, anchor, before in moves:
        order = moved(order, set(range(*block)), set(range(*anchor)), before)
    return order


def moved(order: Sequence[int], block: set[int], anchor: set[int], before: bool) -> list[int]:
    """Take the words of the block, which stand in one piece, to those of the anchor."""
    at = [order.index(k) for k in sorted(block, key=order.index)]
    assert at == list(range(at[0], at[0] + len(at))), "the block is in pieces"
    rest = [k for k in order if k not in block]
    there = sorted(rest.index(k) for k in anchor)
    assert there == list(range(there[0], there[0] + len(there))), "the anchor is in pieces"
    place = there[0] if before else there[-1] + 1
    return rest[:place] + [order[k] for k in at] + rest[place:]


def fewest(values: Sequence[int], weights: Sequence[int]) -> tuple[int, int]:
    """How many children must move until the values rise, and how few words that can be."""
    best = (len(values), sum(weights))
    everything = range(len(values))
    for count in everything:
        for stay in itertools.combinations(everything, len(values) - count):
            if all(values[a] < values[b] for a, b in itertools.pairwise(stay)):
                words = sum(weights) - sum(weights[k] for k in stay)
                best = min(best, (count, words))
        if best[0] <= count:
            return best
    return best


def transpositions(n: int) -> dict[tuple[int, ...], int]:
    """For each permutation, the fewest moves of any blocks that put it in order."""
    start = tuple(range(1, n + 1))
    steps = {start: 0}
    edge = [start]
    while edge:
        found = []
        for pi in edge:
            for a, b, c in itertools.combinations(range(n + 1), 3):
                new = pi[:a] + pi[b:c] + pi[a:b] + pi[c:]
                if new not in steps:
                    steps[new] = steps[pi] + 1
                    found.append(new)
        edge = found
    return steps
