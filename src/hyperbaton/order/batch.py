"""One permutation or many: what every measure takes, and what it gives back.

A measure is written once, as a function of a ``Batch``; the decorator ``measure`` makes of it
the public function that takes

- one permutation (a ``Permutation`` or a sequence of integers; ``[]`` is the empty one) → float,
- a sequence of permutations, or a two-dimensional array of them → float64 array,
- flat values with ``offsets=`` → float64 array; int32 and int64 arrays are not copied.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, overload

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.order.permutation import Integers, Permutation, integer_array, plain_array
from hyperbaton.threads import thread_count

Floats = npt.NDArray[np.float64]
One = Sequence[int]  # a Permutation is one
Many = Sequence[Sequence[int] | Integers]

TEXT = (str, bytes, bytearray)
UNORDERED = (dict, set, frozenset)


class Batch(NamedTuple):
    """Permutation k is ``values[offsets[k]:offsets[k + 1]]``."""

    values: Integers
    offsets: npt.NDArray[np.int64]
    threads: int


class Measure(Protocol):
    """A measure with no options of its own."""

    __name__: str

    @overload
    def __call__(
        self, permutation: One, *, offsets: None = ..., threads: int | None = ...
    ) -> float: ...
    @overload
    def __call__(
        self, permutation: Many, *, offsets: None = ..., threads: int | None = ...
    ) -> Floats: ...
    @overload
    def __call__(
        self, permutation: One | Integers, *, offsets: One | Integers, threads: int | None = ...
    ) -> Floats: ...
    @overload
    def __call__(
        self, permutation: Integers, *, offsets: None = ..., threads: int | None = ...
    ) -> Any: ...  # one or many: the type of an array does not say


def measure(function: Callable[..., Floats]) -> Any:
    """The public form of ``function(batch, **options)``."""
    own = inspect.signature(function)

    @functools.wraps(function)
    def public(
        permutation: Any,
        *args: Any,
        offsets: Any = None,
        threads: int | None = None,
        **options: Any,
    ) -> Any:
        batch, single = as_batch(permutation, offsets, threads)
        scores = function(batch, *args, **options)
        return float(scores[0]) if single else scores

    keyword = inspect.Parameter.KEYWORD_ONLY
    public.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[
            inspect.Parameter("permutation", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *list(own.parameters.values())[1:],
            inspect.Parameter("offsets", keyword, default=None),
            inspect.Parameter("threads", keyword, default=None),
        ],
        return_annotation="float | NDArray[float64]",
    )
    public.__annotations__ = {}
    return public


def as_batch(given: object, offsets: object, threads: int | None) -> tuple[Batch, bool]:
    """The batch of what a measure was given, and whether it was one permutation."""
    count = thread_count(threads)
    if offsets is not None:
        return Batch(integer_array(given), offset_array(offsets), count), False
    given = plain_array(given)
    if isinstance(given, np.ndarray) and given.ndim == 2:
        rows, length = given.shape
        bounds = np.arange(rows + 1, dtype=np.int64) * length
        return Batch(integer_array(given.reshape(-1)), bounds, count), False
    if isinstance(given, Iterable) and not isinstance(given, (Sequence, np.ndarray, *UNORDERED)):
        given = list(given)
    if is_many(given):
        return Batch(*pack(list(given)), count), False  # type: ignore[call-overload]
    one = given if isinstance(given, Permutation) else Permutation(given)  # type: ignore[arg-type]
    return Batch(one._values, np.array([0, len(one)], np.int64), count), True


def is_many(given: object) -> bool:
    """Whether this is a sequence of permutations, going by its first item."""
    if isinstance(given, np.ndarray):
        nested = given.ndim == 1 and given.dtype.kind == "O"
    else:
        nested = isinstance(given, Sequence) and not isinstance(given, (Permutation, *TEXT))
    if not nested or len(given) == 0:  # type: ignore[arg-type]
        return False
    first = plain_array(given[0])  # type: ignore[index]
    return isinstance(first, (Sequence, np.ndarray, *UNORDERED)) and not isinstance(first, TEXT)


def pack(perms: list[Any]) -> tuple[Integers, npt.NDArray[np.int64]]:
    """Many permutations as flat values and offsets."""
    if set(map(type, perms)) == {Permutation}:
        return concatenate([perm._values for perm in perms])
    arrays = [plain_array(perm) for perm in perms]
    if not all(isinstance(array, np.ndarray) for array in arrays):
        return _core.pack(arrays)
    for k, array in enumerate(arrays):
        try:
            arrays[k] = integer_array(array)
        except (TypeError, ValueError) as error:
            raise type(error)(f"perms[{k}]: {error}") from None
    return concatenate(arrays)


def concatenate(arrays: list[Any]) -> tuple[Integers, npt.NDArray[np.int64]]:
    """Arrays one after another, and where each starts."""
    sizes = [len(array) for array in arrays]
    return np.concatenate(arrays), np.cumsum([0, *sizes], dtype=np.int64)


def offset_array(given: object) -> npt.NDArray[np.int64]:
    """``offsets=`` as the core takes it, which checks that they fit the values."""
    array = np.asarray(given)
    if array.ndim != 1:
        raise InputTypeError(f"offsets have one dimension, but these have {array.ndim}")
    if array.dtype.kind not in "iu" and array.size:
        raise InputTypeError(f"offsets are integers, but these are {array.dtype}")
    if array.dtype == np.uint64 and array.size and array.max() >= 2**63:
        place = int(array.argmax())
        raise InputError(f"offsets[{place}] is {array[place]}, far more than there are values")
    return np.require(array, np.int64, ["C", "A"])
