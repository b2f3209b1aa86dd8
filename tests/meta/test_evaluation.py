"""Meta-evaluation: intervals, significance tests, averages, and undefined values."""

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
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.plan import TESTS, UNITS
from hyperbaton.meta.results import MetaEvaluation, MetricDifference
from hyperbaton.meta.testsets import TestSet
from hyperbaton.stats.sampling import Sampling
from meta.corpora import ERROR_RATES, N, small, write_folder
from reference import agreement as naive

METRICS = ["kendall", "wer", "bleu", "adjacency"]


def evaluate(*data: TestSet, **options: object) -> MetaEvaluation:
    arguments = {"metrics": METRICS, "samples": 50, **options}
    return meta_evaluate(list(data), **arguments)  # type: ignore[arg-type]


def test_values_agree_with_scores_and_naive_measures() -> None:
    data = small()
    evaluation = evaluate(data)
    names = list(data.systems)
    assert data.segments is not None
    judgements = naive.judged_pairs(data.segments.segments.tolist())
    results = [hb.score(data.systems[name], data.references, METRICS) for name in names]
    for metric in METRICS:
        sign = -1 if metric == "wer" else 1  # fewer errors are better
        table = [(sign * result[metric].segments).tolist() for result in results]
        expected = naive.pair_agreement("tau", judgements, table, "none")
        one = evaluation["de-en", metric]
        assert one.value == pytest.approx(expected)
        assert one.signature == results[0][metric].signature
        assert one.lower < one.value < one.upper  # type: ignore[operator]
    whole = evaluate(data, agreement="pearson_sys")
    assert data.whole is not None
    for metric in METRICS:
        sign = -1 if metric == "wer" else 1
        values = [sign * result[metric].computed_value for result in results]
        expected = scipy.stats.pearsonr(values, data.whole.of_whole_systems()).statistic
        assert whole["de-en", metric].value == pytest.approx(expected)


def test_order_is_compared_without_its_limit() -> None:
    """Segments and systems that have no value to show have one here: 1 − X/M."""
    data = small()
    junk = {**data.systems, "bad": ["xyzzy " + line[:3] for line in data.systems["bad"]]}
    data = replace(data, systems=junk)
    results = [hb.score(lines, data.references, "order")["order"] for lines in junk.values()]
    assert results[-1].value is None
    assert np.isnan(results[-1].segments).all()
    assert data.whole is not None
    assert data.segments is not None
    values = [1 - score.sums[0] / score.sums[1] for score in results]
    expected = scipy.stats.pearsonr(values, data.whole.of_whole_systems()).statistic
    (found,) = evaluate(data, metrics=["order"], agreement="pearson_sys").agreements
    assert found.value == pytest.approx(expected)
    table = []
    for score in results:
        X, M, _ = score.kept_statistics.T
        table.append(np.where(M > 0, 1 - X / np.where(M > 0, M, 1), 1).tolist())
    judgements = naive.judged_pairs(data.segments.segments.tolist())
    tau = naive.pair_agreement("tau", judgements, table, "none")
    assert evaluate(data, metrics=["order"])["de-en", "order"].value == pytest.approx(tau)


def test_system_scores_in_samples_are_computed_from_the_sample() -> None:
    """BLEU of a sample is not the mean of the BLEU of its segments."""
    data = small()
    result = [hb.score(lines, data.references, "bleu")["bleu"] for lines in data.systems.values()]
    metric = MetricScores.from_computed("bleu", result)
    counts = np.random.default_rng(1).integers(0, 3, (2, N)).astype(np.int32)
    sampled = metric.sample_system_scores(counts, 1)
    for row, values in zip(counts, sampled, strict=True):
        chosen = np.repeat(np.arange(N), row).tolist()
        references = [data.references[k] for k in chosen]
        for lines, value in zip(data.systems.values(), values, strict=True):
            expected = hb.score([lines[k] for k in chosen], references, "bleu")["bleu"].value
            assert value == pytest.approx(expected)
    only = metric.restricted_to(counts[0] > 0)
    assert only.system_scores == pytest.approx(
        metric.sample_system_scores((counts[:1] > 0).astype(np.int32), 1)[0]
    )
    assert np.isnan(only.segments[:, counts[0] == 0]).all()


