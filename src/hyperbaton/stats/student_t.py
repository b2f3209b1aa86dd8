"""Student's t distribution: tail probabilities and quantiles, right to the last bit.

A tail probability is a power times a continued fraction. In floating point, the power alone loses
three digits in far tails, so decimal numbers with more digits than a float are used. They take a
tenth of a millisecond to a millisecond per value.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from functools import lru_cache

CONTEXT = Context(prec=30)
PRECISION = Decimal("1e-28")
LAST_STEP = Decimal("1e-14")  # Newton's method doubles the number of right digits with each step
PI = Decimal("3.14159265358979323846264338327950288")
HALF = Decimal("0.5")


def t_tail(t: float, degrees: int) -> float:
    """Return the probability that a t-distributed number is greater than ``t``.

    Parameters
    ----------
    t : float
        At least 0, or NaN.
    degrees : int
        Degrees of freedom, at least 1.

    Returns
    -------
    float
        NaN if ``t`` is.

    Examples
    --------
    >>> t_tail(2.0, 2), t_tail(40.0, 1000)
    (0.09175170953613698, 5.2394260775866807e-210)
    """
    if not math.isfinite(t):
        return math.nan if math.isnan(t) else 0.0
    with localcontext(CONTEXT):
        return float(_tail(Decimal(t), degrees))


@lru_cache
def t_quantile(probability: float, degrees: int) -> float:
    """Return the number that a t-distributed number exceeds with probability 1 − ``probability``.

    Parameters
    ----------
    probability : float
        At least 0.5 and less than 1.
    degrees : int
        Degrees of freedom, at least 1.

    Examples
    --------
    >>> t_quantile(0.975, 1), t_quantile(0.975, 19)
    (12.706204736174694, 2.093024054408309)
    """
    with localcontext(CONTEXT):
        target = 1 - Decimal(probability)
        t = Decimal(0)
        # The tail is convex, so Newton's method from 0 rises to the quantile and never passes it.
        while True:
            step = (_tail(t, degrees) - target) / _density(t, degrees)
            t += step
            if step <= t * LAST_STEP:
                return float(t)


def _tail(t: Decimal, degrees: int) -> Decimal:
    """Return P(T > t) = ½ I_x(degrees/2, ½), where x = degrees / (degrees + t²)."""
    square, half_degrees = t * t, Decimal(degrees) / 2
    power = t * _density(t, degrees)
    if square * (degrees + 2) > 3 * degrees:
        x = degrees / (degrees + square)
        return power * _beta_fraction(x, half_degrees, HALF) / degrees
    # The continued fraction converges slowly here, and that of I_{1 − x}(½, degrees/2) fast.
    return HALF - power * _beta_fraction(square / (degrees + square), HALF, half_degrees)


def _density(t: Decimal, degrees: int) -> Decimal:
    total = degrees + t * t
    return (degrees / total) ** (Decimal(degrees) / 2) / (total.sqrt() * _beta_half(degrees))


@lru_cache
def _beta_half(degrees: int) -> Decimal:
    """Return the beta function B(degrees/2, ½), from B(½, ½) = π or B(1, ½) = 2."""
    beta = PI if degrees % 2 else Decimal(2)
    for k in range(2 - degrees % 2, degrees, 2):
        beta = beta * k / (k + 1)
    return beta


def _beta_fraction(x: Decimal, a: Decimal, b: Decimal) -> Decimal:
    """Return the continued fraction 1 / (1 + d₁ / (1 + d₂ / …)) of the incomplete beta function.

    I_x(a, b) is xᵃ (1 − x)ᵇ / (a B(a, b)) times this fraction (NIST Digital Library of
    Mathematical Functions, 8.17.22). Steed's algorithm adds the changes from each convergent to
    the next one.
    """
    denominator = value = change = Decimal(1)
    m = 0
    while abs(change) > value * PRECISION:
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        for coefficient in (odd, even):
            denominator = 1 / (1 + coefficient * denominator)
            change *= denominator - 1
            value += change
    return value
