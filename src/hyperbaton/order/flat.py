"""The flat measures: a permutation as a sequence of numbers.

Most are in figure 2 of Stanojević & Sima'an 2014, who cite where each is from.
All are 1 for ⟨1, …, n⟩ and lie in [0, 1]; n = 0 scores 0 and n = 1 scores 1. None is slower
than O(n log n).
"""

from __future__ import annotations

from typing import Any

from hyperbaton import _core
from hyperbaton.order.batch import Batch, Floats, Measure, measure


def flat(function: Any) -> Measure:
    """``measure``, with its type."""
    public: Measure = measure(function)
    return public


@flat
def kendall(batch: Batch) -> Floats:
    """Kendall's tau, scaled to [0, 1]: the share of pairs that are in order.

    kendall(π) = #{i < j : π(i) < π(j)} / (n(n − 1)/2)

    >>> kendall([2, 4, 1, 3])
    0.5
    """
    return _core.kendall(*batch)


@flat
def kendall_sqrt(batch: Batch) -> Floats:
    """1 − √(1 − kendall): the square root that Birch et al. (2010) test, as Moses' scorer has it.

    It falls faster than ``kendall`` near perfect order.

    >>> kendall_sqrt([1, 2, 3, 5, 4]), kendall([1, 2, 3, 5, 4])
    (0.683772233983162, 0.9)
    """
    return _core.kendall_sqrt(*batch)


@flat
def spearman(batch: Batch) -> Floats:
    """Spearman's rho, scaled to [0, 1]: by how far words have moved, squared.

    spearman(π) = 1 − 3 Σ (πᵢ − i)² / (n(n² − 1))

    >>> spearman([2, 1, 3])
    0.75
    """
    return _core.spearman(*batch)


@flat
def footrule(batch: Batch) -> Floats:
    """Spearman's footrule, scaled to [0, 1]: by how far words have moved.

    footrule(π) = 1 − Σ |πᵢ − i| / ⌊n²/2⌋

    >>> footrule([2, 1, 3])
    0.5
    """
    return _core.footrule(*batch)


@flat
def hamming(batch: Batch) -> Floats:
    """The share of words in their very place.

    hamming(π) = #{i : πᵢ = i} / n

    >>> hamming([2, 1, 3, 4])
    0.5
    """
    return _core.hamming(*batch)


@flat
def ulam(batch: Batch) -> Floats:
    """The longest subsequence in order: all but the fewest words that would have to move.

    ulam(π) = (LCS(π, ⟨1, …, n⟩) − 1) / (n − 1)

    >>> ulam([5, 1, 2, 3, 4])
    0.75
    """
    return _core.ulam(*batch)


@flat
def fuzzy(batch: Batch) -> Floats:
    """The fuzzy reordering score (Talbot et al. 2011): in how few pieces the words come.

    fuzzy(π) = 1 − (c − 1)/(n − 1), c the number of monotone sub-permutations: the maximal runs
    in which each value follows the one before it.

    >>> fuzzy([4, 5, 1, 2, 3])
    0.75
    """
    return _core.fuzzy(*batch)
