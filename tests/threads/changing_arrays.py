"""Arrays in memory that another process changes all the time.

It needs no GIL for that, unlike a thread, so the memory also changes while a function of the core
holds the GIL. ThreadSanitizer does not see it, so it reports only races of the core itself.
"""

from __future__ import annotations

import mmap
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from threads import change_memory
from threads.core_calls import Array, Call
from waiting import HANGING

ALIGNMENT = 64


def bad_values(array: Array, rng: np.random.Generator) -> Array:
    """Return values that are wrong for most functions, such as indices far out of range."""
    if array.dtype.kind == "f":
        return np.full_like(array, np.nan)
    limits = np.iinfo(array.dtype)
    choices = [limits.min, 0, 1, len(array), len(array) + 1, 100_000]
    if limits.min < 0:
        choices += [-1, -2, -100_000]
    # The largest word would make tables of several gigabytes.
    if array.dtype != np.int32:
        choices.append(limits.max)
    allowed = [choice for choice in choices if limits.min <= choice <= limits.max]
    return rng.choice(np.array(allowed, array.dtype), len(array))


class ChangingCalls:
    """Calls whose arrays another process changes, one call at a time."""

    def __init__(self, calls: dict[str, Call], path: Path, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self._parts: dict[str, tuple[int, int]] = {}
        size = 0
        places: dict[str, list[int]] = {}
        for name, call in calls.items():
            begin, places[name] = size, []
            for array in call.arrays:
                places[name].append(size)
                size += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
            self._parts[name] = begin, size
        path.write_bytes(bytes(change_memory.HEADER + 3 * size))
        with path.open("r+b") as file:
            self._mapped = mmap.mmap(file.fileno(), 0)
        memory: Array = np.frombuffer(self._mapped, np.uint8)
        self._header: Array = memory[: change_memory.HEADER].view(np.int64)
        self._live, self._good, bad = memory[change_memory.HEADER :].reshape(3, -1)
        self.calls: dict[str, Call] = {}
        for name, call in calls.items():
            shared = []
            for array, place in zip(call.arrays, places[name], strict=True):
                for part, values in ((self._good, array), (bad, bad_values(array, rng))):
                    part[place : place + array.nbytes] = values.view(np.uint8)
                shared.append(self._live[place : place + array.nbytes].view(array.dtype))
            self.calls[name] = call.with_arrays(shared)
        self._live[:] = self._good
        self._changer = subprocess.Popen(
            [sys.executable, change_memory.__file__, str(path), str(seed)]
        )

    @contextmanager
    def changing(self, name: str) -> Iterator[Call]:
        """Change the arrays of a call during the block."""
        begin, end = self._parts[name]
        self._header[1:] = begin, end
        try:
            yield self.calls[name]
        finally:
            self._header[1:] = 0, 0

    def close(self) -> None:
        """End the other process."""
        self._header[0] = 1
        assert self._changer.wait(HANGING) == 0


def outcome(call: Call, allowed: tuple[type[Exception], ...]) -> Any:
    """Return the class of the allowed error that the call raises, or None."""
    try:
        call()
    except allowed as error:
        return type(error)
    return None
