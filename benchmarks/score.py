"""Scoring beside sacreBLEU: every measure of order against BLEU alone and TER. Prints Markdown.

The sentences are those of HYPERBATON_DATA (wmt13/de-en), and there is nothing without it. Each
program reads the same lines, starts without anything in its caches, and does all of its work:
tokens, alignments and permutations are in ours.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from benchmarks.timing import header, peak, seconds, table

import hyperbaton as hb
from hyperbaton.order.factored import measures
from hyperbaton.text.tokenizers import tokenizer

MEASURES = list(measures([]))
ROUNDS = 3
TER_SEGMENTS = 3000  # of the first system: the rest would take minutes
MANY = 1_000_000  # segments in a stream


def corpus(folder: Path) -> tuple[list[str], list[str], Path]:
    """All systems one after another, and the reference as often."""

    def lines(path: Path) -> list[str]:
        return path.read_text("utf-8").removesuffix("\n").split("\n")

    paths = sorted((folder / "systems").iterdir())
    references = lines(folder / "reference.txt") * len(paths)
    return [line for path in paths for line in lines(path)], references, paths[0]


def forget() -> None:
    """Empty the caches of sacreBLEU's tokenisers, which both programs use."""
    from sacrebleu.tokenizers import tokenizer_13a, tokenizer_re

    tokenizer_13a.Tokenizer13a.__call__.cache_clear()
    tokenizer_re.TokenizerRegexp.__call__.cache_clear()


def speed(hyps: list[str], refs: list[str]) -> None:
    from sacrebleu.metrics import BLEU, TER

    tokenizer()("what it loads, it loads before")
    hb.score(hyps[:10], refs[:10], MEASURES, "en")
    rounds = []
    for _ in range(ROUNDS):
        forget()
        ours = seconds(lambda: hb.score(hyps, refs, MEASURES, "en")) / len(hyps)
        forget()
        bleu = seconds(lambda: BLEU().corpus_score(hyps, [refs])) / len(hyps)
        ter = seconds(lambda: TER().corpus_score(hyps[:TER_SEGMENTS], [refs[:TER_SEGMENTS]]))
        rounds.append((ours, bleu, ter / TER_SEGMENTS))
    ours, bleu, ter = (statistics.median(times) for times in zip(*rounds, strict=True))
    against_bleu = statistics.median(b / a for a, b, _ in rounds)
    against_ter = statistics.median(t / a for a, _, t in rounds)
    table(
        f"{len(hyps):,} segments, aligned by exact + stem: time for a segment",
        ["all measures of order", "BLEU", "TER", "BLEU ÷ ours", "TER ÷ ours"],
        [
            [
                f"{1e6 * ours:,.0f} µs",
                f"{1e6 * bleu:,.0f} µs",
                f"{1e6 * ter:,.0f} µs",
                f"{against_bleu:.2f} ×",
                f"{against_ter:.0f} ×",
            ]
        ],
    )


def every_metric(hyps: list[str], refs: list[str]) -> None:
    names = hb.metrics.names()
    rows = []
    some, several = hyps[:TER_SEGMENTS], refs[:TER_SEGMENTS]
    for name in names:
        taken = seconds(lambda name=name: hb.score(some, several, [name], "en")) / len(some)
        rows.append([f"`{name}`", f"{1e6 * taken:,.0f} µs"])
    together = seconds(lambda: hb.score(some, several, "default", "en")) / len(some)
    rows.append(["the set `default` together", f"{1e6 * together:,.0f} µs"])
    table(f"Each metric alone, {len(some):,} segments", ["metric", "a segment"], rows)


def memory(hyps: list[str], refs: list[str]) -> None:
    """Of a command that streams, for two lengths."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for chosen, count in (("order", MANY // 4), ("order", MANY), ("default", MANY // 4)):
            for name, lines in (("hyp", hyps), ("ref", refs)):
                with open(Path(folder, name), "w", encoding="utf-8", newline="\n") as file:
                    file.writelines(f"{line}\n" for line in islice(cycle(lines), count))
            files = ["-r", f"{folder}/ref", f"{folder}/hyp"]
            start = time.perf_counter()
            most = peak(["score", *files, "-l", "en", "-m", chosen])
            taken = time.perf_counter() - start
            rows.append([f"{count:,}", chosen, f"{most:,.0f} MB", f"{taken:,.0f} s"])
    table("Streamed from files", ["segments", "metrics", "largest memory", "time"], rows)


def main() -> None:
    header()
    data = os.environ.get("HYPERBATON_DATA")
    if not data:
        print("\nno HYPERBATON_DATA: there is nothing to score")
        return
    hyps, refs, _ = corpus(Path(data, "wmt13", "de-en"))
    speed(hyps, refs)
    every_metric(hyps, refs)
    memory(hyps, refs)


if __name__ == "__main__":
    main()
