"""Intervals of the scores of a single system: ``hb.score(..., confidence=True)``."""

from __future__ import annotations

from typing import Any

import pytest

import hyperbaton as hb
from reference import resampling as reference
from runs.systems import CORPUS, GOOD, TWINS, draws, segments_of


def test_intervals_of_scores() -> None:
    plain = hb.score(*CORPUS, "default")
    found = hb.score(*CORPUS, "default", confidence=True)
    for name, score in found.items():
        assert (plain[name].lower, plain[name].upper) == (None, None)
        assert score.value == plain[name].value
        assert score.signature == plain[name].signature
        assert score.segments.tobytes() == plain[name].segments.tobytes()
        assert score.lower is not None
        assert score.upper is not None
        assert type(score.lower) is float
        assert type(score.upper) is float
        assert score.lower < float(score) < score.upper, name
        document = score.to_dict()
        assert (document["lower"], document["upper"]) == (score.lower, score.upper)


def test_level_samples_and_seed() -> None:
    def bounds(**options: Any) -> tuple[float, float]:
        score = hb.score(*CORPUS, "wer", confidence=True, **options)["wer"]
        assert score.lower is not None
        assert score.upper is not None
        return score.lower, score.upper

    assert bounds() == bounds(level=0.95, samples=1000, seed=1) == bounds(threads=1)
    narrow, usual, wide = bounds(level=0.5), bounds(), bounds(level=0.99)
    assert wide[0] < usual[0] < narrow[0] < narrow[1] < usual[1] < wide[1]
    assert bounds(seed=2) != usual
    assert bounds(samples=999) != usual
    low, high = bounds(samples=1)
    assert low == high
    # More samples extend the first ones, and do not replace them.
    drawn = draws("bootstrap", 30, 2, 1)
    score = TWINS["wer"]
    values = reference.bootstrap_values(score, segments_of("first"), drawn)
    assert bounds(samples=2, level=0.5) == pytest.approx(reference.interval(values, 0.5))


def test_intervals_of_one_segment() -> None:
    """There is none: a single segment says nothing about others."""
    score = hb.score(["a b c x"], ["a b c d"], ["wer"], confidence=True)["wer"]
    assert (score.lower, score.value, score.upper) == (None, 0.25, None)


@pytest.mark.parametrize(("n", "level", "has"), [(5, 0.95, False), (6, 0.95, True), (5, 0.9, True)])
def test_fewest_segments_of_an_interval(n: int, level: float, has: bool) -> None:
    """The exact test of 5 segments has p of at least 1/16, that of 6 segments 1/32."""
    lines = [*["a b c x"] * (n - 2), "a b x x", "a b c d"]
    score = hb.score(lines, ["a b c d"] * n, ["wer"], confidence=True, level=level)["wer"]
    assert (score.lower is not None, score.upper is not None) == (has, has)


def test_no_samples_without_confidence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hyperbaton.runs.intervals.with_intervals", None)
    assert hb.score(["a"], ["a"], "wer")["wer"].lower is None
    with pytest.raises(TypeError):
        hb.score(["a"], ["a"], "wer", confidence=True)


@pytest.mark.parametrize("options", [{"samples": 0}, {"level": 1.5}, {"seed": -1}])
def test_error_messages(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name} must be "):
        hb.score(GOOD, GOOD, "wer", confidence=True, **options)
