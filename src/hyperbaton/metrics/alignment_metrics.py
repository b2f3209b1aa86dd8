"""Metrics over alignments: their base class, and those that need no permutation."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import ClassVar

import numpy as np

from hyperbaton.alignment.aligner import Aligner
from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.alignment.matchers import CONTEXT, MATCHERS, SEARCH_MATCHERS
from hyperbaton.alignment.stems import stemmer_name
from hyperbaton.errors import InputError
from hyperbaton.metrics.batches import Batch
from hyperbaton.metrics.metric import (
    CASE,
    FOLD,
    PUNCT,
    TOK,
    WEIGHT,
    Floats,
    Metric,
    TokenMetric,
    Variant,
    text_fields,
    tokenizer_fields,
    version_fields,
)
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.provenance import GIVEN, SOURCE, Provenance
from hyperbaton.metrics.resources import Resources
from hyperbaton.metrics.signature import package_version
from hyperbaton.text.languages import language_code
from hyperbaton.text.tokenization import Tokenization

# γ and β of METEOR 1.5 for the languages it was tuned for, and for all others.
METEOR_PARAMETERS = {
    "en": (0.6, 0.2),
    "cs": (0.6, 0.2),
    "de": (0.55, 1.0),
    "es": (0.5, 1.3),
    "fr": (0.6, 1.4),
    "other": (0.7, 1.4),
}
GIVEN_BY_CALLER = (GIVEN, SOURCE)  # values of ``align`` for which no aligner searches


class MatchersOption(Option):
    """``align``: names of matchers joined by ``+``, in any order."""

    def read(self, name: str, given: object) -> Value:
        """Return the matchers in the order in which they are tried."""
        if given in (CONTEXT, *GIVEN_BY_CALLER):
            return str(given)
        matchers = set(str(given).replace(" ", "+").split("+"))
        for matcher in sorted(matchers - set(MATCHERS)):
            known = f"{', '.join(MATCHERS)}, joined by +, or {CONTEXT} alone"
            raise InputError(f"{name} must be some of {known}, got {matcher!r}")
        return "+".join(matcher for matcher in MATCHERS if matcher in matchers)

    @property
    def numeric(self) -> bool:
        """Matchers are words."""
        return False

    @property
    def domain(self) -> str:
        """The valid values, for people."""
        return f"{'+'.join(MATCHERS)}, or {', '.join((CONTEXT, *GIVEN_BY_CALLER))}"


ALIGN = MatchersOption(
    None, "matchers; default: exact+stem for a language with a stemmer, else exact"
)
WEIGHTS = {
    matcher: Option(
        1.0,
        f"weight of a word that {matcher} covers in the choice of links",
        least=0.001,
        digits=3,  # the aligner counts in thousandths
        silent=True,
    )
    for matcher in SEARCH_MATCHERS
}
TEXT_OPTIONS = {
    "case": CASE,
    "tok": TOK,
    "fold": FOLD,
    "punct": PUNCT,
    "align": ALIGN,
    **WEIGHTS,
}


@functools.lru_cache(16)
def shared_aligner(
    resources: Resources,
    matchers: str,
    text: Tokenization,
    weights: tuple[tuple[str, float], ...] = (),
) -> Aligner:
    """Return the aligner for these options. Metrics share it, since it keeps what it loads."""
    return Aligner(
        resources.language,
        matchers,
        text.tok,
        text.lowercase,
        dict(weights),
        wordnet=resources.wordnet if "synonym" in matchers else None,
        paraphrases=resources.paraphrases if "paraphrase" in matchers else None,
        fold=text.fold,
    )


class AlignmentMetric(TokenMetric):
    """A metric that needs an alignment of each pair, and whose corpus value is a mean."""

    @property
    def aligns(self) -> bool:
        """Whether the metric needs alignments with these options."""
        return True

    def resolve_options(self) -> None:
        """Fill in the matchers, and load the data that the aligner needs."""
        if not self.aligns:
            return
        if self.options["align"] is None:
            self.options["align"] = "exact+stem" if stemmer_name(self.language) else "exact"
        align = self.text_option("align")
        if align not in GIVEN_BY_CALLER:
            self.options["align"] = "+".join(self.aligner.matchers)
        for matcher in WEIGHTS:
            if self.number_option(matcher) != 1 and matcher not in align.split("+"):
                raise InputError(
                    f"{self.name}: {matcher} is the weight of a matcher, but align is {align}"
                )

    @functools.cached_property
    def aligner(self) -> Aligner:
        """The aligner that the options ask for."""
        align = self.text_option("align")
        if align in GIVEN_BY_CALLER:
            align = "exact"  # only its tokeniser is used
        weights = {name: self.number_option(name) for name in WEIGHTS}
        return shared_aligner(
            self.resources,
            align,
            self.tokenization,
            tuple((name, weight) for name, weight in weights.items() if weight != 1),
        )

    def alignment_origin(self, provenance: Provenance) -> str:
        """Return where the metric's alignments come from; empty if it finds them itself."""
        if not self.aligns:
            return ""
        align = self.text_option("align")
        if align in GIVEN_BY_CALLER:
            return provenance.alignments or align
        # Matchers that the caller has named are used, whatever links there are.
        return "" if self.is_given("align") else provenance.alignments

    def signature_fields(self, provenance: Provenance) -> list[tuple[str, Value]]:
        """Return text and alignment, with the versions of what computes them."""
        if not self.aligns:
            return super().signature_fields(provenance)
        text = self.tokenization
        stemmer: list[tuple[str, Value]] = []
        align = self.alignment_origin(provenance)
        if not align:
            align = self.aligner.matcher_signature
            if "stem" in self.aligner.matchers:
                align += f".{language_code(self.language)}"
                stemmer = [("pystemmer", package_version("PyStemmer"))]
        return [
            *text_fields(text, self.language),
            ("align", align),
            *([("aligner", provenance.aligner)] if align == SOURCE and provenance.aligner else []),
            *tokenizer_fields(text),
            *stemmer,
            *version_fields(),
        ]

    def links(self, batch: Batch) -> AlignmentBatch:
        """Return the links of each pair."""
        self.check_provenance(batch.provenance)
        if not self.alignment_origin(batch.provenance):
            return batch.found_links(self.aligner, self.tokenization)
        return batch.links(self.aligner, self.tokenization)

    def check_provenance(self, provenance: Provenance) -> None:
        """Raise an error if the options ask for given alignments and there are none."""
        align = self.options["align"]
        if align in GIVEN_BY_CALLER and provenance.alignments != align:
            through = " through the source" if align == SOURCE else ""
            raise InputError(
                f"{self.name}: align={align} needs alignments{through}: give them to score or "
                "compare"
            )

    def coverage(self, batch: Batch) -> Floats | None:
        """Return linked words and all words of each segment."""
        return batch.coverage(self.links(batch))


