"""Rankings, clusters, significance and baselines."""

from __future__ import annotations

import pytest

from hyperbaton.runs.comparing import compare
from runs.systems import (
    BAD,
    FOUR,
    GOOD,
    QUARTERS,
    A,
    compared,
)


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("spec", ["wer", "bleu", "pef"])
def test_rankings(spec: str, method: str) -> None:
    found = compare(FOUR, GOOD, [spec], method=method)
    assert list(found.scores(spec)) == ["good", "good too", "worse", "bad"]
    values = list(map(float, found.scores(spec).values()))
    assert values == sorted(values, reverse=spec != "wer")
    ranking = found.ranking(spec)
    assert [rank.system for rank in ranking] == ["good", "good too", "worse", "bad"]
    assert [rank.cluster for rank in ranking] == [1, 1, 2, 3]
    assert [(rank.first, rank.last) for rank in ranking] == [(1, 2), (1, 2), (3, 3), (4, 4)]
    assert [rank.value for rank in ranking] == values
    for rank in ranking:
        score = found.scores(spec)[rank.system]
        assert (rank.lower, rank.upper) == (score.lower, score.upper)
        assert (rank.lower is None) == (method == "randomization")
    for pair in found.differences:
        order = [rank.system for rank in ranking]
        if {pair.a, pair.b} == {"good", "good too"}:
            assert pair.better is None
            assert pair.p > 0.05
        else:
            assert pair.better == min(pair.a, pair.b, key=order.index)
            assert pair.p < 0.05


def test_equal_values_keep_the_order_of_the_input() -> None:
    systems = {"z": A, "m": list(A), "a": list(A)}
    found = compare(systems, QUARTERS, "wer")
    assert list(found.scores("wer")) == ["z", "m", "a"]
    assert [rank.cluster for rank in found.ranking("wer")] == [1, 1, 1]
    assert [(rank.first, rank.last) for rank in found.ranking("wer")] == [(1, 3)] * 3


def test_significance_follows_the_level() -> None:
    found = {level: compared("bootstrap", level=level) for level in (0.3, 0.9, 0.95, 0.999)}
    for level, comparison in found.items():
        for pair in comparison.differences:
            assert (pair.better is not None) == (pair.p < 1 - level)
            if pair.better is not None:
                higher = comparison.results[0][pair.metric].higher_is_better
                is_higher = pair.difference is not None and pair.difference > 0
                assert pair.better == (pair.a if is_higher == higher else pair.b)
    counts = [sum(pair.better is not None for pair in c.differences) for c in found.values()]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[2] > 0
    assert counts[3] == 0  # p is at least 1/61 with 60 samples


@pytest.mark.parametrize(("samples", "level"), [(19, 0.95), (99, 0.99)])
def test_p_equal_to_the_significance_level_is_not_significant(samples: int, level: float) -> None:
    """In floating-point numbers, 1 − 0.95 is more than 0.05."""
    (pair,) = compare(
        {"good": GOOD, "bad": BAD}, GOOD, "wer", samples=samples, level=level
    ).differences
    assert pair.p == 1 / (samples + 1)
    assert pair.better is None


def test_baseline() -> None:
    every = compare(FOUR, GOOD, ["wer", "pef"])
    found = compare(FOUR, GOOD, ["wer", "pef"], baseline="worse")
    assert found.baseline == "worse"
    pairs = [(pair.metric, pair.a, pair.b) for pair in found.differences]
    assert pairs == [
        (metric, name, "worse") for metric in ("wer", "pef") for name in ("bad", "good", "good too")
    ]
    of_pairs = {(pair.metric, frozenset((pair.a, pair.b))): pair for pair in every.differences}
    for pair in found.differences:
        same = of_pairs[pair.metric, frozenset((pair.a, pair.b))]
        assert pair.p == same.p
        assert pair.better == same.better
        assert pair.difference in (same.difference, -(same.difference or 0))
    assert [pair.better for pair in found.differences_by("wer")] == ["worse", "good", "good too"]
    for rank in found.ranking("wer"):
        assert (rank.cluster, rank.first, rank.last) == (None, None, None)
    assert [rank.system for rank in found.ranking("wer")] == ["good", "good too", "worse", "bad"]
