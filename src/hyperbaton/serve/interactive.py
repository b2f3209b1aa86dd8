"""The answers that the page asks for while its reader types: explanations and permutations.

Both functions are pure: a request of JSON types in, an answer of JSON types out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hyperbaton.errors import InputError, TooLongError
from hyperbaton.explanations.explaining import LONG, choose_aligner, explain
from hyperbaton.metrics.registry import SETS, find_class
from hyperbaton.order.catalogue import (
    BETA,
    GAMMA,
    MEASURES,
    evaluate_measures,
    parse_permutation,
    permutation_document,
)
from hyperbaton.order.nodes import Node
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.trees import PermutationTree
from hyperbaton.serve.requests import check_metric_specs
from hyperbaton.text.display import clip_word, is_right_to_left, visible
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.drawings.trees import forest_svg, tree_svg
from hyperbaton.views.glossary import TERMS, Term
from hyperbaton.views.page import explanation_parts

# Limits of a request, so that every answer takes seconds at most.
EXPLAIN_WORDS = 400  # of each side
EXPLAIN_CHARACTERS = 8_000  # of each side
ALIGNMENT_CHARACTERS = 20_000
PERMUTATION_VALUES = 60
PERMUTATION_CHARACTERS = 8_000  # of the values, and of all words together

MEASURE_OPTIONS = {"beta": BETA.default, "gamma": GAMMA.default}
NUMBER = re.compile("[0-9]{1,400}")
EXAMPLE_WORDS = 4  # of a part in the example of an operator; longer ones are shortened

EXPLAIN_KEYS = (
    "hypothesis",
    "reference",
    "language",
    "alignment",
    "metrics",
    "tokenize",
    "slow",
    "display",
)
PERMUTATION_KEYS = ("permutation", "words", "tree", "display")


def explain_request(request: Mapping[str, Any]) -> dict[str, Any]:
    """Explain one translation.

    Parameters
    ----------
    request : mapping
        ``hypothesis`` and ``reference``; optionally ``language``, ``alignment`` in Pharaoh format,
        ``metrics``, ``tokenize``, ``slow`` and ``display``. Without ``slow``, the default metrics
        that are slow are left out. With ``display``, the answer has the parts of the page.

    Returns
    -------
    dict
        :meth:`hyperbaton.explanations.explanation.Explanation.to_dict`, and ``display``.

    Raises
    ------
    TooLongError
        If a text is longer than the limits.
    InputError
        If the request is invalid.
    """
    _check_keys(request, EXPLAIN_KEYS)
    hypothesis, reference = (_text(request, key) for key in ("hypothesis", "reference"))
    language, alignment, tokenize = (
        _optional_text(request, key) for key in ("language", "alignment", "tokenize")
    )
    metrics = _texts(request, "metrics")
    slow, display = _flag(request, "slow", True), _flag(request, "display", False)
    if metrics is not None:
        check_metric_specs(metrics, language)
    if alignment is not None:
        _check_length(alignment, "the alignment", ALIGNMENT_CHARACTERS)
    words = [
        _count_words(text, name, language, tokenize)
        for text, name in ((hypothesis, "the translation"), (reference, "the reference"))
    ]
    pending: list[str] = []
    if metrics is None and not slow and max(words) <= LONG:
        pending = [name for name in SETS["all"] if find_class(name).VARIANTS[name].slow]
        metrics = [name for name in SETS["all"] if name not in pending]
    explanation = explain(
        hypothesis, reference, metrics, language, alignment=alignment, tokenize=tokenize
    )
    answer = explanation.to_dict()
    if display:
        parts = explanation_parts(explanation, pending=pending)
        answer["display"] = [part._asdict() for part in parts]
        answer["pending"] = pending
    return answer


def permutation_request(request: Mapping[str, Any]) -> dict[str, Any]:
    """Show one permutation.

    Parameters
    ----------
    request : mapping
        ``permutation``, a text or a list of integers; optionally ``words``, in the order of the
        reference, so that the k-th one belongs to the value k; ``tree``, the number of a tree of
        the forest; and ``display``.

    Returns
    -------
    dict
        :func:`hyperbaton.order.catalogue.permutation_document`, and ``display``.

    Raises
    ------
    TooLongError
        If there are more values than the limit.
    InputError
        If the request is invalid.
    """
    _check_keys(request, PERMUTATION_KEYS)
    pi = _permutation(request)
    sentence = _texts(request, "words")
    number = _tree_number(request)
    display = _flag(request, "display", False)
    if sentence is not None:
        _check_length("".join(sentence), "the sentence", PERMUTATION_CHARACTERS)
    forest = pi.forest()
    tree = forest.tree(number)
    scores = evaluate_measures(pi, MEASURE_OPTIONS)
    answer = permutation_document(pi, scores, MEASURE_OPTIONS)
    if display:
        words = _place_words(pi, sentence)
        answer["display"] = {
            "tree": {
                "number": str(number),
                "count": str(forest.count()),
                "brackets": str(tree),
                "drawing": tree_svg(tree, words, style=False),
            },
            "forest": forest_svg(forest, words, style=False),
            "right_to_left": is_right_to_left("".join(words or ())),
            "measures": [
                {
                    "name": name,
                    "value": value,
                    "about": MEASURES[name].description,
                    "measures_order": MEASURES[name].measures_order,
                }
                for name, value in scores.items()
            ],
            "operators": _operators(tree, words),
        }
    return answer


# Requests


def _check_keys(request: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in request:
        if key not in known:
            raise InputError(f"unknown key {key!r}; the keys are {', '.join(known)}")


def _text(request: Mapping[str, Any], key: str) -> str:
    text = _optional_text(request, key)
    if text is None:
        raise InputError(f"{key} is missing")
    return text


def _optional_text(request: Mapping[str, Any], key: str) -> str | None:
    text = request.get(key)
    if text is not None and not isinstance(text, str):
        raise InputError(f"{key} must be a string, got {_json_type(text)}")
    return text


def _texts(request: Mapping[str, Any], key: str) -> list[str] | None:
    texts = request.get(key)
    if texts is None:
        return None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"{key} must be a list of strings")
    return texts


def _flag(request: Mapping[str, Any], key: str, default: bool) -> bool:
    value = request.get(key, default)
    if not isinstance(value, bool):
        raise InputError(f"{key} must be true or false, got {_json_type(value)}")
    return value


def _json_type(value: object) -> str:
    """Return the type of a value in the words of JSON."""
    if value is None:
        return "null"
    names = {bool: "true or false", int: "a number", float: "a number", str: "a string"}
    return names.get(type(value), "a list" if isinstance(value, list) else "an object")


def _check_length(text: str, name: str, most: int) -> None:
    if len(text) > most:
        raise TooLongError(0, f"{name} has {len(text):,} characters; the limit is {most:,}")


def _count_words(text: str, name: str, language: str | None, tokenize: str | None) -> int:
    """Return the number of words of a text, which is at most that of the limit."""
    _check_length(text, name, EXPLAIN_CHARACTERS)
    _, tokenization = choose_aligner((), language, tokenize, None)
    count = len(tokenization.split(text))
    if count > EXPLAIN_WORDS:
        raise TooLongError(0, f"{name} has {count:,} words; the limit is {EXPLAIN_WORDS:,}")
    return count


def _permutation(request: Mapping[str, Any]) -> Permutation:
    given = request.get("permutation")
    if isinstance(given, str):
        _check_length(given, "the permutation", PERMUTATION_CHARACTERS)
        pi = parse_permutation(given)
    elif isinstance(given, list):
        for k, value in enumerate(given, 1):
            if not isinstance(value, int) or isinstance(value, bool):
                raise InputError(f"value {k} of the permutation must be an integer")
        if not given:
            raise InputError("there are no values")
        pi = Permutation(given)
    else:
        raise InputError("permutation must be a string or a list of integers")
    if len(pi) > PERMUTATION_VALUES:
        raise TooLongError(
            0, f"the permutation has {len(pi):,} values; the limit is {PERMUTATION_VALUES}"
        )
    return pi


def _tree_number(request: Mapping[str, Any]) -> int:
    number = request.get("tree", 0)
    if isinstance(number, str) and NUMBER.fullmatch(number):
        return int(number)
    if isinstance(number, int) and not isinstance(number, bool):
        return number
    raise InputError("tree must be an integer from 0, as a number or as a string of digits")


# Displays of permutations


def _place_words(pi: Permutation, sentence: Sequence[str] | None) -> list[str] | None:
    """Return the word of each value, in the order of the permutation; None if there are none.

    Values without a word are shown as numbers.
    """
    if not sentence:
        return None
    return [sentence[value - 1] if value <= len(sentence) else str(value) for value in pi]


def _operators(tree: PermutationTree, words: Sequence[str] | None) -> list[dict[str, Any]]:
    """Return the meaning of each operator that occurs, with an example from the tree.

    An example is the parts of the operator's first node, as they are and in the right order.
    """
    found: dict[tuple[int, ...], list[Node]] = {}
    for node in tree:
        if node.operator is not None:
            found.setdefault(tuple(node.operator), []).append(node)
    texts = list(map(str, tree.permutation)) if words is None else [visible(w) for w in words]
    operators = []
    for operator, nodes in found.items():
        term = operator_term(operator)
        parts = [_excerpt(texts[slice(*child.span)]) for child in nodes[0].children]
        in_order = [part for _, part in sorted(zip(operator, parts, strict=True))]
        operators.append(
            {
                "operator": f"⟨{','.join(map(str, operator))}⟩",
                "places": count_noun(len(nodes), "node"),
                "term": term.name,
                "meaning": term.text,
                "parts": parts,
                "in_order": in_order,
            }
        )
    return operators


def operator_term(operator: Sequence[int]) -> Term:
    """Return the entry of the glossary that explains an operator.

    >>> operator_term([2, 1]).name, operator_term([2, 4, 1, 5, 3]).name
    ('⟨2,1⟩', 'longer operator')
    """
    if len(operator) == 2:
        return TERMS["operator-12" if operator[0] == 1 else "operator-21"]
    return TERMS["operator-2413" if len(operator) == 4 else "longer-operator"]


def _excerpt(words: Sequence[str]) -> str:
    """Return the words of a part, or its ends.

    >>> _excerpt(["in", "the", "lobby"]), _excerpt("abcdefg")
    ('in the lobby', 'a b … g')
    """
    shown = list(map(clip_word, words))
    if len(shown) > EXAMPLE_WORDS:
        shown = [*shown[:2], "…", shown[-1]]
    return " ".join(shown)
