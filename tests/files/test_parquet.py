"""Columns of Parquet files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hyperbaton import _core
from hyperbaton.errors import InputError, MissingData
from hyperbaton.files.columns import (
    count_source_lines,
    describe_line,
    read_blocks,
    read_single_texts,
    read_texts,
    source_files,
    split_column,
)
from hyperbaton.files.parquet import check_column, expand_pattern, open_parquet
from hyperbaton.runs.file_runs import FileCorpus

TEXTS = ["the dog saw", "", "a longer text than twelve bytes", "ß 𠀀\u2028x", "one\ttwo\n", "end"]
TYPES: dict[str, pa.DataType] = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "string_view": pa.string_view(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "dictionary of large strings": pa.dictionary(pa.int8(), pa.large_string()),
}
LIST_TYPES: dict[str, Callable[[pa.DataType], pa.DataType]] = {
    "list": pa.list_,
    "large_list": pa.large_list,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(path: str, values: Any, kind: pa.DataType | None = None, **options: Any) -> None:
    array = values if isinstance(values, pa.Array) else pa.array(values, kind)
    ids = pa.array(range(len(array)))
    pq.write_table(pa.table({"id": ids, "ref": array}), path, **options)


def invalid_utf8(texts: Sequence[bytes]) -> pa.Array:
    """Return an array of strings, some of which may not be UTF-8."""
    binary = pa.array(texts, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(binary), binary.buffers())


def message_for(source: str) -> str:
    """Return the message for a source that cannot be read, which must be one line."""
    with pytest.raises(InputError) as error:
        list(read_texts(source))
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_column_is_a_suffix() -> None:
    assert split_column("a/b.parquet:ref") == ("a/b.parquet", "parquet", "ref")
    assert split_column("a/*.parquet:ref") == ("a/*.parquet", "parquet", "ref")
    assert split_column("a.parquet/part-?.parquet:a:b") == (
        "a.parquet/part-?.parquet",
        "parquet",
        "a:b",
    )
    write("d.parquet", TEXTS)
    assert split_column("d.parquet") == ("d.parquet", "text", None)


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
def test_types_of_strings(kind: pa.DataType) -> None:
    write("d.parquet", TEXTS, kind)
    assert pq.read_schema("d.parquet").field("ref").type == kind or pa.types.is_dictionary(kind)
    assert list(read_texts("d.parquet:ref")) == [(text,) for text in TEXTS]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
@pytest.mark.parametrize("make", LIST_TYPES.values(), ids=LIST_TYPES)
def test_lists(make: Callable[[pa.DataType], pa.DataType], kind: pa.DataType) -> None:
    rows = [["a b", "c"], ["d"], ["", "ü", "a b"], ["e"]]
    values = pa.array(rows, make(pa.string()))
    write("d.parquet", values.cast(make(kind)), row_group_size=3)
    assert list(read_texts("d.parquet:ref")) == list(map(tuple, rows))
    blocks = list(read_blocks("d.parquet:ref", 3))
    assert [block.counts for block in blocks] == [[2, 1, 3], None]
    assert [list(block.texts) for block in blocks] == [["a b", "c", "d", "", "ü", "a b"], ["e"]]


def test_lists_of_a_fixed_size() -> None:
    write("d.parquet", [["a", "b"], ["c", "d"], ["e", "f"]], pa.list_(pa.string(), 2))
    assert list(read_texts("d.parquet:ref")) == [("a", "b"), ("c", "d"), ("e", "f")]


def test_texts_are_those_of_other_files() -> None:
    texts = [f"the {k} text" * (k % 5) for k in range(100)]
    write("d.parquet", texts, row_group_size=7)
    Path("d.txt").write_text("".join(f"{text}\n" for text in texts))
    Path("d.tsv").write_text("ref\n" + "".join(f"{text}\n" for text in texts))
    rows = list(read_texts("d.parquet:ref"))
    assert rows == list(read_texts("d.txt")) == list(read_texts("d.tsv:ref"))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 10, 24, 25, 26, 100])
@pytest.mark.parametrize("row_group_size", [1, 4, 100])
def test_blocks_do_not_depend_on_row_groups_and_files(size: int, row_group_size: int) -> None:
    texts = [f"text {k}" for k in range(25)]
    for name, begin, end in (("a", 0, 11), ("b", 11, 11), ("c", 11, 12), ("d", 12, 25)):
        kind = pa.large_string() if name == "c" else pa.string()
        part = pa.array(texts[begin:end], kind)
        write(f"{name}.parquet", part, row_group_size=row_group_size)
    blocks = list(read_blocks("*.parquet:ref", size))
    assert all(isinstance(block.texts, _core.Lines) for block in blocks)
    assert [len(block) for block in blocks[:-1]] == [size] * (len(blocks) - 1)
    assert [list(block.texts) for block in blocks] == [
        texts[k : k + size] for k in range(0, 25, size)
    ]
    assert all(block.counts is None for block in blocks)


def test_files_with_strings_and_files_with_lists() -> None:
    write("a.parquet", ["a", "b"])
    write("b.parquet", [["c", "d"], ["e"]])
    write("c.parquet", ["f", "g"], pa.dictionary(pa.int32(), pa.string()))
    (block,) = read_blocks("?.parquet:ref", 10)
    assert block.rows == [["a"], ["b"], ["c", "d"], ["e"], ["f"], ["g"]]


def test_files_are_sorted_by_name() -> None:
    os.makedirs("data/more")
    for name in ("data/10", "data/9", "data/B", "data/a", "data/more/x", "data/.hidden"):
        write(f"{name}.parquet", [name])
    sorted_names = [("data/10",), ("data/9",), ("data/B",), ("data/a",)]
    assert list(read_texts("data/*.parquet:ref")) == sorted_names
    assert list(read_texts("data/**/*.parquet:ref")) == [*sorted_names, ("data/more/x",)]
    assert source_files("data/*.parquet:ref") == [f"{name}.parquet" for (name,) in sorted_names]


def test_an_existing_file_is_not_a_pattern() -> None:
    write("d[1].parquet", ["brackets"])
    write("d1.parquet", ["a match of the pattern"])
    assert list(read_texts("d[1].parquet:ref")) == [("brackets",)]
    assert expand_pattern("d[12].parquet") == ["d1.parquet"]
    assert expand_pattern("none.parquet") == ["none.parquet"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse the name")
def test_a_file_name_that_is_not_utf8() -> None:
    name = os.fsdecode(b"\xff.parquet")
    write("d.parquet", TEXTS)
    os.rename("d.parquet", name)
    assert list(read_texts(f"{name}:ref")) == [(text,) for text in TEXTS]


def test_names_of_columns_with_dots() -> None:
    struct = pa.array([{"b": "nested"}])
    pq.write_table(pa.table({"a": struct, "a.b": ["flat"], "a.b.c": ["longer"]}), "d.parquet")
    assert list(read_texts("d.parquet:a.b")) == [("flat",)]


def test_counts_come_from_footers() -> None:
    write("a.parquet", TEXTS, row_group_size=2)
    write("b.parquet", TEXTS)
    assert count_source_lines("*.parquet:mistyped") == 2 * len(TEXTS)
    assert FileCorpus(["x", "y"], ["a.parquet:ref"] * 2, ["r"]).segment_count == 2 * len(TEXTS)
    Path("c.parquet").write_bytes(b"")
    assert count_source_lines("*.parquet:ref") is None


def test_lines_are_described_by_file_and_row() -> None:
    write("a.parquet", TEXTS)
    write("b.parquet", [], pa.string())
    write("c.parquet", TEXTS)
    assert describe_line("*.parquet:ref", len(TEXTS)) == "a.parquet, row 6"
    assert describe_line("*.parquet:ref", len(TEXTS) + 1) == "c.parquet, row 1"
    write("c.parquet", [["x"], ["y", "z"]])
    with pytest.raises(InputError, match=r"^c\.parquet, row 2: expected one text, got 2$"):
        list(read_single_texts("*.parquet:ref"))


def test_no_rows() -> None:
    write("d.parquet", [], pa.string())
    assert list(read_texts("d.parquet:ref")) == []
    assert list(read_blocks("d.parquet:ref", 10)) == []
    assert count_source_lines("d.parquet:ref") == 0


def test_pyarrow_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    write("d.parquet", TEXTS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingData, match=r"pip install 'hyperbaton\[table\]'"):
        list(read_texts("d.parquet:ref"))
    assert count_source_lines("d.parquet:ref") is None


def test_files_that_are_not_parquet() -> None:
    assert message_for("d*.parquet:ref") == "no file matches d*.parquet"
    assert message_for("d.parquet:ref") == "cannot read d.parquet: No such file or directory"
    Path("d.parquet").mkdir()
    assert message_for("d.parquet:ref") == "cannot read d.parquet: Is a directory"
    for content in (b"", b"PAR", b"a text\n"):
        Path("e.parquet").write_bytes(content)
        assert message_for("e.parquet:ref") == "e.parquet is not a Parquet file"


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX pipes")
def test_a_pipe() -> None:
    os.mkfifo("d.parquet")
    assert message_for("d.parquet:ref").startswith("cannot read d.parquet: a Parquet file cannot")


def test_damaged_files() -> None:
    write("d.parquet", [f"text {k}" for k in range(1000)], compression="none", use_dictionary=False)
    content = Path("d.parquet").read_bytes()
    Path("cut.parquet").write_bytes(content[:-100])
    assert message_for("cut.parquet:ref").startswith("cut.parquet is a damaged Parquet file: ")
    Path("name.parquet").write_bytes(content.replace(b"ref", b"\xffef"))  # in the footer
    assert message_for("name.parquet:ref").startswith("name.parquet is a damaged Parquet file: ")
    middle = content.index(b"text 500")  # four bytes before it are its length
    broken = content[: middle - 4] + b"\xff\xff\xff\x7f" + content[middle:]
    Path("page.parquet").write_bytes(broken)
    assert message_for("page.parquet:ref").startswith("page.parquet is a damaged Parquet file: ")


def test_unknown_columns() -> None:
    names = [f"column{k}" for k in range(12)]
    write("d.parquet", TEXTS)
    pq.write_table(pa.table({name: ["x"] for name in names}), "many.parquet")
    assert message_for("d.parquet:reff") == (
        "d.parquet has no column 'reff'; did you mean ref? It has id, ref"
    )
    assert message_for("d.parquet:x") == "d.parquet has no column 'x'; it has id, ref"
    shown = ", ".join(names[:10])
    assert message_for("many.parquet:x") == (
        f"many.parquet has no column 'x'; it has {shown} and 2 more"
    )
    two = pa.table([["x"], ["y"]], names=["ref", "ref"])
    pq.write_table(two, "two.parquet")
    assert message_for("two.parquet:ref") == "two.parquet has 2 columns 'ref'"
    pq.write_table(pa.table({}), "none.parquet")
    assert message_for("none.parquet:ref") == "none.parquet has no column 'ref'; it has none"


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], "int64"),
        ([b"x"], "binary"),
        ([{"a": "x"}], "struct<a: string>"),
        ([[["x"]]], "list<element: list<element: string>>"),
        (pa.array([1, 1]).dictionary_encode(), "int64"),
        ([None, None], "null"),
        (
            pa.array([["x"]]).cast(pa.list_(TYPES["dictionary"])),
            "list<element: dictionary<values=string, indices=int32, ordered=0>>",
        ),
    ],
)
def test_wrong_types(values: Any, kind: str) -> None:
    write("d.parquet", values)
    assert message_for("d.parquet:ref") == (
        f"d.parquet: the column 'ref' must have strings or lists of strings, not {kind}"
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", "b", None], "row 3: ref must be a string, got null"),
        (pa.array(["a", None, "a"]).dictionary_encode(), "row 2: ref must be a string, got null"),
        (["a", "b\0", "c"], "row 2: ref has a NUL character"),
        (invalid_utf8([b"a", b"b", b"c\xff"]), "row 3: ref is not UTF-8"),
        ([["a", "b"], None], "row 2: ref must be a list of strings, got null"),
        ([["a", "b"], []], "row 2: ref must be a list of strings, got an empty list"),
        ([["a", "b"], ["c", "d", None]], "row 2: ref must be a string, got null"),
        ([["a", "b"], ["c"], ["d", "\0"]], "row 3: ref has a NUL character"),
    ],
)
@pytest.mark.parametrize("rows_before", [0, 1, 4, 2999])
def test_wrong_values(values: Any, message: str, rows_before: int) -> None:
    """The number of a row counts from the start of its file, whatever blocks it is read in."""
    write("a.parquet", ["x"] * rows_before, pa.string())
    write("b.parquet", values, row_group_size=2)
    assert message_for("*.parquet:ref") == f"b.parquet, {message}"


def test_rows_of_later_blocks() -> None:
    write("d.parquet", [*["x"] * 12_345, None], row_group_size=1000)
    assert message_for("d.parquet:ref") == "d.parquet, row 12,346: ref must be a string, got null"


def test_check_column_returns_the_field() -> None:
    write("d.parquet", TEXTS)
    field = check_column(open_parquet("d.parquet").schema_arrow, "id", "d.parquet")
    assert (field.name, field.type) == ("id", pa.int64())
