"""Error rates as metrics: WER, PER, CDER and invWER."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hyperbaton.edit.distances import bag_distances, cders, inversion_bounds, levenshteins
from hyperbaton.edit.inversion import DEFAULT_BUDGET
from hyperbaton.edit.rates import rate
from hyperbaton.metrics.base import (
    CASE,
    TOK,
    Floats,
    Metric,
    Variant,
    text_fields,
    tokenizer_version,
)
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.segments import Segments
from hyperbaton.threads import thread_count

LEUSCH = "Leusch, Ueffing & Ney 2003"
INVERSION_OPTIONS: Mapping[str, Option] = {
    # costs are added up exactly: a number with very many digits could not be
    "inversion": Option(1.0, "cost of an inversion", most=10, digits=3, silent=True),
    "budget": Option(DEFAULT_BUDGET, "steps of the search", most=2**62, whole=True),
}


class ErrorRateMetric(Metric):
    """Distances to the nearest references, over the mean lengths of the references.

    Leusch, Ueffing & Ney 2003, equation 3, for a segment and for a corpus.

    >>> ErrorRateMetric("wer", tok="none").corpus_score(["x y a b c"], [["a b c x y"]]).value
    0.8
    >>> ErrorRateMetric("invwer", tok="none").corpus_score(["x y a b c"], [["a b c x y"]]).value
    0.2
    """

    RANGE = (0.0, float("inf"))
    higher_is_better = False
    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "wer": Variant(
            "insertions, deletions, substitutions",
            LEUSCH,
            "A block that moved costs up to twice its length: order errors are punished hard.",
        ),
        "per": Variant(
            "words missing or too many, whatever their order",
            LEUSCH,
            "It does not see word order at all: most of what wer has beyond it is order.",
        ),
        "cder": Variant(
            "as wer, but a jump within the translation costs 1",
            "Leusch, Ueffing & Ney 2006",
            "Words of the translation may be used twice or passed over, for no more than a jump.",
        ),
        "invwer": Variant(
            "as wer, but two neighbouring blocks change places for 1",
            LEUSCH,
            "Not a mathematical distance (the triangle inequality fails). Where its budget runs "
            "out, the cost of the best parse found counts; the score says for how many segments.",
        ),
    }

    @classmethod
    def allowed(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """A cost and a budget for invwer."""
        return {**(INVERSION_OPTIONS if name == "invwer" else {}), "case": CASE, "tok": TOK}

    def statistics(self, segments: Segments) -> Floats:
        """Errors, the mean length of the references, and whether the errors are only a bound."""
        tok, case = self.text
        pairs = segments.numbered(tok, case)
        threads = thread_count(segments.threads)
        lower = None
        if self.name == "wer":
            distances = levenshteins(pairs)
        elif self.name == "per":
            distances = bag_distances(pairs)
        elif self.name == "cder":
            distances = cders(pairs, threads)
        else:
            cost, budget = self.number("inversion"), int(self.number("budget"))
            lower, distances = inversion_bounds(pairs, budget, threads, cost)
        starts = segments.references.starts[:-1]
        errors = np.minimum.reduceat(distances, starts)
        least = errors if lower is None else np.minimum.reduceat(lower, starts)
        _, ref = segments.lengths(tok, case)
        lengths = np.add.reduceat(ref, starts) / segments.references.counts
        return np.stack([errors, lengths, least < errors], axis=1)

    def aggregate(self, sums: Floats) -> Floats:
        """Errors over lengths; against empty references 0 without errors, and else 1."""
        return rate(sums[..., 0], sums[..., 1])

    def inexact(self, sums: Floats) -> int:
        """For how many segments the budget ran out."""
        return int(sums[2])

    def fields(self, given_alignments: str) -> list[tuple[str, Value]]:
        """Text, and versions."""
        from hyperbaton import __version__

        tok, case = self.text
        return [*text_fields(tok, case), *tokenizer_version(tok), ("v", __version__)]
