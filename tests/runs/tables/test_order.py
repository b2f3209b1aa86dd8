"""``order`` in tables: values that may be null, and the words by which systems are compared."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hyperbaton as hb
from command_line import CommandLine
from hyperbaton.errors import InputError
from hyperbaton.runs.comparing import compare_results
from hyperbaton.runs.tables import plan, shard_scoring, stored_scores
from hyperbaton.softorder.evidence import LEAST_MATCHED
from hyperbaton.stats.sampling import Sampling
from runs.tables.parquet_files import bits, write_split

EXAMPLE = Path(hb.__file__).parent / "example"
METRICS = ["order:precedence=own", "order:precedence=ref.model", "kendall", "chrf"]
ORDER = METRICS[0]
JUNK = "xyzzy qwert plugh"


def read(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").splitlines()


def make_columns() -> dict[str, list[Any]]:
    """Return the example with some junk, and with one or two references of each row."""
    reference, phrasal = read("reference"), read("phrasal")
    references = [[line, phrasal[k]] if k % 3 else [line] for k, line in enumerate(reference)]
    literal = read("literal")
    literal[5], literal[6], literal[40] = JUNK, "", JUNK
    return {
        "fluent": read("fluent"),
        "literal": literal,
        "junk": [JUNK] * len(reference),
        "reference": reference,
        "refs": references,
    }


COLUMNS = make_columns()
ROWS = len(COLUMNS["reference"])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows in three files, in the current folder, and a model of their references."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plan, "SHARD_ROWS", 7)
    write_split(Path("data"), COLUMNS, [20, 1, ROWS - 21], 5)
    hb.metrics.get("order").fit(COLUMNS["reference"]).save("ref.model")


def score_rows(output: str, system: str, **changes: Any) -> dict[str, hb.Result] | None:
    options = {"hypothesis": system, "reference": "refs", "workers": 1, **changes}
    return hb.score_table("data/*.parquet", output, METRICS, **options)


def compare_folders(*folders: str, **options: Any) -> hb.Comparison:
    results = [hb.read_scores(folder) for folder in folders]
    return compare_results(results, Sampling(samples=300, **options), None, "none")


def compare_texts(*systems: str, **options: Any) -> hb.Comparison:
    texts = {name: COLUMNS[name] for name in systems}
    return hb.compare(texts, COLUMNS["refs"], METRICS, samples=300, **options)


# The same bits ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("pair", [("fluent", "literal"), ("literal", "junk")])
def test_folders_are_compared_to_the_same_bits(pair: tuple[str, str], method: str) -> None:
    for name in pair:
        score_rows(name, name)
    found, expected = compare_folders(*pair, method=method), compare_texts(*pair, method=method)
    # All fields: D, its interval, p, the anchors and their share, outcomes.
    assert repr(found.differences) == repr(expected.differences)
    assert found.differences[0].anchors is not None
    for mine, other in zip(found.results, expected.results, strict=True):
        assert mine.matched == other.matched
        assert bits(mine) == bits(other)
    assert [found.ranking(m) for m in METRICS] == [expected.ranking(m) for m in METRICS]


def test_the_command_line_compares_folders_to_the_same_bits(cli: CommandLine) -> None:
    for name in ("fluent", "literal"):
        lines = (line + "\n" for line in COLUMNS[name])
        Path(f"{name}.txt").write_text("".join(lines), "utf-8")
    Path("ref.txt").write_text("".join(line + "\n" for line in COLUMNS["reference"]), "utf-8")
    for name in ("fluent", "literal"):
        score_rows(f"scores/{name}", name, reference="reference")
    by_texts = ["compare", "-r", "ref.txt", "fluent=fluent.txt", "literal=literal.txt"]
    expected = cli.succeed(*by_texts, "-m", ",".join(METRICS), "-f", "json").json()
    found = cli.succeed("compare", "scores/fluent", "scores/literal", "-f", "json").json()
    for compared in (found, expected):
        verdict = compared["word_order"]
        for system in verdict["figures"]["systems"].values():
            system.pop("with_moves", None)  # of texts alone
            system.pop("mostly", None)
        del verdict["sentences"][2:-1]
    assert found == expected


@pytest.mark.parametrize("seed", range(3))
def test_parts_in_any_order(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = bits(hb.score(COLUMNS["literal"], COLUMNS["refs"], METRICS))
    monkeypatch.setattr(shard_scoring, "READ_ROWS", 2 + seed)
    monkeypatch.setattr(shard_scoring, "WRITTEN_ROWS", 3)
    parts = 4 + seed
    for k in random.Random(seed).sample(range(1, parts + 1), parts):
        assert score_rows("scores", "literal", shard=(k, parts)) is None
    assert bits(hb.read_scores("scores")) == expected


def test_several_columns_of_references() -> None:
    pairs = list(zip(COLUMNS["reference"], COLUMNS["fluent"], strict=True))
    score_rows("scores", "literal", reference=["reference", "fluent"])
    expected = hb.score(COLUMNS["literal"], pairs, METRICS)
    assert bits(hb.read_scores("scores")) == bits(expected)


def test_a_system_that_is_not_scored() -> None:
    score_rows("scores", "junk")
    result = hb.read_scores("scores")
    score = result[ORDER]
    assert (score.value, score.is_scored) == (None, False)
    assert score.matched is not None
    assert score.matched < LEAST_MATCHED
    assert np.isnan(score.segments).all()
    assert result["kendall"].value is not None
    assert not result["kendall"].is_scored
    assert result["chrf"].is_scored
    assert result.to_dict()["systems"][0]["scores"][ORDER]["value"] is None


# Nulls ------------------------------------------------------------------------------------------


def read_rows(folder: str) -> pa.Table:
    return pa.concat_tables([pq.read_table(path) for path in sorted(Path(folder).iterdir())])


def test_rows_that_are_not_scored_are_null() -> None:
    score_rows("scores", "literal")
    rows = read_rows("scores")
    segments = hb.score(COLUMNS["literal"], COLUMNS["refs"], METRICS)[ORDER].segments
    values = rows.column(ORDER).to_pylist()
    assert [value is None for value in values] == np.isnan(segments).tolist()
    assert all(values[k] is None for k in (5, 6, 40))
    for name in ("kendall", "chrf", "matched", f"{ORDER} statistics", f"{ORDER} anchors"):
        assert rows.column(name).null_count == 0
    assert "kendall anchors" not in rows.column_names
    statistics = np.array(rows.column(f"{ORDER} statistics").to_pylist())
    matched, words = statistics[:, 1], statistics[:, 2]
    assert rows.column("matched").to_pylist() == (matched / words).tolist()
    enough = (matched >= LEAST_MATCHED * words) & (matched >= 1)
    assert enough.tolist() == [value is not None for value in values]


@pytest.mark.parametrize("reading", [3, 1000])
def test_rows_that_are_skipped(reading: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if nothing of a batch, or of a whole shard, can be scored."""
    monkeypatch.setattr(shard_scoring, "READ_ROWS", reading)
    skipped = [2, *range(20, 40)]
    columns = {name: list(values) for name, values in COLUMNS.items()}
    for k in skipped:
        columns["literal"][k] = None
    shutil.rmtree("data")
    write_split(Path("data"), columns, [20, 1, ROWS - 21], 5)
    score_rows("scores", "literal", on_error="null")
    kept = [k for k in range(ROWS) if k not in skipped]
    texts, references = ([COLUMNS[name][k] for k in kept] for name in ("literal", "refs"))
    expected = hb.score(texts, references, METRICS)
    result = hb.read_scores("scores")
    assert result.skipped == len(skipped)
    for key, score in expected.items():
        found = result[key]
        assert (found.value, found.matched, found.n) == (score.value, score.matched, score.n)
        assert found.segments[kept].tobytes() == score.segments.tobytes()
        assert np.isnan(found.segments[skipped]).all()
        assert found.kept_statistics.tobytes() == score.kept_statistics.tobytes()
    own, other = result[ORDER].stored_anchors, expected[ORDER].stored_anchors
    assert own is not None
    assert other is not None
    mine, theirs = own.expand(), other.expand()
    assert mine.values.tobytes() == theirs.values.tobytes()
    assert mine.offsets.tobytes() == theirs.offsets.tobytes()


