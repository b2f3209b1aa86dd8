"""Every example in a docstring, in README.md and in docs/ runs and gives what it says."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import hyperbaton

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = ["hyperbaton"] + [
    module.name
    for module in pkgutil.walk_packages(hyperbaton.__path__, "hyperbaton.")
    if not module.name.endswith(("_core", "__main__"))
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name), optionflags=OPTIONS).failed == 0


def test_docstrings_are_found() -> None:
    module = importlib.import_module("hyperbaton.order.flat")
    assert doctest.testmod(module, optionflags=OPTIONS).attempted >= 7


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages(page: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=OPTIONS)
    for block in blocks:
        assert ">>>" in block, "a block of Python is an example that runs"
    test = parser.get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    assert runner.run(test).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_consoles(page: Path) -> None:
    """What a command is said to print, it prints; a line of … stands for any lines."""
    consoles = re.compile(r"^```console\n\$ hyperbaton (.*?)^```", re.M | re.S)
    for block in consoles.findall(page.read_text("utf-8")):
        command, expected = block.split("\n", 1)
        done = subprocess.run(
            [sys.executable, "-m", "hyperbaton", *shlex.split(command)],
            capture_output=True,
            encoding="utf-8",
            check=True,
            env={**os.environ, "COLUMNS": "100"},
        )
        pattern = re.escape(expected).replace("…\\\n", "(?:.*\n)*?")
        assert re.fullmatch(pattern, done.stdout), done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target
