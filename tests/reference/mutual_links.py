"""Links by similarities, from the definition: all pairs of words, one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence

Row = Sequence[float]


def cosine(a: Row, b: Row) -> float:
    """The cosine of two vectors of which none is 0."""
    lengths = [math.sqrt(math.fsum(x * x for x in vector)) for vector in (a, b)]
    return math.fsum((x / lengths[0]) * (y / lengths[1]) for x, y in zip(a, b, strict=True))


def similarities(
    hyp: Sequence[str], hyp_vectors: Sequence[Row], ref: Sequence[str], ref_vectors: Sequence[Row]
) -> list[list[float]]:
    """s(i, j): cosines; a word without a vector is like an equal word and like no other."""
    return [
        [
            cosine(a, b) if any(a) and any(b) else float(hyp_word == ref_word)
            for ref_word, b in zip(ref, ref_vectors, strict=True)
        ]
        for hyp_word, a in zip(hyp, hyp_vectors, strict=True)
    ]


def mutual_links(
    similarity: Sequence[Row], columns: int, neighbours: float, distance: float, threshold: float
) -> list[tuple[int, int]]:
    """The pairs of words that are each other's best, with a strength of at least the threshold.

    S(i, j) = s(i, j) + w·(s(i−1, j−1) + s(i+1, j+1)) − d·|(i + ½)/n − (j + ½)/m|, where s is 0
    outside of the sentences. Of equally strong words, the first one is the best.
    """
    n, m = len(similarity), columns

    def s(i: int, j: int) -> float:
        return similarity[i][j] if 0 <= i < n and 0 <= j < m else 0.0

    def strength(i: int, j: int) -> float:
        places = abs((2 * i + 1) * m - (2 * j + 1) * n) / (2 * n * m)
        return s(i, j) + neighbours * (s(i - 1, j - 1) + s(i + 1, j + 1)) - distance * places

    links = []
    for i in range(n):
        if m == 0:
            continue
        j = max(range(m), key=lambda j: strength(i, j))  # the first of several
        best = max(range(n), key=lambda k: strength(k, j))
        if best == i and strength(i, j) >= threshold:
            links.append((i, j))
    return links
