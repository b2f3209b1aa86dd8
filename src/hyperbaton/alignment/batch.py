"""The links of many sentence pairs as arrays: chunks, covered words and permutations.

The permutations of links with a source sentence are those of Birch & Osborne 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.alignment.choices import ROW_MATCHERS
from hyperbaton.registries import check_choice

if TYPE_CHECKING:
    from hyperbaton.alignment.alignment import Alignment

Ints = npt.NDArray[np.int64]

UNALIGNED = ("drop", "left", "right")
NULLS = ("paper", "moses")
COLUMNS = 5  # of a link: hyp, hyp_length, ref, ref_length, number of the matcher


@dataclass(frozen=True, eq=False)
class AlignmentBatch:
    """Alignments of many sentence pairs as arrays.

    Attributes
    ----------
    rows : array of int32
        A row ``(hyp, hyp_length, ref, ref_length, matcher)`` for each link: it connects the words
        ``[hyp, hyp + hyp_length)`` and ``[ref, ref + ref_length)``. Links are sorted by pair, then
        by ``hyp``, then by ``ref``.
    offsets : array of int64
        The links of pair ``k`` are ``rows[offsets[k]:offsets[k + 1]]``.
    hyp_lengths, ref_lengths : array of int64
        Lengths of the sentences, one entry per pair.
    threads : int
        Number of threads for what is computed from the links.
    """

    rows: npt.NDArray[np.int32]
    offsets: Ints
    hyp_lengths: Ints
    ref_lengths: Ints
    threads: int = 1

    @classmethod
    def from_alignments(cls, alignments: Sequence[Alignment]) -> AlignmentBatch:
        """Collect the links of a sequence of alignments."""
        numbers = [
            number
            for alignment in alignments
            for hyp, ref, hyp_length, ref_length, *_ in alignment.phrases
            for number in (hyp, hyp_length, ref, ref_length, 0)
        ]
        counts = [len(alignment.phrases) for alignment in alignments]
        return cls(
            np.array(numbers, np.int32).reshape(-1, COLUMNS),
            np.cumsum([0, *counts], dtype=np.int64),
            np.array([alignment.hyp_length for alignment in alignments], np.int64),
            np.array([alignment.ref_length for alignment in alignments], np.int64),
        )

    def __len__(self) -> int:
        """Return the number of sentence pairs."""
        return len(self.hyp_lengths)

    @cached_property
    def pair(self) -> Ints:
        """The sentence pair of each link."""
        return np.repeat(np.arange(len(self)), self.link_counts)

    @property
    def hyp(self) -> Ints:
        """The first hypothesis word of each link."""
        return self.rows[:, 0].astype(np.int64)

    @property
    def ref(self) -> Ints:
        """The first reference word of each link."""
        return self.rows[:, 2].astype(np.int64)

    def select(self, pairs: Ints) -> AlignmentBatch:
        """Return the alignments of the pairs with these increasing indices."""
        if len(pairs) == len(self):
            return self
        is_selected = np.zeros(len(self), bool)
        is_selected[pairs] = True
        return AlignmentBatch(
            self.rows[is_selected[self.pair]],
            np.concatenate(([0], np.cumsum(self.link_counts[pairs]))),
            self.hyp_lengths[pairs],
            self.ref_lengths[pairs],
            self.threads,
        )

    @property
    def link_counts(self) -> Ints:
        """Number of links of each pair."""
        return np.diff(self.offsets)

    @property
    def chunks(self) -> Ints:
        """Number of chunks of each pair, see :attr:`hyperbaton.Alignment.chunks`."""
        return self._counts[0]

    @property
    def boundary_links(self) -> Ints:
        """Number of sentence boundaries that are linked.

        A pair counts 1 if both first words are linked with each other, and 1 if both last words
        are.
        """
        return self._counts[1]

    @property
    def covered_words(self) -> tuple[Ints, Ints]:
        """Number of words with a link in each hypothesis and in each reference."""
        return self._counts[2], self._counts[3]

    def word_links(self) -> tuple[Ints, Ints, Ints]:
        """Return all linked word pairs, without duplicates.

        Returns
        -------
        pair, hyp, ref
            Sentence pair, hypothesis word and reference word of each, sorted in this order. A
            phrase link contributes every combination of its words.
        """
        hyp, hyp_length, ref, ref_length, _ = self.rows.astype(np.int64).T
        counts = hyp_length * ref_length
        link = np.repeat(np.arange(len(counts)), counts)
        inside = np.arange(len(link)) - np.repeat(np.cumsum(counts) - counts, counts)
        hyp = hyp[link] + inside // ref_length[link]
        ref = ref[link] + inside % ref_length[link]
        base = 1 + int(max(self.hyp_lengths.max(initial=0), self.ref_lengths.max(initial=0)))
        keys, ref = np.divmod(np.unique((self.pair[link] * base + hyp) * base + ref), base)
        pair, hyp = np.divmod(keys, base)
        return pair, hyp, ref

    def places(self) -> tuple[Ints, Ints]:
        """Return what is at each place of the permutations.

        Returns
        -------
        hyp, ref
            Hypothesis word and reference word of each place. Places are in the order of the
            hypothesis words; a reference word appears only at its first place.
        """
        hyp, ref, _ = _core.link_places(*self._arrays, self.threads)
        return hyp, ref

    def permutations(self, unaligned: str = "drop") -> tuple[Ints, Ints]:
        """Return the permutations, see :meth:`hyperbaton.Alignment.permutation`.

        Returns
        -------
        values, offsets
            The permutation of pair ``k`` is ``values[offsets[k]:offsets[k + 1]]``.
        """
        check_choice("unaligned", unaligned, UNALIGNED)
        return _core.link_permutations(*self._arrays, UNALIGNED.index(unaligned), self.threads)

    @property
    def _arrays(self) -> tuple[npt.NDArray[np.int32], Ints, Ints, Ints]:
        return self.rows.reshape(-1), self.offsets, self.hyp_lengths, self.ref_lengths

    @cached_property
    def _counts(self) -> tuple[Ints, Ints, Ints, Ints]:
        return _core.link_counts(*self._arrays, self.threads)


def word_links_as_rows(
    hyp: npt.NDArray[np.integer[Any]], ref: npt.NDArray[np.int32], matcher: str
) -> npt.NDArray[np.int32]:
    """Return the rows of links that connect single words."""
    rows = np.ones((len(hyp), COLUMNS), np.int32)
    rows[:, 0], rows[:, 2], rows[:, 4] = hyp, ref, ROW_MATCHERS.index(matcher)
    return rows


def source_permutations(
    pair: Ints, source: Ints, target: Ints, lengths: Ints, nulls: str = "paper"
) -> tuple[Ints, Ints]:
    """Return the reorderings of many source sentences in their translations.

    See :meth:`hyperbaton.Alignment.source_permutation` for the definition.

    Parameters
    ----------
    pair, source, target
        Link ``m`` connects words ``source[m]`` and ``target[m]`` of sentence pair ``pair[m]``.
    lengths
        Number of words of each source sentence.
    nulls : {"paper", "moses"}
        Position of source words without a target.

    Returns
    -------
    values, offsets
        The permutation of pair ``k`` is ``values[offsets[k]:offsets[k + 1]]``.

    Examples
    --------
    >>> values, offsets = source_permutations(
    ...     np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([4, 3, 0]), np.array([3, 2])
    ... )
    >>> values.tolist(), offsets.tolist()
    ([2, 1, 3, 1, 2], [0, 3, 5])
    """
    check_choice("nulls", nulls, NULLS)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    words = np.arange(offsets[-1])
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    no_target = np.iinfo(np.int64).max
    position = np.full(len(words), no_target)
    np.minimum.at(position, offsets[pair] + source, target)  # the first of several targets
    linked = np.where(position < no_target, words, -1)
    last_linked = np.maximum.accumulate(linked) if len(words) else linked
    leading = last_linked < offsets[sentence]
    shift = words - last_linked if nulls == "paper" else 0
    position = np.where(leading, -1, position[last_linked] + shift)
    order = np.lexsort((words, position, sentence))  # words at the same position keep their order
    values = np.empty(len(words), np.int64)
    values[order] = words
    return values - offsets[sentence] + 1, offsets


def relative_permutations(system: Ints, reference: Ints, offsets: Ints) -> Ints:
    """Return the reference ranks of the source words in the order of the system.

    The two arguments are reorderings of the same source sentences. Kendall and Hamming of the
    result compare the two reorderings, because both count source words.

    >>> relative_permutations(np.array([2, 1, 3]), np.array([3, 1, 2]), np.array([0, 3])).tolist()
    [1, 3, 2]
    """
    starts = np.repeat(offsets[:-1], np.diff(offsets))
    values = np.empty_like(reference)
    values[starts + system - 1] = reference
    return values
