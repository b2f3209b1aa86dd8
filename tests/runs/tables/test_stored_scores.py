"""``read_scores``: scores from a folder, without the texts."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton.errors import InputError
from hyperbaton.runs.tables import stored_scores
from hyperbaton.runs.tables.stored_scores import Footer
from runs.tables.parquet_files import bits, make_columns, write_split

COLUMNS = make_columns(30)
METRICS = ["wer", "pef", "bleu"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three shards of one system, in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_split(Path("data"), COLUMNS, [10] * 3, 10)
    write_scores()


def write_scores(output: str = "scores", **changes: Any) -> None:
    options: dict[str, Any] = {"hypothesis": "a", "reference": "refs", "workers": 1, **changes}
    hb.score_table("data/*.parquet", output, METRICS, "en", **options)


def test_the_texts_are_not_needed() -> None:
    shutil.rmtree("data")
    expected = hb.score(COLUMNS["a"], COLUMNS["refs"], METRICS, "en")
    result = hb.read_scores("scores")
    assert bits(result) == bits(expected)
    assert result.name == "a"
    assert result.skipped == 0
    assert result.to_dict()["systems"][0]["scores"] == expected.to_dict()["systems"][0]["scores"]
    assert hb.read_scores(Path("scores")).n == 30


def test_data_frames_without_texts() -> None:
    expected = hb.score(COLUMNS["a"], COLUMNS["refs"], METRICS, "en").to_polars()
    frame = hb.read_scores("scores").to_polars()
    assert frame.columns == ["linked", *METRICS]
    assert frame.to_dict(as_series=False) == expected.select(frame.columns).to_dict(as_series=False)


def test_segments_are_read_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    read_score_column = stored_scores.read_score_column

    def recording(footer: Footer, name: str, may_lack: bool = False) -> Any:
        read.append(name)
        return read_score_column(footer, name, may_lack)

    monkeypatch.setattr(stored_scores, "read_score_column", recording)
    result = hb.read_scores("scores")
    assert float(result["wer"]) >= 0
    assert read == []
    values = result["wer"].segments
    assert result["wer"].segments is values
    assert read == ["wer"] * 3
    assert result["pef"].statistics is not None
    assert read == ["wer"] * 3 + ["pef statistics"] * 3
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1


def test_without_statistics() -> None:
    write_scores("short", statistics=False)
    expected = hb.read_scores("scores")
    result = hb.read_scores("short")
    for key, score in result.items():
        assert score.statistics is None
        assert score.segments.tobytes() == expected[key].segments.tobytes()
        assert float(score).hex() == float(expected[key]).hex()


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ([2], "scores: 1 shard of 3 is missing (2)"),
        ([1, 3], "scores: 2 shards of 3 are missing (1, 3)"),
    ],
)
def test_missing_shards(missing: list[int], message: str) -> None:
    for k in missing:
        Path(f"scores/0000{k}-of-00003.parquet").unlink()
    with pytest.raises(InputError) as caught:
        hb.read_scores("scores")
    assert str(caught.value) == message


def test_many_missing_shards() -> None:
    shutil.rmtree("data")
    write_split(Path("data"), COLUMNS, [1] * 30, 1)
    write_scores("many", shard="1/6")
    with pytest.raises(InputError, match=r"^many: 25 shards of 30 are missing \(6, 7, 8, …\)$"):
        hb.read_scores("many")


def test_shards_of_different_runs() -> None:
    write_scores("other", statistics=False)
    name = "00002-of-00003.parquet"
    shutil.copy(f"other/{name}", f"scores/{name}")
    with pytest.raises(InputError, match=r"other settings \(statistics: no there, yes now\)"):
        hb.read_scores("scores")


def test_shards_of_different_systems() -> None:
    write_scores("b", hypothesis="b")
    name = "00002-of-00003.parquet"
    shutil.copy(f"b/{name}", f"scores/{name}")
    with pytest.raises(InputError, match="scores has scores of the column 'b', not of 'a'"):
        hb.read_scores("scores")


def test_several_systems() -> None:
    write_scores("both", hypothesis=["a", "b"])
    with pytest.raises(InputError) as caught:
        hb.read_scores("both")
    assert str(caught.value) == "both has several systems: give the folder of one (a, b)"
    assert bits(hb.read_scores("both/a")) == bits(hb.read_scores("scores"))


def test_folders_without_scores() -> None:
    Path("empty").mkdir()
    for path, message in (
        ("empty", "empty has no scores"),
        ("data", "data has no scores"),
        ("nowhere", "nowhere does not exist"),
        ("data/000.parquet", "data/000.parquet is not a folder"),
    ):
        with pytest.raises(InputError) as caught:
            hb.read_scores(path)
        assert str(caught.value) == message


def test_a_damaged_column() -> None:
    file = Path("scores/00001-of-00003.parquet")
    content = bytearray(file.read_bytes())
    content[4:400] = bytes(396)  # the first pages; the footer is at the end
    file.write_bytes(content)
    result = hb.read_scores("scores")
    with pytest.raises(InputError, match=r"^scores/00001-of-00003\.parquet is damaged"):
        _ = result["wer"].segments


def test_signatures_are_those_from_when_the_rows_were_scored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = {key: score.signature for key, score in hb.read_scores("scores").items()}
    monkeypatch.setattr("hyperbaton.metrics.parts.package_version", lambda _: "99.9")
    assert {key: score.signature for key, score in hb.read_scores("scores").items()} == before
    with pytest.raises(InputError, match=r"sacrebleu:99\.9"):  # a run does not go on with it
        write_scores("scores")
