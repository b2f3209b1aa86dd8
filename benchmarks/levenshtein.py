"""The Levenshtein distance, as WER has it, compared with RapidFuzz. Prints Markdown."""

from __future__ import annotations

import random
import statistics

import numpy as np
from benchmarks.timing import ROUNDS, print_header, print_table, seconds
from rapidfuzz.distance import Levenshtein

from hyperbaton.edit.distances import levenshtein_distances
from hyperbaton.edit.tokens import number_pairs

SIZES = {25: 20_000, 100: 5_000, 1_000: 100, 100_000: 1}  # number of pairs, by their words
WORDS = 1000  # different words


def main() -> None:
    """Time pairs of random words, one thread."""
    print_header()
    rows = []
    for words, count in SIZES.items():
        rng = random.Random(words)
        pairs = [
            tuple([rng.randrange(WORDS) for _ in range(words)] for _ in range(2))
            for _ in range(count)
        ]
        numbered = number_pairs(pairs)
        times = []
        for _ in range(ROUNDS):
            ours = seconds(lambda numbered=numbered: levenshtein_distances(numbered, threads=1))
            peer = seconds(lambda pairs=pairs: [Levenshtein.distance(*pair) for pair in pairs])
            times.append((ours, peer))
        expected = [Levenshtein.distance(*pair) for pair in pairs]
        assert np.array_equal(levenshtein_distances(numbered, threads=1), expected)
        own, other = (statistics.median(column) / count for column in zip(*times, strict=True))
        ratio = statistics.median(b / a for a, b in times)
        shown = [f"{1e6 * value:,.1f} µs" for value in (own, other)]
        rows.append([f"{words:,}", f"{count:,}", *shown, f"{ratio:.2f} ×"])
    print_table(
        "Levenshtein distance on one thread and RapidFuzz, per pair of numbered words",
        ["words", "pairs", "Hyperbaton", "RapidFuzz", "ratio"],
        rows,
    )


if __name__ == "__main__":
    main()
