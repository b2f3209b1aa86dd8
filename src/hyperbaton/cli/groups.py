"""Groups of options that several commands share, and their help.

A group is a dataclass whose fields are options. A command takes groups as arguments; typer sees
one flat list of options, and ``--help`` shows them under the groups' titles.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand

from hyperbaton.cli.messages import suppressed_messages
from hyperbaton.errors import InputError

TITLES = (
    "Input",
    "Metrics",
    "Judgements",
    "Address",
    "Jobs",
    "Statistics",
    "Alignments",
    "Source aligner",
    "Trees",
    "Parquet to Parquet",
    "Output",
)

PAIR_OPTIONS = ("--bitext",)  # options that take two values, which typer cannot repeat


class OptionGroup:
    """Base class of groups; subclasses are frozen dataclasses of annotated fields."""

    TITLE: ClassVar[str]  # of the section in --help


Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet/--no-quiet",
        "-q",
        help="Suppress warnings, notes and progress on standard error.",
        rich_help_panel="Output",
    ),
]


def flatten_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of its groups as parameters of their own.

    Every command also has the option ``--quiet``.
    """
    hints = typing.get_type_hints(command, include_extras=True)
    groups: dict[str, type[OptionGroup]] = {
        name: hint
        for name, hint in hints.items()
        if isinstance(hint, type) and issubclass(hint, OptionGroup)
    }
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += _group_parameters(groups[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name]))
    parameters.append(
        inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)
    )

    def run(quiet: bool, **values: Any) -> None:
        for name, group in groups.items():
            fields = {field.name: values.pop(field.name) for field in _fields(group)}
            values[name] = group(**fields)
        with suppressed_messages(quiet):
            command(**values)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _fields(group: type[OptionGroup]) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(group)  # type: ignore[arg-type]


def _group_parameters(group: type[OptionGroup]) -> Iterator[inspect.Parameter]:
    hints = typing.get_type_hints(group, include_extras=True)
    for field in _fields(group):
        for information in hints[field.name].__metadata__:
            information.rich_help_panel = group.TITLE
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=field.default,
            annotation=hints[field.name],
        )


class GroupedCommand(TyperCommand):
    """A command whose help has a section for each group of options.

    typer shows groups only with rich, which takes longer to import than the help may take.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; an option with two values is given once for each of them."""
        parsed: list[str] = super().parse_args(ctx, split_pairs(args))
        return parsed

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options, section by section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            title = getattr(parameter, "rich_help_panel", None)
            if parameter.param_type_name == "argument":
                title = "Arguments"
            sections.setdefault(title or "Options", []).append(record)
        # Sections without a place in TITLES come last: no option may be missing from the help.
        for title in dict.fromkeys(("Arguments", *TITLES, "Options", *sections)):
            if title in sections:
                with formatter.section(title):
                    formatter.write_dl(sections[title])


def split_pairs(arguments: Sequence[str]) -> list[str]:
    """Return arguments in which an option that takes two values is repeated for the second.

    >>> split_pairs(["--bitext", "a", "b", "c", "--", "--bitext", "d"])
    ['--bitext', 'a', '--bitext', 'b', 'c', '--', '--bitext', 'd']
    """
    split: list[str] = []
    unread = iter(arguments)
    for argument in unread:
        option, equals, first = argument.partition("=")
        if option not in PAIR_OPTIONS:
            split.append(argument)
            if argument == "--":
                break
            continue
        values = [first, *islice(unread, 1)] if equals else list(islice(unread, 2))
        if len(values) < 2 or any(value.startswith("-") and value != "-" for value in values):
            raise InputError(f"{option} needs two files: {option} SRC TGT")
        split += [option, values[0], option, values[1]]
    return [*split, *unread]
