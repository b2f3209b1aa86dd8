"""Metrics of word order over hard links: of the permutation, or of the links themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from hyperbaton.alignment.batch import NULLS, UNALIGNED, AlignmentBatch, Ints
from hyperbaton.alignment.choices import CONTEXT
from hyperbaton.errors import InputError
from hyperbaton.metrics.linking import Linking, align_option
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
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.parts import Needs, Part, PartSignature
from hyperbaton.metrics.signature import SOURCE, Provenance
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.text.languages import language_code

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch

DROP = "drop"
# γ and β of METEOR 1.5 for the languages it was tuned for, and for all others.
METEOR_PARAMETERS = {
    "en": (0.6, 0.2),
    "cs": (0.6, 0.2),
    "de": (0.55, 1.0),
    "es": (0.5, 1.3),
    "fr": (0.6, 1.4),
    "other": (0.7, 1.4),
}
# Options of examples, by measure.
EXAMPLES = {"kendall": "bp=off", "pet": "gamma=0.2", "pef": "beta=0.5,unaligned=left"}
PERMUTATION_OPTIONS: Mapping[str, Option] = {
    "bp": Option(
        "permutation",
        "brevity penalty: by the lengths of permutation and reference, of system and closest "
        "reference, or off",
        ("permutation", "system", "off"),
    ),
    "unaligned": Option(
        DROP,
        "reference words without a link: dropped, or put next to a neighbour",
        UNALIGNED,
    ),
    "nulls": Option(
        DROP,
        "source words without a link, for links through the source: dropped (links are composed), "
        "or placed as Birch & Osborne's paper or Moses does",
        (DROP, *NULLS),
    ),
    **TokenMetric.OPTIONS,
    **Linking.OPTIONS,
}


def measure_options(measure: str) -> dict[str, Option]:
    """Return the options of a measure; an order metric of another package has none of them.

    >>> list(measure_options("pef"))
    ['beta', 'gamma']
    """
    if measure not in MEASURES:
        return {}
    return {
        key: Option(option.default, option.meaning, least=option.minimum, most=option.maximum)
        for key, option in MEASURES[measure].options.items()
    }


@dataclass(frozen=True, eq=False)
class PermutationOrder(Part):
    """Order by a measure of the permutations that the links make: brevity penalty × ordering(π).

    Attributes
    ----------
    name : str
        Name of the metric, for error messages.
    measure : str
        Name of ordering(π).
    options : mapping of str to value
        The options of the metric, among them ``bp``, ``unaligned``, ``nulls`` and those of the
        measure.
    linking : Linking
        What links the words.
    default_nulls : str, optional
        The metric's own default of ``nulls``, which needs no links through the source.
    """

    name: str
    measure: str
    options: Mapping[str, Value | None]
    linking: Linking
    default_nulls: Value | None = None

    @classmethod
    def of(cls, metric: Metric, measure: str, linking: Linking) -> Self:
        """Return the order that the options of a metric ask for."""
        nulls = metric.variant.defaults.get("nulls")
        return cls(metric.name, measure, metric.options, linking, nulls)

    @property
    def needs(self) -> Needs:
        """Links, and the measure."""
        return replace(self.linking.needs, measures=frozenset([self.measure]))

    def signature(self, provenance: Provenance) -> PartSignature:
        """Return the alignment; options that have no effect with such links are hidden."""
        origin = self.linking.origin(provenance)
        unused = "nulls" if origin != SOURCE else "unaligned" * self.permutes_source(origin)
        return replace(self.linking.signature(provenance), hidden=frozenset([unused]))

    def values(self, batch: Batch) -> Floats:
        """Return brevity penalty × ordering(π) of each pair."""
        values, offsets = self.permutations(batch)
        measure = MEASURES[self.measure]
        options = {key: self.options[key] for key in measure.options}
        if options == {key: option.default for key, option in measure.options.items()}:
            scores = batch.measure(self.measure, values, offsets)
        else:
            scores = measure.function(values, **options, offsets=offsets, threads=batch.threads)
        return self.penalty(batch, offsets) * scores

    def permutes_source(self, alignment_origin: str) -> bool:
        """Return whether permutations are over the words of the source."""
        return alignment_origin == SOURCE and self.options["nulls"] != DROP

    def permutations(self, batch: Batch) -> tuple[Ints, Ints]:
        """Return the permutation of each pair, as flat values and offsets."""
        links = self.linking.links(batch)
        origin = self.linking.origin(batch.provenance)
        if origin != SOURCE and self.options["nulls"] not in (DROP, self.default_nulls):
            raise InputError(
                f"{self.name}: nulls can only be used with alignments through the source"
            )
        if self.permutes_source(origin):
            return batch.source_permutations(self.linking.tokenization, str(self.options["nulls"]))
        return batch.permutations(links, str(self.options["unaligned"]))

    def penalty(self, batch: Batch, offsets: Ints) -> Floats:
        """Return the brevity penalty of each pair, whose permutations have these offsets."""
        key = "penalty", self.options["bp"], self.linking.tokenization, id(offsets)
        return batch.memoize(key, self._penalty, batch, offsets)

    def _penalty(self, batch: Batch, offsets: Ints) -> Floats:
        lengths = np.diff(offsets)
        hyp, ref = batch.lengths(self.linking.tokenization)
        if self.options["bp"] == "permutation":
            # A permutation of the source has all its words: none is missing.
            whole = self.permutes_source(self.linking.origin(batch.provenance))
            return brevity_penalty(lengths, lengths if whole else ref)
        if self.options["bp"] == "system":
            return brevity_penalty(hyp, batch.closest_lengths(self.linking.tokenization))
        return np.ones(len(ref))


class OrderMetric(TokenMetric):
    """bp × ordering(π), the best over references, averaged over segments.

    There is a variant for each measure of the catalogue. A subclass may compute something else from
    the permutations of ``order``.

    >>> metric = OrderMetric("kendall", tok="none")
    >>> score = metric.sentence_score("a b d c", ["a b c d"])
    >>> score.value
    0.8333333333333334
    >>> print(score.signature)
    kendall|bp:permutation|unaligned:drop|weight:none|nrefs:1|case:lc|tok:none|align:exact+anchored|v:...
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        name: Variant(
            measure.description,
            measure.paper,
            measure.caution,
            example=EXAMPLES.get(name, ""),
            range=measure.range,
        )
        for name, measure in MEASURES.items()
    }

    @classmethod
    def options_for(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """Return the options of the measure, and those of all permutation metrics."""
        return {**measure_options(name), **PERMUTATION_OPTIONS}

    @property
    def needs(self) -> Needs:
        """What the parts need, and how many words are matched."""
        return replace(super().needs, evidence=evidence_of(self.tokenization))

    @cached_property
    def order(self) -> PermutationOrder:
        """The order of the words."""
        return PermutationOrder.of(self, self.name, Linking.of(self))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The words and their order."""
        return *super().parts, self.order

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        return self.best_statistics(batch, self.order.values(batch))


class AlignmentMetric(TokenMetric):
    """A metric that needs an alignment of each pair, and whose corpus value is a mean.

    ``linking`` has the links.
    """

    OPTIONS: ClassVar[Mapping[str, Option]] = {**TokenMetric.OPTIONS, **Linking.OPTIONS}

    @property
    def needs(self) -> Needs:
        """What the parts need, and how many words are matched."""
        return replace(super().needs, evidence=evidence_of(self.tokenization))

    @cached_property
    def linking(self) -> Linking:
        """What links the words."""
        return Linking.of(self)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The words and their links."""
        return *super().parts, self.linking


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
        "align": align_option(),  # as METEOR links words
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
        "order": Option("kendall", "rank correlation", ("kendall", "spearman")),
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
        alpha, beta = self.number_option("alpha"), self.number_option("beta")
        return self.best_statistics(batch, order * precision**alpha * penalty**beta)


def reference_ranks(links: AlignmentBatch) -> tuple[Ints, Ints]:
    """Return the rank of the reference word of each linked word, as flat values and offsets.

    Words that share a reference word get descending ranks, so that they count as out of order.
    """
    offsets = np.concatenate(([0], np.cumsum(links.link_counts)))
    values = np.empty(len(links.pair), np.int64)
    values[np.lexsort((-links.hyp, links.ref, links.pair))] = np.arange(len(values))
    return values - offsets[links.pair] + 1, offsets
