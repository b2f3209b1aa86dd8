"""Decodes the bytes of a fuzz input: integers, floats, choices, texts and arrays."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")

EXTREME_INTEGERS = (
    *(0, 1, -1, 2, 3, 7, 63, 64, 65, 127, 128, 255, 256, 65_535, 65_536, 1_000_000),
    *(
        sign * (1 << power) + more
        for power in (31, 32, 40, 62)
        for sign in (1, -1)
        for more in (-1, 0, 1)
    ),
    *((1 << 63) - 1, -(1 << 63)),
)
TOO_LARGE_INTEGERS = (1 << 63, (1 << 64) - 1, 1 << 64, -(1 << 64), 10**40)
EXTREME_FLOATS = (
    *(0.0, -0.0, 0.5, 1.0, -1.0, 2.0, 1e-300, 5e-324, 1e300, -1e300, 1e16),
    *(float("inf"), float("-inf"), float("nan")),
)
# Characters that readers, tokenisers and messages treat in a special way.
CHARACTERS = (
    *"aAbBzZ019.,-:;!?'\"<>&|()[]{}=#%_/\\ \t\n\r\v\f\x00\x1b\x7f\x85\xa0\xad",
    *"äßİıIſǅﬁÅΣς€…“”–\u0301\u0307\u200b\u200d\u202e\u2028\u2029\u2066\u3000\ufeff\ufffd",
    *"中文日本語한국어ไทย،؟।\U0001d400\U0001f600\U0001f1e9\U000e0041\U0010ffff",
    *"\ud800\udfff",
)


class ByteSource:
    """Reads values from the beginning of some bytes; after their end, it reads zeros.

    Zeros mean the simplest choice everywhere, so that short inputs are simple cases.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        """Whether some bytes are left."""
        return self._at < len(self._data)

    def take(self, size: int) -> bytes:
        """Return the next bytes, fewer at the end."""
        taken = self._data[self._at : self._at + size]
        self._at += size
        return taken

    def rest(self) -> bytes:
        """Return all bytes that are left."""
        return self.take(max(len(self._data) - self._at, 0))

    def part(self) -> bytes:
        """Return the bytes up to a separator line ``%%`` or to the end."""
        end = self._data.find(b"\n%%\n", self._at)
        if end < 0:
            return self.rest()
        taken = self._data[self._at : end]
        self._at = end + 4
        return taken

    def byte(self) -> int:
        """Return the next byte."""
        taken = self.take(1)
        return taken[0] if taken else 0

    def integer(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``, both included."""
        span = high - low + 1
        value = int.from_bytes(self.take(max((span - 1).bit_length() + 7, 8) // 8), "big")
        return low + value % span

    def chance(self, share: int) -> bool:
        """Return True for ``share`` of 256 values of a byte; never after the end."""
        return self.byte() >= 256 - share

    def choice(self, choices: Sequence[T]) -> T:
        """Return one of the choices."""
        return choices[self.integer(0, len(choices) - 1)]

    def any_integer(self) -> int:
        """Return a small number, or one at the limit of a type; it fits 64 bits."""
        if self.chance(128):
            return self.choice(EXTREME_INTEGERS)
        return self.integer(-2, 13)

    def any_float(self) -> float:
        """Return any float, often a special one."""
        kind = self.integer(0, 2)
        if kind == 0:
            return self.integer(0, 8) / 4
        if kind == 1:
            return self.choice(EXTREME_FLOATS)
        (value,) = struct.unpack("<d", self.take(8).ljust(8, b"\0"))
        return float(value)

    def integers(self, length: int, low: int, high: int) -> npt.NDArray[np.int64]:
        """Return an array of integers from ``low`` to ``high``."""
        return np.array([self.integer(low, high) for _ in range(length)], np.int64)

    def floats(self, length: int) -> npt.NDArray[np.float64]:
        """Return an array of any floats."""
        return np.array([self.any_float() for _ in range(length)], np.float64)

    def text(self, most: int) -> str:
        """Return a text of at most ``most`` characters, which may have unpaired surrogates."""
        return "".join(self.choice(CHARACTERS) for _ in range(self.integer(0, most)))

    def clean_text(self, most: int) -> str:
        """Return a text without surrogates and NUL, as lines of files are."""
        text = self.text(most)
        return "".join(c for c in text if c not in "\0\ud800\udfff")

    def offsets(self, sizes: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return the offsets of sequences of these sizes."""
        return np.cumsum([0, *sizes], dtype=np.int64)

    def batch(
        self, count: int, longest: int, low: int, high: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return the values and offsets of ``count`` sequences of at most ``longest`` integers."""
        sizes = [self.integer(0, longest) for _ in range(count)]
        return self.integers(sum(sizes), low, high).astype(np.int32), self.offsets(sizes)

    def permutation(self, longest: int) -> list[int]:
        """Return a permutation of 1..n with n at most ``longest``."""
        left = list(range(1, self.integer(0, longest) + 1))
        return [left.pop(self.integer(0, len(left) - 1)) for _ in range(len(left))]

    def heads(self, longest: int) -> list[int]:
        """Return the heads of a dependency tree: each token's head, from 1, or 0 for the root."""
        n = self.integer(1, longest)
        order = [self.integer(0, k) for k in range(n)]  # the head of a token comes earlier
        names = list(range(1, n + 1))
        shuffled = [names.pop(self.integer(0, len(names) - 1)) for _ in range(n)]
        heads = [0] * n
        for k in range(n):
            heads[shuffled[k] - 1] = shuffled[order[k] - 1] if order[k] else 0
        return heads
