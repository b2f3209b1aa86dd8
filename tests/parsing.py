"""A sentence with its tree, and parsers without models that record what they parse."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from hyperbaton.syntax.trees import DependencyTree

# Based on the example of multi-word tokens and empty nodes in the specification of CoNLL-U
FRENCH = """\
# newdoc
# sent_id = fr-1
# text = Je mange du pain.
1	Je	je	PRON	_	_	2	nsubj	_	_
2	mange	manger	VERB	_	_	0	root	_	_
2.1	mange	manger	VERB	_	_	_	_	0:exroot	_
3-4	du	_	_	_	_	_	_	_	_
3	de	de	ADP	_	_	5	case	_	_
4	le	le	DET	_	_	5	det	_	_
5	pain	pain	NOUN	_	_	2	obl	_	SpaceAfter=No
6	.	.	PUNCT	_	_	2	punct	_	_
"""
TREE = DependencyTree(
    ["Je", "mange", "de", "le", "pain", "."],
    [2, 0, 5, 5, 2, 2],
    ["nsubj", "root", "case", "det", "obl", "punct"],
    [(3, 4, "du")],
)


class FakeParser:
    """Attaches every word to the first one of its sentence, which ends at a full stop.

    ``asked`` lists the lines that were parsed.
    """

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


class ToyParser(FakeParser):
    """Attaches every word to the nearest word before it that is earlier in the alphabet."""

    def parse(self, lines: Iterable[str]) -> Iterator[DependencyTree]:
        for line in lines:
            self.asked.append(line)
            words = line.split()
            heads = [
                next((j for j in range(k, 0, -1) if words[j - 1] < word), 0)
                for k, word in enumerate(words)
            ]
            yield DependencyTree(words, heads)


def toy_parser(spec: str | None = None, language: str | None = None) -> ToyParser:
    """A parser with the requested name, in place of ``hyperbaton.parser``."""
    return ToyParser(spec or f"toy:{language or 'any'}")


@contextlib.contextmanager
def toy_parsers(cache: Path) -> Iterator[None]:
    """Make metrics over trees use the toy parser, and keep its trees in this cache folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hyperbaton.metrics.dependency.load_parser", toy_parser)
        patch.setenv("HYPERBATON_CACHE", str(cache))
        yield
