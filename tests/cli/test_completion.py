"""Completion in shells, and the man page."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from docs.generate_man import generate

from command_line import CommandLine
from hyperbaton.cli import COMMANDS, load_command
from hyperbaton.cli.completion import option_names


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sc"], ["score"]),
        (["--ver"], ["--version"]),
        (["score", "--al"], ["--alignment", "--align-source", "--aligner-model", "--aligner-seed"]),
        (["score", "-m", "senscore,adj"], ["senscore,adjacency"]),
        (["compare", "--metric", "chrf"], ["chrf", "chrf++"]),
        (["score", "--format", "t"], ["text", "tsv"]),
        (["score", "-f", "m"], ["markdown"]),
        (["score", "--mt"], ["--mtme"]),
        (["check", "--fail"], ["--fail-below-baseline"]),
        (["check", "--format", ""], ["text", "json"]),
        (["tune", "--method", ""], ["climb", "grid"]),
        (["cite", "pet_"], ["pet_count", "pet_size"]),
        (["score", "-r", "re"], []),  # the shell completes files
        (["frob", "--al"], []),
        (["align", "--unaligned", "l"], ["left"]),
        (["align", "--matchers", "st"], ["stem"]),
        (["explain", "--draw", "al"], ["alignment"]),
    ],
)
def test_candidates(cli: CommandLine, words: list[str], expected: list[str]) -> None:
    assert cli.output("--complete", *words).splitlines() == expected


def test_every_command_is_completed(cli: CommandLine) -> None:
    assert cli.output("--complete", "").splitlines() == list(COMMANDS)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_completion_in_bash(tmp_path: Path, cli: CommandLine) -> None:
    """A function stands in for the program, which need not be on the path."""
    script = cli.output("--show-completion", "bash")
    program = f'hyperbaton() {{ "{sys.executable}" -m hyperbaton "$@"; }}'
    code = (
        f"{program}\n{script}\nCOMP_WORDS=(hyperbaton score --segm)\nCOMP_CWORD=2\n"
        '_hyperbaton_completion\nprintf "%s\\n" "${COMPREPLY[@]}"\ncomplete -p hyperbaton\n'
    )
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "--segments",
        "complete -o default -F _hyperbaton_completion hyperbaton",
    ]


@pytest.mark.parametrize(
    ("shell", "script", "start"),
    [
        ("bash", ".bash_completions/hyperbaton.sh", ".bashrc"),
        ("zsh", ".zfunc/_hyperbaton", ".zshrc"),
        ("fish", ".config/fish/completions/hyperbaton.fish", None),
    ],
)
def test_installation(
    shell: str,
    script: str,
    start: str | None,
    cli: CommandLine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    if start is not None:
        (tmp_path / start).write_text("alias ll='ls -l'", encoding="utf-8")
    for arguments in (["--install-completion"], ["--install-completion", shell]):
        out = cli.output(*arguments)
        assert out.startswith(f"wrote {tmp_path / script}\n")
        assert (tmp_path / script).read_text("utf-8") == cli.output("--show-completion", shell)
    if start is not None:  # one line was added, once
        first, added = (tmp_path / start).read_text("utf-8").splitlines()
        assert first == "alias ll='ls -l'"
        assert (tmp_path / script).parent.name in added
    if shutil.which(shell):
        subprocess.run([shell, "-n", str(tmp_path / script)], check=True)


def test_unknown_shells(cli: CommandLine) -> None:
    message = "the shell must be one of bash, zsh, fish, got 'tcsh'"
    assert cli.error("--install-completion", "tcsh") == message
    assert cli.error("--show-completion", "tcsh") == message


def test_short_option_for_the_version(cli: CommandLine) -> None:
    assert cli.output("-V") == cli.output("--version")


def test_man_page(tmp_path: Path) -> None:
    page = generate()
    text = page.replace("\\-", "-")
    for name, summary in COMMANDS.items():
        assert f".SS hyperbaton {name}\n{summary}\n" in text
        section = text.split(f".SS hyperbaton {name}\n")[1].split("\n.S")[0]
        for option in option_names(load_command(name)):
            assert option in section, (name, option)
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-Kutf8"],
            input=page,
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            check=True,
        )
        assert done.stderr == ""
        assert "hyperbaton score" in done.stdout
