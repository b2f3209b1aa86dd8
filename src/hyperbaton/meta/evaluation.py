"""Meta-evaluation: how well metrics agree with people, and which metric agrees better."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hyperbaton.alignment.source_aligner import SourceAligner
from hyperbaton.errors import InputError
from hyperbaton.files.lines import StrPath
from hyperbaton.meta import agreement as agreements
from hyperbaton.meta.agreement import (
    AgreementStatistic,
    Measure,
    SystemMeasure,
    SystemStatistic,
    sampled_agreements,
)
from hyperbaton.meta.differences import WILLIAMS_MIN_VALUES, MetricPairs, compare_metrics
from hyperbaton.meta.judgements import Booleans, Floats, Judgements, Rankings, first_duplicate
from hyperbaton.meta.metric_scores import MetricScores, translations_scored_by_all
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.results import Agreement, Coverage, MetaEvaluation, MetricDifference
from hyperbaton.meta.testsets import Data, TestSet, as_test_sets
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.registry import is_error_rate, metrics_by_spec
from hyperbaton.metrics.signature import Signature, common_signature
from hyperbaton.notices import NOTE, Notice
from hyperbaton.runs.engine import NO_PROGRESS, ProgressHooks, need_trees, score_corpus
from hyperbaton.runs.run import ListCorpus, Run
from hyperbaton.runs.scoring import source_alignment_for
from hyperbaton.runs.source_linking import target_text
from hyperbaton.stats.resampling import bootstrap_counts, draw_samples
from hyperbaton.stats.sampling import DEFAULT_LEVEL, DEFAULT_SAMPLES, DEFAULT_SEED, Sampling
from hyperbaton.stats.significance import percentile_interval


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
    exchange: str = "segments",
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
    align_source: bool | SourceAligner | StrPath = False,
    source_language: str | None = None,
    source_tokenize: str | None = None,
    threads: int | None = None,
) -> MetaEvaluation:
    """Measure how well metrics agree with people, and test the differences between metrics.

    Parameters
    ----------
    data : path-like, TestSet, or a sequence of them
        Test sets, or folders that :func:`read_test_sets` reads.
    metrics : str, Metric, or a sequence of them
    language : str, optional
        Language of the translations.
    agreement : str
        The measure of agreement by name; ``hyperbaton meta --list`` lists them.
    average : {"none", "item", "system"}, optional
        Average per segment (item), per system, or not at all; by default as the measure does.
    people : {"rankings", "ranks", "segments", "systems"}, optional
        Which human judgements to use; see :meth:`TestSet.human`.
    bootstrap : {"segments", "rankings", "systems"}
        The unit that bootstrap samples are drawn from.
    test : {"permutation", "bootstrap", "williams", "t"}
        Significance test; ``"t"`` only reproduces Stanojević & Sima'an (2016).
    exchange : {"segments", "scores"}
        What two metrics exchange at random in the permutation test: all scores of a segment, or
        single scores, as mt-metrics-eval does. A measure of systems exchanges systems.
    samples : int
        Number of samples.
    seed : int
        Random seed; results are reproducible.
    level : float
        Confidence level; the significance level is 1 − level.
    judged_only : bool
        Compute the metrics' scores of systems from judged segments only.
    weighted : bool
        Weight human segment scores by the length of the reference in the scores of systems.
    others : bool
        Also use the metric scores of mt-metrics-eval folders. Scores in ``TestSet.others`` are
        always used.
    negate : sequence of str
        Other metrics that are better if lower. Hyperbaton's own error rates need not be named.
    wordnet, paraphrases : path-like, optional
        Data of the aligner.
    parser : str, optional
        Parser for metrics of dependency trees; by default, trees beside the texts of a folder are
        read.
    align_source : bool, SourceAligner or path
        Whether to align the source of each test set with its references and systems, by an aligner
        that is trained on them, or a given one.
    source_language, source_tokenize : str, optional
        Language and tokeniser of the source.
    threads : int, optional
        Number of threads; by default all cores.

    Returns
    -------
    MetaEvaluation
        The agreement of each metric on each test set, with intervals and p-values.

    Raises
    ------
    InputError
        If an argument is invalid or a test set lacks the judgements that the measure needs.

    Examples
    --------
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
        exchange,
    )
    resources = Resources.from_arguments(language, wordnet, paraphrases, parser)
    named = metrics_by_spec(metrics, resources)
    trees = parser is None and need_trees(named.values())
    alignment = source_alignment_for(align_source, source_language, source_tokenize)
    test_sets = as_test_sets(data, others, trees, source=alignment is not None)
    run = Run(named, language, source_alignment=alignment, threads=threads)
    return evaluate_test_sets(test_sets, run, plan)


