"""The measures of word order as metrics: ordering(π) × brevity penalty, averaged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hyperbaton.alignment.batch import UNALIGNED
from hyperbaton.alignment.source import NULLS
from hyperbaton.errors import InputError
from hyperbaton.metrics.alignment_metrics import TEXT_OPTIONS, AlignmentMetric
from hyperbaton.metrics.batches import Batch, Ints
from hyperbaton.metrics.brevity import brevity_penalty
from hyperbaton.metrics.metric import WEIGHT, Floats, Variant
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.provenance import SOURCE, Provenance
from hyperbaton.order.catalogue import MEASURES

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
    "weight": WEIGHT,
    **TEXT_OPTIONS,
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


class PermutationMetric(AlignmentMetric):
    """A metric with ordering(π) in it: a measure itself, or one combined with words."""

    @property
    def measure(self) -> str:
        """The name of ordering(π)."""
        return self.text_option("order")

    @property
    def measures(self) -> frozenset[str]:
        """The measure of order."""
        return frozenset([self.measure])

    def ordering(self, batch: Batch) -> Floats:
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
        links = self.links(batch)
        origin = self.alignment_origin(batch.provenance)
        default_nulls = DROP, self.variant.defaults.get("nulls")
        if origin != SOURCE and self.options["nulls"] not in default_nulls:
            raise InputError(
                f"{self.name}: nulls can only be used with alignments through the source"
            )
        if self.permutes_source(origin):
            return batch.source_permutations(self.tokenization, self.text_option("nulls"))
        return batch.permutations(links, self.text_option("unaligned"))

    def option_fields(self, provenance: Provenance) -> list[tuple[str, Value]]:
        """Return the options that have an effect with such alignments."""
        origin = self.alignment_origin(provenance)
        unused = "nulls" if origin != SOURCE else "unaligned" * self.permutes_source(origin)
        return [field for field in super().option_fields(provenance) if field[0] != unused]

    def penalty(self, batch: Batch, offsets: Ints) -> Floats:
        """Return the brevity penalty of each pair, whose permutations have these offsets."""
        key = "penalty", self.options["bp"], self.tokenization, id(offsets)
        return batch.memoize(key, lambda: self._penalty(batch, np.diff(offsets)))

    def _penalty(self, batch: Batch, lengths: Ints) -> Floats:
        hyp, ref = batch.lengths(self.tokenization)
        if self.options["bp"] == "permutation":
            # A permutation of the source has all its words: none is missing.
            whole = self.permutes_source(self.alignment_origin(batch.provenance))
            return brevity_penalty(lengths, lengths if whole else ref)
        if self.options["bp"] == "system":
            return brevity_penalty(hyp, batch.closest_lengths(self.tokenization))
        return np.ones(len(ref))


class OrderMetric(PermutationMetric):
    """bp × ordering(π), the best over references, averaged over segments.

    There is a variant for each measure of the catalogue. A subclass may define another
    :meth:`ordering`.

    >>> metric = OrderMetric("kendall", tok="none")
    >>> score = metric.sentence_score("a b d c", ["a b c d"])
    >>> score.value
    0.8333333333333334
    >>> print(score.signature)
    kendall|bp:permutation|unaligned:drop|weight:none|nrefs:1|case:lc|tok:none|align:exact|v:...
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        name: Variant(
            measure.description, measure.paper, measure.caution, example=EXAMPLES.get(name, "")
        )
        for name, measure in MEASURES.items()
    }

    @classmethod
    def options_for(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """Return the options of the measure, and those of all permutation metrics."""
        return {**measure_options(name), **PERMUTATION_OPTIONS}

    @classmethod
    def range_for(cls, name: str) -> tuple[float, float]:
        """Return the range of the measure."""
        return MEASURES[name].range if name in MEASURES else cls.RANGE

    @property
    def measure(self) -> str:
        """The name of the metric."""
        return self.name

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        return self.best_statistics(batch, self.ordering(batch))
