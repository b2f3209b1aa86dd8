"""``hyperbaton adapters``: files from which other software loads Hyperbaton's metrics."""

from __future__ import annotations

import click

from hyperbaton.cli.declarations import OptionGroup, argument, option
from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.registries import unknown_name_message

ADAPTERS = ("evaluate",)  # other hosts import Hyperbaton and need no files


class AdaptersOptions(OptionGroup):
    """The software, and what is written for it."""

    adapter: str = argument(
        "ADAPTER", f"The software to write files for: {', '.join(ADAPTERS)}.", required=True
    )
    folder: str = argument(
        "DIR", "Output folder; it is created if it does not exist.", required=True
    )
    metrics: list[str] | None = option(
        "--metric -m METRIC",
        "A metric without options, or a set of metrics; may be repeated. Default: every metric.",
    )


def adapters(options: AdaptersOptions) -> None:
    """Write files for other evaluation software.

    For Hugging Face's evaluate, one folder per metric is written to DIR. evaluate.load reads it
    without network access. The installed version of Hyperbaton computes the values. An existing
    file with other content is left untouched.

    \b
    Examples:
      hyperbaton adapters evaluate modules
      hyperbaton adapters evaluate modules -m hyper -m pef
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.adapters.evaluate_modules import write_modules
    from hyperbaton.metrics.registry import names
    from hyperbaton.text.plurals import count_noun

    if options.adapter not in ADAPTERS:
        raise InputError(unknown_name_message("adapter", options.adapter, ADAPTERS))
    paths = write_modules(options.folder, options.metrics or names())
    count = count_noun(len(paths), "module")
    click.echo(f"wrote {count} to {printable(options.folder)}: {', '.join(paths)}")
    shown = next(iter(paths)) if options.metrics else "hyper"
    click.echo(f"To load one in Python: evaluate.load({paths[shown]!r}, language='en')")
