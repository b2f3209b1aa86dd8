"""BLEU, chrF and TER as sacreBLEU computes them, ÷ 100, and the mean of sentence BLEU.

The core counts what sacreBLEU counts. sacreBLEU is the specification: the tests compare both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.edit.rates import nearest_errors, rate
from hyperbaton.metrics.batches import Batch, ReferenceTexts, Texts
from hyperbaton.metrics.metric import (
    CASE,
    TOK,
    WEIGHT,
    Floats,
    MeanMetric,
    Metric,
    Variant,
    brevity_penalty,
    variant,
)
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.parts import (
    NO_VALUES,
    Fields,
    Needs,
    Part,
    PartSignature,
    tokenizer_fields,
)
from hyperbaton.metrics.signature import Provenance, package_version
from hyperbaton.text.tokenization import Tokenization, check_tokenizer, sacrebleu_tokenizer
from hyperbaton.text.words import as_utf8
from hyperbaton.threads import thread_count

YES_NO = ("yes", "no")
EPS = 1e-16  # sacreBLEU's chrF uses it where there is nothing to divide by
MIXED = replace(CASE, default="mixed")
# sacreBLEU's own default, so that the number is the one that sacreBLEU gives.
SACREBLEU_TOK = replace(TOK, derive=lambda language, _: sacrebleu_tokenizer(language))


def bleu_statistics(batch: Batch, text: Tokenization, longest: int = 4) -> Floats:
    """Return sacreBLEU's statistics of n-grams of words, of each segment.

    They are both lengths, the n-grams that match, and all n-grams of the hypothesis. The words are
    those of the text as written: only the tokeniser and the case of letters count.
    """
    text = Tokenization(text.tok, text.case)
    hyp, ref = batch.words(text)
    key, threads = ("bleu", text, longest), thread_count(batch.threads)
    references = batch.references.memoize(
        key,
        _core.BleuReferences,
        ref.numbers,
        ref.offsets,
        batch.references.starts,
        longest,
        threads,
    )
    flat = batch.memoize(key, references.statistics, hyp.numbers, hyp.offsets, threads)
    return flat.reshape(len(batch), 2 + 2 * longest)


def bleu_precisions(sums: Floats, smooth: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the precision of each n-gram order, and whether there are such n-grams."""
    orders = (sums.shape[-1] - 2) // 2
    correct, total = sums[..., 2 : 2 + orders], sums[..., 2 + orders :]
    has_ngrams = total > 0
    unmatched = has_ngrams & (correct == 0)
    # What counts where there is no match: 1/2, 1/4, …
    smoothed = 0.5 ** np.cumsum(unmatched, axis=-1) if smooth == "exp" else 0.0
    matches = np.where(unmatched, smoothed, correct)
    return matches / np.where(has_ngrams, total, 1), has_ngrams


