"""What people said of translations: comparisons of systems, or scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.meta.checks import scores_of, system_names, whole_numbers
from hyperbaton.text.lines import printable

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
        names = system_names(systems)
        segments = whole_numbers(segment, "segment", below=n)
        size = len(segments)
        first, second = (
            whole_numbers(side, name, size, len(names))
            for name, side in (("better", better), ("worse", worse))
        )
        if (first == second).any():
            k = int(np.argmax(first == second))
            raise InputError(f"{names[first[k]]} is better than itself: better[{k}], worse[{k}]")
        ones = np.ones(size, np.int64)
        return cls(
            names,
            n,
            segments,
            first,
            second,
            ones if outcome is None else np.sign(whole_numbers(outcome, "outcome", size, 2, -1)),
            ones if count is None else whole_numbers(count, "count", size, least=1),
            np.arange(size),
            0 * ones if judge is None else whole_numbers(judge, "judge", size),
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
        names = system_names(systems)
        number = np.unique(np.asarray(ranking), return_inverse=True)[1].ravel()
        size = len(number)
        zeros = np.zeros(size, np.int64)
        parts = [
            whole_numbers(system, "system", size, len(names)),
            whole_numbers(rank, "rank", size, least=1),
            whole_numbers(zeros if segment is None else segment, "segment", size, n),
            whole_numbers(zeros if judge is None else judge, "judge", size),
        ]
        once = np.unique(number * len(names) + parts[0], return_index=True)[1]
        if len(once) < size:
            k = int(np.setdiff1d(np.arange(size), once)[0])
            raise InputError(f"{names[parts[0][k]]} is in a ranking twice: system[{k}]")
        shown = np.arange(len(number)) if output is None else np.asarray(output, np.int64)
        order = np.argsort(number, kind="stable")
        sizes = np.bincount(number)
        starts = np.cumsum(sizes) - sizes
        left, right = [], []
        for size in np.unique(sizes[sizes > 1]).tolist():
            i, j = np.triu_indices(size, 1)
            begin = starts[sizes == size][:, None]
            left.append(order[begin + i].ravel())
            right.append(order[begin + j].ravel())
        a, b = (np.concatenate(side) if side else zeros[:0] for side in (left, right))
        compared = shown[a] != shown[b]
        a, b = a[compared], b[compared]
        inside = np.argsort(number[a], kind="stable")
        a, b = a[inside], b[inside]
        own, ranks, segments, by = parts
        return cls(
            names,
            n,
            segments[a],
            own[a],
            own[b],
            np.sign(ranks[b] - ranks[a]),
            np.ones(len(a), np.int64),
            number[a],
            by[a],
            tuple(judges),
        )

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
        """The comparisons, with systems numbered in this order; none may be of another system."""
        names = len(self.systems)
        said = _sums(self.first, self.count, names) + _sums(self.second, self.count, names)
        judged = {name: int(k) for name, k in zip(self.systems, said, strict=True) if k > 0}
        number = _numbers(judged, systems, "comparison")
        places = np.array([number.get(name, -1) for name in self.systems], np.int64)
        return replace(
            self, systems=tuple(systems), first=places[self.first], second=places[self.second]
        )

    def expanded(self) -> Rankings:
        """An entry for each time a comparison was made; of a ranking, one for each of its times."""
        again = np.repeat(np.arange(len(self)), self.count)
        one = self._where(again)
        time = np.arange(len(again)) - np.repeat(np.cumsum(self.count) - self.count, self.count)
        pairs = np.stack([one.ranking, time])
        number = np.unique(pairs, axis=1, return_inverse=True)[1].ravel()
        return replace(one, count=np.ones(len(again), np.int64), ranking=number)

    def units(self, over: str) -> tuple[Integers, int]:
        """Of each entry, the number of what is drawn: its segment or its ranking; and how many."""
        if over == "segments":
            return self.segment, self.n
        return self.ranking, int(self.ranking.max(initial=-1)) + 1

    def system_sums(self, over: str, method: str) -> Floats:
        """For each segment or ranking and each system, a numerator and a denominator.

        The score of a system is the sum of the first over the sum of the second. By ``won``, they
        are wins, and wins and losses: :meth:`share_won`. By ``ranks``, they are the scores that a
        system's ranks stand for, and their number: :meth:`to_scores`.
        """
        if method == "won":
            unit, units = self.units(over)
            return self._won(unit, units)
        unit, score, system, count = self._rank_scores(over)
        cells = unit * len(self.systems) + system
        size = self.units(over)[1] * len(self.systems)
        sums = [_sums(cells, weights, size) for weights in (count * score, count)]
        return np.stack(sums, axis=1).reshape(-1, len(self.systems), 2)

    def share_won(self) -> Floats:
        """Of each system, wins / (wins + losses) (Macháček & Bojar 2013); NaN if it has neither.

        The papers call it the ratio of times a system was judged better than some other; ties do
        not count.
        """
        return ratio(self._won(np.zeros(len(self), np.int64), 1)[0])

    def to_scores(self) -> Scores:
        """Ranks as scores between 0 and 1 (McCaffery & Nederhof 2016, section 4.1).

        A system with b better ones among k in a ranking scores 1 − b / (k − 1): the best of five
        has 1, the third 0.5. The paper does not say what ties do: here, those that tie for a rank
        have the score of the best of them. A segment's score is the mean over its rankings, and so
        is a whole system's over all of its own.
        """
        names = len(self.systems)
        sums = self.system_sums("segments", "ranks")
        return Scores(self.systems, ratio(sums).T.reshape(names, -1), ratio(sums.sum(axis=0)))

    def _won(self, unit: Integers, units: int) -> Floats:
        names = len(self.systems)
        decided = self.outcome != 0
        weights = self.count * decided
        winner = np.where(self.outcome >= 0, self.first, self.second)
        loser = np.where(self.outcome >= 0, self.second, self.first)
        wins = _sums(unit * names + winner, weights, units * names)
        losses = _sums(unit * names + loser, weights, units * names)
        return np.stack([wins, wins + losses], axis=1).reshape(units, names, 2)

    def _rank_scores(self, over: str) -> tuple[Integers, Floats, Integers, Floats]:
        """Of each system in each ranking: the unit, the score, the system, how often."""
        names = len(self.systems)
        rankings = self.units("rankings")[1]
        unit = self.units(over)[0]
        cells = [self.ranking * names + side for side in (self.first, self.second)]
        size = rankings * names
        times = _sums(cells[0], None, size) + _sums(cells[1], None, size)
        lost = _sums(cells[0], self.outcome < 0, size) + _sums(cells[1], self.outcome > 0, size)
        place, often = np.zeros(rankings, np.int64), np.zeros(rankings)
        place[self.ranking], often[self.ranking] = unit, self.count
        there = np.flatnonzero(times)
        score = 1 - lost[there] / times[there]
        return place[there // names], score, there % names, often[there // names]

    def _where(self, chosen: Booleans | Integers) -> Rankings:
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

    def __post_init__(self) -> None:
        names, whole = system_names(self.systems), self.system_scores
        segments = scores_of(self.segments, "segments", (len(names), None))
        if whole is not None:
            whole = scores_of(whole, "system_scores", (len(names),))
        for key, value in (("systems", names), ("segments", segments), ("system_scores", whole)):
            object.__setattr__(self, key, value)

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
        & Ney 2003); those of a judge who always gave the same become 0.

        >>> Scores.from_records(["a", "b"], [0, 1], [0, 0], [70, 90], n=2).segments.tolist()
        [[70.0, nan], [90.0, nan]]
        """
        numbers = scores_of(score, "score", (None,))
        given = len(numbers)
        if standardize:
            by = np.zeros(given, np.int64) if judge is None else judge
            numbers = standardized(numbers, whole_numbers(by, "judge", given))
        rows = whole_numbers(system, "system", given, len(systems))
        cells = rows * n + whole_numbers(segment, "segment", given, n)
        size = len(systems) * n
        sums = np.stack([_sums(cells, numbers, size), _sums(cells, None, size)], 1)
        return cls(tuple(systems), ratio(sums).reshape(len(systems), n))

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
        """The scores of these systems, in this order; there may be none of another system."""
        own = self.system_scores
        said = (~np.isnan(self.segments)).sum(axis=1) + (0 if own is None else ~np.isnan(own))
        scored = {name: int(k) for name, k in zip(self.systems, said, strict=True) if k > 0}
        number = _numbers(scored, systems, "score")
        segments = np.full((len(systems), self.n), np.nan)
        whole = None if own is None else np.full(len(systems), np.nan)
        for k, name in enumerate(self.systems):
            if name in number:
                segments[number[name]] = self.segments[k]
                if whole is not None and own is not None:
                    whole[number[name]] = own[k]
        return Scores(tuple(systems), segments, whole)

    def of_whole_systems(self, weights: Floats | None = None) -> Floats:
        """A number for each system: its own, or the mean over its segments; NaN without any.

        ``weights``, of the segments, are for the mean: the length of the reference, in one of the
        two means of Leusch, Ueffing & Ney (2003).
        """
        if self.system_scores is not None and weights is None:
            return self.system_scores
        return ratio(self.system_sums(weights).sum(axis=0))

    def system_sums(self, weights: Floats | None = None) -> Floats:
        """For each segment and system, a numerator and a denominator of the mean."""
        return sums_of_segments(self.segments, weights)

    def to_rankings(self) -> Rankings:
        """All pairs of systems with scores for a segment; equal scores are ties."""
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


