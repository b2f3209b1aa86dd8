"""``hyperbaton config``: the defaults that a file sets."""

from __future__ import annotations

import json

import click

from hyperbaton.cli.configuration import FILE, SETTINGS, TABLE, VARIABLE, find_configuration
from hyperbaton.files.lines import printable


def config() -> None:
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
