"""Order without hard links: which words two sentences share, and which have other neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

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


class NeighbourJudge(Protocol):
    """What says whether neighbours stand the right way round, by pairs of words in a text."""

    def values(self, hyps: Words, refs: Words, threads: int) -> Floats:
        """Return B of each pair of sentences: 1 if all neighbours stand the right way round."""


def match_words(
    hyps: Words, refs: Words, links: SoftLinks, threads: int, count_lost: bool = True
) -> Floats:
    """Return what each pair of sentences has in common, in three columns.

    - M − λ: the matched words that have the same neighbours; M for equal sides, by rule
    - M: the matched words, which have a counterpart on the other side
    - N: the words that could be told apart

    A side without words has nothing in common with the other: M = λ = 0.

    Parameters
    ----------
    hyps, refs : Words
        The sentences of each pair, with words of the same table.
    links : SoftLinks
        How strong links between words are.
    threads : int
        Number of threads.
    count_lost : bool
        Whether to count λ. It is 0 otherwise, and M and N take less time.

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
        count_lost,
        threads,
    )
    return np.stack([matched - lost, matched, distinguishable], axis=1)


def order_statistics(matches: Floats, neighbours: Floats | None = None) -> Floats:
    """Return X, M and N of each pair of sentences, from which the value of ``order`` follows.

    X are the matched words that have other neighbours, or neighbours the wrong way round. It is 0
    for equal sides and at most M.

    Parameters
    ----------
    matches : array
        What :func:`match_words` returns.
    neighbours : array, optional
        B of each pair. By default it is not asked whether neighbours stand the right way round.
    """
    kept, matched, distinguishable = matches.T
    in_place = kept if neighbours is None else kept * neighbours
    return np.stack([matched - in_place, matched, distinguishable], axis=1)


def order_values(lost: Floats, matched: Floats) -> Floats:
    """Return 1 − X/M, also where so little is matched that it means nothing; 1 where M is 0."""
    values: Floats = 1 - np.where(matched > 0, lost, 0) / np.where(matched > 0, matched, 1)
    return values


def matched_steps(hyp: Words, ref: Words, links: SoftLinks) -> MatchedSteps:
    """Return the steps of one pair of sentences, which must not be empty."""
    characters = CHARACTERS.arrays(hyp.table, len(hyp.table))
    return MatchedSteps(
        *_core.matched_steps(
            hyp.numbers, ref.numbers, *characters, links.tau, links.pi, links.theta
        )
    )


def are_comparable(hyps: Words, refs: Words) -> npt.NDArray[np.bool_]:
    """Return, for each pair of sentences, whether they are short enough to be compared."""
    offsets = CHARACTERS.arrays(hyps.table, len(hyps.table))[1]
    characters = _count_characters(hyps, offsets) * _count_characters(refs, offsets)
    is_short: npt.NDArray[np.bool_] = characters <= MOST_CHARACTERS
    return is_short & (hyps.lengths * refs.lengths <= MOST_CELLS)


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
