"""Metrics that combine order and words: FullMetric, SenScore and LRscore."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hyperbaton.metrics.linking import Linking
from hyperbaton.metrics.metric import Floats, TokenMetric, Variant, brevity_penalty, variant
from hyperbaton.metrics.options import Option
from hyperbaton.metrics.order_metrics import PERMUTATION_OPTIONS, PermutationOrder, measure_options
from hyperbaton.metrics.parts import Fields, Part, PartSignature
from hyperbaton.metrics.sacrebleu_metrics import bleu_statistics, bleu_values
from hyperbaton.metrics.signature import Provenance, package_version
from hyperbaton.metrics.soft_order import SOFT, SoftOrdering
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.softorder.characters import character_overlap
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch

COMBINE = Option(
    "sum",
    "sum: alpha·words + (1 − alpha)·order; product: words^alpha · order^(1 − alpha)",
    ("sum", "product"),
)
LRSCORE = variant("lrscore", defaults={"bp": "system", "nulls": "paper"})


@dataclass(frozen=True, eq=False)
class SharedWords(Part):
    """The words that both sides have, of each pair by itself.

    Attributes
    ----------
    lexical : str
        The option of this name.
    tokenization : Tokenization
        How lines become words.
    """

    lexical: str
    tokenization: Tokenization

    @property
    def follows_sacrebleu(self) -> bool:
        """Whether the words are counted as sacreBLEU counts them."""
        return self.lexical == "bleu4"

    def signature(self, provenance: Provenance) -> PartSignature:
        """Return the smoothing of sentence BLEU, and the version that is followed."""
        smooth: Fields = (("smooth", "exp"),) if self.lexical == "bleu4" else ()
        version: Fields = (("sacrebleu", package_version("sacrebleu")),)
        return PartSignature(method=smooth, versions=version if self.follows_sacrebleu else ())

    def values(self, batch: Batch) -> Floats:
        """Return the measure of words of each pair."""
        hyp, ref = batch.lengths(self.tokenization)
        if self.lexical == "bleu4":
            return bleu_values(bleu_statistics(batch.pairs(), self.tokenization), effective=True)
        if self.lexical == "chars":
            # The case of letters counts, whatever counts for order.
            words = batch.word_pairs(self.tokenization.as_written())
            return character_overlap(*words, thread_count(batch.threads))
        shared = batch.overlaps(self.tokenization)
        values: Floats
        if self.lexical == "f1":
            values = 2 * shared / np.maximum(hyp + ref, 1)
        else:
            values = shared / np.maximum(hyp, 1) * brevity_penalty(hyp, ref)
        return values


class CorpusWords(SharedWords):
    """The words that both sides have, counted over the corpus."""

    @property
    def follows_sacrebleu(self) -> bool:
        """Whether the words are counted as sacreBLEU counts them."""
        return self.lexical != "f1"

    def statistics(self, batch: Batch) -> Floats:
        """Return the counts of each segment."""
        if self.follows_sacrebleu:
            return bleu_statistics(batch, self.tokenization, int(self.lexical[-1]))
        hyp, ref = batch.lengths(self.tokenization)
        shared = batch.overlaps(self.tokenization)
        best = batch.best(self.values(batch))
        return np.stack([shared[best], hyp[best] + ref[best]], axis=1).astype(np.float64)

    def aggregate(self, sums: Floats, effective: bool) -> Floats:
        """Return the measure of words from summed counts, along the last axis."""
        if self.follows_sacrebleu:
            return bleu_values(sums, effective=effective)
        values: Floats = 2 * sums[..., 0] / np.maximum(sums[..., 1], 1)
        return values


class Composite(TokenMetric):
    """α·lexical + (1 − α)·ordering of each segment, then averaged.

    The part for order is bp·ordering(π), or ``soft``: that of the metric ``order``, which needs no
    alignment.
    """

    ORDER: ClassVar[str]  # default measure of order
    WORDS: ClassVar[str]  # default measure of words
    LEXICAL: ClassVar[tuple[str, ...]] = ("bleu1", "bleu4", "f1", "chars")
    ALPHA: ClassVar[str] = "weight of words; 1 − alpha is the weight of order"

    @classmethod
    def options_for(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """Return the options of the chosen measure of order, and those of the combination."""
        order = Option(cls.ORDER, "measure of order", (*MEASURES, SOFT))
        chosen = order.read(f"{name}: order", given.get("order", cls.ORDER))
        is_soft = chosen == SOFT
        return {
            "order": order,
            **(SoftOrdering.OPTIONS if is_soft else measure_options(str(chosen))),
            "lexical": Option(cls.WORDS, "measure of words", cls.LEXICAL),
            "alpha": Option(0.5, cls.ALPHA),
            **(TokenMetric.OPTIONS if is_soft else PERMUTATION_OPTIONS),
        }

    @cached_property
    def order(self) -> PermutationOrder | SoftOrdering:
        """The part for order."""
        measure = self.text_option("order")
        if measure == SOFT:
            return SoftOrdering.of(self)
        return PermutationOrder.of(self, measure, Linking.of(self))

    @cached_property
    def words(self) -> SharedWords:
        """The part for words."""
        return SharedWords(self.text_option("lexical"), self.tokenization)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The tokens, their order, and the words."""
        return *super().parts, self.order, self.words

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        values = self.combine(self.words.values(batch), self.order.values(batch))
        return self.best_statistics(batch, values)

    def combine(self, words: Floats, order: Floats) -> Floats:
        """Return the value of each pair."""
        alpha = self.number_option("alpha")
        return alpha * words + (1 - alpha) * order


