"""Meta-evaluation: intervals, tests between metrics, averages, and what cannot be computed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

import hyperbaton as hb
from hyperbaton.errors import InputError
from hyperbaton.meta import agreement
from hyperbaton.meta.evaluation import meta_evaluate
from hyperbaton.meta.judgements import Floats, Rankings, Scores
from hyperbaton.meta.measures import UNITS
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.plan import TESTS
from hyperbaton.meta.results import MetaEvaluation, MetricDifference
from hyperbaton.meta.samples import bootstrapped, exchanged
from hyperbaton.meta.testsets import TestSet
from hyperbaton.metrics.sampling import Sampling
from hyperbaton.stats.resampling import bootstrap_counts, swap_counts
from hyperbaton.stats.significance import randomization_p
from meta.corpora import QUALITY, N, small, write_folder
from reference import agreement as naive

METRICS = ["kendall", "wer", "bleu", "adjacency"]


def evaluated(*data: TestSet, **options: object) -> MetaEvaluation:
    given = {"metrics": METRICS, "samples": 50, **options}
    return meta_evaluate(list(data), **given)  # type: ignore[arg-type]


def test_values_are_those_of_the_scores() -> None:
    given = small()
    found = evaluated(given)
    names = list(given.systems)
    assert given.segments is not None
    judgements = naive.pairs_of(given.segments.segments.tolist())
    results = [hb.score(given.systems[name], given.references, METRICS) for name in names]
    for metric in METRICS:
        sign = -1 if metric == "wer" else 1  # fewer errors are better
        table = [(sign * result[metric].segments).tolist() for result in results]
        expected = naive.of_pairs("tau", judgements, table, "none")
        one = found["de-en", metric]
        assert one.value == pytest.approx(expected)
        assert one.signature == results[0][metric].signature
        assert one.lower < one.value < one.upper  # type: ignore[operator]
    whole = evaluated(given, agreement="pearson_sys")
    assert given.whole is not None
    for metric in METRICS:
        sign = -1 if metric == "wer" else 1
        values = [sign * result[metric].value for result in results]
        expected = scipy.stats.pearsonr(values, given.whole.of_whole_systems()).statistic
        assert whole["de-en", metric].value == pytest.approx(expected)


def test_scores_of_systems_in_samples_are_those_of_the_sample() -> None:
    """BLEU of a sample of segments is no mean of segments' BLEU."""
    given = small()
    result = [hb.score(lines, given.references, "bleu")["bleu"] for lines in given.systems.values()]
    metric = MetricScores.of_ours("bleu", result)
    counts = np.random.default_rng(1).integers(0, 3, (2, N)).astype(np.int32)
    found = metric.sampled(counts, 1)
    for row, values in zip(counts, found, strict=True):
        chosen = np.repeat(np.arange(N), row).tolist()
        references = [given.references[k] for k in chosen]
        for lines, value in zip(given.systems.values(), values, strict=True):
            expected = hb.score([lines[k] for k in chosen], references, "bleu")["bleu"].value
            assert value == pytest.approx(expected)
    only = metric.only(counts[0] > 0)
    assert only.whole == pytest.approx(metric.sampled((counts[:1] > 0).astype(np.int32), 1)[0])
    assert np.isnan(only.segments[:, counts[0] == 0]).all()


@pytest.mark.parametrize("name", list(agreement.MEASURES))
def test_every_measure_every_unit_every_test(name: str) -> None:
    """Each has values and intervals, or says why not; the same ones on each run."""
    given = small()
    for over in UNITS:
        for test in TESTS:
            options = {"agreement": name, "bootstrap": over, "test": test, "samples": 8}
            try:
                found = evaluated(given, metrics=["kendall", "wer"], **options)
            except (InputError, ValueError) as error:
                assert "Williams" in str(error) or over == "rankings"  # noqa: PT017
                continue
            one, two = found.agreements
            assert one.value is not None
            assert two.value is not None
            assert found.differences[0].difference == pytest.approx(one.value - two.value)
            assert 0 <= found.differences[0].p <= 1  # type: ignore[operator]
            assert -1 <= one.lower <= one.upper <= 1  # type: ignore[operator]
            again = evaluated(given, metrics=["kendall", "wer"], **options)
            assert again.to_json() == found.to_json()


