"""The work of the aligner, counted in steps rather than in seconds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from reference.cyk import compiler

FOLDER = Path(__file__).parent
CORE = FOLDER.parents[1] / "core"
WORDS = 2000
VISITS_PER_WORD = 20_000  # the limit that docs/bad-input.md names
PATHS = 12  # paths that are found outside of the rounds, before and after them


@pytest.mark.skipif(compiler() is None, reason="needs a C++ compiler")
def test_the_relaxation_of_repetitive_lines_is_bounded(tmp_path: Path) -> None:
    """All 310 rounds would go through 400 million candidates."""
    program = tmp_path / "count_work"
    options = ["-std=c++20", "-O1", "-pthread", f"-I{CORE}", "-o", str(program)]
    subprocess.run([str(compiler()), *options, str(FOLDER / "count_work.cpp")], check=True)
    counted = subprocess.run([str(program), str(WORDS)], capture_output=True, check=True)
    visits = int(counted.stdout)
    assert 0 < visits <= VISITS_PER_WORD * WORDS + PATHS * WORDS * WORDS
