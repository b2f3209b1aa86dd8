"""How much of a test set is judged, scored and used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hyperbaton.meta.arrays import Booleans
from hyperbaton.meta.judgements import Judgements, Rankings
from hyperbaton.meta.measures import Measure, SystemMeasure
from hyperbaton.meta.metric_scores import MetricScores, translations_scored_by_all
from hyperbaton.meta.results import Coverage
from hyperbaton.meta.testsets import TestSet


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
