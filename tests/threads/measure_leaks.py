"""A program that calls every function of the core often, and prints how much memory they keep.

glibc counts the bytes that are in use. They are comparable only if there is one arena, if threads
keep no memory that was freed, and if Python gets its memory from malloc, too; test_leaks.py sets
the variables for that.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
from collections.abc import Callable
from functools import partial

from threads.core_calls import core_calls

ROUNDS = 3
LEAKING = "(leaking)"
FIELDS = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks")


class MallInfo(ctypes.Structure):
    """``struct mallinfo2`` of glibc."""

    _fields_ = [(name, ctypes.c_size_t) for name in (*FIELDS, "fordblks", "keepcost")]


def bytes_in_use() -> int:
    """Return how many bytes are allocated, in the arena and by mmap."""
    gc.collect()
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = MallInfo
    info = mallinfo2()
    return int(info.uordblks + info.hblkhd)


def growth(call: Callable[[], object], calls: int) -> float:
    """Return how many bytes a call keeps, on average.

    A thread makes its caches when it first needs them. A leak, however, makes every round grow, so
    the round that grows least counts.
    """
    call()
    rounds = []
    for _ in range(ROUNDS):
        before = bytes_in_use()
        for _ in range(calls):
            call()
        rounds.append((bytes_in_use() - before) / calls)
    return min(rounds)


def main(calls: int) -> None:
    """Print the growth of each function as JSON, and of two that leak on purpose."""
    functions: dict[str, Callable[[], object]] = dict(core_calls())
    kept: list[object] = []
    gc.freeze()  # makes later collections quick
    result = {name: growth(function, calls) for name, function in functions.items()}
    for name in ("kendall", "LineCounter.take_table"):
        leaking = partial(lambda function: kept.append(function()), functions[name])
        result[f"{name} {LEAKING}"] = growth(leaking, calls)
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]))
