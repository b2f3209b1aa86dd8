"""Commands of click, made from declarations.

click splits the arguments and lays out the help. Values are converted here, and their errors are
Hyperbaton's own, so that no message depends on the version of click.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from hyperbaton.cli.declarations import (
    TITLES,
    OptionGroup,
    Parameter,
    Rules,
    all_groups,
    check_rules,
    fill,
    flag,
    parameters_of,
)
from hyperbaton.cli.messages import suppressed_messages
from hyperbaton.errors import InputError


class MessageOptions(OptionGroup):
    """The option that every command has."""

    TITLE = "Output"

    quiet: bool = flag(
        "--quiet/--no-quiet -q", "Suppress warnings, notes and progress on standard error."
    )


class DeclaredOption(click.Option):
    """An option whose help is made from its declaration."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter
        super().__init__(
            [parameter.name, *parameter.declaration.names],
            is_flag=parameter.kind is bool,
            multiple=parameter.is_list,
            nargs=2 if parameter.kind is tuple else 1,
            envvar=parameter.declaration.variable,
            default=None,
            type=None if parameter.kind is bool else str,
        )

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return its names and its help."""
        names = ", ".join(sorted(self.opts, key=lambda name: name.startswith("--")))
        value = "" if self.is_flag else f" {self._metavar()}"
        off = "".join(f" / {name}" for name in self.secondary_opts)
        return f"{names}{value}{off}", with_notes(self.parameter.declaration.about, self._notes())

    def _metavar(self) -> str:
        declaration = self.parameter.declaration
        label = f"{self.parameter.kind.__name__}{' range' * (declaration.low is not None)}"
        return declaration.metavar or f"<{'|'.join(declaration.choices) or label}>"

    def _notes(self) -> list[str]:
        """Return what follows the help in brackets."""
        declaration, default = self.parameter.declaration, self.parameter.default
        low, high = declaration.low, declaration.high
        notes = [] if declaration.variable is None else [f"env var: {declaration.variable}"]
        if self.secondary_opts:
            (name,) = self.opts[:1] if default else self.secondary_opts
            notes.append(f"default: {name.removeprefix('--')}")
        elif default is not None and not self.is_flag:
            notes.append(f"default: {default}")
        if low is not None:
            notes.append(f"x>={low}" if high is None else f"{low}<=x<={high}")
        return notes


class DeclaredArgument(click.Argument):
    """An argument whose help is made from its declaration."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter
        required = parameter.declaration.required
        nargs = -1 if parameter.is_list else 1
        super().__init__([parameter.name], required=required, nargs=nargs, type=str)

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return what stands for it in the first line of the help."""
        name = self.parameter.declaration.metavar
        piece = f"{{{name}}}" if self.required else f"[{name}]"
        return [piece + "..." * self.parameter.is_list]

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return its name for messages."""
        return f"'{self.parameter.declaration.metavar}'"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return its name and its help."""
        declaration = self.parameter.declaration
        kind = "list[str]" if self.parameter.is_list else "str"
        notes = ["required"] if self.required else []
        return f"{declaration.metavar} <{kind}>", with_notes(declaration.about, notes)


def with_notes(about: str, notes: Sequence[str]) -> str:
    """Return a help text, followed by notes in brackets."""
    return f"{about}  [{'; '.join(notes)}]" if notes else about


class DeclaredCommand(click.Command):
    """A command whose help has a section for each group of options."""

    allow_extra_args = True  # they are refused below

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Split the arguments, and remember them for messages."""
        ctx.meta[__name__] = list(args)
        try:
            rest = super().parse_args(ctx, args)
        except click.BadOptionUsage as error:
            for one in declared_parameters(self):
                if one.kind is tuple and error.option_name in one.declaration.names:
                    raise pair_error(one) from None
            raise
        if rest:
            raise click.UsageError(f"Got unexpected extra argument(s) ({' '.join(rest)})")
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments and options, section by section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for one in self.get_params(ctx):
            title = "Options"
            if isinstance(one, DeclaredOption):
                title = one.parameter.title
            elif isinstance(one, DeclaredArgument):
                title = "Arguments"
            if (record := one.get_help_record(ctx)) is not None:
                sections.setdefault(title, []).append(record)
        for title in ("Arguments", *TITLES):
            if title in sections:
                with formatter.section(title):
                    formatter.write_dl(sections[title])


def declared_parameters(command: click.Command) -> list[Parameter]:
    """Return the parameters of a command, but not --help."""
    declared = (DeclaredOption, DeclaredArgument)
    return [one.parameter for one in command.params if isinstance(one, declared)]


def usage_message(error: click.UsageError) -> str:
    """Return what is wrong with the arguments, in words that do not depend on click's version."""
    if not isinstance(error, click.NoSuchOption):
        return error.format_message()
    names = ", ".join(sorted(error.possibilities or ()))
    hint = f" (Possible options: {names})" if names else ""
    return f"No such option: {error.option_name}{hint}"


def pair_error(parameter: Parameter) -> InputError:
    """Return the error for an option that has fewer than two values."""
    option = parameter.declaration.names[0]
    return InputError(f"{option} needs two files: {option} {parameter.declaration.metavar}")


def make_command(
    function: Callable[..., Any], rules: Rules, defaults: Mapping[str, Any]
) -> DeclaredCommand:
    """Return the command that calls a function with its groups of options.

    Parameters
    ----------
    function : callable
        Its arguments are groups. Its first line of documentation is the summary of the command.
    rules : mapping
        The rules of this command; those of its groups come after them.
    defaults : mapping
        Defaults of options from a configuration file.
    """
    groups: list[type[OptionGroup]] = [*all_groups(function), MessageOptions]
    parameters = [parameter for group in groups for parameter in parameters_of(group)]

    def run(**raw: Any) -> Any:
        values = {one.name: find_value(one, raw[one.name], defaults) for one in parameters}
        check_rules([rules, *(group.RULES for group in groups)], parameters, values)
        with suppressed_messages(values["quiet"]):
            return function(**fill(function, values))

    return DeclaredCommand(
        function.__name__,
        callback=run,
        help=function.__doc__,
        params=[
            DeclaredOption(one) if one.declaration.names else DeclaredArgument(one)
            for one in parameters
        ],
    )


def find_value(parameter: Parameter, given: Any, defaults: Mapping[str, Any]) -> Any:
    """Return the value of an option: as it was given, that of a file, or its default."""
    if given is None or given == ():
        return defaults.get(parameter.name, parameter.default)
    if parameter.kind is tuple:
        for pair in given:
            if any(value.startswith("-") and value != "-" for value in pair):
                raise pair_error(parameter)
    if parameter.is_list:
        return list(given)
    try:
        return parameter.convert(given)
    except ValueError:
        option = given_name(parameter)
        raise click.UsageError(f"{option} must be {parameter.demand}, got {given!r}") from None


def given_name(parameter: Parameter) -> str:
    """Return the name by which an option was given last."""
    names = parameter.declaration.names
    for argument in reversed(click.get_current_context().meta[__name__]):
        for name in names:
            value = argument.removeprefix(name)
            if value != argument and (value[:1] in ("", "=") or not name.startswith("--")):
                return name
    return names[0]
