"""DTED: against its naive twin, on the paper's example, and its properties."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperbaton as hb
from hyperbaton import DependencyTree
from metrics import corpora
from parsing import ToyParser
from reference import dted as twin

# The example of section 3.6. Figure 1 is an image; these heads agree with it and with table 2.
HYPOTHESIS = DependencyTree(
    ["The", "cellist", "of", "Malkki", "began", "career", "."], [2, 5, 2, 3, 0, 5, 5]
)
REFERENCE = DependencyTree(
    ["Ms", "Malkki", "started", "her", "career", "as", "a", "cellist", "."],
    [2, 3, 0, 5, 3, 3, 8, 6, 3],
)
LINKS = "1-7 3-1 4-2 5-4 6-8"  # words in both sentences, and began – started
# The options by the names that the twin has for them
OPTIONS = {
    "rescaled": "rescale=yes",
    "flat": "flat=yes",
    "aligned": "match=aligned",
    "weighted": "weight=aligned",
}
VARIANTS = [
    dict.fromkeys(chosen, True)
    for count in range(len(OPTIONS) + 1)
    for chosen in itertools.combinations(OPTIONS, count)
]


def spec(variant: dict[str, bool], *more: str) -> str:
    parts = [*(OPTIONS[name] for name in variant), *more]
    return "dted" + ":" * bool(parts) + ",".join(parts)


class Corpus(NamedTuple):
    trees: list[DependencyTree]
    reference_trees: list[list[DependencyTree]]

    @property
    def texts(self) -> tuple[list[str], list[list[str]]]:
        references = [[text(tree) for tree in several] for several in self.reference_trees]
        return [text(tree) for tree in self.trees], references

    def score(self, metrics: Any, **options: Any) -> hb.metrics.Result:
        return hb.score(
            *self.texts,
            metrics,
            trees=self.trees,
            reference_trees=self.reference_trees,
            **options,
        )

    def segments(self, links: Sequence[Sequence[twin.Links]]) -> list[twin.Segment]:
        return [
            twin.Segment(hyp.heads, [ref.heads for ref in refs], pair_links)
            for hyp, refs, pair_links in zip(*self, links, strict=True)
        ]

    def pairs(self) -> list[list[tuple[DependencyTree, DependencyTree]]]:
        return [[(hyp, ref) for ref in refs] for hyp, refs in zip(*self, strict=True)]

    def found_links(self, case: str = "lc") -> list[list[twin.Links]]:
        """Return the links that the aligner finds between the words of the trees."""
        aligner = hb.Aligner(None, tokenize="none", lowercase=case == "lc")
        return [
            [aligner.align(list(a.words), list(b.words)).links for a, b in several]
            for several in self.pairs()
        ]

    def random_links(self, seed: int) -> list[list[twin.Links]]:
        """Return random links, which no aligner would find; words may have several."""
        rng = random.Random(seed)
        return [
            [
                [pair for pair in itertools.product(range(len(a)), range(len(b))) if chance(rng)]
                for a, b in several
            ]
            for several in self.pairs()
        ]


def chance(rng: random.Random) -> bool:
    return rng.random() < 0.25


def text(tree: DependencyTree) -> str:
    return " ".join(tree.surface)


def pharaoh(links: twin.Links) -> str:
    return " ".join(f"{h}-{r}" for h, r in links)


def random_heads(rng: random.Random, count: int) -> list[int]:
    """Return the heads of a random tree; edges may cross, and there may be several roots."""
    tokens = rng.sample(range(1, count + 1), count)
    heads = [0] * count
    for k, token in enumerate(tokens):
        if k and rng.random() > 0.1:
            heads[token - 1] = tokens[rng.randrange(max(0, k - 3), k)]
    return heads


def tree_of(rng: random.Random, words: Sequence[str]) -> DependencyTree:
    multiwords = []
    if len(words) > 2 and rng.random() < 0.2:
        first = rng.randint(1, len(words) - 1)
        multiwords = [(first, first + 1, "multi")]
    return DependencyTree(words, random_heads(rng, len(words)), multiwords=multiwords)


def random_corpus(seed: int, count: int = 40, references: tuple[int, ...] = (1, 2, 3)) -> Corpus:
    found = corpora.corpus(seed, count, references)
    rng = random.Random(seed)
    return Corpus(
        [tree_of(rng, line.split()) for line in found.hypotheses],
        [[tree_of(rng, line.split()) for line in several] for several in found.references],
    )


EMPTY = DependencyTree([], [])
CORPORA = {
    "one reference": random_corpus(41, references=(1,)),
    "one to three references": random_corpus(42),
    "nothing at all": Corpus([EMPTY, EMPTY], [[EMPTY], [EMPTY, EMPTY]]),
    "one segment": random_corpus(43, 8, (2,)),
}


def check(score: hb.metrics.Score, expected: twin.Scores) -> None:
    values = [float(value) for value in expected.values]
    np.testing.assert_allclose(score.segments, values, rtol=1e-15, err_msg=score.name)
    assert score.statistics is not None
    weights = [float(weight) for weight in expected.weights]
    np.testing.assert_allclose(score.statistics[:, 1], weights, rtol=1e-15, err_msg=score.name)
    assert score.value == pytest.approx(float(expected.value), rel=1e-12, abs=1e-15), score.name


# Against the twin ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize("given", ["found", "given"])
def test_every_variant(name: str, given: str) -> None:
    corpus = CORPORA[name]
    links = corpus.found_links() if given == "found" else corpus.random_links(3)
    alignments = None if given == "found" else [list(map(pharaoh, several)) for several in links]
    result = corpus.score([spec(variant) for variant in VARIANTS], alignments=alignments)
    for variant in VARIANTS:
        check(result[spec(variant)], twin.corpus(corpus.segments(links), **variant))


def test_variants_are_not_all_the_same() -> None:
    """If they were, the tests above would show little."""
    result = CORPORA["one to three references"].score([spec(variant) for variant in VARIANTS])
    values = {score.value for score in result.values()}
    assert len(values) == len(VARIANTS)


@pytest.mark.parametrize("case", ["lc", "mixed"])
def test_case_of_links(case: str) -> None:
    corpus = CORPORA["one to three references"]
    variants = [variant for variant in VARIANTS if {"aligned", "weighted"} & set(variant)]
    result = corpus.score([spec(variant, f"case={case}") for variant in variants])
    for variant in variants:
        expected = twin.corpus(corpus.segments(corpus.found_links(case)), **variant)
        check(result[spec(variant, f"case={case}")], expected)
    assert corpus.found_links("lc") != corpus.found_links("mixed")


def test_the_twin_agrees_with_a_search_of_all_mappings() -> None:
    """Mappings by Tai's definition, between all pairs of words or only some of them."""
    rng = random.Random(6)
    for _ in range(120):
        a, b = (random_heads(rng, rng.randint(0, 4)) for _ in "ab")
        every = list(itertools.product(range(len(a)), range(len(b))))
        size = len(a) + len(b)
        assert twin.distance(a, b) == size - twin.most_matches(a, b, every)
        some = [pair for pair in every if rng.random() < 0.4]
        assert twin.distance(a, b, some) == size - twin.most_matches(a, b, some)