def random_metrics(
    rng: np.random.Generator, count: int, noise: float = 1.0
) -> tuple[Scores, list[MetricScores]]:
    """People, and metrics that agree with them equally well."""
    systems = tuple(map(str, range(6)))
    truth = rng.normal(size=(6, 30))
    people = Scores(systems, truth + rng.normal(size=truth.shape))
    given = [truth + noise * rng.normal(size=truth.shape) for _ in range(count)]
    return people, [MetricScores.of_scores(str(k), Scores(systems, x)) for k, x in enumerate(given)]


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
def test_p_of_the_permutation_test_is_uniform_if_metrics_are_alike(name: str, average: str) -> None:
    """p ≤ x happens with probability x, or less: agreements of few systems have many ties."""
    rng = np.random.default_rng(11)
    measure = agreement.get(name, average)
    unit = "systems" if measure.level == "system" else "segments"
    p_values = []
    for trial in range(300):
        people, metrics = random_metrics(rng, 2)
        found = measure.sampled(people, metrics, unit)
        (coins,) = swap_counts(found[0].units, 99, trial, 1)
        sampled = exchanged(found, [(0, 1)], coins, 1)[:, 0]
        p_values.append(randomization_p(found[0].value - found[1].value, sampled))
    if name in ("kendall_sys", "pearson_sys"):  # six systems: 32 exchanges there are
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
        found = agreement.get(name).sampled(people, [good, bad])
        (coins,) = swap_counts(found[0].units, 999, 1, 1)
        sampled = exchanged(found, [(0, 1)], coins, 1)[:, 0]
        assert randomization_p(found[0].value - found[1].value, sampled) == 0.001


@pytest.mark.parametrize(
    ("name", "average"),
    [
        (name, average)
        for name in agreement.MEASURES
        if name != "acc_eq"  # whose thresholds are those of the metrics before
        for average in agreement.get(name).averages
    ],
)
def test_an_exchange_is_as_if_the_scores_were_exchanged(name: str, average: str) -> None:
    measure = agreement.get(name, average)
    people, (a, b) = random_metrics(np.random.default_rng(13), 2)
    whole = measure.level == "system"

    def standard(x: Floats) -> Floats:
        return np.asarray((x - x.mean()) / x.std())

    x, y = (standard(one.whole if whole else one.segments) for one in (a, b))
    unit = "systems" if whole else "segments"
    if name.startswith(("tau", "consistency", "accuracy")) and not whole:
        x, y = a.segments, b.segments  # only orders count, in each segment for itself
    found = measure.sampled(people, [a, b], unit)
    (coins,) = swap_counts(found[0].units, 5, 3, 1)
    values = exchanged(found, [(0, 1)], coins, 1)[:, 0]
    for row, value in zip(coins, values, strict=True):
        mixed, unmixed = np.where(row, x, y), np.where(row, y, x)
        if whole:
            one, two = (measure.value(people, a.segments, s) for s in (mixed, unmixed))
        else:
            one, two = (measure.value(people, s) for s in (mixed, unmixed))
        assert value == pytest.approx(one - two, abs=1e-9)


def test_metrics_get_the_same_samples_together_as_alone() -> None:
    people, metrics = random_metrics(np.random.default_rng(14), 3)
    for name in ("tau", "acc_eq", "pearson", "spearman", "pearson_sys"):
        found = agreement.get(name).sampled(people, metrics)
        (counts,) = bootstrap_counts(found[0].units, 6, 1, 1)
        alone = [one.of_samples(counts, 1) for one in found]
        np.testing.assert_allclose(bootstrapped(found, counts, 1).T, alone, rtol=1e-12)


def test_williams_is_of_the_correlations() -> None:
    found = evaluated(small(), agreement="pearson", test="williams", metrics=["kendall", "wer"])
    (one,) = found.differences
    assert one.p is not None
    assert 0 < one.p < 1
    with pytest.raises(ValueError, match="Williams' test is of Pearson's r"):
        evaluated(small(), agreement="tau", test="williams")


