"""Resampling by definition: each sample is a list of segments, scored as a corpus.

ET93: Efron & Tibshirani 1993, chapters 6 and 13: the bootstrap and percentile intervals.
RM05: Riezler & Maxwell 2005: approximate randomisation; p = (c + 1) / (R + 1).
HES15: Hesterberg 2015, "What Teachers Should Know About the Bootstrap": expanded percentile
intervals.
FIS35: Fisher 1935, "The Design of Experiments", section 21: the test by all exchanges.
HOL79: Holm 1979, by closed testing (Marcus, Peritz & Gabriel 1976): a hypothesis is rejected if
Bonferroni's test rejects every set of hypotheses that contains it.
WMT: Bojar et al. 2016, section 3: clusters and rank ranges.

Draws are arguments: for each sample, how often each segment occurs (bootstrap), or whether the two
systems keep it (1) or exchange it (0). Statistics and their sums are not used here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from statistics import NormalDist
from typing import TypeVar

Item = TypeVar("Item")
Draw = Sequence[int]
Corpus = Sequence[Item]
Score = Callable[[list[Item]], float]  # from a list of segments to the value of the corpus
Better = Sequence[Sequence[bool]]
SLACK = 1e-9  # smaller differences are rounding errors


class SplitMix64:
    """Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators", figure 17."""

    def __init__(self, state: int) -> None:
        self.state = state

    def next(self) -> int:
        """The next number of 64 bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    @classmethod
    def for_sample(cls, seed: int, sample: int) -> SplitMix64:
        """The generator of one sample."""
        state = cls(seed).next() ^ (sample * 0xD1342543DE82EF95 % 2**64)
        return cls(cls(state).next())


def bootstrap_draw(seed: int, sample: int, length: int) -> list[int]:
    """How often each of ``length`` items is drawn: the high half of x·length for x of 32 bits.

    An x that would make some items more likely than others is rejected (Lemire 2019).
    """
    random, counts = SplitMix64.for_sample(seed, sample), [0] * length
    while sum(counts) < length:
        product = (random.next() >> 32) * length
        if product % 2**32 >= 2**32 % length:
            counts[product >> 32] += 1
    return counts


def swap_draw(seed: int, sample: int, length: int) -> list[int]:
    """One random bit for each item: 64 from each number, the lowest first."""
    random = SplitMix64.for_sample(seed, sample)
    bits = [
        number >> k & 1
        for number in (random.next() for _ in range(-(-length // 64)))
        for k in range(64)
    ]
    return bits[:length]


def repeated(segments: Sequence[Item], draw: Draw) -> list[Item]:
    """A bootstrap sample: each segment occurs as often as it was drawn."""
    sample = []
    for segment, times in zip(segments, draw, strict=True):
        for _ in range(times):
            sample.append(segment)
    return sample


def exchanged(a: Sequence[Item], b: Sequence[Item], kept: Draw) -> tuple[list[Item], list[Item]]:
    """Two systems after the exchange of the segments that are not kept."""
    new_a, new_b = [], []
    for one, other, keep in zip(a, b, kept, strict=True):
        new_a.append(one if keep else other)
        new_b.append(other if keep else one)
    return new_a, new_b


def bootstrap_values(
    score: Score[Item], system: Corpus[Item], draws: Sequence[Draw]
) -> list[float]:
    """The value of each sample."""
    return [score(repeated(system, draw)) for draw in draws]


def bootstrap_differences(
    score: Score[Item], a: Corpus[Item], b: Corpus[Item], draws: Sequence[Draw]
) -> list[float]:
    """a − b in each sample, with the same segments for both systems."""
    return [score(repeated(a, draw)) - score(repeated(b, draw)) for draw in draws]


def randomized_differences(
    score: Score[Item], a: Corpus[Item], b: Corpus[Item], draws: Sequence[Draw]
) -> list[float]:
    """a − b in each sample, after the exchange of segments."""
    differences = []
    for draw in draws:
        new_a, new_b = exchanged(a, b, draw)
        differences.append(score(new_a) - score(new_b))
    return differences


def sums_by_sample(rows: Sequence[Sequence[float]], draws: Sequence[Draw]) -> list[list[float]]:
    """The sum of each column in each sample, with a single rounding."""
    columns = range(len(rows[0]))
    return [[math.fsum(row[c] for row in repeated(rows, draw)) for c in columns] for draw in draws]


def quantile(values: Sequence[float], share: float) -> float:
    """Linear interpolation between the two values next to position (n − 1) × share."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    below = min(math.floor(place), len(ordered) - 1)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def interval(values: Sequence[float], level: float) -> tuple[float, float]:
    """ET93, chapter 13: the percentile interval, with equal tails."""
    return quantile(values, (1 - level) / 2), quantile(values, 1 - (1 - level) / 2)


