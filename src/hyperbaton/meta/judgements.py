"""Human judgements of translations: rankings or scores; other metrics give scores, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.lines import printable
from hyperbaton.text.plurals import count_noun

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
SHOWN_UNKNOWN = 5  # unknown systems that an error message lists
COLUMNS = ("segment", "first", "second", "outcome", "count", "ranking", "judge")


@dataclass(frozen=True, eq=False)
class Rankings:
    """Comparisons of two systems' translations of a segment.

    The seven integer arrays have one entry per comparison.

    Attributes
    ----------
    systems : tuple of str
    n : int
        Number of segments of the test set, judged or not.
    segment : array
        Index of the segment.
    first, second : array
        Indices of the two systems in ``systems``.
    outcome : array
        1 if the first system is better, −1 if the second is, 0 for a tie.
    count : array
        How often the comparison was made with this outcome.
    ranking : array
        Which ranking the comparison comes from; a ranking of five systems gives ten comparisons.
    judge : array
        Index of the judge in ``judges``.
    judges : tuple of str

    >>> ranked = Rankings.from_ranks(["a", "b", "c"], [0, 0, 0], [0, 1, 2], [1, 2, 2], n=1)
    >>> ranked.outcome.tolist()
    [1, 1, 0]
    >>> ranked.share_won().tolist()
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
        """Build from preferences; each preference is a ranking of two systems.

        Parameters
        ----------
        systems : sequence of str
            Names of the systems.
        segment, better, worse : array_like of int
            The segment and the two systems of each preference, as indices from 0.
        n : int
            Number of segments.
        count : array_like of int, optional
            How often each preference was stated; by default once.
        outcome : array_like of int, optional
            1 if the system in ``better`` is better, −1 if the one in ``worse`` is, 0 for a tie;
            by default 1.
        judge : array_like of int, optional
            Index of the judge in ``judges``.
        judges : sequence of str
            Names of the judges.
        """
        names = check_system_names(systems)
        segments = check_integers(segment, "segment", below=n)
        size = len(segments)
        first = check_integers(better, "better", size, len(names))
        second = check_integers(worse, "worse", size, len(names))
        if (first == second).any():
            k = int(np.argmax(first == second))
            raise InputError(
                f"{names[first[k]]} cannot be better than itself: better[{k}], worse[{k}]"
            )
        ones = np.ones(size, np.int64)
        return cls(
            names,
            n,
            segments,
            first,
            second,
            ones if outcome is None else np.sign(check_integers(outcome, "outcome", size, 2, -1)),
            ones if count is None else check_integers(count, "count", size, least=1),
            np.arange(size),
            0 * ones if judge is None else check_integers(judge, "judge", size),
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
        """Build from ranks, with one entry per system in each ranking.

        Parameters
        ----------
        systems : sequence of str
            Names of the systems.
        ranking : array_like
            Which ranking an entry belongs to; any labels.
        system : array_like of int
            Index of the ranked system in ``systems``.
        rank : array_like of int
            1 is best, and equal ranks are ties.
        n : int
            Number of segments.
        segment, judge : array_like of int, optional
            Segment and judge of each entry; by default 0.
        judges : sequence of str
            Names of the judges.
        output : array_like of int, optional
            Entries of a ranking with the same value were shown to the judge as one translation,
            so they are not compared with each other.
        """
        names = check_system_names(systems)
        ranking_index = np.unique(np.asarray(ranking), return_inverse=True)[1].ravel()
        size = len(ranking_index)
        zeros = np.zeros(size, np.int64)
        system_index = check_integers(system, "system", size, len(names))
        ranks = check_integers(rank, "rank", size, least=1)
        segments = check_integers(zeros if segment is None else segment, "segment", size, n)
        judge_index = check_integers(zeros if judge is None else judge, "judge", size)
        distinct = np.unique(ranking_index * len(names) + system_index, return_index=True)[1]
        if len(distinct) < size:
            k = int(np.setdiff1d(np.arange(size), distinct)[0])
            raise InputError(f"{names[system_index[k]]} occurs twice in a ranking: system[{k}]")
        outputs = np.arange(size) if output is None else np.asarray(output, np.int64)
        a, b = _pairs_within_groups(ranking_index)
        compared = outputs[a] != outputs[b]
        a, b = a[compared], b[compared]
        return cls(
            names,
            n,
            segments[a],
            system_index[a],
            system_index[b],
            np.sign(ranks[b] - ranks[a]),
            np.ones(len(a), np.int64),
            ranking_index[a],
            judge_index[a],
            tuple(judges),
        )

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.segment)

    @cached_property
    def judgements(self) -> int:
        """Number of comparisons made, including repeated ones and ties."""
        return int(self.count.sum())

    @property
    def judged(self) -> Booleans:
        """Which of the n segments were judged."""
        return np.bincount(self.segment, minlength=self.n) > 0

    def only(self, segments: Booleans) -> Rankings:
        """Return the comparisons of some segments; segments keep their indices."""
        return self._select(segments[self.segment])

    def of_systems(self, systems: Sequence[str]) -> Rankings:
        """Return the comparisons with systems indexed in the given order.

        Raises
        ------
        InputError
            If a comparison is of a system that is not in ``systems``.
        """
        size = len(self.systems)
        times = sum_cells(self.first, self.count, size) + sum_cells(self.second, self.count, size)
        judged = {name: int(k) for name, k in zip(self.systems, times, strict=True) if k > 0}
        index = index_systems(judged, systems, "comparison")
        new_index = np.array([index.get(name, -1) for name in self.systems], np.int64)
        first, second = new_index[self.first], new_index[self.second]
        return replace(self, systems=tuple(systems), first=first, second=second)

    def expanded(self) -> Rankings:
        """Return one entry for each time a comparison was made.

        A ranking that was made several times becomes several rankings.
        """
        repeated = np.repeat(np.arange(len(self)), self.count)
        entries = self._select(repeated)
        starts = np.cumsum(self.count) - self.count
        repetition = np.arange(len(repeated)) - np.repeat(starts, self.count)
        pairs = np.stack([entries.ranking, repetition])
        ranking = np.unique(pairs, axis=1, return_inverse=True)[1].ravel()
        return replace(entries, count=np.ones(len(repeated), np.int64), ranking=ranking)

    def units(self, over: str) -> tuple[Integers, int]:
        """Return the unit of resampling of each entry, and the number of units.

        ``over`` is ``"segments"`` or ``"rankings"``.
        """
        if over == "segments":
            return self.segment, self.n
        return self.ranking, int(self.ranking.max(initial=-1)) + 1

    def system_sums(self, over: str, method: str) -> Floats:
        """Return numerators and denominators of the scores of systems.

        Parameters
        ----------
        over : {"segments", "rankings"}
            The unit of resampling.
        method : {"won", "ranks"}
            With ``won``, the numerator is the number of wins, and the denominator the number of
            wins and losses, as in :meth:`share_won`. With ``ranks``, they are the sum and the
            number of the scores for ranks, as in :meth:`to_scores`.

        Returns
        -------
        array of shape (units, systems, 2)
            The score of a system is the ratio of the sums over units.
        """
        if method == "won":
            unit, units = self.units(over)
            return self._win_sums(unit, units)
        unit, score, system, count = self._rank_scores(over)
        cells = unit * len(self.systems) + system
        size = self.units(over)[1] * len(self.systems)
        sums = [sum_cells(cells, weights, size) for weights in (count * score, count)]
        return np.stack(sums, axis=1).reshape(-1, len(self.systems), 2)

    def share_won(self) -> Floats:
        """Return wins / (wins + losses) of each system (Macháček & Bojar 2013).

        The papers call it the ratio of times a system was judged better than some other. Ties do
        not count. A system with neither wins nor losses has NaN.
        """
        return ratio(self._win_sums(np.zeros(len(self), np.int64), 1)[0])

    def to_scores(self) -> Scores:
        """Convert ranks to scores between 0 and 1 (McCaffery & Nederhof 2016, section 4.1).

        A system with b better ones among k in a ranking scores 1 − b / (k − 1): the best of five
        has 1, the third 0.5. The paper does not define ties; here, tied systems get the score of
        the best of them. The score of a segment is the mean over its rankings, and the score of
        a system is the mean over all its rankings.
        """
        sums = self.system_sums("segments", "ranks")
        segments = ratio(sums).T.reshape(len(self.systems), -1)
        return Scores(self.systems, segments, ratio(sums.sum(axis=0)))

    def _win_sums(self, unit: Integers, units: int) -> Floats:
        """Return wins, and wins and losses, per unit and system."""
        size = len(self.systems)
        weights = self.count * (self.outcome != 0)
        winner = np.where(self.outcome >= 0, self.first, self.second)
        loser = np.where(self.outcome >= 0, self.second, self.first)
        wins = sum_cells(unit * size + winner, weights, units * size)
        losses = sum_cells(unit * size + loser, weights, units * size)
        return np.stack([wins, wins + losses], axis=1).reshape(units, size, 2)

    def _rank_scores(self, over: str) -> tuple[Integers, Floats, Integers, Floats]:
        """Return unit, score, system and count for each system in each ranking."""
        systems = len(self.systems)
        rankings = self.units("rankings")[1]
        first, second = (self.ranking * systems + side for side in (self.first, self.second))
        size = rankings * systems
        compared = sum_cells(first, None, size) + sum_cells(second, None, size)
        lost = sum_cells(first, self.outcome < 0, size) + sum_cells(second, self.outcome > 0, size)
        unit_of, count_of = np.zeros(rankings, np.int64), np.zeros(rankings)
        unit_of[self.ranking], count_of[self.ranking] = self.units(over)[0], self.count
        cells = np.flatnonzero(compared)
        score = 1 - lost[cells] / compared[cells]
        return unit_of[cells // systems], score, cells % systems, count_of[cells // systems]

    def _select(self, entries: Booleans | Integers) -> Rankings:
        return replace(self, **{name: getattr(self, name)[entries] for name in COLUMNS})


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
        sums = [sum_cells(cells, weights, len(systems) * n) for weights in (numbers, None)]
        return cls(tuple(systems), ratio(np.stack(sums, 1)).reshape(len(systems), n))

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
        index_systems(scored, systems, "score")
        # Other systems take the row after the last one, which has no scores.
        row_of = {name: k for k, name in enumerate(self.systems)}
        rows = [row_of.get(name, len(row_of)) for name in systems]
        segments = np.pad(self.segments, ((0, 1), (0, 0)), constant_values=np.nan)[rows]
        new = None if old is None else np.append(old, np.nan)[rows]
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


Judgements = Rankings | Scores


def system_level_scores(systems: Sequence[str], system_scores: Floats, n: int) -> Scores:
    """Return scores of whole systems, without a score for any of ``n`` segments."""
    return Scores(tuple(systems), np.full((len(systems), n), np.nan), system_scores)


def combine_levels(a: Scores, b: Scores) -> Scores:
    """Combine scores of segments and scores of systems by the same metric."""
    system_scores = a.system_scores if a.system_scores is not None else b.system_scores
    segments = np.where(np.isnan(a.segments), b.segments, a.segments)
    return Scores(a.systems, segments, system_scores)


def _pairs_within_groups(group: Integers) -> tuple[Integers, Integers]:
    """Return the indices of all pairs of entries in the same group, ordered by group."""
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group)
    starts = np.cumsum(sizes) - sizes
    left, right = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for size in np.unique(sizes[sizes > 1]).tolist():
        i, j = np.triu_indices(size, 1)
        begin = starts[sizes == size][:, None]
        left.append(order[begin + i].ravel())
        right.append(order[begin + j].ravel())
    a, b = np.concatenate(left), np.concatenate(right)
    by_group = np.argsort(group[a], kind="stable")
    return a[by_group], b[by_group]


