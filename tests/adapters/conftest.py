"""The example set, which every adapter scores as ``hb.score`` does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import hyperbaton

EXAMPLE = Path(hyperbaton.__file__).parent / "example"


@dataclass(frozen=True)
class Example:
    """Translations by one system, and their references."""

    hypotheses: list[str]
    references: list[str]


def read_lines(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").removesuffix("\n").split("\n")


@pytest.fixture(scope="session")
def example() -> Example:
    return Example(read_lines("literal"), read_lines("reference"))
