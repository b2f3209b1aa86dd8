"""Wins, ties, losses and effect sizes; and systems that are equal or nearly so."""

from __future__ import annotations

import statistics

import pytest

from hyperbaton.runs.comparing import compare
from runs.systems import (
    BAD,
    CORPUS,
    GOOD,
    QUARTERS,
    SYSTEMS,
    A,
    B,
)


def test_effects_by_hand() -> None:
    (pair,) = compare({"A": A, "B": B}, QUARTERS, "wer").differences
    better = [0.25, 0.0, -0.5, 0.5]  # advantage of A in each segment
    assert pair.difference == pytest.approx((3 - 4) / 16)
    assert (pair.wins, pair.ties, pair.losses) == (2, 1, 1)
    assert pair.effect == pytest.approx(statistics.fmean(better) / statistics.stdev(better))
    assert pair.effect is not None
    assert pair.effect > 0
    assert (pair.metric, pair.a, pair.b, pair.better) == ("wer", "A", "B", None)
    (same,) = compare({"A": A, "B": list(A)}, QUARTERS, "wer").differences
    assert same.effect is None
    (alone,) = compare({"A": A[2:3], "B": B[2:3]}, QUARTERS[:1], "wer").differences
    assert (alone.effect, alone.wins, alone.ties, alone.losses) == (None, 0, 0, 1)


@pytest.mark.parametrize("spec", ["wer", "pef", "bleu", "chrf"])
def test_effects_compare_segments(spec: str) -> None:
    found = compare(SYSTEMS, CORPUS.references, [spec], samples=5)
    segments = {result.name: result[spec].segments.tolist() for result in found.results}
    sign = -1 if spec == "wer" else 1
    for pair in found.differences:
        better = [sign * (a - b) for a, b in zip(segments[pair.a], segments[pair.b], strict=True)]
        assert pair.wins == sum(value > 0 for value in better)
        assert pair.losses == sum(value < 0 for value in better)
        assert pair.wins + pair.ties + pair.losses == 30
        assert pair.effect == pytest.approx(statistics.fmean(better) / statistics.stdev(better))


@pytest.mark.parametrize("count", [10, 20, 23, 50])
def test_constant_differences_have_no_effect_size(count: int) -> None:
    """Their standard deviation is 0, apart from rounding errors."""
    systems = {"A": ["a b c d e f g h i x"] * count, "B": ["a b c d e f x y z j"] * count}
    found = compare(systems, ["a b c d e f g h i j"] * count, ["wer", "bleu", "pef", "chrf"])
    assert [pair.effect for pair in found.differences] == [None] * 4
    assert [pair.wins for pair in found.differences] == [count] * 4


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("correction", ["none", "holm"])
def test_equal_systems(method: str, correction: str) -> None:
    systems = {"A": BAD, "B": GOOD, "C": list(BAD)}
    found = compare(systems, GOOD, ["wer", "pef"], method=method, correction=correction)
    for metric in ("wer", "pef"):
        pair = next(pair for pair in found.differences_by(metric) if (pair.a, pair.b) == ("A", "C"))
        assert pair.p == 1
        assert pair.difference == 0
        assert pair.better is None
        assert (pair.wins, pair.ties, pair.losses, pair.effect) == (0, 24, 0, None)
        assert (pair.lower, pair.upper) == ((0, 0) if method == "bootstrap" else (None, None))
    assert found.notes == ["A and C are equal in every segment by wer, pef: p = 1"]


def test_equal_by_one_metric_only() -> None:
    # Different words are wrong, but equally many.
    systems = {"A": ["a b c d e x"] * 24, "B": ["a b c d x f"] * 24}
    found = compare(systems, ["a b c d e f"] * 24, ["wer", "bleu"])
    wer, bleu = found.differences
    assert (wer.p, wer.better, bleu.better) == (1, None, "A")
    assert found.notes == ["A and B are equal in every segment by wer: p = 1"]


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_equal_scores_for_different_words(method: str) -> None:
    """No word is right, so BLEU and chrF of all segments are 0 whatever their lengths."""
    systems = {"A": ["x y"] * 24, "B": ["x y x"] * 24}
    found = compare(systems, ["a b c d"] * 24, ["bleu", "chrf"], method=method)
    for pair in found.differences:
        assert (pair.difference, pair.p, pair.ties, pair.better) == (0, 1, 24, None)
    assert found.notes == ["A and B are equal in every segment by bleu, chrf: p = 1"]


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_no_difference_but_not_equal_segments(method: str) -> None:
    """Equally many errors in different segments: p = 1, but there is no note about equality."""
    a, b = ["a b c d", "a b c x"] * 12, ["a b c x", "a b c d"] * 12
    found = compare({"A": a, "B": b}, ["a b c d"] * 24, "wer", method=method)
    (pair,) = found.differences
    assert (pair.difference, pair.p, pair.better) == (0, 1, None)
    assert (pair.wins, pair.ties, pair.losses, pair.effect) == (12, 0, 12, 0)
    assert found.notes == []


@pytest.mark.parametrize(
    ("count", "notes"),
    [
        (1, ["one segment is too few for intervals and significant differences"]),
        (5, ["5 segments are too few for intervals and significant differences"]),
        (6, ["6 segments are few: intervals are wide, and only large differences"]),
        (20, ["20 segments are few: intervals are wide, and only large differences"]),
        (21, []),
    ],
)
def test_note_about_few_segments(count: int, notes: list[str]) -> None:
    found = compare({"A": GOOD[:count], "B": BAD[:count]}, GOOD[:count], "wer")
    ends = ": at least 6 are needed" if count < 6 else " can be significant"
    assert found.notes == [note + ends for note in notes]


def test_few_segments_are_too_few_for_a_correction() -> None:
    """The least p of 8 segments, 2⁻⁷, times 15 pairs is above 0.05; with 10 segments it is below.

    More samples would not help, so that their number is not raised.
    """
    systems = {name: GOOD if name == "a" else BAD for name in "abcdef"}
    few, enough = (
        compare(
            {name: lines[:n] for name, lines in systems.items()}, GOOD[:n], "wer", correction="holm"
        )
        for n in (8, 10)
    )
    assert few.warnings == [
        "8 segments are too few for significant differences of 15 tests: at least 10 are needed"
    ]
    assert {pair.better for pair in few.differences} == {None}
    assert few.sampling.samples == 1000
    assert {pair.better for pair in enough.differences} == {None, "a"}
    assert enough.sampling.samples == 1200


def test_several_notes() -> None:
    found = compare({"A": A, "B": list(A)}, QUARTERS, "wer")
    assert found.notes == [
        "4 segments are too few for intervals and significant differences: at least 6 are needed",
        "A and B are equal in every segment by wer: p = 1",
    ]


def test_warning_about_few_samples() -> None:
    systems = {name: GOOD if name == "a" else BAD for name in "abcd"}
    few = compare(systems, GOOD, "wer", samples=119, correction="holm")  # 6 pairs: 6/120 = 0.05
    assert few.warnings == [
        "with 119 samples and 6 tests, no p can be less than 0.050: at least 120 samples are needed"
    ]
    assert compare(systems, GOOD, "wer", samples=120, correction="holm").warnings == []
    assert compare(systems, GOOD, "wer", samples=20).warnings == []
    (alone,) = compare(systems, GOOD, "wer", samples=19).warnings
    assert alone.startswith("with 19 samples, no p can be less than 0.050: at least 20 samples")
