"""``hyperbaton metrics``: every metric, with its options."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hyperbaton.metrics.registry import expand, names
from hyperbaton.report import catalogue
from hyperbaton.text.errors import InputError


def metrics(
    chosen: Annotated[
        list[str] | None,
        typer.Argument(metavar="METRIC", help="Which to explain; default: a list of all."),
    ] = None,
    long: Annotated[bool, typer.Option("--long", help="Explain all of them.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the metrics, or explain some.

    \b
    Examples:
      hyperbaton metrics
      hyperbaton metrics pef lrscore
      hyperbaton metrics --long
      hyperbaton metrics --json
    """
    wanted = expand(chosen or names())
    try:
        if as_json:
            found = [catalogue.metric_dict(name) for name in wanted]
            document = {"schema": "hyperbaton/metrics/1", "metrics": found}
            typer.echo(json.dumps(document, ensure_ascii=False, indent=2))
        elif chosen or long:
            typer.echo("\n\n".join(catalogue.explain(name) for name in wanted))
        else:
            typer.echo(catalogue.overview())
            typer.echo("\nhyperbaton metrics NAME: options, paper, an example, when not to use it")
    except ValueError as error:
        raise InputError(str(error)) from error
