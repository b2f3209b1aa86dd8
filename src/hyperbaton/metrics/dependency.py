"""Metrics over dependency trees."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np

from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.edit.tree_edits import MAX_CELLS, count_linked_matches, tree_distances
from hyperbaton.errors import InputError, SegmentError
from hyperbaton.metrics.alignment_metrics import ALIGN, WEIGHTS, AlignmentMetric
from hyperbaton.metrics.batches import Batch, Ints
from hyperbaton.metrics.metric import CASE, FOLD, Floats, Variant, version_fields
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.provenance import COMPUTED, GIVEN, Provenance
from hyperbaton.metrics.signature import Signature
from hyperbaton.syntax.cache import CachedParser
from hyperbaton.syntax.parsers import Parser, default_pipeline, load_parser
from hyperbaton.text.tokenization import Tokenization

NO_YES = ("no", "yes")


class ParserOption(Option):
    """``parser``: what :func:`hyperbaton.syntax.parsers.load_parser` takes."""

    def read(self, name: str, given: object) -> Value:
        """Return any text. Whether there is such a parser turns out when it is needed."""
        if not isinstance(given, str):
            raise InputError(f"{name} must be spacy:NAME, udpipe:FILE or {GIVEN}, got {given!r}")
        return given

    @property
    def numeric(self) -> bool:
        """A parser is a name."""
        return False

    @property
    def domain(self) -> str:
        """The valid values, for people."""
        return f"spacy:NAME, udpipe:FILE, or {GIVEN}"


class Dted(AlignmentMetric):
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
        "dted": Variant(
            "edit distance of dependency trees: how much of the structure is kept",
            "McCaffery & Nederhof 2016",
            "It needs a parser, or trees. Only structure counts, not words (match=aligned changes "
            "that), and a parser finds structure in any output. The best value is 0.5.",
            example="weight=aligned,parser=spacy:en_core_web_sm",
        )
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
        "parser": ParserOption(None, "default: spaCy's small pipeline for the language"),
    }

    needs_trees = True

    @classmethod
    def options_for(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """Return the options; those of links only where links are used."""
        if "aligned" in (given.get("match"), given.get("weight")):
            return {**cls.OPTIONS, "case": CASE, "fold": FOLD, "align": ALIGN, **WEIGHTS}
        return cls.OPTIONS

    def resolve_options(self) -> None:
        """Fill in the options of links, where links are used."""
        if self.aligns:
            super().resolve_options()

    @classmethod
    def range_for(cls, name: str) -> tuple[float, float]:
        """Return the range of the metric as published."""
        return 0.0, 0.5

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest possible value."""
        return 0.0, 1.0 if self.options["rescale"] == "yes" else 0.5

    @cached_property
    def tokenization(self) -> Tokenization:
        """No tokeniser: the words are those of the trees."""
        return Tokenization.for_language(
            self.language, "none", self.text_option("case"), self.text_option("fold")
        )

    @property
    def aligns(self) -> bool:
        """Whether links are used."""
        return "align" in self.options

    @cached_property
    def parser(self) -> Parser:
        """The parser that the options ask for. It parses no line twice."""
        spec = self.options["parser"]
        if spec == GIVEN:
            raise InputError(
                f"{self.name}: parser={GIVEN} needs trees: give them to score or compare"
            )
        return CachedParser(load_parser(None if spec is None else str(spec), self.language))

    def option_fields(self, provenance: Provenance) -> list[tuple[str, Value]]:
        """Return the options; the parser is named with its version."""
        fields = super().option_fields(provenance)
        return [field for field in fields if field[0] != "parser"]

    def signature_fields(self, provenance: Provenance) -> list[tuple[str, Value]]:
        """Return the alignment, where there is one, and versions."""
        if self.aligns:
            return [field for field in super().signature_fields(provenance) if field[0] != "tok"]
        return version_fields()

    def signature(
        self,
        references: int | str | None,
        provenance: Provenance = COMPUTED,
    ) -> Signature:
        """Return everything that changes the number, with the parser and its version."""
        signature = super().signature(references, provenance)
        if provenance.trees or self.options["parser"] == GIVEN:
            signature.update("parser", GIVEN)
        else:
            signature.update("parser", self.parser.name.replace("|", "_"))
            signature.update("model", self.parser.version)
        return signature

    def links(self, batch: Batch) -> AlignmentBatch:
        """Return the links between the words of the trees."""
        self.check_provenance(batch.provenance)
        return batch.tree_links(self.aligner, self._parser_for(batch))

    def coverage(self, batch: Batch) -> Floats | None:
        """Return linked words and all words, if links are used."""
        return super().coverage(batch) if self.aligns else None

    @property
    def thread_safe(self) -> bool:
        """False, because a parser may not be."""
        return False

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        trees = batch.trees(self._parser_for(batch))
        flat = self.options["flat"] == "yes"
        a, b = ([(tree.flat() if flat else tree).heads for tree in side] for side in trees)
        sizes = np.array([list(map(len, a)), list(map(len, b))], np.int64)
        words = sizes.sum(axis=0)
        check_sizes(batch, sizes)
        if self.options["match"] == "aligned":
            links = self.links(batch)
            matches = count_linked_matches(a, b, links.pair, links.hyp, links.ref, batch.threads)
        else:
            distances = tree_distances(zip(a, b, strict=True), batch.threads)
            matches = words - distances.astype(np.int64)
        values = np.where(words > 0, matches / np.maximum(words, 1), 0.5)
        if self.options["rescale"] == "yes":
            values *= 2
        best = batch.best(values)
        if self.options["weight"] == "aligned":
            linked = np.add(*self.links(batch).covered_words)
            weights = (linked / np.maximum(words, 1))[best]
        else:
            weights = np.ones(len(batch))
        return self.weighted_statistics(values[best], weights)

    def _parser_for(self, batch: Batch) -> Parser | None:
        """Return the parser, or None if trees were given."""
        if not batch.has_trees:
            return self.parser
        if self.options["parser"] not in (None, GIVEN):
            raise InputError(f"{self.name}: trees are given, so parser= has no effect")
        return None

    def _key(self) -> tuple[object, ...]:
        # The parser's name, not its version: a missing parser has none.
        parser = self.options["parser"]
        if parser is None and self.language:
            parser = f"spacy:{default_pipeline(self.language)}"
        signature = str(self.signature(None, Provenance(trees=True)))
        return signature, parser, self.resources.wordnet, self.resources.paraphrases


def check_sizes(batch: Batch, sizes: Ints) -> None:
    """Raise an error for the first pair of trees that is too large."""
    for pair in np.flatnonzero(sizes[0] * sizes[1] > MAX_CELLS).tolist():
        counts = " and ".join(f"{size:,}" for size in sizes[:, pair].tolist())
        segment = int(batch.references.segment[pair])
        raise SegmentError(segment, f"trees of {counts} words are too large together")
