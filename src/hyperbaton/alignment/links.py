"""The links of many pairs as arrays: chunks, covered words, permutations of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.alignment import UNALIGNED, Alignment
from hyperbaton.errors import InputError

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Links:
    """Row m links words ``[hyp, hyp + hyp_length)`` and ``[ref, ref + ref_length)`` of pair[m].

    Rows are sorted by pair, then by ``hyp``, then by ``ref``.
    """

    pair: Ints
    hyp: Ints
    hyp_length: Ints
    ref: Ints
    ref_length: Ints
    hyp_lengths: Ints  # of the sentences
    ref_lengths: Ints

    @classmethod
    def of(cls, alignments: Sequence[Alignment]) -> Links:
        """The links of these alignments."""
        rows = [link[:4] for a in alignments for link in a.phrases]
        table = np.fromiter(chain.from_iterable(rows), np.int64, 4 * len(rows)).reshape(-1, 4)
        counts = [len(a.phrases) for a in alignments]
        return cls(
            pair=np.repeat(np.arange(len(alignments)), counts),
            hyp=table[:, 0],
            hyp_length=table[:, 2],
            ref=table[:, 1],
            ref_length=table[:, 3],
            hyp_lengths=np.array([a.hyp_length for a in alignments], np.int64),
            ref_lengths=np.array([a.ref_length for a in alignments], np.int64),
        )

    @classmethod
    def found(
        cls, rows: npt.NDArray[np.int32], offsets: Ints, hyp_lengths: Ints, ref_lengths: Ints
    ) -> Links:
        """Rows of (hyp, hyp_length, ref, ref_length, …) as the core gives them, sorted by hyp."""
        hyp, hyp_length, ref, ref_length = rows[:, :4].astype(np.int64).T
        pair = np.repeat(np.arange(len(hyp_lengths)), np.diff(offsets))
        return cls(pair, hyp, hyp_length, ref, ref_length, hyp_lengths, ref_lengths)

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.hyp_lengths)

    @property
    def counts(self) -> Ints:
        """How many links each pair has."""
        return np.bincount(self.pair, minlength=len(self))

    @property
    def chunks(self) -> Ints:
        """How many maximal runs of links, adjacent and in the same order on both sides."""
        starts = self._key(self.pair, self.hyp, self.ref)
        ends = self._key(self.pair, self.hyp + self.hyp_length, self.ref + self.ref_length)
        return np.bincount(self.pair[~np.isin(starts, ends)], minlength=len(self))

    @property
    def outermost(self) -> Ints:
        """How many of these two are linked: both first words, both last words."""
        first = (self.hyp == 0) & (self.ref == 0)
        last = (self.hyp + self.hyp_length == self.hyp_lengths[self.pair]) & (
            self.ref + self.ref_length == self.ref_lengths[self.pair]
        )
        return np.bincount(self.pair[first], minlength=len(self)) + np.bincount(
            self.pair[last], minlength=len(self)
        )

    @property
    def covered(self) -> tuple[Ints, Ints]:
        """How many words of each hypothesis and of each reference have a link."""
        sides = []
        for at, length in ((self.hyp, self.hyp_length), (self.ref, self.ref_length)):
            pair, word = _words(self.pair, at, length)
            words = np.unique(self._key(pair, word))
            sides.append(np.bincount(words // self._width, minlength=len(self)))
        return sides[0], sides[1]

    def permutations(self, unaligned: str = "drop") -> tuple[Ints, Ints]:
        """Those of :meth:`hyperbaton.Alignment.permutation`, as flat values and offsets."""
        if unaligned not in UNALIGNED:
            raise InputError(f"unaligned is one of {', '.join(UNALIGNED)}, not {unaligned!r}")
        # Words of references in the order of the hypotheses, each where it comes first. A phrase
        # gives its words with its first word, so that what follows it there follows them all.
        pair, ref = _words(self.pair, self.ref, self.ref_length)
        _, first = np.unique(self._key(pair, ref), return_index=True)
        first.sort()
        pair, ref = pair[first], ref[first]
        if unaligned != "drop":
            pair, ref = self._filled(pair, ref, unaligned)
        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(np.bincount(pair, minlength=len(self)), out=offsets[1:])
        values = np.empty(len(pair), np.int64)
        values[np.argsort(self._key(pair, ref))] = np.arange(len(pair))
        return values - offsets[pair] + 1, offsets

    @cached_property
    def _width(self) -> int:
        """More than any position."""
        return 1 + int(max(self.hyp_lengths.max(initial=0), self.ref_lengths.max(initial=0)))

    def _key(self, pair: Ints, word: Ints, other: Ints | None = None) -> Ints:
        """One number for a word of a pair, or for two; it grows with them."""
        key = pair * self._width + word
        return key if other is None else key * self._width + other

    def _filled(self, pair: Ints, ref: Ints, unaligned: str) -> tuple[Ints, Ints]:
        """All words of the references that have a link, in order, each next to its anchor."""
        lengths = np.where(np.bincount(pair, minlength=len(self)) > 0, self.ref_lengths, 0)
        starts = np.cumsum(lengths) - lengths
        place = np.full(lengths.sum(), -1)  # of each word, where it is in the order; -1: nowhere
        place[starts[pair] + ref] = np.arange(len(pair))
        all_pairs = np.repeat(np.arange(len(self)), lengths)
        words = np.arange(len(place))
        if unaligned == "left":  # the last word with a link up to this one, or none: at the start
            anchor = np.maximum.accumulate(np.where(place >= 0, words, -1))
            none = anchor < starts[all_pairs]
            at = np.where(none, -1, place[anchor])
        else:  # the first word with a link from this one on, or none: at the end
            reverse = np.where(place >= 0, words, len(place))[::-1]
            anchor = np.minimum.accumulate(reverse)[::-1]
            none = anchor >= (starts + lengths)[all_pairs]
            at = np.where(none, len(pair), place[np.where(none, 0, anchor)])
        order = np.lexsort((words, at, all_pairs))
        return all_pairs[order], (words - starts[all_pairs])[order]


def _words(pair: Ints, at: Ints, length: Ints) -> tuple[Ints, Ints]:
    """The pair and the word of each word of phrases ``[at, at + length)``, phrase after phrase."""
    if (length == 1).all():
        return pair, at
    ends = np.cumsum(length)
    inside = np.arange(length.sum()) - np.repeat(ends - length, length)
    return np.repeat(pair, length), np.repeat(at, length) + inside
