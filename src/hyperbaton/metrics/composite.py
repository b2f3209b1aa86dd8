"""Order and words together: FullMetric, SenScore and LRscore."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hyperbaton.metrics.base import Floats, Variant
from hyperbaton.metrics.brevity import brevity_penalty
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.order import (
    ALIGNED_OPTIONS,
    PAPER_2014,
    PAPER_2016,
    PermutationMetric,
    order_options,
)
from hyperbaton.metrics.sacre import bleu, bleu_values, extract
from hyperbaton.metrics.segments import Segments
from hyperbaton.metrics.signature import version_of

LEXICAL = ("bleu1", "bleu4", "f1")
BIRCH = "Birch & Osborne 2010"
LR_CAUTION = (
    "alpha is the weight of order, not of words as in full and senscore. The paper compares "
    "reorderings of the source, and so does this if it is given the alignments with it (--source); "
    "otherwise it aligns system and reference."
)


class Composite(PermutationMetric):
    """A part for order and a part for words, put together with a weight α."""

    ORDER: ClassVar[str]
    WORDS: ClassVar[str]

    @classmethod
    def allowed(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """With the options of the measure of order that is chosen."""
        order, of_measure = order_options(given, cls.ORDER)
        return {
            **order,
            **of_measure,
            "lexical": Option(cls.WORDS, "the measure of words", LEXICAL),
            "alpha": Option(0.5, cls.ALPHA),
            **ALIGNED_OPTIONS,
        }

    ALPHA: ClassVar[str] = "weight of the words; 1 − alpha is that of order"

    def fields(self, given_alignments: str) -> list[tuple[str, Value]]:
        """With the smoothing of sentence BLEU, where there is any."""
        fields = super().fields(given_alignments)
        if self.options["lexical"] == "bleu4":
            fields.insert(0, ("smooth", "exp"))
        if self.uses_sacrebleu and "sacrebleu" not in dict(fields):
            fields.insert(-1, ("sacrebleu", version_of("sacrebleu")))
        return fields

    @property
    def uses_sacrebleu(self) -> bool:
        """Whether sacreBLEU counts the words."""
        return self.options["lexical"] == "bleu4"

    @cached_property
    def _bleu(self) -> Any:
        return bleu(*self.text, int(self.word("lexical")[-1]))


class Sentence(Composite):
    """α·lexical + (1 − α)·bp·ordering(π) of each segment, then averaged."""

    def statistics(self, segments: Segments) -> Floats:
        """The best value over references, and its weight."""
        alpha = self.number("alpha")
        values = alpha * self.lexical(segments) + (1 - alpha) * self.ordering(segments)
        return self.weighted(segments, values)

    def lexical(self, segments: Segments) -> Floats:
        """The measure of words, of each pair."""
        hyp, ref = segments.lengths(*self.text)
        if self.options["lexical"] == "bleu4":
            pairs = segments.pairs()
            return bleu_values(extract(self._bleu, pairs, self.text), effective=True)
        shared = segments.overlaps(*self.text)
        values: Floats
        if self.options["lexical"] == "f1":
            values = 2 * shared / np.maximum(hyp + ref, 1)
        else:
            values = shared / np.maximum(hyp, 1) * brevity_penalty(hyp, ref)
        return values


class Full(Sentence):
    """FullMetric: α·BLEU1 + (1 − α)·bp·ordering(π) (Stanojević & Sima'an 2014, equation 2).

    BLEU1 is clipped unigram precision × BLEU's brevity penalty, of the sentence.

    >>> round(Full(tok="none", order="kendall").sentence_score("b a c", ["a b c"]).value, 4)
    0.8333
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "full": Variant(
            "words (BLEU1) and order, of each sentence",
            PAPER_2014,
            "Half of it is words: two systems may differ in it and not in order. Set order= to any "
            "measure, alpha= to the weight of words.",
        )
    }
    ORDER, WORDS = "pef", "bleu1"


class SenScore(Sentence):
    """SenScore: α·F1 + (1 − α)·bp·ordering(π), weighted by \\|ref\\| (Stanojević & Sima'an 2016).

    F1 is that of the two sentences as bags of words.

    >>> round(SenScore(tok="none", order="kendall").sentence_score("b a c", ["a b c"]).value, 4)
    0.8333
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "senscore": Variant(
            "words (F1) and order, of each sentence; long ones count more",
            PAPER_2016,
            "With its default order=pet_size it says how far the order factorizes, so that a "
            "reversed sentence is not punished.",
            {"weight": "ref"},
        )
    }
    ORDER, WORDS = "pet_size", "f1"


class LRscore(Composite):
    """LRscore: α·R + (1 − α)·BLEU (Birch & Osborne 2010); here α is on the side of order.

    R is bp·ordering(π), averaged over segments, BLEU that of the corpus. The value of one segment
    has smoothed sentence BLEU in it. The paper's α were tuned and are not printed: 0.5 here.

    >>> metric = LRscore("lr_kb1", tok="none")
    >>> round(metric.sentence_score("b a c", ["a b c"]).value, 4)
    0.8333
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "lrscore": Variant(
            "order averaged over segments, and BLEU of the corpus",
            BIRCH,
            LR_CAUTION,
            {"bp": "system", "nulls": "paper"},
        ),
        **{
            f"lr_{letter}b{n}": Variant(
                f"LRscore of {order} and BLEU{n}",
                BIRCH,
                LR_CAUTION,
                {"bp": "system", "nulls": "paper", "order": order, "lexical": f"bleu{n}"},
            )
            for letter, order in (("h", "hamming"), ("k", "kendall"))
            for n in (1, 4)
        },
    }
    ORDER, WORDS = "kendall", "bleu4"
    ALPHA = "weight of order; 1 − alpha is that of words"

    @property
    def uses_sacrebleu(self) -> bool:
        """Whether sacreBLEU counts the words."""
        return self.options["lexical"] != "f1"

    def statistics(self, segments: Segments) -> Floats:
        """R × weight, the weight, R, and the statistics of the words."""
        return np.hstack([self.weighted(segments, self.ordering(segments)), self._words(segments)])

    def _words(self, segments: Segments) -> Floats:
        if self.options["lexical"] != "f1":
            order = self.options["lexical"]
            return extract(self._bleu, segments, (order, *self.text))
        hyp, ref = segments.lengths(*self.text)
        shared = segments.overlaps(*self.text)
        best = segments.best(2 * shared / np.maximum(hyp + ref, 1))
        return np.stack([shared[best], hyp[best] + ref[best]], axis=1).astype(np.float64)

    def aggregate(self, sums: Floats) -> Floats:
        """Mean R and the words of the corpus."""
        return self._together(super().aggregate(sums), sums, effective=False)

    def segment_values(self, statistics: Floats) -> Floats:
        """R and sentence BLEU of each segment."""
        return self._together(statistics[:, 2], statistics, effective=True)

    def _together(self, order: Floats, sums: Floats, effective: bool) -> Floats:
        alpha = self.number("alpha")
        if self.options["lexical"] == "f1":
            words = 2 * sums[..., 3] / np.maximum(sums[..., 4], 1)
        else:
            words = bleu_values(sums[..., 3:], effective=effective)
        return alpha * order + (1 - alpha) * words
