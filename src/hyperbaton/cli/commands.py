"""Commands of click, made from declarations: one row for each option, and the rules between them.

A group is a class whose attributes are options, and a command takes groups as arguments. Parsing,
help, completion and error messages are made from the declarations alone. As the help of a command
is the documentation of its function, so that of an option is what the documentation of its group
says of the attribute. click splits the arguments and lays out the help. Values are converted here,
and their errors are Hyperbaton's own, so that no message depends on the version of click.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, ClassVar, Self

import click

from hyperbaton.cli.messages import suppressed_messages
from hyperbaton.errors import InputError

HELP_ALL = "--help-all"
SHOWN_EXAMPLES = 3  # of a command whose --help does not show all options
# The sections of --help, in their order.
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
    "Scoring Parquet files into a folder (-o FOLDER/)",
    "Output",
    "Options",
)

# An attribute in the documentation of a group: its name on a line, and its text, further right.
DOCUMENTED = re.compile(r"^( *)(\w+)\n((?:\1 +\S.*\n?)+)", re.M)


@dataclasses.dataclass(frozen=True)
class Parameter:
    """An option or an argument of a command.

    Attributes
    ----------
    names : tuple of str
        Its names on the command line, such as ``("--reference", "-r")``; none for an argument.
    metavar : str
        What stands for its value in the help; by default, its type or its choices.
    default : object
        Its value if it is not given.
    about : str
        The help; by default, what the documentation of its group says, where ``{suggestions}``
        stands for their names.
    title : str
        Its section of the help; by default, that of its group.
    choices : iterable of str
        The values that it may have, such as the names of a registry; any value if there are none.
    suggestions : iterable of str
        Values that completion offers, of an option whose value is checked elsewhere.
    low, high : int, optional
        The smallest and the largest number.
    required : bool
        Whether an argument must be given.
    variable : str, optional
        The environment variable that sets it.
    name : str
        The attribute of its group, from which the rest follows.
    kind : type
        The type of a value: a text, a number, a flag, or a tuple for an option with two values.
    is_list : bool
        Whether it may be repeated.
    """

    names: tuple[str, ...]
    metavar: str
    default: Any = None
    about: str = ""
    title: str = ""
    choices: Iterable[str] = ()
    suggestions: Iterable[str] = ()
    low: int | None = None
    high: int | None = None
    required: bool = False
    variable: str | None = None
    name: str = ""
    kind: type = str
    is_list: bool = False

    @property
    def spellings(self) -> list[str]:
        """Its names on the command line; of an argument, what stands for it in the help."""
        return [part for name in self.names or (self.metavar,) for part in name.split("/")]

    @property
    def demand(self) -> str:
        """What its value must be."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        number = "a whole number" if self.kind is int else "a number"
        if self.low is None:
            return number
        if self.high is None:
            return f"{number}, at least {self.low}"
        return f"{number} from {self.low} to {self.high}"

    def convert(self, value: str) -> Any:
        """Return a value as its type.

        Raises
        ------
        ValueError
            If it is not what :attr:`demand` says.
        """
        converted = self.kind(value)
        if self.choices and value not in self.choices:
            raise ValueError(value)
        high = converted if self.high is None else self.high
        if self.low is not None and not self.low <= converted <= high:
            raise ValueError(value)
        return converted


def option(spelling: str, default: Any = None, **details: Any) -> Any:
    """Declare an option that takes a value, as an attribute of a group.

    Parameters
    ----------
    spelling : str
        Its names and what stands for its value: ``"--reference -r REF"``.
    default : object
        Its value if it is not given.
    **details
        Further attributes of :class:`Parameter`.
    """
    words = spelling.split(" ")
    names = [word for word in words if word.startswith("-")]
    metavar = " ".join(words[len(names) :])
    return Parameter(tuple(names), metavar, default, **details)


def flag(spelling: str, default: bool = False, **details: Any) -> Any:
    """Declare an option without a value: ``"--example"`` or ``"--short/--no-short"``."""
    return option(spelling, default, **details)


def argument(metavar: str, **details: Any) -> Any:
    """Declare an argument, as an attribute of a group."""
    return Parameter((), metavar, **details)


# Conditions on the values of all parameters, which they get as attributes of one object. Each has
# the options and arguments that it refuses, such as "--html --svg SYS...", with the error: {option}
# is the first of them that was given, and {format} the value of the parameter ``format``.
Rules = Mapping[Callable[[Any], object], Mapping[str, str]]


