"""The edit distance of dependency trees (DTED, McCaffery & Nederhof 2016).

Nodes are deleted on both sides until both trees are equal; the children of a deleted node take its
place. The remaining nodes are matched. By default a match costs 1, whatever the words are, and so
does a deletion: the distance is |a| + |b| − matches.

A tree is a list of heads: the position of the head of each token, from 1, or 0 for a root. There
may be several roots. Roots, and the children of a token, are in the order of the sentence.
Otherwise only the tree counts: edges may cross, so a tree need not be projective.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.edit.costs import (
    UNIT_COSTS,
    CostFunctions,
    Costs,
    PairCosts,
    UniformCosts,
    as_float_array,
    parse_costs,
    tree_nodes,
)
from hyperbaton.edit.tokens import as_list, as_pair
from hyperbaton.errors import InputError, InputTypeError, TreeError
from hyperbaton.presentation import NotebookDisplay
from hyperbaton.syntax.trees import DependencyTree, check_heads, head_range_error
from hyperbaton.text.display import visible
from hyperbaton.threads import thread_count

MAX_CELLS = 1 << 26  # largest product of the sizes of two trees that the core accepts
CELLS_PER_CALL = 1 << 22  # of the pairs that are compared together: 32 MB

Tree = Any  # a sequence of heads, or an object with heads and perhaps words and labels
Heads = npt.NDArray[np.int32] | npt.NDArray[np.int64]
Offsets = npt.NDArray[np.int64]
# All heads of the trees a and the offset of each tree, and the same for b.
PackedHeads = tuple[Heads, Offsets, Heads, Offsets]


@dataclass(frozen=True, slots=True)
class TreeEdit(NotebookDisplay):
    """The cheapest edit script that makes two trees equal. Positions count from 1, as heads do.

    Attributes
    ----------
    distance
        Cost of the script.
    matched
        Pairs of positions in a and b, in the order of a.
    deleted_a, deleted_b
        Positions that are deleted.
    heads_a, heads_b
        The trees.
    words_a, words_b
        Their words, or None if a tree has none.
    """

    distance: int | float
    matched: tuple[tuple[int, int], ...]
    deleted_a: tuple[int, ...]
    deleted_b: tuple[int, ...]
    heads_a: tuple[int, ...]
    heads_b: tuple[int, ...]
    words_a: tuple[Any, ...] | None = None
    words_b: tuple[Any, ...] | None = None

    def __str__(self) -> str:
        return self.draw()

    def draw(self, names: tuple[str, str] = ("a", "b")) -> str:
        """Return a table of deleted and matched tokens, like table 2 of the paper.

        Tokens are shown as words, or as positions if there are no words.

        Parameters
        ----------
        names : tuple of (str, str)
            Names of the two trees.

        Returns
        -------
        str
            The table.
        """
        from rich.cells import cell_len  # imported here: it is slow, and distances do not need it

        rows = [("", *names)]
        deleted = list(zip_longest(self.deleted_a, self.deleted_b))
        for title, pairs in ("Deleted", deleted), ("Matched", self.matched):
            for k, (i, j) in enumerate(pairs):
                cells = _token_text(self.words_a, i), _token_text(self.words_b, j)
                rows.append((title if k == 0 else "", *cells))
        widths = [max(cell_len(row[column]) for row in rows) for column in range(3)]
        padded = (
            [cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
            for row in rows
        )
        return "\n".join("  ".join(cells).rstrip() for cells in padded)

    def to_dict(self) -> dict[str, Any]:
        """Return the script as JSON types, if the words are JSON types."""
        return {
            "distance": self.distance,
            "matched": [list(pair) for pair in self.matched],
            "deleted_a": list(self.deleted_a),
            "deleted_b": list(self.deleted_b),
            "heads_a": list(self.heads_a),
            "heads_b": list(self.heads_b),
            "words_a": self.words_a and list(self.words_a),
            "words_b": self.words_b and list(self.words_b),
        }


def _token_text(words: tuple[Any, ...] | None, position: int | None) -> str:
    if position is None:
        return ""
    return visible(str(position if words is None else words[position - 1]))


def tree_distance(a: Tree, b: Tree, costs: Costs = None) -> int | float:
    """Tree edit distance: the cost of the cheapest script that makes two trees equal.

    Parameters
    ----------
    a, b
        A sequence of heads; an object with ``heads`` and optionally ``words`` and ``labels``; a
        sentence of the library ``conllu``; or a spaCy ``Doc``.
    costs
        A mapping or an object with ``delete`` and ``match``, 1 by default. Each is a number, a
        function of one or two ``TreeNode``, or a table that maps labels or pairs of labels to
        numbers, 1 by default. ``math.inf`` forbids a match.

    Returns
    -------
    int or float
        An int if all costs are integers. Costs are added up exactly.

    Examples
    --------
    >>> from hyperbaton import DependencyTree, tree_distance
    >>> hypothesis, reference = [2, 5, 2, 3, 0, 5, 5], [2, 3, 0, 5, 3, 3, 8, 6, 3]
    >>> tree_distance(hypothesis, reference)
    10
    >>> tree_distance(hypothesis, hypothesis)
    7
    >>> tree_distance([], reference)
    9
    >>> tree_distance(hypothesis, reference, costs={"match": 0})
    4
    >>> a, b = DependencyTree("no , you".split(), [3, 3, 0], ["intj", "punct", "root"]), [2, 0]
    >>> tree_distance(a, b), tree_distance(a, b, costs={"delete": {"punct": 0}})
    (3, 2)
    """
    tree_costs = parse_costs(costs)
    pair = _TreePair.create(a, b)
    heads = _pack_heads([pair])
    if isinstance(tree_costs, UniformCosts):
        matches = int(_call_with_one_pair(_core.tree_matches, *heads, 1)[0])
        return tree_costs.distance(sum(pair.sizes), matches)
    pair_costs = _evaluate_costs(tree_costs, [pair])[0]
    saved = _call_with_one_pair(_core.tree_savings, *heads, pair_costs.savings, 1)
    return pair_costs.distance(int(saved[0]))


def tree_edit(a: Tree, b: Tree, costs: Costs = None) -> TreeEdit:
    """Return the cheapest edit script that makes two trees equal.

    The parameters are those of :func:`hyperbaton.tree_distance`. Ties are broken
    deterministically. Of the remaining forests, consider the last root of each: they are matched
    if a cheapest script does so; otherwise that of a is deleted if a cheapest script does so;
    otherwise that of b.

    Parameters
    ----------
    a, b : tree
        The trees, in the forms that :func:`hyperbaton.tree_distance` accepts.
    costs : mapping or object, optional
        Costs as for :func:`hyperbaton.tree_distance`.

    Returns
    -------
    TreeEdit
        The script: its distance, and the matched and deleted tokens.

    Examples
    --------
    >>> from hyperbaton import tree_edit
    >>> edit = tree_edit([2, 5, 2, 3, 0, 5, 5], [2, 3, 0, 5, 3, 3, 8, 6, 3])
    >>> edit.distance, edit.deleted_a, edit.deleted_b
    (10, (2,), (1, 7, 8))
    >>> edit.matched
    ((1, 2), (3, 5), (4, 4), (5, 3), (6, 6), (7, 9))
    """
    tree_costs = parse_costs(costs)
    pair = _TreePair.create(a, b)
    heads = _pack_heads([pair])
    if isinstance(tree_costs, UniformCosts):
        if tree_costs.saving <= 0:
            _check_pairs([pair])
        savings = tree_costs.savings(math.prod(pair.sizes))
    else:
        pair_costs = _evaluate_costs(tree_costs, [pair])[0]
        savings = pair_costs.savings
    saved, i, j = _call_with_one_pair(_core.tree_mapping, heads[0], heads[2], savings, -1)
    matched = tuple((x + 1, y + 1) for x, y in zip(i.tolist(), j.tolist(), strict=True))
    if isinstance(tree_costs, UniformCosts):
        distance = tree_costs.distance(sum(pair.sizes), len(matched))
    else:
        distance = pair_costs.distance(saved)
    matched_a, matched_b = {x for x, _ in matched}, {y for _, y in matched}
    return TreeEdit(
        distance=distance,
        matched=matched,
        deleted_a=tuple(x for x in range(1, pair.sizes[0] + 1) if x not in matched_a),
        deleted_b=tuple(y for y in range(1, pair.sizes[1] + 1) if y not in matched_b),
        heads_a=tuple(map(operator.index, pair.a.heads)),
        heads_b=tuple(map(operator.index, pair.b.heads)),
        words_a=pair.a.words,
        words_b=pair.b.words,
    )


def tree_distances(
    pairs: Iterable[Sequence[Tree]], threads: int | None = None, costs: Costs = None
) -> npt.NDArray[np.float64]:
    """Tree edit distance of each pair.

    Trees and costs are those of :func:`hyperbaton.tree_distance`. ``threads`` is the number of
    threads, by default one per core; the result does not depend on it. Cost functions are called
    on one thread and take most of the time.

    Parameters
    ----------
    pairs : iterable of pairs of trees
        The trees, in the forms that :func:`hyperbaton.tree_distance` accepts.
    threads : int, optional
        Number of threads; by default all cores. The result does not depend on it.
    costs : mapping or object, optional
        Costs as for :func:`hyperbaton.tree_distance`.

    Returns
    -------
    array of float64
        One distance for each pair.

    Examples
    --------
    >>> from hyperbaton import tree_distances
    >>> tree_distances([([0, 1], [0, 1, 1]), ([2, 0], [0, 1]), ([], [])])
    array([3., 2., 0.])
    """
    tree_costs = parse_costs(costs)
    count = thread_count(threads)
    pair_list = as_list(pairs, "pairs", "pairs")
    if isinstance(tree_costs, UniformCosts):
        heads = _read_heads(pair_list)
        sizes = np.diff(heads[1]) + np.diff(heads[3])
        matches = _core.tree_matches(*heads, count)
        if tree_costs == UNIT_COSTS:
            distances: npt.NDArray[np.float64] = (sizes - matches).astype(np.float64)
            return distances
        columns = zip(sizes.tolist(), matches.tolist(), strict=True)
        return as_float_array(tree_costs.distance(*row) for row in columns)
    tree_pairs = _read_pairs(pair_list)
    heads = _pack_heads(tree_pairs)
    all_costs = _evaluate_costs(tree_costs, tree_pairs)
    savings = np.concatenate(
        [np.zeros(0, np.int64), *(pair_costs.savings for pair_costs in all_costs)]
    )
    saved = _core.tree_savings(*heads, savings, count).tolist()
    costs_and_savings = zip(all_costs, saved, strict=True)
    return as_float_array(pair_costs.distance(s) for pair_costs, s in costs_and_savings)


def count_linked_matches(
    a: Sequence[Sequence[int]],
    b: Sequence[Sequence[int]],
    pair: npt.NDArray[np.int64],
    i: npt.NDArray[np.int64],
    j: npt.NDArray[np.int64],
    threads: int | None = None,
) -> npt.NDArray[np.int64]:
    """Count the tokens of each pair of trees that can be matched if only linked tokens may be.

    Parameters
    ----------
    a, b
        The heads of the trees.
    pair, i, j
        Link ``m`` connects token ``i[m]`` of ``a[pair[m]]`` and token ``j[m]`` of ``b[pair[m]]``,
        from 0. Links are sorted by pair.
    threads
        Number of threads, by default one per core.
    """
    # Matches of tokens without a link are not forbidden but save nothing. That gives the same
    # count, because a mapping stays valid if some of its matches are left out.
    count = thread_count(threads)
    sizes_b = np.array(list(map(len, b)), np.int64)
    cells = np.concatenate(([0], np.cumsum(np.array(list(map(len, a)), np.int64) * sizes_b)))
    first_link = np.searchsorted(pair, np.arange(len(a) + 1))
    matches = np.zeros(len(a), np.int64)
    begin = 0
    while begin < len(a):  # at least one pair, and as many as CELLS_PER_CALL allows
        end = max(
            begin + 1, int(np.searchsorted(cells, cells[begin] + CELLS_PER_CALL, "right")) - 1
        )
        links = slice(first_link[begin], first_link[end])
        link_pair = pair[links]
        savings = np.zeros(int(cells[end] - cells[begin]), np.int64)
        savings[cells[link_pair] - cells[begin] + i[links] * sizes_b[link_pair] + j[links]] = 1
        heads = _read_heads(list(zip(a[begin:end], b[begin:end], strict=True)))
        matches[begin:end] = _core.tree_savings(*heads, savings, count)
        begin = end
    return matches


Annotations = tuple[Any, ...] | None  # one per token


class _ReadTree(NamedTuple):
    """The heads of a tree, and its words and labels if it has them."""

    heads: list[Any]
    words: Annotations = None
    labels: Annotations = None


class _TreePair(NamedTuple):
    """Two trees, and what messages about them begin with."""

    a: _ReadTree
    b: _ReadTree
    where: str = ""

    @classmethod
    def create(cls, a: Tree, b: Tree, where: str = "") -> _TreePair:
        if type(a) is type(b) is list:  # the usual case, without further checks
            return cls(_ReadTree(a), _ReadTree(b), where)
        return cls(_read_tree(a, f"{where}a"), _read_tree(b, f"{where}b"), where)

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self.a.heads), len(self.b.heads)


def _evaluate_costs(costs: CostFunctions, pairs: list[_TreePair]) -> list[PairCosts]:
    _check_pairs(pairs)
    return [
        costs.evaluate(tree_nodes("a", *pair.a), tree_nodes("b", *pair.b), pair.where)
        for pair in pairs
    ]


def _read_tree(tree: Tree, name: str) -> _ReadTree:
    """Return the heads, the words and the labels of a tree."""
    if isinstance(tree, (str, bytes)):
        raise InputTypeError(f"{name} must be a sequence of heads, got {type(tree).__name__}")
    if not hasattr(tree, "heads"):
        items = as_list(tree, name, "heads")
        # The items are heads, unless they are tokens of conllu or spaCy.
        if not items or not (isinstance(items[0], Mapping) or hasattr(items[0], "is_space")):
            return _ReadTree(items)
        try:
            tree = DependencyTree.of(items)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None
    heads = as_list(tree.heads, name, "heads")
    words, labels = (
        _read_annotations(tree, kind, name, len(heads)) for kind in ("words", "labels")
    )
    return _ReadTree(heads, words, labels)


def _read_annotations(tree: Tree, kind: str, name: str, count: int) -> Annotations:
    """Return the words or the labels of a tree, if it has any."""
    values = getattr(tree, kind, None)
    if values is None:
        return None
    annotations = tuple(as_list(values, f"the {kind} of {name}", kind))
    if len(annotations) != count:
        raise InputError(f"{name} has {len(annotations)} {kind}, but {count} heads")
    return annotations


def _read_heads(pairs: list[Any]) -> PackedHeads:
    """Return the heads of pairs of trees of any kind."""
    # The core reads plain lists of integers itself: in Python, on one thread, it takes too long.
    return _core.pack_tree_pairs(pairs) or _pack_heads(_read_pairs(pairs))


def _read_pairs(pairs: list[Any]) -> list[_TreePair]:
    tree_pairs = []
    for k, pair in enumerate(pairs):
        where = f"pairs[{k}]: "
        try:
            a, b = as_pair(pair, "trees")
        except InputTypeError as error:
            raise InputTypeError(f"{where}{error}") from None
        tree_pairs.append(_TreePair.create(a, b, where))
    return tree_pairs


def _pack_heads(pairs: list[_TreePair]) -> PackedHeads:
    try:
        packed_a = _core.pack([pair.a.heads for pair in pairs])
        return *packed_a, *_core.pack([pair.b.heads for pair in pairs])
    except (TypeError, ValueError):
        for pair in pairs:
            _check_head_types(pair.a.heads, f"{pair.where}a: ")
            _check_head_types(pair.b.heads, f"{pair.where}b: ")
        raise


def _check_pairs(pairs: list[_TreePair]) -> None:
    """Check what the core would check, before cost functions are called for all pairs of nodes."""
    for pair in pairs:
        if math.prod(pair.sizes) > MAX_CELLS:
            raise InputError(
                f"{pair.where}the product of the sizes of two trees must be at most 2^26"
            )
        for side, tree in (("a", pair.a), ("b", pair.b)):
            try:
                check_heads(tree.heads)
            except TreeError as error:
                raise InputError(f"{pair.where}{side}: {error}") from None


def _check_head_types(heads: list[Any], where: str) -> None:
    """Raise an error for the first head that is not an integer or out of range."""
    for token, head in enumerate(heads, start=1):
        try:
            if isinstance(head, (bool, np.bool_)):
                raise TypeError
            number = operator.index(head)
        except TypeError:
            kind = type(head).__name__
            raise InputTypeError(
                f"{where}the head of token {token} must be an integer, got {kind}"
            ) from None
        if not 0 <= number <= len(heads):
            raise InputError(f"{where}{head_range_error(token, number, len(heads))}")


def _call_with_one_pair(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call the core; errors do not mention the index of the pair."""
    try:
        return function(*arguments)
    except InputError as error:
        raise InputError(str(error).removeprefix("pairs[0]: ")) from None
