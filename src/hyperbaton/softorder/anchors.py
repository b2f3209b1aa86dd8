"""Anchors: words that two systems and the reference have exactly once.

Two systems are compared by the order of their shared anchors. Words with several partners, or with
none, have no say, so that the comparison does not depend on the choice of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.text.words import Ints, Words

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]


class Anchors(NamedTuple):
    """The words of a system that could be anchors; those of segment ``k`` are ragged rows.

    ``values[offsets[k]:offsets[k + 1]]`` has, for each reference of the segment in turn, the number
    of its tokens, the number of words, and the position of each word in the reference, counted from
    0. They are the words that occur exactly once in the system's sentence and exactly once in the
    reference, in the system's order.
    """

    values: Int32s
    offsets: Ints

    @classmethod
    def of_lengths(cls, values: Int32s, lengths: npt.ArrayLike) -> Anchors:
        """Return anchors from the number of values of each segment."""
        return cls(values, np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))))

    def by_segment(self) -> list[list[int]]:
        """Return the values of each segment."""
        values = self.values.tolist()
        return [values[begin:end] for begin, end in pairwise(self.offsets.tolist())]

    @classmethod
    def concatenate(cls, several: Sequence[Anchors]) -> Anchors:
        """Return the anchors of segments that come in several parts."""
        lengths = [np.diff(part.offsets) for part in several]
        values = (part.values for part in several)
        return cls.of_lengths(
            np.concatenate([np.zeros(0, np.int32), *values]),
            np.concatenate([np.zeros(0), *lengths]),
        )


class PairedAnchors(NamedTuple):
    """The shared anchors of two systems: a number for each segment.

    Attributes
    ----------
    weights : array
        The number of shared anchors in the reference that has most of them (the first one on
        ties); 0 if there are fewer than two.
    a, b : array
        Share of neighbours that each system keeps: the measure `breakpoints`, 1 − b/(n + 1).
    tokens : array
        Number of tokens of the reference.
    """

    weights: Int32s
    a: Floats
    b: Floats
    tokens: Int32s


def find_anchors(hyps: Words, refs: Words, starts: Ints, threads: int) -> Anchors:
    """Return the words of each sentence that could be anchors.

    Parameters
    ----------
    hyps : Words
        The sentence of each segment.
    refs : Words
        The references of all segments, with words of the same table.
    starts : array
        The references of segment ``k`` are ``starts[k]`` to ``starts[k + 1]`` without the last.
    threads : int
        Number of threads.
    """
    return Anchors(
        *_core.find_anchors(hyps.numbers, hyps.offsets, refs.numbers, refs.offsets, starts, threads)
    )


def pair_anchors(a: Anchors, b: Anchors, threads: int) -> PairedAnchors:
    """Return what two systems share in each segment.

    Raises
    ------
    InputError
        If the systems have not been compared with the same references, or anchors are damaged.
    """
    return PairedAnchors(*_core.pair_anchors(*a, *b, threads))
