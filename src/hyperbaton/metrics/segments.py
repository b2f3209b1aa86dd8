"""A batch of segments, and what metrics share of it: tokens, alignments, measures of order."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.aligner import Aligner
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.links import Links
from hyperbaton.alignment.notation import GIVEN
from hyperbaton.edit.distances import overlaps
from hyperbaton.edit.tokens import NumberedPairs, number_pairs
from hyperbaton.errors import LinkOutsideError, SegmentError, TooLongError
from hyperbaton.metrics.through import (
    SOURCE,
    ThroughSource,
    as_alignment,
    composed,
    permutations,
)
from hyperbaton.order.factored import measures
from hyperbaton.syntax.parsers import Parser
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.tokenizers import tokenizer

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
T = TypeVar("T")
SIDES = ("hypothesis", "reference")


class Shared:
    """Things that are made once and then kept."""

    def __init__(self) -> None:
        self._made: dict[object, Any] = {}

    def once(self, key: object, make: Callable[[], T]) -> T:
        """What ``make`` gives, made when it is asked for the first time."""
        if key not in self._made:
            self._made[key] = make()
        made: T = self._made[key]
        return made

    @contextlib.contextmanager
    def for_now(self) -> Iterator[None]:
        """What is made within is not kept: of very many things, one after the other."""
        before = dict(self._made)
        try:
            yield
        finally:
            self._made = before


class Texts(Shared):
    """Lines, and their tokens by each tokeniser that is asked for.

    ``given_trees`` are those of the lines, if no parser is to find them.
    """

    def __init__(
        self, lines: Sequence[str], given_trees: Sequence[DependencyTree] | None = None
    ) -> None:
        super().__init__()
        self.lines = lines
        self.given_trees = given_trees

    def __len__(self) -> int:
        return len(self.lines)

    def tokens(self, tok: str, case: str) -> list[list[str]]:
        """The tokens of each line."""
        split = tokenizer(tok, case == "lc")
        return self.once((tok, case), lambda: [split(line) for line in self.lines])

    def lengths(self, tok: str, case: str) -> Ints:
        """How many tokens each line has."""
        return self.once(
            ("lengths", tok, case),
            lambda: np.array([len(words) for words in self.tokens(tok, case)], np.int64),
        )

    def trees(self, parser: Parser | None) -> Sequence[DependencyTree]:
        """The tree of each line: the parser's, or those that were given."""
        if parser is None:
            assert self.given_trees is not None
            return self.given_trees
        return self.once(
            ("trees", parser.name, parser.version), lambda: list(parser.parse(self.lines))
        )


class References(Texts):
    """The references of segments: those of segment k are ``lines[starts[k]:starts[k + 1]]``.

    Several systems can share them, and what is made of them.
    """

    def __init__(
        self,
        references: Sequence[Sequence[str]],
        given_trees: Sequence[DependencyTree] | None = None,
    ) -> None:
        super().__init__([line for several in references for line in several], given_trees)
        self.counts: Ints = np.array([len(several) for several in references], np.int64)
        self.starts: Ints = np.concatenate(([0], np.cumsum(self.counts)))
        self.segment: Ints = np.repeat(np.arange(len(references)), self.counts)
        self.streams = list(zip_longest(*references))  # as sacreBLEU has them; None: no more


