"""Scores of systems by people or by other metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from hyperbaton.meta.arrays import (
    Booleans,
    Floats,
    ratio,
    segment_sums,
    standardize_groups,
    sum_cells,
)
from hyperbaton.meta.checks import (
    check_integers,
    check_scores,
    check_system_names,
    index_systems,
)
from hyperbaton.meta.rankings import Rankings


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of segments, of whole systems, or of both; higher is better.

    Attributes
    ----------
    systems : tuple of str
    segments : array of shape (systems, segments)
        NaN where there is no score.
    system_scores : array of shape (systems,), optional
        Scores of whole systems. If None, the score of a system is the mean of its segments.
    """

    systems: tuple[str, ...]
    segments: Floats
    system_scores: Floats | None = None

    def __post_init__(self) -> None:
        names, system_scores = check_system_names(self.systems), self.system_scores
        segments = check_scores(self.segments, "segments", (len(names), None))
        if system_scores is not None:
            system_scores = check_scores(system_scores, "system_scores", (len(names),))
        object.__setattr__(self, "systems", names)
        object.__setattr__(self, "segments", segments)
        object.__setattr__(self, "system_scores", system_scores)

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
        """Build from single judgements; several judgements of a translation are averaged.

        Parameters
        ----------
        systems : sequence of str
            Names of the systems.
        system, segment : array_like of int
            System and segment of each judgement, as indices from 0.
        score : array_like of float
        n : int
            Number of segments.
        judge : array_like of int, optional
            Index of the judge of each judgement; used by ``standardize`` only.
        standardize : bool
            First scale the scores of each judge to mean 0 and variance 1 (Leusch, Ueffing & Ney
            2003). The scores of a judge who always gave the same score become 0.

        >>> Scores.from_records(["a", "b"], [0, 1], [0, 0], [70, 90], n=2).segments.tolist()
        [[70.0, nan], [90.0, nan]]
        """
        numbers = check_scores(score, "score", (None,))
        size = len(numbers)
        if standardize:
            judges = np.zeros(size, np.int64) if judge is None else judge
            numbers = standardize_groups(numbers, check_integers(judges, "judge", size))
        rows = check_integers(system, "system", size, len(systems))
        cells = rows * n + check_integers(segment, "segment", size, n)
        cell_count = len(systems) * n
        sums = np.stack(
            [sum_cells(cells, numbers, cell_count), sum_cells(cells, None, cell_count)], 1
        )
        return cls(tuple(systems), ratio(sums).reshape(len(systems), n))

    @property
    def n(self) -> int:
        """Number of segments."""
        return int(self.segments.shape[1])

    @property
    def judged(self) -> Booleans:
        """Which segments have a score for some system."""
        return np.asarray((~np.isnan(self.segments)).any(axis=0))

    def only(self, segments: Booleans) -> Scores:
        """Return the scores of some segments, NaN for the others, without ``system_scores``."""
        return Scores(self.systems, np.where(segments, self.segments, np.nan))

    def of_systems(self, systems: Sequence[str]) -> Scores:
        """Return the scores of the given systems, in this order; NaN for systems without any.

        Raises
        ------
        InputError
            If there are scores of a system that is not in ``systems``.
        """
        old = self.system_scores
        times = (~np.isnan(self.segments)).sum(axis=1) + (0 if old is None else ~np.isnan(old))
        scored = {name: int(k) for name, k in zip(self.systems, times, strict=True) if k > 0}
        index = index_systems(scored, systems, "score")
        segments = np.full((len(systems), self.n), np.nan)
        new = None if old is None else np.full(len(systems), np.nan)
        for k, name in enumerate(self.systems):
            if name in index:
                segments[index[name]] = self.segments[k]
                if new is not None and old is not None:
                    new[index[name]] = old[k]
        return Scores(tuple(systems), segments, new)

    def of_whole_systems(self, weights: Floats | None = None) -> Floats:
        """Return one score per system; NaN for a system without any score.

        This is ``system_scores``, or else the mean over segments. With ``weights`` of segments,
        it is always the weighted mean; Leusch, Ueffing & Ney (2003) weight by the length of the
        reference.
        """
        if self.system_scores is not None and weights is None:
            return self.system_scores
        return ratio(self.system_sums(weights).sum(axis=0))

    def system_sums(self, weights: Floats | None = None) -> Floats:
        """Return numerators and denominators of the means, shape (segments, systems, 2)."""
        return segment_sums(self.segments, weights)

    def to_rankings(self) -> Rankings:
        """Return all pairs of systems with scores for a segment; equal scores are ties."""
        pairs = list(combinations(range(len(self.systems)), 2))
        first, second = np.array(pairs, np.int64).reshape(-1, 2).T
        difference = self.segments[first] - self.segments[second]
        segment, pair = np.nonzero(~np.isnan(difference).T)
        return Rankings.from_pairs(
            self.systems,
            segment,
            first[pair],
            second[pair],
            self.n,
            outcome=np.sign(difference[pair, segment]).astype(np.int64),
        )


def system_level_scores(systems: Sequence[str], system_scores: Floats, n: int) -> Scores:
    """Return scores of whole systems, without a score for any of ``n`` segments."""
    return Scores(tuple(systems), np.full((len(systems), n), np.nan), system_scores)


def combine_levels(a: Scores, b: Scores) -> Scores:
    """Combine scores of segments and scores of systems by the same metric."""
    system_scores = a.system_scores if a.system_scores is not None else b.system_scores
    segments = np.where(np.isnan(a.segments), b.segments, a.segments)
    return Scores(a.systems, segments, system_scores)