@pytest.mark.parametrize("name", list(agreement.MEASURES))
def test_every_measure_with_every_unit_and_test(name: str) -> None:
    """Each combination has reproducible values and intervals, or raises an error."""
    data = small()
    for over in UNITS:
        for test in TESTS:
            options = {"agreement": name, "bootstrap": over, "test": test, "samples": 8}
            try:
                evaluation = evaluate(data, metrics=["kendall", "wer"], **options)
            except (InputError, ValueError) as error:
                assert "Williams" in str(error) or over == "rankings"  # noqa: PT017
                continue
            one, two = evaluation.agreements
            assert one.value is not None
            assert two.value is not None
            assert evaluation.differences[0].difference == pytest.approx(one.value - two.value)
            assert 0 <= evaluation.differences[0].p <= 1  # type: ignore[operator]
            assert -1 <= one.lower <= one.upper <= 1  # type: ignore[operator]
            again = evaluate(data, metrics=["kendall", "wer"], **options)
            assert again.to_json() == evaluation.to_json()


def test_williams_test_needs_correlations() -> None:
    evaluation = evaluate(small(), agreement="pearson", test="williams", metrics=["kendall", "wer"])
    (one,) = evaluation.differences
    assert one.p is not None
    assert 0 < one.p < 1
    with pytest.raises(ValueError, match="Williams' test needs pearson"):
        evaluate(small(), agreement="tau", test="williams")


def test_williams_test_of_three_systems_has_no_p() -> None:
    """The formula has n − 3 degrees of freedom."""
    data = small()
    names = ("good", "fair", "poor")
    assert data.whole is not None
    whole = Scores(names, np.full((3, N), np.nan), data.whole.of_whole_systems()[:3])
    systems = {name: data.systems[name] for name in names}
    three = TestSet.of("de-en", systems, data.references, [whole])
    evaluation = evaluate(
        three, agreement="pearson_sys", test="williams", metrics=["kendall", "wer"]
    )
    (one,) = evaluation.differences
    assert (one.p, one.better) == (None, None)
    assert evaluation.notes[-1] == "de-en: Williams' test needs at least 4 values"


def test_rankings_of_systems_follow_the_scores() -> None:
    evaluation = evaluate(small(), agreement="c_R", metrics=["kendall"])
    data = small()
    assert data.whole is not None
    people = dict(zip(data.systems, data.whole.of_whole_systems(), strict=True))
    order = sorted(people, key=lambda name: -people[name])
    assert evaluation.systems == {"de-en": tuple(order)}
    scores = {
        name: float(hb.score(lines, data.references, "kendall")["kendall"])
        for name, lines in data.systems.items()
    }
    expected = [order.index(name) + 1 for name in sorted(scores, key=lambda name: -scores[name])]
    assert evaluation["de-en", "kendall"].ranking == tuple(expected)
    assert evaluate(small(), metrics=["kendall"])["de-en", "kendall"].ranking is None


def test_systems_without_judgements_are_not_ranked() -> None:
    data = small()
    whole = Scores(tuple(data.systems), np.full((4, N), np.nan), np.array([4.0, np.nan, 3, 2]))
    evaluation = evaluate(replace(data, whole=whole), agreement="c_R", metrics=["kendall"])
    names = list(data.systems)
    assert evaluation.systems == {"de-en": (names[0], names[2], names[3])}
    assert sorted(evaluation["de-en", "kendall"].ranking or ()) == [1, 2, 3]


def test_weak_significance_tests_are_reported() -> None:
    evaluation = evaluate(small(), test="t", samples=200)
    assert "treats bootstrap samples as observations" in evaluation.warnings[0]
    assert not evaluate(small()).warnings
    assert "no p can be less than 0.100" in evaluate(small(), samples=9).warnings[0]


def test_wins_and_averages_over_several_test_sets() -> None:
    evaluation = evaluate(small("de-en", 1), small("fr-en", 2), samples=200)
    assert evaluation.pairs == ("de-en", "fr-en")
    for a, b in combinations(METRICS, 2):
        new, old, draws = evaluation.wins(a, b)
        assert new + old + draws == 2
        assert evaluation.wins(b, a) == (old, new, draws)
    means = evaluation.averages()
    assert [one.rank for one in means] == sorted(one.rank for one in means)
    values = {m: [evaluation[pair, m].value for pair in evaluation.pairs] for m in METRICS}
    for one in means:
        assert one.value == pytest.approx(np.mean(values[one.metric]))  # type: ignore[arg-type]
    ranks = scipy.stats.rankdata([[-values[m][k] for m in METRICS] for k in (0, 1)], axis=1)  # type: ignore[operator]
    assert {one.metric: one.rank for one in means} == dict(
        zip(METRICS, ranks.mean(axis=0).tolist(), strict=True)
    )


