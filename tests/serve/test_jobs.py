"""Jobs of ``hyperbaton serve``: their files are those of the command line, byte by byte."""

from __future__ import annotations

import gzip
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hyperbaton.cli import main
from hyperbaton.cli.options import EXAMPLE
from hyperbaton.files.lines import read_lines
from hyperbaton.serve.jobs import read_job
from serve.running_server import RunningServer, read_example, running_server

FILES = ("report.html", "scores.json", "segments.tsv", "scores.md", "scores.tex")
TEXTS = read_example()
ROWS = {
    name: list(read_lines(EXAMPLE / f"{name}.txt"))
    for name in ("source", "reference", "literal", "fluent")
}


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with running_server() as started:
        yield started


@pytest.fixture(autouse=True)
def in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def upload(server: RunningServer, name: str, content: bytes) -> dict[str, str]:
    """Upload a file and write it into the current folder, where the command line will read it."""
    Path(name).write_bytes(content)
    return {"file": server.upload(name, content)["id"]}


def run_job(server: RunningServer, request: dict[str, Any]) -> dict[str, Any]:
    status, job = server.post("/api/jobs", request)
    assert status == 202, job
    return server.finish(job["id"])


def check_downloads(server: RunningServer, job: dict[str, Any]) -> None:
    """Compare each file of a job with what its command writes in the current folder."""
    assert job["state"] == "done", job["error"]
    assert tuple(file["name"] for file in job["files"]) == FILES
    for file in job["files"]:
        program, *arguments = shlex.split(file["command"])
        assert program == "hyperbaton"
        assert main(arguments) == 0
        status, content, headers = server.raw_request(
            "GET", f"/api/jobs/{job['id']}/files/{file['name']}"
        )
        assert status == 200
        assert content == Path(file["name"]).read_bytes()
        assert headers["content-disposition"] == f'attachment; filename="{file["name"]}"'
        assert file["bytes"] == Path(file["name"]).stat().st_size


def example_request(server: RunningServer, *systems: str) -> dict[str, Any]:
    return {
        "systems": [upload(server, f"{name}.txt", TEXTS[name]) for name in systems],
        "references": [upload(server, "reference.txt", TEXTS["reference"])],
        "language": "en",
    }


def test_default_job(server: RunningServer) -> None:
    request = example_request(server, "literal", "phrasal", "fluent")
    request["source"] = upload(server, "source.txt", TEXTS["source"])
    job = run_job(server, request)
    assert job["segments"] == 48
    assert "--source source.txt" in job["command"]
    check_downloads(server, job)


def test_one_system(server: RunningServer) -> None:
    request = {
        **example_request(server, "fluent"),
        "metrics": ["pef", "wer"],
        "title": "One & only",
    }
    check_downloads(server, run_job(server, request))


def test_all_options(server: RunningServer) -> None:
    request = {
        **example_request(server, "literal", "fluent"),
        "metrics": ["pef:bp=off", "order"],
        "method": "randomization",
        "samples": 200,
        "seed": 7,
        "level": 0.9,
        "baseline": "literal.txt",
        "correction": "holm",
    }
    job = run_job(server, request)
    assert "--seed 7" in job["command"]
    check_downloads(server, job)


def test_links_through_the_source(server: RunningServer) -> None:
    texts = {name: b"".join(TEXTS[name].splitlines(True)[:8]) for name in TEXTS}
    request = {
        "systems": [upload(server, f"{name}.txt", texts[name]) for name in ("literal", "fluent")],
        "references": [upload(server, "reference.txt", texts["reference"])],
        "source": upload(server, "source.txt", texts["source"]),
        "metrics": ["lr_kb1"],
        "align_source": True,
        "samples": 50,
    }
    job = run_job(server, request)
    assert any("aligner" in warning for warning in job["warnings"])
    check_downloads(server, job)


def tsv() -> bytes:
    columns = zip(ROWS["reference"], ROWS["literal"], ROWS["fluent"], strict=True)
    rows = ["ref\tlit\tflu", *("\t".join(row) for row in columns)]
    return ("\n".join(rows) + "\n").encode()