def has_match(sums: Floats) -> npt.NDArray[np.bool_]:
    """Return whether any n-gram matches; otherwise BLEU is 0, and nothing is smoothed."""
    matched = sums[..., 2 : 1 + sums.shape[-1] // 2]
    return np.asarray(matched.any(axis=-1))


def bleu_values(sums: Floats, smooth: str = "exp", effective: bool = False) -> Floats:
    """Return BLEU ÷ 100 from sacreBLEU's summed statistics, along the last axis.

    This is sacreBLEU's formula for many rows at once, since samples come by the thousand.
    """
    precisions, has_ngrams = bleu_precisions(sums, smooth)
    with np.errstate(divide="ignore"):
        logs = np.where(has_ngrams, np.log(precisions), 0.0 if effective else -np.inf)
    orders = np.maximum(has_ngrams.sum(axis=-1), 1) if effective else has_ngrams.shape[-1]
    values = brevity_penalty(sums[..., 0], sums[..., 1]) * np.exp(logs.sum(axis=-1) / orders)
    # Rounding may leave a little more than 1.
    return np.where(has_match(sums), np.minimum(values, 1.0), 0.0)


def chrf_values(sums: Floats, beta: float, effective: bool) -> Floats:
    """Return chrF ÷ 100 from sacreBLEU's summed statistics, along the last axis."""
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
    denominator = factor * precision + recall
    defined = denominator > 0
    f_scores = (1 + factor) * precision * recall / np.where(defined, denominator, 1)
    scores = np.where(defined, f_scores, 0.0)
    if not effective:
        scores = np.where(defined, scores, EPS).mean(axis=-1)
    return np.minimum(scores, 1.0)


@dataclass(frozen=True, eq=False)
class SacrebleuPart(Part):
    """What sacreBLEU's own metric says in its signature, which is ours.

    Attributes
    ----------
    fields : tuple of (key, value)
        The options in the order of sacreBLEU's signature.
    hidden : frozenset of str
        The options that are among them.
    segment_fields : mapping
        The fields that differ for sentences.
    """

    fields: Fields
    hidden: frozenset[str]
    segment_fields: Mapping[str, Value] = field()  # no default, unlike other parts

    def signature(self, provenance: Provenance) -> PartSignature:
        """Return what sacreBLEU's signature says."""
        return PartSignature(self.hidden, text=self.fields)


class SacreMetric(Metric):
    """A metric of sacreBLEU, with sacreBLEU's tokens, case and signature."""

    SENTENCE_FIELDS: ClassVar[Mapping[str, Value]] = NO_VALUES

    @property
    def needs(self) -> Needs:
        """Nothing, and several threads if the tokeniser allows them."""
        return Needs(thread_safe=self.tokenization.thread_safe)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """sacreBLEU's signature. Making it raises an error if a tokeniser is missing."""
        check_tokenizer(self.tokenization.tok)
        # The package of the tokeniser, if it is not sacreBLEU's.
        owners = tokenizer_fields(self.tokenization) if "tok" in self.options else ()
        others = (field for field in owners if field[0] != "sacrebleu")
        fields = (*self.sacrebleu_fields(), *others)
        hidden = frozenset(self.options) - {"weight"}
        return (SacrebleuPart(fields, hidden, self.SENTENCE_FIELDS),)

    def sacrebleu_fields(self) -> list[tuple[str, Value]]:
        """Return the options in sacreBLEU's order."""
        return [(key, value) for key, value in self.options.items() if value is not None]

    def _program_field(self) -> tuple[str, Value]:
        return "version", package_version("sacrebleu")


SMOOTH = Option("exp", "sacreBLEU's smoothing", ("exp", "none"))


class Bleu(SacreMetric):
    """BLEU of sacreBLEU ÷ 100.

    >>> round(Bleu().sentence_score("the cat sat on the mat", ["the cat sat on a mat"]).value, 4)
    0.5373
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {"bleu": variant("bleu")}
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "case": MIXED,
        "tok": SACREBLEU_TOK,
        "smooth": SMOOTH,
    }
    SENTENCE_FIELDS = MappingProxyType({"eff": "yes"})
    effective: ClassVar[bool] = False

    def statistics(self, batch: Batch) -> Floats:
        """Return sacreBLEU's statistics."""
        return bleu_statistics(batch, self.tokenization)

    def details(self, sums: Floats) -> dict[str, int | float | list[float]]:
        """Return the precisions with smoothing, the brevity penalty and both lengths."""
        system, reference = sums[0], sums[1]
        precisions, _ = bleu_precisions(sums, self.text_option("smooth"))
        return {
            "precisions": (precisions * has_match(sums)).tolist(),
            "brevity_penalty": float(brevity_penalty(system, reference)),
            "system_length": int(system),
            "reference_length": int(reference),
        }

    def aggregate(self, sums: Floats) -> Floats:
        """Return BLEU of the counts."""
        return bleu_values(sums, self.text_option("smooth"), self.effective)

    def sacrebleu_fields(self) -> list[tuple[str, Value]]:
        """Return the options, and whether the n-gram order is effective: only for sentences."""
        keys = ("case", "tok", "smooth")
        case, *others = ((key, self.text_option(key)) for key in keys)
        return [case, ("eff", "yes" if self.effective else "no"), *others]

    def segment_values(self, statistics: Floats) -> Floats:
        """Return sentence BLEU of effective order, as sacreBLEU advises."""
        return bleu_values(statistics, self.text_option("smooth"), effective=True)


class AvgBleu(MeanMetric, Bleu):
    """The mean of sacreBLEU's sentence BLEU (effective order) ÷ 100."""

    VARIANTS: ClassVar[Mapping[str, Variant]] = {"avgbleu": variant("avgbleu")}
    OPTIONS: ClassVar[Mapping[str, Option]] = {"weight": WEIGHT, **Bleu.OPTIONS}

    effective = True

    def details(self, sums: Floats) -> dict[str, int | float | list[float]]:
        """Return nothing: a mean is not computed from counts."""
        return {}

    def statistics(self, batch: Batch) -> Floats:
        """Return sentence BLEU × weight, and the weight: 1, or the closest reference length."""
        rows = super().statistics(batch)
        values = bleu_values(rows, self.text_option("smooth"), effective=True)
        weights = rows[:, 1] if self.options["weight"] == "ref" else np.ones(len(rows))
        return self.weighted_statistics(values, weights)


class Chrf(SacreMetric):
    """chrF of sacreBLEU ÷ 100; with ``nw=2`` it is chrF++."""

    VARIANTS: ClassVar[Mapping[str, Variant]] = {"chrf": variant("chrf")}
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "beta": Option(2, "weight of recall", least=1, most=100, whole=True),
        "case": MIXED,
        "eff": Option("yes", "effective order", YES_NO),
        "nc": Option(6, "characters", least=1, most=100, whole=True),
        "nw": Option(0, "words; 2 is chrF++", most=100, whole=True),
        "space": Option("no", "count white space", YES_NO),
    }

    def statistics(self, batch: Batch) -> Floats:
        """Return sacreBLEU's statistics.

        They are the n-grams of the hypothesis, of the reference and of both, of each length. White
        space at the end of a line is dropped, as sacreBLEU's command line does for files.
        """
        options = self.options
        characters, words = (int(self.number_option(name)) for name in ("nc", "nw"))
        key, threads = ("chrf", *options.items()), thread_count(batch.threads)
        references = batch.references.memoize(
            key,
            _core.ChrfReferences,
            self._lines(batch.references),
            batch.references.starts,
            characters,
            words,
            options["space"] == "yes",
            self.number_option("beta"),
            options["eff"] == "yes",
            threads,
        )
        flat = batch.memoize(key, references.statistics, self._lines(batch.hypotheses), threads)
        return flat.reshape(len(batch), 3 * (characters + words))

    def _lines(self, texts: Texts) -> _core.Lines:
        """Return the lines whose characters count."""
        if self.options["case"] == "mixed":
            return texts.utf8
        return texts.memoize("lower case", lambda: as_utf8([line.lower() for line in texts.lines]))

    def aggregate(self, sums: Floats) -> Floats:
        """Return chrF of the counts."""
        return chrf_values(sums, self.number_option("beta"), self.text_option("eff") == "yes")

    def sacrebleu_fields(self) -> list[tuple[str, Value]]:
        """Return the options; β only if it is not chrF2's, which sacreBLEU has in the name."""
        return [field for field in super().sacrebleu_fields() if field != ("beta", 2)]


