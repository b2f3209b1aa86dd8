"""Soft adjacency: how far neighbours stay neighbours, without hard links between words."""

from __future__ import annotations

from hyperbaton import _core
from hyperbaton.softorder.order import CHARACTERS, Floats, check_lengths
from hyperbaton.softorder.order import SoftLinks as SoftLinks
from hyperbaton.text.words import Words


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
