"""The source aligner: time beside eflomal, threads, memory and growth. Prints Markdown.

Usage: ``HYPERBATON_DATA=… EFLOMAL=… python -m benchmarks.source_aligner [time|growth [THREADS]]``,
by default both, the growth with one thread. EFLOMAL is optional (see evidence/eflomal.py). Each
measurement has a process of its own, and the programs take turns. The growth takes half an hour.
"""

from __future__ import annotations

import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate, islice
from pathlib import Path

ROUNDS = 2  # of a minute or more for each program
SIZES = (100_000, 1_000_000)  # pairs, for memory and growth
WORDS = 20  # on each side of such a pair
VOCABULARY = 300_000  # of random words
ONE, TWO, PEER = "one thread", "two threads", "eflomal, one thread"
Times = dict[str, float]


def read_pairs(source: str, target: str) -> Iterator[tuple[str, str]]:
    with open(source, encoding="utf-8") as sources, open(target, encoding="utf-8") as targets:
        for pair in zip(sources, targets, strict=True):
            yield pair[0].rstrip("\n"), pair[1].rstrip("\n")


def ours(source: str, target: str, threads: str) -> Times:
    """Train on two files of words, align them and write the links."""
    import hyperbaton as hb

    wall, cpu = time.perf_counter(), time.process_time()
    count = int(threads)
    aligner = hb.SourceAligner.train(
        read_pairs(source, target), tokenize="none", source_tokenize="none", threads=count
    )
    sides = zip(*read_pairs(source, target), strict=True)
    links = aligner.align(*map(list, sides), threads=count)
    with open(f"{source}.links", "w", encoding="utf-8") as file:
        file.writelines(f"{alignment.to_pharaoh()}\n" for alignment in links)
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def peer(source: str, target: str, program: str) -> Times:
    """Let eflomal do the same on one thread, in both directions."""
    links = ["-f", f"{source}.forward", "-r", f"{source}.reverse", "--overwrite"]
    before, begin = os.times(), time.perf_counter()
    subprocess.run(
        [program, "-s", source, "-t", target, *links],
        check=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    wall, after = time.perf_counter() - begin, os.times()
    cpu = after.children_user + after.children_system
    return {"wall": wall, "cpu": cpu - before.children_user - before.children_system}


def training(source: str, target: str, threads: str) -> Times:
    """Train; the peak memory is that of the whole process, Python included."""
    import hyperbaton as hb

    begin = time.process_time()
    aligner = hb.SourceAligner.train(
        read_pairs(source, target), tokenize="none", source_tokenize="none", threads=int(threads)
    )
    seconds = time.process_time() - begin
    kilobytes = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert kilobytes is not None
    return {
        "peak": int(kilobytes[1]) * 1024 / 1e6,
        "seconds": seconds,
        "iterations": aligner.iterations,
    }


def spliced_pairs(pairs: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the beginnings of two real pairs, one after the other."""
    long = [
        (source.split()[: WORDS // 2], target.split()[: WORDS // 2])
        for source, target in pairs
        if min(len(source.split()), len(target.split())) >= WORDS // 2
    ]
    generator = random.Random(1)
    while True:
        first, second = generator.choice(long), generator.choice(long)
        yield " ".join(first[0] + second[0]), " ".join(first[1] + second[1])


def random_pairs() -> Iterator[tuple[str, str]]:
    """Yield random words with frequencies by Zipf's law: nothing is a translation of anything."""
    generator = random.Random(1)
    words = [f"w{k}" for k in range(VOCABULARY)]
    weights = list(accumulate(1 / (k + 2.7) for k in range(VOCABULARY)))
    while True:
        drawn = generator.choices(words, cum_weights=weights, k=2 * WORDS)
        yield " ".join(drawn[:WORDS]), " ".join(f"x{word}" for word in drawn[WORDS:])


def write_pairs(folder: Path, pairs: Iterator[tuple[str, str]]) -> tuple[str, str]:
    paths = folder / "source", folder / "target"
    with paths[0].open("w", encoding="utf-8") as one, paths[1].open("w", encoding="utf-8") as other:
        for source, target in pairs:
            one.write(f"{source}\n")
            other.write(f"{target}\n")
    return str(paths[0]), str(paths[1])


def run(*arguments: str) -> Times:
    from benchmarks.timing import measure_in_process

    return measure_in_process(sys.executable, __file__, *arguments)


def median_of(turns: list[dict[str, Times]], name: str, key: str) -> float:
    return statistics.median(turn[name][key] for turn in turns)


def compare_with_peer(pairs: list[tuple[str, str]], program: str | None) -> None:
    from benchmarks.timing import print_table

    with tempfile.TemporaryDirectory() as folder:
        files = write_pairs(Path(folder), iter(pairs))
        calls = {ONE: ("ours", *files, "1"), TWO: ("ours", *files, "2")}
        if program:
            calls[PEER] = ("peer", *files, program)
        turns = [{name: run(*call) for name, call in calls.items()} for _ in range(ROUNDS)]
    print_table(
        f"Training on {len(pairs):,} pairs (en-fr, and wmt13 fr-en with all systems) and aligning "
        "them",
        ["", "wall time", "CPU time", "wall time of one thread ÷ this"],
        [
            [
                name,
                *(f"{median_of(turns, name, key):.1f} s" for key in ("wall", "cpu")),
                f"{statistics.median(t[ONE]['wall'] / t[name]['wall'] for t in turns):.2f}",
            ]
            for name in calls
        ],
    )
    if program:
        ratio = statistics.median(turn[PEER]["cpu"] / turn[ONE]["cpu"] for turn in turns)
        print(f"\nCPU time of eflomal ÷ CPU time of ours, one thread each: {ratio:.2f}")
    else:
        print("\nWithout eflomal: set EFLOMAL to its program eflomal-align.")


def measure_growth(pairs: list[tuple[str, str]], threads: str) -> None:
    from benchmarks.timing import print_table

    for kind, source in (("spliced pairs", spliced_pairs(pairs)), ("random pairs", random_pairs())):
        rows: list[list[str]] = []
        fewer_seconds = None
        for size in SIZES:
            with tempfile.TemporaryDirectory() as folder:
                files = write_pairs(Path(folder), islice(source, size))
                measured = run("training", *files, threads)
            seconds = measured["seconds"]
            rows.append(
                [
                    f"{size:,} {kind}",
                    f"{measured['iterations']:.0f}",
                    f"{seconds:.0f} s",
                    f"{seconds / fewer_seconds:.1f} ×" if fewer_seconds else "–",
                    f"{measured['peak']:,.0f} MB",
                ]
            )
            fewer_seconds = seconds
        print_table(
            f"Training on {kind} of {WORDS} words; threads: {threads}",
            ["", "iterations", "CPU time", "growth", "peak memory"],
            rows,
        )


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        function, *arguments = sys.argv[2:]
        measured = {"ours": ours, "peer": peer, "training": training}[function](*arguments)
        print("\n" + json.dumps(measured))
        return
    from benchmarks.timing import print_header, require_data
    from evidence import bitexts, eflomal

    require_data()
    print_header()
    pairs = bitexts.TRAINING[2].pairs()
    parts = sys.argv[1:] or ["time", "growth"]
    if "time" in parts:
        compare_with_peer(pairs, eflomal.find())
    if "growth" in parts:
        threads = parts[-1] if parts[-1].isdigit() else "1"
        measure_growth(pairs, threads)


if __name__ == "__main__":
    main()
