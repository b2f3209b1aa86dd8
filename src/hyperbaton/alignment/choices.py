"""Names of matchers, and of ways to combine the links of both directions; quick to import."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from hyperbaton.errors import InputError

MATCHERS = ("exact", "stem", "synonym", "paraphrase", "similar")
SEARCH_MATCHERS = MATCHERS[:-1]  # "similar" links words that the search left without a link
CONTEXT = "context"
GIVEN = "given"  # the matcher of links that no matcher of words has found
ROW_MATCHERS = (*SEARCH_MATCHERS, CONTEXT, GIVEN)  # by the number in the last column of a row
WEIGHT_SCALE = 1000  # weights are rounded to multiples of 1/1000
SYMMETRIZATIONS = ("mean", "geometric", "intersection", "grow-diag-final-and")
DEFAULT_SYMMETRIZATION = "mean"


def select_matchers(matchers: Iterable[str]) -> tuple[str, ...]:
    """Return the requested matchers in the order in which they are applied.

    A string has names separated by ``,`` or ``+``.

    >>> select_matchers("stem+exact")
    ('exact', 'stem')
    """
    if isinstance(matchers, str):
        matchers = matchers.replace(",", " ").replace("+", " ").split()
    requested = set(matchers)
    if CONTEXT in requested and len(requested) > 1:
        raise InputError(f"the matcher {CONTEXT} cannot be combined with other matchers")
    for matcher in requested - {*MATCHERS, CONTEXT}:
        raise InputError(f"unknown matcher {matcher!r}; valid: {', '.join(MATCHERS)}, {CONTEXT}")
    if not requested:
        raise InputError(f"at least one matcher is required: {', '.join(MATCHERS)} or {CONTEXT}")
    return tuple(matcher for matcher in (*MATCHERS, CONTEXT) if matcher in requested)


def scale_weights(weights: Mapping[str, float]) -> tuple[int, ...]:
    """Return the weight of each search matcher as an integer, by default 1 before scaling.

    >>> scale_weights({"stem": 0.5})
    (2, 1, 2, 2)
    """
    for matcher, weight in weights.items():
        if matcher not in SEARCH_MATCHERS:
            raise InputError(f"{matcher!r} has no weight; valid: {', '.join(SEARCH_MATCHERS)}")
        if not 0.001 <= weight <= 1000:
            raise InputError(f"the weight of {matcher!r} must be from 0.001 to 1000, got {weight}")
    scaled = [round(weights.get(matcher, 1) * WEIGHT_SCALE) for matcher in SEARCH_MATCHERS]
    return tuple(weight // math.gcd(*scaled) for weight in scaled)


def check_symmetrization(symmetrization: object) -> None:
    """Raise an error if there is no such symmetrisation."""
    if symmetrization not in SYMMETRIZATIONS:
        raise InputError(
            f"symmetrization must be one of {', '.join(SYMMETRIZATIONS)}, got {symmetrization!r}"
        )
