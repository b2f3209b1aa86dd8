"""The inversion distance: worst cases, and real sentences compared with a simple C++ CYK.

Real sentences come from HYPERBATON_DATA (wmt13/de-en); without it they are left out. Prints
Markdown.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.timing import compare_threads, print_header, print_table, seconds

import hyperbaton as hb

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from pairs import longer_length, real_pairs
from reference import cyk

Pair = tuple[list[str], list[str]]
BINS = {(21, 30): 600, (41, 50): 100, (61, 80): 5}  # number of pairs on which the peer is timed


def number_tokens(pair: Pair) -> list[list[int]]:
    names: dict[str, int] = {}
    return [[names.setdefault(token, len(names)) for token in side] for side in pair]


def milliseconds(duration: float) -> str:
    return f"{1e3 * duration:,.3f} ms"


def time_on_one_thread(pairs: list[Pair]) -> float:
    return seconds(lambda: hb.inversion_distances(pairs, threads=1))


def compare_with_cyk(pairs: list[Pair]) -> None:
    rows = []
    for (least, most), count in BINS.items():
        fitting = [pair for pair in pairs if least <= longer_length(pair) <= most]
        sample = random.Random(1).sample(fitting, count)
        ratios, ours, theirs = [], [], []
        for _ in range(3):
            # The minimum of several runs, so that memory is warm.
            mine = min(time_on_one_thread(sample) for _ in range(3))
            peer = seconds(lambda s=sample: [cyk.inversion_distance(*number_tokens(p)) for p in s])
            ours.append(mine / count)
            theirs.append(peer / count)
            ratios.append(peer / mine)
        more = random.Random(2).sample(fitting, min(2000, len(fitting)))
        mean = time_on_one_thread(more) / len(more)
        rows.append(
            [
                f"{least}–{most}",
                f"{count}",
                milliseconds(statistics.median(ours)),
                milliseconds(statistics.median(theirs)),
                f"{statistics.median(ratios):,.0f} ×",
                f"{milliseconds(mean)} ({len(more):,} pairs)",
            ]
        )
    print_table(
        "`hb.inversion_distances` on one thread and a simple C++ CYK (-O3), per pair",
        ["tokens", "pairs", "Hyperbaton", "simple CYK", "ratio", "Hyperbaton on more pairs"],
        rows,
    )


def memory_growth(pair: Pair) -> float:
    """Return by how many MB one pair increases the peak memory of a process (Linux only)."""
    code = (
        "import json, re, sys, hyperbaton as hb\n"
        "s, t = json.load(sys.stdin)\n"
        "status = lambda: open('/proc/self/status').read()\n"
        "peak = lambda: int(re.search(r'VmHWM:\\s+(\\d+)', status())[1])\n"
        "hb.inversion_distance('abc', 'cxba')\n"
        "open('/proc/self/clear_refs', 'w').write('5')\n"
        "before = peak(); hb.inversion_distance(s, t); print((peak() - before) / 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(pair),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return float(done.stdout)


def random_sample(pairs: list[Pair]) -> None:
    sample = random.Random(3).sample(pairs, 20_000)
    whole = time_on_one_thread(sample)
    times = []
    for pair in sample:
        if longer_length(pair) <= 80:
            start = time.perf_counter()
            hb.inversion_distance(*pair)
            times.append((time.perf_counter() - start, pair))
    times.sort(key=lambda item: item[0])
    slowest = [pair for _, pair in times[-5:]]
    print_table(
        "20,000 random pairs of wmt13 de-en, one thread; all but the first for at most 80 tokens",
        ["pairs per second", "median", "99 %", "99.9 %", "slowest", "peak memory of a pair"],
        [
            [
                f"{len(sample) / whole:,.0f}",
                *(milliseconds(times[int(len(times) * q)][0]) for q in (0.5, 0.99, 0.999)),
                milliseconds(times[-1][0]),
                f"{max(map(memory_growth, slowest)):.0f} MB",
            ]
        ],
    )


# Pairs of n tokens that are hard or long.
WORST_CASES = {
    "random over 2 tokens": "R.choices(range(2), k=n), R.choices(range(2), k=n)",
    "random words, a few of them frequent": "words(), words()",
    "a random permutation": "list(range(n)), R.sample(range(n), n)",
    "reversed": "list(range(n)), list(range(n))[::-1]",
    "two halves swapped": "list(range(n)), [*range(n // 2, n), *range(n // 2)]",
    "one token": "['a'] * n, [*['a'] * (n - n // 10), 'b']",
}


def worst_cases() -> None:
    rows = []
    for name, pair in WORST_CASES.items():
        for n in (127, 500, 2000, 5000):
            code = (
                "import random, re, time, hyperbaton as hb\n"
                f"R = random.Random(1); n = {n}\n"
                "words = lambda: [min(2999, int(R.paretovariate(0.8))) for _ in range(n)]\n"
                f"s, t = {pair}\n"
                "start = time.perf_counter()\n"
                "try: result = hb.inversion_distance(s, t)\n"
                "except hb.BudgetExceeded as error: result = f'{error.lower}–{error.upper}'\n"
                "print(result, f'{time.perf_counter() - start:.1f} s', sep='|')\n"
                # not ru_maxrss, which includes the parent's memory
                "peak = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())\n"
                "print(int(peak[1]) // 1024, 'MB')\n"
            )
            done = subprocess.run(
                [sys.executable, "-X", "utf8", "-c", code],
                capture_output=True,
                encoding="utf-8",
                check=True,
            )
            figures, memory = done.stdout.splitlines()
            rows.append([name, f"{n:,}", *figures.split("|"), memory])
    print_table(
        "One pair with the default budget, in its own process; memory is that of the process",
        ["pair", "tokens", "distance or bounds", "time", "memory"],
        rows,
    )


def threads(pairs: list[Pair]) -> None:
    sample = random.Random(4).sample(pairs, 3000)
    compare_threads(
        "`hb.inversion_distances`, 3,000 pairs",
        lambda n: hb.inversion_distances(sample, threads=n),
    )


def main() -> None:
    print_header()
    worst_cases()
    folder = os.environ.get("HYPERBATON_DATA")
    if not folder:
        print("\nFor real sentences, set HYPERBATON_DATA to the folder of the data.")
        return
    pairs = real_pairs(Path(folder) / "wmt13" / "de-en")
    for part in (compare_with_cyk, random_sample, threads):
        part(pairs)


if __name__ == "__main__":
    main()
