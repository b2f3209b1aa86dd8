"""The alignment of two sentences and its permutation."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.batch import AlignmentBatch, source_permutations
from hyperbaton.alignment.choices import GIVEN, ROW_MATCHERS
from hyperbaton.alignment.notation import (
    POSSIBLE,
    LinkRow,
    check_links,
    format_moses,
    format_pharaoh,
    parse_links,
)
from hyperbaton.errors import InputError
from hyperbaton.order.permutation import Permutation
from hyperbaton.presentation import NotebookDisplay
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import Words

WordPair = tuple[tuple[str, ...], tuple[str, ...]]


class Link(NamedTuple):
    """A link between words ``[hyp, hyp + hyp_length)`` and ``[ref, ref + ref_length)``."""

    hyp: int
    ref: int
    hyp_length: int = 1
    ref_length: int = 1
    matcher: str = GIVEN


class SentenceWords(NamedTuple):
    """Sentences of one side, which are split into words only when these are asked for.

    Parameters
    ----------
    sentences : sequence of str or of list of str
        Sentences, or their tokens. Lists of tokens are not copied, since that would take a tenth
        of the time of the alignment.
    text : Tokenization
        How sentences become tokens.
    aligned : Words
        The tokens as they were aligned.
    """

    sentences: Sequence[str | list[str]]
    text: Tokenization
    aligned: Words

    def load(self, k: int) -> tuple[str, ...]:
        """Return the words of sentence ``k``."""
        from hyperbaton.text.display import raw_tokens  # scores do not need it

        sentence = self.sentences[k]
        if isinstance(sentence, str):
            return raw_tokens(sentence, self.text)
        tokens = self.aligned.tokens(k)
        # the caller may have changed the list since
        is_unchanged = [self.text.normalize(token) for token in sentence] == tokens
        return tuple(sentence if is_unchanged else tokens)


@dataclass(frozen=True, eq=False)
class FoundLinks:
    """The links of many sentence pairs, which alignments look up when they are asked for them.

    Attributes
    ----------
    batch : AlignmentBatch
        The links.
    exact : array of bool, optional
        Whether no other selection of matches is better; None if there was no search.
    words : pair of SentenceWords, optional
        The words of both sides as they are written, if the sentences are at hand.
    similar : pair of lists of tokens, optional
        The tokens of both sides, if similar words that have no link are linked as well.
    posteriors : array of float64, optional
        The probability of each row of the batch.
    """

    batch: AlignmentBatch
    exact: npt.NDArray[np.bool_] | None = None
    words: tuple[SentenceWords, SentenceWords] | None = None
    similar: tuple[list[list[str]], list[list[str]]] | None = None
    posteriors: npt.NDArray[np.float64] | None = None

    def load_links(self, k: int) -> list[LinkRow]:
        """Return the links of pair ``k``, in any order."""
        begin, end = self.batch.offsets[k : k + 2]
        links = [
            (h, r, h_length, r_length, ROW_MATCHERS[matcher])
            for h, h_length, r, r_length, matcher in self.batch.rows[begin:end].tolist()
        ]
        if self.similar is None:
            return links
        from hyperbaton.alignment.similarity import add_similar_links

        hyps, refs = self.similar
        return add_similar_links(hyps[k], refs[k], links)


class Alignment(NotebookDisplay):
    """The links between a hypothesis and a reference.

    Parameters
    ----------
    hyp_length, ref_length
        Number of words of the two sentences.
    phrases
        The links: ``(hyp, ref)`` for single words, or the five fields of :class:`Link`. A link
        that is given twice counts once.
    exact
        Whether no other selection of matches is better (see :func:`hyperbaton.align`). None for
        links that were not chosen by a search: given ones and those of the matcher ``context``.
    words
        The words of the two sentences, for displays. They are no part of equality or JSON.

    Raises
    ------
    LinkOutsideError
        If a link refers to a word that its sentence does not have.
    InputError
        If there are more or fewer words than the lengths say.

    Examples
    --------
    >>> from hyperbaton import Alignment
    >>> a = Alignment.from_pharaoh("0-2 1-3 2-0", hyp_length=4, ref_length=4)
    >>> a.links
    ((0, 2), (1, 3), (2, 0))
    >>> a.chunks, a.hyp_coverage, a.ref_coverage
    (2, 0.75, 0.75)
    >>> a.permutation()
    Permutation([2, 3, 1])
    >>> a.permutation(unaligned="left")
    Permutation([3, 4, 1, 2])
    """

    # Slots, because many alignments are created at once and few of their properties are used.
    __slots__ = ("__dict__", "__weakref__", "_index", "_source")
    _index: int
    _source: FoundLinks

    def __init__(
        self,
        hyp_length: int,
        ref_length: int,
        phrases: Iterable[tuple[int, int] | LinkRow],
        exact: bool | None = None,
        words: tuple[Iterable[str], Iterable[str]] | None = None,
    ) -> None:
        self.hyp_length = hyp_length
        self.ref_length = ref_length
        self.exact = exact
        self.words = None if words is None else _check_words(words, (hyp_length, ref_length))
        self.posteriors = None
        self.phrases = tuple(sorted({Link(*row) for row in phrases}))
        check_links(self.phrases, (hyp_length, ref_length))

    @classmethod
    def _create_many(cls, source: FoundLinks) -> list[Alignment]:
        """Create alignments that look up what they are when it is first asked for.

        Links are not checked. All alignments share the source, so that the garbage collector sees
        a single object per pair.
        """
        alignments = []
        new = cls.__new__
        with pause_garbage_collection():
            for index in range(len(source.batch)):
                alignment = new(cls)
                alignment._source = source
                alignment._index = index
                alignments.append(alignment)
        return alignments

    @cached_property
    def hyp_length(self) -> int:
        """Number of words of the hypothesis."""
        return int(self._source.batch.hyp_lengths[self._index])

    @cached_property
    def ref_length(self) -> int:
        """Number of words of the reference."""
        return int(self._source.batch.ref_lengths[self._index])

    @cached_property
    def exact(self) -> bool | None:
        """Whether no other selection of matches is better; None if the links were not searched."""
        exact = self._source.exact
        return None if exact is None else bool(exact[self._index])

    @cached_property
    def phrases(self) -> tuple[Link, ...]:
        """The links with their matchers, sorted. Most link one word with one word."""
        return tuple(sorted(Link(*row) for row in self._source.load_links(self._index)))

    @cached_property
    def words(self) -> WordPair | None:
        """The words of both sentences as they are written, or None if they are not known.

        Aligners set them. Alignments that are made of others do not have them; see
        :meth:`with_words`.
        """
        words = self._source.words
        return None if words is None else (words[0].load(self._index), words[1].load(self._index))

    @cached_property
    def posteriors(self) -> tuple[float, ...] | None:
        """The posterior probability of each of the links, or None if it is not known.

        :meth:`hyperbaton.SourceAligner.align` sets them if it is asked for them. It is the mean of
        both directions. Alignments that are made of others do not have them.
        """
        posteriors = self._source.posteriors
        if posteriors is None:
            return None
        begin, end = self._source.batch.offsets[self._index : self._index + 2]
        return tuple(posteriors[begin:end].tolist())

    @classmethod
    def from_pharaoh(
        cls, text: str, hyp_length: int, ref_length: int, base: int = 0, possible: bool = True
    ) -> Alignment:
        """Parse links such as ``0-0 1-2`` or ``0=0 1-2=1-2``, the hypothesis first.

        Parameters
        ----------
        text
            Links in Pharaoh's or Moses' notation. Posteriors (``0-0:0.93``) are ignored.
        hyp_length, ref_length
            Number of words of the two sentences.
        base : {0, 1}
            Index of the first word.
        possible
            Whether to keep possible links (``0?1``, ``0p1``) besides sure ones.

        Returns
        -------
        Alignment
            The links.

        Raises
        ------
        InputError
            If a link is invalid or outside its sentence.

        Examples
        --------
        >>> Alignment.from_pharaoh("1-1 2?1", 2, 1, base=1, possible=False).links
        ((0, 0),)
        """
        return cls(hyp_length, ref_length, parse_links(text, base, possible))

    def with_words(self, hyp: Iterable[str], ref: Iterable[str]) -> Alignment:
        """Return the same links with the words of both sentences, which displays then show.

        Parameters
        ----------
        hyp, ref : iterable of str
            The words of the hypothesis and of the reference.

        Returns
        -------
        Alignment
            The same links, with ``words``.

        Raises
        ------
        InputError
            If the number of words differs from the length of the sentence.

        Examples
        --------
        >>> a = Alignment.from_pharaoh("0-1 1-0", 2, 2).with_words(["see", "you"], ["te", "veo"])
        >>> a.words
        (('see', 'you'), ('te', 'veo'))
        """
        return Alignment(self.hyp_length, self.ref_length, self.phrases, self.exact, (hyp, ref))

    def to_pharaoh(self, base: int = 0, posteriors: bool = False) -> str:
        """Return the word links as ``0-0 1-2``; possible links are written ``1?2``.

        Parameters
        ----------
        base : {0, 1}
            Index of the first word.
        posteriors : bool
            Whether to write the posterior of each link, as ``0-0:0.93 1-2:0.61``.

        Returns
        -------
        str
            The links, separated by spaces.

        Raises
        ------
        InputError
            If posteriors are asked for, but not known.
        """
        if posteriors:
            if self.posteriors is None:
                raise InputError(
                    "the posteriors of these links are not known: SourceAligner.align(…, "
                    "posteriors=True) finds them"
                )
            return " ".join(
                f"{a + base}-{b + base}:{posterior:.2f}"
                for (a, b), posterior in zip(self.links, self.posteriors, strict=True)
            )
        # Files of links have millions: rows that are not yet `Link` objects do not become them.
        rows = self.__dict__.get("phrases")
        if rows is None:
            rows = self._source.load_links(self._index)
        is_sure: dict[tuple[int, int], bool] = {}
        for row in rows:
            for pair in _word_pairs(row):
                is_sure[pair] = row[4] != POSSIBLE or is_sure.get(pair, False)
        return format_pharaoh(((h, r, is_sure[h, r]) for h, r in sorted(is_sure)), base)

    def to_moses(self, base: int = 0) -> str:
        """Return the phrase links in Moses' notation.

        Parameters
        ----------
        base : {0, 1}
            Index of the first word.

        Returns
        -------
        str
            The links, separated by spaces.

        Examples
        --------
        >>> Alignment.from_pharaoh("0=1 1-2=0", 3, 2).to_moses()
        '0=1 1-2=0'
        """
        return format_moses(self.phrases, base)

    @cached_property
    def links(self) -> tuple[tuple[int, int], ...]:
        """Linked word pairs (hypothesis word, reference word), 0-based and sorted.

        A phrase contributes every combination of its words.
        """
        # Not from `AlignmentBatch.word_links`: nearly every alignment is asked for its links, and
        # for a sentence of 25 words this takes 8 microseconds where the arrays take 30.
        return tuple(sorted({pair for link in self.phrases for pair in _word_pairs(link)}))

    @property
    def chunks(self) -> int:
        """Number of maximal runs of links that are adjacent and in the same order on both sides."""
        return int(self._batch.chunks[0])

    @property
    def distance(self) -> int:
        """Sum over all links of the distance between their positions in the two sentences."""
        return sum(abs(link.hyp - link.ref) for link in self.phrases)

    @property
    def hyp_coverage(self) -> float:
        """Share of the hypothesis words that have a link; 0 for an empty hypothesis."""
        return self._coverage(self._batch)[0]

    @property
    def ref_coverage(self) -> float:
        """Share of the reference words that have a link; 0 for an empty reference."""
        return self._coverage(self._batch)[1]

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """The hypothesis word and the reference word at each place of the permutation.

        A hypothesis word that is linked with several reference words has several places.

        >>> Alignment(2, 3, [(0, 1), (0, 2), (1, 0)]).places
        ((0, 1), (0, 2), (1, 0))
        """
        hyp, ref = self._batch.places()
        return tuple(zip(hyp.tolist(), ref.tolist(), strict=True))

    def permutation(self, unaligned: str = "drop") -> Permutation:
        """Return the ranks of the linked reference words, in the order of the hypothesis.

        A hypothesis word that is linked with several reference words contributes them in
        increasing order. A reference word that is linked several times counts once, at its first
        place. Without any link the permutation is empty.

        Parameters
        ----------
        unaligned : {"drop", "left", "right"}
            Treatment of reference words without a link. ``drop`` omits them and closes the gaps in
            the ranks. ``left`` puts a run of them right after the linked reference word before it
            (at the start if there is none). ``right`` puts it right before the linked reference
            word after it (at the end if there is none).

        Returns
        -------
        Permutation
            The permutation; its ranks count from 1.
        """
        values, _ = self._batch.permutations(unaligned)
        return Permutation(values)

    def source_permutation(self, nulls: str = "paper") -> Permutation:
        """Return the reordering of a source sentence, the first side, in its translation.

        In source order, the rank of each source word among the positions of their targets (Birch &
        Osborne 2010). A word with several targets takes the first one; words that share a target
        keep their order.

        Parameters
        ----------
        nulls : {"paper", "moses"}
            Position of source words without a target: right after the position of the word before
            it (``paper``: π(i) = π(i − 1) + 1), or at the target of the word before it (``moses``,
            as in Moses' scorer). Words without a target at the start of the sentence come first.

        Returns
        -------
        Permutation
            The permutation; its ranks count from 1.

        Examples
        --------
        >>> a = Alignment.from_pharaoh("0-4 1-3", hyp_length=3, ref_length=5)
        >>> print(a.source_permutation(), a.source_permutation("moses"))
        ⟨2, 1, 3⟩ ⟨3, 1, 2⟩
        """
        links = np.array(self.links, np.int64).reshape(-1, 2)
        sentence, lengths = np.zeros(len(links), np.int64), np.array([self.hyp_length])
        values, _ = source_permutations(sentence, links[:, 0], links[:, 1], lengths, nulls)
        return Permutation(values)

    def inverse(self) -> Alignment:
        """Return the same links with the two sides exchanged."""
        rows = [
            (link.ref, link.hyp, link.ref_length, link.hyp_length, link.matcher)
            for link in self.phrases
        ]
        return Alignment(self.ref_length, self.hyp_length, rows, self.exact)

    def compose(self, other: Alignment) -> Alignment:
        """Link this alignment's first side with the other's second side.

        Two words are linked if both are linked with the same word of the sentence between them.
        Alignments of a source with a translation and with a reference give an alignment of
        translation and reference.

        Parameters
        ----------
        other : Alignment
            An alignment whose first side is the second side of this one.

        Returns
        -------
        Alignment
            Links of the first side of this alignment with the second side of the other.

        Raises
        ------
        InputError
            If the common sentence has different lengths in the two alignments.

        Examples
        --------
        >>> system = Alignment.from_pharaoh("0-1 1-0 2-2", 3, 3)
        >>> reference = Alignment.from_pharaoh("0-0 1-2 1-3", 3, 4)
        >>> system.inverse().compose(reference)
        Alignment('0-2 0-3 1-0', 3, 4)
        """
        if self.ref_length != other.hyp_length:
            raise InputError(
                "cannot compose the alignments: their common sentence has "
                f"{self.ref_length} words in one and {other.hyp_length} in the other"
            )
        targets: dict[int, list[int]] = {}
        for middle, target in other.links:
            targets.setdefault(middle, []).append(target)
        pairs = {(h, target) for h, middle in self.links for target in targets.get(middle, ())}
        return Alignment(self.hyp_length, other.ref_length, pairs)

    def select_words(
        self, hyp: Sequence[bool] | None = None, ref: Sequence[bool] | None = None
    ) -> Alignment:
        """Return the links between some of the words, which are counted anew.

        Parameters
        ----------
        hyp, ref : sequence of bool, optional
            Whether to keep each word of the hypothesis and of the reference; by default all.

        Returns
        -------
        Alignment
            The links between the kept words.

        Examples
        --------
        >>> Alignment.from_pharaoh("0-0 1-2 2-3", 3, 4).select_words(ref=[True, False, False, True])
        Alignment('0-0 2-1', 3, 2)
        """
        # How many words are kept before each word, and altogether.
        hyp_before = [0, *accumulate([True] * self.hyp_length if hyp is None else hyp)]
        ref_before = [0, *accumulate([True] * self.ref_length if ref is None else ref)]
        matchers: dict[tuple[int, int, int, int], str] = {}
        for link in self.phrases:
            h, r = hyp_before[link.hyp], ref_before[link.ref]
            hyp_length = hyp_before[link.hyp + link.hyp_length] - h
            ref_length = ref_before[link.ref + link.ref_length] - r
            if hyp_length and ref_length:  # phrases that have become equal count once
                matchers.setdefault((h, r, hyp_length, ref_length), link.matcher)
        rows = [(*place, matcher) for place, matcher in matchers.items()]
        return Alignment(hyp_before[-1], ref_before[-1], rows, self.exact)

    def to_dict(self) -> dict[str, Any]:
        """Return the alignment and its properties as JSON types."""
        batch = self._batch
        hyp_coverage, ref_coverage = self._coverage(batch)
        return {
            "hyp_length": self.hyp_length,
            "ref_length": self.ref_length,
            "links": [link._asdict() for link in self.phrases],
            "chunks": int(batch.chunks[0]),
            "distance": self.distance,
            "hyp_coverage": hyp_coverage,
            "ref_coverage": ref_coverage,
            "exact": self.exact,
            **({} if self.posteriors is None else {"posteriors": list(self.posteriors)}),
        }

    def __reduce__(self) -> tuple[type[Alignment], tuple[object, ...], dict[str, object]]:
        given = self.hyp_length, self.ref_length, self.phrases, self.exact, self.words
        return Alignment, given, {"posteriors": self.posteriors}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alignment) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Alignment({self.to_pharaoh()!r}, {self.hyp_length}, {self.ref_length})"

    @property
    def _batch(self) -> AlignmentBatch:
        return AlignmentBatch.from_alignments([self])

    def _coverage(self, batch: AlignmentBatch) -> tuple[float, float]:
        hyp_words, ref_words = (int(words[0]) for words in batch.covered_words)
        return hyp_words / max(self.hyp_length, 1), ref_words / max(self.ref_length, 1)

    def _key(self) -> tuple[int, int, tuple[Link, ...]]:
        return self.hyp_length, self.ref_length, self.phrases


def _check_words(words: tuple[Iterable[str], Iterable[str]], lengths: tuple[int, int]) -> WordPair:
    sides = tuple(words[0]), tuple(words[1])
    for side, side_words, length in zip(("hyp", "ref"), sides, lengths, strict=True):
        if len(side_words) != length:
            raise InputError(f"{side}_length is {length}, but there are {len(side_words)} words")
    return sides


def _word_pairs(row: LinkRow) -> Iterable[tuple[int, int]]:
    hyp, ref, hyp_length, ref_length, _ = row
    if hyp_length == 1 == ref_length:  # nearly always
        return ((hyp, ref),)
    return product(range(hyp, hyp + hyp_length), range(ref, ref + ref_length))


@contextlib.contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Create many objects without a search for garbage among them and all that the caller has."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
