"""Tuning: the settings of a metric that agree best with people.

The best of many settings looks better than it is on the segments on which it was chosen. Segments
are therefore divided into folds, and each fold is scored with the settings that are best on the
other folds. The mean of these agreements estimates the agreement on new segments. If people scored
whole systems, the systems are divided into folds, because all segments share the human scores.

The values of the tuned options form a lattice. A point of the lattice is a tuple with the index of
one value for each option.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.lines import StrPath
from hyperbaton.meta import agreement as agreements
from hyperbaton.meta.agreement import Measure
from hyperbaton.meta.objective import FoldAgreements, Objective
from hyperbaton.meta.plan import DEFAULT_AGREEMENT, DEFAULT_FOLDS, DEFAULT_RESTARTS, SEARCHES
from hyperbaton.meta.testsets import Data, as_test_sets
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.options import Option, format_value, normalize_name
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.presentation import PrintedResult
from hyperbaton.registries import check_choice, unknown_name_message
from hyperbaton.runs.engine import need_trees
from hyperbaton.stats.sampling import DEFAULT_SEED, check_integer

DEFAULT_STEPS = 20  # from the smallest to the largest value, if no step is given
MAX_VALUES = 10_000  # of one option
MAX_GRID_POINTS = 100_000
MAX_COUNT = 1_000_000  # of restarts, and of folds

Point = tuple[int, ...]
ValueAt = Callable[[Point], float]  # what is maximised
Lattice = dict[str, tuple[float, ...]]
OptionRanges = str | Sequence[str] | Mapping[str, Sequence[float]]
SCHEMA = "hyperbaton/tune/1"
TIES_DROPPED = ("tau",)
TIE_MARGIN = 0.01  # a larger share of ties than this is reported


@dataclass(frozen=True)
class Fold:
    """One fold of the segments, or of the systems.

    Attributes
    ----------
    settings : mapping of str to float
        The settings that are best on the other folds.
    training : float
        Their agreement on the other folds.
    held_out : float
        Their agreement on this fold.
    untuned : float
        The agreement of the original metric on this fold.
    """

    settings: Mapping[str, float]
    training: float
    held_out: float
    untuned: float


@dataclass(frozen=True, eq=False)
class Tuning(PrintedResult):
    """A metric with its best settings, the result of :func:`hyperbaton.tune`.

    Attributes
    ----------
    given, metric : Metric
        The original and the tuned metric.
    measure : Measure
        The measure of agreement.
    settings : mapping of str to float
        The best values of the tuned options.
    value : float
        Agreement of the tuned metric on all segments. It is too optimistic because these are the
        segments on which the metric was tuned; ``held_out`` is not.
    untuned : float
        Agreement of the original metric on all segments.
    folds : tuple of Fold
    lattice : dict of str to tuple of float
        The values of each option that were available.
    search : Search
    tried : int
        Number of settings tried.
    judged : int
        Number of judged segments, or of systems if these are held out.
    units : str
        What the folds are of: ``"segments"``, ``"systems"`` or, for different test sets, both.
    test_sets : tuple of str
        Names of the test sets.
    signature : str
        Signature of the tuned metric.
    ties, untuned_ties : float or None
        Shares of human preferences that the tuned and the original metric tie, for measures of
        pairs.
    curves : mapping of str to tuple of float
        For each option, the agreement on all segments at each of its values, with the best values
        of the other options. Empty unless requested.
    """

    given: Metric
    metric: Metric
    measure: Measure
    settings: Mapping[str, float]
    value: float
    untuned: float
    folds: tuple[Fold, ...]
    lattice: Lattice
    search: Search
    tried: int
    judged: int
    units: str
    test_sets: tuple[str, ...]
    signature: str
    ties: float | None = None
    untuned_ties: float | None = None
    curves: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def spec(self) -> str:
        """The tuned metric in the notation that ``score`` takes."""
        return self.metric.spec

    @property
    def held_out(self) -> float:
        """Mean agreement on the folds, each with the settings that are best on the others."""
        return math.fsum(fold.held_out for fold in self.folds) / len(self.folds)

    @property
    def untuned_held_out(self) -> float:
        """Mean agreement of the original metric on the same folds."""
        return math.fsum(fold.untuned for fold in self.folds) / len(self.folds)

    @property
    def evades(self) -> bool:
        """Whether the tuned metric may agree better only because it ties more pairs."""
        if self.ties is None or self.untuned_ties is None or self.measure.name not in TIES_DROPPED:
            return False
        return self.ties > self.untuned_ties + TIE_MARGIN

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dictionary for JSON; undefined values are None."""
        return {
            "given": self.given.spec,
            "metric": self.spec,
            "signature": self.signature,
            "measure": self.measure.name,
            "average": self.measure.average,
            "settings": dict(self.settings),
            "value": self.value,
            "untuned": _nan_to_none(self.untuned),
            "held_out": self.held_out,
            "untuned_held_out": _nan_to_none(self.untuned_held_out),
            "ties": self.ties,
            "untuned_ties": self.untuned_ties,
            "folds": [
                {**asdict(fold), "untuned": _nan_to_none(fold.untuned)} for fold in self.folds
            ],
            "values": {name: list(values) for name, values in self.lattice.items()},
            "curves": {name: list(map(_nan_to_none, curve)) for name, curve in self.curves.items()},
            "method": self.search.method,
            "restarts": self.search.restarts if self.search.method == "climb" else None,
            "seed": self.search.seed,
            "tried": self.tried,
            "judged": self.judged,
            "units": self.units,
            "test_sets": list(self.test_sets),
        }

    def __repr__(self) -> str:
        return (
            f"Tuning({self.spec!r}, {self.measure.name}={self.value:.4f}, "
            f"held_out={self.held_out:.4f}, untuned={self.untuned_held_out:.4f})"
        )