def test_no_row_can_be_scored() -> None:
    shutil.rmtree("data")
    write_split(Path("data"), {**COLUMNS, "literal": pa.nulls(ROWS, pa.string())}, [ROWS], 5)
    with pytest.raises(InputError, match="no row could be scored"):
        score_rows("scores", "literal", on_error="null")


# Damage -----------------------------------------------------------------------------------------


def rewrite(change: Callable[[pa.Table], pa.Table], name: str = "literal") -> Path:
    """Change the third shard as somebody could who keeps its footer."""
    (path,) = Path(name).glob("00003-of-*.parquet")
    metadata = pq.read_metadata(path).metadata
    with pq.ParquetWriter(path, (table := change(pq.read_table(path))).schema) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({k: v for k, v in metadata.items() if b"hyper" in k})
    return path


def rewrite_footer(change: Callable[[dict[str, Any]], None]) -> Path:
    """Change the footer of the third shard, with its digest."""
    (path,) = Path("literal").glob("00003-of-*.parquet")
    content = json.loads(pq.read_metadata(path).metadata[stored_scores.KEY])
    change(content)
    text = json.dumps(content).encode()
    table = pq.read_table(path)
    with pq.ParquetWriter(path, table.schema) as writer:
        writer.write_table(table)
        digest = stored_scores.digest_text(text)
        writer.add_key_value_metadata({"hyperbaton": text, "hyperbaton-digest": digest})
    return path


