"""Tuning: the settings of a metric that agree best with people.

The best of many settings looks better than it is on the segments on which it was chosen. Segments
are therefore divided into folds, and each fold is scored with the settings that are best on the
other folds. The mean of these agreements estimates the agreement on new segments. If people scored
whole systems, the systems are divided into folds, because all segments share the human scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.lines import StrPath
from hyperbaton.meta import agreement as agreements
from hyperbaton.meta.agreement import Measure
from hyperbaton.meta.lattice import Lattice, OptionRanges, Point, Search
from hyperbaton.meta.objective import FoldAgreements, Objective
from hyperbaton.meta.plan import DEFAULT_AGREEMENT, DEFAULT_FOLDS, DEFAULT_RESTARTS
from hyperbaton.meta.testsets import Data, as_test_sets
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.options import format_value
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.notices import Notice
from hyperbaton.presentation import PrintedResult
from hyperbaton.runs.engine import need_trees
from hyperbaton.stats.sampling import DEFAULT_SEED

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
    notes : tuple of Notice
        What a reader should know about the data, for each test set.
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
    notes: tuple[Notice, ...] = ()

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
        objective.notes(metric),
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


def format_settings(settings: Mapping[str, float]) -> str:
    """Return settings as they are typed in a metric.

    >>> format_settings({"alpha": 0.5, "beta": 1.0})
    'alpha=0.5,beta=1'
    """
    return ",".join(f"{name}={format_value(value)}" for name, value in settings.items())


def _nan_to_none(value: float) -> float | None:
    return None if math.isnan(value) else value
