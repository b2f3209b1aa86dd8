"""Output formats: what is registered is offered everywhere, and anything else is refused.

The drill adds a format through the registry alone, in every process.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import ERROR
from drills import Program, registering
from hyperbaton.errors import InputError
from hyperbaton.views.formats import FORMATS
from serve.running_server import RunningServer, read_example, running_server

KNOWN = "text, json, tsv, csv, markdown, latex, names"
REGISTRATION = """
from hyperbaton.views.formats import FORMATS, Format


def render_names(view, style):
    columns = next(part for part in view.document().parts if hasattr(part, "columns")).columns
    return "+".join(columns[0].cells)


FORMATS.register("names", Format(render_names, ".names", "text/x-names", "names of rows"))
"""
FAST = ["-m", "wer", "--samples", "20"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of processes that register one more format when they start."""
    return registering(REGISTRATION, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def server(environment: dict[str, str]) -> Iterator[RunningServer]:
    with running_server(env=environment) as started:
        yield started


@pytest.fixture
def program(environment: dict[str, str]) -> Program:
    return Program(environment)


def test_help_and_completion_list_it(program: Program) -> None:
    for command in ("score", "compare", "merge", "meta", "tune"):
        text = "".join(program.output(command, "--help").split())
        assert KNOWN.replace(", ", "|") in text
    assert program.output("--complete", "score", "--format", "").split() == KNOWN.split(", ")
    assert program.output("--complete", "meta", "-f", "na") == "names\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["score", "--example", "-m", "wer"], "fluent+literal+phrasal\n"),
        (["compare", "--example", *FAST], "fluent+literal+phrasal\n"),
        (["meta", "--example", *FAST], "wer\n"),
        (["tune", "--example", "--restarts", "1", "--folds", "2"], "full\n"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_it_runs(program: Program, arguments: list[str], expected: str) -> None:
    assert program.output(*arguments, "--format", "names") == expected


def test_the_configuration_file_takes_it(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    score = ["score", "--example", "-m", "wer"]
    file.write_text('[tool.hyperbaton]\nformat = "names"\n', encoding="utf-8")
    assert program.output(*score, HYPERBATON_CONFIG=str(file)) == "fluent+literal+phrasal\n"
    file.write_text('[tool.hyperbaton]\nformat = "whispers"\n', encoding="utf-8")
    refused = program.run(*score, HYPERBATON_CONFIG=str(file))
    assert refused.status == 2
    assert refused.stderr == (
        f"{ERROR}{file}: [tool.hyperbaton] format must be one of {KNOWN}, got 'whispers'\n"
    )


def test_the_page_offers_it(server: RunningServer) -> None:
    _, info = server.request("GET", "/api/info")
    assert [row["name"] for row in info["formats"]] == KNOWN.split(", ")
    assert info["formats"][-1] == {"name": "names", "suffix": ".names", "label": "names of rows"}
    texts = {name: {"file": server.upload(name, text)["id"]} for name, text in texts_of_job()}
    status, job = server.post(
        "/api/jobs",
        {"systems": [texts["fluent"]], "references": [texts["reference"]], "metrics": ["wer"]},
    )
    assert status == 202, job
    job = server.finish(job["id"])
    assert job["state"] == "done", job["error"]
    (file,) = (file for file in job["files"] if file["name"] == "scores.names")
    assert file["label"] == "names of rows"
    assert file["command"].endswith("--format names -o scores.names")
    address = f"/api/jobs/{job['id']}/files/scores"
    status, content, headers = server.raw_request("GET", f"{address}.names")
    assert (status, content) == (200, b"fluent\n")
    assert headers["content-type"].startswith("text/x-names")
    assert server.raw_request("GET", f"{address}.whispers")[0] == 404


def texts_of_job() -> list[tuple[str, bytes]]:
    texts = read_example()
    return [(name, texts[name]) for name in ("reference", "fluent")]


def test_an_unknown_format_is_refused(program: Program) -> None:
    for command in (["score"], ["compare"], ["merge", "folder"], ["meta"], ["tune"]):
        refused = program.run(*command, "--format", "whispers")
        assert refused.status == 2
        assert refused.stderr.startswith(f"{ERROR}--format must be one of {KNOWN}, got 'whispers'")
    known = KNOWN.removesuffix(", names")
    with pytest.raises(InputError, match=f"format must be one of {known}, got 'names'"):
        FORMATS.find("names")
