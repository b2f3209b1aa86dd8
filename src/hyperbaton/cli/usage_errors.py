"""Messages for options with invalid values, in Hyperbaton's own words.

Those of typer come from click or from pydantic, depending on its version.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any


def usage_message(error: Any, command: Callable[..., None] | None, arguments: Sequence[str]) -> str:
    """Return the message for an error in the arguments of a command.

    Parameters
    ----------
    error : click.UsageError
        The error.
    command : callable, optional
        The function of the command, whose annotations say what options must be.
    arguments : sequence of str
        The arguments of the command.
    """
    parameter = getattr(error, "param", None)
    if (
        parameter is not None
        and command is not None
        and parameter.name in (known := inspect.signature(command).parameters)
    ):
        demand = _demand(known[parameter.name].annotation)
        given = _find_value(parameter.opts, arguments)
        if demand is not None and given is not None:
            option, value = given
            return f"{option} must be {demand}, got {value!r}"
    message: str = error.format_message()
    return message


def _demand(annotation: Any) -> str | None:
    """Return what the value of an option must be; None if it may be any text."""
    value_type, *information = typing.get_args(annotation) or [annotation]
    members = [
        kind for kind in typing.get_args(value_type) or [value_type] if kind is not type(None)
    ]
    (kind,) = members if len(members) == 1 else [None]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"one of {', '.join(str(member.value) for member in kind)}"
    names = {int: "a whole number", float: "a number"}
    if kind not in names:
        return None
    limits = [(getattr(info, "min", None), getattr(info, "max", None)) for info in information]
    low, high = next(iter(limits), (None, None))
    if low is None and high is None:
        return names[kind]
    if high is None:
        return f"{names[kind]}, at least {low}"
    return f"{names[kind]} from {low} to {high}"


def _find_value(names: Sequence[str], arguments: Sequence[str]) -> tuple[str, str] | None:
    """Return the last of these options among the arguments, and its value."""
    found = None
    for k, argument in enumerate(arguments):
        if argument == "--":
            break
        for name in names:
            if argument == name and k + 1 < len(arguments):
                found = name, arguments[k + 1]
            elif argument.startswith(f"{name}=") and name.startswith("--"):
                found = name, argument.partition("=")[2]
            elif argument.startswith(name) and not name.startswith("--") and argument != name:
                found = name, argument[len(name) :]
    return found
