"""``hyperbaton cite``: BibTeX of the papers behind metrics."""

from __future__ import annotations

from typing import Annotated

import typer

from hyperbaton.cli.options import MetricOptions
from hyperbaton.errors import InputError


def cite(
    options: MetricOptions,
    chosen: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="METRIC...",
            help="Metrics or sets of metrics, as for score -m.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print BibTeX entries for metrics and for Hyperbaton.

    A sentence for the methods section of a paper follows for each metric, with its signature, as a
    comment. -l and other options that change a signature work as in score.

    \b
    Examples:
      hyperbaton cite pef bleu -l en
      hyperbaton cite full:order=kendall > metrics.bib
      hyperbaton cite order
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.metrics.registry import metrics_by_spec
    from hyperbaton.views.bibliography import render_citations

    specs = [*(chosen or ()), *(options.metrics or ())]
    if not specs:
        raise InputError("no metric: hyperbaton cite METRIC...")
    typer.echo(render_citations(metrics_by_spec(specs, options.resources(None))))
