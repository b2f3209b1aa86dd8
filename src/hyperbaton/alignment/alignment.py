"""An alignment of two sentences, and the permutation that it stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from hyperbaton.order.permutation import Permutation

UNALIGNED = ("drop", "left", "right")
Row = tuple[int, int, int, int, str]
GIVEN = "given"  # the matcher of links that were not found but given
PHARAOH = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


class Link(NamedTuple):
    """Words ``[hyp, hyp + hyp_length)`` and ``[ref, ref + ref_length)`` belong together."""

    hyp: int
    ref: int
    hyp_length: int = 1
    ref_length: int = 1
    matcher: str = GIVEN


class Alignment:
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
    matches is better (see :func:`hyperbaton.align`); of links that were given it is None.
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
        for link in self.phrases:
            for side, at, length, most in (
                ("hypothesis", link.hyp, link.hyp_length, hyp_length),
                ("reference", link.ref, link.ref_length, ref_length),
            ):
                if at < 0 or length < 1 or at + length > most:
                    raise ValueError(
                        f"link {link.hyp}-{link.ref} is outside the {side}, which has {most} words"
                    )

    @classmethod
    def _found(
        cls,
        hyp_lengths: Iterable[int],
        ref_lengths: Iterable[int],
        exact: Iterable[bool],
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
    def from_pharaoh(cls, text: str, hyp_length: int, ref_length: int) -> Alignment:
        """Read links such as ``0-0 1-2``: positions from 0, the hypothesis first."""
        links = []
        for field in text.split():
            match = PHARAOH.fullmatch(field)
            if match is None:
                raise ValueError(f"{field!r} is not a link such as 0-1")
            links.append((int(match[1]), int(match[2])))
        return cls(hyp_length, ref_length, sorted(set(links)))

    def to_pharaoh(self) -> str:
        """Links as ``0-0 1-2``; of a phrase, every pair of its words."""
        return " ".join(f"{h}-{r}" for h, r in self.links)

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
            raise ValueError(f"unaligned is one of {', '.join(UNALIGNED)}, not {unaligned!r}")
        order = list(dict.fromkeys(r for _, r in self.links))
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