class Full(Composite):
    """FullMetric: α·BLEU1 + (1 − α)·bp·ordering(π) (Stanojević & Sima'an 2014, equation 2).

    BLEU1 is clipped unigram precision × BLEU's brevity penalty, for each sentence. It counts the
    tokens that are aligned, folded and without punctuation if the options say so; BLEU4 is
    sacreBLEU's, of the text as written. ``chars`` is F₂ of character n-grams within words, for n up
    to 4; it knows the case of letters, and is blind to order.

    With ``combine=product`` it is BLEU1^α · (bp·ordering(π))^(1 − α).

    ``hyper`` is the same metric with other defaults: chars and the metric ``order``, with α = 0.8.

    >>> round(Full(tok="none", order="kendall").sentence_score("b a c", ["a b c"]).value, 4)
    0.8333
    >>> Full("hyper", precedence="off").sentence_score("the dog saw it", ["the dog saw it"]).value
    1.0
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "full": variant("full"),
        "hyper": variant(
            "hyper",
            defaults={"order": SOFT, "lexical": "chars", "alpha": 0.8, "bp": "off"},
        ),
    }
    ORDER, WORDS = "pef", "bleu1"

    @classmethod
    def options_for(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """Return the options of all composites, and how words and order are combined."""
        return {**super().options_for(name, given), "combine": COMBINE}

    def combine(self, words: Floats, order: Floats) -> Floats:
        """Return the value of each pair: a weighted sum, or a weighted product."""
        if self.text_option("combine") == "sum":
            return super().combine(words, order)
        alpha = self.number_option("alpha")
        values: Floats = words**alpha * order ** (1 - alpha)
        return values


class SenScore(Composite):
    """SenScore: α·F1 + (1 − α)·bp·ordering(π), weighted by \\|ref\\| (Stanojević & Sima'an 2016).

    F1 compares the two sentences as bags of words: the tokens that are aligned, folded and without
    punctuation if the options say so.

    >>> round(SenScore(tok="none", order="kendall").sentence_score("b a c", ["a b c"]).value, 4)
    0.8333
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "senscore": variant("senscore", defaults={"weight": "ref"})
    }
    ORDER, WORDS = "pet_size", "f1"


class LRscore(Composite):
    """LRscore: α·R + (1 − α)·BLEU (Birch & Osborne 2010). Here α weighs order.

    R is bp·ordering(π), averaged over segments. BLEU is that of the corpus; the value of a single
    segment uses smoothed sentence BLEU. It is sacreBLEU's, of the text as written: the options fold
    and punct change the order part alone. The paper tuned α and does not print it: 0.5 here.

    >>> metric = LRscore("lr_kb1", tok="none")
    >>> round(metric.sentence_score("b a c", ["a b c"]).value, 4)
    0.8333
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "lrscore": LRSCORE,
        **{
            f"lr_{letter}b{n}": replace(
                LRSCORE,
                description=f"LRscore with {order} and BLEU{n}",
                defaults={**LRSCORE.defaults, "order": order, "lexical": f"bleu{n}"},
                example="",
            )
            for letter, order in (("h", "hamming"), ("k", "kendall"))
            for n in (1, 4)
        },
    }
    ORDER, WORDS = "kendall", "bleu4"
    ALPHA = "weight of order; 1 − alpha is the weight of words"

    LEXICAL = ("bleu1", "bleu4", "f1")

    @cached_property
    def words(self) -> CorpusWords:
        """The part for words."""
        return CorpusWords(self.text_option("lexical"), self.tokenization)

    def statistics(self, batch: Batch) -> Floats:
        """Return R × weight, the weight, R, and the statistics of the words."""
        order = self.best_statistics(batch, self.order.values(batch))
        return np.hstack([order, self.words.statistics(batch)])

    def aggregate(self, sums: Floats) -> Floats:
        """Return the combination of mean R and the words of the corpus."""
        return self._combine(super().aggregate(sums), sums, effective=False)

    def segment_values(self, statistics: Floats) -> Floats:
        """Return the combination of R and sentence BLEU of each segment."""
        return self._combine(statistics[:, 2], statistics, effective=True)

    def _combine(self, order: Floats, sums: Floats, effective: bool) -> Floats:
        alpha = self.number_option("alpha")
        return alpha * order + (1 - alpha) * self.words.aggregate(sums[..., 3:], effective)
