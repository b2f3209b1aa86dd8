"""The command line: one thin module for each command."""

from __future__ import annotations

import contextlib
import errno
import importlib
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from hyperbaton import __version__
from hyperbaton.cli.commands import HELP_ALL, Rules, make_command, usage_message
from hyperbaton.cli.configuration import find_configuration
from hyperbaton.cli.messages import discard_stream, long_run_note, print_message, print_notices
from hyperbaton.errors import HyperbatonError
from hyperbaton.files.lines import printable
from hyperbaton.notices import Notice

SEND_AGAIN_SECONDS = 0.02
COMPLETE = "--complete"  # followed by the words that a shell wants to complete
CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"]}

# Each command with the module that has it, its line in --help, and the options that its --help
# shows. Only the module of the command that is called is imported, so that --help
# is quick.
_TABLE = Path(__file__).with_name("commands.tsv").read_text("utf-8").splitlines()[1:]
_ROWS = {name: row for name, *row in (line.split("\t") for line in _TABLE)}
COMMANDS = {name: about for name, (_, about, _) in _ROWS.items()}
FIRST_COMMANDS = 8  # those that most people need


def load_command(name: str | None, arguments: Sequence[str] = ("--help",)) -> click.Command:
    """Return a command, or the program with the list of all commands.

    Only the module of the command is imported. The arguments decide which defaults of a
    configuration file apply.
    """
    if name is None:
        return program()
    function, rules = find_command(name)
    defaults = {}
    if name != "config" and not {"-h", "--help", HELP_ALL} & set(arguments):
        defaults = find_configuration().defaults(name, arguments)
    shown = frozenset(f"--{option}" for option in _ROWS[name][2].split() if option != "all")
    command = make_command(function, rules, defaults, shown)
    command.ignore_unknown_options = name == "permutation"  # there, -1 is a value
    return command


def find_command(name: str) -> tuple[Callable[..., Any], Rules]:
    """Return the function of a command, and its rules."""
    module = importlib.import_module(f"hyperbaton.cli.{_ROWS[name][0]}")
    return getattr(module, f"{name}_command"), getattr(module, f"{name.upper()}_RULES", {})


class Program(click.Group):
    """The program, which lists its commands in their own order."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, those first that most people need."""
        rows = list(COMMANDS.items())
        for title, some in (
            ("Commands", rows[:FIRST_COMMANDS]),
            ("More commands", rows[FIRST_COMMANDS:]),
        ):
            with formatter.section(title):
                formatter.write_dl(some)


def program() -> click.Group:
    """Return the program: it lists the commands, which run by themselves."""
    print_script = "Print the completion script for bash, zsh or fish; default: your shell."
    install = "Install shell completion for commands, options and metrics."
    return Program(
        commands={one: click.Command(one, help=about) for one, about in COMMANDS.items()},
        callback=hyperbaton,
        help=hyperbaton.__doc__,
        params=[
            click.Option(["--version", "-V"], is_flag=True, help="Print the version and exit."),
            click.Option(["--show-completion"], metavar="[SHELL]", help=print_script),
            click.Option(["--install-completion"], metavar="[SHELL]", help=install),
        ],
        invoke_without_command=True,
        subcommand_metavar="COMMAND [ARGS]...",
    )


