"""The validation scripts of the guide, called as Marian calls them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hyperbaton as hb
from adapters.conftest import Example
from waiting import HANGING

GUIDE = Path(__file__).parents[2] / "docs" / "adapters" / "training-loops.md"
SCRIPTS = re.findall(r"^```bash\n(#!/bin/bash\n.*?)^```", GUIDE.read_text("utf-8"), re.M | re.S)
pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="the scripts need bash")


def write_executable(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: Example) -> Path:
    """A folder with the references, and the command on the path."""
    commands = tmp_path / "bin"
    commands.mkdir()
    write_executable(
        commands / "hyperbaton", f'#!/bin/sh\nexec "{sys.executable}" -m hyperbaton "$@"\n'
    )
    monkeypatch.setenv("PATH", str(commands), prepend=os.pathsep)
    references = "".join(f"{line}\n" for line in example.references)
    (tmp_path / "valid.reference.txt").write_text(references, "utf-8")
    return tmp_path


def validate(folder: Path, script: str, lines: list[str]) -> subprocess.CompletedProcess[str]:
    reference = folder / "valid.reference.txt"
    path = write_executable(folder / "validate.sh", script.replace(reference.name, str(reference)))
    translations = folder / "translations"
    translations.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    command = f"{path} {translations}"  # Marian gives this to a shell
    return subprocess.run(
        command, shell=True, capture_output=True, text=True, timeout=HANGING, check=False
    )


@pytest.mark.parametrize("index", [0, 1], ids=["plain", "subwords"])
def test_script_prints_a_number(index: int, folder: Path, example: Example) -> None:
    lines = example.hypotheses
    if index == 1:
        lines = [re.sub(r"(\w\w)(\w\w)", r"\1@@ \2", line) for line in lines]
        assert lines != example.hypotheses
    run = validate(folder, SCRIPTS[index], lines)
    value = hb.score(example.hypotheses, example.references, "hyper", "en")["hyper"].value
    assert (run.stdout, run.stderr) == (f"{value:.7f}\n", "")


def test_error_prints_no_number(folder: Path, example: Example) -> None:
    run = validate(folder, SCRIPTS[0], example.hypotheses[1:])
    assert run.stdout == ""
    assert "47" in run.stderr
    assert run.returncode != 0
