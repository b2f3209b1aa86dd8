"""``hyperbaton metrics``: every metric, with its options."""

from __future__ import annotations

from typing import Annotated

import typer


def metrics(
    chosen: Annotated[
        list[str] | None,
        typer.Argument(metavar="METRIC", help="Metrics or sets of metrics; default: all."),
    ] = None,
    brief: Annotated[
        bool,
        typer.Option("--brief", help="Print one line for each metric.", rich_help_panel="Output"),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON.", rich_help_panel="Output")
    ] = False,
) -> None:
    """List the metrics with their options, papers and examples.

    Metrics from other installed packages are also listed.

    \b
    Examples:
      hyperbaton metrics
      hyperbaton metrics --brief
      hyperbaton metrics pef lrscore
      hyperbaton metrics --json
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.metrics.registry import expand, names
    from hyperbaton.text.display import safe_json
    from hyperbaton.views.catalogue import describe_metric, list_metrics, metric_dict

    specs = expand(chosen or names())
    if as_json:
        document = {
            "schema": "hyperbaton/metrics/1",
            "metrics": [metric_dict(spec) for spec in specs],
        }
        typer.echo(safe_json(document, indent=2))
    elif brief:
        typer.echo(list_metrics(specs))
    else:
        typer.echo("\n\n".join(map(describe_metric, specs)))
