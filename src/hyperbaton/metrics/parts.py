"""The parts that metrics are made of: what they have in common, and the part for text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from hyperbaton.metrics.needs import Needs
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.signature import Provenance, package_version
from hyperbaton.text.languages import language_code
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.tokenizers import TOKENIZERS

Fields = tuple[tuple[str, Value], ...]
NO_VALUES: Mapping[str, Value] = MappingProxyType({})


@dataclass(frozen=True)
class PartSignature:
    """What a part says in the signature of its metric.

    Attributes
    ----------
    hidden : frozenset of str
        The options that the signature does not list: they have no effect, or ``text`` names them.
    method, text, versions : tuple of (key, value)
        How the value is computed, from which words, and with which versions of other software.
        They stand in this order behind the options and the number of references.
    """

    hidden: frozenset[str] = frozenset()
    method: Fields = ()
    text: Fields = ()
    versions: Fields = ()


class Part:
    """A part of a metric: what some of its options compute, need and say in the signature.

    A part is made with the metric, when all options have values, and never changes. ``OPTIONS`` are
    those of its own, which the metric has among its options.
    """

    OPTIONS: ClassVar[Mapping[str, Option]] = MappingProxyType({})

    @property
    def segment_fields(self) -> Mapping[str, Value]:
        """The fields that differ in the signature of a single segment's value."""
        return NO_VALUES

    @property
    def resolved(self) -> Mapping[str, Value]:
        """What signatures say in place of the values of some options."""
        return NO_VALUES

    @property
    def needs(self) -> Needs:
        """What the part needs beyond the lines of a batch."""
        return Needs(thread_safe=True)

    def signature(self, provenance: Provenance) -> PartSignature:
        """Return what the part says in the signature, with such alignments and trees."""
        return PartSignature()


@dataclass(frozen=True, eq=False)
class TextPart(Part):
    """How lines become tokens."""

    tokenization: Tokenization
    language: str | None

    @property
    def needs(self) -> Needs:
        """Whether the tokeniser allows several threads."""
        return Needs(thread_safe=self.tokenization.thread_safe)

    def signature(self, provenance: Provenance) -> PartSignature:
        """Return case, tokeniser, folding and punctuation."""
        text = self.tokenization
        return PartSignature(text=text_fields(text, self.language), versions=tokenizer_fields(text))


def text_fields(text: Tokenization, language: str | None) -> Fields:
    """Return case, tokeniser, folding and punctuation as signatures name them.

    Folding names the language if lower case depends on it. What signatures do not say is
    ``fold:none`` and ``punct:keep``.
    """
    fields: list[tuple[str, Value]] = [("case", text.case), ("tok", text.tok)]
    if text.fold != "none":
        suffix = f".{language_code(language)}" if text.turkic else ""
        fields.append(("fold", text.fold + suffix))
    if text.punct != "keep":
        fields.append(("punct", text.punct))
    return tuple(fields)


def tokenizer_fields(text: Tokenization) -> Fields:
    """Return the package that the tokeniser comes from, with its version."""
    owner = TOKENIZERS[text.tok].owner
    return () if owner is None else ((owner.replace("-", "_"), package_version(owner)),)
