"""Files of lines: line ends, and messages for invalid files."""

from __future__ import annotations

import gzip
import io
import os
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.errors import InputError
from hyperbaton.files.lines import read_aligned, read_line_blocks, read_lines
from hyperbaton.files.output_files import write_beside

BOM = b"\xef\xbb\xbf"
ODD = ["\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]  # of str.splitlines
SCRIPTS = [
    "Grüße",
    "привет",
    "γειά",
    "我爱你。",
    "こんにちは",
    "안녕",
    "مرحبا",
    "नमस्ते",
    "👩‍🔬",
    "𠀀",
]


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def message(*paths: Any) -> str:
    """Return the one-line message for files that cannot be read."""
    with pytest.raises(InputError) as caught:
        list(read_aligned(*paths))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"\n\n", ["", ""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\nb", ["a", "b"]),
        (b"a\n\nb\n", ["a", "", "b"]),
        (b" a \t\n", [" a \t"]),
        (b"a\r\nb\r\n", ["a\r", "b\r"]),
        (BOM, []),
        (BOM + b"\n", [""]),
        (BOM + b"a\nb", ["a", "b"]),
        (
            BOM + BOM + b"a\n" + BOM + b"b\n",
            ["\ufeffa", "\ufeffb"],
        ),  # only the first mark is dropped
        ("\n".join(SCRIPTS).encode(), SCRIPTS),
    ],
)
def test_lines(tmp_path: Path, pack: Any, data: bytes, lines: list[str]) -> None:
    path = put(tmp_path / "text", pack(data))
    assert list(read_lines(path)) == lines
    assert list(read_lines(str(path))) == lines
    assert list(read_aligned(path, path)) == [(line, line) for line in lines]


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_other_separators_do_not_end_lines(tmp_path: Path, odd: str) -> None:
    assert len(f"a{odd}b".splitlines()) == 2
    text = f"a{odd}b{odd}\n{odd}\nc"
    path = put(tmp_path / "text", text.encode())
    assert list(read_lines(path)) == [f"a{odd}b{odd}", odd, "c"]


@given(lines=st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\0"))))
def test_written_and_read_again(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "again"
    with write_beside(path) as file:
        file.write(
            "\ufeff"
        )  # so that a mark in the first line is not taken for the mark of the file
        file.writelines(line + "\n" for line in lines)
    assert list(read_lines(path)) == lines


def test_gzip_is_known_by_its_bytes(tmp_path: Path) -> None:
    members = gzip.compress(b"a\nb") + gzip.compress(b"c\nd\n")  # as `cat` joins them
    assert list(read_lines(put(tmp_path / "packed.txt", members))) == ["a", "bc", "d"]


def test_memory_is_flat(tmp_path: Path) -> None:
    data = b"".join(b"%d and some more words\n" % k for k in range(100_000))
    plain, packed = put(tmp_path / "a", data), put(tmp_path / "b", gzip.compress(data, 1))
    size = len(data)
    del data
    tracemalloc.start()
    try:
        assert sum(a == b for a, b in read_aligned(plain, packed)) == 100_000
        assert tracemalloc.get_traced_memory()[1] < size / 4
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"\xff\n", "line 1, is not UTF-8: 0xff at byte 1"),
        (b"a\nb\nGr\xfc\xdfe\nd\n", "line 3, is not UTF-8: 0xfc at byte 3"),
        (b"a\n\xe6\x88\n\x91\n", "line 2, is not UTF-8: 0xe6 at byte 1"),  # cut by a newline
        (b"\n" * 2999 + b"\xed\xa0\x80", "line 3,000, is not UTF-8: 0xed at byte 1"),  # surrogate
        (
            "a\n".encode("utf-16"),
            "line 1, is not UTF-8: 0xff at byte 1; it looks like UTF-16: convert it with iconv -f "
            "UTF-16 -t UTF-8",
        ),
        (b"a\nb\0c\n", "line 2, has a NUL byte at byte 2"),
    ],
)
def test_files_that_are_not_text(tmp_path: Path, pack: Any, data: bytes, where: str) -> None:
    path = put(tmp_path / "text", pack(data))
    assert message(path) == f"{path}, {where}"


def test_lines_before_an_invalid_one_are_read(tmp_path: Path) -> None:
    lines = read_lines(put(tmp_path / "text", b"a\nb\n\xff\n"))
    assert [next(lines), next(lines)] == ["a", "b"]
    with pytest.raises(InputError, match="line 3"):
        next(lines)


