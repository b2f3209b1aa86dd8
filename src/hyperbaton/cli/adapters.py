"""``hyperbaton adapters``: files from which other software loads Hyperbaton's metrics."""

from __future__ import annotations

from typing import Annotated

import typer

from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.text.names import unknown_name_message

ADAPTERS = ("evaluate",)  # other hosts import Hyperbaton and need no files


def adapters(
    adapter: Annotated[
        str,
        typer.Argument(
            metavar="ADAPTER", help=f"The software to write files for: {', '.join(ADAPTERS)}."
        ),
    ],
    folder: Annotated[
        str,
        typer.Argument(metavar="DIR", help="Output folder; it is created if it does not exist."),
    ],
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="METRIC",
            help="A metric without options, or a set of metrics; may be repeated. Default: every "
            "metric.",
        ),
    ] = None,
) -> None:
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

    if adapter not in ADAPTERS:
        raise InputError(unknown_name_message("adapter", adapter, ADAPTERS))
    paths = write_modules(folder, metrics or names())
    count = count_noun(len(paths), "module")
    typer.echo(f"wrote {count} to {printable(folder)}: {', '.join(paths)}")
    shown = next(iter(paths)) if metrics else "hyper"
    typer.echo(f"To load one in Python: evaluate.load({paths[shown]!r}, language='en')")