def jsonl() -> bytes:
    rows = zip(ROWS["reference"], ROWS["literal"], ROWS["fluent"], strict=True)
    lines = (json.dumps(dict(zip(("ref", "lit", "flu"), row, strict=True))) for row in rows)
    return ("\n".join(lines) + "\n").encode()


def parquet() -> bytes:
    pa = pytest.importorskip("pyarrow")
    parquet_module = pytest.importorskip("pyarrow.parquet")
    names = {"ref": "reference", "lit": "literal", "flu": "fluent"}
    table = pa.table({column: ROWS[name] for column, name in names.items()})
    parquet_module.write_table(table, "made.parquet")
    return Path("made.parquet").read_bytes()


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("data.tsv", tsv),
        ("data.tsv.gz", lambda: gzip.compress(tsv())),
        ("data.jsonl", jsonl),
        ("data.parquet", parquet),
    ],
)
def test_columns(server: RunningServer, name: str, make: Any) -> None:
    content = make()
    Path(name).write_bytes(content)
    file = server.upload(name, content)
    assert file["columns"] == ["ref", "lit", "flu"]
    request = {
        "systems": [{"file": file["id"], "column": column} for column in ("lit", "flu")],
        "references": [{"file": file["id"], "column": "ref"}],
        "metrics": ["wer"],
        "samples": 50,
    }
    assert server.post("/api/preview", {k: request[k] for k in ("systems", "references")})[1][
        "ready"
    ]
    job = run_job(server, request)
    assert job["systems"] == ["lit", "flu"]
    check_downloads(server, job)


def test_gzipped_text(server: RunningServer) -> None:
    request = {
        "systems": [upload(server, "fluent.txt.gz", gzip.compress(TEXTS["fluent"]))],
        "references": [upload(server, "reference.txt", TEXTS["reference"])],
        "metrics": ["wer"],
        "samples": 50,
    }
    check_downloads(server, run_job(server, request))


def test_names_are_those_of_the_user(server: RunningServer) -> None:
    request = example_request(server, "literal", "fluent")
    for system, name in zip(request["systems"], ("Ältere «Version»", "<b>new</b>"), strict=True):
        system["name"] = name
    request = {**request, "metrics": ["wer"], "baseline": "Ältere «Version»", "samples": 20}
    job = run_job(server, request)
    assert job["systems"] == ["Ältere «Version»", "<b>new</b>"]
    assert job["command_notes"] == ["The command line cannot give a system the name <b>new</b>."]
    _, table, _ = server.raw_request("GET", f"/api/jobs/{job['id']}/files/segments.tsv")
    assert [row.split("\t")[1] for row in table.decode().split("\n")[1:3]] == job["systems"]


def test_commands_give_the_same_names(server: RunningServer) -> None:
    request = example_request(server, "literal", "fluent")
    request["systems"].append(upload(server, "-dash.txt", TEXTS["phrasal"]))
    request["systems"][0]["name"] = "Mein System"
    job = run_job(server, {**request, "metrics": ["wer"], "samples": 20})
    assert "'Mein System=literal.txt' fluent.txt ./-dash.txt" in job["command"]
    assert job["command_notes"] == []
    check_downloads(server, job)


def test_files_of_the_same_name(server: RunningServer) -> None:
    request = example_request(server, "literal")
    request["systems"].append(upload(server, "literal.txt", TEXTS["fluent"]) | {"name": "other"})
    job = run_job(server, {**request, "metrics": ["wer"], "samples": 20})
    assert job["command_notes"] == ["2 files have the name literal.txt: write the path of each."]


def test_the_example_set(server: RunningServer) -> None:
    _, request = server.post("/api/example")
    job = run_job(server, {**request, "metrics": ["wer"], "seed": 3})
    assert job["command"] == "hyperbaton report --example -m wer --seed 3 -o report.html"
    check_downloads(server, job)
    job = run_job(server, {**request, "metrics": ["wer"], "language": "de"})
    assert "reference.txt" in job["command"]
    assert "The files of the example come with Hyperbaton" in job["command_notes"][0]