def hyperbaton(version: bool, show_completion: str | None, install_completion: str | None) -> None:
    """Word order in translation: how close it is to a reference's, and where it differs.

    \b
    Examples:
      hyperbaton compare -r ref.txt sysA.txt sysB.txt -l en
      hyperbaton explain -r ref.txt sysA.txt --line 12 -l en
      hyperbaton report -r ref.txt sysA.txt sysB.txt -l en -o report.html
    """
    if version:
        click.echo(f"hyperbaton {__version__}")
    elif show_completion is not None or install_completion is not None:
        from hyperbaton.cli import completion

        named = install_completion if show_completion is None else show_completion
        shell = completion.check_shell(named or "")
        if show_completion is not None:
            click.echo(completion.script(shell), nl=False)
            return
        for path in completion.install_completion(shell):
            click.echo(f"wrote {printable(str(path))}")
        click.echo(f"Completion will work in new {shell} sessions.")
    elif (context := click.get_current_context()).invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Invalid input prints one line and gives status 2.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    for stream, errors in ((sys.stdout, "strict"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            # The same bytes on all systems: Windows would write other characters and line ends.
            stream.reconfigure(encoding="utf-8", errors=errors, newline="\n")
    with cleanup_on_signals(), plain_warnings():
        return run(given)


@contextlib.contextmanager
def cleanup_on_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an exit, so that half-written files are removed.

    Python prints and ignores exceptions in some places, such as finalizers. A signal, also Ctrl-C,
    that arrives there is sent again a moment later.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received = signal.SIGINT

    def leave(number: int, _: object) -> None:
        nonlocal received
        received = signal.Signals(number)
        sys.exit(128 + number)

    def send_again(ignored: Any) -> None:
        if not isinstance(ignored.exc_value, (KeyboardInterrupt, SystemExit)):
            hook_before(ignored)
            return
        number = signal.SIGINT if isinstance(ignored.exc_value, KeyboardInterrupt) else received
        threading.Timer(SEND_AGAIN_SECONDS, signal.raise_signal, (number,)).start()

    before = {}
    for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
        if hasattr(signal, name):
            number = getattr(signal, name)
            before[number] = signal.signal(number, leave)
    hook_before, sys.unraisablehook = sys.unraisablehook, send_again
    try:
        yield
    finally:
        sys.unraisablehook = hook_before
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def plain_warnings() -> Iterator[None]:
    """Print Python warnings, for example about plug-ins, as the command line prints its own."""

    def print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
        print_notices([Notice(str(message))])

    with warnings.catch_warnings():
        warnings.showwarning = print_warning
        yield


def run(given: list[str]) -> int:
    """Run the command, and turn errors that a user can cause into one line and a status.

    Any other exception is a bug and keeps its traceback.
    """
    if given[:1] == [COMPLETE]:
        from hyperbaton.cli.completion import candidates

        for word in candidates(given[1:]):
            print(word)
        return 0
    if given[-1:] in (["--show-completion"], ["--install-completion"]):
        given = [*given, ""]  # the user's shell
    # A command runs by itself: as part of the list it would start later.
    command = given[0] if given and given[0] in COMMANDS else None
    program = "hyperbaton" if command is None else f"hyperbaton {command}"
    status = 0
    try:
        with contextlib.nullcontext() if command == "serve" else long_run_note():
            status = invoke(command, program, given[command is not None :])
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as ended:  # after --help, or a check that failed
        return ended.exit_code
    except click.UsageError as error:
        message = usage_message(error)
        stop = "" if message.endswith((".", "?")) else "."
        return fail(f"{message}{stop} Try '{program} --help'.")
    except HyperbatonError as error:
        if isinstance(error.__context__, BrokenPipeError):
            discard_stream(sys.stdout)
        return fail(str(error))
    except KeyboardInterrupt:
        return 130
    except MemoryError:
        fail("there is not enough memory")
        return 1
    except OSError as error:
        # What is left in the buffer cannot be written either.
        discard_stream(sys.stdout)
        if is_closed_pipe(error):  # the reader, such as `head`, has closed it
            return status
        what = "cannot write standard output" if error.filename is None else str(error.filename)
        fail(f"{what}: {error.strerror}")
        return 1
    return status


def invoke(command: str | None, program: str, arguments: list[str]) -> int:
    """Call a command with its arguments, and return its exit status."""
    loaded = load_command(command, arguments)
    with loaded.make_context(program, arguments, **CONTEXT) as context:
        return loaded.invoke(context) or 0


def is_closed_pipe(error: OSError, platform: str = sys.platform) -> bool:
    """Return whether an error means that nobody reads standard output any more."""
    if platform == "win32" and error.errno == errno.EINVAL:  # Windows has no error of its own
        return error.filename is None
    return isinstance(error, BrokenPipeError)


def fail(message: str) -> int:
    """Print an error on one line, and return the status of invalid input.

    Messages quote arguments and files, and some are those of other libraries.
    """
    print_message(f"error: {message}")
    return 2
