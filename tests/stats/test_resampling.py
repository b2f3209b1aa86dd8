"""Draws of segments and the sums of their statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hyperbaton import _core
from hyperbaton.stats.resampling import bootstrap_counts, sampled_sums, swap_counts
from reference import resampling as reference

Counts = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Draw = Callable[..., Iterator[Counts]]
DRAWS = pytest.mark.parametrize("draw", [bootstrap_counts, swap_counts])
UNLIKELY = 1e-4  # seeds are fixed, so that the tests are deterministic


def drawn(draw: Draw, segments: int, samples: int, seed: int) -> Counts:
    return np.concatenate(list(draw(segments, samples, seed)))


def sums(counts: Iterator[Counts], rows: Floats, threads: int | None) -> Floats:
    return np.concatenate([part for (part,) in sampled_sums(counts, [rows], threads)])


# Draws -----------------------------------------------------------------------------------------


@given(segments=st.integers(1, 40), samples=st.integers(1, 30), seed=st.integers(0, 2**63 - 1))
def test_counts(segments: int, samples: int, seed: int) -> None:
    boot = drawn(bootstrap_counts, segments, samples, seed)
    assert boot.shape == (samples, segments)
    assert boot.dtype == np.int32
    assert boot.sum(axis=1).tolist() == [segments] * samples
    assert boot.min() >= 0
    swaps = drawn(swap_counts, segments, samples, seed)
    assert swaps.shape == (samples, segments)
    assert swaps.dtype == np.int32
    assert set(swaps.ravel().tolist()) <= {0, 1}


@pytest.mark.parametrize("seed", range(5))
def test_each_segment_is_drawn_as_often(seed: int) -> None:
    counts = drawn(bootstrap_counts, 50, 2000, seed)
    assert stats.chisquare(counts.sum(axis=0)).pvalue > UNLIKELY
    # The counts within a sample follow the distribution of n draws from n.
    times = np.arange(5)
    expected = stats.binom.pmf(times, 50, 1 / 50) * counts.size
    found = [(counts == k).sum() for k in times]
    expected, found = [*expected, counts.size - sum(expected)], [*found, (counts > 4).sum()]
    assert stats.chisquare(found, expected).pvalue > UNLIKELY


@pytest.mark.parametrize("seed", range(5))
def test_each_segment_is_exchanged_half_of_the_time(seed: int) -> None:
    swaps = drawn(swap_counts, 50, 2000, seed)
    of_segments, of_samples = swaps.sum(axis=0), swaps.sum(axis=1)
    assert (abs(of_segments - 1000) < 4.5 * np.sqrt(2000) / 2).all()
    assert (abs(of_samples - 25) < 5 * np.sqrt(50) / 2).all()
    assert of_samples.var() == pytest.approx(50 / 4, rel=0.2)  # not 25 of 50 in each


@DRAWS
def test_segments_and_samples_are_independent(draw: Draw) -> None:
    counts = drawn(draw, 30, 3000, 7).astype(np.float64)
    between = np.asarray(np.corrcoef(counts.T))[np.triu_indices(30, 1)]
    # With n draws from n, a frequent segment leaves less for others: ρ = −1/(n − 1).
    expected = -1 / 29 if draw is bootstrap_counts else 0
    assert abs(between - expected).max() < 4.5 / np.sqrt(3000)
    following = np.corrcoef(counts[:-1].ravel(), counts[1:].ravel())[0, 1]
    assert abs(following) < 4.5 / np.sqrt(counts.size)
    assert len({tuple(row) for row in counts.tolist()}) == 3000


@DRAWS
@pytest.mark.parametrize("batch", [1, 16, 17, 18, 100, 17 * 41 - 1, 17 * 41])
def test_batch_size_does_not_change_the_draws(draw: Draw, batch: int) -> None:
    whole = list(draw(17, 41, 3))
    assert len(whole) == 1
    parts = list(draw(17, 41, 3, draws_per_batch=batch))
    assert max(len(part) for part in parts) == max(1, batch // 17)
    assert np.concatenate(parts).tolist() == whole[0].tolist()


@DRAWS
def test_seeds(draw: Draw) -> None:
    first = drawn(draw, 20, 50, 1).tolist()
    assert drawn(draw, 20, 50, 1).tolist() == first
    others = [drawn(draw, 20, 50, seed).tolist() for seed in (0, 2, 3, 2**63 - 1)]
    assert first not in others
    assert len({str(counts) for counts in others}) == 4
    # With more samples, the first ones stay the same.
    assert drawn(draw, 20, 80, 1)[:50].tolist() == first


def test_one_segment() -> None:
    assert drawn(bootstrap_counts, 1, 6, 5).tolist() == [[1]] * 6
    assert {tuple(row) for row in drawn(swap_counts, 1, 60, 5).tolist()} == {(0,), (1,)}


@pytest.mark.parametrize("length", [1, 2, 3, 6, 64, 65, 1000])
@pytest.mark.parametrize("seed", [0, 1, 12345, 2**63 - 1])
def test_the_draws_of_a_seed_never_change(seed: int, length: int) -> None:
    """A seed in a paper must give the same draws on any machine and in any version."""
    for sample, counts in enumerate(drawn(bootstrap_counts, length, 5, seed).tolist()):
        assert counts == reference.bootstrap_draw(seed, sample, length)
    for sample, counts in enumerate(drawn(swap_counts, length, 5, seed).tolist()):
        assert counts == reference.swap_draw(seed, sample, length)


def test_the_twin_of_the_random_numbers() -> None:
    # The output of the authors' program for the seed 1234567, as it is often quoted.
    random = reference.SplitMix64(1234567)
    assert [random.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_every_thread_draws_the_same() -> None:
    expected = _core.draw(False, 997, 0, 101, 5, 1).tolist()
    for threads in (2, 5):
        assert _core.draw(False, 997, 0, 101, 5, threads).tolist() == expected
    assert _core.draw(False, 997, 40, 2, 5, 1).tolist() == expected[40 * 997 : 42 * 997]


# Sums ------------------------------------------------------------------------------------------


@given(
    shape=st.tuples(st.integers(1, 12), st.integers(1, 5)),
    samples=st.integers(1, 9),
    seed=st.integers(0, 1000),
    whole=st.booleans(),
)
def test_sums_beside_the_twin(shape: tuple[int, int], samples: int, seed: int, whole: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(-9, 99, shape).astype(np.float64) if whole else rng.lognormal(0, 3, shape)
    for draw in (bootstrap_counts, swap_counts):
        counts = drawn(draw, shape[0], samples, seed)
        found = sums(iter([counts]), rows, 1)
        expected = reference.sums_by_sample(rows.tolist(), counts.tolist())
        assert found.shape == (samples, shape[1])
        if whole:
            assert found.tolist() == expected
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("rows_are", ["C", "F", "reversed", "every other"])
def test_rows_may_have_any_memory_layout(rows_are: str) -> None:
    table = np.random.default_rng(1).normal(size=(20, 6))
    rows = {
        "C": table,
        "F": np.asfortranarray(table),
        "reversed": table[::-1],
        "every other": table[:, ::2],
    }[rows_are]
    found = sums(bootstrap_counts(20, 7, 1), rows, 1)
    counts = drawn(bootstrap_counts, 20, 7, 1)
    np.testing.assert_allclose(
        found, reference.sums_by_sample(rows.tolist(), counts.tolist()), rtol=1e-11
    )


@DRAWS
@pytest.mark.parametrize("columns", [1, 3, 30])
@pytest.mark.parametrize("samples", [500, 501, 503])
def test_any_threads(draw: Draw, columns: int, samples: int) -> None:
    """Enough samples for several threads, and sums that depend on the order of rounding."""
    rows = np.random.default_rng(2).lognormal(0, 4, (211, columns))
    one = sums(draw(211, samples, 4), rows, 1)
    backwards = sums(iter([drawn(draw, 211, samples, 4)[:, ::-1].copy()]), rows[::-1], 1)
    assert backwards.tobytes() != one.tobytes()  # otherwise this would test nothing
    for threads in (2, 5, None):
        assert sums(draw(211, samples, 4), rows, threads).tobytes() == one.tobytes()


@pytest.mark.parametrize("batch", [1, 100, 1000])
def test_batch_size_does_not_change_the_sums(batch: int) -> None:
    rows = np.random.default_rng(3).lognormal(0, 4, (19, 4))
    whole = sums(bootstrap_counts(19, 101, 4), rows, 2)
    counts = bootstrap_counts(19, 101, 4, draws_per_batch=batch)
    assert sums(counts, rows, 2).tobytes() == whole.tobytes()


@DRAWS
def test_sums_do_not_depend_on_other_samples(draw: Draw) -> None:
    """A sample has the same sums to the last bit, computed alone or with others."""
    rows = np.random.default_rng(5).lognormal(0, 4, (53, 7))
    counts = drawn(draw, 53, 11, 2)
    together = sums(iter([counts]), rows, 1)
    for begin in range(11):
        for end in range(begin + 1, 12):
            part = sums(iter([counts[begin:end]]), rows, 1)
            assert part.tobytes() == together[begin:end].tobytes()


def test_several_tables() -> None:
    rng = np.random.default_rng(8)
    tables = [rng.normal(size=(9, columns)) for columns in (1, 4, 2)]
    (found,) = sampled_sums(bootstrap_counts(9, 13, 3), tables, 2)
    assert [table_sums.shape for table_sums in found] == [(13, 1), (13, 4), (13, 2)]
    for table, table_sums in zip(tables, found, strict=True):
        assert table_sums.tobytes() == sums(bootstrap_counts(9, 13, 3), table, 1).tobytes()


def test_odd_shapes() -> None:
    rows = np.array([[2.5, -1.0]])
    assert sums(bootstrap_counts(1, 3, 1), rows, 1).tolist() == [[2.5, -1.0]] * 3
    many = np.arange(3 * 4000.0).reshape(3, 4000)
    found = sums(bootstrap_counts(3, 1, 1), many, 5)
    assert found.tolist() == reference.sums_by_sample(
        many.tolist(), drawn(bootstrap_counts, 3, 1, 1).tolist()
    )
    # More threads than samples, and one sample of many segments.
    tall = np.ones((50_000, 1))
    assert sums(bootstrap_counts(50_000, 1, 1), tall, 5).tolist() == [[50_000.0]]
    assert sums(bootstrap_counts(50_000, 3, 1), tall, 1000).tolist() == [[50_000.0]] * 3


# The core ---------------------------------------------------------------------------------------


def ints(*shape: int) -> Counts:
    return np.ones(shape, np.int32)


@pytest.mark.parametrize(
    ("counts", "rows", "length"),
    [(4, 6, 4), (5, 4, 4), (3, 4, 4), (4, 4, 0), (0, 0, 0), (4, 4, 8), (4, 4, 2**62), (4, 0, 3)],
)
def test_bad_shapes_are_refused(counts: int, rows: int, length: int) -> None:
    with pytest.raises(ValueError, match="multiples of the length"):
        _core.weighted_sums(ints(counts), np.ones(rows), length, 2)


def test_bad_kinds_are_refused() -> None:
    with pytest.raises(TypeError):
        _core.weighted_sums(np.ones(4, np.int64), np.ones(4), 4, 1)
    with pytest.raises(TypeError):
        _core.weighted_sums(ints(4), np.ones(4, np.float32), 4, 1)
    with pytest.raises(TypeError):
        _core.weighted_sums(ints(2, 2), np.ones(4), 4, 1)
    with pytest.raises(TypeError):
        _core.weighted_sums(ints(8)[::2], np.ones(4), 4, 1)
    with pytest.raises(TypeError):
        _core.weighted_sums(ints(4), np.ones(4), -4, 1)


def test_nothing_to_sum() -> None:
    assert _core.weighted_sums(ints(0), np.ones(4), 4, 1).tolist() == []
    assert _core.weighted_sums(ints(4), np.ones(0), 4, 1).tolist() == []


@pytest.mark.parametrize(("segments", "rows"), [(5, 4), (5, 6), (4, 7), (20, 3)])
def test_rows_that_do_not_fit_the_counts(segments: int, rows: int) -> None:
    with pytest.raises(ValueError, match="but a table has "):
        sums(bootstrap_counts(segments, 1, 1), np.ones((rows, 2)), 1)