@typing.dataclass_transform(eq_default=False, kw_only_default=True, frozen_default=True)
class OptionGroup:
    """Base class of groups, whose attributes are options, or other groups.

    No dataclasses, which would take a noticeable part of the time of a short run to make.

    Attributes
    ----------
    TITLE : str
        The section of its options in ``--help``.
    RULES : mapping
        The rules of every command that takes the group.
    """

    TITLE: ClassVar[str] = "Options"
    RULES: ClassVar[Rules] = {}

    def __init__(self, **values: Any) -> None:
        defaults = {name: one.default for name, one in declarations(type(self)).items()}
        vars(self).update({**defaults, **values})

    def replace(self, **changes: Any) -> Self:
        """Return the group with other values of some options or groups."""
        own = {name: value for name, value in vars(self).items() if name in type_hints(type(self))}
        return type(self)(**{**own, **changes})


class MessageOptions(OptionGroup):
    """The option that every command has.

    Attributes
    ----------
    quiet
        Suppress warnings, notes and progress on standard error.
    """

    TITLE = "Output"

    quiet: bool = flag("--quiet/--no-quiet -q")


type_hints: Callable[[Any], dict[str, Any]] = functools.cache(typing.get_type_hints)


def groups_of(holder: Any) -> dict[str, type[OptionGroup]]:
    """Return the groups that a command takes, or that a group has as attributes, by their names."""
    return {
        name: hint
        for name, hint in type_hints(holder).items()
        if isinstance(hint, type) and issubclass(hint, OptionGroup)
    }


def all_groups(holder: Any) -> Iterator[type[OptionGroup]]:
    """Yield the groups of a command, and the groups in them."""
    for group in groups_of(holder).values():
        yield group
        yield from all_groups(group)


def fill(holder: Any, values: Mapping[str, Any]) -> dict[str, OptionGroup]:
    """Return the groups of a command, or in a group, with the values of their options."""
    return {
        name: group(**fill(group, values), **{one: values[one] for one in declarations(group)})
        for name, group in groups_of(holder).items()
    }


def declarations(group: type[OptionGroup]) -> dict[str, Parameter]:
    """Return what a group and its base classes declare; it may declare an option anew."""
    return {
        name: value
        for one in reversed(group.__mro__)
        for name, value in vars(one).items()
        if isinstance(value, Parameter)
    }


def attribute_texts(group: type[OptionGroup]) -> dict[str, str]:
    """Return what the documentation of a group and its base classes says of each attribute."""
    return {
        name: " ".join(text.split())
        for one in reversed(group.__mro__)
        for _, name, text in DOCUMENTED.findall(one.__doc__ or "")
    }


def parameters_of(group: type[OptionGroup]) -> list[Parameter]:
    """Return the options and arguments of a group, without those of groups in it."""
    parameters = []
    texts = attribute_texts(group)
    for name, declared in declarations(group).items():
        title = declared.title or group.TITLE
        if title not in TITLES:
            raise ValueError(f"{title!r} has no place among the sections of the help")
        kind, is_list = _kind_of(type_hints(group)[name])
        about = declared.about or texts.get(name, "")
        about = about.replace("{suggestions}", ", ".join(declared.suggestions))
        found: dict[str, Any] = {
            "about": about,
            "title": title,
            "name": name,
            "kind": kind,
            "is_list": is_list,
        }
        parameters.append(dataclasses.replace(declared, **found))
    return parameters


def _kind_of(hint: Any) -> tuple[type, bool]:
    """Return the type of a value, and whether there are several, from a field's type."""
    kind = next((one for one in typing.get_args(hint) if one is not NoneType), hint)
    if isinstance(hint, UnionType):
        return _kind_of(kind)
    is_list = typing.get_origin(hint) is list
    return (typing.get_origin(kind) or kind, True) if is_list else (hint, False)


def check_rules(
    rules: Iterable[Rules], parameters: Iterable[Parameter], values: Mapping[str, Any]
) -> None:
    """Raise an error if an option was given that a rule refuses.

    An option counts as given if its value is not its default.
    """
    named = {name: one for one in parameters for name in one.spellings}
    for table in rules:
        for applies, refusals in table.items():
            if applies(SimpleNamespace(**values)):
                for options, message in refusals.items():
                    for option in options.split():
                        if values[named[option].name] != named[option].default:
                            raise InputError(message.format(option=option, **values))


