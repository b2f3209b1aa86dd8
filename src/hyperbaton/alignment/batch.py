"""The links of many sentence pairs as arrays: chunks, covered words and permutations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError

if TYPE_CHECKING:
    from hyperbaton.alignment.alignment import Alignment

Ints = npt.NDArray[np.int64]

UNALIGNED = ("drop", "left", "right")


@dataclass(frozen=True, eq=False)
class AlignmentBatch:
    """Alignments of many sentence pairs as arrays.

    Link ``m`` connects the words ``[hyp[m], hyp[m] + hyp_length[m])`` and
    ``[ref[m], ref[m] + ref_length[m])`` of sentence pair ``pair[m]``. Links are sorted by ``pair``,
    then by ``hyp``, then by ``ref``. ``hyp_lengths`` and ``ref_lengths`` are the lengths of the
    sentences, one entry per pair.
    """

    pair: Ints
    hyp: Ints
    hyp_length: Ints
    ref: Ints
    ref_length: Ints
    hyp_lengths: Ints
    ref_lengths: Ints

    @classmethod
    def from_alignments(cls, alignments: Sequence[Alignment]) -> AlignmentBatch:
        """Collect the links of a sequence of alignments."""
        rows = [link[:4] for alignment in alignments for link in alignment.phrases]
        table = np.fromiter(chain.from_iterable(rows), np.int64, 4 * len(rows)).reshape(-1, 4)
        counts = [len(alignment.phrases) for alignment in alignments]
        return cls(
            pair=np.repeat(np.arange(len(alignments)), counts),
            hyp=table[:, 0],
            hyp_length=table[:, 2],
            ref=table[:, 1],
            ref_length=table[:, 3],
            hyp_lengths=np.array([alignment.hyp_length for alignment in alignments], np.int64),
            ref_lengths=np.array([alignment.ref_length for alignment in alignments], np.int64),
        )

    @classmethod
    def from_rows(
        cls, rows: npt.NDArray[np.int32], offsets: Ints, hyp_lengths: Ints, ref_lengths: Ints
    ) -> AlignmentBatch:
        """Convert the rows of the C++ core.

        Parameters
        ----------
        rows
            One row ``(hyp, hyp_length, ref, ref_length, ...)`` per link, sorted by ``hyp`` within
            each pair.
        offsets
            The rows of pair ``k`` are ``rows[offsets[k]:offsets[k + 1]]``.
        hyp_lengths, ref_lengths
            Lengths of the sentences.
        """
        hyp, hyp_length, ref, ref_length = rows[:, :4].astype(np.int64).T
        pair = np.repeat(np.arange(len(hyp_lengths)), np.diff(offsets))
        return cls(pair, hyp, hyp_length, ref, ref_length, hyp_lengths, ref_lengths)

    def __len__(self) -> int:
        """Return the number of sentence pairs."""
        return len(self.hyp_lengths)

    def select(self, pairs: Ints) -> AlignmentBatch:
        """Return the alignments of the pairs with these increasing indices."""
        if len(pairs) == len(self):
            return self
        new_index = np.full(len(self), -1)
        new_index[pairs] = np.arange(len(pairs))
        kept = new_index[self.pair] >= 0
        return AlignmentBatch(
            pair=new_index[self.pair[kept]],
            hyp=self.hyp[kept],
            hyp_length=self.hyp_length[kept],
            ref=self.ref[kept],
            ref_length=self.ref_length[kept],
            hyp_lengths=self.hyp_lengths[pairs],
            ref_lengths=self.ref_lengths[pairs],
        )

    @property
    def link_counts(self) -> Ints:
        """Number of links of each pair."""
        return self._count_per_pair(self.pair)

    @property
    def chunks(self) -> Ints:
        """Number of chunks of each pair, see :attr:`hyperbaton.Alignment.chunks`."""
        starts = self._encode(self.pair, self.hyp, self.ref)
        ends = self._encode(self.pair, self.hyp + self.hyp_length, self.ref + self.ref_length)
        ends.sort()
        continues = ends.searchsorted(starts, "left") < ends.searchsorted(starts, "right")
        return self._count_per_pair(self.pair[~continues])

    @property
    def boundary_links(self) -> Ints:
        """Number of sentence boundaries that are linked.

        A pair counts 1 if both first words are linked with each other, and 1 if both last words
        are.
        """
        first = (self.hyp == 0) & (self.ref == 0)
        last = (self.hyp + self.hyp_length == self.hyp_lengths[self.pair]) & (
            self.ref + self.ref_length == self.ref_lengths[self.pair]
        )
        return self._count_per_pair(self.pair[first]) + self._count_per_pair(self.pair[last])

    @cached_property
    def covered_words(self) -> tuple[Ints, Ints]:
        """Number of words with a link in each hypothesis and in each reference."""
        sides = []
        for start, length in ((self.hyp, self.hyp_length), (self.ref, self.ref_length)):
            link, word = _expand_phrases(start, length)
            words = np.unique(self._encode(self.pair[link], word))
            sides.append(self._count_per_pair(words // self._base))
        return sides[0], sides[1]

    def word_links(self) -> tuple[Ints, Ints, Ints]:
        """Return all linked word pairs, without duplicates.

        Returns
        -------
        pair, hyp, ref
            Sentence pair, hypothesis word and reference word of each, sorted in this order. A
            phrase link contributes every combination of its words.
        """
        link, inside = _expand_phrases(np.zeros_like(self.pair), self.hyp_length * self.ref_length)
        keys = self._encode(
            self.pair[link],
            self.hyp[link] + inside // self.ref_length[link],
            self.ref[link] + inside % self.ref_length[link],
        )
        keys, ref = np.divmod(np.unique(keys), self._base)
        pair, hyp = np.divmod(keys, self._base)
        return pair, hyp, ref

    def places(self) -> tuple[Ints, Ints, Ints]:
        """Return what is at each place of the permutations.

        Returns
        -------
        pair, hyp, ref
            Sentence pair, hypothesis word and reference word of each place. Places are in the
            order of the hypothesis words; a reference word appears only at its first place.
        """
        # A phrase contributes all its reference words at its first hypothesis word: links that
        # start later in the phrase come after all of them.
        link, ref = _expand_phrases(self.ref, self.ref_length)
        pair = self.pair[link]
        _, first = np.unique(self._encode(pair, ref), return_index=True)
        first.sort()
        return pair[first], self.hyp[link[first]], ref[first]

    def permutations(self, unaligned: str = "drop") -> tuple[Ints, Ints]:
        """Return the permutations, see :meth:`hyperbaton.Alignment.permutation`.

        Returns
        -------
        values, offsets
            The permutation of pair ``k`` is ``values[offsets[k]:offsets[k + 1]]``.
        """
        if unaligned not in UNALIGNED:
            raise InputError(f"unaligned must be one of {', '.join(UNALIGNED)}, got {unaligned!r}")
        pair, _, ref = self.places()
        if unaligned != "drop":
            pair, ref = self._insert_unaligned(pair, ref, unaligned)
        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self._count_per_pair(pair), out=offsets[1:])
        values = np.empty(len(pair), np.int64)
        values[np.argsort(self._encode(pair, ref))] = np.arange(len(pair))
        return values - offsets[pair] + 1, offsets

    @cached_property
    def _base(self) -> int:
        """A number larger than any position, for `_encode`."""
        return 1 + int(max(self.hyp_lengths.max(initial=0), self.ref_lengths.max(initial=0)))

    def _encode(self, pair: Ints, word: Ints, other: Ints | None = None) -> Ints:
        """Encode a pair and one or two words as one integer, in the same order."""
        key = pair * self._base + word
        return key if other is None else key * self._base + other

    def _count_per_pair(self, pair: Ints) -> Ints:
        return np.bincount(pair, minlength=len(self))

    def _insert_unaligned(self, pair: Ints, ref: Ints, unaligned: str) -> tuple[Ints, Ints]:
        """Insert the unaligned reference words of pairs with links, each next to its anchor."""
        lengths = np.where(self._count_per_pair(pair) > 0, self.ref_lengths, 0)
        starts = np.cumsum(lengths) - lengths
        place = np.full(lengths.sum(), -1)  # of each reference word; -1: unaligned
        place[starts[pair] + ref] = np.arange(len(pair))
        all_pairs = np.repeat(np.arange(len(self)), lengths)
        words = np.arange(len(place))
        if unaligned == "left":  # the anchor is the last aligned word before, if any
            anchor = np.maximum.accumulate(np.where(place >= 0, words, -1))
            no_anchor = anchor < starts[all_pairs]
            anchor_place = np.where(no_anchor, -1, place[anchor])
        else:  # the anchor is the first aligned word after, if any
            reverse = np.where(place >= 0, words, len(place))[::-1]
            anchor = np.minimum.accumulate(reverse)[::-1]
            no_anchor = anchor >= (starts + lengths)[all_pairs]
            anchor_place = np.where(no_anchor, len(pair), place[np.where(no_anchor, 0, anchor)])
        order = np.lexsort((words, anchor_place, all_pairs))
        return all_pairs[order], (words - starts[all_pairs])[order]


def _expand_phrases(start: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Return link index and word of every word of the phrases ``[start, start + length)``."""
    if (length == 1).all():
        return np.arange(len(start)), start
    link = np.repeat(np.arange(len(start)), length)
    inside = np.arange(len(link)) - np.repeat(np.cumsum(length) - length, length)
    return link, start[link] + inside
