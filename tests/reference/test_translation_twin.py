"""The twin of the source aligner: by hand, by brute force, and as a sampler."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from reference import translation
from reference.translation import (
    NULL,
    REMOVED,
    Bitext,
    Chain,
    Links,
    Model,
    Posteriors,
    Prior,
    Quality,
    SplitMix64,
    VariationalIbm1,
    all_links,
    draw,
    expected_kendall,
    fertility_counts,
    fertility_factor,
    fertility_weights,
    geometric_links,
    grow_diag_final_and,
    hmm_posteriors,
    hmm_posteriors_by_enumeration,
    hmm_weights,
    ibm1_log_joint,
    ibm1_posteriors,
    ibm1_weights,
    intersection_links,
    iterations,
    jump_counts,
    jump_probability,
    lexical_counts,
    likeness,
    log_lexical,
    mean_links,
    one_way_links,
    posteriors,
    tempered_jump,
    train,
)


def exactly(value: float | list[float]) -> object:
    """The value or values, except for rounding errors."""
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def bitext(*pairs: tuple[str, str]) -> Bitext:
    return Bitext([s.split() for s, _ in pairs], [t.split() for _, t in pairs])


def random_bitext(rng: random.Random, pairs: int, longest: int) -> Bitext:
    """Few different words, some of them on both sides and some with the same prefix."""
    words = ["a", "b", "nation", "7"], ["a", "x", "nationale", "7"]
    sides = [
        [rng.choices(vocabulary, k=rng.randint(1, longest)) for _ in range(pairs)]
        for vocabulary in words
    ]
    return Bitext(*sides)


def random_links(rng: random.Random, pairs: Bitext) -> Links:
    return [
        [rng.randint(0, len(source)) for _ in target]
        for source, target in zip(pairs.sources, pairs.targets, strict=True)
    ]


# The prior, counts and probabilities


@pytest.mark.parametrize(
    ("e", "f", "expected"),
    [
        ("paris", "paris", 0.2),
        ("7", "7", 0.2),
        (".", ".", 0.2),
        ("nation", "nationale", 0.02),
        ("nati", "nation", 0.02),
        ("état", "états", 0.02),
        ("nat", "nation", 0),  # three characters
        ("2013", "2013-14", 0),  # no letters
        ("co-op", "co-operation", 0),  # not all letters
        ("nation", "motion", 0),
    ],
)
def test_likeness(e: str, f: str, expected: float) -> None:
    assert likeness(e, f) == likeness(f, e) == expected


def test_prior() -> None:
    prior = Prior(["nation", "nationale", "x", "x"])
    assert prior("nation", "nation") == exactly(0.201)
    assert prior("nation", "nationale") == exactly(0.021)
    assert prior("nation", "x") == exactly(0.001)
    assert prior.sum("nation") == exactly(0.223)
    assert prior.sum("unknown") == exactly(0.003)
    assert prior(NULL, "x") == 0.01
    assert prior.sum(NULL) == exactly(0.03)


def test_counts() -> None:
    pairs = bitext(("a b a", "x y x"), ("b", "x y"), ("a", "y"))
    links: Links = [[1, 0, 3], [1, 1], [REMOVED]]
    assert lexical_counts(pairs, links) == {
        ("a", "x"): 2,
        (NULL, "y"): 1,
        ("b", "x"): 1,
        ("b", "y"): 1,
    }
    # 0 → 1 → 3 → 4, 0 → 1 → 1 → 2, and 0 → 2 in the pair without links
    assert jump_counts(pairs, links) == {1: 4, 2: 2, 0: 1}
    assert fertility_counts(pairs, links) == {("a", 1): 2, ("b", 0): 1, ("b", 2): 1, ("a", 0): 1}


def test_jump_probabilities() -> None:
    counts = {1: 4, -2: 1, 100: 2}
    total = 7 + 201 * 0.5
    assert jump_probability(counts, 1) == exactly(4.5 / total)
    assert jump_probability(counts, 2) == exactly(0.5 / total)
    assert jump_probability(counts, 399) == jump_probability(counts, 100) == exactly(2.5 / total)
    assert sum(jump_probability(counts, d) for d in range(-100, 101)) == exactly(1)
    # √4.5 and √0.5 are 2.12132 and 0.70711, √1.5 and √2.5 are 1.22474 and 1.58114.
    root_total = 2.1213203436 + 1.2247448714 + 1.5811388301 + 198 * 0.7071067812
    assert tempered_jump(counts, 1, 0.5) == pytest.approx(2.1213203436 / root_total, rel=1e-9)
    # 4.5 is 9 times 0.5, and 9^(3/4) = √27 = 5.196152.
    ratio = tempered_jump(counts, 1, 0.75) / tempered_jump(counts, 3, 0.75)
    assert ratio == pytest.approx(9**0.75) == pytest.approx(5.196152, rel=1e-6)
    for power in (0.5, 0.75):
        assert sum(tempered_jump(counts, d, power) for d in range(-100, 101)) == exactly(1)
    assert tempered_jump(counts, 1, 1) == exactly(jump_probability(counts, 1))
    far = Bitext([["a"] * 300], [["x", "x"]])
    assert jump_counts(far, [[250, 1]]) == {100: 2, -100: 1}  # +250, −249, +300


def test_fertility_factors() -> None:
    counts = {("a", 0): 3, ("a", 1): 5, ("a", 14): 1, ("a", 15): 2}
    assert fertility_factor(counts, "a", 0) == exactly(5.5 / 3.5)
    assert fertility_factor(counts, "a", 1) == exactly(0.5 / 5.5)
    assert fertility_factor(counts, "a", 14) == exactly(2.5 / 1.5)
    assert fertility_factor(counts, "a", 15) == fertility_factor(counts, "a", 99) == 1
    assert fertility_factor(counts, "b", 0) == 1
    many = Bitext([["a"]], [["x"] * 17])
    assert fertility_counts(many, [[1] * 17]) == {("a", 15): 1}


# Weights


def test_weights_by_hand() -> None:
    """The second word of ``x y``, linked to b, when a is linked to x in both pairs."""
    pairs = bitext(("a b", "x y"), ("a", "x"))
    links: Links = [[1, 2], [1]]
    # W = 2: α(0) = 0.02, α(e) = 0.002. Without the link of y: n(a) = n(a, x) = 2, n(b) = 0.
    null, a, b = 0.01 / 0.02, 0.001 / 2.002, 0.001 / 0.002
    assert ibm1_weights(pairs, links, 0, 1) == exactly([0.2 * null, 0.4 * a, 0.4 * b])
    # Jumps 0 → 1 → 2 → 3 and 0 → 1 → 2: 1 five times. The previous position of y is 1, the next 3.
    # Their probabilities to the power of 3/4 are in the ratio of 11^(3/4), and add up to 1.
    jumps = jump_counts(pairs, links)
    total = 11**0.75 + 200
    once, other = 11**0.75 / total, 1 / total
    hmm = [0.2 * null * other, 0.8 * a * other * other, 0.8 * b * once * once]
    assert hmm_weights(pairs, links, 0, 1, jumps) == exactly(hmm)
    # Both tokens of a have 1 link, and b has 1: c(a, 1) = 2, c(b, 1) = 1. Without the link of y, a
    # goes from 1 link to 2, and b from 0 to 1.
    fertilities = fertility_counts(pairs, links)
    expected = [hmm[0], hmm[1] * 0.5 / 2.5, hmm[2] * 1.5 / 0.5]
    assert fertility_weights(pairs, links, 0, 1, jumps, fertilities) == exactly(expected)


def test_unlinked_neighbours_are_skipped() -> None:
    pairs = bitext(("a b c d", "x x x x x"))
    links: Links = [[3, 0, 1, 0, 2]]
    jumps = {-1: 7.0}
    weights = hmm_weights(pairs, links, 0, 2, jumps)
    lexical = ibm1_weights(pairs, links, 0, 2)
    total = 15**0.75 + 200
    # From 3 (the first word) to 2 (the last): −1 if the word is unlinked.
    assert weights[0] == exactly(lexical[0] * 15**0.75 / total)
    # 3 → 1 → 2: −2 and 1. 3 → 3 → 2: 0 and −1.
    assert weights[1] == exactly(4 * lexical[1] / total**2)
    assert weights[3] == exactly(4 * lexical[3] * 15**0.75 / total**2)


def test_words_without_a_link_yet_do_not_count() -> None:
    pairs = bitext(("a", "x"), ("a", "y"))
    # Nothing is linked: p(x | 0) = 0.01/0.02, p(x | a) = 0.001/0.002.
    assert ibm1_weights(pairs, [[REMOVED], [REMOVED]], 0, 0) == exactly([0.1, 0.4])
    # x is linked to a: p(y | a) = 0.001/1.002.
    assert ibm1_weights(pairs, [[1], [REMOVED]], 1, 0) == exactly([0.1, 0.8 * 0.001 / 1.002])
    # x is linked to nothing: p(y | 0) = 0.01/1.02.
    assert ibm1_weights(pairs, [[0], [REMOVED]], 1, 0) == exactly([0.2 * 0.01 / 1.02, 0.4])


def log_joint(
    pairs: Bitext,
    links: Links,
    jumps: Counter[int],
    fertilities: Counter[tuple[str, int]] | None,
) -> float:
    """Log weight of all links, with jump and fertility counts fixed.

    The fertility factor of one more link to a token is the ratio of two values of c(e, φ) + 0.5.
    So each token contributes this value, for its own number of links.
    """
    value = log_lexical(pairs, links)
    for source, sentence in zip(pairs.sources, links, strict=True):
        value += sum(math.log(0.8 if link else 0.2) for link in sentence)
        path = [0, *(link for link in sentence if link), len(source) + 1]
        value += sum(math.log(tempered_jump(jumps, b - a, 0.75)) for a, b in pairwise(path))
        if fertilities is not None:
            value += sum(
                math.log(fertilities[e, sentence.count(i)] + 0.5)
                for i, e in enumerate(source, start=1)
            )
    return value


@pytest.mark.parametrize("stage", ["ibm1", "hmm", "fertility"])
@pytest.mark.parametrize("seed", range(20))
def test_weights_are_conditional_probabilities(stage: str, seed: int) -> None:
    """The weights of one word are those of all links that differ only in the link of this word.

    This makes an iteration of the chain a Gibbs sweep: exactly for IBM 1, and for the jump and
    fertility counts of its start in the other stages.
    """
    rng = random.Random(seed)
    pairs = random_bitext(rng, pairs=4, longest=4)
    links = random_links(rng, pairs)
    held = random_links(rng, pairs)
    jumps, fertilities = jump_counts(pairs, held), fertility_counts(pairs, held)
    for s, target in enumerate(pairs.targets):
        for j in range(len(target)):
            if stage == "ibm1":
                weights = ibm1_weights(pairs, links, s, j)
            elif stage == "hmm":
                weights = hmm_weights(pairs, links, s, j, jumps)
            else:
                weights = fertility_weights(pairs, links, s, j, jumps, fertilities)
            logs = []
            for link in range(len(pairs.sources[s]) + 1):
                changed = [list(sentence) for sentence in links]
                changed[s][j] = link
                if stage == "ibm1":
                    logs.append(ibm1_log_joint(pairs, changed))
                else:
                    held_fertilities = fertilities if stage == "fertility" else None
                    logs.append(log_joint(pairs, changed, jumps, held_fertilities))
            expected = [math.exp(value - max(logs)) for value in logs]
            # log Γ has errors of about 1e-13 here, because some logarithms are near 100.
            assert translation.normalized(weights) == pytest.approx(
                translation.normalized(expected), rel=1e-10
            )


# Sampling


def test_split_mix_64() -> None:
    """The outputs for seed 1234567 that Rosetta Code lists ("Pseudo-random numbers/Splitmix64")."""
    generator = SplitMix64(1234567)
    assert [generator.bits() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert SplitMix64(1234567).fraction() == (6457827717110365317 >> 11) / 2**53
    assert SplitMix64(2**64 + 5).bits() == SplitMix64(5).bits()


class Given:
    """Fractions given in advance."""

    def __init__(self, *fractions: float) -> None:
        self.fractions = iter(fractions)

    def fraction(self) -> float:
        return next(self.fractions)


@pytest.mark.parametrize(
    ("fraction", "link"), [(0, 1), (0.24, 1), (0.25, 2), (0.74, 2), (0.75, 4), (0.999, 4)]
)
def test_draw(fraction: float, link: int) -> None:
    assert draw([0, 0.5, 1, 0, 0.5], Given(fraction)) == link


def test_a_chain_by_hand() -> None:
    pairs = bitext(("a", "x"), ("a", "y"))
    chain = Chain(pairs, Given(0.5, 0.0, 0.1, 0.5, 0.9, 0.5, 0.1))
    # x starts with a link, since 0.5 ≥ 0.2, to the first word; y starts without one.
    assert chain.links == [[1], [0]]
    # x: n(0) = n(0, y) = 1, so w(0) = 0.2·0.01/1.02 = 0.00196, and w(1) = 0.8·0.001/0.002 = 0.4:
    # linked at 0.2. y: n(a) = n(a, x) = 1, so w(0) = 0.2·0.01/0.02 = 0.1, and
    # w(1) = 0.8·0.001/1.002 = 0.0008: not linked at 0.09.
    chain.ibm1()
    assert chain.links == [[1], [0]]
    # Jumps 0 → 1 → 2 and 0 → 2: once 2, twice 1. To the power of 3/4, 3 and 5 times the weight of
    # other jumps become 2.280 and 3.344; total 199 + 5.624 = 204.6.
    # x: n(0) = n(0, y) = 1, so w(0) = 0.2·(0.01/1.02)·2.280/204.6 = 0.0000218, and
    # w(1) = 0.8·(0.001/0.002)·(3.344/204.6)² = 0.000107: linked at 0.000064.
    # y: n(a) = n(a, x) = 1, so w(0) = 0.2·(0.01/0.02)·2.280/204.6 = 0.00111, and
    # w(1) = 0.8·(0.001/1.002)·(3.344/204.6)² = 0.0000002: not linked at 0.000111.
    chain.hmm()
    assert chain.links == [[1], [0]]


@pytest.mark.parametrize("stage", ["hmm", "fertility"])
def test_counts_are_held_during_an_iteration(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the lexical counts follow each new link at once."""
    pairs = random_bitext(random.Random(5), pairs=6, longest=5)
    chain = Chain(pairs, SplitMix64(5))
    chain.ibm1()
    used: list[tuple[Links, list[float]]] = []

    def record(weights: list[float], random: translation.Random) -> int:
        used.append(([list(sentence) for sentence in chain.links], weights))
        return draw(weights, random)

    monkeypatch.setattr(translation, "draw", record)

    def expected(links: Links, held: Links, s: int, j: int) -> list[float]:
        jumps = jump_counts(pairs, held)
        if stage == "hmm":
            return hmm_weights(pairs, links, s, j, jumps)
        return fertility_weights(pairs, links, s, j, jumps, fertility_counts(pairs, held))

    start = [list(sentence) for sentence in chain.links]
    getattr(chain, stage)()
    words = [(s, j) for s, target in enumerate(pairs.targets) for j in range(len(target))]
    assert len(used) == len(words)
    assert [w for _, w in used] == [
        expected(links, start, s, j) for (links, _), (s, j) in zip(used, words, strict=True)
    ]
    # The links changed, so that counts of the current links would have given other weights.
    assert [w for _, w in used] != [
        expected(links, links, s, j) for (links, _), (s, j) in zip(used, words, strict=True)
    ]


