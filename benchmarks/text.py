"""From text to numbers: CPU time per segment, threads and memory. Prints Markdown.

Usage: ``HYPERBATON_DATA=… python -m benchmarks.text [OTHER_PYTHON]``, where OTHER_PYTHON is the
interpreter of an environment with another version of Hyperbaton, to compare with. Each measurement
has a process of its own, and the versions take turns.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
import time
from itertools import cycle, islice
from pathlib import Path

ROUNDS = 5
SEGMENTS = 1_000_000  # for memory
METRICS = ("-m", "pef", "-m", "adjacency", "-l", "en")
Times = dict[str, float]


def data_folder() -> Path:
    return Path(os.environ["HYPERBATON_DATA"]) / "wmt13" / "de-en"


def score_command(threads: int) -> Times:
    """Time ``hyperbaton score`` on the outputs of all systems, apart from loading the program."""
    from hyperbaton.cli import main

    files = [str(path) for path in sorted((data_folder() / "systems").iterdir())]
    arguments = [*METRICS, "--threads", str(threads), "--format", "json"]
    main(["score", "--example", *arguments])  # imports everything
    start_up = time.process_time()
    begin, begin_wall = time.process_time(), time.perf_counter()
    main(["score", "-r", str(data_folder() / "reference.txt"), *files, *arguments])
    return {
        "start-up": start_up,
        "cpu": time.process_time() - begin,
        "wall": time.perf_counter() - begin_wall,
        "segments": len(files) * 3000,
    }


def memory(metrics: str) -> Times:
    """Return the memory that scoring takes beyond the lists of the caller, in MB."""
    import hyperbaton as hb

    lines = [
        line
        for path in sorted((data_folder() / "systems").iterdir())
        for line in path.read_text("utf-8").split("\n")[:3000]
    ]
    references = (data_folder() / "reference.txt").read_text("utf-8").split("\n")[:3000]
    hyps = [f"{line} {k % 7}" for k, line in enumerate(islice(cycle(lines), SEGMENTS))]
    refs = [f"{line} {k % 7}" for k, line in enumerate(islice(cycle(references), SEGMENTS))]
    keep = {"keep_texts": False} if "keep_texts" in str(hb.score.__kwdefaults__) else {}
    hb.score(hyps[:10], refs[:10], metrics, "en")
    before = status("VmRSS")
    result = hb.score(hyps, refs, metrics, "en", threads=1, **keep)  # type: ignore[arg-type]
    return {"peak": status("VmHWM") - before, "metrics": len(result)}


def status(key: str) -> float:
    kilobytes = re.search(rf"{key}:\s+(\d+)", Path("/proc/self/status").read_text())
    assert kilobytes is not None
    return int(kilobytes[1]) * 1024 / 1e6


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        function, argument = sys.argv[2:]
        measured = score_command(int(argument)) if function == "score" else memory(argument)
        print("\n" + json.dumps(measured))
        return
    from benchmarks.timing import measure_in_process, print_header, print_table, require_data

    require_data()
    print_header()
    versions = {"this version": sys.executable}
    if sys.argv[1:]:
        versions = {"other version": sys.argv[1], **versions}
    rounds = [
        {
            (name, n): measure_in_process(python, __file__, "score", str(n))
            for n in (1, 2)
            for name, python in versions.items()
        }
        for _ in range(ROUNDS)
    ]
    rows = []
    for name in versions:
        single = [measured[name, 1] for measured in rounds]
        per_segment = [1e6 * times["cpu"] / times["segments"] for times in single]
        gains = [measured[name, 1]["wall"] / measured[name, 2]["wall"] for measured in rounds]
        rows.append(
            [
                name,
                f"{statistics.median(per_segment):.1f} µs",
                f"{statistics.median(times['start-up'] for times in single):.2f} s",
                f"{statistics.median(gains):.2f} ×",
            ]
        )
    print_table(
        f"`hyperbaton score {' '.join(METRICS)}` on wmt13 de-en, 17 systems",
        ["", "CPU time per segment, one thread", "start-up, CPU time", "gain of two threads"],
        rows,
    )
    if len(versions) > 1:
        ratios = [
            measured["this version", 1]["cpu"] / measured["other version", 1]["cpu"]
            for measured in rounds
        ]
        print(f"\nCPU time, this version ÷ other version: {statistics.median(ratios):.2f}")
    print_table(
        f"Memory of `hb.score` beyond the caller's lists, {SEGMENTS:,} segments",
        ["metrics", *versions],
        [
            [
                metrics,
                *(
                    f"{measure_in_process(python, __file__, 'memory', metrics)['peak']:.0f} MB"
                    for python in versions.values()
                ),
            ]
            for metrics in ("pef", "order")
        ],
    )


if __name__ == "__main__":
    main()