def first_duplicate(names: Iterable[str]) -> str | None:
    """Return the first name that occurs more than once, or None.

    >>> first_duplicate(["a", "b", "b", "a"])
    'a'
    """
    return next((name for name, count in Counter(names).items() if count > 1), None)


def check_system_names(systems: Sequence[str]) -> tuple[str, ...]:
    """Return the names of systems as a tuple of distinct strings."""
    names = tuple(systems)
    for name in names:
        if not isinstance(name, str):
            raise InputTypeError(f"names of systems must be strings, got {type(name).__name__}")
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise InputError(f"two systems have the name {duplicate}")
    return names


def index_systems(counts: Mapping[str, int], systems: Sequence[str], kind: str) -> dict[str, int]:
    """Return the index of each system, after checking that no judgement names another one.

    Parameters
    ----------
    counts : mapping of str to int
        Number of judgements of each judged system.
    systems : sequence of str
        The known systems.
    kind : str
        Singular noun for the judgements, for the error message.
    """
    index = {name: k for k, name in enumerate(systems)}
    unknown = Counter({name: k for name, k in counts.items() if name not in index})
    if unknown:
        most = unknown.most_common(SHOWN_UNKNOWN)
        shown = ", ".join(f"{printable(name)} ({k:,})" for name, k in most)
        rest = len(unknown) - SHOWN_UNKNOWN
        total = unknown.total()
        raise InputError(
            f"{count_noun(total, kind)} of {count_noun(len(unknown), 'unknown system')}: "
            f"{shown}{f' and {rest} more' if rest > 0 else ''}"
        )
    return index