@pytest.mark.parametrize("batch", [1, 7, 40])
@pytest.mark.parametrize("threads", [1, 3])
def test_trees_reach_their_pairs(batch: int, threads: int) -> None:
    corpus = CORPORA["one to three references"]
    expected = corpus.score(["dted", "dted:match=aligned"])
    found = corpora.score_in_batches(
        batch,
        *corpus.texts,
        ["dted", "dted:match=aligned"],
        threads,
        trees=corpus.trees,
        reference_trees=corpus.reference_trees,
    )
    for name, score in found.items():
        assert score.value == expected[name].value
        assert score.segments.tolist() == expected[name].segments.tolist()
        assert score.signature == expected[name].signature


def test_parsed_and_given_trees_give_the_same_scores() -> None:
    texts = corpora.corpus(44)
    parser = ToyParser()
    corpus = Corpus(
        list(parser.parse(texts.hypotheses)),
        [list(parser.parse(several)) for several in texts.references],
    )
    specs = [spec(variant) for variant in VARIANTS]
    parsed, given = hb.score(*texts, specs), corpus.score(specs)
    for name in specs:
        assert parsed[name].segments.tolist() == given[name].segments.tolist()
        assert parsed[name].value == given[name].value
        assert parsed[name].linked == given[name].linked
    assert len({len(tree.roots) for tree in corpus.trees}) > 2


def test_systems_share_references() -> None:
    """``compare`` gives each system the same scores as ``score``."""
    first = CORPORA["one to three references"]
    rng = random.Random(9)
    other = Corpus(
        [tree_of(rng, corpora.edited(rng, tree.words)) for tree in first.trees],
        first.reference_trees,
    )
    specs = ["dted", "dted:match=aligned,weight=aligned"]
    compared = hb.compare(
        {"first": first.texts[0], "other": other.texts[0]},
        first.texts[1],
        specs,
        trees={"other": other.trees, "first": first.trees},
        reference_trees=first.reference_trees,
        samples=5,
    )
    for result, corpus in zip(compared.results, (first, other), strict=True):
        for name, score in corpus.score(specs).items():
            assert result[name].segments.tolist() == score.segments.tolist()
            assert result[name].signature == score.signature
    values = [result["dted"].value for result in compared.results]
    assert values[0] != values[1]


