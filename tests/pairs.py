"""Pairs of sentences to test with."""

from __future__ import annotations

import itertools
import os
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

Sentence = tuple[int, ...]
Pair = tuple[Sentence, Sentence]


@cache
def every(letters: str, most: int) -> list[tuple[str, ...]]:
    """All strings of up to ``most`` letters."""
    return [s for n in range(most + 1) for s in itertools.product(letters, repeat=n)]


def assorted(count: int, least: int, most: int, types: list[int], seed: int) -> list[Pair]:
    """Half unrelated pairs, half with moved blocks and some edits; few types are repetitive."""
    rng = random.Random(seed)
    pairs = []
    for _ in range(count):
        kinds = rng.choice(types)
        s = [rng.randrange(kinds) for _ in range(rng.randint(least, most))]
        t = [rng.randrange(kinds) for _ in range(rng.randint(least, most))]
        if rng.random() < 0.5:
            t = edited(rng, s, kinds)
        pairs.append((tuple(s), tuple(t)))
    return pairs


def edited(rng: random.Random, s: list[int], kinds: int) -> list[int]:
    t = list(s)
    for _ in range(rng.randint(1, 4)):
        a, b, c = sorted(rng.choices(range(len(t) + 1), k=3))
        t = t[:a] + t[b:c] + t[a:b] + t[c:]
    for _ in range(rng.randint(0, 3)):
        place = rng.randrange(len(t) + 1)
        t[place : place + rng.randrange(2)] = [rng.randrange(kinds)] * rng.randrange(2)
    return t


def words(line: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", line.lower())


def data() -> Path:
    """The folder of real data, or no test."""
    folder = os.environ.get("HYPERBATON_DATA")
    if not folder:
        pytest.skip("needs real data: set HYPERBATON_DATA to its folder")
    return Path(folder)


def real(folder: Path, systems: int | None = None) -> list[tuple[list[str], list[str]]]:
    """System outputs with their references, system by system, as lower-cased words."""

    def read(path: Path) -> list[list[str]]:
        return [words(line) for line in path.read_text("utf-8").removesuffix("\n").split("\n")]

    references = read(folder / "reference.txt")
    paths = sorted((folder / "systems").iterdir())[:systems]
    return [pair for path in paths for pair in zip(read(path), references, strict=True)]


def longest(pair: tuple[Any, Any]) -> int:
    return max(map(len, pair))
