"""Tree edits over trees of other libraries, and costs that depend on labels."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import conllu
import pytest

import hyperbaton as hb
from hyperbaton import DependencyTree
from parsing import FRENCH
from reference import tree_edit as reference

HEADS = [2, 0, 5, 5, 2, 2]
LABELS = ("nsubj", "root", "case", "det", "obl", "punct")


def sentence(text: str = FRENCH) -> Any:
    return conllu.parse(text)[0]


def test_sentences_of_conllu() -> None:
    """Empty nodes are none, and a multi-word token is its words."""
    assert hb.tree_distance(sentence(), HEADS) == 6
    assert hb.tree_distance([0, 1], sentence()) == hb.tree_distance([0, 1], HEADS) == 6
    edit = hb.tree_edit(sentence(), sentence())
    assert edit.distance == 6
    assert edit.words_a == ("Je", "mange", "de", "le", "pain", ".")
    assert edit.matched == tuple((k, k) for k in range(1, 7))
    pairs = [(sentence(), HEADS), ([0], sentence()), (sentence(), DependencyTree([], []))]
    assert hb.tree_distances(pairs).tolist() == [6, 6, 6]


def test_wrong_sentences_of_conllu() -> None:
    wrong = sentence(FRENCH.replace("2\tobl", "9\tobl"))
    message = "token 5 has the head 9, but there are 6 tokens"
    for function in (hb.tree_distance, hb.tree_edit):
        with pytest.raises(ValueError, match=f"^a: {message}"):
            function(wrong, [0])
        with pytest.raises(ValueError, match=f"^b: {message}"):
            function([0], wrong)
    with pytest.raises(ValueError, match=rf"^pairs\[1\]: b: {message}"):
        hb.tree_distances([([0], [0]), ([0], wrong)])


@pytest.mark.filterwarnings("default")  # what other packages warn of is not our affair
def test_documents_of_spacy() -> None:
    tokens = pytest.importorskip("spacy.tokens", reason="needs spaCy")
    vocab = pytest.importorskip("spacy", reason="needs spaCy").blank("xx").vocab
    words = ["Je", "mange", " ", "de", "le", "pain", "."]
    deps = ["nsubj", "root", "space", "case", "det", "obl", "punct"]
    doc = tokens.Doc(vocab, words=words, heads=[1, 1, 1, 5, 5, 1, 1], deps=deps)
    assert hb.tree_distance(doc, sentence()) == hb.tree_distance(sentence(), doc) == 6
    assert hb.tree_edit(doc, doc).words_b == ("Je", "mange", "de", "le", "pain", ".")
    assert hb.tree_distance(doc[3:6], [3, 3, 0]) == 3
    assert hb.tree_distances([(doc, doc), (doc[3:6], doc[0:0])]).tolist() == [6, 3]
    costs = {"delete": {"punct": 0, "det": 5}}
    assert hb.tree_distance(doc, [], costs) == 4 + 5 + 0


def test_labels_in_functions() -> None:
    seen: list[tuple[str, int, Any, Any]] = []

    def delete(node: Any) -> int:
        seen.append((node.side, node.position, node.word, node.label))
        return 0 if node.label == "punct" else 1

    assert hb.tree_distance(sentence(), [0], {"delete": delete}) == 5 + 1 - 1
    assert seen[:2] == [("a", 1, "Je", "nsubj"), ("a", 2, "mange", "root")]
    assert seen[6:] == [("b", 1, None, None)]

    def match(x: Any, y: Any) -> float:
        return 0 if x.label == y.label else math.inf

    other = DependencyTree(["Il", "dort", "!"], [2, 0, 2], ["nsubj", "root", "punct"])
    edit = hb.tree_edit(sentence(), other, {"match": match})
    assert edit.matched == ((1, 1), (2, 2), (6, 3))
    assert edit.distance == 3


def test_tables_by_hand() -> None:
    a, b = sentence(), [2, 0, 2, 2]
    assert hb.tree_distance(a, b) == 6
    # Without the full stop and pain, de and le are matched: one deletion that costs, four matches.
    assert hb.tree_distance(a, b, {"delete": {"punct": 0}}) == 5
    assert hb.tree_distance(a, [2, 0, 2], {"delete": {"punct": 0}}) == 5
    assert hb.tree_distance(a, [], {"delete": {"punct": 0, "det": 0.5}}) == 4.5
    assert hb.tree_distance(a, b, {"delete": {"vocative": 0}}) == 6
    # The first label is that of a, the second that of b; b has none.
    assert hb.tree_distance(a, b, {"match": {("root", None): 0}}) == 5
    assert hb.tree_distance(b, a, {"match": {("root", None): 0}}) == 6
    assert hb.tree_distance(b, a, {"match": {(None, "root"): 0}}) == 5
    assert hb.tree_distance(a, a, {"match": {(label, label): 0 for label in LABELS}}) == 0
    assert hb.tree_distance(a, a, {"match": {("root", "root"): math.inf}}) > 6
    assert hb.tree_distance(a, b, {"delete": {}, "match": {}}) == 6
    assert hb.tree_distance([0], [0], {"delete": {None: 0}}) == 0
    assert isinstance(hb.tree_distance(a, b, {"delete": {"det": 2}}), int)


@pytest.mark.parametrize("unit", [1, Fraction(1, 3), 0.25], ids=str)
def test_tables_beside_the_twin(unit: Any) -> None:
    rng = random.Random(17)
    names = ["a", "b", "c"]
    for _ in range(60):
        trees = []
        for _ in "ab":
            count = rng.randint(0, 9)
            heads = [rng.randint(0, k) for k in range(count)]
            words = [f"w{k}" for k in range(count)]
            trees.append(DependencyTree(words, heads, rng.choices([*names, "rare"], k=count)))
        a, b = trees
        labels = {"a": a.labels or (), "b": b.labels or ()}
        deletes = {name: rng.randint(0, 4) * unit for name in names}
        matches = {
            (x, y): rng.choice([0, unit, 3 * unit, math.inf])
            for x in names
            for y in names
            if rng.random() < 0.7
        }

        def delete(side: str, token: int, labels: Any = labels, deletes: Any = deletes) -> Any:
            return deletes.get(labels[side][token - 1], 1)

        def match(x: int, y: int, labels: Any = labels, matches: Any = matches) -> Any:
            return matches.get((labels["a"][x - 1], labels["b"][y - 1]), 1)

        costs = {"delete": deletes, "match": matches}
        twin = reference.Recursion(a.heads, b.heads, delete, match)
        expected = float(twin.distance(twin.a, twin.b))
        edit = hb.tree_edit(a, b, costs)
        assert hb.tree_distance(a, b, costs) == edit.distance == expected
        assert hb.tree_distances([(a, b)], costs=SimpleNamespace(**costs)).tolist() == [expected]
        assert (list(edit.matched), list(edit.deleted_a), list(edit.deleted_b)) == twin.mapping()


@pytest.mark.parametrize(
    ("costs", "error", "message"),
    [
        (
            {"delete": {"punct": -1}},
            ValueError,
            "the cost of delete of 'punct' must be finite and not negative, got -1",
        ),
        (
            {"delete": {"punct": math.inf}},
            ValueError,
            "the cost of delete of 'punct' must be finite and not negative, got inf",
        ),
        (
            {"delete": {"punct": "0"}},
            TypeError,
            "the cost of delete of 'punct' must be a number, got",
        ),
        (
            {"delete": {"punct": None}},
            TypeError,
            "the cost of delete of 'punct' must be a number, got",
        ),
        (
            {"match": {("a", "b"): -1}},
            ValueError,
            r"the cost of match of \('a', 'b'\) must be finite and not negative, got -1",
        ),
        (
            {"match": {("a", "b"): math.nan}},
            ValueError,
            r"the cost of match of \('a', 'b'\) must be finite",
        ),
        ({"match": {"ab": 0}}, ValueError, r"a match needs two labels, such as .*, got 'ab'"),
        ({"match": {("a",): 0}}, ValueError, r"a match needs two labels, such as .*, got \('a',\)"),
        ({"match": {("a", "b", "c"): 0}}, ValueError, "a match needs two labels"),
        (
            {"delete": {"a": 1}, "match": -1},
            ValueError,
            "the cost of match must be finite and not negative, got -1",
        ),
        (
            {"delete": -1, "match": {("a", "b"): 0}},
            ValueError,
            "the cost of delete must be finite and not negative, got -1",
        ),
        ({"punct": 0}, ValueError, "costs may have delete and match, got punct"),
    ],
)
def test_bad_tables(costs: Any, error: type[Exception], message: str) -> None:
    """Also of labels that no tree has: an error should not have to wait for one."""
    for function in (hb.tree_distance, hb.tree_edit):
        with pytest.raises(error, match=f"^{message}"):
            function([0], [0, 1], costs)
    with pytest.raises(error, match=f"^{message}"):
        hb.tree_distances([], costs=costs)


def test_invalid_trees_are_refused_before_cost_functions_are_called() -> None:
    asked: list[object] = []

    def match(x: object, y: object) -> int:
        asked.append(x)
        return 1

    costs = {"match": match}
    with pytest.raises(ValueError, match="a: token 1 is its own head"):
        hb.tree_distance([1, 0], [0], costs)
    with pytest.raises(ValueError, match=r"pairs\[1\]: b: tokens 1, 2 form a cycle"):
        hb.tree_distances([([0], [0]), ([0], [2, 1])], costs=costs)
    with pytest.raises(ValueError, match="the product of the sizes of two trees must be at most"):
        hb.tree_edit([0] * 10_000, [0] * 10_000, costs)
    assert asked == []


def test_distances_too_large_for_floats() -> None:
    with pytest.raises(ValueError, match="too large for a float"):
        hb.tree_distances([([0, 1], [0])], costs={"delete": 10**400})
