"""Order without hard links: which words two sentences share, and which have other neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import TooLongError
from hyperbaton.softorder.precedence import OwnReferences, PrecedenceModel
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


class MatchedSteps(NamedTuple):
    """The steps of one pair of sentences, and the words that they lead to.

    A sentence of n words has n + 1 steps: from its begin to the first word, from each word to the
    next, and from the last word to the end.

    Attributes
    ----------
    hyp_losses, ref_losses : array
        The loss of each step, between 0 and 1.
    hyp_matches, ref_matches : array
        How far each word has counterparts on the other side, between 0 and 1.
    """

    hyp_losses: Floats
    ref_losses: Floats
    hyp_matches: Floats
    ref_matches: Floats


def _code_points(tokens: list[str]) -> list[Sequence[int]]:
    return [list(map(ord, token)) for token in tokens]


CHARACTERS = TokenSets(lambda: _code_points)


def order_statistics(
    hyps: Words,
    refs: Words,
    links: SoftLinks,
    precedence: PrecedenceModel | OwnReferences | None,
    threads: int,
) -> Floats:
    """Return three statistics of each pair of sentences, from which the value of `order` follows.

    They are columns of the result:

    - X: the matched words that have other neighbours; 0 for equal sides, by rule
    - M: the matched words, which have a counterpart on the other side; at least X
    - N: the words that could be told apart

    A side without words has nothing in common with the other: X = M = 0.

    Parameters
    ----------
    hyps, refs : Words
        The sentences of each pair, with words of the same table.
    links : SoftLinks
        How strong links between words are.
    precedence : PrecedenceModel or OwnReferences, optional
        What says whether neighbours stand the right way round: a model; or, for each segment, its
        own references. By default it is not asked.
    threads : int
        Number of threads.

    Raises
    ------
    TooLongError
        If a pair has more than ``MOST_CELLS`` pairs of words, or ``MOST_CHARACTERS`` of characters.
    """
    table = hyps.table
    characters = CHARACTERS.arrays(table, len(table))
    check_lengths(hyps, refs, characters[1])
    matched, lost, distinguishable = _core.order_statistics(
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
    kept = matched - lost
    if precedence is not None:
        kept *= precedence.values(hyps, refs, threads)
    return np.stack([matched - kept, matched, distinguishable], axis=1)


def matched_steps(hyp: Words, ref: Words, links: SoftLinks) -> MatchedSteps:
    """Return the steps of one pair of sentences, which must not be empty."""
    characters = CHARACTERS.arrays(hyp.table, len(hyp.table))
    return MatchedSteps(
        *_core.matched_steps(
            hyp.numbers, ref.numbers, *characters, links.tau, links.pi, links.theta
        )
    )


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
