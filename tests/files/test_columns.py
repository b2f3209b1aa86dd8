"""Columns of TSV and JSONL files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from hyperbaton.errors import InputError
from hyperbaton.files.columns import read_texts, split_column

NO_TEXT = "d.jsonl, line 1, has no string or list of strings under 'c'"


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_a_column_is_a_suffix_of_files_that_have_columns(tmp_path: Path) -> None:
    assert split_column("C:\\data\\x.txt") == ("C:\\data\\x.txt", "text", None)
    assert split_column("C:\\data\\x.tsv:a b") == ("C:\\data\\x.tsv", "tsv", "a b")
    assert split_column("x.JSONL.gz:ref") == ("x.JSONL.gz", "jsonl", "ref")
    odd = put(tmp_path / "odd.tsv:name", "one\n")  # an existing file with this name
    assert split_column(str(odd)) == (str(odd), "text", None)


def test_tsv(tmp_path: Path) -> None:
    path = put(tmp_path / "d.tsv", "id\ttext\r\n1\ta b\r\n2\t\r\n")
    assert list(read_texts(f"{path}:text")) == [("a b",), ("",)]
    assert list(read_texts(f"{path}:1")) == [("id",), ("1",), ("2",)]
    packed = tmp_path / "d.tsv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert list(read_texts(f"{packed}:text")) == [("a b",), ("",)]


def test_jsonl(tmp_path: Path) -> None:
    path = put(tmp_path / "d.jsonl", '{"r": ["a", "b\\nc"], "s": "x"}\n{"r": "d", "s": ""}\n')
    assert list(read_texts(f"{path}:r")) == [("a", "b\nc"), ("d",)]
    assert list(read_texts(f"{path}:s")) == [("x",), ("",)]


@pytest.mark.parametrize(
    ("name", "text", "column", "message"),
    [
        ("d.tsv", "a\tb\n", "c", "d.tsv has no column 'c'; it has a, b"),
        ("d.tsv", "a\tb\n", "1" * 5000, f"d.tsv has no column '{5000 * '1'}'; it has a, b"),
        ("d.tsv", "a\tb\n", "0", "d.tsv: columns are counted from 1, not from 0"),
        ("d.tsv", "a\tb\nx\n", "b", "d.tsv, line 2, has 1 column, but column 2 is needed"),
        ("d.jsonl", "[1]\n", "c", "d.jsonl, line 1, has no 'c'"),
        ("d.jsonl", '{"c": 1}\n', "c", NO_TEXT),
        (
            "d.jsonl",
            '{"c": []}\n',
            "c",
            "d.jsonl, line 1, has no string or list of strings under 'c'",
        ),
    ],
)
def test_wrong_columns(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    text: str,
    column: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / name, text)
    with pytest.raises(InputError) as error:
        list(read_texts(f"{name}:{column}"))
    assert str(error.value) == message


def test_json_that_is_nested_too_deeply(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text("[" * 200_000 + "\n")
    with pytest.raises(InputError, match=r"deep\.jsonl, line 1, is nested too deeply"):
        list(read_texts(f"{path}:key"))
