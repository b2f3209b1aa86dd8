"""The options fold and punct: which words are equal, and which count."""

from __future__ import annotations

import random
import unicodedata
import warnings
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton.metrics.registry import find_class
from metrics import corpora
from reference import folding as folding_twin
from reference import scoring as twin

SACREBLEU = ("bleu", "avgbleu", "chrf", "ter")
FOLDING = tuple(name for name in hb.metrics.names() if name not in (*SACREBLEU, "dted"))
ERROR_RATES = tuple(twin.DISTANCES)
DROPPING = tuple(name for name in FOLDING if name not in ERROR_RATES)
# LRscore's BLEU is sacreBLEU's, of the text as written.
LRSCORES = tuple(name for name in FOLDING if name.startswith("lr"))
OWN_DROPPING = tuple(name for name in DROPPING if name not in LRSCORES)
OWN_WORDS = tuple(name for name in FOLDING if name not in LRSCORES)
# A sentence and another order of it, by language, in the shortest spelling. (Unicode's NFC writes
# Hindi's ड़ and ज़ as two characters each.)
SENTENCES = {
    "cs": ("Příliš žluťoučký kůň úpěl ďábelské ódy.", "Žluťoučký kůň příliš úpěl ďábelské ódy."),
    "vi": ("Tôi muốn ăn phở vào buổi sáng ở Hà Nội.", "Ở Hà Nội tôi muốn ăn phở buổi sáng."),
    "el": ("Η Αθήνα είναι μια πολύ όμορφη πόλη.", "Η Αθήνα είναι πόλη μια πολύ όμορφη."),
    "hi": ("मैं कल ब\u095cे बा\u095bार गया था ।", "कल मैं ब\u095cे बा\u095bार गया था ।"),
    "ko": ("나는 어제 학교에 갔다 .", "어제 나는 학교에 갔다 ."),
}


def specs(names: tuple[str, ...], options: str) -> list[str]:
    return [f"{name}:{options}" for name in names]