def evaluate_test_sets(
    test_sets: Sequence[TestSet],
    run: Run,
    plan: Plan,
    on_scores: Callable[[list[MetricScores]], None] = lambda scores: None,
    progress: ProgressHooks = NO_PROGRESS,
) -> MetaEvaluation:
    """Evaluate metrics on several test sets.

    Parameters
    ----------
    test_sets : sequence of TestSet
    run : Run
        How each test set is scored. There may be no metrics, if test sets have scores of others.
    plan : Plan
    on_scores : callable
        Called with the scores of all metrics on each test set.
    progress : ProgressHooks
        How progress is shown; by default not at all.
    """
    names = [test_set.name for test_set in test_sets]
    if not test_sets:
        raise InputError("there are no test sets")
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise InputError(f"two test sets have the name {duplicate}")
    if run.source_alignment is not None:
        target_text(run.metrics)
    # Errors should come before the long computation.
    judged = [_select_judgements(test_set, plan) for test_set in test_sets]
    results: list[_TestSetResult] = []
    notes: list[Notice] = []
    for test_set, (measure, human) in zip(test_sets, judged, strict=True):
        own_run = _run_of_set(run, test_set)
        scores = score_metrics(test_set, own_run, progress)
        scores, negation_notes = _negate_error_rates(scores, plan.negated)
        on_scores(scores)
        results.append(_evaluate_test_set(test_set, measure, human, scores, plan))
        others = map(Notice, (*negation_notes, *results[-1].notes))
        source = own_run.source_alignment
        set_notes = (*(() if source is None else source.notes), *others)
        notes += [notice.about(test_set.name, NOTE) for notice in set_notes]
    all_agreements = [agreement for result in results for agreement in result.agreements]
    return MetaEvaluation(
        tuple(names),
        tuple(dict.fromkeys(agreement.metric for agreement in all_agreements)),
        tuple(all_agreements),
        tuple(difference for result in results for difference in result.differences),
        tuple(result.coverage for result in results),
        plan.measure.name,
        plan.measure.average,
        plan.unit,
        plan.test,
        plan.exchanged,
        plan.sampling,
        _common_signatures(all_agreements),
        {result.coverage.pair: result.systems for result in results if result.systems},
        tuple(notes),
    )


def _run_of_set(run: Run, test_set: TestSet) -> Run:
    """Return the run of one test set, which the errors of a source aligner name."""
    alignment = run.source_alignment
    if alignment is None:
        return run
    model_name = f"{test_set.name}: {alignment.model_name}"
    return replace(run, source_alignment=replace(alignment, model_name=model_name, notes=[]))


def _common_signatures(agreements: Iterable[Agreement]) -> dict[str, str | None]:
    """Return the signature of each metric on all test sets."""
    found: dict[str, list[Signature]] = {}
    for agreement in agreements:
        known = found.setdefault(agreement.metric, [])
        if agreement.signature is not None:
            known.append(Signature.parse(agreement.signature))
    return {name: str(common_signature(known)) if known else None for name, known in found.items()}


def score_metrics(
    test_set: TestSet, run: Run, progress: ProgressHooks = NO_PROGRESS
) -> list[MetricScores]:
    """Return the scores of the run's metrics and of the test set's other metrics."""
    metric_scores = []
    if run.metrics:
        aligns = run.source_alignment is not None
        if aligns and test_set.source is None:
            raise InputError(f"{test_set.name} has no source sentences to align")
        corpus = ListCorpus(
            test_set.systems,
            test_set.references,
            trees=test_set.trees,
            reference_trees=test_set.reference_trees,
            source=test_set.source if aligns else None,
            align_source=aligns,
        )
        results = list(score_corpus(corpus, run, progress=progress))
        for key in run.metrics:
            scores = [result[key] for result in results]
            metric_scores.append(MetricScores.from_computed(key, scores))
    for name, others in test_set.others.items():
        if name in run.metrics:
            raise InputError(f"{test_set.name}: two metrics have the name {name}")
        metric_scores.append(MetricScores.from_external(name, others))
    if not metric_scores:
        raise InputError("no metrics were given")
    return metric_scores


