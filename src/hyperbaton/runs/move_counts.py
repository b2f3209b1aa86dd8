"""How often words must move, which of them, and how far: the moves of a whole text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.order.moves import BlockMoves


class MoveKind(NamedTuple):
    """A kind of move: of a single word or of several, and to which side.

    >>> print(MoveKind(is_single=True, before=True))
    single words that come too late
    """

    is_single: bool
    before: bool

    def __str__(self) -> str:
        words = "single words" if self.is_single else "groups of words"
        return f"{words} that come too {'late' if self.before else 'early'}"


class FrequentMove(NamedTuple):
    """The most frequent kind of move: how many there are, and the median of their distances."""

    kind: MoveKind
    moves: int
    distance: int


@dataclass(frozen=True)
class MoveCounts:
    """The moves of a system.

    Attributes
    ----------
    segments : int
        Number of segments.
    reordered : int
        Number of segments in which words must move.
    linked, words : int
        Number of words with a link, and of all words, of translations and references.
    distances : mapping of MoveKind to mapping of int to int
        For each kind, the number of moves by distance. Punctuation alone does not count.
    punctuation : int
        Number of moves of punctuation alone.
    """

    segments: int
    reordered: int
    linked: int
    words: int
    distances: Mapping[MoveKind, Mapping[int, int]]
    punctuation: int

    @classmethod
    def of_moves(cls, moves: Iterable[BlockMoves], linked: int, words: int) -> MoveCounts:
        """Count the moves of batches of segments."""
        segments = reordered = punctuation = 0
        distances: dict[MoveKind, Counter[int]] = {}
        for batch in moves:
            of_words = ~batch.is_punctuation
            segments += len(batch)
            segment = np.repeat(np.arange(len(batch)), np.diff(batch.offsets))
            reordered += int(np.count_nonzero(np.bincount(segment[of_words])))
            punctuation += int(batch.is_punctuation.sum())
            single = batch.lengths == 1
            for kind in (MoveKind(a, b) for a in (True, False) for b in (True, False)):
                selected = of_words & (single == kind.is_single) & (batch.before == kind.before)
                found = Counter(batch.distances[selected].tolist())
                distances.setdefault(kind, Counter()).update(found)
        return cls(segments, reordered, linked, words, distances, punctuation)

    @property
    def moves(self) -> int:
        """Number of moves of words."""
        return sum(sum(counts.values()) for counts in self.distances.values())

    @property
    def aligned(self) -> float:
        """Share of the words that have a link."""
        return self.linked / max(self.words, 1)

    @property
    def most_frequent(self) -> FrequentMove | None:
        """The most frequent kind of move; None if there is none, or two are equally frequent."""
        totals = {kind: sum(counts.values()) for kind, counts in self.distances.items()}
        kind, second = sorted(totals, key=totals.__getitem__, reverse=True)[:2]
        if totals[kind] == totals[second]:
            return None
        return FrequentMove(kind, totals[kind], _lower_median(self.distances[kind]))


def _lower_median(counts: Mapping[int, int]) -> int:
    """Return the median of counted values; the lower one of two.

    >>> _lower_median({1: 2, 5: 1, 7: 1})
    1
    """
    values = np.array(sorted(counts))
    below: npt.NDArray[np.int64] = np.cumsum([counts[value] for value in values.tolist()])
    return int(values[np.searchsorted(below, (below[-1] + 1) // 2)])
