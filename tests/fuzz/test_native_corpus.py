"""Every input in fuzz/corpus runs through its target: first inputs, and all that ever failed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from waiting import HANGING

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "fuzz" / "corpus"
REPLAYS = ROOT / "build" / "fuzz" / "replay"
NATIVE = sorted(path.stem for path in (ROOT / "fuzz").glob("*.cpp") if path.stem != "replay")


def python_targets() -> list[str]:
    """The names of the targets in Python, if there are any."""
    if not (ROOT / "fuzz" / "python").is_dir():
        return []
    command = [sys.executable, "-m", "fuzz.python", "--list"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return shown.stdout.split()


def test_every_target_has_a_corpus_and_every_corpus_a_target() -> None:
    targets = {*NATIVE, *python_targets()}
    folders = {path.name for path in CORPUS.iterdir()}
    assert targets - folders == set(), "targets without a folder in fuzz/corpus"
    assert folders - targets == set(), "folders in fuzz/corpus without a target"
    assert [name for name in sorted(folders) if not any((CORPUS / name).iterdir())] == []


def replay(target: str, *files: str) -> subprocess.CompletedProcess[str]:
    """Run the files through a target, or skip the test if it has not been compiled."""
    program = next(
        (p for p in REPLAYS.glob(f"{target}*") if p.name in (target, f"{target}.exe")), None
    )
    if program is None:
        pytest.skip("not compiled: make replays")
    return subprocess.run(
        [program, *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=HANGING,
    )


@pytest.mark.parametrize("target", NATIVE)
def test_replay(target: str) -> None:
    files = sorted(str(path.relative_to(ROOT)) for path in (CORPUS / target).iterdir())
    ran = replay(target, *files)
    assert ran.returncode == 0, f"{ran.stdout.splitlines()[-1:]} {ran.stderr[-2000:]}"
    assert ran.stdout.splitlines() == files


def test_a_replay_fails_for_a_file_that_is_not_there(tmp_path: Path) -> None:
    ran = replay("cder", str(tmp_path / "none"))
    assert ran.returncode == 2
    assert "cannot read" in ran.stderr
