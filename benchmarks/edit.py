"""The inversion distance on real sentences, beside a plain C++ CYK. Prints Markdown tables.

Needs the data of HYPERBATON_DATA (wmt13/de-en); says so and leaves without it.
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

from benchmarks.timing import header, one_and_two_threads, seconds, table

import hyperbaton as hb

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from pairs import longest, real
from reference import cyk

Pair = tuple[list[str], list[str]]
BINS = {(21, 30): 600, (41, 50): 100, (61, 80): 5}  # how many pairs the peer is timed on


def numbered(pair: Pair) -> list[list[int]]:
    names: dict[str, int] = {}
    return [[names.setdefault(token, len(names)) for token in side] for side in pair]


def milli(duration: float) -> str:
    return f"{1e3 * duration:,.3f} ms"


def one_thread(pairs: list[Pair]) -> float:
    return seconds(lambda: hb.inversion_distances(pairs, threads=1))


def beside_cyk(pairs: list[Pair]) -> None:
    rows = []
    for (least, most), count in BINS.items():
        fitting = [pair for pair in pairs if least <= longest(pair) <= most]
        sample = random.Random(1).sample(fitting, count)
        ratios, ours, theirs = [], [], []
        for _ in range(3):
            # Each batch once before, so that both find their memory warm.
            mine = min(one_thread(sample) for _ in range(3))
            peer = seconds(lambda s=sample: [cyk.inversion_distance(*numbered(p)) for p in s])
            ours.append(mine / count)
            theirs.append(peer / count)
            ratios.append(peer / mine)
        more = random.Random(2).sample(fitting, min(2000, len(fitting)))
        mean = one_thread(more) / len(more)
        rows.append(
            [
                f"{least}–{most}",
                f"{count}",
                milli(statistics.median(ours)),
                milli(statistics.median(theirs)),
                f"{statistics.median(ratios):,.0f} ×",
                f"{milli(mean)} ({len(more):,} pairs)",
            ]
        )
    table(
        "`hb.inversion_distances` on one thread beside a plain C++ CYK (-O3), per pair",
        ["tokens", "pairs", "Hyperbaton", "plain CYK", "ratio", "Hyperbaton on more pairs"],
        rows,
    )


def memory_of(pair: Pair) -> float:
    """How much a process grows by one pair, in MB. Linux counts that, and forgets on request."""
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


def mix(pairs: list[Pair]) -> None:
    sample = random.Random(3).sample(pairs, 20_000)
    whole = one_thread(sample)
    times = []
    for pair in sample:
        if longest(pair) <= 80:
            start = time.perf_counter()
            hb.inversion_distance(*pair)
            times.append((time.perf_counter() - start, pair))
    times.sort(key=lambda item: item[0])
    slowest = [pair for _, pair in times[-5:]]
    table(
        "Any 20,000 pairs of wmt13 de-en, one thread; all but the first for 80 tokens at most",
        ["pairs a second", "median", "99 %", "99.9 %", "slowest", "largest memory of a pair"],
        [
            [
                f"{len(sample) / whole:,.0f}",
                *(milli(times[int(len(times) * q)][0]) for q in (0.5, 0.99, 0.999)),
                milli(times[-1][0]),
                f"{max(map(memory_of, slowest)):.0f} MB",
            ]
        ],
    )


def threads(pairs: list[Pair]) -> None:
    sample = random.Random(4).sample(pairs, 3000)
    one_and_two_threads(
        "`hb.inversion_distances`, 3,000 pairs",
        lambda n: hb.inversion_distances(sample, threads=n),
    )


def main() -> None:
    folder = os.environ.get("HYPERBATON_DATA")
    if not folder:
        print("benchmarks.edit: set HYPERBATON_DATA to the folder of real data; nothing measured")
        return
    header()
    pairs = real(Path(folder) / "wmt13" / "de-en")
    for part in (beside_cyk, mix, threads):
        part(pairs)


if __name__ == "__main__":
    main()
