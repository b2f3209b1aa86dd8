"""RIBES by hand, and against a twin of the authors' program."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from metrics import corpora
from reference import source as twin


def ribes(hyp: str, *refs: str, **options: Any) -> float:
    return float(hb.metrics.get("ribes", tok="none", **options).sentence_score(hyp, refs))


def test_by_hand() -> None:
    # All words are linked and the lengths are equal, so only the order counts.
    assert ribes("Bob hit John yesterday", "John hit Bob yesterday") == pytest.approx(0.5)
    assert ribes("a c b d", "a b c d") == pytest.approx(5 / 6)
    assert ribes("d c b a", "a b c d") == 0
    # Three of four words, in order; then a translation that is too short, and one too long.
    assert ribes("a b c x", "a b c d") == pytest.approx(0.75**0.25)
    assert ribes("a b", "a b c d") == pytest.approx(math.exp(-1) ** 0.1)
    assert ribes("a b c d", "a b") == pytest.approx(0.5**0.25)
    # w occurs twice, and the context links both to the same word: five of the six pairs of links
    # are in order, and four of five words are linked.
    assert ribes("x w q w y", "x w y") == pytest.approx(5 / 6 * 0.8**0.25)


def test_few_words() -> None:
    assert ribes("a", "a") == 1
    assert ribes("a b", "a") == pytest.approx(0.5**0.25)  # a reference of one word
    assert ribes("a", "a b") == 0  # one link says nothing about the order
    assert ribes("a x", "a y") == ribes("x", "y") == 0
    assert ribes("", "a") == ribes("a", "") == ribes("", "") == 0


def test_options() -> None:
    pair = "a c b x", "a b c d e"
    assert ribes(*pair, alpha=0, beta=0) == pytest.approx(2 / 3)
    assert ribes(*pair, alpha=1, beta=0) == pytest.approx(2 / 3 * 0.75)
    assert ribes(*pair, alpha=0, beta=1) == pytest.approx(2 / 3 * math.exp(-0.25))
    # ranks 1 3 2: Σd² = 2, and 1 − 3·2/(27 − 3)
    assert ribes(*pair, alpha=0, beta=0, order="spearman") == pytest.approx(0.75)
    assert ribes("A b", "a b", case="mixed") == 0
    assert ribes("A b", "a b") == 1


def test_the_best_reference() -> None:
    assert ribes("a c b d", "d c b a", "a b c d", "x y z") == pytest.approx(5 / 6)


@pytest.mark.parametrize("order", ["kendall", "spearman"])
@pytest.mark.parametrize(("alpha", "beta"), [(0.25, 0.1), (0, 1), (2, 0)])
def test_against_the_twin(order: str, alpha: float, beta: float) -> None:
    spec = f"ribes:order={order},alpha={alpha},beta={beta},tok=none"
    for seed in range(8):
        corpus = corpora.corpus(seed, 60)
        score = hb.score(*corpus, [spec])[spec]
        expected = []
        for hyp, refs in zip(*corpus, strict=True):
            pairs = [(corpora.words(hyp), corpora.words(ref)) for ref in refs]
            expected.append(max(twin.ribes(*pair, order, alpha, beta) for pair in pairs))
        np.testing.assert_allclose(score.segments, expected, 1e-12, 1e-12)
        assert score.value == pytest.approx(math.fsum(expected) / len(expected))


def test_the_aligner_cannot_be_changed() -> None:
    """Given links and the language have no effect."""
    texts = ["a b c d", "e f"], ["d c b a", "e f"]
    plain = hb.score(*texts, ["ribes"])["ribes"]
    given = hb.score(*texts, ["ribes"], "en", alignments=["0-0 1-1 2-2 3-3", ""])["ribes"]
    assert given.value == plain.value == 0.5
    assert given.signature == plain.signature
    assert "|align:context|" in plain.signature
    with pytest.raises(ValueError, match="unknown option 'align' of ribes"):
        hb.metrics.get("ribes:align=exact")


def test_the_context_aligner_in_other_metrics() -> None:
    texts = ["the cat saw the dog"], ["the dog saw the cat"]
    metric = "kendall:align=context,tok=none,bp=off"
    score = hb.score(*texts, [metric])[metric]
    # the, cat, saw, the, dog → 3, 4, 2, (3 again), 1: of ⟨3, 4, 2, 1⟩ one pair of six is in order
    assert score.value == pytest.approx(1 / 6)
    assert "|align:context|" in score.signature
    with pytest.raises(ValueError, match="or context or encoder:PATH alone, got 'context'"):
        hb.metrics.get("kendall:align=exact+context")