class DeclaredOption(click.Option):
    """An option whose help is made from its declaration."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter
        super().__init__(
            [parameter.name, *parameter.names],
            is_flag=parameter.kind is bool,
            multiple=parameter.is_list,
            nargs=2 if parameter.kind is tuple else 1,
            envvar=parameter.variable,
            default=None,
            type=None if parameter.kind is bool else str,
        )

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return its names and its help."""
        names = ", ".join(sorted(self.opts, key=lambda name: name.startswith("--")))
        value = "" if self.is_flag else f" {self._metavar()}"
        off = "".join(f" / {name}" for name in self.secondary_opts)
        return f"{names}{value}{off}", with_notes(self.parameter.about, self._notes())

    def _metavar(self) -> str:
        about = self.parameter
        label = f"{about.kind.__name__}{' range' * (about.low is not None)}"
        return about.metavar or f"<{'|'.join(about.choices) or label}>"

    def _notes(self) -> list[str]:
        """Return what follows the help in brackets."""
        default, low, high = self.parameter.default, self.parameter.low, self.parameter.high
        notes = [] if self.parameter.variable is None else [f"env var: {self.parameter.variable}"]
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
        nargs = -1 if parameter.is_list else 1
        super().__init__([parameter.name], required=parameter.required, nargs=nargs, type=str)

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return what stands for it in the first line of the help."""
        name = self.parameter.metavar
        piece = f"{{{name}}}" if self.required else f"[{name}]"
        return [piece + "..." * self.parameter.is_list]

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return its name for messages."""
        return f"'{self.parameter.metavar}'"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return its name and its help."""
        kind = "list[str]" if self.parameter.is_list else "str"
        notes = ["required"] if self.required else []
        return f"{self.parameter.metavar} <{kind}>", with_notes(self.parameter.about, notes)


def shorten_examples(text: str) -> str:
    """Return the text of a help with only its first examples.

    A line that ends with a backslash goes on in the next one.
    """
    before, heading, examples = text.partition("Examples:\n")
    kept: list[str] = []
    count = 0
    for line in examples.splitlines():
        is_continued = bool(kept) and kept[-1].endswith("\\")
        count += not is_continued
        if count > SHOWN_EXAMPLES:
            break
        kept.append(line)
    return before + heading + "\n".join(kept)


def with_notes(about: str, notes: Sequence[str]) -> str:
    """Return a help text, followed by notes in brackets."""
    return f"{about}  [{'; '.join(notes)}]" if notes else about


class DeclaredCommand(click.Command):
    """A command whose help has a section for each group of options."""

    allow_extra_args = True  # they are refused below

    def __init__(self, name: str, shown: frozenset[str], **arguments: Any) -> None:
        super().__init__(name, **arguments)
        self._shown = shown

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Split the arguments, and remember them for messages."""
        if HELP_ALL in args:
            self._shown = frozenset()
            args = ["--help"]
        ctx.meta[__name__] = list(args)
        try:
            rest = super().parse_args(ctx, args)
        except click.BadOptionUsage as error:
            for one in declared_parameters(self):
                if one.kind is tuple and error.option_name in one.names:
                    raise pair_error(one) from None
            raise
        if rest:
            raise click.UsageError(f"Got unexpected extra argument(s) ({' '.join(rest)})")
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments and options, section by section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for one in self.get_params(ctx):
            title = one.parameter.title if isinstance(one, DeclaredOption) else "Options"
            if isinstance(one, DeclaredArgument):
                title = "Arguments"
            elif self._is_hidden(one):
                continue
            if (record := one.get_help_record(ctx)) is not None:
                sections.setdefault(title, []).append(record)
        for title in ("Arguments", *TITLES):
            if title in sections:
                with formatter.section(title):
                    formatter.write_dl(sections[title])
        if self._shown:
            formatter.write(f"\nAll options: {ctx.command_path} {HELP_ALL}\n")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description, with few examples if not all options are shown."""
        whole = self.help
        if self._shown and whole is not None:
            self.help = shorten_examples(whole)
        super().format_help_text(ctx, formatter)
        self.help = whole

    def _is_hidden(self, one: click.Parameter) -> bool:
        """Whether an option is left out; the last line of the help names --help-all."""
        is_other = bool(self._shown) and self._shown.isdisjoint(one.opts)
        return HELP_ALL in one.opts or (isinstance(one, DeclaredOption) and is_other)


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
    option = parameter.names[0]
    return InputError(f"{option} needs two files: {option} {parameter.metavar}")


def make_command(
    function: Callable[..., Any],
    rules: Rules,
    defaults: Mapping[str, Any],
    shown: frozenset[str] = frozenset(),
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
    shown : frozenset of str
        The options that --help shows; --help-all shows all. By default both do.
    """
    groups: list[type[OptionGroup]] = [*all_groups(function), MessageOptions]
    parameters = [parameter for group in groups for parameter in parameters_of(group)]

    def run(**raw: Any) -> Any:
        values = {one.name: find_value(one, raw[one.name], defaults) for one in parameters}
        check_rules([rules, *(group.RULES for group in groups)], parameters, values)
        with suppressed_messages(values["quiet"]):
            return function(**fill(function, values))

    declared = [DeclaredOption(one) if one.names else DeclaredArgument(one) for one in parameters]
    return DeclaredCommand(
        function.__name__,
        shown,
        callback=run,
        help=function.__doc__,
        params=[*declared, click.Option([HELP_ALL], is_flag=True, help="Show all options.")],
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
    names = parameter.names
    for argument in reversed(click.get_current_context().meta[__name__]):
        for name in names:
            value = argument.removeprefix(name)
            if value != argument and (value[:1] in ("", "=") or not name.startswith("--")):
                return name
    return names[0]
