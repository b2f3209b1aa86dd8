"""The start of the program, and what ends it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import PROGRAM, NewProcess


@pytest.mark.skipif(sys.platform == "win32", reason="signals work differently there")
def test_an_interrupt_while_the_program_starts(tmp_path: Path) -> None:
    """A module that the program imports first is replaced by one that presses Ctrl-C."""
    (tmp_path / "typer.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
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
