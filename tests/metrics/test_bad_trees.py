"""Errors about given trees that do not belong to their lines."""

from __future__ import annotations

from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton import DependencyTree
from metrics import corpora
from parsing import ToyParser

ONE, TWO = DependencyTree(["a"], [0]), DependencyTree(["b", "c"], [0, 1])
TEXTS: tuple[Any, Any] = (["a", "b c"], [["a"], ["b c", "a"]])
GOOD: list[Any] = [ONE, TWO]
GOOD_REFERENCES: list[Any] = [ONE, [TWO, ONE]]


def token(number: int, form: str, head: Any) -> dict[str, Any]:
    """Return a token of a sentence of conllu."""
    return {"id": number, "form": form, "head": head, "deprel": "dep"}


BAD: list[tuple[Any, Any, Any, str]] = [
    (GOOD, None, ValueError, "trees and reference_trees must be given together"),
    (None, GOOD_REFERENCES, ValueError, "trees and reference_trees must be given together"),
    ([ONE], GOOD_REFERENCES, ValueError, "2 segments, but .* has 1 trees"),
    (GOOD, [ONE], ValueError, "2 segments, but 1 reference_trees"),
    (GOOD, [ONE, TWO], ValueError, r"reference_trees\[1\] has 1, but there are 2 references"),
    (GOOD, [ONE, [TWO]], ValueError, r"reference_trees\[1\] has 1, but there are 2 references"),
    (GOOD, [[ONE, ONE], [TWO, ONE]], (ValueError, TypeError), r"reference_trees\[0\]"),
    (
        [TWO, ONE],
        GOOD_REFERENCES,
        ValueError,
        r"\[0\]: the tree has 'b c', but the text has 'a' \(token 1\)",
    ),
    (
        [ONE, ONE],
        GOOD_REFERENCES,
        ValueError,
        r"\[1\]: the tree has 'a', but the text has 'b c' \(token 1\)",
    ),
    (
        GOOD,
        [ONE, [ONE, TWO]],
        ValueError,
        r"reference_trees\[1\].*: the tree has 'a', but the text has 'b c'",
    ),
    (ONE, GOOD_REFERENCES, TypeError, "must be a list of trees, got DependencyTree"),
    (GOOD, ONE, TypeError, "reference_trees must be a list of trees, got DependencyTree"),
    ([ONE, 3], GOOD_REFERENCES, TypeError, r"\[1\]: a tree must be a DependencyTree, .*, got int"),
    ([ONE, None], GOOD_REFERENCES, TypeError, r"\[1\]: a tree must be .*, got NoneType"),
    ([ONE, "b c"], GOOD_REFERENCES, TypeError, r"\[1\]: a tree must be .*, got str"),
    ([ONE, [0, 1]], GOOD_REFERENCES, TypeError, r"\[1\]: a tree must be .*, got list"),
    (GOOD, [3, [TWO, ONE]], TypeError, r"reference_trees\[0\].*: a tree must be .*, got int"),
    (
        [ONE, [token(1, "b", 0), token(2, "c", 7)]],
        GOOD_REFERENCES,
        ValueError,
        r"\[1\]: token 2 has the head 7, but there are 2 tokens",
    ),
    (
        [ONE, [token(1, "b", 2), token(2, "c", 1)]],
        GOOD_REFERENCES,
        ValueError,
        r"\[1\]: tokens 1, 2 form a cycle",
    ),
    (
        [ONE, [token(1, "b", 0), token(2, "c", None)]],
        GOOD_REFERENCES,
        ValueError,
        r"\[1\]: token 2 has no head",
    ),
    (
        GOOD,
        [ONE, [TWO, [token(2, "a", 0)]]],
        ValueError,
        r"reference_trees\[1\].*: expected token 1, got token 2",
    ),
]


@pytest.mark.parametrize(("trees", "reference_trees", "error", "message"), BAD)
def test_trees_that_do_not_fit(trees: Any, reference_trees: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        hb.score(*TEXTS, "dted", trees=trees, reference_trees=reference_trees)
    assert "\n" not in str(caught.value)
    systems = {"good": TEXTS[0], "bad": TEXTS[0]}
    by_system = None if trees is None else {"good": GOOD, "bad": trees}
    with pytest.raises(error, match=message) as caught:
        hb.compare(systems, TEXTS[1], "dted", trees=by_system, reference_trees=reference_trees)
    if trees is not None and trees is not GOOD:
        assert str(caught.value).startswith("bad") or " bad " in str(caught.value)


def test_systems_without_trees() -> None:
    systems = {"one": TEXTS[0], "two": TEXTS[0]}
    cases: list[tuple[Any, type[Exception], str]] = [
        ({"one": GOOD}, ValueError, "trees has no entry for 'two': every system needs one"),
        (
            {"one": GOOD, "two": GOOD, "three": GOOD},
            ValueError,
            "trees has 'three', which is not one of the systems",
        ),
        ([GOOD, GOOD], TypeError, "trees must be a mapping from names to trees, got list"),
    ]
    for trees, error, message in cases:
        with pytest.raises(error, match=message):
            hb.compare(systems, TEXTS[1], "dted", trees=trees, reference_trees=GOOD_REFERENCES)


def test_trees_that_must_be_given() -> None:
    message = r"dted: parser=given needs trees: give them to score or compare"
    with pytest.raises(ValueError, match=message):
        hb.score(*TEXTS, "dted", parser="given")
    with pytest.raises(ValueError, match=message):
        hb.score(*TEXTS, "dted:parser=given")
    with pytest.raises(ValueError, match=message):
        hb.compare({"one": TEXTS[0], "two": TEXTS[0]}, TEXTS[1], "dted", parser="given")
    with pytest.raises(ValueError, match=message):
        hb.metrics.get("dted:parser=given").sentence_score("a", ["a"])
    result = hb.score(*TEXTS, "dted", parser="given", trees=GOOD, reference_trees=GOOD_REFERENCES)
    assert result["dted"].value == 0.5


def test_a_parser_must_be_a_string() -> None:
    for parser in (3, ToyParser()):
        with pytest.raises(
            ValueError, match="parser must be spacy:NAME, udpipe:FILE or given, got"
        ):
            hb.score(*TEXTS, "dted", parser=parser)  # type: ignore[arg-type]


def test_trees_too_large_together() -> None:
    """The error names the segment, whatever batch it is in."""
    count = 8200
    large = DependencyTree(["a"] * count, [0] * count)
    hypotheses, references = [ONE, ONE, large], [[ONE], [ONE, large], [ONE, large]]
    message = "^segment 2: trees of 8,200 and 8,200 words are too large together"
    for batch in (1, 2, 100):
        with pytest.raises(ValueError, match=message):
            corpora.score_in_batches(
                batch,
                [" ".join(tree.words) for tree in hypotheses],
                [[" ".join(tree.words) for tree in several] for several in references],
                "dted",
                trees=hypotheses,
                reference_trees=references,
            )