def test_the_chain_samples_the_exact_posterior_of_ibm_1() -> None:
    """The frequencies of all links against their probabilities by enumeration.

    Successive samples depend on each other, so the standard error of a frequency is estimated from
    the means of 50 long batches. Five standard errors have a chance of about 1e-5 (Student's t with
    49 degrees of freedom) for each of the 50 or so numbers compared. The second assertion makes
    sure that the errors are small enough to tell a wrong sampler from a correct one.
    """
    pairs = bitext(("b", "a"), ("a a", "a b c"))  # many ways to link it are about as probable
    ways = list(all_links(pairs))
    assert len(ways) == 2 * 3**3
    joints = [math.exp(ibm1_log_joint(pairs, links)) for links in ways]
    Way = tuple[tuple[int | None, ...], ...]
    exact: dict[Way, float] = dict(
        zip((tuple(map(tuple, way)) for way in ways), translation.normalized(joints), strict=True)
    )

    chain = Chain(pairs, SplitMix64(23))
    for _ in range(100):
        chain.ibm1()
    batches: list[Counter[Way]] = [Counter() for _ in range(50)]
    for batch in batches:
        for _ in range(2000):
            chain.ibm1()
            batch[tuple(map(tuple, chain.links))] += 1

    def check(event: Callable[[Way], bool]) -> None:
        probability = sum(p for way, p in exact.items() if event(way))
        frequencies = [sum(n for way, n in b.items() if event(way)) / 2000 for b in batches]
        mean = sum(frequencies) / 50
        variance = sum((frequency - mean) ** 2 for frequency in frequencies) / 49
        error = math.sqrt(variance / 50)
        assert abs(mean - probability) <= 5 * error
        assert error < 0.01

    # Below 100 expected samples, the means of the batches are far from normal.
    rare = {way for way, probability in exact.items() if probability < 0.001}
    assert len(rare) < len(exact) / 2
    check(rare.__contains__)
    for way in exact.keys() - rare:
        check(lambda other, way=way: other == way)  # type: ignore[misc]
    for s, target in enumerate(pairs.targets):
        for j in range(len(target)):
            for link in range(len(pairs.sources[s]) + 1):
                check(lambda way, s=s, j=j, link=link: way[s][j] == link)  # type: ignore[misc]