def tune(
    metric: str | Metric,
    data: Data | Sequence[Data],
    options: OptionRanges,
    language: str | None = None,
    *,
    agreement: str = DEFAULT_AGREEMENT,
    average: str | None = None,
    people: str | None = None,
    method: str = "climb",
    restarts: int = DEFAULT_RESTARTS,
    folds: int = DEFAULT_FOLDS,
    seed: int = DEFAULT_SEED,
    curves: bool = False,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    parser: str | None = None,
    threads: int | None = None,
) -> Tuning:
    """Find the settings of a metric that agree best with people.

    Parameters
    ----------
    metric : str or Metric
    data : path-like, TestSet, or a sequence of them
        Test sets, or folders that :func:`read_test_sets` reads. The mean agreement over several
        test sets is maximised.
    options : str, sequence of str, or mapping of str to sequence of float
        The options to tune, with optional ranges and steps (``["alpha", "beta=0.2:0.8:0.05"]``),
        or their values (``{"alpha": [0, 0.5, 1]}``).
    language : str, optional
        Language of the translations.
    agreement, average, people : str, optional
        As for :func:`meta_evaluate`. ``tau`` leaves out pairs that the metric ties, so that tuning
        for it may lead to a metric that seldom decides; see :attr:`Tuning.evades`.
    method : {"climb", "grid"}
        Greedy hill-climbing with random restarts (Birch & Osborne 2010), or all settings.
    restarts : int
        Number of random restarts; Birch & Osborne use 20.
    folds : int
        Number of folds of the segments for ``Tuning.held_out``. If people scored whole systems, the
        folds are of systems, at least three in each, and there may be fewer of them.
    seed : int
        Random seed; results are reproducible.
    curves : bool
        Also compute the agreement at each value of each option.
    wordnet, paraphrases : path-like, optional
        Data of the aligner.
    parser : str, optional
        Parser for metrics of dependency trees; by default, trees beside the texts of a folder are
        read.
    threads : int, optional
        Number of threads; by default all cores.

    Returns
    -------
    Tuning
        The metric with its best settings, and its agreement on held-out data.

    Raises
    ------
    InputError
        If an argument is invalid, or the agreement is undefined.

    Examples
    --------
    >>> import hyperbaton as hb
    >>> people = hb.Rankings.from_pairs(["x", "y"], [0, 1], [0, 0], [1, 1], n=2)
    >>> systems = {"x": ["a b", "x d"], "y": ["b a", "d c"]}  # y has all words, in wrong order
    >>> data = hb.TestSet.of("de-en", systems, [["a b c"], ["c d"]], [people])
    >>> tuning = tune("full:order=kendall", data, ["alpha=0:1:0.25"], method="grid", folds=2)
    >>> tuning.spec, tuning.value, tuning.untuned
    ('full:order=kendall,alpha=0', 1.0, 0.5)
    """
    if isinstance(metric, str):
        resources = Resources.from_arguments(language, wordnet, paraphrases, parser)
        named = list(metrics_by_spec(metric, resources).values())
        if len(named) > 1:
            raise InputError(f"{metric} is {len(named)} metrics; only one can be tuned at a time")
        metric = named[0]
    elif not isinstance(metric, Metric):
        kind = type(metric).__name__
        raise InputTypeError(f"metric must be a string such as 'full' or a Metric, got {kind}")
    measure = agreements.get(agreement, average)
    search = Search(method, restarts, folds, seed)
    lattice = search.build_lattice(metric, options)
    trees = parser is None and need_trees([metric])
    test_sets = as_test_sets(data, trees=trees)
    objective = Objective(test_sets, measure, people, folds, seed, threads)
    return tune_on(objective, metric, lattice, search, curves)


