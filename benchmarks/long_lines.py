"""Alignment of long lines: time and links, beside another version. Prints Markdown.

Usage: ``HYPERBATON_DATA=… python -m benchmarks.long_lines OTHER_PYTHON``, the interpreter of an
environment that has the other version. Segments of wmt13 de-en are joined until their reference has
at least so many words. The versions take turns, and CPU time counts.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
import time
from pathlib import Path

ROUNDS = 3
BUDGETS = (0, 2_000, 4_000)  # the second is the default
FOUND = ("links", "chunks", "distance", "exact")
LENGTHS = {1: 2, 100: 4, 300: 4, 1_000: 6}  # words of a paragraph, and systems


def split(line: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", line.lower())


def paragraphs(words: int, systems: int) -> tuple[list[list[str]], list[list[str]]]:
    folder = Path(os.environ["HYPERBATON_DATA"]) / "wmt13" / "de-en"
    references = list(map(split, (folder / "reference.txt").read_text("utf-8").split("\n")[:-1]))
    sides: tuple[list[list[str]], list[list[str]]] = [], []
    for path in sorted((folder / "systems").iterdir())[1 : 1 + 3 * systems : 3]:
        hyp: list[str] = []
        ref: list[str] = []
        for line, reference in zip(
            path.read_text("utf-8").split("\n")[:-1], references, strict=True
        ):
            hyp, ref = [*hyp, *split(line)], [*ref, *reference]
            if len(ref) >= words:
                sides[0].append(hyp)
                sides[1].append(ref)
                hyp, ref = [], []
    return sides


def measure(words: int, budget: int) -> dict[str, float]:
    """Align all paragraphs of a length on one thread, and describe the links."""
    import hyperbaton as hb

    hyps, refs = paragraphs(words, LENGTHS[words])
    aligner = hb.Aligner("en", ("exact", "stem"), "none", budget=budget)
    aligner.align_many(hyps[:1], refs[:1], 1)  # data is loaded
    begin = time.process_time()
    found = aligner.align_many(hyps, refs, 1)
    spent = time.process_time() - begin
    return {
        "pairs": len(found),
        "ms": 1e3 * spent / len(found),
        "links": sum(len(a.links) for a in found),
        "chunks": sum(a.chunks for a in found),
        "distance": sum(abs(h - r) for a in found for h, r in a.links),
        "exact": sum(bool(a.exact) for a in found),
    }


def main(other: str) -> None:
    from benchmarks.timing import measure_in_process, print_table

    rows = []
    for words in LENGTHS:
        for budget in BUDGETS:
            arguments = __file__, str(words), str(budget)
            turns = [
                [measure_in_process(python, *arguments) for python in (other, sys.executable)]
                for _ in range(ROUNDS)
            ]
            ratio = statistics.median(old["ms"] / new["ms"] for old, new in turns)
            old, new = turns[0]
            times = [statistics.median(turn[k]["ms"] for turn in turns) for k in (0, 1)]
            rows.append(
                [
                    f"{words:,}",
                    f"{int(new['pairs']):,}",
                    f"{budget:,}",
                    *(f"{ms:.3f} ms" for ms in times),
                    f"{ratio:.1f} ×",
                    *(f"{int(side[key]):,}" for key in FOUND for side in (old, new)),
                ]
            )
    print_table(
        "Paragraphs of at least so many words: the other version, then this one",
        [
            *["words", "pairs", "budget", "time", "time", "ratio"],
            *(key for key in FOUND for _ in range(2)),
        ],
        rows,
    )


if __name__ == "__main__":
    if sys.argv[1] == "--measure":
        print(json.dumps(measure(*map(int, sys.argv[2:]))))
    else:
        main(sys.argv[1])