def values(hyp: Any, ref: Any, metrics: list[str], language: str | None = None) -> dict[str, Any]:
    """Return the segment values of each metric by name, and what is in its sums."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # languages without a stemmer
        result = hb.score(hyp, ref, metrics, language)
    return {
        name.partition(":")[0]: (score.computed_segments.tolist(), score.sums.tolist())
        for name, score in result.items()
    }


def test_which_metrics_have_the_options() -> None:
    for name in hb.metrics.names():
        options = find_class(name).options_for(name, {})
        assert ("fold" in options) == (name in FOLDING), name
        assert ("punct" in options) == (name in (*DROPPING, "ter")), name
    aligned = find_class("dted").options_for("dted", {"match": "aligned"})
    assert "fold" in aligned
    assert "punct" not in aligned


@pytest.mark.parametrize("language", SENTENCES)
def test_decomposed_text_scores_like_its_composed_twin(language: str) -> None:
    hyp, ref = SENTENCES[language]
    composed = [hyp, ref]
    decomposed = [unicodedata.normalize("NFD", text) for text in (hyp, ref)]
    assert composed != decomposed
    metrics = specs(OWN_WORDS, "tok=13a,fold=standard")
    expected = values([composed[0]], [composed[1]], metrics, language)
    assert expected["wer"][0][0] < 1  # some words match
    for h in (composed[0], decomposed[0]):
        for r in (composed[1], decomposed[1]):
            assert values([h], [r], metrics, language) == expected
    unfolded = specs(OWN_WORDS, "tok=13a,fold=none")
    assert values([decomposed[0]], [composed[1]], unfolded, language)["wer"] != expected["wer"]


def test_half_width_katakana() -> None:
    metrics = specs(OWN_WORDS, "tok=char,fold=standard")
    ref = ["ガラスのコップを買う"]
    assert values(["ｶﾞﾗｽのｺｯﾌﾟを買う"], ref, metrics) == values(ref, ref, metrics)


@pytest.mark.parametrize("name", OWN_WORDS)
def test_typography(name: str) -> None:
    plain = '"He didn\'t go," she said - he cooperates... find it'
    typeset = "“He didn’t go,” she said — he co\u00adoperates… \u200fﬁnd it"
    ref = ['she said "he didn\'t go" - he cooperates... find it']
    folded, unfolded = (f"{name}:fold={fold}" for fold in ("standard", "none"))
    for hypothesis in (plain, typeset):
        assert values([hypothesis], ref, [folded]) == values([plain], ref, [unfolded])
    assert values([typeset], ref, [unfolded]) != values([plain], ref, [unfolded])


@pytest.mark.parametrize("name", OWN_WORDS)
def test_folding_the_text_beforehand_is_the_same(name: str) -> None:
    rng = random.Random(name)
    words = [
        *("don’t", "“Quoted”", "co\u00adop", "…", "É", "e\u0301", "ﬁn", "İLK"),
        *("ＡＢ", "\u200fa", "–", "b-c", "ß", "ΟΣ", ","),
    ]
    lines = [" ".join(rng.choices(words, k=rng.randrange(12))) for _ in range(60)]
    hyps, refs = lines[:30], lines[30:]
    for tok in ("13a", "none", "intl"):
        for case in ("lc", "mixed"):
            folded_hyps, folded_refs = (
                [folding_twin.fold(line, lowercase=case == "lc") for line in side]
                for side in (hyps, refs)
            )
            # The words of hyper keep their case, whatever the option says: order alone.
            part = "alpha=0," if name == "hyper" and case == "lc" else ""
            as_is = [f"{name}:{part}tok={tok},case=mixed,fold=none"]
            expected = values(folded_hyps, folded_refs, as_is)
            spec = f"{name}:{part}tok={tok},case={case},fold=standard"
            assert values(hyps, refs, [spec]) == expected


def test_words_of_hyper_are_folded_and_keep_their_case() -> None:
    hyps, refs = ["“Don’t” go", "ＡＢ ß"], ['"Don\'t" Go', "AB ß"]
    for case in ("lc", "mixed"):
        spec = f"hyper:alpha=1,tok=none,case={case},fold=standard"
        expected = values(['"Don\'t" go', "AB ß"], refs, ["hyper:alpha=1,tok=none,fold=none"])
        assert values(hyps, refs, [spec]) == expected
        assert expected["hyper"][0][0] < expected["hyper"][0][1] == 1


def test_sacrebleu_counts_the_words_as_written() -> None:
    hyp, ref = ["don’t go there now"], ["don't go there now"]
    for name in (*LRSCORES, "full:lexical=bleu4", "senscore:lexical=bleu4"):
        spec = f"{name}{',' if ':' in name else ':'}order=kendall,bp=off,alpha="
        words = 0 if name in LRSCORES else 1  # the α with which only words count
        alone = [f"{spec}{words},fold={fold}" for fold in ("none", "standard")]
        order = [f"{spec}{1 - words},fold={fold}" for fold in ("none", "standard")]
        result = hb.score(hyp, ref, [*alone, *order])
        assert float(result[alone[0]]) == float(result[alone[1]]) < 1
        assert result[order[1]].value == 1


def test_turkish_and_azeri_lower_case() -> None:
    hyp, ref = ["IŞIK İLK GÜN DIŞARI"], ["dışarı ilk gün ışık"]
    metrics = [
        # The words of hyper keep their case.
        f"{name}:fold=standard,tok=none{',alpha=0' if name == 'hyper' else ''}"
        for name in OWN_WORDS
    ]
    for language in ("tr", "az"):
        expected = values(["ışık ilk gün dışarı"], ref, metrics, language)
        assert values(hyp, ref, metrics, language) == expected
        assert values(hyp, ref, metrics, None)["wer"] != expected["wer"]
    for language in ("tr", "az", "tr-TR"):
        metric = hb.metrics.get("wer:fold=standard", language)
        code = language[:2]
        assert f"|fold:standard.{code}|" in str(metric.signature(1))
        assert hb.metrics.from_signature(str(metric.signature(1))) == metric
        assert hb.metrics.from_signature(metric.signature(1).format(short=True)) == metric
    for spec in ("pef:fold=standard", "pef:fold=standard,align=exact", "ribes:fold=standard"):
        metric = hb.metrics.get(spec, "tr")
        assert hb.metrics.from_signature(str(metric.signature(1))) == metric
        assert metric.tokenization.turkic
    for spec in ("wer:fold=standard,case=mixed", "wer:fold=none"):
        assert ".tr" not in str(hb.metrics.get(spec, "tr").signature(1))


def test_signatures() -> None:
    for name in FOLDING:
        plain = hb.metrics.get(f"{name}:fold=none")
        assert "fold" not in dict(plain.signature(1))
        assert "punct" not in dict(plain.signature(1))
        assert hb.metrics.from_signature(str(plain.signature(1))) == plain
        options = "fold=standard,punct=drop" if name in DROPPING else "fold=standard"
        metric = hb.metrics.get(f"{name}:{options}")
        signature = metric.signature(1)
        assert dict(signature)["fold"] == "standard"
        assert dict(signature).get("punct") == ("drop" if name in DROPPING else None)
        for text in (str(signature), signature.format(short=True)):
            assert hb.metrics.from_signature(text) == metric
        assert metric != plain
    dted = hb.metrics.get("dted:weight=aligned,fold=standard,parser=toy:any")
    assert hb.metrics.from_signature(str(dted.signature(1))) == dted
    assert dict(dted.signature(1))["fold"] == "standard"


def test_words_of_trees_are_folded() -> None:
    heads = [2, 0]
    trees = {
        "trees": [hb.DependencyTree(["don’t", "go"], heads)],
        "reference_trees": [hb.DependencyTree(["don't", "Go"], heads)],
    }
    folds = {"none": 0.5, "standard": 1.0}
    for fold, expected in folds.items():
        spec = f"dted:match=aligned,rescale=yes,fold={fold}"
        result = hb.score(["don’t go"], ["don't Go"], spec, **trees)  # type: ignore[arg-type]
        assert result[spec].value == expected


def test_given_tokens_are_folded_one_by_one() -> None:
    aligner = hb.Aligner(fold="standard")
    assert aligner.align(["don’t", "Ｇｏ"], ["go", "don't"]).links == ((0, 1), (1, 0))
    assert aligner.tokens(["Don’t", "“go”"]) == ["don't", '"go"']
    assert hb.Aligner(fold="none").align(["don’t"], ["don't"]).links == ()
    assert aligner.signature == "lang:none|matchers:exact|tok:13a|case:lc|fold:standard"
    assert "fold" not in hb.Aligner(fold="none").signature
    assert hb.Aligner("tr", fold="standard").align("IŞIK", "ışık").links == ((0, 0),)
    similar = hb.Aligner(matchers="exact,similar", fold="standard")
    assert similar.align("e\u0301cole", "écolé").links == ((0, 0),)


# Punctuation -----------------------------------------------------------------------------------

PUNCTUATION = (",", ".", "--", "”", "।")


def with_punctuation(corpus: corpora.Corpus, seed: int) -> corpora.Corpus:
    """Return the corpus with tokens without letters at random places."""
    rng = random.Random(seed)

    def add(line: str) -> str:
        words = line.split()
        for _ in range(rng.randrange(4)):
            words.insert(rng.randint(0, len(words)), rng.choice(PUNCTUATION))
        return " ".join(words)

    return corpora.Corpus(
        [add(line) for line in corpus.hypotheses],
        [[add(line) for line in lines] for lines in corpus.references],
    )


@pytest.mark.parametrize("name", DROPPING)
def test_dropping_punctuation_is_scoring_the_other_words(name: str) -> None:
    words = corpora.corpus(7)
    texts = with_punctuation(words, 8)
    if name in LRSCORES:
        name += ":alpha=1"  # order alone
    spec = f"{name}{',' if ':' in name else ':'}tok=none"
    # Some metrics count in distinct lines. These are so with punctuation and without.
    lines = list(dict.fromkeys(line for refs in words.references for line in refs))
    with_marks = with_punctuation(corpora.Corpus(lines, []), 9).hypotheses
    assert with_marks != lines
    (expected,) = hb.score(*words, [hb.metrics.get(spec).fit(lines)]).values()
    dropping = hb.metrics.get(f"{spec},punct=drop").fit(with_marks)
    (found,) = hb.score(*texts, [dropping]).values()
    np.testing.assert_array_equal(found.segments, expected.segments)
    assert found.sums[:3].tolist() == expected.sums[:3].tolist()
    assert found.linked == expected.linked
    kept = hb.score(*texts, f"{spec},punct=keep")[f"{spec},punct=keep"]
    assert kept.segments.tolist() != expected.segments.tolist()


def test_given_links_of_dropped_words() -> None:
    texts = with_punctuation(corpora.corpus(9), 10)
    segments = corpora.linked_at_random(texts, seed=11)
    dropped = list(map(twin.without_punctuation, segments))
    assert dropped != segments
    expected = {
        "pef": twin.order(dropped, "pef"),
        "kendall:bp=system,unaligned=left": twin.order(
            dropped, "kendall", bp="system", unaligned="left"
        ),
        "hamming:weight=ref": twin.order(dropped, "hamming", weight="ref"),
        "adjacency": twin.adjacency(dropped),
        "meteor_frag": twin.meteor_frag(dropped),
        "full": twin.full(dropped),
        "senscore": twin.senscore(dropped),
    }
    names = {
        f"{name}{',' if ':' in name else ':'}tok=none,punct=drop": scores
        for name, scores in expected.items()
    }
    result = hb.score(*texts, list(names), alignments=corpora.pharaoh(segments))
    for name, scores in names.items():
        np.testing.assert_allclose(
            result[name].segments, scores.segments, 1e-12, 1e-12, err_msg=name
        )
        assert result[name].value == pytest.approx(scores.value, rel=1e-12), name


def test_phrases_with_dropped_words() -> None:
    alignment = hb.Alignment.from_pharaoh("0-1=0 1-2=0 3=1-2", 4, 3)
    selected = alignment.select_words([False, True, False, True], [True, True, False])
    assert selected.phrases == hb.Alignment.from_pharaoh("0=0 1=1", 2, 2).phrases
    assert alignment.select_words(hyp=[False] * 4).phrases == ()
    assert alignment.select_words() == alignment


def test_links_through_the_source() -> None:
    # The source keeps its full stop; the links of the other two with it are dropped.
    arguments: dict[str, Any] = {
        "source": ["a b c ."],
        "alignments": ["0-0 1-2 2-1 3-3"],
        "reference_alignments": ["0-0 1-1 2-2 3-3"],
    }
    kept, dropped = "kendall:tok=none,nulls=paper", "kendall:tok=none,nulls=paper,punct=drop"
    composed = "kendall:tok=none,punct=drop"
    result = hb.score(["A , B ."], ["a b c ."], [kept, dropped, composed], **arguments)
    # Through the source, A is linked with a, and B with b; the reference has three words.
    assert result[composed].value == pytest.approx(np.exp(1 - 3 / 2))
    # With all links b and c are swapped. Without that of the comma, c follows b.
    assert result[kept].value == pytest.approx(5 / 6)
    assert result[dropped].value == 1


def test_links_are_checked_against_all_tokens() -> None:
    spec = "pef:tok=none,punct=drop"
    result = hb.score(["a , b"], ["a b ."], spec, alignments=["0-0 2-1"])
    assert result[spec].value == 1
    with pytest.raises(ValueError, match="3"):
        hb.score(["a , b"], ["a b ."], spec, alignments=["3-0"])


@pytest.mark.parametrize("name", OWN_DROPPING)
def test_only_punctuation(name: str) -> None:
    """Nothing but punctuation is an empty line."""
    spec = f"{name}:punct=drop,tok=none"
    found = hb.score([". . .", "a", "!"], ["...", "!", "a"], spec)[spec]
    empty = hb.score(["", "a", ""], ["", "", "a"], spec)[spec]
    np.testing.assert_array_equal(found.segments, empty.segments)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("pef:fold=yes", "pef: fold must be one of standard, none, got 'yes'"),
        ("wer:fold=standard.tr", "wer: fold must be one of standard, none, got 'standard.tr'"),
        ("pef:punct=no", "pef: punct must be one of keep, drop, got 'no'"),
        ("wer:punct=drop", "unknown option 'punct' of wer"),
        ("bleu:fold=none", "unknown option 'fold' of bleu"),
        ("dted:match=aligned,punct=drop", "unknown option 'punct' of dted"),
    ],
)
def test_bad_values(spec: str, message: str) -> None:
    with pytest.raises(hb.errors.InputError) as error:
        hb.metrics.get(spec)
    assert message in str(error.value)


def test_bad_folding_of_an_aligner() -> None:
    with pytest.raises(hb.errors.InputError, match="fold must be one of standard, none, got 'x'"):
        hb.Aligner(fold="x")
