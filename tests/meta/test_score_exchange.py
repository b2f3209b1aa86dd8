"""The permutation test that exchanges single scores, and its size beside that of segments."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from evidence.null_metrics import Design, SignificanceTest, false_positives

import hyperbaton as hb
from hyperbaton.errors import InputError
from hyperbaton.meta import agreement
from hyperbaton.meta.agreement import exchange_differences
from hyperbaton.meta.differences import translation_agreement
from hyperbaton.meta.evaluation import evaluate_test_sets
from hyperbaton.meta.judgements import Rankings, Scores
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.testsets import TestSet
from hyperbaton.runs.run import Run
from hyperbaton.stats.resampling import swap_counts
from hyperbaton.stats.sampling import Sampling
from reference import agreement as twin

SYSTEMS, N = 4, 9
NAMES = tuple("abcd")


def scores(seed: int, missing: int, digits: int = 1) -> list[list[float]]:
    """Return scores with ties and with some missing."""
    rng = random.Random(seed)
    rows = [[round(rng.gauss(a / 3, 1), digits) for _ in range(N)] for a in range(SYSTEMS)]
    for _ in range(missing):
        rows[rng.randrange(SYSTEMS)][rng.randrange(N)] = math.nan
    return rows


HUMAN = scores(1, missing=5, digits=0)
METRICS = [scores(2, missing=0), scores(3, missing=0)]
WITHOUT_TIES = [scores(2, missing=0, digits=6), scores(3, missing=0, digits=6)]
for one, other in (METRICS, WITHOUT_TIES):
    one[1][4] = other[1][4] = math.nan  # a translation that no metric has scored
ONE_JUDGEMENT_LESS = twin.judged_pairs(HUMAN)[1:]

CASES = [
    *((name, average) for name in twin.FORMULAS for average in ("none", "item")),
    ("acc_eq", "item"),
    *(
        (name, average)
        for name in ("pearson", "spearman", "kendall")
        for average in ("none", "item", "system")
    ),
]


def used_translations(name: str) -> list[tuple[int, int]]:
    """Return the translations whose scores matter, by system and segment."""
    scored = [(a, k) for a in range(SYSTEMS) for k in range(N) if not math.isnan(METRICS[0][a][k])]
    if name in ("pearson", "spearman", "kendall"):
        return [(a, k) for a, k in scored if not math.isnan(HUMAN[a][k])]
    compared = {
        (system, k)
        for k, a, b, _ in ONE_JUDGEMENT_LESS
        if (a, k) in scored and (b, k) in scored
        for system in (a, b)
    }
    return [cell for cell in scored if cell in compared]


def twin_agreement(name: str, average: str) -> Callable[[twin.Matrix], float]:
    """Return the agreement of a matrix of scores, by loops."""
    if name == "acc_eq":
        return partial(twin.best_accuracy, ONE_JUDGEMENT_LESS, average=average)
    if name in twin.FORMULAS:
        return lambda metric: twin.pair_agreement(name, ONE_JUDGEMENT_LESS, metric, average)
    return lambda metric: twin.score_agreement(name, HUMAN, metric, average)


def judgements(name: str) -> Rankings | Scores:
    if name in ("pearson", "spearman", "kendall"):
        return Scores(NAMES, np.array(HUMAN))
    segment, first, second, outcome = zip(*ONE_JUDGEMENT_LESS, strict=True)
    return Rankings.from_pairs(NAMES, segment, first, second, N, outcome=outcome)


@pytest.mark.parametrize(("name", "average"), CASES)
@pytest.mark.parametrize("threads", [1, 2])
def test_exchanged_scores_equal_the_twin(name: str, average: str, threads: int) -> None:
    measure = agreement.get(name, average)
    metrics = WITHOUT_TIES if name == "acc_eq" else METRICS  # which has thresholds for ties
    scored = ~np.isnan(np.array(METRICS[0]))
    found = translation_agreement(measure, judgements(name), scored)
    used = used_translations(name)
    assert list(zip(found.system.tolist(), found.segment.tolist(), strict=True)) == used
    value = twin_agreement(name, average)
    x, y = (twin.standardized(metric, used) for metric in metrics)
    (coins,) = swap_counts(len(used), 30, seed=4)
    statistics = [found.statistic(np.array(metric)) for metric in metrics]
    differences = exchange_differences(statistics, [(0, 1), (1, 0)], coins, threads)
    expected = [
        value(one) - value(other)
        for one, other in (twin.exchanged_scores(x, y, used, row) for row in coins.tolist())
    ]
    assert differences[:, 0] == pytest.approx(expected, abs=1e-9)
    assert differences[:, 1] == pytest.approx([-d for d in expected], abs=1e-9)
    assert len({round(d, 9) for d in expected}) > 5


def make_test_set() -> TestSet:
    texts = {name: ["a b"] * N for name in NAMES}
    others = {f"m{k}": Scores(NAMES, np.array(metric)) for k, metric in enumerate(METRICS)}
    people = Scores(NAMES, np.array(HUMAN))
    whole = Scores(NAMES, np.full((SYSTEMS, N), np.nan), np.array([0.2, 0.1, 0.5, 0.3]))
    return TestSet("de-en", texts, [["a b"]] * N, segments=people, whole=whole, others=others)


@pytest.mark.parametrize(("name", "average"), [("pearson", "none"), ("kendall", "item")])
def test_p_equals_the_twin(name: str, average: str) -> None:
    sampling = Sampling(samples=50, seed=3)
    plan = Plan(agreement.get(name, average), sampling, exchange="scores")
    found = evaluate_test_sets([make_test_set()], Run({}), plan)
    used = used_translations(name)
    value = twin_agreement(name, average)
    x, y = (twin.standardized(metric, used) for metric in METRICS)
    observed = abs(value(x) - value(y))
    beyond = 0
    for coins in swap_counts(len(used), 50, seed=3):
        for row in coins.tolist():
            one, other = twin.exchanged_scores(x, y, used, row)
            beyond += abs(value(one) - value(other)) >= observed - 1e-9
    (difference,) = found.differences
    assert difference.p == (1 + beyond) / 51
    assert found.exchange == found.to_dict()["exchange"] == "scores"


def test_what_is_exchanged() -> None:
    def exchange(**options: str) -> str | None:
        return hb.meta_evaluate(make_test_set(), "wer", samples=20, **options).exchange  # type: ignore[arg-type]

    assert exchange(agreement="pearson") == "segments"
    assert exchange(agreement="pearson", exchange="scores") == "scores"
    assert exchange(agreement="pearson_sys") == "systems"
    assert exchange(agreement="pearson_sys", exchange="scores") == "systems"
    assert exchange(agreement="pearson", test="williams") is None


def test_errors() -> None:
    with pytest.raises(InputError, match=r"^exchange must be one of segments, scores, got 'x'$"):
        hb.meta_evaluate(make_test_set(), "wer", exchange="x")
    with pytest.raises(InputError, match=r"^only the permutation test exchanges scores$"):
        hb.meta_evaluate(make_test_set(), "wer", exchange="scores", test="bootstrap")


def test_sizes_of_the_permutation_tests() -> None:
    """Equal metrics whose errors are independent: both tests find a difference in 0.05 of cases.

    If the translations of a segment share errors, only the exchange of segments is right. Margins
    are three standard errors.
    """
    count = 60
    margin = 3 * math.sqrt(0.05 * 0.95 / count)
    exchanges = ("segments", "scores")
    tests = [SignificanceTest("permutation", exchange) for exchange in exchanges]
    design = Design("pearson", 20, 15, "segments")
    independent = false_positives(design, 0.0, tests, count, samples=40)
    assert max(independent) < 0.05 + margin
    shared = false_positives(design, 0.9, tests, count, samples=40)
    assert shared[0] < 0.05 + margin
    assert shared[1] > 0.05 + margin
