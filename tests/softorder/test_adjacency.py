"""Soft adjacency equals its naive twin: links, steps and the value."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hyperbaton.softorder.adjacency import SoftLinks, soft_adjacency, step_losses
from hypothesis import given
from rapidfuzz.distance import Levenshtein, Prefix

import hyperbaton as hb
from hyperbaton.errors import TooLongError
from hyperbaton.softorder import order
from reference import soft_order as twin
from softorder import sentences
from softorder.sentences import LONG, WORDS, number_sentences, random_pairs

Tokens = Sequence[str]
DEFAULT = SoftLinks()


def values(
    pairs: Sequence[tuple[Tokens, Tokens]], links: SoftLinks = DEFAULT, threads: int = 1
) -> list[float]:
    hyps, refs = number_sentences([hyp for hyp, _ in pairs], [ref for _, ref in pairs])
    found: list[float] = soft_adjacency(hyps, refs, links, threads).tolist()
    return found


def losses(hyp: Tokens, ref: Tokens, links: SoftLinks = DEFAULT) -> list[list[float]]:
    hyps, refs = number_sentences([hyp], [ref])
    return [side.tolist() for side in step_losses(hyps, refs, links)]


def expected_value(hyp: Tokens, ref: Tokens, links: SoftLinks = DEFAULT) -> float:
    """The value by the twin. Equal sides have 1 by rule."""
    if hyp and list(hyp) == list(ref):
        return 1.0
    return twin.soft_adjacency(hyp, ref, links.tau, links.pi, links.theta)


def close(expected: object) -> object:
    return pytest.approx(expected, rel=0, abs=1e-9)


# Similarity of words ---------------------------------------------------------------------------


def seen_similarity(a: str, b: str) -> float:
    """s(a, b), from the steps of ``a`` against ``b ✗``, where ✗ is no character of ``a``.

    With π = 0, the links of ``a`` have the weights e^s : 1, so that p = e^s/(e^s + 1) is the link
    with ``b``. Between ``b`` and ✗, the best step leaves one of them out, and its strength is p.
    The middle loss with θ = 1 is 1 − p. (The twin's test has the whole calculation.)
    """
    assert "✗" not in a
    _, (_, middle, _) = losses([a], [b, "✗"], SoftLinks(tau=1, pi=0, theta=1))
    return math.log((1 - middle) / middle)


def independent_similarity(a: str, b: str) -> float:
    prefix = 2 * Prefix.similarity(a, b) / (len(a) + len(b))
    return max(Levenshtein.normalized_similarity(a, b), prefix)


def test_similarity_of_all_pairs_of_words() -> None:
    words = (*WORDS, *LONG)
    for a in words:
        for b in words:
            assert seen_similarity(a, b) == close(independent_similarity(a, b)), (a, b)


@pytest.mark.parametrize("alphabet", ["ab", "abcdefgh", "aé猫𝐀", "\u0301e"])
def test_similarity_of_words_of_several_blocks(alphabet: str) -> None:
    """A block of the bit-parallel distance has 64 characters."""
    rng = random.Random(alphabet)
    blocks = set()
    for length in (1, 2, 31, 63, 64, 65, 100, 127, 128, 129, 192, 193, 300):
        for _ in range(6):
            a = "".join(rng.choices(alphabet, k=length))
            edited = list(a)
            for _ in range(rng.randint(1, 20)):
                place = rng.randrange(len(edited) + 1)
                edited[place : place + rng.randrange(2)] = rng.choices(alphabet, k=rng.randrange(2))
            b = "".join(edited) or alphabet[0]
            other = "".join(rng.choices(alphabet, k=rng.randint(1, 200)))
            for word in (b, other, other + a, a[::-1]):
                blocks.add((len(a) + 63) // 64)
                assert seen_similarity(a, word) == close(independent_similarity(a, word)), (a, word)
                assert seen_similarity(word, a) == close(independent_similarity(a, word)), (a, word)
    assert blocks == {1, 2, 3, 4, 5}


def test_similarity_of_the_twin() -> None:
    """The twin's own Levenshtein distance agrees with that of RapidFuzz."""
    words = (*WORDS, *LONG[:5])
    for a in words:
        for b in words[::3]:
            assert twin.similarity(a, b) == close(independent_similarity(a, b))


# Sentences -------------------------------------------------------------------------------------


@given(sentences.filled_sentences, sentences.filled_sentences)
def test_steps_and_value_equal_the_twin(hyp: list[str], ref: list[str]) -> None:
    assert losses(hyp, ref) == [close(side) for side in twin.broken_steps(hyp, ref)]
    assert values([(hyp, ref)]) == close([expected_value(hyp, ref)])


@given(
    sentences.filled_sentences,
    sentences.filled_sentences,
    sentences.tau,
    sentences.pi,
    sentences.theta,
)
def test_other_options_equal_the_twin(
    hyp: list[str], ref: list[str], tau: float, pi: float, theta: float
) -> None:
    links = SoftLinks(tau, pi, theta)
    along_hyp, along_ref = losses(hyp, ref, links)
    expected = twin.broken_steps(hyp, ref, tau, pi, theta)
    assert (along_hyp, along_ref) == tuple(map(close, expected))
    assert all(0 <= loss <= 1 for loss in (*along_hyp, *along_ref))
    (value,) = values([(hyp, ref)], links)
    assert value == close(expected_value(hyp, ref, links))
    assert 0 <= value <= 1


@pytest.mark.parametrize("tau", [0.01, 0.1, 10])
@pytest.mark.parametrize("pi", [0, 0.5, 5])
def test_batches_of_longer_sentences_equal_the_twin(tau: float, pi: float) -> None:
    """Pairs of words repeat, so that most similarities come from the cache."""
    pairs = random_pairs(round(1000 * tau + pi), 25, most=20, pool=WORDS[:24])
    for theta in (0.01, 0.5, 1):
        links = SoftLinks(tau, pi, theta)
        expected = [expected_value(hyp, ref, links) for hyp, ref in pairs]
        assert values(pairs, links) == close(expected)
    # The same words and another τ: the cache must not mix them.
    assert len({round(value, 6) for value in expected}) > 5


def test_long_words_in_sentences() -> None:
    pairs = random_pairs(5, 12, most=5, pool=(*LONG, "a", "猫", "ab"))
    assert values(pairs) == close([expected_value(hyp, ref) for hyp, ref in pairs])


def test_the_extremes_of_all_options_on_uneven_sentences() -> None:
    """One word against many is where weights come closest to the limits of floats."""
    many = [f"w{k}" for k in range(80)]
    pairs = [(["w0"], many), (["x"], many), (many, ["w79"]), (many[:2], many[::-1]), (many, many)]
    for tau in (0.01, 10):
        for pi in (0, 5):
            for theta in (0.01, 1):
                links = SoftLinks(tau, pi, theta)
                found = values(pairs, links)
                assert found == close([expected_value(*pair, links) for pair in pairs])
                assert all(0 <= value <= 1 for value in found)


@given(sentences.sentences, sentences.sentences)
def test_it_is_symmetric(hyp: list[str], ref: list[str]) -> None:
    forwards, backwards = values([(hyp, ref), (ref, hyp)])
    assert forwards == pytest.approx(backwards, rel=0, abs=1e-13)
    if hyp and ref:
        assert losses(hyp, ref) == [
            pytest.approx(side, rel=0, abs=1e-12) for side in losses(ref, hyp)[::-1]
        ]


def test_empty_and_equal_sides() -> None:
    quotes = [token for letter in "abcdefghijklmnopqrst" for token in ('"', letter, '"', ",")]
    repeated = [token for k in range(30) for token in ("the", f"n{k}", "of")]
    pairs = [([], []), (["a"], []), ([], ["a"]), (["a"], ["a"]), (["a"], ["b"])]
    assert values(pairs) == [0, 0, 0, 1, 1]  # single words have only one place to go
    assert values([(quotes, quotes), (repeated, repeated)]) == [1, 1]
    # By the steps alone it would be less.
    for sentence in (quotes, repeated):
        raw = 1 - np.mean([np.mean(side) for side in losses(sentence, sentence)])
        assert raw < 0.99
        assert raw == close(twin.soft_adjacency(sentence, sentence))


def test_a_thousand_words() -> None:
    rng = random.Random(4)
    ref = [f"w{rng.randrange(400)}" for _ in range(1000)]
    hyp = list(ref)
    hyp[100], hyp[101] = hyp[101], hyp[100]
    swapped, reversed_ = values([(hyp, ref), (ref[::-1], ref)])
    assert 0.9 < swapped < 1
    assert reversed_ < 0.6 * swapped
    # A hundred words can be compared with the twin.
    assert values([(hyp[60:160], ref[60:160])]) == close([expected_value(hyp[60:160], ref[60:160])])


def test_no_words_in_common() -> None:
    """Words without a common character are linked by their places alone."""
    hyp, ref = ["aa", "bb", "cc", "aa"], ["xx", "yy", "zz", "xx", "vv"]
    assert values([(hyp, ref)]) == close([expected_value(hyp, ref)])


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    pairs = random_pairs(9, 600, most=20)
    together = values(pairs, threads=threads)
    assert together == [value for pair in pairs for value in values([pair])]


def test_too_long_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "MOST_CELLS", 12)
    assert len(values([(["a"] * 3, ["a"] * 4)])) == 1
    with pytest.raises(TooLongError, match="too long for soft order: 3 and 5 words") as error:
        values([(["a"], ["a"]), (["a"] * 3, ["a"] * 5)])
    assert error.value.pair == 1


def test_long_words_are_refused_in_time() -> None:
    metric = hb.metrics.get("order:precedence=off")
    with pytest.raises(hb.InputError, match="1,000,000 and 1,000,001 characters, at most"):
        metric.sentence_score("ab" * 500_000, ["a" + "ba" * 500_000])
