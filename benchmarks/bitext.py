"""The reordering profile of a whole bitext, from files of links. Prints Markdown tables."""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.timing import (
    ROUNDS,
    compare_speed,
    compare_threads,
    microseconds,
    peak_memory,
    print_header,
    print_table,
    seconds,
)

import hyperbaton as hb
from hyperbaton.alignment.pharaoh import LinkFile

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from reference import source as twin

PAIRS, WORDS = 100_000, 25


def random_links(count: int) -> list[str]:
    """Return links of words that moved a little; a tenth have no link, a tenth have two."""
    rng = np.random.default_rng(25)
    moved = np.argsort(np.argsort(np.arange(WORDS) + rng.normal(0, 1.2, (count, WORDS))))
    kinds = rng.random((count, WORDS))
    lines = []
    for targets, kind in zip(moved.tolist(), kinds.tolist(), strict=True):
        fields = []
        for source, (target, chance) in enumerate(zip(targets, kind, strict=True)):
            if chance < 0.9:
                fields.append(f"{source}-{target}")
            if chance < 0.1:
                fields.append(f"{source}-{min(target + 1, WORDS - 1)}")
        lines.append(" ".join(fields))
    return lines


def profile_in_python(values: list[list[int]]) -> Counter[tuple[int, ...]]:
    """Count operators and spans from the trees, one after another."""
    counts: Counter[tuple[int, ...]] = Counter()
    for permutation in values:
        for node in hb.Permutation(permutation).tree():
            if node.operator is not None:
                counts[(node.span[1] - node.span[0], *node.operator)] += 1
    return counts


def profile(folder: Path, lines: list[str]) -> None:
    source, path = folder / "source.txt", folder / "links.align"
    source.write_text((" ".join("w" * WORDS) + "\n") * len(lines), "utf-8")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    batches = list(LinkFile(str(path), str(source)).read_batches())
    perms = [batch.permutations("moses") for batch in batches]
    values = np.concatenate([flat for flat, _ in perms])
    offsets = np.arange(len(lines) + 1) * WORDS

    def read() -> None:
        for _ in LinkFile(str(path), str(source)).read_batches():
            pass

    def permute() -> None:
        for batch in batches:
            batch.permutations("moses")

    steps: dict[str, Any] = {
        "reading the files": read,
        "permutations": permute,
        "profile": lambda: hb.reordering_profile(values, offsets),
    }
    rows = [
        [name, f"{statistics.median(seconds(work) for _ in range(ROUNDS)):,.2f} s"]
        for name, work in steps.items()
    ]
    arguments = ["align", "--source", str(source), str(path), "--profile"]
    memory = peak_memory(arguments)
    rows.append(["peak memory of the whole command", f"{memory:,.0f} MB"])
    print_table(
        f"{len(lines):,} sentence pairs of {WORDS} words, all cores", ["step", "result"], rows
    )
    compare_threads(
        "`hb.reordering_profile` of the same pairs",
        lambda n: hb.reordering_profile(values, offsets, threads=n),
    )
    few = [permutation.tolist() for permutation in values.reshape(-1, WORDS)[:300]]
    peers = compare_speed(
        lambda: hb.reordering_profile(values, offsets, threads=1),
        len(lines),
        lambda: profile_in_python(few),
        len(few),
    )
    print_table(
        "Per sentence, one thread",
        ["peer", "Hyperbaton", "peer's time", "ratio"],
        [["`Permutation.tree()`, node by node", *peers]],
    )


def context_aligner() -> None:
    rng = np.random.default_rng(4)
    zipf = np.minimum(rng.zipf(1.3, (3000, 28)), 20_000)
    refs = [[str(word) for word in row] for row in zipf.tolist()]
    hyps = [row[9:18] + row[:9] + row[18:] for row in refs]
    aligner = hb.Aligner(matchers="context", tokenize="none")
    few = list(zip(hyps, refs, strict=True))[:60]
    result = compare_speed(
        lambda: aligner.align_batch(hyps, refs, threads=1),
        len(refs),
        lambda: [twin.context_links(*pair) for pair in few],
        len(few),
    )
    print_table(
        "The context aligner, per pair of 28 words, one thread",
        ["peer", "Hyperbaton", "peer's time", "ratio"],
        [["the naive twin, with every n-gram", *result]],
    )
    words = ["a"] * 20_000
    long = seconds(lambda: aligner.align(words, words))
    print(f"\nTwo sentences that repeat one word 20,000 times: {long:.1f} s")
    print(f"ribes on 3,000 segments: {microseconds(ribes(hyps, refs) / 3000)} per segment")


def ribes(hyps: list[list[str]], refs: list[list[str]]) -> float:
    texts = [" ".join(words) for words in hyps], [" ".join(words) for words in refs]
    return statistics.median(
        seconds(lambda: hb.score(*texts, ["ribes:tok=none"])) for _ in range(ROUNDS)
    )


def main() -> None:
    print_header()
    with tempfile.TemporaryDirectory() as folder:
        profile(Path(folder), random_links(PAIRS))
    context_aligner()


if __name__ == "__main__":
    main()
