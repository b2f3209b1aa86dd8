"""What deleting and matching the nodes of trees costs.

The core looks for the matches that save the most: a match saves both deletions and costs itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.edit.costs import LARGEST, exact_cost
from hyperbaton.errors import InputError, InputTypeError

Costs = Any  # None, or a mapping or an object with delete and match
Int64s = npt.NDArray[np.int64]
NAMES = ("delete", "match")


class TreeNode(NamedTuple):
    """What a function of costs is asked about.

    ``label`` is the relation to the head. The word or the label is None if the tree has none.
    """

    side: Literal["a", "b"]
    position: int
    head: int
    word: Any
    label: Any


def nodes(
    side: Literal["a", "b"],
    heads: Sequence[int],
    words: Sequence[Any] | None,
    labels: Sequence[Any] | None,
) -> list[TreeNode]:
    """The tokens of a tree, positions from 1."""
    none = [None] * len(heads)
    rows = zip(heads, words or none, labels or none, strict=True)
    return [TreeNode(side, k, int(row[0]), *row[1:]) for k, row in enumerate(rows, start=1)]


class Uniform(NamedTuple):
    """Costs that are the same for all nodes."""

    delete: Fraction
    match: Fraction
    integral: bool

    @property
    def saving(self) -> Fraction:
        """What one match saves."""
        return 2 * self.delete - self.match

    def savings(self, cells: int) -> Int64s | None:
        """As the core takes them: None where a match is worth while, and all that counts."""
        if self.saving > 0:
            return None
        return np.full(cells, 0 if self.saving == 0 else -1, np.int64)

    def distance(self, size: int, matches: int) -> int | float:
        """Of trees with so many nodes together, of which so many can be matched."""
        return _number(size * self.delete - matches * max(self.saving, Fraction(0)), self.integral)


UNIT = Uniform(Fraction(1), Fraction(1), True)


class Bill(NamedTuple):
    """What deleting all nodes costs, and what each match saves, in whole multiples of 1/scale."""

    deleting: int
    savings: Int64s
    scale: int
    integral: bool

    def distance(self, saved: int) -> int | float:
        """With so much saved."""
        return _number(Fraction(self.deleting - saved, self.scale), self.integral)


class Functions(NamedTuple):
    """Costs of which at least one depends on the nodes."""

    delete: Callable[[TreeNode], Any]
    match: Callable[[TreeNode, TreeNode], Any]

    def bill(self, a: list[TreeNode], b: list[TreeNode], where: str) -> Bill:
        """The costs of one pair of trees; ``where`` begins what is said about them."""
        try:
            deletes = [_exact("delete", self.delete(node)) for node in a + b]
            matches = [_exact("match", self.match(x, y)) for x in a for y in b]
        except _BadCostError as error:
            raise type(error.reason)(f"{where}{error.reason}") from None
        costs = [(cost, integral) for cost, integral in deletes + matches if cost is not None]
        scale = math.lcm(*(cost.denominator for cost, _ in costs))
        whole = [int(cost * scale) for cost, _ in deletes if cost is not None]
        if 2 * max(whole, default=0) * (len(whole) + 1) >= LARGEST:
            raise InputError(
                f"{where}the costs have too many digits to be added up exactly: they are too far "
                "apart, or too fine (a third is Fraction(1, 3), not 0.3333333333333333)"
            )
        both = (x + y for x in whole[: len(a)] for y in whole[len(a) :])
        # A match that costs more than two deletions is never made, however much more.
        savings = [
            -1 if cost is None else max(-1, less - int(cost * scale))
            for less, (cost, _) in zip(both, matches, strict=True)
        ]
        integral = all(integral for _, integral in costs)
        return Bill(sum(whole), np.array(savings, np.int64), scale, integral)


def costing(costs: Costs) -> Uniform | Functions:
    """What ``costs=`` says.

    >>> costing({"match": 0.5}).distance(10, 4)
    4.0
    """
    if costs is None:
        return UNIT
    if isinstance(costs, Mapping):
        unknown = [str(name) for name in costs if name not in NAMES]
        if unknown:
            raise InputError(f"costs are of delete and match, not of {unknown[0]}")
        given = [costs.get(name, 1) for name in NAMES]
    else:
        if not any(hasattr(costs, name) for name in NAMES):
            kind = type(costs).__name__
            raise InputTypeError(
                f"costs has delete and match, as items or attributes; {kind} has neither"
            )
        given = [getattr(costs, name, 1) for name in NAMES]
    delete, match = (
        _by_label(name, cost) if isinstance(cost, Mapping) else cost
        for name, cost in zip(NAMES, given, strict=True)
    )
    given = [delete, match]
    if not callable(delete) and not callable(match) and not _is_infinite(match):
        exact = exact_cost("delete", delete), exact_cost("match", match)
        return Uniform(*exact, all(map(_is_integral, given)))
    for name, cost in zip(NAMES, given, strict=True):
        if not callable(cost) and not (name == "match" and _is_infinite(cost)):
            exact_cost(name, cost)  # an error should not have to wait for a pair of trees
    return Functions(
        delete if callable(delete) else lambda node: delete,
        match if callable(match) else lambda x, y: match,
    )


def _by_label(name: str, table: Mapping[Any, Any]) -> Callable[..., Any]:
    """Costs by label, or by the labels of both nodes of a match; what is not there costs 1."""
    for key, cost in table.items():
        if name == "match" and not (isinstance(key, tuple) and len(key) == 2):
            raise InputError(f"a match has two labels, such as ('obj', 'iobj'), not {key!r}")
        if not (name == "match" and _is_infinite(cost)):
            exact_cost(f"{name} of {key!r}", cost)
    if name == "match":
        return lambda x, y: table.get((x.label, y.label), 1)
    return lambda node: table.get(node.label, 1)


class _BadCostError(Exception):
    """A cost is none, for a reason."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(reason)
        self.reason = reason


def _exact(name: str, cost: Any) -> tuple[int | Fraction | None, bool]:
    """The cost, None if it is infinite, which a match may be; and whether it is an integer."""
    if type(cost) is int and cost >= 0:  # the usual case, without the questions
        return cost, True
    if name == "match" and _is_infinite(cost):
        return None, True
    if isinstance(cost, (bool, np.bool_)):  # lambda x, y: x.word != y.word
        return int(cost), True
    try:
        return exact_cost(name, cost), _is_integral(cost)
    except (TypeError, ValueError) as error:
        raise _BadCostError(error) from None


def _is_infinite(cost: object) -> bool:
    return isinstance(cost, float) and cost == math.inf


def _is_integral(cost: object) -> bool:
    return isinstance(cost, Rational) and cost.denominator == 1


def _number(exact: Fraction, integral: bool) -> int | float:
    """A distance as the caller counts: an int where all costs are."""
    if integral:
        return int(exact)
    return _float(exact)


def as_floats(distances: Iterable[int | float]) -> npt.NDArray[np.float64]:
    """Many of them, as floats."""
    return np.array([_float(distance) for distance in distances], np.float64)


def _float(exact: Fraction | float) -> float:
    try:
        return float(exact)
    except OverflowError:
        raise InputError("with these costs the distance is too large for a float") from None
