"""The edit distance of dependency trees, as McCaffery & Nederhof 2016 (DTED) use it.

Nodes are deleted on both sides, and the children of a deleted node take its place, until what is
left is the same tree: its nodes are matched. A match costs 1 whatever the words are, and so does a
deletion; so the distance is |a| + |b| − matches.

A tree is a list of heads: the head of each token, counted from 1, and 0 for a root. There may be
several roots. The roots, and the children of a token, are in the order of the sentence; apart from
that only the tree counts, so edges may cross (a tree need not be projective).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.edit.tokens import as_tokens
from hyperbaton.edit.tree_costs import (
    UNIT,
    Costs,
    TreeNode,
    Uniform,
    as_floats,
    costing,
    nodes,
)
from hyperbaton.errors import InputError, InputTypeError, TreeError
from hyperbaton.presentation import NotebookDrawing
from hyperbaton.syntax.trees import DependencyTree, check_heads
from hyperbaton.threads import thread_count

MOST_CELLS = 1 << 26  # the product of the sizes of two trees; the core refuses more

SAVED_CELLS = 1 << 22  # of the pairs that are compared together: 32 MB

Tree = Any  # a sequence of heads, or an object with heads and perhaps words and labels


@dataclass(frozen=True, slots=True)
class TreeEdit(NotebookDrawing):
    """The cheapest way from one tree to another. Positions count from 1, as heads do.

    ``matched`` are pairs of positions in a and b, in the order of a.
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
        """What is deleted and what is matched, like table 2 of the paper.

        Tokens are shown as their words, or as their positions if there are none.
        """
        from rich.cells import cell_len  # here, so that a distance need not wait for it

        rows = [("", *names)]
        deleted = list(zip_longest(self.deleted_a, self.deleted_b))
        for title, pairs in ("Deleted", deleted), ("Matched", self.matched):
            for k, (i, j) in enumerate(pairs):
                rows.append(
                    (title if k == 0 else "", _text(self.words_a, i), _text(self.words_b, j))
                )
        widths = [max(cell_len(row[column]) for row in rows) for column in range(3)]
        padded = (
            [cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
            for row in rows
        )
        return "\n".join("  ".join(cells).rstrip() for cells in padded)

    def to_dict(self) -> dict[str, Any]:
        """For JSON, as far as the words are."""
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


def _text(words: tuple[Any, ...] | None, position: int | None) -> str:
    if position is None:
        return ""
    text = str(position if words is None else words[position - 1])
    return text if text.isprintable() else repr(text)


def tree_distance(a: Tree, b: Tree, costs: Costs = None) -> int | float:
    """The cost of the cheapest way to make two trees the same.

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

    A tree is a sequence of heads; an object with ``heads`` and, if there are any, ``words`` and
    ``labels``; a sentence of the library ``conllu``; or a ``Doc`` of spaCy. ``costs`` has
    ``delete`` and ``match``, as items or as attributes: numbers; functions of one ``TreeNode`` and
    of two; or tables, from a label and from pairs of labels to numbers. What is missing costs 1. A
    match that costs ``math.inf`` is not allowed. Costs are added up exactly: where all are
    integers, so is the distance.

    >>> a, b = DependencyTree("no , you".split(), [3, 3, 0], ["intj", "punct", "root"]), [2, 0]
    >>> tree_distance(a, b), tree_distance(a, b, costs={"delete": {"punct": 0}})
    (3, 2)
    """
    prices = costing(costs)
    pair = _Pair.of(a, b)
    if isinstance(prices, Uniform):
        matches = int(_one(_core.tree_matches, *_ragged([pair]), 1)[0])
        return prices.distance(pair.size, matches)
    heads = _ragged([pair])
    _check_costly([pair])
    bill = prices.bill(*pair.nodes(), pair.where)
    return bill.distance(int(_one(_core.tree_savings, *heads, bill.savings, 1)[0]))


def tree_edit(a: Tree, b: Tree, costs: Costs = None) -> TreeEdit:
    """The cheapest way to make two trees the same: what is matched, and what is deleted.

    >>> from hyperbaton import tree_edit
    >>> edit = tree_edit([2, 5, 2, 3, 0, 5, 5], [2, 3, 0, 5, 3, 3, 8, 6, 3])
    >>> edit.distance, edit.deleted_a, edit.deleted_b
    (10, (2,), (1, 7, 8))
    >>> edit.matched
    ((1, 2), (3, 5), (4, 4), (5, 3), (6, 6), (7, 9))

    Of several ways with the same cost it is always the same one. Of the forests that are left, each
    with its last root: these two are matched if one of the cheapest ways does so; if not, that of a
    is deleted if one of the cheapest ways does so; and else that of b. Trees and costs are those
    of ``tree_distance``.
    """
    prices = costing(costs)
    pair = _Pair.of(a, b)
    heads = _ragged([pair])
    if not isinstance(prices, Uniform) or prices.saving <= 0:
        _check_costly([pair])
    if isinstance(prices, Uniform):
        savings = prices.savings(len(pair.a) * len(pair.b))
    else:
        bill = prices.bill(*pair.nodes(), pair.where)
        savings = bill.savings
    saved, i, j = _one(_core.tree_mapping, heads[0], heads[2], savings, -1)
    matched = tuple((x + 1, y + 1) for x, y in zip(i.tolist(), j.tolist(), strict=True))
    if isinstance(prices, Uniform):
        distance = prices.distance(pair.size, len(matched))
    else:
        distance = bill.distance(saved)
    in_a, in_b = {x for x, _ in matched}, {y for _, y in matched}
    return TreeEdit(
        distance,
        matched,
        tuple(x for x in range(1, len(pair.a) + 1) if x not in in_a),
        tuple(y for y in range(1, len(pair.b) + 1) if y not in in_b),
        tuple(map(operator.index, pair.a)),
        tuple(map(operator.index, pair.b)),
        pair.words_a,
        pair.words_b,
    )


def tree_distances(
    pairs: Iterable[Sequence[Tree]], threads: int | None = None, costs: Costs = None
) -> npt.NDArray[np.float64]:
    """The distance of each pair, on all cores or ``threads`` of them.

    >>> from hyperbaton import tree_distances
    >>> tree_distances([([0, 1], [0, 1, 1]), ([2, 0], [0, 1]), ([], [])])
    array([3., 2., 0.])

    The numbers do not depend on the threads. With functions as costs these take most of the time,
    and they are called on one thread.
    """
    prices = costing(costs)
    count = thread_count(threads)
    all_pairs = list(_pairs(pairs))
    heads = _ragged(all_pairs)
    if isinstance(prices, Uniform):
        sizes = np.diff(heads[1]) + np.diff(heads[3])
        matches = _core.tree_matches(*heads, count)
        if prices == UNIT:
            distances: npt.NDArray[np.float64] = (sizes - matches).astype(np.float64)
            return distances
        both = zip(sizes.tolist(), matches.tolist(), strict=True)
        return as_floats(prices.distance(*pair) for pair in both)
    _check_costly(all_pairs)
    bills = [prices.bill(*pair.nodes(), pair.where) for pair in all_pairs]
    savings = np.concatenate([np.zeros(0, np.int64), *(bill.savings for bill in bills)])
    saved = _core.tree_savings(*heads, savings, count).tolist()
    return as_floats(b.distance(total) for b, total in zip(bills, saved, strict=True))


def linked_matches(
    a: Sequence[Sequence[int]],
    b: Sequence[Sequence[int]],
    pair: npt.NDArray[np.int64],
    i: npt.NDArray[np.int64],
    j: npt.NDArray[np.int64],
    threads: int | None = None,
) -> npt.NDArray[np.int64]:
    """How many tokens of each pair of trees can be matched, if only linked ones may be.

    Link m is of token ``i[m]`` of ``a[pair[m]]`` and token ``j[m]`` of ``b[pair[m]]``, from 0, and
    links are sorted by pair. A
    mapping that leaves out some of its matches is one, too: so others may be made, and save
    nothing.
    """
    count = thread_count(threads)
    sizes_b = np.array(list(map(len, b)), np.int64)
    cells = np.concatenate(([0], np.cumsum(np.array(list(map(len, a)), np.int64) * sizes_b)))
    first = np.searchsorted(pair, np.arange(len(a) + 1))  # link of each pair
    found = np.zeros(len(a), np.int64)
    begin = 0
    while begin < len(a):  # as many pairs at a time as there is room for, and one at least
        end = max(begin + 1, int(np.searchsorted(cells, cells[begin] + SAVED_CELLS, "right")) - 1)
        links = slice(first[begin], first[end])
        own = pair[links]
        savings = np.zeros(int(cells[end] - cells[begin]), np.int64)
        savings[cells[own] - cells[begin] + i[links] * sizes_b[own] + j[links]] = 1
        both = zip(a[begin:end], b[begin:end], strict=True)
        heads = _ragged([_Pair(list(x), list(y)) for x, y in both])
        found[begin:end] = _core.tree_savings(*heads, savings, count)
        begin = end
    return found


class _Pair(NamedTuple):
    """Two trees as lists of heads; ``number`` is which of many pairs they are."""

    a: list[Any]
    b: list[Any]
    words_a: tuple[Any, ...] | None = None
    words_b: tuple[Any, ...] | None = None
    labels_a: tuple[Any, ...] | None = None
    labels_b: tuple[Any, ...] | None = None
    number: int | None = None

    @classmethod
    def of(cls, a: Tree, b: Tree, number: int | None = None) -> _Pair:
        if type(a) is type(b) is list:  # the usual case, without the questions
            return cls(a, b, number=number)
        where = "" if number is None else f"pairs[{number}]: "
        heads_a, words_a, labels_a = _tree(a, f"{where}a")
        heads_b, words_b, labels_b = _tree(b, f"{where}b")
        return cls(heads_a, heads_b, words_a, words_b, labels_a, labels_b, number)

    @property
    def where(self) -> str:
        """What begins an error."""
        return "" if self.number is None else f"pairs[{self.number}]: "

    @property
    def size(self) -> int:
        return len(self.a) + len(self.b)

    def nodes(self) -> tuple[list[TreeNode], list[TreeNode]]:
        return (
            nodes("a", self.a, self.words_a, self.labels_a),
            nodes("b", self.b, self.words_b, self.labels_b),
        )


Named = tuple[Any, ...] | None


def _tree(tree: Tree, name: str) -> tuple[list[Any], Named, Named]:
    """The heads of a tree, its words and its labels."""
    if isinstance(tree, (str, bytes)):
        raise InputTypeError(f"{name} is a sequence of heads, not {type(tree).__name__}")
    if not hasattr(tree, "heads"):
        listed = as_tokens(tree, name, "heads")
        # The tokens of other libraries know their heads; numbers do not.
        if not listed or not (isinstance(listed[0], Mapping) or hasattr(listed[0], "is_space")):
            return listed, None, None
        try:
            tree = DependencyTree.of(listed)
        except ValueError as error:
            raise InputError(f"{name}: {error}") from None
    heads = as_tokens(tree.heads, name, "heads")
    named = [_named(tree, what, name, len(heads)) for what in ("words", "labels")]
    return heads, named[0], named[1]


def _named(tree: Tree, what: str, name: str, count: int) -> Named:
    """What each token is called, if anything."""
    given = getattr(tree, what, None)
    if given is None:
        return None
    found = tuple(as_tokens(given, f"the {what} of {name}", what))
    if len(found) != count:
        raise InputError(f"{name} has not as many {what} ({len(found)}) as heads ({count})")
    return found


def _pairs(pairs: Iterable[Sequence[Tree]]) -> Iterator[_Pair]:
    for k, pair in enumerate(as_tokens(pairs, "pairs", "pairs")):
        if type(pair) is not tuple or len(pair) != 2:
            pair = as_tokens(pair, f"pairs[{k}]", "two trees")  # type: ignore[arg-type]
            if len(pair) != 2:
                raise InputTypeError(f"two trees make a pair, but pairs[{k}] has {len(pair)}")
        yield _Pair.of(pair[0], pair[1], k)


def _ragged(pairs: list[_Pair]) -> tuple[Any, Any, Any, Any]:
    """The heads of all pairs as the core takes them: those of a, where each begins, and of b."""
    try:
        return *_core.pack([pair.a for pair in pairs]), *_core.pack([pair.b for pair in pairs])
    except (TypeError, ValueError):
        for pair in pairs:
            _check_integers(pair.a, f"{pair.where}a: ")
            _check_integers(pair.b, f"{pair.where}b: ")
        raise


def _check_costly(pairs: list[_Pair]) -> None:
    """Refuse what the core would refuse, before costs are asked for every two nodes."""
    for pair in pairs:
        if len(pair.a) * len(pair.b) > MOST_CELLS:
            raise InputError(f"{pair.where}the product of the sizes of two trees is at most 2^26")
        for side, heads in (("a", pair.a), ("b", pair.b)):
            try:
                check_heads(heads)
            except TreeError as error:
                raise InputError(f"{pair.where}{side}: {error}") from None


def _check_integers(heads: list[Any], where: str) -> None:
    """Says what is wrong with heads that the core cannot hold."""
    for token, head in enumerate(heads, start=1):
        try:
            if isinstance(head, (bool, np.bool_)):
                raise TypeError
            number = operator.index(head)
        except TypeError:
            kind = type(head).__name__
            raise InputTypeError(
                f"{where}the head of token {token} is an integer, not {kind}"
            ) from None
        if not 0 <= number <= len(heads):
            there = "there is 1 token" if len(heads) == 1 else f"there are {len(heads)} tokens"
            raise InputError(f"{where}token {token} has the head {number}, but {there}")


def _one(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls the core with one pair, which has no number for the caller."""
    try:
        return function(*arguments)
    except ValueError as error:
        raise InputError(str(error).removeprefix("pairs[0]: ")) from None