def first_token_aligned(metrics: Iterable[Metric]) -> AlignmentMetric | None:
    """Return the first metric that aligns tokens. Reports show its links."""
    return next(
        (
            metric
            for metric in metrics
            if isinstance(metric, AlignmentMetric) and metric.aligns and not metric.needs_trees
        ),
        None,
    )


class Adjacency(AlignmentMetric):
    """(pairs of links adjacent and in order on both sides + 1 if the first words are linked
    + 1 if the last words are) / (links + 1); 0 without links.

    >>> round(Adjacency(tok="none").sentence_score("a b c", ["a c b"]).value, 4)
    0.25
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "adjacency": Variant(
            "neighbours that stay neighbours, and the first and last words",
            "ours",
            "Unlike a permutation, it sees a gap where a word is not aligned. A wrong word costs "
            "as much as a wrong order: it breaks two neighbourhoods.",
            example="weight=ref",
        )
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {"weight": WEIGHT, **TEXT_OPTIONS}

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        links = self.links(batch)
        counts = links.link_counts
        values = (counts - links.chunks + links.boundary_links) / (counts + 1)
        return self.best_statistics(batch, np.where(counts > 0, values, 0.0))


class MeteorFrag(AlignmentMetric):
    """METEOR's fragmentation penalty alone: 1 − γ·frag^β.

    frag = chunks / (mean of the matched words of both sides). It is 0 if both sides are wholly
    matched in one chunk, and at most 1. The value is 0 without a match. γ and β are METEOR 1.5's
    for a language.

    >>> round(MeteorFrag(tok="none").sentence_score("a b c", ["a c b"]).value, 4)
    0.3
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "meteor_frag": Variant(
            "METEOR's fragmentation penalty alone: how few chunks the links form",
            "McCaffery & Nederhof 2016; Denkowski & Lavie 2014",
            "It sees only the number of chunks, not where they went, and never falls below 1 − γ "
            "while one word matches.",
            example="params=de",
        )
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "params": Option(
            None, "language whose METEOR parameters are used", tuple(METEOR_PARAMETERS)
        ),
        "beta": Option(None, "exponent; default: METEOR's", most=10),
        "gamma": Option(None, "largest penalty; default: METEOR's"),
        "weight": WEIGHT,
        **TEXT_OPTIONS,
    }

    def resolve_options(self) -> None:
        """Fill in METEOR's parameters."""
        super().resolve_options()
        if self.options["params"] is None:
            code = language_code(self.language)
            self.options["params"] = code if code in METEOR_PARAMETERS else "other"
        parameters = METEOR_PARAMETERS[self.text_option("params")]
        for key, value in zip(("gamma", "beta"), parameters, strict=True):
            if self.options[key] is None:
                self.options[key] = value

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        links = self.links(batch)
        chunks = links.chunks
        hyp, ref = links.covered_words
        is_whole = (chunks == 1) & (hyp == links.hyp_lengths) & (ref == links.ref_lengths)
        # Given links may share words, so that there are more chunks than words.
        frag = np.where(is_whole, 0.0, np.minimum(1.0, 2 * chunks / np.maximum(hyp + ref, 1)))
        beta, gamma = self.number_option("beta"), self.number_option("gamma")
        # In numpy 0⁰ = 1, but without fragmentation there is no penalty, whatever β is.
        penalty = np.where(frag > 0, gamma * frag**beta, 0.0)
        return self.best_statistics(batch, np.where(chunks > 0, 1 - penalty, 0.0))