def tune_on(
    objective: Objective,
    given: Metric,
    lattice: Lattice,
    search: Search,
    curves: bool = False,
    on_trial: Callable[[int], None] = lambda tried: None,
) -> Tuning:
    """Tune a metric on an objective, which several metrics may share.

    Parameters
    ----------
    objective : Objective
    given : Metric
        The original metric.
    lattice : dict of str to tuple of float
        The values of each option.
    search : Search
    curves : bool
        Also compute the agreement at each value of each option.
    on_trial : callable
        Called with the number of settings tried so far.
    """
    objective.precompute(given)
    untuned = objective.agreements(given)
    trials = _Trials(objective, given, lattice, search, on_trial)
    best = trials.best_point(lambda agreements: agreements.all)
    metric = given.with_options(**trials.settings(best))
    value = trials.agreements(best).all
    if math.isnan(value):
        why = objective.why_undefined(metric)
        raise InputError(f"{objective.measure.name} of {given.spec} is undefined everywhere: {why}")
    folds = tuple(trials.fold(k, untuned.held_out[k]) for k in range(objective.folds))
    agreement_curves = trials.curves(best) if curves else {}
    return Tuning(
        given,
        metric,
        objective.measure,
        trials.settings(best),
        value,
        untuned.all,
        folds,
        lattice,
        search,
        len(trials),
        objective.judged,
        objective.units,
        tuple(objective.names),
        objective.signature(metric),
        objective.ties(metric),
        objective.ties(given),
        agreement_curves,
    )


class _Trials:
    """The settings that were tried, with their agreement on all of the data and on the folds."""

    def __init__(
        self,
        objective: Objective,
        given: Metric,
        lattice: Lattice,
        search: Search,
        on_trial: Callable[[int], None],
    ) -> None:
        self._objective, self._given, self._lattice = objective, given, lattice
        self._search, self._on_trial = search, on_trial
        self._shape = [len(values) for values in lattice.values()]
        self._found: dict[Point, FoldAgreements] = {}

    def __len__(self) -> int:
        return len(self._found)

    def settings(self, point: Point) -> dict[str, float]:
        """Return the settings at a point of the lattice."""
        pairs = zip(self._lattice.items(), point, strict=True)
        return {name: values[place] for (name, values), place in pairs}

    def agreements(self, point: Point) -> FoldAgreements:
        """Return the agreement of the settings at a point, which is computed once."""
        if point not in self._found:
            metric = self._given.with_options(**self.settings(point))
            self._found[point] = self._objective.agreements(metric)
            self._on_trial(len(self._found))
        return self._found[point]

    def best_point(self, select: Callable[[FoldAgreements], float]) -> Point:
        """Return the point where a part of the agreement is highest."""

        def value(point: Point) -> float:
            agreement = select(self.agreements(point))
            return -math.inf if math.isnan(agreement) else agreement

        return self._search.best_point(value, self._shape)

    def fold(self, k: int, untuned: float) -> Fold:
        """Return the settings that are best without fold ``k``, and their agreement on it."""
        point = self.best_point(lambda agreements: agreements.training[k])
        found, objective = self.agreements(point), self._objective
        if math.isnan(found.training[k] + found.held_out[k]):
            raise InputError(
                f"{objective.measure.name} is undefined on some of {objective.folds} folds of "
                f"{objective.judged:,} judged {objective.units}; use fewer folds"
            )
        return Fold(self.settings(point), found.training[k], found.held_out[k], untuned)

    def curves(self, best: Point) -> dict[str, tuple[float, ...]]:
        """Return the agreement at each value of each option, the others being at their best."""
        curves = {}
        for k, name in enumerate(self._lattice):
            points = [(*best[:k], place, *best[k + 1 :]) for place in range(self._shape[k])]
            curves[name] = tuple(self.agreements(point).all for point in points)
        return curves


