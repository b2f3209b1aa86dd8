"""Tuning, compared with plain loops, with known optima, and without leaks between folds."""

from __future__ import annotations

import itertools
import json
import pickle
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton.errors import InputError
from hyperbaton.meta import agreement
from hyperbaton.meta.judgements import Rankings, Scores
from hyperbaton.meta.objective import Objective, fold_numbers
from hyperbaton.meta.testsets import TestSet
from hyperbaton.meta.tuning import Search, Tuning, build_lattice, hill_climb, random_points, tune
from hyperbaton.metrics.batches import Memo
from metrics.corpora import WORDS, edited
from reference import tuning as twin

N = 60
FOLDS = 4


def texts() -> tuple[dict[str, list[str]], list[list[str]]]:
    rng = random.Random(4)
    references = [rng.choices(WORDS, k=rng.randint(4, 9)) for _ in range(N)]
    systems = {
        name: [" ".join(edited(rng, edited(rng, words))) for words in references] for name in "wxyz"
    }
    return systems, [[" ".join(words)] for words in references]


SYSTEMS, REFERENCES = texts()
NAMES = tuple(SYSTEMS)
JUDGED = range(5, N)


def preferences(spec: str | None, seed: int = 1) -> list[twin.Preference]:
    """Return preferences of people who agree with a metric, or guess if it is None."""
    rng = random.Random(seed)
    scores: dict[tuple[str, int], float] = {}
    if spec is not None:
        scores, _ = twin.values(spec, SYSTEMS, REFERENCES, range(N))
    pairs = []
    for k in JUDGED:
        for a, b in itertools.combinations(NAMES, 2):
            pair = [a, b]
            rng.shuffle(pair)
            if spec is not None:
                if scores[a, k] == scores[b, k]:
                    continue
                pair.sort(key=lambda name: -scores[name, k])
            pairs.append((k, pair[0], pair[1], rng.randint(1, 2)))
    return pairs


def people(pairs: list[twin.Preference]) -> Rankings:
    segment, better, worse, count = zip(*pairs, strict=True)
    winners, losers = ([NAMES.index(name) for name in side] for side in (better, worse))
    return Rankings.from_pairs(NAMES, segment, winners, losers, N, count=count)


def make_test_set(pairs: list[twin.Preference]) -> TestSet:
    return TestSet("de-en", SYSTEMS, REFERENCES, rankings=people(pairs))


def fold_segments(seed: int) -> list[set[int]]:
    """Return the segments of each fold."""
    judged = np.isin(np.arange(N), JUDGED)
    numbers = fold_numbers(judged, FOLDS, np.random.default_rng(seed))
    return [set(np.flatnonzero(numbers == k).tolist()) for k in range(FOLDS)]


# The objective ----------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["consistency", "tau", "pearson_sys"])
@pytest.mark.parametrize(
    "spec",
    [
        *("full:alpha=0.3", "pef:beta=0.1,gamma=0.2", "lrscore:alpha=0.8", "invwer:inversion=2"),
        "order:precedence=own,tau=0.3",  # without the limit: some segments have no value
    ],
)
def test_agreements_equal_those_of_plain_loops(measure: str, spec: str) -> None:
    judgements = preferences("full:alpha=0.6", 3)
    objective = Objective([make_test_set(judgements)], agreement.get(measure), None, FOLDS, 7)
    agreements = objective.agreements(hb.metrics.get(spec))

    def expected(part: set[int]) -> float:
        return twin.agreement(measure, spec, SYSTEMS, REFERENCES, judgements, part)

    everything = set(range(N))
    assert agreements.all == pytest.approx(expected(everything), abs=1e-12)
    for k, part in enumerate(fold_segments(7)):
        assert agreements.held_out[k] == pytest.approx(expected(part), abs=1e-12)
        assert agreements.training[k] == pytest.approx(expected(everything - part), abs=1e-12)


