"""Soft adjacency: how far neighbours stay neighbours, without hard links between words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import TooLongError
from hyperbaton.text.words import TokenSets, Words

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
MOST_CELLS = 50_000_000  # words of one side × words of the other: 400 MB
MOST_CHARACTERS = 10**10  # characters of one side × characters of the other: a second


@dataclass(frozen=True)
class SoftLinks:
    """How strong the links between words are.

    Attributes
    ----------
    tau : float
        How fast a link fades as words become less similar.
    pi : float
        What a link from one end of the sentence to the other loses in similarity.
    theta : float
        From this strength on, a step from a word to the next is whole.
    """

    tau: float = 0.1
    pi: float = 0.5
    theta: float = 0.5


def _code_points(tokens: list[str]) -> list[Sequence[int]]:
    return [list(map(ord, token)) for token in tokens]


CHARACTERS = TokenSets(lambda: _code_points)


def soft_adjacency(hyps: Words, refs: Words, links: SoftLinks, threads: int) -> Floats:
    """Return the soft adjacency of each pair of sentences.

    It is 0 if a side is empty. For equal sides it is 1 by rule.

    Raises
    ------
    TooLongError
        If a pair has more than ``MOST_CELLS`` pairs of words, or ``MOST_CHARACTERS`` of characters.
    """
    table = hyps.table
    characters = CHARACTERS.arrays(table, len(table))
    check_lengths(hyps, refs, characters[1])
    return _core.soft_adjacency(
        hyps.numbers,
        hyps.offsets,
        refs.numbers,
        refs.offsets,
        *characters,
        table.number,
        links.tau,
        links.pi,
        links.theta,
        threads,
    )


def step_losses(hyp: Words, ref: Words, links: SoftLinks) -> tuple[Floats, Floats]:
    """Return the losses of the steps of one pair of sentences, which must not be empty.

    A sentence of n words has n + 1 steps: from its begin to the first word, from each word to the
    next, and from the last word to the end. A loss is between 0 and 1.
    """
    characters = CHARACTERS.arrays(hyp.table, len(hyp.table))
    return _core.soft_steps(hyp.numbers, ref.numbers, *characters, links.tau, links.pi, links.theta)


def check_lengths(hyps: Words, refs: Words, character_offsets: Ints) -> None:
    """Raise an error if two sentences are too long to be compared."""
    hyp_characters, ref_characters = (
        _count_characters(side, character_offsets) for side in (hyps, refs)
    )
    limits = (
        ("words", MOST_CELLS, hyps.lengths, refs.lengths),
        ("characters", MOST_CHARACTERS, hyp_characters, ref_characters),
    )
    for unit, most, hyp, ref in limits:
        for k in np.flatnonzero(hyp * ref > most):  # the first of them
            raise TooLongError(
                int(k),
                f"the sentences are too long for soft order: {hyp[k]:,} and {ref[k]:,} {unit}, at "
                f"most {most:,} pairs of {unit}",
            )


def _count_characters(words: Words, character_offsets: Ints) -> Ints:
    """Return the number of characters of each sentence."""
    ends = np.cumsum(np.diff(character_offsets)[words.numbers], dtype=np.int64)
    return np.diff(np.concatenate(([0], ends))[words.offsets])
