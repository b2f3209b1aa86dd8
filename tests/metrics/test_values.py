"""Every metric against its naive twin, and by hand."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from metrics import corpora
from reference import scoring as twin

Twin = Callable[[Sequence[twin.Segment]], twin.Scores]
BP = ("permutation", "system", "off")
UNALIGNED = ("drop", "left", "right")
WEIGHT = ("none", "ref")
CORPORA = {
    "one reference": corpora.corpus(1, references=(1,)),
    "two references": corpora.corpus(2, references=(2,)),
    "one to three references": corpora.corpus(3),
    "nothing at all": corpora.Corpus(["", ""], [[""], ["", ""]]),
    "one segment": corpora.Corpus(["a b c d e"], [["e d c b a", "b a c d x e"]]),
}


def spec(name: str, options: dict[str, Any]) -> str:
    return f"{name}:" + ",".join(
        f"{key}={value}" for key, value in {**options, "tok": "none"}.items()
    )


def twin_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options by the names that the twin has for them."""
    return {"measure" if key == "order" else key: value for key, value in options.items()}


def check(
    name: str,
    cases: Sequence[dict[str, Any]],
    score_by_twin: Callable[..., twin.Scores],
    case: str = "lc",
) -> None:
    """Check a metric with all options on all corpora, with found and with given alignments."""
    for corpus in CORPORA.values():
        for given in (False, True):
            if given:
                if case != "lc":
                    continue
                segments = corpora.linked_at_random(corpus, seed=5)
                alignments = corpora.pharaoh(segments)
            else:
                segments, alignments = corpora.aligned(corpus, case), None
            specs = [spec(name, {**options, "case": case}) for options in cases]
            result = hb.score(*corpus, specs, alignments=alignments)
            for text, options in zip(specs, cases, strict=True):
                expected = score_by_twin(segments, **twin_options(options))
                score = result[text]
                message = f"{text} of {corpus}"
                np.testing.assert_allclose(
                    score.segments, expected.segments, rtol=1e-12, atol=1e-12, err_msg=message
                )
                assert score.value == pytest.approx(expected.value, rel=1e-12, abs=1e-12), message
                assert score.n == len(segments)


def grid(**values: Sequence[Any]) -> list[dict[str, Any]]:
    return [dict(zip(values, choice, strict=True)) for choice in product(*values.values())]


@pytest.mark.parametrize("measure", twin.MEASURES)
def test_order(measure: str) -> None:
    def score_by_twin(segments: Sequence[twin.Segment], **options: Any) -> twin.Scores:
        return twin.order(segments, measure, **options)

    check(measure, grid(bp=BP, unaligned=UNALIGNED, weight=WEIGHT), score_by_twin)


@pytest.mark.parametrize("measure", ["pet", "pef", "pef_beer"])
def test_parameters_of_trees(measure: str) -> None:
    def score_by_twin(segments: Sequence[twin.Segment], **options: Any) -> twin.Scores:
        return twin.order(segments, measure, **options)

    check(
        measure, grid(beta=(0.25, 1), bp=("permutation", "off"), unaligned=UNALIGNED), score_by_twin
    )
    if measure != "pef_beer":
        check(measure, grid(beta=(0.6, 0.5), gamma=(0.25, 1), bp=BP, weight=WEIGHT), score_by_twin)


def test_defaults() -> None:
    corpus = CORPORA["one to three references"]
    segments = corpora.aligned(corpus)
    expected: dict[str, twin.Scores] = {
        **{measure: twin.order(segments, measure) for measure in twin.MEASURES},
        "adjacency": twin.adjacency(segments),
        "meteor_frag": twin.meteor_frag(segments),
        "full": twin.full(segments),
        "senscore": twin.senscore(segments),
        "lrscore": twin.lrscore(segments),
        "lr_hb1": twin.lrscore(segments, "hamming", "bleu1"),
        "lr_hb4": twin.lrscore(segments, "hamming", "bleu4"),
        "lr_kb1": twin.lrscore(segments, "kendall", "bleu1"),
        "lr_kb4": twin.lrscore(segments, "kendall", "bleu4"),
        **{name: twin.error_rate(segments, name) for name in twin.DISTANCES},
        "avgbleu": twin.avgbleu(corpora.aligned(corpus, "mixed")),
    }
    # The other metrics have test modules of their own.
    others = {"bleu", "chrf", "ter", "dted", "ribes", "order", "hyper"}
    assert set(hb.metrics.names()) - set(expected) == others
    result = hb.score(*corpus, [f"{name}:tok=none" for name in expected])
    for name, scores in expected.items():
        score = result[f"{name}:tok=none"]
        np.testing.assert_allclose(score.segments, scores.segments, 1e-12, 1e-12, err_msg=name)
        assert score.value == pytest.approx(scores.value, rel=1e-12), name


