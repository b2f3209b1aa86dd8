"""What tuning seems to gain if people's scores of whole systems say nothing about them.

``HYPERBATON_DATA=… python -m evidence.null_tuning`` prints the table of docs/tuning.md. The human
scores of systems of WMT15 Finnish–English are permuted at random. α of lr_kb4 is then tuned for
pearson_sys, with systems held out, and with segments held out, where every fold has the same human
scores. A gain on what is held out must be 0 in the mean.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

import numpy as np

import hyperbaton as hb
from hyperbaton.meta.testsets import TestSet

SEGMENTS = 200
SYSTEM_COUNTS = (5, 9, 14)


def part_of(test_set: TestSet, systems: int) -> TestSet:
    """Return the first systems and segments of a test set, without judgements."""
    texts = {name: lines[:SEGMENTS] for name, lines in list(test_set.systems.items())[:systems]}
    return TestSet(test_set.name, texts, test_set.references[:SEGMENTS])


def gain(test_set: TestSet, scores: np.ndarray, units: str, seed: int) -> float:
    """Return the gain of tuning on held-out systems or segments."""
    names = tuple(test_set.systems)
    if units == "systems":
        human = hb.Scores(names, np.full((len(names), SEGMENTS), np.nan), scores)
        test_set = replace(test_set, whole=human)
    else:
        by_segment = np.repeat(scores[:, None], SEGMENTS, axis=1)
        test_set = replace(test_set, segments=hb.Scores(names, by_segment))
    tuning = hb.tune("lr_kb4", test_set, "alpha", "en", agreement="pearson_sys", seed=seed)
    assert tuning.units == units
    return tuning.held_out - tuning.untuned_held_out


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--permutations", type=int, default=100)
    options = parser.parse_args()
    folder = Path(os.environ["HYPERBATON_DATA"]) / "wmt15" / "fi-en"
    (test_set,) = hb.read_test_sets(folder)
    assert test_set.whole is not None
    by_name = dict(zip(test_set.whole.systems, test_set.whole.of_whole_systems(), strict=True))
    print("| systems | segments held out | systems held out |")
    print("|---:|---:|---:|")
    for count in SYSTEM_COUNTS:
        part = part_of(test_set, count)
        scores = np.array([by_name[name] for name in part.systems])
        cells = []
        for units in ("segments", "systems"):
            if units == "systems" and count < 6:
                cells.append("refused")
                continue
            rng = np.random.default_rng(1)
            gains = [
                gain(part, rng.permutation(scores), units, seed)
                for seed in range(options.permutations)
            ]
            error = np.std(gains, ddof=1) / len(gains) ** 0.5
            cells.append(f"{np.mean(gains):+.3f} ± {error:.3f}")
        print(f"| {count} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
