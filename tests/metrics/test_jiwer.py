"""``wer`` against jiwer, an independent implementation."""

from __future__ import annotations

import pytest

import hyperbaton as hb
from metrics import corpora

jiwer = pytest.importorskip("jiwer")

METRIC = "wer:tok=none,case=mixed"


@pytest.mark.parametrize("seed", range(4))
def test_wer(seed: int) -> None:
    corpus = corpora.corpus(seed + 10, 60, references=(1,))
    pairs = [
        (h, r[0]) for h, r in zip(*corpus, strict=True) if r[0]
    ]  # jiwer rejects empty references
    hypotheses, references = [h for h, _ in pairs], [r for _, r in pairs]
    assert "" in hypotheses
    score = hb.score(hypotheses, references, [METRIC])[METRIC]
    assert score.value == pytest.approx(jiwer.wer(references, hypotheses), rel=1e-12)
    for k, (hypothesis, reference) in enumerate(pairs):
        assert score.segments[k] == pytest.approx(jiwer.wer(reference, hypothesis), rel=1e-12)


def test_case_and_spaces() -> None:
    hypotheses, references = ["The  Cat sat,", " a b "], ["the cat sat ,", "a b c"]
    score = hb.score(hypotheses, references, [METRIC, "wer"])
    assert score[METRIC].value == pytest.approx(jiwer.wer(references, hypotheses))
    # All 4 words of "the cat sat ," are wrong or missing; 1 of 3 words of "a b c" is missing.
    assert score[METRIC].segments.tolist() == pytest.approx([1, 1 / 3])
    # In lower case and with a separate comma, only c is missing: 1 of 4 + 3 words.
    assert score["wer"].value == pytest.approx(1 / 7)
