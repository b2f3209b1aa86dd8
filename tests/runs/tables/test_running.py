"""``score_table``: its arguments, output folders that exist already, progress, broken rows."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hyperbaton as hb
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.runs.tables import plan, shard_scoring
from hyperbaton.runs.tables.running import RunProgress
from runs.tables.parquet_files import bits, make_columns, names_in, write_split

COLUMNS = make_columns(30)
SHARDS = [f"0000{k}-of-00003.parquet" for k in (1, 2, 3)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three input files, which is the current one."""
    monkeypatch.chdir(tmp_path)
    write_split(Path("data"), COLUMNS, [10] * 3, 10)
    return tmp_path


def score(output: str = "scores", **changes: Any) -> dict[str, hb.Result] | None:
    arguments: dict[str, Any] = {
        "inputs": "data/*.parquet",
        "output": output,
        "metrics": ["wer", "pef"],
        "hypothesis": "a",
        "reference": "refs",
        "workers": 1,
    }
    return hb.score_table(**{**arguments, **changes})


def times(output: str = "scores") -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in Path(output).rglob("*")}


def refused(**changes: Any) -> str:
    """Return the error of a run that must change nothing."""
    before = times(), names_in(Path())
    with pytest.raises(InputError) as caught:
        score(**changes)
    assert (times(), names_in(Path())) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Resuming ----------------------------------------------------------------------------------------


def test_finished_shards_are_kept() -> None:
    score(shard="2/3")
    assert names_in(Path("scores")) == [SHARDS[1]]
    before = times()
    expected = bits(hb.score(COLUMNS["a"], COLUMNS["refs"], ["wer", "pef"]))
    results = score()
    assert results is not None
    assert bits(results["a"]) == expected
    after = times()
    assert before.items() <= after.items()
    assert score() is not None
    assert times() == after


def test_a_shard_counts_only_if_all_systems_have_it() -> None:
    score(hypothesis=["a", "b"])
    Path("scores/b", SHARDS[1]).unlink()
    before = times()
    score(hypothesis=["a", "b"])
    after = times()
    written = {
        path for path in after if path.endswith("parquet") and before.get(path) != after[path]
    }
    assert written == {f"scores/{name}/{SHARDS[1]}" for name in "ab"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metrics": ["wer"]}, "has scores with other settings (metrics: wer, pef there, wer now)"),
        ({"metrics": ["pef", "wer"]}, None),  # the same, in another order
        ({"language": "en"}, "(language: none there, en now)"),
        ({"reference": "first"}, "(references: refs there, first now)"),
        ({"keep": ["id"]}, "(keep: none there, id now)"),
        ({"statistics": False}, "(statistics: yes there, no now)"),
        ({"on_error": "null"}, None),  # no row was without scores
        ({"hypothesis": "b"}, "scores has scores of the column 'a', not of 'b': give another"),
        (
            {"hypothesis": {"x": "a"}},
            "scores has scores of the system 'a', not of 'x': give another",
        ),
        ({"hypothesis": ["a", "b"]}, f"scores has other files, such as {SHARDS[0]}: give an empty"),
        (
            {"inputs": "data/00[01].parquet"},
            "scores has scores of other input files, or of ",
        ),
        ({"resume": False}, "scores already has scores: give an empty folder"),
    ],
)
def test_changes_are_refused(changes: dict[str, Any], message: str | None) -> None:
    score()
    if message is None:
        before = times()
        score(**changes)
        assert times() == before
    else:
        assert message in refused(**changes)


def test_version(monkeypatch: pytest.MonkeyPatch) -> None:
    score()
    version = hb.__version__
    monkeypatch.setattr(hb, "__version__", "99.0")
    assert f"(version: {version} there, 99.0 now)" in refused()


def test_split(monkeypatch: pytest.MonkeyPatch) -> None:
    score()
    monkeypatch.setattr(plan, "SHARD_ROWS", 5)
    assert "has scores of other input files" in refused()


@pytest.mark.parametrize("shard", [None, "3/3"])
def test_changed_input(shard: str | None) -> None:
    score(shard=shard)
    os.utime("data/001.parquet")
    if shard is None:
        assert refused().startswith("data/001.parquet has changed since it was scored to scores")
        assert refused(shard="1/3")
    else:  # the file that has changed was not scored yet
        assert score() is not None


def test_input_that_changes_during_the_run() -> None:
    def progress(done: RunProgress) -> None:
        if done.shards == 1:
            os.utime("data/001.parquet")

    with pytest.raises(InputError, match=r"^data/001\.parquet has changed since the run was plan"):
        score(progress=progress)
    assert names_in(Path("scores")) == [SHARDS[0]]


def test_no_resuming_into_an_empty_folder() -> None:
    Path("scores").mkdir()
    assert score(resume=False) is not None


# Folders that hold something else ---------------------------------------------------------------


