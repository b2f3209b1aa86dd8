"""RIBES: rank correlation, precision and brevity, by its authors' definition."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np

from hyperbaton.alignment.aligner import Aligner
from hyperbaton.alignment.batch import AlignmentBatch, Ints
from hyperbaton.alignment.matchers import CONTEXT
from hyperbaton.metrics.alignment_metrics import AlignmentMetric, shared_aligner
from hyperbaton.metrics.batches import Batch
from hyperbaton.metrics.brevity import brevity_penalty
from hyperbaton.metrics.metric import CASE, FOLD, PUNCT, TOK, WEIGHT, Floats, Variant
from hyperbaton.metrics.options import Option
from hyperbaton.metrics.provenance import Provenance
from hyperbaton.metrics.resources import Resources
from hyperbaton.order import flat

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
        "weight": WEIGHT,
        "case": CASE,
        "tok": TOK,
        "fold": FOLD,
        "punct": PUNCT,
    }

    def resolve_options(self) -> None:
        """Resolve nothing: the aligner needs no data."""

    @cached_property
    def aligner(self) -> Aligner:
        """The context aligner, which is part of the definition."""
        return shared_aligner(Resources(), CONTEXT, self.tokenization)

    def alignment_origin(self, provenance: Provenance) -> str:
        """Return the empty origin: RIBES always aligns by context, whatever was given."""
        return ""

    def links(self, batch: Batch) -> AlignmentBatch:
        """Return the links of each pair."""
        return batch.found_links(self.aligner, self.tokenization)

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        values, offsets = reference_ranks(self.links(batch))
        count = np.diff(offsets)
        hyp, ref = batch.lengths(self.tokenization)
        measure = {"kendall": flat.kendall, "spearman": flat.spearman}[self.text_option("order")]
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
