"""``hyperbaton report`` as a user calls it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandLine
from hyperbaton.alignment.aligner import Aligner

REFERENCE = "the cat saw the dog\nwe meet in the lobby at noon\n"
GOOD = REFERENCE
BAD = "the dog the cat saw\nat noon in the lobby we meet\n"


@pytest.fixture(autouse=True)
def files() -> None:
    """Write the references and the systems."""
    for name, text in (("ref", REFERENCE), ("good", GOOD), ("bad", BAD), ("none", "x\ny\n")):
        Path(f"{name}.txt").write_text(text, "utf-8")


def content(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(path).read_text("utf-8"))
    return found


def test_page_and_json_have_the_same_content(cli: CommandLine) -> None:
    arguments = ["-r", "ref.txt", "good.txt", "bad.txt", "-m", "pef,bleu"]
    done = cli.succeed("report", *arguments, "-o", "page.html", "--json", "page.json")
    assert done.stdout == ""
    assert "2 segments are too few" in done.stderr
    assert re.search(r"^hyperbaton: wrote page\.html \([\d.]+ kB\)$", done.stderr, re.M)
    assert re.search(r"^hyperbaton: wrote page\.json \([\d.]+ kB\)$", done.stderr, re.M)
    found = content("page.json")
    html = Path("page.html").read_text("utf-8")
    start = html.index('id="content">') + len('id="content">')
    assert json.loads(html[start : html.index("</script>", start)]) == found
    compared = cli.succeed("compare", *arguments, "--format", "json").json()
    for metric in found["metrics"]:
        assert metric["ranking"] == compared["metrics"][metric["name"]]["ranking"]
    # The verdict says the only note.
    (note,) = compared["notes"]
    assert found["notes"] == []
    assert f"{note}." in found["word_order"]["sentences"]
    scored = cli.succeed("score", *arguments, "--format", "json", "-c").json()
    for system, own in zip(found["systems"], scored["systems"], strict=True):
        for metric, score in own["scores"].items():
            for key in ("value", "lower", "upper"):
                assert system["scores"][metric][key] == score[key]


def test_a_source_is_shown_and_changes_no_number(cli: CommandLine) -> None:
    Path("src.txt").write_text("eins zwei\n\u0633\u0644\u0627\u0645\n", "utf-8")
    call = ["report", "-r", "ref.txt", "good.txt", "bad.txt", "-m", "pef", "--force", "--json"]
    cli.succeed(*call, "plain.json")
    cli.succeed(*call, "page.json", "--source", "src.txt")
    found, plain = content("page.json"), content("plain.json")
    assert found["sources"] == ["eins zwei", "\u0633\u0644\u0627\u0645"]
    assert plain["sources"] is None
    assert {**found, "sources": None} == plain


def test_sources_that_do_not_fit(cli: CommandLine) -> None:
    Path("src.txt").write_text("eins\nzwei\ndrei\n", "utf-8")
    call = ["report", "-r", "ref.txt", "good.txt", "-o", "page.html"]
    message = cli.error(*call, "--source", "src.txt")
    assert message == "src.txt has 3 lines, but ref.txt has 2"
    assert cli.error(*call, "--source", "no.txt").startswith("cannot read no.txt: ")
    assert "has its own systems" in cli.error("report", "--example", "--source", "src.txt")
    overwritten = [*call[:-1], "src.txt", "--source", "src.txt"]
    assert cli.error(*overwritten) == "src.txt would be overwritten while it is read"
    assert not Path("page.html").exists()


def test_each_pair_is_aligned_once(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Links that a metric found are those that the page shows: nothing is aligned again."""
    aligned: list[int] = []
    align_words = Aligner.align_words

    def count(aligner: Aligner, hyps: Any, refs: Any, threads: int | None = None) -> Any:
        aligned.append(len(hyps.offsets) - 1)
        return align_words(aligner, hyps, refs, threads)

    monkeypatch.setattr(Aligner, "align_words", count)
    cli.succeed("report", "-r", "ref.txt", "good.txt", "bad.txt", "-m", "pef,adjacency,bleu")
    assert sum(aligned) == 2 * 2  # two segments of two systems


def test_defaults(cli: CommandLine) -> None:
    cli.succeed("report", "-r", "ref.txt", "bad.txt")
    assert "<title>Word order of bad</title>" in Path("report.html").read_text("utf-8")


def test_the_default_file_is_not_overwritten(cli: CommandLine) -> None:
    Path("report.html").write_text("mine", "utf-8")
    arguments = ["-r", "ref.txt", "bad.txt", "-m", "pef", "--json", "page.json"]
    assert "report.html exists" in cli.error("report", *arguments)
    assert Path("report.html").read_text("utf-8") == "mine"
    assert not Path("page.json").exists()
    for more in (["--force"], ["-o", "report.html"]):
        Path("report.html").write_text("mine", "utf-8")
        assert "wrote report.html" in cli.succeed("report", *arguments, *more).stderr
        assert "<!doctype html>" in Path("report.html").read_text("utf-8")


