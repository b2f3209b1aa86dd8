"""Input of a comparison: alignments, and error messages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from hyperbaton.runs.comparing import compare
from runs.systems import (
    BAD,
    GOOD,
)

GOOD_CALL: dict[str, Any] = {
    "systems": {"A": GOOD, "B": BAD},
    "references": GOOD,
    "metrics": ["wer"],
}
ERRORS: list[tuple[Mapping[str, Any], type[Exception], str]] = [
    ({"systems": {"A": GOOD}}, ValueError, "a comparison needs at least two systems"),
    ({"systems": {}}, ValueError, "a comparison needs at least two systems"),
    (
        {"systems": {"A": GOOD, "B": BAD[:20]}},
        ValueError,
        "^A has 24 segments, but B has 20$",
    ),
    ({"references": GOOD[:3]}, ValueError, "24 hypotheses, but references for 3 segments"),
    ({"systems": {"A": [], "B": []}, "references": []}, ValueError, "there are no segments"),
    ({"systems": {"A": GOOD, "B": "a b"}}, TypeError, "B must be a list of strings, got str"),
    ({"samples": 0}, ValueError, "samples must be at least 1, got 0"),
    ({"samples": -5}, ValueError, "samples must be at least 1, got -5"),
    ({"samples": 10.0}, TypeError, "samples must be an integer, got float"),
    ({"samples": True}, TypeError, "samples must be an integer, got bool"),
    ({"seed": -1}, ValueError, "seed must be at least 0, got -1"),
    ({"seed": 1.5}, TypeError, "seed must be an integer, got float"),
    ({"level": 0.0}, ValueError, "level must be between 0 and 1"),
    ({"level": 1}, ValueError, "level must be between 0 and 1"),
    ({"level": 1 - 1e-15}, ValueError, "level is too close to 1: 0.999999999999999"),
    ({"level": 95}, ValueError, "level must be between 0 and 1, such as 0.95, got 95"),
    ({"level": math.nan}, ValueError, "level must be between 0 and 1"),
    ({"level": True}, ValueError, "level must be between 0 and 1"),
    (
        {"method": "jackknife"},
        ValueError,
        "method must be one of bootstrap, randomization, got 'jack",
    ),
    ({"correction": "Holm"}, ValueError, "correction must be one of none, holm, got 'Holm'"),
    ({"baseline": "C"}, ValueError, "the baseline 'C' is not one of the systems: A, B"),
    ({"threads": 0}, ValueError, "threads must be at least 1, got 0"),
    ({"metrics": []}, ValueError, "no metrics"),
]


@pytest.mark.parametrize(("changed", "kind", "message"), ERRORS)
def test_error_messages(changed: Mapping[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        compare(**{**GOOD_CALL, **changed})


def test_given_alignments_by_system_name() -> None:
    """The links of each system are given by its name."""
    lines, references = ["a b"] * 12, ["a b"] * 12
    crossed = {"A": ["0-0 1-1"] * 12, "B": ["0-1 1-0"] * 12}
    found = compare(
        {"A": lines, "B": lines}, references, ["kendall:bp=off"], alignments=crossed, samples=9
    )
    assert [rank.system for rank in found.ranking("kendall:bp=off")] == ["A", "B"]
    assert [rank.value for rank in found.ranking("kendall:bp=off")] == [1, 0]


def test_alignments_are_needed_for_all_systems() -> None:
    """Otherwise, scores of different metrics would be compared."""
    systems = {"A": ["a"] * 12, "B": ["a"] * 12}
    with pytest.raises(ValueError, match="alignments has no entry for 'B'"):
        compare(systems, ["a"] * 12, "pef", alignments={"A": ["0-0"] * 12})
    with pytest.raises(ValueError, match="alignments has 'C', which is not one of the systems"):
        compare(systems, ["a"] * 12, "pef", alignments=dict.fromkeys("ABC", ["0-0"] * 12))
