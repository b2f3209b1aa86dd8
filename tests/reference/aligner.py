"""The best selection of matches, by trying all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Match(NamedTuple):
    """Words [h, h + h_length) of the hypothesis and [r, r + r_length) of the reference."""

    h: int
    h_length: int
    r: int
    r_length: int
    matcher: int


def selections(matches: Sequence[Match]) -> Iterator[list[Match]]:
    """All sets of matches in which no word occurs twice."""
    if not matches:
        yield []
        return
    first, rest = matches[0], matches[1:]
    yield from selections(rest)
    free = [
        other
        for other in rest
        if (other.h + other.h_length <= first.h or first.h + first.h_length <= other.h)
        and (other.r + other.r_length <= first.r or first.r + first.r_length <= other.r)
    ]
    for others in selections(free):
        yield [first, *others]


def chunks(links: Sequence[Match]) -> int:
    """The number of maximal runs of links that are adjacent and in order on both sides."""
    ends = {(link.h + link.h_length, link.r + link.r_length) for link in links}
    return sum((link.h, link.r) not in ends for link in links)


def quality(links: Sequence[Match], weights: Sequence[int]) -> tuple[int, int, int]:
    """The criteria in order, larger is better: coverage, few chunks, small distance."""
    coverage = sum(weights[link.matcher] * (link.h_length + link.r_length) for link in links)
    return coverage, -chunks(links), -sum(abs(link.h - link.r) for link in links)


def best(matches: Sequence[Match], weights: Sequence[int]) -> tuple[int, int, int]:
    """The quality of the best selection."""
    return max(quality(links, weights) for links in selections(matches))
