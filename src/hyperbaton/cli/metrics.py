"""``hyperbaton metrics``: every metric, with its options."""

from __future__ import annotations

import click

from hyperbaton.cli.declarations import OptionGroup, argument, flag


class MetricsOptions(OptionGroup):
    """Which metrics are listed, and how."""

    TITLE = "Output"

    chosen: list[str] | None = argument("METRIC", "Metrics or sets of metrics; default: all.")
    brief: bool = flag("--brief", "Print one line for each metric.")
    as_json: bool = flag("--json", "Print JSON.")


def metrics(options: MetricsOptions) -> None:
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
    from hyperbaton.views.catalogue import list_metrics, metric_dict, metric_text

    specs = expand(options.chosen or names())
    if options.as_json:
        document = {
            "schema": "hyperbaton/metrics/1",
            "metrics": [metric_dict(spec) for spec in specs],
        }
        click.echo(safe_json(document, indent=2))
    elif options.brief:
        click.echo(list_metrics(specs))
    else:
        click.echo("\n\n".join(map(metric_text, specs)))
