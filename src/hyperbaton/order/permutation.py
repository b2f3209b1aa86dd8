"""Permutations of 1..n, written as in the papers."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.presentation import NotebookDisplay

if TYPE_CHECKING:
    from hyperbaton.order.trees import PermutationForest, PermutationTree

Integers = npt.NDArray[np.integer[Any]]
NativeIntegers = npt.NDArray[np.int64] | npt.NDArray[np.int32]  # which the core does not copy
DIMENSION_MESSAGE = "a permutation must be a one-dimensional array, got {} dimensions"


def integer_array(values: object) -> NativeIntegers:
    """Return ``values`` as a one-dimensional contiguous integer array.

    The values are copied only if necessary.

    Raises
    ------
    InputTypeError
        If ``values`` is not a sequence of integers.
    """
    if isinstance(values, Permutation):
        return values._values
    values = plain_array(values)
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InputTypeError(DIMENSION_MESSAGE.format(values.ndim))
        if values.size == 0:
            return np.empty(0, np.int64)
        if values.dtype.kind == "O":
            return _core.integers(values.tolist())
        if values.dtype.kind not in "iu":
            raise InputTypeError(f"a permutation must be an array of integers, got {values.dtype}")
        if values.dtype.kind == "u" and values.dtype.itemsize == 8 and values.max() >= 2**63:
            position = int(values.argmax())
            raise InputError(
                f"value {values[position]} at position {position + 1} is outside 1..{values.size}"
            )
        native = values.dtype == np.int32 or values.dtype == np.int64
        return np.require(values, None if native else np.int64, ["C", "A"])
    return _core.integers(values)


def plain_array(values: object) -> object:
    """Convert series, tensors and other array types to NumPy arrays; return the rest unchanged."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputTypeError("a permutation must not have masked values")
    if type(values) is np.ndarray or isinstance(values, Permutation):
        return values
    if hasattr(values, "__array__") and not isinstance(values, np.generic):
        return np.asarray(values)
    return values


