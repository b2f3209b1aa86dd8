"""Comparing systems beside scoring them, and beside sacreBLEU's paired bootstrap. Prints Markdown.

The sentences are those of HYPERBATON_DATA (wmt13/de-en), and there is nothing without it.
"""

from __future__ import annotations

import os
import resource
import statistics
import time
from pathlib import Path
from typing import Any

from benchmarks.timing import header, seconds, table

from hyperbaton.metrics.comparison import compare_results
from hyperbaton.metrics.sampling import METHODS, Sampling
from hyperbaton.metrics.scoring import Result, named_metrics, score_systems

METRICS = ("bleu", "lr_kb4", "pef", "adjacency", "wer")
SAMPLES = 1000
ROUNDS = 3


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def all_pairs(results: list[Result], scoring: float) -> None:
    rows = []
    for method in METHODS:
        sampling = Sampling(method, SAMPLES)
        times = [
            seconds(lambda s=sampling: compare_results(results, s, None, "none"))
            for _ in range(ROUNDS)
        ]
        taken = statistics.median(times)
        share = f"{taken / scoring:.2f} ×"
        rows.append([method, f"{scoring:.1f} s", f"{taken:.2f} s", share])
    table(
        f"{len(results)} systems, {len(METRICS)} metrics, {SAMPLES:,} samples, all pairs",
        ["method", "scoring", "comparing", "comparing ÷ scoring"],
        rows,
    )


def beside_sacrebleu(
    systems: dict[str, list[str]], references: list[str], results: list[Result]
) -> None:
    """A system and a metric: what sacreBLEU's test does after it has the statistics.

    Ours is all of the comparison above, every pair of it, over its systems and metrics; and, beside
    it, three systems and BLEU alone, as sacreBLEU is called here.
    """
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    known: dict[int, list[list[int]]] = {}

    class Counted(BLEU):
        """BLEU that has counted its n-grams before."""

        def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
            if id(hypotheses) not in known:
                known[id(hypotheses)] = super()._extract_corpus_statistics(hypotheses, references)
            return known[id(hypotheses)]

    names = list(systems)[:3]
    chosen = [(name, systems[name]) for name in names]
    alone = [Result({"bleu": result["bleu"]}, result.name) for result in results[:3]]
    sampling = Sampling(samples=SAMPLES)

    metric = Counted()

    def theirs() -> None:
        PairedTest(chosen, {"BLEU": metric}, [references], "bs", SAMPLES)()

    theirs()  # now it has counted
    rounds = []
    for _ in range(ROUNDS):
        whole = seconds(lambda: compare_results(results, sampling, None, "none"))
        three = seconds(lambda: compare_results(alone, sampling, names[0], "none"))
        rounds.append((whole / len(results) / len(METRICS), three / 3, seconds(theirs) / 3))
    ours, few, sacre = (1e3 * statistics.median(times) for times in zip(*rounds, strict=True))
    ratio = statistics.median(b / a for a, _, b in rounds)
    few_ratio = statistics.median(b / a for _, a, b in rounds)
    table(
        f"Paired bootstrap, {SAMPLES:,} samples, for a system and a metric; statistics given",
        ["", "ours", "sacreBLEU, BLEU", "ratio"],
        [
            ["all pairs, all metrics", f"{ours:.1f} ms", f"{sacre:.0f} ms", f"{ratio:.0f} ×"],
            ["three systems, BLEU", f"{few:.1f} ms", f"{sacre:.0f} ms", f"{few_ratio:.0f} ×"],
        ],
    )


def memory(results: list[Result]) -> None:
    """The process only ever grows: the largest memory after more and more samples."""
    rows = []
    for samples in (100, 1_000, 10_000):
        start = time.perf_counter()
        compare_results(results[:3], Sampling(samples=samples), None, "none")
        taken = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows.append([f"{samples:,}", f"{peak:,.0f} MB", f"{taken:.2f} s"])
    table("Three systems: largest memory of the process", ["samples", "memory", "time"], rows)


def main() -> None:
    header()
    data = os.environ.get("HYPERBATON_DATA")
    if not data:
        print("\nno HYPERBATON_DATA: there is nothing to compare")
        return
    folder = Path(data, "wmt13", "de-en")
    references = lines(folder / "reference.txt")
    systems = {path.stem: lines(path) for path in sorted((folder / "systems").iterdir())}
    start = time.perf_counter()
    results = score_systems(systems, references, named_metrics(METRICS, "en"))
    scoring = time.perf_counter() - start
    memory(results)
    all_pairs(results, scoring)
    beside_sacrebleu(systems, references, results)


if __name__ == "__main__":
    main()
