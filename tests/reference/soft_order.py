"""The measure ``order`` and the composite ``hyper`` by their definition, in plain Python.

The definition is docs/metrics/order.md. Sentences are lists of tokens. ``chars`` and the functions
of ``hyper`` take cased tokens, the other functions lower-cased ones.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

TAU, PI, THETA = 0.1, 0.5, 0.5
FREQUENT = 150
KAPPA_0, KAPPA_1 = 3.0, 0.3
WEIGHTS = {1: 1.0, 2: 0.3}

Matrix = list[list[float]]


class Mark:
    """A frame mark. It is not a string, so the token ``<s>`` of a text is an ordinary word."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


START, END = Mark("<s>"), Mark("</s>")
Word = str | Mark


# A: soft adjacency to the reference


def levenshtein(a: str, b: str) -> int:
    """The fewest insertions, deletions and substitutions of characters that turn a into b."""
    row = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        above, row = row, [i]
        for j in range(1, len(b) + 1):
            substitution = above[j - 1] + (a[i - 1] != b[j - 1])
            row.append(min(above[j] + 1, row[j - 1] + 1, substitution))
    return row[-1]


def common_prefix(a: str, b: str) -> int:
    """The length of the longest common prefix."""
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return length


def similarity(a: str, b: str) -> float:
    """Step 1: s(a, b)."""
    if a == b:
        return 1.0
    return max(
        1 - levenshtein(a, b) / max(len(a), len(b)),
        2 * common_prefix(a, b) / (len(a) + len(b)),
    )


def scores(hyp: Sequence[str], ref: Sequence[str], pi: float) -> Matrix:
    """Step 2: X, similarity less the distance of relative positions. Words count from 1."""
    n, m = len(hyp), len(ref)
    return [
        [
            similarity(hyp[i - 1], ref[j - 1]) - pi * abs((i - 0.5) / n - (j - 0.5) / m)
            for j in range(1, m + 1)
        ]
        for i in range(1, n + 1)
    ]


def softmax(values: Sequence[float]) -> list[float]:
    """Softmax; subtracting the largest value avoids overflow and cancels out."""
    largest = max(values)
    powers = [math.exp(value - largest) for value in values]
    total = math.fsum(powers)
    return [power / total for power in powers]


