"""The parse tree of an inversion distance: matches, edits and swapped blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from hyperbaton import _core
from hyperbaton.edit.costs import Number, scale_costs
from hyperbaton.edit.distances import DEFAULT_BUDGET, check_budget
from hyperbaton.edit.tokens import Tokens, as_list, number_pair
from hyperbaton.presentation import NotebookDisplay
from hyperbaton.text.display import visible

Kind = Literal["match", "substitute", "delete", "insert", "invert"]
KINDS: tuple[Kind, ...] = ("match", "substitute", "delete", "insert", "invert")
INVERT, TURN, CLOSE = 4, 5, 6  # as in EditKind of the core


class Operation(NamedTuple):
    """One operation of a parse.

    ``i`` and ``j`` are the positions in s and t, from 0; the position and the token of a side that
    is not involved are None. For ``invert``, the positions are where the inverted block begins in
    s and in t, and there are no tokens.
    """

    kind: Kind
    i: int | None
    j: int | None
    source: Any
    target: Any

    def __str__(self) -> str:
        if self.kind == "invert":
            return "⟨⟩"
        source = "ε" if self.i is None else _quote_token(self.source)
        target = "ε" if self.j is None else _quote_token(self.target)
        return f"{source}/{target}"

    def to_dict(self) -> dict[str, Any]:
        """Return the operation as JSON types, if the tokens are JSON types."""
        return self._asdict()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Block:
    """Neighbouring parts, each a Block or an Operation.

    A straight block, ``[…]``, has its parts in the same order in s and in t. An inverted block,
    ``⟨…⟩``, has two parts that have swapped places in t.
    """

    inverted: bool
    parts: tuple[Block | Operation, ...]

    def __str__(self) -> str:
        if len(self.parts) < 2:  # the tree of at most one operation
            return str(self.parts[0]) if self.parts else "ε/ε"
        return " ".join(_format_operations(self))

    def __repr__(self) -> str:
        return f"<Block {self}>"

    # These methods do not recurse, because trees may be deep.
    def __eq__(self, other: object) -> bool:
        return _flatten(self) == _flatten(other) if isinstance(other, Block) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(_flatten(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unflatten, (_flatten(self),)


def _quote_token(token: object) -> str:
    """Return the token as text, quoted if it could be mistaken for a part of the notation."""
    text = visible(str(token))
    is_plain = text not in ("", "ε") and not set(text) & set(" /[]⟨⟩")
    if is_plain or not isinstance(token, str):
        return text
    quote = '"' if "'" in text else "'"
    return f"{quote}{text}{quote}"


def _flatten(tree: Block | Operation) -> list[Operation | tuple[bool, int]]:
    """Return the nodes in preorder, each Block as (inverted, number of parts)."""
    flat: list[Operation | tuple[bool, int]] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Operation):
            flat.append(node)
        else:
            flat.append((node.inverted, len(node.parts)))
            stack.extend(reversed(node.parts))
    return flat


def _unflatten(flat: list[Operation | tuple[bool, int]]) -> Block | Operation:
    """Return the tree that `_flatten` was applied to."""
    done: list[Block | Operation] = []  # in reverse order
    for node in reversed(flat):
        if isinstance(node, Operation):
            done.append(node)
        else:
            inverted, count = node
            parts = tuple(done[len(done) - count :][::-1])
            del done[len(done) - count :]
            done.append(Block(inverted, parts))
    return done[0]


def _format_operations(tree: Block | Operation) -> Iterator[str]:
    """Yield the operations as text, each with the brackets that open before and close after it."""
    opening = ""
    stack: list[tuple[Block | Operation, str]] = [(tree, "")]
    while stack:
        node, closing = stack.pop()
        if isinstance(node, Operation):
            yield f"{opening}{node}{closing}"
            opening = ""
            continue
        opening += "⟨" if node.inverted else "["
        ends = [""] * (len(node.parts) - 1) + [("⟩" if node.inverted else "]") + closing]
        stack.extend(reversed(list(zip(node.parts, ends, strict=True))))


@dataclass(frozen=True, slots=True, repr=False)
class InversionParse(NotebookDisplay):
    """A parse of a pair of sentences.

    Attributes
    ----------
    cost
        Cost of this parse.
    lower
        Lower bound of the distance.
    exact
        Whether ``cost`` is the distance.
    tree
        The parse as a tree of blocks and operations.
    operations
        All operations in the order of the tree.
    """

    cost: int | float
    lower: int | float
    exact: bool
    tree: Block
    operations: tuple[Operation, ...]

    def __str__(self) -> str:
        return str(self.tree)

    def __repr__(self) -> str:
        return f"<InversionParse cost={self.cost} exact={self.exact} {self}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the parse as JSON types, if the tokens are JSON types.

        The leaves of the tree are indices into ``operations``.
        """
        return {
            "cost": self.cost,
            "lower": self.lower,
            "exact": self.exact,
            "operations": [operation.to_dict() for operation in self.operations],
            "tree": _tree_to_dict(self.tree),
        }