class Permutation(NotebookDisplay, Sequence[int]):
    """A permutation ⟨π₁, …, πₙ⟩ of 1..n: immutable, hashable and validated.

    πᵢ is the value at position i. Indices count from 0 as usual in Python: ``p[0]`` is π₁.

    Parameters
    ----------
    values : sequence of int, or integer array
        Each of 1..n exactly once.

    Raises
    ------
    ValueError
        If the values are not a permutation of 1..n.
    TypeError
        If they are not a sequence of integers.

    Examples
    --------
    >>> p = Permutation([2, 4, 5, 6, 1, 3])
    >>> print(p)
    ⟨2, 4, 5, 6, 1, 3⟩
    >>> print(p.tree())
    ⟨2,4,1,3⟩[2, ⟨1,2⟩[⟨1,2⟩[4, 5], 6], 1, 3]
    >>> Permutation([2, 2, 1])
    Traceback (most recent call last):
        ...
    hyperbaton.InputError: value 2 at position 2 already occurs at position 1
    """

    __slots__ = ("_hash", "_values")

    _values: npt.NDArray[np.int32]
    _hash: int | None

    def __init__(self, values: Sequence[int] | Integers) -> None:
        # Copied because an array stays read-only only if NumPy owns its memory.
        self._set_values(_core.checked(integer_array(values)).copy())

    def _set_values(self, array: npt.NDArray[np.int32]) -> None:
        array.flags.writeable = False
        object.__setattr__(self, "_values", array)
        object.__setattr__(self, "_hash", None)

    @classmethod
    def _from_valid(cls, array: Integers) -> Permutation:
        """Make a permutation of an array that needs no check."""
        permutation = cls.__new__(cls)
        permutation._set_values(array.astype(np.int32, copy=False))
        return permutation

    @classmethod
    def standardize(cls, values: Iterable[Any]) -> Permutation:
        """Return the ranks of distinct, comparable values.

        Parameters
        ----------
        values : iterable
            Any distinct values that can be compared with each other.

        Returns
        -------
        Permutation
            The rank of each value, from 1.

        >>> print(Permutation.standardize([30, 10, 20]))
        ⟨3, 1, 2⟩
        """
        values = plain_array(values)  # type: ignore[assignment]
        if isinstance(values, np.ndarray) and values.ndim != 1:
            raise InputTypeError(DIMENSION_MESSAGE.format(values.ndim))
        if isinstance(values, (dict, set, frozenset)) or not isinstance(values, Iterable):
            kind = type(values).__name__
            raise InputTypeError(f"standardize takes a sequence of distinct values, got {kind}")
        items = values.tolist() if isinstance(values, np.ndarray) else list(values)
        for position, item in enumerate(items, 1):
            if item != item:
                raise InputError(f"value {item!r} at position {position} cannot be ordered")
        try:
            order = sorted(range(len(items)), key=items.__getitem__)
        except TypeError as error:
            raise InputTypeError(f"the values cannot be compared: {error}") from None
        ranks = np.empty(len(items), np.int32)
        for rank, position in enumerate(order):
            if rank and items[order[rank - 1]] == items[position]:
                first, second = sorted((order[rank - 1], position))
                raise InputError(
                    f"value {items[second]!r} at position {second + 1} already occurs at position "
                    f"{first + 1}"
                )
            ranks[position] = rank + 1
        return cls._from_valid(ranks)

    @classmethod
    def identity(cls, n: int) -> Permutation:
        """Return ⟨1, …, n⟩, perfect order.

        Parameters
        ----------
        n : int
            Number of values.

        Returns
        -------
        Permutation
            The identity.
        """
        return cls._from_valid(np.arange(1, _check_length(n) + 1))

    @classmethod
    def reverse(cls, n: int) -> Permutation:
        """Return ⟨n, …, 1⟩.

        ``p.compose(Permutation.reverse(len(p)))`` reverses any permutation ``p``.

        Parameters
        ----------
        n : int
            Number of values.

        Returns
        -------
        Permutation
            The reversed order.
        """
        return cls._from_valid(np.arange(_check_length(n), 0, -1))

    @classmethod
    def random(cls, n: int, seed: int) -> Permutation:
        """Return one of the n! permutations, all equally likely.

        The same seed gives the same permutation with every version of NumPy: its legacy
        generator has a frozen stream.

        Parameters
        ----------
        n : int
            Number of values.
        seed : int
            Random seed, from 0 to 2³² − 1.

        Returns
        -------
        Permutation
            The permutation.

        Examples
        --------
        >>> print(Permutation.random(5, seed=1))
        ⟨3, 2, 5, 1, 4⟩
        """
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise InputTypeError(f"seed must be an integer, got {type(seed).__name__}")
        if not 0 <= seed < 2**32:
            raise InputError(f"seed must be from 0 to 2³²−1, got {seed}")
        return cls._from_valid(np.random.RandomState(seed).permutation(_check_length(n)) + 1)

    def inverse(self) -> Permutation:
        """Return π⁻¹, whose value at position v is the position of v in π.

        >>> print(Permutation([2, 4, 1, 3]).inverse())
        ⟨3, 1, 4, 2⟩
        """
        positions = np.empty_like(self._values)
        positions[self._values - 1] = np.arange(1, len(self) + 1, dtype=np.int32)
        return self._from_valid(positions)

    def compose(self, other: Permutation) -> Permutation:
        """Return π∘σ, whose value at position i is π at position σᵢ.

        ``p.compose(p.inverse())`` is the identity.

        Parameters
        ----------
        other : Permutation
            σ, which must have as many values as this permutation.

        Returns
        -------
        Permutation
            The composition.

        Raises
        ------
        InputError
            If the lengths differ.

        Examples
        --------
        >>> print(Permutation([2, 3, 1]).compose(Permutation([1, 3, 2])))
        ⟨2, 1, 3⟩
        """
        if not isinstance(other, Permutation):
            raise InputTypeError(f"compose takes a Permutation, got {type(other).__name__}")
        if len(self) != len(other):
            raise InputError(f"cannot compose permutations of {len(self)} and {len(other)} values")
        return self._from_valid(self._values[other._values - 1])

    def tree(self) -> PermutationTree:
        """Return the canonical permutation tree (PET), which is left-branching."""
        from hyperbaton.order.trees import PermutationTree

        return PermutationTree(self)

    def forest(self) -> PermutationForest:
        """Return the permutation forest (PEF): all permutation trees, packed."""
        from hyperbaton.order.trees import PermutationForest

        return PermutationForest(self)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Permutation cannot be changed: {name!r}")

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...
    def __getitem__(self, index: int | slice) -> int | tuple[int, ...]:
        if isinstance(index, slice):
            return tuple(self._values[index].tolist())
        return int(self._values[operator.index(index)])

    def __iter__(self) -> Iterator[int]:
        return iter(self._values.tolist())

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Integers:
        if copy is False and dtype is not None and np.dtype(dtype) != self._values.dtype:
            raise InputError("a Permutation holds int32 values: another dtype needs a copy")
        if dtype is None or np.dtype(dtype) == self._values.dtype:
            # The owner of the view stays read-only, whatever happens to the view's flags.
            return self._values.copy() if copy else self._values.view()
        return self._values.astype(dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Permutation):
            return NotImplemented
        return np.array_equal(self._values, other._values)

    def __hash__(self) -> int:
        if self._hash is None:
            # The hash of a tuple of integers is the same in every process; that of bytes is not.
            object.__setattr__(self, "_hash", hash(tuple(self)))
        assert self._hash is not None
        return self._hash

    def __reduce__(self) -> tuple[type[Permutation], tuple[list[int]]]:
        return (type(self), (self._values.tolist(),))

    def __repr__(self) -> str:
        return f"Permutation({self._values.tolist()})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __str__(self) -> str:
        return f"⟨{', '.join(map(str, self))}⟩"


def _check_length(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise InputTypeError(f"n must be an integer, got {type(n).__name__}")
    if not 0 <= n < 2**30:
        raise InputError(f"n must be from 0 to 2³⁰−1, got {n}")
    return int(n)
