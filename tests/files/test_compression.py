"""Compressed files, recognised by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hyperbaton.errors import InputError, MissingData
from hyperbaton.files.columns import read_texts
from hyperbaton.files.lines import count_lines, read_line_blocks, read_lines

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    zstd = pytest.importorskip("backports.zstd")

Pack = Callable[[bytes], bytes]
FORMATS: dict[str, tuple[str, Pack]] = {
    ".gz": ("gzip", gzip.compress),
    ".xz": ("xz", lzma.compress),
    ".bz2": ("bzip2", bz2.compress),
    ".zst": ("zstd", zstd.compress),
}
LINES = [f"line {k} я" for k in range(20_000)]
TEXT = "".join(f"{line}\n" for line in LINES).encode()


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("ending", ["", "same"])
def test_every_format_is_read(tmp_path: Path, suffix: str, ending: str) -> None:
    _, pack = FORMATS[suffix]
    path = tmp_path / ("text" + (suffix if ending else ".txt"))  # the name does not decide
    path.write_bytes(pack(TEXT))
    assert list(read_lines(path)) == LINES
    assert [line for block in read_line_blocks(path, 999) for line in block] == LINES
    assert count_lines(path) is None
    path.write_bytes(pack(b""))
    assert list(read_lines(path)) == []


@pytest.mark.parametrize("suffix", FORMATS)
def test_columns_of_compressed_files(tmp_path: Path, suffix: str) -> None:
    _, pack = FORMATS[suffix]
    path = tmp_path / f"data.tsv{suffix}"
    path.write_bytes(pack(b"a\tb\n1\t2\n"))
    assert list(read_texts(f"{path}:b")) == [("2",)]


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_name_that_promises_too_much(tmp_path: Path, suffix: str) -> None:
    kind, _ = FORMATS[suffix]
    path = tmp_path / f"text{suffix}"
    other = bz2.compress if suffix != ".bz2" else gzip.compress
    for content in (b"plain\n", b"", other(b"x\n")):
        path.write_bytes(content)
        with pytest.raises(InputError) as caught:
            list(read_lines(path))
        article = "an" if kind == "xz" else "a"
        message = f"{path} is not {article} {kind} file, although its name says so"
        assert str(caught.value) == message


@pytest.mark.parametrize("suffix", FORMATS)
def test_damaged_files(tmp_path: Path, suffix: str) -> None:
    kind, pack = FORMATS[suffix]
    whole = pack(TEXT)
    path = tmp_path / f"text{suffix}"
    for content in (whole[:12], whole[: len(whole) // 2], whole[:-1]):
        path.write_bytes(content)
        with pytest.raises(InputError, match=f"is a damaged {kind} file after line [0-9,]+$"):
            list(read_lines(path))


def test_missing_zstd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "text.zst"
    path.write_bytes(zstd.compress(b"a\n"))
    monkeypatch.setitem(sys.modules, zstd.__name__, None)
    monkeypatch.delattr(sys.modules[zstd.__name__.rpartition(".")[0]], "zstd", raising=False)
    with pytest.raises(MissingData, match=r"pip install 'hyperbaton\[zstd\]'"):
        list(read_lines(path))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_gets_a_hint(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes("the cat saw the dog\nsecond\n".encode(encoding))
    hint = r"; it looks like UTF-16: convert it with iconv -f UTF-16 -t UTF-8$"
    for read in (lambda: list(read_lines(path)), lambda: list(read_line_blocks(path, 10))):
        with pytest.raises(InputError, match=hint):
            read()
    path.write_bytes(b"caf\xe9 au lait\n")
    with pytest.raises(InputError, match=r"is not UTF-8: 0xe9 at byte 4$"):
        list(read_lines(path))
