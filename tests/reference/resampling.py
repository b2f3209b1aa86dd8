"""Resampling, slowly: each sample is a list of segments, each number follows its definition.

ET93: Efron & Tibshirani 1993, chapters 6 and 13: the bootstrap and percentile intervals.
RM05: Riezler & Maxwell 2005: approximate randomisation; p = (c + 1) / (R + 1).
HOL79: Holm 1979, by closed testing (Marcus, Peritz & Gabriel 1976): a hypothesis is rejected if
every set of hypotheses that has it is rejected by Bonferroni's test.
WMT: Bojar et al. 2016, section 3: clusters and rank ranges.

Draws come from outside: for each sample, how often each segment is in it (bootstrap), or whether
the two systems keep it (1) or exchange it (0). Nothing here knows about statistics and their sums:
a sample is scored as a corpus of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import TypeVar

Thing = TypeVar("Thing")
Draw = Sequence[int]
Corpus = Sequence[Thing]
Score = Callable[[list[Thing]], float]  # a list of segments to the value of that corpus
Better = Sequence[Sequence[bool]]
SLACK = 1e-9  # values nearer than that differ by rounding only


class SplitMix64:
    """Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators", figure 17."""

    def __init__(self, state: int) -> None:
        self.state = state

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    @classmethod
    def of_sample(cls, seed: int, sample: int) -> SplitMix64:
        """Where the numbers of a sample begin."""
        state = cls(seed).next() ^ (sample * 0xD1342543DE82EF95 % 2**64)
        return cls(cls(state).next())


def drawn_counts(seed: int, sample: int, length: int) -> list[int]:
    """How often each of ``length`` things is drawn: the high half of x·length, x of 32 bits.

    An x is passed over if it would make some more likely than others (Lemire 2019).
    """
    random, counts = SplitMix64.of_sample(seed, sample), [0] * length
    while sum(counts) < length:
        product = (random.next() >> 32) * length
        if product % 2**32 >= 2**32 % length:
            counts[product >> 32] += 1
    return counts


def coins(seed: int, sample: int, length: int) -> list[int]:
    """Bits of random numbers, the lowest first, 64 of each."""
    random = SplitMix64.of_sample(seed, sample)
    bits = [
        number >> k & 1
        for number in (random.next() for _ in range(-(-length // 64)))
        for k in range(64)
    ]
    return bits[:length]


def repeated(segments: Sequence[Thing], draw: Draw) -> list[Thing]:
    """A bootstrap sample: each segment as often as it was drawn."""
    sample = []
    for segment, times in zip(segments, draw, strict=True):
        for _ in range(times):
            sample.append(segment)
    return sample


def exchanged(
    a: Sequence[Thing], b: Sequence[Thing], kept: Draw
) -> tuple[list[Thing], list[Thing]]:
    """Two systems, some of whose segments have changed places."""
    new_a, new_b = [], []
    for one, other, keep in zip(a, b, kept, strict=True):
        new_a.append(one if keep else other)
        new_b.append(other if keep else one)
    return new_a, new_b


def bootstrap_values(
    score: Score[Thing], system: Corpus[Thing], draws: Sequence[Draw]
) -> list[float]:
    """The value of each sample."""
    return [score(repeated(system, draw)) for draw in draws]


def bootstrap_differences(
    score: Score[Thing], a: Corpus[Thing], b: Corpus[Thing], draws: Sequence[Draw]
) -> list[float]:
    """a − b in each sample: the same segments of both."""
    return [score(repeated(a, draw)) - score(repeated(b, draw)) for draw in draws]


def randomized_differences(
    score: Score[Thing], a: Corpus[Thing], b: Corpus[Thing], draws: Sequence[Draw]
) -> list[float]:
    """a − b in each sample, after they have exchanged segments."""
    found = []
    for draw in draws:
        new_a, new_b = exchanged(a, b, draw)
        found.append(score(new_a) - score(new_b))
    return found


def summed(rows: Sequence[Sequence[float]], draws: Sequence[Draw]) -> list[list[float]]:
    """The sums of each column over each sample, rounded once."""
    columns = range(len(rows[0]))
    return [[math.fsum(row[c] for row in repeated(rows, draw)) for c in columns] for draw in draws]


def quantile(values: Sequence[float], share: float) -> float:
    """Linear between the two values next to the place (n − 1) × share."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    below = min(math.floor(place), len(ordered) - 1)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def interval(values: Sequence[float], level: float) -> tuple[float, float]:
    """ET93, chapter 13: as much is left out below as above."""
    return quantile(values, (1 - level) / 2), quantile(values, 1 - (1 - level) / 2)


def bootstrap_p(difference: float, sampled: Sequence[float]) -> Fraction:
    """The samples that are as far from the difference as 0 is, and the difference itself."""
    far = [one for one in sampled if abs(one - difference) >= abs(difference) - SLACK]
    return Fraction(1 + len(far), 1 + len(sampled))


def randomization_p(difference: float, sampled: Sequence[float]) -> Fraction:
    """RM05: the samples that differ as much, and the difference itself."""
    far = [one for one in sampled if abs(one) >= abs(difference) - SLACK]
    return Fraction(1 + len(far), 1 + len(sampled))


def holm(p_values: Sequence[float]) -> list[float]:
    """HOL79: over all sets with the hypothesis in them, the largest of Bonferroni's p-values."""
    places = range(len(p_values))
    sets = [chosen for size in range(1, len(p_values) + 1) for chosen in combinations(places, size)]
    return [
        max(min(1.0, len(s) * min(p_values[j] for j in s)) for s in sets if k in s) for k in places
    ]


def clusters(better: Better) -> list[int]:
    """WMT: of all ways to cut the ranking that are allowed, the one with most clusters.

    A cut is allowed if each system above it is significantly better than each one below.
    """
    count = len(better)
    ways = []
    for size in range(count):
        for cuts in combinations(range(1, count), size):
            pairs = [(i, j) for cut in cuts for i in range(cut) for j in range(cut, count)]
            if all(better[i][j] for i, j in pairs):
                ways.append(cuts)
    most = max(ways, key=len)
    return [1 + sum(cut <= k for cut in most) for k in range(count)]


def rank_ranges(better: Better) -> list[tuple[int, int]]:
    """1 + those that are significantly better; those that are not significantly worse."""
    places = range(len(better))
    return [
        (
            1 + len([i for i in places if better[i][k]]),
            len([i for i in places if not better[k][i]]),
        )
        for k in places
    ]


def possible_ranks(better: Better) -> list[tuple[int, int]]:
    """The least and the largest rank in all rankings in which no system is above a better one.

    The same as ``rank_ranges`` if ``better`` is transitive.
    """
    places = range(len(better))
    rankings = [
        order
        for order in permutations(places)
        if not any(better[order[j]][order[i]] for i in places for j in range(i + 1, len(better)))
    ]
    ranks = [[order.index(k) + 1 for order in rankings] for k in places]
    return [(min(own), max(own)) for own in ranks]