def test_numbers_of_iterations() -> None:
    assert iterations(1) == (62, 62, 250)
    assert iterations(100) == (62, 62, 250)  # 2500/10
    assert iterations(447) == (29, 29, 118)  # 118.2
    assert iterations(400) == (31, 31, 125)
    assert iterations(40_000) == (3, 3, 13)  # 12.5 is rounded up
    assert iterations(1_000_000) == (1, 1, 4)
    assert iterations(447, 1) == (1, 1, 1)
    assert iterations(447, 20) == (5, 5, 20)


def test_training_averages_the_samples_of_all_chains() -> None:
    pairs = bitext(("a b", "x y"), ("b", "y"), ("a", "x"))
    model = train(pairs, 1, 1, 9, seeds=[1, 2, 3])  # two samples of each of three chains
    samples = []
    for seed in (1, 2, 3):
        chain = Chain(pairs, SplitMix64(seed))
        chain.ibm1()
        chain.hmm()
        for iteration in range(1, 10):
            chain.fertility()
            if iteration in (8, 9):
                samples.append([list(sentence) for sentence in chain.links])
    assert sum(model.lexical.values()) == exactly(4)  # all four target words in each sample
    for e in (NULL, "a", "b"):
        for f in ("x", "y"):
            mean = sum(lexical_counts(pairs, links)[e, f] for links in samples) / 6
            n_e = sum(
                lexical_counts(pairs, links)[e, other] for links in samples for other in ("x", "y")
            )
            prior = 0.01 if e is NULL else 0.001
            assert model.p(e, f) == exactly((mean + prior) / (n_e / 6 + 2 * prior))
    ones = sum(jump_counts(pairs, links)[1] for links in samples) / 6
    total = sum(sum(jump_counts(pairs, links).values()) for links in samples) / 6
    assert model.j(1, 1) == exactly((ones + 0.5) / (total + 100.5))


