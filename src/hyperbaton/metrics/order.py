"""The measures of word order as metrics: ordering(π) × brevity penalty, averaged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hyperbaton.alignment.source import NULLS
from hyperbaton.errors import InputError
from hyperbaton.metrics.aligned import TEXT_OPTIONS, AlignmentMetric
from hyperbaton.metrics.base import WEIGHT, Floats, Variant
from hyperbaton.metrics.brevity import brevity_penalty
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.segments import Ints, Segments
from hyperbaton.metrics.through import SOURCE
from hyperbaton.order import factored

PAPER_2014 = "Stanojević & Sima'an 2014"
PAPER_2016 = "Stanojević & Sima'an 2016"
FACTORIZES = (
    "It says how far a permutation factorizes, not how much of it is in order: a fully reversed "
    "sentence scores 1. Use it with words beside it (senscore)."
)
MEASURES: Mapping[str, Variant] = {
    "kendall": Variant(
        "share of pairs of words in order",
        "Birch & Osborne 2010; figure 2 of " + PAPER_2014,
        "A block that moved far costs a pair for each word it passed. Near perfect order it hardly "
        "falls: one swap in 20 words still scores 0.995.",
    ),
    "kendall_sqrt": Variant(
        "1 − √(1 − kendall)",
        "Birch et al. 2010, as Moses' scorer computes it",
        "Harsher than kendall near perfect order; otherwise it ranks segments as kendall does.",
    ),
    "spearman": Variant(
        "how far words moved, squared",
        "figure 2 of " + PAPER_2014,
        "One far move weighs more than many small ones.",
    ),
    "footrule": Variant(
        "how far words moved",
        "Diaconis & Graham 1977",
        "As spearman, but distances are not squared.",
    ),
    "hamming": Variant(
        "share of words in their very place",
        "Birch & Osborne 2010; figure 2 of " + PAPER_2014,
        "One word moved to the front shifts all others, and all of them count as wrong.",
    ),
    "ulam": Variant(
        "longest subsequence in order",
        "figure 2 of " + PAPER_2014,
        "How far a word moved does not count, only that it did.",
    ),
    "fuzzy": Variant(
        "in how few pieces the words come",
        "Talbot et al. 2011; figure 2 of " + PAPER_2014,
        "Only neighbours count; two halves that changed places cost as little as two words.",
    ),
    "pet": Variant(
        "operators of the canonical permutation tree",
        PAPER_2014,
        "It depends on which tree is canonical where several bracketings are right; pef does not.",
    ),
    "pef": Variant(
        "operators of all permutation trees",
        PAPER_2014,
        "Words of the reference without a link lower it through the brevity penalty, however good "
        "the order of the others is: bp=off looks at order alone, and then the share of words "
        "aligned says how much of the sentence that was. Words too many cost nothing.",
    ),
    "pef_beer": Variant(
        "pef as the program BEER 1.1 computes it",
        PAPER_2014 + "; BEER 1.1",
        "Not the published formula, but what its authors' program computes; it may fall a little "
        "below 0.",
    ),
    "pet_size": Variant("|PET|: how many operators the tree has", PAPER_2016, FACTORIZES),
    "pet_count": Variant("#PETs: in how many ways it can be bracketed", PAPER_2016, FACTORIZES),
    "max_operator": Variant("MAX|Op|: how short the operators are", PAPER_2016, FACTORIZES),
    "average_operator": Variant(
        "how short the operators are on average",
        PAPER_2016 + ", section 4",
        FACTORIZES + " Among sentences of one length it ranks as pet_size does.",
    ),
}
BETA = Option(0.6, "weight of an operator against what is below it")
GAMMA = Option(0.0, "score of the operator ⟨2,1⟩")
MEASURE_OPTIONS: Mapping[str, Mapping[str, Option]] = {
    "pet": {"beta": BETA, "gamma": GAMMA},
    "pef": {"beta": BETA, "gamma": GAMMA},
    "pef_beer": {"beta": Option(0.6, BETA.meaning, least=factored.LEAST_BETA)},
}
DROP = "drop"
ALIGNED_OPTIONS: Mapping[str, Option] = {
    "bp": Option(
        "permutation",
        "brevity penalty, by the lengths of permutation and reference, of system and closest "
        "reference, or off",
        ("permutation", "system", "off"),
    ),
    "unaligned": Option(
        "drop",
        "reference words without a link: dropped, or put next to a neighbour",
        ("drop", "left", "right"),
    ),
    "nulls": Option(
        DROP,
        "through the source, its words without a link: dropped, so that links are composed; or "
        "placed as Birch & Osborne's paper or Moses has it",
        (DROP, *NULLS),
    ),
    "weight": WEIGHT,
    **TEXT_OPTIONS,
}


class PermutationMetric(AlignmentMetric):
    """What has an ordering(π) in it: the measures themselves, and what combines them with words."""

    @property
    def measure(self) -> str:
        """The name of ordering(π)."""
        return self.word("order")

    def ordering(self, segments: Segments) -> Floats:
        """Brevity penalty × ordering(π) of each pair."""
        values, offsets = self.permutations(segments)
        own = MEASURE_OPTIONS.get(self.measure, {})
        options = {key: self.options[key] for key in own}
        if all(options[key] == own[key].default for key in own):
            scores = segments.measures(values, offsets)[self.measure]
        else:
            function = getattr(factored, self.measure)
            scores = function(values, **options, offsets=offsets, threads=segments.threads)
        return self.penalty(segments, np.diff(offsets)) * scores

    def of_source(self, way: str) -> bool:
        """Whether permutations are of the words of the source, if alignments come this way."""
        return way == SOURCE and self.options["nulls"] != DROP

    def permutations(self, segments: Segments) -> tuple[Ints, Ints]:
        """The permutation of each pair, as flat values and offsets."""
        links = self.links(segments)
        usual = DROP, self.variant.defaults.get("nulls")
        if segments.way != SOURCE and self.options["nulls"] not in usual:
            raise InputError(f"{self.name}: nulls is for alignments through the source")
        if self.of_source(segments.way):
            return segments.source_permutations(*self.text, self.word("nulls"))
        return segments.permutations(links, self.word("unaligned"))

    def _option_fields(self, given_alignments: str) -> list[tuple[str, Value]]:
        way = self.way(given_alignments)
        idle = {"nulls"} if way != SOURCE else {"unaligned"} if self.of_source(way) else set()
        fields = super()._option_fields(given_alignments)
        return [(key, value) for key, value in fields if key not in idle]

    def penalty(self, segments: Segments, lengths: Any) -> Floats:
        """The brevity penalty of each pair, whose permutations have these lengths.

        A permutation of the source has all its words: none is missing.
        """
        tok, case = self.text
        hyp, ref = segments.lengths(tok, case)
        if self.options["bp"] == "permutation":
            return brevity_penalty(lengths, lengths if self.of_source(segments.way) else ref)
        if self.options["bp"] == "system":
            return brevity_penalty(hyp, segments.closest_lengths(tok, case))
        return np.ones(len(ref))


class OrderMetric(PermutationMetric):
    """bp × ordering(π), the best over references, averaged over segments.

    >>> metric = OrderMetric("kendall", tok="none")
    >>> metric.sentence_score("a b d c", ["a b c d"]).value
    0.8333333333333334
    >>> print(metric.get_signature())
    kendall|bp:permutation|unaligned:drop|weight:none|nrefs:1|case:lc|tok:none|align:exact|v:...
    """

    VARIANTS = MEASURES

    @classmethod
    def allowed(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """Those of the measure, and those of all."""
        return {**MEASURE_OPTIONS.get(name, {}), **ALIGNED_OPTIONS}

    @classmethod
    def range_of(cls, name: str) -> tuple[float, float]:
        """Nobody has proven how far pef_beer may fall below 0."""
        return (-math.inf, 1.0) if name == "pef_beer" else cls.RANGE

    @property
    def measure(self) -> str:
        """Its own name."""
        return self.name

    def statistics(self, segments: Segments) -> Floats:
        """The best value over references, and its weight."""
        return self.weighted(segments, self.ordering(segments))


def order_options(
    given: Mapping[str, object], default: str
) -> tuple[dict[str, Option], Mapping[str, Option]]:
    """``order``, and the options of the measure that is chosen."""
    order = Option(default, "the measure of order", tuple(MEASURES))
    chosen: Value = order.read("order", given.get("order", default))
    return {"order": order}, MEASURE_OPTIONS.get(str(chosen), {})
