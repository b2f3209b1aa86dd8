"""All metrics on the example set, beside what they were: golden, so that a change is seen.

These numbers come from Hyperbaton itself. They prove nothing but that nothing has changed; if a
change is meant, ``python tests/test_golden.py`` writes them anew, and a reviewer sees the
difference. sacreBLEU and PyStemmer can change them, too: their versions are in the signatures.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hyperbaton as hb

GOLDEN = Path(__file__).parent / "golden" / "example.json"
EXAMPLE = Path(hb.__file__).parent / "example"
SYSTEMS = ("literal", "phrasal", "fluent")


def lines(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").removesuffix("\n").split("\n")


def numbers() -> dict[str, dict[str, float]]:
    references = lines("reference")
    reference_trees = list(hb.read_trees(EXAMPLE / "reference.conllu"))
    found = {}
    for system in SYSTEMS:
        result = hb.score(
            lines(system),
            references,
            ["all", "dted", "dted:weight=aligned", "dted:match=aligned"],
            language="en",
            trees=list(hb.read_trees(EXAMPLE / f"{system}.conllu")),
            reference_trees=reference_trees,
        )
        found[system] = {name: round(score.value, 10) for name, score in result.items()}
    return found


def test_example_set() -> None:
    counts = {name: len(lines(name)) for name in (*SYSTEMS, "reference", "source")}
    assert set(counts.values()) == {48}


def test_nothing_has_changed() -> None:
    golden = json.loads(GOLDEN.read_text("utf-8"))
    for system, values in numbers().items():
        assert values == pytest.approx(golden[system], abs=1e-9), system


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(numbers(), indent=1) + "\n", "utf-8")
