"""Do metrics agree with people, and is one of them better at it than another?"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from hyperbaton.meta import agreement as agreements
from hyperbaton.meta.judgements import Booleans, Floats, Rankings, Scores
from hyperbaton.meta.measures import UNITS, Correlation, Human, Measure, SystemMeasure
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.results import Agreement, Counted, MetaEvaluation, MetricDifference
from hyperbaton.meta.samples import Sampled, bootstrapped, exchanged
from hyperbaton.meta.testsets import PEOPLE, TestSet, read_test_sets
from hyperbaton.metrics.base import Metric, StrPath
from hyperbaton.metrics.sampling import DEFAULT_LEVEL, DEFAULT_SAMPLES, DEFAULT_SEED, Sampling
from hyperbaton.metrics.scoring import named_metrics, score_systems
from hyperbaton.stats.resampling import bootstrap_counts, swap_counts
from hyperbaton.stats.significance import (
    bootstrap_p,
    percentile_interval,
    randomization_p,
    sample_t_p,
    williams_p,
)
from hyperbaton.text.errors import InputError

TESTS = ("permutation", "bootstrap", "williams", "t")
Data = StrPath | TestSet
Progress = Callable[[Iterable[range]], Iterable[range]]


@dataclass(frozen=True)
class Plan:
    """How metrics are compared with people."""

    measure: Measure
    sampling: Sampling
    people: str | None = None
    over: str = UNITS[0]
    test: str = TESTS[0]
    judged_only: bool = False
    weighted: bool = False
    negated: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, value, known in (
            ("bootstrap", self.over, UNITS),
            ("test", self.test, TESTS),
            ("people", self.people or PEOPLE[0], PEOPLE),
        ):
            if value not in known:
                raise ValueError(f"{name} is one of {', '.join(known)}, not {value!r}")
        if self.test == "williams":
            measure = self.measure
            linear = isinstance(measure, (Correlation, SystemMeasure))
            if not linear or measure.coefficient != "pearson" or measure.average != "none":  # type: ignore[attr-defined]
                raise ValueError(
                    "Williams' test is of Pearson's r, not averaged: pearson or pearson_sys, not "
                    f"{measure.name}"
                )


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
    those of them that are better if lower (our own error rates need no naming).

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
    named = named_metrics(metrics, language, wordnet, paraphrases)
    given = [data] if isinstance(data, (str, os.PathLike, TestSet)) else list(data)
    sets = [
        found
        for one in given
        for found in ([one] if isinstance(one, TestSet) else read_test_sets(one, others=others))
    ]
    return evaluate_sets(sets, named, plan)


def evaluate_sets(
    sets: Sequence[TestSet],
    named: Mapping[str, Metric],
    plan: Plan,
    progress: Progress = iter,
) -> MetaEvaluation:
    """All test sets, one after another."""
    names = [one.name for one in sets]
    if not sets:
        raise InputError("there are no test sets")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two test sets are called {twice}")
    threads = plan.sampling.threads
    found = []
    for one in sets:
        scored = score_test_set(one, named, threads, progress)
        found.append(_evaluated(one, _negated(scored, plan.negated), plan))
    metrics = dict.fromkeys(a.metric for values, *_ in found for a in values)
    signatures = {a.metric: a.signature for values, *_ in found for a in values}
    return MetaEvaluation(
        tuple(names),
        tuple(metrics),
        tuple(a for values, *_ in found for a in values),
        tuple(d for _, differences, *_ in found for d in differences),
        tuple(counted for *_, counted, _ in found),
        plan.measure.name,
        plan.measure.average,
        plan.over,
        plan.test,
        plan.sampling,
        signatures,
        tuple(note for *_, notes in found for note in notes),
    )


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
        results = score_systems(given.systems, several, named, threads=threads, progress=progress)
        found = [MetricScores.of_ours(key, [result[key] for result in results]) for key in named]
    for name, scores in given.others.items():
        if name in named:
            raise InputError(f"{given.name}: two metrics are called {name}")
        found.append(MetricScores.of_scores(name, scores))
    if not found:
        raise InputError("no metrics were asked for")
    return found


def _negated(scored: list[MetricScores], names: Sequence[str]) -> list[MetricScores]:
    """With the signs of some others' scores changed."""
    for name in names:
        if not any(one.name == name and one.scores is None for one in scored):
            raise InputError(f"there are no scores of a metric {name!r} to negate")
    return [
        replace(one, segments=-one.segments, whole=-one.whole) if one.name in names else one
        for one in scored
    ]


Found = tuple[list[Agreement], list[MetricDifference], Counted, list[str]]


