"""Completion of commands, options, metrics and choices in bash, zsh and fish.

The shells call ``hyperbaton --complete WORD...``, which prints what the last word may become, one
per line. If nothing is printed, the shells complete the names of files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import click

from hyperbaton.cli.parsing import declared_parameters
from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.files.output_files import write_beside

COMPLETE = "--complete"

BASH = """\
_hyperbaton_completion() {
    local IFS=$'\\n'
    COMPREPLY=( $(hyperbaton --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) )
}
complete -o default -F _hyperbaton_completion hyperbaton
"""
ZSH = """\
#compdef hyperbaton
_hyperbaton() {
    local -a candidates
    candidates=(${(f)"$(hyperbaton --complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#candidates )); then compadd -a candidates; else _files; fi
}
if [ "$funcstack[1]" = "_hyperbaton" ]; then
    _hyperbaton "$@"
else
    compdef _hyperbaton hyperbaton
fi
"""
FISH = """\
function __hyperbaton_complete
    set -l words (commandline -opc) (commandline -ct)
    hyperbaton --complete $words[2..-1] 2>/dev/null
end
complete -c hyperbaton -a '(__hyperbaton_complete)'
"""
SCRIPTS: Mapping[str, str] = {"bash": BASH, "zsh": ZSH, "fish": FISH}
# Where a script is installed in the home folder, and what the shell reads at its start.
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
    if shell not in SCRIPTS:
        raise InputError(f"the shell must be one of {', '.join(SCRIPTS)}, got {printable(shell)!r}")
    return shell


def install_completion(shell: str) -> list[Path]:
    """Install the completion of a shell for this user, and return the files that were written."""
    place, start_file, line = PLACES[shell]
    script = Path.home() / place
    written = [script]
    try:
        script.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        folder = printable(str(script.parent))
        raise InputError(f"cannot create the folder {folder}: {error.strerror}") from None
    with write_beside(script) as file:
        file.write(SCRIPTS[shell])
    if start_file is not None:
        path = Path.home() / start_file
        content = path.read_text("utf-8") if path.exists() else ""
        if line not in content.splitlines():
            separator = "" if not content or content.endswith("\n") else "\n"
            with write_beside(path) as file:
                file.write(f"{content}{separator}{line}\n")
            written.append(path)
    return written


def candidates(
    words: Sequence[str],
    commands: Iterable[str],
    load_command: Callable[[str | None], click.Command],
) -> list[str]:
    """Return what the last word may become.

    Parameters
    ----------
    words : sequence of str
        The words after the name of the program. The last one may be empty.
    commands : iterable of str
        The names of all commands.
    load_command : callable
        Returns a command, or the program.
    """
    *before, current = words or [""]
    if not before:
        found = option_names(load_command(None)) if current.startswith("-") else commands
        return [name for name in found if name.startswith(current)]
    if before[0] not in commands:
        return []
    command = load_command(before[0])
    values = next_values(command, before[-1], current)
    if values:
        return values
    names = option_names(command) if current.startswith("-") else []
    return [name for name in names if name.startswith(current)]


def next_values(command: click.Command, before: str, current: str) -> list[str]:
    """Return what the value of the option before, or an argument, may become."""
    for parameter in declared_parameters(command):
        about = parameter.declaration
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