def t_density(x: float, freedom: int) -> float:
    """The density of Student's t distribution."""
    scale = math.gamma((freedom + 1) / 2) / math.gamma(freedom / 2)
    power: float = (1 + x * x / freedom) ** (-(freedom + 1) / 2)
    return scale / math.sqrt(freedom * math.pi) * power


def t_quantile(share: float, freedom: int) -> float:
    """Where the area under the density from 0 on reaches ``share`` − 1/2, by Simpson's rule."""
    step, x, area = 1e-3, 0.0, 0.5
    while True:
        ends = t_density(x, freedom) + t_density(x + step, freedom)
        part = step / 6 * (ends + 4 * t_density(x + step / 2, freedom))
        if area + part >= share:
            return x + step * (share - area) / part
        x, area = x + step, area + part


def expanded_interval(values: Sequence[float], level: float, n: int) -> tuple[float, float]:
    """HES15: percentiles at the normal tail beyond √(n / (n − 1)) times the quantile of t."""
    bound = math.sqrt(n / (n - 1)) * t_quantile((1 + level) / 2, n - 1)
    tail = NormalDist().cdf(-bound)
    return quantile(values, tail), quantile(values, 1 - tail)


def exact_exchange_p(score: Score[Item], a: Corpus[Item], b: Corpus[Item]) -> Fraction:
    """FIS35: the share of all 2ⁿ exchanges after which the systems differ at least as much."""
    difference = abs(score(list(a)) - score(list(b)))
    every = list(product((0, 1), repeat=len(a)))
    far = [x for x in randomized_differences(score, a, b, every) if abs(x) >= difference - SLACK]
    return Fraction(len(far), len(every))


def bootstrap_p(difference: float, sampled: Sequence[float]) -> Fraction:
    """The share of samples at least as far from the difference as 0 is; the data count, too."""
    far = [value for value in sampled if abs(value - difference) >= abs(difference) - SLACK]
    return Fraction(1 + len(far), 1 + len(sampled))


def randomization_p(difference: float, sampled: Sequence[float]) -> Fraction:
    """RM05: the share of samples with at least this difference; the data count, too."""
    far = [value for value in sampled if abs(value) >= abs(difference) - SLACK]
    return Fraction(1 + len(far), 1 + len(sampled))


def holm(p_values: Sequence[float]) -> list[float]:
    """HOL79: the largest Bonferroni p-value over all sets that contain the hypothesis."""
    places = range(len(p_values))
    sets = [chosen for size in range(1, len(p_values) + 1) for chosen in combinations(places, size)]
    return [
        max(min(1.0, len(s) * min(p_values[j] for j in s)) for s in sets if k in s) for k in places
    ]


def clusters(better: Better) -> list[int]:
    """WMT: the allowed set of cuts of the ranking with the most clusters.

    A cut is allowed if each system above it is significantly better than each one below.
    """
    count = len(better)
    allowed = []
    for size in range(count):
        for cuts in combinations(range(1, count), size):
            pairs = [(i, j) for cut in cuts for i in range(cut) for j in range(cut, count)]
            if all(better[i][j] for i, j in pairs):
                allowed.append(cuts)
    most = max(allowed, key=len)
    return [1 + sum(cut <= k for cut in most) for k in range(count)]


def rank_ranges(better: Better) -> list[tuple[int, int]]:
    """1 + the number of better systems, and the number of systems that are not worse."""
    places = range(len(better))
    return [
        (
            1 + len([i for i in places if better[i][k]]),
            len([i for i in places if not better[k][i]]),
        )
        for k in places
    ]


def possible_ranks(better: Better) -> list[tuple[int, int]]:
    """The lowest and the highest rank over all rankings without a system above a better one.

    The same as ``rank_ranges`` if ``better`` is transitive.
    """
    places = range(len(better))
    rankings = [
        order
        for order in permutations(places)
        if not any(better[order[j]][order[i]] for i in places for j in range(i + 1, len(better)))
    ]
    ranks = [[order.index(k) + 1 for order in rankings] for k in places]
    return [(min(possible), max(possible)) for possible in ranks]
