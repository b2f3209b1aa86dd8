"""Measures of agreement, against the naive ones, with ties and missing values."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from hyperbaton.errors import InputError
from hyperbaton.meta import agreement, measures
from hyperbaton.meta.judgements import Floats, Integers, Rankings, Scores
from hyperbaton.meta.metric_scores import MetricScores
from reference import agreement as naive

SYSTEMS = tuple("abcde")
N = 12


def scores(rng: np.random.Generator, missing: float = 0.2, kinds: int = 5) -> Floats:
    """Of few kinds, so that there are ties; some are missing."""
    found = rng.integers(0, kinds, (len(SYSTEMS), N)) / 4
    return np.where(rng.random(found.shape) < missing, np.nan, found)


def rankings(rng: np.random.Generator, count: int = 80) -> Rankings:
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


def listed(people: Rankings) -> list[naive.Judgement]:
    parts = (people.segment, people.first, people.second, people.outcome)
    rows = list(zip(*(part.tolist() for part in parts), strict=True))
    return [
        row for row, times in zip(rows, people.count.tolist(), strict=True) for _ in range(times)
    ]


@pytest.mark.parametrize("average", ["none", "item"])
@pytest.mark.parametrize("name", list(naive.FORMULAS))
def test_pairs(name: str, average: str) -> None:
    rng = np.random.default_rng(1)
    measure = agreement.get(name, average)
    for _ in range(30):
        people, metric = rankings(rng), scores(rng)
        expected = naive.of_pairs(name, listed(people), metric.tolist(), average)
        assert measure.value(people, metric) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", ["none", "item"])
def test_pairs_of_scores_are_all_pairs_in_a_segment(average: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        human, metric = scores(rng), scores(rng)
        judgements = naive.pairs_of(human.tolist())
        expected = naive.of_pairs("accuracy", judgements, metric.tolist(), average)
        found = agreement.get("accuracy", average).value(Scores(SYSTEMS, human), metric)
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", ["none", "item"])
def test_ties_are_calibrated_to_the_best_threshold(average: str) -> None:
    rng = np.random.default_rng(3)
    measure = agreement.get("acc_eq", average)
    for kinds in (4, 1000):
        for _ in range(20):
            human, metric = scores(rng), scores(rng, kinds=kinds)
            expected = naive.calibrated(naive.pairs_of(human.tolist()), metric.tolist(), average)
            found = measure.value(Scores(SYSTEMS, human), metric)
            assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", ["none", "item", "system"])
@pytest.mark.parametrize("name", list(naive.COEFFICIENTS))
def test_correlations(name: str, average: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        human, metric = scores(rng), scores(rng)
        expected = naive.of_scores(name, human.tolist(), metric.tolist(), average)
        found = agreement.get(name, average).value(Scores(SYSTEMS, human), metric)
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", [*naive.COEFFICIENTS, "accuracy"])
def test_systems(name: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        people, metric = rankings(rng), rng.integers(0, 6, 5) / 3
        won = naive.share_won(listed(people), 5)
        np.testing.assert_allclose(people.share_won(), won)
        if name == "accuracy":
            expected = naive.system_accuracy(won, metric.tolist())
        else:
            expected = naive.coefficient(name, list(zip(metric.tolist(), won, strict=True)))
        if not np.isnan(expected):
            found = agreement.get(f"{name}_sys").value(people, np.zeros((5, N)), metric)
            assert found == pytest.approx(expected, abs=1e-12)


def test_a_system_that_people_or_the_metric_did_not_score_is_left_out() -> None:
    human = Scores(SYSTEMS, np.full((5, N), np.nan), np.array([1.0, 2, 3, np.nan, 4]))
    metric = np.array([1.0, 3, 2, 9, 5])
    expected = scipy.stats.pearsonr([1, 2, 3, 4], [1, 3, 2, 5]).statistic
    found = agreement.get("pearson_sys").value(human, np.zeros((5, N)), metric)
    assert found == pytest.approx(expected)
    metric[0] = np.nan
    found = agreement.get("kendall_sys").value(human, np.zeros((5, N)), metric)
    assert found == pytest.approx(scipy.stats.kendalltau([2, 3, 4], [3, 2, 5]).statistic)


def test_the_mean_of_rows_is_the_score_of_a_system() -> None:
    rng = np.random.default_rng(6)
    human, metric = scores(rng), scores(rng)
    whole = [np.nanmean(table, axis=1) for table in (metric, human)]
    found = agreement.get("pearson_sys").value(Scores(SYSTEMS, human), metric)
    assert found == pytest.approx(scipy.stats.pearsonr(*whole).statistic)


EVERY = [
    (name, average, over)
    for name in agreement.MEASURES
    for average in agreement.get(name).averages
    for over in measures.UNITS
]


@pytest.mark.parametrize(("name", "average", "over"), EVERY)
def test_a_sample_is_as_if_written_out(name: str, average: str, over: str) -> None:
    """Units that are drawn twice are there twice; two draws of a system are two systems."""
    rng = np.random.default_rng(7)
    measure = agreement.get(name, average)
    people = rankings(rng)
    human: Rankings | Scores = people
    of_scores = isinstance(measure, measures.Correlation)
    if of_scores:
        human = Scores(SYSTEMS, scores(rng))
    if over == "rankings" and (of_scores or average == "item"):
        with pytest.raises(InputError, match="segments"):
            measure.sampled(
                human, [MetricScores.of_scores("m", Scores(SYSTEMS, scores(rng)))], over
            )
        return
    metric = MetricScores.of_scores("m", Scores(SYSTEMS, scores(rng, missing=0.1, kinds=50)))
    (found,) = measure.sampled(human, [metric], over)
    if name == "acc_eq":  # the threshold of all the data stays that of a sample
        threshold = measure.threshold(people, metric)  # type: ignore[attr-defined]
    for _ in range(8):
        counts = np.bincount(rng.integers(0, found.units, found.units), minlength=found.units)
        value = float(found.of_samples(counts[None].astype(np.int32), 1)[0])
        if measure.level == "system":
            expected = written_systems(name, people, metric, counts, over)
        elif of_scores:
            expected = written_scores(name, average, human, metric, counts, over)  # type: ignore[arg-type]
        else:
            own = written_pairs(people, metric, counts, over, average)
            used = threshold if name == "acc_eq" else 0.0
            expected = naive.of_pairs(
                "accuracy" if name == "acc_eq" else name, own[0], own[1], average, used
            )
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def judged(human: Rankings | Scores) -> Integers:
    return np.flatnonzero(human.judged)


def written_pairs(
    people: Rankings, metric: MetricScores, counts: Integers, over: str, average: str
) -> tuple[list[naive.Judgement], list[list[float]]]:
    """Judgements of a sample, and scores with a column for each segment drawn."""
    table = metric.segments
    if over == "segments":
        drawn = np.repeat(judged(people), counts)
        rows = listed(people)
        own = [(k, *row[1:]) for k, s in enumerate(drawn) for row in rows if row[0] == s]
        return own, table[:, drawn].tolist()
    if over == "rankings":
        one = people.expanded()
        rows = listed(one)
        return [row for row, k in zip(rows, counts, strict=True) for _ in range(k)], table.tolist()
    own = [row for row in listed(people) for _ in range(counts[row[1]] * counts[row[2]])]
    return own, table.tolist()


def written_scores(
    name: str, average: str, human: Scores, metric: MetricScores, counts: Integers, over: str
) -> float:
    if over == "segments":
        drawn = np.repeat(judged(human), counts)
        tables = (human.segments[:, drawn], metric.segments[:, drawn])
    else:
        drawn = np.repeat(np.arange(5), counts)
        tables = (human.segments[drawn], metric.segments[drawn])
    return naive.of_scores(name, tables[0].tolist(), tables[1].tolist(), average)


def written_systems(
    name: str, people: Rankings, metric: MetricScores, counts: Integers, over: str
) -> float:
    whole = np.array(metric.whole)
    rows = listed(people)
    if over == "segments":
        rows = [row for row in rows for _ in range(counts[row[0]])]
        whole = np.nanmean(np.repeat(metric.segments, counts, axis=1), axis=1)
    elif over == "rankings":
        rows = [r for r, k in zip(listed(people.expanded()), counts, strict=True) for _ in range(k)]
    won = np.array(naive.share_won(rows, 5))
    if over == "systems":
        whole, won = np.repeat(whole, counts), np.repeat(won, counts)
    if name == "accuracy_sys":
        return naive.system_accuracy(won.tolist(), whole.tolist())
    return naive.coefficient(
        name.removesuffix("_sys"), list(zip(whole.tolist(), won.tolist(), strict=True))
    )


def test_what_is_not_defined_is_refused() -> None:
    people = rankings(np.random.default_rng(8))
    for name in ("tau", "pearson"):
        with pytest.raises(InputError, match="constant over all that was judged"):
            agreement.get(name).value(people, np.ones((5, N)))
    with pytest.raises(InputError, match="no segment is both judged and scored"):
        agreement.get("tau").value(people, np.full((5, N), np.nan))
    with pytest.raises(InputError, match="constant over all systems"):
        agreement.get("spearman_sys").value(people, np.ones((5, N)))
    tied = Rankings.from_pairs("ab", [0], [0], [1], 1, outcome=[0])
    with pytest.raises(InputError, match="people or the metric never"):
        agreement.get("tau").value(tied, np.array([[1.0], [2.0]]))
    two = Rankings.from_pairs("ab", [0], [0], [1], 1)
    with pytest.raises(InputError, match="needs 3 systems, but 2 are both judged and scored"):
        agreement.get("pearson_sys").value(two, np.array([[1.0], [2.0]]))
    with pytest.raises(ValueError, match="5 systems and 12 segments, but scores of 5 × 3"):
        agreement.get("tau").value(people, np.ones((5, 3)))


@pytest.mark.parametrize(
    ("name", "average"),
    [(name, a) for name in agreement.MEASURES for a in agreement.get(name).averages],
)
def test_without_judgements_there_is_no_agreement(name: str, average: str) -> None:
    rng = np.random.default_rng(9)
    measure = agreement.get(name, average)
    for human in (rankings(rng), Scores(SYSTEMS, scores(rng))):
        nothing = human.only(np.zeros(N, bool))
        with pytest.raises(InputError, match=r"not defined: no segment is both|needs 3 systems"):
            measure.value(nothing, scores(rng))


def test_names() -> None:
    assert agreement.get("TAU-WMT13") is agreement.get("tau")
    assert agreement.get("c_R") is agreement.get("spearman_sys")
    with pytest.raises(ValueError, match="no agreement 'taux'; did you mean"):
        agreement.get("taux")
    with pytest.raises(ValueError, match="tau is averaged by one of none, item, not by 'system'"):
        agreement.get("tau", "system")
