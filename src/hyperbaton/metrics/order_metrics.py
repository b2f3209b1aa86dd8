"""The measures of word order as metrics: ordering(π) × brevity penalty, averaged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from hyperbaton.alignment.batch import NULLS, UNALIGNED
from hyperbaton.errors import InputError
from hyperbaton.metrics.linking import Linking
from hyperbaton.metrics.matching import evidence_of
from hyperbaton.metrics.metric import Floats, Metric, TokenMetric, Variant, brevity_penalty
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.parts import Needs, Part, PartSignature
from hyperbaton.metrics.signature import SOURCE, Provenance
from hyperbaton.order.catalogue import MEASURES

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch, Ints

DROP = "drop"
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
        known = MEASURES[self.measure].options
        options = {key: self.options[key] for key in known}
        if all(options[key] == known[key].default for key in known):
            scores = batch.measure(self.measure, values, offsets)
        else:
            function = MEASURES[self.measure].function
            scores = function(values, **options, offsets=offsets, threads=batch.threads)
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
    kendall|bp:permutation|unaligned:drop|weight:none|nrefs:1|case:lc|tok:none|align:exact|v:...
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
