"""``hyperbaton testsets``: the test sets that sacreBLEU has downloaded."""

from __future__ import annotations

import click


def testsets() -> None:
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
    from hyperbaton.files.lines import count_lines, printable
    from hyperbaton.text.display import terminal_width
    from hyperbaton.views.plain_text import table_text
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
