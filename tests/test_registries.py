"""What is registered is offered everywhere, and an unknown name is refused everywhere.

Each drill adds a row through a registry alone, in every process. tests/views/test_formats.py does
the same with an output format.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

import hyperbaton as hb
from command_line import ERROR
from drills import Program, registering
from hyperbaton.registries import Registry
from hyperbaton.text.tokenization import TOKENIZERS
from serve.running_server import RunningServer, read_example, running_server

REGISTRATION = """
import sys


def quarter_tests(tables, pairs, sampling):
    from hyperbaton.stats.paired_tests import MetricTests, PairTest

    for table in tables:
        yield MetricTests([PairTest(0.25)] * len(pairs), [(None, None)] * len(table.rows))


def run_inline(plan, indices, workers=None, address=None):
    from hyperbaton.runs.tables.shard_scoring import score_shard

    print("inline", len(indices), file=sys.stderr)
    for index in indices:
        yield score_shard(plan, index, f"{index:016x}")


from hyperbaton.runs.tables.engines import ENGINES, Engine
from hyperbaton.stats.sampling import PAIRED_TESTS, PairedTest
from hyperbaton.text.tokenization import TOKENIZERS, Tokenizer

PAIRED_TESTS.register("quarter", PairedTest(quarter_tests))
ENGINES.register("inline", Engine(run_inline))
TOKENIZERS.register("letters", Tokenizer(lambda: " ".join, owner="pytest"))
"""
COMPARE = ("compare", "--example", "-m", "wer", "--samples", "20", "--format", "json")
METHODS = "bootstrap|randomization|quarter"
ENGINE_NAMES = "local|ray|inline"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of processes that register more rows when they start."""
    return registering(REGISTRATION, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def server(environment: dict[str, str]) -> Iterator[RunningServer]:
    with running_server(env=environment) as started:
        yield started


@pytest.fixture
def program(environment: dict[str, str]) -> Program:
    return Program(environment)


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def squeezed_help(program: Program, command: str) -> str:
    return "".join(program.output(command, "--help-all").split())


def post_job(server: RunningServer, **settings: object) -> tuple[int, dict[str, object]]:
    names = ("literal", "fluent", "reference")
    files = {name: server.upload(f"{name}.txt", read_example()[name])["id"] for name in names}
    request = {
        "systems": [{"file": files["literal"]}, {"file": files["fluent"]}],
        "references": [{"file": files["reference"]}],
        "metrics": ["wer"],
        **settings,
    }
    status, answer = server.post("/api/jobs", request)
    return status, answer


# A paired test.


def test_a_paired_test_is_offered(program: Program, server: RunningServer) -> None:
    for command in ("compare", "check", "report"):
        assert METHODS in squeezed_help(program, command)
    assert program.output("--complete", "compare", "--method", "q") == "quarter\n"
    _, info = server.request("GET", "/api/info")
    assert info["statistics"]["methods"] == METHODS.split("|")


def test_a_paired_test_runs_and_is_named(
    program: Program, settings: Path, server: RunningServer
) -> None:
    settings.write_text('[tool.hyperbaton]\nmethod = "quarter"\n', encoding="utf-8")
    for arguments, config in ((["--method", "quarter"], ""), ([], str(settings))):
        found = json.loads(program.output(*COMPARE, *arguments, HYPERBATON_CONFIG=config))
        assert found["method"] == "quarter"
        assert [row["p"] for row in found["metrics"]["wer"]["differences"]] == [0.25] * 3
    text = program.output(*COMPARE[:-2], "--method", "quarter")
    assert "quarter, 20 samples" in text
    status, job = post_job(server, method="quarter", samples=20)
    assert status == 202, job
    assert server.finish(str(job["id"]))["state"] == "done"


def test_an_unknown_paired_test_is_refused(program: Program, settings: Path) -> None:
    known = METHODS.replace("|", ", ")
    refused = program.run(*COMPARE, "--method", "coin")
    assert refused.status == 2
    assert refused.stderr.startswith(f"{ERROR}--method must be one of {known}, got 'coin'")
    settings.write_text('[tool.hyperbaton]\nmethod = "coin"\n', encoding="utf-8")
    refused = program.run(*COMPARE, HYPERBATON_CONFIG=str(settings))
    assert refused.status == 2
    assert f"method must be one of {known}, got 'coin'" in refused.stderr
    with pytest.raises(hb.InputError, match="method must be one of bootstrap, randomization, got"):
        hb.compare({"a": ["x"], "b": ["y"]}, ["x"], "wer", method="quarter")


def test_the_server_refuses_an_unknown_paired_test(server: RunningServer) -> None:
    status, answer = post_job(server, method="coin")
    assert status == 400
    assert "method must be one of bootstrap, randomization, quarter, got 'coin'" in str(answer)


# A tokeniser.


def test_a_tokeniser_is_offered(program: Program, server: RunningServer) -> None:
    known = ",".join((*TOKENIZERS, "letters"))
    for command in ("align", "explain"):
        assert f"{known};nonesplits" in squeezed_help(program, command)
    assert program.output("--complete", "align", "--tokenize", "l") == "letters\n"
    _, info = server.request("GET", "/api/info")
    (pef,) = (row for row in info["metrics"] if row["name"] == "pef")
    assert "letters" in json.dumps(pef["options"])


def test_a_tokeniser_runs_and_its_owner_is_named(
    program: Program, settings: Path, server: RunningServer
) -> None:
    """A signature must not claim sacreBLEU for somebody else's tokens."""
    metrics = ["pef:tok=letters", "bleu:tok=letters", "wer:tok=letters"]
    settings.write_text(f"[tool.hyperbaton]\nmetrics = {metrics}\n", encoding="utf-8")
    score = ("score", "--example", "--format", "json")
    found = json.loads(program.output(*score, HYPERBATON_CONFIG=str(settings)))
    owner = f"pytest:{metadata.version('pytest')}"
    for name, result in found["systems"][0]["scores"].items():
        assert "tok:letters" in result["signature"], name
        assert owner in result["signature"], name
        assert "sacrebleu:" not in result["signature"], name
    aligned = program.output("align", "abc", "cab", "--text", "--tokenize", "letters", "-f", "json")
    assert len(json.loads(aligned.splitlines()[1])["links"]) == 3
    status, job = post_job(server, metrics=metrics)
    assert status == 202, job
    assert server.finish(str(job["id"]))["state"] == "done"


def test_bleu_of_another_tokeniser_is_that_of_the_split_text(
    program: Program, tmp_path: Path
) -> None:
    system, reference = "the cats saw the dog", "the cat saw the dogs"
    split = {name: " ".join(text) for name, text in (("s", system), ("r", reference))}
    for name, text in {"sys": system, "ref": reference, **split}.items():
        (tmp_path / name).write_text(f"{text}\n", encoding="utf-8")
    values = [
        program.output("score", "-b", "-r", str(tmp_path / ref), str(tmp_path / hyp), "-m", metric)
        for ref, hyp, metric in (("ref", "sys", "bleu:tok=letters"), ("r", "s", "bleu:tok=none"))
    ]
    assert values[0] == values[1] != "1.0000\n"


def test_an_unknown_tokeniser_is_refused(program: Program, server: RunningServer) -> None:
    refused = program.run("score", "--example", "-m", "pef:tok=words")
    assert refused.status == 2
    assert "none, letters, got 'words'" in refused.stderr
    refused = program.run("align", "a b", "b a", "--text", "--tokenize", "words")
    assert refused.status == 2
    assert "there is no tokeniser 'words'" in refused.stderr
    status, answer = post_job(server, metrics=["pef:tok=words"])
    assert status == 400
    assert "got 'words'" in str(answer)
    with pytest.raises(hb.InputError, match="tok must be one of"):
        hb.metrics.get("pef:tok=letters")


# An engine. The page runs no tables, so that it does not know engines.


def test_an_engine_is_offered(program: Program) -> None:
    assert ENGINE_NAMES in squeezed_help(program, "score")
    assert program.output("--complete", "score", "--engine", "i") == "inline\n"


def test_an_engine_runs(program: Program, settings: Path, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = {name: read_example()[name].decode().splitlines() for name in ("fluent", "reference")}
    parquet.write_table(pa.table(table), tmp_path / "d.parquet")
    columns = [f"{tmp_path / 'd.parquet'}:{name}" for name in ("reference", "fluent")]
    score = ["score", "-r", *columns, "-m", "wer"]
    expected = program.output(*score, "-b").strip()
    settings.write_text('[tool.hyperbaton]\nengine = "inline"\n', encoding="utf-8")
    for k, (arguments, config) in enumerate(((["--engine", "inline"], ""), ([], str(settings)))):
        out = f"{tmp_path / str(k)}{os.sep}"
        ran = program.run(*score, "-o", out, *arguments, HYPERBATON_CONFIG=config)
        assert ran.status == 0, ran.stderr
        assert "inline 1" in ran.stderr
        assert f"{100 * float(expected):.1f}" in ran.stdout
    # A setting for folders does not disturb other outputs.
    assert program.output(*score, "-b", HYPERBATON_CONFIG=str(settings)).strip() == expected


def test_an_unknown_engine_is_refused(program: Program, settings: Path) -> None:
    known = ENGINE_NAMES.replace("|", ", ")
    refused = program.run("score", "--example", "-o", "out/", "--engine", "steam")
    assert refused.status == 2
    assert refused.stderr.startswith(f"{ERROR}--engine must be one of {known}, got 'steam'")
    settings.write_text('[tool.hyperbaton]\nengine = "steam"\n', encoding="utf-8")
    refused = program.run("score", "--example", HYPERBATON_CONFIG=str(settings))
    assert refused.status == 2
    assert f"engine must be one of {known}, got 'steam'" in refused.stderr
    with pytest.raises(hb.InputError, match="engine must be one of local, ray, got 'inline'"):
        hb.score_table("d.parquet", "out", engine="inline")


def test_a_name_is_taken_once() -> None:
    table = Registry("engine", {"local": 1})
    table.register("ray", 2)
    with pytest.raises(hb.InputError, match="there already is a engine 'ray'"):
        table.register("ray", 3)
    assert list(table) == ["local", "ray"]
    with pytest.raises(hb.InputError, match="must be one of local, ray, got None"):
        table.find(None)
