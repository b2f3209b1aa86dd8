"""Defaults of options from a configuration file."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import CommandLine

TABLE = """\
[project]
name = "evaluation"

[tool.hyperbaton]
metrics = ["wer", "pef:bp=off"]
language = "en"
digits = 2
quiet = true
"""
ARGUMENTS = ["score", "-r", "ref.txt", "sys.txt"]


@pytest.fixture(autouse=True)
def files(working_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HYPERBATON_CONFIG", raising=False)
    Path("ref.txt").write_text("the cats saw the dog\n", encoding="utf-8")
    Path("sys.txt").write_text("the dog saw the cat\n", encoding="utf-8")


def test_the_nearest_file_above_is_used(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("pyproject.toml").write_text(TABLE, encoding="utf-8")
    folder = Path("a/b")
    folder.mkdir(parents=True)
    Path("a/pyproject.toml").write_text('[project]\nname = "none"\n', encoding="utf-8")
    monkeypatch.chdir(folder)
    out = cli.output("score", "-r", "../../ref.txt", "../../sys.txt", "--details")
    heading, row = out.splitlines()[:2]
    assert heading.split() == ["system", "matched", "linked", "wer", "↓", "pef:bp=off"]
    assert row.split()[5] == "40.00"  # by hand: 2 of 5 words differ
    assert "align:exact+stem.en" in out  # the signature shows the language
    # Options on the command line come first.
    found = cli.json("score", "-r", "../../ref.txt", "../../sys.txt", "-m", "per", "-f", "json")
    assert list(found["systems"][0]["scores"]) == ["per"]


def test_the_variable_names_a_file(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("pyproject.toml").write_text("[tool.hyperbaton]\ndigits = 1\n", encoding="utf-8")
    Path("other.toml").write_text("[tool.hyperbaton]\ndigits = 6\n", encoding="utf-8")
    assert cli.output(*ARGUMENTS, "-m", "wer").splitlines()[1].split() == ["sys", "40.0"]
    monkeypatch.setenv("HYPERBATON_CONFIG", "other.toml")
    assert cli.output(*ARGUMENTS, "-m", "wer").splitlines()[1].split() == ["sys", "40.000000"]
    monkeypatch.setenv("HYPERBATON_CONFIG", "")
    assert cli.output(*ARGUMENTS, "-m", "wer").splitlines()[1].split() == ["sys", "40.0"]
    monkeypatch.setenv("HYPERBATON_CONFIG", "none.toml")
    assert cli.error(*ARGUMENTS) == "cannot read none.toml: No such file or directory"
    assert "Usage" in cli.output("score", "--help-all")


def test_config_prints_settings_and_their_file(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert cli.output("config").startswith("No pyproject.toml here or above has a table")
    Path("pyproject.toml").write_text(TABLE, encoding="utf-8")
    lines = cli.output("config").splitlines()
    assert lines[:2] == [f"# {tmp_path / 'pyproject.toml'}", "[tool.hyperbaton]"]
    assert lines[2] == 'metrics = ["wer", "pef:bp=off"]  # score, compare, check, report, meta'
    assert lines[-1] == "quiet = true  # all commands"
    # What it prints is a configuration file.
    Path("printed.toml").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setenv("HYPERBATON_CONFIG", "printed.toml")
    assert cli.output("config").splitlines()[1:] == lines[1:]


def test_the_example_keeps_its_language(cli: CommandLine) -> None:
    Path("pyproject.toml").write_text('[tool.hyperbaton]\nlanguage = "de"\n', encoding="utf-8")
    assert "align:exact+stem.en" in cli.output("score", "--example", "-m", "pef", "--details")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("digits = 0", "digits must be a whole number from 1 to 15, got 0"),
        ("digits = true", "digits must be a whole number from 1 to 15, got True"),
        ("metrics = 'wer'", "metrics must be a list of metrics, got 'wer'"),
        ("scale = 100", "has an unknown setting 'scale'; valid names: metrics, language, format"),
        ("metrics = " + 3000 * "[", "is not TOML: it is nested too deeply"),
        ("# " + 1_000_000 * "x", "is larger than 1,000,000 bytes"),
        ("format = 'xml'", "format must be one of text, json, tsv, csv, markdown, latex"),
        ("seed = 3", "has an unknown setting 'seed'; valid names: metrics, language, format"),
        ("= 3", "is not TOML: "),
        ("digits = " + 5000 * "1", "has a number with too many digits"),
        ("digits = 0x" + 5000 * "f", "from 1 to 15, got a number with too many digits"),
    ],
)
def test_invalid_settings(cli: CommandLine, text: str, message: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.hyperbaton]\n{text}\n", encoding="utf-8")
    error = cli.error(*ARGUMENTS)
    assert "pyproject.toml" in error
    assert message in error


def test_a_byte_order_mark_is_dropped(cli: CommandLine) -> None:
    Path("pyproject.toml").write_text("[tool.hyperbaton]\ndigits = 2\n", encoding="utf-8-sig")
    assert "digits = 2" in cli.output("config")


def test_options_come_first(cli: CommandLine) -> None:
    Path("pyproject.toml").write_text("[tool.hyperbaton]\ndigits = 3\n", encoding="utf-8")
    arguments = ("score", "--example", "-m", "bleu")
    assert "56.022" in cli.output(*arguments)
    assert "56.022" not in cli.output(*arguments, "--digits", "1")
