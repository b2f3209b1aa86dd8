"""Tuning: against plain loops, on people whose taste is known, and with nothing leaking."""

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
from hyperbaton.meta.lattice import climb, grid, lattice, random_points
from hyperbaton.meta.objective import Objective, fold_numbers
from hyperbaton.meta.testsets import TestSet
from hyperbaton.meta.tuning import Tuning, tune
from hyperbaton.metrics.segments import Shared
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
JUDGED = range(5, N)  # the first ones were not


def preferences(spec: str | None, seed: int = 1) -> list[twin.Preference]:
    """Of people with the taste of a metric, or who guess; some are asked more than once."""
    rng = random.Random(seed)
    scores: dict[tuple[str, int], float] = {}
    if spec is not None:
        scores, _ = twin.values(spec, SYSTEMS, REFERENCES, range(N))
    found = []
    for k in JUDGED:
        for a, b in itertools.combinations(NAMES, 2):
            pair = [a, b]
            rng.shuffle(pair)
            if spec is not None:
                if scores[a, k] == scores[b, k]:
                    continue
                pair.sort(key=lambda name: -scores[name, k])
            found.append((k, pair[0], pair[1], rng.randint(1, 2)))
    return found


def people(given: list[twin.Preference]) -> Rankings:
    segment, better, worse, count = zip(*given, strict=True)
    winners, losers = ([NAMES.index(name) for name in side] for side in (better, worse))
    return Rankings.from_pairs(NAMES, segment, winners, losers, N, count=count)


def test_set(given: list[twin.Preference]) -> TestSet:
    return TestSet("de-en", SYSTEMS, REFERENCES, rankings=people(given))


test_set.__test__ = False  # type: ignore[attr-defined]


def parts(seed: int) -> list[set[int]]:
    """The segments of each fold."""
    judged = np.isin(np.arange(N), JUDGED)
    numbers = fold_numbers(judged, FOLDS, np.random.default_rng(seed))
    return [set(np.flatnonzero(numbers == k).tolist()) for k in range(FOLDS)]


# The objective ----------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["consistency", "tau", "pearson_sys"])
@pytest.mark.parametrize(
    "spec", ["full:alpha=0.3", "pef:beta=0.1,gamma=0.2", "lrscore:alpha=0.8", "invwer:inversion=2"]
)
def test_agreements_are_those_of_plain_loops(measure: str, spec: str) -> None:
    given = preferences("full:alpha=0.6", 3)
    objective = Objective([test_set(given)], agreement.get(measure), None, FOLDS, 7)
    found = objective.agreements(hb.metrics.get(spec))

    def expected(part: set[int]) -> float:
        return twin.agreement(measure, spec, SYSTEMS, REFERENCES, given, part)

    everything = set(range(N))
    assert found.all == pytest.approx(expected(everything), abs=1e-12)
    for k, part in enumerate(parts(7)):
        assert found.held_out[k] == pytest.approx(expected(part), abs=1e-12)
        assert found.training[k] == pytest.approx(expected(everything - part), abs=1e-12)


def test_the_mean_over_test_sets_counts() -> None:
    one, other = (test_set(preferences(None, seed)) for seed in (1, 2))
    metric = hb.metrics.get("full")
    measure = agreement.get("consistency")
    both = Objective([one, other], measure).agreements(metric)
    single = [Objective([each], measure).agreements(metric) for each in (one, other)]
    assert both.all == pytest.approx((single[0].all + single[1].all) / 2)


def test_scores_of_whole_systems_need_no_judged_segments() -> None:
    human = Scores(NAMES, np.full((4, N), np.nan), np.array([0.1, 0.4, 0.2, 0.3]))
    data = TestSet("de-en", SYSTEMS, REFERENCES, whole=human)
    found = tune("full", data, "alpha", agreement="pearson_sys", folds=3)
    assert found.judged == N
    assert found.value >= found.untuned
    _, whole = twin.values(found.spec, SYSTEMS, REFERENCES, range(N))
    assert found.value == pytest.approx(twin.pearson(list(whole.values()), [0.1, 0.4, 0.2, 0.3]))


def test_scores_of_segments_are_taken_too() -> None:
    scores, _ = twin.values("full:alpha=0.2", SYSTEMS, REFERENCES, range(N))
    table = np.array([[scores[name, k] for k in range(N)] for name in NAMES])
    data = TestSet("de-en", SYSTEMS, REFERENCES, segments=Scores(NAMES, table))
    found = tune("full", data, "alpha", agreement="pearson", method="grid")
    assert found.settings == {"alpha": 0.2}
    assert found.value == pytest.approx(1)
    assert found.held_out == pytest.approx(1)
    assert found.ties is None


