"""Metrics over dependency trees."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np

from hyperbaton.alignment.links import Links
from hyperbaton.alignment.notation import GIVEN
from hyperbaton.edit.tree_edits import MOST_CELLS, linked_matches, tree_distances
from hyperbaton.errors import InputError, SegmentError
from hyperbaton.metrics.aligned import ALIGN, WEIGHTS, AlignmentMetric
from hyperbaton.metrics.base import CASE, Floats, Variant
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.segments import Ints, Segments
from hyperbaton.metrics.signature import Signature
from hyperbaton.syntax.cache import CachedParser
from hyperbaton.syntax.parsers import Parser, default_pipeline, parser

NO_YES = ("no", "yes")


class ParserName(Option):
    """``parser``: what :func:`hyperbaton.syntax.parsers.parser` takes."""

    def read(self, name: str, given: object) -> Value:
        """Any text: whether there is such a parser is known when it is needed."""
        if not isinstance(given, str):
            raise InputError(f"{name} is spacy:NAME, udpipe:FILE or {GIVEN}, not {given!r}")
        return given

    @property
    def numeric(self) -> bool:
        """It is a name."""
        return False

    @property
    def domain(self) -> str:
        """What may be given, for people."""
        return f"spacy:NAME, udpipe:FILE, or {GIVEN}"


class Dted(AlignmentMetric):
    """1 − dist / (|H| + |R|), dist being the tree edit distance of the dependency trees.

    Nodes are deleted or matched, and each costs 1, so dist = |H| + |R| − matches. Equal trees
    score 0.5 (also two empty ones, which the paper leaves open); ``rescale`` doubles the value.

    >>> from hyperbaton import DependencyTree, score
    >>> hypothesis = DependencyTree("the man bit the dog".split(), [2, 3, 0, 5, 3])
    >>> reference = DependencyTree("then he bit it".split(), [3, 3, 0, 3])
    >>> result = score(["the man bit the dog"], ["then he bit it"], ["dted", "dted:rescale=yes"],
    ...                trees=[hypothesis], reference_trees=[reference])
    >>> result
    Result(dted=0.3333, dted:rescale=yes=0.6667, n=1)

    With ``weight=aligned`` a segment counts by the share of nodes of both trees that have a link.
    With ``match=aligned``, which is ours, only words with a link between them may be matched.
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "dted": Variant(
            "the edit distance of dependency trees: what keeps its place in the structure",
            "McCaffery & Nederhof 2016",
            "It needs a parser, or trees. Words do not count, only structure (match=aligned "
            "changes that), and a parser finds some for any output. At best it is 0.5.",
        )
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "rescale": Option("no", "yes: equal trees score 1, not 0.5", NO_YES),
        "flat": Option("no", "yes: each word is the only child of the one before it", NO_YES),
        "match": Option(
            "any", "aligned: only words with a link may match (by case, align)", ("any", "aligned")
        ),
        "weight": Option(
            "none",
            "what a segment counts: 1, or its share of words with a link (by case, align)",
            ("none", "aligned"),
        ),
        "parser": ParserName(None, "default: spaCy's small one for the language"),
    }

    @classmethod
    def allowed(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """Links have options only where there are links."""
        if "aligned" in (given.get("match"), given.get("weight")):
            return {**cls.OPTIONS, "case": CASE, "align": ALIGN, **WEIGHTS}
        return cls.OPTIONS

    def check(self) -> None:
        """Load what the aligner needs, if it is needed."""
        if self.aligns:
            super().check()

    @classmethod
    def range_of(cls, name: str) -> tuple[float, float]:
        """Of the metric as published."""
        return 0.0, 0.5

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest value there can be."""
        return 0.0, 1.0 if self.options["rescale"] == "yes" else 0.5

    @property
    def text(self) -> tuple[str, str]:
        """No tokeniser: words are the trees' own."""
        return "none", self.word("case")

    @property
    def aligns(self) -> bool:
        """Whether links make a difference."""
        return "align" in self.options

    @cached_property
    def parser(self) -> Parser:
        """The parser that its options ask for; it parses no line twice."""
        spec = self.options["parser"]
        if spec == GIVEN:
            raise InputError(f"{self.name}: its trees are to be given to score or compare")
        return CachedParser(parser(None if spec is None else str(spec), self.language))

    def _option_fields(self, given_alignments: str) -> list[tuple[str, Value]]:
        fields = super()._option_fields(given_alignments)
        return [field for field in fields if field[0] != "parser"]

    def fields(self, given_alignments: str) -> list[tuple[str, Value]]:
        """The alignment, where there is one."""
        from hyperbaton import __version__

        if self.aligns:
            return [field for field in super().fields(given_alignments) if field[0] != "tok"]
        return [("v", __version__)]

    def signature(
        self,
        references: int | str | None,
        given_alignments: str = "",
        given_trees: bool = False,
    ) -> Signature:
        """The parser and its version are in it."""
        made = super().signature(references, given_alignments)
        if given_trees or self.options["parser"] == GIVEN:
            made.update("parser", GIVEN)
        else:
            chosen = self.parser
            made.update("parser", chosen.name.replace("|", "_"))
            made.update("model", chosen.version)
        return made

    def links(self, segments: Segments) -> Links:
        """Those of the trees' own words."""
        self.check_given(segments)
        return segments.tree_links(self.aligner, self._parser_for(segments))

    def coverage(self, segments: Segments) -> Floats | None:
        """Words with a link and all words, if links were needed."""
        return super().coverage(segments) if self.aligns else None

    def statistics(self, segments: Segments) -> Floats:
        """The best value over references, and its weight."""
        trees = segments.trees(self._parser_for(segments))
        flat = self.options["flat"] == "yes"
        a, b = ([(tree.flat() if flat else tree).heads for tree in side] for side in trees)
        sizes = np.array([list(map(len, a)), list(map(len, b))], np.int64)
        words = sizes.sum(axis=0)
        check_sizes(segments, sizes)
        if self.options["match"] == "aligned":
            links = self.links(segments)
            matches = linked_matches(a, b, links.pair, links.hyp, links.ref, segments.threads)
        else:
            distances = tree_distances(zip(a, b, strict=True), segments.threads)
            matches = words - distances.astype(np.int64)
        values = np.where(words > 0, matches / np.maximum(words, 1), 0.5)
        if self.options["rescale"] == "yes":
            values *= 2
        best = segments.best(values)
        if self.options["weight"] == "aligned":
            linked = np.add(*self.links(segments).covered)
            weights = (linked / np.maximum(words, 1))[best]
        else:
            weights = np.ones(len(segments))
        return self.weigh(values[best], weights)

    def _parser_for(self, segments: Segments) -> Parser | None:
        """None if the segments have trees."""
        if not segments.has_trees:
            return self.parser
        if self.options["parser"] not in (None, GIVEN):
            raise InputError(f"{self.name}: trees are given, so there is nothing to parse")
        return None

    def _key(self) -> tuple[object, ...]:
        # What parser it is, and not its version: that cannot be asked of one that is missing.
        asked = self.options["parser"]
        if asked is None and self.language:
            asked = f"spacy:{default_pipeline(self.language)}"
        return str(self.signature(None, given_trees=True)), asked, self.wordnet, self.paraphrases


def check_sizes(segments: Segments, sizes: Ints) -> None:
    """Refuse trees that are too large, and say where."""
    for pair in np.flatnonzero(sizes[0] * sizes[1] > MOST_CELLS).tolist():
        both = " and ".join(f"{size:,}" for size in sizes[:, pair].tolist())
        segment = int(segments.references.segment[pair])
        raise SegmentError(segment, f"trees of {both} words are too large for each other")