def sums_of_segments(segments: Floats, weights: Floats | None = None) -> Floats:
    """For each segment and system, a numerator and a denominator of the mean of a system's row."""
    there = ~np.isnan(segments)
    weight = there * (1.0 if weights is None else weights)
    return np.stack([np.where(there, segments, 0) * weight, weight], axis=2).swapaxes(0, 1)


def standardized(numbers: Floats, group: Integers) -> Floats:
    """Mean 0 and variance 1 in each group; all 0 where it has no variance.

    >>> standardized(np.array([1.0, 3.0, 5.0, 5.0]), np.array([0, 0, 1, 1])).tolist()
    [-1.0, 1.0, 0.0, 0.0]
    """
    sizes = np.bincount(group)
    centred = numbers - (np.bincount(group, numbers) / np.maximum(sizes, 1))[group]
    spread = np.sqrt(np.bincount(group, centred**2) / np.maximum(sizes, 1))[group]
    # rounding leaves a little of equal numbers
    varied = spread > 1e-12 * np.maximum(1, abs(numbers))
    return np.where(varied, centred / np.where(varied, spread, 1), 0.0)


def _sums(cells: Integers, weights: npt.ArrayLike | None, size: int) -> Floats:
    """What falls into each cell."""
    return np.bincount(cells, weights, size).astype(np.float64)


def ratio(sums: Floats) -> Floats:
    """The first over the second of the last axis; NaN for 0/0.

    >>> ratio(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [0.75, nan]
    """
    there = sums[..., 1] > 0
    return np.where(there, sums[..., 0] / np.where(there, sums[..., 1], 1), np.nan)


def _numbers(counts: dict[str, int], systems: Sequence[str], kind: str) -> dict[str, int]:
    """The numbers of systems; all that have counts must be among them."""
    number = {name: k for k, name in enumerate(systems)}
    strange = Counter({name: k for name, k in counts.items() if name not in number})
    if strange:
        listed = ", ".join(f"{printable(name)} ({k:,})" for name, k in strange.most_common(5))
        more = f" and {len(strange) - 5} more" if len(strange) > 5 else ""
        total = strange.total()
        raise InputError(
            f"{total:,} {kind}{'s' * (total > 1)} of {len(strange)} unknown "
            f"system{'s' * (len(strange) > 1)}: {listed}{more}"
        )
    return number
