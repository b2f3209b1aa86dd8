"""Against sacreBLEU: its values ÷ 100, its signatures, and our metrics in its paired tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from sacrebleu.significance import PairedTest

import hyperbaton as hb
from metrics import corpora

TEXT = corpora.Corpus(
    [
        "The cat sat on the mat.",
        "Yesterday, he bought a new car in Berlin!",
        "It costs $1,000.50 (about 900 euros).",
        "",
        "We don't know what they'll do.",
        "COMPLETELY different Words",
        "the the the the",
        'He said: "I am here" -- and left .',
    ],
    [
        ["On the mat sat the cat.", "The cat was sitting on the mat."],
        ["He bought a new red car in Berlin yesterday!"],
        [
            "It costs $1,000.50, or about 900 euros.",
            "That is 1,000.50 dollars.",
            "It costs 1000 $.",
        ],
        ["Nothing was said."],
        ["We do not know what they will do.", "We don't know what they'll do."],
        ["nothing is the same"],
        ["the cat", ""],
        ['"I am here", he said, and left.'],
    ],
)
ONE = corpora.Corpus(TEXT.hypotheses, [several[:1] for several in TEXT.references])
TWO = corpora.Corpus(
    TEXT.hypotheses, [[*several, several[0].lower()][:2] for several in TEXT.references]
)
CORPORA = [ONE, TWO, TEXT]
THEIRS: dict[str, tuple[Any, Any]] = {  # of corpora and of sentences
    "bleu": (BLEU(), BLEU(effective_order=True)),
    "bleu:case=lc,tok=intl": (
        BLEU(lowercase=True, tokenize="intl"),
        BLEU(lowercase=True, tokenize="intl", effective_order=True),
    ),
    "bleu:tok=char": (BLEU(tokenize="char"), BLEU(tokenize="char", effective_order=True)),
    "bleu:smooth=none": (
        BLEU(smooth_method="none"),
        BLEU(smooth_method="none", effective_order=True),
    ),
    "chrf": (CHRF(), CHRF()),
    "chrf:nw=2": (CHRF(word_order=2), CHRF(word_order=2)),
    "chrf:nc=4,case=lc,space=yes,eff=no": (
        CHRF(char_order=4, lowercase=True, whitespace=True, eps_smoothing=True),
        CHRF(char_order=4, lowercase=True, whitespace=True, eps_smoothing=True),
    ),
    "ter": (TER(), TER()),
    "ter:norm=yes,punct=no,case=mixed,asian=yes": (
        TER(normalized=True, no_punct=True, case_sensitive=True, asian_support=True),
        TER(normalized=True, no_punct=True, case_sensitive=True, asian_support=True),
    ),
}


@pytest.mark.parametrize("corpus", CORPORA, ids=["one", "two", "ragged"])
@pytest.mark.parametrize("metric", THEIRS)
def test_values_and_signatures(metric: str, corpus: corpora.Corpus) -> None:
    whole, single = THEIRS[metric]
    expected = whole.corpus_score(corpus.hypotheses, corpus.streams)
    score = hb.score(*corpus, [metric])[metric]
    assert expected.score > 0
    assert score.value == pytest.approx(expected.score / 100, rel=1e-12)
    name, _, rest = score.signature.partition("|")
    assert name == metric.partition(":")[0]
    assert rest == str(whole.get_signature())
    sentences = [
        single.sentence_score(hypothesis, references).score / 100
        for hypothesis, references in zip(*corpus, strict=True)
    ]
    np.testing.assert_allclose(score.segments, sentences, 1e-12)


def test_beta_of_chrf() -> None:
    """sacreBLEU has it in the name of the score, chrF3; we have it in the signature."""
    expected = CHRF(beta=3).corpus_score(TEXT.hypotheses, TEXT.streams)
    score = hb.score(*TEXT, ["chrf:beta=3"])["chrf:beta=3"]
    assert score.value == pytest.approx(expected.score / 100, rel=1e-12)
    assert "|beta:3|" in score.signature


def test_average_bleu() -> None:
    single = BLEU(effective_order=True)
    values, lengths = [], []
    for hypothesis, references in zip(*TEXT, strict=True):
        score = single.sentence_score(hypothesis, references)
        values.append(score.score / 100)
        lengths.append(score.ref_len)
    result = hb.score(*TEXT, ["avgbleu", "avgbleu:weight=ref"])
    assert result["avgbleu"].value == pytest.approx(np.mean(values), rel=1e-12)
    weighted = np.average(values, weights=lengths)
    assert result["avgbleu:weight=ref"].value == pytest.approx(weighted, rel=1e-12)


@pytest.mark.parametrize("name", hb.metrics.names())
def test_sacrebleu_methods(name: str) -> None:
    metric = hb.metrics.get(name)
    for corpus in CORPORA:
        expected = hb.score(*corpus, [name])[name]
        score = metric.corpus_score(corpus.hypotheses, corpus.streams)
        assert score.value == pytest.approx(expected.value, rel=1e-12)
        assert score.score == 100 * float(score)
        assert score.name == name
        assert score.n == len(corpus.hypotheses)
        assert score.signature == expected.signature
        assert metric.get_signature() == metric.signature(None)  # also after scoring
        adapter = metric.with_references(corpus.streams)
        assert str(adapter.get_signature()) == expected.signature
        cached = adapter.corpus_score(corpus.hypotheses, None)
        assert (cached.value, cached.signature) == (score.value, score.signature)
        np.testing.assert_array_equal(cached.segments, score.segments)
        np.testing.assert_allclose(score.segments, expected.segments, 1e-12)
        fitted = metric.fit(corpus.references)
        for k, (hypothesis, references) in enumerate(zip(*corpus, strict=True)):
            single = fitted.sentence_score(hypothesis, references)
            assert float(single) == pytest.approx(expected.segments[k], rel=1e-12, nan_ok=True)


def test_invalid_arguments_of_sacrebleu_methods() -> None:
    metric = hb.metrics.get("pef")
    with pytest.raises(ValueError, match=r"2 hypotheses, but references\[1\] has 1"):
        metric.corpus_score(["a", "b"], [["a", "b"], ["a"]])
    with pytest.raises(ValueError, match=r"1 hypotheses, but references\[0\] has 2"):
        metric.with_references([["a", "b"]]).corpus_score(["a"], None)
    with pytest.raises(ValueError, match="pef has no references: give them with the hypotheses"):
        metric.corpus_score(["a", "b"], None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="each segment needs a reference"):
        metric.corpus_score(["a", "b"], [["a", None]])
    with pytest.raises(ValueError, match="2 hypotheses, but references for 0 segments"):
        metric.corpus_score(["a", "b"], [])
    with pytest.raises(TypeError, match=r"references\[0\] must be a list of references, got str"):
        metric.corpus_score(["a", "b"], ["a", "b"])
    with pytest.raises(TypeError, match="references must be a list of strings, got str"):
        metric.sentence_score("a b", "a b")
    with pytest.raises(TypeError, match=r"hypotheses\[1\] must be a string, got NoneType"):
        metric.corpus_score(["a", None], [["a", "b"]])  # type: ignore[list-item]


def test_intervals_of_corpus_score() -> None:
    score = hb.metrics.get("bleu").corpus_score(TEXT.hypotheses, TEXT.streams, n_bootstrap=100)
    assert score.lower is not None
    assert score.upper is not None
    assert score.lower < float(score) < score.upper
    assert score.format() == f"bleu = {100 * float(score):.2f}"


PAIRED = ["pef", "lr_kb4", "senscore", "adjacency", "invwer", "full", "bleu", "dted"]
OTHER = [several[-1] for several in TEXT.references]
SYSTEMS: list[tuple[str, Any]] = [
    ("ours", TEXT.hypotheses),
    ("reversed", [line[::-1] for line in OTHER]),
    ("best", OTHER),
]


def paired_test(test_type: str, metrics: dict[str, Any], references: Any) -> tuple[Any, Any]:
    """Run sacreBLEU's paired test; return its signatures and its results."""
    # Intervals are optional for "ar", and always computed for "bs".
    confidence = 10 if test_type == "ar" else -1
    test: Any = PairedTest(
        SYSTEMS, metrics, references, test_type, n_samples=20, n_ar_confidence=confidence
    )
    signatures, found = test()
    return signatures, found


