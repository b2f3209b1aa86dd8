"""Plots of a meta-evaluation and of a tuning."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hyperbaton.meta.agreement import SystemMeasure
from hyperbaton.meta.arrays import Floats
from hyperbaton.meta.judgements import Rankings
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.results import MetaEvaluation
from hyperbaton.meta.testsets import TestSet
from hyperbaton.meta.tuning import Tuning
from hyperbaton.presentation import Drawing
from hyperbaton.views.plots import class_means, scaled_correlations, scatter, sweep


def pairs_plot(evaluation: MetaEvaluation) -> Drawing:
    """Plot agreement by language pair, scaled from the worst metric (0) to the best (1)."""
    values = {(a.pair, a.metric): a.value for a in evaluation.agreements}
    table = {
        metric: [_nan_if_missing(values.get((pair, metric))) for pair in evaluation.pairs]
        for metric in evaluation.metrics
    }
    return scaled_correlations(
        evaluation.pairs,
        table,
        f"scaled {evaluation.agreement}",
        f"{evaluation.agreement} between the worst metric (0) and the best (1)",
    )


def people_plot(
    evaluation: MetaEvaluation, test_set: TestSet, scored: Sequence[MetricScores], plan: Plan
) -> Drawing:
    """Plot each metric against human scores.

    A system-level measure gives one point per system, a segment-level measure the mean of the
    segments in each class of human scores.
    """
    measure, human = test_set.human(plan.measure, plan.people, plan.unit)
    values = {agreement.metric: agreement.value for agreement in evaluation.agreements}
    notes = {}
    for scores in scored:
        value = values.get(scores.name)
        # the cloud of an error rate falls, although its agreement is positive
        direction = " (lower is better)" if _is_error_rate(scores) else ""
        if value is not None:
            notes[scores.name] = f"{measure.name} = {value:.2f}{direction}"
    title = f"Metrics and people: {test_set.name}"
    if not isinstance(measure, SystemMeasure):
        people = human.to_scores() if isinstance(human, Rankings) else human
        label = "score of ranks" if isinstance(human, Rankings) else "human score"
        segments = {s.name: _with_own_sign(s, s.segments).ravel() for s in scored}
        title += ", mean and standard deviation"
        return class_means(people.segments.ravel(), segments, notes, label=label, title=title)
    label = "human score"
    if not isinstance(human, Rankings):
        human_values = human.of_whole_systems()
    elif measure.ranking_method == "won":
        human_values, label = human.share_won(), "share of comparisons won"
    else:
        human_values, label = human.to_scores().of_whole_systems(), "score of ranks"
    systems = {s.name: _with_own_sign(s, s.system_scores) for s in scored}
    return scatter(human_values, systems, list(human.systems), notes, label, title)


def tuning_plot(tunings: Sequence[Tuning]) -> Drawing:
    """Plot the agreement of each metric over the values of the one option that was tuned."""
    first = tunings[0]
    ((option, values),) = first.lattice.items()
    return sweep(
        option,
        values,
        {tuning.given.spec: tuning.curves[option] for tuning in tunings},
        first.measure.name,
        first.settings[option] if len(tunings) == 1 else None,
        f"Effect of {option}: {', '.join(first.test_sets)}",
    )


def _with_own_sign(scores: MetricScores, values: Floats) -> Floats:
    """Undo the negation of error rates, so that the plot has the metric's own values."""
    return -values if _is_error_rate(scores) else values


def _is_error_rate(scores: MetricScores) -> bool:
    return scores.scores is not None and not scores.scores[0].higher_is_better


def _nan_if_missing(value: float | None) -> float:
    return math.nan if value is None else value
