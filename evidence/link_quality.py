"""How well links agree with gold links, or with other links."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

Links = Set[tuple[int, int]]
Counted = Set[tuple[int, ...]]  # links, or pairs of links


@dataclass(frozen=True)
class LinkQuality:
    """Agreement of links A with sure gold links S and possible ones P, which include S.

    Och & Ney 2003: precision is |A ∩ P| / |A|, recall is |A ∩ S| / |S|, and the alignment error
    rate (AER) is 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|). F is the harmonic mean of precision and
    recall. Links of all sentences are counted together.
    """

    links: int
    sure: int
    links_that_are_sure: int
    links_that_are_possible: int

    @property
    def precision(self) -> float:
        return self.links_that_are_possible / self.links

    @property
    def recall(self) -> float:
        return self.links_that_are_sure / self.sure

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / (self.precision + self.recall)

    @property
    def error_rate(self) -> float:
        correct = self.links_that_are_sure + self.links_that_are_possible
        return 1 - correct / (self.links + self.sure)


def link_quality(
    found: Iterable[Counted], sure: Iterable[Counted], possible: Iterable[Counted]
) -> LinkQuality:
    """Compare links with gold links, sentence by sentence; sure links are also possible.

    >>> link_quality([{(0, 0), (1, 1)}], [{(0, 0)}], [{(1, 1)}]).error_rate
    0.0
    """
    counts = [0, 0, 0, 0]
    for links, sure_links, possible_links in zip(found, sure, possible, strict=True):
        counts[0] += len(links)
        counts[1] += len(sure_links)
        counts[2] += len(links & sure_links)
        counts[3] += len(links & (possible_links | sure_links))
    return LinkQuality(*counts)


def link_agreement(first: Iterable[Links], second: Iterable[Links]) -> float:
    """Return F1 of two sets of links: twice the common links over all links.

    >>> link_agreement([{(0, 0), (1, 1)}], [{(0, 0), (1, 2)}])
    0.5
    """
    common = total = 0
    for one, other in zip(first, second, strict=True):
        common += len(one & other)
        total += len(one) + len(other)
    return 2 * common / total
