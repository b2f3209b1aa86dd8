"""A cache of dependency trees on disk, so that a line is parsed only once.

The cache is one SQLite file, which several processes may use at once. The key of a tree is the
parser, its version and the line. Each tree has a checksum, so that a damaged file is noticed. The
file can be deleted at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from hyperbaton.files.lines import printable
from hyperbaton.syntax.parsers import Parser, normalize_spaces
from hyperbaton.syntax.trees import DependencyTree

FILE = "trees-2.sqlite"  # change the number when the format changes
BATCH = 1000  # lines that are looked up, parsed and stored together
MAX_BYTES = 1 << 29  # size of the file: about a million lines
LOCK_TIMEOUT = 10  # seconds to wait for another process that is writing
TABLE = (
    "CREATE TABLE IF NOT EXISTS trees (key BLOB NOT NULL UNIQUE, tree TEXT NOT NULL, "
    "checksum INTEGER NOT NULL)"
)


def tree_folder() -> Path | None:
    """Return HYPERBATON_CACHE or the user's cache folder, or None without a home folder."""
    from platformdirs import user_cache_path

    folder = os.environ.get("HYPERBATON_CACHE")
    if folder:
        return Path(folder)
    try:
        return user_cache_path("hyperbaton", appauthor=False)
    except (OSError, RuntimeError):
        return None


class CachedParser:
    """A parser that looks up lines in the cache before it parses them.

    It returns what the wrapped parser returns. A cache that cannot be read or written is ignored.

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
        max_bytes: int = MAX_BYTES,
        lock_timeout: float = LOCK_TIMEOUT,
    ) -> None:
        self.name, self.version = parser.name, parser.version
        self._parser = parser
        self._folder = tree_folder() if folder is None else Path(folder)
        self._max_bytes = max_bytes
        self._lock_timeout = lock_timeout

    def parse(self, lines: Iterable[str]) -> Iterator[DependencyTree]:
        """Yield one tree per line."""
        iterator = map(normalize_spaces, lines)
        while batch := list(islice(iterator, BATCH)):
            keys = {line: self._key(line) for line in batch}
            known = self._load(keys)
            new = [line for line in keys if line not in known]
            if new:
                parsed = dict(zip(new, self._parser.parse(new), strict=True))
                self._store({keys[line]: tree for line, tree in parsed.items()})
                known.update(parsed)
            yield from (known[line] for line in batch)

    def _key(self, line: str) -> bytes:
        identity = json.dumps([self.name, self.version, line])
        return hashlib.sha256(identity.encode()).digest()

    def _load(self, keys: dict[str, bytes]) -> dict[str, DependencyTree]:
        """Return the trees in the cache by line."""
        trees: dict[str, DependencyTree] = {}

        def select(file: sqlite3.Connection) -> None:
            for line, key in keys.items():
                query = "SELECT tree, checksum FROM trees WHERE key = ?"
                row = file.execute(query, (key,)).fetchone()
                if row:
                    trees[line] = _decode_tree(key, line, *row)

        self._access(select)
        return trees

    def _store(self, trees: dict[bytes, DependencyTree]) -> None:
        encoded = {key: _encode_tree(tree) for key, tree in trees.items()}
        rows = [(key, text, _checksum(key, text)) for key, text in encoded.items()]

        def insert(file: sqlite3.Connection) -> None:
            file.executemany("INSERT OR REPLACE INTO trees VALUES (?, ?, ?)", rows)
            if self._used_bytes(file) > self._max_bytes:
                # Delete the older half. SQLite reuses its pages, so that the file does not grow.
                file.execute(
                    "DELETE FROM trees WHERE rowid IN (SELECT rowid FROM trees ORDER BY rowid "
                    "LIMIT (SELECT (count(*) + 1) / 2 FROM trees))"
                )

        self._access(insert)

    @staticmethod
    def _used_bytes(file: sqlite3.Connection) -> int:
        size, pages, free = (
            file.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_size", "page_count", "freelist_count")
        )
        return int(size * (pages - free))

    def _access(self, action: Callable[[sqlite3.Connection], None]) -> None:
        """Run the action in one transaction; the cache is switched off if that fails."""
        if self._folder is None:
            return
        path = self._folder / FILE
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # the texts may be private
            with (
                contextlib.closing(sqlite3.connect(path, timeout=self._lock_timeout)) as file,
                file,
            ):
                file.execute(TABLE)
                action(file)
        except OSError:  # no permission
            self._folder = None
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and not _is_damage(error):
                self._folder = None  # locked, full, or no permission: do not wait for every batch
                return
            with contextlib.suppress(OSError):
                path.unlink()  # first, because the journal belongs to it
                path.with_name(f"{FILE}-journal").unlink(missing_ok=True)
                shown = printable(str(path))
                warnings.warn(
                    f"{shown} is damaged: the cache of trees is built again", stacklevel=2
                )


def _is_damage(error: sqlite3.OperationalError) -> bool:
    """Tell a query that does not fit the table, or text that is not UTF-8, from other errors."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) == sqlite3.SQLITE_ERROR


def _strip_spaces(*words: str) -> str:
    return "".join("".join(words).split())


def _encode_tree(tree: DependencyTree) -> str:
    return json.dumps([tree.words, tree.heads, tree.labels, tree.multiwords])


def _checksum(key: bytes, text: str) -> int:
    return zlib.crc32(text.encode(), zlib.crc32(key))


def _decode_tree(key: bytes, line: str, text: str, checksum: int) -> DependencyTree:
    """Return a tree that is stored for a line, or raise an error if it is damaged."""
    try:
        if _checksum(key, text) == checksum:
            tree = DependencyTree(*json.loads(text))
            # A tree with other characters cannot belong to this line, whatever the key says.
            if _strip_spaces(*tree.surface) == _strip_spaces(line):
                return tree
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass
    raise sqlite3.DatabaseError("damaged tree")