class Ter(SacreMetric):
    """TER of sacreBLEU ÷ 100."""

    RANGE = (0.0, float("inf"))
    higher_is_better = False
    VARIANTS: ClassVar[Mapping[str, Variant]] = {"ter": variant("ter", slow=True)}
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "case": CASE,
        "norm": Option("no", "normalise as tercom does", YES_NO),
        "punct": Option("yes", "keep punctuation", YES_NO),
        "asian": Option("no", "split Asian characters, if norm=yes or punct=no", YES_NO),
    }

    def statistics(self, batch: Batch) -> Floats:
        """Return the edits to the nearest reference, and the mean length of the references.

        The words are sacreBLEU's. The core counts exactly sacreBLEU's edits: sacreBLEU's own code
        takes hours for a megabyte of short lines of few distinct words, and gigabytes for a line
        of some ten thousand words.
        """
        # Otherwise, sacreBLEU only turns letters into lower case.
        if self.options["norm"] == "yes" or self.options["punct"] == "no":
            batch = self._tokenize(batch)
        pairs = batch.numbered(Tokenization("none", self.text_option("case")))
        starts = batch.references.starts[:-1]
        segments = nearest_errors("ter", pairs, starts, threads=batch.threads)
        return np.stack([segments.errors, segments.lengths], axis=1)

    def _tokenize(self, batch: Batch) -> Batch:
        """Return the batch with spaces between sacreBLEU's tokens.

        sacreBLEU tokenises references twice, which makes a difference with ``norm=yes``.
        """
        from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

        options, references = self.options, batch.references
        split = TercomTokenizer(
            normalized=options["norm"] == "yes",
            no_punct=options["punct"] == "no",
            asian_support=options["asian"] == "yes",
            case_sensitive=options["case"] == "mixed",
        )

        def tokenize(lines: Iterable[str]) -> list[str]:
            return [split(line.rstrip()) for line in lines]

        def tokenize_references() -> ReferenceTexts:
            return ReferenceTexts(tokenize(tokenize(references.lines)), references.counts)

        shared = references.memoize(("tercom", *options.items()), tokenize_references)
        return Batch(tokenize(batch.hypotheses.lines), shared, threads=batch.threads)

    def aggregate(self, sums: Floats) -> Floats:
        """Return edits / lengths; for empty references 0 without edits, else 1."""
        return rate(sums[..., 0], sums[..., 1])

    def sacrebleu_fields(self) -> list[tuple[str, Value]]:
        """Return the options, and the only tokeniser that TER has."""
        case, *others = super().sacrebleu_fields()
        return [case, ("tok", "tercom"), *others]
