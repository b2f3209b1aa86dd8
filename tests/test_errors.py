"""Errors that cross a process boundary keep their messages and attributes."""

from __future__ import annotations

import pickle

import pytest

from hyperbaton.errors import (
    BudgetExceeded,
    HyperbatonError,
    LineError,
    LocatedError,
    SegmentError,
    TooLongError,
    TreeError,
)


@pytest.mark.parametrize(
    "error",
    [
        LineError(3, "the line is empty"),
        TooLongError(1, "the sentences are too long"),
        TreeError("token 2 is its own head", 2),
        SegmentError(4, "link 0-7 is outside", ("alignments", 1)),
        LocatedError("row 3: link 0-7 is outside"),
        BudgetExceeded(1.0, 2.0),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_can_be_pickled(error: HyperbatonError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)
