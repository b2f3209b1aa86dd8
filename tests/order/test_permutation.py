"""Permutation: valid and invalid input, and the algebra."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperbaton as hb
from hyperbaton import Permutation
from permutations import nonempty, permutations


def test_prints_as_the_papers_print_it() -> None:
    assert str(Permutation([2, 4, 3, 1])) == "⟨2, 4, 3, 1⟩"
    assert str(Permutation([])) == "⟨⟩"
    assert repr(Permutation([2, 1])) == "Permutation([2, 1])"
    assert f"{Permutation([2, 1]):>8}|" == "  ⟨2, 1⟩|"


def test_is_a_sequence_of_python_integers() -> None:
    p = Permutation([2, 3, 1])
    assert list(p) == [2, 3, 1]
    assert (len(p), p[0], p[-1], p[1:]) == (3, 2, 1, (3, 1))
    assert all(type(value) is int for value in (*p, p[0], *p[:]))
    assert 3 in p
    assert p.index(1) == 2
    with pytest.raises(IndexError):
        p[3]
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        p["a"]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "values",
    [
        [2, 3, 1],
        (2, 3, 1),
        iter([2, 3, 1]),
        range(3, 0, -1),
        np.array([2, 3, 1]),
        np.array([2, 3, 1], np.uint8),
        np.array([2, 3, 1], np.uint64),
        np.array([2, 3, 1], object),
        np.array([2, 0, 3, 0, 1, 0])[::2],
        [np.int64(2), np.int32(3), 1],
        Permutation([2, 3, 1]),
    ],
)
def test_takes_any_sequence_of_integers(values: Any) -> None:
    expected = [3, 2, 1] if isinstance(values, range) else [2, 3, 1]
    assert list(Permutation(values)) == expected


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([0, 1, 2], ValueError, "value 0 at position 1 is outside 1..3 (permutations count from 1"),
        ([1, 2, 0], ValueError, "value 0 at position 3 is outside 1..3"),
        ([1, 4, 2], ValueError, "value 4 at position 2 is outside 1..3"),
        ([1, -2], ValueError, "value -2 at position 2 is outside 1..2"),
        ([1, 3, 3], ValueError, "value 3 at position 3 already occurs at position 2"),
        ([1, 10**5000], ValueError, "value of type int at position 2 is outside 1..2"),
        ([1, "x" * 1000], TypeError, "value 'xxxxx"),
        ([1, 10**30], ValueError, f"value {10**30} at position 2 is outside 1..2"),
        (np.array([1, 2**64 - 1], np.uint64), ValueError, "position 2 is outside 1..2"),
        ([1, 2.0], TypeError, "value 2.0 at position 2 is a float, not an integer"),
        ([1, True], TypeError, "value True at position 2 is a bool, not an integer"),
        ([1, None], TypeError, "value None at position 2 is a NoneType, not an integer"),
        ([1, "2"], TypeError, "value '2' at position 2 is a str, not an integer"),
        ([1, [2]], TypeError, "value [2] at position 2 is a list, not an integer"),
        (
            np.array([1.0, 2.0]),
            TypeError,
            "a permutation must be an array of integers, got float64",
        ),
        (np.array([True]), TypeError, "must be an array of integers, got bool"),
        (np.array([[1, 2]]), TypeError, "a permutation must be a one-dimensional array, got 2"),
        (np.array(1), TypeError, "a permutation must be a one-dimensional array, got 0"),
        (5, TypeError, "a permutation is a sequence of integers, not an int"),
        (None, TypeError, "a permutation is a sequence of integers, not a NoneType"),
        ("21", TypeError, "a permutation is a sequence of integers, not a str"),
        (b"\x01", TypeError, "not a bytes"),
        (np.ma.masked_equal([2, 1, 3], 3), TypeError, "must not have masked values"),
        ({2, 1}, TypeError, "not a set"),
        ({1: 2}, TypeError, "not a dict"),
    ],
)
def test_refuses_what_is_not_a_permutation(
    values: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        Permutation(values)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200
    if not (
        isinstance(values, np.ndarray) and values.ndim == 2
    ):  # a two-dimensional array is many permutations
        with pytest.raises(error) as caught:
            hb.kendall(values)
        assert message in str(caught.value)


@pytest.mark.parametrize("error", [RuntimeError, TypeError, KeyboardInterrupt])
def test_an_error_inside_an_iterator_is_not_hidden(error: type[BaseException]) -> None:
    def broken() -> Any:
        yield 1
        raise error("mine")

    with pytest.raises(error, match="mine"):
        Permutation(broken())


@pytest.mark.parametrize("error", [RuntimeError, MemoryError, KeyboardInterrupt])
def test_an_error_inside_index_or_repr_is_not_hidden(error: type[BaseException]) -> None:
    class Broken:
        def __index__(self) -> int:
            raise error("mine")

    class Unprintable:
        def __repr__(self) -> str:
            raise error("mine")

    with pytest.raises(error, match="mine"):
        Permutation([1, Broken()])  # type: ignore[list-item]
    unprintable: Any = [1, Unprintable()]
    with pytest.raises(TypeError if issubclass(error, Exception) else error):
        Permutation(unprintable)


def test_a_list_that_changes_while_it_is_read() -> None:
    """This once crashed, because __index__ can run any code."""
    values: list[Any] = []

    class Emptying:
        def __index__(self) -> int:
            values.clear()
            return 1

    values += [Emptying(), *range(2, 10_000)]
    assert Permutation(values) == Permutation.identity(9_999)


def test_an_array_that_is_not_aligned() -> None:
    values = np.frombuffer(bytearray(4 * 100 + 1), np.int32, 100, 1)
    values[:] = np.arange(1, 101)
    assert hb.kendall(values) == 1
    assert hb.kendall(values, offsets=[0, 100]).tolist() == [1]


def test_is_immutable() -> None:
    source = np.array([2, 1], np.int32)
    p = Permutation(source)
    source[0] = 7
    assert list(p) == [2, 1]
    with pytest.raises(AttributeError):
        p.other = 1
    with pytest.raises(AttributeError):
        p._values = source
    with pytest.raises(TypeError):
        p[0] = 1  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(p)[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        np.asarray(p).flags.writeable = True


def test_equality_and_hash() -> None:
    assert Permutation([2, 1]) == Permutation((2, 1)) != Permutation([1, 2])
    assert Permutation([2, 1]) != [2, 1]
    assert len({Permutation([2, 1]), Permutation([2, 1]), Permutation([1])}) == 2
    assert hash(Permutation([2, 1])) == hash(Permutation(np.array([2, 1])))


@given(permutations)
def test_copies_and_pickles(pi: tuple[int, ...]) -> None:
    p = Permutation(pi)
    assert pickle.loads(pickle.dumps(p)) == p == copy.deepcopy(p) == copy.copy(p)


def test_as_an_array() -> None:
    p = Permutation([2, 1])
    assert np.asarray(p).tolist() == [2, 1]
    assert np.asarray(p, np.float64).dtype == np.float64
    copied = np.array(p)
    copied[0] = 9
    assert list(p) == [2, 1]


@given(st.lists(st.integers(), unique=True))
def test_standardize_ranks(values: list[int]) -> None:
    p = Permutation.standardize(values)
    assert [sorted(values)[rank - 1] for rank in p] == values


def test_standardize_takes_any_comparable_values() -> None:
    assert list(Permutation.standardize([30, 10, 20])) == [3, 1, 2]
    assert list(Permutation.standardize("cab")) == [3, 1, 2]
    assert list(Permutation.standardize([0.5, -1.5])) == [2, 1]
    assert list(Permutation.standardize([])) == []
    with pytest.raises(ValueError, match="value 10 at position 3 already occurs at position 1"):
        Permutation.standardize([10, 20, 10])
    assert list(Permutation.standardize(np.array([0.5, -1.5]))) == [2, 1]
    for values in ([1.0, math.nan], [math.nan]):
        with pytest.raises(
            ValueError, match=f"value nan at position {len(values)} cannot be ordered"
        ):
            Permutation.standardize(values)
    with pytest.raises(TypeError, match="cannot be compared"):
        Permutation.standardize([1, "a"])
    with pytest.raises(TypeError, match="one-dimensional array, got 2 dimensions"):
        Permutation.standardize(np.array([[1, 2]]))
    for wrong in ({3, 1}, {3: 1}, 5):
        with pytest.raises(TypeError, match="takes a sequence of distinct values, got "):
            Permutation.standardize(wrong)  # type: ignore[arg-type]


@given(nonempty, st.randoms(use_true_random=False))
def test_algebra(pi: tuple[int, ...], rng: Any) -> None:
    p = Permutation(pi)
    n = len(p)
    identity = Permutation.identity(n)
    q = Permutation(rng.sample(range(1, n + 1), n))
    assert p.compose(p.inverse()) == identity == p.inverse().compose(p)
    assert p.compose(identity) == p == identity.compose(p)
    assert p.inverse().inverse() == p
    assert p.compose(q).inverse() == q.inverse().compose(p.inverse())
    assert list(p.compose(q)) == [p[value - 1] for value in q]
    assert all(p.inverse()[value - 1] == i for i, value in enumerate(p, 1))
    assert list(p.compose(Permutation.reverse(n))) == list(reversed(p))


def test_identity_and_reverse() -> None:
    assert list(Permutation.identity(4)) == [1, 2, 3, 4]
    assert list(Permutation.reverse(4)) == [4, 3, 2, 1]
    assert list(Permutation.identity(0)) == [] == list(Permutation.reverse(0))
    for wrong in (-1, 2**30):
        with pytest.raises(ValueError, match="n must be from 0"):
            Permutation.identity(wrong)
    with pytest.raises(TypeError, match="n must be an integer, got float"):
        Permutation.reverse(2.0)  # type: ignore[arg-type]


def test_compose_needs_equal_lengths() -> None:
    with pytest.raises(ValueError, match="permutations of 2 and 3 values"):
        Permutation([2, 1]).compose(Permutation([1, 2, 3]))
    with pytest.raises(TypeError, match="takes a Permutation, got list"):
        Permutation([2, 1]).compose([1, 2])  # type: ignore[arg-type]


def test_random_is_uniform_and_depends_only_on_the_seed() -> None:
    assert Permutation.random(50, seed=3) == Permutation.random(50, 3) != Permutation.random(50, 4)
    seen: dict[Permutation, int] = {}
    for seed in range(3_000):
        p = Permutation.random(3, seed)
        seen[p] = seen.get(p, 0) + 1
    assert len(seen) == 6
    assert all(400 < times < 600 for times in seen.values())  # 500 ± 5 standard deviations
    for wrong in (-1, 2**32):
        with pytest.raises(ValueError, match="seed must be from 0"):
            Permutation.random(3, wrong)
    with pytest.raises(TypeError, match="seed must be an integer"):
        Permutation.random(3, None)  # type: ignore[arg-type]
