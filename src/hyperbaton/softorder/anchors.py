"""Anchors: words that two systems and the reference have exactly once.

Two systems are compared by the order of their shared anchors. Words with several partners, or with
none, have no say, so that the comparison does not depend on the choice of words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.text.words import Ints, Words

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]
# Pairs of systems of 17 test sets have .19 to .66 of the reference's words as anchors, those of the
# example .63 to .69. Where both systems are shifted by a line, chance leaves .04 to .10.
LEAST_ANCHORED_SHARE = 0.1
# Segments have 4 to 17 anchors on average. These are those of about six segments, and fewer
# segments cannot be significant at 0.05.
LEAST_ANCHORS = 50


class Anchors(NamedTuple):
    """The words of a system that could be anchors; those of segment ``k`` are ragged rows.

    ``values[offsets[k]:offsets[k + 1]]`` has, for each reference of the segment in turn, the number
    of its tokens, the number of words, and the position of each word in the reference, counted from
    0. They are the words that occur exactly once in the system's sentence and exactly once in the
    reference, in the system's order.
    """

    values: Int32s
    offsets: Ints


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
