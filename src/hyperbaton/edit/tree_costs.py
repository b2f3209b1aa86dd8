"""Costs of deleting and matching the nodes of trees.

The core looks for the matches that save the most: a match saves two deletions and costs itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.edit.costs import MAX_SUM, is_integral, overflow_error, to_fraction, to_number
from hyperbaton.errors import InputError, InputTypeError

Costs = Any  # None, or a mapping or an object with delete and match
Ints = npt.NDArray[np.int64]
OPERATIONS = ("delete", "match")


class TreeNode(NamedTuple):
    """A node as cost functions see it.

    Attributes
    ----------
    side
        The tree: a or b.
    position
        Position in the sentence, from 1.
    head
        Position of the head, or 0 for a root.
    word
        The word, or None if the tree has no words.
    label
        The relation to the head, or None if the tree has no labels.
    """

    side: Literal["a", "b"]
    position: int
    head: int
    word: Any
    label: Any


def tree_nodes(
    side: Literal["a", "b"],
    heads: Sequence[int],
    words: Sequence[Any] | None,
    labels: Sequence[Any] | None,
) -> list[TreeNode]:
    """Return the nodes of a tree in the order of the sentence."""
    missing = [None] * len(heads)
    columns = zip(heads, words or missing, labels or missing, strict=True)
    return [
        TreeNode(side, position, int(head), word, label)
        for position, (head, word, label) in enumerate(columns, start=1)
    ]


class UniformCosts(NamedTuple):
    """Costs that are the same for all nodes."""

    delete: Fraction
    match: Fraction
    integral: bool

    @property
    def saving(self) -> Fraction:
        """How much one match saves."""
        return 2 * self.delete - self.match

    def savings(self, cells: int) -> Ints | None:
        """Return the savings for the core; None if matches save something, so that all count."""
        if self.saving > 0:
            return None
        return np.full(cells, 0 if self.saving == 0 else -1, np.int64)

    def distance(self, size: int, matches: int) -> int | float:
        """Return the distance of trees with ``size`` nodes together and ``matches`` matches."""
        total = size * self.delete - matches * max(self.saving, Fraction(0))
        return to_number(total, self.integral)


UNIT_COSTS = UniformCosts(Fraction(1), Fraction(1), True)


class PairCosts(NamedTuple):
    """Costs of one pair of trees, in multiples of 1/scale.

    ``deletion`` is the cost of deleting all nodes. ``savings`` has how much each match saves, row
    by row.
    """

    deletion: int
    savings: Ints
    scale: int
    integral: bool

    def distance(self, saved: int) -> int | float:
        """Return the distance if matches save ``saved`` units."""
        return to_number(Fraction(self.deletion - saved, self.scale), self.integral)


class CostFunctions(NamedTuple):
    """Costs that depend on the nodes."""

    delete: Callable[[TreeNode], Any]
    match: Callable[[TreeNode, TreeNode], Any]

    def evaluate(self, a: list[TreeNode], b: list[TreeNode], where: str) -> PairCosts:
        """Return the costs of one pair of trees; error messages begin with ``where``."""
        deletes = [_read_cost("delete", self.delete(node), where) for node in a + b]
        matches = [_read_cost("match", self.match(x, y), where) for x in a for y in b]
        costs = [(cost, integral) for cost, integral in deletes + matches if cost is not None]
        scale = math.lcm(*(cost.denominator for cost, _ in costs))
        scaled = [int(cost * scale) for cost, _ in deletes if cost is not None]
        if 2 * max(scaled, default=0) * (len(scaled) + 1) >= MAX_SUM:
            raise overflow_error(where=where)
        deletions = (x + y for x in scaled[: len(a)] for y in scaled[len(a) :])
        # A match that costs more than two deletions is never made, however much more it costs.
        savings = [
            -1 if cost is None else max(-1, two_deletions - int(cost * scale))
            for two_deletions, (cost, _) in zip(deletions, matches, strict=True)
        ]
        integral = all(integral for _, integral in costs)
        return PairCosts(sum(scaled), np.array(savings, np.int64), scale, integral)


def parse_costs(costs: Costs) -> UniformCosts | CostFunctions:
    """Return the costs that a user passed as ``costs=``.

    >>> parse_costs({"match": 0.5}).distance(10, 4)
    4.0
    """
    if costs is None:
        return UNIT_COSTS
    if isinstance(costs, Mapping):
        unknown = [str(name) for name in costs if name not in OPERATIONS]
        if unknown:
            raise InputError(f"costs may have delete and match, got {unknown[0]}")
        values = [costs.get(name, 1) for name in OPERATIONS]
    else:
        if not any(hasattr(costs, name) for name in OPERATIONS):
            raise InputTypeError(
                "costs must have delete or match as items or attributes, "
                f"but {type(costs).__name__} has neither"
            )
        values = [getattr(costs, name, 1) for name in OPERATIONS]
    delete, match = (
        _costs_by_label(name, value) if isinstance(value, Mapping) else value
        for name, value in zip(OPERATIONS, values, strict=True)
    )
    if not callable(delete) and not callable(match) and not _is_infinite(match):
        fractions = to_fraction("delete", delete), to_fraction("match", match)
        return UniformCosts(*fractions, is_integral(delete) and is_integral(match))
    for name, value in zip(OPERATIONS, (delete, match), strict=True):
        if not callable(value) and not (name == "match" and _is_infinite(value)):
            to_fraction(name, value)  # report an error now, not when the first pair is compared
    return CostFunctions(
        delete if callable(delete) else lambda node: delete,
        match if callable(match) else lambda x, y: match,
    )


def _costs_by_label(name: str, table: Mapping[Any, Any]) -> Callable[..., Any]:
    """Return a cost function that looks up labels, by default 1; a match has two labels."""
    for key, cost in table.items():
        if name == "match" and not (isinstance(key, tuple) and len(key) == 2):
            raise InputError(f"a match needs two labels, such as ('obj', 'iobj'), got {key!r}")
        if not (name == "match" and _is_infinite(cost)):
            to_fraction(f"{name} of {key!r}", cost)
    if name == "match":
        return lambda x, y: table.get((x.label, y.label), 1)
    return lambda node: table.get(node.label, 1)


def _read_cost(name: str, cost: Any, where: str) -> tuple[int | Fraction | None, bool]:
    """Return a cost, None if it is infinite, and whether it is an integer.

    Only the cost of a match may be infinite.
    """
    if type(cost) is int and cost >= 0:  # the usual case, without further checks
        return cost, True
    if name == "match" and _is_infinite(cost):
        return None, True
    if isinstance(cost, (bool, np.bool_)):  # for example lambda x, y: x.word != y.word
        return int(cost), True
    try:
        return to_fraction(name, cost), is_integral(cost)
    except (InputError, InputTypeError) as error:
        raise type(error)(f"{where}{error}") from None


def _is_infinite(cost: object) -> bool:
    return isinstance(cost, float) and cost == math.inf


def as_float_array(distances: Iterable[int | float]) -> npt.NDArray[np.float64]:
    """Return distances as an array of floats."""
    return np.array([to_number(distance, integral=False) for distance in distances], np.float64)
