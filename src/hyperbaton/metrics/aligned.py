"""Metrics over alignments: what they have in common, and those that need no permutation."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hyperbaton.alignment.aligner import MATCHERS, SEARCHED, Aligner
from hyperbaton.alignment.context import CONTEXT
from hyperbaton.alignment.links import Links
from hyperbaton.alignment.notation import GIVEN
from hyperbaton.alignment.stems import language_code
from hyperbaton.errors import InputError
from hyperbaton.metrics.base import (
    CASE,
    TOK,
    WEIGHT,
    Floats,
    MeanMetric,
    Variant,
    text_fields,
    tokenizer_version,
)
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.segments import Segments
from hyperbaton.metrics.signature import version_of
from hyperbaton.metrics.through import SOURCE

# γ and β of METEOR 1.5 for the languages it was tuned for, and for all others.
METEOR = {
    "en": (0.6, 0.2),
    "cs": (0.6, 0.2),
    "de": (0.55, 1.0),
    "es": (0.5, 1.3),
    "fr": (0.6, 1.4),
    "other": (0.7, 1.4),
}


NOT_FOUND = (GIVEN, SOURCE)  # alignments that are not to be found, and how they come


class Matchers(Option):
    """``align``: names of matchers with a + between them, in any order."""

    def read(self, name: str, given: object) -> Value:
        """The names in the order in which they are tried."""
        if given in (CONTEXT, *NOT_FOUND):
            return str(given)
        asked = set(str(given).replace(" ", "+").split("+"))
        for matcher in sorted(asked - set(MATCHERS)):
            known = f"{', '.join(MATCHERS)}, with + between them, or {CONTEXT} alone"
            raise InputError(f"{name} is some of {known}, not {matcher!r}")
        return "+".join(matcher for matcher in MATCHERS if matcher in asked)

    @property
    def numeric(self) -> bool:
        """They are words."""
        return False

    @property
    def domain(self) -> str:
        """What may be given, for people."""
        return f"{'+'.join(MATCHERS)}, or {', '.join((CONTEXT, *NOT_FOUND))}"


ALIGN = Matchers(None, "matchers; default: exact+stem for a language with a stemmer, else exact")
WEIGHTS = {
    matcher: Option(
        1.0,
        f"what a word counts in the choice of links that {matcher} covers",
        least=0.001,
        digits=3,  # as the aligner counts them
        silent=True,
    )
    for matcher in SEARCHED
}
TEXT_OPTIONS = {"case": CASE, "tok": TOK, "align": ALIGN, **WEIGHTS}


@functools.lru_cache(16)
def shared_aligner(
    language: str | None,
    matchers: str | None,
    tok: str,
    case: str,
    wordnet: str | None,
    paraphrases: str | None,
    weights: tuple[tuple[str, float], ...] = (),
) -> Aligner:
    """The aligner for these options: one for all metrics, since it keeps what it loads."""
    return Aligner(
        language,
        matchers,
        tok,
        case == "lc",
        dict(weights),
        wordnet=wordnet if matchers and "synonym" in matchers else None,
        paraphrases=paraphrases if matchers and "paraphrase" in matchers else None,
    )


class AlignmentMetric(MeanMetric):
    """A metric that needs an alignment of each pair, and whose corpus value is a mean."""

    def check(self) -> None:
        """Load what the aligner needs, or say what is missing; name the matchers."""
        if self.options["align"] not in NOT_FOUND:
            self.options["align"] = "+".join(self.aligner.matchers)
        align = self.word("align")
        for matcher in WEIGHTS:
            if self.number(matcher) != 1 and matcher not in align.split("+"):
                raise InputError(
                    f"{self.name}: {matcher} is the weight of a matcher, but align is {align}"
                )

    @property
    def aligner(self) -> Aligner:
        """The aligner that its options ask for."""
        matchers = self.options["align"]
        return shared_aligner(
            self.language,
            None if matchers in (None, *NOT_FOUND) else str(matchers),
            *self.text,
            self.wordnet,
            self.paraphrases,
            tuple((name, self.number(name)) for name in WEIGHTS if self.number(name) != 1),
        )

    def way(self, given_alignments: str) -> str:
        """How its alignments come: nothing if it finds them, else ``given`` or ``source``."""
        wanted = self.word("align")
        return given_alignments or (wanted if wanted in NOT_FOUND else "")

    def fields(self, given_alignments: str) -> list[tuple[str, Value]]:
        """Text and alignment, with the versions of what finds them."""
        from hyperbaton import __version__

        tok, case = self.text
        stems: list[tuple[str, Value]] = []
        align = self.way(given_alignments)
        if not align:
            align = self.aligner.matchers_with_data
            if "stem" in self.aligner.matchers:
                align += f".{language_code(self.language)}"
                stems = [("pystemmer", version_of("PyStemmer"))]
        return [
            *text_fields(tok, case),
            ("align", align),
            *tokenizer_version(tok),
            *stems,
            ("v", __version__),
        ]

    def links(self, segments: Segments) -> Links:
        """The links of each pair."""
        self.check_given(segments)
        return segments.links(self.aligner)

    def check_given(self, segments: Segments) -> None:
        """Refuse to find alignments that are to be given, or to take others."""
        wanted = self.options["align"]
        if wanted in NOT_FOUND and segments.way != wanted:
            through = " through the source" if wanted == SOURCE else ""
            raise InputError(
                f"{self.name}: its alignments are to be given to score or compare{through}"
            )

    def coverage(self, segments: Segments) -> Floats | None:
        """Words with a link and all words."""
        return segments.coverage(self.links(segments))

    def weighted(self, segments: Segments, values: Floats) -> Floats:
        """Statistics of a mean: the best value of each segment × its weight, and the weight."""
        best = segments.best(values)
        if self.options["weight"] == "ref":
            _, ref = segments.lengths(self.word("tok"), self.word("case"))
            weights = ref[best].astype(np.float64)
        else:
            weights = np.ones(len(segments))
        return self.weigh(values[best], weights)


class Adjacency(AlignmentMetric):
    """(pairs of links adjacent and in order on both sides + 1 if the first words are linked
    + 1 if the last words are) / (links + 1); 0 without links.

    >>> round(Adjacency(tok="none").sentence_score("a b c", ["a c b"]).value, 4)
    0.25
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "adjacency": Variant(
            "neighbours that stay neighbours, and the ends",
            "ours",
            "It sees a gap where a word is not aligned, which no permutation does. A wrong word "
            "counts like a wrong order: it breaks two neighbourhoods.",
        )
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {"weight": WEIGHT, **TEXT_OPTIONS}

    def statistics(self, segments: Segments) -> Floats:
        """The best value over references, and its weight."""
        links = self.links(segments)
        counts = links.counts
        values = (counts - links.chunks + links.outermost) / (counts + 1)
        return self.weighted(segments, np.where(counts > 0, values, 0.0))


