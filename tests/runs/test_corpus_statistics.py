"""Samples are made from the statistics of segments, not from the scores of segments."""

from __future__ import annotations

import statistics

import pytest

import hyperbaton as hb
from hyperbaton.runs.comparing import compare
from reference import resampling as reference
from runs.systems import (
    draws,
)

# A is wrong in short segments, and B in long ones. A has fewer wrong words in total, but B is
# better by the mean over segments. Without some exceptions, all samples would be equal.
LONG = [" ".join(f"w{k}" for k in range(n, n + 20)) for n in range(30)]
SHORT = [f"x{k} y{k}" for k in range(30)]
MIXED_REFERENCES = LONG + SHORT
MIXED = {
    "A": [line if k % 5 else line[3:] for k, line in enumerate(LONG)] + ["a b"] * 30,
    "B": [
        " ".join(w if i % 4 or i > k else "z" for i, w in enumerate(line.split()))
        for k, line in enumerate(LONG)
    ]
    + [line if k % 5 else "a b" for k, line in enumerate(SHORT)],
}


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("spec", ["wer", "lrscore:alpha=0", "bleu"])
def test_a_corpus_metric_is_not_resampled_from_segment_scores(spec: str, method: str) -> None:
    found = compare(MIXED, MIXED_REFERENCES, [spec], method=method, samples=300)
    (pair,) = found.differences
    sign = 1 if found.results[0][spec].higher_is_better else -1
    assert pair.difference is not None
    assert sign * pair.difference > 0
    assert pair.better == "A"
    a, b = (result[spec].segments.tolist() for result in found.results)
    means = statistics.fmean(a) - statistics.fmean(b)
    assert sign * means < 0  # scores of segments would prefer B
    drawn = draws(method, 60, 300, 1)
    if method == "bootstrap":
        sampled = reference.bootstrap_differences(statistics.fmean, a, b, drawn)
        p = reference.bootstrap_p(means, sampled)
        low, high = reference.interval(sampled, 0.95)
        assert pair.lower is not None
        assert pair.upper is not None
        assert pair.upper < low or high < pair.lower
    else:
        sampled = reference.randomized_differences(statistics.fmean, a, b, drawn)
        p = reference.randomization_p(means, sampled)
    assert p > pair.p or (spec == "wer" and p < 0.05)  # by segments, B is significantly better
    assert pair.effect is not None
    assert pair.effect < 0  # the effect size is that of segments


@pytest.mark.parametrize("spec", ["wer", "lrscore:alpha=0"])
def test_an_interval_is_around_the_corpus_value(spec: str) -> None:
    score = hb.score(MIXED["A"], MIXED_REFERENCES, [spec], confidence=True)[spec]
    assert score.lower is not None
    assert score.upper is not None
    assert score.lower < float(score) < score.upper
    mean = statistics.fmean(score.segments.tolist())
    assert not score.lower - 0.05 < mean < score.upper + 0.05
    # The denominator varies, since the share of long segments differs between samples.
    sampled = [
        statistics.fmean(reference.repeated(score.segments.tolist(), draw))
        for draw in draws("bootstrap", 60, 300, 1)
    ]
    low, high = reference.interval(sampled, 0.95)
    assert high < score.lower or score.upper < low
