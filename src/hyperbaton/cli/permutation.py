"""``hyperbaton permutation``: one permutation, its tree and every measure."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
from typing import Annotated, Any

import typer

from hyperbaton.errors import InputError
from hyperbaton.order import factored
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.tree import PermutationTree

MEANINGS = {
    "kendall": "share of pairs in order",
    "kendall_sqrt": "1 − √(1 − kendall)",
    "spearman": "how far words moved, squared",
    "footrule": "how far words moved",
    "hamming": "share of words in their place",
    "ulam": "longest subsequence in order",
    "fuzzy": "in how few pieces the words come",
    "pet": "operators of the canonical tree",
    "pef": "operators of all trees",
    "pef_beer": "the same, as the program BEER 1.1 has it",
    "pet_size": "|PET|, how far it factorizes",
    "pet_count": "#PETs, freedom to bracket",
    "max_operator": "MAX|Op|, how short the operators are",
    "average_operator": "how short they are on average",
}
MOST_DIGITS = 4300  # of an integer in JSON: what Python itself reads back


def permutation(
    values: Annotated[
        list[str],
        typer.Argument(
            metavar="VALUE",
            help="The values, from 1; with spaces or commas, in brackets or not. "
            "A single - reads them from standard input.",
        ),
    ],
    beta: Annotated[
        float, typer.Option(help="Weight of an operator in pet, pef and pef_beer.")
    ] = 0.6,
    gamma: Annotated[float, typer.Option(help="Score of the operator ⟨2,1⟩ in pet and pef.")] = 0.0,
    flat: Annotated[bool, typer.Option("--flat", help="Draw the flattened tree.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show one permutation: its tree and every measure.

    A tree that is wider than the terminal is drawn flattened, or as an outline.

    \b
    Examples:
      hyperbaton permutation 2 4 5 6 1 3
      hyperbaton permutation "⟨5, 7, 4, 6, 3, 1, 2⟩" --flat
      hyperbaton permutation 4 3 2 1 --json
      seq 1000 -1 1 | hyperbaton permutation -
    """
    try:
        pi = parse(values)
        scores = measure(pi, beta, gamma)
    except ValueError as error:
        raise InputError(str(error)) from error
    typer.echo(as_text_json(pi, scores, beta, gamma) if as_json else report(pi, scores, flat))


def parse(words: list[str]) -> Permutation:
    """The permutation that was typed."""
    text = read_standard_input() if words == ["-"] else " ".join(words)
    numbers: list[int] = []
    for word in filter(None, re.split(r"[\s,⟨⟩〈〉<>()\[\]]+", text)):
        if word.startswith("--"):
            raise InputError(f"No such option: {word}. Try 'hyperbaton permutation --help'.")
        if not re.fullmatch(r"[+-]?[0-9]{1,4000}", word):
            shown = word if len(word) < 40 else word[:37] + "…"
            raise InputError(f"value {shown!r} at position {len(numbers) + 1} is not an integer")
        numbers.append(int(word))
    if not numbers:
        raise InputError("there are no values")
    return Permutation(numbers)


def read_standard_input() -> str:
    """All of it."""
    if sys.stdin is None:
        raise InputError("there is no standard input")
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except OSError as error:
        raise InputError(f"cannot read standard input: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"standard input is not UTF-8 at byte {error.start}") from None


def measure(pi: Permutation, beta: float, gamma: float) -> dict[str, float | None]:
    """Every measure of one permutation, with these options; None where it is not defined."""
    scores: dict[str, float | None] = {
        name: float(column[0]) for name, column in factored.measures(pi).items()
    }
    scores["pet"] = factored.pet(pi, beta, gamma)
    scores["pef"] = factored.pef(pi, beta, gamma)
    scores["pef_beer"] = factored.pef_beer(pi, beta) if beta >= factored.LEAST_BETA else None
    return scores


def report(pi: Permutation, scores: dict[str, float | None], flat: bool) -> str:
    """For people: the tree and a table."""
    tree = pi.tree()
    count = pi.forest().count()
    lines = [str(pi), "", *draw(tree, flat), ""]
    width = max(map(len, scores))
    for name, value in scores.items():
        shown = f"{value:.4f}" if value is not None else "–"
        meaning = f"  {MEANINGS[name]}" if columns() >= 64 else ""
        lines.append(f"{name:<{width}} {shown:>7}{meaning}")
    counts = {
        "values": len(pi),
        "operators": tree.size,
        "longest operator": tree.max_arity,
        "permutation trees": number(count),
    }
    separator = ", " if columns() >= 75 else "\n"
    lines += ["", separator.join(f"{what} {value}" for what, value in counts.items())]
    return "\n".join(lines)


def draw(tree: PermutationTree, flat: bool) -> list[str]:
    """The tree if the terminal is wide enough for it, else the flattened tree or its outline."""
    if not flat and tree.width <= columns():
        return ["canonical tree", "", tree.draw()]
    try:
        return ["flattened tree", "", tree.flatten().draw(columns())]
    except ValueError as error:
        return [f"({error})"]


def columns() -> int:
    """How wide the terminal is."""
    return shutil.get_terminal_size((100, 24)).columns


def number(count: int) -> str:
    """A count, rounded where it has very many digits."""
    if count < 10**15:
        return f"{count:,}"
    exponent = math.floor(log10 := math.log10(count))
    return f"about {10 ** (log10 - exponent):.3f}e{exponent}"


def as_text_json(
    pi: Permutation, scores: dict[str, float | None], beta: float, gamma: float
) -> str:
    """For programs. The tree is its operators in pre-order: their spans say what is inside what."""
    tree = pi.tree()
    count = pi.forest().count()
    nodes = [node for node in tree if not node.is_leaf]
    document: dict[str, Any] = {
        "schema": "hyperbaton/permutation/1",
        "permutation": list(pi),
        "options": {"beta": beta, "gamma": gamma},
        "measures": scores,
        "size": tree.size,
        "max_arity": tree.max_arity,
        "trees": count if math.log10(count) < MOST_DIGITS else None,
        "trees_log10": math.log10(count),
        "brackets": str(tree),
        "flattened": str(tree.flatten()),
        "operators": [{"operator": list(node.operator or ()), "span": node.span} for node in nodes],
    }
    return json.dumps(document, ensure_ascii=False)
