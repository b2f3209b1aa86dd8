"""Hyperbaton: word order in translation.

>>> import hyperbaton as hb
>>> p = hb.Permutation([2, 4, 5, 6, 1, 3])
>>> print(p.tree())
⟨2,4,1,3⟩[2, ⟨1,2⟩[⟨1,2⟩[4, 5], 6], 1, 3]
>>> hb.pef(p)
0.4
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hyperbaton import metrics
    from hyperbaton.alignment.aligner import Aligner, align, align_many
    from hyperbaton.alignment.alignment import Alignment, Link
    from hyperbaton.alignment.pharaoh import read_alignments, write_alignments
    from hyperbaton.edit.bracketing import InversionParse, inversion_parse
    from hyperbaton.edit.inversion import inversion_distance, inversion_distances
    from hyperbaton.edit.rates import ErrorRate, bag_distance, cder, invwer, per, wer
    from hyperbaton.edit.tree_edits import TreeEdit, tree_distance, tree_distances, tree_edit
    from hyperbaton.errors import BudgetExceeded
    from hyperbaton.meta.evaluation import meta_evaluate
    from hyperbaton.meta.judgements import Rankings, Scores
    from hyperbaton.meta.testsets import TestSet, read_test_sets
    from hyperbaton.meta.tuning import tune
    from hyperbaton.metrics.comparison import compare
    from hyperbaton.metrics.scoring import score
    from hyperbaton.order import complexity
    from hyperbaton.order.factored import (
        average_operator,
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
    from hyperbaton.order.profile import ReorderingProfile, reordering_profile
    from hyperbaton.order.tightness import Counterexample, Tightness, check_semi_tight, check_tight
    from hyperbaton.order.tree import PermutationTree
    from hyperbaton.order.weak import WeakFactorization
    from hyperbaton.report.explanation import Explanation, explain
    from hyperbaton.syntax.conllu import read_trees
    from hyperbaton.syntax.trees import DependencyTree

__version__ = "0.1.0"

__all__ = [
    "Aligner",
    "Alignment",
    "BudgetExceeded",
    "Counterexample",
    "DependencyTree",
    "ErrorRate",
    "Explanation",
    "InversionParse",
    "Link",
    "Permutation",
    "PermutationForest",
    "PermutationTree",
    "Rankings",
    "ReorderingProfile",
    "Scores",
    "TestSet",
    "Tightness",
    "TreeEdit",
    "WeakFactorization",
    "align",
    "align_many",
    "average_operator",
    "bag_distance",
    "cder",
    "check_semi_tight",
    "check_tight",
    "compare",
    "complexity",
    "explain",
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
    "meta_evaluate",
    "metrics",
    "pef",
    "pef_beer",
    "per",
    "pet",
    "pet_count",
    "pet_size",
    "read_alignments",
    "read_test_sets",
    "read_trees",
    "reordering_profile",
    "score",
    "spearman",
    "tree_distance",
    "tree_distances",
    "tree_edit",
    "tune",
    "ulam",
    "wer",
    "write_alignments",
]

# Where each name is. It is imported when it is first used, so that `import hyperbaton` and the help
# of the command line are quick.
_MODULES = {
    "Aligner": "alignment.aligner",
    "Alignment": "alignment.alignment",
    "BudgetExceeded": "errors",
    "Counterexample": "order.tightness",
    "DependencyTree": "syntax.trees",
    "ErrorRate": "edit.rates",
    "Explanation": "report.explanation",
    "InversionParse": "edit.bracketing",
    "Link": "alignment.alignment",
    "Permutation": "order.permutation",
    "PermutationForest": "order.forest",
    "PermutationTree": "order.tree",
    "Rankings": "meta.judgements",
    "ReorderingProfile": "order.profile",
    "Scores": "meta.judgements",
    "TestSet": "meta.testsets",
    "Tightness": "order.tightness",
    "TreeEdit": "edit.tree_edits",
    "WeakFactorization": "order.weak",
    "align": "alignment.aligner",
    "align_many": "alignment.aligner",
    "average_operator": "order.factored",
    "bag_distance": "edit.rates",
    "cder": "edit.rates",
    "check_semi_tight": "order.tightness",
    "check_tight": "order.tightness",
    "compare": "metrics.comparison",
    "explain": "report.explanation",
    "footrule": "order.flat",
    "fuzzy": "order.flat",
    "hamming": "order.flat",
    "inversion_distance": "edit.inversion",
    "inversion_distances": "edit.inversion",
    "inversion_parse": "edit.bracketing",
    "invwer": "edit.rates",
    "kendall": "order.flat",
    "kendall_sqrt": "order.flat",
    "max_operator": "order.factored",
    "measures": "order.factored",
    "meta_evaluate": "meta.evaluation",
    "pef": "order.factored",
    "pef_beer": "order.factored",
    "per": "edit.rates",
    "pet": "order.factored",
    "pet_count": "order.factored",
    "pet_size": "order.factored",
    "read_alignments": "alignment.pharaoh",
    "read_test_sets": "meta.testsets",
    "read_trees": "syntax.conllu",
    "reordering_profile": "order.profile",
    "score": "metrics.scoring",
    "spearman": "order.flat",
    "tree_distance": "edit.tree_edits",
    "tree_distances": "edit.tree_edits",
    "tree_edit": "edit.tree_edits",
    "tune": "meta.tuning",
    "ulam": "order.flat",
    "wer": "edit.rates",
    "write_alignments": "alignment.pharaoh",
}

# Modules that are names of their own.
_NAMESPACES = {"complexity": "order.complexity", "metrics": "metrics"}


def __getattr__(name: str) -> Any:
    if name in _NAMESPACES:
        return importlib.import_module(f"hyperbaton.{_NAMESPACES[name]}")
    if name not in _MODULES:
        raise AttributeError(f"module 'hyperbaton' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"hyperbaton.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
