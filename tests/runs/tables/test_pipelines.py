"""``TableScorer`` inside the pipelines of docs/large-data.md: the same bits as ``score``."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from metrics import corpora
from waiting import HANGING

pa = pytest.importorskip("pyarrow", reason="tables need pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

CORPUS = corpora.corpus(81, 400, (1,))
REFERENCES = [ref for (ref,) in CORPUS.references]
SPECS = ["pef", "bleu"]
SCORER = hb.TableScorer(SPECS, hypothesis="mt", reference="ref", keep={"id": "int64"})

GUIDE = (Path(__file__).parents[3] / "docs" / "large-data.md").read_text("utf-8")
# The scripts of the guide. They read the folder texts/ and write the folder scores/.
SCRIPTS = dict(re.findall(r"^```py\n# (\w+)\.py\n(.*?)^```", GUIDE, re.M | re.S))


@pytest.fixture(scope="module")
def texts() -> Any:
    return pa.table({"id": range(400), "mt": CORPUS.hypotheses, "ref": REFERENCES})


@pytest.fixture
def folder(texts: Any, tmp_path: Path) -> Path:
    """A folder whose subfolder texts/ has four Parquet files."""
    (tmp_path / "texts").mkdir()
    for k in range(4):
        part = texts.slice(100 * k, 100)
        parquet.write_table(part, tmp_path / "texts" / f"part-{k}.parquet")
    return tmp_path


def check_scores(scores: Any) -> None:
    """Check the table of scores, in any order, to the last bit."""
    scores = scores.sort_by("id")
    assert scores.column_names == ["id", *SPECS]
    assert scores.column("id").to_pylist() == list(range(400))
    for spec, score in hb.score(CORPUS.hypotheses, REFERENCES, SPECS).items():
        assert scores.column(spec).to_numpy().tobytes() == score.segments.tobytes(), spec


def run_script(folder: Path, *parts: str) -> None:
    """Run a pipeline in a folder and in a process of its own, which is ended if it hangs.

    Engines start threads and processes, give warnings and change signal handlers, which must not
    reach other tests.
    """
    paths = [os.path.abspath(path) for path in sys.path if path]
    environment = {
        "PYTHONPATH": os.pathsep.join(paths),
        "PYSPARK_PYTHON": sys.executable,
        "RAY_ADDRESS": "local",  # not the cluster of another test
    }
    with subprocess.Popen(
        [sys.executable, "-c", "\n".join(parts)],
        env=os.environ | environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            printed, _ = process.communicate(timeout=HANGING)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert process.returncode == 0, printed


def skip_without(module: str, name: str) -> None:
    """Skip a test without importing the module, which is slow and would stay in this process."""
    if find_spec(module) is None:
        pytest.skip(f"{name} is not installed")


def test_polars(texts: Any, folder: Path) -> None:
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    frame = pl.concat([pl.from_arrow(texts.slice(k, 90)) for k in range(0, 400, 90)], rechunk=False)
    for lf in (frame.lazy(), pl.scan_parquet(folder / "texts" / "*.parquet")):
        lazy = lf.map_batches(SCORER.polars, schema=SCORER.polars_schema)
        assert lazy.collect_schema() == pl.Schema(SCORER.polars_schema)
        check_scores(lazy.collect().to_arrow())
        low = lazy.filter(pl.col("pef") < 0.5).select("id").collect()["id"].to_list()
        expected = hb.score(CORPUS.hypotheses, REFERENCES, "pef")["pef"].segments
        assert sorted(low) == [k for k in range(400) if expected[k] < 0.5]


def test_polars_streaming(folder: Path) -> None:
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    lf = pl.scan_parquet(folder / "texts" / "*.parquet")
    scores = lf.map_batches(SCORER.polars, schema=SCORER.polars_schema, streamable=True)
    check_scores(scores.collect(engine="streaming").to_arrow())


def test_duckdb(folder: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    with duckdb.connect() as connection:
        scores = SCORER(connection.sql(f"SELECT * FROM '{folder}/texts/*.parquet'"))
        check_scores(scores)
        query = connection.sql("SELECT id FROM scores WHERE pef < 0.5 ORDER BY pef, id")
        expected = hb.score(CORPUS.hypotheses, REFERENCES, "pef")["pef"].segments
        worst = sorted((k for k in range(400) if expected[k] < 0.5), key=lambda k: expected[k])
        assert [k for (k,) in query.fetchall()] == worst


def test_duckdb_in_parts(folder: Path) -> None:
    """A reader hands over record batches one by one, and DuckDB reads the scores as they come."""
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    with duckdb.connect() as connection:
        relation = connection.sql(f"SELECT * FROM '{folder}/texts/*.parquet'")
        batches = SCORER.map_in_arrow(pa.RecordBatchReader.from_stream(relation))
        scores = pa.RecordBatchReader.from_batches(SCORER.schema, batches)
        other = connection.cursor()  # the first is busy with its own result
        check_scores(other.from_arrow(scores).to_arrow_table())


def test_pandas(texts: Any) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    scores = SCORER(texts.to_pandas()).to_pandas()
    assert isinstance(scores, pandas.DataFrame)
    check_scores(pa.Table.from_pandas(scores, preserve_index=False))


RAY_START = "import ray; ray.init(num_cpus=2, include_dashboard=False)"
RAY_REST = """
ds.map_batches(scorer, batch_format="pyarrow", batch_size=64).write_parquet("small")

import pyarrow
bad = pyarrow.table({"id": [1, 2], "mt": ["a", None], "ref": ["a", "a"]})
try:
    ray.data.from_arrow(bad).map_batches(scorer, batch_format="pyarrow").materialize()
except Exception as error:
    assert "row 2: mt is null" in str(error), error
else:
    raise AssertionError("a null was scored")
"""


def test_ray(folder: Path) -> None:
    skip_without("ray", "Ray")
    run_script(folder, RAY_START, SCRIPTS["score_ray"], RAY_REST)
    check_scores(parquet.read_table(folder / "scores"))
    check_scores(parquet.read_table(folder / "small"))


SPARK_START = """
from pyspark.sql import SparkSession
SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false").getOrCreate()
"""


def test_spark(folder: Path) -> None:
    skip_without("pyspark", "Spark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, such as Debian's default-jre-headless")
    run_script(folder, SPARK_START, SCRIPTS["score_spark"], "spark.stop()")
    check_scores(parquet.read_table(folder / "scores"))


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_dask(scheduler: str, folder: Path) -> None:
    skip_without("dask", "Dask")
    start = f"import dask; dask.config.set(scheduler={scheduler!r})"
    run_script(folder, start, SCRIPTS["score_dask"])
    check_scores(parquet.read_table(folder / "scores"))


def test_scripts_keep_to_the_promised_lines() -> None:
    lines = (
        'ds.map_batches(scorer, batch_format="pyarrow")',
        "df.mapInArrow(scorer.map_in_arrow, schema=scorer.spark_schema)",
        "lf.map_batches(scorer.polars, schema=scorer.polars_schema)",
    )
    for line in lines:
        assert line in GUIDE
