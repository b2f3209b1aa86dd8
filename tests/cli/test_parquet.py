"""Commands other than ``score`` read columns of Parquet files."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import CommandLine

TEXTS = {
    "ref": ["the cat saw the dog", "this is a test", "one two three four"],
    "a": ["the dog saw the cat", "this is a test", "four three two one"],
    "b": ["the cat saw the dog", "a test this is", "two one three four"],
}


@pytest.fixture(autouse=True)
def files() -> None:
    """Write the same texts as text files and as Parquet files."""
    for name, texts in TEXTS.items():
        Path(name).write_text("".join(f"{text}\n" for text in texts))
    Path("data").mkdir()
    table = pa.table(TEXTS)
    pq.write_table(table[:2], "data/1.parquet", row_group_size=1)
    pq.write_table(table[2:], "data/2.parquet")


def columns(*names: str) -> list[str]:
    return [f"data/*.parquet:{name}" for name in names]


def test_compare(cli: CommandLine) -> None:
    form = ["-m", "wer", "--samples", "10", "--differences", "2", "-f", "json"]
    plain = cli.succeed("compare", "-r", "ref", "a", "b", *form).json()
    assert json.dumps(plain).count(TEXTS["a"][2]) == 1  # one of the two largest differences
    reference, *systems = columns("ref", "a", "b")
    assert cli.succeed("compare", "-r", reference, *systems, *form).json() == plain


def test_explain(cli: CommandLine) -> None:
    form = ["--line", "3", "-m", "pef", "--json"]
    plain = cli.succeed("explain", "-r", "ref", "a", *form).json()
    reference, system = columns("ref", "a")
    assert cli.succeed("explain", "-r", reference, system, *form).json() == plain


def test_links(cli: CommandLine) -> None:
    links = ["0-0 1-1", "0-0 1-2 2-1", "0-9"]
    words = pa.table({"links": links, "a": TEXTS["a"], "ref": TEXTS["ref"]})
    pq.write_table(words[:2], "good.parquet")
    pq.write_table(words, "words.parquet")

    def score(file: str) -> list[str]:
        texts = ["-r", f"{file}:ref", f"{file}:a", "--alignment", f"{file}:links"]
        return ["score", *texts, "-m", "pef:tok=none"]

    assert "pef" in cli.succeed(*score("good.parquet")).stdout
    message = cli.error(*score("words.parquet"))
    assert message.startswith("words.parquet, row 3: link 0-9 is outside the reference")
