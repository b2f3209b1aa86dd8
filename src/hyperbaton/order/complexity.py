"""Permutation complexity: functions over the operators of a tree, higher for what is more complex.

Section 4 of Stanojević & Sima'an 2016: "A complexity metric C(·) is a function from weak
factorizations to non-negative reals", narrowed there to functions F of the multiset of operators.
Each function here takes a ``WeakFactorization`` or a ``PermutationTree`` and reads its
``operators``; so does one of your own. All are exact: a float is taken for the number it is.

Only the order of the numbers matters to ``check_tight`` and ``check_semi_tight``, and they may be
negative: adding a constant changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from numbers import Rational, Real

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.order.nodes import OperatorTree
from hyperbaton.order.permutation import Permutation

Number = int | float | Fraction
Complexity = Callable[[OperatorTree], Number]
Ground = Callable[[Permutation], Number]

__all__ = ["average", "maximum", "minus_nodes", "non_binary", "pet_choices"]


def minus_nodes(tree: OperatorTree) -> int:
    """−|O|: less the number of operators; tight, for every step adds a node.

    The paper's "number of nodes in a PET", with the sign that makes more nodes less complex.
    n − 1 − |O| would be the same and never negative.

    >>> minus_nodes(Permutation([2, 4, 5, 6, 1, 3]).tree())
    -3
    """
    return -len(operators_of(tree))


def average(ground: Ground = len) -> Complexity:
    """AVG of C_o: (1/|O|) × Σ C_o(op) over the operators.

    Theorem 1 calls it tight for any C_o that does not fall with the length of the operator. It is
    not: docs/permutation-complexity.md says for which it is. With ``len``, it is.

    :param ground: C_o, from an operator to a number; by default its length. It is asked once for
        each operator that occurs.

    >>> average()(Permutation([2, 4, 5, 6, 1, 3]).tree())
    Fraction(8, 3)
    """
    known = exactly(ground)

    def complexity(tree: OperatorTree) -> Fraction:
        operators = operators_of(tree)
        return Fraction(sum(map(known, operators)), at_least_one("average", operators))

    return complexity


def maximum(ground: Ground = len) -> Complexity:
    """MAX of C_o: the largest C_o(op) over the operators.

    With ``len`` it is semi-tight, and not tight.

    :param ground: C_o, as for ``average``.

    >>> maximum()(Permutation([2, 4, 5, 6, 1, 3]).tree())
    4
    """
    known = exactly(ground)

    def complexity(tree: OperatorTree) -> int | Fraction:
        operators = operators_of(tree)
        at_least_one("maximum", operators)
        return max(map(known, operators))

    return complexity


def non_binary(tree: OperatorTree) -> int:
    """The number of operators of more than two children.

    The paper calls it semi-tight. It is not: in ⟨1, 2, 3, 4, 5⟩ one node of five children
    factorizes into two of three.

    >>> non_binary(Permutation([2, 4, 5, 6, 1, 3]).tree())
    1
    """
    return sum(len(operator) > 2 for operator in operators_of(tree))


def pet_choices(tree: OperatorTree) -> int:
    """The Catalan product behind #PETs: in how many PETs a weak factorization may end.

    ∏ over the operators, and for each over the chains of its flattened PET, of Catalan(k − 1) for
    a chain of k children: COUNT_pet of the permutation for the flattest one, 1 for a PET. The
    paper calls #PETs semi-tight "taking into account that flattened nodes receive operator length
    expressed as monotone decreasing in the Catalan number", without a formula over weak
    factorizations; this one never rises by a step. But where there is one PET only, as for
    ⟨1, 3, 2⟩, it does not fall either.

    >>> from hyperbaton import WeakFactorization
    >>> pet_choices(WeakFactorization(Permutation([4, 3, 2, 1])))
    5
    """
    return math.prod(map(count_pets, operators_of(tree)))


@lru_cache(maxsize=1 << 13)
def count_pets(operator: Permutation) -> int:
    """COUNT_pet of one operator."""
    return operator.forest().count()


def operators_of(tree: OperatorTree) -> tuple[Permutation, ...]:
    """Its operators; TypeError if it is not a tree."""
    if not isinstance(tree, OperatorTree):
        kind = type(tree).__name__
        raise InputTypeError(f"complexity is that of a tree or a weak factorization, not of {kind}")
    return tree.operators


def exactly(ground: Ground) -> Callable[[Permutation], int | Fraction]:
    """A user's C_o, asked once for each operator; its numbers are exact."""
    if not callable(ground):
        raise InputTypeError(f"C_o is a function of an operator, not {type(ground).__name__}")

    @cache
    def known(operator: Permutation) -> int | Fraction:
        answer = real(ground(operator), "C_o", operator)
        return int(answer) if isinstance(answer, int) else Fraction(answer)

    return known


def real(answer: object, function: str, of: object) -> Number:
    """A finite number as Python's own; otherwise an error that says what gave it, and of what."""
    if type(answer) is int or type(answer) is Fraction:
        return answer
    if isinstance(answer, bool) or not isinstance(answer, Real):
        raise InputTypeError(f"{function}({of}) is {answer!r}, not a number")
    if not math.isfinite(answer):
        raise InputError(f"{function}({of}) is {answer!r}, but it must be finite")
    return Fraction(answer) if isinstance(answer, Rational) else float(answer)


def at_least_one(name: str, operators: tuple[Permutation, ...]) -> int:
    """How many operators there are; ValueError if none, for one word has no complexity."""
    if not operators:
        raise InputError(f"one value has no operators: there is no {name}")
    return len(operators)