def _evaluated(given: TestSet, scored: list[MetricScores], plan: Plan) -> Found:
    """One test set."""
    measure, human = given.human(plan.measure, plan.people, plan.over)
    if plan.weighted:
        if not isinstance(measure, SystemMeasure) or isinstance(human, Rankings):
            raise InputError("only human scores of segments, of systems, can be weighted")
        lengths = [np.mean([len(text.split()) for text in texts]) for texts in given.references]
        measure = replace(measure, weights=tuple(map(float, lengths)))
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
    counted = _counted(given.name, human, metrics)
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
        values.append(own)
    kept = [one for one in metrics if one.name in defined]
    differences = _differences(given.name, measure, human, kept, defined, columns, plan)
    return values, differences, counted, notes


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


def _counted(name: str, human: Human, metrics: list[MetricScores]) -> Counted:
    """How much there is, and how much of it is used."""
    scored = ~np.isnan(metrics[0].segments)
    for one in metrics[1:]:
        scored &= ~np.isnan(one.segments) | np.isnan(one.segments).all()
    both = human.judged & scored.any(axis=0)
    if isinstance(human, Rankings):
        used = scored[human.first, human.segment] & scored[human.second, human.segment]
        judgements, taken = human.judgements, int(human.count[used].sum())
    else:
        judgements = int((~np.isnan(human.segments)).sum())
        taken = int((scored & ~np.isnan(human.segments)).sum())
    return Counted(
        name,
        len(human.systems),
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


def _interval(values: Floats, level: float) -> tuple[float | None, float | None]:
    return percentile_interval(values, level) if len(values) else (None, None)


def _with_samples(own: Agreement, values: Floats, level: float) -> Agreement:
    """With what samples say of it."""
    lower, upper = _interval(values, level)
    if lower is None:
        return own
    mean, deviation = float(values.mean()), float(values.std(ddof=len(values) > 1))
    return replace(own, lower=lower, upper=upper, mean=mean, deviation=deviation)


def _differences(
    name: str,
    measure: Measure,
    human: Human,
    metrics: list[MetricScores],
    defined: Mapping[str, Sampled],
    columns: Mapping[str, Floats],
    plan: Plan,
) -> list[MetricDifference]:
    """Of each two metrics."""
    pairs = list(combinations(range(len(metrics)), 2))
    if not pairs:
        return []
    if plan.test == "permutation":
        p_values = _permuted(measure, human, metrics, pairs, plan.sampling)
    else:
        p_values = []
    found = []
    for k, (i, j) in enumerate(pairs):
        a, b = metrics[i].name, metrics[j].name
        difference = defined[a].value - defined[b].value
        sampled = columns[a] - columns[b]
        if plan.test == "permutation":
            p = p_values[k]
        elif plan.test == "bootstrap":
            p = bootstrap_p(difference, sampled)
        elif plan.test == "t":
            p = sample_t_p(sampled)
        else:
            p = _williams(measure, human, metrics[i], metrics[j])
        if difference == 0:
            p = 1.0
        lower, upper = _interval(sampled, plan.sampling.level)
        better = a if difference > 0 else b
        significant = p < plan.sampling.alpha
        found.append(
            MetricDifference(
                name, a, b, difference, lower, upper, p, better if significant else None
            )
        )
    return found


def _permuted(
    measure: Measure,
    human: Human,
    metrics: list[MetricScores],
    pairs: Sequence[tuple[int, int]],
    sampling: Sampling,
) -> list[float]:
    """By metrics that exchange segments, or systems where scores are of systems.

    As Deutsch, Dror & Roth (2021) do it, on scores that were given mean 0 and variance 1.
    """
    unit = "systems" if measure.level == "system" else "segments"
    found = measure.sampled(human, metrics, unit)
    coins = swap_counts(found[0].units, sampling.samples, sampling.seed, sampling.threads)
    parts = [exchanged(found, pairs, part, sampling.threads) for part in coins]
    sampled = np.concatenate(parts)
    values = [one.value for one in found]
    return [
        randomization_p(values[a] - values[b], np.where(np.isnan(column), np.inf, column))
        for (a, b), column in zip(pairs, sampled.T, strict=True)
    ]


def _williams(measure: Measure, human: Human, a: MetricScores, b: MetricScores) -> float:
    """Of Pearson's r, over translations or over systems."""
    if measure.level == "system":
        assert isinstance(measure, SystemMeasure)
        y = measure.sampled(human, [a], "systems")[0].y
        numbers = [y, a.whole, b.whole]
    else:
        people = human if isinstance(human, Scores) else human.to_scores()
        numbers = [people.segments, a.segments, b.segments]
    there = ~np.isnan(numbers).any(axis=0)
    table = np.corrcoef([one[there] for one in numbers])
    return williams_p(table[0, 1], table[0, 2], table[1, 2], int(there.sum()))
