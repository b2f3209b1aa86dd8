"""Reorderings of a source as Birch & Osborne 2010 define them (section 2), and RIBES.

RIBES follows the documentation of its authors' program, version 1.03: words are linked by the
n-grams around them, the shortest first; see ``context_links``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

Pairs = Sequence[tuple[int, int]]


def targets(links: Pairs, length: int) -> list[int | None]:
    """One-to-many: "the source word is assumed to be aligned to the first target word"."""
    return [min((t for s, t in links if s == word), default=None) for word in range(length)]


def reordering(links: Pairs, length: int, nulls: str) -> list[int]:
    """The target rank of each source word, with the null rule of the paper or of Moses."""
    placed: list[int] = []
    before: int | None = None
    for target in targets(links, length):
        if target is not None:
            before = target
        elif before is not None and nulls == "paper":
            before += 1  # π(i) = π(i − 1) + 1
        placed.append(-1 if before is None else before)
    # Many-to-one: "the target ordering is assumed to be monotone". The same holds for other words
    # with the same target.
    order = sorted(range(length), key=lambda word: (placed[word], word))
    return [order.index(word) + 1 for word in range(length)]


def kendall(pi: Sequence[int], sigma: Sequence[int]) -> Fraction:
    """Equation of section 2.2, over ordered pairs (i, j)."""
    n = len(pi)
    if n < 2:
        return Fraction(n)
    z = sum(pi[i] < pi[j] and sigma[i] > sigma[j] for i in range(n) for j in range(n))
    return 1 - Fraction(2 * z, n * n - n)


def hamming(pi: Sequence[int], sigma: Sequence[int]) -> Fraction:
    """Equation of section 2.1."""
    if not pi:
        return Fraction(0)
    return Fraction(sum(a == b for a, b in zip(pi, sigma, strict=True)), len(pi))


def occurrences(ngram: Sequence[str], words: Sequence[str]) -> list[int]:
    n = len(ngram)
    return [k for k in range(len(words) - n + 1) if list(words[k : k + n]) == list(ngram)]


def context_links(hyp: Sequence[str], ref: Sequence[str]) -> list[tuple[int, int]]:
    """Link a word that is unique on both sides, or else by its first context that is unique.

    Contexts grow word by word; for each length, the left context is tried first. Occurrences may
    overlap.
    """
    links = []
    for i in range(len(hyp)):
        for window in range(len(hyp)):
            found = None
            for start, end in ((i - window, i + 1), (i, i + window + 1)):
                if start < 0 or end > len(hyp):
                    continue
                ngram = hyp[start:end]
                there = occurrences(ngram, ref)
                if len(there) == 1 and len(occurrences(ngram, hyp)) == 1:
                    found = there[0] + i - start
                    break
            if found is not None:
                links.append((i, found))
                break
    return links


def ribes(
    hyp: Sequence[str],
    ref: Sequence[str],
    order: str = "kendall",
    alpha: float = 0.25,
    beta: float = 0.1,
) -> float:
    if not hyp:
        return 0.0
    found = [r for _, r in context_links(hyp, ref)]
    n = len(found)
    penalty = min(1.0, math.exp(1 - len(ref) / len(hyp)))
    if n == 1 and len(ref) == 1:
        correlation = 1.0
    elif n < 2:
        return 0.0
    elif order == "kendall":
        rising = sum(found[i] < found[j] for i in range(n) for j in range(i + 1, n))
        correlation = rising / (n * (n - 1) / 2)
    else:
        # Words with the same position are not in order: the later one is ranked first.
        ranks = sorted(range(n), key=lambda k: (found[k], -k))
        squares = sum((place - k) ** 2 for place, k in enumerate(ranks))
        rho = 1 - squares / (math.comb(n + 1, 3))
        correlation = (rho + 1) / 2
    return float(correlation * (n / len(hyp)) ** alpha * penalty**beta)
