"""The source aligner: against its naive twin, and what holds for any training."""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference.translation as twin
from hyperbaton import Alignment, SourceAligner, _core, expected_kendall
from hyperbaton.alignment.choices import SYMMETRIZATIONS
from hyperbaton.alignment.source_aligner import SourceAlignment
from hyperbaton.alignment.translation_model import (
    MODEL_FORMAT,
    AlignerTraining,
    LeftOut,
    Lexicon,
    LinkSums,
    PairBlock,
    Spellings,
)
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import shared_table

Sentences = Sequence[Sequence[str]]
Pairs = list[tuple[str, str]]

# Some words are equal or begin alike in both languages.
SOURCE_WORDS = ["a", "b", "c", "nation", "2013", "paris"]
TARGET_WORDS = ["a", "x", "natur", "nationale", "2013-14", "paris"]


# What the core computes, as lists like those of the twin


class NumberedSide:
    """The sentences of one side as the core reads them."""

    def __init__(self, sentences: Sentences, spellings: Spellings) -> None:
        words = sorted({word for sentence in sentences for word in sentence})
        self.numbers = np.array([words.index(w) for s in sentences for w in s], np.int32)
        self.offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
        self.table = np.arange(len(words), dtype=np.int32)
        self.lexicon = Lexicon(tuple(words), spellings)


def core_chain(
    sources: Sentences, targets: Sentences, ibm1: int, hmm: int, fertility: int, seed: int
) -> list[list[int]]:
    """The links of each pair after a chain of the core. 0 is none."""
    spellings = Spellings()
    source, target = NumberedSide(sources, spellings), NumberedSide(targets, spellings)
    bitext = _core.Bitext()
    bitext.add(source.numbers, source.offsets, target.numbers, target.offsets)
    bitext.arrange(source.table, target.table)
    links = _core.sample_chain(
        bitext,
        *source.lexicon.spellings,
        *target.lexicon.spellings,
        0,
        seed,
        (ibm1, hmm, fertility),
    )
    return [part.tolist() for part in np.split(links, target.offsets[1:-1])]


def core_posteriors(
    aligner: SourceAligner, source: str, target: str, power: float = 0.5
) -> tuple[twin.Posteriors, twin.Posteriors]:
    """P(f_j → e_i) and P(e_i → f_j) of one pair. The first column is none.

    With a power of 0, positions do not matter.
    """
    texts = aligner.model.source_text, aligner.model.target_text
    e, f = (
        side.look_up(shared_table(text).number_lines(_core.Lines.from_strings([line]), 1))
        for side, text, line in zip(aligner._sides, texts, (source, target), strict=True)
    )
    p, r = aligner._core.posteriors(e[0], e[1], e[2], f[0], f[1], f[2], int(4 * power))
    n, m = len(e[0]), len(f[0])
    return (
        np.roll(p.reshape(m, n + 1), 1, axis=1).tolist(),
        np.roll(r.reshape(n, m + 1), 1, axis=1).tolist(),
    )


def twin_models(aligner: SourceAligner) -> tuple[twin.Model, twin.Model]:
    """The twin's models with the sums of a trained aligner."""
    model = aligner.model

    def direction(sums: LinkSums, sources: tuple[str, ...], targets: tuple[str, ...]) -> twin.Model:
        lexical: dict[tuple[twin.SourceWord, str], float] = {}
        for e, word in enumerate(sources):
            for k in range(sums.offsets[e], sums.offsets[e + 1]):
                lexical[word, targets[sums.words[k]]] = int(sums.counts[k]) / model.samples
        for f, count in zip(targets, sums.unlinked.tolist(), strict=True):
            lexical[twin.NULL, f] = count / model.samples
        jumps = dict(zip(range(-100, 101), (sums.jumps / model.samples).tolist(), strict=True))
        return twin.Model(twin.Prior(targets), lexical, jumps)

    return (
        direction(model.to_target, model.source_words, model.target_words),
        direction(model.to_source, model.target_words, model.source_words),
    )


def train(pairs: Pairs, **options: Any) -> SourceAligner:
    """Train on words that are split at spaces."""
    return SourceAligner.train(pairs, source_tokenize="none", tokenize="none", **options)


def words(pairs: Pairs) -> twin.Bitext:
    return twin.Bitext([s.split() for s, _ in pairs], [t.split() for _, t in pairs])


def links(aligner: SourceAligner, pairs: Pairs, **options: Any) -> list[tuple[Any, ...]]:
    """The links of pairs, with the lengths of both sides."""
    found = aligner.align([s for s, _ in pairs], [t for _, t in pairs], **options)
    return [(a.hyp_length, a.ref_length, a.links) for a in found]


