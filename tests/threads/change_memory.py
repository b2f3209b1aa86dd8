"""A program that changes the memory of another process: good values, bad values, and back.

The file that it maps begins with three integers: whether to stop, and the part to change. Then come
the memory that changes, its good values and its bad values.
"""

from __future__ import annotations

import mmap
import os
import random
import sys
import time

import numpy as np

HEADER = 24
LONGEST = 0.0004  # seconds that values stay as they are


def main(path: str, seed: int) -> None:
    """Change the memory until the other process says stop, or is gone."""
    rng = random.Random(seed)
    parent = os.getppid()
    with open(path, "r+b") as file:
        mapped = np.frombuffer(mmap.mmap(file.fileno(), 0), np.uint8)
    header = mapped[:HEADER].view(np.int64)
    live, good, bad = mapped[HEADER:].reshape(3, -1)
    while not header[0] and os.getppid() == parent:
        begin, end = header[1:].tolist()
        if begin == end:
            time.sleep(0.001)
            continue
        start = rng.randrange(begin, end)
        stop = rng.choice([end, min(end, start + 64), min(end, start + 4096)])
        live[start:stop] = bad[start:stop]
        time.sleep(rng.uniform(0, LONGEST))
        live[begin:end] = good[begin:end]
        time.sleep(rng.uniform(0, LONGEST))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