def test_errors_name_the_users_files(server: RunningServer) -> None:
    request = {
        "systems": [upload(server, "mine.txt", b"a b\nc \xff d\n")],
        "references": [upload(server, "ref.txt", b"a b\nc d\n")],
    }
    job = run_job(server, request)
    assert job["state"] == "failed"
    assert job["error"] == "mine.txt, line 2, is not UTF-8: 0xff at byte 3"


def test_unequal_lengths_fail_in_one_line(server: RunningServer) -> None:
    request = {
        "systems": [upload(server, "mine.txt", b"a b\n")],
        "references": [upload(server, "ref.txt", b"a b\nc d\n")],
    }
    job = run_job(server, request)
    assert (job["state"], job["error"]) == (
        "failed",
        "ref.txt has 2 lines, but mine.txt has 1",
    )


def test_cancel_stops_the_work_at_once(server: RunningServer) -> None:
    psutil = pytest.importorskip("psutil")
    process = psutil.Process(server.process.pid)
    before = {*process.children()}
    job = server.start_long_job()
    (worker,) = {*process.children()} - before
    _, waiting = server.post("/api/jobs", server.long_request())
    assert waiting["ahead"] == 1
    assert server.request("GET", f"/api/jobs/{job}/files/report.html")[0] == 409
    assert server.post(f"/api/jobs/{job}", method="DELETE")[0] == 409
    for number in (waiting["id"], job):
        status, state = server.post(f"/api/jobs/{number}/cancel")
        assert (status, state["state"]) == (200, "cancelled")
    assert not worker.is_running()
    assert server.post(f"/api/jobs/{job}/cancel")[0] == 409
    assert server.post(f"/api/jobs/{job}", method="DELETE")[0] == 204
    assert server.request("GET", f"/api/jobs/{job}")[0] == 404


def test_preview_shows_problems_in_place(server: RunningServer) -> None:
    request = {
        "references": [upload(server, "ref.txt", b"a\nb\nc\n")],
        "systems": [
            upload(server, "good.txt", b"a\n\nc\n"),
            upload(server, "short.txt", b"a\n"),
            upload(server, "latin.txt", "a\ncaf\xe9 noir\nc\n".encode("latin-1")),
            upload(server, "empty.txt", b""),
        ],
    }
    _, preview = server.post("/api/preview", request)
    reference, good, short, latin, empty = preview["texts"]
    assert not preview["ready"]
    assert (reference["role"], reference["lines"], reference["first"]) == (
        "reference",
        3,
        ["a", "b", "c"],
    )
    assert good["empty"] == {"count": 1, "first": [2]}
    assert "short.txt has 1 line, but ref.txt has 3" in preview["problems"]
    assert latin["problem"] == "latin.txt, line 2, is not UTF-8: 0xe9 at byte 4"
    assert latin["bad_line"] == {"number": 2, "text": "caf\ufffd noir"}
    assert latin["lines"] == 3
    assert short["problem"] is None
    assert empty["problem"] == "empty.txt is empty"
    assert preview["problems"][:2] == [latin["problem"], empty["problem"]]


def test_preview_finds_equal_names(server: RunningServer) -> None:
    request = {
        "references": [upload(server, "ref.txt", b"a\n")],
        "systems": [upload(server, "a.txt", b"a\n"), upload(server, "a.txt", b"b\n")],
    }
    _, preview = server.post("/api/preview", request)
    assert preview["problems"] == [
        "2 systems have the name a.txt: change their names in the report"
    ]
    request["systems"][1]["name"] = "b"
    assert server.post("/api/preview", request)[1]["ready"]


def test_preview_of_several_references(server: RunningServer) -> None:
    content = b'{"r": ["a", "b"], "h": "a"}\n{"r": ["c"], "h": "c"}\n'
    file = server.upload("data.jsonl", content)["id"]
    request = {
        "references": [{"file": file, "column": "r"}],
        "systems": [{"file": file, "column": "h"}],
    }
    _, preview = server.post("/api/preview", request)
    assert preview["ready"]
    assert preview["texts"][0]["first"] == ["a\nb", "c"]


