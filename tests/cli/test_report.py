"""``hyperbaton report`` as a user calls it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hyperbaton.cli import main

REFERENCE = "the cat saw the dog\nwe meet in the lobby at noon\n"
GOOD = REFERENCE
BAD = "the dog the cat saw\nat noon in the lobby we meet\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("ref", REFERENCE), ("good", GOOD), ("bad", BAD), ("none", "x\ny\n")):
        Path(f"{name}.txt").write_text(text, "utf-8")


def content(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(path).read_text("utf-8"))
    return found


def test_page_and_data_are_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["-r", "ref.txt", "good.txt", "bad.txt", "-m", "pef,bleu"]
    assert main(["report", *arguments, "-o", "page.html", "--json", "page.json"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "2 segments are too few" in err
    found = content("page.json")
    html = Path("page.html").read_text("utf-8")
    start = html.index('id="content">') + len('id="content">')
    assert json.loads(html[start : html.index("</script>", start)]) == found
    assert main(["compare", *arguments, "--format", "json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    for metric in found["metrics"]:
        assert metric["ranking"] == compared["metrics"][metric["name"]]["ranking"]
    assert found["notes"] == compared["notes"]
    assert main(["score", *arguments, "--format", "json", "--confidence"]) == 0
    scored = json.loads(capsys.readouterr().out)
    for system, own in zip(found["systems"], scored["systems"], strict=True):
        for metric, score in own["scores"].items():
            for key in ("value", "lower", "upper"):
                assert system["scores"][metric][key] == score[key]


def test_defaults() -> None:
    assert main(["report", "-r", "ref.txt", "bad.txt"]) == 0
    assert "<title>Word order of bad.txt</title>" in Path("report.html").read_text("utf-8")


def test_one_system_has_intervals() -> None:
    arguments = ["-r", "ref.txt", "bad.txt", "-m", "pef", "--level", "0.9", "--title", "One"]
    assert main(["report", *arguments, "--json", "page.json"]) == 0
    found = content("page.json")
    assert found["title"] == "One"
    assert found["sampling"]["level"] == 0.9
    assert found["systems"][0]["scores"]["pef"]["lower"] is not None
    assert found["metrics"][0]["differences"] == []


def test_baseline_method_and_correction() -> None:
    systems = ["good.txt", "bad.txt", "none.txt"]
    arguments = ["-r", "ref.txt", *systems, "-m", "pef", "--json", "page.json"]
    more = ["--baseline", "./bad.txt", "--method", "randomization", "--correction", "holm"]
    assert main(["report", *arguments, *more]) == 0
    found = content("page.json")
    assert found["baseline"] == "bad.txt"
    assert found["correction"] == "holm"
    assert len(found["metrics"][0]["differences"]) == 2


def test_a_system_without_an_aligned_segment(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "-r", "ref.txt", "none.txt", "-m", "pef", "--json", "page.json"]) == 0
    assert "none.txt: only 0% of the words are aligned" in capsys.readouterr().err
    (system,) = content("page.json")["systems"]
    assert system["profile"]["without_links"] == 2
    assert system["profile"]["mean_span"] is None
    assert system["segments"]["links"] == [[], []]


def test_given_alignments() -> None:
    Path("none.align").write_text("0-1\n0-2\n", "utf-8")
    arguments = ["-r", "ref.txt", "none.txt", "-m", "pef", "--alignment", "none.align"]
    assert main(["report", *arguments, "--json", "page.json"]) == 0
    assert content("page.json")["systems"][0]["segments"]["links"] == [[0, 1, 1], [0, 2, 1]]


def test_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "-r", "ref.txt", "bad.txt", "-m", "pef", "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-r", "ref.txt"], "no system: hyperbaton report -r REF SYS..."),
        (["bad.txt"], "no reference"),
        (["-r", "ref.txt", "missing.txt"], "missing.txt"),
        (["-r", "ref.txt", "bad.txt", "-o", "nowhere/page.html"], "there is no folder"),
        (["-r", "ref.txt", "bad.txt", "-o", "."], "cannot write .: it is a folder"),
        (["-r", "ref.txt", "bad.txt", "-o", "bad.txt"], "would be written over"),
        (["-r", "ref.txt", "bad.txt", "-o", "a", "--json", "a"], "to the same file"),
        (["-r", "ref.txt", "bad.txt", "-o", "-", "--json", "-"], "to standard output"),
        (["-r", "ref.txt", "bad.txt", "--json", "nowhere/a.json"], "there is no folder"),
        (["-r", "ref.txt", "bad.txt", "--baseline", "bad.txt"], "two systems and more"),
        (["-r", "ref.txt", "bad.txt", "-m", "pfe"], "pfe"),
        (["-r", "ref.txt", "bad.txt", "--samples", "0"], "samples"),
        (["-r", "empty.txt", "empty.txt"], "empty.txt is empty"),
        (["-r", "ref.txt", "short.txt"], "short.txt"),
    ],
)
def test_wrong_input(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.txt").write_text("", "utf-8")
    Path("short.txt").write_text("one\n", "utf-8")
    before = {path.name for path in Path().iterdir()}
    assert main(["report", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert message in err
    assert {path.name for path in Path().iterdir()} == before  # no page, no part of one


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_a_folder_that_cannot_be_written_to(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("closed").mkdir(mode=0o555)
    try:
        (Path("closed") / "test").touch()
    except PermissionError:
        pass
    else:
        pytest.skip("this user may write anywhere")
    assert main(["report", "-r", "ref.txt", "bad.txt", "-o", "closed/page.html"]) == 2
    assert "cannot write closed/page.html" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
def test_names_are_only_text() -> None:
    name = "<img src=x onerror=alert(1)>.txt"
    Path(name).write_text(BAD, "utf-8")
    assert main(["report", "-r", "ref.txt", name, "-m", "pef"]) == 0
    html = Path("report.html").read_text("utf-8")
    assert "<img" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;.txt</title>" in html