def _negate_error_rates(
    scores: Sequence[MetricScores], names: Sequence[str]
) -> tuple[list[MetricScores], list[str]]:
    """Negate the scores of external error rates.

    Error rates are the metrics in ``names``, and those with the name of a known error rate and no
    score below 0; otherwise they were negated before.

    Returns
    -------
    list of MetricScores
    list of str
        Notes on the metrics that were negated without being named.
    """
    for name in names:
        if not any(metric.name == name and metric.scores is None for metric in scores):
            raise InputError(f"there are no scores of a metric {name!r} to negate")
    result, notes = [], []
    for metric in scores:
        lowest = np.nanmin(np.append(metric.segments, metric.system_scores), initial=np.inf)
        error_rate = metric.scores is None and is_error_rate(metric.name) and lowest >= 0
        if error_rate and metric.name not in names:
            notes.append(f"{metric.name} is an error rate; its scores were negated")
        result.append(metric.negated() if error_rate or metric.name in names else metric)
    return result, notes


def _select_judgements(test_set: TestSet, plan: Plan) -> tuple[Measure, Judgements]:
    """Return the measure adapted to the test set, and the judgements to compare with."""
    measure, human = test_set.human(plan.measure, plan.people, plan.unit)
    try:
        measure.check_unit(human, plan.unit)
    except InputError as error:
        raise InputError(f"{test_set.name}: {error}") from None
    if plan.weighted:
        if not isinstance(measure, SystemMeasure) or isinstance(human, Rankings):
            raise InputError(
                "only measures of systems can be weighted, and only with human segment scores"
            )
        lengths = [np.mean([len(text.split()) for text in texts]) for texts in test_set.references]
        measure = replace(measure, weights=tuple(map(float, lengths)))
    return measure, human


@dataclass(frozen=True)
class _TestSetResult:
    agreements: list[Agreement]
    differences: list[MetricDifference]
    coverage: Coverage
    systems: tuple[str, ...]
    notes: list[str]


def _evaluate_test_set(
    test_set: TestSet,
    measure: Measure,
    human: Judgements,
    scores: Sequence[MetricScores],
    plan: Plan,
) -> _TestSetResult:
    if plan.judged_only:
        judged = _judged_segments(test_set, human)
        scores = [metric.restricted_to(judged) for metric in scores]
    metrics = _restrict_to_common(scores, measure)
    try:
        statistics = measure.statistics(human, metrics, plan.unit)
    except InputError as error:
        raise InputError(f"{test_set.name}: {error}") from None
    notes = []
    defined: dict[str, AgreementStatistic] = {}
    for metric, statistic in zip(metrics, statistics, strict=True):
        if math.isnan(statistic.value):
            why = measure.why_undefined(human, metric)
            notes.append(f"{metric.name} has no {measure.name}: {why}")
        else:
            defined[metric.name] = statistic
    coverage = measure_coverage(test_set, measure, human, metrics)
    values, undefined = _bootstrap(list(defined.values()), plan.sampling)
    if undefined:
        notes.append(
            f"{undefined:,} samples were left out because an agreement is undefined in them"
        )
    rows = {one.name: Agreement(test_set.name, one.name, one.signature) for one in metrics}
    for (name, statistic), sample in zip(defined.items(), values.T, strict=True):
        rows[name] = _add_values(rows[name], statistic, sample, plan.sampling.level)
    compared = [metric for metric in metrics if metric.name in defined]
    pairs = MetricPairs(measure, human, compared, list(defined.values()), values, plan)
    differences = compare_metrics(test_set.name, pairs)
    if any(difference.p is None for difference in differences):
        notes.append(f"Williams' test needs at least {WILLIAMS_MIN_VALUES} values")
    names = tuple(test_set.systems)
    systems = tuple(names[k] for k in _order_systems(statistics[0], by_people=True))
    return _TestSetResult(list(rows.values()), differences, coverage, systems, notes)