def test_adjacency() -> None:
    check("adjacency", grid(weight=WEIGHT), twin.adjacency)
    check("adjacency", [{}], twin.adjacency, case="mixed")


def test_meteor_frag() -> None:
    def score_by_twin(segments: Sequence[twin.Segment], params: str, **options: Any) -> twin.Scores:
        return twin.meteor_frag(segments, {"cs": "cz"}.get(params, params), **options)

    check(
        "meteor_frag",
        grid(params=("en", "cs", "de", "es", "fr", "other"), weight=WEIGHT),
        score_by_twin,
    )


LEXICAL = ("bleu1", "bleu4", "f1")
COMPOSITES: dict[str, Twin] = {
    "full": twin.full,
    "senscore": twin.senscore,
    "lrscore": twin.lrscore,
}


@pytest.mark.parametrize("name", COMPOSITES)
def test_order_and_words(name: str) -> None:
    score_by_twin = COMPOSITES[name]
    check(name, grid(lexical=LEXICAL, alpha=(0, 0.3, 1), bp=BP, weight=WEIGHT), score_by_twin)
    check(
        name, grid(order=("ulam", "pet_count", "kendall_sqrt"), unaligned=UNALIGNED), score_by_twin
    )
    check(name, grid(order=("pef", "pet"), beta=(0.5,), gamma=(0, 0.5)), score_by_twin)
    check(name, grid(lexical=LEXICAL), score_by_twin, case="mixed")


@pytest.mark.parametrize("lexical", ["bleu1", "bleu4"])
def test_presets(lexical: str) -> None:
    for letter, measure in (("h", "hamming"), ("k", "kendall")):

        def score_by_twin(
            segments: Sequence[twin.Segment], measure: str = measure, **options: Any
        ) -> twin.Scores:
            return twin.lrscore(segments, measure, lexical, **options)

        check(f"lr_{letter}b{lexical[-1]}", grid(alpha=(0.5, 0.25), bp=BP), score_by_twin)


@pytest.mark.parametrize("name", twin.DISTANCES)
@pytest.mark.parametrize("case", ["lc", "mixed"])
def test_error_rates(name: str, case: str) -> None:
    check(name, [{}], lambda segments: twin.error_rate(segments, name), case)


@pytest.mark.parametrize("case", ["lc", "mixed"])
def test_average_bleu(case: str) -> None:
    check("avgbleu", grid(weight=WEIGHT), twin.avgbleu, case)


def test_bleu() -> None:
    """The twin's BLEU equals sacreBLEU's, so the twins that use it can be trusted."""
    for corpus in CORPORA.values():
        segments = corpora.aligned(corpus, "mixed")
        score = hb.score(*corpus, ["bleu:tok=none"])["bleu:tok=none"]
        assert score.value == pytest.approx(twin.corpus_bleu(segments, 4), rel=1e-12)
        single = [twin.sentence_bleu(segment.hyp, segment.refs, 4) for segment in segments]
        np.testing.assert_allclose(score.segments, single, 1e-12)


def test_found_and_given_alignments_give_the_same_scores() -> None:
    corpus = CORPORA["one to three references"]
    given = corpora.pharaoh(corpora.aligned(corpus))
    aligner = hb.Aligner(None, tokenize="none")
    objects = [
        [aligner.align(hypothesis, ref) for ref in references]
        for hypothesis, references in zip(*corpus, strict=True)
    ]
    specs = ["pef:tok=none", "full:tok=none", "adjacency:tok=none", "meteor_frag:tok=none"]
    found = hb.score(*corpus, specs)
    for alignments in (given, objects):
        other = hb.score(*corpus, specs, alignments=alignments)
        for name in specs:
            assert other[name].value == found[name].value
            assert other[name].segments.tolist() == found[name].segments.tolist()
            assert other[name].linked == found[name].linked


