"""Readers of paraphrase tables, of WordNet's files and of the cache of parses."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import warnings
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from fuzz.python.byte_source import ByteSource
from fuzz.python.scratch import scratch_file, scratch_folder
from fuzz.python.targets import only_user_errors, require, target

from hyperbaton.alignment.paraphrases import HEADER, MAGIC, SEAL, ParaphraseTable
from hyperbaton.alignment.wordnet import FILES, WordNet
from hyperbaton.syntax import cache
from hyperbaton.syntax.trees import DependencyTree

SENTENCES = (["as", "well", "too", "a", "a"], ["too", "as", "well", "b", "a"])


@target("reader_paraphrases", b"0.5\n", b"1e999\n", b"nan\n", b"a b\n", b"too\n", b"\xff")
def check_paraphrases(data: bytes) -> None:
    """Build the index of a table, and use it."""
    source = ByteSource(data)
    per_read = source.choice((100, 1, 2))
    folder = scratch_folder("paraphrases")
    table = folder / "table"
    table.write_bytes(source.rest())
    with only_user_errors("ParaphraseTable.open"):
        first = ParaphraseTable.open(table, records_per_read=per_read).matches(*SENTENCES)
        require((folder / "table.hyperbaton").is_file(), "the index is kept")
        second = ParaphraseTable.open(table).matches(*SENTENCES)
        require(first == second, "the index that was kept gives the same")


@target("reader_paraphrase_index")
def check_paraphrase_index(data: bytes) -> None:
    """Open an index that is damaged in spite of its checksum."""
    source = ByteSource(data)
    table = Path(scratch_file("table", b"0.25\nas well\ntoo\n0.5\ntoo\nas well\n0.1\na\nb\n"))
    index = table.with_name("table.hyperbaton")
    index.unlink(missing_ok=True)
    good = ParaphraseTable.open(table).matches(*SENTENCES)
    content = bytearray(index.read_bytes())
    for _ in range(source.integer(1, 4)):
        place = source.integer(SEAL.size + 16, len(content) - 1)
        match source.integer(0, 3):
            case 0:
                content[place] = source.byte()
            case 1:
                content[place : place + 8] = source.any_integer().to_bytes(8, "little", signed=True)
            case 2:
                content[place : place + 4] = (source.any_integer() % (1 << 32)).to_bytes(
                    4, "little"
                )
            case 3:
                del content[place : place + source.integer(1, 9)]
    content = content.ljust(SEAL.size + HEADER.size, b"\0")
    is_sealed = not source.chance(32)
    checksum = zlib.crc32(content[SEAL.size :]) + (not is_sealed)
    index.write_bytes(SEAL.pack(MAGIC, checksum) + content[SEAL.size :])
    with only_user_errors("ParaphraseTable.open"):
        found = ParaphraseTable.open(table).matches(*SENTENCES)
        require(is_sealed or found == good, "a damaged index is built again")


@target(
    "reader_wordnet",
    b" n 1 1 @ 1 0 00001740  \n",
    b"\n%%\n",
    b"geese goose\n",
    b"  licence WordNet 3.0\n",
)
def check_wordnet(data: bytes) -> None:
    """Look words up in files that may be damaged."""
    source = ByteSource(data)
    folder = scratch_folder("wordnet")
    for name in FILES:
        (folder / name).write_bytes(source.part())
    with only_user_errors("WordNet.find"):
        wordnet = WordNet.find(folder)
        for word in ("auto", "cars", "geese", "a", "boxesful", "best"):
            with only_user_errors("WordNet.synsets"):
                wordnet.synsets(word)


class RightmostHead:
    """A parser for the cache: the last word is the head of all others."""

    name, version = "rightmost", "1"

    def parse(self, lines: Iterable[str]) -> Iterator[DependencyTree]:
        """Yield a tree for each line."""
        for line in lines:
            words = line.split()
            yield DependencyTree(words, [len(words)] * (len(words) - 1) + [0] if words else [])


@target(
    "reader_parse_cache",
    b'[["a", "b"], [2, 0], null, null]',
    b"[[",
    b"1e999",
    b"NaN",
    b"null",
    b"{}",
)
def check_parse_cache(data: bytes) -> None:
    """Parse lines with a cache whose entries or whose file are damaged."""
    source = ByteSource(data)
    whole_file, as_blob = source.chance(64), source.chance(64)
    place, content = source.integer(0, 65_535), source.rest()
    folder = scratch_folder("cache")
    lines = ["a b", "c"]
    expected = list(RightmostHead().parse(lines))
    parser = cache.CachedParser(RightmostHead(), folder, lock_timeout=0.1)
    require(list(parser.parse(lines)) == expected, "the parser's trees")
    path = folder / cache.FILE
    if whole_file:
        stored = path.read_bytes()
        path.write_bytes(stored[:place] + content + stored[place + len(content) :])
    else:
        value = content if as_blob else content.decode("utf-8", "replace")
        with contextlib.closing(sqlite3.connect(path)) as file, file:
            file.execute("UPDATE trees SET tree = ?", (value,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a damaged cache is named
        for _ in range(2):
            found = list(cache.CachedParser(RightmostHead(), folder, lock_timeout=0.1).parse(lines))
            words = [tree.words for tree in found]
            require(words == [tree.words for tree in expected], "its words")
    require(os.path.isdir(folder), "the folder is kept")