def _order_systems(statistic: AgreementStatistic, by_people: bool) -> list[int]:
    """Return the scored systems, best first, by people or the metric; [] if it has segments."""
    if not isinstance(statistic, SystemStatistic):
        return []
    order = np.argsort(-(statistic.y if by_people else statistic.x), kind="stable")
    scored = ~(np.isnan(statistic.x) | np.isnan(statistic.y))
    return [k for k in order.tolist() if scored[k]]


def _judged_segments(test_set: TestSet, human: Judgements) -> Booleans:
    """Return which segments were judged, in these judgements or in any others."""
    for judgements in (human, test_set.rankings, test_set.segments):
        if judgements is not None and judgements.judged.any():
            return judgements.judged
    raise InputError(f"{test_set.name} does not say which segments were judged")


def _restrict_to_common(scores: Sequence[MetricScores], measure: Measure) -> list[MetricScores]:
    """Keep the scores of translations, or of systems, that all metrics have scored."""
    if measure.level == "system":
        common = np.logical_and.reduce([~np.isnan(metric.system_scores) for metric in scores])
        return [
            replace(metric, system_scores=np.where(common, metric.system_scores, np.nan))
            for metric in scores
        ]
    common = translations_scored_by_all(scores)
    return [
        replace(metric, segments=np.where(common, metric.segments, np.nan)) for metric in scores
    ]


def _bootstrap(statistics: Sequence[AgreementStatistic], sampling: Sampling) -> tuple[Floats, int]:
    """Draw bootstrap samples.

    Returns
    -------
    array of shape (samples, metrics)
        Agreements in the samples in which all of them are defined.
    int
        Number of other samples.
    """
    if not statistics:
        return np.zeros((0, 0)), 0
    batches = draw_samples(bootstrap_counts, statistics[0].units, sampling)
    parts = [sampled_agreements(statistics, counts, sampling.threads) for counts in batches]
    values = np.concatenate(parts)
    defined = ~np.isnan(values).any(axis=1)
    return values[defined], int((~defined).sum())


def _add_values(
    row: Agreement, statistic: AgreementStatistic, values: Floats, level: float
) -> Agreement:
    """Add the value, the ranking, and interval, mean and deviation of the bootstrap samples."""
    by_people, by_metric = (_order_systems(statistic, by_people) for by_people in (True, False))
    # Systems have the numbers of their places in the order of people.
    ranking = tuple(1 + by_people.index(system) for system in by_metric) or None
    row = replace(row, value=statistic.value, ranking=ranking)
    if not len(values):
        return row
    lower, upper = percentile_interval(values, level)
    mean, deviation = float(values.mean()), float(values.std(ddof=len(values) > 1))
    return replace(row, lower=lower, upper=upper, mean=mean, deviation=deviation)


def measure_coverage(
    test_set: TestSet, measure: Measure, human: Judgements, metrics: Sequence[MetricScores]
) -> Coverage:
    """Count the systems, segments and judgements of a test set, and those that are used.

    The metrics must be restricted to the translations or systems that all of them score.
    """
    scored = translations_scored_by_all(metrics)
    # A system's score by the metric is compared with all judgements of the system.
    by_system = isinstance(measure, SystemMeasure)
    usable = scored
    if by_system:
        usable = np.broadcast_to(~np.isnan(metrics[0].system_scores)[:, None], scored.shape)
    if isinstance(human, Rankings):
        first, second = (usable[side, human.segment] for side in (human.first, human.second))
        used = first | second if by_system else first & second
        judgements, used_judgements = human.judgements, int(human.count[used].sum())
        used_systems: Booleans = np.zeros(len(usable), np.bool_)
        used_systems[human.first[used & first]] = True
        used_systems[human.second[used & second]] = True
    else:
        judged = ~np.isnan(human.segments)
        if human is test_set.whole:
            judged, usable = ~np.isnan(human.of_whole_systems())[:, None], usable[:, :1]
        judgements, used_judgements = int(judged.sum()), int((usable & judged).sum())
        used_systems = np.any(usable & judged, axis=1)
    segments = scored.any(axis=0)
    return Coverage(
        test_set.name,
        test_set.kind(measure, human),
        len(human.systems),
        int(used_systems.sum()),
        human.n,
        int(human.judged.sum()),
        int(segments.sum()),
        int((human.judged & segments).sum()),
        judgements,
        used_judgements,
    )
