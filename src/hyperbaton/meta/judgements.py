"""What people said of translations: comparisons of systems, or scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
PARTS = ("segment", "first", "second", "outcome", "count", "ranking", "judge")


@dataclass(frozen=True, eq=False)
class Rankings:
    """Comparisons of two systems' translations of a segment, one entry each in seven arrays.

    ``first`` and ``second`` are numbers of ``systems``; ``outcome`` is 1 if the first is better, −1
    if the second is, 0 for a tie; ``count`` is how often that was said. ``segment`` is the number
    of the line, from 0, of ``n`` lines. ``ranking`` says which comparisons were made at once (of
    five systems come ten), and ``judge`` by whom, a number of ``judges``.

    >>> of_three = Rankings.from_ranks(["a", "b", "c"], [0, 0, 0], [0, 1, 2], [1, 2, 2], n=1)
    >>> of_three.outcome.tolist()
    [1, 1, 0]
    >>> of_three.share_won().tolist()
    [1.0, 0.0, 0.0]
    """

    systems: tuple[str, ...]
    n: int
    segment: Integers
    first: Integers
    second: Integers
    outcome: Integers
    count: Integers
    ranking: Integers
    judge: Integers
    judges: tuple[str, ...] = ("",)

    @classmethod
    def from_pairs(
        cls,
        systems: Sequence[str],
        segment: npt.ArrayLike,
        better: npt.ArrayLike,
        worse: npt.ArrayLike,
        n: int,
        *,
        count: npt.ArrayLike | None = None,
        outcome: npt.ArrayLike | None = None,
        judge: npt.ArrayLike | None = None,
        judges: Sequence[str] = ("",),
    ) -> Rankings:
        """Preferences, each of which is a ranking of two."""
        segments = np.asarray(segment, np.int64)
        ones = np.ones(len(segments), np.int64)
        return cls(
            tuple(systems),
            n,
            segments,
            np.asarray(better, np.int64),
            np.asarray(worse, np.int64),
            ones if outcome is None else np.asarray(outcome, np.int64),
            ones if count is None else np.asarray(count, np.int64),
            np.arange(len(segments)),
            0 * ones if judge is None else np.asarray(judge, np.int64),
            tuple(judges),
        )

    @classmethod
    def from_ranks(
        cls,
        systems: Sequence[str],
        ranking: npt.ArrayLike,
        system: npt.ArrayLike,
        rank: npt.ArrayLike,
        n: int,
        *,
        segment: npt.ArrayLike | None = None,
        judge: npt.ArrayLike | None = None,
        judges: Sequence[str] = ("",),
        output: npt.ArrayLike | None = None,
    ) -> Rankings:
        """Rankings, an entry for each system in each: 1 is best, and equal ranks are ties.

        ``segment`` and ``judge`` belong to entries; without them there is one of each. Entries of
        a ranking with the same ``output`` were shown as one: nobody compared them.
        """
        raise NotImplementedError

    def __len__(self) -> int:
        """How many entries there are."""
        return len(self.segment)

    @cached_property
    def judgements(self) -> int:
        """How many comparisons were made, repeated ones and ties with them."""
        return int(self.count.sum())

    @property
    def judged(self) -> Booleans:
        """Which of the n segments were judged."""
        return np.bincount(self.segment, minlength=self.n) > 0

    def only(self, segments: Booleans) -> Rankings:
        """The comparisons of some of the segments; the numbers of segments stay."""
        return self._where(segments[self.segment])

    def of_systems(self, systems: Sequence[str]) -> Rankings:
        """The comparisons of these systems, numbered in this order."""
        raise NotImplementedError

    def share_won(self) -> Floats:
        """Of each system, wins / (wins + losses) (Macháček & Bojar 2013); NaN if it has neither."""
        raise NotImplementedError

    def to_scores(self) -> Scores:
        """Ranks as scores of segments (McCaffery & Nederhof 2016)."""
        raise NotImplementedError

    def _where(self, chosen: Booleans) -> Rankings:
        return replace(self, **{part: getattr(self, part)[chosen] for part in PARTS})


@dataclass(frozen=True, eq=False)
class Scores:
    """Numbers for systems, higher is better: of segments, of whole systems, or of both.

    ``segments`` has a row for each system and a column for each segment, NaN where there is none;
    ``system_scores`` has a number for each system, or is None: then it is the mean of its row.
    """

    systems: tuple[str, ...]
    segments: Floats
    system_scores: Floats | None = None

    @classmethod
    def from_records(
        cls,
        systems: Sequence[str],
        system: npt.ArrayLike,
        segment: npt.ArrayLike,
        score: npt.ArrayLike,
        n: int,
        *,
        judge: npt.ArrayLike | None = None,
        standardize: bool = False,
    ) -> Scores:
        """Judgements, one entry each; those of a translation by several judges are averaged.

        With ``standardize``, each judge's scores first get mean 0 and variance 1 (Leusch, Ueffing
        & Ney 2003).
        """
        raise NotImplementedError

    @property
    def n(self) -> int:
        """How many segments there are."""
        return int(self.segments.shape[1])

    @property
    def judged(self) -> Booleans:
        """Which segments have a score for some system."""
        return np.asarray((~np.isnan(self.segments)).any(axis=0))

    def only(self, segments: Booleans) -> Scores:
        """The scores of some of the segments, NaN for the others; systems' own are left out."""
        return Scores(self.systems, np.where(segments, self.segments, np.nan))

    def of_systems(self, systems: Sequence[str]) -> Scores:
        """The scores of these systems, in this order."""
        raise NotImplementedError

    def of_whole_systems(self) -> Floats:
        """A number for each system: its own, or the mean over its segments."""
        raise NotImplementedError

    def to_rankings(self) -> Rankings:
        """All pairs of systems with scores for a segment; equal scores are ties."""
        raise NotImplementedError
