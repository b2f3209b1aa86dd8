"""Readers of texts: lines, compressed files, columns, CoNLL-U."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterable
from typing import Any

from fuzz.python.byte_source import ByteSource
from fuzz.python.scratch import scratch_file
from fuzz.python.targets import only_user_errors, require, target

from hyperbaton.errors import InputError
from hyperbaton.files.columns import read_blocks, read_single_texts, read_texts
from hyperbaton.files.lines import count_lines, read_line_blocks, read_lines
from hyperbaton.syntax import conllu

COMPRESSORS: tuple[Callable[[bytes], bytes], ...] = (
    bytes,
    lambda content: gzip.compress(content, mtime=0),
    lzma.compress,
    bz2.compress,
)


def _outcome(texts: Callable[[], Iterable[Any]]) -> tuple[list[Any], str]:
    """Return what an iterator yields, and its error."""
    read: list[Any] = []
    error = ""
    try:
        for text in texts():
            read.append(text)
    except InputError as raised:
        error = str(raised)
    return read, error


@target(
    "reader_lines",
    b"\r\n",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x1f\x8b\x08",
    b"\xfd7zXZ\0",
    b"BZh9",
)
def check_lines(data: bytes) -> None:
    """Read lines one by one and in blocks: both must give the same."""
    source = ByteSource(data)
    compress = COMPRESSORS[source.integer(0, 3)]
    damage = source.chance(128)
    place, value = source.integer(0, 255), source.byte()
    content = compress(source.rest())
    if damage and place < len(content):
        content = content[:place] + bytes([value]) + content[place + 1 :]
    path = scratch_file("lines", content)
    with only_user_errors("read_lines"):
        list(read_lines(path))
    lines, error = _outcome(lambda: read_lines(path))
    lines = [line.removesuffix("\r") for line in lines]
    blocks, block_error = _outcome(lambda: read_line_blocks(path, 3))
    in_blocks = [line for block in blocks for line in block]
    require(error == block_error, f"{error!r} and {block_error!r}")
    require(lines[: len(in_blocks)] == in_blocks, "the same lines")
    require(error or lines == in_blocks, "all lines")
    count = count_lines(path)
    if not error and count is not None and content != b"\xef\xbb\xbf":
        require(count == len(lines), f"{count} lines are counted, {len(lines)} are read")


@target(
    "reader_columns", b"\t", b'{"a": "b"}\n', b"\\ud800", b"[[[[", b'["x", "y"]', b"1e999", b"NaN"
)
def check_columns(data: bytes) -> None:
    """Read a column of a TSV or a JSONL file."""
    source = ByteSource(data)
    kind = source.choice(("tsv", "jsonl", "txt"))
    column = source.choice(
        ("a", "1", "2", "0", "٣", "a b", "\x1b[31m", "é", "99999999999999999999")
    )
    path = scratch_file(f"table.{kind}", source.rest())
    name = path if kind == "txt" else f"{path}:{column}"
    with only_user_errors("read_texts"):
        rows = list(read_texts(name))
        again = [tuple(row) for block in read_blocks(name, 2) for row in block.rows]
        require(rows == again, "the same in blocks")
    with only_user_errors("read_single_texts"):
        list(read_single_texts(name))


@target(
    "reader_conllu",
    b"\t_",
    b"\n\n",
    b"# text = ",
    b"1-2\t",
    b"1.1\t",
    b"\xc2\xa0",
    b"-1",
    b"99999999999",
)
def check_conllu(data: bytes) -> None:
    """Read trees; those that were read can be written and read again."""
    path = scratch_file("trees.conllu", data)
    trees: list[Any] = []
    with only_user_errors("read_trees"):
        trees.extend(conllu.read_trees(path))
    for tree in trees:
        with only_user_errors("to_conllu"):
            text = conllu.to_conllu(tree)
            again = conllu.parse_tree(text)
            require(again == tree, f"{again!r} is not {tree!r}")
    with only_user_errors("parse_tree", UnicodeDecodeError):
        conllu.parse_tree(data.decode())
    with only_user_errors("read_trees with a text"):
        list(conllu.read_trees(path, ["a b", "c"]))
