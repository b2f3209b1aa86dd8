"""How often systems are called different by their shared anchors where they are not, and where.

``make null`` prints the tables, and ends with status 1 if a limit is exceeded. It needs
HYPERBATON_DATA. It does not belong to docs/evidence.md, since it says nothing about other metrics.

- Null: outputs of two systems for random segments, each of which a coin gives to the one or to the
  other; the same with a tenth of the lines of one of them empty. p < 0.05 is counted, without the
  minimum of anchors.
- Power: a system against itself, with neighbouring words swapped; with words replaced by nonsense;
  with words replaced by other words of the text.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import hyperbaton
from hyperbaton.files.lines import read_lines
from hyperbaton.runs.differences import anchor_table, anchored_tests, compare_anchors
from hyperbaton.softorder.anchors import Anchors, PairedAnchors, find_anchors, pair_anchors
from hyperbaton.stats.paired_tests import MetricTable
from hyperbaton.stats.sampling import Sampling
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import WordTable

Sentences = Sequence[Sequence[str]]
Change = Callable[[Sentences, random.Random], Sentences]

ALPHA, LIMIT, RUNS, SEEDS = 0.05, 0.06, 2000, 100
SEGMENTS = (5, 10, 20, 50, 500)
MOST_SEGMENTS = 500  # of a system that is changed
TABLES_PER_SEED = 20  # that share their samples
TEXT = Tokenization(tok="13a", case="lc", fold="none")  # as the definition of order has it
EXAMPLE = Path(hyperbaton.__file__).with_name("example")
PAIRS = {  # two systems of a test set
    "popovic17 en-de": ("wordorder/popovic17/en-de", "nmt", "pbmt"),
    "popovic17 de-en": ("wordorder/popovic17/de-en", "nmt", "pbmt"),
    "wmt15 fi-en": ("wmt15/fi-en", "online-B.0", "uedin-jhu-phrase.4106"),
}


class Texts(NamedTuple):
    """The tokens of references and of systems."""

    references: Sentences
    systems: Mapping[str, Sentences]

    def compared(self, a: str, b: str) -> PairedAnchors:
        """Return what two systems share."""
        anchors = find_all(self.references, self.systems[a], self.systems[b])
        return pair_anchors(anchors[0], anchors[1], 1)


def read_tokens(path: Path) -> Sentences:
    """Return the tokens of the lines of a file."""
    return [TEXT.split(line) for line in read_lines(path)]


def read_pair(data: Path, name: str) -> Texts:
    """Return the texts of one of ``PAIRS`` from the folder of the data."""
    place, *systems = PAIRS[name]
    folder = data / place
    paths = {system: folder / "systems" / f"{system}.txt" for system in systems}
    return Texts(
        read_tokens(folder / "reference.txt"),
        {system: read_tokens(path) for system, path in paths.items()},
    )


def read_example() -> Texts:
    """Return the texts of the example."""
    names = ("literal", "phrasal", "fluent")
    systems = {name: read_tokens(EXAMPLE / f"{name}.txt") for name in names}
    return Texts(read_tokens(EXAMPLE / "reference.txt"), systems)


def find_all(references: Sentences, *systems: Sentences) -> list[Anchors]:
    """Return the anchors of systems, for one reference of each segment."""
    table = WordTable(TEXT, whole=True)
    refs, *numbered = (
        table.number_tokens([list(sentence) for sentence in side], "sentences", 1)
        for side in (references, *systems)
    )
    starts = np.arange(len(references) + 1)
    return [find_anchors(hyps, refs, starts, 1) for hyps in numbered]


# Null ------------------------------------------------------------------------------------------


def null_tables(
    shared: PairedAnchors, segments: int, runs: int, blanked: bool, seed: int = 1
) -> Iterator[MetricTable]:
    """Yield tables of two equal systems: each segment of two systems belongs to one at random.

    Segments are drawn from those that have anchors, more than once if there are too few. With
    ``blanked``, a tenth of them is empty in one system, and so has no anchors.
    """
    rng = np.random.default_rng([seed, segments])
    counted = np.flatnonzero(shared.weights)
    for _ in range(runs):
        chosen = rng.choice(counted, segments, replace=segments > len(counted))
        if blanked:
            chosen = chosen[-(-segments // 10) :]
        coin = rng.random(len(chosen)) < 0.5
        a, b = shared.a[chosen], shared.b[chosen]
        yield anchor_table(
            PairedAnchors(
                shared.weights[chosen],
                np.where(coin, a, b),
                np.where(coin, b, a),
                shared.tokens[chosen],
            )
        )


def null_p_values(
    tables: Iterator[MetricTable], method: str = "bootstrap", samples: int = 1000
) -> npt.NDArray[np.float64]:
    """Return the p-value of each table; a few tables at a time share their samples."""
    found: list[float] = []
    seed = itertools.count(1)
    while part := list(itertools.islice(tables, TABLES_PER_SEED)):
        sampling = Sampling(method, samples, next(seed))
        found += [test.p for test in anchored_tests(part, sampling)]
    return np.array(found)


def false_positives(p: npt.NDArray[np.float64]) -> float:
    """Return the share of significant differences."""
    return float((p < ALPHA).mean())


def margin(runs: int, rate: float = LIMIT) -> float:
    """Return half the 95 % interval of a rate."""
    return 1.96 * float(np.sqrt(rate * (1 - rate) / runs))


# Power -----------------------------------------------------------------------------------------


def swap_neighbours(share: float) -> Change:
    """Return a change that swaps this share of neighbouring words."""

    def change(sentences: Sentences, rng: random.Random) -> Sentences:
        changed = []
        for sentence in sentences:
            tokens, k = list(sentence), 0
            while k + 1 < len(tokens):
                if rng.random() < share:
                    tokens[k], tokens[k + 1] = tokens[k + 1], tokens[k]
                    k += 1  # a word is swapped once
                k += 1
            changed.append(tokens)
        return changed

    return change


def replace_words(share: float, nonsense: bool) -> Change:
    """Return a change that replaces words by nonsense, or by other words of the text."""

    def change(sentences: Sentences, rng: random.Random) -> Sentences:
        words = [word for sentence in sentences for word in sentence]

        def replaced(word: str) -> str:
            if rng.random() >= share:
                return word
            return f"xq{rng.randrange(10**9)}" if nonsense else rng.choice(words)

        return [[replaced(word) for word in sentence] for sentence in sentences]

    return change


CHANGES: dict[str, Change] = {
    "5 % of neighbours swapped": swap_neighbours(0.05),
    "5 % nonsense": replace_words(0.05, nonsense=True),
    "10 % nonsense": replace_words(0.10, nonsense=True),
    "5 % other words": replace_words(0.05, nonsense=False),
}


def outcomes(
    references: Sentences, system: Sentences, change: Change, seeds: int
) -> dict[str, int]:
    """Return how often a changed system has each outcome beside the system itself."""
    counts: dict[str, int] = {}
    for seed in range(seeds):
        changed = change(system, random.Random(seed))
        first, second = find_all(references, changed, system)
        sampling = Sampling(seed=seed, threads=1)
        scored, shared = {"changed": True, "system": True}, [pair_anchors(first, second, 1)]
        (found,) = compare_anchors("order", scored, [(0, 1)], shared, sampling)
        counts[found.outcome] = counts.get(found.outcome, 0) + 1
    return counts


def is_expected(change: str, counts: dict[str, int], seeds: int) -> bool:
    """Return whether a change is called as often as it should be."""
    called = counts.get("farther", 0) + counts.get("closer", 0)
    if change.endswith("swapped"):
        return counts.get("farther", 0) >= 0.95 * seeds
    return called <= (0.05 * seeds if change.endswith("other words") else 0)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="for each number of segments")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="for each change")
    parser.add_argument("--method", default="bootstrap")
    options = parser.parse_args()
    if "HYPERBATON_DATA" not in os.environ:
        sys.exit("set HYPERBATON_DATA to the folder of the data")
    data = Path(os.environ["HYPERBATON_DATA"])
    texts = {name: read_pair(data, name) for name in PAIRS}
    passed = True
    print(f"| p < {ALPHA}, {options.runs:,} runs, {options.method} |", end="")
    print("".join(f" n = {n} |" for n in SEGMENTS))
    print("|---|" + "---:|" * len(SEGMENTS))
    for name, pair in texts.items():
        shared = pair.compared(*pair.systems)
        for blanked in (False, True):
            rates = [
                false_positives(
                    null_p_values(null_tables(shared, n, options.runs, blanked), options.method)
                )
                for n in SEGMENTS
            ]
            passed &= max(rates) <= LIMIT + margin(options.runs)
            label = f"{name}, a tenth empty" if blanked else name
            print(f"| {label} | " + " | ".join(f"{rate:.3f}" for rate in rates) + " |", flush=True)
    print(f"\n| {options.seeds} seeds, at most {MOST_SEGMENTS} segments | system | outcomes |")
    print("|---|---|---|")
    for name, pair in texts.items():
        system, sentences = next(iter(pair.systems.items()))
        parts = pair.references[:MOST_SEGMENTS], sentences[:MOST_SEGMENTS]
        for label, change in CHANGES.items():
            counts = outcomes(*parts, change, options.seeds)
            passed &= is_expected(label, counts, options.seeds)
            description = ", ".join(
                f"{outcome}: {count}" for outcome, count in sorted(counts.items())
            )
            print(f"| {label} | {name} {system} | {description} |", flush=True)
    if not passed:
        sys.exit("a limit is exceeded")


if __name__ == "__main__":
    main()
