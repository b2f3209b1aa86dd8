"""Completion of commands, options, metrics and choices in bash, zsh and fish.

The shells call ``hyperbaton --complete WORD...``, which prints what the last word may become, one
per line. If nothing is printed, the shells complete the names of files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from hyperbaton.cli import COMMANDS, load_command
from hyperbaton.cli.commands import declared_parameters
from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.files.output_files import write_beside

# Where the script of each shell is installed in the home folder, and what the shell reads at its
# start. The script lies beside this module.
PLACES: Mapping[str, tuple[str, str | None, str]] = {
    "bash": (
        ".bash_completions/hyperbaton.sh",
        ".bashrc",
        "source ~/.bash_completions/hyperbaton.sh",
    ),
    "zsh": (".zfunc/_hyperbaton", ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (".config/fish/completions/hyperbaton.fish", None, ""),
}


def check_shell(name: str) -> str:
    """Return the name of a shell, or of the user's shell if it is empty.

    Raises
    ------
    InputError
        If there is no completion for it.
    """
    shell = name or os.path.basename(os.environ.get("SHELL", ""))
    if shell not in PLACES:
        raise InputError(f"the shell must be one of {', '.join(PLACES)}, got {printable(shell)!r}")
    return shell


def script(shell: str) -> str:
    """Return the script that completes words in a shell."""
    return Path(__file__).with_suffix(f".{shell}").read_text("utf-8")


def install_completion(shell: str) -> list[Path]:
    """Install the completion of a shell for this user, and return the files that were written."""
    place, start_file, line = PLACES[shell]
    installed = Path.home() / place
    try:
        installed.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        folder = printable(str(installed.parent))
        raise InputError(f"cannot create the folder {folder}: {error.strerror}") from None
    contents = {installed: script(shell)}
    if start_file is not None:
        path = Path.home() / start_file
        before = path.read_text("utf-8") if path.exists() else ""
        if line not in before.splitlines():
            separator = "" if not before or before.endswith("\n") else "\n"
            contents[path] = f"{before}{separator}{line}\n"
    for path, content in contents.items():
        with write_beside(path) as file:
            file.write(content)
    return list(contents)


def candidates(words: Sequence[str]) -> list[str]:
    """Return what the last of the words after the name of the program may become."""
    *before, current = words or [""]
    if not before:
        found = option_names(load_command(None)) if current.startswith("-") else COMMANDS
    elif before[0] not in COMMANDS:
        return []
    else:
        command = load_command(before[0])
        if values := next_values(command, before[-1], current):
            return values
        found = option_names(command) if current.startswith("-") else []
    return [name for name in found if name.startswith(current)]


def next_values(command: click.Command, before: str, current: str) -> list[str]:
    """Return what the value of the option before, or an argument, may become."""
    for about in declared_parameters(command):
        if before in about.names or not (about.names or current.startswith("-")):
            if about.metavar.startswith("METRIC"):
                return complete_metric(current)
            offered = [*about.choices, *about.suggestions]
            if offered:
                return [value for value in offered if value.startswith(current)]
    return []


def option_names(command: click.Command) -> list[str]:
    """Return the names of the options of a command."""
    options = [one for one in command.params if one.param_type_name == "option"]
    return [*(name for one in options for name in (*one.opts, *one.secondary_opts)), "--help", "-h"]


def complete_metric(text: str) -> list[str]:
    """Return the metrics and sets that the last one of a list may become.

    >>> complete_metric("bleu,sens")
    ['bleu,senscore']
    """
    from hyperbaton.metrics.options import ALIASES
    from hyperbaton.metrics.registry import SETS, names

    others, comma, last = text.rpartition(",")
    known = sorted({*names(), *SETS, *ALIASES})
    return [f"{others}{comma}{name}" for name in known if name.startswith(last)]