def test_the_objective_is_the_mean_over_test_sets() -> None:
    one, other = (make_test_set(preferences(None, seed)) for seed in (1, 2))
    metric = hb.metrics.get("full")
    measure = agreement.get("consistency")
    both = Objective([one, other], measure).agreements(metric)
    single = [Objective([each], measure).agreements(metric) for each in (one, other)]
    assert both.all == pytest.approx((single[0].all + single[1].all) / 2)


def test_segment_scores_can_be_used() -> None:
    scores, _ = twin.values("full:alpha=0.2", SYSTEMS, REFERENCES, range(N))
    table = np.array([[scores[name, k] for k in range(N)] for name in NAMES])
    data = TestSet("de-en", SYSTEMS, REFERENCES, segments=Scores(NAMES, table))
    tuning = tune("full", data, "alpha", agreement="pearson", method="grid")
    assert tuning.settings == {"alpha": 0.2}
    assert tuning.value == pytest.approx(1)
    assert tuning.held_out == pytest.approx(1)
    assert tuning.ties is None


# Known optima -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["climb", "grid"])
def test_the_settings_that_people_follow_are_found(method: str) -> None:
    """People follow full:alpha=0.3,beta=0.8, so only these settings agree completely."""
    judgements = preferences("full:alpha=0.3,beta=0.8")
    data = make_test_set(judgements)
    options = ["alpha=0:1:0.1", "beta=0:1:0.2"]
    tuning = tune("full", data, options, agreement="consistency", method=method, folds=3)
    assert tuning.value == 1
    assert tuning.untuned < 1
    assert hb.metrics.get(tuning.spec) == tuning.metric
    segments, _ = twin.values(tuning.spec, SYSTEMS, REFERENCES, range(N))
    assert all(
        segments[a, k] > segments[b, k] for k, a, b, _ in preferences("full:alpha=0.3,beta=0.8")
    )


def test_grid_search_agrees_with_plain_loops() -> None:
    judgements = preferences(None, 5)
    tuning = tune(
        "full", make_test_set(judgements), "alpha=0:1:0.25", method="grid", folds=FOLDS, seed=7
    )
    folds = fold_segments(7)
    everything = set(range(N))
    tried = (0.0, 0.25, 0.5, 0.75, 1.0)

    def value(alpha: float, part: set[int]) -> float:
        spec = f"full:alpha={alpha}"
        return twin.agreement("consistency", spec, SYSTEMS, REFERENCES, judgements, part)

    assert tuning.settings["alpha"] == max(tried, key=lambda alpha: value(alpha, everything))
    assert tuning.tried == 5
    for fold, part in zip(tuning.folds, folds, strict=True):
        best = max(tried, key=lambda alpha: value(alpha, everything - part))
        assert fold.settings == {"alpha": best}
        assert fold.training == pytest.approx(value(best, everything - part))
        assert fold.held_out == pytest.approx(value(best, part))
        assert fold.untuned == pytest.approx(value(0.5, part))
    assert tuning.held_out == pytest.approx(sum(fold.held_out for fold in tuning.folds) / FOLDS)


def test_edit_costs_and_match_weights_can_be_tuned() -> None:
    data = make_test_set(preferences("invwer:inversion=2"))
    tuning = tune("invwer", data, "inversion=0:4:1", method="grid")
    assert tuning.value == 1
    assert tuning.settings["inversion"] > 1
    weights = tune("pef", data, ["exact", "stem=0.2:1:0.2"], "en", restarts=2)
    assert set(weights.settings) == {"exact", "stem"}
    assert weights.metric.resources.language == "en"


def test_trees_of_a_test_set_are_used() -> None:
    def chain(line: str) -> hb.DependencyTree:
        words = line.split()
        return hb.DependencyTree(words, list(range(len(words))))

    data = replace(
        make_test_set(preferences(None)),
        trees={name: [chain(line) for line in lines] for name, lines in SYSTEMS.items()},
        reference_trees=[[chain(line) for line in lines] for lines in REFERENCES],
    )
    tuning = tune("dted:match=aligned", data, "exact=0.5:1:0.5", method="grid")
    assert "parser:given" in tuning.signature
    assert tuning.tried == 2


# Cross-validation -------------------------------------------------------------------------------


