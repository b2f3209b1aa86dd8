"""Tuning: the settings of a metric that agree best with people, and what they are worth elsewhere.

The best of many settings looks better than it is: a part of its advantage is chance. So segments
are divided into folds, each is scored with the settings that are best on the others, and the mean
of these agreements is what one may expect of segments that were not there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hyperbaton.errors import InputError
from hyperbaton.meta import agreement as agreements
from hyperbaton.meta.evaluation import need_trees
from hyperbaton.meta.lattice import (
    MOST_POINTS,
    Lattice,
    Point,
    Wanted,
    climb,
    grid,
    lattice,
    random_points,
)
from hyperbaton.meta.measures import Measure
from hyperbaton.meta.objective import Agreements, Objective
from hyperbaton.meta.testsets import Data, as_test_sets
from hyperbaton.metrics.base import Metric, StrPath
from hyperbaton.metrics.options import shown
from hyperbaton.metrics.sampling import DEFAULT_SEED, whole_number
from hyperbaton.metrics.scoring import named_metrics

SCHEMA = "hyperbaton/tune/1"
METHODS = ("climb", "grid")
DEFAULT_RESTARTS = 20  # Birch & Osborne 2010
DEFAULT_FOLDS = 5
MOST = 1_000_000  # restarts, or folds
# What Birch & Osborne (2010) tune for. A tie of the metric is wrong: a measure that leaves ties out
# is easily made higher by a metric that seldom decides.
DEFAULT_AGREEMENT = "consistency"
TIES_DROPPED = ("tau",)
MORE_TIES = 0.01


@dataclass(frozen=True)
class Search:
    """How settings are looked for: the method, how often it starts, of how many folds."""

    method: str = METHODS[0]
    restarts: int = DEFAULT_RESTARTS
    folds: int = DEFAULT_FOLDS
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(f"method is one of {', '.join(METHODS)}, not {self.method!r}")
        whole_number("restarts", self.restarts, 1, MOST)
        whole_number("folds", self.folds, 2, MOST)
        whole_number("seed", self.seed, 0, 2**63 - 1)

    def lattice(self, metric: Metric, options: Wanted) -> Lattice:
        """What is to be tried, if it is not too much."""
        points = lattice(metric, options)
        count = math.prod(map(len, points.values()))
        if self.method == "grid" and count > MOST_POINTS:
            raise InputError(
                f"a grid of {count:,} settings is too large: climb, or take larger steps "
                f"({MOST_POINTS:,} at most)"
            )
        return points

    def best(self, value: Callable[[Point], float], shape: Sequence[int]) -> Point:
        """The point where a function is greatest, as far as the method finds it."""
        if self.method == "grid":
            return grid(value, shape)
        return climb(value, shape, random_points(shape, self.restarts, self.seed))


@dataclass(frozen=True)
class Fold:
    """A part of the segments: the settings that are best on the others, and their agreement.

    ``training`` is the agreement on the others, ``held_out`` that on the fold itself, and
    ``untuned`` that of the metric as it was given, on the fold.
    """

    settings: Mapping[str, float]
    training: float
    held_out: float
    untuned: float


@dataclass(frozen=True, eq=False)
class Tuning:
    """A metric with its best settings.

    ``value`` is its agreement on all segments, the very ones that it was tuned on: it flatters.
    ``held_out`` does not. ``untuned`` and ``untuned_held_out`` are those of the metric as it was
    given. ``ties`` and ``untuned_ties`` are the shares of people's preferences that the metric does
    not decide, for measures of pairs. ``curves`` has, for each option, the agreement on all
    segments at each of its values, the others being the best, if that was asked for.
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
    test_sets: tuple[str, ...]
    signature: str
    ties: float | None = None
    untuned_ties: float | None = None
    curves: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def spec(self) -> str:
        """The tuned metric as ``score`` takes it."""
        return self.metric.spec

    @property
    def held_out(self) -> float:
        """The mean agreement on folds, each with the settings that are best on the others."""
        return math.fsum(fold.held_out for fold in self.folds) / len(self.folds)

    @property
    def untuned_held_out(self) -> float:
        """The mean agreement on the same folds of the metric as it was given."""
        return math.fsum(fold.untuned for fold in self.folds) / len(self.folds)

    @property
    def evades(self) -> bool:
        """Whether it agrees better for leaving more undecided, which some measures reward."""
        if self.ties is None or self.untuned_ties is None or self.measure.name not in TIES_DROPPED:
            return False
        return self.ties > self.untuned_ties + MORE_TIES

    def to_dict(self) -> dict[str, Any]:
        """For JSON; what is not defined is null."""
        return {
            "given": self.given.spec,
            "metric": self.spec,
            "signature": self.signature,
            "measure": self.measure.name,
            "average": self.measure.average,
            "settings": dict(self.settings),
            "value": self.value,
            "untuned": _known(self.untuned),
            "held_out": self.held_out,
            "untuned_held_out": _known(self.untuned_held_out),
            "ties": self.ties,
            "untuned_ties": self.untuned_ties,
            "folds": [
                {
                    "settings": dict(fold.settings),
                    "training": fold.training,
                    "held_out": fold.held_out,
                    "untuned": _known(fold.untuned),
                }
                for fold in self.folds
            ],
            "values": {name: list(values) for name, values in self.lattice.items()},
            "curves": {name: list(map(_known, curve)) for name, curve in self.curves.items()},
            "method": self.search.method,
            "restarts": self.search.restarts if self.search.method == "climb" else None,
            "seed": self.search.seed,
            "tried": self.tried,
            "judged": self.judged,
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
    options: Wanted,
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
    """Find the settings of a metric that agree best with people, and say what they are worth.

    ``options`` are those to be tuned, with ranges or without: ``["alpha", "beta=0.2:0.8:0.05"]``,
    or values by name, ``{"alpha": [0, 0.5, 1]}``. ``data``, ``agreement``, ``average`` and
    ``people`` are those of ``meta_evaluate``; of several test sets, the mean agreement counts. The
    default is ``consistency``, for which Birch & Osborne tune; ``tau`` leaves out what the metric
    ties, so that tuning for it may lead to a metric that seldom decides (``evades``).

    ``method`` is ``climb``, greedy hill-climbing with random ``restarts`` (Birch & Osborne 2010,
    who have 20), or ``grid``, which tries all settings. Segments are divided into ``folds`` from
    the ``seed``; ``held_out`` of the result is the agreement on segments that settings were not
    tuned on, ``value`` that on all. With ``curves``, the result has those for each option.

    >>> import hyperbaton as hb
    >>> people = hb.Rankings.from_pairs(["x", "y"], [0, 1], [0, 0], [1, 1], n=2)
    >>> systems = {"x": ["a b", "x d"], "y": ["b a", "d c"]}  # y has all words, in wrong order
    >>> data = hb.TestSet.of("de-en", systems, [["a b c"], ["c d"]], [people])
    >>> found = tune("full:order=kendall", data, ["alpha=0:1:0.25"], method="grid", folds=2)
    >>> found.spec, found.value, found.untuned
    ('full:order=kendall,alpha=0', 1.0, 0.5)
    """
    if isinstance(metric, str):
        named = list(named_metrics(metric, language, wordnet, paraphrases, parser).values())
        if len(named) > 1:
            raise InputError(f"{metric} is {len(named)} metrics: one can be tuned at a time")
        metric = named[0]
    measure = agreements.get(agreement, average)
    search = Search(method, restarts, folds, seed)
    points = search.lattice(metric, options)
    trees = parser is None and need_trees({metric.name: metric})
    sets = as_test_sets(data, trees=trees)
    objective = Objective(sets, measure, people, folds, seed, threads)
    return tune_on(objective, metric, points, search, curves)


def tune_on(
    objective: Objective,
    given: Metric,
    points: Lattice,
    search: Search,
    curves: bool = False,
    tell: Callable[[int], None] = lambda tried: None,
) -> Tuning:
    """``tune``, on an objective that several metrics may share; it tells how many it has tried."""
    names, shape = list(points), [len(values) for values in points.values()]
    known: dict[Point, Agreements] = {}

    def settings(point: Point) -> dict[str, float]:
        return {name: points[name][place] for name, place in zip(names, point, strict=True)}

    def agreement(point: Point) -> Agreements:
        if point not in known:
            known[point] = objective.agreements(given.with_options(**settings(point)))
            tell(len(known))
        return known[point]

    def best_by(value: Callable[[Agreements], float]) -> Point:
        def defined(point: Point) -> float:
            found = value(agreement(point))
            return -math.inf if math.isnan(found) else found

        return search.best(defined, shape)

    objective.keep(given)
    untuned = objective.agreements(given)
    best = best_by(lambda found: found.all)
    chosen = settings(best)
    metric = given.with_options(**chosen)
    value = agreement(best).all
    if math.isnan(value):
        why = objective.why_undefined(metric)
        raise InputError(f"{objective.measure.name} of {given.spec} is never defined: {why}")
    folds = []
    for k in range(objective.folds):
        own = best_by(lambda found, k=k: found.training[k])  # type: ignore[misc]
        there = agreement(own)
        if math.isnan(there.training[k] + there.held_out[k]):
            raise InputError(
                f"{objective.measure.name} is not defined on each of {objective.folds} folds of "
                f"{objective.judged:,} judged segments: take fewer"
            )
        folds.append(Fold(settings(own), there.training[k], there.held_out[k], untuned.held_out[k]))
    along = {}
    for k, name in enumerate(names) if curves else ():
        line = [(*best[:k], place, *best[k + 1 :]) for place in range(shape[k])]
        along[name] = tuple(agreement(point).all for point in line)
    return Tuning(
        given,
        metric,
        objective.measure,
        chosen,
        value,
        untuned.all,
        tuple(folds),
        points,
        search,
        len(known),
        objective.judged,
        tuple(objective.names),
        objective.signature(metric),
        objective.ties(metric),
        objective.ties(given),
        along,
    )


def setting(settings: Mapping[str, float]) -> str:
    """As one types it.

    >>> setting({"alpha": 0.5, "beta": 1.0})
    'alpha=0.5,beta=1'
    """
    return ",".join(f"{name}={shown(value)}" for name, value in settings.items())


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
