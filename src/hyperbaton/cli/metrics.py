"""``hyperbaton metrics``: every metric, with its options."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hyperbaton.errors import InputError
from hyperbaton.metrics.registry import expand, names
from hyperbaton.report import catalogue


def metrics(
    chosen: Annotated[
        list[str] | None,
        typer.Argument(metavar="METRIC", help="Which ones, or sets of them; default: all."),
    ] = None,
    brief: Annotated[bool, typer.Option("--brief", help="A line for each.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the metrics with their options, papers and examples.

    \b
    Examples:
      hyperbaton metrics
      hyperbaton metrics --brief
      hyperbaton metrics pef lrscore
      hyperbaton metrics --json
    """
    wanted = expand(chosen or names())
    try:
        if as_json:
            found = [catalogue.metric_dict(name) for name in wanted]
            document = {"schema": "hyperbaton/metrics/1", "metrics": found}
            typer.echo(json.dumps(document, ensure_ascii=False, indent=2))
        elif brief:
            typer.echo(catalogue.overview(wanted))
        else:
            typer.echo("\n\n".join(map(catalogue.explain, wanted)))
    except ValueError as error:
        raise InputError(str(error)) from error
