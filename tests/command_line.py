"""Run Hyperbaton's command line in tests: in this process, in a new one, or on a terminal.

Tests get these runners from the fixtures ``cli`` and ``cli_process`` in ``conftest.py``.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import pytest

from hyperbaton import cli
from hyperbaton.cli.messages import long_run_note
from waiting import HANGING

PROGRAM = (sys.executable, "-m", "hyperbaton")
ERROR = "hyperbaton: error: "


@dataclass(frozen=True)
class Result:
    """Exit status and output of one call of the command line."""

    status: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        """Parse the standard output as JSON, to which NaN and Infinity do not belong."""
        return json.loads(self.stdout, parse_constant=pytest.fail)


class CommandLine:
    """A way to run ``hyperbaton``, with the checks that most tests need.

    Calling the object runs the command and checks nothing. The methods check the exit status and
    the streams, and return the part of the output that a test looks at.
    """

    def __call__(self, *arguments: str, stdin: str = "") -> Result:
        """Run ``hyperbaton`` with these arguments and this standard input."""
        raise NotImplementedError

    def succeed(self, *arguments: str, stdin: str = "") -> Result:
        """Run a command that must succeed; it may print notes and warnings."""
        result = self(*arguments, stdin=stdin)
        assert result.status == 0, result.stderr
        return result

    def output(self, *arguments: str, stdin: str = "") -> str:
        """Return what a command prints, which must succeed without notes and warnings."""
        return self._succeed_silently(*arguments, stdin=stdin).stdout

    def json(self, *arguments: str, stdin: str = "") -> Any:
        """Return the JSON document that a command prints without notes and warnings."""
        return self._succeed_silently(*arguments, stdin=stdin).json()

    def error(self, *arguments: str, stdin: str = "") -> str:
        """Return the message of a command that must fail because of its input.

        Such a command ends with status 2, prints nothing, and reports the error on one line.
        """
        result = self(*arguments, stdin=stdin)
        assert result.status == 2, (arguments, result.stderr)
        assert result.stdout == ""
        assert result.stderr.startswith(ERROR)
        assert result.stderr.count("\n") == 1, result.stderr
        return result.stderr.removeprefix(ERROR).removesuffix("\n")

    def _succeed_silently(self, *arguments: str, stdin: str) -> Result:
        result = self.succeed(*arguments, stdin=stdin)
        assert result.stderr == ""
        return result


class InProcess(CommandLine):
    """Calls ``hyperbaton.cli.main`` in this process, which is fast and can be monkeypatched."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str, stdin: str = "") -> Result:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                sys,
                "stdin",
                io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin.encode())), "utf-8"),
            )
            # A slow machine must not add a note to what a command prints.
            patch.setattr(cli, "long_run_note", partial(long_run_note, HANGING))
            status = cli.main(arguments)
        return Result(status, *self._capsys.readouterr())


class NewProcess(CommandLine):
    """Starts ``python -m hyperbaton``, as a user does.

    It takes about half a second, so it is for tests of what only a process has: its locale, its
    standard input, signals, and exit statuses.
    """

    def __init__(self, **environment: str) -> None:
        self._environment = environment

    def __call__(self, *arguments: str, stdin: str = "") -> Result:
        done = subprocess.run(
            [*PROGRAM, *arguments],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, **self._environment},
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def with_environment(self, **environment: str) -> NewProcess:
        """Return a runner whose processes have these environment variables, too."""
        return NewProcess(**{**self._environment, **environment})

    def on_terminal(self, stream: Literal["stdout", "stderr"], *arguments: str) -> Result:
        """Run a command with one stream connected to a pseudo-terminal, which POSIX systems have.

        The other stream has to fit into the buffer of a pipe.
        """
        import pty

        leader, follower = pty.openpty()
        with subprocess.Popen(
            [*PROGRAM, *arguments],
            stdout=follower if stream == "stdout" else subprocess.PIPE,
            stderr=follower if stream == "stderr" else subprocess.PIPE,
            env={**os.environ, **self._environment},
        ) as process:
            os.close(follower)
            shown = b""
            try:
                while part := os.read(leader, 4096):
                    shown += part
            except OSError:  # Linux reports the end of a terminal as an error
                pass
            pipe = process.stderr if stream == "stdout" else process.stdout
            assert pipe is not None
            piped = pipe.read().decode()
        os.close(leader)
        texts = (shown.decode(), piped) if stream == "stdout" else (piped, shown.decode())
        return Result(process.returncode, *texts)