# Section 3.6 ------------------------------------------------------------------------------------


def test_the_example_of_the_paper() -> None:
    example = Corpus([HYPOTHESIS], [[REFERENCE]])
    specs = ["dted", "dted:rescale=yes", "dted:weight=aligned"]
    result = example.score(specs, alignments=[LINKS])
    assert result["dted"].value == 0.375
    assert result["dted"].segments.tolist() == [0.375]
    assert result["dted:rescale=yes"].value == 0.75
    weighted = result["dted:weight=aligned"]
    assert weighted.value == 0.375  # the weight of a single segment has no effect
    assert weighted.statistics is not None
    assert weighted.statistics[0, 1] == 0.625
    assert weighted.linked == 0.625
    assert result["dted"].linked is None


@pytest.mark.parametrize("language", [None, "en"])
def test_the_aligner_misses_a_link_of_the_example(language: str | None) -> None:
    """*started* and *began* have different stems: 4 links cover 8 of 16 nodes."""
    example = Corpus([HYPOTHESIS], [[REFERENCE]])
    score = example.score("dted:weight=aligned", language=language)["dted:weight=aligned"]
    assert score.linked == 0.5
    assert score.statistics is not None
    assert score.statistics[0, 1] == 0.5


def test_the_weight_of_the_example_beside_another_segment() -> None:
    """Equation 4, by hand: (0.375 · 0.625 + 0.5 · 1) / 1.625, and equation 2 without weights."""
    same = DependencyTree(["a", "b"], [0, 1])
    both = Corpus([HYPOTHESIS, same], [[REFERENCE], [same]])
    result = both.score(["dted", "dted:weight=aligned"], alignments=[LINKS, "0-0 1-1"])
    assert result["dted"].value == pytest.approx((0.375 + 0.5) / 2)
    expected = (0.375 * 0.625 + 0.5) / 1.625
    assert result["dted:weight=aligned"].value == pytest.approx(expected)


def test_table_2() -> None:
    """In the paper, the column heads of the matches are exchanged: *began* is a hypothesis word."""
    edit = hb.tree_edit(HYPOTHESIS, REFERENCE)
    hyp, ref = HYPOTHESIS.words, REFERENCE.words
    assert {hyp[k - 1] for k in edit.deleted_a} == {"cellist"}
    assert {ref[k - 1] for k in edit.deleted_b} == {"Ms", "cellist", "a"}
    assert {(hyp[i - 1], ref[j - 1]) for i, j in edit.matched} == {
        ("began", "started"),
        ("The", "Malkki"),
        ("of", "career"),
        ("Malkki", "her"),
        (".", "."),
        ("career", "as"),
    }
    assert len(edit.matched) == 6
    assert edit.distance == 10


def test_matches_of_linked_words_by_hand() -> None:
    """The cellist is above Malkki in the hypothesis, but not in the reference.

    So only one of these two links is a match, beside began – started, career and the full stop.
    """
    example = Corpus([HYPOTHESIS], [[REFERENCE]])
    score = example.score("dted:match=aligned", alignments=[LINKS])["dted:match=aligned"]
    assert score.value == 4 / 16
    assert score.linked == 0.625
    assert example.score("dted:match=aligned", alignments=[""])["dted:match=aligned"].value == 0


# Properties -------------------------------------------------------------------------------------


@st.composite
def trees(draw: st.DrawFn) -> DependencyTree:
    words = draw(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9))
    order = draw(st.permutations(range(1, len(words) + 1)))
    heads = [0] * len(words)
    for k, token in enumerate(order):
        heads[token - 1] = draw(st.sampled_from([0, *order[:k]]))
    return DependencyTree(words, heads)


@given(trees(), trees())
def test_symmetry_and_bounds(a: DependencyTree, b: DependencyTree) -> None:
    specs = [spec(variant) for variant in VARIANTS if "weighted" not in variant]
    links = [
        pair
        for pair in itertools.product(range(len(a)), range(len(b)))
        if a.words[pair[0]] == b.words[pair[1]]
    ]
    one = Corpus([a], [[b]]).score(specs, alignments=[pharaoh(links)])
    back = [(r, h) for h, r in links]
    other = Corpus([b], [[a]]).score(specs, alignments=[pharaoh(back)])
    for name in specs:
        assert one[name].value == other[name].value
        low, high = one[name].range
        assert (low, high) == (0, 1 if "rescale" in name else 0.5)
        assert low <= float(one[name]) <= high
        assert one[name].segments.tolist() == [one[name].value]
    assert float(one["dted:match=aligned"]) <= float(one["dted"])
    size = len(a) + len(b)
    assert one["dted:flat=yes"].value == (min(len(a), len(b)) / size if size else 0.5)


