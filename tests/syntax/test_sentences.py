"""Trees from what other libraries have: sentences of conllu, documents of spaCy."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import conllu
import pytest

from hyperbaton.errors import TreeError
from hyperbaton.syntax.conllu import read_trees
from hyperbaton.syntax.trees import DependencyTree
from pairs import data_folder
from parsing import FRENCH, TREE


def test_sentences_of_conllu() -> None:
    (sentence,) = conllu.parse(FRENCH)
    tree = DependencyTree.of(sentence)
    assert tree == TREE
    assert tree.surface == ("Je", "mange", "du", "pain", ".")
    assert DependencyTree.of([dict(token) for token in sentence]) == TREE
    assert DependencyTree.of(conllu.TokenList([])) == DependencyTree([], [])


def test_an_empty_node_may_come_first() -> None:
    (sentence,) = conllu.parse(FRENCH.replace("1\tJe", "0.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n1\tJe"))
    assert DependencyTree.of(sentence) == TREE


def test_missing_labels() -> None:
    tokens = [{"id": 1, "form": "a", "head": 0}, {"id": 2, "form": "b", "head": 1, "deprel": None}]
    assert DependencyTree.of(tokens).labels == ("_", "_")


def test_a_tree_is_returned_unchanged() -> None:
    assert DependencyTree.of(TREE) is TREE


@pytest.mark.parametrize(
    ("old", "new", "token", "message"),
    [
        ("2\tobl", "9\tobl", 5, "token 5 has the head 9, but there are 6 tokens"),
        ("2\tobl", "5\tobl", 5, "token 5 is its own head"),
        ("2\tobl", "4\tobl", 4, "tokens 4, 5 form a cycle"),
        ("2\tobl", "_\tobl", 5, "token 5 has no head"),
        ("6\t.", "7\t.", 6, "expected token 6, got token 7"),
        ("1\tJe", "2\tJe", 1, "expected token 1, got token 2"),
    ],
)
def test_wrong_sentences(old: str, new: str, token: int, message: str) -> None:
    assert FRENCH.count(old) == 1
    (sentence,) = conllu.parse(FRENCH.replace(old, new))
    with pytest.raises(TreeError) as caught:
        DependencyTree.of(sentence)
    assert (str(caught.value), caught.value.token) == (message, token)


@pytest.mark.parametrize("thing", [3, None, "a tree", b"a tree", [0, 1], [TREE], {"heads": [0]}])
def test_objects_that_are_not_sentences(thing: object) -> None:
    kind = type(thing).__name__
    with pytest.raises(TypeError, match=f"a sentence of conllu or a Doc of spaCy, got {kind}$"):
        DependencyTree.of(thing)


def test_a_treebank() -> None:
    """Each sentence of UD English EWT, as our reader and as the library reads it."""
    path = data_folder() / "ud" / "en_ewt-ud-test.conllu"
    sentences = conllu.parse(path.read_text("utf-8"))
    assert [DependencyTree.of(sentence) for sentence in sentences] == list(read_trees(path))


# spaCy: importing it warns of what is not our affair ----------------------------------------------

spacy_warns = pytest.mark.filterwarnings("default")
SPACES = (" ", "  ", "\n", "\t", "\u3000")


@cache
def vocabulary() -> Any:
    """One that knows what white space is."""
    return pytest.importorskip("spacy", reason="needs spaCy").blank("xx").vocab


def document(words: list[str], heads: list[int], labels: list[str] | None = None) -> Any:
    """Heads are positions from 0; a root is its own."""
    tokens = pytest.importorskip("spacy.tokens", reason="needs spaCy")
    return tokens.Doc(vocabulary(), words=words, heads=heads, deps=labels or ["dep"] * len(words))


@spacy_warns
def test_documents_of_spacy() -> None:
    doc = document(
        ["She", "left", " ", "early", ".", "Why", "?"],
        [1, 1, 1, 1, 1, 5, 5],
        ["nsubj", "ROOT", "dep", "advmod", "punct", "ROOT", "punct"],
    )
    tree = DependencyTree.of(doc)
    assert tree == DependencyTree(
        ["She", "left", "early", ".", "Why", "?"],
        [2, 0, 2, 2, 0, 5],
        ["nsubj", "ROOT", "advmod", "punct", "ROOT", "punct"],
    )
    assert DependencyTree.join(map(DependencyTree.of, doc.sents)) == tree
    assert DependencyTree.of(document([], [])) == DependencyTree([], [])
    assert DependencyTree.of(document([" "], [0])) == DependencyTree([], [])


@spacy_warns
def test_parts_of_documents() -> None:
    """Words whose head is outside are roots."""
    doc = document(["a", "b", "c", "d", "e"], [1, 1, 1, 2, 3])
    assert DependencyTree.of(doc[2:]).heads == (0, 1, 2)
    assert DependencyTree.of(doc[3:5]).words == ("d", "e")
    assert DependencyTree.of(doc[0:1]).heads == (0,)
    assert DependencyTree.of(doc[2:2]) == DependencyTree([], [])
    assert DependencyTree.of([doc[0], doc[1], doc[3]]).heads == (2, 0, 0)


@spacy_warns
def test_white_space_is_not_a_word() -> None:
    """What depends on it depends on the first word above it; if there is none, it is a root."""
    # 0 → 1 (space) → 2 ; 3 (space) is a root, with 4 below
    doc = document(["a", " ", "b", "\n", "c"], [1, 2, 2, 3, 3])
    assert DependencyTree.of(doc).heads == (2, 0, 0)
    rng = random.Random(12)
    for _ in range(200):
        count = rng.randint(1, 12)
        order = rng.sample(range(count), count)
        heads = list(range(count))
        for k, token in enumerate(order):
            if k and rng.random() < 0.9:
                heads[token] = order[rng.randrange(k)]
        words = [rng.choice(SPACES) if rng.random() < 0.4 else f"w{k}" for k in range(count)]
        doc = document(words, heads)
        first, last = sorted(rng.choices(range(count + 1), k=2))
        for part in (range(count), range(first, last)):
            kept = [k for k in part if not words[k].isspace()]
            expected = []
            for k in kept:
                path = [k]
                while heads[path[-1]] != path[-1]:
                    path.append(heads[path[-1]])
                above = next((j for j in path[1:] if not words[j].isspace()), None)
                expected.append(kept.index(above) + 1 if above in kept else 0)
            tree = DependencyTree.of(doc[part.start : part.stop])
            assert tree.words == tuple(words[k] for k in kept)
            assert tree.heads == tuple(expected), (words, heads, part)
