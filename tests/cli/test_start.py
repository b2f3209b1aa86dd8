"""The start of the program, and what ends it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import PROGRAM, CommandLine, NewProcess, Result

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")


def run_redirected(arguments: str, redirection: str, **environment: str) -> Result:
    """Run a command whose streams the shell redirects."""
    done = subprocess.run(
        ["/bin/bash", "-c", f"{shlex.join(PROGRAM)} {arguments} {redirection}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.skipif(sys.platform == "win32", reason="signals work differently there")
def test_an_interrupt_while_the_program_starts(tmp_path: Path) -> None:
    """A module that the program imports first is replaced by one that presses Ctrl-C."""
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [*PROGRAM, "--version"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "--example", "-m", "wer", "-o", "/dev/full"],
        ["score", "--example", "-m", "wer", "--segments", "/dev/full"],
        ["align", "a b", "b a", "-o", "/dev/full"],
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_a_full_disk(cli_process: NewProcess, arguments: list[str]) -> None:
    result = cli_process(*arguments)
    assert result.status == 1
    assert result.stderr == "hyperbaton: error: /dev/full: No space left on device\n"


COMPARE = "compare --example -m wer --samples 10 -f tsv"  # warns that there are few samples


@posix
@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-", "2> >(exec 0<&-)"])
def test_messages_that_cannot_be_written(redirection: str, working_directory: Path) -> None:
    """They must not end a run, change its status, or get among the results."""
    expected = run_redirected(COMPARE, "")
    assert "warning" in expected.stderr
    found = run_redirected(COMPARE, redirection)
    assert (found.status, found.stdout) == (0, expected.stdout)
    found = run_redirected("score -r none none", redirection)
    assert (found.status, found.stdout) == (2, "")


@posix
@pytest.mark.parametrize("arguments", ["explain 'a b' 'b a'", "metrics pef"])
def test_no_standard_output(arguments: str) -> None:
    assert run_redirected(arguments, ">&-") == Result(0, "", "")


@posix
def test_a_closed_pipe_that_costs_another_output(working_directory: Path) -> None:
    """If standard output is not buffered, the pipe breaks before the segments are complete."""
    arguments = "score --example -m wer --segments segments.tsv"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*PROGRAM, *arguments.split()],
        stdout=writer,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        check=False,
    )
    os.close(writer)
    message = "cannot write segments.tsv: the reader of another output has closed it"
    assert (done.returncode, done.stderr.decode()) == (2, f"hyperbaton: error: {message}\n")
    assert os.listdir() == []


def test_too_little_memory(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line and status 1, as for a full disk."""

    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("hyperbaton.cli.permutation.parse_permutation", fail)
    result = cli("permutation", "2", "1")
    assert result == Result(1, "", "hyperbaton: error: there is not enough memory\n")
