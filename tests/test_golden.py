"""All metrics on the example set equal the stored values, so that no change goes unnoticed.

The stored values come from Hyperbaton itself: they show that nothing has changed, not that it is
right. If a change is intended, ``python tests/test_golden.py`` writes them again, and a reviewer
sees the difference. New versions of sacreBLEU and PyStemmer can change them, too; the signatures
have these versions.
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
    """The lines of one text of the example set."""
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").removesuffix("\n").split("\n")


def values_by_system() -> dict[str, dict[str, float]]:
    """The value of each metric for each system."""
    references = lines("reference")
    reference_trees = list(hb.read_trees(EXAMPLE / "reference.conllu"))
    values = {}
    for system in SYSTEMS:
        result = hb.score(
            lines(system),
            references,
            ["all", "dted", "dted:weight=aligned", "dted:match=aligned"],
            language="en",
            trees=list(hb.read_trees(EXAMPLE / f"{system}.conllu")),
            reference_trees=reference_trees,
        )
        values[system] = {name: round(float(score), 10) for name, score in result.items()}
    return values


def test_texts_of_the_example_set_have_equal_length() -> None:
    counts = {name: len(lines(name)) for name in (*SYSTEMS, "reference", "source")}
    assert set(counts.values()) == {48}


def test_values_have_not_changed() -> None:
    golden = json.loads(GOLDEN.read_text("utf-8"))
    for system, values in values_by_system().items():
        assert values == pytest.approx(golden[system], abs=1e-9), system


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(values_by_system(), indent=1) + "\n", "utf-8")
