"""The words that two sentences share equal the naive twin: links, steps and statistics."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from rapidfuzz.distance import Levenshtein, Prefix

import hyperbaton as hb
from hyperbaton.errors import TooLongError
from hyperbaton.softorder import order
from hyperbaton.softorder.order import SoftLinks, match_words, matched_steps
from reference import soft_order as twin
from softorder import sentences
from softorder.sentences import LONG, WORDS, number_sentences, random_pairs

Tokens = Sequence[str]
DEFAULT = SoftLinks()


def values(
    pairs: Sequence[tuple[Tokens, Tokens]], links: SoftLinks = DEFAULT, threads: int = 1
) -> list[list[float]]:
    """M − λ, M and N of each pair."""
    hyps, refs = number_sentences([hyp for hyp, _ in pairs], [ref for _, ref in pairs])
    found: list[list[float]] = match_words(hyps, refs, links, threads).tolist()
    return found


def steps(hyp: Tokens, ref: Tokens, links: SoftLinks = DEFAULT) -> list[list[float]]:
    """The losses of the steps of both sides, and how far the words of both are matched."""
    hyps, refs = number_sentences([hyp], [ref])
    return [side.tolist() for side in matched_steps(hyps, refs, links)]


def losses(hyp: Tokens, ref: Tokens, links: SoftLinks = DEFAULT) -> list[list[float]]:
    return steps(hyp, ref, links)[:2]


def expected_value(hyp: Tokens, ref: Tokens, links: SoftLinks = DEFAULT) -> list[float]:
    X, M, N = twin.order_statistics(hyp, ref, None, links.tau, links.pi, links.theta)
    return [M - X, M, N]


def close(expected: object) -> object:
    return pytest.approx(expected, rel=0, abs=1e-9)


def all_close(rows: Sequence[Sequence[float]]) -> list[object]:
    return [close(list(row)) for row in rows]


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
def test_steps_and_statistics_equal_the_twin(hyp: list[str], ref: list[str]) -> None:
    expected = *twin.broken_steps(hyp, ref), *twin.counterparts(hyp, ref)
    assert steps(hyp, ref) == all_close(expected)
    assert values([(hyp, ref)]) == all_close([expected_value(hyp, ref)])


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
    found = steps(hyp, ref, links)
    expected = *twin.broken_steps(hyp, ref, tau, pi, theta), *twin.counterparts(hyp, ref, tau, pi)
    assert found == all_close(expected)
    assert all(0 <= value <= 1 + 1e-12 for side in found for value in side)
    ((kept, matched, distinguishable),) = values([(hyp, ref)], links)
    assert [kept, matched, distinguishable] == close(expected_value(hyp, ref, links))
    assert 0 <= kept <= matched <= min(len(hyp), len(ref)) + 1e-9


@given(sentences.filled_sentences, sentences.filled_sentences, sentences.tau, sentences.pi)
def test_matched_words_are_the_same_without_what_is_lost(
    hyp: list[str], ref: list[str], tau: float, pi: float
) -> None:
    """To the last bit, because results must not depend on what else is computed."""
    links = SoftLinks(tau, pi)
    hyps, refs = number_sentences([hyp, hyp, []], [ref, hyp, ref])
    expected = match_words(hyps, refs, links, 1)[:, 1:].tolist()
    found = match_words(hyps, refs, links, 1, count_lost=False).tolist()
    assert found == [[matched, matched, words] for matched, words in expected]


@pytest.mark.parametrize("tau", [0.01, 0.1, 10])
@pytest.mark.parametrize("pi", [0, 0.5, 5])
def test_batches_of_longer_sentences_equal_the_twin(tau: float, pi: float) -> None:
    """Pairs of words repeat, so that most similarities come from the cache."""
    pairs = random_pairs(round(1000 * tau + pi), 25, most=20, pool=WORDS[:24])
    for theta in (0.01, 0.5, 1):
        links = SoftLinks(tau, pi, theta)
        expected = [expected_value(hyp, ref, links) for hyp, ref in pairs]
        assert values(pairs, links) == all_close(expected)
    # The same words and another τ: the cache must not mix them.
    assert len({round(matched, 6) for _, matched, _ in expected}) > 5


def test_long_words_in_sentences() -> None:
    pairs = random_pairs(5, 12, most=5, pool=(*LONG, "a", "猫", "ab"))
    assert values(pairs) == all_close([expected_value(hyp, ref) for hyp, ref in pairs])


def test_the_extremes_of_all_options_on_uneven_sentences() -> None:
    """One word against many is where weights come closest to the limits of floats."""
    many = [f"w{k}" for k in range(80)]
    pairs = [(["w0"], many), (["x"], many), (many, ["w79"]), (many[:2], many[::-1]), (many, many)]
    for tau in (0.01, 10):
        for pi in (0, 5):
            for theta in (0.01, 1):
                links = SoftLinks(tau, pi, theta)
                expected = [expected_value(*pair, links) for pair in pairs]
                assert values(pairs, links) == all_close(expected)


@given(sentences.sentences, sentences.sentences)
def test_it_is_symmetric(hyp: list[str], ref: list[str]) -> None:
    forwards, backwards = values([(hyp, ref), (ref, hyp)])
    assert forwards == pytest.approx(backwards, rel=0, abs=1e-12)
    if hyp and ref:
        assert losses(hyp, ref) == [
            pytest.approx(side, rel=0, abs=1e-12) for side in losses(ref, hyp)[::-1]
        ]


def test_empty_and_equal_sides() -> None:
    pairs = [([], []), (["a"], []), ([], ["a", "b"]), (["a"], ["a"]), (["a"], ["b"])]
    assert values(pairs) == [[0, 0, 0], [0, 0, 0.5], [0, 0, 1], [1, 1, 1], [0, 0, 1]]
    quotes = [token for letter in "abcdefghijklmnopqrst" for token in ('"', letter, '"', ",")]
    repeated = [token for k in range(30) for token in ("the", f"n{k}", "of")]
    for sentence in (quotes, repeated):
        ((kept, matched, distinguishable),) = values([(sentence, sentence)])
        assert kept == matched < distinguishable < len(sentence)
        # By the steps alone, words would be lost.
        assert max(max(side) for side in losses(sentence, sentence)) > 0


@pytest.mark.parametrize("count", [2, 3, 50, 999])
def test_repeated_words_can_hardly_be_told_apart(count: int) -> None:
    """Sums over all places of a word follow from those of its neighbours."""
    for sentence in (["a"] * count, ["a", "b", "a"] * (count // 3)):
        if len(sentence) <= 150:
            expected = twin.distinguishable_words(sentence)
            assert values([(sentence, [])])[0][2] == close(expected / 2)
    # Far apart, they can: between equal words of one place and the next, a is exp(−5/n).
    a, n = math.exp(-5 / count), count
    weights = [(1 + a - a ** (i + 1) - a ** (n - i)) / (1 - a) for i in range(n)]
    expected = math.fsum(
        a ** (2 * abs(i - k)) / (weights[i] * weights[k]) for i in range(n) for k in range(n)
    )
    assert values([(["a"] * n, [])])[0][2] == close(expected / 2)


def test_a_thousand_words() -> None:
    rng = random.Random(4)
    ref = [f"w{rng.randrange(400)}" for _ in range(1000)]
    hyp = list(ref)
    hyp[100], hyp[101] = hyp[101], hyp[100]
    swapped, reversed_ = (
        kept / matched for kept, matched, _ in values([(hyp, ref), (ref[::-1], ref)])
    )
    assert 0.9 < swapped < 1
    assert reversed_ < 0.6 * swapped
    # A hundred words can be compared with the twin.
    assert values([(hyp[60:160], ref[60:160])]) == all_close(
        [expected_value(hyp[60:160], ref[60:160])]
    )


def test_no_words_in_common() -> None:
    """Words without a common character are linked by their places alone."""
    hyp, ref = ["aa", "bb", "cc", "aa"], ["xx", "yy", "zz", "xx", "vv"]
    assert values([(hyp, ref)]) == all_close([expected_value(hyp, ref)])
    assert values([(hyp, ref)])[0][:2] == [0, 0]
    assert max(losses(hyp, ref)[0]) == close(max(twin.broken_steps(hyp, ref)[0]))


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
