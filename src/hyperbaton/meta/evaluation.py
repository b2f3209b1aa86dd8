"""Do metrics agree with people, and is one of them better at it than another?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.meta import agreement as agreements
from hyperbaton.meta.differences import FEWEST, differences_of, interval
from hyperbaton.meta.judgements import Booleans, Floats, Integers, Rankings
from hyperbaton.meta.measures import Human, Measure, SystemMeasure
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.results import Agreement, Counted, MetaEvaluation, MetricDifference
from hyperbaton.meta.samples import OfSystems, Sampled, bootstrapped
from hyperbaton.meta.testsets import Data, TestSet, as_test_sets
from hyperbaton.metrics.base import Metric, StrPath
from hyperbaton.metrics.registry import is_error_rate
from hyperbaton.metrics.sampling import DEFAULT_LEVEL, DEFAULT_SAMPLES, DEFAULT_SEED, Sampling
from hyperbaton.metrics.scoring import named_metrics, score_systems
from hyperbaton.stats.resampling import bootstrap_counts

Progress = Callable[[Iterable[range]], Iterable[range]]


def meta_evaluate(
    data: Data | Sequence[Data],
    metrics: Sequence[str | Metric] | str | Metric = "default",
    language: str | None = None,
    *,
    agreement: str = "tau",
    average: str | None = None,
    people: str | None = None,
    bootstrap: str = "segments",
    test: str = "permutation",
    samples: int = DEFAULT_SAMPLES,
    seed: int = DEFAULT_SEED,
    level: float = DEFAULT_LEVEL,
    judged_only: bool = False,
    weighted: bool = False,
    others: bool = False,
    negate: Sequence[str] = (),
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    parser: str | None = None,
    threads: int | None = None,
) -> MetaEvaluation:
    """How well metrics agree with people, and which differences between them are more than chance.

    ``data`` is a folder of one or several test sets (:func:`read_test_sets`), a ``TestSet``, or
    several of them. ``agreement`` is a measure by name and ``average`` how it is averaged.
    ``people`` says which judgements are taken if there are several kinds (``TestSet.human``).
    Intervals come from samples of segments, rankings or systems (``bootstrap``); ``test`` is
    ``permutation``, ``bootstrap``, ``williams`` or ``t``. With ``judged_only``, a metric's score of
    a system is over segments that were judged; with ``weighted``, a system's mean of human scores
    of segments is weighted by the lengths of references. ``others`` takes the metric scores of
    mt-metrics-eval, too, as those of the ``others`` of a test set always are; ``negate`` names
    those of them that are better if lower (our own error rates need no naming). ``dted`` takes
    trees beside the texts of a folder, or a ``parser``.

    >>> from hyperbaton.meta.judgements import Rankings
    >>> people = Rankings.from_pairs(["x", "y"], [0, 1], [0, 0], [1, 1], n=2)
    >>> systems = {"x": ["a b c", "d e"], "y": ["c b a", "d e"]}
    >>> data = TestSet.of("de-en", systems, [["a b c"], ["d e"]], [people])
    >>> meta_evaluate(data, "kendall", agreement="consistency")["de-en", "kendall"].value
    0.5
    """
    plan = Plan(
        agreements.get(agreement, average),
        Sampling("bootstrap", samples, seed, level, threads),
        people,
        bootstrap,
        test,
        judged_only,
        weighted,
        tuple(negate),
    )
    named = named_metrics(metrics, language, wordnet, paraphrases, parser)
    trees = parser is None and need_trees(named)
    return evaluate_sets(as_test_sets(data, others, trees), named, plan)


def evaluate_sets(
    sets: Sequence[TestSet],
    named: Mapping[str, Metric],
    plan: Plan,
    progress: Progress = iter,
    keep: Callable[[list[MetricScores]], None] = lambda scored: None,
) -> MetaEvaluation:
    """All test sets, one after another; ``keep`` is handed what metrics say of each."""
    names = [one.name for one in sets]
    if not sets:
        raise InputError("there are no test sets")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two test sets are called {twice}")
    for one in sets:
        _planned(one, plan)  # what cannot be done is said before the work begins
    threads = plan.sampling.threads
    found = []
    for one in sets:
        scored, turned = _turned(score_test_set(one, named, threads, progress), plan.negated)
        keep(scored)
        values, differences, counted, order, notes = _evaluated(one, scored, plan)
        notes = [*(f"{one.name}: {note}" for note in turned), *notes]
        found.append((values, differences, counted, order, notes))
    metrics = dict.fromkeys(a.metric for values, *_ in found for a in values)
    signatures = {a.metric: a.signature for values, *_ in found for a in values}
    return MetaEvaluation(
        tuple(names),
        tuple(metrics),
        tuple(a for values, *_ in found for a in values),
        tuple(d for _, differences, *_ in found for d in differences),
        tuple(counted for _, _, counted, *_ in found),
        plan.measure.name,
        plan.measure.average,
        plan.over,
        plan.test,
        plan.sampling,
        signatures,
        {name: order for name, (*_, order, _) in zip(names, found, strict=True) if order},
        tuple(note for *_, notes in found for note in notes),
    )


def need_trees(named: Mapping[str, Metric]) -> bool:
    """Whether one of the metrics is of dependency trees."""
    return any("parser" in metric.options for metric in named.values())


def score_test_set(
    given: TestSet,
    named: Mapping[str, Metric],
    threads: int | None = None,
    progress: Progress = iter,
) -> list[MetricScores]:
    """The scores of our metrics, and of others that come with the test set."""
    found = []
    if named:
        several = [list(texts) for texts in given.references]
        results = score_systems(
            given.systems,
            several,
            named,
            threads,
            trees=given.trees,
            reference_trees=given.reference_trees,
            progress=progress,
        )
        found = [MetricScores.of_ours(key, [result[key] for result in results]) for key in named]
    for name, scores in given.others.items():
        if name in named:
            raise InputError(f"{given.name}: two metrics are called {name}")
        found.append(MetricScores.of_scores(name, scores))
    if not found:
        raise InputError("no metrics were asked for")
    return found


def _turned(
    scored: list[MetricScores], names: Sequence[str]
) -> tuple[list[MetricScores], list[str]]:
    """With the signs of others' error rates changed, and which of them nobody had named.

    One with numbers below 0 is no longer an error rate: its signs have been changed before.
    """
    for name in names:
        if not any(one.name == name and one.scores is None for one in scored):
            raise InputError(f"there are no scores of a metric {name!r} to negate")
    found, notes = [], []
    for one in scored:
        lowest = np.nanmin(np.append(one.segments, one.whole), initial=np.inf)
        rate = one.scores is None and is_error_rate(one.name) and lowest >= 0
        if rate and one.name not in names:
            notes.append(f"{one.name} is an error rate: the signs of its scores were changed")
        if rate or one.name in names:
            one = replace(one, segments=-one.segments, whole=-one.whole)
        found.append(one)
    return found, notes


def _planned(given: TestSet, plan: Plan) -> tuple[Measure, Human]:
    """The measure as it is for this test set, and the judgements it takes."""
    measure, human = given.human(plan.measure, plan.people, plan.over)
    try:
        measure.check(human, plan.over)
    except InputError as error:
        raise InputError(f"{given.name}: {error}") from None
    if plan.weighted:
        if not isinstance(measure, SystemMeasure) or isinstance(human, Rankings):
            raise InputError("only human scores of segments, of systems, can be weighted")
        lengths = [np.mean([len(text.split()) for text in texts]) for texts in given.references]
        measure = replace(measure, weights=tuple(map(float, lengths)))
    return measure, human


Found = tuple[list[Agreement], list[MetricDifference], Counted, tuple[str, ...], list[str]]


def _evaluated(given: TestSet, scored: list[MetricScores], plan: Plan) -> Found:
    """One test set."""
    measure, human = _planned(given, plan)
    if plan.judged_only:
        judged = _judged(given, human)
        scored = [one.only(judged) for one in scored]
    metrics = _on_the_same(scored, measure)
    notes = []
    defined: dict[str, Sampled] = {}
    try:
        ready = measure.sampled(human, metrics, plan.over)
    except InputError as error:
        raise InputError(f"{given.name}: {error}") from None
    for one, found in zip(metrics, ready, strict=True):
        if math.isnan(found.value):
            why = measure.why_undefined(human, one)
            notes.append(f"{given.name}: {one.name} has no {measure.name}: {why}")
        else:
            defined[one.name] = found
    counted = _counted(given, measure, human, metrics)
    sampled, lost = _samples(list(defined.values()), plan.sampling)
    if lost:
        notes.append(f"{given.name}: {lost:,} samples in which an agreement is undefined left out")
    columns = dict(zip(defined, sampled.T, strict=True))
    values = []
    for one in metrics:
        own = Agreement(given.name, one.name, one.signature)
        if one.name in defined:
            own = replace(own, value=defined[one.name].value)
            own = _with_samples(own, columns[one.name], plan.sampling.level)
            own = _with_ranking(own, defined[one.name])
        values.append(own)
    kept = [one for one in metrics if one.name in defined]
    differences = differences_of(given.name, measure, human, kept, defined, columns, plan)
    if any(one.p is None for one in differences):
        notes.append(f"{given.name}: Williams' test needs {FEWEST} values, and there are fewer")
    return values, differences, counted, _order(tuple(given.systems), ready), notes


def _with_ranking(own: Agreement, found: Sampled) -> Agreement:
    """With the systems in the metric's order, called by the places that people give them."""
    if not isinstance(found, OfSystems):
        return own
    place = np.empty(len(found.y), np.int64)
    by_people = _from_best(np.where(np.isnan(found.x), np.nan, found.y))
    place[by_people] = np.arange(1, len(by_people) + 1)
    by_metric = _from_best(np.where(np.isnan(found.y), np.nan, found.x))
    return replace(own, ranking=tuple(place[by_metric].tolist()))


