"""What every metric promises: statistics, their sums, a value; scores, results, errors."""

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
from hyperbaton.metrics import scoring
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


def same(a: Mapping[str, hb.metrics.Score], b: Mapping[str, hb.metrics.Score]) -> None:
    """To the last bit."""
    assert list(a) == list(b)
    for name in a:
        assert a[name].value == b[name].value, name
        assert a[name].segments.tolist() == b[name].segments.tolist(), name
        assert a[name].sums.tolist() == b[name].sums.tolist(), name
        assert a[name].aligned == b[name].aligned, name
        assert a[name].signature == b[name].signature, name


# Statistics ------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
def test_a_value_is_made_of_sums(spec: str, result: hb.metrics.Result) -> None:
    score, metric = result[spec], hb.metrics.get(spec)
    assert score.statistics is not None
    assert score.statistics.shape == (60, len(score.sums))
    assert score.sums.tolist() == [math.fsum(column) for column in score.statistics.T]
    assert score.value == float(metric.aggregate(score.sums))
    assert score.segments.tolist() == metric.segment_values(score.statistics).tolist()
    # Several sums at once, as the bootstrap needs them, give what each gives.
    rng = np.random.default_rng(3)
    samples = rng.integers(60, size=(4, 5, 60))
    sums = score.statistics[samples].sum(2)
    values = metric.aggregate(sums)
    assert values.shape == (4, 5)
    assert len(np.unique(values)) > 10
    for one, value in zip(sums.reshape(20, -1), values.ravel(), strict=True):
        assert float(metric.aggregate(one)) == value


@pytest.mark.parametrize("spec", SPECS)
def test_a_sample_is_scored_from_its_rows(spec: str, result: hb.metrics.Result) -> None:
    chosen = random.Random(4).choices(range(60), k=40)
    hypotheses = [CORPUS.hypotheses[k] for k in chosen]
    score = hb.score(hypotheses, [CORPUS.references[k] for k in chosen], [spec])[spec]
    statistics = result[spec].statistics
    assert statistics is not None
    rows = statistics[chosen]
    assert score.value == pytest.approx(float(hb.metrics.get(spec).aggregate(rows.sum(0))), 1e-12)
    assert score.statistics is not None
    assert score.statistics.tolist() == rows.tolist()


@pytest.mark.parametrize("size", [1, 7, 59, 60])
def test_any_batches(size: int, result: hb.metrics.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "BATCH", size)
    same(hb.score(*CORPUS, SPECS), result)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_threads(threads: int, result: hb.metrics.Result) -> None:
    same(hb.score(*CORPUS, SPECS, threads=threads), result)


@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_segments(
    seed: int, result: hb.metrics.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "BATCH", 13)
    order = random.Random(seed).sample(range(60), 60)
    other = hb.score(
        [CORPUS.hypotheses[k] for k in order], [CORPUS.references[k] for k in order], SPECS
    )
    for spec in SPECS:
        assert other[spec].value == result[spec].value, spec
        assert other[spec].segments.tolist() == result[spec].segments[order].tolist(), spec


def test_sums_that_plain_addition_would_round() -> None:
    """Segments of 1/3, 2/3, … by the hundred: their sum is rounded once."""
    corpus = corpora.corpus(22, 300)
    forwards = hb.score(*corpus, ["pef", "lr_kb4"])
    backwards = hb.score(corpus.hypotheses[::-1], corpus.references[::-1], ["pef", "lr_kb4"])
    statistics = forwards["pef"].statistics
    assert statistics is not None
    plain = [sum(statistics[:, 0].tolist()), sum(statistics[::-1, 0].tolist())]
    assert plain[0] != plain[1]  # or this tests nothing
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
        most = 0.5 if name == "dted" else math.inf if rate else 1  # that of equal trees
        assert score.range == (low, most), name
        assert score.higher_is_better == (not rate), name
        assert score.value >= 0, name
        if not rate and name != "pef_beer":  # BEER's may fall a little below 0
            assert score.segments.min() >= 0, name
            assert score.segments.max() <= most + 1e-12, name
    perfect = ["a b c d e f g", "b c d e"]
    for name, score in hb.score(perfect, perfect, hb.metrics.names()).items():
        best = (0.5 if name == "dted" else 1) if score.higher_is_better else 0
        assert score.value == pytest.approx(best), name


