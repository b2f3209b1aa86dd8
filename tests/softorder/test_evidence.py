"""How much has to be known before the order of a text has a value, and what is said otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from hyperbaton.softorder import evidence
from hyperbaton.softorder.evidence import Evidence, has_evidence, least_matched


def test_limits_of_the_definition() -> None:
    assert (least_matched(characters=False), least_matched(characters=True)) == (0.35, 0.45)
    assert evidence.LEAST_MATCHED_WORDS == 1
    assert (evidence.LEAST_ANCHORS, evidence.LEAST_ANCHORED_SHARE) == (50, 0.1)


@pytest.mark.parametrize(
    ("matched", "words", "characters", "expected"),
    [
        (35, 100, False, True),
        (34.99, 100, False, False),
        (44.99, 100, True, False),
        (45, 100, True, True),
        (1, 1, False, True),
        (0.99, 1, False, False),  # less than one word
        (1 - 2e-16, 2, False, True),  # a rounding error
        (7 - 1e-15, 20, False, True),
        (0, 0, False, False),
        (0, 9, True, False),
    ],
)
def test_what_is_enough(matched: float, words: float, characters: bool, expected: bool) -> None:
    assert Evidence(matched, words, characters).is_scored is expected
    assert has_evidence([matched], [words], characters).tolist() == [expected]


def test_arrays_of_sums() -> None:
    matched, words = np.array([[2.0, 0.5], [1, 3]]), np.array([[4.0, 1], [3, 6]])
    assert has_evidence(matched, words, False).tolist() == [[True, False], [False, True]]


def test_reasons() -> None:
    assert Evidence(0, 0).share == 0
    assert Evidence(0, 0).reason.startswith("not scored: only 0 % of its words")
    assert "only 44 % of its characters" in Evidence(44, 100, characters=True).reason
    assert Evidence(0.9, 1).reason == "not scored: less than one of its words is in the reference"
    assert Evidence(0.9, 1, True).reason.startswith("not scored: less than one of its characters")
    assert Evidence(60, 100).reason == ""