def _order(names: tuple[str, ...], ready: Sequence[Sampled]) -> tuple[str, ...]:
    """The systems from the best to the worst by people, of those that metrics have scored."""
    first = ready[0]
    if not isinstance(first, OfSystems):
        return ()
    best = _from_best(np.where(np.isnan(first.x), np.nan, first.y))
    return tuple(names[k] for k in best.tolist())


def _from_best(scores: Floats) -> Integers:
    """Which are there, from the highest; equal ones as they come."""
    order = np.argsort(-scores, kind="stable")  # NaN comes last
    return order[: int((~np.isnan(scores)).sum())]


def _judged(given: TestSet, human: Human) -> Booleans:
    """Which segments were judged, by the scores of systems at hand or by any others."""
    for one in (human, given.rankings, given.segments):
        if one is not None and one.judged.any():
            return one.judged
    raise InputError(f"{given.name} does not say which segments were judged")


def _on_the_same(scored: list[MetricScores], measure: Measure) -> list[MetricScores]:
    """What all metrics have scored: the same translations, or the same systems, for all."""
    if measure.level == "system":
        there = np.logical_and.reduce([~np.isnan(one.whole) for one in scored])
        return [replace(one, whole=np.where(there, one.whole, np.nan)) for one in scored]
    masks = [~np.isnan(one.segments) for one in scored]
    common = np.logical_and.reduce([mask for mask in masks if mask.any()] or masks)
    return [replace(one, segments=np.where(common, one.segments, np.nan)) for one in scored]


