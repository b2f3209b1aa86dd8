"""Two systems compared by the words that all three texts have exactly once, with fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

Tokens = Sequence[str]


class Segment(NamedTuple):
    """What a segment says: its weight, both scores, and the words of the chosen reference."""

    weight: int
    a: Fraction
    b: Fraction
    words: int


class Difference(NamedTuple):
    """What all segments say together."""

    difference: Fraction
    a: Fraction
    b: Fraction
    anchors: int
    share: Fraction
    segments: int


def positions_of_single_words(hyp: Tokens, ref: Tokens) -> list[int]:
    """Where in ``ref`` the words are that occur once in both, in the order of ``hyp``."""
    return [ref.index(word) for word in hyp if hyp.count(word) == 1 == ref.count(word)]


def neighbours_kept(positions: Sequence[int]) -> Fraction:
    """The measure `breakpoints`: 1 − b/(n + 1), with b from a permutation with both ends."""
    ranks = [sorted(positions).index(position) + 1 for position in positions]
    framed = [0, *ranks, len(ranks) + 1]
    breaks = sum(y != x + 1 for x, y in pairwise(framed))
    return 1 - Fraction(breaks, len(ranks) + 1)


def compare_segment(a: Tokens, b: Tokens, refs: Sequence[Tokens]) -> Segment:
    """The anchors of two systems in the reference that has most of them, the first on ties."""
    most, chosen = -1, Segment(0, Fraction(0), Fraction(0), 0)
    for ref in refs:
        positions_a, positions_b = (
            positions_of_single_words(a, ref),
            positions_of_single_words(b, ref),
        )
        anchors = set(positions_a) & set(positions_b)
        if len(anchors) <= most:
            continue
        most, chosen = len(anchors), Segment(0, Fraction(0), Fraction(0), len(ref))
        if most >= 2:
            kept_a, kept_b = (
                neighbours_kept([position for position in positions if position in anchors])
                for positions in (positions_a, positions_b)
            )
            chosen = Segment(most, kept_a, kept_b, len(ref))
    return chosen


def compare(
    a: Sequence[Tokens], b: Sequence[Tokens], refs: Sequence[Sequence[Tokens]]
) -> Difference:
    """Compare two systems on segments that have at least one anchor."""
    segments = [compare_segment(*texts) for texts in zip(a, b, refs, strict=True)]
    anchors = sum(segment.weight for segment in segments)
    mean_a = sum((segment.weight * segment.a for segment in segments), Fraction(0)) / anchors
    mean_b = sum((segment.weight * segment.b for segment in segments), Fraction(0)) / anchors
    return Difference(
        mean_a - mean_b,
        mean_a,
        mean_b,
        anchors,
        Fraction(anchors, sum(segment.words for segment in segments)),
        sum(segment.weight > 0 for segment in segments),
    )