def test_foreign_files() -> None:
    Path("scores").mkdir()
    Path("scores/notes.txt").touch()
    assert refused() == "scores has other files, such as notes.txt: give an empty folder"
    assert "notes.txt" in refused(hypothesis=["a", "b"])
    Path("scores/notes.txt").unlink()
    score(hypothesis=["a", "b"])
    assert refused() == "scores has other files, such as a: give an empty folder"
    Path("scores/b/notes.txt").touch()
    message = "scores/b has other files, such as notes.txt: give an empty folder"
    assert refused(hypothesis=["a", "b"]) == message


def test_a_parquet_file_of_somebody_else() -> None:
    Path("scores").mkdir()
    shutil.copy("data/000.parquet", f"scores/{SHARDS[0]}")
    assert refused() == f"scores/{SHARDS[0]} was not written by Hyperbaton: give another folder"


def test_output_is_a_file() -> None:
    Path("scores").touch()
    assert refused() == "scores is a file: give a folder for the output"
    assert refused(output="scores/a").startswith("cannot create the folder scores/a: Not a direct")


def test_renamed_shard() -> None:
    score()
    os.replace(f"scores/{SHARDS[0]}", f"scores/{SHARDS[1]}")
    misnamed = f"scores/{SHARDS[1]} has the name of another shard: it was written as {SHARDS[0]}"
    assert refused() == misnamed


@pytest.mark.parametrize("damage", ["truncated", "empty", "changed", "text"])
def test_damaged_shard(damage: str) -> None:
    results = score()
    assert results is not None
    expected = bits(results["a"])
    file = Path("scores", SHARDS[1])
    content = file.read_bytes()
    changed = {
        "truncated": content[:-50],
        "empty": b"",
        "changed": content.replace(b'"skipped": 0', b'"skipped": 1'),
        "text": b"not Parquet\n" * 100,
    }[damage]
    assert changed != content
    file.write_bytes(changed)
    message = f"scores/{SHARDS[1]} is damaged: delete it, and run the command again"
    assert refused() == message
    with pytest.raises(InputError, match=message):
        hb.read_scores("scores")
    file.unlink()
    results = score()
    assert results is not None
    assert bits(results["a"]) == expected


# Arguments --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"engine": "spark"}, "engine must be one of local, ray, got 'spark'"),
        ({"address": "auto"}, "address can only be used with the engine ray"),
        ({"on_error": "skip"}, "on_error must be one of raise, null, got 'skip'"),
        ({"workers": 0}, "workers must be at least 1, got 0"),
        ({"shard": "0/3"}, "shard must be K/N with K from 1 to N, such as 3/64, got '0/3'"),
        ({"shard": "4/3"}, "shard must be K/N"),
        ({"shard": "1"}, "shard must be K/N"),
        ({"shard": "-1/3"}, "shard must be K/N"),
        ({"shard": (1.5, 2)}, "shard must be K/N"),
        ({"shard": 3}, "shard must be K/N"),
        ({"hypothesis": []}, "no column of a system was given"),
        ({"hypothesis": ["a", "a"]}, "the system 'a' is given twice"),
        ({"hypothesis": {"": "a", "b": "b"}}, "a system needs a name"),
        ({"reference": []}, "no column of references was given"),
        ({"keep": ["linked"]}, "the result would have two columns named 'linked'"),
        ({"keep": ["idd"]}, "data/000.parquet has no column 'idd'; did you mean id? It has "),
        ({"inputs": ["data/*.parquet", "./data/001.parquet"]}, "./data/001.parquet is given twice"),
        ({"inputs": []}, "no input files were given"),
    ],
)
def test_wrong_arguments(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        score(**changes)
    assert str(caught.value).startswith(message)
    assert not Path("scores").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"workers": "2"}, "workers must be an integer, got str"),
        ({"keep": "id"}, "keep must be a list of columns, got str"),
    ],
)
def test_wrong_types(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputTypeError, match=message):
        score(**changes)


def test_keep() -> None:
    score(keep=["id", "a"])
    rows = pa.concat_tables([pq.read_table(f"scores/{name}") for name in SHARDS])
    assert rows.column_names == [
        "id",
        "a",
        "wer",
        "pef",
        "linked",
        "matched",
        "wer statistics",
        "pef statistics",
    ]
    assert rows.column("id").to_pylist() == COLUMNS["id"]
    assert rows.column("a").to_pylist() == COLUMNS["a"]
    pairs = zip(COLUMNS["a"], COLUMNS["refs"], strict=True)
    values = [hb.score([text], [references], "pef") for text, references in pairs]
    assert rows.column("pef").to_pylist() == [value["pef"].value for value in values]
    assert rows.column("linked").to_pylist() == [value.linked for value in values]


# Progress and broken rows -----------------------------------------------------------------------


def test_progress() -> None:
    score(shard="1/3")
    seen: list[RunProgress] = []
    score(progress=seen.append)
    assert [(done.shards, done.all_shards, done.rows, done.all_rows) for done in seen] == [
        (1, 3, 10, 30),
        (2, 3, 20, 30),
        (3, 3, 30, 30),
    ]
    assert [done.rows_now for done in seen] == [0, 10, 20]
    assert seen[0].seconds_left is None
    assert seen[2].seconds_left == 0
    assert seen[2].rate == 20 / seen[2].seconds > 0


