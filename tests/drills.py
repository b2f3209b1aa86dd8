"""Programs that register something when they start, to see where it is known."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from command_line import PROGRAM, Result


def registering(code: str, folder: Path) -> dict[str, str]:
    """Return the environment of processes that run some code when they start."""
    (folder / "sitecustomize.py").write_text(code, encoding="utf-8")
    return {"PYTHONPATH": str(folder), "HYPERBATON_CONFIG": ""}


class Program:
    """Runs the command line in new processes with an environment of their own."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = {**os.environ, **environment}

    def run(self, *arguments: str, **environment: str) -> Result:
        command = [*PROGRAM, *arguments]
        ended = subprocess.run(
            command, capture_output=True, check=False, env={**self.environment, **environment}
        )
        return Result(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    def output(self, *arguments: str, **environment: str) -> str:
        result = self.run(*arguments, **environment)
        assert result.status == 0, result.stderr
        return result.stdout
