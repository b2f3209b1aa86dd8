"""Metrics that are fitted on all references, over tables."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hyperbaton as hb
from hyperbaton.errors import InputError
from hyperbaton.runs.tables import plan
from hyperbaton.runs.tables.running import RunProgress
from runs.tables.parquet_files import bits, make_columns, write_split

COLUMNS = make_columns(60)
METRICS = ["order", "hyper", "wer"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three input files, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plan, "SHARD_ROWS", 7)
    write_split(Path("data"), COLUMNS, [20] * 3, 5)
    return tmp_path


def score(output: str = "scores", **changes: object) -> dict[str, hb.Result] | None:
    arguments: dict[str, object] = {
        "metrics": METRICS,
        "hypothesis": "a",
        "reference": "refs",
        "workers": 1,
    }
    return hb.score_table("data/*.parquet", output, **{**arguments, **changes})  # type: ignore[arg-type]


def with_nulls(score: hb.Score) -> list[float | None]:
    """Return the values of segments as a table has them."""
    return [None if math.isnan(value) else value for value in score.segments.tolist()]


@pytest.mark.parametrize("workers", [1, 2])
def test_tables_are_fitted_on_the_references_of_all_rows(workers: int) -> None:
    results = score(workers=workers)
    assert results is not None
    expected = hb.score(COLUMNS["a"], COLUMNS["refs"], METRICS)
    assert bits(results["a"]) == bits(expected)
    assert bits(hb.read_scores("scores")) == bits(expected)


def test_several_columns_of_references_and_systems() -> None:
    results = score(hypothesis=["a", "b"], reference=["first", "last"])
    references = list(map(list, zip(COLUMNS["first"], COLUMNS["last"], strict=True)))
    assert results is not None
    for name in "ab":
        assert bits(results[name]) == bits(hb.score(COLUMNS[name], references, METRICS))


def test_scorers_are_fitted_on_a_table() -> None:
    table = pa.table({name: COLUMNS[name] for name in ("a", "refs", "first", "last")})
    scorer = hb.TableScorer(METRICS, hypothesis="a", reference="refs", fit_on=table)
    expected = hb.score(COLUMNS["a"], COLUMNS["refs"], METRICS)
    parts = [scorer(table.slice(0, 25)), scorer(table.slice(25))]
    for name in METRICS:
        values = [value for part in parts for value in part[name].to_pylist()]
        assert values == with_nulls(expected[name])
    both = {"hypothesis": "a", "reference": ["first", "last"]}
    with pytest.raises(InputError, match="the table has no column 'first'; it has a"):
        hb.TableScorer(METRICS, **both, fit_on=table.select(["a"]))  # type: ignore[arg-type]


def test_progress_of_the_fit_comes_first() -> None:
    seen: list[RunProgress] = []
    score(progress=seen.append)
    fitting = [progress.fitting for progress in seen]
    assert fitting == sorted(fitting, reverse=True)
    assert [(p.rows, p.all_rows) for p in seen if p.fitting][-1] == (60, 60)


def test_parts_count_in_the_references_of_each_row() -> None:
    """A part does not see the references of the others."""
    for part in ("1/2", "2/2"):
        assert score(shard=part) is None
    result = hb.read_scores("scores")
    metrics = [name if name == "wer" else f"{name}:precedence=own" for name in METRICS]
    expected = hb.score(COLUMNS["a"], COLUMNS["refs"], metrics)
    for stored, fresh in zip(result.values(), expected.values(), strict=True):
        assert (stored.value, stored.signature) == (fresh.value, fresh.signature)
    assert "|precedence:own|" in result["order"].signature


def test_parts_with_a_saved_model_have_the_values_of_the_whole() -> None:
    hb.metrics.get("order").fit(COLUMNS["refs"]).save("refs.model")
    metrics = [f"{name}:precedence=refs.model" for name in ("order", "hyper")]
    for part in ("1/2", "2/2"):
        assert score(shard=part, metrics=metrics) is None
    expected = hb.score(COLUMNS["a"], COLUMNS["refs"], ["order", "hyper"])
    Path("refs.model").unlink()  # scores are read without it
    result = hb.read_scores("scores")
    for stored, fresh in zip(result.values(), expected.values(), strict=True):
        assert (stored.value, stored.signature) == (fresh.value, fresh.signature)


def test_a_run_does_not_go_on_with_other_references() -> None:
    score(metrics=["order"])
    next(Path("scores").glob("*.parquet")).unlink()
    changed = {**COLUMNS, "refs": [*COLUMNS["refs"][:-1], ["another reference"]]}
    table = pa.table(changed)
    pq.write_table(table.slice(40), "data/002.parquet", row_group_size=5)
    with pytest.raises(InputError, match="scores has scores with other settings"):
        score(metrics=["order"])


def test_rows_that_cannot_be_read() -> None:
    references = [*COLUMNS["refs"]]
    references[3], references[40] = None, []
    write_split(Path("broken"), {**COLUMNS, "refs": references}, [60], 60)
    arguments = ("broken/*.parquet", "out", ["order"])
    with pytest.raises(InputError, match=r"broken/000\.parquet, row 4: refs is null"):
        hb.score_table(*arguments, hypothesis="a", reference="refs")
    assert not Path("out").exists()
    results = hb.score_table(*arguments, hypothesis="a", reference="refs", on_error="null")
    kept = [k for k in range(60) if k not in (3, 40)]
    expected = hb.score([COLUMNS["a"][k] for k in kept], [references[k] for k in kept], ["order"])
    assert results is not None
    assert results["a"].skipped == 2
    assert results["a"]["order"].value == expected["order"].value
    assert results["a"]["order"].signature == expected["order"].signature


def test_a_scorer_of_a_fitted_metric() -> None:
    columns = {"hypothesis": "a", "reference": "refs"}
    table = pa.table(COLUMNS)
    alone = hb.TableScorer(["order"], **columns)(table)  # type: ignore[arg-type]
    own = hb.score(COLUMNS["a"], COLUMNS["refs"], "order:precedence=own")
    assert alone["order"].to_pylist() == with_nulls(own["order:precedence=own"])
    fitted = [hb.metrics.get(name).fit(COLUMNS["refs"]) for name in ("order", "hyper")]
    expected = hb.score(COLUMNS["a"], COLUMNS["refs"], ["order", "hyper"])
    scorer = hb.TableScorer(fitted, **columns)  # type: ignore[arg-type]
    for one in (scorer, pickle.loads(pickle.dumps(scorer))):
        scores = one(table)
        for name, score in expected.items():
            assert scores.column(name).to_pylist() == with_nulls(score)
    fitted[0].save("refs.model")
    saved = hb.TableScorer("order:precedence=refs.model", **columns)  # type: ignore[arg-type]
    values = saved(table).column("order:precedence=refs.model")
    assert values.to_pylist() == with_nulls(expected["order"])