# By hand --------------------------------------------------------------------------------------


def value(metric: str, hypothesis: str, *references: str) -> float:
    name, colon, options = metric.partition(":")
    full = f"{name}:tok=none" + (f",{options}" if colon else "")
    return float(hb.score([hypothesis], [list(references)], [full])[full])


def test_brevity_penalty_by_hand() -> None:
    # b→1, a→0, c→2: π = ⟨2,1,3⟩, and 2 of its 3 pairs are in order. |π| = 3, |ref| = 4, and the
    # translation has 4 words.
    line, ref = "b a c x", "a b c d"
    assert value("kendall:bp=off", line, ref) == pytest.approx(2 / 3)
    assert value("kendall", line, ref) == pytest.approx(2 / 3 * math.exp(1 - 4 / 3))
    assert value("kendall:bp=system", line, ref) == pytest.approx(2 / 3)
    # t = 3 words against r = 4: e^(1 − 4/3).
    assert value("kendall:bp=system", "b a c", ref) == pytest.approx(2 / 3 * math.exp(-1 / 3))
    # |π| = |ref| = 3, whatever other words the translation has.
    assert value("kendall", "x b a y c z", "a b c") == pytest.approx(2 / 3)


def test_closest_reference_by_hand() -> None:
    # 3 and 5 words are equally close to 4, so the shorter reference counts: t > r, so 1.
    refs = ["b a c d e", "a b c"]
    assert value("kendall:bp=system", "a b c x", *refs) == 1
    # 5 is closest to 4, although the other reference has the best order: e^(1 − 5/4).
    refs = ["c b a d e", "a"]
    assert value("kendall:bp=system", "a b c x", *refs) == pytest.approx(math.exp(-1 / 4))


def test_unaligned_words_by_hand() -> None:
    # d of "d a b c" has no link; the order of the others is b a c.
    line, ref = "b a c", "d a b c"
    assert value("kendall:bp=off", line, ref) == pytest.approx(2 / 3)  # ⟨2,1,3⟩
    assert value("kendall:unaligned=left", line, ref) == pytest.approx(5 / 6)  # d b a c: ⟨1,3,2,4⟩
    assert value("kendall:unaligned=right", line, ref) == pytest.approx(4 / 6)  # b d a c: ⟨3,1,2,4⟩


def test_adjacency_by_hand() -> None:
    # 0-0, 1-1 and 3-2: one pair adjacent on both sides, first linked, last linked; 3 links.
    assert value("adjacency", "a b x c", "a b c") == pytest.approx(3 / 4)
    # 0-1 and 1-0: no pair is adjacent and in order, and 0-0 and 1-1 are not linked.
    assert value("adjacency", "b a", "a b") == 0
    assert value("adjacency", "x", "y") == 0
    assert value("adjacency", "a", "a") == 1


def test_meteor_frag_by_hand() -> None:
    # Two chunks of four words: frag = 1/2; METEOR's γ and β for other languages, and German.
    assert value("meteor_frag", "a b c d", "c d a b") == pytest.approx(1 - 0.7 * 0.5**1.4)
    assert value("meteor_frag:params=de", "a b c d", "c d a b") == pytest.approx(1 - 0.55 / 2)
    # One chunk, but d is not matched: frag = 1/3. With all matched it is 0, not 1/3.
    assert value("meteor_frag:params=de", "a b c", "a b c d") == pytest.approx(1 - 0.55 / 3)
    assert value("meteor_frag:params=de", "a b c", "a b c") == 1
    assert value("meteor_frag:params=de", "a b c", "d") == 0


# Two segments. First: three words of four in common, π = ⟨2,1,3⟩; second: half of the reference.
PAIR = (["b a c x", "a"], ["a b c", "a b"])


