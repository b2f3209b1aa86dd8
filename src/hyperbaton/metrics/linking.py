"""The part of a metric that links words: by matchers, or with links that the caller gives."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from hyperbaton.alignment.aligner import Aligner, is_encoder, names_encoder, word_matchers
from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.alignment.choices import (
    ANCHORED,
    CONTEXT,
    ENCODER,
    GIVEN,
    MATCHERS,
    SEARCH_MATCHERS,
)
from hyperbaton.errors import InputError
from hyperbaton.metrics.metric import Floats, Metric, Resources
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.parts import Fields, Needs, Part, PartSignature
from hyperbaton.metrics.signature import SOURCE, Provenance, package_version
from hyperbaton.text.languages import language_code
from hyperbaton.text.tokenization import Tokenization

if TYPE_CHECKING:
    from hyperbaton.alignment.encoders import Encoder
    from hyperbaton.metrics.batches import Batch

GIVEN_BY_CALLER = (GIVEN, SOURCE)  # values of ``align`` for which no aligner searches


class GivenEncoder(str):
    """An encoder that is given as an object: the text that options have in its place."""

    encoder: Encoder

    def __new__(cls, encoder: Encoder) -> Self:
        """Name the encoder with its settings."""
        from hyperbaton.alignment.encoders import EncoderLinker

        text = super().__new__(cls, EncoderLinker(encoder).spec)
        text.encoder = encoder
        return text

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.encoder,)


class MatchersOption(Option):
    """``align``: names of matchers joined by ``+``, in any order, or an encoder."""

    def read(self, name: str, given: object) -> Value:
        """Return the matchers in the order in which they are tried."""
        if given in (CONTEXT, *GIVEN_BY_CALLER) or names_encoder(given):
            return str(given)
        if is_encoder(given):
            return GivenEncoder(cast("Encoder", given))
        matchers = set(str(given).replace(" ", "+").split("+"))
        for matcher in sorted(matchers - set(MATCHERS)):
            known = f"{', '.join(MATCHERS)}, joined by +, or {CONTEXT} or {ENCODER}:PATH alone"
            raise InputError(f"{name} must be some of {known}, got {matcher!r}")
        return "+".join(matcher for matcher in MATCHERS if matcher in matchers)


def align_option(more: tuple[str, ...] = ()) -> MatchersOption:
    """Return the option ``align``; by default words match exactly and by stems, and ``more``."""
    exact, stem = ("+".join((*matchers, *more)) for matchers in (("exact",), ("exact", "stem")))
    alone = CONTEXT, f"{ENCODER}:PATH", *GIVEN_BY_CALLER
    return MatchersOption(
        None,
        f"matchers; default: {stem} for a language with a stemmer, else {exact}",
        form=f"{'+'.join(MATCHERS)}, or {', '.join(alone)}",
        derive=lambda language, _: "+".join((*word_matchers(language), *more)),
    )


ALIGN = align_option((ANCHORED,))
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


@functools.lru_cache(16)
def shared_aligner(
    resources: Resources,
    matchers: str,
    text: Tokenization,
    weights: tuple[tuple[str, float], ...] = (),
    identity: int = 0,
) -> Aligner:
    """Return the aligner for these options. Metrics share it, since it keeps what it loads.

    ``identity`` tells encoders that are given as objects from others with the same description.
    """
    names = matchers.split("+")
    return Aligner(
        resources.language,
        matchers.encoder if isinstance(matchers, GivenEncoder) else matchers,
        text.tok,
        text.lowercase,
        dict(weights),
        wordnet=resources.wordnet if "synonym" in names else None,
        paraphrases=resources.paraphrases if "paraphrase" in names else None,
        fold=text.fold,
    )


@dataclass(frozen=True)
class Linking(Part):
    """How the words of each pair are linked.

    Attributes
    ----------
    name : str
        Name of the metric, for error messages.
    resources : Resources
        Language and data of the matchers.
    tokenization : Tokenization
        How lines become words.
    align : str
        The matchers, or where the links have to come from.
    is_chosen : bool
        Whether the matchers are used whatever links the caller gives.
    weights : tuple of (str, float)
        Weights of the matchers that differ from 1.
    """

    OPTIONS: ClassVar[Mapping[str, Option]] = {"align": ALIGN, **WEIGHTS}

    name: str
    resources: Resources
    tokenization: Tokenization
    align: str
    is_chosen: bool = False
    weights: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        if not self._is_given:
            self.aligner  # noqa: B018 - raises an error if data is missing
        for matcher, _ in self.weights:
            if matcher not in self.align.split("+"):
                raise InputError(
                    f"{self.name}: {matcher} is the weight of a matcher, but align is {self.align}"
                )

    @classmethod
    def of(cls, metric: Metric, **more: Any) -> Self:
        """Return how the options of a metric ask for links; a subclass may need more."""
        weights = ((name, metric.number_option(name)) for name in WEIGHTS)
        return cls(
            metric.name,
            metric.resources,
            metric.tokenization,
            cast(str, metric.options["align"]),  # not its copy, which would have no encoder
            "align" in metric.given,
            tuple((name, weight) for name, weight in weights if weight != 1),
            **more,
        )

    @property
    def _is_given(self) -> bool:
        return self.align in GIVEN_BY_CALLER

    @functools.cached_property
    def aligner(self) -> Aligner:
        """The aligner that the options ask for."""
        matchers = "exact" if self._is_given else self.align  # only its tokeniser is used
        identity = id(self.align.encoder) if isinstance(self.align, GivenEncoder) else 0
        return shared_aligner(self.resources, matchers, self.tokenization, self.weights, identity)

    def __reduce__(self) -> tuple[object, ...]:
        # The receiving process loads the aligner again.
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return functools.partial(type(self), **given), ()

    @property
    def needs(self) -> Needs:
        """Links, and their coverage."""
        return Needs(self, self.coverage, files=self.files, thread_safe=True)

    @property
    def files(self) -> tuple[str, ...]:
        """The file or folder of an encoder."""
        if not self.has_encoder or isinstance(self.align, GivenEncoder):
            return ()
        from hyperbaton.alignment.encoders import split_spec

        return (split_spec(self.align)[0],)

    @property
    def has_encoder(self) -> bool:
        """Whether an encoder links the words, which takes long."""
        return names_encoder(self.align)

    def origin(self, provenance: Provenance) -> str:
        """Return where the links come from; empty if the aligner finds them."""
        if self._is_given:
            return provenance.alignments or self.align
        # Matchers that the caller has named are used, whatever links there are.
        return "" if self.is_chosen else provenance.alignments

    def links(self, batch: Batch) -> AlignmentBatch:
        """Return the links of each pair."""
        self.check_provenance(batch.provenance)
        if not self.origin(batch.provenance):
            return batch.found_links(self.aligner, self.tokenization)
        return batch.links(self.aligner, self.tokenization)

    def check_provenance(self, provenance: Provenance) -> None:
        """Raise an error if the options ask for given alignments and there are none."""
        if self._is_given and provenance.alignments != self.align:
            through = " through the source" if self.align == SOURCE else ""
            raise InputError(
                f"{self.name}: align={self.align} needs alignments{through}: give them to score or "
                "compare"
            )

    def coverage(self, batch: Batch) -> Floats:
        """Return linked words and all words of each segment."""
        return batch.coverage(self.links(batch))

    def signature(self, provenance: Provenance) -> PartSignature:
        """Return the alignment, with the versions of what computes it."""
        align = self.origin(provenance)
        if align:
            trained = align == SOURCE and provenance.aligner
            aligner: Fields = (("aligner", provenance.aligner),) if trained else ()
            return PartSignature(text=(("align", align), *aligner))
        align = self.aligner.matcher_signature
        if "stem" not in self.aligner.matchers:
            return PartSignature(text=(("align", align),))
        return PartSignature(
            text=(("align", f"{align}.{language_code(self.resources.language)}"),),
            versions=(("pystemmer", package_version("PyStemmer")),),
        )


def first_linking(metrics: Iterable[Metric]) -> Linking | None:
    """Return what links the tokens for the first metric that needs that. Reports show its links."""
    needs = (metric.needs for metric in metrics)
    return next((need.linking for need in needs if need.linking and not need.trees), None)
