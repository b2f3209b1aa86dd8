"""Costs of edit operations: any non-negative numbers, added up exactly.

The core adds integers, so costs are scaled to integers without rounding. A float stands for the
decimal number that it is printed as: 0.1 is 1/10.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError, InputTypeError

Number = int | float | Fraction | Decimal

MAX_SUM = 2**62  # sums of scaled costs stay below this


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
