"""In how many segments systems have moves: counts by explanations, tests by the twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton.cli.options import EXAMPLE
from hyperbaton.explanations.explaining import explain
from hyperbaton.runs.move_tests import KINDS, compare_moves, count_segments, segments_with_moves
from hyperbaton.runs.shown_links import linked_batches
from hyperbaton.stats.sampling import Sampling
from reference import resampling
from runs.systems import draws

NAMES = ("literal", "phrasal", "fluent")
SAMPLES, SEED = 40, 3


def lines(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").split("\n")[:-1]


REFERENCES = 2 * lines("reference")  # with more than 50 segments, nothing is corrected for few
SYSTEMS = {name: 2 * lines(name) for name in NAMES}


def kinds_of(moves: Sequence[Any]) -> set[str]:
    """Return the kinds of the moves of a segment, one by one."""
    found = set()
    for move in moves:
        if move.is_punctuation:
            continue
        what = "word" if move.block[1] - move.block[0] == 1 else "group"
        found |= {"any", f"{what}_{'late' if move.before else 'early'}"}
        if move.distance >= 5:
            found.add("far")
    return found


def naive_segments(name: str) -> dict[str, list[float]]:
    kinds = [
        kinds_of(explain(text, reference, "pef", "en").moves)
        for text, reference in zip(lines(name), lines("reference"), strict=True)
    ]
    return {kind: 2 * [float(kind in found) for found in kinds] for kind in KINDS}


@pytest.fixture(scope="module")
def naive() -> list[dict[str, list[float]]]:
    return list(map(naive_segments, NAMES))


@pytest.fixture(scope="module")
def found() -> list[dict[str, Any]]:
    results = hb.compare(SYSTEMS, REFERENCES, "pef", "en", samples=1).results
    batches = [linked for _, linked in linked_batches(results)]
    return [
        segments_with_moves([batch.moves() for batch in system])
        for system in zip(*batches, strict=True)
    ]


def mean(flags: Sequence[float]) -> float:
    return sum(flags) / len(flags)


def test_segments_are_those_of_explanations(found: Any, naive: Any) -> None:
    for system, expected in zip(found, naive, strict=True):
        assert {kind: flags.tolist() for kind, flags in system.items()} == expected
        counted = count_segments(system)
        assert {kind: share.segments for kind, share in counted.items()} == {
            kind: sum(flags) for kind, flags in expected.items()
        }
        assert all(share.p is None and share.outcome is None for share in counted.values())
    assert any(0 < sum(flags) < len(REFERENCES) for flags in naive[0].values())


@pytest.mark.parametrize("correction", ["none", "holm"])
@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_tests_are_those_of_the_twins(found: Any, naive: Any, method: str, correction: str) -> None:
    sampling = Sampling(method, SAMPLES, SEED)
    shares = compare_moves(found, [(0, 2), (1, 2)], sampling, correction)
    drawn = draws(method, len(REFERENCES), SAMPLES, SEED)
    for kind in KINDS:
        flags = [system[kind] for system in naive]
        p_values = []
        for k in (0, 1):
            share, difference = shares[k][kind], mean(flags[k]) - mean(flags[2])
            assert share.segments == sum(flags[k])
            assert share.difference == pytest.approx(difference)
            if method == "bootstrap":
                sampled = resampling.bootstrap_differences(mean, flags[k], flags[2], drawn)
                p_values.append(float(resampling.bootstrap_p(difference, sampled)))
                bounds = resampling.interval(sampled, 0.95)
                assert (share.lower, share.upper) == pytest.approx(bounds)
            else:
                sampled = resampling.randomized_differences(mean, flags[k], flags[2], drawn)
                p_values.append(float(resampling.randomization_p(difference, sampled)))
                assert share.lower is share.upper is None
        expected = resampling.holm(p_values) if correction == "holm" else p_values
        for k in (0, 1):
            share = shares[k][kind]
            assert share.p == pytest.approx(expected[k])
            difference = mean(flags[k]) - mean(flags[2])
            more = "more" if difference > 0 else "fewer"
            assert share.outcome == (more if expected[k] < 0.05 and difference else None)
        assert shares[2][kind].p is None
    assert {share.outcome for system in shares for share in system.values()} >= {"more", None}


def test_six_segments_can_only_differ_if_all_do() -> None:
    """With n segments, the exchange test has a p of at least 2/2ⁿ: 1/32 for six, 1/16 for five."""
    swapped, whole = ["b a c"] * 6, ["a b c"] * 6
    for n, outcome in ((6, "more"), (5, None)):
        results = hb.compare({"x": swapped[:n], "y": whole[:n]}, whole[:n], "pef").results
        systems = [
            segments_with_moves([batch.moves()])
            for _, batches in linked_batches(results)
            for batch in batches
        ]
        share = compare_moves(systems, [(0, 1)], Sampling())[0]["any"]
        assert (share.segments, share.difference, share.outcome) == (n, 1.0, outcome)
        assert share.p == pytest.approx(2 / 2**n)
