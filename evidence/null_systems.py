"""How often ``compare`` finds a difference between equal systems, by the number of segments.

``python -m evidence.null_systems`` prints the tables of docs/comparing.md. It does not belong to
docs/evidence.md, since it says nothing about metrics. Two kinds of pairs are equal by construction:

- simulated: each word of both systems is wrong with the same probability, which is higher in long
  segments;
- exchanged: outputs of two systems of WMT15 Finnish–English for random segments, each of which a
  coin gives to the one or to the other. This kind needs HYPERBATON_DATA.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import hyperbaton as hb
from hyperbaton.runs.comparing import TestedScores, run_tests
from hyperbaton.runs.intervals import metric_table
from hyperbaton.runs.results import Score
from hyperbaton.runs.stored_segments import StoredStatistics
from hyperbaton.stats.paired_tests import MetricTests, bootstrap_tests, bootstrap_values
from hyperbaton.stats.sampling import Sampling
from hyperbaton.stats.significance import percentile_interval

Floats = npt.NDArray[np.float64]
PairTable = list[Score]  # the scores of two systems
REAL_METRICS = ("adjacency", "cder", "bleu")
ALPHA = 0.05
PAIRS_PER_SEED = 20


def simulated_texts(rng: random.Random, count: int) -> tuple[list[list[str]], list[str]]:
    """Return the lines of two systems with the same error rate, and the references."""
    lines = [["a"] * rng.randint(2, 20) for _ in range(count)]
    systems = [
        [" ".join("b" if rng.random() < len(line) / 60 else "a" for _ in line) for line in lines]
        for _ in range(2)
    ]
    return systems, [" ".join(line) for line in lines]


# All lengths from 2 to 20 are equally likely: Σ n·n/60 / Σ n.
TRUE_ERROR_RATE = sum(n * n / 60 for n in range(2, 21)) / sum(range(2, 21))


def simulated_pairs(count: int, segments: int, seed: int) -> list[PairTable]:
    """Return pairs of equal systems by ``wer``, each with its own texts."""
    systems, references = simulated_texts(random.Random(seed), count * segments)
    scores = [hb.score(lines, references, ["wer:tok=none"])["wer:tok=none"] for lines in systems]
    rows = [score.kept_statistics for score in scores]
    parts = (slice(k, k + segments) for k in range(0, count * segments, segments))
    return [[part_of(scores[0], table[part]) for table in rows] for part in parts]


def part_of(score: Score, rows: Floats) -> Score:
    """Return the score of some segments."""
    sums = rows.sum(axis=0)
    value = float(score.metric.aggregate(sums))
    stored = StoredStatistics.from_rows(rows)
    return Score(score.metric, value, len(rows), score.signature, sums, stored)


@dataclass(frozen=True)
class RealSystems:
    """The scores of real systems on all segments."""

    scores: Sequence[Score]

    @classmethod
    def read(cls, folder: Path, metric: str) -> RealSystems:
        """Score the systems of a test set."""
        (test_set,) = hb.read_test_sets(folder)
        references = test_set.references
        found = [
            hb.score(lines, references, [metric], "en", keep_texts=False)[metric]
            for lines in test_set.systems.values()
        ]
        return cls(found)

    def pairs(self, count: int, segments: int, seed: int) -> list[PairTable]:
        """Return pairs of systems that have exchanged each segment with probability one half."""
        rng = np.random.default_rng(seed)
        tables = [score.kept_statistics for score in self.scores]
        pairs = []
        for _ in range(count):
            a, b = rng.choice(len(tables), 2, replace=False)
            chosen = rng.choice(len(tables[0]), segments, replace=False)
            coin = rng.random((segments, 1)) < 0.5
            x, y = tables[a][chosen], tables[b][chosen]
            exchanged = (np.where(coin, x, y), np.where(coin, y, x))
            pairs.append([part_of(self.scores[0], rows) for rows in exchanged])
        return pairs


def p_values(
    pairs: list[PairTable],
    samples: int,
    method: str = "bootstrap",
    tests: Callable[..., Iterator[TestedScores | MetricTests]] = run_tests,
) -> list[float]:
    """Return the p-value of each pair; a few pairs at a time share their samples."""
    found: list[float] = []
    for seed, start in enumerate(range(0, len(pairs), PAIRS_PER_SEED)):
        part = pairs[start : start + PAIRS_PER_SEED]
        results = tests(part, [(0, 1)], Sampling(method, samples, seed))
        found += [result.tests[0].p for result in results]
    return found


def plain_p_values(pairs: list[PairTable], samples: int) -> list[float]:
    """Return the p-values of the bootstrap without regard to the number of segments."""

    def test(part: list[PairTable], *settings: Any) -> Iterator[MetricTests]:
        return bootstrap_tests(list(map(metric_table, part)), *settings)

    return p_values(pairs, samples, tests=test)


def false_positives(p: Sequence[float]) -> float:
    """Return the share of significant differences."""
    return float(np.mean(np.array(p) < ALPHA))


def coverage(pairs: list[PairTable], samples: int) -> tuple[float, float, float, float]:
    """Return how often intervals cover the truth.

    Those of the difference and of the first score, before and after they are expanded. The truth
    of the difference is 0, and that of the score is that of ``simulated_pairs``.
    """
    sampling = Sampling("bootstrap", samples)
    found: list[TestedScores] = list(run_tests(pairs, [(0, 1)], sampling))
    plain = [plain_bounds(pair, sampling) for pair in pairs]
    bounds = {
        "difference": [(tests.tests[0].lower, tests.tests[0].upper) for tests in found],
        "score": [(tests.scores[0].lower, tests.scores[0].upper) for tests in found],
    }
    truths = {"difference": 0.0, "score": TRUE_ERROR_RATE}
    shares = []
    for k, key in enumerate(("difference", "score")):
        for intervals in ([pair[k] for pair in plain], bounds[key]):
            covered = [
                low is not None and high is not None and low <= truths[key] <= high
                for low, high in intervals
            ]
            shares.append(float(np.mean(covered)) if intervals[0][0] is not None else np.nan)
    return shares[0], shares[1], shares[2], shares[3]


def plain_bounds(
    pair: PairTable, sampling: Sampling
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the percentile intervals of the difference and of the first score."""
    (values,) = bootstrap_values([metric_table(pair)], sampling)
    difference = percentile_interval(values[:, 0] - values[:, 1], sampling.level)
    return difference, percentile_interval(values[:, 0], sampling.level)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=2000, help="pairs for each number of segments")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--segments", type=int, nargs="*", default=list(range(1, 51)))
    parser.add_argument("--metrics", nargs="*", default=REAL_METRICS, help="of real systems")
    options = parser.parse_args()
    sources: dict[str, Callable[[int, int, int], list[PairTable]]] = {
        "simulated, wer": simulated_pairs
    }
    if "HYPERBATON_DATA" in os.environ:
        folder = Path(os.environ["HYPERBATON_DATA"]) / "wmt15" / "fi-en"
        for metric in options.metrics:
            sources[f"exchanged, {metric}"] = RealSystems.read(folder, metric).pairs
    print("| segments | " + " | ".join(f"{name}: before | after" for name in sources) + " |")
    print("|---:|" + "---:|---:|" * len(sources))
    highest = dict.fromkeys(sources, 0.0)
    for n in options.segments:
        cells = []
        for name, pairs_of in sources.items():
            pairs = pairs_of(options.pairs, n, n)
            rates = [
                false_positives(plain_p_values(pairs, options.samples)),
                false_positives(p_values(pairs, options.samples)),
            ]
            highest[name] = max(highest[name], rates[1])
            cells += [f"{rate:.3f}" for rate in rates]
        print(f"| {n} | " + " | ".join(cells) + " |", flush=True)
    print("highest after:", ", ".join(f"{name} {rate:.3f}" for name, rate in highest.items()))
    print()
    print("| segments | difference: percentile | expanded | score: percentile | expanded |")
    print("|---:|---:|---:|---:|---:|")
    for n in (5, 6, 8, 10, 15, 20, 21, 30, 50):
        shares = coverage(simulated_pairs(options.pairs, n, n), options.samples)
        print(f"| {n} | " + " | ".join(f"{share:.3f}" for share in shares) + " |", flush=True)


if __name__ == "__main__":
    main()