# Posteriors


def random_model(rng: random.Random) -> Model:
    pairs = random_bitext(rng, pairs=5, longest=5)
    links = random_links(rng, pairs)
    scale = rng.choice([0.25, 1, 10])
    return Model(
        pairs.prior,
        {pair: scale * count for pair, count in lexical_counts(pairs, links).items()},
        {jump: scale * count for jump, count in jump_counts(pairs, links).items()},
    )


@pytest.mark.parametrize("power", [0.5, 0.75])
@pytest.mark.parametrize("seed", range(20))
def test_forward_backward_agrees_with_brute_force(seed: int, power: float) -> None:
    rng = random.Random(seed)
    model = random_model(rng)
    words = ["a", "b", "x", "nation", "nationale", "7", "unknown"]
    longest = 5
    source = rng.choices(words, k=longest if seed == 0 else rng.randint(1, longest))
    target = rng.choices(words, k=longest if seed == 0 else rng.randint(1, longest))
    found = hmm_posteriors(model, source, target, power)
    expected = hmm_posteriors_by_enumeration(model, source, target, power)
    for row, by_enumeration in zip(found, expected, strict=True):
        assert len(row) == len(source) + 1
        assert sum(row) == exactly(1)
        assert row == pytest.approx(by_enumeration, rel=1e-12, abs=1e-12)