def test_williams_of_three_systems_has_no_p() -> None:
    """The formula has n − 3 degrees of freedom."""
    given = small()
    names = ("good", "fair", "poor")
    assert given.whole is not None
    whole = Scores(names, np.full((3, N), np.nan), given.whole.of_whole_systems()[:3])
    systems = {name: given.systems[name] for name in names}
    three = TestSet.of("de-en", systems, given.references, [whole])
    found = evaluated(three, agreement="pearson_sys", test="williams", metrics=["kendall", "wer"])
    (one,) = found.differences
    assert (one.p, one.better) == (None, None)
    assert found.notes[-1] == "de-en: Williams' test needs 4 values, and there are fewer"


def test_rankings_are_those_of_the_scores() -> None:
    found = evaluated(small(), agreement="c_R", metrics=["kendall"])
    given = small()
    assert given.whole is not None
    people = dict(zip(given.systems, given.whole.of_whole_systems(), strict=True))
    order = sorted(people, key=lambda name: -people[name])
    assert found.systems == {"de-en": tuple(order)}
    scores = {
        name: hb.score(lines, given.references, "kendall")["kendall"].value
        for name, lines in given.systems.items()
    }
    expected = [order.index(name) + 1 for name in sorted(scores, key=lambda name: -scores[name])]
    assert found["de-en", "kendall"].ranking == tuple(expected)
    assert evaluated(small(), metrics=["kendall"])["de-en", "kendall"].ranking is None


def test_a_system_that_was_not_judged_has_no_place() -> None:
    given = small()
    whole = Scores(tuple(given.systems), np.full((4, N), np.nan), np.array([4.0, np.nan, 3, 2]))
    found = evaluated(replace(given, whole=whole), agreement="c_R", metrics=["kendall"])
    names = list(given.systems)
    assert found.systems == {"de-en": (names[0], names[2], names[3])}
    assert sorted(found["de-en", "kendall"].ranking or ()) == [1, 2, 3]


def test_the_t_test_over_samples_comes_with_a_warning() -> None:
    found = evaluated(small(), test="t", samples=200)
    assert "takes samples for observations" in found.warnings[0]
    assert not evaluated(small()).warnings
    assert "no p can be less than 0.100" in evaluated(small(), samples=9).warnings[0]


def test_tables_over_several_pairs() -> None:
    found = evaluated(small("de-en", 1), small("fr-en", 2), samples=200)
    assert found.pairs == ("de-en", "fr-en")
    for a, b in combinations(METRICS, 2):
        new, old, draws = found.wins(a, b)
        assert new + old + draws == 2
        assert found.wins(b, a) == (old, new, draws)
    means = found.averages()
    assert [one.rank for one in means] == sorted(one.rank for one in means)
    values = {m: [found[pair, m].value for pair in found.pairs] for m in METRICS}
    for one in means:
        assert one.value == pytest.approx(np.mean(values[one.metric]))  # type: ignore[arg-type]
    ranks = scipy.stats.rankdata([[-values[m][k] for m in METRICS] for k in (0, 1)], axis=1)  # type: ignore[operator]
    assert {one.metric: one.rank for one in means} == dict(
        zip(METRICS, ranks.mean(axis=0).tolist(), strict=True)
    )


def test_who_is_unbeaten() -> None:
    differences = [("x", "y", "x"), ("x", "z", None), ("y", "z", None)]
    base = evaluated(small(), metrics=["kendall"])
    own = [replace(base.agreements[0], metric=name) for name in "xyz"]
    found = replace(
        base,
        metrics=tuple("xyz"),
        agreements=tuple(own),
        differences=tuple(
            MetricDifference("de-en", a, b, 0.1, None, None, 0.01, better)
            for a, b, better in differences
        ),
    )
    assert found.unbeaten("de-en") == {"x", "z"}
    assert found.wins("x", "y") == (1, 0, 0)
    assert found.wins("y", "x") == (0, 1, 0)


def test_json() -> None:
    found = evaluated(small())
    document = json.loads(found.to_json())
    assert document["schema"] == "hyperbaton/meta/1"
    (pair,) = document["pairs"]
    assert pair["metrics"]["wer"]["value"] == found["de-en", "wer"].value
    assert len(pair["differences"]) == 6
    assert pair["counts"] == {
        "people": "rankings",
        "systems": 4,
        "used_systems": 4,
        "segments": N,
        "judged": N,
        "scored": N,
        "used": N,
        "judgements": 6 * N,
        "used_judgements": 6 * N,
    }