def test_held_out_agreement_is_not_optimistic_for_guesses() -> None:
    """No metric agrees with guesses; held-out agreement shows this, tuned agreement does not."""
    gains, held_out = [], []
    for seed in range(12):
        data = make_test_set(preferences(None, seed))
        tuning = tune("full", data, ["alpha", "gamma=0:1:0.25"], restarts=5, seed=seed)
        assert tuning.value >= tuning.untuned
        assert all(fold.training >= tuning.untuned - 0.1 for fold in tuning.folds)
        gains.append(tuning.value - 0.5)
        held_out.append(tuning.held_out - 0.5)
    assert np.mean(gains) > np.mean(held_out) + 0.01
    assert abs(np.mean(held_out)) < 0.03


def test_held_out_segments_do_not_influence_the_settings() -> None:
    """Reversed judgements on one fold do not change the settings tested on it."""
    judgements = preferences(None, 9)
    part = fold_segments(7)[0]
    changed = [(k, b, a, n) if k in part else (k, a, b, n) for k, a, b, n in judgements]
    options = ["alpha", "beta=0:1:0.25"]
    before, after = (
        tune("full", make_test_set(one), options, method="grid", folds=FOLDS, seed=7)
        for one in (judgements, changed)
    )
    assert before.folds[0].settings == after.folds[0].settings
    assert before.folds[0].training == after.folds[0].training
    assert before.folds[0].held_out != after.folds[0].held_out
    assert before.folds[1] != after.folds[1]


def test_folds_divide_judged_segments_evenly() -> None:
    folds = fold_segments(3)
    assert sorted(k for part in folds for k in part) == list(range(N))
    sizes = [len(part & set(JUDGED)) for part in folds]
    assert max(sizes) - min(sizes) <= 1


def test_the_same_seed_gives_the_same_result() -> None:
    data = make_test_set(preferences(None, 2))
    first, again = (tune("full", data, ["alpha", "beta"], restarts=3, seed=5) for _ in range(2))
    other = tune("full", data, ["alpha", "beta"], restarts=3, seed=6)
    assert first.to_dict() == again.to_dict()
    assert first.folds != other.folds


# The result -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tuning() -> Tuning:
    data = make_test_set(preferences("full:alpha=0.3"))
    return tune("full", data, "alpha=0:1:0.1", method="grid", curves=True)


def test_score_accepts_the_tuned_metric(tuning: Tuning) -> None:
    result = hb.score(SYSTEMS["w"], REFERENCES, tuning.spec)
    assert result[tuning.spec].signature == tuning.signature
    assert str(hb.metrics.from_signature(tuning.signature).signature(1)) == tuning.signature
    assert pickle.loads(pickle.dumps(tuning.metric)) == tuning.metric


def test_curves_contain_the_agreement_at_each_value(tuning: Tuning) -> None:
    judgements = preferences("full:alpha=0.3")
    for alpha, value in zip(tuning.lattice["alpha"], tuning.curves["alpha"], strict=True):
        spec = f"full:alpha={alpha}"
        expected = twin.agreement(
            "consistency", spec, SYSTEMS, REFERENCES, judgements, set(range(N))
        )
        assert value == pytest.approx(expected)


def test_the_result_is_valid_json(tuning: Tuning) -> None:
    plain = json.loads(json.dumps(tuning.to_dict(), allow_nan=False))
    assert plain["metric"] == tuning.spec
    assert plain["settings"] == dict(tuning.settings)
    assert plain["held_out"] == tuning.held_out
    assert len(plain["folds"]) == 5
    assert repr(tuning).startswith(f"Tuning({tuning.spec!r}, consistency=")


