"""Measures of agreement, compared with naive versions, with ties and missing values."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from hyperbaton.errors import InputError
from hyperbaton.meta import agreement, plan
from hyperbaton.meta.judgements import Floats, Integers, Rankings, Scores
from hyperbaton.meta.metric_scores import MetricScores
from reference import agreement as naive

SYSTEMS = tuple("abcde")
N = 12


def scores(rng: np.random.Generator, missing: float = 0.2, kinds: int = 5) -> Floats:
    """Return scores with few distinct values, so that there are ties; some are missing."""
    table = rng.integers(0, kinds, (len(SYSTEMS), N)) / 4
    return np.where(rng.random(table.shape) < missing, np.nan, table)


def rankings(rng: np.random.Generator, count: int = 80) -> Rankings:
    """Return random comparisons with ties and repetitions."""
    first = rng.integers(0, 5, count)
    return Rankings.from_pairs(
        SYSTEMS,
        rng.integers(0, N - 2, count),  # two segments are not judged
        first,
        (first + rng.integers(1, 5, count)) % 5,
        N,
        outcome=rng.integers(-1, 2, count),
        count=rng.integers(1, 3, count),
    )


def judgement_list(people: Rankings) -> list[naive.Judgement]:
    """Return the judgements as the naive version takes them, repeated ones several times."""
    parts = (people.segment, people.first, people.second, people.outcome)
    rows = list(zip(*(part.tolist() for part in parts), strict=True))
    return [
        row for row, times in zip(rows, people.count.tolist(), strict=True) for _ in range(times)
    ]


@pytest.mark.parametrize("average", ["none", "item"])
@pytest.mark.parametrize("name", list(naive.FORMULAS))
def test_measures_of_pairs_agree_with_the_naive_version(name: str, average: str) -> None:
    rng = np.random.default_rng(1)
    measure = agreement.get(name, average)
    for _ in range(30):
        people, metric = rankings(rng), scores(rng)
        expected = naive.pair_agreement(name, judgement_list(people), metric.tolist(), average)
        assert measure.value(people, metric) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", ["none", "item"])
def test_human_scores_are_compared_in_all_pairs_of_a_segment(average: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        human, metric = scores(rng), scores(rng)
        judgements = naive.judged_pairs(human.tolist())
        expected = naive.pair_agreement("accuracy", judgements, metric.tolist(), average)
        value = agreement.get("accuracy", average).value(Scores(SYSTEMS, human), metric)
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", ["none", "item"])
def test_acc_eq_uses_the_best_tie_threshold(average: str) -> None:
    rng = np.random.default_rng(3)
    measure = agreement.get("acc_eq", average)
    for kinds in (4, 1000):
        for _ in range(20):
            human, metric = scores(rng), scores(rng, kinds=kinds)
            expected = naive.best_accuracy(
                naive.judged_pairs(human.tolist()), metric.tolist(), average
            )
            value = measure.value(Scores(SYSTEMS, human), metric)
            assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", ["none", "item", "system"])
@pytest.mark.parametrize("name", list(naive.COEFFICIENTS))
def test_correlations_agree_with_the_naive_version(name: str, average: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        human, metric = scores(rng), scores(rng)
        expected = naive.score_agreement(name, human.tolist(), metric.tolist(), average)
        value = agreement.get(name, average).value(Scores(SYSTEMS, human), metric)
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", [*naive.COEFFICIENTS, "accuracy"])
def test_measures_of_systems_agree_with_the_naive_version(name: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        people, metric = rankings(rng), rng.integers(0, 6, 5) / 3
        won = naive.share_won(judgement_list(people), 5)
        np.testing.assert_allclose(people.share_won(), won)
        if name == "accuracy":
            expected = naive.system_accuracy(won, metric.tolist())
        else:
            expected = naive.coefficient(name, list(zip(metric.tolist(), won, strict=True)))
        if not np.isnan(expected):
            value = agreement.get(f"{name}_sys").value(people, np.zeros((5, N)), metric)
            assert value == pytest.approx(expected, abs=1e-12)


def test_systems_that_people_or_the_metric_did_not_score_are_left_out() -> None:
    human = Scores(SYSTEMS, np.full((5, N), np.nan), np.array([1.0, 2, 3, np.nan, 4]))
    metric = np.array([1.0, 3, 2, 9, 5])
    expected = scipy.stats.pearsonr([1, 2, 3, 4], [1, 3, 2, 5]).statistic
    value = agreement.get("pearson_sys").value(human, np.zeros((5, N)), metric)
    assert value == pytest.approx(expected)
    metric[0] = np.nan
    value = agreement.get("kendall_sys").value(human, np.zeros((5, N)), metric)
    assert value == pytest.approx(scipy.stats.kendalltau([2, 3, 4], [3, 2, 5]).statistic)


def test_system_scores_are_means_of_segment_scores_by_default() -> None:
    rng = np.random.default_rng(6)
    human, metric = scores(rng), scores(rng)
    whole = [np.nanmean(table, axis=1) for table in (metric, human)]
    value = agreement.get("pearson_sys").value(Scores(SYSTEMS, human), metric)
    assert value == pytest.approx(scipy.stats.pearsonr(*whole).statistic)


MEASURE_CASES = [
    (name, average, over)
    for name in agreement.MEASURES
    for average in agreement.get(name).averages
    for over in plan.UNITS
]


@pytest.mark.parametrize(("name", "average", "over"), MEASURE_CASES)
def test_sample_values_equal_those_of_explicit_samples(name: str, average: str, over: str) -> None:
    """A unit drawn twice counts twice; a system drawn twice counts as two systems."""
    rng = np.random.default_rng(7)
    measure = agreement.get(name, average)
    people = rankings(rng)
    human: Rankings | Scores = people
    uses_scores = isinstance(measure, agreement.Correlation)
    if uses_scores:
        human = Scores(SYSTEMS, scores(rng))
    if over == "rankings" and (uses_scores or average == "item"):
        with pytest.raises(InputError, match="segments"):
            measure.statistics(
                human, [MetricScores.from_external("m", Scores(SYSTEMS, scores(rng)))], over
            )
        return
    metric = MetricScores.from_external("m", Scores(SYSTEMS, scores(rng, missing=0.1, kinds=50)))
    (statistic,) = measure.statistics(human, [metric], over)
    if name == "acc_eq":  # samples use the threshold of the full data
        difference = agreement.score_differences(people, metric)
        used = ~np.isnan(difference)
        threshold = agreement.tie_threshold(
            people.outcome[used],
            difference[used],
            people.count[used],
            people.segment[used] if measure.average == "item" else None,
        )
    for _ in range(8):
        counts = np.bincount(
            rng.integers(0, statistic.units, statistic.units), minlength=statistic.units
        )
        value = float(statistic.sample_values(counts[None].astype(np.int32), 1)[0])
        if measure.level == "system":
            expected = system_agreement_of_sample(name, people, metric, counts, over)
        elif uses_scores:
            expected = score_agreement_of_sample(name, average, human, metric, counts, over)  # type: ignore[arg-type]
        else:
            judgements, table = pairs_of_sample(people, metric, counts, over)
            ties_up_to = threshold if name == "acc_eq" else 0.0
            expected = naive.pair_agreement(
                "accuracy" if name == "acc_eq" else name, judgements, table, average, ties_up_to
            )
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def judged_segments(human: Rankings | Scores) -> Integers:
    return np.flatnonzero(human.judged)


def pairs_of_sample(
    people: Rankings, metric: MetricScores, counts: Integers, over: str
) -> tuple[list[naive.Judgement], list[list[float]]]:
    """Return the judgements of a sample, and the scores with one column per drawn segment."""
    table = metric.segments
    if over == "segments":
        drawn = np.repeat(judged_segments(people), counts)
        rows = judgement_list(people)
        sample = [(k, *row[1:]) for k, s in enumerate(drawn) for row in rows if row[0] == s]
        return sample, table[:, drawn].tolist()
    if over == "rankings":
        rows = judgement_list(people.expanded())
        return [row for row, k in zip(rows, counts, strict=True) for _ in range(k)], table.tolist()
    sample = [row for row in judgement_list(people) for _ in range(counts[row[1]] * counts[row[2]])]
    return sample, table.tolist()


def score_agreement_of_sample(
    name: str, average: str, human: Scores, metric: MetricScores, counts: Integers, over: str
) -> float:
    if over == "segments":
        drawn = np.repeat(judged_segments(human), counts)
        tables = (human.segments[:, drawn], metric.segments[:, drawn])
    else:
        drawn = np.repeat(np.arange(5), counts)
        tables = (human.segments[drawn], metric.segments[drawn])
    return naive.score_agreement(name, tables[0].tolist(), tables[1].tolist(), average)


def system_agreement_of_sample(
    name: str, people: Rankings, metric: MetricScores, counts: Integers, over: str
) -> float:
    whole = np.array(metric.system_scores)
    rows = judgement_list(people)
    if over == "segments":
        rows = [row for row in rows for _ in range(counts[row[0]])]
        whole = np.nanmean(np.repeat(metric.segments, counts, axis=1), axis=1)
    elif over == "rankings":
        rows = [
            r
            for r, k in zip(judgement_list(people.expanded()), counts, strict=True)
            for _ in range(k)
        ]
    won = np.array(naive.share_won(rows, 5))
    if over == "systems":
        whole, won = np.repeat(whole, counts), np.repeat(won, counts)
    if name == "accuracy_sys":
        return naive.system_accuracy(won.tolist(), whole.tolist())
    return naive.coefficient(
        name.removesuffix("_sys"), list(zip(whole.tolist(), won.tolist(), strict=True))
    )


def test_undefined_agreements_raise() -> None:
    people = rankings(np.random.default_rng(8))
    for name in ("tau", "pearson"):
        with pytest.raises(InputError, match="constant on all judged segments"):
            agreement.get(name).value(people, np.ones((5, N)))
    with pytest.raises(InputError, match="no segment is both judged and scored"):
        agreement.get("tau").value(people, np.full((5, N), np.nan))
    with pytest.raises(InputError, match="constant over all systems"):
        agreement.get("spearman_sys").value(people, np.ones((5, N)))
    tied = Rankings.from_pairs("ab", [0], [0], [1], 1, outcome=[0])
    with pytest.raises(InputError, match="people or the metric tie"):
        agreement.get("tau").value(tied, np.array([[1.0], [2.0]]))
    two = Rankings.from_pairs("ab", [0], [0], [1], 1)
    with pytest.raises(InputError, match="needs 3 systems, but 2 are both judged and scored"):
        agreement.get("pearson_sys").value(two, np.array([[1.0], [2.0]]))
    with pytest.raises(
        ValueError, match="5 systems and 12 segments, but the scores have shape 5 × 3"
    ):
        agreement.get("tau").value(people, np.ones((5, 3)))


@pytest.mark.parametrize(
    ("name", "average"),
    [(name, a) for name in agreement.MEASURES for a in agreement.get(name).averages],
)
def test_agreement_is_undefined_without_judgements(name: str, average: str) -> None:
    rng = np.random.default_rng(9)
    measure = agreement.get(name, average)
    for human in (rankings(rng), Scores(SYSTEMS, scores(rng))):
        nothing = human.only(np.zeros(N, bool))
        with pytest.raises(InputError, match=r"undefined: no segment is both|needs 3 systems"):
            measure.value(nothing, scores(rng))


def test_measures_are_found_by_name_and_alias() -> None:
    assert agreement.get("TAU-WMT13") is agreement.get("tau")
    assert agreement.get("c_R") is agreement.get("spearman_sys")
    with pytest.raises(ValueError, match="unknown agreement 'taux'; did you mean"):
        agreement.get("taux")
    with pytest.raises(ValueError, match="average must be one of none, item for tau, got 'system'"):
        agreement.get("tau", "system")
