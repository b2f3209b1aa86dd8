"""From how many words the order of a text can be told, and the limits."""

from __future__ import annotations

import pytest

from hyperbaton.softorder.evidence import Evidence


@pytest.mark.parametrize(
    ("evidence", "is_scored"),
    [
        (Evidence(35, 100), True),
        (Evidence(34.99, 100), False),
        (Evidence(44.99, 100, characters=True), False),
        (Evidence(45, 100, characters=True), True),
        (Evidence(1, 1), True),
        (Evidence(0.99, 1), False),  # not a single word
        (Evidence(0, 0), False),
        (Evidence(0, 12), False),
    ],
)
def test_limits(evidence: Evidence, is_scored: bool) -> None:
    assert evidence.is_scored is is_scored
    assert (evidence.reason == "") is is_scored


def test_reasons() -> None:
    assert Evidence(18.2, 100).reason == (
        "not scored: only 18 % of its words are in the reference, as many as in any unrelated "
        "text. Are the lines shifted?"
    )
    assert "only 40 % of its characters" in Evidence(4, 10, characters=True).reason
    assert Evidence(0.9, 1).reason == ("not scored: less than one of its words is in the reference")


def test_shares() -> None:
    assert Evidence(3, 4).share == 0.75
    assert Evidence(0, 0).share == 0
