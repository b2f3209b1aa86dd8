"""RIBES: rank correlation, precision and brevity, by its authors' definition."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hyperbaton.alignment.batch import AlignmentBatch, Ints
from hyperbaton.alignment.choices import CONTEXT
from hyperbaton.metrics.alignment_metrics import AlignmentMetric
from hyperbaton.metrics.brevity import brevity_penalty
from hyperbaton.metrics.linking import Linking
from hyperbaton.metrics.metric import Floats, TokenMetric, Variant
from hyperbaton.metrics.options import Option
from hyperbaton.metrics.resources import Resources
from hyperbaton.order import measures

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch

ORDERS = ("kendall", "spearman")


class Ribes(AlignmentMetric):
    """RIBES: order × (n / \\|hyp\\|)^α × bp^β (Isozaki et al. 2010; the authors' RIBES.py 1.03).

    n is the number of words of the translation that the context aligner links. The order is
    normalised Kendall, the share of word pairs in order, or normalised Spearman,
    1 − 3·Σd²/(n³ − n). A pair of words linked with the same reference word counts as out of order.
    With fewer than two links the value is 0, except for one link with a reference of one word,
    where the order is 1. bp is min(1, exp(1 − \\|ref\\| / \\|hyp\\|)).

    >>> metric = Ribes(tok="none")
    >>> metric.sentence_score("Bob hit John yesterday", ["John hit Bob yesterday"]).value
    0.5
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "ribes": Variant(
            "rank correlation of the words aligned unambiguously by context, and their share",
            "Isozaki et al. 2010; RIBES.py 1.03",
            "Repeated words with different neighbours have no link, so that in a poor translation "
            "few words are left to compare. The authors score tokenised texts: tok=none.",
            example="order=spearman,tok=none",
        )
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "order": Option("kendall", "rank correlation", ORDERS),
        "alpha": Option(0.25, "exponent of the precision", most=10),
        "beta": Option(0.1, "exponent of the brevity penalty", most=10),
        **TokenMetric.OPTIONS,
    }

    @cached_property
    def linking(self) -> Linking:
        """The context aligner, which is part of the definition, whatever links were given."""
        return Linking(self.name, Resources(), self.tokenization, CONTEXT, is_chosen=True)

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        values, offsets = reference_ranks(self.linking.links(batch))
        count = np.diff(offsets)
        hyp, ref = batch.lengths(self.tokenization)
        measure = {"kendall": measures.kendall, "spearman": measures.spearman}[
            self.text_option("order")
        ]
        order = measure(values, offsets=offsets, threads=batch.threads)
        order = np.where((count > 1) | ((count == 1) & (ref == 1)), order, 0.0)
        precision = count / np.maximum(hyp, 1)
        penalty = brevity_penalty(hyp, ref)
        scores = (
            order * precision ** self.number_option("alpha") * penalty ** self.number_option("beta")
        )
        return self.best_statistics(batch, scores)


def reference_ranks(links: AlignmentBatch) -> tuple[Ints, Ints]:
    """Return the rank of the reference word of each linked word, as flat values and offsets.

    Words that share a reference word get descending ranks, so that they count as out of order.
    """
    offsets = np.concatenate(([0], np.cumsum(links.link_counts)))
    values = np.empty(len(links.pair), np.int64)
    values[np.lexsort((-links.hyp, links.ref, links.pair))] = np.arange(len(values))
    return values - offsets[links.pair] + 1, offsets
