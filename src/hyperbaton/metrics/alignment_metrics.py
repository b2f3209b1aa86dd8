"""Metrics over alignments: their base class, and those that need no permutation."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hyperbaton.alignment.batch import AlignmentBatch, Ints
from hyperbaton.alignment.choices import CONTEXT
from hyperbaton.metrics.linking import Linking
from hyperbaton.metrics.matching import evidence_of
from hyperbaton.metrics.metric import (
    Floats,
    Metric,
    Resources,
    TokenMetric,
    Variant,
    brevity_penalty,
    variant,
)
from hyperbaton.metrics.options import Option
from hyperbaton.metrics.parts import Needs, Part
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.text.languages import language_code

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch

# γ and β of METEOR 1.5 for the languages it was tuned for, and for all others.
METEOR_PARAMETERS = {
    "en": (0.6, 0.2),
    "cs": (0.6, 0.2),
    "de": (0.55, 1.0),
    "es": (0.5, 1.3),
    "fr": (0.6, 1.4),
    "other": (0.7, 1.4),
}


class AlignmentMetric(TokenMetric):
    """A metric that needs an alignment of each pair, and whose corpus value is a mean.

    ``linking`` has the links.
    """

    OPTIONS: ClassVar[Mapping[str, Option]] = {**TokenMetric.OPTIONS, **Linking.OPTIONS}

    @property
    def needs(self) -> Needs:
        """What the parts need, and how many words are matched."""
        return replace(super().needs, evidence=evidence_of(self.tokenization))

    @functools.cached_property
    def linking(self) -> Linking:
        """What links the words."""
        return Linking.of(self)

    @functools.cached_property
    def parts(self) -> tuple[Part, ...]:
        """The words and their links."""
        return *super().parts, self.linking


def first_linking(metrics: Iterable[Metric]) -> Linking | None:
    """Return what links the tokens for the first metric that needs that. Reports show its links."""
    needs = (metric.needs for metric in metrics)
    return next((need.linking for need in needs if need.linking and not need.trees), None)


class Adjacency(AlignmentMetric):
    """(pairs of links adjacent and in order on both sides + 1 if the first words are linked
    + 1 if the last words are) / (links + 1); 0 without links.

    >>> round(Adjacency(tok="none").sentence_score("a b c", ["a c b"]).value, 4)
    0.25
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {"adjacency": variant("adjacency")}

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        links = self.linking.links(batch)
        counts = links.link_counts
        values = (counts - links.chunks + links.boundary_links) / (counts + 1)
        return self.best_statistics(batch, np.where(counts > 0, values, 0.0))


def meteor_language(language: str | None) -> str:
    """Return the language whose METEOR parameters are those of a language."""
    code = language_code(language)
    return code if code in METEOR_PARAMETERS else "other"


class MeteorFrag(AlignmentMetric):
    """METEOR's fragmentation penalty alone: 1 − γ·frag^β.

    frag = chunks / (mean of the matched words of both sides). It is 0 if both sides are wholly
    matched in one chunk, and at most 1. The value is 0 without a match. γ and β are METEOR 1.5's
    for a language.

    >>> round(MeteorFrag(tok="none").sentence_score("a b c", ["a c b"]).value, 4)
    0.3
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {"meteor_frag": variant("meteor_frag")}
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "params": Option(
            None,
            "language whose METEOR parameters are used",
            tuple(METEOR_PARAMETERS),
            derive=lambda language, _: meteor_language(language),
        ),
        "beta": Option(
            None,
            "exponent; default: METEOR's",
            most=10,
            derive=lambda _, options: METEOR_PARAMETERS[str(options["params"])][1],
        ),
        "gamma": Option(
            None,
            "largest penalty; default: METEOR's",
            derive=lambda _, options: METEOR_PARAMETERS[str(options["params"])][0],
        ),
        **AlignmentMetric.OPTIONS,
    }

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        links = self.linking.links(batch)
        chunks = links.chunks
        hyp, ref = links.covered_words
        is_whole = (chunks == 1) & (hyp == links.hyp_lengths) & (ref == links.ref_lengths)
        # Given links may share words, so that there are more chunks than words.
        frag = np.where(is_whole, 0.0, np.minimum(1.0, 2 * chunks / np.maximum(hyp + ref, 1)))
        beta, gamma = self.number_option("beta"), self.number_option("gamma")
        # In numpy 0⁰ = 1, but without fragmentation there is no penalty, whatever β is.
        penalty = np.where(frag > 0, gamma * frag**beta, 0.0)
        return self.best_statistics(batch, np.where(chunks > 0, 1 - penalty, 0.0))


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

    VARIANTS: ClassVar[Mapping[str, Variant]] = {"ribes": variant("ribes")}
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
        measure = MEASURES[self.text_option("order")].function
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