def transpose(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


def links(x: Matrix, tau: float) -> Matrix:
    """Step 3: P from X, the geometric mean of the softmax of each row and of each column."""
    scaled = [[cell / tau for cell in row] for row in x]
    by_row = [softmax(row) for row in scaled]
    by_column = transpose([softmax(column) for column in transpose(scaled)])
    return [
        [math.sqrt(a * b) for a, b in zip(*rows, strict=True)]
        for rows in zip(by_row, by_column, strict=True)
    ]


def framed(p: Matrix) -> Matrix:
    """Step 4: Q, which has n + 2 rows and m + 2 columns, from P."""
    width = len(p[0]) + 2
    first = [1.0] + [0.0] * (width - 1)
    last = [0.0] * (width - 1) + [1.0]
    return [first, *([0.0, *row, 0.0] for row in p), last]


def unlinked(rows: Matrix) -> list[float]:
    """Step 5: for each row, how far its word has no link."""
    return [max(0.0, 1 - math.fsum(cell * cell for cell in row)) for row in rows]


def broken(q: Matrix, theta: float) -> list[float]:
    """Steps 5 to 8: max(0, 1 − s_i/θ) for i = 0…n. V(Q) is their mean."""
    n, m = len(q) - 2, len(q[0]) - 2
    u, v = unlinked(q), unlinked(transpose(q))
    norms = [math.sqrt(math.fsum(cell * cell for cell in row)) for row in q]

    def to(a: int, b: int) -> float:
        """Step 6. A row of zeros (possible only if tau is tiny) leads nowhere."""
        if norms[a] == 0 or norms[b] == 0:
            return 0.0
        total = 0.0
        for j in range(m + 2):
            if j + 1 <= m + 1:
                total += q[a][j] * q[b][j + 1]
            if j + 2 <= m + 1:
                total += q[a][j] * v[j + 1] * q[b][j + 2]
        return total / (norms[a] * norms[b])

    steps = []
    for i in range(n + 1):
        s = to(i, i + 1)  # step 7
        if i - 1 >= 0:
            s = max(s, u[i] * to(i - 1, i + 1))
        if i + 2 <= n + 1:
            s = max(s, u[i + 1] * to(i, i + 2))
        steps.append(max(0.0, 1 - s / theta))  # step 8
    return steps


def broken_steps(
    hyp: Sequence[str],
    ref: Sequence[str],
    tau: float = TAU,
    pi: float = PI,
    theta: float = THETA,
) -> tuple[list[float], list[float]]:
    """How far each step is broken: n + 1 values along the hypothesis, m + 1 along the reference.

    Value i belongs to the step from word i to word i + 1, counted from 1; 0 and n + 1 are the
    frame. Both sides need a word.
    """
    if not hyp or not ref:
        raise ValueError("an empty side has no steps")
    Q = framed(links(scores(hyp, ref, pi), tau))
    return broken(Q, theta), broken(transpose(Q), theta)


def soft_adjacency(
    hyp: Sequence[str],
    ref: Sequence[str],
    tau: float = TAU,
    pi: float = PI,
    theta: float = THETA,
) -> float:
    """Step 9: A, also for equal sides; 0 if a side is empty."""
    if not hyp or not ref:
        return 0.0
    V_hyp, V_ref = (math.fsum(x) / len(x) for x in broken_steps(hyp, ref, tau, pi, theta))
    return 1 - (V_hyp + V_ref) / 2


# B: do neighbouring words stand the right way round?


def is_letter(character: str) -> bool:
    return unicodedata.category(character).startswith("L")


def is_digit(character: str) -> bool:
    return "0" <= character <= "9"


def framed_words(tokens: Iterable[str]) -> list[Word]:
    return [START, *tokens, END]


class Precedence:
    """Counts of a corpus, and B by them.

    Parameters
    ----------
    lines
        The sentences of the corpus. The caller has removed duplicates.
    """

    def __init__(self, lines: Iterable[Sequence[str]]) -> None:
        corpus = [list(line) for line in lines]
        frequency = Counter(word for line in corpus for word in line)
        ranking = sorted(frequency, key=lambda word: (-frequency[word], word))
        self.frequent = set(ranking[:FREQUENT])

        # Words and classes have separate counts. Neighbours at distance d are counted under d.
        self.words: Counter[Word] = Counter()
        self.classes: Counter[Hashable] = Counter()
        self.word_pairs: dict[int, Counter[tuple[Word, Word]]] = {1: Counter(), 2: Counter()}
        self.class_pairs: dict[int, Counter[tuple[Hashable, Hashable]]] = {
            1: Counter(),
            2: Counter(),
        }
        for line in corpus:
            words = framed_words(line)
            classes = [self.word_class(word) for word in words]
            self.words.update(words)
            self.classes.update(classes)
            for d in (1, 2):
                self.word_pairs[d].update(zip(words, words[d:], strict=False))
                self.class_pairs[d].update(zip(classes, classes[d:], strict=False))
        self.N = self.word_pairs[1].total()

    def word_class(self, word: Word) -> Hashable:
        """The word itself if it is a frame mark or frequent; else a tuple, which equals no word."""
        if isinstance(word, Mark) or word in self.frequent:
            return word
        letters = any(is_letter(character) for character in word)
        digits = any(is_digit(character) for character in word)
        if digits and not letters:
            return ("#d",)
        if not digits and not letters:
            return ("#p",)
        if digits and letters:
            return ("#x",)
        return (word[-2:], len(word) <= 4, "-" in word)

    def expected(self, count_x: int, count_y: int) -> float:
        """n(x)·n(y)/N; 0 for a corpus without lines."""
        return count_x * count_y / self.N if self.N else 0.0

    def theta(self, d: int, x: Word, y: Word) -> float:
        """θ_d(x, y)."""
        c_x, c_y = self.word_class(x), self.word_class(y)
        rho = (self.class_pairs[d][c_x, c_y] + KAPPA_0) / (
            self.expected(self.classes[c_x], self.classes[c_y]) + KAPPA_0
        )
        return math.log(
            (self.word_pairs[d][x, y] + KAPPA_1 * rho)
            / (self.expected(self.words[x], self.words[y]) + KAPPA_1)
        )

    def phi(self, tokens: Sequence[str]) -> float:
        """Φ of the tokens in their frame."""
        words = framed_words(tokens)
        return math.fsum(
            WEIGHTS[d] * self.theta(d, words[k], words[k + d])
            for d in (1, 2)
            for k in range(len(words) - d)
        )

    def deltas(self, hyp: Sequence[str], ref: Sequence[str]) -> list[tuple[int, float]]:
        """(i, δ) for each pair of neighbours hyp[i], hyp[i + 1] that is judged."""
        reference_pairs = set(pairwise(ref))
        phi = self.phi(hyp)
        judged = []
        for i in range(len(hyp) - 1):
            x, y = hyp[i], hyp[i + 1]
            if x == y or (x, y) in reference_pairs:
                continue
            swapped = [*hyp[:i], y, x, *hyp[i + 2 :]]
            judged.append((i, phi - self.phi(swapped)))
        return judged

    def value(self, hyp: Sequence[str], ref: Sequence[str]) -> float:
        """B."""
        if len(hyp) < 2:
            return 1.0
        z = math.fsum(math.tanh(-delta / 2) for _, delta in self.deltas(hyp, ref) if delta < 0)
        return 1 - z / (len(hyp) + 1)


# X, M and N


class OrderStatistics(NamedTuple):
    """Of a pair of sentences.

    Attributes
    ----------
    X : float
        Matched words beside other neighbours.
    M : float
        Matched words: they have a counterpart on the other side.
    N : float
        Words that could be told apart.
    """

    X: float
    M: float
    N: float

    @property
    def value(self) -> float:
        """1 − X/M without a limit; 1 if M is 0."""
        return 1 - self.X / self.M if self.M else 1.0


def distinguishable_words(tokens: Sequence[str], tau: float = TAU, pi: float = PI) -> float:
    """D(t) = Σ a_ik²/(Z_i·Z_k) over the pairs of equal words, i = k among them."""
    places = range(len(tokens))

    def a(i: int, k: int) -> float:
        return math.exp(-(pi / tau) * abs(i - k) / len(tokens)) if tokens[i] == tokens[k] else 0.0

    Z = [math.fsum(a(i, k) for k in places) for i in places]
    return math.fsum(a(i, k) ** 2 / (Z[i] * Z[k]) for i in places for k in places)


def counterparts(
    hyp: Sequence[str], ref: Sequence[str], tau: float = TAU, pi: float = PI
) -> tuple[list[float], list[float]]:
    """c and d: how far each word of the hypothesis and of the reference is matched."""
    P = links(scores(hyp, ref, pi), tau)
    K = [
        [cell**2 * max(0.0, 2 * similarity(h, r) - 1) for r, cell in zip(ref, row, strict=True)]
        for h, row in zip(hyp, P, strict=True)
    ]
    return [math.fsum(row) for row in K], [math.fsum(column) for column in transpose(K)]


def lost_words(
    hyp: Sequence[str],
    ref: Sequence[str],
    tau: float = TAU,
    pi: float = PI,
    theta: float = THETA,
) -> float:
    """λ; 0 for equal sides by rule."""
    if list(hyp) == list(ref):
        return 0.0
    matches = counterparts(hyp, ref, tau, pi)
    losses = broken_steps(hyp, ref, tau, pi, theta)
    sides = (
        math.fsum(c[i] * (loss[i] + loss[i + 1]) / 2 for i in range(len(c)))
        for c, loss in zip(matches, losses, strict=True)
    )
    return sum(sides) / 2


def order_statistics(
    hyp: Sequence[str],
    ref: Sequence[str],
    precedence: Precedence | None = None,
    tau: float = TAU,
    pi: float = PI,
    theta: float = THETA,
) -> OrderStatistics:
    """X, M and N. Without a ``precedence``, B is 1."""
    N = (distinguishable_words(hyp, tau, pi) + distinguishable_words(ref, tau, pi)) / 2
    if not hyp or not ref:
        return OrderStatistics(0.0, 0.0, N)
    M = math.fsum(counterparts(hyp, ref, tau, pi)[0])
    B = 1.0 if precedence is None else precedence.value(hyp, ref)
    X = M - (M - lost_words(hyp, ref, tau, pi, theta)) * B
    return OrderStatistics(X, M, N)


def best_statistics(several: Iterable[OrderStatistics]) -> OrderStatistics:
    """Those of the reference with the largest M − X; of equal ones, the first."""
    # Which of two equal references comes first must not hang on a rounding error.
    return max(several, key=lambda found: round(found.M - found.X, 11))


def order_value(segments: Iterable[OrderStatistics]) -> float:
    """1 − ΣX/ΣM without a limit; 1 if ΣM is 0."""
    X, M, N = (math.fsum(column) for column in zip(*segments, strict=True))
    return OrderStatistics(X, M, N).value


def mark_strengths(
    hyp: Sequence[str], ref: Sequence[str], precedence: Precedence | None = None
) -> list[float]:
    """How strongly each word of the hypothesis is marked, at most 1. Equal sides have no marks."""
    if not hyp or not ref or list(hyp) == list(ref):
        return [0.0] * len(hyp)
    c, _ = counterparts(hyp, ref)
    loss, _ = broken_steps(hyp, ref)
    swaps = dict(precedence.deltas(hyp, ref)) if precedence is not None else {}
    # What z gains from the swap of the words k and k + 1.
    gain = {k: math.tanh(-delta / 2) for k, delta in swaps.items() if delta < 0}
    return [
        min(
            1.0,
            c[i] * (loss[i] + loss[i + 1]) / 2 + (gain.get(i - 1, 0.0) + gain.get(i, 0.0)) / 2,
        )
        for i in range(len(hyp))
    ]


# The composite with words


def character_ngrams(tokens: Iterable[str], n: int) -> Counter[tuple[Word, ...]]:
    """The bag of n-grams within the words. For n > 1, a word has a mark at each of its ends."""
    bag: Counter[tuple[Word, ...]] = Counter()
    for token in tokens:
        characters: list[Word] = list(token) if n == 1 else framed_words(token)
        bag.update(tuple(characters[k : k + n]) for k in range(len(characters) - n + 1))
    return bag


def chars(hyp: Sequence[str], ref: Sequence[str], beta: float = 2.0, longest: int = 4) -> float:
    """L of cased tokens; 0 if a side is empty."""
    if not hyp or not ref:
        return 0.0
    values = []
    for n in range(1, longest + 1):
        in_hyp, in_ref = character_ngrams(hyp, n), character_ngrams(ref, n)
        if not in_hyp and not in_ref:
            continue
        matches = sum(min(count, in_ref[ngram]) for ngram, count in in_hyp.items())
        if matches == 0:
            values.append(0.0)
            continue
        precision, recall = matches / in_hyp.total(), matches / in_ref.total()
        values.append((1 + beta**2) * precision * recall / (beta**2 * precision + recall))
    return math.fsum(values) / len(values)


def segment_order(
    hyp: Sequence[str], ref: Sequence[str], precedence: Precedence | None = None
) -> float:
    """The value of a pair of cased sentences, which are lower-cased; 0 if a side is empty."""
    if not hyp or not ref:
        return 0.0
    lower_hyp, lower_ref = [t.lower() for t in hyp], [t.lower() for t in ref]
    return order_statistics(lower_hyp, lower_ref, precedence).value


def hyper_sum(
    hyp: Sequence[str],
    ref: Sequence[str],
    precedence: Precedence | None = None,
    weight: float = 0.2,
) -> float:
    """0.8·L + 0.2·order of cased tokens; 0 if a side is empty."""
    return (1 - weight) * chars(hyp, ref) + weight * segment_order(hyp, ref, precedence)


def hyper_product(
    hyp: Sequence[str],
    ref: Sequence[str],
    precedence: Precedence | None = None,
    weight: float = 0.2,
) -> float:
    """L^0.8 · order^0.2 of cased tokens; 0 if a side is empty."""
    if not hyp or not ref:
        return 0.0
    L, order = chars(hyp, ref), segment_order(hyp, ref, precedence)
    return float(L ** (1 - weight) * order**weight)
