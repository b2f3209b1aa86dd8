"""Figure 2 of Stanojević & Sima'an 2014 in exact fractions, and two similar measures.

The papers define them for n > 1. By convention, the empty permutation scores 0 and a single word
scores 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction


def kendall(pi: Sequence[int]) -> Fraction:
    n = len(pi)
    if n < 2:
        return Fraction(n)
    position = {value: index for index, value in enumerate(pi, 1)}  # the papers' π(i)
    in_order = sum(position[i] < position[j] for i in range(1, n) for j in range(i + 1, n + 1))
    return Fraction(in_order, (n * n - n) // 2)


def spearman(pi: Sequence[int]) -> Fraction:
    n = len(pi)
    if n < 2:
        return Fraction(n)
    squares = sum((value - i) ** 2 for i, value in enumerate(pi, 1))
    return 1 - Fraction(3 * squares, n * (n * n - 1))


def footrule(pi: Sequence[int]) -> Fraction:
    n = len(pi)
    if n < 2:
        return Fraction(n)
    return 1 - Fraction(sum(abs(value - i) for i, value in enumerate(pi, 1)), n * n // 2)


def hamming(pi: Sequence[int]) -> Fraction:
    n = len(pi)
    if n < 2:
        return Fraction(n)
    return Fraction(sum(value == i for i, value in enumerate(pi, 1)), n)


def ulam(pi: Sequence[int]) -> Fraction:
    n = len(pi)
    if n < 2:
        return Fraction(n)
    # The textbook table of the longest common subsequence with ⟨1, …, n⟩.
    table = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            if pi[i - 1] == j:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return Fraction(table[n][n] - 1, n - 1)


def fuzzy(pi: Sequence[int]) -> Fraction:
    n = len(pi)
    if n < 2:
        return Fraction(n)
    # Monotone sub-permutations are maximal runs of consecutive values.
    runs: list[list[int]] = []
    for value in pi:
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return 1 - Fraction(len(runs) - 1, n - 1)


def breakpoints(pi: Sequence[int]) -> Fraction:
    """1 − b/(n + 1), where b counts the neighbours in ⟨0, π, n + 1⟩ that do not rise by 1."""
    n = len(pi)
    if n == 0:
        return Fraction(0)
    framed = [0, *pi, n + 1]
    broken = sum(framed[k + 1] != framed[k] + 1 for k in range(n + 1))
    return 1 - Fraction(broken, n + 1)


def kendall_sqrt(pi: Sequence[int]) -> float:
    """1 − √(1 − kendall), as computed by the scorer of Moses."""
    if len(pi) == 0:
        return 0.0
    return 1 - math.sqrt(1 - kendall(pi))


FLAT: dict[str, Callable[[Sequence[int]], Fraction | float]] = {
    "kendall": kendall,
    "kendall_sqrt": kendall_sqrt,
    "spearman": spearman,
    "footrule": footrule,
    "hamming": hamming,
    "ulam": ulam,
    "fuzzy": fuzzy,
    "breakpoints": breakpoints,
}
