"""The settings that tuning tries, and how it finds the best of them.

The values of each option make a lattice; a point of it is a tuple of places, one for each option.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.metrics.base import Metric
from hyperbaton.metrics.options import Option, plain, unknown

STEPS = 20  # from the least to the greatest value, if no step is given
MOST_VALUES = 10_000  # of one option
MOST_POINTS = 100_000  # of a grid

Point = tuple[int, ...]
Lattice = dict[str, tuple[float, ...]]
Wanted = str | Sequence[str] | Mapping[str, Sequence[float]]


def lattice(metric: Metric, wanted: Wanted) -> Lattice:
    """The values to be tried of some numeric options of a metric.

    ``wanted`` has texts such as ``alpha``, ``alpha=0.2:0.8`` or ``alpha=0.2:0.8:0.1`` (the range
    and the step), or maps options to their values. Without a range it is all that the option may
    be, and without a step, there are 20 of them.

    >>> from hyperbaton import metrics
    >>> lattice(metrics.get("full"), ["alpha=0.2:0.8:0.2", "gamma=0:0.1:0.1"])
    {'alpha': (0.2, 0.4, 0.6, 0.8), 'gamma': (0.0, 0.1)}
    >>> lattice(metrics.get("invwer"), {"inversion": [2, 1]})
    {'inversion': (1.0, 2.0)}
    """
    if isinstance(wanted, str):
        wanted = [wanted]
    found: Lattice = {}
    for given in wanted:
        if not isinstance(given, str):
            raise InputTypeError(f"an option is a text such as 'alpha', not {type(given).__name__}")
        text, equals, between = given.partition("=")
        name = plain(text)
        option = _numeric(metric, name)
        if name in found:
            raise InputError(f"{name} is to be tuned twice")
        whole = f"{metric.name}: {name}"
        if isinstance(wanted, Mapping):
            values = {float(option.read(whole, value)) for value in wanted[given]}
        else:
            values = _between(option, whole, between if equals else None)
        if len(values) < 2:
            raise InputError(f"{whole} has one value or none: there is nothing to tune")
        found[name] = tuple(sorted(values))
    if not found:
        raise InputError("no option is to be tuned")
    return found


def _numeric(metric: Metric, name: str) -> Option:
    """The option of that name, which is a number."""
    numbers = metric.numeric_options
    if name in numbers:
        return numbers[name]
    if name in metric.options:
        known = ", ".join(numbers) or "none"
        raise InputError(f"{metric.name}: {name} is not a number; its numbers are {known}")
    raise InputError(unknown(f"option of {metric.name}", name, numbers))


def _between(option: Option, name: str, text: str | None) -> set[float]:
    """The values of a range, ``low:high`` or ``low:high:step``; None is all there is."""
    low, high, step = option.least, option.most, None
    if text is not None:
        parts = text.split(":")
        if len(parts) not in (2, 3):
            raise InputError(f"{name}: {text!r} is not a range such as 0:1 or 0:1:0.1")
        low, high = (float(option.read(name, part)) for part in parts[:2])
        if low > high:
            raise InputError(f"{name}: the range {text} is upside down")
        step = _step(name, parts[2]) if len(parts) == 3 else None
    if not math.isfinite(high):
        raise InputError(f"{name} has no greatest value: give a range such as {name}=0:1")
    # Fractions of what is typed, so that 3 steps of 0.1 are 0.3.
    first, last = Fraction(str(low)), Fraction(str(high))
    by = (last - first) / STEPS if step is None else step
    if by > 0 and (last - first) / by >= MOST_VALUES:
        raise InputError(f"{name} has more than {MOST_VALUES:,} values: give a larger step")
    count = int((last - first) / by) if by > 0 else 0
    values = (first + k * by for k in range(count + 1))
    digits = 0 if option.whole else option.digits
    return {float(value if digits is None else round(value, digits)) for value in values}


def _step(name: str, text: str) -> Fraction:
    try:
        step = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{name}: the step is a number, not {text!r}") from None
    if step <= 0:
        raise InputError(f"{name}: the step is more than 0, not {text}")
    return step


def climb(value: Callable[[Point], float], shape: Sequence[int], starts: Sequence[Point]) -> Point:
    """Greedy hill-climbing from several starts (Birch & Osborne 2010): the best top.

    A step goes to the best of the neighbours, whose places differ by 1 in one option, as long as
    that is better. Of equal tops the first in the order of the lattice counts.

    >>> climb(lambda p: [0, 3, 1, 2, 4, 3][p[0]], [6], [(0,), (3,)])
    (4,)
    """
    return _best(value, {_top(value, shape, start) for start in starts})


def _top(value: Callable[[Point], float], shape: Sequence[int], point: Point) -> Point:
    while True:
        near = [
            (*point[:k], place, *point[k + 1 :])
            for k, size in enumerate(shape)
            for place in (point[k] - 1, point[k] + 1)
            if 0 <= place < size
        ]
        best = _best(value, near)
        if not value(best) > value(point):
            return point
        point = best


def grid(value: Callable[[Point], float], shape: Sequence[int]) -> Point:
    """The best of all points.

    >>> grid(lambda p: -((p[0] - 1) ** 2) - (p[1] - 2) ** 2, [4, 4])
    (1, 2)
    """
    return _best(value, itertools.product(*map(range, shape)))


def _best(value: Callable[[Point], float], points: Iterable[Point]) -> Point:
    return max(sorted(points), key=value)


def random_points(shape: Sequence[int], count: int, seed: int) -> list[Point]:
    """Points at random, each as likely as any other.

    >>> random_points([3, 5], 2, 1) == random_points([3, 5], 2, 1)
    True
    """
    drawn = np.random.default_rng(seed).integers(0, shape, (count, len(shape)))
    return [tuple(map(int, row)) for row in drawn]
