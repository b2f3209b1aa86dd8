"""The aligner compared with METEOR's: speed, quality of the links, memory. Prints Markdown.

This benchmark requires the sentences of HYPERBATON_DATA (wmt13/de-en) and WordNet's files. Without
METEOR (see tests/reference/meteor.py), the comparisons with it are left out.
"""

from __future__ import annotations

import math
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import cycle, islice
from pathlib import Path

from benchmarks.timing import peak_memory, print_header, print_table, require_data, seconds

import hyperbaton as hb
from hyperbaton.cli.align_texts import BATCH

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from pairs import real_pairs
from reference import meteor
from reference.aligner import Match, quality
from reference.word_matches import MATCHERS, WordMatches, as_matches

Pair = tuple[list[str], list[str]]
Sentences = list[list[str]]
MODES = ("maxcov", "maxacc")
WORST_LISTED = 10  # pairs
PARAPHRASE_PAIRS = 10_000  # pairs that are also aligned with paraphrases
ROUNDS = 3
EQUAL_WEIGHTS = (1, 1, 1)  # a covered word counts the same for every matcher

# The first criterion in which two selections differ: coverage, chunks or distance.
BETTER = (
    "more words",
    "same number of words, fewer chunks",
    "same number of both, less distance",
)
EQUAL, WORSE = "equal", "ours is worse, although exact"
CUT_SHORT = "ours is worse, search cut short"


def make_aligner() -> hb.Aligner:
    return hb.Aligner("en", matchers=MATCHERS, tokenize="none")


def throughput(pairs: list[Pair]) -> None:
    hyps, refs = [list(side) for side in zip(*pairs, strict=True)]
    aligner = make_aligner()
    exact = sum(bool(a.exact) for a in aligner.align_many(hyps, refs))  # warm up
    rounds = []
    for _ in range(ROUNDS):  # they take turns
        ours = [
            len(pairs)
            / min(seconds(lambda n=n: aligner.align_many(hyps, refs, n)) for _ in range(3))
            for n in (1, 2)
        ]
        rounds.append((*ours, meteor_throughput(hyps, refs) if meteor.find() else math.nan))
    rates = [statistics.median(column) for column in zip(*rounds, strict=True)]
    ratios = [statistics.median(line[k] / line[2] for line in rounds) for k in (0, 1)]
    print_table(
        f"Pairs per second, all {len(pairs):,} pairs of wmt13 de-en as tokens; "
        f"{', '.join(MATCHERS)}",
        ["one thread", "two threads", "METEOR", "one / METEOR", "two / METEOR", "solved exactly"],
        [
            [
                *(f"{rate:,.0f}" for rate in rates),
                *(f"{ratio:.1f} ×" for ratio in ratios),
                share(exact, len(pairs)),
            ]
        ],
    )


def meteor_throughput(hyps: Sentences, refs: Sentences) -> float:
    """Return METEOR's pairs per second, without its start-up time.

    The rate is computed from the times for these pairs and for twice as many. METEOR needs about
    20,000 pairs until its speed is steady.
    """
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        single, double = (
            [
                *meteor.write(Path(folder), [*hyps] * n, [*refs] * n),
                *meteor.arguments("en", " ".join(MATCHERS), ()),
            ]
            for folder, n in ((first, 1), (second, 2))
        )
        single_time, double_time = (
            seconds(lambda a=arguments: meteor.run(a, subprocess.DEVNULL))
            for arguments in (single, double)
        )
        return len(hyps) / (double_time - single_time)


def compare_links(pairs: list[Pair]) -> None:
    hyps, refs = [list(side) for side in zip(*pairs, strict=True)]
    alignments = make_aligner().align_many(hyps, refs)
    ours = [as_matches(alignment) for alignment in alignments]
    matches = WordMatches()
    wrong = [k for k, pair in enumerate(pairs) if not matches.allow(*pair, ours[k])]
    cases, chunks, worse = [], [], []
    for mode in MODES:
        counts: Counter[str] = Counter()
        equal_chunks: Counter[str] = Counter()
        for k, links in enumerate(meteor.align(hyps, refs, options=["-t", mode])):
            theirs = [Match(*link) for link in links]
            if not matches.allow(*pairs[k], theirs):
                continue
            counts["comparable"] += 1
            mine, other = quality(ours[k], EQUAL_WEIGHTS), quality(theirs, EQUAL_WEIGHTS)
            case = verdict(mine, other, bool(alignments[k].exact))
            counts[case] += 1
            if case in (WORSE, CUT_SHORT):
                row = [f"-t {mode}", f"{k:,}", str(mine), str(other), case]
                gaps = [a - b for a, b in zip(mine, other, strict=True)]
                worse.append((case == CUT_SHORT, *gaps, row))
            if case == WORSE:
                print(f"\n{case}, pair {k:,}: {ours[k]}, METEOR's {theirs}", *pairs[k], sep="\n")
            if mine[0] == other[0]:
                equal_chunks.update(pairs=1, ours=-mine[1], theirs=-other[1])
        cases.append(counts)
        chunks.append([f"{equal_chunks[name]:,}" for name in ("pairs", "ours", "theirs")])
    rows = [["comparable pairs", *(share(c["comparable"], len(pairs)) for c in cases)]]
    for case in (*BETTER, EQUAL, CUT_SHORT, WORSE):
        rows.append([case, *(share(c[case], c["comparable"]) for c in cases)])
    print_table(
        f"{len(pairs):,} pairs compared with METEOR's links; comparable if all of these match here",
        ["ours has", *(f"-t {mode}" for mode in MODES)],
        rows,
    )
    print_table(
        "Chunks, where both cover the same number of words",
        ["METEOR", "pairs", "chunks, ours", "chunks, METEOR"],
        [[f"-t {mode}", *row] for mode, row in zip(MODES, chunks, strict=True)],
    )
    if worse:
        print_table(
            f"The {WORST_LISTED} worst pairs for ours: words covered, -chunks, -distance",
            ["METEOR option", "pair (from 0)", "ours", "METEOR", "case"],
            [row for *_, row in sorted(worse)[:WORST_LISTED]],
        )
    if wrong:
        print(f"\nInvalid or duplicate links of ours in {len(wrong)} pairs: {wrong[:20]}")


