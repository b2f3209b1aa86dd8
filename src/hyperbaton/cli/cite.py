"""``hyperbaton cite``: BibTeX of the papers behind metrics."""

from __future__ import annotations

import click

from hyperbaton.cli.declarations import argument
from hyperbaton.cli.options import MetricOptions
from hyperbaton.errors import InputError


class CiteOptions(MetricOptions):
    """Metrics, also as arguments."""

    chosen: list[str] | None = argument("METRIC...", "Metrics or sets of metrics, as for score -m.")


def cite(options: CiteOptions) -> None:
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
    from hyperbaton.views.catalogue import render_citations

    specs = [*(options.chosen or ()), *(options.metrics or ())]
    if not specs:
        raise InputError("no metric: hyperbaton cite METRIC...")
    click.echo(render_citations(metrics_by_spec(specs, options.resources(None))))