def random_pairs(seed: int, count: int, longest: int, shortest: int = 1) -> Pairs:
    rng = random.Random(seed)
    return [
        (
            " ".join(rng.choices(SOURCE_WORDS, k=rng.randint(shortest, longest))),
            " ".join(rng.choices(TARGET_WORDS, k=rng.randint(shortest, longest))),
        )
        for _ in range(count)
    ]


def sentences(vocabulary: list[str], shortest: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(vocabulary), min_size=shortest, max_size=5).map(" ".join)


def bitexts(shortest: int = 1, most: int = 6) -> st.SearchStrategy[Pairs]:
    pair = st.tuples(sentences(SOURCE_WORDS, shortest), sentences(TARGET_WORDS, shortest))
    return st.lists(pair, min_size=1, max_size=most)


SEEDS = st.integers(0, 2**64 - 1)


# Against the twin


def twin_chain(
    pairs: twin.Bitext, ibm1: int, hmm: int, fertility: int, seed: int
) -> list[list[int | None]]:
    """The links of the twin's chain, in the order of the pairs given."""
    order = twin.training_order(pairs)
    arranged = twin.Bitext([pairs.sources[s] for s in order], [pairs.targets[s] for s in order])
    chain = twin.Chain(arranged, twin.SplitMix64(seed))
    chain.run(ibm1, hmm, fertility)
    return [chain.links[order.index(s)] for s in range(len(order))]


@settings(max_examples=60)
@given(bitexts(), st.sampled_from([(1, 0, 0), (3, 0, 0), (2, 2, 0), (1, 1, 3)]), SEEDS)
def test_a_chain_draws_the_links_of_the_twin(
    pairs: Pairs, stages: tuple[int, int, int], seed: int
) -> None:
    bitext = words(pairs)
    expected = twin_chain(bitext, *stages, seed)
    assert core_chain(bitext.sources, bitext.targets, *stages, seed) == expected


@pytest.mark.parametrize("stages", [(2, 0, 0), (1, 2, 0), (1, 1, 2)])
@pytest.mark.parametrize("seed", range(5))
def test_a_chain_on_more_pairs(seed: int, stages: tuple[int, int, int]) -> None:
    bitext = words(random_pairs(seed, count=20, longest=9))
    expected = twin_chain(bitext, *stages, seed)
    assert core_chain(bitext.sources, bitext.targets, *stages, seed) == expected


@pytest.mark.parametrize("seed", range(5))
def test_long_jumps_and_many_links_of_a_word(seed: int) -> None:
    """Jumps beyond 100 and fertilities beyond 15 are clipped."""
    bitext = twin.Bitext(
        [["paris", *["b"] * 120, "2013"], *[["a"]] * 4, *[["b"] * 3] * 4],
        [["2013", "paris", "2013"], *[["a"] * 60] * 4, *[["x"] * 3] * 4],
    )
    found = core_chain(bitext.sources, bitext.targets, 3, 2, 5, seed)
    assert found == twin_chain(bitext, 3, 2, 5, seed)
    assert set(found[0]) & {1, 122}  # 1 → 123, the end, or 0 → 122
    assert max(these.count(1) for these in found[1:5]) > 15