class Segments(Shared):
    """Hypotheses with their references; a *pair* is a hypothesis with one of its references.

    ``given`` has the alignment of each pair, if they are not to be found: an ``Alignment``, or
    text such as ``0-0 1-2``; or those with a source. ``given_trees`` are those of the hypotheses.
    """

    def __init__(
        self,
        hypotheses: Sequence[str],
        references: References,
        threads: int | None = None,
        given: Sequence[Alignment | str] | ThroughSource | None = None,
        given_trees: Sequence[DependencyTree] | None = None,
    ) -> None:
        super().__init__()
        self.hypotheses = Texts(hypotheses, given_trees)
        self.references = references
        self.threads = threads
        self.given = given

    def __len__(self) -> int:
        return len(self.hypotheses)

    @property
    def way(self) -> str:
        """How alignments come: nothing if they are to be found, else ``given`` or ``source``."""
        if self.given is None:
            return ""
        return SOURCE if isinstance(self.given, ThroughSource) else GIVEN

    def lengths(self, tok: str, case: str) -> tuple[Ints, Ints]:
        """How many tokens the hypothesis and the reference of each pair have."""
        hyp = self.hypotheses.lengths(tok, case)
        return hyp[self.references.segment], self.references.lengths(tok, case)

    def closest_lengths(self, tok: str, case: str) -> Ints:
        """For each pair, which reference length of its segment is nearest to the hypothesis's.

        The shorter one if two are as near, as in BLEU.
        """
        hyp, ref = self.lengths(tok, case)
        order = np.lexsort((ref, np.abs(ref - hyp), self.references.segment))
        return ref[order[self.references.starts[:-1]]][self.references.segment]

    def numbered(self, tok: str, case: str) -> NumberedPairs:
        """The tokens of each pair as numbers."""
        return self.once(
            ("numbered", tok, case),
            lambda: number_pairs(
                zip(
                    self._of_pairs(self.hypotheses.tokens(tok, case)),
                    self.references.tokens(tok, case),
                    strict=True,
                )
            ),
        )

    def overlaps(self, tok: str, case: str) -> Ints:
        """How many tokens the bags of each pair have in common."""
        return self.once(("overlaps", tok, case), lambda: overlaps(self.numbered(tok, case)))

    def links(self, aligner: Aligner) -> Links:
        """The links of each pair."""
        tok, case = aligner.tokenize, "lc" if aligner.lowercase else "mixed"
        if self.given is not None:
            return self.once(
                ("given", tok), lambda: self._given_links(*self.lengths(tok, case), by(tok))
            )
        return self.found_links(aligner)

    def found_links(self, aligner: Aligner) -> Links:
        """The links of each pair that the aligner finds, whatever was given."""
        tok, case = aligner.tokenize, "lc" if aligner.lowercase else "mixed"
        return self.once(
            ("links", aligner.signature), lambda: self._found_links(aligner, tok, case)
        )

    @property
    def has_trees(self) -> bool:
        """Whether trees were given."""
        return self.hypotheses.given_trees is not None and self.references.given_trees is not None

    def trees(self, parser: Parser | None) -> tuple[list[DependencyTree], list[DependencyTree]]:
        """The trees of each pair, of hypotheses and of references."""
        hypotheses = self._of_pairs(self.hypotheses.trees(parser))
        return hypotheses, list(self.references.trees(parser))

    def tree_links(self, aligner: Aligner, parser: Parser | None) -> Links:
        """The links of each pair, over the words of the trees."""
        made_from = None if parser is None else (parser.name, parser.version)
        found_by = self.way or aligner.signature
        return self.once(
            ("tree links", made_from, found_by), lambda: self._tree_links(aligner, parser)
        )

    def permutations(self, links: Links, unaligned: str) -> tuple[Ints, Ints]:
        """The permutation of each pair, as flat values and offsets."""
        return self.once(
            ("permutations", id(links), unaligned), lambda: links.permutations(unaligned)
        )

    def source_permutations(self, tok: str, case: str, nulls: str) -> tuple[Ints, Ints]:
        """What is between the two reorderings of each pair's source, as flat values and offsets."""
        return self.once(
            ("source permutations", tok, nulls),
            lambda: permutations(*self._with_source(*self.lengths(tok, case), by(tok)), nulls),
        )

    def measures(self, values: Ints, offsets: Ints) -> dict[str, Floats]:
        """Every measure of order, with its default options, of permutations that are kept here."""
        return self.once(("measures", id(values)), lambda: measures(values, offsets, self.threads))

    def pairs(self) -> Segments:
        """The same with one reference each: a segment for each pair."""
        if len(self.references) == len(self):
            return self
        return self.once(
            "pairs",
            lambda: Segments(
                self._of_pairs(self.hypotheses.lines),
                References([[line] for line in self.references.lines]),
            ),
        )

    def coverage(self, links: Links) -> Floats:
        """Words with a link and all words of each segment, on both sides together.

        Of several references, the one that gives the greatest share counts.
        """
        return self.once(("coverage", id(links)), lambda: self._coverage(links))

    def best(self, values: Floats) -> Ints:
        """Of each segment, the pair with the largest value; the first of several."""
        starts = self.references.starts
        if len(values) == len(self):
            return np.arange(len(self))
        order = np.lexsort((np.arange(len(values)), -values, self.references.segment))
        return order[starts[:-1]]

    def _coverage(self, links: Links) -> Floats:
        linked = np.add(*links.covered)
        words = links.hyp_lengths + links.ref_lengths
        best = self.best(linked / np.maximum(words, 1))
        return np.stack([linked[best], words[best]], axis=1).astype(np.float64)

    def _of_pairs(self, items: Sequence[T]) -> list[T]:
        """What belongs to hypotheses, for each pair."""
        return [items[k] for k in self.references.segment.tolist()]

    def _tree_links(self, aligner: Aligner, parser: Parser | None) -> Links:
        hyps, refs = ([list(tree.words) for tree in side] for side in self.trees(parser))
        if self.given is None:
            return self._aligned(aligner, hyps, refs)
        hyp_lengths, ref_lengths = (
            np.array(list(map(len, side)), np.int64) for side in (hyps, refs)
        )
        return self._given_links(hyp_lengths, ref_lengths, "words of the trees")

    def _found_links(self, aligner: Aligner, tok: str, case: str) -> Links:
        hyps = self._of_pairs(self.hypotheses.tokens(tok, case))
        return self._aligned(aligner, hyps, self.references.tokens(tok, case))

    def _aligned(self, aligner: Aligner, hyps: list[list[str]], refs: list[list[str]]) -> Links:
        try:
            return aligner.links_of_many(hyps, refs, self.threads)
        except TooLongError as error:
            raise SegmentError(int(self.references.segment[error.pair]), str(error)) from None

    def _given_links(self, hyp_lengths: Ints, ref_lengths: Ints, words: str) -> Links:
        """The alignments that were given, checked; ``words`` says what they are links of."""
        if isinstance(self.given, ThroughSource):
            return Links.of(composed(*self._with_source(hyp_lengths, ref_lengths, words)))
        lengths = list(zip(hyp_lengths.tolist(), ref_lengths.tolist(), strict=True))
        return Links.of(self._checked(self.given or (), lengths, SIDES, "alignments", words))

    def _with_source(
        self, hyp_lengths: Ints, ref_lengths: Ints, words: str
    ) -> tuple[list[Alignment], list[Alignment]]:
        """Of each pair, the alignment of its source with the system, and with the reference."""
        given = self.given
        assert isinstance(given, ThroughSource)
        sources = self._of_pairs(given.lengths())
        found = []
        for part, alignments, lengths, side in (
            ("alignments", self._of_pairs(given.system), hyp_lengths, "system"),
            ("reference_alignments", given.references, ref_lengths, "reference"),
        ):
            both = list(zip(sources, lengths.tolist(), strict=True))
            found.append(self._checked(alignments, both, ("source", side), part, words))
        return found[0], found[1]

    def _checked(
        self,
        given: Sequence[Alignment | str],
        lengths: Sequence[tuple[int, int]],
        sides: tuple[str, str],
        part: str,
        words: str,
    ) -> list[Alignment]:
        """The alignments of all pairs, or what is wrong with the first that does not fit."""
        found = []
        for k, (alignment, both) in enumerate(zip(given, lengths, strict=True)):
            try:
                found.append(as_alignment(alignment, both, sides))
            except ValueError as error:
                segment = int(self.references.segment[k])
                hint = f" ({words})" if words and isinstance(error, LinkOutsideError) else ""
                where = part, k - int(self.references.starts[segment])
                raise SegmentError(segment, f"{error}{hint}", where) from None
        return found


def by(tok: str) -> str:
    """What to say of links that do not fit the tokens of a tokeniser."""
    return "" if tok == "none" else f"tokeniser {tok}; tok=none takes tokens as they are"
