"""How many moves explain the order of real translations, beside lists of single words to move.

The sentences are those of HYPERBATON_DATA (wmt13/de-en and wordorder/popovic17/en-de), and there is
nothing without it. Prints Markdown.
"""

from __future__ import annotations

import os
from bisect import bisect_left, insort
from pathlib import Path

from benchmarks.timing import header, seconds, table

import hyperbaton as hb
from hyperbaton.order.moves import block_moves

SETS = (("wmt13/de-en", "en"), ("wordorder/popovic17/en-de", "de"))


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def insertion_sort(pi: hb.Permutation) -> int:
    """Words that go back to their place among those before them."""
    done: list[int] = []
    count = 0
    for value in pi:
        count += bisect_left(done, value) < len(done)
        insort(done, value)
    return count


def out_of_order(pi: hb.Permutation) -> int:
    """n − the longest increasing subsequence: the fewest single words that can be moved."""
    ends: list[int] = []
    for value in pi:
        at = bisect_left(ends, value)
        ends[at : at + 1] = [value]
    return len(pi) - len(ends)


def main() -> None:
    header()
    data = os.environ.get("HYPERBATON_DATA")
    if not data:
        print("\nno HYPERBATON_DATA: there is nothing to explain")
        return
    rows = []
    for name, language in SETS:
        folder = Path(data) / name
        references = lines(folder / "reference.txt")
        perms: list[hb.Permutation] = []
        for system in sorted((folder / "systems").glob("*.txt")):
            found = hb.align_many(lines(system), references, language)
            perms += [alignment.permutation() for alignment in found]
        moving = [pi for pi in perms if pi != hb.Permutation.identity(len(pi))]
        counts = [
            sum(map(count, moving)) / len(moving)
            for count in (insertion_sort, out_of_order, lambda pi: len(block_moves(pi)))
        ]
        fewer = sum(len(block_moves(pi)) < out_of_order(pi) for pi in moving) / len(moving)
        taken = seconds(lambda m=moving: [block_moves(pi) for pi in m]) / len(moving)
        rows.append(
            [
                name,
                f"{len(moving):,} of {len(perms):,}",
                *(f"{count:.2f}" for count in counts),
                f"{fewer:.0%}",
                f"{taken * 1e6:.0f} µs",
            ]
        )
    table(
        "Moves for a sentence that is not in order",
        [
            "set",
            "not in order",
            "insertion sort",
            "fewest single words",
            "blocks",
            "fewer blocks than words",
            "time for a sentence",
        ],
        rows,
    )


if __name__ == "__main__":
    main()
