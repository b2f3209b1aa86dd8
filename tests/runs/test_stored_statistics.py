"""Stored statistics come back to the last bit, in less memory."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.runs.stored_segments import StoredRows, StoredStatistics

NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 255.0, 256.0, -1.0, 65536.0, 2.0**31, 0.5, 0.1, 1e300]),
    st.floats(allow_nan=False, allow_infinity=False),
)


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=1))
def test_rows_come_back_to_the_last_bit(rows: list[list[float]]) -> None:
    array = np.array(rows)
    stored = StoredRows({"a": array, "b": array[:, :1], "c": array[::-1]})
    assert stored.expand("a").tobytes() == array.tobytes()
    assert stored.expand("b").tobytes() == array[:, :1].tobytes()
    assert stored.expand("c").tobytes() == np.ascontiguousarray(array[::-1]).tobytes()


def test_batches_follow_each_other() -> None:
    parts = [np.arange(6.0).reshape(3, 2), np.full((2, 2), 0.1)]
    both = StoredStatistics([StoredRows({"x": part, "y": -part}) for part in parts], "y")
    copy = pickle.loads(pickle.dumps(both))
    for found in (both.expand(), copy.expand()):
        assert found.tobytes() == (-np.concatenate(parts)).tobytes()
        with pytest.raises(ValueError, match="read-only"):
            found[0, 0] = 1


def test_memory() -> None:
    values = np.random.default_rng(1).random(2000)
    ones = np.ones(2000)
    statistics = {f"m{k}": np.stack([values + k, ones, values + k], axis=1) for k in range(10)}
    stored = len(pickle.dumps(StoredRows(statistics)))
    assert stored < 1.01 * 10 * values.nbytes  # a third of what the rows take
    counts = np.arange(2000.0) % 200
    assert len(pickle.dumps(StoredRows({"counts": counts[:, np.newaxis]}))) < 1.5 * len(counts)


def test_few_distinct_numbers() -> None:
    distinct = np.array([0.1, -0.0, 0.0, 1 / 3, 0.7])
    column = distinct[np.random.default_rng(2).integers(0, 5, 3000)]
    stored = StoredRows({"x": column[:, np.newaxis]})
    assert stored.expand("x").tobytes() == column.tobytes()
    assert len(pickle.dumps(stored)) < 1.5 * len(column)  # a byte for each
