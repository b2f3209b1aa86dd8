"""The command line: one thin module for each subcommand."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from hyperbaton import __version__
from hyperbaton.errors import InputError, MissingData

# click's, or the one that newer versions of typer carry: the parent of what typer exports
UsageError: type[Exception] = typer.BadParameter.__mro__[1]

# What a list of commands says of each. A command's module is imported when it is called, and so is
# all that it stands on: --help is quick.
COMMANDS = {
    "score": "Score systems against references.",
    "compare": "Compare systems: which differences are more than chance?",
    "explain": "Explain one translation: links, trees, what moved, every metric.",
    "report": "Write a page about systems: scores, reorderings, every segment with drawings.",
    "meta": "Ask which metric agrees with people.",
    "tune": "Tune a metric: which of its settings agree best with people?",
    "metrics": "List the metrics with their options, papers and examples.",
    "align": "Align two sentences, or two files line by line.",
    "parse": "Parse a text into dependency trees: CoNLL-U.",
    "permutation": "Show one permutation: its tree and every measure.",
}


def application(arguments: Sequence[str]) -> typer.Typer:
    """The commands, of which the one that is called is loaded."""
    app = typer.Typer(
        name="hyperbaton",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(hyperbaton)
    called = next((word for word in arguments if not word.startswith("-")), None)
    for name, about in COMMANDS.items():
        if name != called:
            app.command(name, help=about)(_not_loaded)
            continue
        module = importlib.import_module(f"hyperbaton.cli.{name}")
        values = {"ignore_unknown_options": name == "permutation"}  # there, -1 is a value
        app.command(name, context_settings=values)(getattr(module, name))
    return app


def _not_loaded() -> None:
    """Stands for a command that is not called."""


def hyperbaton(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.")
    ] = False,
) -> None:
    """Word order in translation: how good it is and where it goes wrong.

    \b
    Examples:
      hyperbaton score -r ref.txt sysA.txt sysB.txt -l en
      hyperbaton compare -r ref.txt sysA.txt sysB.txt -l en
      hyperbaton explain -r ref.txt sysA.txt --line 12 -l en
      hyperbaton report -r ref.txt sysA.txt sysB.txt -l en -o report.html
      hyperbaton meta wmt13/de-en -l en -m pef
      hyperbaton tune wmt13/de-en -l en -m full -t alpha -t beta
      hyperbaton metrics pef
      hyperbaton align "the cat saw the dog" "the dog saw the cat"
      hyperbaton parse text.txt -l en -o text.conllu
      hyperbaton permutation 2 4 5 6 1 3
    """
    if version:
        typer.echo(f"hyperbaton {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; give back its exit status. Wrong input is one line and status 2."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8")
    with killed_politely():
        return run(given)


@contextlib.contextmanager
def killed_politely() -> Iterator[None]:
    """Let a kill, too, take away what is half written on its way out."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {}
    for name in ("SIGTERM", "SIGHUP"):  # Windows has no second one
        if hasattr(signal, name):
            number = getattr(signal, name)
            before[number] = signal.signal(number, lambda killed, _: sys.exit(128 + killed))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(given: list[str]) -> int:
    """Call the command, and turn what goes wrong into a line and a status."""
    try:
        app = application(given)
        status = app(given, prog_name="hyperbaton", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except UsageError as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "hyperbaton"
        message = error.format_message()  # type: ignore[attr-defined]
        stop = "" if message.endswith((".", "?")) else "."
        return fail(f"{message}{stop} Try '{path} --help'.")
    except (InputError, MissingData) as error:
        return fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except OSError as error:
        # what is left in the buffer cannot be written either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader, `head` say, has seen enough
            return 0
        fail(f"cannot write: {error.strerror}")
        return 1
    return status if isinstance(status, int) else 0


def fail(message: str) -> int:
    """Say what is wrong on one line; the status of wrong input."""
    print(f"hyperbaton: error: {message}", file=sys.stderr)
    return 2
