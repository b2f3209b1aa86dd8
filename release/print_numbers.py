"""Print numbers that must be the same, to the last bit, with every wheel and every Python.

One line for each metric and measure: its name and a hash of its values' bytes.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

import hyperbaton as hb

EXAMPLE = Path(hb.__file__).parent / "example"
SYSTEMS = ("literal", "phrasal", "fluent")


def lines(name: str) -> list[str]:
    """Read one text of the example set."""
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").removesuffix("\n").split("\n")


def digest(values: object) -> str:
    """Hash the bytes of float64 values."""
    return hashlib.sha256(np.asarray(values, np.float64).tobytes()).hexdigest()[:16]


def main() -> None:
    """Print the hashes of all metrics on the example set and of all measures."""
    references = lines("reference")
    trees = {name: list(hb.read_trees(EXAMPLE / f"{name}.conllu")) for name in SYSTEMS}
    reference_trees = list(hb.read_trees(EXAMPLE / "reference.conllu"))
    for system in SYSTEMS:
        result = hb.score(
            lines(system),
            references,
            ["all", "dted"],
            language="en",
            trees=trees[system],
            reference_trees=reference_trees,
        )
        for name, score in result.items():
            print(system, name, float(score).hex(), digest(score.segments))
    generator = np.random.Generator(np.random.PCG64(1))
    permutations = [generator.permutation(1 + n % 60) + 1 for n in range(2000)]
    for name, values in hb.measures(permutations).items():
        print("measure", name, digest(values))
    profile = hb.reordering_profile(permutations)
    print("profile", digest([profile.mean_span, profile.mean_move, *profile.measures.values()]))


if __name__ == "__main__":
    main()