class MeteorFrag(AlignmentMetric):
    """METEOR's fragmentation alone: 1 − γ·frag^β.

    frag = chunks / (mean of the matched words of both sides), but 0 if both sides are wholly
    matched in one chunk, and never more than 1; the value is 0 without a match. γ and β are METEOR
    1.5's for a language.

    >>> round(MeteorFrag(tok="none").sentence_score("a b c", ["a c b"]).value, 4)
    0.3
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "meteor_frag": Variant(
            "METEOR's fragmentation penalty alone: in how few chunks the links come",
            "McCaffery & Nederhof 2016; Denkowski & Lavie 2014",
            "It sees only how many chunks there are, not where they went, and never falls below "
            "1 − γ while one word matches.",
        )
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "params": Option(None, "the language whose parameters METEOR has", tuple(METEOR)),
        "beta": Option(None, "exponent; default: METEOR's", most=10),
        "gamma": Option(None, "the largest penalty; default: METEOR's"),
        "weight": WEIGHT,
        **TEXT_OPTIONS,
    }

    def check(self) -> None:
        """Fill in METEOR's parameters."""
        super().check()
        if self.options["params"] is None:
            code = language_code(self.language)
            self.options["params"] = code if code in METEOR else "other"
        for key, value in zip(("gamma", "beta"), METEOR[self.word("params")], strict=True):
            if self.options[key] is None:
                self.options[key] = value

    def statistics(self, segments: Segments) -> Floats:
        """The best value over references, and its weight."""
        links = self.links(segments)
        chunks = links.chunks
        hyp, ref = links.covered
        whole = (chunks == 1) & (hyp == links.hyp_lengths) & (ref == links.ref_lengths)
        # Links that were given may share words, so that there are more chunks than words.
        frag = np.where(whole, 0.0, np.minimum(1.0, 2 * chunks / np.maximum(hyp + ref, 1)))
        beta, gamma = self.number("beta"), self.number("gamma")
        # numpy has 0⁰ = 1, but of no fragmentation there is no penalty, whatever β is
        penalty = np.where(frag > 0, gamma * frag**beta, 0.0)
        return self.weighted(segments, np.where(chunks > 0, 1 - penalty, 0.0))