# Metrics are values ----------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
def test_pickles_and_copies(spec: str, result: hb.metrics.Result) -> None:
    metric = hb.metrics.get(spec)
    for _ in range(2):  # before it was used, and after
        for other in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric), copy.copy(metric)):
            assert other == metric
            assert hash(other) == hash(metric)
            assert repr(other) == repr(metric)
            assert other.signature(1) == metric.signature(1)
        again = pickle.loads(pickle.dumps(metric))
        score = hb.score(*CORPUS, [again])[metric.spec]
        assert score.value == result[spec].value
        assert metric.sentence_score("a b c", ["c b a"]).value >= 0


def test_equality() -> None:
    specs = [*SPECS, "pef:bp=off", "pef:case=mixed", "pef:tok=none", "pef:align=exact"]
    metrics = [hb.metrics.get(spec, "en") for spec in specs]
    assert len(set(metrics)) == len(metrics)
    assert metrics == [hb.metrics.get(spec, "en") for spec in specs]
    assert hb.metrics.get("pef", "en") != hb.metrics.get("pef", "de")
    assert hb.metrics.get("pef") != "pef"
    assert hb.metrics.get("pef:beta=0.6") == hb.metrics.get("pef")
    assert hb.metrics.get("pef:beta=6e-1") == hb.metrics.get("pef")


def test_repr_makes_it_again() -> None:
    for spec in SPECS:
        for language in (None, "en"):
            metric = hb.metrics.get(spec, language)
            assert eval(repr(metric), {"hyperbaton": hb}) == metric


def test_metric_objects() -> None:
    objects = [hb.metrics.get("pef:bp=off"), hb.metrics.get("wer:tok=none")]
    found = hb.score(*CORPUS, objects)
    named = hb.score(*CORPUS, ["pef:bp=off", "wer:tok=none"])
    assert list(found) == ["pef:bp=off", "wer:tok=none"]  # as one would write them
    assert found["pef:bp=off"].value == named["pef:bp=off"].value
    assert found["pef:bp=off"].signature == named["pef:bp=off"].signature
    assert found["wer:tok=none"].segments.tolist() == named["wer:tok=none"].segments.tolist()
    mixed = hb.score(*CORPUS, [objects[0], "pef", hb.metrics.get("kendall:bp=permutation")])
    assert list(mixed) == ["pef:bp=off", "pef", "kendall"]
    # A metric made for a language keeps it.
    english = hb.score(["two cats"], ["two cat"], [hb.metrics.get("pef", "en")])
    assert english["pef"].aligned == 1
    assert hb.score(["two cats"], ["two cat"], ["pef"])["pef"].aligned == 0.5


def test_an_object_and_a_text_of_the_same_name() -> None:
    with pytest.raises(ValueError, match="two metrics are called pef"):
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


def test_share_of_words_aligned() -> None:
    # Two of three words, and both of two: 4 of 5. The better of two references: all 2 of 2.
    score = hb.score(["a b x"], ["a b"], ["pef", "wer"])
    assert score["pef"].aligned == pytest.approx(0.8)
    assert score["wer"].aligned is None
    assert score.aligned == pytest.approx(0.8)
    score = hb.score(["a b x", "c"], [["a b"], ["x y", "c"]], ["pef"])
    assert score.aligned == pytest.approx((4 + 2) / (5 + 2))
    assert hb.score([""], [""], ["pef"]).aligned == 0
    assert hb.score(["a"], ["a"], ["wer"]).aligned is None


def test_inexact_inversions() -> None:
    s = [f"w{k}" for k in range(60)]
    t = s[40:] + s[20:40][::-1] + s[:20]
    lines, refs = [" ".join(s)] * 2, [" ".join(t), " ".join(s)]
    result = hb.score(lines, refs, ["invwer:budget=100", "invwer", "wer"])
    short, full = result["invwer:budget=100"], result["invwer"]
    assert (short.inexact, full.inexact) == (1, 0)
    assert short.value > full.value
    assert short.value <= result["wer"].value
    assert short.to_dict()["inexact"] == 1


