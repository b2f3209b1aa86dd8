"""The catalogue of measures, and what they and the trees say of one permutation, as data.

There is one row per measure of word order over permutations. The metrics of the same names, the
lines of ``hyperbaton permutation`` and the tables in the documentation are derived from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyperbaton.errors import InputError
from hyperbaton.order import measures
from hyperbaton.order.permutation import Permutation

PAPER_2014 = "Stanojević & Sima'an 2014"
PAPER_2016 = "Stanojević & Sima'an 2016"
SCHEMA = "hyperbaton/permutation/1"
MAX_JSON_DIGITS = 4300  # Python's json module refuses to read longer integers
SEPARATORS = re.compile(r"[\s,⟨⟩〈〉<>()\[\]]+")
INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")


@dataclass(frozen=True)
class MeasureOption:
    """A numeric option of a measure.

    Attributes
    ----------
    default : float
        Default of the measure's function.
    meaning : str
        One-line description.
    minimum, maximum : float
        Smallest and largest value that the measure accepts.
    """

    default: float
    meaning: str
    minimum: float = 0.0
    maximum: float = 1.0

    def accepts(self, value: float) -> bool:
        """Return whether the measure is defined for this value."""
        return self.minimum <= value <= self.maximum


@dataclass(frozen=True)
class MeasureInfo:
    """A row of the catalogue.

    Attributes
    ----------
    name : str
        Name of the measure, of its function and of its column in ``hyperbaton.measures``.
    function : callable
        The public function, such as ``hyperbaton.kendall``.
    description : str
        What the measure looks at, on one line.
    paper : str
        Where the measure was published.
    caution : str
        What to bear in mind when reading its values.
    options : mapping of str to MeasureOption
        The numeric options, by the names of the function's parameters.
    range : tuple of (float, float)
        Bounds of the values.
    measures_order : bool
        False for measures of how far a permutation factorizes, whatever its order.
    """

    name: str
    function: Callable[..., Any]
    description: str
    paper: str
    caution: str
    options: Mapping[str, MeasureOption]
    range: tuple[float, float]
    measures_order: bool


BETA = MeasureOption(0.6, "weight of an operator against the operators below it")
GAMMA = MeasureOption(0.0, "score of the operator ⟨2,1⟩")
BEER_BETA = MeasureOption(BETA.default, BETA.meaning, minimum=measures.MINIMUM_BEER_BETA)

OPTIONS: Mapping[str, Mapping[str, MeasureOption]] = {
    "pet": {"beta": BETA, "gamma": GAMMA},
    "pef": {"beta": BETA, "gamma": GAMMA},
    "pef_beer": {"beta": BEER_BETA},
}
RANGES = {"pef_beer": (-math.inf, 1.0)}  # nobody has proven how far below 0 it can fall


# In the order of `hyperbaton.measures`.
MEASURES: dict[str, MeasureInfo] = {}
for _line in Path(__file__).with_name("catalogue.tsv").read_text("utf-8").splitlines()[1:]:
    _name, _measured, _description, _paper, _caution = _line.split("\t")
    MEASURES[_name] = MeasureInfo(
        _name,
        getattr(measures, _name),
        _description,
        _paper,
        _caution,
        OPTIONS.get(_name, {}),
        RANGES.get(_name, (0.0, 1.0)),
        _measured == "order",
    )


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
    for name, column in measures.measures(pi).items():
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
