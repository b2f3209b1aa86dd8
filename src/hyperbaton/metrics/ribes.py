"""RIBES: rank correlation, precision and brevity, by its authors' definition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hyperbaton.alignment.aligner import Aligner
from hyperbaton.alignment.context import CONTEXT
from hyperbaton.alignment.links import Ints, Links
from hyperbaton.metrics.aligned import AlignmentMetric, shared_aligner
from hyperbaton.metrics.base import CASE, TOK, WEIGHT, Floats, Variant
from hyperbaton.metrics.brevity import brevity_penalty
from hyperbaton.metrics.options import Option
from hyperbaton.metrics.segments import Segments
from hyperbaton.order import flat

ORDERS = ("kendall", "spearman")


class Ribes(AlignmentMetric):
    """RIBES: order × (n / \\|hyp\\|)^α × bp^β (Isozaki et al. 2010; the authors' RIBES.py 1.03).

    n is the number of words of the translation that have a link, by the context aligner. The
    order is normalised Kendall, the share of their pairs that are in order, or normalised Spearman,
    1 − 3·Σd²/(n³ − n). Of a pair that is linked with one and the same word, neither is before the
    other: it counts as out of order. With fewer than two links the value is 0, but for one link
    with a reference of one word, whose order is 1. bp is min(1, exp(1 − \\|ref\\| / \\|hyp\\|)).

    >>> metric = Ribes(tok="none")
    >>> metric.sentence_score("Bob hit John yesterday", ["John hit Bob yesterday"]).value
    0.5
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "ribes": Variant(
            "rank correlation of words that their context makes sure, and how many those are",
            "Isozaki et al. 2010; RIBES.py 1.03",
            "Words that are repeated and whose neighbours differ have no link: in a poor "
            "translation little is left to be in order. The authors' scores are over texts that "
            "are tokenised already: tok=none.",
        )
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "order": Option("kendall", "the rank correlation", ORDERS),
        "alpha": Option(0.25, "exponent of the precision", most=10),
        "beta": Option(0.1, "exponent of the brevity penalty", most=10),
        "weight": WEIGHT,
        "case": CASE,
        "tok": TOK,
    }

    def check(self) -> None:
        """Nothing: the aligner needs no data."""

    @property
    def aligner(self) -> Aligner:
        """The context aligner, which is part of the definition."""
        return shared_aligner(None, CONTEXT, *self.text, None, None)

    def way(self, given_alignments: str) -> str:
        """Its own, whatever alignments were given for other metrics."""
        return ""

    def links(self, segments: Segments) -> Links:
        """The links of each pair."""
        return segments.found_links(self.aligner)

    def statistics(self, segments: Segments) -> Floats:
        """The best value over references, and its weight."""
        values, offsets = ranks(self.links(segments))
        count = np.diff(offsets)
        hyp, ref = segments.lengths(*self.text)
        measure = {"kendall": flat.kendall, "spearman": flat.spearman}[self.word("order")]
        order = measure(values, offsets=offsets, threads=segments.threads)
        order = np.where((count > 1) | ((count == 1) & (ref == 1)), order, 0.0)
        precision = count / np.maximum(hyp, 1)
        penalty = brevity_penalty(hyp, ref)
        found = order * precision ** self.number("alpha") * penalty ** self.number("beta")
        return self.weighted(segments, found)


def ranks(links: Links) -> tuple[Ints, Ints]:
    """Of each linked word of a hypothesis, the rank of its reference word: values and offsets.

    Words that share one have ranks against their own order, so that they count as out of order.
    """
    offsets = np.concatenate(([0], np.cumsum(links.counts)))
    values = np.empty(len(links.pair), np.int64)
    values[np.lexsort((-links.hyp, links.ref, links.pair))] = np.arange(len(values))
    return values - offsets[links.pair] + 1, offsets
