"""Arguments that no caller should pass, and objects that misbehave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
from fuzz.python.byte_source import EXTREME_INTEGERS, TOO_LARGE_INTEGERS, ByteSource
from fuzz.python.targets import CALLER_ERRORS, only_user_errors


class HostileError(Exception):
    """What hostile objects raise: it must arrive at the caller unchanged."""


class Hostile:
    """An object whose special methods raise, lie, or change other objects."""

    def __init__(self, source: ByteSource, victims: Sequence[Any] = ()) -> None:
        self._mode = source.integer(0, 5)
        self._value = source.any_integer()
        self._victims = victims

    def _act(self) -> None:
        for victim in self._victims:
            if isinstance(victim, list):
                victim.clear()
        if self._mode == 1:
            raise HostileError("on purpose")

    def __len__(self) -> int:
        self._act()
        return self._value

    def __getitem__(self, index: object) -> int:
        self._act()
        if self._mode == 2:
            raise IndexError(index)
        return self._value

    def __iter__(self) -> Iterator[object]:
        self._act()
        return iter([self._value] * 3 if self._mode != 3 else [self])

    def __index__(self) -> int:
        self._act()
        return "no integer" if self._mode == 4 else self._value  # type: ignore[return-value]

    def __float__(self) -> float:
        self._act()
        return float(self._value)

    def __bool__(self) -> bool:
        self._act()
        return self._value > 0

    def __hash__(self) -> int:
        self._act()
        return hash(self._value)

    def __eq__(self, other: object) -> bool:
        self._act()
        return self._mode == 5

    def __repr__(self) -> str:
        if self._mode == 2:
            raise HostileError("no repr")
        return ["hostile", "a\nb\x1b[31m", "", "\ud800", "x" * 100, "é\u2028"][self._mode]

    def __str__(self) -> str:
        return repr(self)


def odd_object(source: ByteSource, victims: Sequence[Any] = ()) -> Any:
    """Return an object of some type that an argument does not have."""
    makers: tuple[Callable[[], Any], ...] = (
        lambda: None,
        lambda: Hostile(source, victims),
        lambda: [Hostile(source, victims)],
        lambda: source.choice(TOO_LARGE_INTEGERS),
        lambda: source.any_float(),
        lambda: source.text(3).replace("\0", ""),  # it would end the message of an error
        lambda: source.take(3),
        lambda: True,
        list,
        dict,
        lambda: {1, 2},
        lambda: (i for i in (1, 2)),
        lambda: object(),
        lambda: int,
        lambda: [1, [2]],
        lambda: (None, 1.5, "a"),
        lambda: np.array([1, 2], object),
        lambda: np.array(["a"]),
        lambda: np.array(3),
        lambda: memoryview(b"abcdefgh"),
        lambda: type("A\nB", (), {})(),
    )
    return source.choice(makers)()


def odd_array(source: ByteSource, array: np.ndarray[Any, Any]) -> Any:
    """Return an array like another, but with something wrong (or only unusual) about it."""
    kinds: tuple[Any, ...] = (
        *(np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.uint64),
        *(np.float32, np.float64, np.complex128, np.bool_, object, ">i4", ">i8", "M8[s]", "S3"),
    )
    wrong = array.copy()
    match source.integer(0, 13):
        case 0:
            wrong.flags.writeable = False
        case 1:
            with np.errstate(all="ignore"):
                return wrong.astype(np.dtype(source.choice(kinds)))
        case 2:
            return wrong[::-1]
        case 3:
            return np.repeat(wrong, 2)[::2]
        case 4:
            return wrong[:0]
        case 5:
            return wrong[: source.integer(0, len(wrong))]
        case 6:
            return np.append(wrong, wrong.dtype.type(source.integer(0, 5)))
        case 7:
            return wrong.reshape(1, -1)
        case 8:
            return wrong.tolist()
        case 9:
            return np.concatenate([wrong, wrong])
        case 10:  # starts at an odd address
            raw = np.zeros(wrong.nbytes + 1, np.uint8)[1:].view(wrong.dtype)
            raw[:] = wrong
            return raw
        case 11 | 12 | 13 if len(wrong):
            _set_extreme(source, wrong)
    return wrong


def _set_extreme(source: ByteSource, array: np.ndarray[Any, Any]) -> None:
    place = source.integer(0, len(array) - 1)
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            array[place] = source.any_float()
    else:
        information = np.iinfo(array.dtype)
        value = source.choice(EXTREME_INTEGERS)
        if value < 0 and information.min == 0:
            value = information.max + 1 + value
        array[place] = min(max(value, information.min), information.max)


def spoil(source: ByteSource, arguments: Sequence[Any]) -> tuple[list[Any], bool]:
    """Make some arguments wrong in half of the cases; also return whether they are untouched."""
    spoilt = list(arguments)
    if not spoilt or not source.chance(128):
        return spoilt, True
    for _ in range(source.integer(1, 2)):
        place = source.integer(0, len(spoilt) - 1)
        value = spoilt[place]
        if source.chance(32):
            spoilt[place] = odd_object(source, [a for a in spoilt if isinstance(a, list)])
        elif isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuf":
            spoilt[place] = odd_array(source, value)
        elif isinstance(value, bool):
            spoilt[place] = not value
        elif isinstance(value, int):
            spoilt[place] = source.choice((*EXTREME_INTEGERS, *TOO_LARGE_INTEGERS))
        elif isinstance(value, float):
            spoilt[place] = source.any_float()
        else:
            spoilt[place] = odd_object(source, [a for a in spoilt if isinstance(a, list)])
    return spoilt, False


def call(source: ByteSource, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a binding with arguments that may be spoilt.

    Returns
    -------
    object
        What it returns if the arguments were untouched, else None.
    """
    given, is_valid = spoil(source, arguments)
    value = None
    with only_user_errors(name, *CALLER_ERRORS, HostileError):
        value = function(*given)
    return value if is_valid else None


def refuse(*_: object) -> NoReturn:
    """Raise an error: a callback that fails."""
    raise HostileError("refused")
