"""The aligner beside METEOR's: speed, quality of the links, memory. Prints Markdown.

The sentences are those of HYPERBATON_DATA (wmt13/de-en), and there is nothing without it; without
METEOR (see tests/reference/meteor.py) what compares with it is left out. Needs WordNet's files.
"""

from __future__ import annotations

import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import cycle, islice
from pathlib import Path

from benchmarks.timing import header, peak, seconds, table

import hyperbaton as hb
from hyperbaton.cli.align import BATCH

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from pairs import real
from reference import meteor
from reference.aligner import Match, quality
from reference.word_matches import MATCHERS, WordMatches, as_matches

Pair = tuple[list[str], list[str]]
Sentences = list[list[str]]
MODES = ("maxcov", "maxacc")
WORST = 10  # pairs that are listed
PARAPHRASED = 10_000  # pairs that are aligned with paraphrases, too
ROUNDS = 3
ALIKE = (1, 1, 1)  # a covered word counts the same, whatever covers it

# How the first thing in which two selections differ is called: coverage, chunks or distance.
BETTER = ("more words", "as many words, fewer chunks", "as many of both, less distance")
EQUAL, WORSE, CUT = "equal", "ours is worse, though exact", "ours is worse, its search cut short"


def aligner() -> hb.Aligner:
    return hb.Aligner("en", matchers=MATCHERS, tokenize="none")


def throughput(pairs: list[Pair]) -> None:
    hyps, refs = [list(side) for side in zip(*pairs, strict=True)]
    one = aligner()
    exact = sum(bool(a.exact) for a in one.align_many(hyps, refs))  # now it knows all words
    rounds = []
    for _ in range(ROUNDS):  # they take turns, and the median of their ratios counts
        ours = [
            len(pairs) / min(seconds(lambda n=n: one.align_many(hyps, refs, n)) for _ in range(3))
            for n in (1, 2)
        ]
        rounds.append((*ours, meteors_throughput(hyps, refs) if meteor.find() else math.nan))
    rates = [statistics.median(column) for column in zip(*rounds, strict=True)]
    ratios = [statistics.median(line[k] / line[2] for line in rounds) for k in (0, 1)]
    table(
        f"Pairs a second, all {len(pairs):,} pairs of wmt13 de-en as tokens; {', '.join(MATCHERS)}",
        ["one thread", "two threads", "METEOR", "one / METEOR", "two / METEOR", "solved exactly"],
        [
            [
                *(f"{rate:,.0f}" for rate in rates),
                *(f"{ratio:.1f} ×" for ratio in ratios),
                share(exact, len(pairs)),
            ]
        ],
    )


def meteors_throughput(hyps: Sentences, refs: Sentences) -> float:
    """Pairs a second without its start: from the times for these pairs, and for them twice.

    It has to get warm on them: it takes some 20,000 pairs until its speed is steady.
    """
    with tempfile.TemporaryDirectory() as once, tempfile.TemporaryDirectory() as twice:
        less, more = (
            [
                *meteor.write(Path(folder), [*hyps] * n, [*refs] * n),
                *meteor.arguments("en", " ".join(MATCHERS), ()),
            ]
            for folder, n in ((once, 1), (twice, 2))
        )
        without = seconds(lambda: meteor.run(less, subprocess.DEVNULL))
        return len(hyps) / (seconds(lambda: meteor.run(more, subprocess.DEVNULL)) - without)


def beside_meteor(pairs: list[Pair]) -> None:
    hyps, refs = [list(side) for side in zip(*pairs, strict=True)]
    found = aligner().align_many(hyps, refs)
    ours = [as_matches(a) for a in found]
    matches = WordMatches()
    wrong = [k for k, pair in enumerate(pairs) if not matches.allow(*pair, ours[k])]
    cases, chunks, shown = [], [], []
    for mode in MODES:
        counts: Counter[str] = Counter()
        equal_chunks: Counter[str] = Counter()
        for k, links in enumerate(meteor.align(hyps, refs, options=["-t", mode])):
            theirs = [Match(*link) for link in links]
            if not matches.allow(*pairs[k], theirs):
                continue
            counts["comparable"] += 1
            mine, other = quality(ours[k], ALIKE), quality(theirs, ALIKE)
            case = verdict(mine, other, bool(found[k].exact))
            counts[case] += 1
            if case in (WORSE, CUT):
                row = [f"-t {mode}", f"{k:,}", str(mine), str(other), case]
                shown.append((case == CUT, *(a - b for a, b in zip(mine, other, strict=True)), row))
            if case == WORSE:
                print(f"\n{case}, pair {k:,}: {ours[k]}, METEOR's {theirs}", *pairs[k], sep="\n")
            if mine[0] == other[0]:
                equal_chunks.update(pairs=1, ours=-mine[1], theirs=-other[1])
        cases.append(counts)
        chunks.append([f"{equal_chunks[name]:,}" for name in ("pairs", "ours", "theirs")])
    rows = [["comparable pairs", *(share(c["comparable"], len(pairs)) for c in cases)]]
    for case in (*BETTER, EQUAL, CUT, WORSE):
        rows.append([case, *(share(c[case], c["comparable"]) for c in cases)])
    table(
        f"{len(pairs):,} pairs beside METEOR's links; comparable if these are all matches of ours",
        ["ours has", *(f"-t {mode}" for mode in MODES)],
        rows,
    )
    table(
        "Chunks, where both cover as many words",
        ["METEOR", "pairs", "chunks, ours", "chunks, METEOR"],
        [[f"-t {mode}", *row] for mode, row in zip(MODES, chunks, strict=True)],
    )
    if shown:
        table(
            f"The worst {WORST} of those where ours is worse: words covered, -chunks, -distance",
            ["METEOR with", "pair from 0", "ours", "METEOR", "which is"],
            [row for *_, row in sorted(shown)[:WORST]],
        )
    if wrong:
        print(f"\nOurs are no matches, or link a word twice, in {len(wrong)} pairs: {wrong[:20]}")


