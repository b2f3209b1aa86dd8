"""``hyperbaton permutation``: print one permutation, its tree and every measure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import click

from hyperbaton.cli.commands import OptionGroup, argument, flag, option
from hyperbaton.errors import InputError
from hyperbaton.files.lines import read_lines
from hyperbaton.order.catalogue import (
    BETA,
    GAMMA,
    INTEGER,
    MEASURES,
    evaluate_measures,
    parse_permutation,
    permutation_document,
    split_values,
)
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.trees import PermutationTree
from hyperbaton.text.display import terminal_width


def measures_with(option: str) -> str:
    """Return the names of the measures with this option, for the help text."""
    *names, last = (name for name, measure in MEASURES.items() if option in measure.options)
    return f"{', '.join(names)} and {last}"


class PermutationOptions(OptionGroup):
    """The permutation, the parameters of its measures, and how it is printed.

    Attributes
    ----------
    values
        The values, counted from 1, separated by spaces or commas, with or without brackets. A
        single - reads them from standard input.
    flat
        Draw the flattened tree.
    as_json
        Print JSON.
    """

    values: list[str] = argument("VALUE", required=True)
    beta: float = option(
        "--beta",
        BETA.default,
        title="Metrics",
        about=f"Weight of an operator in {measures_with('beta')}.",
    )
    gamma: float = option(
        "--gamma",
        GAMMA.default,
        about=f"Score of the operator ⟨2,1⟩ in {measures_with('gamma')}.",
        title="Metrics",
    )
    flat: bool = flag("--flat", title="Output")
    as_json: bool = flag("--json", title="Output")


def permutation_command(options: PermutationOptions) -> None:
    """Show a permutation's tree and every measure of it.

    A tree that is wider than the terminal is drawn flattened, or as an outline.

    \b
    Examples:
      hyperbaton permutation 2 4 5 6 1 3
      hyperbaton permutation "⟨5, 7, 4, 6, 3, 1, 2⟩" --flat
      hyperbaton permutation 4 3 2 1 --json
      seq 1000 -1 1 | hyperbaton permutation -
    """
    pi = read_permutation(options.values)
    parameters = {"beta": options.beta, "gamma": options.gamma}
    scores = evaluate_measures(pi, parameters)
    if options.as_json:
        click.echo(json.dumps(permutation_document(pi, scores, parameters), ensure_ascii=False))
    else:
        click.echo(format_text(pi, scores, options.flat))


def read_permutation(words: list[str]) -> Permutation:
    """Parse the permutation given on the command line, or on standard input for ``-``."""
    text = " ".join(read_lines("-") if words == ["-"] else words)
    invalid = next((word for word in split_values(text) if not INTEGER.fullmatch(word)), "")
    if invalid.startswith("--"):
        raise InputError(f"No such option: {invalid}. Try 'hyperbaton permutation --help'.")
    return parse_permutation(text)


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
