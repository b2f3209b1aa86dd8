"""The time for comparing systems, relative to scoring and to sacreBLEU's paired bootstrap.

This benchmark requires the sentences of HYPERBATON_DATA (wmt13/de-en). Prints Markdown.
"""

from __future__ import annotations

import resource
import statistics
import time
from typing import Any

from benchmarks.timing import print_header, print_table, read_lines, require_data, seconds

from hyperbaton.metrics.metric import Resources
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.runs.comparing import compare_results
from hyperbaton.runs.engine import score_corpus
from hyperbaton.runs.results import Result
from hyperbaton.runs.run import Keep, ListCorpus, Run
from hyperbaton.stats.sampling import PAIRED_TESTS, Sampling

METRICS = ("bleu", "lr_kb4", "pef", "adjacency", "wer")
SAMPLES = 1000
ROUNDS = 3


def all_pairs(results: list[Result], scoring: float) -> None:
    rows = []
    for method in PAIRED_TESTS:
        sampling = Sampling(method, SAMPLES)
        times = [
            seconds(lambda s=sampling: compare_results(results, s, None, "none"))
            for _ in range(ROUNDS)
        ]
        taken = statistics.median(times)
        share = f"{taken / scoring:.2f} ×"
        rows.append([method, f"{scoring:.1f} s", f"{taken:.2f} s", share])
    print_table(
        f"{len(results)} systems, {len(METRICS)} metrics, {SAMPLES:,} samples, all pairs",
        ["method", "scoring", "comparing", "comparing ÷ scoring"],
        rows,
    )


def compare_with_sacrebleu(
    systems: dict[str, list[str]], references: list[str], results: list[Result]
) -> None:
    """Time sacreBLEU's test per system and metric, without computing the statistics.

    Our time is that of the full comparison above, with all pairs, divided by the numbers of systems
    and metrics. The second row compares three systems by BLEU alone, as sacreBLEU does here.
    """
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    statistics_cache: dict[int, list[list[int]]] = {}

    class CachedBLEU(BLEU):
        """BLEU with cached n-gram counts."""

        def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
            key = id(hypotheses)
            if key not in statistics_cache:
                counts = super()._extract_corpus_statistics(hypotheses, references)
                statistics_cache[key] = counts
            return statistics_cache[key]

    names = list(systems)[:3]
    chosen = [(name, systems[name]) for name in names]
    alone = [Result({"bleu": result["bleu"]}, result.name) for result in results[:3]]
    sampling = Sampling(samples=SAMPLES)

    metric = CachedBLEU()

    def theirs() -> None:
        PairedTest(chosen, {"BLEU": metric}, [references], "bs", SAMPLES)()

    theirs()  # fill the cache
    rounds = []
    for _ in range(ROUNDS):
        whole = seconds(lambda: compare_results(results, sampling, None, "none"))
        three = seconds(lambda: compare_results(alone, sampling, names[0], "none"))
        rounds.append((whole / len(results) / len(METRICS), three / 3, seconds(theirs) / 3))
    ours, few, sacre = (1e3 * statistics.median(times) for times in zip(*rounds, strict=True))
    ratio = statistics.median(b / a for a, _, b in rounds)
    few_ratio = statistics.median(b / a for _, a, b in rounds)
    print_table(
        f"Paired bootstrap, {SAMPLES:,} samples, per system and metric, without statistics",
        ["", "ours", "sacreBLEU, BLEU", "ratio"],
        [
            ["all pairs, all metrics", f"{ours:.1f} ms", f"{sacre:.0f} ms", f"{ratio:.0f} ×"],
            ["three systems, BLEU", f"{few:.1f} ms", f"{sacre:.0f} ms", f"{few_ratio:.0f} ×"],
        ],
    )


def memory(results: list[Result]) -> None:
    """Report the peak memory of this process after more and more samples."""
    rows = []
    for samples in (100, 1_000, 10_000):
        start = time.perf_counter()
        compare_results(results[:3], Sampling(samples=samples), None, "none")
        taken = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows.append([f"{samples:,}", f"{peak:,.0f} MB", f"{taken:.2f} s"])
    print_table("Three systems: peak memory of the process", ["samples", "memory", "time"], rows)


def main() -> None:
    print_header()
    data = require_data()
    folder = data / "wmt13" / "de-en"
    references = read_lines(folder / "reference.txt")
    systems = {path.stem: read_lines(path) for path in sorted((folder / "systems").iterdir())}
    start = time.perf_counter()
    run = Run(metrics_by_spec(METRICS, Resources("en")), keep=Keep(texts=True))
    results = score_corpus(ListCorpus(systems, references), run)
    scoring = time.perf_counter() - start
    memory(results)
    all_pairs(results, scoring)
    compare_with_sacrebleu(systems, references, results)


if __name__ == "__main__":
    main()