@settings(max_examples=15)
@given(bitexts(most=4), st.integers(1, 9), SEEDS)
def test_training_adds_up_the_samples_of_the_twin(pairs: Pairs, iterations: int, seed: int) -> None:
    """Both directions, all chains: the same links in every sample give the same means."""
    aligner = train(pairs, seed=seed, iterations=iterations)
    stages = twin.iterations(len(pairs), iterations)
    expected = twin.train_both_directions(words(pairs), *stages, seed)
    for found, model in zip(twin_models(aligner), expected, strict=True):
        assert {k: v for k, v in found.lexical.items() if v} == pytest.approx(model.lexical)
        assert {k: v for k, v in found.jumps.items() if v} == pytest.approx(model.jumps)
    assert aligner.model.samples == 3 * max(1, iterations // 4)


NEW_WORDS = ["unknown", "nationwide", "2013", "1789", "x", "a"]


@pytest.mark.parametrize("power", [0.5, 0.75, 0])
@pytest.mark.parametrize("seed", range(8))
def test_posteriors_agree_with_the_twin(seed: int, power: float) -> None:
    pairs = random_pairs(seed, count=12, longest=7)
    aligner = train(pairs, seed=seed, iterations=6)
    to_target, to_source = twin_models(aligner)
    rng = random.Random(seed)
    new = " ".join(rng.choices(SOURCE_WORDS + NEW_WORDS, k=9))
    also_new = " ".join(rng.choices(TARGET_WORDS + NEW_WORDS, k=6))
    definition = partial(twin.hmm_posteriors, power=power) if power else twin.ibm1_posteriors
    for source, target in [*pairs[:4], (new, also_new), (new, "a"), ("a", also_new)]:
        p, r = core_posteriors(aligner, source, target, power)
        e, f = source.split(), target.split()
        for row, expected in zip(p, definition(to_target, e, f), strict=True):
            assert row == pytest.approx(expected, rel=1e-9, abs=1e-12)
            assert sum(row) == pytest.approx(1, rel=1e-12)
        for row, expected in zip(r, definition(to_source, f, e), strict=True):
            assert row == pytest.approx(expected, rel=1e-9, abs=1e-12)
            assert sum(row) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_links_agree_with_the_twin(seed: int) -> None:
    """Few iterations on random pairs leave many links uncertain, so that the rules differ.

    The posteriors are those of the core, because rounding decides between equal words.
    """
    known = [("paris", "paris"), ("b", "x"), ("nation", "nationale")]
    pairs = random_pairs(seed, count=15, longest=9) + 20 * known
    aligner = train(pairs, seed=seed, iterations=2)
    pairs += random_pairs(seed + 100, count=60, longest=12)
    posteriors = [core_posteriors(aligner, *pair) for pair in pairs]
    for name in SYMMETRIZATIONS:
        expected = [twin.SYMMETRIZATIONS[name](p, r) for p, r in posteriors]
        found = links(aligner, pairs, symmetrization=name)
        assert [set(these) for _, _, these in found] == expected
        assert any(expected)
    for threshold in (0, 0.1, 0.5, 0.9):
        expected = [twin.mean_links(p, r, threshold) for p, r in posteriors]
        found = links(aligner, pairs, symmetrization=f"mean:{threshold}")
        assert [set(these) for _, _, these in found] == expected
        expected = [twin.geometric_links(p, r, threshold) for p, r in posteriors]
        found = links(aligner, pairs, symmetrization=f"geometric:{threshold}")
        assert [set(these) for _, _, these in found] == expected


@pytest.mark.parametrize("symmetrization", [*SYMMETRIZATIONS, "mean:0.01"])
def test_links_have_their_posteriors(symmetrization: str) -> None:
    pairs = random_pairs(1, count=15, longest=9)
    aligner = train(pairs, iterations=2)
    sides = [s for s, _ in pairs], [t for _, t in pairs]
    found = aligner.align(*sides, symmetrization=symmetrization, posteriors=True)
    plain = aligner.align(*sides, symmetrization=symmetrization)
    for pair, alignment, without in zip(pairs, found, plain, strict=True):
        q = twin.mean_posteriors(*core_posteriors(aligner, *pair))
        assert alignment.posteriors == tuple(q[i][j] for i, j in alignment.links)
        assert alignment == without
        assert without.posteriors is None
        assert pickle.loads(pickle.dumps(alignment)).posteriors == alignment.posteriors
        assert alignment.to_dict()["posteriors"] == list(alignment.posteriors)
        assert "posteriors" not in without.to_dict()


def test_posteriors_as_text() -> None:
    pairs = [("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book")]
    aligner = train(pairs * 5)
    (alignment,) = aligner.align(["das Buch"], ["the book"], posteriors=True)
    assert alignment.links == ((0, 0), (1, 1))
    assert alignment.posteriors is not None
    one, other = alignment.posteriors
    text = f"0-0:{one:.2f} 1-1:{other:.2f}"
    assert alignment.to_pharaoh(posteriors=True) == text
    assert alignment.to_pharaoh(base=1, posteriors=True) == f"1-1:{one:.2f} 2-2:{other:.2f}"
    assert Alignment.from_pharaoh(text, 2, 2) == alignment
    with pytest.raises(InputError, match=r"^the posteriors of these links are not known: "):
        alignment.inverse().to_pharaoh(posteriors=True)


@pytest.mark.parametrize("seed", range(6))
def test_expected_order_is_that_of_all_ways_to_link(seed: int) -> None:
    """Posteriors are summed over all alignments of both directions, and then over all pairs."""
    pairs = random_pairs(seed, count=12, longest=7)
    aligner = train(pairs, seed=seed, iterations=6)
    to_target, to_source = twin_models(aligner)
    tiny = [*random_pairs(seed + 50, count=10, longest=4), ("a", "x"), ("a b", "x"), ("", "x")]
    found = aligner.expected_kendall([s for s, _ in tiny], [t for _, t in tiny])
    for (source, target), value in zip(tiny, found.tolist(), strict=True):
        e, f = source.split(), target.split()
        p = twin.hmm_posteriors_by_enumeration(to_target, e, f, twin.ORDER_POWER) if e else []
        r = twin.hmm_posteriors_by_enumeration(to_source, f, e, twin.ORDER_POWER)
        q = twin.mean_posteriors(p, r)
        assert value == pytest.approx(twin.expected_kendall(q), rel=1e-9)
        assert value == pytest.approx(expected_kendall(q), rel=1e-9)


def test_expected_order_of_long_pairs() -> None:
    """Pairs with more than 400 words have posteriors, and those with too many cells have none."""
    aligner = train(random_pairs(2, count=20, longest=8), iterations=4)
    to_target, to_source = twin_models(aligner)
    source, target = random_pairs(3, count=1, longest=401, shortest=401)[0][0], "a x natur paris"
    e, f = source.split(), target.split()
    q = twin.mean_posteriors(
        twin.ibm1_posteriors(to_target, e, f), twin.ibm1_posteriors(to_source, f, e)
    )
    (value,) = aligner.expected_kendall([source], [target])
    assert value == pytest.approx(twin.expected_kendall(q), rel=1e-9)
    assert aligner.expected_kendall(["a " * 5_000], ["x " * 6_001]).tolist() == [0]


matrices = st.integers(1, 5).flatmap(
    lambda columns: st.lists(
        st.lists(st.floats(0, 1).map(lambda p: round(p, 3)), min_size=columns, max_size=columns),
        max_size=5,
    )
)


@given(matrices)
def test_expected_kendall_of_any_matrix(q: list[list[float]]) -> None:
    assert expected_kendall(q) == pytest.approx(twin.expected_kendall(q), rel=1e-9, abs=1e-12)
    assert expected_kendall(np.array(q)) == expected_kendall(q)


def test_expected_kendall_of_tiny_probabilities() -> None:
    """Their products are below the smallest float64."""
    assert expected_kendall([[0, 1e-160], [1e-170, 0]]) == 0
    assert expected_kendall([[1e-163] * 3] * 3) == 0.5


@pytest.mark.parametrize("q", [[[10**400]], [[[1, 0], [0]], [[1]]], [[1j]], [["0.5"]]])
def test_expected_kendall_of_what_is_no_matrix(q: object) -> None:
    with pytest.raises(ValueError, match="must be a matrix of numbers"):
        expected_kendall(q)


def test_expected_kendall_of_several_matrices() -> None:
    matrices = [[[1, 0], [0, 1]], np.array([[0, 1], [1, 0]]), np.zeros((3, 0))]
    values = expected_kendall(matrices)
    assert values.dtype == np.float64
    assert values.tolist() == [1, 0, 0]
    assert expected_kendall([]) == 0


@pytest.mark.parametrize(
    ("posteriors", "error", "message"),
    [
        (5, InputTypeError, "posteriors must be a matrix, got int"),
        ("ab", InputError, "posteriors must be a matrix of numbers, all rows of one length"),
        ([[0.1, 0.2], [0.3]], InputError, "posteriors must be a matrix of numbers, all rows of"),
        ([0.1, 0.2], InputError, "posteriors must be a matrix, got 1 dimension"),
        ([[[[0.1]]]], InputError, r"posteriors\[0\] must be a matrix, got 3 dimensions"),
        (
            [[[1]], [[0.5], [-1]]],
            InputError,
            r"posteriors\[1\] must be finite and at least 0, got -1.0 in row 1, column 0",
        ),
        ([[float("nan")]], InputError, "must be finite and at least 0, got nan in row 0, column 0"),
    ],
)
def test_posteriors_that_are_no_matrix(
    posteriors: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        expected_kendall(posteriors)


@pytest.mark.parametrize("seed", range(4))
def test_links_grow_like_those_of_the_twin(seed: int) -> None:
    """The order in which links grow matters for about one pair of a thousand."""
    aligner = train(random_pairs(seed, count=3, longest=3), seed=seed, iterations=1)
    pairs = random_pairs(seed + 100, count=2000, longest=8)
    found = links(aligner, pairs, symmetrization="grow-diag-final-and")
    for (source, target), (_, _, these) in zip(pairs, found, strict=True):
        p, r = core_posteriors(aligner, source, target)
        assert set(these) == twin.grow_links(p, r)


def test_pairs_beyond_400_words_are_aligned_without_jumps() -> None:
    pairs = random_pairs(2, count=20, longest=8)
    aligner = train(pairs, iterations=4)
    to_target, to_source = twin_models(aligner)
    [(_, inside)] = random_pairs(3, count=1, longest=400, shortest=400)
    short = "a b nation paris"
    for long, definition in (
        (inside, twin.hmm_posteriors),
        (f"{inside} paris", twin.ibm1_posteriors),
    ):
        for source, target in ((short, long), (long, short)):
            e, f = source.split(), target.split()
            p, r = definition(to_target, e, f), definition(to_source, f, e)
            for name, symmetrize in twin.SYMMETRIZATIONS.items():
                [(n, m, found)] = links(aligner, [(source, target)], symmetrization=name)
                assert (n, m) == (len(e), len(f))
                assert set(found) == symmetrize(p, r)


# Threads, order, seeds, files


@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_threads_change_nothing(threads: int | None) -> None:
    pairs = random_pairs(4, count=60, longest=12)
    expected = train(pairs, iterations=5, threads=3)
    aligner = train(pairs, iterations=5, threads=threads)
    assert aligner.digest == expected.digest
    assert links(aligner, pairs, threads=threads) == links(expected, pairs, threads=3)
    sides = [s for s, _ in pairs], [t for _, t in pairs]
    order = aligner.expected_kendall(*sides, threads=threads)
    assert order.tolist() == expected.expected_kendall(*sides, threads=3).tolist()


@settings(max_examples=40)
@given(bitexts(shortest=0), st.randoms(use_true_random=False), SEEDS)
def test_the_order_of_the_pairs_changes_nothing(
    pairs: Pairs, rng: random.Random, seed: int
) -> None:
    pairs = [*pairs, ("a b", "x y")]
    shuffled = rng.sample(pairs, len(pairs))
    aligners = [train(these, seed=seed, iterations=3) for these in (pairs, shuffled)]
    assert aligners[0].signature == aligners[1].signature
    assert aligners[0].left_out == aligners[1].left_out
    assert links(aligners[0], pairs) == links(aligners[1], pairs)


def test_another_seed_gives_another_model() -> None:
    pairs = random_pairs(5, count=30, longest=8)
    aligners = [train(pairs, seed=seed, iterations=4) for seed in (1, 2, 2**64 - 1)]
    assert [aligner.seed for aligner in aligners] == [1, 2, 2**64 - 1]
    sums = {aligner.model.to_target.counts.tobytes() for aligner in aligners}
    assert len(sums) == len({aligner.digest for aligner in aligners}) == 3
    assert train(pairs, iterations=4).digest == aligners[0].digest


@settings(max_examples=40)
@given(bitexts(), st.sampled_from(SYMMETRIZATIONS), SEEDS)
def test_a_saved_aligner_gives_the_same_links(
    tmp_path_factory: pytest.TempPathFactory, pairs: Pairs, symmetrization: str, seed: int
) -> None:
    path = tmp_path_factory.mktemp("saved") / "model"
    aligner = train(pairs, seed=seed, iterations=3, symmetrization=symmetrization)
    aligner.save(path)
    loaded = SourceAligner.load(path)
    assert loaded.signature == aligner.signature
    assert (loaded.pairs, loaded.seed, loaded.iterations, loaded.symmetrization, loaded.digest) == (
        len(pairs),
        seed,
        3,
        symmetrization,
        aligner.digest,
    )
    new = random_pairs(6, count=5, longest=6)
    assert links(loaded, pairs + new) == links(aligner, pairs + new)
    loaded.save(path.with_name("again"))
    assert path.read_bytes() == path.with_name("again").read_bytes()


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model"
    train(random_pairs(7, count=5, longest=5), iterations=1).save(path)
    data = path.read_bytes()
    rng = random.Random(7)
    for _ in range(50):
        path.write_bytes(data[: rng.randrange(len(data))])
        with pytest.raises(InputError, match="model"):
            SourceAligner.load(path)


def test_a_threshold_is_saved(tmp_path: Path) -> None:
    aligner = train([("a b", "x y")] * 3, symmetrization="geometric:0.30")
    assert aligner.symmetrization == "geometric:0.3"
    assert aligner.signature.startswith("geometric.threshold-0.3.jumps-0.75-0.5.pairs-3.")
    aligner.save(tmp_path / "model")
    assert SourceAligner.load(tmp_path / "model") == aligner
    assert train([("a", "x")], symmetrization="mean:0.45").symmetrization == "mean"
    grown = train([("a", "x")], symmetrization="grow-diag-final-and")
    assert grown.signature.startswith("grow-diag-final-and.jumps-0.75-0.5.pairs-1.")


def test_a_file_of_an_older_version_is_refused(tmp_path: Path) -> None:
    """Version 2 was trained with other probabilities of jumps."""
    path = tmp_path / "model"
    train([("a b", "x y")] * 3).save(path)
    path.write_bytes(path.read_bytes().replace(b"source-aligner/3", b"source-aligner/2"))
    with pytest.raises(InputError, match=r"has version 2 .*, but only version 3 can be read"):
        SourceAligner.load(path)


# Pairs that are not used, and unusual ones


def test_empty_sides_are_counted_and_aligned_to_nothing() -> None:
    pairs = [("a b", "x y"), ("", "x"), ("a", ""), ("", ""), (" ", "\t"), ("b", "y")]
    aligner = train(pairs, iterations=4)
    assert aligner.pairs == 2
    assert aligner.left_out == LeftOut(empty=4, long=0)
    for symmetrization in SYMMETRIZATIONS:
        found = links(aligner, pairs, symmetrization=symmetrization)
        assert found[1:5] == [(0, 1, ()), (1, 0, ()), (0, 0, ()), (0, 0, ())]
    assert aligner.align([], []) == []


def test_pairs_that_are_left_out_change_nothing() -> None:
    pairs = random_pairs(8, count=10, longest=6)
    aligner = train(pairs, iterations=4)
    others = [("", "another word"), ("some word", ""), ("a " * 401, "x"), ("a", "long " * 401)]
    with_others = train(pairs + others, iterations=4)
    assert with_others.left_out == LeftOut(empty=2, long=2)
    assert with_others.pairs == aligner.pairs == 10
    assert with_others.digest == aligner.digest


def test_400_words_are_trained_on() -> None:
    aligner = train([("a " * 400, "x " * 400), ("a " * 401, "x"), ("a", "x " * 401)], iterations=1)
    assert aligner.pairs == 1
    assert aligner.left_out == LeftOut(empty=0, long=2)


def test_nothing_to_train_on() -> None:
    for pairs in ([], [("", "a"), ("b", "")], [("a " * 401, "x")]):
        with pytest.raises(InputError, match="no sentence pair"):
            train(pairs)


def test_huge_pairs_have_no_links() -> None:
    """More than 30 million cells. A rare name would be linked even there."""
    aligner = train(random_pairs(11, count=200, longest=8), iterations=4)
    source, name = "zürich " + "a " * 5_999, "zürich"
    inside, outside = (f"{'x ' * count} {name}" for count in (4_999, 5_000))
    found = links(aligner, [(source, inside), (source, outside), (name, name)])
    assert [lengths for *lengths, _ in found] == [[6_000, 5_000], [6_000, 5_001], [1, 1]]
    assert (0, 4_999) in found[0][2]
    assert found[1][2] == ()
    assert found[2][2] == ((0, 0),)


# What is learned


def dictionary_pairs(reverse: bool) -> tuple[Pairs, list[set[tuple[int, int]]]]:
    """Translations word by word, in reverse or any order, and the correct links."""
    rng = random.Random(9)
    dictionary = {f"s{letter}": f"{letter}t" for letter in "abcdefghijkl"}
    pairs, gold = [], []
    for _ in range(200):
        source = rng.sample(list(dictionary), k=rng.randint(2, 6))
        order = list(reversed(range(len(source))))
        if not reverse:
            rng.shuffle(order)
        target = [dictionary[source[i]] for i in order]
        pairs.append((" ".join(source), " ".join(target)))
        gold.append({(i, j) for j, i in enumerate(order)})
    return pairs, gold


@pytest.mark.parametrize("symmetrization", SYMMETRIZATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_a_dictionary_is_found(symmetrization: str, seed: int) -> None:
    pairs, gold = dictionary_pairs(reverse=True)
    aligner = train(pairs, seed=seed, symmetrization=symmetrization)
    assert [set(found) for _, _, found in links(aligner, pairs)] == gold


@pytest.mark.parametrize(
    ("source", "target"),
    [("zürich genf", "zürich genf"), ("7 1789", "7 1789"), ("nation motor", "nationale motorisch")],
)
def test_equal_strings_attract_links(source: str, target: str) -> None:
    """Words that were never seen are linked by their spelling, in either order."""
    pairs, _ = dictionary_pairs(reverse=False)
    aligner = train(pairs)
    swapped = " ".join(reversed(target.split()))
    assert links(aligner, [(source, target), (source, swapped)]) == [
        (2, 2, ((0, 0), (1, 1))),
        (2, 2, ((0, 1), (1, 0))),
    ]


def test_equal_strings_attract_links_in_training() -> None:
    """Each name occurs once, next to a word that is as rare. Only its spelling tells them apart."""
    pairs = [(f"name{k} s{k}", f"t{k} name{k}") for k in range(40)]
    aligner = train(pairs)
    found = [set(these) for _, _, these in links(aligner, pairs)]
    assert all((0, 1) in these for these in found)
    assert not any((0, 0) in these or (1, 1) in these for these in found)


@settings(max_examples=50)
@given(bitexts(shortest=0), SEEDS)
def test_relations_of_symmetrizations(pairs: Pairs, seed: int) -> None:
    pairs = [*pairs, ("a b", "x y")]
    aligner = train(pairs, seed=seed, iterations=2)
    found = {
        name: [set(these) for _, _, these in links(aligner, pairs, symmetrization=name)]
        for name in SYMMETRIZATIONS
    }
    assert links(aligner, pairs) == links(aligner, pairs, symmetrization="mean")
    for k, (source, target) in enumerate(pairs):
        n, m = len(source.split()), len(target.split())
        for name in SYMMETRIZATIONS:
            assert all(0 <= i < n and 0 <= j < m for i, j in found[name][k])
        # A geometric mean is never above the mean of the same numbers.
        assert found["geometric"][k] <= found["mean"][k]
        both = found["intersection"][k]
        assert both <= found["grow-diag-final-and"][k]
        assert len({i for i, _ in both}) == len({j for _, j in both}) == len(both)


# Options and errors


def test_lines_are_tokenised_and_lower_cased() -> None:
    pairs = [("Das Haus.", "The house."), ("das Buch!", "the book!"), ("Ein Buch.", "A book.")]
    aligner = SourceAligner.train(pairs, iterations=20)
    assert aligner.model.source_words == ("!", ".", "buch", "das", "ein", "haus")
    tokenised = [
        ("das haus .", "the house ."),
        ("das buch !", "the book !"),
        ("ein buch .", "a book ."),
    ]
    assert links(aligner, pairs) == links(train(tokenised, iterations=20), tokenised)
    [alignment] = aligner.align(["DAS HAUS."], ["The House."])
    assert isinstance(alignment, Alignment)
    assert (alignment.hyp_length, alignment.ref_length) == (3, 3)


@pytest.mark.parametrize("pairs", [1, 100, 101, 400, 447])
def test_default_iterations(pairs: int) -> None:
    aligner = train([("a", "x")] * pairs)
    assert aligner.iterations == twin.iterations(pairs)[2]


def test_progress_grows_and_may_stop_the_training() -> None:
    """This training would take many minutes. It is stopped when it has grown."""
    calls: list[tuple[int, int]] = []
    stops: list[int] = []

    class EnoughError(Exception):
        pass

    def progress(done: int, total: int) -> None:
        calls.append((done, total))
        if len(calls) >= 5 and done > calls[0][0]:
            stops.append(len(calls))
            raise EnoughError

    with pytest.raises(EnoughError):
        train(random_pairs(10, count=300, longest=30), iterations=100_000, progress=progress)
    assert stops == [len(calls)]  # no call after it
    assert calls == sorted(calls)
    assert calls[0][0] < calls[-1][0] < calls[-1][1]
    assert len({total for _, total in calls}) == 1


def test_invalid_input() -> None:
    pairs = [("a", "x")]
    aligner = train(pairs, iterations=1)
    with pytest.raises(InputError, match="2 sources, but 1 targets"):
        aligner.align(["a", "b"], ["x"])
    with pytest.raises(InputError, match="symmetrization must be one of"):
        aligner.align(["a"], ["x"], symmetrization="union")
    with pytest.raises(InputError, match="symmetrization must be one of"):
        train(pairs, symmetrization="union")
    for text in ("mean:1", "mean:-0.1", "mean:", "geometric:high", "mean:nan"):
        with pytest.raises(InputError, match="the threshold must be a number from 0 to below 1"):
            aligner.align(["a"], ["x"], symmetrization=text)
    with pytest.raises(InputError, match="symmetrization: intersection has no threshold"):
        train(pairs, symmetrization="intersection:0.3")
    with pytest.raises(InputError, match="2 sources, but 1 targets"):
        aligner.expected_kendall(["a", "b"], ["x"])
    for seed in (-1, 2**64, 1.5, True):
        with pytest.raises(InputError, match="seed"):
            train(pairs, seed=seed)
    for iterations in (0, -1, 2.5, True):
        with pytest.raises(InputError, match="iterations"):
            train(pairs, iterations=iterations)


# Attacks


def test_long_chains_of_links_grow_in_one_go() -> None:
    """Growing backwards one link in each pass over all links would take minutes here."""
    noise = random.Random(1)
    pairs = [("a", "b")] * 20 + [("a", "z")] * 200 + [("q r s", "b b b")] * 20
    for _ in range(3000):
        line = " ".join(f"v{noise.randrange(9000)}" for _ in range(10))
        pairs.append((line, line))
    aligner = train(pairs, iterations=4)
    found = aligner.align(["a"], ["b " * 20_000 + "z"], symmetrization="grow-diag-final-and")
    assert len(found[0].links) == 20_001


@pytest.mark.parametrize("direction", ["to_target", "to_source"])
def test_offsets_that_overflow_are_damaged(direction: str, tmp_path: Path) -> None:
    aligner = train([("a b c d e", "v w x y z")] * 3)
    sums: LinkSums = getattr(aligner.model, direction)
    offsets = np.full_like(sums.offsets, sums.offsets[-1])
    offsets[:4] = [0, 2**63 - 1, -(2**63), -1]
    wrong: dict[str, Any] = {direction: sums._replace(offsets=offsets)}
    changed = replace(aligner.model, **wrong)
    header = {**changed.header, "symmetrization": "mean"}
    MODEL_FORMAT.write(tmp_path / "model", header, changed.arrays())
    with pytest.raises(InputError, match="is damaged: train the model again"):
        SourceAligner.load(tmp_path / "model")


@pytest.mark.parametrize("change", ["trailing", "nothing"])
def test_words_that_are_no_list_are_damaged(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    aligner = train([("a b", "x y")] * 3)
    content = {"trailing": b"a\0b\0c", "nothing": b""}[change]
    monkeypatch.setattr(
        "hyperbaton.alignment.translation_model.pack_words",
        lambda words: np.frombuffer(content, np.uint8),
    )
    aligner.save(tmp_path / "model")
    with pytest.raises(InputError, match="is damaged"):
        SourceAligner.load(tmp_path / "model")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_an_endless_file_is_not_read_to_its_end() -> None:
    with pytest.raises(InputError, match="is not a saved model"):
        SourceAligner.load("/dev/zero")


def test_a_bitext_cannot_change_while_it_is_trained_on() -> None:
    training = AlignerTraining(Tokenization("none"), Tokenization("none"))
    lines = _core.Lines.from_strings(["a b c d e f g h"] * 2000)
    training.add(PairBlock(lines, lines))

    def change(done: int, total: int) -> None:
        training.add(PairBlock(lines, lines))

    with pytest.raises(RuntimeError, match="is being trained on"):
        training.train(progress=change)
    with pytest.raises(RuntimeError, match="already used for training"):
        training.train()


def test_where_a_pair_is_invalid() -> None:
    with pytest.raises(InputError, match=r"^the target of pairs\[3500\]"):
        train([("a", "b")] * 3500 + [("a", "b\0")])
    with pytest.raises(InputError, match=r"1 with an empty side, 1 with more than 400 words"):
        train([("a", ""), ("a " * 401, "b")])


# What the texts look like


def as_block(pairs: Pairs) -> PairBlock:
    sources, targets = ([pair[side] for pair in pairs] for side in (0, 1))
    return PairBlock(_core.Lines.from_strings(sources), _core.Lines.from_strings(targets))


def test_text_without_spaces_is_a_warning() -> None:
    japanese = ["これは日本語の文章です", "東京は日本の首都です", "猫が好きです"]
    english = ["this is japanese", "tokyo is the capital", "i like cats"]
    pairs = list(zip(japanese, english, strict=True))
    for side, given_pairs in (("source", pairs), ("target", [(b, a) for a, b in pairs])):
        alignment = SourceAlignment()
        alignment.find_aligner(Tokenization(), lambda p=given_pairs: [as_block(p)])  # type: ignore[misc]
        assert any(f"the {side} seems to be written without spaces" in n for n in alignment.notes)
    spaced = SourceAlignment()
    spaced.find_aligner(Tokenization(), lambda: [as_block([("これ は 文 です", "this is text")])])
    assert not any("without spaces" in note for note in spaced.notes)


def test_a_bitext_in_the_other_direction_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("de").write_text("ein haus\nein buch\n", encoding="utf-8")
    Path("en").write_text("a house\na book\n", encoding="utf-8")
    block = as_block([("das haus", "the house"), ("ein buch", "a book")])
    right = SourceAlignment(bitexts=(("de", "en"),))
    assert right.find_aligner(Tokenization(), lambda: [block]).pairs == 4
    wrong = SourceAlignment(bitexts=(("en", "de"),))
    with pytest.raises(InputError, match="--bitext en de: the files seem to be in the wrong order"):
        wrong.find_aligner(Tokenization(), lambda: [block])


def test_alignments_have_the_words_of_both_sides() -> None:
    pairs = [("Das Haus .", "the House .")] * 3
    aligner = SourceAligner.train(pairs, seed=1)
    (alignment,) = aligner.align(["Das Haus."], ["the House."])
    assert alignment.words == (("Das", "Haus", "."), ("the", "House", "."))