# Known optima -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["climb", "grid"])
def test_the_taste_of_people_is_found(method: str) -> None:
    """People prefer what full:alpha=0.3,beta=0.8 prefers; it alone agrees with them entirely."""
    given = preferences("full:alpha=0.3,beta=0.8")
    data = test_set(given)
    options = ["alpha=0:1:0.1", "beta=0:1:0.2"]
    found = tune("full", data, options, agreement="consistency", method=method, folds=3)
    assert found.value == 1
    assert found.untuned < 1
    assert hb.metrics.get(found.spec) == found.metric
    segments, _ = twin.values(found.spec, SYSTEMS, REFERENCES, range(N))
    assert all(
        segments[a, k] > segments[b, k] for k, a, b, _ in preferences("full:alpha=0.3,beta=0.8")
    )


def test_a_grid_finds_what_trying_all_finds() -> None:
    given = preferences(None, 5)
    found = tune("full", test_set(given), "alpha=0:1:0.25", method="grid", folds=FOLDS, seed=7)
    folds = parts(7)
    everything = set(range(N))
    tried = (0.0, 0.25, 0.5, 0.75, 1.0)

    def value(alpha: float, part: set[int]) -> float:
        spec = f"full:alpha={alpha}"
        return twin.agreement("consistency", spec, SYSTEMS, REFERENCES, given, part)

    assert found.settings["alpha"] == max(tried, key=lambda alpha: value(alpha, everything))
    assert found.tried == 5
    for fold, part in zip(found.folds, folds, strict=True):
        best = max(tried, key=lambda alpha: value(alpha, everything - part))
        assert fold.settings == {"alpha": best}
        assert fold.training == pytest.approx(value(best, everything - part))
        assert fold.held_out == pytest.approx(value(best, part))
        assert fold.untuned == pytest.approx(value(0.5, part))
    assert found.held_out == pytest.approx(sum(fold.held_out for fold in found.folds) / FOLDS)


def test_costs_and_weights_can_be_tuned() -> None:
    data = test_set(preferences("invwer:inversion=2"))
    found = tune("invwer", data, "inversion=0:4:1", method="grid")
    assert found.value == 1
    assert found.settings["inversion"] > 1
    weights = tune("pef", data, ["exact", "stem=0.2:1:0.2"], "en", restarts=2)
    assert set(weights.settings) == {"exact", "stem"}
    assert weights.metric.language == "en"


def test_trees_of_a_test_set_are_used() -> None:
    def chain(line: str) -> hb.DependencyTree:
        words = line.split()
        return hb.DependencyTree(words, list(range(len(words))))

    data = replace(
        test_set(preferences(None)),
        trees={name: [chain(line) for line in lines] for name, lines in SYSTEMS.items()},
        reference_trees=[[chain(line) for line in lines] for lines in REFERENCES],
    )
    found = tune("dted:match=aligned", data, "exact=0.5:1:0.5", method="grid")
    assert "parser:given" in found.signature
    assert found.tried == 2


# Cross-validation -------------------------------------------------------------------------------


def test_of_guesses_only_the_tuned_figure_looks_good() -> None:
    """Nothing agrees with people who guess: what is held out shows it, what was tuned does not."""
    gains, held_out = [], []
    for seed in range(12):
        data = test_set(preferences(None, seed))
        found = tune("full", data, ["alpha", "gamma=0:1:0.25"], restarts=5, seed=seed)
        assert found.value >= found.untuned
        assert all(fold.training >= found.untuned - 0.1 for fold in found.folds)
        gains.append(found.value - 0.5)
        held_out.append(found.held_out - 0.5)
    assert np.mean(gains) > np.mean(held_out) + 0.01
    assert abs(np.mean(held_out)) < 0.03


def test_what_is_held_out_does_not_change_what_is_chosen() -> None:
    """People change their minds on one fold: the settings that are tested on it stay."""
    given = preferences(None, 9)
    part = parts(7)[0]
    changed = [(k, b, a, n) if k in part else (k, a, b, n) for k, a, b, n in given]
    options = ["alpha", "beta=0:1:0.25"]
    before, after = (
        tune("full", test_set(one), options, method="grid", folds=FOLDS, seed=7)
        for one in (given, changed)
    )
    assert before.folds[0].settings == after.folds[0].settings
    assert before.folds[0].training == after.folds[0].training
    assert before.folds[0].held_out != after.folds[0].held_out
    assert before.folds[1] != after.folds[1]


