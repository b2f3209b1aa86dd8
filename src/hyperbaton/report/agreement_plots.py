"""A meta-evaluation as a picture: metrics by language pairs, or one pair against human scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hyperbaton.meta.judgements import Floats, Rankings
from hyperbaton.meta.measures import SystemMeasure
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.results import MetaEvaluation
from hyperbaton.meta.testsets import TestSet
from hyperbaton.report.plots import class_means, scaled_correlations, scatter


def pairs_plot(found: MetaEvaluation) -> str:
    """The agreement of each metric on each test set, between the worst (0) and the best (1)."""
    values = {(one.pair, one.metric): one.value for one in found.agreements}
    table = {
        metric: [_known(values.get((pair, metric))) for pair in found.pairs]
        for metric in found.metrics
    }
    return scaled_correlations(
        found.pairs,
        table,
        f"scaled {found.agreement}",
        f"{found.agreement} between the worst metric (0) and the best (1)",
    )


def people_plot(
    found: MetaEvaluation, given: TestSet, scored: Sequence[MetricScores], plan: Plan
) -> str:
    """Each metric against people: a point for each system; of segments, the mean of each class."""
    measure, human = given.human(plan.measure, plan.people, plan.over)
    values = {one.metric: one.value for one in found.agreements}
    notes = {}
    for one in scored:
        value, of = values.get(one.name), f" of −{one.name}" if _reversed(one) else ""
        if value is not None:
            notes[one.name] = f"{measure.name}{of} = {value:.3f}"
    title = f"Metrics and people: {given.name}"
    if not isinstance(measure, SystemMeasure):
        people = human.to_scores() if isinstance(human, Rankings) else human
        label = "score of ranks" if isinstance(human, Rankings) else "human score"
        of_segments = {one.name: _as_printed(one, one.segments).ravel() for one in scored}
        title += ", mean and standard deviation"
        return class_means(people.segments.ravel(), of_segments, notes, label=label, title=title)
    label = "human score"
    if not isinstance(human, Rankings):
        shares = human.of_whole_systems()
    elif measure.by == "won":
        shares, label = human.share_won(), "share of comparisons won"
    else:
        shares, label = human.to_scores().of_whole_systems(), "score of ranks"
    of_systems = {one.name: _as_printed(one, one.whole) for one in scored}
    return scatter(shares, of_systems, list(human.systems), notes, label, title)


def _as_printed(one: MetricScores, values: Floats) -> Floats:
    """With the sign that the metric has elsewhere: error rates rise with errors."""
    return -values if _reversed(one) else values


def _reversed(one: MetricScores) -> bool:
    return one.scores is not None and not one.scores[0].higher_is_better


def _known(value: float | None) -> float:
    return math.nan if value is None else value
