"""Hyperbaton: word order in translation.

>>> import hyperbaton as hb
>>> p = hb.Permutation([2, 4, 5, 6, 1, 3])
>>> print(p.tree())
⟨2,4,1,3⟩[2, ⟨1,2⟩[⟨1,2⟩[4, 5], 6], 1, 3]
>>> hb.pef(p)
0.4
"""

from hyperbaton.alignment.aligner import Aligner, align, align_many
from hyperbaton.alignment.alignment import Alignment, Link
from hyperbaton.edit.bracketing import InversionParse, inversion_parse
from hyperbaton.edit.inversion import BudgetExceeded, inversion_distance, inversion_distances
from hyperbaton.edit.rates import ErrorRate, bag_distance, cder, invwer, per, wer
from hyperbaton.order.factored import (
    max_operator,
    measures,
    pef,
    pef_beer,
    pet,
    pet_count,
    pet_size,
)
from hyperbaton.order.flat import (
    footrule,
    fuzzy,
    hamming,
    kendall,
    kendall_sqrt,
    spearman,
    ulam,
)
from hyperbaton.order.forest import PermutationForest
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.tree import PermutationTree

__version__ = "0.1.0"

__all__ = [
    "Aligner",
    "Alignment",
    "BudgetExceeded",
    "ErrorRate",
    "InversionParse",
    "Link",
    "Permutation",
    "PermutationForest",
    "PermutationTree",
    "align",
    "align_many",
    "bag_distance",
    "cder",
    "footrule",
    "fuzzy",
    "hamming",
    "inversion_distance",
    "inversion_distances",
    "inversion_parse",
    "invwer",
    "kendall",
    "kendall_sqrt",
    "max_operator",
    "measures",
    "pef",
    "pef_beer",
    "per",
    "pet",
    "pet_count",
    "pet_size",
    "spearman",
    "ulam",
    "wer",
]
