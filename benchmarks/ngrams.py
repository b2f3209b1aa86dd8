"""The n-grams of BLEU and chrF: CPU time beside sacreBLEU and fastchrf, threads, and memory.

Usage: ``HYPERBATON_DATA=… python -m benchmarks.ngrams [OTHER_PYTHON]``. The programs take turns,
and the medians of the ratios count. With the interpreter of an environment that has version 0.2.0,
only the command ``score`` of both versions is compared. Prints Markdown.
"""

from __future__ import annotations

import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

os.environ["RAYON_NUM_THREADS"] = "1"  # of fastchrf

from benchmarks.score import clear_caches
from benchmarks.timing import (
    microseconds,
    peak_memory,
    print_header,
    print_table,
    read_lines,
    require_data,
)

import hyperbaton as hb
from hyperbaton.metrics.batches import Batch, ReferenceTexts

ROUNDS = 5
MEMORY_LINES = 100_000
Work = Callable[[], Any]


def cpu_seconds(work: Work) -> float:
    clear_caches()
    start = time.process_time()
    work()
    return time.process_time() - start


def ours(names: Iterable[str], systems: Iterable[list[str]], references: list[str]) -> Work:
    """Compute statistics from strings on one thread, those of references once."""
    metrics = [hb.metrics.get(name) for name in names]

    def work() -> None:
        texts = ReferenceTexts(references)
        for lines in systems:
            batch = Batch(lines, texts, threads=1)
            for metric in metrics:
                metric.statistics(batch)

    return work


def sacrebleu(names: Iterable[str], systems: Iterable[list[str]], references: list[str]) -> Work:
    """Do the same with sacreBLEU, which also keeps the n-grams of references."""
    from sacrebleu.metrics import BLEU, CHRF

    classes: Mapping[str, Any] = {"bleu": BLEU, "chrf": CHRF}

    def work() -> None:
        for name in names:
            metric = classes[name](references=[references])
            for lines in systems:
                metric._extract_corpus_statistics(lines, None)

    return work


def fastchrf(systems: Iterable[list[str]], references: list[str]) -> Work:
    """Compare all systems with the reference of a segment, which fastchrf does at a time."""
    from fastchrf import pairwise_chrf

    hypotheses = [list(lines) for lines in zip(*systems, strict=True)]
    return lambda: pairwise_chrf(hypotheses, [[line] for line in references])


def compare_statistics(folder: Path) -> None:
    references = read_lines(folder / "reference.txt")
    systems = [read_lines(path) for path in sorted((folder / "systems").iterdir())]
    given = systems, references
    peers = [
        ("`bleu` and `chrf`", ours(("bleu", "chrf"), *given), sacrebleu(("bleu", "chrf"), *given)),
        ("`bleu`", ours(("bleu",), *given), sacrebleu(("bleu",), *given)),
        ("`chrf`", ours(("chrf",), *given), sacrebleu(("chrf",), *given)),
        ("`chrf`, fastchrf", ours(("chrf",), *given), fastchrf(*given)),
    ]
    rows = []
    count = len(systems) * len(references)
    for name, here, there in peers:
        times = [(cpu_seconds(here) / count, cpu_seconds(there) / count) for _ in range(ROUNDS)]
        our_time, peer_time = (statistics.median(column) for column in zip(*times, strict=True))
        ratio = statistics.median(b / a for a, b in times)
        rows.append([name, microseconds(our_time), microseconds(peer_time), f"{ratio:.1f} ×"])
    print_table(
        f"wmt13 de-en, {len(systems)} systems: CPU time for a segment, one thread",
        ["statistics", "Hyperbaton", "sacreBLEU or fastchrf", "ratio"],
        rows,
    )


def run_score(python: str, order: str, threads: int, folder: Path) -> tuple[float, float]:
    """Return the CPU time and the wall time of the command in a process of its own."""
    files = [str(path) for path in sorted((folder / "systems").iterdir())]
    command = [python, "-m", "hyperbaton", "score", "-r", str(folder / "reference.txt"), *files]
    command += ["-m", f"{order},chrf,bleu", "--threads", str(threads)]
    before, begin = os.times(), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=tempfile.gettempdir())
    wall, after = time.perf_counter() - begin, os.times()
    used = after.children_user + after.children_system
    return used - before.children_user - before.children_system, wall


def compare_commands(folder: Path, other: str) -> None:
    cases = {
        "0.2.0, one thread": (other, "soft_order", 1),
        "one thread": (sys.executable, "order", 1),
        "0.2.0, two threads": (other, "soft_order", 2),
        "two threads": (sys.executable, "order", 2),
    }
    turns = [
        {name: run_score(*case, folder) for name, case in cases.items()} for _ in range(ROUNDS)
    ]
    rows = []
    for name in cases:
        cpu, wall = (statistics.median(turn[name][k] for turn in turns) for k in (0, 1))
        one = "0.2.0, one thread" if name.startswith("0.2.0") else "one thread"
        saved = statistics.median(turn["0.2.0, one thread"][0] / turn[name][0] for turn in turns)
        gained = statistics.median(turn[one][1] / turn[name][1] for turn in turns)
        rows.append([name, f"{cpu:.2f} s", f"{wall:.2f} s", f"{saved:.2f} ×", f"{gained:.2f} ×"])
    print_table(
        "`score -m order,chrf,bleu` (0.2.0: `soft_order`), wmt13 de-en, 17 systems × 3,000",
        ["", "CPU time", "wall time", "0.2.0's CPU time ÷ this", "wall time of one thread ÷ this"],
        rows,
    )


def measure_memory(folder: Path) -> None:
    """Print the peak memory of the command with one long system, without and with metrics."""
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        reference, system = (Path(temporary) / name for name in ("reference.txt", "system.txt"))
        for target, source in (
            (reference, folder / "reference.txt"),
            (system, sorted((folder / "systems").iterdir())[0]),
        ):
            lines = itertools.islice(itertools.cycle(read_lines(source)), MEMORY_LINES)
            numbered = (f"{line} {k}" for k, line in enumerate(lines))
            target.write_text("".join(f"{line}\n" for line in numbered), "utf-8")
        for name, options in {
            "the defaults": [],
            "one thread": ["--threads", "1"],
            "`bleu`, one thread": ["-m", "bleu", "--threads", "1"],
            "`chrf`, one thread": ["-m", "chrf", "--threads", "1"],
            "`order`, one thread": ["-m", "order", "--threads", "1"],
        }.items():
            peak = peak_memory(["score", "-r", str(reference), str(system), *options])
            rows.append([name, f"{peak:,.0f} MB"])
    title = f"Peak memory of `score` with one system of {MEMORY_LINES:,} different lines"
    print_table(title, ["", "memory"], rows)


def main() -> None:
    folder = require_data() / "wmt13" / "de-en"
    print_header()
    if sys.argv[1:]:
        compare_commands(folder, sys.argv[1])
        return
    compare_statistics(folder)
    measure_memory(folder)


if __name__ == "__main__":
    main()
