"""Tuning where people scored whole systems: systems are held out, and chance gains nothing."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest

from hyperbaton.errors import InputError
from hyperbaton.meta.judgements import Scores, system_level_scores
from hyperbaton.meta.objective import fold_numbers
from hyperbaton.meta.testsets import TestSet
from hyperbaton.meta.tuning import Tuning, tune
from meta.corpora import WORDS
from reference import tuning as twin

N = 12
ALPHAS = {"alpha": [0, 0.25, 0.5, 0.75, 1]}


def texts(count: int) -> tuple[dict[str, list[str]], list[list[str]]]:
    """Return systems that differ in wrong words and, independently, in their order."""
    rng = random.Random(count)
    references = [rng.sample(WORDS, rng.randint(5, 9)) for _ in range(N)]
    systems = {}
    for k in range(count):
        wrong, moved = rng.random() / 2, rng.random()
        lines = []
        for reference in references:
            words = ["x" if rng.random() < wrong else word for word in reference]
            cut = rng.randint(1, 4) if rng.random() < moved else 0
            lines.append(" ".join(words[cut:] + words[:cut]))
        systems[f"s{k}"] = lines
    return systems, [[" ".join(words)] for words in references]


def make_test_set(scores: Sequence[float], name: str = "de-en") -> TestSet:
    """Return a test set whose systems have these scores; NaN for none."""
    systems, references = texts(len(scores))
    people = system_level_scores(list(systems), np.array(scores), N)
    return TestSet(name, systems, references, whole=people)


def tuned(scores: Sequence[float], folds: int = 5, seed: int = 1) -> Tuning:
    data = make_test_set(scores)
    return tune(
        "lr_kb1", data, ALPHAS, agreement="pearson_sys", method="grid", folds=folds, seed=seed
    )


def folds_of(count: int, folds: int, seed: int) -> list[list[int]]:
    """Return the systems of each fold."""
    numbers = fold_numbers(np.ones(count, np.bool_), folds, np.random.default_rng(seed))
    return [np.flatnonzero(numbers == k).tolist() for k in range(folds)]


def test_held_out_systems_equal_the_twin() -> None:
    """Plain loops choose the best setting on the other systems and score it on the fold."""
    scores = [random.Random(1).random() * k for k in range(9)]
    systems, references = texts(9)
    values = {}
    for alpha in ALPHAS["alpha"]:
        _, whole = twin.values(f"lr_kb1:alpha={alpha}", systems, references, range(N))
        values[alpha] = list(whole.values())

    def pearson(alpha: float, chosen: Sequence[int]) -> float:
        return twin.pearson([values[alpha][k] for k in chosen], [scores[k] for k in chosen])

    found = tuned(scores, folds=3, seed=7)
    assert (found.units, found.judged, len(found.folds)) == ("systems", 9, 3)
    assert found.value == pytest.approx(max(pearson(alpha, range(9)) for alpha in values))
    for fold, held_out in zip(found.folds, folds_of(9, 3, 7), strict=True):
        assert len(held_out) == 3
        others = [k for k in range(9) if k not in held_out]
        best = max(values, key=lambda alpha: pearson(alpha, others))
        assert fold.settings == {"alpha": best}
        assert fold.training == pytest.approx(pearson(best, others))
        assert fold.held_out == pytest.approx(pearson(best, held_out))
        assert fold.untuned == pytest.approx(pearson(0.5, held_out))


def test_chance_gains_nothing() -> None:
    """Scores that say nothing about the systems of a fold have a mean agreement of 0 on it.

    If y is permuted among the systems of a fold, the mean of r(x, y) over all permutations is 0 for
    any x, since each score is as often at each system. Settings are chosen on the other systems,
    so this holds for the tuned metric as well, and the mean gain is exactly 0.
    """
    first, second = folds_of(6, 2, seed=1)
    rng = np.random.default_rng(2)
    gains, optimistic = [], []
    for _ in range(3):
        base = rng.normal(size=6)
        for one, other in itertools.product(
            itertools.permutations(first), itertools.permutations(second)
        ):
            scores = base.copy()
            scores[first], scores[second] = base[list(one)], base[list(other)]
            found = tuned(scores.tolist())
            gains.append(found.held_out - found.untuned_held_out)
            optimistic.append(found.value - found.untuned)
    assert np.mean(gains) == pytest.approx(0, abs=1e-9)
    assert np.std(gains) > 0.1
    assert np.mean(optimistic) > 0.1  # what tuning on the same systems would promise


def test_chance_gains_nothing_in_random_permutations() -> None:
    """Of the scores of eleven systems, in three folds; the margin is three standard errors."""
    rng = np.random.default_rng(5)
    found = [tuned(rng.permutation(11).tolist(), seed=k) for k in range(120)]
    gains = np.array([tuning.held_out - tuning.untuned_held_out for tuning in found])
    error = gains.std(ddof=1) / len(gains) ** 0.5
    assert error < 0.05
    assert abs(gains.mean()) < 3 * error
    assert np.mean([tuning.value - tuning.untuned for tuning in found]) > 3 * error


@pytest.mark.parametrize(("count", "folds"), [(6, 2), (8, 2), (9, 3), (15, 5), (17, 5)])
def test_every_fold_has_three_systems(count: int, folds: int) -> None:
    found = tuned([k % 7 + k / 100 for k in range(count)])
    assert (len(found.folds), found.judged) == (folds, count)
    assert found.to_dict()["units"] == "systems"


def test_systems_without_a_score_do_not_count() -> None:
    scores = [0.3, np.nan, 0.2, 0.9, 0.5, 0.1, 0.7, np.nan]
    assert (tuned(scores).judged, len(tuned(scores).folds)) == (6, 2)


def test_too_few_systems_are_refused() -> None:
    with pytest.raises(InputError) as error:
        tuned([0.1, 0.4, 0.2, 0.3, 0.5])
    assert str(error.value) == (
        "de-en: people scored 5 whole systems, but tuning needs 6: it holds out systems, at least "
        "3 at a time; judgements of segments or rankings need fewer"
    )


def test_segments_are_held_out_if_people_judged_segments() -> None:
    systems, references = texts(4)
    segments = np.random.default_rng(1).normal(size=(4, N))
    data = TestSet("a", systems, references, segments=Scores(tuple(systems), segments))
    options = {"agreement": "pearson_sys", "method": "grid", "folds": 2}
    alone = tune("lr_kb1", data, ALPHAS, **options)  # type: ignore[arg-type]
    assert (alone.units, alone.judged, len(alone.folds)) == ("segments", N, 2)
    both = tune("lr_kb1", [data, make_test_set([3, 1, 2, 6, 5, 4], "b")], ALPHAS, **options)  # type: ignore[arg-type]
    assert (both.units, both.judged, len(both.folds)) == ("segments and systems", N + 6, 2)
