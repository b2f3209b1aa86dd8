"""Complexity of permutations: functions of the operators of a tree.

Section 4 of Stanojević & Sima'an 2016: "A complexity metric C(·) is a function from weak
factorizations to non-negative reals", restricted there to functions F of the multiset of operators.
Each function here takes a ``WeakFactorization`` or a ``PermutationTree`` and reads its
``operators``; users can write their own in the same way. Higher values are more complex. All
values are exact: floats are converted to fractions without rounding.

``check_tight`` and ``check_semi_tight`` only compare values. These may be negative, because adding
a constant changes nothing.
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

ComplexityValue = int | float | Fraction
Complexity = Callable[[OperatorTree], ComplexityValue]
OperatorComplexity = Callable[[Permutation], ComplexityValue]  # C_o of the paper

__all__ = ["average", "maximum", "minus_nodes", "non_binary", "pet_choices"]


def minus_nodes(tree: OperatorTree) -> int:
    """−|O|, the negative number of operators. It is tight, because every step adds a node.

    The paper's "number of nodes in a PET", negated so that more nodes are less complex.
    n − 1 − |O| would be equivalent and never negative.

    >>> minus_nodes(Permutation([2, 4, 5, 6, 1, 3]).tree())
    -3
    """
    return -len(tree_operators(tree))


def average(ground: OperatorComplexity = len) -> Complexity:
    """AVG of C_o: (1/|O|) × Σ C_o(op) over the operators.

    Theorem 1 of the paper says that this is tight for any C_o that does not fall with the length
    of the operator. That is wrong; docs/permutation-complexity.md explains for which C_o it is
    tight. It is tight for ``len``.

    Parameters
    ----------
    ground : callable
        C_o, a function from an operator to a number; by default its length. It is called once for
        each distinct operator.

    Returns
    -------
    callable
        The complexity, a function of a tree.

    Examples
    --------
    >>> average()(Permutation([2, 4, 5, 6, 1, 3]).tree())
    Fraction(8, 3)
    """
    exact_ground = memoize_exactly(ground)

    def complexity(tree: OperatorTree) -> Fraction:
        operators = tree_operators(tree)
        require_operators("average", operators)
        return Fraction(sum(map(exact_ground, operators)), len(operators))

    return complexity


def maximum(ground: OperatorComplexity = len) -> Complexity:
    """MAX of C_o: the largest C_o(op) over the operators.

    With ``len`` it is semi-tight but not tight.

    Parameters
    ----------
    ground : callable
        C_o, as for ``average``.

    Returns
    -------
    callable
        The complexity, a function of a tree.

    Examples
    --------
    >>> maximum()(Permutation([2, 4, 5, 6, 1, 3]).tree())
    4
    """
    exact_ground = memoize_exactly(ground)

    def complexity(tree: OperatorTree) -> int | Fraction:
        operators = tree_operators(tree)
        require_operators("maximum", operators)
        return max(map(exact_ground, operators))

    return complexity


def non_binary(tree: OperatorTree) -> int:
    """Return the number of operators with more than two children.

    The paper calls it semi-tight. It is not: in ⟨1, 2, 3, 4, 5⟩ one node with five children
    factorizes into two nodes with three children each.

    >>> non_binary(Permutation([2, 4, 5, 6, 1, 3]).tree())
    1
    """
    return sum(len(operator) > 2 for operator in tree_operators(tree))


def pet_choices(tree: OperatorTree) -> int:
    """Return the Catalan product behind #PETs: how many PETs a weak factorization can lead to.

    The product of Catalan(k − 1) over all operators and, for each operator, over the chains of k
    children in its flattened PET. It is COUNT_pet of the permutation for the flattest weak
    factorization and 1 for a PET. The paper calls #PETs semi-tight "taking into account that
    flattened nodes receive operator length expressed as monotone decreasing in the Catalan
    number", without a formula over weak factorizations. This formula never rises in a step. It
    does not fall either if there is only one PET, as for ⟨1, 3, 2⟩.

    >>> from hyperbaton import WeakFactorization
    >>> pet_choices(WeakFactorization(Permutation([4, 3, 2, 1])))
    5
    """
    return math.prod(map(count_pets, tree_operators(tree)))


@lru_cache(maxsize=1 << 13)
def count_pets(operator: Permutation) -> int:
    """Return COUNT_pet of one operator."""
    return operator.forest().count()


def tree_operators(tree: OperatorTree) -> tuple[Permutation, ...]:
    """Return the operators of a tree; raise InputTypeError for anything else."""
    if not isinstance(tree, OperatorTree):
        kind = type(tree).__name__
        raise InputTypeError(f"complexity needs a tree or a weak factorization, got {kind}")
    return tree.operators


def memoize_exactly(ground: OperatorComplexity) -> Callable[[Permutation], int | Fraction]:
    """Wrap a user's C_o: call it once for each distinct operator and make its values exact."""
    if not callable(ground):
        raise InputTypeError(f"C_o must be a function of an operator, got {type(ground).__name__}")

    @cache
    def exact_ground(operator: Permutation) -> int | Fraction:
        value = as_finite_number(ground(operator), "C_o", operator)
        return int(value) if isinstance(value, int) else Fraction(value)

    return exact_ground


def as_finite_number(value: object, function: str, argument: object) -> ComplexityValue:
    """Convert what a user's function returned to a built-in number.

    Parameters
    ----------
    value : object
        What the function returned.
    function : str
        Name of the function, for error messages.
    argument : object
        Argument of the call, for error messages.

    Raises
    ------
    InputTypeError
        If the value is not a real number.
    InputError
        If it is infinite or NaN.
    """
    if type(value) is int or type(value) is Fraction:
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError(f"{function}({argument}) must be a number, got {value!r}")
    if not math.isfinite(value):
        raise InputError(f"{function}({argument}) is {value!r}, but it must be finite")
    return Fraction(value) if isinstance(value, Rational) else float(value)


def require_operators(name: str, operators: tuple[Permutation, ...]) -> None:
    """Raise InputError if there are no operators: one word has no complexity."""
    if not operators:
        raise InputError(f"a single value has no operators, so it has no {name}")