def test_a_shard_of_the_old_schema() -> None:
    score_rows("literal", "literal")
    path = rewrite_footer(lambda content: content.update(schema="hyperbaton/shard/1"))
    with pytest.raises(InputError) as caught:
        hb.read_scores("literal")
    assert str(caught.value) == f"{path} was written by another version of Hyperbaton"


def set_sum(content: dict[str, Any]) -> None:
    content["scores"]["sums"][METRICS[0]][0][0] = float("nan")


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["input"].pop("rows"),
        lambda content: content["input"].update(rows="many"),
        lambda content: content["settings"].pop("statistics"),
        lambda content: content.update(settings={}),
        set_sum,
    ],
)
def test_a_footer_that_contradicts_itself(
    change: Callable[[dict[str, Any]], None], cli: CommandLine
) -> None:
    """Whoever can write a footer can write its digest, too."""
    score_rows("literal", "literal")
    score_rows("fluent", "fluent")
    path = rewrite_footer(change)
    assert cli.error("compare", "literal", "fluent").startswith(f"{path} is damaged")


def with_anchors(values: list[Any], kind: Any = None) -> Callable[[pa.Table], pa.Table]:
    """Return what replaces the anchors of the first rows."""

    def change(table: pa.Table) -> pa.Table:
        name = f"{ORDER} anchors"
        column = table.column(name).to_pylist()
        column[: len(values)] = values
        array = pa.array(column, kind or pa.list_(pa.int32()))
        return table.set_column(table.column_names.index(name), name, array)

    return change


@pytest.mark.parametrize(
    "change",
    [
        with_anchors([[5]]),  # a number is missing
        with_anchors([[5, 2, 0]]),  # an anchor is missing
        with_anchors([[5, 2, 0, 5]]),  # behind the reference
        with_anchors([[5, 2, 0, -1]]),
        with_anchors([[5, 2, 3, 3]]),  # twice the same
        with_anchors([[-5, 0]]),
        with_anchors([[5, 6, 0, 1, 2, 3, 4, 5]]),  # more than words
        with_anchors([[None, 0]]),
        with_anchors([None]),
        with_anchors([[2**31 - 1, 2**31 - 1]]),
        with_anchors([], pa.list_(pa.int64())),
        with_anchors([], pa.list_(pa.float64())),
        lambda table: table.drop_columns([f"{ORDER} anchors"]),
        lambda table: table.set_column(
            table.column_names.index(f"{ORDER} anchors"),
            f"{ORDER} anchors",
            table.column("matched"),
        ),
        lambda table: table.slice(1),
    ],
)
def test_damaged_anchors(change: Callable[[pa.Table], pa.Table], cli: CommandLine) -> None:
    for name in ("fluent", "literal"):
        score_rows(name, name)
    path = rewrite(change)
    message = f"{path} is damaged: delete it, and score again"
    with pytest.raises(InputError) as caught:
        compare_folders("fluent", "literal")
    assert str(caught.value) == message
    assert cli.error("compare", "fluent", "literal", "-q") == message


