"""Input of the measures: one permutation or many.

A measure is written once, as a function of ``Permutations``. The decorator ``measure`` turns it
into the public function, which takes

- one permutation (a ``Permutation`` or a sequence of integers, ``[]`` being the empty one) and
  returns a float,
- a sequence of permutations, or a two-dimensional array with one per row, and returns a float64
  array,
- flat values with ``offsets=`` and returns a float64 array; int32 and int64 arrays are not copied.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, NotRequired, Protocol, TypedDict, Unpack, overload

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.order.permutation import (
    Integers,
    NativeIntegers,
    Permutation,
    integer_array,
    plain_array,
)
from hyperbaton.threads import thread_count

Floats = npt.NDArray[np.float64]
OnePermutation = Sequence[int]  # a Permutation is also a Sequence[int]
ManyPermutations = Sequence[Sequence[int] | Integers]

TEXT_TYPES = (str, bytes, bytearray)
UNORDERED_TYPES = (dict, set, frozenset)


class Permutations(NamedTuple):
    """Several permutations. Permutation k is ``values[offsets[k]:offsets[k + 1]]``."""

    values: NativeIntegers
    offsets: npt.NDArray[np.int64]
    threads: int


class AsGiven(TypedDict, total=False):
    """What else a measure takes for permutations that are not flat values."""

    offsets: None
    threads: int | None


class AtOffsets(TypedDict):
    """What else a measure takes for flat values."""

    offsets: OnePermutation | Integers
    threads: NotRequired[int | None]


class MeasureFunction(Protocol):
    """Type of a measure without options.

    The docstring of every measure has the sections of this one.

    Parameters
    ----------
    permutation : permutation, sequence of permutations, or array
        One permutation or many, or flat values with ``offsets``.
    offsets : array, optional
        Where each permutation starts in the flat values, and the end of the last.
    threads : int, optional
        Number of threads; by default all cores.

    Returns
    -------
    float or array
        A float for one permutation, otherwise an array with one value per permutation.

    Raises
    ------
    InputError, InputTypeError
        If a permutation is invalid. The message names the value and its position.

    Examples
    --------
    """

    __name__: str

    @overload
    def __call__(self, permutation: OnePermutation, **rest: Unpack[AsGiven]) -> float: ...
    @overload
    def __call__(self, permutation: ManyPermutations, **rest: Unpack[AsGiven]) -> Floats: ...
    @overload
    def __call__(
        self, permutation: OnePermutation | Integers, **rest: Unpack[AtOffsets]
    ) -> Floats: ...
    @overload
    def __call__(
        self, permutation: Integers, **rest: Unpack[AsGiven]
    ) -> Any: ...  # a float or an array: the type does not say how many dimensions there are


def measure(function: Callable[..., Floats]) -> MeasureFunction:
    """Turn ``function(batch)`` into a public measure without options."""
    public: MeasureFunction = accept_permutations(function)
    if function.__doc__ is not None and MeasureFunction.__doc__ is not None:  # as under python -OO
        description, prompt, examples = inspect.cleandoc(function.__doc__).partition(">>> ")
        sections = inspect.cleandoc(MeasureFunction.__doc__).partition("Parameters\n")
        public.__doc__ = f"{description}{sections[1]}{sections[2]}\n{prompt}{examples}\n"
    return public


def accept_permutations(function: Callable[..., Floats]) -> Any:
    """Turn ``function(batch, **options)`` into a function of one permutation or of many."""
    signature = inspect.signature(function)

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
    public.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[
            inspect.Parameter("permutation", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *list(signature.parameters.values())[1:],
            inspect.Parameter("offsets", keyword, default=None),
            inspect.Parameter("threads", keyword, default=None),
        ],
        return_annotation="float | NDArray[float64]",
    )
    public.__annotations__ = {}
    return public


def as_batch(perms: object, offsets: object, threads: int | None) -> tuple[Permutations, bool]:
    """Convert the arguments of a measure to a batch.

    Parameters
    ----------
    perms : object
        One permutation, several, or flat values if ``offsets`` are given.
    offsets : object
        Where each permutation starts in the flat values, and the end of the last; or None.
    threads : int, optional
        Number of threads; None for all cores.

    Returns
    -------
    batch : Permutations
        The permutations.
    single : bool
        Whether ``perms`` was a single permutation.
    """
    count = thread_count(threads)
    if offsets is not None:
        return Permutations(integer_array(perms), offset_array(offsets), count), False
    perms = plain_array(perms)
    if isinstance(perms, np.ndarray) and perms.ndim == 2:
        rows, length = perms.shape
        bounds = np.arange(rows + 1, dtype=np.int64) * length
        return Permutations(integer_array(perms.reshape(-1)), bounds, count), False
    if isinstance(perms, Iterable) and not isinstance(
        perms, (Sequence, np.ndarray, *UNORDERED_TYPES)
    ):
        perms = list(perms)
    if is_nested(perms):
        return Permutations(*pack(list(perms)), count), False  # type: ignore[call-overload]
    single = perms if isinstance(perms, Permutation) else Permutation(perms)  # type: ignore[arg-type]
    return Permutations(single._values, np.array([0, len(single)], np.int64), count), True


def is_nested(perms: object) -> bool:
    """Return whether this is a sequence of permutations, judging by its first item."""
    if isinstance(perms, np.ndarray):
        nested = perms.ndim == 1 and perms.dtype.kind == "O"
    else:
        nested = isinstance(perms, Sequence) and not isinstance(perms, (Permutation, *TEXT_TYPES))
    if not nested or len(perms) == 0:  # type: ignore[arg-type]
        return False
    first = plain_array(perms[0])  # type: ignore[index]
    return isinstance(first, (Sequence, np.ndarray, *UNORDERED_TYPES)) and not isinstance(
        first, TEXT_TYPES
    )


def pack(perms: list[Any]) -> tuple[NativeIntegers, npt.NDArray[np.int64]]:
    """Return several permutations as flat values and offsets."""
    if set(map(type, perms)) == {Permutation}:
        return concatenate([perm._values for perm in perms])
    arrays = [plain_array(perm) for perm in perms]
    if not all(isinstance(array, np.ndarray) for array in arrays):
        return _core.pack(arrays)
    for k, array in enumerate(arrays):
        try:
            arrays[k] = integer_array(array)
        except (InputError, InputTypeError) as error:
            raise type(error)(f"perms[{k}]: {error}") from None
    return concatenate(arrays)


def concatenate(arrays: list[Any]) -> tuple[NativeIntegers, npt.NDArray[np.int64]]:
    """Concatenate arrays; also return where each starts, and the end of the last."""
    sizes = [len(array) for array in arrays]
    return np.concatenate(arrays), np.cumsum([0, *sizes], dtype=np.int64)


def offset_array(offsets: object) -> npt.NDArray[np.int64]:
    """Return ``offsets`` as an int64 array. The core checks that they fit the values."""
    array = np.asarray(offsets)
    if array.ndim != 1:
        raise InputTypeError(f"offsets must have one dimension, got {array.ndim}")
    if array.dtype.kind not in "iu" and array.size:
        raise InputTypeError(f"offsets must be integers, got {array.dtype}")
    if array.dtype == np.uint64 and array.size and array.max() >= 2**63:
        k = int(array.argmax())
        raise InputError(f"offsets[{k}] is {array[k]}, far more than there are values")
    return np.require(array, np.int64, ["C", "A"])
