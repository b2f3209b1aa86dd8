"""What Hyperbaton knows of one permutation, as data: its measures, its tree and its forest."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from hyperbaton.errors import InputError
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.order.factored import measures
from hyperbaton.order.permutation import Permutation

SCHEMA = "hyperbaton/permutation/1"
MAX_JSON_DIGITS = 4300  # Python's json module refuses to read longer integers
SEPARATORS = re.compile(r"[\s,⟨⟩〈〉<>()\[\]]+")
INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")


def split_values(text: str) -> list[str]:
    """Return the values of a written permutation.

    >>> split_values("⟨2, 1⟩")
    ['2', '1']
    """
    return list(filter(None, SEPARATORS.split(text)))


def parse_permutation(text: str) -> Permutation:
    """Parse a permutation: values separated by spaces or commas, with or without brackets.

    Raises
    ------
    InputError
        If there are no values, or if they are not a permutation.
    """
    numbers: list[int] = []
    for word in split_values(text):
        if not INTEGER.fullmatch(word):
            excerpt = word if len(word) < 40 else word[:37] + "…"
            raise InputError(f"value {excerpt!r} at position {len(numbers) + 1} is not an integer")
        numbers.append(int(word))
    if not numbers:
        raise InputError("there are no values")
    return Permutation(numbers)


def evaluate_measures(pi: Permutation, options: Mapping[str, float]) -> dict[str, float | None]:
    """Evaluate every measure of the catalogue.

    Parameters
    ----------
    pi : Permutation
        The permutation.
    options : mapping of str to float
        Options of the measures; each measure takes those it has.

    Returns
    -------
    dict
        The values by name; None for a measure that is not defined for these options.

    Raises
    ------
    InputError
        If no measure accepts the value of an option.
    """
    check_options(options)
    scores: dict[str, float | None] = {}
    for name, column in measures(pi).items():
        measure = MEASURES[name]
        chosen = {key: options[key] for key in measure.options}
        if not all(measure.options[key].accepts(value) for key, value in chosen.items()):
            scores[name] = None
        else:
            scores[name] = measure.function(pi, **chosen) if chosen else float(column[0])
    return scores


def check_options(options: Mapping[str, float]) -> None:
    """Raise InputError for the value of an option that no measure accepts."""
    for key, value in options.items():
        variants = [row.options[key] for row in MEASURES.values() if key in row.options]
        if not any(variant.accepts(value) for variant in variants):
            low = min(variant.minimum for variant in variants)
            high = max(variant.maximum for variant in variants)
            raise InputError(f"{key} is {value}, but it must lie in [{low:g}, {high:g}]")


def permutation_document(
    pi: Permutation, scores: Mapping[str, float | None], options: Mapping[str, float]
) -> dict[str, Any]:
    """Return the permutation as a dictionary for JSON.

    The tree is given by its operators in pre-order; their spans show how they are nested.
    """
    tree = pi.tree()
    count = pi.forest().count()
    nodes = [node for node in tree if not node.is_leaf]
    return {
        "schema": SCHEMA,
        "permutation": list(pi),
        "options": dict(options),
        "measures": dict(scores),
        "size": tree.size,
        "max_arity": tree.max_arity,
        "trees": count if math.log10(count) < MAX_JSON_DIGITS else None,
        "trees_log10": math.log10(count),
        "brackets": str(tree),
        "flattened": str(tree.flatten()),
        "operators": [{"operator": list(node.operator or ()), "span": node.span} for node in nodes],
    }
