"""Scoring compared with sacreBLEU: all measures of order against BLEU and TER. Prints Markdown.

This benchmark requires the sentences of HYPERBATON_DATA (wmt13/de-en). Each program reads the same
lines, starts with empty caches, and does all of its work: our time includes tokenisation, alignment
and permutations.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from benchmarks.timing import (
    peak_memory,
    print_header,
    print_table,
    read_lines,
    require_data,
    seconds,
)

import hyperbaton as hb
from hyperbaton.order.measures import measures
from hyperbaton.text.tokenization import tokenizer

MEASURES = list(measures([]))
ROUNDS = 3
TER_SEGMENTS = 3000  # TER would take minutes on all segments
STREAMED_SEGMENTS = 1_000_000


def read_corpus(folder: Path) -> tuple[list[str], list[str]]:
    """Return the outputs of all systems one after another, and the repeated reference."""
    paths = sorted((folder / "systems").iterdir())
    references = read_lines(folder / "reference.txt") * len(paths)
    return [line for path in paths for line in read_lines(path)], references


def clear_caches() -> None:
    """Clear the caches of sacreBLEU's tokenisers, and our tables of words."""
    from sacrebleu.tokenizers import tokenizer_13a, tokenizer_re

    from hyperbaton.text import words

    words._tables.clear()
    tokenizer_13a.Tokenizer13a.__call__.cache_clear()
    tokenizer_re.TokenizerRegexp.__call__.cache_clear()


def speed(hyps: list[str], refs: list[str]) -> None:
    from sacrebleu.metrics import BLEU, TER

    tokenizer()("load the tokeniser before timing")
    hb.score(hyps[:10], refs[:10], MEASURES, "en")
    rounds = []
    for _ in range(ROUNDS):
        ours = []
        for threads in (1, 2):
            clear_caches()
            work = lambda n=threads: hb.score(hyps, refs, MEASURES, "en", threads=n)  # noqa: E731
            ours.append(seconds(work) / len(hyps))
        clear_caches()
        bleu = seconds(lambda: BLEU().corpus_score(hyps, [refs])) / len(hyps)
        ter = seconds(lambda: TER().corpus_score(hyps[:TER_SEGMENTS], [refs[:TER_SEGMENTS]]))
        rounds.append((*ours, bleu, ter / TER_SEGMENTS))
    one, two, bleu, ter = (statistics.median(times) for times in zip(*rounds, strict=True))
    print_table(
        f"{len(hyps):,} segments, aligned by exact + stem: time per segment",
        ["measures, one thread", "two threads", "BLEU", "TER", "BLEU ÷ one", "TER ÷ one"],
        [
            [
                *(f"{1e6 * duration:,.1f} µs" for duration in (one, two, bleu, ter)),
                f"{statistics.median(b / a for a, _, b, _ in rounds):.2f} ×",
                f"{statistics.median(t / a for a, _, _, t in rounds):.0f} ×",
            ]
        ],
    )


def every_metric(hyps: list[str], refs: list[str]) -> None:
    names = hb.metrics.names()
    rows = []
    hyps, refs = hyps[:TER_SEGMENTS], refs[:TER_SEGMENTS]
    for name in names:
        time_per_segment = seconds(lambda name=name: hb.score(hyps, refs, [name], "en")) / len(hyps)
        rows.append([f"`{name}`", f"{1e6 * time_per_segment:,.0f} µs"])
    together = seconds(lambda: hb.score(hyps, refs, "default", "en")) / len(hyps)
    rows.append(["the set `default` together", f"{1e6 * together:,.0f} µs"])
    print_table(f"Each metric alone, {len(hyps):,} segments", ["metric", "time per segment"], rows)


def streaming_memory(hyps: list[str], refs: list[str]) -> None:
    """Report the peak memory of a streaming command for two lengths."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for metrics, count in (
            ("permutations", STREAMED_SEGMENTS // 4),
            ("permutations", STREAMED_SEGMENTS),
            ("default", STREAMED_SEGMENTS // 4),
        ):
            for name, lines in (("hyp", hyps), ("ref", refs)):
                with open(Path(folder, name), "w", encoding="utf-8", newline="\n") as file:
                    file.writelines(f"{line}\n" for line in islice(cycle(lines), count))
            files = ["-r", f"{folder}/ref", f"{folder}/hyp"]
            start = time.perf_counter()
            memory = peak_memory(["score", *files, "-l", "en", "-m", metrics])
            taken = time.perf_counter() - start
            rows.append([f"{count:,}", metrics, f"{memory:,.0f} MB", f"{taken:,.0f} s"])
    print_table("Streamed from files", ["segments", "metrics", "peak memory", "time"], rows)


def main() -> None:
    print_header()
    data = require_data()
    hyps, refs = read_corpus(data / "wmt13" / "de-en")
    speed(hyps, refs)
    every_metric(hyps, refs)
    streaming_memory(hyps, refs)


if __name__ == "__main__":
    main()