def share(part: int, whole: int) -> str:
    return f"{part:,} ({part / max(1, whole):.2%})"


def verdict(mine: tuple[int, int, int], other: tuple[int, int, int], exact: bool) -> str:
    if mine == other:
        return EQUAL
    if mine < other:
        return WORSE if exact else CUT_SHORT
    return next(name for name, a, b in zip(BETTER, mine, other, strict=True) if a != b)


def paraphrases(pairs: list[Pair], meteor_table: Path) -> None:
    sample = pairs[:: max(1, len(pairs) // PARAPHRASE_PAIRS)][:PARAPHRASE_PAIRS]
    hyps, refs = [list(side) for side in zip(*sample, strict=True)]
    matchers = (*MATCHERS, "paraphrase")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / meteor_table.name  # the index is written next to it
        shutil.copy(meteor_table, path)
        files = meteor.write(Path(folder), hyps[:1], refs[:1])
        command = [*files, "-l", "en", "-m", ",".join(matchers), "--tokenize", "none"]
        rows = []
        for step in ("build the index", "open it"):
            start = time.perf_counter()
            memory = peak_memory(["align", *command, "--paraphrases", str(path)])
            rows.append([step, f"{time.perf_counter() - start:.1f} s", f"{memory:.0f} MB"])
        index_size = path.with_name(path.name + ".hyperbaton").stat().st_size
        print_table(
            f"`hyperbaton align` with METEOR's paraphrases; index of {index_size / 1e6:,.0f} MB",
            ["step", "time", "peak memory"],
            rows,
        )
        aligner = hb.Aligner("en", matchers=matchers, tokenize="none", paraphrases=path)
        alignments = aligner.align_many(hyps, refs)  # warm up
        rates = [
            len(sample)
            / min(seconds(lambda n=n: aligner.align_many(hyps, refs, n)) for _ in range(3))
            for n in (1, 2)
        ]
    used = sum(link.matcher == "paraphrase" for a in alignments for link in a.phrases)
    print_table(
        f"Pairs per second, {len(sample):,} pairs; {', '.join(matchers)}",
        ["one thread", "two threads", "solved exactly", "paraphrases linked"],
        [
            [
                *(f"{rate:,.0f}" for rate in rates),
                share(sum(bool(a.exact) for a in alignments), len(alignments)),
                f"{used:,}",
            ]
        ],
    )


def memory(pairs: list[Pair]) -> None:
    if not Path("/proc/self/status").exists():
        print("\nPeak memory can only be measured on Linux.")
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for count in (1, BATCH, len(pairs), 2 * len(pairs), 4 * len(pairs)):
            # Repeat the pairs but never a line, because recent lines are cached.
            lines = [
                ([*hyp, str(k // len(pairs))], [*ref, str(k // len(pairs))])
                for k, (hyp, ref) in enumerate(islice(cycle(pairs), count))
            ]
            files = meteor.write(Path(folder), *zip(*lines, strict=True))
            command = ["align", *files, "-l", "en"]
            rows.append(
                [f"{count:,}"]
                + [
                    f"{peak_memory([*command, '-m', names, '--tokenize', 'none']):.0f} MB"
                    for names in ("exact", "exact,stem", ",".join(MATCHERS))
                ]
            )
    print_table(
        f"Peak memory of `hyperbaton align`, which reads {BATCH:,} lines at a time",
        ["lines", "exact", "exact, stem", "exact, stem, synonym"],
        rows,
    )


def main() -> None:
    print_header()
    pairs = real_pairs(require_data() / "wmt13" / "de-en")
    throughput(pairs)
    if meteor.find():
        compare_links(pairs)
    else:
        print("\nWithout METEOR, which needs Java and METEOR_JAR (see tests/reference/meteor.py).")
    if (meteor_table := meteor.paraphrase_table()) is not None:
        paraphrases(pairs, meteor_table)
    memory(pairs)


if __name__ == "__main__":
    main()