def test_evades_reports_a_metric_that_gains_by_ties() -> None:
    """τ leaves ties out, so a metric that decides less often can have a higher τ."""
    judgements = preferences("kendall")
    rng = random.Random(3)
    noisy = [(k, b, a, n) if rng.random() < 0.3 else (k, a, b, n) for k, a, b, n in judgements]
    tuning = tune("full", make_test_set(noisy), ["alpha", "beta", "gamma"], agreement="tau")
    assert tuning.ties is not None
    assert tuning.untuned_ties is not None
    tied = sum(n for k, a, b, n in noisy if _tied(tuning.spec, k, a, b))
    assert tuning.ties == pytest.approx(tied / sum(n for *_, n in noisy))
    more = replace(tuning, ties=0.5, untuned_ties=0.1)
    assert more.evades
    assert not replace(more, ties=0.1).evades
    assert not replace(more, measure=agreement.get("consistency")).evades


def _tied(spec: str, k: int, a: str, b: str) -> bool:
    scores, _ = twin.values(spec, {a: SYSTEMS[a], b: SYSTEMS[b]}, REFERENCES, [k])
    return scores[a, k] == scores[b, k]


# Lattices and searches --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "wanted", "values"),
    [
        ("full", "alpha", [k / 20 for k in range(21)]),
        ("full", "alpha=0.1:0.7:0.2", [0.1, 0.3, 0.5, 0.7]),
        ("full", "Alpha=0:1:0.4", [0, 0.4, 0.8]),
        ("full", "alpha=0:1:1/3", [0, 1 / 3, 2 / 3, 1]),
        ("meteor_frag", "beta=0:10:2.5", [0, 2.5, 5, 7.5, 10]),
        ("pef", "stem=0.001:1:0.3335", [0.001, 0.334, 0.668]),
        ("chrf", "nc=1:6", [1, 2, 3, 4, 5, 6]),
        ("full", {"alpha": [1, 0.5, 0.5]}, [0.5, 1]),
    ],
)
def test_ranges_give_the_values_to_try(spec: str, wanted: Any, values: list[float]) -> None:
    (tried,) = build_lattice(hb.metrics.get(spec), wanted).values()
    assert tried == tuple(values)


