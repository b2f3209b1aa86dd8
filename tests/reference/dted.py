"""DTED, written from McCaffery & Nederhof 2016, section 3.

A tree is a list of heads, counted from 1, with 0 for a root. Links (hypothesis, reference) count
from 0. The paper leaves three cases open. Two empty trees are equal, so they score 0.5. They have
no node with a link, so their weight is 0. With several references, the best one counts, with its
weight. ``aligned`` and ``rescaled`` are extensions of Hyperbaton.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from reference.tree_edit import Recursion

Heads = Sequence[int]
Links = Sequence[tuple[int, int]]


class Segment(NamedTuple):
    """The trees of a hypothesis and its references, and the links with each reference."""

    hyp: Heads
    refs: Sequence[Heads]
    links: Sequence[Links]


class Scores(NamedTuple):
    """Value and weight of each segment, and the value of the corpus."""

    values: list[Fraction]
    weights: list[Fraction]
    value: Fraction


def flattened(heads: Heads) -> list[int]:
    """Section 3.4: each node is the only child of its predecessor."""
    return [k for k, _ in enumerate(heads)]


def distance(hyp: Heads, ref: Heads, links: Links | None = None) -> int:
    """Section 3.2: each operation costs 1; if links are given, only linked nodes match."""

    def match(x: int, y: int) -> float:
        return 1 if links is None or (x - 1, y - 1) in links else math.inf

    recursion = Recursion(hyp, ref, match=match)
    return int(recursion.distance(recursion.a, recursion.b))


def score(hyp: Heads, ref: Heads, links: Links | None = None) -> Fraction:
    """Equation 1."""
    size = len(hyp) + len(ref)
    return 1 - Fraction(distance(hyp, ref, links), size) if size else Fraction(1, 2)


def weight(hyp: Heads, ref: Heads, links: Links) -> Fraction:
    """Equation 3: the share of aligned nodes in both trees."""
    aligned = len({h for h, _ in links}) + len({r for _, r in links})
    return Fraction(aligned, max(len(hyp) + len(ref), 1))


def corpus(
    segments: Sequence[Segment],
    rescaled: bool = False,
    flat: bool = False,
    aligned: bool = False,
    weighted: bool = False,
) -> Scores:
    """Equation 2, or 4 if ``weighted``; it is 0 if all weights are 0."""
    values, weights = [], []
    for segment in segments:
        hyp = flattened(segment.hyp) if flat else segment.hyp
        refs = [flattened(ref) if flat else ref for ref in segment.refs]
        scores = [
            score(hyp, ref, links if aligned else None)
            for ref, links in zip(refs, segment.links, strict=True)
        ]
        best = scores.index(max(scores))
        values.append(scores[best] * (2 if rescaled else 1))
        share = weight(hyp, refs[best], segment.links[best])
        weights.append(share if weighted else Fraction(1))
    total = sum(v * w for v, w in zip(values, weights, strict=True))
    return Scores(values, weights, Fraction(total) / sum(weights) if sum(weights) else Fraction(0))


def most_matches(hyp: Heads, ref: Heads, links: Links) -> int:
    """The size of the largest set of links that is a mapping of trees, by trying all sets."""
    for count in range(min(len(hyp), len(ref)), 0, -1):
        for chosen in itertools.combinations(links, count):
            if is_mapping(hyp, ref, chosen):
                return count
    return 0


def is_mapping(hyp: Heads, ref: Heads, links: Links) -> bool:
    """Tai 1979: a mapping is one-to-one and keeps ancestors and the order of siblings."""
    first, second = places(hyp), places(ref)
    return all(
        relation(first, a + 1, b + 1) == relation(second, c + 1, d + 1)
        for (a, c), (b, d) in itertools.combinations(links, 2)
    ) and all(a != b and c != d for (a, c), (b, d) in itertools.combinations(links, 2))


def places(heads: Heads) -> dict[int, tuple[int, int]]:
    """The times at which a depth-first walk enters and leaves each node."""
    clock = itertools.count()

    def walk(node: int) -> Iterator[tuple[int, tuple[int, int]]]:
        entered = next(clock)
        for child, head in enumerate(heads, start=1):
            if head == node:
                yield from walk(child)
        yield node, (entered, next(clock))

    return dict(walk(0))


def relation(places: dict[int, tuple[int, int]], x: int, y: int) -> tuple[bool, ...]:
    """Whether x is above, below, left of, and right of y; exactly one is true."""
    (enter_x, leave_x), (enter_y, leave_y) = places[x], places[y]
    return (
        enter_x < enter_y and leave_y < leave_x,
        enter_y < enter_x and leave_x < leave_y,
        leave_x < enter_y,
        leave_y < enter_x,
    )
