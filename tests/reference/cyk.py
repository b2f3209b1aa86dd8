"""The plain C++ CYK parser of benchmarks/, compiled when needed: faster than the Python twin."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).parent.parent.parent / "benchmarks" / "cyk.cpp"


@cache
def compiler() -> str | None:
    """The name of a C++ compiler with the options of GCC and Clang, if there is one."""
    names = [os.environ.get("CXX", ""), "c++", "g++", "clang++"]
    return next((name for name in names if name and shutil.which(name)), None)


@cache
def library() -> ctypes.CDLL:
    """Compile and load the parser."""
    name = compiler()
    assert name is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cyk.so"
        options = ["-std=c++20", "-O3", "-shared", "-fPIC", "-o", str(path), str(SOURCE)]
        subprocess.run([name, *options], check=True)
        loaded = ctypes.CDLL(str(path))
    loaded.cyk_inversion_distance.restype = ctypes.c_int64
    return loaded


def inversion_distance(
    s: Sequence[int], t: Sequence[int], costs: Sequence[int] = (1, 1, 1, 1)
) -> int:
    """The inversion distance of two sentences of numbers.

    ``costs`` are those of inversion, substitution, deletion and insertion.
    """
    a, b, c = np.array(s, np.int32), np.array(t, np.int32), np.array(costs, np.int64)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (a, b, c)]
    size_a, size_b = ctypes.c_size_t(len(a)), ctypes.c_size_t(len(b))
    result = library().cyk_inversion_distance(pointers[0], size_a, pointers[1], size_b, pointers[2])
    return int(result)