def share(part: int, whole: int) -> str:
    return f"{part:,} ({part / max(1, whole):.2%})"


def verdict(mine: tuple[int, int, int], other: tuple[int, int, int], exact: bool) -> str:
    if mine == other:
        return EQUAL
    if mine < other:
        return WORSE if exact else CUT
    return next(name for name, a, b in zip(BETTER, mine, other, strict=True) if a != b)


def paraphrases(pairs: list[Pair], table_of_meteor: Path) -> None:
    sample = pairs[:: max(1, len(pairs) // PARAPHRASED)][:PARAPHRASED]
    hyps, refs = [list(side) for side in zip(*sample, strict=True)]
    matchers = (*MATCHERS, "paraphrase")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / table_of_meteor.name  # its index is kept beside it
        shutil.copy(table_of_meteor, path)
        files = meteor.write(Path(folder), hyps[:1], refs[:1])
        command = [*files, "-l", "en", "-m", ",".join(matchers), "--tokenize", "none"]
        rows = []
        for what in ("builds the index", "opens it"):
            start = time.perf_counter()
            most = peak(["align", *command, "--paraphrases", str(path)])
            rows.append([what, f"{time.perf_counter() - start:.1f} s", f"{most:.0f} MB"])
        index = path.with_name(path.name + ".hyperbaton").stat().st_size
        table(
            f"`hyperbaton align` with METEOR's paraphrases; the index has {index / 1e6:,.0f} MB",
            ["it", "time", "largest memory"],
            rows,
        )
        one = hb.Aligner("en", matchers=matchers, tokenize="none", paraphrases=path)
        found = one.align_many(hyps, refs)  # now it knows all words
        rates = [
            len(sample) / min(seconds(lambda n=n: one.align_many(hyps, refs, n)) for _ in range(3))
            for n in (1, 2)
        ]
    used = sum(link.matcher == "paraphrase" for a in found for link in a.phrases)
    table(
        f"Pairs a second, {len(sample):,} pairs; {', '.join(matchers)}",
        ["one thread", "two threads", "solved exactly", "paraphrases linked"],
        [
            [
                *(f"{rate:,.0f}" for rate in rates),
                share(sum(bool(a.exact) for a in found), len(found)),
                f"{used:,}",
            ]
        ],
    )


def memory(pairs: list[Pair]) -> None:
    if not Path("/proc/self/status").exists():
        print("\nThe memory of a process is measured on Linux only.")
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for count in (1, BATCH, len(pairs), 2 * len(pairs), 4 * len(pairs)):
            # Again and again, but no line twice: lines that were seen are remembered for a while.
            lines = [
                ([*hyp, str(k // len(pairs))], [*ref, str(k // len(pairs))])
                for k, (hyp, ref) in enumerate(islice(cycle(pairs), count))
            ]
            files = meteor.write(Path(folder), *zip(*lines, strict=True))
            command = ["align", *files, "-l", "en"]
            rows.append(
                [f"{count:,}"]
                + [
                    f"{peak([*command, '-m', names, '--tokenize', 'none']):.0f} MB"
                    for names in ("exact", "exact,stem", ",".join(MATCHERS))
                ]
            )
    table(
        f"Largest memory of `hyperbaton align`, which reads {BATCH:,} lines at a time",
        ["lines", "exact", "exact, stem", "exact, stem, synonym"],
        rows,
    )


def main() -> None:
    header()
    folder = os.environ.get("HYPERBATON_DATA")
    if not folder:
        print("\nAll of it needs real sentences: set HYPERBATON_DATA to the folder of real data.")
        return
    pairs = real(Path(folder) / "wmt13" / "de-en")
    throughput(pairs)
    if meteor.find():
        beside_meteor(pairs)
    else:
        print("\nMETEOR is left out: it needs Java and METEOR_JAR (see tests/reference/meteor.py).")
    if (found := meteor.paraphrase_table()) is not None:
        paraphrases(pairs, found)
    memory(pairs)


if __name__ == "__main__":
    main()
