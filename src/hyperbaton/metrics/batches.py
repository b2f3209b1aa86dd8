"""A batch of segments, and what metrics compute from it together: tokens, links, permutations."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.batch import AlignmentBatch, relative_permutations, source_permutations
from hyperbaton.alignment.choices import GIVEN
from hyperbaton.alignment.notation import (
    check_links,
    count_words,
    parse_links,
    required_lengths,
    split_hint,
)
from hyperbaton.errors import InputError, LinkOutsideError, LocatedError, SegmentError, TooLongError
from hyperbaton.metrics.signature import SOURCE, Provenance
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.order.measures import measures
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import Words, WordTable, as_utf8, shared_table
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.alignment.aligner import Aligner
    from hyperbaton.edit.tokens import NumberedPairs
    from hyperbaton.syntax.parsers import Parser
    from hyperbaton.syntax.trees import DependencyTree

    Trees = Sequence[DependencyTree]

Ints = npt.NDArray[np.int64]
GivenAlignment = Alignment | str  # a str is a Pharaoh line
P = ParamSpec("P")
T = TypeVar("T")


class Memo:
    """Values that are computed once and then kept. Several threads may ask for them."""

    def __init__(self) -> None:
        self._values: dict[object, Any] = {}
        self._lock = threading.RLock()

    def memoize(self, key: object, compute: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the value for ``key``; compute it if it is asked for the first time."""
        with self._lock:
            if key not in self._values:
                self._values[key] = compute(*args, **kwargs)
            value: T = self._values[key]
        return value

    def has(self, key: object) -> bool:
        """Return whether the value for ``key`` is known."""
        return key in self._values

    @contextlib.contextmanager
    def scratch(self) -> Iterator[None]:
        """Forget at the end what is computed inside, so that many settings can be tried."""
        before = dict(self._values)
        try:
            yield
        finally:
            self._values = before

    def __getstate__(self) -> dict[str, Any]:
        # Values are computed again where the object arrives.
        return {key: value for key, value in self.__dict__.items() if key != "_lock"} | {
            "_values": {}
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())


class Texts(Memo):
    """Lines of text, and their tokens by each tokeniser that is asked for.

    ``given_trees`` are the dependency trees of the lines, if no parser has to find them.
    """

    def __init__(self, lines: Sequence[str], given_trees: Trees | None = None) -> None:
        super().__init__()
        self.lines = lines
        self.given_trees = given_trees

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def utf8(self) -> _core.Lines:
        """The lines as the core reads them."""
        if isinstance(self.lines, _core.Lines):
            return self.lines
        return self.memoize("utf8", _core.Lines.from_strings, self.lines)

    def tokens(self, text: Tokenization) -> list[list[str]]:
        """Return the tokens of each line."""
        return self.words(text, shared_table(text)).strings()

    def words(self, text: Tokenization, table: WordTable, threads: int = 1) -> Words:
        """Return the tokens of each line, numbered with a table."""
        return self.memoize(("words", text, table), table.number_lines, self.utf8, threads)

    def trees(self, parser: Parser | None) -> Trees:
        """Return the tree of each line: the parser's, or without a parser the given ones."""
        if parser is None:
            assert self.given_trees is not None
            return self.given_trees
        key = "trees", parser.name, parser.version
        return self.memoize(key, lambda: list(parser.parse(self.lines)))