def test_folds_share_judged_segments_evenly_and_cover_all() -> None:
    folds = parts(3)
    assert sorted(k for part in folds for k in part) == list(range(N))
    sizes = [len(part & set(JUDGED)) for part in folds]
    assert max(sizes) - min(sizes) <= 1


def test_the_same_seed_gives_the_same_result() -> None:
    data = test_set(preferences(None, 2))
    first, again = (tune("full", data, ["alpha", "beta"], restarts=3, seed=5) for _ in range(2))
    other = tune("full", data, ["alpha", "beta"], restarts=3, seed=6)
    assert first.to_dict() == again.to_dict()
    assert first.folds != other.folds


# The result -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found() -> Tuning:
    data = test_set(preferences("full:alpha=0.3"))
    return tune("full", data, "alpha=0:1:0.1", method="grid", curves=True)


def test_score_takes_what_is_found(found: Tuning) -> None:
    result = hb.score(SYSTEMS["w"], REFERENCES, found.spec)
    assert result[found.spec].signature == found.signature
    assert str(hb.metrics.from_signature(found.signature).signature(1)) == found.signature
    assert pickle.loads(pickle.dumps(found.metric)) == found.metric


def test_curves_are_the_agreements_at_each_value(found: Tuning) -> None:
    given = preferences("full:alpha=0.3")
    for alpha, value in zip(found.lattice["alpha"], found.curves["alpha"], strict=True):
        spec = f"full:alpha={alpha}"
        expected = twin.agreement("consistency", spec, SYSTEMS, REFERENCES, given, set(range(N)))
        assert value == pytest.approx(expected)


def test_as_json(found: Tuning) -> None:
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["metric"] == found.spec
    assert plain["settings"] == dict(found.settings)
    assert plain["held_out"] == found.held_out
    assert len(plain["folds"]) == 5
    assert repr(found).startswith(f"Tuning({found.spec!r}, consistency=")


def test_a_metric_that_gains_by_ties_is_found_out() -> None:
    """τ leaves ties out; a metric that decides less and is right where it does has a higher τ."""
    given = preferences("kendall")
    rng = random.Random(3)
    noisy = [(k, b, a, n) if rng.random() < 0.3 else (k, a, b, n) for k, a, b, n in given]
    found = tune("full", test_set(noisy), ["alpha", "beta", "gamma"], agreement="tau")
    assert found.ties is not None
    assert found.untuned_ties is not None
    tied = sum(n for k, a, b, n in noisy if _tied(found.spec, k, a, b))
    assert found.ties == pytest.approx(tied / sum(n for *_, n in noisy))
    more = replace(found, ties=0.5, untuned_ties=0.1)
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
def test_values_that_are_tried(spec: str, wanted: Any, values: list[float]) -> None:
    (found,) = lattice(hb.metrics.get(spec), wanted).values()
    assert found == tuple(values)


