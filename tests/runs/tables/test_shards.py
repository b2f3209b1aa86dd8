"""However rows are split and whatever does the work, every bit of the scores is the same."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton.runs.tables import plan, shard_scoring
from runs.tables.parquet_files import METRICS, ROWS, bits, corpus_bits, make_columns, write_split

COLUMNS = make_columns()
SPLITS = {  # rows of the files, rows of a row group, SHARD_ROWS
    "one shard": ([ROWS], ROWS, ROWS),
    "small row groups share a shard": ([ROWS], 3, 10),
    "large row groups are split": ([ROWS], ROWS, 7),
    "at most ten shards of a row group": ([ROWS], ROWS, 2),
    "large and small row groups": ([100, 0, 1, 19], 9, 10),
    "a file for each row": ([1] * ROWS, 1, 10),
}


@pytest.fixture(scope="module")
def expected() -> dict[str, dict[str, Any]]:
    """The scores of Python lists, by system."""
    return {
        name: bits(hb.score(COLUMNS[name], COLUMNS["refs"], METRICS, "en")) for name in ("a", "b")
    }


def score_split(
    tmp_path: Path, split: str, monkeypatch: pytest.MonkeyPatch, **options: Any
) -> dict[str, hb.Result]:
    files, group, shard_rows = SPLITS[split]
    monkeypatch.setattr(plan, "SHARD_ROWS", shard_rows)
    inputs = write_split(tmp_path / "data", COLUMNS, files, group)
    options = {"hypothesis": "a", "reference": "refs", "workers": 1, **options}
    results = hb.score_table(inputs, tmp_path / "scores", METRICS, "en", **options)
    assert results is not None
    return results


@pytest.mark.parametrize("split", SPLITS)
def test_splits(split: str, expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = score_split(tmp_path, split, monkeypatch)
    assert list(results) == ["a"]
    assert results["a"].name == "a"
    assert bits(results["a"]) == expected["a"]
    assert bits(hb.read_scores(tmp_path / "scores")) == expected["a"]


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([], []),
        ([0, 0], []),
        ([4, 0, 6, 1], [((0, 2), 0, 10), ((3,), 0, 1)]),
        ([9, 2, 3], [((0,), 0, 9), ((1, 2), 0, 5)]),
        ([1, 25, 1], [((0,), 0, 1), ((1,), 0, 10), ((1,), 10, 10), ((1,), 20, 5), ((2,), 0, 1)]),
        ([205], [((0,), 21 * k, 21 if k < 9 else 16) for k in range(10)]),  # not 21 shards
    ],
)
def test_shards_of_a_file(groups: Any, expected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "SHARD_ROWS", 10)
    file = plan.InputFile("x.parquet", 1, 2, tuple(groups), first=100)
    shards = plan.split_file(file, 7)
    assert [(shard.groups, shard.skip, shard.rows) for shard in shards] == expected
    assert [shard.index for shard in shards] == list(range(7, 7 + len(shards)))
    assert [shard.first for shard in shards] == [
        100 + sum(shard.rows for shard in shards[:k]) for k in range(len(shards))
    ]


def test_batches_and_written_row_groups(
    expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_scoring, "READ_ROWS", 4)
    monkeypatch.setattr(shard_scoring, "WRITTEN_ROWS", 6)
    results = score_split(tmp_path, "large and small row groups", monkeypatch)
    assert bits(results["a"]) == expected["a"]


def test_several_systems(expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = score_split(
        tmp_path, "small row groups share a shard", monkeypatch, hypothesis=["b", "a"]
    )
    assert {name: bits(result) for name, result in results.items()} == expected
    for name in "ab":
        assert bits(hb.read_scores(tmp_path / "scores" / name)) == expected[name]


def test_names_of_systems(expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = {"../A": "a", "b": "b"}
    results = score_split(tmp_path, "one shard", monkeypatch, hypothesis=named)
    assert bits(results["../A"]) == expected["a"]
    folders = sorted(path.name for path in (tmp_path / "scores").iterdir())
    assert folders == ["%2E%2E%2FA", "b"]
    assert hb.read_scores(tmp_path / "scores" / folders[0]).name == "../A"


def test_two_workers(expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("json.py").write_text("raise ImportError")  # must not hide the module from workers
    results = score_split(
        tmp_path, "large and small row groups", monkeypatch, hypothesis=["a", "b"], workers=2
    )
    assert {name: bits(result) for name, result in results.items()} == expected


def test_columns_of_references(tmp_path: Path) -> None:
    inputs = write_split(tmp_path / "data", COLUMNS, [50, 70], 20)
    output = tmp_path / "scores"
    pairs = list(zip(COLUMNS["first"], COLUMNS["last"], strict=True))
    for reference, references in (("first", COLUMNS["first"]), (["first", "last"], pairs)):
        hb.score_table(
            inputs, output / str(reference), METRICS, hypothesis="a", reference=reference, workers=1
        )
        expected = hb.score(COLUMNS["a"], references, METRICS)
        assert bits(hb.read_scores(output / str(reference))) == bits(expected)


@pytest.mark.parametrize("parts", [1, 2, 3, 14, 40])
def test_parts(parts: int, expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "SHARD_ROWS", 10)
    inputs = write_split(tmp_path / "data", COLUMNS, [ROWS], 3)  # 14 shards
    output = tmp_path / "scores"
    order = random.Random(parts).sample(range(1, parts + 1), parts)
    for k in order:
        shard = f"{k}/{parts}" if k % 2 else (k, parts)
        options: Any = {"hypothesis": "a", "reference": "refs", "shard": shard, "workers": 1}
        assert hb.score_table(inputs, output, METRICS, "en", **options) is None
    assert bits(hb.read_scores(output)) == expected["a"]


def test_shuffled_rows(expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "SHARD_ROWS", 10)
    order = random.Random(5).sample(range(ROWS), ROWS)
    shuffled = {name: [column[k] for k in order] for name, column in COLUMNS.items()}
    inputs = write_split(tmp_path / "data", shuffled, [30, 90], 8)
    results = hb.score_table(
        inputs, tmp_path / "scores", METRICS, "en", hypothesis="a", reference="refs", workers=1
    )
    assert results is not None
    names = ("value", "signature", "n", "linked", "matched")
    assert corpus_bits(results["a"]) == {
        key: [found[name] for name in names] for key, found in expected["a"].items()
    }
    for key, found in expected["a"].items():
        segments = [value.hex() for value in results["a"][key].segments.tolist()]
        assert segments == [found["segments"][k] for k in order]


def test_links_and_trees_of_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "SHARD_ROWS", 3)
    lines = ["a b c", "b c a", "c a", "a"] * 3
    references = ["a b c", "a b c", "a c", "b"] * 3
    links = ["0-0 1-1 2-2", "0-1 2-0", "", "0-0"] * 3
    columns = {"mt": lines, "ref": references, "links": links}
    inputs = write_split(tmp_path / "data", columns, [5, 7], 3)
    metrics = ["pef:tok=none"]
    results = hb.score_table(
        inputs,
        tmp_path / "scores",
        metrics,
        hypothesis="mt",
        reference="ref",
        alignments="links",
        workers=1,
    )
    assert results is not None
    assert bits(results["mt"]) == bits(hb.score(lines, references, metrics, alignments=links))
