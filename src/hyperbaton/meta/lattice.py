"""The settings that tuning tries, and the searches for the best of them.

The values of the tuned options form a lattice. A point of the lattice is a tuple with the index of
one value for each option.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.meta.plan import DEFAULT_FOLDS, DEFAULT_RESTARTS, SEARCHES
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.options import Option, normalize_name
from hyperbaton.registries import check_choice, unknown_name_message
from hyperbaton.stats.sampling import DEFAULT_SEED, check_integer

DEFAULT_STEPS = 20  # from the smallest to the largest value, if no step is given
MAX_VALUES = 10_000  # of one option
MAX_GRID_POINTS = 100_000
MAX_COUNT = 1_000_000  # of restarts, and of folds

Point = tuple[int, ...]
Lattice = dict[str, tuple[float, ...]]
OptionRanges = str | Sequence[str] | Mapping[str, Sequence[float]]


def build_lattice(metric: Metric, options: OptionRanges) -> Lattice:
    """Return the values to try for some numeric options of a metric.

    Parameters
    ----------
    metric : Metric
    options : str, sequence of str, or mapping of str to sequence of float
        Options with an optional range and step, such as ``alpha``, ``alpha=0.2:0.8`` or
        ``alpha=0.2:0.8:0.1``, or a mapping from options to values. The default range is all valid
        values, and the default step is 1/20 of the range.

    Raises
    ------
    InputError
        If an option is unknown or not numeric, or a range is invalid.

    >>> from hyperbaton import metrics
    >>> build_lattice(metrics.get("full"), ["alpha=0.2:0.8:0.2", "gamma=0:0.1:0.1"])
    {'alpha': (0.2, 0.4, 0.6, 0.8), 'gamma': (0.0, 0.1)}
    >>> build_lattice(metrics.get("invwer"), {"inversion": [2, 1]})
    {'inversion': (1.0, 2.0)}
    """
    if isinstance(options, str):
        options = [options]
    lattice: Lattice = {}
    for text in options:
        if not isinstance(text, str):
            raise InputTypeError(
                f"an option must be a string such as 'alpha', got {type(text).__name__}"
            )
        key, equals, value_range = text.partition("=")
        name = normalize_name(key)
        option = _numeric_option(metric, name)
        if name in lattice:
            raise InputError(f"{name} is given twice")
        full_name = f"{metric.name}: {name}"
        if isinstance(options, Mapping):
            values = {float(option.read(full_name, value)) for value in options[text]}
        else:
            values = _range_values(option, full_name, value_range if equals else None)
        if len(values) < 2:
            raise InputError(f"{full_name} has fewer than two values to try")
        lattice[name] = tuple(sorted(values))
    if not lattice:
        raise InputError("no option to tune was given")
    return lattice


def _numeric_option(metric: Metric, name: str) -> Option:
    """Return the option of that name; raise InputError if it is not a number."""
    options = metric.options_for(metric.name, metric.options)
    numeric = {key: option for key, option in options.items() if option.numeric}
    if name in numeric:
        return numeric[name]
    if name in metric.options:
        known = ", ".join(numeric) or "none"
        raise InputError(f"{metric.name}: {name} is not numeric; the numeric options are: {known}")
    raise InputError(unknown_name_message("numeric option", name, numeric, metric.name))


def _range_values(option: Option, name: str, text: str | None) -> set[float]:
    """Return the values of a range, ``low:high`` or ``low:high:step``; None for all values."""
    low, high, step = option.least, option.most, None
    if text is not None:
        parts = text.split(":")
        if len(parts) not in (2, 3):
            raise InputError(f"{name}: {text!r} is not a range such as 0:1 or 0:1:0.1")
        low, high = (float(option.read(name, part)) for part in parts[:2])
        if low > high:
            raise InputError(f"{name}: the range {text} starts above its end")
        step = _parse_step(name, parts[2]) if len(parts) == 3 else None
    if not math.isfinite(high):
        raise InputError(f"{name} has no upper bound; give a range such as 0:1")
    # Fractions of the typed decimals, so that three steps of 0.1 are 0.3.
    first, last = Fraction(str(low)), Fraction(str(high))
    if step is None:
        step = (last - first) / DEFAULT_STEPS
    if step > 0 and (last - first) / step >= MAX_VALUES:
        raise InputError(f"{name} has more than {MAX_VALUES:,} values; use a larger step")
    count = int((last - first) / step) if step > 0 else 0
    values = (first + k * step for k in range(count + 1))
    digits = 0 if option.whole else option.digits
    return {float(value if digits is None else round(value, digits)) for value in values}


def _parse_step(name: str, text: str) -> Fraction:
    try:
        step = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{name}: the step must be a number, got {text!r}") from None
    if step <= 0:
        raise InputError(f"{name}: the step must be greater than 0, got {text}")
    return step


@dataclass(frozen=True)
class Search:
    """How the best settings are searched for.

    Attributes
    ----------
    method : {"climb", "grid"}
        Greedy hill-climbing with random restarts, or all settings.
    restarts : int
        Number of random restarts.
    folds : int
    seed : int
        Random seed.
    """

    method: str = SEARCHES[0]
    restarts: int = DEFAULT_RESTARTS
    folds: int = DEFAULT_FOLDS
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        check_choice("method", self.method, SEARCHES)
        check_integer("restarts", self.restarts, 1, MAX_COUNT)
        check_integer("folds", self.folds, 2, MAX_COUNT)
        check_integer("seed", self.seed, 0, 2**63 - 1)

    def build_lattice(self, metric: Metric, options: OptionRanges) -> Lattice:
        """Return the values to try; raise InputError if they are too many for a grid."""
        lattice = build_lattice(metric, options)
        count = math.prod(map(len, lattice.values()))
        if self.method == "grid" and count > MAX_GRID_POINTS:
            raise InputError(
                f"a grid of {count:,} settings is too large ({MAX_GRID_POINTS:,} at most); "
                "use method climb or larger steps"
            )
        return lattice

    def best_point(self, value: Callable[[Point], float], shape: Sequence[int]) -> Point:
        """Return the point of a lattice with the highest value, as far as the method finds it.

        >>> Search("grid").best_point(lambda p: -((p[0] - 1) ** 2) - (p[1] - 2) ** 2, [4, 4])
        (1, 2)
        """
        if self.method == "grid":
            return _best(value, itertools.product(*map(range, shape)))
        return hill_climb(value, shape, random_points(shape, self.restarts, self.seed))


def hill_climb(
    value: Callable[[Point], float], shape: Sequence[int], starts: Sequence[Point]
) -> Point:
    """Return the best point that greedy hill-climbing reaches (Birch & Osborne 2010).

    Each step moves to the best neighbour, as long as it is better than the current point. A
    neighbour differs by 1 in one coordinate. Of equally good points, the first one in
    lexicographic order is taken.

    Parameters
    ----------
    value : callable
        The function to maximise.
    shape : sequence of int
        Number of values of each option.
    starts : sequence of Point
        Where the climbs start.

    >>> hill_climb(lambda p: [0, 3, 1, 2, 4, 3][p[0]], [6], [(0,), (3,)])
    (4,)
    """
    return _best(value, {_climb_from(value, shape, start) for start in starts})


def _climb_from(value: Callable[[Point], float], shape: Sequence[int], point: Point) -> Point:
    while True:
        neighbours = [
            (*point[:k], place, *point[k + 1 :])
            for k, size in enumerate(shape)
            for place in (point[k] - 1, point[k] + 1)
            if 0 <= place < size
        ]
        best = _best(value, neighbours)
        if not value(best) > value(point):
            return point
        point = best


def _best(value: Callable[[Point], float], points: Iterable[Point]) -> Point:
    return max(sorted(points), key=value)


def random_points(shape: Sequence[int], count: int, seed: int) -> list[Point]:
    """Return points drawn uniformly at random, with replacement.

    >>> random_points([3, 5], 2, 1) == random_points([3, 5], 2, 1)
    True
    """
    drawn = np.random.default_rng(seed).integers(0, shape, (count, len(shape)))
    return [tuple(map(int, row)) for row in drawn]
