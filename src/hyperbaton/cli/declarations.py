"""Declarations of options, one row for each, and of the rules between them.

A group is a class whose fields are options, and a command takes groups as arguments. Parsing,
help, completion and error messages are made from the declarations alone.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, ClassVar

from hyperbaton.errors import InputError

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


@dataclasses.dataclass(frozen=True)
class Declaration:
    """What is said about an option or an argument.

    Attributes
    ----------
    names : tuple of str
        Its names on the command line, such as ``("--reference", "-r")``; none for an argument.
    metavar : str
        What stands for its value in the help; by default, its type or its choices.
    about : str
        The help.
    title : str, optional
        Its section of the help, unless it is that of its group.
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
    """

    names: tuple[str, ...]
    metavar: str
    about: str
    title: str | None = None
    choices: Iterable[str] = ()
    suggestions: Iterable[str] = ()
    low: int | None = None
    high: int | None = None
    required: bool = False
    variable: str | None = None


def option(spelling: str, about: str, default: Any = None, **details: Any) -> Any:
    """Declare an option that takes a value, as a field of a group.

    Parameters
    ----------
    spelling : str
        Its names and what stands for its value: ``"--reference -r REF"``.
    about : str
        The help.
    default : object
        Its value if it is not given.
    **details
        Further attributes of :class:`Declaration`.
    """
    words = spelling.split(" ")
    names = [word for word in words if word.startswith("-")]
    metavar = " ".join(words[len(names) :])
    return _field(Declaration(tuple(names), metavar, about, **details), default)


def flag(spelling: str, about: str, default: bool = False, **details: Any) -> Any:
    """Declare an option without a value: ``"--example"`` or ``"--short/--no-short"``."""
    return option(spelling, about, default, **details)


def argument(metavar: str, about: str, default: Any = None, **details: Any) -> Any:
    """Declare an argument, as a field of a group."""
    return _field(Declaration((), metavar, about, **details), default)


def _field(declaration: Declaration, default: Any) -> Any:
    return dataclasses.field(default=default, metadata={"declaration": declaration})


@dataclasses.dataclass(frozen=True)
class Parameter:
    """An option or an argument of a command: a declaration with what its group says about it.

    Attributes
    ----------
    name : str
        The field of the group.
    kind : type
        The type of a value: a text, a number, a flag, or a tuple for an option with two values.
    is_list : bool
        Whether it may be repeated.
    default : object
        Its value if it is not given.
    title : str
        Its section of the help.
    declaration : Declaration
        What is said about it.
    """

    name: str
    kind: type
    is_list: bool
    default: Any
    title: str
    declaration: Declaration

    @property
    def spellings(self) -> list[str]:
        """Its names on the command line; of an argument, what stands for it in the help."""
        names = self.declaration.names or (self.declaration.metavar,)
        return [part for name in names for part in name.split("/")]

    @property
    def demand(self) -> str:
        """What its value must be."""
        names = self.declaration.choices
        low, high = self.declaration.low, self.declaration.high
        if names:
            return f"one of {', '.join(names)}"
        number = "a whole number" if self.kind is int else "a number"
        if low is None:
            return number
        return f"{number}, at least {low}" if high is None else f"{number} from {low} to {high}"

    def convert(self, value: str) -> Any:
        """Return a value as its type.

        Raises
        ------
        ValueError
            If it is not what :attr:`demand` says.
        """
        converted = self.kind(value)
        low, high = self.declaration.low, self.declaration.high
        if self.declaration.choices and value not in self.declaration.choices:
            raise ValueError(value)
        if low is not None and not low <= converted <= (converted if high is None else high):
            raise ValueError(value)
        return converted


# Conditions on the values of all parameters, which they get as attributes of one object. Each has
# the options and arguments that it refuses, such as "--html --svg SYS...", with the error: {option}
# is the first of them that was given, and {format} the value of the parameter ``format``.
Rules = Mapping[Callable[[Any], object], Mapping[str, str]]


@typing.dataclass_transform(frozen_default=True)
class OptionGroup:
    """Base class of groups; subclasses are frozen dataclasses.

    Attributes
    ----------
    TITLE : str
        The section of its options in ``--help``.
    RULES : mapping
        The rules of every command that takes the group.
    """

    TITLE: ClassVar[str] = "Options"
    RULES: ClassVar[Rules] = {}

    def __init_subclass__(cls) -> None:
        # Groups are not compared or printed; what that needs would take time to make.
        dataclasses.dataclass(frozen=True, eq=False, repr=False)(cls)


def groups_of(holder: Any) -> dict[str, type[OptionGroup]]:
    """Return the groups that a command takes, or that a group has as fields, by their names."""
    return {
        name: hint
        for name, hint in typing.get_type_hints(holder).items()
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
        name: group(
            **fill(group, values), **{one.name: values[one.name] for one in _declared_fields(group)}
        )
        for name, group in groups_of(holder).items()
    }


def parameters_of(group: type[OptionGroup]) -> list[Parameter]:
    """Return the options and arguments of a group, without those of groups in it."""
    hints = typing.get_type_hints(group)
    return [_parameter(group, field, hints[field.name]) for field in _declared_fields(group)]


def _declared_fields(group: Any) -> list[dataclasses.Field[Any]]:
    return [field for field in dataclasses.fields(group) if "declaration" in field.metadata]


def _parameter(group: type[OptionGroup], field: dataclasses.Field[Any], hint: Any) -> Parameter:
    declaration = field.metadata["declaration"]
    title = declaration.title or group.TITLE
    if title not in TITLES:
        raise ValueError(f"{title!r} has no place among the sections of the help")
    kind, is_list = _kind_of(hint)
    return Parameter(field.name, kind, is_list, field.default, title, declaration)


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
