"""Trees that were parsed before, kept on disk: a second run parses nothing.

They are in one SQLite file, which several processes may use at once. A tree is found by what it was
made from: the parser, its version, and the line. The file can be deleted at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from hyperbaton.syntax.parsers import Parser, one_spaced
from hyperbaton.syntax.trees import DependencyTree

FILE = "trees-1.sqlite"  # another number for another format
BATCH = 1000  # lines that are looked up, parsed and kept together
MOST_BYTES = 1 << 29  # of the file: about a million lines
PATIENCE = 10  # seconds to wait for another process that is writing
TABLE = "CREATE TABLE IF NOT EXISTS trees (key BLOB NOT NULL UNIQUE, tree TEXT NOT NULL)"


def cache_folder() -> Path | None:
    """Where this machine's user keeps caches, or HYPERBATON_CACHE; none where there is no home."""
    named = os.environ.get("HYPERBATON_CACHE")
    if named:
        return Path(named)
    xdg = os.environ.get("XDG_CACHE_HOME")
    if xdg and os.path.isabs(xdg):
        return Path(xdg, "hyperbaton")
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"], "hyperbaton", "Cache")
    try:
        home = Path.home()
    except RuntimeError:
        return None
    caches = home / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return caches / "hyperbaton"


class CachedParser:
    """A parser that first looks whether it has parsed a line before.

    It gives what the parser gives: a cache that cannot be read or written is done without.

    >>> import tempfile
    >>> class Rightmost:
    ...     name, version = "rightmost", "1"
    ...     def parse(self, lines):
    ...         for line in lines:
    ...             print("parsing", line)
    ...             words = line.split()
    ...             yield DependencyTree(words, [len(words)] * (len(words) - 1) + [0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parser = CachedParser(Rightmost(), folder)
    ...     trees = [*parser.parse(["a b c", "d e"]), *parser.parse(["d  e"])]
    parsing a b c
    parsing d e
    >>> trees[2].heads
    (2, 0)
    """

    def __init__(
        self,
        parser: Parser,
        folder: str | os.PathLike[str] | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.name, self.version = parser.name, parser.version
        self._parser = parser
        self._folder = cache_folder() if folder is None else Path(folder)
        self._most_bytes = most_bytes

    def parse(self, lines: Iterable[str]) -> Iterator[DependencyTree]:
        """One tree for each line."""
        iterator = map(one_spaced, lines)
        while batch := list(islice(iterator, BATCH)):
            keys = {line: self._key(line) for line in batch}
            known = self._found(keys)
            new = [line for line in keys if line not in known]
            if new:
                made = dict(zip(new, self._parser.parse(new), strict=True))
                self._keep({keys[line]: tree for line, tree in made.items()})
                known.update(made)
            yield from (known[line] for line in batch)

    def _key(self, line: str) -> bytes:
        made_from = json.dumps([self.name, self.version, line])
        return hashlib.sha256(made_from.encode()).digest()

    def _found(self, keys: dict[str, bytes]) -> dict[str, DependencyTree]:
        """The trees that are there; one that is damaged is not."""
        trees: dict[str, DependencyTree] = {}

        def find(file: sqlite3.Connection) -> None:
            for line, key in keys.items():
                row = file.execute("SELECT tree FROM trees WHERE key = ?", (key,)).fetchone()
                tree = _decoded(row[0]) if row else None
                # A tree of other words cannot be this line's, whatever the key says.
                if tree is not None and _letters(*tree.surface) == _letters(line):
                    trees[line] = tree

        self._try(find)
        return trees

    def _keep(self, trees: dict[bytes, DependencyTree]) -> None:
        rows = [(key, _encoded(tree)) for key, tree in trees.items()]

        def keep(file: sqlite3.Connection) -> None:
            file.executemany("INSERT OR REPLACE INTO trees VALUES (?, ?)", rows)
            if self._bytes(file) > self._most_bytes:
                # The older half goes. Its pages are used again, so that the file stays as it is.
                file.execute(
                    "DELETE FROM trees WHERE rowid IN (SELECT rowid FROM trees ORDER BY rowid "
                    "LIMIT (SELECT (count(*) + 1) / 2 FROM trees))"
                )

        self._try(keep)

    @staticmethod
    def _bytes(file: sqlite3.Connection) -> int:
        size, pages, free = (
            file.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_size", "page_count", "freelist_count")
        )
        return int(size * (pages - free))

    def _try(self, action: Callable[[sqlite3.Connection], None]) -> None:
        """Do it with the file, all or nothing; whatever fails, the parser does without a cache."""
        if self._folder is None:
            return
        path = self._folder / FILE
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # texts may be private
            with contextlib.closing(sqlite3.connect(path, timeout=PATIENCE)) as file, file:
                file.execute(TABLE)
                action(file)
        except (OSError, sqlite3.OperationalError):  # locked, full, or not ours
            self._folder = None  # not to wait again and again
        except sqlite3.DatabaseError:  # damaged, or not a database: begin anew
            with contextlib.suppress(OSError):
                path.unlink()


def _letters(*words: str) -> str:
    return "".join("".join(words).split())


def _encoded(tree: DependencyTree) -> str:
    return json.dumps([tree.words, tree.heads, tree.labels, tree.multiwords])


def _decoded(text: str) -> DependencyTree | None:
    try:
        return DependencyTree(*json.loads(text))
    except (ValueError, TypeError, RecursionError):
        return None