def test_unbeaten_metrics() -> None:
    differences = [("x", "y", "x"), ("x", "z", None), ("y", "z", None)]
    base = evaluate(small(), metrics=["kendall"])
    agreements = [replace(base.agreements[0], metric=name) for name in "xyz"]
    evaluation = replace(
        base,
        metrics=tuple("xyz"),
        agreements=tuple(agreements),
        differences=tuple(
            MetricDifference("de-en", a, b, 0.1, None, None, 0.01, better)
            for a, b, better in differences
        ),
    )
    assert evaluation.unbeaten("de-en") == {"x", "z"}
    assert evaluation.wins("x", "y") == (1, 0, 0)
    assert evaluation.wins("y", "x") == (0, 1, 0)


def test_json_contains_values_and_counts() -> None:
    evaluation = evaluate(small())
    document = json.loads(evaluation.to_json())
    assert document["schema"] == "hyperbaton/meta/1"
    (pair,) = document["pairs"]
    assert pair["metrics"]["wer"]["value"] == evaluation["de-en", "wer"].value
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
def test_counts_report_the_judgements_and_systems_used(
    measure: str, people: str | None, kind: str
) -> None:
    data = small()
    scores = np.random.default_rng(1).random((4, N))
    scores[1] = np.nan
    data = replace(data, others={"comet": Scores(tuple(data.systems), scores)})
    evaluation = evaluate(data, metrics=["kendall"], agreement=measure, people=people)
    (counted,) = evaluation.counts
    assert (counted.people, counted.systems, counted.used_systems) == (kind, 4, 3)
    if kind == "systems":
        assert (counted.judgements, counted.used_judgements) == (4, 3)
    assert not evaluation.warnings


def test_missing_scores_of_other_metrics_are_reported() -> None:
    data = small()
    scores = np.random.default_rng(1).random((4, N))
    scores[:, 15:] = np.nan
    data = replace(data, others={"comet": Scores(tuple(data.systems), scores)})
    (warning,) = evaluate(data, metrics=["kendall"]).warnings
    assert warning.startswith(f"de-en: only {6 * 15} of {6 * N} judgements are used")


@pytest.mark.parametrize("name", ["wer", "TER", "invwer:case=lc"])
def test_known_error_rates_of_other_programs_are_negated(name: str) -> None:
    """They are recognized by name; negative scores were negated before."""
    data = small()
    scores = np.random.default_rng(1).random((4, N))

    def value(name: str, table: Floats, **options: object) -> tuple[float | None, tuple[str, ...]]:
        others = {name: Scores(tuple(data.systems), table)}
        evaluation = evaluate(replace(data, others=others), metrics=["kendall"], **options)
        return evaluation["de-en", name].value, evaluation.notes

    negated = value("comet", -scores)
    note = f"de-en: {name} is an error rate; its scores were negated"
    assert value(name, scores) == (negated[0], (note,))
    assert value(name, scores, negate=[name]) == negated
    assert value(name, -scores) == negated


def test_unknown_names_raise_with_the_valid_names() -> None:
    evaluation = evaluate(small(), metrics=["kendall", "wer"])
    with pytest.raises(KeyError, match="unknown metric 'x'; valid names: kendall, wer"):
        evaluation.wins("wer", "x")
    with pytest.raises(KeyError, match="unknown test set 'xx'; valid names: de-en"):
        evaluation.unbeaten("xx")
    with pytest.raises(KeyError, match="unknown metric 'bleu'"):
        evaluation["de-en", "bleu"]


def test_only_translations_scored_by_all_metrics_are_compared() -> None:
    """All metrics are compared on the same judged and scored segments, which are counted."""
    data = small()
    scores = np.random.default_rng(1).random((4, N))
    scores[:, 30:] = np.nan
    scores[0, 3] = np.nan
    data = replace(data, others={"comet": Scores(tuple(data.systems), scores)})
    evaluation = evaluate(data, metrics=["kendall"])
    (counted,) = evaluation.counts
    assert (counted.judged, counted.scored, counted.used) == (N, 30, 30)
    assert (counted.judgements, counted.used_judgements) == (6 * N, 6 * 30 - 3)
    kendall = [hb.score(lines, data.references, "kendall") for lines in data.systems.values()]
    table = np.where(np.isnan(scores), np.nan, [one["kendall"].segments for one in kendall])
    expected = agreement.get("tau").value(data.rankings, table)  # type: ignore[arg-type]
    assert evaluation["de-en", "kendall"].value == pytest.approx(expected)


