"""Completion of commands, options, metrics and choices in bash, zsh and fish.

The shells call ``hyperbaton --complete WORD...``, which prints what the last word may become, one
per line. If nothing is printed, the shells complete the names of files.
"""

from __future__ import annotations

import inspect
import os
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path

from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.files.output_files import write_beside

COMPLETE = "--complete"
METRIC_OPTIONS = ("--metric", "-m", "--sort", "--explain", "--negate")
METRIC_COMMANDS = ("metrics", "cite")  # whose arguments are metrics

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
    load_command: Callable[[str], Callable[..., None]],
    find_options: Callable[[str | None], Mapping[str, str]],
) -> list[str]:
    """Return what the last word may become.

    Parameters
    ----------
    words : sequence of str
        The words after the name of the program. The last one may be empty.
    commands : iterable of str
        The names of all commands.
    load_command : callable
        Returns the function of a command.
    find_options : callable
        Returns the options of a command, or of the program, with the names of their parameters.
    """
    *before, current = words or [""]
    if not before:
        found = find_options(None) if current.startswith("-") else commands
        return [name for name in found if name.startswith(current)]
    command = before[0]
    if command not in commands:
        return []
    if before[-1] in METRIC_OPTIONS or (command in METRIC_COMMANDS and not current.startswith("-")):
        return complete_metric(current)
    options = find_options(command)
    if before[-1] in options:
        choices = _choices(load_command(command), options[before[-1]])
        if choices:
            return [choice for choice in choices if choice.startswith(current)]
    if current.startswith("-"):
        return [option for option in options if option.startswith(current)]
    return []


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


def _choices(command: Callable[..., None], name: str) -> list[str]:
    """Return the values that an option may have, if it has a list of them."""
    parameter = inspect.signature(command).parameters.get(name)
    kind, *_ = typing.get_args(None if parameter is None else parameter.annotation) or [None]
    for member in (kind, *typing.get_args(kind)):
        if isinstance(member, type) and issubclass(member, Enum):
            return [str(value.value) for value in member]
    return []
