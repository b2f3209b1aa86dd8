"""Costs of edit operations: any non-negative numbers, added up exactly.

The core adds integers, so costs are scaled to integers without rounding. A float stands for the
decimal number that it is printed as: 0.1 is 1/10.

The costs of tree edits are those of deleting and matching nodes. The core looks for the matches
that save the most: a match saves two deletions and costs itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError, InputTypeError

Number = int | float | Fraction | Decimal

MAX_SUM = 2**62  # sums of scaled costs stay below this

Costs = Any  # None, or a mapping or an object with delete and match
Ints = npt.NDArray[np.int64]
OPERATIONS = ("delete", "match")


class ScaledCosts(NamedTuple):
    """Costs as integers.

    A sum of these integers times ``unit`` is the sum of the user's costs. ``integral`` tells
    whether the user's costs are all integers.
    """

    inversion: int
    substitution: int
    deletion: int
    insertion: int
    unit: Fraction
    integral: bool

    @property
    def operations(self) -> tuple[int, int, int, int]:
        """The four costs in the order of the core's arguments."""
        return self.inversion, self.substitution, self.deletion, self.insertion

    def unscale(self, total: int) -> int | float:
        """Return a sum of scaled costs in the user's units: an int if all costs are integers."""
        return to_number(total * self.unit, self.integral)

    def unscale_all(self, totals: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        """Return many sums of scaled costs in the user's units."""
        if self.unit == 1:
            return totals.astype(np.float64)
        return np.array([self.unscale(int(total)) for total in totals], np.float64)

    def check_length(self, tokens: int) -> None:
        """Raise InputError if sums of these costs over so many tokens may overflow."""
        if max(self.operations) * (tokens + 1) >= MAX_SUM:
            raise overflow_error(f" over {tokens} tokens")


def scale_costs(
    inversion: Number, substitution: Number, deletion: Number, insertion: Number
) -> ScaledCosts:
    """Scale costs to integers.

    >>> scale_costs(0.5, 1, 1, 1.5).operations
    (1, 2, 2, 3)
    >>> scale_costs(2, 2, 2, 2).operations
    (1, 1, 1, 1)
    """
    costs = {
        "inversion": inversion,
        "substitution": substitution,
        "deletion": deletion,
        "insertion": insertion,
    }
    fractions = [to_fraction(name, cost) for name, cost in costs.items()]
    scale = math.lcm(*(cost.denominator for cost in fractions))
    scaled = [int(cost * scale) for cost in fractions]
    divisor = math.gcd(*scaled) or 1
    i, s, d, n = (cost // divisor for cost in scaled)
    integral = all(map(is_integral, costs.values()))
    return ScaledCosts(i, s, d, n, Fraction(divisor, scale), integral)


def to_fraction(name: str, cost: object) -> Fraction:
    """Return a cost as a fraction; ``name`` is the operation, for error messages."""
    if isinstance(cost, bool) or not isinstance(cost, (Real, Decimal)):
        raise InputTypeError(f"the cost of {name} must be a number, got {type(cost).__name__}")
    fraction = None
    if isinstance(cost, Rational):  # also NumPy's integers, which would overflow without int()
        fraction = Fraction(int(cost.numerator), int(cost.denominator))
    elif cost.is_finite() if isinstance(cost, Decimal) else math.isfinite(cost):
        fraction = Fraction(str(cost))
    if fraction is None or fraction < 0:
        raise InputError(f"the cost of {name} must be finite and not negative, got {cost}")
    return fraction


def is_integral(cost: object) -> bool:
    """Tell whether a cost is of an integer type, or a fraction with denominator 1."""
    return isinstance(cost, Rational) and cost.denominator == 1


def to_number(total: Fraction | float, integral: bool) -> int | float:
    """Return an exact sum as an int if all its costs are integers, and else as a float."""
    if integral:
        return int(total)
    try:
        return float(total)
    except OverflowError:
        raise InputError("with these costs the distance is too large for a float") from None


def overflow_error(extent: str = "", where: str = "") -> InputError:
    """Return the error for costs that cannot be added up exactly."""
    return InputError(
        f"{where}the costs have too many digits to be added up exactly{extent}: they are too far "
        "apart, or too fine (a third is Fraction(1, 3), not 0.3333333333333333)"
    )


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
    delete, match = (
        _costs_by_label(name, value) if isinstance(value, Mapping) else value
        for name, value in zip(OPERATIONS, _read_costs(costs), strict=True)
    )
    if callable(delete) or callable(match) or _is_infinite(match):
        return CostFunctions(_cost_function("delete", delete), _cost_function("match", match))
    fractions = to_fraction("delete", delete), to_fraction("match", match)
    return UniformCosts(*fractions, is_integral(delete) and is_integral(match))


def _read_costs(costs: Any) -> list[Any]:
    """Return what a mapping or an object says about each operation, by default 1."""
    if isinstance(costs, Mapping):
        unknown = [str(name) for name in costs if name not in OPERATIONS]
        if unknown:
            raise InputError(f"costs may have delete and match, got {unknown[0]}")
        return [costs.get(name, 1) for name in OPERATIONS]
    if not any(hasattr(costs, name) for name in OPERATIONS):
        raise InputTypeError(
            "costs must have delete or match as items or attributes, "
            f"but {type(costs).__name__} has neither"
        )
    return [getattr(costs, name, 1) for name in OPERATIONS]


def _cost_function(name: str, cost: Any) -> Callable[..., Any]:
    """Return a cost as a function; a constant is checked now, not for the first pair of trees."""
    if callable(cost):
        function: Callable[..., Any] = cost
        return function
    _check_cost(name, name, cost)
    return lambda *nodes: cost


def _check_cost(operation: str, name: str, cost: object) -> None:
    """Raise an error, with a name, for an invalid cost; only that of a match may be infinite."""
    if not (operation == "match" and _is_infinite(cost)):
        to_fraction(name, cost)


def _costs_by_label(name: str, table: Mapping[Any, Any]) -> Callable[..., Any]:
    """Return a cost function that looks up labels, by default 1; a match has two labels."""
    for key, cost in table.items():
        if name == "match" and not (isinstance(key, tuple) and len(key) == 2):
            raise InputError(f"a match needs two labels, such as ('obj', 'iobj'), got {key!r}")
        _check_cost(name, f"{name} of {key!r}", cost)
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
