"""Error rates as metrics: WER, PER, CDER and invWER."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hyperbaton.edit.distances import DEFAULT_BUDGET
from hyperbaton.edit.rates import nearest_errors, rate
from hyperbaton.metrics.metric import CASE, FOLD, TOK, Floats, Metric, Variant, variant
from hyperbaton.metrics.options import Option
from hyperbaton.metrics.parts import Needs

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch

INVERSION_OPTIONS: Mapping[str, Option] = {
    # Costs are added up exactly, which numbers with very many digits would not allow.
    "inversion": Option(1.0, "cost of an inversion", most=10, digits=3, silent=True),
    "budget": Option(DEFAULT_BUDGET, "steps of the search", most=2**62, whole=True),
}


class ErrorRateMetric(Metric):
    """Distances to the nearest references, divided by the mean lengths of the references.

    Leusch, Ueffing & Ney 2003, equation 3, for a segment and for a corpus.

    >>> ErrorRateMetric("wer", tok="none").corpus_score(["x y a b c"], [["a b c x y"]]).value
    0.8
    >>> ErrorRateMetric("invwer", tok="none").corpus_score(["x y a b c"], [["a b c x y"]]).value
    0.2
    """

    RANGE = (0.0, float("inf"))
    higher_is_better = False
    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        **{name: variant(name) for name in ("wer", "per", "cder")},
        "invwer": variant("invwer", slow=True),
    }

    @classmethod
    def options_for(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """Return the options; only invwer has a cost and a budget."""
        inversion = INVERSION_OPTIONS if name == "invwer" else {}
        return {**inversion, "case": CASE, "tok": TOK, "fold": FOLD}

    @property
    def needs(self) -> Needs:
        """Nothing, and several threads if the tokeniser allows them."""
        return Needs(thread_safe=self.tokenization.thread_safe)

    def statistics(self, batch: Batch) -> Floats:
        """Return errors, the mean length of the references, and whether errors are a bound."""
        options = {key: value for key, value in self.options.items() if key in INVERSION_OPTIONS}
        pairs, starts = batch.numbered(self.tokenization), batch.references.starts[:-1]
        segments = nearest_errors(self.name, pairs, starts, threads=batch.threads, **options)  # type: ignore[arg-type]
        return np.stack([segments.errors, segments.lengths, segments.inexact], axis=1)

    def aggregate(self, sums: Floats) -> Floats:
        """Return errors / lengths; for empty references 0 without errors, else 1."""
        return rate(sums[..., 0], sums[..., 1])

    def inexact(self, sums: Floats) -> int:
        """Return the number of segments for which the budget ran out."""
        return int(sums[2])