def test_json(result: hb.metrics.Result) -> None:
    plain = json.loads(result.to_json(), parse_constant=lambda name: pytest.fail(name))
    assert plain == result.to_dict()
    assert json.loads(result.to_json(indent=2)) == plain
    assert plain["schema"] == "hyperbaton/score/1"
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
    assert scores["wer"]["aligned"] is None
    assert scores["wer"]["range"] == [0, None]
    assert scores["wer"]["higher_is_better"] is False
    assert scores["pef"]["range"] == [0, 1]
    assert scores["dted"]["range"] == [0, 0.5]
    assert scores["dted"]["aligned"] is None
    assert scores["dted:rescale=yes,weight=aligned"]["range"] == [0, 1]
    assert type(scores["dted:rescale=yes,weight=aligned"]["aligned"]) is float
    assert scores["pef"]["higher_is_better"] is True
    assert type(scores["pef"]["aligned"]) is float


def test_pandas(result: hb.metrics.Result) -> None:
    pandas = pytest.importorskip("pandas")
    table = result.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == list(SPECS)
    assert table.shape == (60, len(SPECS))
    for spec in SPECS:
        assert table[spec].tolist() == result[spec].segments.tolist()


def test_pandas_is_imported_only_when_asked_for() -> None:
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
        (["a", "b"], ["a"], ValueError, "2 hypotheses, but references for 1 segments$"),
        (["a"], [["a"], ["b"]], ValueError, "1 hypotheses, but references for 2 segments"),
        (["a"] * 1200, ["a"], ValueError, "1,200 hypotheses"),
        (
            ["a", "b", "c"],
            [["a", "b", "c"], ["d", "e", "f"]],
            ValueError,
            r"3 hypotheses, but references for 2 segments \(one list for each segment, please",
        ),
        (["a", "b"], [["a", "b"]], ValueError, "one list for each segment, please"),
        (["a", "b"], [["a"], []], ValueError, r"references\[1\] is empty"),
        ([], [], ValueError, "no segments"),
        ("a b", ["a b"], TypeError, "hypotheses is a list of lines, not one str"),
        (["a b"], "a b", TypeError, "references is a list of references, not one str"),
        (b"a b", ["a b"], TypeError, "hypotheses is a list of lines, not one bytes"),
        (["a"], [b"a"], TypeError, r"references\[0\]"),
        ([["a"]], ["a"], TypeError, r"hypotheses\[0\] is a line of text, not list"),
        (["a", None], ["a", "b"], TypeError, r"hypotheses\[1\] is a line of text, not NoneType"),
        (["a"], [[["a"]]], TypeError, r"references\[0\]\[0\] is a line of text, not list"),
        (["a", "b"], [["a"], ["b", None]], TypeError, r"references\[1\]\[1\]"),
        (None, ["a"], TypeError, "hypotheses is a list of lines"),
        (["a"], None, TypeError, "references is a list"),
        (["a"], [None], TypeError, r"references\[0\]"),
    ],
)
def test_texts_that_do_not_fit(
    hypotheses: Any, references: Any, error: type[Exception], message: str
) -> None:
    for metrics in ("default", ["wer"], ["bleu"], ["pef"]):
        with pytest.raises(error, match=message):
            hb.score(hypotheses, references, metrics)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("kendal", "no metric 'kendal'; did you mean kendall"),
        ("kendall-sqr", "did you mean kendall_sqrt"),
        ("mteor_frag:weight=ref", "did you mean meteor_frag"),
        ("qqq", "there are kendall,"),
        ("pef:betta=0.5", "no option of pef 'betta'; did you mean beta"),
        ("pef:alpha=0.5", "no option of pef 'alpha'"),
        ("kendall:beta=0.5", "no option of kendall 'beta'"),
        ("pef_beer:gamma=0.5", "no option of pef_beer 'gamma'"),
        ("full:order=kendall,beta=0.5", "no option of full 'beta'"),
        ("adjacency:bp=off", "no option of adjacency 'bp'"),
        ("adjacency:unaligned=left", "no option of adjacency 'unaligned'"),
        ("meteor_frag:bp=off", "no option of meteor_frag 'bp'"),
        ("meteor_frag:unaligned=left", "no option of meteor_frag 'unaligned'"),
        ("wer:budget=5", "no option of wer 'budget'"),
        ("dted:tok=none", "no option of dted 'tok'"),
        ("dted:case=mixed", "no option of dted 'case'"),
        ("dted:align=exact,flat=yes", "no option of dted 'align'"),
        ("dted:weight=ref", "weight is one of none, aligned, not 'ref'"),
        ("dted:match=some", "match is one of any, aligned, not 'some'"),
        ("dted:rescale=1", "rescale is one of no, yes, not '1'"),
        ("pef:beta=1.5", "beta is from 0 to 1, not 1.5"),
        ("pef:beta=-0.1", "beta is from 0 to 1, not -0.1"),
        ("pef:beta=nan", "beta is from 0 to 1, not nan"),
        ("pef:gamma=inf", "gamma is from 0 to 1, not inf"),
        ("pef:beta=half", "beta is a number, not 'half'"),
        ("full:alpha=2", "alpha is from 0 to 1, not 2"),
        ("invwer:budget=-1", "budget is"),
        ("invwer:budget=1.5", "budget is a whole number"),
        ("pef:bp=of", "bp is one of permutation, system, off, not 'of'"),
        ("pef:weight=yes", "weight is one of none, ref"),
        ("pef:unaligned=up", "unaligned is one of drop, left, right"),
        ("full:order=bleu", "order is one of kendall"),
        ("full:lexical=bleu2", "lexical is one of bleu1, bleu4, f1"),
        ("pef:tok=13", "tok is one of 13a"),
        ("pef:align=exactly", "align is some of exact"),
        ("pef:align=stem", "stems need a language"),
        ("pef:beta", "'beta' is not an option such as"),
        ("pef:", "is not an option such as"),
        ("pef:bp=", "is not an option such as"),
        ("pef:bp=off,bp=off", "gives bp twice"),
        ("pef:bp=off,", "is not an option such as"),
    ],
)
def test_metrics_that_there_are_not(metric: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hb.score(["a"], ["a"], [metric])
    with pytest.raises(ValueError, match=message):
        hb.metrics.get(metric)


def test_other_mistakes() -> None:
    with pytest.raises(ValueError, match="no metrics"):
        hb.score(["a"], ["a"], [])
    with pytest.raises(TypeError, match="a metric is a text"):
        hb.metrics.get(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threads"):
        hb.score(["a"], ["a"], ["pef"], threads=0)


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
        (["", ["", 3], ""], TypeError, r"alignments\[1\]: an Alignment or Pharaoh text, not int"),
        (
            ["", ["", ""], hb.Alignment(2, 1, [(0, 0)])],
            ValueError,
            "^segment 2: .*of sentences of 2 and 1 words, but these have 1 and 1",
        ),
    ],
)
def test_alignments_that_do_not_fit(
    alignments: Any,
    error: type[Exception],
    message: str,
    batch: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scoring, "BATCH", batch)
    with pytest.raises(error, match=message):
        hb.score(HYPOTHESES, REFERENCES, ["pef:tok=none"], alignments=alignments)


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_alignments_reach_their_own_pairs(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "BATCH", batch)
    alignments = ["0-1 1-0", ["0-1 1-0", "2-0"], hb.Alignment(1, 1, [(0, 0)])]
    metric = "kendall:tok=none,bp=off"
    score = hb.score(HYPOTHESES, REFERENCES, [metric], alignments=alignments)[metric]
    assert score.segments.tolist() == [0, 1, 1]
    assert "|align:given|" in score.signature
    alignments = ["0-1 1-0", ["0-1 1-0", ""], ""]
    score = hb.score(HYPOTHESES, REFERENCES, [metric], alignments=alignments)[metric]
    assert score.segments.tolist() == [0, 0, 0]
