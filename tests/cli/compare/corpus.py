"""References and four systems to compare: two are alike, one is clearly worse, one is perfect."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from command_line import CommandLine
from hyperbaton.runs.comparing import Comparison
from hyperbaton.runs.comparing import compare as compare_systems

WORDS = [f"{first}{last}" for first in "bdfg" for last in ("an", "em", "ir", "ol")]


def make_corpus() -> tuple[list[str], dict[str, list[str]]]:
    """Return the references, and the lines of each system by file name."""
    rng = random.Random(12)
    lines = [rng.sample(WORDS, rng.randint(5, 12)) for _ in range(40)]

    def noisy(rate: float) -> list[str]:
        """Replace words and rotate lines at this rate."""
        changed = []
        for line in lines:
            words = ["x" if rng.random() < rate else word for word in line]
            if rng.random() < rate:
                words = words[2:] + words[:2]
            changed.append(" ".join(words))
        return changed

    references = [" ".join(line) for line in lines]
    return references, {
        "worse.txt": noisy(0.4),
        "a.txt": noisy(0.2),
        "b.txt": noisy(0.21),
        "perfect.txt": references,
    }


REFERENCES, SYSTEMS = make_corpus()
PAIR = ["-r", "ref.txt", "a.txt", "worse.txt"]
ALL = ["-r", "ref.txt", *SYSTEMS]


def write(name: str, lines: Sequence[str]) -> None:
    """Write a text file into the current directory."""
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def compared(metrics: list[str], *names: str, **options: Any) -> Comparison:
    """Compare these systems with the library, to check what the command line prints."""
    systems = {name.removesuffix(".txt"): SYSTEMS[name] for name in names}
    return compare_systems(systems, REFERENCES, metrics, **options)


def compare_json(cli: CommandLine, *arguments: str) -> Any:
    """Return the JSON document of ``hyperbaton compare``."""
    return cli.json("compare", *arguments, "-f", "json")