def test_named_metrics_are_negated() -> None:
    data = small()
    scores = np.random.default_rng(1).random((4, N))
    data = replace(data, others={"mine": Scores(tuple(data.systems), scores)})
    plain, negated = (
        evaluate(data, metrics=["kendall"], negate=names)["de-en", "mine"].value
        for names in ((), ("mine",))
    )
    assert plain == pytest.approx(-negated)  # type: ignore[operator]
    with pytest.raises(InputError, match="no scores of a metric 'kendall' to negate"):
        evaluate(data, metrics=["kendall"], negate=["kendall"])


def test_judged_only_scores_systems_on_judged_segments() -> None:
    data = small()
    assert data.rankings is not None
    few = np.arange(N) < 15
    data = replace(data, rankings=data.rankings.only(few), segments=None, whole=None)
    evaluation = evaluate(data, metrics=["wer"], agreement="pearson_sys", judged_only=True)
    values = [
        -float(hb.score(list(lines[:15]), data.references[:15], "wer")["wer"])
        for lines in data.systems.values()
    ]
    assert data.rankings is not None
    expected = scipy.stats.pearsonr(values, data.rankings.share_won()).statistic
    assert evaluation["de-en", "wer"].value == pytest.approx(expected)


def test_human_scores_can_be_weighted_by_length() -> None:
    data = small()
    assert data.segments is not None
    options = {"metrics": ["wer"], "agreement": "pearson_sys", "people": "segments"}
    evaluation = evaluate(data, weighted=True, **options)
    lengths = [len(texts[0].split()) for texts in data.references]
    people = np.average(data.segments.segments, axis=1, weights=lengths)
    values = [-float(hb.score(x, data.references, "wer")["wer"]) for x in data.systems.values()]
    expected = scipy.stats.pearsonr(values, people).statistic
    assert evaluation["de-en", "wer"].value == pytest.approx(expected)
    with pytest.raises(InputError, match="can be weighted"):
        evaluate(data, weighted=True)


def test_constant_metrics_have_no_value_and_a_note() -> None:
    data = small()
    constant = Scores(tuple(data.systems), np.ones((4, N)))
    data = replace(data, others={"same": constant})
    for name in ("tau", "pearson", "spearman_sys"):
        evaluation = evaluate(data, metrics=["kendall"], agreement=name)
        assert evaluation["de-en", "same"].value is None
        assert evaluation["de-en", "kendall"].value is not None
        assert "same" in evaluation.notes[0]
        assert "constant" in evaluation.notes[0]
        assert not evaluation.differences
        assert [one.metric for one in evaluation.averages()] == ["kendall"]
        assert json.loads(evaluation.to_json())["pairs"][0]["metrics"]["same"]["value"] is None


def test_measures_of_systems_need_three_systems() -> None:
    data = small()
    names = list(ERROR_RATES)[:2]
    assert data.segments is not None
    both = Scores(tuple(names), data.segments.segments[:2])
    two = TestSet.of("x", {n: data.systems[n] for n in names}, data.references, [both])
    with pytest.raises(InputError, match="x: pearson_sys needs 3 systems, but 2 are both judged"):
        evaluate(two, agreement="pearson_sys")
    assert evaluate(two)["x", "kendall"].value is not None


