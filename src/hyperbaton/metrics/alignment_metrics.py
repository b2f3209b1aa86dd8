"""Metrics over alignments: their base class, and those that need no permutation."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hyperbaton.metrics.linking import Linking
from hyperbaton.metrics.metric import Floats, Metric, TokenMetric, Variant
from hyperbaton.metrics.needs import Linker
from hyperbaton.metrics.options import Option
from hyperbaton.metrics.parts import Part
from hyperbaton.text.languages import language_code

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch

# γ and β of METEOR 1.5 for the languages it was tuned for, and for all others.
METEOR_PARAMETERS = {
    "en": (0.6, 0.2),
    "cs": (0.6, 0.2),
    "de": (0.55, 1.0),
    "es": (0.5, 1.3),
    "fr": (0.6, 1.4),
    "other": (0.7, 1.4),
}


class AlignmentMetric(TokenMetric):
    """A metric that needs an alignment of each pair, and whose corpus value is a mean.

    ``linking`` has the links.
    """

    OPTIONS: ClassVar[Mapping[str, Option]] = {**TokenMetric.OPTIONS, **Linking.OPTIONS}

    @functools.cached_property
    def linking(self) -> Linking:
        """What links the words."""
        return Linking.of(self)

    @functools.cached_property
    def parts(self) -> tuple[Part, ...]:
        """The words and their links."""
        return *super().parts, self.linking


def first_linking(metrics: Iterable[Metric]) -> Linker | None:
    """Return what links the tokens for the first metric that needs that. Reports show its links."""
    needs = (metric.needs for metric in metrics)
    return next((need.linking for need in needs if need.linking and not need.trees), None)


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

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        links = self.linking.links(batch)
        counts = links.link_counts
        values = (counts - links.chunks + links.boundary_links) / (counts + 1)
        return self.best_statistics(batch, np.where(counts > 0, values, 0.0))


def meteor_language(language: str | None) -> str:
    """Return the language whose METEOR parameters are those of a language."""
    code = language_code(language)
    return code if code in METEOR_PARAMETERS else "other"


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
            None,
            "language whose METEOR parameters are used",
            tuple(METEOR_PARAMETERS),
            derive=lambda language, _: meteor_language(language),
        ),
        "beta": Option(
            None,
            "exponent; default: METEOR's",
            most=10,
            derive=lambda _, options: METEOR_PARAMETERS[str(options["params"])][1],
        ),
        "gamma": Option(
            None,
            "largest penalty; default: METEOR's",
            derive=lambda _, options: METEOR_PARAMETERS[str(options["params"])][0],
        ),
        **AlignmentMetric.OPTIONS,
    }

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        links = self.linking.links(batch)
        chunks = links.chunks
        hyp, ref = links.covered_words
        is_whole = (chunks == 1) & (hyp == links.hyp_lengths) & (ref == links.ref_lengths)
        # Given links may share words, so that there are more chunks than words.
        frag = np.where(is_whole, 0.0, np.minimum(1.0, 2 * chunks / np.maximum(hyp + ref, 1)))
        beta, gamma = self.number_option("beta"), self.number_option("gamma")
        # In numpy 0⁰ = 1, but without fragmentation there is no penalty, whatever β is.
        penalty = np.where(frag > 0, gamma * frag**beta, 0.0)
        return self.best_statistics(batch, np.where(chunks > 0, 1 - penalty, 0.0))
