"""``hyperbaton explain`` as a user calls it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import hyperbaton
from hyperbaton.cli import main

EXAMPLE = Path(hyperbaton.__file__).parent / "example"
REFERENCE, SYSTEM = "we meet in the lobby at noon", "we will meet at noon in the lobby"


def run(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hyperbaton", "explain", *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "COLUMNS": "100", **(env or {})},
    )


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    ref, sys_ = tmp_path / "ref.txt", tmp_path / "sys.txt"
    ref.write_text(f"a b\n{REFERENCE}\n\n", encoding="utf-8")
    sys_.write_text(f"b a\n{SYSTEM}\n\n", encoding="utf-8")
    return str(ref), str(sys_)


def test_two_sentences() -> None:
    done = run(REFERENCE, SYSTEM, "-l", "en")
    assert (done.returncode, done.stderr) == (0, "")
    assert '\n  1  moved "at noon" after "in the lobby"\n' in done.stdout
    assert done.stdout.startswith("system     we will meet at noon in the lobby\n")
    for name in ("kendall", "pef", "invwer", "ter"):
        assert f"\n  {name} " in done.stdout or f"  {name} " in done.stdout


def test_a_line_of_two_files(files: tuple[str, str]) -> None:
    ref, sys_ = files
    assert run("-r", ref, sys_, "--line", "2").stdout == run(REFERENCE, SYSTEM).stdout
    first = run("-r", ref, sys_, "-n", "1", "-m", "wer")
    assert 'moved "b" after "a"' in first.stdout
    third = run("-r", ref, sys_, "--line", "3")
    assert third.returncode == 0
    assert "no word is aligned" in third.stdout


def test_columns(tmp_path: Path) -> None:
    table = tmp_path / "data.tsv"
    table.write_text(f"ref\tsys\na b\tb a\n{REFERENCE}\t{SYSTEM}\n", encoding="utf-8")
    done = run("-r", f"{table}:ref", f"{table}:sys", "--line", "2")
    assert 'moved "at noon" after "in the lobby"' in done.stdout


def test_pages_drawings_and_data(files: tuple[str, str], tmp_path: Path) -> None:
    page, drawing = tmp_path / "page.html", tmp_path / "drawing.svg"
    done = run("-r", *files, "--line", "2", "--html", str(page), "--svg", str(drawing))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    ElementTree.parse(drawing)
    assert "permutation forest" in drawing.read_text("utf-8")
    done = run("-r", *files, "--line", "2", "--svg", "-", "--draw", "alignment,parse")
    assert done.stdout.count("<svg") == 3
    data = json.loads(run("-r", *files, "--line", "2", "--json", "-m", "pef").stdout)
    assert data["schema"] == "hyperbaton/explanation/1"
    assert list(data["scores"]) == ["pef"]


def test_dependency_trees() -> None:
    done = run(
        *("-r", str(EXAMPLE / "reference.txt"), str(EXAMPLE / "literal.txt"), "--line", "33"),
        *("--ref-trees", str(EXAMPLE / "reference.conllu")),
        *("--trees", str(EXAMPLE / "literal.conllu"), "-l", "en"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "dependency trees at distance 32" in done.stdout
    assert "dted" in done.stdout


def test_given_links() -> None:
    done = run("house to the", "zum Haus", "--links", "0-1 0-2 1-0", "-m", "pef")
    assert 'moved "Haus" before "zum/to zum/the"' in done.stdout


def test_few_aligned_words_are_warned_of() -> None:
    done = run("a b c d e", "a x y z w", "-m", "pef")
    assert done.returncode == 0
    assert "only 20% of the words are aligned" in done.stderr


def test_few_aligned_words_are_no_news_without_words_or_with_given_links(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for arguments in (("", ""), ("a", ""), ("a b c d", "w x y z", "--links", "0-0")):
        assert main(["explain", *arguments, "-m", "pef"]) == 0
        assert capsys.readouterr().err == ""


def test_a_page_and_a_drawing_cannot_both_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "a", "b", "--html", "-", "--svg", "-"]) == 2
    assert "cannot both go to standard output" in capsys.readouterr().err


def test_words_that_spaces_separate(capsys: pytest.CaptureFixture[str]) -> None:
    spaced = ["explain", "a. b", "b a.", "-l", "ja", "-m", "wer,chrf"]
    assert main([*spaced, "--tokenize", "none"]) == 0
    out = capsys.readouterr().out
    assert 'moved "b" after "a."' in out
    assert "wer:tok=none" in out
    assert "chrf " in out
    if importlib.util.find_spec("MeCab") is None:
        assert main(spaced) == 2
        assert "--tokenize none" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are not there")
@pytest.mark.parametrize("colour", [True, False])
def test_colour_on_a_terminal(colour: bool) -> None:
    import pty

    leader, follower = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "" if colour else "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "hyperbaton", "explain", REFERENCE, SYSTEM, "-m", "pef"],
        stdout=follower,
        env=env,
    ):
        os.close(follower)
        seen = b""
        try:
            while part := os.read(leader, 4096):
                seen += part
        except OSError:  # the end, on Linux
            pass
    os.close(leader)
    assert b"at noon" in seen
    assert (b"\x1b[34m" in seen) == colour


def test_wrong_input_is_one_line(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ref, sys_ = files
    short, bad, long = tmp_path / "short.txt", tmp_path / "bad.txt", tmp_path / "long.txt"
    short.write_text("one\n", encoding="utf-8")
    bad.write_bytes(b"one\ntwo \xff\nthree\n")
    long.write_text("a\n" + "b " * 100_001 + "\nc\n", encoding="utf-8")
    empty = tmp_path / "empty.txt"
    empty.write_text("", encoding="utf-8")
    out = tmp_path / "out.html"
    line = ("--line", "2")
    for arguments, message in (
        (("-r", ref, sys_, "--line", "4"), "there is no line 4: "),
        (("-r", ref, sys_, "--line", "4"), "ref.txt has 3 lines"),
        (("-r", ref, sys_, "--line", "0"), "lines are counted from 1, not from 0"),
        (("-r", ref, sys_), "which line?"),
        (("-r", ref, *line), "no system"),
        (("-r", ref, sys_, sys_, *line), "one reference and one system"),
        (("-r", ref, "-r", ref, sys_, *line), "one reference and one system"),
        (("-r", ref, str(short), *line), "has 3 lines, but"),
        (("-r", ref, str(bad), *line), "line 2, is not UTF-8"),
        (("-r", ref, str(tmp_path / "none.txt"), *line), "cannot read"),
        (("-r", ref, str(empty), *line), "is empty"),
        (("-r", str(empty), str(empty), *line), "has no lines"),
        (("-r", ref, str(long), *line), "long.txt, line 2: 100,001 and 7 words are too many"),
        (("-r", ref, sys_, *line, "-m", "pfe"), "there is no metric 'pfe'"),
        (("-r", ref, sys_, *line, "--trees", ref), "--ref-trees is given 0 times"),
        (("-r", ref, sys_, *line, "--trees", sys_, "--ref-trees", ref), "ref.txt, line 1"),
        (("one",), "two sentences, or files"),
        (("one", "two", "three"), "two sentences, or files"),
        (("one", "two", "--line", "1"), "two sentences, or files"),
        ((), "two sentences, or files"),
        ((ref, sys_), "is a file"),
        (("a", "b", "--draw", "bush", "--svg", "-"), "there is no drawing 'bush'"),
        (("a", "b", "--draw", "tree"), "--draw is for --svg"),
        (("a", "b", "--svg", "-", "--draw", "dependencies"), "there are no dependency trees"),
        (("a", "b", "--links", "0-7"), "link 0-7 is outside the reference"),
        (("a", "b", "--trees", "x"), "--trees and --ref-trees are for files"),
        (("a", "b", "--parser", "guess"), "there is no parser 'guess'"),
        (("a", "b", "--svg", ""), "the name of a file is empty"),
        (("a", "b", "--svg", str(out)), "the same file"),
        (("a", "b", "--svg", "-", "--draw", ""), "--draw names no drawing"),
        (("a", "b", "--tokenize", "words"), "there is no tokenizer 'words'"),
    ):
        status = main(["explain", *arguments, "--html", str(out)])
        error = capsys.readouterr().err
        assert status == 2, (arguments, error)
        assert message in error, arguments
        assert error.count("\n") == 1, error
        assert error.startswith("hyperbaton: error: ")
        assert not out.exists()
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_outputs_that_cannot_be(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ref, sys_ = files
    for arguments, message in (
        (("--html", ref), "would be written over"),
        (("--html", str(tmp_path / "no" / "x.html")), "there is no folder"),
        (("--html", str(tmp_path / "x"), "--svg", str(tmp_path / "x")), "the same file"),
        (("--html", str(tmp_path / "x"), "--svg", str(tmp_path)), "it is a folder"),
    ):
        assert main(["explain", "-r", ref, sys_, "--line", "2", "-m", "pef", *arguments]) == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / "x").exists()
    assert Path(ref).read_text("utf-8").startswith("a b\n")


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are text there")
def test_arguments_that_are_not_utf8() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hyperbaton", "explain", b"a \xff b", b"b a"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"is not UTF-8" in done.stderr


def test_hostile_sentences_do_not_reach_the_terminal() -> None:
    done = run("a \x1b[31m b \u202e c", "c \u202e b \x1b[31m a")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
