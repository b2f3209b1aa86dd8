"""``hyperbaton permutation``: print one permutation, its tree and every measure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from hyperbaton.errors import InputError
from hyperbaton.order.catalogue import BETA, GAMMA, MEASURES
from hyperbaton.order.factored import measures
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.tree import PermutationTree
from hyperbaton.text.display import terminal_width
from hyperbaton.text.lines import read_lines

MAX_JSON_DIGITS = 4300  # Python's json module refuses to read longer integers


def measures_with(option: str) -> str:
    """Return the names of the measures with this option, for the help text."""
    *names, last = (name for name, measure in MEASURES.items() if option in measure.options)
    return f"{', '.join(names)} and {last}"


def permutation(
    values: Annotated[
        list[str],
        typer.Argument(
            metavar="VALUE",
            help="The values, counted from 1, separated by spaces or commas, with or without "
            "brackets. A single - reads them from standard input.",
        ),
    ],
    beta: Annotated[
        float,
        typer.Option(
            help=f"Weight of an operator in {measures_with('beta')}.", rich_help_panel="Metrics"
        ),
    ] = BETA.default,
    gamma: Annotated[
        float,
        typer.Option(
            help=f"Score of the operator ⟨2,1⟩ in {measures_with('gamma')}.",
            rich_help_panel="Metrics",
        ),
    ] = GAMMA.default,
    flat: Annotated[
        bool, typer.Option("--flat", help="Draw the flattened tree.", rich_help_panel="Output")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON.", rich_help_panel="Output")
    ] = False,
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
    pi = parse_permutation(values)
    options = {"beta": beta, "gamma": gamma}
    scores = evaluate_measures(pi, options)
    typer.echo(format_json(pi, scores, options) if as_json else format_text(pi, scores, flat))


def parse_permutation(words: list[str]) -> Permutation:
    """Parse the permutation given on the command line, or on standard input for ``-``."""
    text = " ".join(read_lines("-") if words == ["-"] else words)
    numbers: list[int] = []
    for word in filter(None, re.split(r"[\s,⟨⟩〈〉<>()\[\]]+", text)):
        if word.startswith("--"):
            raise InputError(f"No such option: {word}. Try 'hyperbaton permutation --help'.")
        if not re.fullmatch(r"[+-]?[0-9]{1,4000}", word):
            excerpt = word if len(word) < 40 else word[:37] + "…"
            raise InputError(f"value {excerpt!r} at position {len(numbers) + 1} is not an integer")
        numbers.append(int(word))
    if not numbers:
        raise InputError("there are no values")
    return Permutation(numbers)


def evaluate_measures(pi: Permutation, options: Mapping[str, float]) -> dict[str, float | None]:
    """Evaluate every measure of the catalogue.

    Parameters
    ----------
    pi : Permutation
        The permutation.
    options : mapping of str to float
        Options of the measures; each measure takes those it has.

    Returns
    -------
    dict
        The values by name; None for a measure that is not defined for these options.

    Raises
    ------
    InputError
        If no measure accepts the value of an option.
    """
    check_options(options)
    scores: dict[str, float | None] = {}
    for name, column in measures(pi).items():
        measure = MEASURES[name]
        chosen = {key: options[key] for key in measure.options}
        if not all(measure.options[key].accepts(value) for key, value in chosen.items()):
            scores[name] = None
        else:
            scores[name] = measure.function(pi, **chosen) if chosen else float(column[0])
    return scores


def check_options(options: Mapping[str, float]) -> None:
    """Raise InputError for the value of an option that no measure accepts."""
    for key, value in options.items():
        variants = [row.options[key] for row in MEASURES.values() if key in row.options]
        if not any(variant.accepts(value) for variant in variants):
            low = min(variant.minimum for variant in variants)
            high = max(variant.maximum for variant in variants)
            raise InputError(f"{key} is {value}, but it must lie in [{low:g}, {high:g}]")


def format_text(pi: Permutation, scores: Mapping[str, float | None], flat: bool) -> str:
    """Format the tree and a table of the measures for people."""
    tree = pi.tree()
    lines = [str(pi), "", *draw_tree(tree, flat), ""]
    width = max(map(len, scores))
    rows = []
    for name, value in scores.items():
        number = f"{value:.4f}" if value is not None else "–"
        rows.append((f"{name:<{width}} {number:>7}", MEASURES[name].description))
    fits = max(len(row) + 2 + len(description) for row, description in rows) <= terminal_width()
    lines += [f"{row}  {description}" if fits else row for row, description in rows]
    counts = {
        "values": len(pi),
        "operators": tree.size,
        "longest operator": tree.max_arity,
        "permutation trees": format_count(pi.forest().count()),
    }
    separator = ", " if terminal_width() >= 75 else "\n"
    lines += ["", separator.join(f"{label} {count}" for label, count in counts.items())]
    return "\n".join(lines)


def draw_tree(tree: PermutationTree, flat: bool) -> list[str]:
    """Draw the tree if the terminal is wide enough, else the flattened tree or its outline."""
    if not flat and tree.width <= terminal_width():
        return ["canonical tree", "", tree.draw()]
    try:
        return ["flattened tree", "", tree.flatten().draw(terminal_width())]
    except InputError as error:
        return [f"({error})"]


def format_count(count: int) -> str:
    """Format a count; large ones are rounded."""
    if count < 10**15:
        return f"{count:,}"
    exponent = math.floor(log10 := math.log10(count))
    return f"about {10 ** (log10 - exponent):.3f}e{exponent}"


def format_json(
    pi: Permutation, scores: Mapping[str, float | None], options: Mapping[str, float]
) -> str:
    """Format the permutation as JSON.

    The tree is given by its operators in pre-order; their spans show how they are nested.
    """
    tree = pi.tree()
    count = pi.forest().count()
    nodes = [node for node in tree if not node.is_leaf]
    document: dict[str, Any] = {
        "schema": "hyperbaton/permutation/1",
        "permutation": list(pi),
        "options": dict(options),
        "measures": dict(scores),
        "size": tree.size,
        "max_arity": tree.max_arity,
        "trees": count if math.log10(count) < MAX_JSON_DIGITS else None,
        "trees_log10": math.log10(count),
        "brackets": str(tree),
        "flattened": str(tree.flatten()),
        "operators": [{"operator": list(node.operator or ()), "span": node.span} for node in nodes],
    }
    return json.dumps(document, ensure_ascii=False)
