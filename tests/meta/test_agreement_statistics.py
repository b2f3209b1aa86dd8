"""Agreement in bootstrap samples and after exchanges between two metrics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from hyperbaton.meta import agreement
from hyperbaton.meta.agreement import (
    KendallStatistic,
    exchange_differences,
    sampled_agreements,
)
from hyperbaton.meta.judgements import Floats, Scores
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.stats.resampling import bootstrap_counts, swap_counts
from hyperbaton.stats.significance import randomization_p


def random_metrics(
    rng: np.random.Generator, count: int, noise: float = 1.0
) -> tuple[Scores, list[MetricScores]]:
    """Return human scores, and metrics that agree with them equally well."""
    systems = tuple(map(str, range(6)))
    truth = rng.normal(size=(6, 30))
    people = Scores(systems, truth + rng.normal(size=truth.shape))
    tables = [truth + noise * rng.normal(size=truth.shape) for _ in range(count)]
    return people, [
        MetricScores.from_external(str(k), Scores(systems, x)) for k, x in enumerate(tables)
    ]


@pytest.mark.parametrize(
    ("name", "average"),
    [
        ("tau", "none"),
        ("accuracy", "item"),
        ("pearson", "none"),
        ("pearson", "system"),
        ("spearman", "item"),
        ("pearson_sys", "none"),
        ("kendall_sys", "none"),
    ],
)
def test_p_of_the_permutation_test_is_uniform_for_equal_metrics(name: str, average: str) -> None:
    """P(p ≤ x) is x, or less for measures of few systems, which have many ties."""
    rng = np.random.default_rng(11)
    measure = agreement.get(name, average)
    unit = "systems" if measure.level == "system" else "segments"
    p_values = []
    for trial in range(300):
        people, metrics = random_metrics(rng, 2)
        statistics = measure.statistics(people, metrics, unit)
        (coins,) = swap_counts(statistics[0].units, 99, trial, 1)
        sampled = exchange_differences(statistics, [(0, 1)], coins, 1)[:, 0]
        p_values.append(randomization_p(statistics[0].value - statistics[1].value, sampled))
    if name in ("kendall_sys", "pearson_sys"):  # six systems have only 32 exchanges
        for level in (0.05, 0.1, 0.25, 0.5):
            assert (
                np.mean(np.array(p_values) <= level)
                < level + 3 * (level * (1 - level) / 300) ** 0.5
            )
    else:
        assert scipy.stats.kstest(p_values, "uniform").pvalue > 0.01


def test_the_permutation_test_finds_a_better_metric() -> None:
    rng = np.random.default_rng(12)
    people, (good,) = random_metrics(rng, 1, noise=0.1)
    bad = replace(good, segments=good.segments + 3 * rng.normal(size=good.segments.shape))
    for name in ("tau", "pearson"):
        statistics = agreement.get(name).statistics(people, [good, bad])
        (coins,) = swap_counts(statistics[0].units, 999, 1, 1)
        sampled = exchange_differences(statistics, [(0, 1)], coins, 1)[:, 0]
        assert randomization_p(statistics[0].value - statistics[1].value, sampled) == 0.001


@pytest.mark.parametrize(
    ("name", "average"),
    [
        (name, average)
        for name in agreement.MEASURES
        if name != "acc_eq"  # its thresholds are those of the original metrics
        for average in agreement.get(name).averages
    ],
)
def test_exchange_differences_equal_those_of_exchanged_scores(name: str, average: str) -> None:
    measure = agreement.get(name, average)
    people, (a, b) = random_metrics(np.random.default_rng(13), 2)
    whole = measure.level == "system"

    def standardize(x: Floats) -> Floats:
        return np.asarray((x - x.mean()) / x.std())

    x, y = (standardize(one.system_scores if whole else one.segments) for one in (a, b))
    unit = "systems" if whole else "segments"
    if name.startswith(("tau", "consistency", "accuracy")) and not whole:
        x, y = a.segments, b.segments  # only the order within a segment counts
    statistics = measure.statistics(people, [a, b], unit)
    (coins,) = swap_counts(statistics[0].units, 5, 3, 1)
    values = exchange_differences(statistics, [(0, 1)], coins, 1)[:, 0]
    for row, value in zip(coins, values, strict=True):
        mixed, unmixed = np.where(row, x, y), np.where(row, y, x)
        if whole:
            one, two = (measure.value(people, a.segments, s) for s in (mixed, unmixed))
        else:
            one, two = (measure.value(people, s) for s in (mixed, unmixed))
        assert value == pytest.approx(one - two, abs=1e-9)


def test_metrics_have_the_same_samples_together_and_alone() -> None:
    people, metrics = random_metrics(np.random.default_rng(14), 3)
    for name in ("tau", "acc_eq", "pearson", "spearman", "pearson_sys"):
        statistics = agreement.get(name).statistics(people, metrics)
        (counts,) = bootstrap_counts(statistics[0].units, 6, 1, 1)
        alone = [one.sample_values(counts, 1) for one in statistics]
        np.testing.assert_allclose(sampled_agreements(statistics, counts, 1).T, alone, rtol=1e-12)


def test_kendall_after_no_exchange_is_kendall() -> None:
    """Both ways to count pairs give the same bits, also with ties."""
    rng = np.random.default_rng(15)
    people, metrics = random_metrics(rng, 2)
    rounded = [replace(metric, segments=metric.segments.round(1)) for metric in metrics]
    mine, other = agreement.get("kendall", "none").statistics(people, rounded, "segments")
    assert isinstance(mine, KendallStatistic)
    assert isinstance(other, KendallStatistic)
    assert mine.value_after_exchange(other, np.ones(mine.units, np.int32)) == mine.value
    assert mine.value_after_exchange(other, np.zeros(mine.units, np.int32)) == other.value
