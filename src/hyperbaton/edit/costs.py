"""What operations cost: any numbers from 0, added up exactly.

The core adds whole numbers. Costs are scaled to whole numbers without rounding: a float stands for
the decimal number that it is printed as, so that 0.1 is 1/10.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import NamedTuple

from hyperbaton.errors import InputError, InputTypeError

Number = int | float | Fraction | Decimal

LARGEST = 2**62  # sums of costs stay below this


class WholeCosts(NamedTuple):
    """Costs as whole numbers; a sum of them times ``unit`` is a sum of what the caller gave."""

    inversion: int
    substitution: int
    deletion: int
    insertion: int
    unit: Fraction
    integral: bool

    @property
    def four(self) -> tuple[int, int, int, int]:
        """As the core takes them."""
        return self.inversion, self.substitution, self.deletion, self.insertion

    def value(self, total: int) -> int | float:
        """A sum as the caller counts: an int where all costs are."""
        exact = total * self.unit
        if self.integral:
            return int(exact)
        try:
            return float(exact)
        except OverflowError:
            raise InputError("with these costs the distance is too large for a float") from None

    def check_length(self, tokens: int) -> None:
        """Refuses costs whose sums over so many tokens the core cannot hold."""
        if max(self.four) * (tokens + 1) >= LARGEST:
            raise InputError(
                f"the costs have too many digits to be added up exactly over {tokens} tokens: they "
                "are too far apart, or too fine (a third is Fraction(1, 3), not 0.3333333333333333)"
            )


def whole_costs(
    inversion: Number, substitution: Number, deletion: Number, insertion: Number
) -> WholeCosts:
    """The costs as whole numbers.

    >>> whole_costs(0.5, 1, 1, 1.5).four
    (1, 2, 2, 3)
    >>> whole_costs(2, 2, 2, 2).four
    (1, 1, 1, 1)
    """
    given = {
        "inversion": inversion,
        "substitution": substitution,
        "deletion": deletion,
        "insertion": insertion,
    }
    exact = [exact_cost(name, cost) for name, cost in given.items()]
    scale = math.lcm(*(cost.denominator for cost in exact))
    whole = [int(cost * scale) for cost in exact]
    shared = math.gcd(*whole) or 1
    integral = all(isinstance(cost, Rational) and cost.denominator == 1 for cost in given.values())
    i, s, d, n = (cost // shared for cost in whole)
    return WholeCosts(i, s, d, n, Fraction(shared, scale), integral)


def exact_cost(name: str, cost: object) -> Fraction:
    """One cost as a fraction."""
    if isinstance(cost, bool) or not isinstance(cost, (Real, Decimal)):
        raise InputTypeError(f"the cost of {name} is a number, not {type(cost).__name__}")
    exact = None
    if isinstance(cost, Rational):  # NumPy's integers are, too: int(), or they would overflow
        exact = Fraction(int(cost.numerator), int(cost.denominator))
    elif cost.is_finite() if isinstance(cost, Decimal) else math.isfinite(cost):
        exact = Fraction(str(cost))
    if exact is None or exact < 0:
        raise InputError(f"the cost of {name} is {cost}, but costs are finite and not negative")
    return exact
