"""The measures over permutation trees and forests, and all measures at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, Protocol, overload

import numpy as np

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.order import flat
from hyperbaton.order.batch import (
    Batch,
    Floats,
    Many,
    Measure,
    One,
    as_batch,
    measure,
)
from hyperbaton.order.permutation import Integers, Permutation

LEAST_BETA = 1e-6  # of pef_beer: there, 10 of its digits are left
OpScore = str | Callable[[Permutation], float]
FLAT_MEASURES: dict[str, Measure] = {
    function.__name__: function
    for function in (
        flat.kendall,
        flat.kendall_sqrt,
        flat.spearman,
        flat.footrule,
        flat.hamming,
        flat.ulam,
        flat.fuzzy,
    )
}


class RecursiveMeasure(Protocol):
    """``pet`` or ``pef``."""

    @overload
    def __call__(
        self,
        permutation: One,
        beta: float = ...,
        gamma: float = ...,
        op_score: OpScore | None = ...,
        *,
        offsets: None = ...,
        threads: int | None = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        permutation: Many,
        beta: float = ...,
        gamma: float = ...,
        op_score: OpScore | None = ...,
        *,
        offsets: None = ...,
        threads: int | None = ...,
    ) -> Floats: ...
    @overload
    def __call__(
        self,
        permutation: One | Integers,
        beta: float = ...,
        gamma: float = ...,
        op_score: OpScore | None = ...,
        *,
        offsets: One | Integers,
        threads: int | None = ...,
    ) -> Floats: ...
    @overload
    def __call__(
        self,
        permutation: Integers,
        beta: float = ...,
        gamma: float = ...,
        op_score: OpScore | None = ...,
        *,
        offsets: None = ...,
        threads: int | None = ...,
    ) -> Any: ...


class BeerMeasure(Protocol):
    """``pef_beer``."""

    @overload
    def __call__(
        self, permutation: One, beta: float = ..., *, offsets: None = ..., threads: int | None = ...
    ) -> float: ...
    @overload
    def __call__(
        self,
        permutation: Many,
        beta: float = ...,
        *,
        offsets: None = ...,
        threads: int | None = ...,
    ) -> Floats: ...
    @overload
    def __call__(
        self,
        permutation: One | Integers,
        beta: float = ...,
        *,
        offsets: One | Integers,
        threads: int | None = ...,
    ) -> Floats: ...
    @overload
    def __call__(
        self,
        permutation: Integers,
        beta: float = ...,
        *,
        offsets: None = ...,
        threads: int | None = ...,
    ) -> Any: ...


def recursive(function: Any) -> RecursiveMeasure:
    """``measure``, with its type."""
    public: RecursiveMeasure = measure(function)
    return public


def beer(function: Any) -> BeerMeasure:
    """``measure``, with its type."""
    public: BeerMeasure = measure(function)
    return public


@recursive
def pet(
    batch: Batch, beta: float = 0.6, gamma: float = 0.0, op_score: OpScore | None = None
) -> Floats:
    """PETscore: the operators of the canonical tree, from the root down.

    Figure 6 of Stanojević & Sima'an 2014.
    A leaf scores 1; a node whose children are all leaves scores opScore of its operator;
    any other β·opScore + (1 − β)·(mean over its children that are not leaves). The tree is the
    canonical one, left-branching.

    :param beta: the weight of the operator against what is below it, in [0, 1].
    :param gamma: opScore of ⟨2,1⟩, in [0, 1]; that of ⟨1,2⟩ is 1 and of any other operator 0.
    :param op_score: another opScore: the name of a flat measure, or a function from a
        ``Permutation``, the operator, to a number in [0, 1]. It is asked once for each
        operator that occurs.

    >>> pet([2, 4, 5, 6, 1, 3])
    0.4
    >>> pet([2, 4, 5, 6, 1, 3], op_score="kendall")
    0.7
    """
    return _recursive(_core.pet, batch, beta, gamma, op_score)


@recursive
def pef(
    batch: Batch, beta: float = 0.6, gamma: float = 0.0, op_score: OpScore | None = None
) -> Floats:
    """PEFscore: ``pet`` over all permutation trees instead of one.

    Figure 6 of Stanojević & Sima'an 2014.
    As ``pet``, but a node averages over its inferences, all ways to split it, and each of these
    over its children that are not leaves. Takes O(n + Σ k²) over the chains of k children that
    are not all leaves; a chain of leaves scores opScore, however long.

    :param beta: the weight of the operator against what is below it, in [0, 1].
    :param gamma: opScore of ⟨2,1⟩, in [0, 1]; that of ⟨1,2⟩ is 1 and of any other operator 0.
    :param op_score: another opScore, as for ``pet``.

    >>> round(pef([2, 1, 3, 4]), 12), pet([2, 1, 3, 4])
    (0.82, 0.84)
    >>> pef([2, 4, 1, 3], op_score=lambda operator: 1 / len(operator))
    0.25
    """
    return _recursive(_core.pef, batch, beta, gamma, op_score)


@beer
def pef_beer(batch: Batch, beta: float = 0.6) -> Floats:
    """PEF as its authors' released program, BEER 1.1, has it: another measure than ``pef``.

    Every node scores β·opScore + (1 − β)·Σ (child score × child span / span) over all its
    children, leaves included with score 1; averaged over all PETs, not over inferences; then
    (x − x_rev)/(1 − x_rev), x_rev being the raw score of ⟨n, …, 1⟩. opScore is 1 for ⟨1,2⟩, else 0.

    This stays below 1 and may fall a little below 0: ⟨n, …, 1⟩ does not have the very lowest raw
    score, as ⟨5, 7, 4, 6, 3, 2, 1⟩ shows at β = 0.9.

    :param beta: the weight of the operator, from 1e-6 to 1: near 0 all is 0/0.

    >>> pef_beer([3, 2, 1]), round(pef_beer([1, 2, 3, 5, 4]), 2)
    (0.0, 0.93)
    """
    _check_share("beta", beta)
    if beta < LEAST_BETA:
        raise InputError(
            f"beta is {beta}, but pef_beer needs {LEAST_BETA} or more: near 0 it is 0/0"
        )
    return _core.pef_beer(*batch, float(beta))


@flat.flat
def pet_size(batch: Batch) -> Floats:
    """|PET|: the number of operators, over that of ⟨1, …, n⟩.

    |PET|(π) = (COUNT_node(PET(π)) − 1) / (n − 2); 1 at n = 2, where that is 0/0.
    Figure 7 of Stanojević & Sima'an 2016.

    It measures how far a permutation factorizes, not how much of it is in order:
    ⟨n, …, 1⟩ scores 1.

    >>> pet_size([2, 4, 5, 6, 1, 3]), pet_size([3, 2, 1])
    (0.5, 1.0)
    """
    return _core.pet_size(*batch)


@flat.flat
def pet_count(batch: Batch) -> Floats:
    """#PETs: the number of permutation trees, over that of ⟨1, …, n⟩.

    #PETs(π) = (COUNT_pet(PEF(π)) − 1) / (Catalan(n − 1) − 1); 1 at n = 2, where that is 0/0.
    Figure 7 of Stanojević & Sima'an 2016.

    It measures the freedom to bracket, not order: ⟨n, …, 1⟩ scores 1. Right to 1e-12; 0 where
    the quotient is too small for a float. ``p.forest().count()`` is the exact number.

    >>> pet_count([2, 4, 5, 6, 1, 3]) == (2 - 1) / (42 - 1)
    True
    """
    return _core.pet_count(*batch)


@flat.flat
def max_operator(batch: Batch) -> Floats:
    """MAX|Op|: 1 less the length of the longest operator, over [2..n].

    MAX|Op|(π) = 1 − (MaxOp(PET(π)) − 2) / (n − 2); 1 at n = 2, where that is 0/0.
    Figure 7 of Stanojević & Sima'an 2016.

    It measures how far a permutation factorizes, not order: ⟨n, …, 1⟩ scores 1.

    >>> max_operator([2, 4, 5, 6, 1, 3]), max_operator([2, 4, 1, 3])
    (0.5, 0.0)
    """
    return _core.max_operator(*batch)


@flat.flat
def average_operator(batch: Batch) -> Floats:
    """AVG|Op|: 1 less the average length of the operators, over [2..n].

    AVG|Op|(π) = 1 − (AVG − 2) / (n − 2), with AVG the mean of |op| over the operators of a PET;
    1 at n = 2, where that is 0/0. The tight metric of section 4 of Stanojević & Sima'an 2016,
    scaled as figure 7 there scales MAX|Op|.

    A tree of N operators has AVG = 1 + (n − 1)/N: among permutations of one length this ranks as
    ``pet_size`` does. It measures how far a permutation factorizes, not order: ⟨n, …, 1⟩ scores 1.

    >>> average_operator([2, 4, 5, 6, 1, 3]), average_operator([2, 4, 1, 3])
    (0.8333333333333334, 0.0)
    """
    return _core.average_operator(*batch)


def measures(
    perms: Many | One | Integers,
    offsets: One | Integers | None = None,
    threads: int | None = None,
) -> dict[str, Floats]:
    """Every measure, with its default options, from one tree per permutation.

    :param perms: a sequence of permutations, or flat values with ``offsets``.
    :return: for each name, as many numbers as there are permutations. Always arrays, also for
        one permutation (of length 1) and for ``[]`` (of length 0).

    >>> table = measures([[1, 2, 3], [2, 4, 1, 3]])
    >>> list(table)
    ['kendall', 'kendall_sqrt', 'spearman', 'footrule', 'hamming', 'ulam', 'fuzzy', 'pet', 'pef',
     'pef_beer', 'pet_size', 'pet_count', 'max_operator', 'average_operator']
    >>> table["kendall"]
    array([1. , 0.5])
    """
    if offsets is None and isinstance(perms, (list, tuple)) and not perms:
        offsets = [0]
    batch, _ = as_batch(perms, offsets, threads)
    return _core.measures(*batch)


def _recursive(
    score: Any, batch: Batch, beta: float, gamma: float, op_score: OpScore | None
) -> Floats:
    _check_share("beta", beta)
    _check_share("gamma", gamma)
    scores: Floats
    if op_score is None:
        scores = score(*batch, float(beta), float(gamma))
        return scores
    if gamma != 0:
        raise InputError("gamma is opScore of ⟨2,1⟩: it has no meaning beside op_score")
    operators, starts, nodes = _core.operators(*batch)
    if callable(op_score):
        given = _call(op_score, operators, starts)
    elif op_score in FLAT_MEASURES:
        given = FLAT_MEASURES[op_score](operators, offsets=starts, threads=batch.threads)
    else:
        known = ", ".join(FLAT_MEASURES)
        raise InputError(f"op_score is {op_score!r}, but it is a function or one of {known}")
    scores = score(*batch, float(beta), given, nodes)
    return scores


def _call(function: Callable[[Permutation], float], operators: Any, starts: Any) -> Floats:
    """A user's operator score, asked once for each operator that occurs."""
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
                raise InputTypeError(f"op_score({operator}) is {answer!r}, not a number") from None
            if not 0 <= known[key] <= 1:
                raise InputError(f"op_score({operator}) is {answer!r}, but it must lie in [0, 1]")
        scores[k] = known[key]
    return scores


def _check_share(name: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError(f"{name} is a number, not {type(value).__name__}")
    if math.isnan(value) or not 0 <= value <= 1:
        raise InputError(f"{name} is {value}, but it must lie in [0, 1]")
