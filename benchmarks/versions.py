"""The speed of two installed versions of Hyperbaton, measured in turns.

Usage: ``HYPERBATON_DATA=… python -m benchmarks.versions OTHER_PYTHON [NAME]``. OTHER_PYTHON is the
interpreter of an environment with the other version, and NAME a part of the names of the workloads
to run; by default all. The workloads use only public functions that both versions have; metrics
that version 0.2.0 calls otherwise have its names there. Each is run in a process of its own
version, three times in turns; the smallest CPU time counts, because other load can only add to it.
Prints Markdown.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROUNDS = 3
REPETITIONS = 3  # of each workload in a process
OLD_NAMES = {  # of 0.2.0, which cannot count pairs of words in a segment's own references
    "permutations": "order",
    "order": "soft_order",
    "order:precedence=own": "soft_order",
    "order:precedence=off": "soft_order:precedence=off",
}
METRICS = (*OLD_NAMES, "default", "pef", "wer,per,cder")


def names_here() -> dict[str, str]:
    """Return the names that metrics have in the version that runs, where they are others."""
    import hyperbaton as hb

    try:
        hb.metrics.get("soft_order")
    except hb.InputError:
        return {}
    return OLD_NAMES


def workloads() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the workloads by name; each runs on one thread."""
    import numpy as np

    import hyperbaton as hb

    generator = np.random.default_rng(1)
    values = np.concatenate([generator.permutation(25) + 1 for _ in range(20_000)])
    offsets = np.arange(20_001) * 25
    yield "`measures`, 20,000 × 25 words", lambda: hb.measures(values, offsets, threads=1)
    for name in ("kendall", "ulam", "pef", "pet_count"):
        function = getattr(hb, name)
        yield f"`{name}`", lambda f=function: f(values, offsets=offsets, threads=1)

    folder = Path(os.environ["HYPERBATON_DATA"]) / "wmt15" / "fi-en"
    read = lambda path: path.read_text("utf-8").removesuffix("\n").split("\n")  # noqa: E731
    references = read(folder / "reference.txt")
    systems = {path.stem: read(path) for path in sorted((folder / "systems").glob("*.txt"))[:4]}
    first = next(iter(systems.values()))
    tokens = [
        (a.lower().split(), b.lower().split()) for a, b in zip(first, references, strict=True)
    ]
    short = [pair for pair in tokens if max(map(len, pair)) <= 25][:400]
    yield "`inversion_distances`", lambda: hb.inversion_distances(short, threads=1)
    heads = [[0, *generator.integers(1, range(2, 21)).tolist()] for _ in range(600)]
    trees = list(zip(heads[:300], heads[300:], strict=True))
    yield "`tree_distances`", lambda: hb.tree_distances(trees, threads=1)
    aligner = hb.Aligner("en")
    sides = [a for a, _ in tokens], [b for _, b in tokens]
    yield "`align_many`", lambda: aligner.align_many(*sides, threads=1)
    pairs = list(zip(read(folder / "source.txt"), references, strict=True))[:500]
    warnings.filterwarnings("ignore", message="the source aligner")  # 500 sentences are few
    train = lambda: hb.SourceAligner.train(pairs, iterations=20, threads=1)  # noqa: E731
    yield "`SourceAligner.train`", train
    trained = train()
    pair_sides = [a for a, _ in pairs], [b for _, b in pairs]
    yield "`SourceAligner.align`", lambda: trained.align(*pair_sides, threads=1)
    names = names_here()
    for metrics in METRICS:
        specs = names.get(metrics, metrics).split(",")
        yield (
            f"`score`: {metrics}",
            lambda s=specs: [
                hb.score(lines, references, s, "en", threads=1) for lines in systems.values()
            ],
        )
    yield (
        "`compare`: 4 systems",
        lambda: hb.compare(systems, references, ["pef", "adjacency"], "en", threads=1, samples=200),
    )
    scored = hb.score(first, references, ["pef"], "en", threads=1)
    yield "`Result.report`", lambda: scored.report(threads=1)


def measure(part: str) -> dict[str, float]:
    """Return the CPU time of each workload in seconds."""
    times = {}
    for name, work in workloads():
        if part not in name:
            continue
        work()  # warm up
        measured = []
        for _ in range(REPETITIONS):
            start = time.process_time()
            work()
            measured.append(time.process_time() - start)
        times[name] = min(measured)
    return times


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2])))
        return
    part = "".join(sys.argv[2:3])
    times: dict[str, list[dict[str, float]]] = {sys.argv[1]: [], sys.executable: []}
    for _ in range(ROUNDS):
        for python, results in times.items():
            command = [python, __file__, "--measure", part]
            done = subprocess.run(command, capture_output=True, check=True, text=True)
            results.append(json.loads(done.stdout))
    other, this = (
        {name: min(result[name] for result in results) for name in results[0]}
        for results in times.values()
    )
    print("| workload | other version | this version | ratio |\n|---|---:|---:|---:|")
    for name in this:
        columns = f"{other[name] * 1e3:,.1f} ms | {this[name] * 1e3:,.1f} ms"
        print(f"| {name} | {columns} | {this[name] / other[name]:.2f} |")


if __name__ == "__main__":
    main()