@pytest.mark.parametrize(
    ("measure", "people", "kind"),
    [
        ("tau", None, "rankings"),
        ("tau", "segments", "segments"),
        ("pearson", "ranks", "ranks"),
        ("pearson_sys", None, "systems"),
        ("pearson_sys", "segments", "segments"),
        ("pearson_sys", "rankings", "rankings"),
        ("pearson_sys", "ranks", "ranks"),
    ],
)
def test_which_judgements_and_how_many_systems_are_used(
    measure: str, people: str | None, kind: str
) -> None:
    given = small()
    scores = np.random.default_rng(1).random((4, N))
    scores[1] = np.nan
    given = replace(given, others={"comet": Scores(tuple(given.systems), scores)})
    found = evaluated(given, metrics=["kendall"], agreement=measure, people=people)
    (counted,) = found.counts
    assert (counted.people, counted.systems, counted.used_systems) == (kind, 4, 3)
    if kind == "systems":
        assert (counted.judgements, counted.used_judgements) == (4, 3)
    assert not found.warnings


def test_a_warning_if_others_leave_less_than_half() -> None:
    given = small()
    scores = np.random.default_rng(1).random((4, N))
    scores[:, 15:] = np.nan
    given = replace(given, others={"comet": Scores(tuple(given.systems), scores)})
    (warning,) = evaluated(given, metrics=["kendall"]).warnings
    assert warning.startswith(f"de-en: only {6 * 15} of {6 * N} judgements are used")


@pytest.mark.parametrize("name", ["wer", "TER", "invwer:case=lc"])
def test_error_rates_of_others_are_turned(name: str) -> None:
    """By their names, once, and not if they were turned before."""
    given = small()
    scores = np.random.default_rng(1).random((4, N))

    def value(name: str, table: Floats, **options: object) -> tuple[float | None, tuple[str, ...]]:
        others = {name: Scores(tuple(given.systems), table)}
        found = evaluated(replace(given, others=others), metrics=["kendall"], **options)
        return found["de-en", name].value, found.notes

    turned = value("comet", -scores)
    note = f"de-en: {name} is an error rate: the signs of its scores were changed"
    assert value(name, scores) == (turned[0], (note,))
    assert value(name, scores, negate=[name]) == turned
    assert value(name, -scores) == turned


def test_unknown_names_are_told() -> None:
    found = evaluated(small(), metrics=["kendall", "wer"])
    with pytest.raises(KeyError, match="there is no metric 'x'; there are kendall, wer"):
        found.wins("wer", "x")
    with pytest.raises(KeyError, match="there is no test set 'xx'; there are de-en"):
        found.unbeaten("xx")
    with pytest.raises(KeyError, match="there is no metric 'bleu'"):
        found["de-en", "bleu"]


def test_only_what_all_have_scored_is_compared() -> None:
    """Segments judged and scored are intersected, for all metrics alike, and counted."""
    given = small()
    scores = np.random.default_rng(1).random((4, N))
    scores[:, 30:] = np.nan
    scores[0, 3] = np.nan
    given = replace(given, others={"comet": Scores(tuple(given.systems), scores)})
    found = evaluated(given, metrics=["kendall"])
    (counted,) = found.counts
    assert (counted.judged, counted.scored, counted.used) == (N, 30, 30)
    assert (counted.judgements, counted.used_judgements) == (6 * N, 6 * 30 - 3)
    kendall = [hb.score(lines, given.references, "kendall") for lines in given.systems.values()]
    table = np.where(np.isnan(scores), np.nan, [one["kendall"].segments for one in kendall])
    expected = agreement.get("tau").value(given.rankings, table)  # type: ignore[arg-type]
    assert found["de-en", "kendall"].value == pytest.approx(expected)


def test_error_rates_of_others_are_negated() -> None:
    given = small()
    scores = np.random.default_rng(1).random((4, N))
    given = replace(given, others={"mine": Scores(tuple(given.systems), scores)})
    plain, negated = (
        evaluated(given, metrics=["kendall"], negate=names)["de-en", "mine"].value
        for names in ((), ("mine",))
    )
    assert plain == pytest.approx(-negated)  # type: ignore[operator]
    with pytest.raises(InputError, match="no scores of a metric 'kendall' to negate"):
        evaluated(given, metrics=["kendall"], negate=["kendall"])