def _counted(
    given: TestSet, measure: Measure, human: Human, metrics: list[MetricScores]
) -> Counted:
    """How much there is, and how much of it is used."""
    scored = np.ones_like(metrics[0].segments, np.bool_)
    for one in metrics:
        scored &= ~np.isnan(one.segments) | np.isnan(one.segments).all()
    scored &= ~np.all([np.isnan(one.segments).all() for one in metrics])
    both = human.judged & scored.any(axis=0)
    # What a metric says of a whole system is compared with all that people say of it.
    whole = isinstance(measure, SystemMeasure)
    cells = np.broadcast_to(~np.isnan(metrics[0].whole)[:, None], scored.shape) if whole else scored
    if isinstance(human, Rankings):
        sides = [cells[side, human.segment] for side in (human.first, human.second)]
        used = np.logical_or(*sides) if whole else np.logical_and(*sides)
        judgements, taken = human.judgements, int(human.count[used].sum())
        systems: Booleans = np.zeros(len(cells), np.bool_)
        for side, there in zip((human.first, human.second), sides, strict=True):
            systems[side[used & there]] = True
    else:
        there = ~np.isnan(human.segments)
        if human is given.whole:
            there, cells = ~np.isnan(human.of_whole_systems())[:, None], cells[:, :1]
        judgements, taken = int(there.sum()), int((cells & there).sum())
        systems = np.any(cells & there, axis=1)
    return Counted(
        given.name,
        given.kind(measure, human),
        len(human.systems),
        int(systems.sum()),
        human.n,
        int(human.judged.sum()),
        int(scored.any(axis=0).sum()),
        int(both.sum()),
        judgements,
        taken,
    )


def _samples(found: list[Sampled], sampling: Sampling) -> tuple[Floats, int]:
    """The values of each metric in samples in which all are defined, and how many were not."""
    if not found:
        return np.zeros((0, 0)), 0
    counts = bootstrap_counts(found[0].units, sampling.samples, sampling.seed, sampling.threads)
    values = np.concatenate([bootstrapped(found, part, sampling.threads) for part in counts])
    defined = ~np.isnan(values).any(axis=1)
    return values[defined], int((~defined).sum())


def _with_samples(own: Agreement, values: Floats, level: float) -> Agreement:
    """With what samples say of it."""
    lower, upper = interval(values, level)
    if lower is None:
        return own
    mean, deviation = float(values.mean()), float(values.std(ddof=len(values) > 1))
    return replace(own, lower=lower, upper=upper, mean=mean, deviation=deviation)