@pytest.mark.parametrize("test_type", ["ar", "bs"])
def test_paired_tests(test_type: str) -> None:
    metrics: dict[str, Any] = {"BLEU": BLEU(), "TER": TER()}
    metrics.update((name, hb.metrics.get(name)) for name in PAIRED)
    signatures, found = paired_test(test_type, metrics, TEXT.streams)
    assert found["System"] == ["ours", "reversed", "best"]
    for name in PAIRED:
        for (_, lines), theirs in zip(SYSTEMS, found[name], strict=True):
            expected = hb.score(lines, TEXT.references, [name])[name]
            assert theirs.score == pytest.approx(expected.score, rel=1e-12)
            assert theirs.ci >= 0
            assert abs(theirs.mean - theirs.score) < 30
        assert all(0 < theirs.p_value <= 1 for theirs in found[name][1:])
        keys = dict(signatures[name])
        assert keys["seed"] == "12345"
        assert keys[test_type] == "20"
        assert "nrefs" not in keys  # the test asks the metric, which has no references
        # The signature, with the keys of the test, still names the same metric.
        again = hb.metrics.from_signature(str(signatures[name]))
        assert again.signature("var") == metrics[name].signature("var")
    # Our BLEU has sacreBLEU's values, samples and p-values.
    for ours, theirs in zip(found["bleu"], found["BLEU"], strict=True):
        assert ours.score == pytest.approx(theirs.score, rel=1e-12)
        assert ours.p_value == theirs.p_value
        assert ours.mean == pytest.approx(theirs.mean, rel=1e-6)


@pytest.mark.parametrize("test_type", ["ar", "bs"])
def test_paired_tests_with_references_inside_the_metrics(test_type: str) -> None:
    """As with ``BLEU(references=…)``: the test has none, and signatures name their number."""
    plain: dict[str, Any] = {name: hb.metrics.get(name) for name in PAIRED}
    _, expected = paired_test(test_type, plain, TEXT.streams)
    metrics: dict[str, Any] = {"BLEU": BLEU(references=TEXT.streams)}
    for name, metric in plain.items():
        metrics[name] = metric.with_references(TEXT.streams)
    signatures, found = paired_test(test_type, metrics, None)
    assert dict(signatures["BLEU"].info)["nrefs"] == "var"
    for name in PAIRED:
        assert list(map(repr, found[name])) == list(map(repr, expected[name]))
        keys = dict(signatures[name])
        assert (keys["nrefs"], keys["seed"], keys[test_type]) == ("var", "12345", "20")
        again = hb.metrics.from_signature(str(signatures[name]))
        assert again.signature("var") == plain[name].signature("var")
    for ours, theirs in zip(found["bleu"], found["BLEU"], strict=True):
        assert ours.score == pytest.approx(theirs.score, rel=1e-12)
        assert ours.p_value == theirs.p_value