@pytest.mark.parametrize(
    ("spec", "wanted", "message"),
    [
        ("full", "alfa", "no option of full 'alfa'; did you mean alpha"),
        ("full", "bp", "full: bp is not a number; its numbers are beta, gamma, alpha"),
        ("full", "align", "full: align is not a number"),
        ("wer", "tok", "wer: tok is not a number; its numbers are none"),
        ("full:order=kendall", "beta", "no option of full 'beta'"),
        ("full", "alpha=0.8:0.2", "full: alpha: the range 0.8:0.2 is upside down"),
        ("full", "alpha=0:2", "full: alpha is from 0 to 1, not 2"),
        ("full", "alpha=0", "'0' is not a range such as 0:1"),
        ("full", "alpha=0:1:2:3", "is not a range"),
        ("full", "alpha=x:1", "full: alpha is a number, not 'x'"),
        ("full", "alpha=0:1:x", "the step is a number, not 'x'"),
        ("full", "alpha=0:1:0", "the step is more than 0, not 0"),
        ("full", "alpha=0:1:-0.1", "the step is more than 0"),
        ("full", "alpha=0:1:2", "one value or none"),
        ("full", "alpha=0.5:0.5", "one value or none"),
        ("full", "alpha=0:1:0.00001", "more than 10,000 values"),
        ("full", ["alpha", "ALPHA"], "alpha is to be tuned twice"),
        ("full", [], "no option is to be tuned"),
        ("full", {"alpha": []}, "one value or none"),
        ("full", {"alpha": [0, 3]}, "full: alpha is from 0 to 1, not 3"),
    ],
)
def test_what_cannot_be_tuned_is_refused(spec: str, wanted: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lattice(hb.metrics.get(spec), wanted)


def test_climbing_ends_on_tops_and_takes_the_best() -> None:
    generator = np.random.default_rng(2)
    for _ in range(50):
        table = generator.random((5, 4, 3))
        starts = random_points(table.shape, 6, int(generator.integers(100)))
        found = climb(lambda p, t=table: float(t[p]), table.shape, starts)  # type: ignore[misc]
        for axis, size in enumerate(table.shape):
            for step in (-1, 1):
                near = list(found)
                near[axis] += step
                if 0 <= near[axis] < size:
                    assert table[tuple(near)] < table[found]
        assert table[found] >= max(table[start] for start in starts)
        best = grid(lambda p, t=table: float(t[p]), table.shape)  # type: ignore[misc]
        assert table[best] == table.max()


def test_climbing_finds_the_only_top_from_anywhere() -> None:
    def hill(point: tuple[int, ...]) -> float:
        return -((point[0] - 6) ** 2) - 2 * (point[1] - 1) ** 2

    for start in itertools.product(range(9), range(5)):
        assert climb(hill, [9, 5], [start]) == (6, 1)


def test_random_points_are_everywhere() -> None:
    assert len(set(random_points([3, 2], 200, 1))) == 6


def test_what_is_made_for_now_is_forgotten() -> None:
    shared = Shared()
    assert shared.once("kept", lambda: 1) == 1
    with shared.for_now():
        assert shared.once("kept", lambda: 2) == 1
        assert shared.once("made", lambda: 3) == 3
    assert shared.once("made", lambda: 4) == 4


# Bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "anneal"}, "method is one of climb, grid, not 'anneal'"),
        ({"restarts": 0}, "restarts is 0, but it must be at least 1"),
        ({"folds": 1}, "folds is 1, but it must be at least 2"),
        ({"folds": 56}, "de-en: 56 folds, but only 55 segments are judged"),
        ({"seed": -1}, "seed is -1"),
        ({"agreement": "tua"}, "no agreement 'tua'; did you mean tau"),
        ({"agreement": "pearson_sys", "average": "item"}, "averaged by one of none"),
        ({"agreement": "pearson", "people": "segments"}, "de-en has no segments"),
        ({"data": []}, "no test sets"),
        ({"metric": "fool"}, "no metric 'fool'"),
        ({"metric": "edit"}, "edit is 5 metrics: one can be tuned at a time"),
        ({"metric": "full:align=given"}, "de-en: full: its alignments are to be given"),
        ({"options": ["alpha=0:1:0.0005", "beta=0:1:0.0005"], "method": "grid"}, "4,004,001 setti"),
    ],
)
def test_bad_input_is_refused(options: dict[str, Any], message: str) -> None:
    data = test_set(preferences(None))
    given = {"metric": "full", "data": data, "options": "alpha", **options}
    with pytest.raises(ValueError, match=message):
        tune(**given)


def test_a_metric_that_never_decides_is_refused() -> None:
    same = dict.fromkeys(NAMES, SYSTEMS["w"])
    data = TestSet("de-en", same, REFERENCES, rankings=people(preferences(None)))
    with pytest.raises(InputError, match="tau of full is never defined: de-en: "):
        tune("full", data, "alpha", agreement="tau")


def test_folds_on_which_agreement_is_not_defined_are_refused() -> None:
    same = {name: [*lines] for name, lines in SYSTEMS.items()}
    for name in NAMES:
        same[name][10:] = SYSTEMS["w"][10:]  # from here on, all are equal
    data = TestSet("de-en", same, REFERENCES, rankings=people(preferences(None)))
    with pytest.raises(InputError, match="tau is not defined on each of 50 folds of 55 judged"):
        tune("full", data, "alpha=0:1:0.5", agreement="tau", folds=50)


def test_data_is_a_folder_too(tmp_path: Any) -> None:
    (tmp_path / "systems").mkdir()
    for name, lines in SYSTEMS.items():
        (tmp_path / "systems" / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "reference.txt").write_text("\n".join(r for (r,) in REFERENCES) + "\n", "utf-8")
    rows = ["seg_id\tbetter\tworse\tn", *("\t".join(map(str, p)) for p in preferences(None))]
    (tmp_path / "pairwise.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    found = tune("full", tmp_path, "alpha=0:1:0.25")
    assert found.folds == tune("full", test_set(preferences(None)), "alpha=0:1:0.25").folds