def test_unreadable(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    assert message(missing) == f"cannot read {missing}: No such file or directory"
    assert message(tmp_path).startswith(f"cannot read {tmp_path}: ")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may read every file")
def test_not_permitted(tmp_path: Path) -> None:
    path = put(tmp_path / "text", b"a\n")
    path.chmod(0)
    assert message(path) == f"cannot read {path}: Permission denied"


def test_damaged_gzip(tmp_path: Path) -> None:
    whole = gzip.compress(b"a\nb\n")
    wrong = bytearray(whole)
    wrong[-6] ^= 1  # in the check sum
    for data in (whole[:-1], whole[:12], whole[:2], bytes(wrong), whole + b"more", whole[:10] * 2):
        path = put(tmp_path / "text.gz", data)
        assert message(path).startswith(f"{path} is a damaged gzip file after line ")


def test_aligned(tmp_path: Path) -> None:
    a = put(tmp_path / "a", "a\n我\n".encode())
    b = put(tmp_path / "b", gzip.compress("b\nя".encode()))
    c = put(tmp_path / "c", BOM + b"c\n\n")
    assert list(read_aligned(a, b, c)) == [("a", "b", "c"), ("我", "я", "")]
    assert list(read_aligned(a)) == [("a",), ("我",)]
    assert list(read_aligned()) == []


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((3000, 2999), "{0} has 3,000 lines, but {1} has 2,999"),
        ((2999, 3000), "{1} has 3,000 lines, but {0} has 2,999"),
        ((0, 1), "{1} has 1 line, but {0} is empty"),
        ((4500, 2), "{0} has 4,500 lines, but {1} has 2"),
        ((5, 5, 4), "{0} has 5 lines, but {2} has 4"),
        ((5, 3, 4), "{0} has 5 lines, but {1} has 3"),
    ],
)
def test_different_numbers_of_lines(tmp_path: Path, counts: tuple[int, ...], said: str) -> None:
    paths = [put(tmp_path / f"{k}.txt", b"x\n" * count) for k, count in enumerate(counts)]
    assert message(*paths) == said.format(*paths)
    rows = read_aligned(*paths)
    assert [next(rows) for _ in range(min(counts))] == [("x",) * len(counts)] * min(counts)


def test_an_empty_line_is_a_line(tmp_path: Path) -> None:
    a, b = put(tmp_path / "a", b"\n\n"), put(tmp_path / "b", b"\n")
    assert message(a, b) == f"{a} has 2 lines, but {b} has 1"


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_standard_input(tmp_path: Path, pack: Any) -> None:
    path = put(tmp_path / "b", b"x\ny\n")
    code = (
        "import sys; from hyperbaton.files.lines import read_aligned;"
        "print(ascii(list(read_aligned('-', sys.argv[1]))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path],
        input=pack("a\u2028我\r\nb".encode()),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == ascii([("a\u2028我\r", "x"), ("b", "y")])


def test_standard_input_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (b"a\nb", gzip.compress(b"a\nb")):
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))
        monkeypatch.setattr("sys.stdin", stdin)
        assert list(read_lines("-")) == ["a", "b"]
        assert not stdin.closed


def test_errors_of_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def give(data: bytes) -> None:
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))
        monkeypatch.setattr("sys.stdin", stdin)

    path = put(tmp_path / "b", b"x\n")
    give(b"a\n\xff\n")
    assert message("-") == "standard input, line 2, is not UTF-8: 0xff at byte 1"
    give(b"a\nb\n")
    assert message("-", path) == f"standard input has 2 lines, but {path} has 1"
    assert message("-", path, "-") == "standard input can be only one of the files"
    monkeypatch.setattr("sys.stdin", None)
    assert message("-") == "there is no standard input"


def test_a_damaged_file_is_named_with_its_last_line(tmp_path: Path) -> None:
    lines = [f"{k} {random.Random(k).random()}\n" for k in range(5000)]
    content = gzip.compress("".join(lines).encode())
    (tmp_path / "cut.gz").write_bytes(content[: len(content) // 2])
    messages = []
    for read in (read_lines, lambda path: read_line_blocks(path, 2000)):
        with pytest.raises(InputError, match=r"damaged gzip file after line [1-9]") as caught:
            list(read(tmp_path / "cut.gz"))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_a_line_without_an_end(tmp_path: Path) -> None:
    """A small compressed file may hold one that takes all memory."""
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"a b\n" + b"a" * 10_000_001, 1))
    message = "line 2, has more than 10,000,000 bytes$"
    with pytest.raises(InputError, match=message):
        list(read_lines(path))
    with pytest.raises(InputError, match=message):
        list(read_line_blocks(path, 1000))
    path.write_bytes(gzip.compress(b"a" * 9_999_999 + b"\n", 1))
    assert [len(line) for line in read_lines(path)] == [9_999_999]


def test_lines_that_are_too_long_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hyperbaton.files.lines.MAX_BLOCK_BYTES", 10)
    path = tmp_path / "text"
    path.write_text("abcd\nabcd\nabc\nabcdef\n", encoding="utf-8")
    blocks = read_line_blocks(path, 2)
    assert list(next(blocks)) == ["abcd", "abcd"]
    message = "lines 3 to 4, which are read together, have more than 10 bytes$"
    with pytest.raises(InputError, match=message):
        next(blocks)