@pytest.mark.parametrize(
    "values", [[[1.0, 2.0]], [[1.0, 2.0, 3.0, 4.0]], [[1.0, 2.0], [1.0, 2.0, 3.0, 4.0]], [None]]
)
def test_damaged_statistics(values: list[Any]) -> None:
    score_rows("literal", "literal")

    def change(table: pa.Table) -> pa.Table:
        name = f"{ORDER} statistics"
        column = table.column(name).to_pylist()
        column[: len(values)] = values
        return table.set_column(table.column_names.index(name), name, pa.array(column))

    path = rewrite(change)
    with pytest.raises(InputError) as caught:
        _ = hb.read_scores("literal")[ORDER].statistics
    assert str(caught.value) == f"{path} is damaged: delete it, and score again"


def test_anchors_of_other_references() -> None:
    """Both columns are sound, but not of the same words."""
    for name in ("fluent", "literal"):
        score_rows(name, name)
    rewrite(with_anchors([[200, 0]] * 2))
    with pytest.raises(InputError, match="two systems have "):
        compare_folders("fluent", "literal")


@pytest.mark.parametrize(("position", "bit"), [*product(range(50, 3000, 293), (0, 5))])
def test_changed_bits_of_pages_are_found(position: int, bit: int) -> None:
    """The checksums of pages see them; a change elsewhere may change nothing."""
    for name in ("fluent", "literal"):
        score_rows(name, name)
    expected = repr(compare_folders("fluent", "literal").differences)
    (path,) = Path("literal").glob("00003-of-*.parquet")
    content = bytearray(path.read_bytes())
    content[position % len(content)] ^= 1 << bit
    path.write_bytes(content)
    try:
        found = repr(compare_folders("fluent", "literal").differences)
    except InputError as error:
        found = str(error)
    assert found == expected or str(path) in found


# TableScorer ------------------------------------------------------------------------------------


@pytest.fixture
def table() -> pa.Table:
    return pa.table(COLUMNS)


def test_a_scorer_with_matched_words(table: pa.Table) -> None:
    scorer = hb.TableScorer(
        [ORDER, "kendall"], hypothesis="literal", reference="refs", matched=True, linked=True
    )
    scores = scorer(table)
    assert scores.column_names == [ORDER, "kendall", "linked", "matched"]
    score_rows("scores", "literal")
    stored = read_rows("scores")
    for name in (ORDER, "kendall", "matched"):
        assert scores.column(name).to_pylist() == stored.column(name).to_pylist()
    assert scores.schema == scorer.schema
    assert list(scorer.polars_schema) == scores.column_names
    assert scorer.polars(table).columns == scores.column_names


def test_the_schema_of_spark_has_matched_words() -> None:
    pytest.importorskip("pyspark")
    scorer = hb.TableScorer("order", hypothesis="literal", reference="refs", matched=True)
    assert scorer.spark_schema.fieldNames() == ["order", "matched"]


def test_matched_words_of_metrics_that_count_none(table: pa.Table) -> None:
    scorer = hb.TableScorer("chrf", hypothesis="literal", reference="refs", matched=True)
    assert scorer(table).column("matched").null_count == ROWS


def test_matched_cannot_be_a_kept_column() -> None:
    with pytest.raises(InputError, match="two columns named 'matched'"):
        hb.TableScorer("order", reference="r", keep=["matched"], matched=True)


def test_a_scorer_without_a_model_counts_in_the_references_of_each_row(table: pa.Table) -> None:
    """A row has the same value alone and in a table."""
    scorer = hb.TableScorer("order", hypothesis="literal", reference="refs")
    assert scorer.metrics["order"].options["precedence"] == "own"
    values = scorer(table).column("order").to_pylist()
    alone = [scorer(table.slice(k, 1)).column("order").to_pylist()[0] for k in range(ROWS)]
    assert values == alone
    by_sentence = [
        hb.metrics.get("order").sentence_score(text, references).value
        for text, references in zip(COLUMNS["literal"], COLUMNS["refs"], strict=True)
    ]
    assert values == by_sentence
