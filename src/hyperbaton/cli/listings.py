"""Commands that print what there is: metrics, citations, test sets and settings."""

from __future__ import annotations

import json

import click

from hyperbaton.cli.commands import OptionGroup, argument, option
from hyperbaton.cli.configuration import FILE, SETTINGS, TABLE, VARIABLE, find_configuration
from hyperbaton.cli.options import MetricOptions
from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable

LISTING_FORMATS = ("text", "json")


class MetricsOptions(OptionGroup):
    """Which metrics are listed, and how.

    Attributes
    ----------
    chosen
        Metrics or sets of metrics to describe; default: list all, a line each.
    format
        Output format.
    """

    TITLE = "Output"

    chosen: list[str] | None = argument("METRIC")
    format: str = option("--format -f", LISTING_FORMATS[0], choices=LISTING_FORMATS)


def metrics_command(options: MetricsOptions) -> None:
    """List the metrics, or describe one.

    A description has the options, the paper and an example of a metric, and when not to use it.
    Metrics from other installed packages are also listed.

    \b
    Examples:
      hyperbaton metrics
      hyperbaton metrics pef lrscore
      hyperbaton metrics --format json
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.metrics.registry import expand, names
    from hyperbaton.text.display import safe_json
    from hyperbaton.views.catalogue import describe_metrics, list_metrics, metric_dict

    specs = expand(options.chosen or names())
    if options.format == "json":
        document = {
            "schema": "hyperbaton/metrics/1",
            "metrics": [metric_dict(spec) for spec in specs],
        }
        click.echo(safe_json(document, indent=2))
    else:
        click.echo(describe_metrics(specs) if options.chosen else list_metrics())


class CiteOptions(MetricOptions):
    """Metrics, also as arguments.

    Attributes
    ----------
    chosen
        Metrics or sets of metrics, as for score -m.
    """

    chosen: list[str] | None = argument("METRIC...")


def cite_command(options: CiteOptions) -> None:
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


def testsets_command() -> None:
    """List the test sets downloaded by sacreBLEU.

    Their names are for --test-set. They are in the folder named by the environment variable
    SACREBLEU, or in .sacrebleu in the home folder. Hyperbaton itself downloads nothing.

    \b
    Examples:
      hyperbaton testsets
      hyperbaton score --test-set wmt20 --langpair en-de sys.txt
    """
    # Imported here, so that --help is quick.
    from hyperbaton.files.cached_test_sets import cache_folder, cached_test_sets
    from hyperbaton.files.lines import count_lines
    from hyperbaton.text.display import terminal_width
    from hyperbaton.views.documents import table_text
    from hyperbaton.views.tables import DIGITS, Column, Table, optional_number

    folder = printable(str(cache_folder()))
    found = cached_test_sets()
    if not found:
        click.echo(f"There are no sacreBLEU test sets in {folder}.")
        click.echo("To get one, run for example: sacrebleu -t wmt20 -l en-de --echo src")
        return
    segments = (count_lines(test_set.references[0]) for test_set in found)
    columns = [
        Column("test set", [test_set.name for test_set in found], left=True),
        Column("pair", [test_set.pair for test_set in found], left=True),
        Column("references", [str(len(test_set.references)) for test_set in found]),
        Column("segments", [optional_number(count, ",") for count in segments]),
    ]
    table = table_text(Table(columns, splittable=False), DIGITS, terminal_width())
    click.echo(f"{table}\n\n{folder}")


def config_command() -> None:
    """Show the option defaults set in a configuration file.

    The environment variable HYPERBATON_CONFIG names the file. If it is not set, the file is the
    nearest pyproject.toml with a table [tool.hyperbaton], in this folder or a parent folder.
    Options on the command line take precedence. Only options that change no number, or that appear
    in signatures, can be set: metrics, language, format, digits, scale, short and quiet.

    \b
    Examples:
      hyperbaton config
      HYPERBATON_CONFIG=evaluation.toml hyperbaton config
      HYPERBATON_CONFIG= hyperbaton score -r ref.txt sys.txt
    """
    configuration = find_configuration()
    if configuration.path is None:
        click.echo(f"No {FILE} here or above has a table {TABLE}, and {VARIABLE} names no file.")
        click.echo(f"Valid settings: {', '.join(SETTINGS)}.")
        return
    click.echo(f"# {printable(str(configuration.path))}")
    click.echo(TABLE)
    for key, value in configuration.settings.items():
        commands = ", ".join(SETTINGS[key].commands) or "all commands"
        click.echo(f"{key} = {toml_value(value)}  # {commands}")


def toml_value(value: object) -> str:
    r"""Return a value of a setting as TOML that a terminal can show.

    JSON writes strings, numbers, booleans and lists of strings as TOML does.

    >>> print(toml_value(["pef", "a\x9b\U000e0041"]))
    ["pef", "a\U0000009b\U000e0041"]
    """
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)
