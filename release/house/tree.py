"""A checkout that is measured: its source code, its Python and its command line."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from release.house.code import Function, Module, read_package

PROBE = Path(__file__).with_name("probe.py")
LINES = {"ref.txt": "a b c\nd e f\ng h i\n", "sys.txt": "b a c\nd e f\ng i h\n"}
RUNS = 9
OPTION = re.compile(r"  (?:-\w, )?--\w|  -\w\b")


class NotMeasuredError(Exception):
    """Why a number is missing."""


@dataclass(frozen=True)
class Tree:
    """A checkout with an environment in ``.venv``, in which its package is installed."""

    folder: Path

    @cached_property
    def modules(self) -> list[Module]:
        """The modules of the package."""
        package = self.folder / "src/hyperbaton"
        if not package.is_dir():
            raise NotMeasuredError(f"there is no {package}")
        return read_package(package)

    @cached_property
    def functions(self) -> list[Function]:
        """The functions of the package."""
        return [function for module in self.modules for function in module.functions()]

    def probe(self, name: str) -> Any:
        """Run a function of ``probe.py`` in the Python of the tree."""
        answer = json.loads(self._run("python", str(PROBE), name).splitlines()[-1])
        if "error" in answer:
            raise NotMeasuredError(answer["error"])
        return answer["found"]

    def score_seconds(self, metric: str) -> float:
        """Return the CPU time of ``hyperbaton score`` on three lines.

        It is the least of some runs, because other programs on the machine only add to it.
        """
        seconds = []
        for _ in range(RUNS):
            begin = _children_seconds()
            self._run("hyperbaton", "score", "-r", "ref.txt", "sys.txt", "-m", metric)
            seconds.append(_children_seconds() - begin)
        return min(seconds)

    @cached_property
    def commands(self) -> list[str]:
        """The commands that ``hyperbaton --help`` lists."""
        listed = self._run("hyperbaton", "--help").partition("Commands:\n")[2]
        return re.findall(r"^  (\w+)  ", listed, re.MULTILINE)

    @cached_property
    def _full_help(self) -> str:
        """The option that lists all options: --help up to 0.2.0."""
        has_two = "--help-all" in self._run("hyperbaton", "score", "--help")
        return "--help-all" if has_two else "--help"

    def options(self) -> list[str]:
        """Return the options that the help of all commands lists, each with its command."""
        return [
            f"{command} {line.strip()}"
            for command in self.commands
            for line in self._run("hyperbaton", command, self._full_help).splitlines()
            if OPTION.match(line)
        ]

    def _run(self, program: str, *arguments: str) -> str:
        """Run a program of the environment in a folder with three lines of text."""
        path = self.folder / ".venv/bin" / program
        if not path.exists():
            raise NotMeasuredError(f"there is no {path}")
        environment = {**os.environ, "HYPERBATON_CONFIG": ""}
        with tempfile.TemporaryDirectory() as folder:
            for name, text in LINES.items():
                (Path(folder) / name).write_text(text, "utf-8")
            done = subprocess.run(
                [path, *arguments],
                cwd=folder,
                env=environment,
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
        if done.returncode:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            raise NotMeasuredError(f"{program} {arguments[0]} ended with {done.returncode}: {last}")
        return done.stdout


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