class ReferenceTexts(Texts):
    """The references of segments. Several systems share them, and what is computed from them.

    The references of segment k are ``lines[starts[k]:starts[k + 1]]``; ``counts`` has the number of
    references of each segment. By default it is 1 (``is_flat``). A *pair* is a hypothesis with one
    of its references; ``segment`` has the segment of each pair.
    """

    def __init__(
        self,
        lines: Sequence[str],
        counts: Sequence[int] | Ints | None = None,
        given_trees: Trees | None = None,
    ) -> None:
        super().__init__(lines, given_trees)
        self.is_flat = counts is None
        self.counts: Ints = np.array([1] * len(lines) if counts is None else counts, np.int64)
        self.starts: Ints = np.concatenate(([0], np.cumsum(self.counts)))
        self.segment: Ints = np.repeat(np.arange(len(self.counts)), self.counts)

    @classmethod
    def from_segments(
        cls,
        references: Sequence[Sequence[str]],
        given_trees: Trees | None = None,
    ) -> ReferenceTexts:
        """Return the texts of references that come as a sequence for each segment."""
        lines = [line for lines in references for line in lines]
        return cls(lines, [len(lines) for lines in references], given_trees)

    def by_segment(self) -> list[list[str]]:
        """Return the references of each segment."""
        starts, lines = self.starts.tolist(), list(self.lines)
        return [lines[a:b] for a, b in pairwise(starts)]

    def streams(self) -> list[tuple[str | None, ...]]:
        """Return the references as sacreBLEU wants them: a stream for each, None if missing."""
        return list(zip_longest(*self.by_segment()))


@dataclass(frozen=True)
class SourceLinks:
    """Source sentences, and their links with translations and with references.

    Attributes
    ----------
    source : sequence of str
        Source sentences.
    system : sequence of Alignment or str
        The (source, system) links of each segment.
    references : sequence of Alignment or str
        The (source, reference) links of each pair of a segment and a reference.
    source_text : Tokenization, optional
        How source sentences become words. By default words are separated by white space, as
        aligners and decoders see them.
    aligner : str
        Signature of the source aligner that found the links; empty if the caller gave them.
    """

    source: Sequence[str]
    system: Sequence[GivenAlignment]
    references: Sequence[GivenAlignment]
    source_text: Tokenization | None = None
    aligner: str = ""

    @property
    def origin(self) -> str:
        """What found the links and split the source, for signatures; empty by default."""
        if self.aligner or self.source_text is None or self.source_text.tok == "none":
            return self.aligner
        return f"{GIVEN}.tok-{self.source_text.tok}"

    def select(self, segments: slice, pairs: slice) -> SourceLinks:
        """Return the links of some segments, whose pairs are ``pairs``."""
        source, system = self.source[segments], self.system[segments]
        return replace(self, source=source, system=system, references=self.references[pairs])

    def source_lengths(self) -> list[int]:
        """Return the number of words of each source sentence."""
        if self.source_text is None or self.source_text.tok == "none":
            return [count_words(line) for line in self.source]
        table = shared_table(self.source_text)
        lengths: list[int] = table.number_lines(as_utf8(self.source), 1).lengths.tolist()
        return lengths


Floats = npt.NDArray[np.float64]
KeptTokens = tuple[list[list[bool]], list[list[bool]]]  # of each pair: hypotheses, references
SIDES = ("hypothesis", "reference")
BATCH_SIZE = 3000  # segments: enough work for all threads, little memory


class LinkedWords(NamedTuple):
    """The words of each pair that given links refer to.

    Attributes
    ----------
    lengths : tuple of list of int
        Their numbers on both sides.
    hint : str
        Which words these are, for links that do not fit them.
    kept : tuple of list of list of bool, optional
        Which of them count, on both sides; None if all do.
    """

    lengths: tuple[list[int], list[int]]
    hint: str
    kept: KeptTokens | None = None


class Origin(Protocol):
    """Says where the segments of a batch come from, for error messages."""

    def describe(self, segment: int, part: tuple[str, int] | None) -> str:
        """Return the place of a segment, such as ``sys.txt, line 4``.

        Parameters
        ----------
        segment : int
            Number of the segment in the corpus, from 0.
        part : tuple of (str, int), optional
            The argument at fault (``"alignments"`` or ``"reference_alignments"``) and which of the
            segment's alignments is meant; None for the texts.
        """


class ListOrigin:
    """The origin of segments that were given as Python lists."""

    def describe(self, segment: int, part: tuple[str, int] | None) -> str:
        """Return the number of the segment, and the argument at fault."""
        return f"segment {segment}: {part[0]}" if part else f"segment {segment}"


