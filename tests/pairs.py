"""Pairs of sentences for tests: all short ones, random ones, and real ones."""

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
def all_strings(letters: str, most: int) -> list[tuple[str, ...]]:
    """All strings of up to ``most`` letters."""
    return [s for n in range(most + 1) for s in itertools.product(letters, repeat=n)]


def random_pairs(count: int, least: int, most: int, types: list[int], seed: int) -> list[Pair]:
    """Random pairs of sentences; in half of them, the second is an edited copy of the first.

    Parameters
    ----------
    count
        The number of pairs.
    least, most
        The range of lengths, before edits.
    types
        Numbers of different words to choose from; few different words are repeated often.
    seed
        The random seed.
    """
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
    """Move one to four blocks of a sentence, and replace, insert or delete up to three words."""
    t = list(s)
    for _ in range(rng.randint(1, 4)):
        a, b, c = sorted(rng.choices(range(len(t) + 1), k=3))
        t = t[:a] + t[b:c] + t[a:b] + t[c:]
    for _ in range(rng.randint(0, 3)):
        place = rng.randrange(len(t) + 1)
        t[place : place + rng.randrange(2)] = [rng.randrange(kinds)] * rng.randrange(2)
    return t


def words(line: str) -> list[str]:
    """Lower-cased words and punctuation marks."""
    return re.findall(r"\w+|[^\w\s]", line.lower())


def data_folder() -> Path:
    """The folder of real data; the test is skipped if there is none."""
    folder = os.environ.get("HYPERBATON_DATA")
    if not folder:
        pytest.skip("needs real data: set HYPERBATON_DATA to its folder")
    return Path(folder)


def real_pairs(folder: Path, systems: int | None = None) -> list[tuple[list[str], list[str]]]:
    """Lines of systems with their references, system by system, as lower-cased words."""

    def read(path: Path) -> list[list[str]]:
        return [words(line) for line in path.read_text("utf-8").removesuffix("\n").split("\n")]

    references = read(folder / "reference.txt")
    paths = sorted((folder / "systems").iterdir())[:systems]
    return [pair for path in paths for pair in zip(read(path), references, strict=True)]


def longer_length(pair: tuple[Any, Any]) -> int:
    """The length of the longer sentence."""
    return max(map(len, pair))
