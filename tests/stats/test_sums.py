"""Exact sums: the true sum of floats, rounded once."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.stats import sums
from hyperbaton.stats.sums import ExactSums

floats = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


def total(numbers: list[float], size: int) -> float:
    exact = ExactSums(1)
    for begin in range(0, len(numbers), size):
        exact.add(np.array(numbers[begin : begin + size])[:, None])
    return float(exact.totals()[0])


@given(numbers=st.lists(floats), size=st.integers(1, 7))
def test_it_is_the_sum_of_fractions_rounded(numbers: list[float], size: int) -> None:
    assert total(numbers, size) == float(sum(map(Fraction, numbers)))


def test_many_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "MOST_PARTS", 4)  # so that parts are often made fewer
    rng = random.Random(1)
    numbers = [rng.uniform(0, 1) * 10 ** rng.randint(-9, 0) for _ in range(2000)]
    expected = float(sum(map(Fraction, numbers)))
    assert expected != sum(numbers)  # or this would show nothing
    for size in (1, 3, 500):
        rng.shuffle(numbers)
        assert total(numbers, size) == expected


def test_columns() -> None:
    exact = ExactSums(2)
    assert exact.totals().tolist() == [0, 0]
    exact.add(np.array([[1.0, 10.0], [2.0, 20.0]]))
    exact.add(np.empty((0, 2)))
    assert exact.totals().tolist() == [3, 30]
