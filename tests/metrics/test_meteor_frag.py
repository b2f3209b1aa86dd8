"""meteor_frag against the program METEOR 1.5.

Goldens: meteor-1.5.jar (as pycocoevalcap 1.2 has it), one pair of lines per run, with

    java -Xmx1G -Dfile.encoding=UTF-8 -jar meteor-1.5.jar hyp.txt ref.txt -l LANG -m exact -norm

(``-lower`` instead of ``-norm`` for the languages that METEOR cannot tokenise: it and other).
The values are those that it prints after "Fragmentation penalty:" and "Chunks:". The lines are in
lower case and without punctuation, so that METEOR finds the same tokens. Its code for Czech is cz.
"""

from __future__ import annotations

import pytest

import hyperbaton as hb
from metrics import corpora
from reference import scoring as twin

GOLDENS = [
    ("en", "the cat sat on the mat", "on the mat sat the cat", 0.5223303379776745, 3),
    (
        "en",
        "the quick brown fox jumps over the lazy dog",
        "the lazy dog jumps over the quick brown fox",
        0.4816449370561384,
        3,
    ),
    (
        "en",
        "yesterday he bought a new car in berlin",
        "he bought in berlin a new red car yesterday",
        0.546169260907824,
        5,
    ),
    ("en", "we saw them", "we saw them there", 0.4816449370561384, 1),
    (
        "cs",
        "vlak odjel včera večer z prahy",
        "včera večer odjel z prahy vlak",
        0.5532647468890366,
        4,
    ),
    ("cs", "kniha leží na stole", "na stole leží nová kniha", 0.5664525067769411, 3),
    (
        "de",
        "ich habe gestern das buch gelesen",
        "gestern habe ich das buch gelesen",
        0.3666666666666667,
        4,
    ),
    (
        "de",
        "dass er das auto gekauft hat",
        "dass er hat gekauft das neue auto",
        0.45833333333333337,
        5,
    ),
    ("es", "la casa blanca es grande", "la blanca casa es muy grande", 0.5, 5),
    ("es", "no lo he visto nunca", "nunca lo he visto", 0.20306309908905887, 2),
    ("fr", "le chat noir dort sur le lit", "sur le lit dort le chat noir", 0.18322458680283288, 3),
    ("fr", "il ne mange pas de viande", "de viande il ne mange pas", 0.12887880299545085, 2),
    ("ru", "он вчера купил новую книгу", "вчера он купил новую книгу", 0.3423811060344875, 3),
    ("ru", "мы не были там", "там мы не были", 0.2652503991393197, 2),
    ("it", "non ho visto il film", "il film non ho ancora visto", 0.3423811060344875, 3),
    (None, "jag har inte sett honom", "inte har jag sett honom", 0.5121816581586055, 4),
    (None, "a b c d e f", "d e f a b c x", 0.15035860349469266, 2),
]


@pytest.mark.parametrize(("language", "line", "ref", "penalty", "chunks"), GOLDENS)
def test_goldens(language: str | None, line: str, ref: str, penalty: float, chunks: int) -> None:
    assert hb.align(line, ref, tokenize="none").chunks == chunks  # as METEOR found
    metric = "meteor_frag:align=exact,tok=none"
    score = hb.score([line], [ref], [metric], language=language)[metric]
    assert score.value == pytest.approx(1 - penalty, rel=1e-14)
    params = language if language in ("en", "cs", "de", "es", "fr") else "other"
    assert f"|params:{params}|" in score.signature
    again = hb.score([line], [ref], [f"{metric},params={params}"])[f"{metric},params={params}"]
    assert again.value == score.value
    code = {"cs": "cz"}.get(params, params)
    segments = corpora.aligned(corpora.Corpus([line], [[ref]]))
    assert twin.meteor_frag(segments, code).value == pytest.approx(1 - penalty, rel=1e-14)


@pytest.mark.parametrize("language", ["en", "cs", "de", "es", "fr", "ru", "sw"])
def test_no_match_and_full_match(language: str) -> None:
    # "we saw them there" twice: METEOR's penalty is 0. Without a match it prints NaN.
    metric = "meteor_frag:align=exact,tok=none"
    score = hb.score(["we saw them there", "a b"], ["we saw them there", "c"], [metric], language)
    assert score[metric].segments.tolist() == [1, 0]


def test_given_parameters() -> None:
    # Two chunks of four words: frag = 1/2.
    metric = "meteor_frag:beta=2,gamma=0.4"
    assert hb.score(["a b c d"], ["c d a b"], [metric])[metric].value == pytest.approx(0.9)
    metric = "meteor_frag:params=de,gamma=1"
    assert hb.score(["a b c d"], ["c d a b"], [metric])[metric].value == pytest.approx(0.5)
    # β = 0: any fragmentation costs γ, but a full match has none.
    metric = "meteor_frag:beta=0,gamma=0.4"
    score = hb.score(["a b", "b a"], ["a b", "a b"], [metric])[metric]
    assert score.segments.tolist() == pytest.approx([1, 0.6])


def test_the_best_of_several_references() -> None:
    metric = "meteor_frag:align=exact,tok=none"
    _, line, ref, penalty, _ = GOLDENS[1]
    score = hb.score([line], [["fox the over dog", ref]], [metric], language="en")[metric]
    assert score.value == pytest.approx(1 - penalty, rel=1e-14)
