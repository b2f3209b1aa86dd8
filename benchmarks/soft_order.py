"""Soft order: segments per second, beside sacreBLEU's chrF, threads and memory. Prints Markdown.

Usage: ``HYPERBATON_DATA=… python -m benchmarks.soft_order [OTHER_PYTHON]``. Each measurement of a
command has a process of its own, and the programs take turns. With the interpreter of an
environment that has version 0.2.0, only both versions are compared, by CPU time.
"""

from __future__ import annotations

import functools
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path

ROUNDS = 5
LINES = 1_000_000  # for memory
VOCABULARY = 300_000  # of random lines
SCORED = 4  # systems, to compare versions
SCORED_METRICS = ("order", "order:precedence=own", "order:precedence=off", "pef", "default")
Times = dict[str, float]


def data_folder() -> Path:
    return Path(os.environ["HYPERBATON_DATA"]) / "wmt13" / "de-en"


def read(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")[:3000]


def systems() -> list[Path]:
    return sorted((data_folder() / "systems").iterdir())


def tokens_given(threads: int) -> Times:
    """Time the statistics of order and its parts, after texts became tokens."""
    import hyperbaton as hb
    from hyperbaton.metrics.batches import Batch, ReferenceTexts
    from hyperbaton.runs.engine import score_batches
    from hyperbaton.runs.run import KeptBatches, Run

    references = read(data_folder() / "reference.txt")
    begin = time.perf_counter()
    whole = hb.metrics.get("order").fit(references, threads)
    times = {"fit": time.perf_counter() - begin, "segments": 3000.0 * len(systems())}
    metrics = {
        "order": whole,
        "order:precedence=off": hb.metrics.get("order:precedence=off"),
        "order:precedence=own": hb.metrics.get("order:precedence=own"),
        "hyper": hb.metrics.get("hyper").fit(references, threads),
    }
    for name, metric in metrics.items():
        texts = ReferenceTexts(references)
        batches = [Batch(read(path), texts, threads=threads) for path in systems()]
        for batch in batches:
            for text in (whole.tokenization, whole.tokenization.as_written()):
                batch.words(text)
        begin = time.perf_counter()
        for _ in score_batches(KeptBatches(batches), Run({name: metric}, threads=threads)):
            pass
        times[name] = time.perf_counter() - begin
    find_anchors = whole.needs.anchors
    assert find_anchors is not None
    begin = time.perf_counter()
    for batch in batches:
        find_anchors(batch)
    times["anchors"] = time.perf_counter() - begin
    return times


def scored() -> Times:
    """Return the CPU time of scoring a segment, from texts to values, in microseconds."""
    from benchmarks.versions import names_here

    import hyperbaton as hb

    references = read(data_folder() / "reference.txt")
    texts = [read(path) for path in systems()[:SCORED]]
    names = names_here()
    times = {}
    for name in SCORED_METRICS:
        given = names.get(name, name).split(",")
        turns = []
        for _ in range(3):
            begin = time.process_time()
            for lines in texts:
                hb.score(lines, references, given, "en", threads=1)
            turns.append(time.process_time() - begin)
        times[name] = 1e6 * min(turns) / (len(texts) * len(references))
    return times


def compare_versions(run: Callable[..., Times], other: str) -> None:
    """Print the CPU time of scoring a segment with both versions, which take turns."""
    from benchmarks.timing import measure_in_process, print_table

    os.environ["PYTHONPATH"] = str(Path(__file__).parent.parent)  # for the processes
    turns = [
        (measure_in_process(other, __file__, "scored", ""), run("scored", ""))
        for _ in range(ROUNDS)
    ]
    rows = []
    for name in turns[0][0]:
        ratio = statistics.median(new[name] / old[name] for old, new in turns)
        old, new = (statistics.median(turn[k][name] for turn in turns) for k in (0, 1))
        rows.append([f"`{name}`", f"{old:.1f} µs", f"{new:.1f} µs", f"{ratio:.2f}"])
    print_table(
        f"wmt13 de-en, {SCORED} systems: CPU time for a segment, from texts to values",
        ["", "other version", "this version", "ratio"],
        rows,
    )


def command(program: str) -> Times:
    """Time a program on the outputs of all systems: wall time and CPU time of its process."""
    reference, files = str(data_folder() / "reference.txt"), [str(path) for path in systems()]
    commands = {
        "chrF": [sys.executable, "-m", "sacrebleu", reference, "-i", *files, "-m", "chrf"],
        **{
            f"{threads} thread{'s' * (threads > 1)}": [
                *(sys.executable, "-m", "hyperbaton", "score", "-r", reference, *files),
                *("-m", "order,hyper", "--threads", str(threads)),
            ]
            for threads in (1, 2)
        },
    }
    before, begin = os.times(), time.perf_counter()
    subprocess.run(commands[program], check=True, capture_output=True)
    wall, after = time.perf_counter() - begin, os.times()
    cpu = after.children_user + after.children_system
    return {"wall": wall, "cpu": cpu - before.children_user - before.children_system}


def spliced_lines() -> Iterator[str]:
    """Yield lines of real text: the begin of one and the end of another."""
    lines = sorted({line for path in systems() for line in read(path)})
    generator = random.Random(1)
    while True:
        first, second = (generator.choice(lines).split() for _ in range(2))
        yield " ".join([*first[: generator.randrange(len(first) + 1)], *second[len(second) // 2 :]])


def random_lines() -> Iterator[str]:
    """Yield lines of 25 random words with frequencies by Zipf's law: no two lines are alike."""
    generator = random.Random(1)
    words = [f"w{k}" for k in range(VOCABULARY)]
    weights = list(accumulate(1 / (k + 2.7) for k in range(VOCABULARY)))
    while True:
        yield " ".join(generator.choices(words, cum_weights=weights, k=25))


def memory(path: str) -> Times:
    """Return the memory of counting in a file, the time, and how much was counted."""
    from hyperbaton.files.lines import read_line_blocks
    from hyperbaton.softorder.precedence import PrecedenceCounter
    from hyperbaton.text.tokenization import Tokenization

    counter = PrecedenceCounter(Tokenization())
    before, begin = status("VmRSS"), time.perf_counter()
    for lines in read_line_blocks(path, 10_000):
        counter.add(lines, 1)
    model = counter.model()
    model.check_counts()
    return {
        "peak": status("VmHWM") - before,
        "seconds": time.perf_counter() - begin,
        "words": len(model.words),
        "pairs": len(model.next.counts) + len(model.after_next.counts),
    }


def write_distinct(source: Iterator[str], path: Path) -> None:
    known: set[str] = set()
    with path.open("w", encoding="utf-8") as file:
        while len(known) < LINES:
            line = next(source)
            if line not in known:
                known.add(line)
                file.write(f"{line}\n")


def status(key: str) -> float:
    kilobytes = re.search(rf"{key}:\s+(\d+)", Path("/proc/self/status").read_text())
    assert kilobytes is not None
    return int(kilobytes[1]) * 1024 / 1e6


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        function, argument = sys.argv[2:]
        if function == "tokens":
            measured = tokens_given(int(argument))
        elif function == "scored":
            measured = scored()
        else:
            measured = command(argument) if function == "command" else memory(argument)
        print("\n" + json.dumps(measured))
        return
    from benchmarks.timing import measure_in_process, print_header, print_table, require_data

    run = functools.partial(measure_in_process, sys.executable, __file__)

    require_data()
    print_header()
    if sys.argv[1:]:
        compare_versions(run, sys.argv[1])
        return
    rounds = [{threads: run("tokens", str(threads)) for threads in (1, 2)} for _ in range(ROUNDS)]
    names = [name for name in rounds[0][1] if name not in ("fit", "segments")]
    rows = []
    for name in names:
        rates = [times[1]["segments"] / times[1][name] for times in rounds]
        gains = [times[1][name] / times[2][name] for times in rounds]
        rows.append(
            [f"`{name}`", f"{statistics.median(rates):,.0f}", f"{statistics.median(gains):.2f} ×"]
        )
    print_table(
        "wmt13 de-en, 17 systems, 51,000 segments, tokens given",
        ["", "segments/s, one core", "gain of two threads"],
        rows,
    )
    programs = ["chrF", "1 thread", "2 threads"]
    turns = [{name: run("command", name) for name in programs} for _ in range(ROUNDS)]
    print_table(
        "The same files: `hyperbaton score -m order,hyper`, and `sacrebleu -m chrf`",
        ["", "wall time", "CPU time", "wall time ÷ chrF's"],
        [
            [
                name,
                f"{statistics.median(turn[name]['wall'] for turn in turns):.2f} s",
                f"{statistics.median(turn[name]['cpu'] for turn in turns):.2f} s",
                f"{statistics.median(t[name]['wall'] / t['chrF']['wall'] for t in turns):.2f}",
            ]
            for name in programs
        ],
    )
    rows = []
    for kind, source in (("spliced", spliced_lines()), ("random", random_lines())):
        with tempfile.TemporaryDirectory() as folder:
            write_distinct(source, Path(folder) / "lines.txt")
            measured = run("memory", str(Path(folder) / "lines.txt"))
        rows.append(
            [
                f"{kind} lines",
                f"{measured['words']:,.0f}",
                f"{measured['pairs']:,.0f}",
                f"{measured['peak']:,.0f} MB",
                f"{measured['seconds']:.0f} s",
            ]
        )
    print_table(
        f"Counting in {LINES:,} distinct lines, one core",
        ["", "words", "pairs of words", "memory", "time"],
        rows,
    )


if __name__ == "__main__":
    main()
