"""Word alignment of two languages by Gibbs sampling, step by step in plain Python.

The model follows Östling & Tiedemann 2016, "Efficient word alignment with Markov chain Monte
Carlo": IBM 1 (Brown et al. 1993), an HMM of jumps (Vogel et al. 1996) and a fertility model, with
Dirichlet priors that are integrated out. Jump probabilities are raised to a power below 1, which
the papers do not do. This is the direction from source words e to target words
f; the other direction is the same with the sides exchanged.

Every target word has a link: a source position 1..I, 0 for none, or ``REMOVED`` while a new one
is drawn. All counts are counted again from the links whenever they are needed.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, pairwise, product
from typing import Protocol

from scipy.special import digamma

NULL_PROBABILITY = 0.2
LEXICAL, NULL_LEXICAL = 0.001, 0.01
EQUAL, SAME_PREFIX, PREFIX = 0.2, 0.02, 4
JUMP, LONGEST_JUMP = 0.5, 100
FERTILITY, MOST_LINKS = 0.5, 15
CHAINS = 3
# Powers of jump probabilities: while sampling, for links, and for the expected order.
SAMPLING_POWER, LINK_POWER, ORDER_POWER = 0.75, 0.5, 0.75
THRESHOLD = 0.45  # of posteriors of links
LONGEST_SENTENCE, MOST_CELLS = 400, 30_000_000

NULL = None  # the source word of a link to nothing
REMOVED = None  # the link of a word that is just being drawn

Sentence = Sequence[str]
SourceWord = str | None
Links = list[list[int | None]]  # of each sentence pair, the link of each target word
Posteriors = list[list[float]]  # of each target word, the probabilities of links 0..I
Cells = set[tuple[int, int]]  # links as pairs of a source and a target position, both from 0


# The prior


def likeness(e: str, f: str) -> float:
    """What equal or similar strings add to the prior: names, numbers, cognates."""
    if e == f:
        return EQUAL
    if len(e) >= PREFIX and e[:PREFIX] == f[:PREFIX] and e[:PREFIX].isalpha():
        return SAME_PREFIX
    return 0.0


class Prior:
    """α(e, f), and α(e) = Σ_f α(e, f) over the target words of the training pairs."""

    def __init__(self, target_words: Iterable[str]) -> None:
        self.target_words = sorted(set(target_words))
        self._sums: dict[SourceWord, float] = {}

    def __call__(self, e: SourceWord, f: str) -> float:
        return NULL_LEXICAL if e is NULL else LEXICAL + likeness(e, f)

    def sum(self, e: SourceWord) -> float:
        if e not in self._sums:
            self._sums[e] = sum(self(e, f) for f in self.target_words)
        return self._sums[e]


@dataclass(frozen=True)
class Bitext:
    """Sentence pairs to train on, as lists of words."""

    sources: Sequence[Sentence]
    targets: Sequence[Sentence]

    @cached_property
    def prior(self) -> Prior:
        return Prior(f for target in self.targets for f in target)

    def source_word(self, s: int, link: int) -> SourceWord:
        """The word at a position of a source sentence; position 0 is null."""
        return NULL if link == 0 else self.sources[s][link - 1]


# Counts and probabilities


def lexical_counts(bitext: Bitext, links: Links) -> Counter[tuple[SourceWord, str]]:
    """n(e, f): how often e is linked to f; n(NULL, f): how often f is linked to nothing."""
    return Counter(
        (bitext.source_word(s, link), f)
        for s, target in enumerate(bitext.targets)
        for f, link in zip(target, links[s], strict=True)
        if link is not REMOVED
    )


def translation(
    prior: Prior, counts: Mapping[tuple[SourceWord, str], float], e: SourceWord, f: str
) -> float:
    """p(f | e) = (n(e, f) + α(e, f)) / (n(e) + α(e))."""
    n_e = sum(count for (word, _), count in counts.items() if word == e)
    return (counts.get((e, f), 0) + prior(e, f)) / (n_e + prior.sum(e))


def clipped(jump: int) -> int:
    return max(-LONGEST_JUMP, min(LONGEST_JUMP, jump))


def jump_counts(bitext: Bitext, links: Links) -> Counter[int]:
    """Jumps between the linked positions of each sentence, from 0 at the start to I + 1."""
    counts: Counter[int] = Counter()
    for source, sentence in zip(bitext.sources, links, strict=True):
        path = [0, *(link for link in sentence if link), len(source) + 1]
        counts.update(clipped(after - before) for before, after in pairwise(path))
    return counts


def jump_probability(counts: Mapping[int, float], jump: int) -> float:
    """j(d) = (count(d) + 0.5) / Σ_d' (count(d') + 0.5), over −100..100."""
    total = sum(counts.get(d, 0) + JUMP for d in range(-LONGEST_JUMP, LONGEST_JUMP + 1))
    return (counts.get(clipped(jump), 0) + JUMP) / total


def tempered_jump(counts: Mapping[int, float], jump: int, power: float) -> float:
    """j(d)^γ / Σ_d' j(d')^γ, over −100..100: all jumps become more alike.

    The total of the counts cancels.
    """
    total = sum((counts.get(d, 0) + JUMP) ** power for d in range(-LONGEST_JUMP, LONGEST_JUMP + 1))
    return float((counts.get(clipped(jump), 0) + JUMP) ** power / total)


def fertility_counts(bitext: Bitext, links: Links) -> Counter[tuple[str, int]]:
    """c(e, φ): how many tokens of e have φ links, where 15 stands for 15 and more."""
    return Counter(
        (e, min(links[s].count(i), MOST_LINKS))
        for s, source in enumerate(bitext.sources)
        for i, e in enumerate(source, start=1)
    )


def fertility_factor(counts: Mapping[tuple[str, int], int], e: str, links: int) -> float:
    """The factor of one more link to a token of e that has this number of links."""
    before, after = min(links, MOST_LINKS), min(links + 1, MOST_LINKS)
    return (counts.get((e, after), 0) + FERTILITY) / (counts.get((e, before), 0) + FERTILITY)


# The weights w(0..I) of the links of one target word


def without(links: Links, s: int, j: int) -> Links:
    """The links of all words but word j (from 0) of sentence pair s."""
    others = [list(sentence) for sentence in links]
    others[s][j] = REMOVED
    return others


def ibm1_weights(bitext: Bitext, links: Links, s: int, j: int) -> list[float]:
    """w(0) = p0·p(f | 0); w(i) = (1 − p0)/I·p(f | e_i)."""
    source, f = bitext.sources[s], bitext.targets[s][j]
    counts = lexical_counts(bitext, without(links, s, j))
    return [
        NULL_PROBABILITY * translation(bitext.prior, counts, NULL, f),
        *(
            (1 - NULL_PROBABILITY) / len(source) * translation(bitext.prior, counts, e, f)
            for e in source
        ),
    ]


def hmm_weights(
    bitext: Bitext, links: Links, s: int, j: int, jumps: Mapping[int, float]
) -> list[float]:
    """w(0) = p0·p(f | 0)·j(next − prev); w(i) = (1 − p0)·p(f | e_i)·j(i − prev)·j(next − i).

    j is tempered. prev and next are the nearest linked positions of the words to the left and to
    the right.
    """
    source, f = bitext.sources[s], bitext.targets[s][j]
    counts = lexical_counts(bitext, without(links, s, j))
    before = next((link for link in reversed(links[s][:j]) if link), 0)
    after = next((link for link in links[s][j + 1 :] if link), len(source) + 1)

    @cache
    def tempered(jump: int) -> float:
        return tempered_jump(jumps, jump, SAMPLING_POWER)

    return [
        NULL_PROBABILITY * translation(bitext.prior, counts, NULL, f) * tempered(after - before),
        *(
            (1 - NULL_PROBABILITY)
            * translation(bitext.prior, counts, e, f)
            * tempered(i - before)
            * tempered(after - i)
            for i, e in enumerate(source, start=1)
        ),
    ]


def fertility_weights(
    bitext: Bitext,
    links: Links,
    s: int,
    j: int,
    jumps: Mapping[int, float],
    fertilities: Mapping[tuple[str, int], int],
) -> list[float]:
    """The weights of the HMM, times the fertility factor of each source word."""
    null, *weights = hmm_weights(bitext, links, s, j, jumps)
    others = without(links, s, j)[s]
    return [
        null,
        *(
            weight * fertility_factor(fertilities, e, others.count(i))
            for i, (weight, e) in enumerate(zip(weights, bitext.sources[s], strict=True), start=1)
        ),
    ]


# Sampling


class Random(Protocol):
    """A source of random numbers from 0 to below 1."""

    def fraction(self) -> float: ...


class SplitMix64:
    """The generator of Steele, Lea & Flood 2014."""

    def __init__(self, seed: int) -> None:
        self.state = seed % 2**64

    def bits(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    def fraction(self) -> float:
        return (self.bits() >> 11) * 2.0**-53


def draw(weights: Sequence[float], random: Random) -> int:
    """The first link whose cumulative weight exceeds u·Σw."""
    cumulative = list(accumulate(weights))
    u = random.fraction() * cumulative[-1]
    return next(link for link, weight in enumerate(cumulative) if weight > u)


class Chain:
    """A Gibbs chain: every iteration draws the link of each word anew, given all others.

    With IBM 1 this is exact Gibbs sampling of the posterior of all links, with the translation
    probabilities integrated out. The HMM and the fertility stage hold the jump and fertility
    counts fixed during an iteration, so they only approximate the posterior.
    """

    def __init__(self, bitext: Bitext, random: Random) -> None:
        self.bitext = bitext
        self.random = random
        self.links: Links = [
            [self._random_link(len(source)) for _ in target]
            for source, target in zip(bitext.sources, bitext.targets, strict=True)
        ]

    def _random_link(self, positions: int) -> int:
        """The link with which a chain starts."""
        if self.random.fraction() < NULL_PROBABILITY:
            return 0
        return 1 + int(self.random.fraction() * positions)

    def ibm1(self) -> None:
        for s, j in self._words():
            self.links[s][j] = draw(ibm1_weights(self.bitext, self.links, s, j), self.random)

    def hmm(self) -> None:
        jumps = jump_counts(self.bitext, self.links)
        for s, j in self._words():
            weights = hmm_weights(self.bitext, self.links, s, j, jumps)
            self.links[s][j] = draw(weights, self.random)

    def fertility(self) -> None:
        jumps = jump_counts(self.bitext, self.links)
        fertilities = fertility_counts(self.bitext, self.links)
        for s, j in self._words():
            weights = fertility_weights(self.bitext, self.links, s, j, jumps, fertilities)
            self.links[s][j] = draw(weights, self.random)

    def run(self, ibm1: int, hmm: int, fertility: int) -> None:
        """Run these numbers of iterations of the three stages."""
        for _ in range(ibm1):
            self.ibm1()
        for _ in range(hmm):
            self.hmm()
        for _ in range(fertility):
            self.fertility()

    def _words(self) -> Iterator[tuple[int, int]]:
        for s, target in enumerate(self.bitext.targets):
            for j in range(len(target)):
                yield s, j


def iterations(pairs: int, fertility: int | None = None) -> tuple[int, int, int]:
    """The numbers of iterations of IBM 1, of the HMM and with fertility."""
    if fertility is None:
        half_up = math.floor(0.5 * 5000 / math.sqrt(pairs) + 0.5)
        fertility = min(250, max(4, half_up))
    quarter = max(1, fertility // 4)
    return quarter, quarter, fertility


@dataclass(frozen=True)
class Model:
    """Mean counts of several samples, for the links of any pair."""

    prior: Prior
    lexical: Mapping[tuple[SourceWord, str], float]
    jumps: Mapping[int, float]

    def p(self, e: SourceWord, f: str) -> float:
        return translation(self.prior, self.lexical, e, f)

    def j(self, jump: int, power: float) -> float:
        return tempered_jump(self.jumps, jump, power)


def train(bitext: Bitext, ibm1: int, hmm: int, fertility: int, seeds: Sequence[int]) -> Model:
    """Run a chain per seed; average the counts after the last quarter of its iterations."""
    samples = max(1, fertility // 4)
    lexical: Counter[tuple[SourceWord, str]] = Counter()
    jumps: Counter[int] = Counter()
    for seed in seeds:
        chain = Chain(bitext, SplitMix64(seed))
        chain.run(ibm1, hmm, 0)
        for iteration in range(fertility):
            chain.fertility()
            if iteration >= fertility - samples:
                lexical += lexical_counts(bitext, chain.links)
                jumps += jump_counts(bitext, chain.links)
    number = len(seeds) * samples
    return Model(
        bitext.prior,
        {pair: count / number for pair, count in lexical.items()},
        {jump: count / number for jump, count in jumps.items()},
    )


def train_both_directions(
    bitext: Bitext, ibm1: int, hmm: int, fertility: int, seed: int
) -> tuple[Model, Model]:
    """The models of f given e and of e given f: three chains each, whose seeds alternate."""
    order = training_order(bitext)
    sources = [bitext.sources[s] for s in order]
    targets = [bitext.targets[s] for s in order]
    random = SplitMix64(seed)
    seeds = [random.bits() for _ in range(2 * CHAINS)]
    return (
        train(Bitext(sources, targets), ibm1, hmm, fertility, seeds[::2]),
        train(Bitext(targets, sources), ibm1, hmm, fertility, seeds[1::2]),
    )


def training_order(bitext: Bitext) -> list[int]:
    """The pairs by a hash of their words, which are numbered in the order of code points."""
    numbered = []
    for side in (bitext.sources, bitext.targets):
        words = sorted({word for sentence in side for word in sentence})
        numbered.append([[words.index(word) for word in sentence] for sentence in side])
    sources, targets = numbered

    def hashed(state: int, sentence: list[int]) -> int:
        for number in sentence:
            state = (state ^ number) * 0x9E3779B97F4A7C15 % 2**64
            state ^= state >> 29
        return (state ^ len(sentence)) * 0xBF58476D1CE4E5B9 % 2**64

    def key(s: int) -> tuple[int, list[int], list[int]]:
        return hashed(hashed(0, sources[s]), targets[s]), sources[s], targets[s]

    return sorted(range(len(sources)), key=key)


# Posteriors of the links of one pair


def normalized(values: Sequence[float]) -> list[float]:
    total = sum(values)
    return [value / total for value in values]


def ibm1_posteriors(model: Model, source: Sentence, target: Sentence) -> Posteriors:
    """Each word alone: P(j → i) is proportional to w(i)."""
    return [
        normalized(
            [
                NULL_PROBABILITY * model.p(NULL, f),
                *((1 - NULL_PROBABILITY) / len(source) * model.p(e, f) for e in source),
            ]
        )
        for f in target
    ]


def hmm_posteriors(
    model: Model, source: Sentence, target: Sentence, power: float = LINK_POWER
) -> Posteriors:
    """Forward–backward. A state is the last linked position, 0 at the start.

    ``forward[j][i]`` is the weight of all links of the first j words with last position i, and
    ``backward[j][i]`` that of all links of the words after them. Both are scaled per word.
    """
    I, J = len(source), len(target)  # noqa: E741
    unlinked = [NULL_PROBABILITY * model.p(NULL, f) for f in target]
    linked = [[(1 - NULL_PROBABILITY) * model.p(e, f) for e in source] for f in target]
    jump = {d: model.j(d, power) for d in range(-I, I + 2)}

    forward = [[1.0] + [0.0] * I]
    for j in range(J):
        before = forward[-1]
        now = [before[i] * unlinked[j] for i in range(I + 1)]
        for i in range(1, I + 1):
            arriving = sum(before[k] * jump[i - k] for k in range(I + 1))
            now[i] += arriving * linked[j][i - 1]
        forward.append(normalized(now))

    backward = [normalized([jump[I + 1 - i] for i in range(I + 1)])]
    for j in reversed(range(J)):
        after = backward[0]
        now = [after[i] * unlinked[j] for i in range(I + 1)]
        for i in range(I + 1):
            now[i] += sum(jump[k - i] * linked[j][k - 1] * after[k] for k in range(1, I + 1))
        backward.insert(0, normalized(now))

    posteriors = []
    for j in range(J):
        none = sum(forward[j][i] * unlinked[j] * backward[j + 1][i] for i in range(I + 1))
        weights = [none]
        for i in range(1, I + 1):
            arriving = sum(forward[j][k] * jump[i - k] for k in range(I + 1))
            weights.append(arriving * linked[j][i - 1] * backward[j + 1][i])
        posteriors.append(normalized(weights))
    return posteriors


def hmm_posteriors_by_enumeration(
    model: Model, source: Sentence, target: Sentence, power: float = LINK_POWER
) -> Posteriors:
    """The same from the definition: the weights of all (I + 1)^J ways to link the pair."""
    I, J = len(source), len(target)  # noqa: E741
    p = {(e, f): model.p(e, f) for e in [NULL, *source] for f in target}
    jump = {d: model.j(d, power) for d in range(-I, I + 2)}
    sums = [[0.0] * (I + 1) for _ in range(J)]
    for links in product(range(I + 1), repeat=J):
        weight = 1.0
        position = 0
        for f, link in zip(target, links, strict=True):
            if link == 0:
                weight *= NULL_PROBABILITY * p[NULL, f]
            else:
                weight *= (1 - NULL_PROBABILITY) * p[source[link - 1], f] * jump[link - position]
                position = link
        weight *= jump[I + 1 - position]
        for j, link in enumerate(links):
            sums[j][link] += weight
    return [normalized(weights) for weights in sums]


def posteriors(model: Model, source: Sentence, target: Sentence) -> Posteriors:
    """The posteriors of a pair of any size: no links in huge ones, no jumps in long ones."""
    if len(source) * len(target) > MOST_CELLS:
        return [[1.0] + [0.0] * len(source) for _ in target]
    if max(len(source), len(target)) > LONGEST_SENTENCE:
        return ibm1_posteriors(model, source, target)
    return hmm_posteriors(model, source, target)


# Symmetrisation of two directions: p[j][i] = P(f_j → e_i) and r[i][j] = P(e_i → f_j), where the
# other side counts from 1 because 0 is none.


def cells(p: Posteriors, r: Posteriors) -> list[tuple[int, int]]:
    return [(i, j) for i in range(len(r)) for j in range(len(p))]


def mean_posteriors(p: Posteriors, r: Posteriors) -> list[list[float]]:
    """q(i, j): the mean of both directions, with a row for each source word."""
    return [[(p[j][i + 1] + row[j + 1]) / 2 for j in range(len(p))] for i, row in enumerate(r)]


def mean_links(p: Posteriors, r: Posteriors, threshold: float = THRESHOLD) -> Cells:
    q = mean_posteriors(p, r)
    return {(i, j) for i, j in cells(p, r) if q[i][j] > threshold}


def geometric_links(p: Posteriors, r: Posteriors, threshold: float = THRESHOLD) -> Cells:
    """Geometric mean above the threshold."""
    return {(i, j) for i, j in cells(p, r) if p[j][i + 1] * r[i][j + 1] > threshold**2}


def most_probable(probabilities: Sequence[float]) -> int:
    """The most probable link, or the lowest of several; so none (0) wins every tie."""
    return max(range(len(probabilities)), key=lambda link: (probabilities[link], -link))


def one_way_links(p: Posteriors, r: Posteriors) -> tuple[Cells, Cells]:
    """The most probable link of each target word, and that of each source word."""
    of_targets = {(most_probable(row) - 1, j) for j, row in enumerate(p)}
    of_sources = {(i, most_probable(row) - 1) for i, row in enumerate(r)}
    return {(i, j) for i, j in of_targets if i >= 0}, {(i, j) for i, j in of_sources if j >= 0}


def intersection_links(p: Posteriors, r: Posteriors) -> Cells:
    f2e, e2f = one_way_links(p, r)
    return f2e & e2f


def grow_diag_final_and(f2e: Cells, e2f: Cells, source_length: int, target_length: int) -> Cells:
    """The heuristic of Koehn et al. 2005, by the pseudo-code of the manual of Moses.

    The intersection grows into neighbouring links of the union that cover a new word. Then links
    between two words that have no other are added, those of f2e first. The pseudo-code goes
    through the English words first, which are the target in Moses.
    """
    alignment = f2e & e2f

    def source_is_free(source: int) -> bool:
        return all(i != source for i, _ in alignment)

    def target_is_free(target: int) -> bool:
        return all(j != target for _, j in alignment)

    points = list(product(range(target_length), range(source_length)))
    neighbours = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
    grown = True
    while grown:
        grown = False
        for j, i in points:
            if (i, j) not in alignment:
                continue
            for down, right in neighbours:
                target, source = j + down, i + right
                covers_a_new_word = source_is_free(source) or target_is_free(target)
                if covers_a_new_word and (source, target) in f2e | e2f:
                    alignment.add((source, target))
                    grown = True
    for one_way in (f2e, e2f):
        for j, i in points:
            if source_is_free(i) and target_is_free(j) and (i, j) in one_way:
                alignment.add((i, j))
    return alignment


def grow_links(p: Posteriors, r: Posteriors) -> Cells:
    return grow_diag_final_and(*one_way_links(p, r), len(r), len(p))


SYMMETRIZATIONS = {
    "mean": mean_links,
    "geometric": geometric_links,
    "intersection": intersection_links,
    "grow-diag-final-and": grow_links,
}


# Order


def expected_kendall(q: Sequence[Sequence[float]]) -> float:
    """C / (C + D): the weights of all pairs of cells in the order of the source, and against it."""
    capped = [[value / max(1.0, sum(row)) for value in row] for row in q]
    weighed = [(i, j, value) for i, row in enumerate(capped) for j, value in enumerate(row)]
    in_order = against = 0.0
    for (i, j, value), (other_i, other_j, other) in product(weighed, repeat=2):
        if i < other_i and j < other_j:
            in_order += value * other
        if i < other_i and j > other_j:
            against += value * other
    if in_order + against == 0:
        return float(any(value for _, _, value in weighed))
    return in_order / (in_order + against)


# Quality


@dataclass(frozen=True)
class Quality:
    """Och & Ney 2003: links A against sure links S and possible links P, which include S.

    Links of several pairs are told apart by whatever they hold besides two positions.
    """

    A: frozenset[tuple[int, ...]]
    S: frozenset[tuple[int, ...]]
    P: frozenset[tuple[int, ...]]

    @property
    def precision(self) -> float:
        """|A ∩ P| / |A|."""
        return len(self.A & (self.P | self.S)) / len(self.A)

    @property
    def recall(self) -> float:
        """|A ∩ S| / |S|."""
        return len(self.A & self.S) / len(self.S)

    @property
    def f(self) -> float:
        """The harmonic mean of precision and recall (Fraser & Marcu 2007, α = 0.5)."""
        if self.precision + self.recall == 0:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)

    @property
    def aer(self) -> float:
        """1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)."""
        found = len(self.A & self.S) + len(self.A & (self.P | self.S))
        return 1 - found / (len(self.A) + len(self.S))


# IBM 1 exactly, and by variational EM


def all_links(bitext: Bitext) -> Iterator[Links]:
    """Every way to link all target words of a tiny bitext."""
    choices = [
        product(range(len(source) + 1), repeat=len(target))
        for source, target in zip(bitext.sources, bitext.targets, strict=True)
    ]
    for links in product(*choices):
        yield [list(sentence) for sentence in links]


def log_rising(alpha: float, count: float) -> float:
    """log(Γ(α + n) / Γ(α))."""
    return math.lgamma(alpha + count) - math.lgamma(alpha)


def log_lexical(bitext: Bitext, links: Links) -> float:
    """Log probability of the target words given the links, a Dirichlet-multinomial.

    Π_e Γ(α(e)) / Γ(α(e) + n(e)) · Π_f Γ(α(e, f) + n(e, f)) / Γ(α(e, f)).
    """
    counts = lexical_counts(bitext, links)
    sums: Counter[SourceWord] = Counter()
    for (e, _), count in counts.items():
        sums[e] += count
    return sum(log_rising(bitext.prior(e, f), n) for (e, f), n in counts.items()) - sum(
        log_rising(bitext.prior.sum(e), n) for e, n in sums.items()
    )


def ibm1_log_joint(bitext: Bitext, links: Links) -> float:
    """Log probability of the links and the target words under IBM 1."""
    log_links = 0.0
    for source, sentence in zip(bitext.sources, links, strict=True):
        for link in sentence:
            linked = (1 - NULL_PROBABILITY) / len(source)
            log_links += math.log(linked if link else NULL_PROBABILITY)
    return log_links + log_lexical(bitext, links)


def uniform(source: Sentence) -> list[float]:
    """The prior probabilities of the source positions under IBM 1."""
    return [(1 - NULL_PROBABILITY) / len(source)] * len(source)


class VariationalIbm1:
    """EM for IBM 1 with Dirichlet priors: q(θ_e) = Dirichlet(λ(e, ·)), and q of each link.

    EM raises the variational bound of the log probability of the target words, never lowers it.
    It is the counterpart for the prior of the likelihood in EM without one (Beal 2003).
    """

    def __init__(self, bitext: Bitext) -> None:
        self.bitext = bitext
        self.source_words: list[SourceWord] = [
            NULL,
            *sorted({e for source in bitext.sources for e in source}),
        ]
        # Not the prior: it has expected logarithms below -1000, whose exponentials are 0.
        self._maximize(lambda source, f: [NULL_PROBABILITY, *uniform(source)])

    def log_theta(self, e: SourceWord, f: str) -> float:
        """The expectation of log p(f | e) under q."""
        parameters = self.parameters[e]
        return float(digamma(parameters[f]) - digamma(sum(parameters.values())))

    def _weights(self, source: Sentence, f: str) -> list[float]:
        null, *linked = (math.exp(self.log_theta(e, f)) for e in [NULL, *source])
        return [
            NULL_PROBABILITY * null,
            *(p * theta for p, theta in zip(uniform(source), linked, strict=True)),
        ]

    def step(self) -> None:
        """One E step and one M step."""
        self._maximize(lambda source, f: normalized(self._weights(source, f)))

    def _maximize(self, link_probabilities: Callable[[Sentence, str], list[float]]) -> None:
        """The best q(θ_e) given q of the links: λ(e, f) = α(e, f) + E[n(e, f)]."""
        prior = self.bitext.prior
        expected: defaultdict[tuple[SourceWord, str], float] = defaultdict(float)
        for source, target in zip(self.bitext.sources, self.bitext.targets, strict=True):
            for f in target:
                for e, p in zip([NULL, *source], link_probabilities(source, f), strict=True):
                    expected[e, f] += p
        self.parameters = {
            e: {f: prior(e, f) + expected[e, f] for f in prior.target_words}
            for e in self.source_words
        }

    def bound(self) -> float:
        """Σ_j log Σ_i w(i), with the best q of each link, less Σ_e KL(q(θ_e) ‖ prior)."""
        value = 0.0
        for source, target in zip(self.bitext.sources, self.bitext.targets, strict=True):
            value += sum(math.log(sum(self._weights(source, f))) for f in target)
        return value - sum(self._divergence(e) for e in self.source_words)

    def _divergence(self, e: SourceWord) -> float:
        """KL of two Dirichlet distributions: q(θ_e) from the prior."""
        prior, parameters = self.bitext.prior, self.parameters[e]
        divergence = math.lgamma(sum(parameters.values())) - math.lgamma(prior.sum(e))
        for f, parameter in parameters.items():
            divergence += math.lgamma(prior(e, f)) - math.lgamma(parameter)
            divergence += (parameter - prior(e, f)) * self.log_theta(e, f)
        return divergence