def build_lattice(metric: Metric, options: OptionRanges) -> Lattice:
    """Return the values to try for some numeric options of a metric.

    Parameters
    ----------
    metric : Metric
    options : str, sequence of str, or mapping of str to sequence of float
        Options with an optional range and step, such as ``alpha``, ``alpha=0.2:0.8`` or
        ``alpha=0.2:0.8:0.1``, or a mapping from options to values. The default range is all valid
        values, and the default step is 1/20 of the range.

    Raises
    ------
    InputError
        If an option is unknown or not numeric, or a range is invalid.

    >>> from hyperbaton import metrics
    >>> build_lattice(metrics.get("full"), ["alpha=0.2:0.8:0.2", "gamma=0:0.1:0.1"])
    {'alpha': (0.2, 0.4, 0.6, 0.8), 'gamma': (0.0, 0.1)}
    >>> build_lattice(metrics.get("invwer"), {"inversion": [2, 1]})
    {'inversion': (1.0, 2.0)}
    """
    if isinstance(options, str):
        options = [options]
    lattice: Lattice = {}
    for text in options:
        if not isinstance(text, str):
            raise InputTypeError(
                f"an option must be a string such as 'alpha', got {type(text).__name__}"
            )
        key, equals, value_range = text.partition("=")
        name = normalize_name(key)
        option = _numeric_option(metric, name)
        if name in lattice:
            raise InputError(f"{name} is given twice")
        full_name = f"{metric.name}: {name}"
        if isinstance(options, Mapping):
            values = {float(option.read(full_name, value)) for value in options[text]}
        else:
            values = _range_values(option, full_name, value_range if equals else None)
        if len(values) < 2:
            raise InputError(f"{full_name} has fewer than two values to try")
        lattice[name] = tuple(sorted(values))
    if not lattice:
        raise InputError("no option to tune was given")
    return lattice


def _numeric_option(metric: Metric, name: str) -> Option:
    """Return the option of that name; raise InputError if it is not a number."""
    options = metric.options_for(metric.name, metric.options)
    numeric = {key: option for key, option in options.items() if option.numeric}
    if name in numeric:
        return numeric[name]
    if name in metric.options:
        known = ", ".join(numeric) or "none"
        raise InputError(f"{metric.name}: {name} is not numeric; the numeric options are: {known}")
    raise InputError(unknown_name_message("numeric option", name, numeric, metric.name))


def _range_values(option: Option, name: str, text: str | None) -> set[float]:
    """Return the values of a range, ``low:high`` or ``low:high:step``; None for all values."""
    low, high, step = option.least, option.most, None
    if text is not None:
        parts = text.split(":")
        if len(parts) not in (2, 3):
            raise InputError(f"{name}: {text!r} is not a range such as 0:1 or 0:1:0.1")
        low, high = (float(option.read(name, part)) for part in parts[:2])
        if low > high:
            raise InputError(f"{name}: the range {text} starts above its end")
        step = _parse_step(name, parts[2]) if len(parts) == 3 else None
    if not math.isfinite(high):
        raise InputError(f"{name} has no upper bound; give a range such as 0:1")
    # Fractions of the typed decimals, so that three steps of 0.1 are 0.3.
    first, last = Fraction(str(low)), Fraction(str(high))
    if step is None:
        step = (last - first) / DEFAULT_STEPS
    if step > 0 and (last - first) / step >= MAX_VALUES:
        raise InputError(f"{name} has more than {MAX_VALUES:,} values; use a larger step")
    count = int((last - first) / step) if step > 0 else 0
    values = (first + k * step for k in range(count + 1))
    digits = 0 if option.whole else option.digits
    return {float(value if digits is None else round(value, digits)) for value in values}


