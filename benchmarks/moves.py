"""The number of moves that explain real translations, compared with reordered single words.

This benchmark requires the sentences of HYPERBATON_DATA (wmt13/de-en and
wordorder/popovic17/en-de). Prints Markdown.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from benchmarks.timing import print_header, print_table, read_lines, require_data, seconds

import hyperbaton as hb
from hyperbaton.order.moves import block_moves

SETS = (("wmt13/de-en", "en"), ("wordorder/popovic17/en-de", "de"))


def insertion_sort_moves(pi: hb.Permutation) -> int:
    """Count the words that insertion sort moves back."""
    sorted_values: list[int] = []
    count = 0
    for value in pi:
        count += bisect_left(sorted_values, value) < len(sorted_values)
        insort(sorted_values, value)
    return count


def single_word_moves(pi: hb.Permutation) -> int:
    """Return the minimum number of single words to move: n − longest increasing subsequence."""
    ends: list[int] = []
    for value in pi:
        position = bisect_left(ends, value)
        ends[position : position + 1] = [value]
    return len(pi) - len(ends)


def main() -> None:
    print_header()
    data = require_data()
    rows = []
    for name, language in SETS:
        folder = data / name
        references = read_lines(folder / "reference.txt")
        perms: list[hb.Permutation] = []
        for system in sorted((folder / "systems").glob("*.txt")):
            alignments = hb.align_many(read_lines(system), references, language)
            perms += [alignment.permutation() for alignment in alignments]
        reordered = [pi for pi in perms if pi != hb.Permutation.identity(len(pi))]
        counts = [
            sum(map(count, reordered)) / len(reordered)
            for count in (insertion_sort_moves, single_word_moves, lambda pi: len(block_moves(pi)))
        ]
        fewer_blocks = sum(len(block_moves(pi)) < single_word_moves(pi) for pi in reordered) / len(
            reordered
        )
        time = seconds(lambda m=reordered: [block_moves(pi) for pi in m]) / len(reordered)
        rows.append(
            [
                name,
                f"{len(reordered):,} of {len(perms):,}",
                *(f"{count:.2f}" for count in counts),
                f"{fewer_blocks:.0%}",
                f"{time * 1e6:.0f} µs",
            ]
        )
    print_table(
        "Moves per sentence that is not in order",
        [
            "set",
            "not in order",
            "insertion sort",
            "fewest single words",
            "blocks",
            "fewer blocks than words",
            "time per sentence",
        ],
        rows,
    )


if __name__ == "__main__":
    main()
