"""Exact sums of floats, rounded once."""

from __future__ import annotations

import functools
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton import _core
from hyperbaton.stats.sums import ExactSums

floats = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


def total(numbers: list[float], size: int, max_parts: int = 256) -> float:
    exact = ExactSums(1, max_parts)
    for begin in range(0, len(numbers), size):
        exact.add(np.array(numbers[begin : begin + size])[:, None])
    return float(exact.totals()[0])


@given(numbers=st.lists(floats), size=st.integers(1, 7))
def test_sums_are_exact_and_rounded_once(numbers: list[float], size: int) -> None:
    assert total(numbers, size) == float(sum(map(Fraction, numbers)))


def test_many_batches() -> None:
    rng = random.Random(1)
    numbers = [rng.uniform(0, 1) * 10 ** rng.randint(-9, 0) for _ in range(2000)]
    expected = float(sum(map(Fraction, numbers)))
    # Otherwise this would test nothing. sum() is more exact from Python 3.12 on.
    assert expected != np.cumsum(numbers)[-1]
    for size in (1, 3, 500):
        rng.shuffle(numbers)
        assert total(numbers, size, max_parts=4) == expected  # parts are often reduced


def test_columns() -> None:
    exact = ExactSums(2)
    assert exact.totals().tolist() == [0, 0]
    exact.add(np.array([[1.0, 10.0], [2.0, 20.0]]))
    exact.add(np.empty((0, 2)))
    assert exact.totals().tolist() == [3, 30]


def exact_sums(rows: list[tuple[float, float]], max_parts: int = 256) -> ExactSums:
    exact = ExactSums(2, max_parts)
    exact.add(np.array(rows, np.float64).reshape(-1, 2))
    return exact


def merge_copies(max_parts: int, first: ExactSums, second: ExactSums) -> ExactSums:
    """Merge two sums after a round trip through their states or pickle."""
    result = ExactSums.from_state(first.state(), max_parts)
    result.merge(pickle.loads(pickle.dumps(second)))
    return result


@given(
    batches=st.lists(st.lists(st.tuples(floats, floats)), min_size=1, max_size=6),
    seed=st.integers(0, 2**32),
    max_parts=st.integers(1, 8),
)
def test_merging_is_associative_and_commutative_to_the_last_bit(
    batches: list[list[tuple[float, float]]], seed: int, max_parts: int
) -> None:
    merge = functools.partial(merge_copies, max_parts)
    whole = exact_sums([row for batch in batches for row in batch], max_parts)
    partial = [exact_sums(batch, max_parts) for batch in batches]
    left = functools.reduce(merge, partial)
    right = functools.reduce(lambda second, first: merge(first, second), reversed(partial))
    random.Random(seed).shuffle(partial)
    shuffled = functools.reduce(merge, partial)
    for exact in (left, right, shuffled):
        assert exact.totals().tobytes() == whole.totals().tobytes()
        assert exact.state() == whole.state()


def test_merging_leaves_the_other_sums_unchanged() -> None:
    first, second = exact_sums([(1, 2)]), exact_sums([(3, 4)])
    first.merge(second)
    first.add(np.array([[10.0, 10.0]]))
    assert first.totals().tolist() == [14, 16]
    assert second.totals().tolist() == [3, 4]
    second.merge(second)
    assert second.totals().tolist() == [6, 8]


def test_merging_needs_the_same_columns() -> None:
    with pytest.raises(ValueError, match="argument"):
        ExactSums(1).merge(ExactSums(2))


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite(number: float) -> None:
    exact = exact_sums([(1, 2), (number, 3)])
    exact.merge(exact_sums([(4, 5)]))
    np.testing.assert_equal(exact.totals(), [number, 10])


@given(st.lists(floats))
def test_the_core_keeps_the_exact_sum(numbers: list[float]) -> None:
    partials = _core.exact_partials(np.array(numbers, np.float64)).tolist()
    assert sum(map(Fraction, partials)) == sum(map(Fraction, numbers))


def test_the_fast_way_and_the_general_way() -> None:
    """Numbers of similar size have few errors of errors; numbers far apart need the general way."""
    rng = np.random.default_rng(4)
    for scale in (0, 20, 200):
        numbers = rng.random(2000) * 2.0 ** rng.integers(-scale, scale + 1, 2000)
        partials = _core.exact_partials(numbers).tolist()
        assert sum(map(Fraction, partials)) == sum(map(Fraction, numbers.tolist()))
        assert len(partials) <= 50
