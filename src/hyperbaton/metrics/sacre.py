"""BLEU, chrF and TER, as sacreBLEU computes them, ÷ 100; and the mean of sentence BLEU."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hyperbaton.edit.rates import rate
from hyperbaton.errors import MissingData
from hyperbaton.metrics.base import WEIGHT, Floats, MeanMetric, Metric, Variant
from hyperbaton.metrics.brevity import brevity_penalty
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.segments import Segments
from hyperbaton.metrics.signature import Signature, version_of
from hyperbaton.text.tokenizers import EXTRAS, NAMES

YES_NO = ("yes", "no")
EPS = 1e-16  # chrF's, where there is nothing to divide by
MIXED = Option("mixed", "lc: in lower case; mixed: as it is", ("lc", "mixed"))


def bleu(tok: str, case: str, order: int = 4) -> Any:
    """sacreBLEU's BLEU, for its statistics."""
    from sacrebleu.metrics.bleu import BLEU  # not before it is needed: it is slow to import

    try:
        return BLEU(
            lowercase=case == "lc",
            tokenize=tok,
            max_ngram_order=order,
            force=True,
        )
    except (RuntimeError, AssertionError) as error:
        raise MissingData(
            f"tokenizer {tok!r} needs MeCab and its dictionary: "
            f'pip install "sacrebleu[{EXTRAS[tok]}]"'
        ) from error


def extract(theirs: Any, segments: Segments, key: object) -> Floats:
    """sacreBLEU's statistics of each segment, made once for a ``key``, as are its references."""
    key = (type(theirs), key)
    return segments.once(("sacrebleu", key), lambda: _extracted(theirs, segments, key))


def _extracted(theirs: Any, segments: Segments, key: object) -> Floats:
    references = segments.references
    # The references are those of the batch, never those that the metric met before.
    theirs._ref_cache = references.once(key, lambda: theirs._cache_references(references.streams))
    rows = theirs._extract_corpus_statistics(list(segments.hypotheses.lines), None)
    theirs._ref_cache = None
    return np.array(rows, np.float64)


def bleu_values(sums: Floats, smooth: str = "exp", effective: bool = False) -> Floats:
    """BLEU ÷ 100 of sacreBLEU's summed statistics, along the last axis.

    It is sacreBLEU's formula for many rows at once, since samples come by the thousand.
    """
    orders = (sums.shape[-1] - 2) // 2
    system, reference = sums[..., 0], sums[..., 1]
    correct, total = sums[..., 2 : 2 + orders], sums[..., 2 + orders :]
    logs = np.zeros(sums.shape[:-1])
    counted = np.zeros(sums.shape[:-1])  # orders of which there are n-grams
    share = np.ones(sums.shape[:-1])
    for n in range(orders):
        there = total[..., n] > 0
        none = there & (correct[..., n] == 0)
        share = np.where(none, share / 2, share)
        smoothed = share if smooth == "exp" else 0.0
        precision = np.where(none, smoothed, correct[..., n]) / np.where(there, total[..., n], 1)
        with np.errstate(divide="ignore"):
            logs += np.where(there, np.log(precision), 0.0 if effective else -np.inf)
        counted += there
    counted = np.maximum(counted, 1) if effective else orders
    values = brevity_penalty(system, reference) * np.exp(logs / counted)
    # without a match it is 0, and rounding may leave a little more than 1
    return np.where(correct.any(axis=-1), np.minimum(values, 1.0), 0.0)


def chrf_values(sums: Floats, beta: float, effective: bool) -> Floats:
    """chrF ÷ 100 of sacreBLEU's summed statistics, along the last axis."""
    counts = sums.reshape(*sums.shape[:-1], -1, 3)
    hyp, ref, match = counts[..., 0], counts[..., 1], counts[..., 2]
    factor = beta**2
    precision = np.where(hyp > 0, match / np.where(hyp > 0, hyp, 1), 0.0 if effective else EPS)
    recall = np.where(ref > 0, match / np.where(ref > 0, ref, 1), 0.0 if effective else EPS)
    if effective:  # the mean over the orders that both sides have
        both = (hyp > 0) & (ref > 0)
        orders = np.maximum(both.sum(axis=-1), 1)
        precision = np.where(both, precision, 0.0).sum(axis=-1) / orders
        recall = np.where(both, recall, 0.0).sum(axis=-1) / orders
    below = factor * precision + recall
    some = below > 0
    scores = np.where(some, (1 + factor) * precision * recall / np.where(some, below, 1), 0.0)
    if not effective:
        scores = np.where(some, scores, EPS).mean(axis=-1)
    return np.minimum(scores, 1.0)


class SacreMetric(Metric):
    """A metric of sacreBLEU, with its tokens, its case and its signature."""

    def check(self) -> None:
        """Say at once if a tokeniser is missing."""
        self._theirs  # noqa: B018

    @cached_property
    def _theirs(self) -> Any:
        return self.make()

    def make(self) -> Any:
        """sacreBLEU's object."""
        raise NotImplementedError

    def statistics(self, segments: Segments) -> Floats:
        """sacreBLEU's statistics."""
        return extract(self._theirs, segments, tuple(self.options.items()))

    def _option_fields(self, given_alignments: str) -> list[tuple[str, Value]]:
        return []

    def fields(self, given_alignments: str) -> list[tuple[str, Value]]:
        """What sacreBLEU's own signature says, and in its order."""
        return [*self.own_fields(), ("version", version_of("sacrebleu"))]

    def own_fields(self) -> list[tuple[str, Value]]:
        """The options, as sacreBLEU orders them."""
        return [(key, value) for key, value in self.options.items() if value is not None]


