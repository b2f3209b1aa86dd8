"""Whole outputs of ``compare`` and ``score`` at 80 columns, against drift.

The texts in tests/golden/comparisons are our own output, which people have read; they show changes
and prove nothing. ``PYTHONPATH=tests python tests/cli/compare/test_golden.py`` writes them anew.
What the sentences and the cells must be is tested in tests/runs/test_verdict.py and beside this
file.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from rich.cells import cell_len

from command_line import CommandLine

GOLDEN = Path(__file__).parents[2] / "golden" / "comparisons"
WIDTH = 80
WORDS = [f"{first}{last}" for first in "bdfgklmnprst" for last in ("an", "em", "ir", "ol")]
RANDOM = random.Random(4)
REFERENCES = [" ".join(RANDOM.sample(WORDS, 10)) for _ in range(30)]


def swapped(count: int) -> list[str]:
    """The lines with two neighbours exchanged in the first ``count`` of them."""
    split = [line.split() for line in REFERENCES]
    return [
        " ".join([*words[:6], words[7], words[6], *words[8:]] if k < count else words)
        for k, words in enumerate(split)
    ]


REVERSED = [" ".join(reversed(line.split())) for line in REFERENCES]
NOISY = [line.replace("an", "zz") for line in swapped(12)]
THREE = [" ".join(line.split()[:3]) for line in REFERENCES]
TURNED = [" ".join(reversed(line.split())) for line in THREE]
JUNK = ["xyzzy qwert plugh"] * 30
LONG = "transformer-big-with-2024-labels", "transformer-big-with-2025-labels"
CASES: dict[str, tuple[str, dict[str, list[str]], list[str]]] = {
    "one-system": ("score", {"a": swapped(9)}, ["-c"]),
    "one-not-scored": ("score", {"junk": JUNK}, []),
    "two": ("compare", {"a": swapped(30), "b": REFERENCES}, []),
    "two-uncertain": ("compare", {"a": swapped(2), "b": NOISY}, []),
    "two-equal": ("compare", {"a": swapped(2), "b": swapped(2)}, []),
    "two-not-scored": ("compare", {"a": swapped(9), "junk": JUNK}, []),
    "two-details": ("compare", {"a": swapped(30), "b": NOISY}, ["--details"]),
    "three": ("compare", {"a": swapped(30), "b": REFERENCES, "c": NOISY}, []),
    "seventeen": ("compare", {f"s{k:02}": swapped(2 * k) for k in range(16)} | {"z": REVERSED}, []),
    "twenty": ("compare", {f"s{k:02}": swapped(k) for k in range(19)} | {"junk": JUNK}, []),
    "baseline": ("compare", {f"s{k}": swapped(3 * k) for k in range(9)}, ["--baseline", "s4"]),
    "few-words-in-common": ("compare", {"a": THREE[:10], "b": TURNED[:10]}, ["-m", "order"]),
    "six-segments": ("compare", {"a": REFERENCES[:6], "b": REVERSED[:6]}, []),
    "one-segment": ("compare", {"a": REFERENCES[:1], "b": REVERSED[:1]}, []),
    "right-to-left": ("compare", {"מתרגם": swapped(30), "مترجم": REFERENCES, "x": NOISY}, []),
    "long-names": ("compare", {LONG[0]: swapped(30), LONG[1]: REFERENCES, "翻译" * 9: NOISY}, []),
    "four-metrics": ("compare", {LONG[0]: swapped(30), "b": NOISY}, ["-m", "order,chrf,bleu,wer"]),
    "without-order": ("compare", {"a": swapped(30), "b": NOISY}, ["-m", "bleu,wer"]),
    "markdown": ("compare", {"a": swapped(30), "b": REFERENCES}, ["-f", "markdown"]),
    "latex": ("compare", {"a": swapped(30), "b": REFERENCES}, ["-f", "latex"]),
}


def arguments_of(case: str) -> list[str]:
    """Write the files of a case into the current folder, and return its command."""
    command, systems, options = CASES[case]
    n = len(next(iter(systems.values())))
    references = THREE[:n] if "common" in case else REFERENCES[:n]
    named = []
    for k, (name, lines) in enumerate({"reference": references, **systems}.items()):
        Path(f"{k}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        named.append(f"{name}={k}.txt")
    return [command, "-r", "0.txt", *named[1:], *options]


def without_versions(out: str) -> str:
    """Return an output without the versions in signatures."""
    return re.sub(r"\b(sb|sv|v|sacrebleu|version):[^|`\n]*", r"\1:…", out)


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


@pytest.mark.parametrize("case", CASES)
def test_output(case: str, cli: CommandLine) -> None:
    out = cli.succeed(*arguments_of(case)).stdout
    assert without_versions(out) == (GOLDEN / f"{case}.txt").read_text("utf-8")
    command, systems, options = CASES[case]
    *parts, below = out.rstrip("\n").split("\n\n")
    if "-f" in options:
        return
    notes = [line for line in below.splitlines() if "|" not in line]  # no signature
    lines = [line for part in parts for line in part.splitlines()] + notes
    assert max(map(cell_len, lines)) <= WIDTH
    if command == "compare":
        assert len(parts[0].splitlines()) <= (10 if len(systems) == 2 else 12)
        if len(systems) == 2 and "--details" not in options:
            assert out.count("\n") <= 30


def write_golden_files() -> None:
    """Write the outputs of all cases."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    program = [sys.executable, "-m", "hyperbaton"]
    environment = {**os.environ, "COLUMNS": str(WIDTH)}
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            arguments = [*program, *arguments_of(case)]
            out = subprocess.run(arguments, check=True, capture_output=True, env=environment)
        (GOLDEN / f"{case}.txt").write_text(without_versions(out.stdout.decode()), "utf-8")


if __name__ == "__main__":
    write_golden_files()
