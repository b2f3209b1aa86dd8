"""A parser that needs nothing, and says what it was asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hyperbaton.syntax.trees import DependencyTree


class FakeParser:
    """Every word depends on the first one of its sentence, which ends at a full stop."""

    def __init__(self, name: str = "fake:first", version: str = "1/2") -> None:
        self.name, self.version = name, version
        self.asked: list[str] = []

    def parse(self, lines: Iterable[str]) -> Iterator[DependencyTree]:
        for line in lines:
            self.asked.append(line)
            words = line.split()
            heads, root = [], 0
            for k, word in enumerate(words, 1):
                heads.append(root)
                root = 0 if word == "." else root or k
            yield DependencyTree(words, heads, ["dep"] * len(words))
