"""Metrics over dependency trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hyperbaton.alignment.choices import GIVEN
from hyperbaton.edit.tree_edits import MAX_CELLS, count_linked_matches, tree_distances
from hyperbaton.errors import InputError, SegmentError
from hyperbaton.metrics.linking import Linking
from hyperbaton.metrics.metric import CASE, FOLD, Floats, MeanMetric, Variant, variant
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.parts import Fields, Needs, Part, PartSignature, text_fields
from hyperbaton.metrics.signature import Provenance
from hyperbaton.syntax.cache import CachedParser
from hyperbaton.syntax.parsers import Parser, default_pipeline, load_parser

if TYPE_CHECKING:
    from hyperbaton.alignment.batch import AlignmentBatch
    from hyperbaton.metrics.batches import Batch, Ints

NO_YES = ("no", "yes")


class ParserOption(Option):
    """``parser``: what :func:`hyperbaton.syntax.parsers.load_parser` takes."""

    def read(self, name: str, given: object) -> Value:
        """Return any text. Whether there is such a parser turns out when it is needed."""
        if not isinstance(given, str):
            raise InputError(f"{name} must be spacy:NAME, udpipe:FILE or {GIVEN}, got {given!r}")
        return given


@dataclass(frozen=True, eq=False)
class Parsing(Part):
    """Where the dependency trees come from.

    Attributes
    ----------
    name : str
        Name of the metric, for error messages.
    spec : str or None
        The parser; None for that of the language.
    language : str or None
        The language.
    """

    name: str
    spec: str | None
    language: str | None

    @cached_property
    def parser(self) -> Parser:
        """The parser that the options ask for. It parses no line twice."""
        if self.spec == GIVEN:
            raise InputError(
                f"{self.name}: parser={GIVEN} needs trees: give them to score or compare"
            )
        return CachedParser(load_parser(self.spec, self.language))

    @property
    def parser_name(self) -> str | None:
        """The name of the parser, which need not be there."""
        if self.spec is None and self.language:
            return f"spacy:{default_pipeline(self.language)}"
        return self.spec

    @property
    def needs(self) -> Needs:
        """Trees, and one thread, because a parser may not allow several."""
        return Needs(trees=True)

    def signature(self, provenance: Provenance) -> PartSignature:
        """Return the parser with its version."""
        given = provenance.trees or self.spec == GIVEN
        versions: Fields = (("parser", GIVEN),)
        if not given:
            name = self.parser.name.replace("|", "_")
            versions = ("parser", name), ("model", self.parser.version)
        return PartSignature(frozenset(["parser"]), versions=versions)

    def parser_for(self, batch: Batch) -> Parser | None:
        """Return the parser, or None if trees were given."""
        if not batch.has_trees:
            return self.parser
        if self.spec not in (None, GIVEN):
            raise InputError(f"{self.name}: trees are given, so parser= has no effect")
        return None


@dataclass(frozen=True)
class TreeLinking(Linking):
    """How the words of trees are linked. They have no tokeniser."""

    parsing: Parsing = field(kw_only=True)

    def links(self, batch: Batch) -> AlignmentBatch:
        """Return the links between the words of the trees."""
        self.check_provenance(batch.provenance)
        return batch.tree_links(self.aligner, self.parsing.parser_for(batch))

    def signature(self, provenance: Provenance) -> PartSignature:
        """Return how words are compared, and the alignment."""
        text = text_fields(self.tokenization, self.resources.language)
        words = tuple((key, value) for key, value in text if key != "tok")
        signature = super().signature(provenance)
        return replace(signature, text=(*words, *signature.text))


class Dted(MeanMetric):
    """1 − dist / (|H| + |R|), dist being the tree edit distance of the dependency trees.

    Deleting a node and matching two nodes cost 1 each, so dist = |H| + |R| − matches. Identical
    trees score 0.5, also two empty ones, which the paper leaves open. ``rescale`` doubles values.

    >>> from hyperbaton import DependencyTree, score
    >>> hypothesis = DependencyTree("the man bit the dog".split(), [2, 3, 0, 5, 3])
    >>> reference = DependencyTree("then he bit it".split(), [3, 3, 0, 3])
    >>> result = score(["the man bit the dog"], ["then he bit it"], ["dted", "dted:rescale=yes"],
    ...                trees=[hypothesis], reference_trees=[reference])
    >>> result
    Result(dted=0.3333, dted:rescale=yes=0.6667, n=1)

    With ``weight=aligned`` the weight of a segment is the share of nodes of both trees that have a
    link. With ``match=aligned``, which is ours, only linked words may be matched.
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "dted": variant("dted", trees=True, range=(0.0, 0.5))
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "rescale": Option("no", "yes: identical trees score 1, not 0.5", NO_YES),
        "flat": Option("no", "yes: each word is the only child of the one before it", NO_YES),
        "match": Option(
            "any", "aligned: only linked words may match (by case, fold, align)", ("any", "aligned")
        ),
        "weight": Option(
            "none",
            "weight of a segment: 1, or its share of linked words (by case, fold, align)",
            ("none", "aligned"),
        ),
        "parser": ParserOption(
            None,
            "default: spaCy's small pipeline for the language",
            form=f"spacy:NAME, udpipe:FILE, or {GIVEN}",
        ),
    }

    @classmethod
    def options_for(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """Return the options; those of links only where links are used."""
        if "aligned" in (given.get("match"), given.get("weight")):
            return {**cls.OPTIONS, "case": CASE, "fold": FOLD, **Linking.OPTIONS}
        return cls.OPTIONS

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest possible value."""
        return 0.0, 1.0 if self.options["rescale"] == "yes" else 0.5

    @cached_property
    def parsing(self) -> Parsing:
        """Where the trees come from."""
        parser = self.options["parser"]
        spec = None if parser is None else str(parser)
        return Parsing(self.name, spec, self.resources.language)

    @cached_property
    def linking(self) -> TreeLinking | None:
        """What links the words of the trees; None if links are not used."""
        if "align" not in self.options:
            return None
        return TreeLinking.of(self, parsing=self.parsing)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The trees, and the links of their words if they are used."""
        return (self.parsing,) if self.linking is None else (self.linking, self.parsing)

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        trees = batch.trees(self.parsing.parser_for(batch))
        flat = self.options["flat"] == "yes"
        a, b = ([(tree.flat() if flat else tree).heads for tree in side] for side in trees)
        sizes = np.array([list(map(len, a)), list(map(len, b))], np.int64)
        words = sizes.sum(axis=0)
        check_sizes(batch, sizes)
        links = None if self.linking is None else self.linking.links(batch)
        if links is not None and self.options["match"] == "aligned":
            matches = count_linked_matches(a, b, links.pair, links.hyp, links.ref, batch.threads)
        else:
            distances = tree_distances(zip(a, b, strict=True), batch.threads)
            matches = words - distances.astype(np.int64)
        values = np.where(words > 0, matches / np.maximum(words, 1), 0.5)
        if self.options["rescale"] == "yes":
            values *= 2
        best = batch.best(values)
        if links is not None and self.options["weight"] == "aligned":
            linked = np.add(*links.covered_words)
            weights = (linked / np.maximum(words, 1))[best]
        else:
            weights = np.ones(len(batch))
        return self.weighted_statistics(values[best], weights)

    def _key(self) -> tuple[object, ...]:
        # The parser's name, not its version: a missing parser has none.
        signature = str(self.signature(None, Provenance(trees=True)))
        data = self.resources.wordnet, self.resources.paraphrases
        return signature, self.parsing.parser_name, *data


def check_sizes(batch: Batch, sizes: Ints) -> None:
    """Raise an error for the first pair of trees that is too large."""
    for pair in np.flatnonzero(sizes[0] * sizes[1] > MAX_CELLS).tolist():
        counts = " and ".join(f"{size:,}" for size in sizes[:, pair].tolist())
        segment = int(batch.references.segment[pair])
        raise SegmentError(segment, f"trees of {counts} words are too large together")