@pytest.mark.parametrize(
    ("spec", "wanted", "message"),
    [
        ("full", "alfa", "unknown numeric option 'alfa' of full; did you mean alpha"),
        ("full", "bp", "full: bp is not numeric; the numeric options are: beta, gamma, alpha"),
        ("full", "align", "full: align is not numeric"),
        ("wer", "tok", "wer: tok is not numeric; the numeric options are: none"),
        ("full:order=kendall", "beta", "unknown numeric option 'beta' of full"),
        ("full", "alpha=0.8:0.2", "full: alpha: the range 0.8:0.2 starts above its end"),
        ("full", "alpha=0:2", "full: alpha must be between 0 and 1, got 2"),
        ("full", "alpha=0", "'0' is not a range such as 0:1"),
        ("full", "alpha=0:1:2:3", "is not a range"),
        ("full", "alpha=x:1", "full: alpha must be a number, got 'x'"),
        ("full", "alpha=0:1:x", "the step must be a number, got 'x'"),
        ("full", "alpha=0:1:0", "the step must be greater than 0, got 0"),
        ("full", "alpha=0:1:-0.1", "the step must be greater than 0"),
        ("full", "alpha=0:1:2", "fewer than two values"),
        ("full", "alpha=0.5:0.5", "fewer than two values"),
        ("full", "alpha=0:1:0.00001", "more than 10,000 values"),
        ("full", ["alpha", "ALPHA"], "alpha is given twice"),
        ("full", [], "no option to tune"),
        ("full", {"alpha": []}, "fewer than two values"),
        ("full", {"alpha": [0, 3]}, "full: alpha must be between 0 and 1, got 3"),
    ],
)
def test_invalid_options_raise(spec: str, wanted: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build_lattice(hb.metrics.get(spec), wanted)


def test_hill_climbing_ends_at_a_local_maximum() -> None:
    generator = np.random.default_rng(2)
    for _ in range(50):
        table = generator.random((5, 4, 3))
        starts = random_points(table.shape, 6, int(generator.integers(100)))
        top = hill_climb(lambda p, t=table: float(t[p]), table.shape, starts)  # type: ignore[misc]
        for axis, size in enumerate(table.shape):
            for step in (-1, 1):
                near = list(top)
                near[axis] += step
                if 0 <= near[axis] < size:
                    assert table[tuple(near)] < table[top]
        assert table[top] >= max(table[start] for start in starts)
        grid = Search("grid")
        best = grid.best_point(lambda p, t=table: float(t[p]), table.shape)  # type: ignore[misc]
        assert table[best] == table.max()


def test_hill_climbing_finds_a_single_maximum_from_anywhere() -> None:
    def hill(point: tuple[int, ...]) -> float:
        return -((point[0] - 6) ** 2) - 2 * (point[1] - 1) ** 2

    for start in itertools.product(range(9), range(5)):
        assert hill_climb(hill, [9, 5], [start]) == (6, 1)


def test_random_points_cover_the_lattice() -> None:
    assert len(set(random_points([3, 2], 200, 1))) == 6


def test_scratch_values_are_forgotten() -> None:
    memo = Memo()
    assert memo.memoize("kept", lambda: 1) == 1
    with memo.scratch():
        assert memo.memoize("kept", lambda: 2) == 1
        assert memo.memoize("scratch", lambda: 3) == 3
    assert memo.memoize("scratch", lambda: 4) == 4


# Bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "anneal"}, "method must be one of climb, grid, got 'anneal'"),
        ({"restarts": 0}, "restarts must be at least 1, got 0"),
        ({"folds": 1}, "folds must be at least 2, got 1"),
        ({"folds": 56}, "de-en: 56 folds, but only 55 segments are judged"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"agreement": "tua"}, "unknown agreement 'tua'; did you mean tau"),
        (
            {"agreement": "pearson_sys", "average": "item"},
            "average must be one of none for pearson_sys",
        ),
        (
            {"agreement": "pearson", "people": "segments"},
            "pearson needs segment scores; de-en has none",
        ),
        ({"data": []}, "no test sets"),
        ({"metric": "fool"}, "unknown metric 'fool'"),
        ({"metric": "edit"}, "edit is 5 metrics; only one can be tuned at a time"),
        ({"metric": "full:align=given"}, "de-en: full: align=given needs alignments"),
        ({"options": ["alpha=0:1:0.0005", "beta=0:1:0.0005"], "method": "grid"}, "4,004,001 setti"),
    ],
)
def test_invalid_arguments_raise(options: dict[str, Any], message: str) -> None:
    data = make_test_set(preferences(None))
    arguments = {"metric": "full", "data": data, "options": "alpha", **options}
    with pytest.raises(ValueError, match=message):
        tune(**arguments)


def test_a_metric_that_ties_all_pairs_raises() -> None:
    same = dict.fromkeys(NAMES, SYSTEMS["w"])
    data = TestSet("de-en", same, REFERENCES, rankings=people(preferences(None)))
    with pytest.raises(InputError, match="tau of full is undefined everywhere: de-en: "):
        tune("full", data, "alpha", agreement="tau")


def test_folds_with_undefined_agreement_raise() -> None:
    same = {name: [*lines] for name, lines in SYSTEMS.items()}
    for name in NAMES:
        same[name][10:] = SYSTEMS["w"][10:]  # all systems are equal on the other segments
    data = TestSet("de-en", same, REFERENCES, rankings=people(preferences(None)))
    with pytest.raises(InputError, match="tau is undefined on some of 50 folds of 55 judged"):
        tune("full", data, "alpha=0:1:0.5", agreement="tau", folds=50)


def test_data_can_be_a_folder(tmp_path: Any) -> None:
    (tmp_path / "systems").mkdir()
    for name, lines in SYSTEMS.items():
        (tmp_path / "systems" / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "reference.txt").write_text("\n".join(r for (r,) in REFERENCES) + "\n", "utf-8")
    rows = ["seg_id\tbetter\tworse\tn", *("\t".join(map(str, p)) for p in preferences(None))]
    (tmp_path / "pairwise.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    tuning = tune("full", tmp_path, "alpha=0:1:0.25")
    assert tuning.folds == tune("full", make_test_set(preferences(None)), "alpha=0:1:0.25").folds
