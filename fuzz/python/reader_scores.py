"""Readers of stored scores: Parquet files with sums in their footers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
from fuzz.python.byte_source import ByteSource
from fuzz.python.scratch import scratch_folder
from fuzz.python.targets import only_user_errors, require, target

import hyperbaton as hb
from hyperbaton.files.parquet import count_rows, locate_row, text_columns
from hyperbaton.runs.tables.stored_scores import DIGEST_KEY, KEY, digest_text, shard_files
from hyperbaton.views.documents import render_text
from hyperbaton.views.score_tables import ScoreView
from hyperbaton.views.tables import Style

NAME = "00001-of-00001.parquet"


@cache
def stored_scores(process: int) -> tuple[pyarrow.Table, str]:
    """Return a table of scores, and its footer."""
    folder = scratch_folder("scored")
    texts = pyarrow.table({"a": ["b a c", "d"], "ref": ["a b c", "e d"]})
    pyarrow.parquet.write_table(texts, folder / "texts.parquet")
    options: dict[str, Any] = {"hypothesis": "a", "reference": "ref", "workers": 1}
    hb.score_table(folder / "texts.parquet", folder / "scores", ["wer", "kendall"], "en", **options)
    (file,) = shard_files(folder / "scores")
    table = pyarrow.parquet.read_table(file)
    metadata = pyarrow.parquet.read_metadata(file).metadata
    return table, metadata[KEY].decode()


def _odd(source: ByteSource) -> Any:
    makers: tuple[Callable[[], Any], ...] = (
        source.any_integer,
        lambda: None,
        lambda: source.text(3),
        list,
        dict,
        lambda: source.any_float(),
        lambda: [source.any_integer(), "x"],
        lambda: {source.text(2): source.any_integer()},
        lambda: 10**400,
        lambda: "0x1p0",
    )
    return source.choice(makers)()


def _replace_somewhere(source: ByteSource, value: Any) -> Any:
    """Replace one value inside of nested lists and dictionaries."""
    if isinstance(value, dict) and value and not source.chance(24):
        key = source.choice(list(value))
        if source.chance(24):
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: _replace_somewhere(source, value[key])}
    if isinstance(value, list) and value and not source.chance(24):
        place = source.integer(0, len(value) - 1)
        return [_replace_somewhere(source, v) if k == place else v for k, v in enumerate(value)]
    return _odd(source)


@target("reader_stored_scores")
def check_stored_scores(data: bytes) -> None:
    """Read a footer that contradicts itself in spite of its digest."""
    source = ByteSource(data)
    table, footer = stored_scores(os.getpid())
    content = json.loads(footer)
    for _ in range(source.integer(0, 3)):
        content = _replace_somewhere(source, content)
    text = json.dumps(content)
    if source.chance(16):
        text = source.text(10).encode("utf-8", "replace").decode()
    digest = digest_text(text.encode()) if not source.chance(16) else source.clean_text(3)
    if source.chance(48):
        table = table.select(table.column_names[: source.integer(0, 3)])
    folder = scratch_folder("scores")
    metadata = {KEY.decode(): text, DIGEST_KEY.decode(): digest}
    pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), folder / NAME)
    with only_user_errors("hb.read_scores"):
        result = hb.read_scores(folder)
        render_text(ScoreView([result]), Style())
        for score in result.values():
            require(len(score.segments) >= 0, "segments")


@target("reader_parquet")
def check_parquet(data: bytes) -> None:
    """Read a column of a Parquet file of any type, with nulls and invalid texts."""
    source = ByteSource(data)
    kinds: tuple[Any, ...] = (
        *(pyarrow.string(), pyarrow.large_string(), pyarrow.list_(pyarrow.string())),
        *(pyarrow.binary(), pyarrow.int64(), pyarrow.null(), pyarrow.list_(pyarrow.int8())),
        *(pyarrow.dictionary(pyarrow.int32(), pyarrow.string()), pyarrow.string_view()),
    )
    kind = source.choice(kinds)
    rows: list[Any] = []
    for _ in range(source.integer(0, 5)):
        text: Any = None if source.chance(24) else source.clean_text(4) + "\0" * source.chance(16)
        if pyarrow.types.is_list(kind):
            text = [text] * source.integer(0, 2)
        rows.append(text)
    folder = scratch_folder("parquet")
    for name in ("a", "b"):
        try:
            column = pyarrow.array(rows, kind)
            pyarrow.parquet.write_table(pyarrow.table({"x": column}), folder / f"{name}.parquet")
        except (pyarrow.ArrowException, TypeError, ValueError):
            return  # the writer refuses these rows
    name = source.choice(("a", "*"))
    path = os.fspath(Path(folder, f"{name}.parquet"))
    from hyperbaton.files.columns import read_blocks, read_texts

    with only_user_errors("read_texts"):
        read = list(read_texts(f"{path}:{source.choice(('x', 'y'))}"))
        require(len(read) == count_rows(path), "all rows")
        require(read == [tuple(r) for b in read_blocks(f"{path}:x", 2) for r in b.rows], "blocks")
    with only_user_errors("text_columns"):
        text_columns(os.fspath(folder / "a.parquet"))
    with only_user_errors("locate_row"):
        locate_row(path, source.integer(1, 9))
