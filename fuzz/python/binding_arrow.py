"""The binding that reads Arrow arrays through their C interface."""

from __future__ import annotations

import ctypes
from typing import Any

from fuzz.python.byte_source import ByteSource
from fuzz.python.hostile import HostileError, odd_object
from fuzz.python.targets import CALLER_ERRORS, only_user_errors, require, target

from hyperbaton import _core

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class ArrowSchema(ctypes.Structure):
    """The struct of the same name in Arrow's C data interface."""


class ArrowArray(ctypes.Structure):
    """The struct of the same name in Arrow's C data interface."""


ReleaseSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))
ReleaseArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))
ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", ReleaseSchema),
    ("private_data", ctypes.c_void_p),
]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", ReleaseArray),
    ("private_data", ctypes.c_void_p),
]


def _release(struct: Any) -> None:
    """Mark a struct as released, as the interface demands."""
    struct.contents.release = type(struct.contents.release)()


_release_schema, _release_array = ReleaseSchema(_release), ReleaseArray(_release)


class StringArray:
    """A producer of an array of strings with a buffer of offsets, which may be wrong."""

    def __init__(self, source: ByteSource) -> None:
        self.texts = [source.clean_text(3).encode() for _ in range(source.integer(0, 4))]
        is_wide = source.chance(128)
        size = 8 if is_wide else 4
        ends = source.offsets([len(text) for text in self.texts]).tolist()
        self.is_valid = True
        if source.chance(96):
            # Nobody can notice a last offset that is too large: the interface has no sizes.
            place = source.integer(0, len(ends) - 1)
            value = source.any_integer()
            ends[place] = min(value, ends[-1]) if place == len(ends) - 1 else value
            self.is_valid = False
        data = b"".join(self.texts)
        if source.chance(48):  # not UTF-8, or a NUL character
            data = source.take(len(data)).ljust(len(data), b"\0")
            self.is_valid = False
        packed = b"".join((end % (1 << 8 * size)).to_bytes(size, "little") for end in ends)
        self._memory = [
            ctypes.create_string_buffer(buffer, len(buffer)) for buffer in (packed, data)
        ]
        addresses = [None, *(ctypes.addressof(buffer) for buffer in self._memory)]
        if source.chance(16):
            addresses[2] = None
            self.is_valid = False
        self._buffers = (ctypes.c_void_p * 3)(*addresses)
        self._schema = ArrowSchema(format=b"U" if is_wide else b"u", release=_release_schema)
        self._array = ArrowArray(
            length=len(self.texts),
            n_buffers=3,
            buffers=ctypes.cast(self._buffers, ctypes.POINTER(ctypes.c_void_p)),
            release=_release_array,
        )
        match source.integer(0, 24):
            case 1:
                self._array.length = -source.integer(1, 5)
            case 2:
                self._array.offset = -source.integer(1, 5)
            case 3:
                self._array.n_buffers = source.integer(0, 2)
            case 4:
                self._array.buffers = None
            case 5:
                self._schema.format = source.choice((b"i", b"", b"z", b"+l", b"vu", b"uu"))
            case 6:
                self._array.length = (1 << 62) + source.integer(0, 9)
                self._array.offset = (1 << 62) + source.integer(0, 9)
            case 7:
                self._schema.format = None
            case _:
                return
        self.is_valid = False

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        return (
            _new_capsule(ctypes.addressof(self._schema), b"arrow_schema", None),
            _new_capsule(ctypes.addressof(self._array), b"arrow_array", None),
        )


class BadProducer:
    """An object with Arrow's methods that return something else."""

    def __init__(self, source: ByteSource) -> None:
        self._answer = odd_object(source)
        self._capsule = source.chance(128)
        if source.chance(128):
            self.__class__ = BadStream

    def _give(self) -> Any:
        if self._capsule:
            return _new_capsule(1, b"other", None), _new_capsule(1, b"other", None)
        return self._answer

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self._give()


class BadStream(BadProducer):
    """The same for streams."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._give()


@target("binding_arrow")
def check_arrow(data: bytes) -> None:
    """Read an array of strings whose producer may lie as far as a caller can notice it."""
    source = ByteSource(data)
    if source.chance(48):
        producer = BadProducer(source)
        with only_user_errors("Lines.from_arrow", *CALLER_ERRORS, HostileError):
            _core.Lines.from_arrow(producer, source.choice(("texts", "x")))
        return
    array = StringArray(source)
    lines = None
    with only_user_errors("Lines.from_arrow", *CALLER_ERRORS, HostileError):
        lines = _core.Lines.from_arrow(array, source.choice(("texts", "x")))
    if lines is not None and array.is_valid:
        require([line.encode() for line in lines] == array.texts, "the same texts")
    if lines is not None:
        lines.tolist()