def test_brute_force_by_hand() -> None:
    """One word on each side: 0 → 2 if it is unlinked, 0 → 1 → 2 if it is linked."""
    model = Model(Prior(["x", "y"]), {("a", "x"): 3, (NULL, "y"): 1}, {1: 5})
    # p(x | 0) = 0.01/1.02, p(x | a) = 3.001/3.002; j(1) = 5.5/105.5, j(2) = 0.5/105.5. The square
    # roots of all jumps are as 1 to √11 = 3.3166.
    total = 11**0.5 + 200
    unlinked = 0.2 * 0.01 / 1.02 / total
    linked = 0.8 * 3.001 / 3.002 * 11 / total**2
    expected = [[unlinked / (unlinked + linked), linked / (unlinked + linked)]]
    assert hmm_posteriors_by_enumeration(model, ["a"], ["x"])[0] == exactly(expected[0])


def test_long_pairs_do_not_underflow() -> None:
    """The weight of 400 unknown words is far below the smallest float."""
    model = random_model(random.Random(0))
    source, target = ["a", "nation"] * 20, ["unknown"] * 400
    found = hmm_posteriors(model, source, target)
    assert all(sum(row) == exactly(1) for row in found)


def test_ibm1_posteriors_by_hand() -> None:
    model = Model(Prior(["x", "y"]), {("a", "x"): 3, (NULL, "y"): 1}, {})
    null, a, b = 0.2 * 0.01 / 1.02, 0.4 * 3.001 / 3.002, 0.4 * 0.001 / 0.002
    total = null + a + b
    assert ibm1_posteriors(model, ["a", "b"], ["x"]) == [
        exactly([null / total, a / total, b / total])
    ]
    # An unknown word on the target side that equals one on the source side.
    null, a, b = 0.2 * 0.01 / 1.02, 0.4 * 0.001 / 3.002, 0.4 * 0.201 / 0.002
    total = null + a + b
    assert ibm1_posteriors(model, ["a", "paris"], ["paris"]) == [
        exactly([null / total, a / total, b / total])
    ]