def _parse_step(name: str, text: str) -> Fraction:
    try:
        step = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{name}: the step must be a number, got {text!r}") from None
    if step <= 0:
        raise InputError(f"{name}: the step must be greater than 0, got {text}")
    return step


@dataclass(frozen=True)
class Search:
    """How the best settings are searched for.

    Attributes
    ----------
    method : {"climb", "grid"}
        Greedy hill-climbing with random restarts, or all settings.
    restarts : int
        Number of random restarts.
    folds : int
    seed : int
        Random seed.
    """

    method: str = SEARCHES[0]
    restarts: int = DEFAULT_RESTARTS
    folds: int = DEFAULT_FOLDS
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        check_choice("method", self.method, SEARCHES)
        check_integer("restarts", self.restarts, 1, MAX_COUNT)
        check_integer("folds", self.folds, 2, MAX_COUNT)
        check_integer("seed", self.seed, 0, 2**63 - 1)

    def build_lattice(self, metric: Metric, options: OptionRanges) -> Lattice:
        """Return the values to try; raise InputError if they are too many for a grid."""
        lattice = build_lattice(metric, options)
        count = math.prod(map(len, lattice.values()))
        if self.method == "grid" and count > MAX_GRID_POINTS:
            raise InputError(
                f"a grid of {count:,} settings is too large ({MAX_GRID_POINTS:,} at most); "
                "use method climb or larger steps"
            )
        return lattice

    def best_point(self, value: ValueAt, shape: Sequence[int]) -> Point:
        """Return the point of a lattice with the highest value, as far as the method finds it.

        >>> Search("grid").best_point(lambda p: -((p[0] - 1) ** 2) - (p[1] - 2) ** 2, [4, 4])
        (1, 2)
        """
        if self.method == "grid":
            return _best(value, itertools.product(*map(range, shape)))
        return hill_climb(value, shape, random_points(shape, self.restarts, self.seed))


def hill_climb(value: ValueAt, shape: Sequence[int], starts: Sequence[Point]) -> Point:
    """Return the best point that greedy hill-climbing reaches (Birch & Osborne 2010).

    Each step moves to the best neighbour, as long as it is better than the current point. A
    neighbour differs by 1 in one coordinate. Of equally good points, the first one in
    lexicographic order is taken.

    Parameters
    ----------
    value : callable
        The function to maximise.
    shape : sequence of int
        Number of values of each option.
    starts : sequence of Point
        Where the climbs start.

    >>> hill_climb(lambda p: [0, 3, 1, 2, 4, 3][p[0]], [6], [(0,), (3,)])
    (4,)
    """
    return _best(value, {_climb_from(value, shape, start) for start in starts})


def _climb_from(value: ValueAt, shape: Sequence[int], point: Point) -> Point:
    while True:
        neighbours = [
            (*point[:k], place, *point[k + 1 :])
            for k, size in enumerate(shape)
            for place in (point[k] - 1, point[k] + 1)
            if 0 <= place < size
        ]
        best = _best(value, neighbours)
        if not value(best) > value(point):
            return point
        point = best


def _best(value: ValueAt, points: Iterable[Point]) -> Point:
    return max(sorted(points), key=value)


def random_points(shape: Sequence[int], count: int, seed: int) -> list[Point]:
    """Return points drawn uniformly at random, with replacement.

    >>> random_points([3, 5], 2, 1) == random_points([3, 5], 2, 1)
    True
    """
    drawn = np.random.default_rng(seed).integers(0, shape, (count, len(shape)))
    return [tuple(map(int, row)) for row in drawn]


def format_settings(settings: Mapping[str, float]) -> str:
    """Return settings as they are typed in a metric.

    >>> format_settings({"alpha": 0.5, "beta": 1.0})
    'alpha=0.5,beta=1'
    """
    return ",".join(f"{name}={format_value(value)}" for name, value in settings.items())


def _nan_to_none(value: float) -> float | None:
    return None if math.isnan(value) else value
