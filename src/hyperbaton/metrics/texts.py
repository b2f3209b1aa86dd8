"""Lines of text, and their tokens and trees, which are computed once."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import Words, WordTable, shared_table

if TYPE_CHECKING:
    from hyperbaton.syntax.parsers import Parser
    from hyperbaton.syntax.trees import DependencyTree

Ints = npt.NDArray[np.int64]
P = ParamSpec("P")
T = TypeVar("T")


class Memo:
    """Values that are computed once and then kept. Several threads may ask for them."""

    def __init__(self) -> None:
        self._values: dict[object, Any] = {}
        self._lock = threading.RLock()

    def memoize(self, key: object, compute: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the value for ``key``; compute it if it is asked for the first time."""
        with self._lock:
            if key not in self._values:
                self._values[key] = compute(*args, **kwargs)
            value: T = self._values[key]
        return value

    @contextlib.contextmanager
    def scratch(self) -> Iterator[None]:
        """Forget at the end what is computed inside, so that many settings can be tried."""
        before = dict(self._values)
        try:
            yield
        finally:
            self._values = before

    def __getstate__(self) -> dict[str, Any]:
        # Values are computed again where the object arrives.
        return {key: value for key, value in self.__dict__.items() if key != "_lock"} | {
            "_values": {}
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())


class Texts(Memo):
    """Lines of text, and their tokens by each tokeniser that is asked for.

    ``given_trees`` are the dependency trees of the lines, if no parser has to find them.
    """

    def __init__(
        self, lines: Sequence[str], given_trees: Sequence[DependencyTree] | None = None
    ) -> None:
        super().__init__()
        self.lines = lines
        self.given_trees = given_trees

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def utf8(self) -> _core.Lines:
        """The lines as the core reads them."""
        if isinstance(self.lines, _core.Lines):
            return self.lines
        return self.memoize("utf8", _core.Lines.from_strings, self.lines)

    def tokens(self, text: Tokenization) -> list[list[str]]:
        """Return the tokens of each line."""
        return self.words(text, shared_table(text)).strings()

    def words(self, text: Tokenization, table: WordTable, threads: int = 1) -> Words:
        """Return the tokens of each line, numbered with a table."""
        return self.memoize(("words", text, table), table.number_lines, self.utf8, threads)

    def trees(self, parser: Parser | None) -> Sequence[DependencyTree]:
        """Return the tree of each line: the parser's, or without a parser the given ones."""
        if parser is None:
            assert self.given_trees is not None
            return self.given_trees
        return self.memoize(
            ("trees", parser.name, parser.version), lambda: list(parser.parse(self.lines))
        )


class ReferenceTexts(Texts):
    """The references of segments. Several systems share them, and what is computed from them.

    The references of segment k are ``lines[starts[k]:starts[k + 1]]``; ``counts`` has the number of
    references of each segment, by default 1. A *pair* is a hypothesis with one of its references;
    ``segment`` has the segment of each pair.
    """

    def __init__(
        self,
        lines: Sequence[str],
        counts: Sequence[int] | None = None,
        given_trees: Sequence[DependencyTree] | None = None,
    ) -> None:
        super().__init__(lines, given_trees)
        self.counts: Ints = np.array([1] * len(lines) if counts is None else counts, np.int64)
        self.starts: Ints = np.concatenate(([0], np.cumsum(self.counts)))
        self.segment: Ints = np.repeat(np.arange(len(self.counts)), self.counts)

    @classmethod
    def from_segments(
        cls,
        references: Sequence[Sequence[str]],
        given_trees: Sequence[DependencyTree] | None = None,
    ) -> ReferenceTexts:
        """Return the texts of references that come as a sequence for each segment."""
        lines = [line for lines in references for line in lines]
        return cls(lines, [len(lines) for lines in references], given_trees)

    def by_segment(self) -> list[list[str]]:
        """Return the references of each segment."""
        starts, lines = self.starts.tolist(), list(self.lines)
        return [lines[a:b] for a, b in pairwise(starts)]

    def streams(self) -> list[tuple[str | None, ...]]:
        """Return the references as sacreBLEU wants them: a stream for each, None if missing."""
        return list(zip_longest(*self.by_segment()))