def test_invalid_arguments_raise(tmp_path: Path) -> None:
    write_folder(tmp_path / "de-en")
    data = str(tmp_path / "de-en")
    assert meta_evaluate(data, "wer", samples=5).pairs == ("de-en",)
    for options, message in [
        ({"agreement": "x"}, "unknown agreement 'x'"),
        ({"bootstrap": "x"}, "bootstrap must be one of segments, rankings, systems, got 'x'"),
        ({"test": "x"}, "test must be one of permutation, bootstrap, williams, t, got 'x'"),
        ({"people": "x"}, "people must be one of rankings, ranks, segments, systems, got 'x'"),
        ({"samples": 0}, "samples must be at least 1, got 0"),
        ({"level": 2.0}, "level must be between 0 and 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            meta_evaluate(data, "wer", **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="two test sets have the name de-en"):
        meta_evaluate([data, data], "wer")
    with pytest.raises(InputError, match="there are no test sets"):
        meta_evaluate([], "wer")


def test_samples_without_an_agreement_are_left_out_and_counted() -> None:
    """With one judged pair in each of two segments, a sample may contain only ties."""
    systems: dict[str, Sequence[str]] = {"x": ["a b", "a b"], "y": ["b a", "a b"]}
    people = Rankings.from_pairs(["x", "y"], [0, 1], [0, 0], [1, 1], 2)
    data = TestSet.of("x", systems, [["a b"], ["a b"]], [people])
    evaluation = meta_evaluate(data, "kendall", samples=100)
    (note,) = evaluation.notes
    assert "samples were left out because an agreement is undefined" in note
    assert evaluation["x", "kendall"].lower == evaluation["x", "kendall"].upper == 1


def test_the_result_has_its_sampling() -> None:
    evaluation = evaluate(small(), samples=7, seed=3, level=0.9)
    assert evaluation.sampling == Sampling("bootstrap", 7, 3, 0.9)


def with_source(data: TestSet) -> TestSet:
    """Return a test set whose source has other words, in the opposite order."""
    source = [
        " ".join(f"{word[::-1]}t" for word in reversed(line.split())) for (line,) in data.references
    ]
    return replace(data, source=source)


def train_aligner(data: TestSet) -> hb.SourceAligner:
    assert data.source is not None
    sides = [[line for (line,) in data.references], *data.systems.values()]
    return hb.SourceAligner.train(
        pair for lines in sides for pair in zip(data.source, lines, strict=True)
    )


@pytest.mark.filterwarnings("ignore:the source aligner was trained on only")
def test_the_source_is_aligned() -> None:
    metrics = ["lr_kb1", "pef", "wer"]
    data = with_source(small())
    aligner = train_aligner(data)
    evaluation = evaluate(data, metrics=metrics, align_source=True)
    compared = hb.compare(
        data.systems,
        data.references,
        metrics,
        source=data.source,
        align_source=True,
        samples=1,
    )
    assert data.segments is not None
    judgements = naive.judged_pairs(data.segments.segments.tolist())
    for metric in metrics:
        sign = -1 if metric == "wer" else 1
        table = [(sign * result[metric].segments).tolist() for result in compared.results]
        expected = naive.pair_agreement("tau", judgements, table, "none")
        assert evaluation["de-en", metric].value == pytest.approx(expected)
        assert evaluation.signatures[metric] == compared.results[0][metric].signature
    assert f"|aligner:{aligner.signature}|" in str(evaluation.signatures["pef"])
    assert "aligner" not in str(evaluation.signatures["wer"])
    (note,) = evaluation.notes
    assert note.startswith("de-en: the source aligner was trained on only 40 source sentences")
    given = evaluate(data, metrics=metrics, align_source=aligner)
    assert given.to_dict() == evaluation.to_dict()


def test_an_aligner_is_trained_for_each_test_set() -> None:
    one, two = (with_source(small(name, seed)) for name, seed in (("de-en", 1), ("fr-en", 2)))
    together = evaluate(one, two, metrics=["pef"], align_source=True)
    for data in (one, two):
        alone = evaluate(data, metrics=["pef"], align_source=True)
        assert train_aligner(data).signature in str(alone.signatures["pef"])
        assert together[data.name, "pef"].value == alone[data.name, "pef"].value
    assert "|aligner:trained|" in str(together.signatures["pef"])
    assert len(together.notes) == 2


def test_a_source_that_is_missing_or_not_needed() -> None:
    data = with_source(small())
    with pytest.raises(InputError, match="de-en has no source sentences to align"):
        evaluate(small(), metrics=["pef"], align_source=True)
    with pytest.raises(InputError, match="no metric uses links"):
        evaluate(data, metrics=["wer"], align_source=True)
    with pytest.raises(InputError, match="dted:match=aligned needs links between the words of"):
        evaluate(data, metrics=["pef", "dted:match=aligned"], align_source=True)
    assert evaluate(data, metrics=["pef"]).to_dict() == evaluate(small(), metrics=["pef"]).to_dict()


def test_a_test_set_has_a_source_for_each_segment() -> None:
    data = small()
    assert data.segments is not None
    arguments = "x", data.systems, data.references, [data.segments]
    source = [f"satz {k}" for k in range(N)]
    assert TestSet.of(*arguments, source=source).source == source
    with pytest.raises(InputError, match="x: 40 segments, but source has 39"):
        TestSet.of(*arguments, source=source[1:])