def _tree_to_dict(tree: Block | Operation) -> Any:
    """Return nested dicts, with operations numbered in the order of the tree."""
    counter = 0
    done: list[Any] = []
    stack: list[tuple[Block | Operation, bool]] = [(tree, False)]
    while stack:
        node, finished = stack.pop()
        if isinstance(node, Operation):
            done.append(counter)
            counter += 1
        elif not finished:
            counter += node.inverted
            stack.append((node, True))
            stack.extend((part, False) for part in reversed(node.parts))
        else:
            first = len(done) - len(node.parts)
            done[first:] = [{"inverted": node.inverted, "parts": done[first:]}]
    return done[0]


def inversion_parse(
    s: Tokens,
    t: Tokens,
    inversion: Number = 1,
    substitution: Number = 1,
    deletion: Number = 1,
    insertion: Number = 1,
    budget: int = DEFAULT_BUDGET,
) -> InversionParse:
    """Parse two sentences into the cheapest tree of straight and inverted blocks.

    The parameters are those of :func:`hyperbaton.inversion_distance`. This function never raises
    ``BudgetExceeded``: if the budget runs out, it returns the best parse found, ``exact`` is false
    unless the cost is certainly the distance, and ``lower`` is a lower bound of the distance.

    Parameters
    ----------
    s, t : sequence
        Token sequences; the tokens must be hashable.
    inversion, substitution, deletion, insertion : number
        Costs of the operations, as for :func:`hyperbaton.inversion_distance`.
    budget : int
        Maximum number of search steps.

    Returns
    -------
    InversionParse
        A parse with its ``cost``, ``lower``, ``exact``, ``tree`` and ``operations``.

    Notes
    -----
    Ties are broken deterministically. From left to right, each step is the first of match,
    substitute, delete, insert and invert that still leads to the least cost. An inverted block is
    as long as possible, first in s and then in t; its left part is as short as possible, again
    first in s.

    Examples
    --------
    >>> from hyperbaton import inversion_parse
    >>> noon = "we will meet at noon in the lobby".split()
    >>> twelve = "we will meet in the lobby at twelve o'clock".split()
    >>> parse = inversion_parse(noon, twelve)
    >>> print(parse)
    [we/we will/will meet/meet ⟨[at/at noon/twelve ε/o'clock] [in/in the/the lobby/lobby]⟩]
    >>> parse.cost, parse.exact
    (3, True)
    >>> [str(operation) for operation in parse.operations if operation.kind != "match"]
    ['⟨⟩', 'noon/twelve', "ε/o'clock"]
    """
    costs = scale_costs(inversion, substitution, deletion, insertion)
    source, target = as_list(s, "s"), as_list(t, "t")
    numbered = number_pair(source, target)
    costs.check_length(len(source) + len(target))
    cost, lower, kinds, i, j = _core.inversion_parse(
        numbered.s, numbered.t, *costs.operations, check_budget(budget)
    )
    tree, operations = _build_tree(kinds.tolist(), i.tolist(), j.tolist(), source, target)
    return InversionParse(
        costs.unscale(cost), costs.unscale(lower), cost == lower, tree, operations
    )


def _build_tree(
    kinds: list[int], i: list[int], j: list[int], source: list[object], target: list[object]
) -> tuple[Block, tuple[Operation, ...]]:
    """Return the tree and the operations of the core's steps."""
    operations: list[Operation] = []
    open_blocks: list[list[Block | Operation]] = [[]]  # the parts of each open straight block
    left_halves: list[list[Block | Operation]] = []  # of open inverted blocks
    for kind, at_s, at_t in zip(kinds, i, j, strict=True):
        if kind == INVERT:
            operations.append(Operation("invert", at_s, at_t, None, None))
            open_blocks.append([])
        elif kind == TURN:
            left_halves.append(open_blocks.pop())
            open_blocks.append([])
        elif kind == CLOSE:
            parts = (_join_parts(left_halves.pop()), _join_parts(open_blocks.pop()))
            open_blocks[-1].append(Block(True, parts))
        else:
            name = KINDS[kind]
            in_s, in_t = name != "insert", name != "delete"
            operation = Operation(
                name,
                at_s if in_s else None,
                at_t if in_t else None,
                source[at_s] if in_s else None,
                target[at_t] if in_t else None,
            )
            operations.append(operation)
            open_blocks[-1].append(operation)
    root = _join_parts(open_blocks[0])
    return root if isinstance(root, Block) else Block(False, (root,)), tuple(operations)


def _join_parts(parts: list[Block | Operation]) -> Block | Operation:
    """Return a straight block, or the part itself if there is only one."""
    return parts[0] if len(parts) == 1 else Block(False, tuple(parts))