@given(trees())
def test_equal_trees(tree: DependencyTree) -> None:
    links = " ".join(f"{k}-{k}" for k in range(len(tree)))
    specs = [spec(variant) for variant in VARIANTS if "weighted" not in variant]
    result = Corpus([tree], [[tree]]).score(specs, alignments=[links])
    for name, score in result.items():
        assert score.segments.tolist() == [1 if "rescale" in name else 0.5], name
    # Words do not matter: the same tree with other words
    other = DependencyTree([f"x{k}" for k in range(len(tree))], tree.heads)
    assert Corpus([tree], [[other]]).score("dted")["dted"].value == 0.5


def test_empty_trees() -> None:
    tree = DependencyTree(["a", "b"], [0, 1])
    corpus = Corpus([EMPTY, tree, EMPTY], [[tree], [EMPTY], [EMPTY]])
    result = corpus.score([spec(variant) for variant in VARIANTS])
    for variant in VARIANTS:
        score = result[spec(variant)]
        best = 1 if "rescaled" in variant else 0.5
        assert score.segments.tolist() == [0, 0, best]
        # No node is aligned, so no segment has any weight.
        assert score.value == pytest.approx(0 if "weighted" in variant else best / 3)


def test_the_best_reference_counts_with_its_weight() -> None:
    """The second reference has the same tree, although the first one has more links."""
    hyp = DependencyTree(["a", "b"], [0, 1])
    roots, same = DependencyTree(["a", "b"], [0, 0]), DependencyTree(["x", "b"], [0, 1])
    corpus = Corpus([hyp], [[roots, same]])
    score = corpus.score("dted:weight=aligned")["dted:weight=aligned"]
    assert score.statistics is not None
    assert score.statistics.tolist() == [[0.25, 0.5, 0.5]]
    turned = Corpus([hyp], [[same, roots]]).score("dted:weight=aligned")["dted:weight=aligned"]
    assert turned.statistics is not None
    assert turned.statistics.tolist() == score.statistics.tolist()


def test_links_refer_to_the_words_of_the_trees() -> None:
    """*du* is the two words *de* and *le*, whatever a tokeniser does."""
    tree = DependencyTree(["de", "le", "pain"], [3, 3, 0], multiwords=[(1, 2, "du")])
    corpus = Corpus([tree], [[tree]])
    assert corpus.texts[0] == ["du pain"]
    found = corpus.score("dted:weight=aligned")["dted:weight=aligned"]
    given = corpus.score("dted:weight=aligned", alignments=["0-0 1-1 2-2"])["dted:weight=aligned"]
    assert found.linked == given.linked == 1
    with pytest.raises(ValueError, match=r"^segment 0: .*3-0 is outside .*words of the trees"):
        corpus.score("dted:weight=aligned", alignments=["3-0"])
    # Other metrics use the words of their tokenisers.
    assert corpus.score(["pef:tok=none"])["pef:tok=none"].linked == 1
    with pytest.raises(ValueError, match=r"^segment 0: .*2-2 is outside"):
        corpus.score(["dted:weight=aligned", "pef:tok=none"], alignments=["0-0 1-1 2-2"])


def test_trees_of_other_libraries() -> None:
    """Trees may be sentences of conllu; those of references may be in lists."""
    conllu = pytest.importorskip("conllu")

    def sentence(tree: DependencyTree) -> Any:
        rows = [
            f"{k}\t{word}\t_\t_\t_\t_\t{head}\tdep\t_\t_\n"
            for k, (word, head) in enumerate(zip(tree.words, tree.heads, strict=True), 1)
        ]
        return conllu.parse("".join(rows) + "\n")[0]

    one = DependencyTree(["Yes"], [0])
    two = DependencyTree(["Yes", "!"], [0, 1])
    corpus = Corpus([HYPOTHESIS, one, two], [[REFERENCE], [one], [two]])
    expected = corpus.score("dted")["dted"].segments.tolist()
    hypotheses, references = corpus.texts
    given = [sentence(tree) for tree in corpus.trees]
    for several in (
        [sentence(refs[0]) for refs in corpus.reference_trees],
        [[sentence(refs[0])] for refs in corpus.reference_trees],
    ):
        result = hb.score(hypotheses, references, "dted", trees=given, reference_trees=several)
        assert result["dted"].segments.tolist() == expected
    pairs = [[sentence(two), sentence(one)]]
    result = hb.score(
        ["Yes!"], [["Yes !", "Yes"]], "dted", trees=[sentence(two)], reference_trees=pairs
    )
    assert result["dted"].value == 0.5
