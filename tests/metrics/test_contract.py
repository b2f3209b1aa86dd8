"""What all metrics have in common: statistics, sums and values; scores, results and errors."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import pickle
import random
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from metrics import corpora

CORPUS = corpora.corpus(21, 60)
SPECS = (
    *hb.metrics.names(),
    "pef:beta=0.35,gamma=0.1,unaligned=left,weight=ref",
    "kendall_sqrt:bp=system,unaligned=right",
    "full:order=ulam,lexical=bleu4,bp=off,alpha=0.3",
    "senscore:order=pef_beer,beta=0.4",
    "lrscore:lexical=f1,order=spearman",
    "avgbleu:weight=ref",
    "meteor_frag:params=en,weight=ref",
    "dted:rescale=yes,weight=aligned",
    "dted:match=aligned,case=mixed",
    "dted:flat=yes,parser=toy:other",
)


@pytest.fixture(scope="module")
def result() -> hb.metrics.Result:
    return hb.score(*CORPUS, SPECS)


def assert_equal_bits(a: Mapping[str, hb.metrics.Score], b: Mapping[str, hb.metrics.Score]) -> None:
    """Check that two results are equal to the last bit."""
    assert list(a) == list(b)
    for name in a:
        assert a[name].value == b[name].value, name
        np.testing.assert_array_equal(a[name].segments, b[name].segments, name)
        assert a[name].sums.tolist() == b[name].sums.tolist(), name
        assert a[name].linked == b[name].linked, name
        assert a[name].signature == b[name].signature, name


# Statistics ------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
def test_a_value_follows_from_the_sums(spec: str, result: hb.metrics.Result) -> None:
    score, metric = result[spec], hb.metrics.get(spec)
    assert score.statistics is not None
    assert score.statistics.shape == (60, len(score.sums))
    assert score.sums.tolist() == [math.fsum(column) for column in score.statistics.T]
    assert score.value == float(metric.aggregate(score.sums))
    computed = metric.segment_values(score.statistics)
    assert score.computed_segments.tolist() == computed.tolist()
    scored = ~np.isnan(score.segments)
    assert score.segments[scored].tolist() == computed[scored].tolist()
    assert scored.all() == (metric.needs.has_value is None)
    # The bootstrap aggregates many sums at once; each gives the same value as alone.
    rng = np.random.default_rng(3)
    samples = rng.integers(60, size=(4, 5, 60))
    sums = score.statistics[samples].sum(2)
    values = metric.aggregate(sums)
    assert values.shape == (4, 5)
    assert len(np.unique(values)) > 10
    for sample, value in zip(sums.reshape(20, -1), values.ravel(), strict=True):
        assert float(metric.aggregate(sample)) == value


@pytest.mark.parametrize("spec", SPECS)
def test_a_sample_is_scored_from_its_rows(spec: str, result: hb.metrics.Result) -> None:
    chosen = random.Random(4).choices(range(60), k=40)
    hypotheses = [CORPUS.hypotheses[k] for k in chosen]
    metric = hb.metrics.get(spec).fit(CORPUS.references)  # samples do not refit it
    (score,) = hb.score(hypotheses, [CORPUS.references[k] for k in chosen], [metric]).values()
    statistics = result[spec].statistics
    assert statistics is not None
    rows = statistics[chosen]
    assert score.value == pytest.approx(float(metric.aggregate(rows.sum(0))), 1e-12)
    assert score.statistics is not None
    assert score.statistics.tolist() == rows.tolist()


@pytest.mark.parametrize("size", [1, 7, 59, 60])
def test_any_batch_size(size: int, result: hb.metrics.Result) -> None:
    assert_equal_bits(corpora.score_in_batches(size, *CORPUS, SPECS), result)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads(threads: int, result: hb.metrics.Result) -> None:
    assert_equal_bits(hb.score(*CORPUS, SPECS, threads=threads), result)


@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_segments(seed: int, result: hb.metrics.Result) -> None:
    order = random.Random(seed).sample(range(60), 60)
    hypotheses = [CORPUS.hypotheses[k] for k in order]
    references = [CORPUS.references[k] for k in order]
    other = corpora.score_in_batches(13, hypotheses, references, SPECS)
    for spec in SPECS:
        assert other[spec].value == result[spec].value, spec
        np.testing.assert_array_equal(other[spec].segments, result[spec].segments[order], spec)


def test_sums_that_plain_addition_would_round() -> None:
    """The sum of hundreds of values such as 1/3 is rounded only once."""
    corpus = corpora.corpus(22, 300)
    forwards = hb.score(*corpus, ["pef", "lr_kb4"])
    backwards = hb.score(corpus.hypotheses[::-1], corpus.references[::-1], ["pef", "lr_kb4"])
    statistics = forwards["pef"].statistics
    assert statistics is not None
    # Otherwise this would test nothing. sum() is more exact from Python 3.12 on.
    assert np.cumsum(statistics[:, 0])[-1] != np.cumsum(statistics[::-1, 0])[-1]
    assert forwards["pef"].value == backwards["pef"].value
    assert forwards["lr_kb4"].value == backwards["lr_kb4"].value


def test_one_metric_does_not_change_another(result: hb.metrics.Result) -> None:
    """Metrics share tokens, links and measures of a batch."""
    for spec in random.Random(5).sample(SPECS, 12):
        alone = hb.score(*CORPUS, [spec])
        assert alone[spec].segments.tolist() == result[spec].segments.tolist(), spec
    backwards = hb.score(*CORPUS, SPECS[::-1])
    for spec in SPECS:
        assert backwards[spec].value == result[spec].value, spec


def test_ranges(result: hb.metrics.Result) -> None:
    for name in hb.metrics.names():
        score = result[name]
        rate = name in ("wer", "per", "cder", "invwer", "ter")
        low = -math.inf if name == "pef_beer" else 0
        most = 0.5 if name == "dted" else math.inf if rate else 1  # the value of equal trees
        assert score.range == (low, most), name
        assert score.higher_is_better == (not rate), name
        assert float(score) >= 0, name
        if not rate and name != "pef_beer":  # values of pef_beer may be slightly negative
            assert np.nanmin(score.segments) >= 0, name
            assert np.nanmax(score.segments) <= most + 1e-12, name
    perfect = ["a b c d e f g", "b c d e"]
    for name, score in hb.score(perfect, perfect, hb.metrics.names()).items():
        best = (0.5 if name == "dted" else 1) if score.higher_is_better else 0
        assert score.value == pytest.approx(best), name


# Metrics are values ----------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
def test_pickles_and_copies(spec: str, result: hb.metrics.Result) -> None:
    metric = hb.metrics.get(spec)
    for _ in range(2):  # before and after it is used
        for other in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric), copy.copy(metric)):
            assert other == metric
            assert hash(other) == hash(metric)
            assert repr(other) == repr(metric)
            assert other.signature(1) == metric.signature(1)
        again = pickle.loads(pickle.dumps(metric))
        score = hb.score(*CORPUS, [again])[metric.spec]
        assert score.value == result[spec].value
        assert float(metric.sentence_score("a b c", ["c b a"])) >= 0


def test_equality() -> None:
    specs = [*SPECS, "pef:bp=off", "pef:case=mixed", "pef:tok=none", "pef:align=exact"]
    metrics = [hb.metrics.get(spec, "en") for spec in specs]
    assert len(set(metrics)) == len(metrics)
    assert metrics == [hb.metrics.get(spec, "en") for spec in specs]
    assert hb.metrics.get("pef", "en") != hb.metrics.get("pef", "de")
    assert hb.metrics.get("pef") != "pef"
    assert hb.metrics.get("pef:beta=0.6") == hb.metrics.get("pef")
    assert hb.metrics.get("pef:beta=6e-1") == hb.metrics.get("pef")


def test_repr_can_be_evaluated() -> None:
    for spec in SPECS:
        for language in (None, "en"):
            metric = hb.metrics.get(spec, language)
            assert eval(repr(metric), {"hyperbaton": hb}) == metric


def test_metric_objects() -> None:
    objects = [hb.metrics.get("pef:bp=off"), hb.metrics.get("wer:tok=none")]
    found = hb.score(*CORPUS, objects)
    named = hb.score(*CORPUS, ["pef:bp=off", "wer:tok=none"])
    assert list(found) == ["pef:bp=off", "wer:tok=none"]  # as a user would write them
    assert found["pef:bp=off"].value == named["pef:bp=off"].value
    assert found["pef:bp=off"].signature == named["pef:bp=off"].signature
    assert found["wer:tok=none"].segments.tolist() == named["wer:tok=none"].segments.tolist()
    mixed = hb.score(*CORPUS, [objects[0], "pef", hb.metrics.get("kendall:bp=permutation")])
    assert list(mixed) == ["pef:bp=off", "pef", "kendall"]
    # A metric keeps the language that it was made for.
    english = hb.score(["two cats"], ["two cat"], [hb.metrics.get("pef", "en")])
    assert english["pef"].linked == 1
    assert hb.score(["two cats"], ["two cat"], ["pef"])["pef"].linked == 0.5


def test_an_object_and_a_string_with_the_same_name() -> None:
    with pytest.raises(ValueError, match="two metrics have the name pef"):
        hb.score(*CORPUS, [hb.metrics.get("pef", language="en"), "pef"])


# Scores and results ----------------------------------------------------------------------------


def test_scores_are_frozen(result: hb.metrics.Result) -> None:
    score = result["pef"]
    for name in ("value", "signature", "statistics", "n", "more"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(score, name, 1)
    assert float(score) == score.value
    assert score.score == 100 * score.value
    assert f"{score.value:.4f}" in repr(score)
    assert score.signature in repr(score)


def test_results_are_keyed_as_written() -> None:
    asked = ["PEF", "lr-kb4", "full:order=ulam,bp=off", "pef-beer", "pef:BP=off"]
    result = hb.score(*CORPUS, asked)
    assert list(result) == asked
    assert len(result) == 5
    assert "PEF" in result
    assert "pef" not in result
    with pytest.raises(KeyError):
        result["pef"]
    assert dict(result)["lr-kb4"] is result["lr-kb4"]
    assert [score.name for score in result.values()] == [
        "pef",
        "lr_kb4",
        "full:order=ulam,bp=off",
        "pef_beer",
        "pef:bp=off",
    ]
    assert result.n == 60
    with pytest.raises(TypeError):
        result["pef"] = result["PEF"]  # type: ignore[index]


def test_sets_of_metrics() -> None:
    assert list(hb.score(["a"], ["a"])) == list(hb.metrics.SETS["default"])
    assert list(hb.score(["a"], ["a"], "edit")) == ["wer", "per", "cder", "invwer", "ter"]
    assert list(hb.score(["a"], ["a"], ["wer", "edit", "pef"])) == [
        *("wer", "per", "cder", "invwer", "ter", "pef")
    ]
    assert set(hb.score(["a"], ["a"], "all")) == set(hb.metrics.names()) - {"dted"}


def test_share_of_aligned_words() -> None:
    # 2 of 3 and 2 of 2 words are linked: 4 of 5. Of two references, the better one counts.
    score = hb.score(["a b x"], ["a b"], ["pef", "wer"])
    assert score["pef"].linked == pytest.approx(0.8)
    assert score["wer"].linked is None
    assert score.linked == pytest.approx(0.8)
    score = hb.score(["a b x", "c"], [["a b"], ["x y", "c"]], ["pef"])
    assert score.linked == pytest.approx((4 + 2) / (5 + 2))
    assert hb.score([""], [""], ["pef"]).linked == 0
    assert hb.score(["a"], ["a"], ["wer"]).linked is None


def test_inexact_inversions() -> None:
    s = [f"w{k}" for k in range(60)]
    t = s[40:] + s[20:40][::-1] + s[:20]
    lines, refs = [" ".join(s)] * 2, [" ".join(t), " ".join(s)]
    result = hb.score(lines, refs, ["invwer:budget=100", "invwer", "wer"])
    short, full = result["invwer:budget=100"], result["invwer"]
    assert (short.inexact, full.inexact) == (1, 0)
    assert float(full) < float(short) <= float(result["wer"])
    assert short.to_dict()["inexact"] == 1


def test_json(result: hb.metrics.Result) -> None:
    plain = json.loads(result.to_json(), parse_constant=lambda name: pytest.fail(name))
    assert plain == result.to_dict()
    assert json.loads(result.to_json(indent=2)) == plain
    assert plain["schema"] == "hyperbaton/score/3"
    (system,) = plain["systems"]
    assert system["name"] == "system"
    assert list(system["scores"]) == list(SPECS)
    for spec, score in system["scores"].items():
        assert type(score["value"]) is float, spec
        assert score["value"] == result[spec].value
        assert score["signature"] == result[spec].signature
        assert score["n"] == 60
        assert score["lower"] is None
        assert score["upper"] is None
        assert score["range"][0] == (None if score["signature"].startswith("pef_beer|") else 0)
    scores = system["scores"]
    assert scores["wer"]["linked"] is None
    assert scores["wer"]["range"] == [0, None]
    assert scores["wer"]["higher_is_better"] is False
    assert scores["pef"]["range"] == [0, 1]
    assert scores["dted"]["range"] == [0, 0.5]
    assert scores["dted"]["linked"] is None
    assert scores["dted:rescale=yes,weight=aligned"]["range"] == [0, 1]
    assert type(scores["dted:rescale=yes,weight=aligned"]["linked"]) is float
    assert scores["pef"]["higher_is_better"] is True
    assert type(scores["pef"]["linked"]) is float


def test_pandas_is_imported_only_if_needed() -> None:
    program = (
        "import sys, hyperbaton as hb\n"
        "result = hb.score(['a b'], ['b a'], ['pef', 'full', 'wer', 'bleu'])\n"
        "result.to_json()\n"
        "assert 'pandas' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# Errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hypotheses", "references", "error", "message"),
    [
        (["a", "b"], ["a"], ValueError, "2 hypotheses, but references for 1 segment$"),
        (["a"], [["a"], ["b"]], ValueError, "1 hypothesis, but references for 2 segments"),
        (["a"] * 1200, ["a"], ValueError, "1,200 hypotheses"),
        (
            ["a", "b", "c"],
            [["a", "b", "c"], ["d", "e", "f"]],
            ValueError,
            r"3 hypotheses, but references for 2 segments \(give one list per segment",
        ),
        (
            ["a", "b"],
            [["a", "b"]],
            ValueError,
            "give one list per segment, not one list per reference stream",
        ),
        (["a", "b"], [["a"], []], ValueError, r"references\[1\] is empty"),
        ([], [], ValueError, "no segments"),
        ("a b", ["a b"], TypeError, "hypotheses must be a list of strings, got str"),
        (["a b"], "a b", TypeError, "references must be a list of references, got str"),
        (b"a b", ["a b"], TypeError, "hypotheses must be a list of strings, got bytes"),
        (["a"], [b"a"], TypeError, r"references\[0\]"),
        ([["a"]], ["a"], TypeError, r"hypotheses\[0\] must be a string, got list"),
        (["a", None], ["a", "b"], TypeError, r"hypotheses\[1\] must be a string, got NoneType"),
        (["a"], [[["a"]]], TypeError, r"references\[0\]\[0\] must be a string, got list"),
        (["a", "b"], [["a"], ["b", None]], TypeError, r"references\[1\]\[1\]"),
        (None, ["a"], TypeError, "hypotheses must be a list of strings"),
        (["a"], None, TypeError, "references must be a list of references"),
        (["a"], [None], TypeError, r"references\[0\]"),
    ],
)
def test_invalid_texts(
    hypotheses: Any, references: Any, error: type[Exception], message: str
) -> None:
    for metrics in ("default", ["wer"], ["bleu"], ["pef"]):
        with pytest.raises(error, match=message):
            hb.score(hypotheses, references, metrics)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("kendal", "unknown metric 'kendal'; did you mean kendall"),
        ("kendall-sqr", "did you mean kendall_sqrt"),
        ("mteor_frag:weight=ref", "did you mean meteor_frag"),
        ("qqq", "valid names: kendall,"),
        ("pef:betta=0.5", "unknown option 'betta' of pef; did you mean beta"),
        ("pef:alpha=0.5", "unknown option 'alpha' of pef"),
        ("kendall:beta=0.5", "unknown option 'beta' of kendall"),
        ("pef_beer:gamma=0.5", "unknown option 'gamma' of pef_beer"),
        ("full:order=kendall,beta=0.5", "unknown option 'beta' of full"),
        ("adjacency:bp=off", "unknown option 'bp' of adjacency"),
        ("adjacency:unaligned=left", "unknown option 'unaligned' of adjacency"),
        ("meteor_frag:bp=off", "unknown option 'bp' of meteor_frag"),
        ("meteor_frag:unaligned=left", "unknown option 'unaligned' of meteor_frag"),
        ("wer:budget=5", "unknown option 'budget' of wer"),
        ("dted:tok=none", "unknown option 'tok' of dted"),
        ("dted:case=mixed", "unknown option 'case' of dted"),
        ("dted:align=exact,flat=yes", "unknown option 'align' of dted"),
        ("dted:weight=ref", "weight must be one of none, aligned, got 'ref'"),
        ("dted:match=some", "match must be one of any, aligned, got 'some'"),
        ("dted:rescale=1", "rescale must be one of no, yes, got '1'"),
        ("pef:beta=1.5", "beta must be between 0 and 1, got 1.5"),
        ("pef:beta=-0.1", "beta must be between 0 and 1, got -0.1"),
        ("pef:beta=nan", "beta must be between 0 and 1, got nan"),
        ("pef:gamma=inf", "gamma must be between 0 and 1, got inf"),
        ("pef:beta=half", "beta must be a number, got 'half'"),
        ("full:alpha=2", "alpha must be between 0 and 1, got 2"),
        ("invwer:budget=-1", "budget must be between 0 and [0-9]+, got -1"),
        ("invwer:budget=1.5", "budget must be a whole number"),
        ("pef:bp=of", "bp must be one of permutation, system, off, got 'of'"),
        ("pef:weight=yes", "weight must be one of none, ref"),
        ("pef:unaligned=up", "unaligned must be one of drop, left, right"),
        ("full:order=bleu", "order must be one of kendall"),
        ("full:lexical=bleu2", "lexical must be one of bleu1, bleu4, f1"),
        ("pef:tok=13", "tok must be one of 13a"),
        ("pef:align=exactly", "align must be some of exact"),
        ("pef:align=stem", "the matcher stem needs a language"),
        ("pef:beta", "'beta' is not an option such as"),
        ("pef:", "is not an option such as"),
        ("pef:bp=", "is not an option such as"),
        ("pef:bp=off,bp=off", "sets bp twice"),
        ("pef:bp=off,", "is not an option such as"),
    ],
)
def test_invalid_metrics(metric: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hb.score(["a"], ["a"], [metric])
    with pytest.raises(ValueError, match=message):
        hb.metrics.get(metric)


def test_other_errors() -> None:
    with pytest.raises(ValueError, match="no metrics"):
        hb.score(["a"], ["a"], [])
    with pytest.raises(TypeError, match="a metric must be a string such as 'pef:bp=off', got int"):
        hb.metrics.get(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threads"):
        hb.score(["a"], ["a"], ["pef"], threads=0)
    for name in ("wordnet", "paraphrases"):
        with pytest.raises(hb.InputTypeError, match=f"^{name} must be a path, got int$"):
            hb.score(["a"], ["a"], ["pef"], **{name: 3})  # type: ignore[arg-type]


HYPOTHESES, REFERENCES = ["a b", "c d e", "f"], [["a b"], ["c d", "e"], ["f"]]


@pytest.mark.parametrize("batch", [1, 2, 100])
@pytest.mark.parametrize(
    ("alignments", "error", "message"),
    [
        (["0-0"], ValueError, "3 segments, but 1 alignments"),
        (["0-0", "0-0", "0-0"], ValueError, r"alignments\[1\] has 1, but there are 2 references"),
        (
            [["0-0", "1-1"], ["0-0", ""], "0-0"],
            ValueError,
            r"alignments\[0\] has 2, but there are 1",
        ),
        (
            ["0-0", ["0-0", "0-1"], ""],
            ValueError,
            r"^segment 1: .*link 0-1 is outside the reference",
        ),
        (["0-0", ["0-0", "3-0"], ""], ValueError, r"^segment 1: .*3-0 is outside the hypothesis"),
        (["0-0", ["0-0", "0-0"], "0-1"], ValueError, r"^segment 2: .*which has 1 words"),
        (["0 0", ["", ""], ""], ValueError, r"^segment 0: .*'0' is not a link such as 0-1"),
        (["", ["", ""], "a-b"], ValueError, r"^segment 2: .*'a-b' is not a link"),
        (["", ["", ""], 3], TypeError, "int"),
        (
            ["", ["", 3], ""],
            TypeError,
            r"alignments\[1\] must be an Alignment or Pharaoh text, got int",
        ),
        (
            ["", ["", ""], hb.Alignment(2, 1, [(0, 0)])],
            ValueError,
            "^segment 2: .*for sentences of 2 and 1 words, but these have 1 and 1",
        ),
    ],
)
def test_invalid_alignments(
    alignments: Any, error: type[Exception], message: str, batch: int
) -> None:
    with pytest.raises(error, match=message):
        corpora.score_in_batches(
            batch, HYPOTHESES, REFERENCES, ["pef:tok=none"], alignments=alignments
        )


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_alignments_reach_their_pairs(batch: int) -> None:
    alignments = ["0-1 1-0", ["0-1 1-0", "2-0"], hb.Alignment(1, 1, [(0, 0)])]
    metric = "kendall:tok=none,bp=off"
    texts = HYPOTHESES, REFERENCES
    score = corpora.score_in_batches(batch, *texts, [metric], alignments=alignments)[metric]
    assert score.segments.tolist() == [0, 1, 1]
    assert "|align:given|" in score.signature
    alignments = ["0-1 1-0", ["0-1 1-0", ""], ""]
    score = corpora.score_in_batches(batch, *texts, [metric], alignments=alignments)[metric]
    assert score.segments.tolist() == [0, 0, 0]