def segments_and_corpus(metric: str) -> tuple[list[float], float]:
    score = hb.score(*PAIR, [f"{metric},tok=none"])[f"{metric},tok=none"]
    return score.segments.tolist(), float(score)


def test_full_by_hand() -> None:
    # BLEU1 = 3/4 · 1, PEF(⟨2,1,3⟩) = 0.6 · 1 + 0.4 · 0, bp = 1; then 1 · e^(1 − 2/1) for both.
    segments, corpus = segments_and_corpus("full:alpha=0.5")
    assert segments == pytest.approx([0.5 * 0.75 + 0.5 * 0.6, math.exp(-1)])
    assert corpus == pytest.approx((0.675 + math.exp(-1)) / 2)
    # α is the weight of the lexical score.
    assert segments_and_corpus("full:alpha=1")[0] == pytest.approx([0.75, math.exp(-1)])


def test_senscore_by_hand() -> None:
    # F1 = 2·(3/4)·1/(3/4 + 1) = 6/7, |PET| = 1 (two operators, of two); then F1 = 2/3, order e⁻¹.
    first, second = (6 / 7 + 1) / 2, (2 / 3 + math.exp(-1)) / 2
    segments, corpus = segments_and_corpus("senscore:alpha=0.5")
    assert segments == pytest.approx([first, second])
    assert corpus == pytest.approx((3 * first + 2 * second) / 5)  # weighted by |ref|
    assert segments_and_corpus("senscore:weight=none")[1] == pytest.approx((first + second) / 2)


def test_lrscore_by_hand() -> None:
    # R: 2/3 with t = 4 > r = 3, and 1 · e^(1 − 2/1). BLEU1 of the corpus: 4 of 5 words match,
    # lengths 5 and 5. α is the weight of order.
    r = (2 / 3 + math.exp(-1)) / 2
    segments, corpus = segments_and_corpus("lr_kb1:alpha=0.25")
    assert corpus == pytest.approx(0.25 * r + 0.75 * 0.8)
    assert segments == pytest.approx(
        [0.25 * 2 / 3 + 0.75 * 0.75, 0.25 * math.exp(-1) + 0.75 * math.exp(-1)]
    )
    # Hamming(⟨2,1,3⟩) = 1/3. BLEU4 of "b a c x" against "a b c": 3/4, then no bigram of 3, no
    # trigram of 2 and no four-gram of 1, which count 1/2, 1/4 and 1/8 of a match; no penalty.
    bleu = (3 / 4 * (1 / 2 / 3) * (1 / 4 / 2) * (1 / 8 / 1)) ** (1 / 4)
    assert segments_and_corpus("lr_hb4:alpha=0.5")[0][0] == pytest.approx((1 / 3 + bleu) / 2)
    # F1 has 4 words in common, of 5 + 5.
    assert segments_and_corpus("lrscore:lexical=f1,alpha=0")[1] == pytest.approx(0.8)


def test_error_rates_by_hand() -> None:
    # x y a b c against a b c x y: two blocks are swapped: 4 edits, no wrong words, 1 inversion.
    line, ref = "x y a b c", "a b c x y"
    assert value("wer", line, ref) == pytest.approx(4 / 5)
    assert value("per", line, ref) == 0
    assert value("invwer", line, ref) == pytest.approx(1 / 5)
    # Jumps to a, from after c to x, and from after y to the end, where the recursion ends.
    assert value("cder", line, ref) == pytest.approx(3 / 5)
    # One error against the closest of two references with 2 and 3 words: 1 / 2.5.
    assert value("wer", "a b c", "a c", "b a c") == pytest.approx(1 / 2.5)
    # For a corpus, errors and lengths are added up: (1 + 2) / (2.5 + 4).
    score = hb.score(["a b c", "p q"], [["a c", "b a c"], ["p q r s"]], ["wer"])["wer"]
    assert score.value == pytest.approx(3 / 6.5)
    assert score.segments.tolist() == pytest.approx([1 / 2.5, 2 / 4])