def test_one_system_has_intervals(cli: CommandLine) -> None:
    for name in ("ref.txt", "bad.txt"):  # two segments are too few
        Path(name).write_text(4 * Path(name).read_text("utf-8"), "utf-8")
    arguments = ["-r", "ref.txt", "bad.txt", "-m", "pef", "--level", "0.9", "--title", "One"]
    cli.succeed("report", *arguments, "--json", "page.json")
    found = content("page.json")
    assert found["title"] == "One"
    assert found["sampling"]["level"] == 0.9
    assert found["systems"][0]["scores"]["pef"]["lower"] is not None
    assert found["metrics"][0]["differences"] == []


def test_baseline_method_and_correction(cli: CommandLine) -> None:
    systems = ["good.txt", "bad.txt", "none.txt"]
    arguments = ["-r", "ref.txt", *systems, "-m", "pef", "--json", "page.json"]
    more = ["--baseline", "./bad.txt", "--method", "randomization", "--correction", "holm"]
    cli.succeed("report", *arguments, *more)
    found = content("page.json")
    assert found["baseline"] == "bad"
    assert found["correction"] == "holm"
    assert len(found["metrics"][0]["differences"]) == 2


def test_system_without_aligned_words(cli: CommandLine) -> None:
    arguments = ["-r", "ref.txt", "none.txt", "-m", "pef", "--json", "page.json"]
    done = cli.succeed("report", *arguments)
    assert "none: pef: not ranked: only 0 % of its words are in the reference" in done.stderr
    (system,) = content("page.json")["systems"]
    assert system["profile"]["without_links"] == 2
    assert system["profile"]["mean_span"] is None
    assert system["segments"]["links"] == [[], []]


def test_given_alignments(cli: CommandLine) -> None:
    Path("none.align").write_text("0-1\n0-2\n", "utf-8")
    arguments = ["-r", "ref.txt", "none.txt", "-m", "pef", "--alignment", "none.align"]
    cli.succeed("report", *arguments, "--json", "page.json")
    assert content("page.json")["systems"][0]["segments"]["links"] == [[0, 1, 1], [0, 2, 1]]


def test_page_on_standard_output(cli: CommandLine) -> None:
    done = cli.succeed("report", "-r", "ref.txt", "bad.txt", "-m", "pef", "-o", "-")
    assert done.stdout.startswith("<!doctype html>")
    assert "wrote" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-r", "ref.txt"], "no system: hyperbaton report -r REF SYS..."),
        (["bad.txt"], "no reference"),
        (["-r", "ref.txt", "missing.txt"], "missing.txt"),
        (["-r", "ref.txt", "bad.txt", "-o", "nowhere/page.html"], "there is no folder"),
        (["-r", "ref.txt", "bad.txt", "-o", "."], "cannot write .: it is a folder"),
        (["-r", "ref.txt", "bad.txt", "-o", "bad.txt"], "would be overwritten"),
        (["-r", "ref.txt", "bad.txt", "-o", "a", "--json", "a"], "to the same file"),
        (["-r", "ref.txt", "bad.txt", "-o", "-", "--json", "-"], "to standard output"),
        (["-r", "ref.txt", "bad.txt", "--json", "nowhere/a.json"], "there is no folder"),
        (["-r", "ref.txt", "bad.txt", "--baseline", "bad.txt"], "need at least two systems"),
        (["-r", "ref.txt", "bad.txt", "-m", "pfe"], "pfe"),
        (["-r", "ref.txt", "bad.txt", "--samples", "0"], "samples"),
        (["-r", "empty.txt", "empty.txt"], "empty.txt is empty"),
        (["-r", "ref.txt", "short.txt"], "short.txt"),
    ],
)
def test_error_messages(arguments: list[str], message: str, cli: CommandLine) -> None:
    Path("empty.txt").write_text("", "utf-8")
    Path("short.txt").write_text("one\n", "utf-8")
    before = {path.name for path in Path().iterdir()}
    assert message in cli.error("report", *arguments)
    assert {path.name for path in Path().iterdir()} == before  # not even a partial page


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
def test_folder_without_write_permission(cli: CommandLine) -> None:
    Path("closed").mkdir(mode=0o555)
    try:
        (Path("closed") / "test").touch()
    except PermissionError:
        pass
    else:
        pytest.skip("this user may write anywhere")
    message = cli.error("report", "-r", "ref.txt", "bad.txt", "-o", "closed/page.html")
    assert "cannot write closed/page.html" in message


@pytest.mark.skipif(sys.platform == "win32", reason="Windows forbids such names")
def test_names_of_systems_are_escaped(cli: CommandLine) -> None:
    name = "<img src=x onerror=alert(1)>.txt"
    Path(name).write_text(BAD, "utf-8")
    cli.succeed("report", "-r", "ref.txt", name, "-m", "pef")
    html = Path("report.html").read_text("utf-8")
    assert "<img" not in html
    assert "&lt;img src…ert(1)&gt;</title>" in html