def test_pairs_of_unusual_size(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_model(random.Random(1))
    assert posteriors(model, [], ["x", "y"]) == [[1], [1]]
    assert posteriors(model, ["a"], []) == []
    short, long = ["a", "b"], ["x", "a"] * 200
    assert posteriors(model, short, long) == hmm_posteriors(model, short, long)
    longer = [*long, "x"]
    assert posteriors(model, short, longer) == ibm1_posteriors(model, short, longer)
    assert posteriors(model, longer, short) == ibm1_posteriors(model, longer, short)
    monkeypatch.setattr(translation, "MOST_CELLS", 801)
    assert posteriors(model, short, longer) == [[1, 0, 0]] * 401


# Symmetrisation


def test_mean_and_geometric_links() -> None:
    # Target word 0 and source words 0, 1; p has none first.
    p: Posteriors = [[0.05, 0.42, 0.53]]
    r: Posteriors = [[0.5, 0.5], [0.65, 0.35]]
    # (0.42 + 0.5)/2 = 0.46 and 0.42·0.5 = 0.21; (0.53 + 0.35)/2 = 0.44 and 0.53·0.35 = 0.186, but
    # the threshold is 0.45, whose square is 0.2025.
    assert mean_links(p, r) == geometric_links(p, r) == {(0, 0)}
    assert mean_links(p, r, 0.43) == geometric_links(p, r, 0.43) == {(0, 0), (1, 0)}
    # (0.5 + 0.5)/2 is not above 0.5.
    assert mean_links([[0.5, 0.5]], [[0.5, 0.5]], 0.5) == set()
    # (0.9 + 0.2)/2 = 0.55, but 0.9·0.2 = 0.18
    p, r = [[0.1, 0.9]], [[0.8, 0.2]]
    assert mean_links(p, r) == {(0, 0)}
    assert geometric_links(p, r) == set()


def test_intersection() -> None:
    p: Posteriors = [
        [0.2, 0.5, 0.3],  # 0 → 0
        [0.4, 0.4, 0.2],  # none is as probable
        [0.2, 0.4, 0.4],  # tie: the lower position, 0
        [0.1, 0.2, 0.7],  # 3 → 1
    ]
    r: Posteriors = [
        [0.1, 0.1, 0.1, 0.7, 0.0],  # 0 → 2
        [0.1, 0.0, 0.0, 0.0, 0.9],  # 1 → 3
    ]
    assert one_way_links(p, r) == ({(0, 0), (0, 2), (1, 3)}, {(0, 2), (1, 3)})
    assert intersection_links(p, r) == {(0, 2), (1, 3)}


def test_grow_diag() -> None:
    """The intersection (0, 0) grows to (1, 1), from there to (2, 1), then to (3, 2)."""
    f2e = {(0, 0), (1, 1), (3, 2)}
    e2f = {(0, 0), (2, 1)}
    assert grow_diag_final_and(f2e, e2f, 4, 3) == {(0, 0), (1, 1), (2, 1), (3, 2)}
    # (1, 1) comes before (2, 2), from which it grows. So (0, 1) is found in a second round.
    f2e, e2f = {(2, 2), (1, 1)}, {(2, 2), (0, 1)}
    assert grow_diag_final_and(f2e, e2f, 3, 3) == {(2, 2), (1, 1), (0, 1)}
    # (0, 0) comes before (2, 2) and grows to (1, 1). Then both words of (1, 2) are linked.
    f2e, e2f = {(0, 0), (1, 1), (2, 2)}, {(0, 0), (1, 2), (2, 2)}
    assert grow_diag_final_and(f2e, e2f, 3, 3) == {(0, 0), (1, 1), (2, 2)}


def test_neighbours_in_line_come_before_diagonal_ones() -> None:
    """From (1, 1), (0, 1) comes before (0, 0), which then still covers target word 0.

    The other way round, both words of (0, 1) would be linked already.
    """
    f2e = {(1, 1), (0, 0)}
    e2f = {(1, 1), (0, 1)}
    assert grow_diag_final_and(f2e, e2f, 2, 2) == {(0, 0), (0, 1), (1, 1)}


def test_links_grow_in_the_order_of_target_words() -> None:
    """(2, 1) grows to (1, 1) and (1, 2), which is next: it grows to (0, 2).

    (1, 1) has its turn in the second round and grows to (0, 0). In the order of source words, this
    would come before (0, 2), which would then cover no new word.
    """
    f2e = {(0, 0), (1, 2), (2, 1)}
    e2f = {(0, 2), (1, 1), (2, 1)}
    expected = {(0, 0), (0, 2), (1, 1), (1, 2), (2, 1)}
    assert grow_diag_final_and(f2e, e2f, 3, 3) == expected


def test_final_links_need_two_free_words() -> None:
    # (3, 3) is no neighbour of (0, 0), but both of its words are free.
    assert grow_diag_final_and({(0, 0), (3, 3)}, {(0, 0)}, 4, 4) == {(0, 0), (3, 3)}
    # Source word 0 is linked already: (0, 3) is not added ("final" alone would add it).
    assert grow_diag_final_and({(0, 0), (0, 3)}, {(0, 0)}, 4, 4) == {(0, 0)}
    # Without an intersection nothing grows. f2e comes first and takes the words of e2f.
    assert grow_diag_final_and({(2, 0)}, {(2, 2)}, 3, 3) == {(2, 0)}
    assert grow_diag_final_and({(2, 2)}, {(2, 0)}, 3, 3) == {(2, 2)}
    assert grow_diag_final_and(set(), {(2, 0)}, 3, 3) == {(2, 0)}
    assert grow_diag_final_and(set(), set(), 0, 3) == set()


# Order


def test_expected_kendall_by_hand() -> None:
    # ⟨2, 3, 1⟩: one of three pairs is in order.
    assert expected_kendall([[0, 1, 0], [0, 0, 1], [1, 0, 0]]) == exactly(1 / 3)
    # Word 0 is before word 1 with 0.8·0.6, and after it with 0.1·0.3.
    q = [[0.8, 0.1], [0.3, 0.6]]
    assert expected_kendall(q) == exactly(0.48 / (0.48 + 0.03))
    # The first row has the sum 2, and becomes (0.75, 0.25).
    assert expected_kendall([[1.5, 0.5], [0.3, 0.6]]) == exactly(0.45 / (0.45 + 0.075))
    assert expected_kendall([]) == expected_kendall([[0, 0], [0, 0]]) == 0
    assert expected_kendall([[0.3]]) == expected_kendall([[0.3, 0], [0.2, 0]]) == 1


@pytest.mark.parametrize("seed", range(20))
def test_expected_kendall_is_that_of_certain_links(seed: int) -> None:
    """Kendall's measure is the share of pairs in order, if each word has one link."""
    rng = random.Random(seed)
    ranks = rng.sample(range(6), 6)
    pairs = [(a, b) for k, a in enumerate(ranks) for b in ranks[k + 1 :]]
    q = [[float(rank == j) for j in range(6)] for rank in ranks]
    assert expected_kendall(q) == exactly(sum(a < b for a, b in pairs) / 15)


# Quality


def test_quality_of_links_that_are_all_possible() -> None:
    S = frozenset({(0, 0), (1, 1)})
    P = S | {(2, 2), (2, 3)}
    A = frozenset({(0, 0), (1, 1), (2, 3)})
    quality = Quality(A, S, P)
    # |A| = 3, |S| = 2, |A ∩ S| = 2, |A ∩ P| = 3
    assert quality.precision == 1  # 3/3
    assert quality.recall == 1  # 2/2
    assert quality.f == 1
    assert quality.aer == 0  # 1 − (2 + 3)/(3 + 2)


def test_quality_of_links_with_errors() -> None:
    S = frozenset({(0, 0), (1, 1), (3, 3)})
    P = S | {(1, 2)}
    A = frozenset({(0, 0), (1, 2), (2, 1), (3, 3)})
    quality = Quality(A, S, P)
    # |A| = 4, |S| = 3, |A ∩ S| = |{00, 33}| = 2, |A ∩ P| = |{00, 12, 33}| = 3
    assert quality.precision == 3 / 4
    assert quality.recall == 2 / 3
    # 2·(3/4)·(2/3)/(3/4 + 2/3) = 1/(17/12)
    assert quality.f == exactly(12 / 17)
    assert quality.aer == exactly(2 / 7)  # 1 − (2 + 3)/(4 + 3)


def test_quality_of_two_pairs() -> None:
    """The first number tells the pair. Links of all pairs are counted together."""
    S = frozenset({(0, 0, 0), (1, 0, 0), (1, 1, 1)})
    P = S | {(0, 1, 1), (1, 0, 1)}
    A = frozenset({(0, 0, 0), (0, 1, 1), (1, 0, 1)})
    quality = Quality(A, S, P)
    # |A| = 3, |S| = 3, |A ∩ S| = |{0:00}| = 1, |A ∩ P| = 3
    assert quality.precision == 1
    assert quality.recall == 1 / 3
    assert quality.f == exactly(1 / 2)  # 2·1·(1/3)/(4/3)
    assert quality.aer == exactly(1 / 3)  # 1 − (1 + 3)/(3 + 3)


# EM


@pytest.mark.parametrize("seed", range(10))
def test_the_variational_bound_never_falls(seed: int) -> None:
    """Nor does it exceed the log probability of the target words, summed over all links."""
    pairs = random_bitext(random.Random(seed), pairs=2, longest=3)
    evidence = math.log(sum(math.exp(ibm1_log_joint(pairs, links)) for links in all_links(pairs)))
    em = VariationalIbm1(pairs)
    bounds = [em.bound()]
    for _ in range(30):
        em.step()
        bounds.append(em.bound())
    for before, after in pairwise(bounds):
        assert after >= before - 1e-9  # rounding: lgamma(0.001) and its like cancel
    assert bounds[-1] <= evidence + 1e-9
    assert bounds[-1] > bounds[0]


def test_the_variational_bound_of_an_obvious_alignment() -> None:
    """q can put all its weight on one way to link. The bound is then the log joint of this way.

    So the best bound lies between the log joint of the best way and the sum over all ways.
    """
    pairs = bitext(*[("paris", "paris")] * 3, *[("b", "x")] * 3)
    em = VariationalIbm1(pairs)
    for _ in range(50):
        em.step()
    joints = [ibm1_log_joint(pairs, links) for links in all_links(pairs)]
    assert max(joints) <= em.bound() <= math.log(sum(map(math.exp, joints)))
    assert max(joints) == exactly(ibm1_log_joint(pairs, [[1]] * 6))
