"""Warnings and notes are values, and each place says them in its own words."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import hyperbaton as hb
from command_line import CommandLine
from hyperbaton.notices import DONE, NOTE, WARNING, Advice, Notice, advice
from serve.running_server import RunningServer, running_server

JAPANESE = "私は明日の朝早く東京へ行きます。\n彼女は図書館で本を読んでいます。\n"


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with running_server() as started:
        yield started


def test_the_command_line_names_an_option(cli: CommandLine, tmp_path: Path) -> None:
    for name in ("r.txt", "s.txt"):
        (tmp_path / name).write_text(JAPANESE, encoding="utf-8")
    found = cli.succeed(
        "score", "-r", str(tmp_path / "r.txt"), str(tmp_path / "s.txt"), "-m", "wer"
    )
    assert "warning: the references look Japanese" in found.stderr
    assert "give the language, -l ja" in found.stderr


def test_the_page_says_what_to_choose(server: RunningServer) -> None:
    file = server.upload("r.txt", JAPANESE.encode())["id"]
    request = {"systems": [{"file": file}], "references": [{"file": file}], "metrics": ["wer"]}
    status, job = server.post("/api/jobs", request)
    assert status == 202, job
    (warning,) = (text for text in server.finish(job["id"])["warnings"] if "look Japanese" in text)
    assert warning.startswith("warning: ")
    assert warning.endswith("between words: choose the language")


def test_python_names_an_argument() -> None:
    systems, references = {"a": ["x y"] * 5, "b": ["y x"] * 5}, ["x y"] * 5
    comparison = hb.compare(systems, references, "wer")
    assert [notice.kind for notice in comparison.notes] == [WARNING]
    assert comparison.to_dict()["notes"] == comparison.notes  # JSON has the texts
    source = ["a b"] * 5
    with pytest.warns(
        UserWarning, match=r"more text helps \(more pairs for SourceAligner\.train\)"
    ):
        result = hb.score(
            ["x y"] * 5, references, "kendall:tok=13a", source=source, align_source=True
        )
    (few,) = (notice for notice in result.notices if notice.option == "training")
    assert few.line("command_line").endswith("more text helps (--bitext SRC TGT)")


@pytest.mark.parametrize("option", [None, *advice()])
def test_every_place_has_words(option: str | None) -> None:
    notice = Notice("fact", NOTE, option, "value")
    for place in Advice._fields:
        assert notice.line(place).startswith("note: fact")
        assert "{" not in notice.line(place)
    assert notice.line("python") == f"note: {notice}"


def test_notices_keep_what_they_are() -> None:
    notice = Notice("fact", NOTE, "language", "ja")
    again = pickle.loads(pickle.dumps(notice))
    assert (again, vars(again)) == (notice, vars(notice))
    assert notice.about("set", WARNING).line("command_line") == "warning: set: fact: give the " + (
        "language, -l ja"
    )
    assert Notice("wrote r.html", DONE).line("command_line") == "wrote r.html"
