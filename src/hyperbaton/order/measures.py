"""The measures of permutations.

The flat measures treat a permutation as a sequence of numbers. Most are in figure 2 of Stanojević &
Sima'an 2014, with references to the original papers. All lie in [0, 1] and are 1 for ⟨1, …, n⟩.
n = 0 scores 0 and n = 1 scores 1. All take O(n log n) time or less. The others are measures over
permutation trees and forests.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, Protocol, Unpack, overload

import numpy as np

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.order.batch import (
    AsGiven,
    AtOffsets,
    Floats,
    ManyPermutations,
    MeasureFunction,
    OnePermutation,
    Permutations,
    accept_permutations,
    as_batch,
    measure,
)
from hyperbaton.order.permutation import Integers, Permutation

MINIMUM_BEER_BETA = 1e-6  # at which pef_beer still has 10 correct digits
OpScore = str | Callable[[Permutation], float]


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
    for function in (kendall, kendall_sqrt, spearman, footrule, hamming, ulam, fuzzy, breakpoints)
}


class RecursiveMeasure(Protocol):
    """Type of ``pet`` and ``pef``."""

    @overload
    def __call__(
        self,
        permutation: OnePermutation,
        beta: float = ...,
        gamma: float = ...,
        op_score: OpScore | None = ...,
        **rest: Unpack[AsGiven],
    ) -> float: ...
    @overload
    def __call__(
        self,
        permutation: ManyPermutations,
        beta: float = ...,
        gamma: float = ...,
        op_score: OpScore | None = ...,
        **rest: Unpack[AsGiven],
    ) -> Floats: ...
    @overload
    def __call__(
        self,
        permutation: OnePermutation | Integers,
        beta: float = ...,
        gamma: float = ...,
        op_score: OpScore | None = ...,
        **rest: Unpack[AtOffsets],
    ) -> Floats: ...
    @overload
    def __call__(
        self,
        permutation: Integers,
        beta: float = ...,
        gamma: float = ...,
        op_score: OpScore | None = ...,
        **rest: Unpack[AsGiven],
    ) -> Any: ...


class BeerMeasure(Protocol):
    """Type of ``pef_beer``."""

    @overload
    def __call__(
        self, permutation: OnePermutation, beta: float = ..., **rest: Unpack[AsGiven]
    ) -> float: ...
    @overload
    def __call__(
        self, permutation: ManyPermutations, beta: float = ..., **rest: Unpack[AsGiven]
    ) -> Floats: ...
    @overload
    def __call__(
        self, permutation: OnePermutation | Integers, beta: float = ..., **rest: Unpack[AtOffsets]
    ) -> Floats: ...
    @overload
    def __call__(
        self, permutation: Integers, beta: float = ..., **rest: Unpack[AsGiven]
    ) -> Any: ...


def recursive_measure(function: Any) -> RecursiveMeasure:
    """Turn a function of a batch into the public ``pet`` or ``pef``."""
    public: RecursiveMeasure = accept_permutations(function)
    return public


def beer_measure(function: Any) -> BeerMeasure:
    """Turn a function of a batch into the public ``pef_beer``."""
    public: BeerMeasure = accept_permutations(function)
    return public


@recursive_measure
def pet(
    batch: Permutations, beta: float = 0.6, gamma: float = 0.0, op_score: OpScore | None = None
) -> Floats:
    """PETscore: a recursive score of the operators of the canonical permutation tree.

    Figure 6 of Stanojević & Sima'an 2014. A leaf scores 1. A node whose children are all leaves
    scores opScore of its operator. Any other node scores β·opScore + (1 − β)·(mean over its
    non-leaf children). The canonical tree is left-branching.

    Parameters
    ----------
    permutation : permutation, sequence of permutations, or array
        One permutation or many, or flat values with ``offsets``.
    beta : float
        Weight of an operator against the operators below it, in [0, 1].
    gamma : float
        opScore of ⟨2,1⟩, in [0, 1]. That of ⟨1,2⟩ is 1 and that of any other operator 0.
    op_score : str or callable, optional
        Another opScore: the name of a flat measure, or a function from the operator, a
        ``Permutation``, to a number in [0, 1]. It is called once for each distinct operator.
    offsets : array, optional
        Where each permutation starts in the flat values, and the end of the last.
    threads : int, optional
        Number of threads; by default all cores.

    Returns
    -------
    float or array
        A float for one permutation, otherwise an array with one value per permutation.

    Examples
    --------
    >>> pet([2, 4, 5, 6, 1, 3])
    0.4
    >>> pet([2, 4, 5, 6, 1, 3], op_score="kendall")
    0.7
    """
    return _score_recursively(_core.pet, batch, beta, gamma, op_score)


@recursive_measure
def pef(
    batch: Permutations, beta: float = 0.6, gamma: float = 0.0, op_score: OpScore | None = None
) -> Floats:
    """PEFscore: ``pet`` over all permutation trees instead of one.

    Figure 6 of Stanojević & Sima'an 2014. Like ``pet``, but a node averages over its inferences
    (all ways to split it), and each inference averages over its non-leaf children. Takes
    O(n + Σ k²) time, the sum being over the chains of k children that are not all leaves. A chain
    of leaves scores opScore, whatever its length.

    Parameters
    ----------
    permutation : permutation, sequence of permutations, or array
        One permutation or many, or flat values with ``offsets``.
    beta : float
        Weight of an operator against the operators below it, in [0, 1].
    gamma : float
        opScore of ⟨2,1⟩, in [0, 1]. That of ⟨1,2⟩ is 1 and that of any other operator 0.
    op_score : str or callable, optional
        Another opScore, as for ``pet``.
    offsets, threads
        As for ``pet``.

    Returns
    -------
    float or array
        A float for one permutation, otherwise an array with one value per permutation.

    Examples
    --------
    >>> round(pef([2, 1, 3, 4]), 12), pet([2, 1, 3, 4])
    (0.82, 0.84)
    >>> pef([2, 4, 1, 3], op_score=lambda operator: 1 / len(operator))
    0.25
    """
    return _score_recursively(_core.pef, batch, beta, gamma, op_score)


@beer_measure
def pef_beer(batch: Permutations, beta: float = 0.6) -> Floats:
    """PEF as computed by BEER 1.1, its authors' released program. It differs from ``pef``.

    Every node scores β·opScore + (1 − β)·Σ (child score × child span / span) over all its
    children, including leaves with score 1. The raw score x is averaged over all PETs, not over
    inferences, and scaled to (x − x_rev)/(1 − x_rev), where x_rev is the raw score of ⟨n, …, 1⟩.
    opScore is 1 for ⟨1,2⟩, else 0.

    The value is at most 1 and can fall a little below 0, because ⟨n, …, 1⟩ does not have the
    lowest raw score: ⟨5, 7, 4, 6, 3, 2, 1⟩ has a lower one at β = 0.9.

    Parameters
    ----------
    permutation : permutation, sequence of permutations, or array
        One permutation or many, or flat values with ``offsets``.
    beta : float
        Weight of an operator, from 1e-6 to 1. At 0 the value would be 0/0.
    offsets, threads
        As for ``pet``.

    Returns
    -------
    float or array
        A float for one permutation, otherwise an array with one value per permutation.

    Examples
    --------
    >>> pef_beer([3, 2, 1]), round(pef_beer([1, 2, 3, 5, 4]), 2)
    (0.0, 0.93)
    """
    _check_unit_interval("beta", beta)
    if beta < MINIMUM_BEER_BETA:
        raise InputError(
            f"beta of pef_beer must be at least {MINIMUM_BEER_BETA}, got {beta}: near 0 it is 0/0"
        )
    return _core.pef_beer(*batch, float(beta))


@measure
def pet_size(batch: Permutations) -> Floats:
    """|PET|: the number of operators, relative to ⟨1, …, n⟩.

    |PET|(π) = (COUNT_node(PET(π)) − 1) / (n − 2); 1 at n = 2, where that is 0/0.
    Figure 7 of Stanojević & Sima'an 2016.

    It measures how far a permutation factorizes, not how much of it is in order:
    ⟨n, …, 1⟩ scores 1.

    >>> pet_size([2, 4, 5, 6, 1, 3]), pet_size([3, 2, 1])
    (0.5, 1.0)
    """
    return _core.pet_size(*batch)


@measure
def pet_count(batch: Permutations) -> Floats:
    """#PETs: the number of permutation trees, relative to ⟨1, …, n⟩.

    #PETs(π) = (COUNT_pet(PEF(π)) − 1) / (Catalan(n − 1) − 1); 1 at n = 2, where that is 0/0.
    Figure 7 of Stanojević & Sima'an 2016.

    It measures how many bracketings are possible, not order: ⟨n, …, 1⟩ scores 1. The relative
    error is below 1e-12; a quotient too small for a float is 0. ``p.forest().count()`` returns
    the exact number of trees.

    >>> pet_count([2, 4, 5, 6, 1, 3]) == (2 - 1) / (42 - 1)
    True
    """
    return _core.pet_count(*batch)


@measure
def max_operator(batch: Permutations) -> Floats:
    """MAX|Op|: 1 − the length of the longest operator, scaled from [2, n] to [0, 1].

    MAX|Op|(π) = 1 − (MaxOp(PET(π)) − 2) / (n − 2); 1 at n = 2, where that is 0/0.
    Figure 7 of Stanojević & Sima'an 2016.

    It measures how far a permutation factorizes, not order: ⟨n, …, 1⟩ scores 1.

    >>> max_operator([2, 4, 5, 6, 1, 3]), max_operator([2, 4, 1, 3])
    (0.5, 0.0)
    """
    return _core.max_operator(*batch)


@measure
def average_operator(batch: Permutations) -> Floats:
    """AVG|Op|: 1 − the average length of the operators, scaled from [2, n] to [0, 1].

    AVG|Op|(π) = 1 − (AVG − 2) / (n − 2), where AVG is the mean of |op| over the operators of a
    PET; 1 at n = 2, where that is 0/0. The tight metric of section 4 of Stanojević & Sima'an
    2016, scaled as figure 7 there scales MAX|Op|.

    A tree with N operators has AVG = 1 + (n − 1)/N. Permutations of the same length are therefore
    ranked as ``pet_size`` ranks them. It measures how far a permutation factorizes, not order:
    ⟨n, …, 1⟩ scores 1.

    >>> average_operator([2, 4, 5, 6, 1, 3]), average_operator([2, 4, 1, 3])
    (0.8333333333333334, 0.0)
    """
    return _core.average_operator(*batch)


def measures(
    perms: ManyPermutations | OnePermutation | Integers,
    offsets: OnePermutation | Integers | None = None,
    threads: int | None = None,
) -> dict[str, Floats]:
    """Compute every measure with its default options, building one tree per permutation.

    Parameters
    ----------
    perms : sequence of permutations, permutation, or array
        The permutations, or flat values with ``offsets``.
    offsets : array, optional
        Where each permutation starts in the flat values, and the end of the last.
    threads : int, optional
        Number of threads; by default all cores.

    Returns
    -------
    dict of str to array
        For each measure, one value per permutation. One permutation gives arrays of length 1,
        and ``[]`` gives arrays of length 0.

    Examples
    --------
    >>> table = measures([[1, 2, 3], [2, 4, 1, 3]])
    >>> list(table)[:3]
    ['kendall', 'kendall_sqrt', 'spearman']
    >>> table["kendall"]
    array([1. , 0.5])
    """
    if offsets is None and isinstance(perms, (list, tuple)) and not perms:
        offsets = [0]
    batch, _ = as_batch(perms, offsets, threads)
    return _core.measures(*batch)


def _score_recursively(
    score: Any, batch: Permutations, beta: float, gamma: float, op_score: OpScore | None
) -> Floats:
    _check_unit_interval("beta", beta)
    _check_unit_interval("gamma", gamma)
    scores: Floats
    if op_score is None:
        scores = score(*batch, float(beta), float(gamma))
        return scores
    if gamma != 0:
        raise InputError(
            "gamma and op_score exclude each other: gamma is the default opScore of ⟨2,1⟩"
        )
    operators, starts, nodes = _core.operators(*batch)
    if callable(op_score):
        operator_scores = _call_once_per_operator(op_score, operators, starts)
    elif op_score in FLAT_MEASURES:
        function = FLAT_MEASURES[op_score]
        operator_scores = function(operators, offsets=starts, threads=batch.threads)
    else:
        names = ", ".join(FLAT_MEASURES)
        raise InputError(f"op_score must be a function or one of {names}, got {op_score!r}")
    scores = score(*batch, float(beta), operator_scores, nodes)
    return scores


def _call_once_per_operator(
    function: Callable[[Permutation], float], operators: Any, starts: Any
) -> Floats:
    """Score operators with a user's function, calling it once for each distinct operator."""
    known: dict[bytes, float] = {}
    scores = np.empty(len(starts) - 1)
    for k, (start, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        values = operators[start:end]
        key = values.tobytes()
        if key not in known:
            operator = Permutation(values)
            answer = function(operator)
            try:
                known[key] = float(answer)
            except (TypeError, ValueError):
                raise InputTypeError(
                    f"op_score({operator}) must be a number, got {answer!r}"
                ) from None
            if not 0 <= known[key] <= 1:
                raise InputError(f"op_score({operator}) is {answer!r}, but it must lie in [0, 1]")
        scores[k] = known[key]
    return scores


def _check_unit_interval(name: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError(f"{name} must be a number, got {type(value).__name__}")
    if math.isnan(value) or not 0 <= value <= 1:
        raise InputError(f"{name} is {value}, but it must lie in [0, 1]")