class Batch(Memo):
    """Consecutive segments of one system with their references, and given links and trees.

    Parameters
    ----------
    hypotheses : sequence of str
        The system's translations.
    references : ReferenceTexts
        Their references; batches of other systems may share the object.
    system : str
        Name of the system.
    first : int
        Number of the first segment in the corpus, from 0. Batches may come in any order.
    links : SourceLinks, or sequence of Alignment or str, optional
        Given alignments: one for each pair, or links through the source. By default an aligner
        finds them.
    source : sequence of str, optional
        Source sentences, with which an aligner finds links.
    trees : sequence of DependencyTree, optional
        Given dependency trees of the hypotheses.
    origin : Origin, optional
        Where the segments come from, for error messages.
    threads : int, optional
        Number of threads; all cores by default.
    """

    def __init__(
        self,
        hypotheses: Sequence[str],
        references: ReferenceTexts,
        *,
        system: str = "system",
        first: int = 0,
        links: Sequence[GivenAlignment] | SourceLinks | None = None,
        source: Sequence[str] | None = None,
        trees: Trees | None = None,
        origin: Origin | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__()
        self.hypotheses = Texts(hypotheses, trees)
        self.references = references
        self.system = system
        self.first = first
        self.given_links = links
        self.source = source
        self.origin: Origin = ListOrigin() if origin is None else origin
        self.threads = threads

    def __len__(self) -> int:
        return len(self.hypotheses)

    @property
    def provenance(self) -> Provenance:
        """Where alignments and trees come from."""
        if isinstance(self.given_links, SourceLinks):
            return Provenance(SOURCE, self.has_trees, self.given_links.origin)
        return Provenance("" if self.given_links is None else GIVEN, self.has_trees)

    @property
    def has_trees(self) -> bool:
        """Whether trees were given for both sides."""
        return self.hypotheses.given_trees is not None and self.references.given_trees is not None

    def words(self, text: Tokenization) -> tuple[Words, Words]:
        """Return the tokens of the hypothesis of each segment and of the reference of each pair."""
        count = thread_count(self.threads)
        # The table stays the same, so that the words of all systems can be compared with these.
        table = self.references.memoize(("table", text), shared_table, text)
        hypotheses = self.hypotheses.words(text, table, count)
        return hypotheses, self.references.words(text, table, count)

    def word_pairs(self, text: Tokenization) -> tuple[Words, Words]:
        """Return the tokens of the hypothesis and of the reference of each pair."""
        return self._pair_words(*self.words(text))

    def _pair_words(self, hyp: Words, ref: Words) -> tuple[Words, Words]:
        return (hyp if len(ref.lengths) == len(self) else hyp.take(self.references.segment)), ref

    def lengths(self, text: Tokenization) -> tuple[Ints, Ints]:
        """Return the number of tokens of the hypothesis and of the reference of each pair."""
        hyp, ref = self.words(text)
        return hyp.lengths[self.references.segment], ref.lengths

    def closest_lengths(self, text: Tokenization) -> Ints:
        """Return, for each pair, the reference length of its segment closest to the hypothesis.

        Of two equally close lengths it is the shorter one, as in BLEU.
        """
        hyp, ref = self.lengths(text)
        order = np.lexsort((ref, np.abs(ref - hyp), self.references.segment))
        return ref[order[self.references.starts[:-1]]][self.references.segment]

    def numbered(self, text: Tokenization) -> NumberedPairs:
        """Return the tokens of each pair as numbers from 0."""
        return self.memoize(("numbered", text), lambda: self._renumber(*self.words(text)))

    def _renumber(self, hyp: Words, ref: Words) -> NumberedPairs:
        from hyperbaton.edit.tokens import NumberedPairs

        sides = hyp.numbers, hyp.offsets, self.references.segment, ref.numbers, ref.offsets
        return NumberedPairs(*_core.renumber_pairs(*sides))

    def overlaps(self, text: Tokenization) -> Ints:
        """Return the size of the multiset intersection of the tokens of each pair."""
        from hyperbaton.edit.distances import bag_overlaps  # metrics of order do not need it

        return self.memoize(("overlaps", text), lambda: bag_overlaps(self.numbered(text)))

    def links(self, aligner: Aligner, text: Tokenization) -> AlignmentBatch:
        """Return the links of each pair: the given ones, or else those of the aligner."""
        if self.given_links is None:
            return self.found_links(aligner, text)
        return self.memoize(
            ("given", text), lambda: self._check_given_links(self._linked_words(text))
        )

    def found_links(self, aligner: Aligner, text: Tokenization) -> AlignmentBatch:
        """Return the links that the aligner finds, whatever links were given."""
        return self.memoize(found_links_key(aligner, text), self._align_words, aligner, text)

    def trees(self, parser: Parser | None) -> tuple[list[DependencyTree], list[DependencyTree]]:
        """Return the trees of each pair, of hypotheses and of references."""
        hypotheses = self._repeat_for_pairs(self.hypotheses.trees(parser))
        return hypotheses, list(self.references.trees(parser))

    def tree_links(self, aligner: Aligner, parser: Parser | None) -> AlignmentBatch:
        """Return the links of each pair over the words of the trees."""
        parsed_by = None if parser is None else (parser.name, parser.version)
        aligned_by = self.provenance.alignments or aligner.signature
        key = "tree links", parsed_by, aligned_by
        return self.memoize(key, self._link_trees, aligner, parser)

    def permutations(self, links: AlignmentBatch, unaligned: str) -> tuple[Ints, Ints]:
        """Return the permutation of each pair, as flat values and offsets."""
        return self.memoize(("permutations", id(links), unaligned), links.permutations, unaligned)

    def source_permutations(self, text: Tokenization, nulls: str) -> tuple[Ints, Ints]:
        """Return the permutation between the two reorderings of each pair's source.

        They come as flat values and offsets.
        """

        def permute() -> tuple[Ints, Ints]:
            sides = self._source_alignments(self._linked_words(text))
            return permutations_of_source(*sides, nulls)

        return self.memoize(("source permutations", text, nulls), permute)

    def expect_measures(self, names: frozenset[str]) -> None:
        """Take note of the measures that metrics will ask for."""
        self.memoize("expected measures", lambda: names)

    def measure(self, name: str, values: Ints, offsets: Ints) -> Floats:
        """Return a measure of order with default options, of permutations of this batch."""
        # Several measures are computed together: they share a tree.
        if len(self.memoize("expected measures", frozenset[str])) == 1:
            function = MEASURES[name].function
            key = name, id(values)
            return self.memoize(key, function, values, offsets=offsets, threads=self.threads)
        key = "measures", id(values)
        return self.memoize(key, measures, values, offsets, self.threads)[name]

    def pairs(self) -> Batch:
        """Return the batch with one reference each: a segment for each pair."""
        if len(self.references) == len(self):
            return self
        return self.memoize(
            "pairs",
            lambda: Batch(
                self._repeat_for_pairs(self.hypotheses.lines),
                ReferenceTexts(self.references.lines),
            ),
        )

    def coverage(self, links: AlignmentBatch) -> Floats:
        """Return the linked words and all words of each segment, on both sides together.

        Of several references, the one with the greatest share counts.
        """
        key, words = ("coverage", id(links)), links.hyp_lengths + links.ref_lengths
        return self.memoize(key, lambda: self._greatest_shares(np.add(*links.covered_words), words))

    def best_covered(self, links: AlignmentBatch) -> Ints:
        """Return, for each segment, the first pair with the greatest share of linked words."""
        words = links.hyp_lengths + links.ref_lengths
        return self.best(np.add(*links.covered_words) / np.maximum(words, 1))

    def best(self, values: Floats) -> Ints:
        """Return, for each segment, the first pair with the highest value."""
        if len(values) == len(self):
            return np.arange(len(self))
        order = np.lexsort((np.arange(len(values)), -values, self.references.segment))
        return order[self.references.starts[:-1]]

    def _greatest_shares(self, found: Ints, words: Ints) -> Floats:
        """Return both counts of each segment, from the counts of each pair."""
        best = self.best(found / np.maximum(words, 1))
        return np.stack([found[best], words[best]], axis=1).astype(np.float64)

    def _repeat_for_pairs(self, items: Sequence[T]) -> list[T]:
        """Return what belongs to the hypothesis of each pair."""
        return [items[k] for k in self.references.segment.tolist()]

    def _align_words(self, aligner: Aligner, text: Tokenization) -> AlignmentBatch:
        with self.locate_pairs():
            return aligner.align_words(*self._pair_words(*self.words(text)), self.threads)

    @contextlib.contextmanager
    def locate_pairs(self) -> Iterator[None]:
        """Turn the error of a pair of sentences into an error of its segment."""
        try:
            yield
        except TooLongError as error:
            raise SegmentError(int(self.references.segment[error.pair]), str(error)) from None

    def _link_trees(self, aligner: Aligner, parser: Parser | None) -> AlignmentBatch:
        hyps, refs = ([list(tree.words) for tree in side] for side in self.trees(parser))
        if self.given_links is None:
            with self.locate_pairs():
                return aligner.align_batch(hyps, refs, self.threads)
        lengths = list(map(len, hyps)), list(map(len, refs))
        return self._check_given_links(LinkedWords(lengths, "words of the trees"))

    def _linked_words(self, text: Tokenization) -> LinkedWords:
        """Return the tokens that given links refer to: all of them, also where only some count."""
        hyp_lengths, ref_lengths = self.lengths(text.with_punctuation())
        words = LinkedWords((hyp_lengths.tolist(), ref_lengths.tolist()), tokenizer_hint(text.tok))
        if text.punct == "keep":
            return words
        hyp, ref = (
            [list(map(text.keeps, tokens)) for tokens in side.tokens(text.with_punctuation())]
            for side in (self.hypotheses, self.references)
        )
        return words._replace(kept=(self._repeat_for_pairs(hyp), ref))

    def _check_given_links(self, words: LinkedWords) -> AlignmentBatch:
        """Return the given links between the words that count."""
        if isinstance(self.given_links, SourceLinks):
            pairs = self._source_alignments(words)
            return AlignmentBatch.from_alignments(compose_through_source(*pairs))
        given, hints = self.given_links or (), (words.hint, words.hint)
        alignments = self._check_alignments(given, words.lengths, SIDES, "alignments", hints)
        if words.kept is not None:
            alignments = list(map(Alignment.select_words, alignments, *words.kept))
        return AlignmentBatch.from_alignments(alignments)

    def _source_alignments(self, words: LinkedWords) -> tuple[list[Alignment], list[Alignment]]:
        """Return the alignments of each pair's source with the system and with the reference.

        The source keeps all its words.
        """
        given = self.given_links
        assert isinstance(given, SourceLinks)
        lengths = self._repeat_for_pairs(given.source_lengths())
        hints = source_hint(given.source_text), words.hint
        rows = (
            ("system", "alignments", self._repeat_for_pairs(given.system)),
            ("reference", "reference_alignments", given.references),
        )
        system, reference = (
            self._check_alignments(links, (lengths, others), ("source", side), argument, hints)
            for (side, argument, links), others in zip(rows, words.lengths, strict=True)
        )
        if words.kept is None:
            return system, reference
        system, reference = (
            [alignment.select_words(None, kept) for alignment, kept in zip(*pair, strict=True)]
            for pair in zip((system, reference), words.kept, strict=True)
        )
        return system, reference

    def _check_alignments(
        self,
        alignments: Sequence[GivenAlignment],
        lengths: tuple[Sequence[int], Sequence[int]],
        sides: tuple[str, str],
        argument: str,
        hints: tuple[str, str],
    ) -> list[Alignment]:
        """Return the alignments of all pairs, or raise an error for the first that is invalid.

        ``hints`` say which words the links of each side refer to.
        """
        checked = []
        pairs = zip(alignments, zip(*lengths, strict=True), strict=True)
        for k, (alignment, pair_lengths) in enumerate(pairs):
            try:
                checked.append(as_alignment(alignment, pair_lengths, sides))
            except InputError as error:
                segment = int(self.references.segment[k])
                hint = ""
                if isinstance(error, LinkOutsideError):
                    hint = misfit_hint(alignment, pair_lengths, hints)
                suffix = f" ({hint})" if hint else ""
                part = argument, k - int(self.references.starts[segment])
                raise SegmentError(segment, f"{error}{suffix}", part) from None
        return checked


@contextlib.contextmanager
def locate_errors(batch: Batch) -> Iterator[None]:
    """Turn errors in segments of a batch into errors that say where the segments come from."""
    try:
        yield
    except SegmentError as error:
        place = batch.origin.describe(batch.first + error.segment, error.part)
        raise LocatedError(f"{place}: {error}") from None


def found_links_key(aligner: Aligner, text: Tokenization) -> tuple[object, ...]:
    """Return the key under which a batch keeps the links that an aligner found."""
    return "links", aligner.signature, text


def as_alignment(
    given: GivenAlignment, lengths: tuple[int, int], sides: tuple[str, str]
) -> Alignment:
    """Return an alignment of sentences of these lengths.

    Raises
    ------
    LinkOutsideError
        If it does not fit them. The message calls the sentences by ``sides``.
    """
    if isinstance(given, str):
        rows = parse_links(given)
        check_links(rows, lengths, sides)
        return Alignment(*lengths, rows)
    if (given.hyp_length, given.ref_length) != lengths:
        raise LinkOutsideError(
            f"the alignment is for sentences of {given.hyp_length} and {given.ref_length} words, "
            f"but these have {lengths[0]} and {lengths[1]}"
        )
    return given


def compose_through_source(
    systems: Sequence[Alignment], references: Sequence[Alignment]
) -> list[Alignment]:
    """Return the system-reference links of each pair that meet in the source."""
    pairs = zip(systems, references, strict=True)
    return [system.inverse().compose(reference) for system, reference in pairs]


def permutations_of_source(
    systems: Sequence[Alignment], references: Sequence[Alignment], nulls: str
) -> tuple[Ints, Ints]:
    """Return the permutation between the two reorderings of each pair's source.

    They come as flat values and offsets. A permutation is empty if the source has no link at all
    on one side: nothing is known of its order.
    """
    pairs = zip(systems, references, strict=True)
    lengths = np.array([a.hyp_length if a.phrases and b.phrases else 0 for a, b in pairs], np.int64)
    system, offsets = _reorderings(systems, lengths, nulls)
    reference, _ = _reorderings(references, lengths, nulls)
    return relative_permutations(system, reference, offsets), offsets


def _reorderings(alignments: Sequence[Alignment], lengths: Ints, nulls: str) -> tuple[Ints, Ints]:
    used = np.flatnonzero(lengths).tolist()
    rows = [(k, *link) for k in used for link in alignments[k].links]
    table = np.array(rows, np.int64).reshape(-1, 3)
    return source_permutations(table[:, 0], table[:, 1], table[:, 2], lengths, nulls)


def tokenizer_hint(tok: str) -> str:
    """Return a hint for links that do not fit the tokens of a tokeniser."""
    return "" if tok == "none" else f"tokeniser {tok}; tok=none takes tokens as they are"


def source_hint(text: Tokenization | None) -> str:
    """Return a hint for links that do not fit the words of the source."""
    if text is None:
        return split_hint("source")
    return "" if text.tok == "none" else f"source tokeniser {text.tok}"


def misfit_hint(given: GivenAlignment, lengths: tuple[int, int], hints: tuple[str, str]) -> str:
    """Return the hints for the sides whose words do not fit an alignment."""
    if isinstance(given, str):
        needed = required_lengths(parse_links(given))
        misfits = needed[0] > lengths[0], needed[1] > lengths[1]
    else:
        misfits = given.hyp_length != lengths[0], given.ref_length != lengths[1]
    found = [hint for hint, misfit in zip(hints, misfits, strict=True) if misfit and hint]
    return "; ".join(dict.fromkeys(found))
