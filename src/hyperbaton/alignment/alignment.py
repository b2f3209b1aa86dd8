"""An alignment of two sentences, and the permutation that it stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hyperbaton.alignment.notation import (
    GIVEN,
    POSSIBLE,
    Row,
    check_links,
    format_moses,
    format_pharaoh,
    parse_links,
)
from hyperbaton.alignment.source import source_permutations
from hyperbaton.errors import InputError
from hyperbaton.order.permutation import Permutation
from hyperbaton.presentation import NotebookDrawing

UNALIGNED = ("drop", "left", "right")


class Link(NamedTuple):
    """Words ``[hyp, hyp + hyp_length)`` and ``[ref, ref + ref_length)`` belong together."""

    hyp: int
    ref: int
    hyp_length: int = 1
    ref_length: int = 1
    matcher: str = GIVEN


class Alignment(NotebookDrawing):
    """The links between a hypothesis and a reference.

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

    ``phrases`` has the links as they were made, each with its matcher; most are of one word on
    each side. ``links`` has their pairs of words. ``exact`` says whether no other selection of
    matches is better (see :func:`hyperbaton.align`); it is None of links that were given, and of
    those that ``context`` finds, which does not choose.
    """

    # Slots: many are made at once, and most are asked for little.
    __slots__ = (
        "__dict__",  # for what is cached
        "__weakref__",
        "_index",
        "_links_of",
        "exact",
        "hyp_length",
        "ref_length",
    )

    def __init__(
        self,
        hyp_length: int,
        ref_length: int,
        phrases: Iterable[tuple[int, int] | Row],
        exact: bool | None = None,
    ) -> None:
        self.hyp_length = hyp_length
        self.ref_length = ref_length
        self.exact = exact
        given = list(phrases)
        self._links_of: Callable[[int], Iterable[tuple[int, int] | Row]] = lambda _: given
        self._index = 0
        check_links(self.phrases, (hyp_length, ref_length))

    @classmethod
    def _found(
        cls,
        hyp_lengths: Iterable[int],
        ref_lengths: Iterable[int],
        exact: Iterable[bool | None],
        links_of: Callable[[int], Iterable[Row]],
    ) -> list[Alignment]:
        # Links that need no check; they are made only when asked for, which most never are. All
        # share what makes them: one object for each pair is all that the garbage collector sees.
        found = []
        new = cls.__new__
        lengths = zip(hyp_lengths, ref_lengths, exact, strict=True)
        for index, (hyp_length, ref_length, proven) in enumerate(lengths):
            alignment = new(cls)
            alignment.hyp_length = hyp_length
            alignment.ref_length = ref_length
            alignment.exact = proven
            alignment._links_of = links_of
            alignment._index = index
            found.append(alignment)
        return found

    @cached_property
    def phrases(self) -> tuple[Link, ...]:
        """The links as they were made, each with its matcher, sorted."""
        return tuple(sorted(Link(*link) for link in self._links_of(self._index)))

    @classmethod
    def from_pharaoh(
        cls, text: str, hyp_length: int, ref_length: int, base: int = 0, possible: bool = True
    ) -> Alignment:
        """Read links such as ``0-0 1-2`` or ``0=0 1-2=1-2``: the hypothesis first.

        Both notations are told apart by their signs. ``0?1`` and ``0p1`` are possible links, as
        against sure ones: ``possible=False`` leaves them out. The first word is ``base``.

        >>> Alignment.from_pharaoh("1-1 2?1", 2, 1, base=1, possible=False).links
        ((0, 0),)
        """
        return cls(hyp_length, ref_length, parse_links(text, base, possible))

    def to_pharaoh(self, base: int = 0) -> str:
        """Links as ``0-0 1-2``, possible ones as ``1?2``; of a phrase, every pair of its words."""
        sure = {pair for link in self.phrases if link.matcher != POSSIBLE for pair in _pairs(link)}
        return format_pharaoh(((h, r, (h, r) in sure) for h, r in self.links), base)

    def to_moses(self, base: int = 0) -> str:
        """Phrases as Moses writes them: ``0=0 1-2=1-2``.

        >>> Alignment.from_pharaoh("0=1 1-2=0", 3, 2).to_moses()
        '0=1 1-2=0'
        """
        return format_moses(self.phrases, base)

    @cached_property
    def links(self) -> tuple[tuple[int, int], ...]:
        """Pairs (hypothesis word, reference word), from 0, sorted; of a phrase, every pair."""
        return tuple(sorted({pair for link in self.phrases for pair in _pairs(link)}))

    @property
    def chunks(self) -> int:
        """Maximal runs of links that are adjacent and in the same order on both sides."""
        ends = {(x.hyp + x.hyp_length, x.ref + x.ref_length) for x in self.phrases}
        return sum((x.hyp, x.ref) not in ends for x in self.phrases)

    @property
    def distance(self) -> int:
        """The sum over links of how far apart their positions in the two sentences are."""
        return sum(abs(x.hyp - x.ref) for x in self.phrases)

    @property
    def hyp_coverage(self) -> float:
        """The share of the hypothesis's words that have a link; 0 if it has no words."""
        return _share({h for h, _ in self.links}, self.hyp_length)

    @property
    def ref_coverage(self) -> float:
        """The share of the reference's words that have a link; 0 if it has no words."""
        return _share({r for _, r in self.links}, self.ref_length)

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """What stands in each place of the permutation: a hypothesis word and a reference word.

        A hypothesis word with several reference words stands in several places.

        >>> Alignment(2, 3, [(0, 1), (0, 2), (1, 0)]).places
        ((0, 1), (0, 2), (1, 0))
        """
        first: dict[int, int] = {}
        for h, r in self.links:
            first.setdefault(r, h)
        return tuple((h, r) for r, h in first.items())

    def permutation(self, unaligned: str = "drop") -> Permutation:
        """Ranks of the linked reference words, in the order of the hypothesis.

        A word with several reference words gives them in order; a reference word that was given
        before is not given again. ``unaligned`` says what becomes of reference words without a
        link: they are dropped, and the ranks closed up; or a run of them goes, in order, right
        after the linked reference word before it (``left``; at the start if there is none), or
        right before the one after it (``right``; at the end if there is none). Without any link
        the permutation is empty.
        """
        if unaligned not in UNALIGNED:
            raise InputError(f"unaligned is one of {', '.join(UNALIGNED)}, not {unaligned!r}")
        order = [r for _, r in self.places]
        if unaligned == "drop" or not order:
            return Permutation.standardize(order)
        linked = set(order)
        runs: dict[int | None, list[int]] = {}  # by the linked word they go with
        anchor: int | None = None
        words = range(self.ref_length)
        for r in words if unaligned == "left" else reversed(words):
            if r in linked:
                anchor = r
            else:
                runs.setdefault(anchor, []).append(r)
        if unaligned == "right":
            runs = {key: run[::-1] for key, run in runs.items()}
        filled: list[int] = []
        for r in order:
            run = runs.get(r, [])
            filled += [r, *run] if unaligned == "left" else [*run, r]
        rest = runs.get(None, [])
        return Permutation.standardize(rest + filled if unaligned == "left" else filled + rest)

    def source_permutation(self, nulls: str = "paper") -> Permutation:
        """The reordering of a source sentence, here the first side, in its translation.

        In the order of the source words, the rank that each has in the order of their targets
        (Birch & Osborne 2010). A word with several targets takes the first one; words that share
        a target keep their order. ``nulls`` says where a word without a target goes: right after
        where the word before it went (``paper``: π(i) = π(i − 1) + 1), or to the target of the
        word before it (``moses``, as in Moses' scorer); those at the beginning come first.

        >>> a = Alignment.from_pharaoh("0-4 1-3", hyp_length=3, ref_length=5)
        >>> print(a.source_permutation(), a.source_permutation("moses"))
        ⟨2, 1, 3⟩ ⟨3, 1, 2⟩
        """
        pairs = np.array(self.links, np.int64).reshape(-1, 2)
        pair, lengths = np.zeros(len(pairs), np.int64), np.array([self.hyp_length])
        values, _ = source_permutations(pair, pairs[:, 0], pairs[:, 1], lengths, nulls)
        return Permutation(values)

    def inverse(self) -> Alignment:
        """The same links, with the sides exchanged."""
        rows = [(x.ref, x.hyp, x.ref_length, x.hyp_length, x.matcher) for x in self.phrases]
        return Alignment(self.ref_length, self.hyp_length, rows, self.exact)

    def compose(self, other: Alignment) -> Alignment:
        """Links of this one's first side with the other's second, where they meet between.

        From alignments of a source with a translation and with a reference to one of translation
        and reference:

        >>> system = Alignment.from_pharaoh("0-1 1-0 2-2", 3, 3)
        >>> reference = Alignment.from_pharaoh("0-0 1-2 1-3", 3, 4)
        >>> system.inverse().compose(reference)
        Alignment('0-2 0-3 1-0', 3, 4)
        """
        if self.ref_length != other.hyp_length:
            raise InputError(
                f"the alignments do not meet: one has {self.ref_length} words there, the other "
                f"{other.hyp_length}"
            )
        onwards: dict[int, list[int]] = {}
        for middle, last in other.links:
            onwards.setdefault(middle, []).append(last)
        pairs = {(a, c) for a, middle in self.links for c in onwards.get(middle, ())}
        return Alignment(self.hyp_length, other.ref_length, pairs)

    def to_dict(self) -> dict[str, Any]:
        """All of it, as JSON can have it."""
        return {
            "hyp_length": self.hyp_length,
            "ref_length": self.ref_length,
            "links": [link._asdict() for link in self.phrases],
            "chunks": self.chunks,
            "distance": self.distance,
            "hyp_coverage": self.hyp_coverage,
            "ref_coverage": self.ref_coverage,
            "exact": self.exact,
        }

    def __reduce__(self) -> tuple[type[Alignment], tuple[object, ...]]:
        return Alignment, (self.hyp_length, self.ref_length, self.phrases, self.exact)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alignment) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Alignment({self.to_pharaoh()!r}, {self.hyp_length}, {self.ref_length})"

    def _key(self) -> tuple[int, int, tuple[Link, ...]]:
        return self.hyp_length, self.ref_length, self.phrases


def _pairs(link: Link) -> Iterator[tuple[int, int]]:
    for h in range(link.hyp, link.hyp + link.hyp_length):
        for r in range(link.ref, link.ref + link.ref_length):
            yield h, r


def _share(linked: set[int], length: int) -> float:
    return len(linked) / length if length else 0.0