def test_the_cost_of_an_inversion_by_hand() -> None:
    # A swap of two blocks costs 0.3, and the substitution of x costs 1. If a swap costs 10, edits
    # are cheaper.
    line, ref = "a b x c", "c a b y"
    assert value("invwer:inversion=0.3", "x y a b c", "a b c x y") == pytest.approx(0.3 / 5)
    assert value("invwer:inversion=0.3", line, ref) == pytest.approx(1.3 / 4)
    assert value("invwer:inversion=10", line, ref) == value("wer", line, ref)
    assert hb.metrics.get("invwer:inversion=1") == hb.metrics.get("invwer")
    assert hb.metrics.get("invwer:inversion=2") != hb.metrics.get("invwer")
    with pytest.raises(ValueError, match="inversion must have at most 3 decimals"):
        hb.metrics.get("invwer:inversion=0.3333")
    with pytest.raises(ValueError, match="inversion must be between 0 and 10, got 11"):
        hb.metrics.get("invwer:inversion=11")


def test_weights_of_matchers_by_hand() -> None:
    # Both words can be linked to "run"; "runs" is closer, but with stem=0.5 its link counts less.
    plain = hb.metrics.get("adjacency", "en").sentence_score("runs run", ["run"])
    weighted = hb.metrics.get("adjacency:stem=0.5", "en").sentence_score("runs run", ["run"])
    assert (plain.value, weighted.value) == (1 / 2, 1 / 2)  # first words linked, or last ones
    pair = "runs a b run", ["run c"]
    assert hb.metrics.get("adjacency", "en").sentence_score(*pair).value == 1 / 2
    assert hb.metrics.get("adjacency:stem=0.5", "en").sentence_score(*pair).value == 0
    metric = hb.metrics.get("adjacency:stem=0.5", "en")
    assert pickle.loads(pickle.dumps(metric)) == metric != hb.metrics.get("adjacency", "en")
    assert hb.metrics.get("pef:stem=1,exact=1", "en") == hb.metrics.get("pef", "en")
    with pytest.raises(ValueError, match="pef: stem is the weight of a matcher, but align"):
        hb.metrics.get("pef:stem=0.5")
    with pytest.raises(ValueError, match="pef: exact is the weight of a matcher, but align is giv"):
        hb.metrics.get("pef:align=given,exact=0.5")


def test_empty_lines_by_hand() -> None:
    for name in ("pef", "kendall", "full", "senscore", "lrscore", "adjacency", "meteor_frag"):
        for line, ref in (("", "a b"), ("a b", ""), ("", "")):
            for options in ("", ",bp=off", ",bp=system"):
                if options and name in ("adjacency", "meteor_frag"):
                    continue
                assert value(f"{name}:weight=none{options}", line, ref) == 0, (name, line, ref)
                assert value(f"{name}:weight=ref{options}", line, ref) == 0, (name, line, ref)
    for name in ("wer", "per", "cder", "invwer"):
        assert [value(name, *pair) for pair in (("", "a b"), ("a b", ""), ("", ""))] == [1, 1, 0]


def test_the_mean_length_of_references_may_be_less_than_a_word() -> None:
    """Equation 3: the references have 1 and 0 words, so their mean length is 1/2."""
    for name in ("wer", "per", "cder", "invwer"):
        assert value(name, "b", "a", "") == pytest.approx(1 / 0.5), name


# Several references ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*twin.MEASURES, "adjacency", "meteor_frag", "full", "senscore"])
def test_the_best_reference_counts(name: str) -> None:
    corpus = CORPORA["one to three references"]
    spec = f"{name}:tok=none"
    several = hb.score(*corpus, [spec])[spec].segments
    for k, (hypothesis, references) in enumerate(zip(*corpus, strict=True)):
        single = hb.score([hypothesis] * len(references), references, [spec])[spec].segments
        assert several[k] == max(single)


def test_the_weight_is_the_length_of_the_best_reference() -> None:
    # The first segment is best against its second reference, of 2 words; the other has 6.
    hypotheses = ["a b", "c b a d e f"]
    references = [["b x y z a", "a b"], ["a b c d e f"]]
    score = hb.score(hypotheses, references, ["hamming:weight=ref"])["hamming:weight=ref"]
    assert score.segments.tolist() == pytest.approx([1, 4 / 6])
    assert score.value == pytest.approx((2 * 1 + 6 * 4 / 6) / 8)