def test_systems_scored_on_judged_segments_only() -> None:
    given = small()
    assert given.rankings is not None
    few = np.arange(N) < 15
    given = replace(given, rankings=given.rankings.only(few), segments=None, whole=None)
    found = evaluated(given, metrics=["wer"], agreement="pearson_sys", judged_only=True)
    values = [
        -hb.score(list(lines[:15]), given.references[:15], "wer")["wer"].value
        for lines in given.systems.values()
    ]
    assert given.rankings is not None
    expected = scipy.stats.pearsonr(values, given.rankings.share_won()).statistic
    assert found["de-en", "wer"].value == pytest.approx(expected)


def test_human_scores_weighted_by_length() -> None:
    given = small()
    assert given.segments is not None
    options = {"metrics": ["wer"], "agreement": "pearson_sys", "people": "segments"}
    found = evaluated(given, weighted=True, **options)
    lengths = [len(texts[0].split()) for texts in given.references]
    people = np.average(given.segments.segments, axis=1, weights=lengths)
    values = [-hb.score(x, given.references, "wer")["wer"].value for x in given.systems.values()]
    expected = scipy.stats.pearsonr(values, people).statistic
    assert found["de-en", "wer"].value == pytest.approx(expected)
    with pytest.raises(InputError, match="can be weighted"):
        evaluated(given, weighted=True)


def test_a_metric_that_is_constant_is_marked() -> None:
    given = small()
    constant = Scores(tuple(given.systems), np.ones((4, N)))
    given = replace(given, others={"same": constant})
    for name in ("tau", "pearson", "spearman_sys"):
        found = evaluated(given, metrics=["kendall"], agreement=name)
        assert found["de-en", "same"].value is None
        assert found["de-en", "kendall"].value is not None
        assert "same" in found.notes[0]
        assert "constant" in found.notes[0]
        assert not found.differences
        assert [one.metric for one in found.averages()] == ["kendall"]
        assert json.loads(found.to_json())["pairs"][0]["metrics"]["same"]["value"] is None


def test_fewer_than_three_systems_are_refused() -> None:
    given = small()
    names = list(QUALITY)[:2]
    assert given.segments is not None
    both = Scores(tuple(names), given.segments.segments[:2])
    two = TestSet.of("x", {n: given.systems[n] for n in names}, given.references, [both])
    with pytest.raises(InputError, match="x: pearson_sys needs 3 systems, but 2 are both judged"):
        evaluated(two, agreement="pearson_sys")
    assert evaluated(two)["x", "kendall"].value is not None


def test_what_else_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path / "de-en")
    data = str(tmp_path / "de-en")
    assert meta_evaluate(data, "wer", samples=5).pairs == ("de-en",)
    for options, message in [
        ({"agreement": "x"}, "there is no agreement 'x'"),
        ({"bootstrap": "x"}, "bootstrap is one of segments, rankings, systems, not 'x'"),
        ({"test": "x"}, "test is one of permutation, bootstrap, williams, t, not 'x'"),
        ({"people": "x"}, "people is one of rankings, ranks, segments, systems, not 'x'"),
        ({"samples": 0}, "samples is 0, but it must be at least 1"),
        ({"level": 2.0}, "level is a share between 0 and 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            meta_evaluate(data, "wer", **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="two test sets are called de-en"):
        meta_evaluate([data, data], "wer")
    with pytest.raises(InputError, match="there are no test sets"):
        meta_evaluate([], "wer")


def test_a_sample_without_an_agreement_is_left_out_and_counted() -> None:
    """With one judged pair in each of two segments, a sample may have only ties."""
    systems: dict[str, Sequence[str]] = {"x": ["a b", "a b"], "y": ["b a", "a b"]}
    people = Rankings.from_pairs(["x", "y"], [0, 1], [0, 0], [1, 1], 2)
    given = TestSet.of("x", systems, [["a b"], ["a b"]], [people])
    found = meta_evaluate(given, "kendall", samples=100)
    (note,) = found.notes
    assert "samples in which an agreement is undefined left out" in note
    assert found["x", "kendall"].lower == found["x", "kendall"].upper == 1


def test_sampling_says_how() -> None:
    found = evaluated(small(), samples=7, seed=3, level=0.9)
    assert found.sampling == Sampling("bootstrap", 7, 3, 0.9)