BAD_REQUESTS = [
    ({}, "there is no system"),
    ({"systems": "x"}, "systems must be a list of texts"),
    ({"metrics": ["pfe"]}, "unknown metric 'pfe'"),
    ({"metrics": ["dted"]}, "dted needs dependency trees"),
    ({"metrics": ["order:precedence=/etc/passwd"]}, "names a file or a program"),
    ({"metrics": ["pef:align=encoder:/etc/passwd"]}, "names a file or a program"),
    ({"metrics": ["dted:parser=udpipe:/etc/passwd"]}, "needs dependency trees"),
    ({"metrics": "pef"}, "metrics must be a list"),
    ({"language": "xx-yy"}, "unknown language"),
    ({"samples": 0}, "samples must be at least 1"),
    ({"samples": 10**9}, "samples must be at most"),
    ({"seed": "x"}, "seed must be an integer"),
    ({"level": 2}, "level must be between 0 and 1"),
    ({"method": "magic"}, "method must be one of"),
    ({"correction": "magic"}, "correction must be one of"),
    ({"metrics": ["bleu:tok=spm"]}, "tok must be one of"),
    ({"metrics": [""]}, "no metric was given"),
    ({"baseline": "nobody", "two": True}, "the baseline 'nobody' is not one of the systems"),
    ({"baseline": "a.txt"}, "need at least two systems"),
    ({"align_source": True}, "links through the source require the source text"),
    ({"align_source": "yes"}, "align_source must be true or false"),
    ({"source_language": "de"}, "source_language can only be used with links through the source"),
    ({"title": "x" * 1000}, "title must be a string of at most"),
    ({"precedence": "file"}, "unknown key 'precedence'"),
]


@pytest.mark.parametrize(("change", "message"), BAD_REQUESTS)
def test_bad_requests(server: RunningServer, change: dict[str, Any], message: str) -> None:
    file = server.upload("a.txt", b"a b\n")["id"]
    request: dict[str, Any] = {"systems": [{"file": file}], "references": [{"file": file}]}
    changed = dict(change)
    if changed.pop("two", False):
        request["systems"].append({"file": file, "name": "other"})
    request = changed if not change else {**request, **changed}
    status, answer = server.post("/api/jobs", request)
    assert status == 400
    assert message in answer["error"]
    assert "\n" not in answer["error"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ({"file": "nothing"}, "there is no such file"),
        ({"file": ["x"]}, "there is no such file"),
        ({"file": "../../etc/passwd"}, "there is no such file"),
        ({"path": "/etc/passwd"}, "a system must be an object"),
        ("/etc/passwd", "a system must be an object"),
        ({"file": "TEXT", "column": "a"}, "a.txt has no columns"),
        ({"file": "TSV"}, "data.tsv has columns: choose one"),
        ({"file": "TSV", "column": "../x"}, "data.tsv has no column '../x'"),
        ({"file": "TSV", "column": "a/b"}, "data.tsv has no column 'a/b'"),
        ({"file": "TEXT", "name": ["x"]}, "the name of a system must be a string"),
    ],
)
def test_bad_texts(server: RunningServer, text: Any, message: str) -> None:
    ids = {
        "TEXT": server.upload("a.txt", b"a b\n")["id"],
        "TSV": server.upload("data.tsv", b"a/b\tc\nx\ty\n")["id"],
    }
    if isinstance(text, dict) and text.get("file") in ("TEXT", "TSV"):
        text = {**text, "file": ids[text["file"]]}
    request = {"systems": [text], "references": [{"file": ids["TEXT"]}]}
    for path in ("/api/preview", "/api/jobs"):
        status, answer = server.post(path, request)
        assert status in (400, 404)
        assert message in answer["error"]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b"\xff", b'{"title": "\\ud800"}', b"[" * 100_000]
)
def test_requests_that_are_no_objects(server: RunningServer, body: bytes) -> None:
    for path in ("/api/jobs", "/api/preview", "/api/explain", "/api/permutation"):
        status, answer = server.post(path, body)
        assert status == 400, answer
        assert "\n" not in answer["error"]