BROKEN = {3: None, 10: None, 29: None}


@pytest.fixture
def broken() -> dict[str, list[Any]]:
    """Files in which some translations are null; return the columns."""
    shutil.rmtree("data")
    columns = make_columns(30)
    for row in BROKEN:
        columns["a"][row] = None
    write_split(Path("data"), columns, [10] * 3, 4)
    return columns


def test_a_null_is_an_error(broken: Any) -> None:
    with pytest.raises(InputError, match=r"^data/000\.parquet, row 4: a is null$"):
        score()
    with pytest.raises(InputError, match=r"^data/002\.parquet, row 10: a is null$"):
        score(shard="3/3")
    assert names_in(Path("scores")) == []


def test_broken_rows_become_nulls(broken: dict[str, list[Any]]) -> None:
    results = score(hypothesis=["a", "b"], on_error="null")
    assert results is not None
    kept = [row for row in range(30) if row not in BROKEN]
    references = [broken["refs"][row] for row in kept]
    expected = hb.score([broken["a"][row] for row in kept], references, ["wer", "pef"])
    for key, score_of_kept in expected.items():
        stored = results["a"][key]
        assert float(stored).hex() == float(score_of_kept).hex()
        assert stored.kept_statistics.tobytes() == score_of_kept.kept_statistics.tobytes()
        assert stored.segments[kept].tobytes() == score_of_kept.segments.tobytes()
        assert np.flatnonzero(np.isnan(stored.segments)).tolist() == list(BROKEN)
    assert results["a"].skipped == 3
    assert results["b"].skipped == 0
    assert bits(results["b"]) == bits(hb.score(broken["b"], broken["refs"], ["wer", "pef"]))
    rows = pa.concat_tables([pq.read_table(f"scores/a/{name}") for name in SHARDS])
    for name in rows.column_names:
        nulls = [row for row, value in enumerate(rows.column(name).to_pylist()) if value is None]
        assert nulls == list(BROKEN)


def test_no_row_can_be_scored() -> None:
    shutil.rmtree("data")
    Path("data").mkdir()
    table = pa.table({"a": pa.array([None, None], pa.string()), "refs": ["x", "y"]})
    pq.write_table(table, "data/1.parquet")
    with pytest.raises(InputError, match=r"^scores: no row could be scored$"):
        score(on_error="null")


def test_a_run_that_stopped_at_a_broken_row_goes_on_with_nulls() -> None:
    table = pq.read_table("data/002.parquet")
    texts = table.column("a").to_pylist()
    texts[3] = None
    column = pa.array(texts, pa.string())
    pq.write_table(table.set_column(table.column_names.index("a"), "a", column), "data/002.parquet")
    with pytest.raises(InputError, match=r"^data/002\.parquet, row 4: a is null$"):
        score()
    before = times()
    assert len(before) == 2  # the shards of the other files
    results = score(on_error="null")
    assert results is not None
    assert results["a"].skipped == 1
    assert before.items() <= times().items()


def test_rows_without_scores_are_not_for_a_run_that_raises_errors(
    broken: dict[str, list[Any]],
) -> None:
    score(on_error="null")
    assert "has rows without scores, from a run with on_error=null" in refused()


def test_two_runs_with_other_settings_at_once() -> None:
    def interfere(done: RunProgress) -> None:
        if done.shards == 1:
            shutil.rmtree("scores")
            score(metrics=["per"], shard="1/3")

    with pytest.raises(InputError, match=r"other settings \(metrics: per there, wer, pef now\)"):
        score(progress=interfere)


def test_input_that_is_overwritten_while_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read_tables = shard_scoring.read_tables

    def overwriting(*arguments: Any) -> Any:
        yield from read_tables(*arguments)
        os.utime("data/000.parquet")

    monkeypatch.setattr(shard_scoring, "read_tables", overwriting)
    with pytest.raises(InputError, match=r"^data/000\.parquet has changed since the run was plan"):
        score()
    assert names_in(Path("scores")) == []


def test_a_flipped_bit_in_a_shard_is_found_or_has_no_meaning() -> None:
    results = score()
    assert results is not None
    expected = [bits(result) for result in results.values()]
    file = Path("scores") / SHARDS[0]
    content = file.read_bytes()
    found = []
    for byte in range(40, 400, 24):
        flipped = bytearray(content)
        flipped[byte] ^= 4
        file.write_bytes(flipped)
        with contextlib.suppress(InputError):
            assert [bits(hb.read_scores("scores"))] == expected
            continue
        found.append(byte)
    assert len(found) > 5


def test_a_metric_that_nobody_could_read_again() -> None:
    class Unregistered(hb.metrics.Metric):
        VARIANTS: ClassVar[Any] = {"unregistered": hb.metrics.get("wer").variant}

        def statistics(self, batch: Any) -> Any:
            return np.ones((len(batch), 1))

        def aggregate(self, sums: Any) -> Any:
            return sums[..., 0]

    with pytest.raises(InputError, match="unknown metric 'unregistered'"):
        score(metrics=[Unregistered()])
    assert not Path("scores").exists()