def ratio(sums: Floats) -> Floats:
    """Divide the first entry of the last axis by the second; 0/0 is NaN.

    >>> ratio(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [0.75, nan]
    """
    defined = sums[..., 1] > 0
    return np.where(defined, sums[..., 0] / np.where(defined, sums[..., 1], 1), np.nan)


def sum_cells(cells: Integers, weights: npt.ArrayLike | None, size: int) -> Floats:
    """Sum the weights that fall into each of ``size`` cells; without weights, count them."""
    return np.bincount(cells, weights, size).astype(np.float64)


def segment_sums(segments: Floats, weights: Floats | None = None) -> Floats:
    """Numerators and denominators of the mean score of each system.

    Parameters
    ----------
    segments : array of shape (systems, segments)
        Scores; NaN where there is none.
    weights : array of shape (segments,), optional
        Weights of the segments in the mean.

    Returns
    -------
    array of shape (segments, systems, 2)
        ``ratio`` of the sum over segments is the mean.
    """
    scored = ~np.isnan(segments)
    weight = scored * (1.0 if weights is None else weights)
    return np.stack([np.where(scored, segments, 0) * weight, weight], axis=2).swapaxes(0, 1)


def mean_where_defined(values: Floats) -> Floats:
    """Mean along the last axis without NaN; NaN where all values are NaN."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=-1)
    total = np.where(defined, values, 0).sum(axis=-1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def standardize(x: Floats) -> Floats:
    """Scale to mean 0 and variance 1, ignoring NaN; a constant becomes 0."""
    if not x.size:
        return x
    spread = np.nanstd(x)
    return np.asarray((x - np.nanmean(x)) / (spread if spread > 0 else 1.0))


def standardize_groups(numbers: Floats, group: Integers) -> Floats:
    """Scale to mean 0 and variance 1 within each group; a constant group becomes 0.

    >>> standardize_groups(np.array([1.0, 3.0, 5.0, 5.0]), np.array([0, 0, 1, 1])).tolist()
    [-1.0, 1.0, 0.0, 0.0]
    """
    sizes = np.bincount(group)
    centred = numbers - (np.bincount(group, numbers) / np.maximum(sizes, 1))[group]
    spread = np.sqrt(np.bincount(group, centred**2) / np.maximum(sizes, 1))[group]
    # Rounding can leave a tiny spread in a constant group.
    varied = spread > 1e-12 * np.maximum(1, abs(numbers))
    return np.where(varied, centred / np.where(varied, spread, 1), 0.0)


def check_integers(
    values: npt.ArrayLike,
    name: str,
    length: int | None = None,
    below: int | None = None,
    least: int = 0,
) -> Integers:
    """Return a one-dimensional array of integers within bounds.

    Parameters
    ----------
    values : array_like of int
    name : str
        Name of the argument, for error messages.
    length : int, optional
        Required length.
    below : int, optional
        Exclusive upper bound: the number of systems or segments that are indexed.
    least : int
        Inclusive lower bound.

    Raises
    ------
    InputError
        If the length is wrong or a value is out of bounds.
    InputTypeError
        If the values are not a list of integers.

    >>> check_integers([0, 3], "segment", below=3)
    Traceback (most recent call last):
    ...
    hyperbaton.InputError: segment[1] is 3, but it must be from 0 to 2
    """
    numbers = np.asarray(values)
    if numbers.ndim != 1:
        raise InputTypeError(f"{name} must be a list of integers")
    if numbers.size and not np.issubdtype(numbers.dtype, np.integer):
        raise InputTypeError(f"{name} must be a list of integers, got {numbers.dtype}")
    if length is not None and len(numbers) != length:
        raise InputError(f"{name} has length {len(numbers):,}, but the others have {length:,}")
    invalid = numbers < least
    if below is not None:
        invalid |= numbers >= below
    if invalid.any():
        k = int(np.argmax(invalid))
        bounds = f"at least {least}" if below is None else f"from {least} to {below - 1}"
        raise InputError(f"{name}[{k}] is {numbers[k]}, but it must be {bounds}")
    return numbers.astype(np.int64)


def check_scores(values: npt.ArrayLike, name: str, shape: tuple[int | None, ...]) -> Floats:
    """Return an array of finite numbers, NaN where there is no score.

    Parameters
    ----------
    values : array_like of float
    name : str
        Name of the argument, for error messages.
    shape : tuple of (int or None)
        Required shape; only the first length is checked, and only if it is not None.

    Raises
    ------
    InputError
        If the number of rows is wrong or a score is infinite.
    InputTypeError
        If the values are not numbers or have another number of dimensions.

    >>> check_scores([[1, float("inf")]], "segments", (1, None))
    Traceback (most recent call last):
    ...
    hyperbaton.InputError: segments contains inf; use NaN for a missing score
    """
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        message = f"{name} must be a table of numbers with rows of equal length"
        raise InputTypeError(message) from None
    if numbers.ndim != len(shape):
        row = "one list" if len(shape) == 2 else "one number"
        raise InputTypeError(f"{name} must have {row} per system")
    if shape[0] is not None and len(numbers) != shape[0]:
        raise InputError(f"{name} has {len(numbers):,} rows, but there are {shape[0]:,} systems")
    if np.isinf(numbers).any():
        raise InputError(f"{name} contains inf; use NaN for a missing score")
    return numbers
