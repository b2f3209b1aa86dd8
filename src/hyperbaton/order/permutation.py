"""Permutations of 1..n, as the papers write them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from hyperbaton.order.forest import PermutationForest
    from hyperbaton.order.tree import PermutationTree

Integers = npt.NDArray[np.integer[Any]]


def integer_array(values: object) -> Integers:
    """``values`` as a one-dimensional contiguous integer array, copied only where it must be.

    Raises TypeError for what is not a sequence of integers.
    """
    if isinstance(values, Permutation):
        return values._values
    values = plain_array(values)
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InputTypeError(
                f"a permutation has one dimension, but this array has {values.ndim}"
            )
        if values.size == 0:
            return np.empty(0, np.int64)
        if values.dtype.kind == "O":
            return _core.integers(values.tolist())
        if values.dtype.kind not in "iu":
            raise InputTypeError(
                f"a permutation is of integers, but this array is of {values.dtype}"
            )
        if values.dtype.kind == "u" and values.dtype.itemsize == 8 and values.max() >= 2**63:
            position = int(values.argmax())
            raise InputError(
                f"value {values[position]} at position {position + 1} is outside 1..{values.size}"
            )
        native = values.dtype == np.int32 or values.dtype == np.int64
        return np.require(values, None if native else np.int64, ["C", "A"])
    return _core.integers(values)


def plain_array(values: object) -> object:
    """Tables, series, tensors and other kinds of array as plain arrays; anything else as it is."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputTypeError("a permutation has no gaps, but this array has masked values")
    if type(values) is np.ndarray or isinstance(values, Permutation):
        return values
    if hasattr(values, "__array__") and not isinstance(values, np.generic):
        return np.asarray(values)
    return values


class Permutation(Sequence[int]):
    """A permutation ⟨π₁, …, πₙ⟩ of 1..n: immutable, hashable, checked.

    πᵢ is the value in the iᵗʰ place. Indexing is Python's, so ``p[0]`` is π₁.

    >>> p = Permutation([2, 4, 5, 6, 1, 3])
    >>> print(p)
    ⟨2, 4, 5, 6, 1, 3⟩
    >>> print(p.tree())
    ⟨2,4,1,3⟩[2, ⟨1,2⟩[⟨1,2⟩[4, 5], 6], 1, 3]
    >>> Permutation([2, 2, 1])
    Traceback (most recent call last):
        ...
    ValueError: value 2 at position 2 stands at position 1 already
    """

    __slots__ = ("_hash", "_values")

    _values: npt.NDArray[np.int32]
    _hash: int | None

    def __init__(self, values: Sequence[int] | Integers) -> None:
        # a copy, so that NumPy owns it: only then does it stay read-only
        self._own(_core.checked(integer_array(values)).copy())

    def _own(self, array: npt.NDArray[np.int32]) -> None:
        array.flags.writeable = False
        object.__setattr__(self, "_values", array)
        object.__setattr__(self, "_hash", None)

    @classmethod
    def _trusted(cls, array: Integers) -> Permutation:
        permutation = cls.__new__(cls)
        permutation._own(array.astype(np.int32, copy=False))
        return permutation

    @classmethod
    def standardize(cls, values: Iterable[Any]) -> Permutation:
        """The ranks of any distinct values that can be compared.

        >>> print(Permutation.standardize([30, 10, 20]))
        ⟨3, 1, 2⟩
        """
        given = plain_array(values)
        if isinstance(given, np.ndarray) and given.ndim != 1:
            raise InputTypeError(
                f"a permutation has one dimension, but this array has {given.ndim}"
            )
        if isinstance(given, (dict, set, frozenset)) or not isinstance(given, Iterable):
            kind = type(given).__name__
            raise InputTypeError(f"standardize takes a sequence of distinct values, not a {kind}")
        items = given.tolist() if isinstance(given, np.ndarray) else list(given)
        for position, item in enumerate(items, 1):
            if item != item:
                raise InputError(f"value {item!r} at position {position} has no order")
        try:
            order = sorted(range(len(items)), key=items.__getitem__)
        except TypeError as error:
            raise InputTypeError(f"the values cannot be put in order: {error}") from None
        ranks = np.empty(len(items), np.int32)
        for rank, position in enumerate(order):
            if rank and items[order[rank - 1]] == items[position]:
                first, second = sorted((order[rank - 1], position))
                raise InputError(
                    f"value {items[second]!r} at position {second + 1} stands at position "
                    f"{first + 1} already"
                )
            ranks[position] = rank + 1
        return cls._trusted(ranks)

    @classmethod
    def identity(cls, n: int) -> Permutation:
        """⟨1, …, n⟩, perfect order."""
        return cls._trusted(np.arange(1, _length(n) + 1))

    @classmethod
    def reverse(cls, n: int) -> Permutation:
        """⟨n, …, 1⟩.

        Any permutation turned round is ``p.compose(Permutation.reverse(len(p)))``.
        """
        return cls._trusted(np.arange(_length(n), 0, -1))

    @classmethod
    def random(cls, n: int, seed: int) -> Permutation:
        """One of the n! permutations, each as likely as the others; the seed decides which.

        NumPy's legacy generator, whose stream is frozen: the same seed gives the same
        permutation with every version.

        >>> print(Permutation.random(5, seed=1))
        ⟨3, 2, 5, 1, 4⟩
        """
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise InputTypeError(f"a seed is an integer, not {type(seed).__name__}")
        if not 0 <= seed < 2**32:
            raise InputError(f"a seed is from 0 to 2³²−1, not {seed}")
        return cls._trusted(np.random.RandomState(seed).permutation(_length(n)) + 1)

    def inverse(self) -> Permutation:
        """π⁻¹: in place v stands the position that v has in π.

        >>> print(Permutation([2, 4, 1, 3]).inverse())
        ⟨3, 1, 4, 2⟩
        """
        where = np.empty_like(self._values)
        where[self._values - 1] = np.arange(1, len(self) + 1, dtype=np.int32)
        return self._trusted(where)

    def compose(self, other: Permutation) -> Permutation:
        """π∘σ: in place i stands π at σᵢ. ``p.compose(p.inverse())`` is the identity.

        >>> print(Permutation([2, 3, 1]).compose(Permutation([1, 3, 2])))
        ⟨2, 1, 3⟩
        """
        if not isinstance(other, Permutation):
            raise InputTypeError(f"compose takes a Permutation, not {type(other).__name__}")
        if len(self) != len(other):
            raise InputError(f"cannot compose permutations of {len(self)} and {len(other)} values")
        return self._trusted(self._values[other._values - 1])

    def tree(self) -> PermutationTree:
        """The canonical permutation tree (PET), left-branching."""
        from hyperbaton.order.tree import PermutationTree

        return PermutationTree(self)

    def forest(self) -> PermutationForest:
        """All permutation trees, packed."""
        from hyperbaton.order.forest import PermutationForest

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
            raise InputError("a Permutation is of int32: another dtype needs a copy")
        if dtype is None or np.dtype(dtype) == self._values.dtype:
            # a view: its owner stays read-only whatever is done to the flags of the view
            return self._values.copy() if copy else self._values.view()
        return self._values.astype(dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Permutation):
            return NotImplemented
        return np.array_equal(self._values, other._values)

    def __hash__(self) -> int:
        if self._hash is None:
            # of a tuple of integers: the same in every process, unlike that of bytes
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


def _length(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise InputTypeError(f"a length is an integer, not {type(n).__name__}")
    if not 0 <= n < 2**30:
        raise InputError(f"a length is from 0 to 2³⁰−1, not {n}")
    return int(n)
