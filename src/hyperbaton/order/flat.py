"""The flat measures, which treat a permutation as a sequence of numbers.

Most are in figure 2 of Stanojević & Sima'an 2014, with references to the original papers.
All lie in [0, 1] and are 1 for ⟨1, …, n⟩. n = 0 scores 0 and n = 1 scores 1. All take
O(n log n) time or less.
"""

from __future__ import annotations

from hyperbaton import _core
from hyperbaton.order.batch import Floats, MeasureFunction, Permutations, measure


@measure
def kendall(batch: Permutations) -> Floats:
    """Kendall's tau, scaled to [0, 1]: the share of pairs in order.

    kendall(π) = #{i < j : π(i) < π(j)} / (n(n − 1)/2)

    >>> kendall([2, 4, 1, 3])
    0.5
    """
    return _core.kendall(*batch)


@measure
def kendall_sqrt(batch: Permutations) -> Floats:
    """Square root of Kendall's tau as in Moses' scorer: 1 − √(1 − kendall).

    Birch et al. (2010) test it. It falls faster than ``kendall`` near perfect order.

    >>> kendall_sqrt([1, 2, 3, 5, 4]), kendall([1, 2, 3, 5, 4])
    (0.683772233983162, 0.9)
    """
    return _core.kendall_sqrt(*batch)


@measure
def spearman(batch: Permutations) -> Floats:
    """Spearman's rho, scaled to [0, 1]: squared distances that words moved.

    spearman(π) = 1 − 3 Σ (πᵢ − i)² / (n(n² − 1))

    >>> spearman([2, 1, 3])
    0.75
    """
    return _core.spearman(*batch)


@measure
def footrule(batch: Permutations) -> Floats:
    """Spearman's footrule, scaled to [0, 1]: distances that words moved.

    footrule(π) = 1 − Σ |πᵢ − i| / ⌊n²/2⌋

    >>> footrule([2, 1, 3])
    0.5
    """
    return _core.footrule(*batch)


@measure
def hamming(batch: Permutations) -> Floats:
    """Hamming similarity: the share of words in their exact position.

    hamming(π) = #{i : πᵢ = i} / n

    >>> hamming([2, 1, 3, 4])
    0.5
    """
    return _core.hamming(*batch)


@measure
def ulam(batch: Permutations) -> Floats:
    """Ulam similarity: the longest subsequence in order.

    The other words are the fewest that have to move.

    ulam(π) = (LCS(π, ⟨1, …, n⟩) − 1) / (n − 1)

    >>> ulam([5, 1, 2, 3, 4])
    0.75
    """
    return _core.ulam(*batch)


@measure
def fuzzy(batch: Permutations) -> Floats:
    """Fuzzy reordering score (Talbot et al. 2011): how few contiguous pieces the words form.

    fuzzy(π) = 1 − (c − 1)/(n − 1), where c is the number of monotone sub-permutations: the
    maximal runs in which each value is 1 more than the value before it.

    >>> fuzzy([4, 5, 1, 2, 3])
    0.75
    """
    return _core.fuzzy(*batch)


@measure
def breakpoints(batch: Permutations) -> Floats:
    """Share of neighbours that stay neighbours in order, with both ends of the sentence.

    breakpoints(π) = 1 − b/(n + 1), where b is the number of neighbours in ⟨0, π, n + 1⟩ that are
    not consecutive and rising. These are the breakpoints of Bafna & Pevzner 1998.

    >>> breakpoints([4, 5, 1, 2, 3])
    0.5
    """
    return _core.breakpoints(*batch)


# By name, for measures that score operators (``op_score`` of ``pet`` and ``pef``).
FLAT_MEASURES: dict[str, MeasureFunction] = {
    function.__name__: function
    for function in (
        kendall,
        kendall_sqrt,
        spearman,
        footrule,
        hamming,
        ulam,
        fuzzy,
        breakpoints,
    )
}
