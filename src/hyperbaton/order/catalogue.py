"""The catalogue of measures: one row per measure of word order over permutations.

The metrics of the same names, the lines of ``hyperbaton permutation`` and the tables in the
documentation are derived from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hyperbaton.order import factored, flat

PAPER_2014 = "Stanojević & Sima'an 2014"
PAPER_2016 = "Stanojević & Sima'an 2016"
FACTORIZATION_CAUTION = (
    "It measures how far a permutation factorizes, not how much of it is in order: a fully "
    "reversed sentence scores 1. Combine it with a measure of the words, as senscore does."
)


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
    options: Mapping[str, MeasureOption] = field(default_factory=dict)
    range: tuple[float, float] = (0.0, 1.0)
    measures_order: bool = True


BETA = MeasureOption(0.6, "weight of an operator against the operators below it")
GAMMA = MeasureOption(0.0, "score of the operator ⟨2,1⟩")
BEER_BETA = MeasureOption(BETA.default, BETA.meaning, minimum=factored.MINIMUM_BEER_BETA)

# In the order of `hyperbaton.measures`.
_ROWS = (
    MeasureInfo(
        "kendall",
        flat.kendall,
        "share of word pairs in the right order",
        f"Birch & Osborne 2010; {PAPER_2014}, figure 2",
        "A block that moved far costs one pair for each word it passed. Near perfect order the "
        "score hardly falls: one swap in 20 words still scores 0.995.",
    ),
    MeasureInfo(
        "kendall_sqrt",
        flat.kendall_sqrt,
        "1 − √(1 − kendall)",
        "Birch et al. 2010, as computed by Moses' scorer",
        "Harsher than kendall near perfect order; it ranks single segments as kendall does.",
    ),
    MeasureInfo(
        "spearman",
        flat.spearman,
        "squared distances that words moved",
        f"{PAPER_2014}, figure 2",
        "One long move weighs more than many short ones.",
    ),
    MeasureInfo(
        "footrule",
        flat.footrule,
        "distances that words moved",
        "Diaconis & Graham 1977",
        "Like spearman, but distances are not squared.",
    ),
    MeasureInfo(
        "hamming",
        flat.hamming,
        "share of words in their exact position",
        f"Birch & Osborne 2010; {PAPER_2014}, figure 2",
        "One word moved to the front shifts all others, and all of them count as wrong.",
    ),
    MeasureInfo(
        "ulam",
        flat.ulam,
        "longest subsequence in order",
        f"{PAPER_2014}, figure 2",
        "Only whether a word moved counts, not how far.",
    ),
    MeasureInfo(
        "fuzzy",
        flat.fuzzy,
        "how few contiguous pieces the words form",
        f"Talbot et al. 2011; {PAPER_2014}, figure 2",
        "Only neighbours count; two swapped halves of a sentence cost as little as two words.",
    ),
    MeasureInfo(
        "breakpoints",
        flat.breakpoints,
        "neighbours kept in order, and both ends",
        "Bafna & Pevzner 1998",
        "Like fuzzy, but a wrong first or last word also counts. A moved block costs at most three "
        "breakpoints, whatever its length and distance.",
    ),
    MeasureInfo(
        "pet",
        factored.pet,
        "operators of the canonical permutation tree",
        PAPER_2014,
        "Where several bracketings are right, it depends on which tree is canonical; pef does not.",
        {"beta": BETA, "gamma": GAMMA},
    ),
    MeasureInfo(
        "pef",
        factored.pef,
        "operators of all permutation trees",
        PAPER_2014,
        "Unaligned reference words lower the score through the brevity penalty, however good the "
        "order of the other words is. With bp=off only order counts; the share of aligned words "
        "then says how much of the sentence was measured. Extra words cost nothing.",
        {"beta": BETA, "gamma": GAMMA},
    ),
    MeasureInfo(
        "pef_beer",
        factored.pef_beer,
        "pef as computed by the program BEER 1.1",
        f"{PAPER_2014}; BEER 1.1",
        "This is what the authors' program computes, not the published formula. It can fall a "
        "little below 0.",
        {"beta": BEER_BETA},
        range=(-math.inf, 1.0),  # nobody has proven how far below 0 it can fall
    ),
    MeasureInfo(
        "pet_size",
        factored.pet_size,
        "|PET|: number of operators in the tree",
        f"{PAPER_2016}, figure 7",
        FACTORIZATION_CAUTION,
        measures_order=False,
    ),
    MeasureInfo(
        "pet_count",
        factored.pet_count,
        "#PETs: number of ways to bracket it",
        f"{PAPER_2016}, figure 7",
        FACTORIZATION_CAUTION,
        measures_order=False,
    ),
    MeasureInfo(
        "max_operator",
        factored.max_operator,
        "MAX|Op|: how short the longest operator is",
        f"{PAPER_2016}, figure 7",
        FACTORIZATION_CAUTION,
        measures_order=False,
    ),
    MeasureInfo(
        "average_operator",
        factored.average_operator,
        "AVG|Op|: how short operators are on average",
        f"{PAPER_2016}, section 4",
        FACTORIZATION_CAUTION + " Among sentences of the same length it ranks as pet_size does.",
        measures_order=False,
    ),
)
MEASURES: Mapping[str, MeasureInfo] = {row.name: row for row in _ROWS}
