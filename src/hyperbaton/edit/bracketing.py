"""The tree behind an inversion distance: what was matched, edited and swapped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from hyperbaton import _core
from hyperbaton.edit.costs import Number, whole_costs
from hyperbaton.edit.inversion import DEFAULT_BUDGET, checked_budget
from hyperbaton.edit.tokens import Tokens, as_tokens, number_pair
from hyperbaton.presentation import NotebookDrawing

Kind = Literal["match", "substitute", "delete", "insert", "invert"]
KINDS: tuple[Kind, ...] = ("match", "substitute", "delete", "insert", "invert")
INVERT, TURN, CLOSE = 4, 5, 6  # as in EditKind of core/inversion.hpp


class Operation(NamedTuple):
    """One edit. Positions count from 0; a side that has no part in it is None.

    For ``invert`` they are where the inverted block begins in s and in t, and there are no tokens.
    """

    kind: Kind
    i: int | None
    j: int | None
    source: Any
    target: Any

    def __str__(self) -> str:
        if self.kind == "invert":
            return "⟨⟩"
        source = "ε" if self.i is None else _shown(self.source)
        target = "ε" if self.j is None else _shown(self.target)
        return f"{source}/{target}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON, as far as the tokens are."""
        return self._asdict()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Block:
    """Parts side by side: straight, ``[…]``, in the same order on both sides; or inverted, ``⟨…⟩``,
    two parts that have changed places in t. A part is a Block or an Operation.
    """

    inverted: bool
    parts: tuple[Block | Operation, ...]

    def __str__(self) -> str:
        if len(self.parts) < 2:  # the tree of one token, or none
            return str(self.parts[0]) if self.parts else "ε/ε"
        return " ".join(_words(self))

    def __repr__(self) -> str:
        return f"<Block {self}>"

    # Trees may be deep: none of these may call itself.
    def __eq__(self, other: object) -> bool:
        return _flat(self) == _flat(other) if isinstance(other, Block) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(_flat(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _tree, (_flat(self),)


def _shown(token: object) -> str:
    """The token as it is, or quoted where it could be taken for something else."""
    text = str(token)
    plain = text.isprintable() and text not in ("", "ε") and not set(text) & set(" /[]⟨⟩")
    return text if plain else repr(token)


def _flat(tree: Block | Operation) -> list[Operation | tuple[bool, int]]:
    """The tree from its root on, each Block as its kind and the number of its parts."""
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


def _tree(flat: list[Operation | tuple[bool, int]]) -> Block | Operation:
    """What _flat was made of."""
    done: list[Block | Operation] = []  # the last parts first
    for node in reversed(flat):
        if isinstance(node, Operation):
            done.append(node)
        else:
            inverted, count = node
            parts = tuple(done[len(done) - count :][::-1])
            del done[len(done) - count :]
            done.append(Block(inverted, parts))
    return done[0]


def _words(tree: Block | Operation) -> Iterator[str]:
    """The words of the printed tree, with the brackets that open before and close after each."""
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
class InversionParse(NotebookDrawing):
    """A real parse of a pair of sentences. ``cost`` is its cost; ``exact`` is whether that is the
    distance, and otherwise the distance is at least ``lower``.
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
        """For JSON, as far as the tokens are. Leaves of the tree are places in ``operations``."""
        return {
            "cost": self.cost,
            "lower": self.lower,
            "exact": self.exact,
            "operations": [operation.to_dict() for operation in self.operations],
            "tree": _tree_dict(self.tree),
        }


def _tree_dict(tree: Block | Operation) -> Any:
    """Nested dicts. Operations are numbered in the order of the list: the tree's own."""
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
    """The cheapest tree of straight and inverted blocks that makes t of s.

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

    Of several parses with the same cost it is always the same one. Read from left to right, each
    step is the first that can still lead to the least cost, of: match, substitute, delete, insert,
    invert. An inverted block is the longest possible one, first in s and then in t; of its
    divisions in two it takes that with the shortest left part, again first in s.

    Unlike ``inversion_distance`` it never raises for want of ``budget``: the parse is then the best
    one found, ``exact`` is false unless its cost is certainly the distance, and ``lower`` is what
    is certain.
    """
    costs = whole_costs(inversion, substitution, deletion, insertion)
    source, target = as_tokens(s, "s"), as_tokens(t, "t")
    numbered = number_pair(source, target)
    costs.check_length(len(source) + len(target))
    cost, lower, kinds, i, j = _core.inversion_parse(
        numbered.s, numbered.t, *costs.four, checked_budget(budget)
    )
    tree, operations = _build(kinds.tolist(), i.tolist(), j.tolist(), source, target)
    return InversionParse(costs.value(cost), costs.value(lower), cost == lower, tree, operations)


def _build(
    kinds: list[int], i: list[int], j: list[int], source: list[object], target: list[object]
) -> tuple[Block, tuple[Operation, ...]]:
    """The tree of the steps that the core gives."""
    operations: list[Operation] = []
    straight: list[list[Block | Operation]] = [[]]  # the parts of each block that is open
    halves: list[list[Block | Operation]] = []  # left parts of the inverted ones
    for kind, at_s, at_t in zip(kinds, i, j, strict=True):
        if kind == INVERT:
            operations.append(Operation("invert", at_s, at_t, None, None))
            straight.append([])
        elif kind == TURN:
            halves.append(straight.pop())
            straight.append([])
        elif kind == CLOSE:
            parts = (_straight(halves.pop()), _straight(straight.pop()))
            straight[-1].append(Block(True, parts))
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
            straight[-1].append(operation)
    whole = _straight(straight[0])
    return whole if isinstance(whole, Block) else Block(False, (whole,)), tuple(operations)


def _straight(parts: list[Block | Operation]) -> Block | Operation:
    """One part alone needs no brackets."""
    return parts[0] if len(parts) == 1 else Block(False, tuple(parts))
