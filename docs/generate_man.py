"""Write the man page from the help of the commands: ``make man``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from hyperbaton import __version__
from hyperbaton.cli import COMMANDS, CONTEXT, load_command

PAGE = Path(__file__).parent.parent / "build" / "man" / "hyperbaton.1"


def generate() -> str:
    """Return the man page in the format of man(7)."""
    program = load_command(None)
    lines = [
        f'.TH HYPERBATON 1 "" "Hyperbaton {__version__}" "User Commands"',
        ".SH NAME",
        "hyperbaton \\- word order in translation",
        ".SH SYNOPSIS",
        ".B hyperbaton",
        "COMMAND [OPTION]... [ARGUMENT]...",
        ".SH DESCRIPTION",
        *paragraphs(program),
        ".SH OPTIONS",
        *options(program, "hyperbaton"),
        ".SH COMMANDS",
    ]
    for name, summary in COMMANDS.items():
        command = load_command(name)
        lines += [f".SS hyperbaton {name}", escape(summary), *paragraphs(command)]
        lines += options(command, f"hyperbaton {name}")
    lines += [
        ".SH ENVIRONMENT",
        *(".TP", ".B HYPERBATON_CONFIG", "A file with defaults of options; see hyperbaton config."),
        *(".TP", ".B HYPERBATON_CACHE", "The folder of parsed trees; see hyperbaton parse."),
        *(".TP", ".B SACREBLEU", "The folder of test sets; see hyperbaton testsets."),
        *(".TP", ".B NO_COLOR", "Print no colours."),
        *(".TP", ".B COLUMNS", "The width of tables."),
        ".SH EXIT STATUS",
        "0 on success, 1 if output cannot be written, 2 on invalid input, 3 if a check failed, "
        "4 if it cannot tell, 130 after an interrupt.",
    ]
    return "\n".join(lines) + "\n"


def paragraphs(command: click.Command) -> Iterator[str]:
    """Yield the description of a command; a paragraph that starts with \\b is kept as it is."""
    _, _, description = inspect.cleandoc(command.help or "").partition("\n")
    for paragraph in description.strip("\n").split("\n\n"):
        text = paragraph.strip("\n")
        if not text.strip():
            continue
        if text.startswith("\b"):
            yield from (".PP", ".nf", *map(escape, text.removeprefix("\b").strip("\n").split("\n")))
            yield ".fi"
        else:
            yield from (".PP", escape(" ".join(text.split())))


def options(command: click.Command, path: str) -> Iterator[str]:
    """Yield the arguments and options of a command with their help."""
    context = command.make_context(path, [], resilient_parsing=True, **CONTEXT)
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            yield from (".TP", f".B {escape(record[0])}", escape(" ".join(record[1].split())))


def escape(text: str) -> str:
    """Return text with the characters that roff would interpret escaped."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(generate(), encoding="utf-8")
    print(f"wrote {PAGE}", file=sys.stderr)