def test_files_that_cannot_be_read(server: RunningServer) -> None:
    status, answer = server.post("/api/files?name=data.parquet", b"not a parquet file")
    assert status == 400
    assert answer["error"].startswith("data.parquet")
    status, answer = server.post("/api/files?name=plain.txt.gz", b"not compressed")
    assert status == 400
    assert answer["error"] == "plain.txt.gz is not a gzip file, although its name says so"
    damaged = gzip.compress(b"a\tb\n" * 1000)[:-20]
    status, answer = server.post("/api/files?name=data.tsv.gz", damaged[:15])
    assert status == 400
    assert "data.tsv.gz" in answer["error"]


def test_columns_that_nobody_can_name(server: RunningServer) -> None:
    content = b'{"\\ud800": "a", "a/b": "a", "good": "a"}\n'
    assert server.upload("x.jsonl", content)["columns"] == ["good"]


def test_files_that_expand_too_much() -> None:
    with running_server("--max-mb", "1") as server:
        bomb = gzip.compress(b"x" * 9_000_000)
        for name in ("a.txt", "a.txt.gz", "a.tsv.gz"):
            status, answer = server.post(f"/api/files?name={name}", bomb)
            assert (status, answer["error"]) == (413, "the file expands to more than 8 MB")


@pytest.mark.load
def test_kept_results_and_foreign_files_are_never_removed(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    (folder / "movie.part").mkdir(parents=True)
    with running_server("--keep", str(folder)) as server:
        request = {**example_request(server, "fluent"), "metrics": ["wer"], "samples": 20}
        done = run_job(server, request)["id"]
        for _ in range(105):
            _, job = server.post("/api/jobs", request)
            assert server.post(f"/api/jobs/{job['id']}/cancel")[0] == 200
        jobs = server.request("GET", "/api/jobs")[1]["jobs"]
        assert len(jobs) <= 101
        assert jobs[-1]["id"] == done
    assert {path.name for path in folder.iterdir()} == {"movie.part", done}


@pytest.mark.parametrize(
    "content",
    [
        "{ damaged",
        "[" * 100_000,
        '{"schema": "hyperbaton/job/1", "facts": {"id": "ID"}, "outcome": {}}',
        '{"schema": "hyperbaton/job/1", "facts": {"id": "ID", "title": "\\ud800"}, "outcome": {}}',
        '{"schema": "hyperbaton/job/1", "facts": {"id": "ID"}, "outcome": {"segments": NaN}}',
        "[]",
    ],
)
def test_damaged_results_are_not_listed(tmp_path: Path, content: str) -> None:
    folder = tmp_path / "20200101-000000-0000beef"
    folder.mkdir()
    assert read_job(folder) is None
    (folder / "job.json").write_text(content.replace("ID", folder.name), "utf-8")
    assert read_job(folder) is None


def test_results_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    with running_server("--keep", str(folder)) as server:
        job = run_job(server, {**example_request(server, "fluent"), "metrics": ["wer"]})
        report = server.request("GET", f"/jobs/{job['id']}/report.html")[1]
        server.stop()
    stale = folder / "20200101-000000-0000dead.part"  # as a killed server leaves it
    stale.mkdir()
    with running_server("--keep", str(folder)) as server:
        assert server.request("GET", "/api/info")[1]["keep"] is True
        (again,) = server.request("GET", "/api/jobs")[1]["jobs"]
        assert again == job
        assert server.request("GET", f"/jobs/{job['id']}/report.html")[1] == report
        assert not stale.exists()
        assert server.post(f"/api/jobs/{job['id']}", method="DELETE")[0] == 204
    assert not (folder / job["id"]).exists()


def test_two_servers_do_not_share_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running_server("--keep", str(tmp_path / "kept")):
        assert main(["serve", "--no-browser", "--keep", str(tmp_path / "kept")]) == 2
    assert "another server keeps its results in" in capsys.readouterr().err