SMOOTH = Option("exp", "sacreBLEU's smoothing", ("exp", "none"))


class Bleu(SacreMetric):
    """BLEU of sacreBLEU ÷ 100.

    >>> round(Bleu().sentence_score("the cat sat on the mat", ["the cat sat on a mat"]).value, 4)
    0.5373
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "bleu": Variant(
            "n-grams in common, as sacreBLEU counts them",
            "Papineni et al. 2002; Post 2018",
            "It sees order only within four words, and knows no synonym.",
        )
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "case": MIXED,
        "tok": Option(None, "sacreBLEU's tokeniser; default: the language's, or 13a", NAMES),
        "smooth": SMOOTH,
    }
    effective: ClassVar[bool] = False

    def make(self) -> Any:
        """BLEU()."""
        return bleu(*self.text)

    def aggregate(self, sums: Floats) -> Floats:
        """BLEU of the counts."""
        return bleu_values(sums, self.word("smooth"), self.effective)

    def own_fields(self) -> list[tuple[str, Value]]:
        """With whether the order is effective, which it is for sentences only."""
        tok, case = self.text
        eff = "yes" if self.effective else "no"
        return [("case", case), ("eff", eff), ("tok", tok), ("smooth", self.word("smooth"))]

    def segment_values(self, statistics: Floats) -> Floats:
        """Sentence BLEU, of effective order, as sacreBLEU advises."""
        return bleu_values(statistics, self.word("smooth"), effective=True)

    def segment_signature(self, references: int | str | None) -> Signature:
        """Of effective order."""
        signature = self.signature(references)
        signature.update("eff", "yes")
        return signature


class AvgBleu(MeanMetric, Bleu):
    """The mean of sentence BLEU (sacreBLEU's, of effective order), ÷ 100."""

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "avgbleu": Variant(
            "mean of sentence BLEU",
            "Leusch, Ueffing & Ney 2003; Post 2018",
            "Not BLEU: corpus BLEU sums counts first, and the two are not comparable.",
        )
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "weight": WEIGHT,
        "case": MIXED,
        "tok": Bleu.OPTIONS["tok"],
        "smooth": SMOOTH,
    }

    effective = True

    def _option_fields(self, given_alignments: str) -> list[tuple[str, Value]]:
        return [("weight", self.word("weight"))]

    def statistics(self, segments: Segments) -> Floats:
        """Sentence BLEU × weight, and the weight: 1, or the length of the closest reference."""
        rows = super().statistics(segments)
        values = bleu_values(rows, self.word("smooth"), effective=True)
        weights = rows[:, 1] if self.options["weight"] == "ref" else np.ones(len(rows))
        return self.weigh(values, weights)


class Chrf(SacreMetric):
    """chrF of sacreBLEU ÷ 100; with ``nw=2`` it is chrF++."""

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "chrf": Variant(
            "characters in common",
            "Popović 2015; Post 2018",
            "It hardly sees word order: only what crosses a space within six characters.",
        )
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "beta": Option(2, "weight of recall", least=1, most=100, whole=True),
        "case": MIXED,
        "eff": Option("yes", "effective order", YES_NO),
        "nc": Option(6, "characters", least=1, most=100, whole=True),
        "nw": Option(0, "words; 2 is chrF++", most=100, whole=True),
        "space": Option("no", "count white space, too", YES_NO),
    }

    def make(self) -> Any:
        """CHRF()."""
        from sacrebleu.metrics.chrf import CHRF

        options = self.options
        return CHRF(
            char_order=int(self.number("nc")),
            word_order=int(self.number("nw")),
            beta=int(self.number("beta")),
            lowercase=options["case"] == "lc",
            whitespace=options["space"] == "yes",
            eps_smoothing=options["eff"] == "no",
        )

    def aggregate(self, sums: Floats) -> Floats:
        """chrF of the counts."""
        return chrf_values(sums, self.number("beta"), self.word("eff") == "yes")

    def own_fields(self) -> list[tuple[str, Value]]:
        """β, too, if it is not chrF2's: sacreBLEU has it in the name."""
        return [field for field in super().own_fields() if field != ("beta", 2)]


class Ter(SacreMetric):
    """TER of sacreBLEU ÷ 100."""

    RANGE = (0.0, float("inf"))
    higher_is_better = False
    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "ter": Variant(
            "edits and shifts, over the reference's length",
            "Snover et al. 2006; Post 2018",
            "Its shifts are found greedily, so that it may be more than needed, and slowly. By "
            "default it splits at white space only: its words are not those of wer.",
        )
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "case": Option("lc", MIXED.meaning, MIXED.choices),
        "norm": Option("no", "normalise as tercom does", YES_NO),
        "punct": Option("yes", "keep punctuation", YES_NO),
        "asian": Option("no", "split Asian characters, if norm=yes or punct=no", YES_NO),
    }

    def make(self) -> Any:
        """TER()."""
        from sacrebleu.metrics.ter import TER

        options = self.options
        return TER(
            normalized=options["norm"] == "yes",
            no_punct=options["punct"] == "no",
            asian_support=options["asian"] == "yes",
            case_sensitive=options["case"] == "mixed",
        )

    def aggregate(self, sums: Floats) -> Floats:
        """Edits over lengths; against empty references 0 without edits, and else 1."""
        return rate(sums[..., 0], sums[..., 1])

    def own_fields(self) -> list[tuple[str, Value]]:
        """With the only tokeniser that TER has."""
        case, *others = super().own_fields()
        return [case, ("tok", "tercom"), *others]
