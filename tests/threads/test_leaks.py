"""No function of the core keeps memory."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from threads import measure_leaks

CALLS = 5
MOST_BYTES = 500  # of a call; Python itself keeps less


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "mallinfo2"),
    reason="needs glibc 2.33 or newer",
)
@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="sanitizers have a malloc of their own")
def test_memory_does_not_grow() -> None:
    environment = os.environ | {
        "MALLOC_ARENA_MAX": "1",
        "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(Path(__file__).parent.parent),
    }
    run = subprocess.run(
        [sys.executable, measure_leaks.__file__, str(CALLS)],
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    growing = {name: grown for name, grown in json.loads(run.stdout).items() if grown > MOST_BYTES}
    leaking = [name for name in growing if name.endswith(measure_leaks.LEAKING)]
    assert len(leaking) == 2  # shows that a leak is found
    assert sorted(growing) == sorted(leaking), growing
