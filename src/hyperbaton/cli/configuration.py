"""Defaults of options from a file: the table ``[tool.hyperbaton]`` of ``pyproject.toml``.

Only options that change no number, or that every output shows anyway, have defaults there.
"""

from __future__ import annotations

import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.registries import Registry
from hyperbaton.runs.tables.engines import ENGINES
from hyperbaton.stats.sampling import CORRECTIONS, PAIRED_TESTS
from hyperbaton.views.formats import FORMATS

VARIABLE = "HYPERBATON_CONFIG"
FILE = "pyproject.toml"
TABLE = "[tool.hyperbaton]"
SCORING = ("score", "compare", "check", "report")
TESTING = ("compare", "check")
PRINTING = ("score", "compare", "merge", "meta", "tune")
MAX_BYTES = 1_000_000
EVERY: tuple[str, ...] = ()  # the option of every command


@dataclass(frozen=True)
class Setting:
    """An option that may have a default in the file.

    Attributes
    ----------
    commands : tuple of str
        The commands that use it; all commands if there are none.
    type : type
        The type of its value; a list is one of texts.
    demand : str
        What its value must be, for error messages.
    choices : container, optional
        The values that it may have.
    """

    commands: tuple[str, ...]
    type: type
    demand: str
    choices: Container[object] | None = None

    def allows(self, value: object) -> bool:
        """Return whether a value is valid."""
        if type(value) is not self.type:  # True equals 1, but is no number here
            return False
        if isinstance(value, list):
            return bool(value) and all(isinstance(one, str) for one in value)
        return self.choices is None or value in self.choices


def _choice(commands: tuple[str, ...], table: Registry[Any]) -> Setting:
    """Return the setting for a name of a table."""
    return Setting(commands, str, f"one of {', '.join(table)}", table)


SETTINGS: Mapping[str, Setting] = {
    "metrics": Setting((*SCORING, "meta"), list, "a list of metrics"),
    "language": Setting((*SCORING, "explain", "meta", "tune", "cite"), str, "a language"),
    "format": _choice(PRINTING, FORMATS),
    "digits": Setting(PRINTING, int, "a whole number from 1 to 15", range(1, 16)),
    "method": _choice(TESTING, PAIRED_TESTS),
    "correction": _choice(TESTING, CORRECTIONS),
    "engine": _choice(("score",), ENGINES),
    "quiet": Setting(EVERY, bool, "true or false"),
}


@dataclass(frozen=True)
class Configuration:
    """The settings of a file; without a file, none."""

    path: Path | None
    settings: Mapping[str, Any]

    def defaults(self, command: str, arguments: Sequence[str]) -> dict[str, Any]:
        """Return the defaults of a command's options.

        The example and test sets have their own language, and ``--score-only`` its own format.
        ``--mtme`` prints no table, and engines only write to folders.
        """
        ignored = set()
        own_language = ("--example", "--langpair", "--mtme")
        if any(argument.startswith(own_language) for argument in arguments):
            ignored.add("language")
        if any(argument.startswith("--mtme") for argument in arguments):
            ignored |= {"format", "digits"}
        if not any(argument.endswith(("/", os.sep)) for argument in arguments):
            ignored.add("engine")
        if {"-b", "--score-only"} & set(arguments):
            ignored.add("format")
        return {
            key: value
            for key, value in self.settings.items()
            if key not in ignored
            if SETTINGS[key].commands is EVERY or command in SETTINGS[key].commands
        }


def find_configuration() -> Configuration:
    """Return the settings of the file that ``HYPERBATON_CONFIG`` names.

    Without this variable, it is the nearest ``pyproject.toml`` with a table ``[tool.hyperbaton]``,
    in the current folder or one above. If the variable is empty, there are no settings.

    Raises
    ------
    InputError
        If the file cannot be read, or a setting is not valid.
    """
    named = os.environ.get(VARIABLE)
    if named == "":
        return Configuration(None, {})
    if named is not None:
        table = _read_table(Path(named))
        if table is None:
            raise InputError(f"{printable(named)}, which {VARIABLE} names, has no table {TABLE}")
        return Configuration(Path(named), _checked(table, named))
    try:
        here = Path.cwd()
    except OSError:  # the folder was deleted
        return Configuration(None, {})
    for folder in (here, *here.parents):
        path = folder / FILE
        if path.is_file() and (table := _read_table(path)) is not None:
            return Configuration(path, _checked(table, str(path)))
    return Configuration(None, {})


def _read_table(path: Path) -> Any:
    """Return the table of a file, or None if it has none."""
    import tomllib  # imported here because most runs have no file

    name = printable(str(path))
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise InputError(f"{name} is larger than {MAX_BYTES:,} bytes: it is no configuration")
    try:
        document = tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name} is not TOML: {error}") from None
    except ValueError:  # Python reads no number of more than 4,300 digits
        raise InputError(f"{name} has a number with too many digits") from None
    except RecursionError:
        raise InputError(f"{name} is not TOML: it is nested too deeply") from None
    tools = document.get("tool")
    return tools.get("hyperbaton") if isinstance(tools, dict) else None


def _checked(table: object, name: str) -> dict[str, Any]:
    where = f"{printable(name)}: {TABLE}"
    if not isinstance(table, dict):
        raise InputError(f"{where} must be a table")
    for key, value in table.items():
        if key not in SETTINGS:
            raise InputError(
                f"{where} has an unknown setting {key!r}; valid names: {', '.join(SETTINGS)}"
            )
        if not SETTINGS[key].allows(value):
            raise InputError(f"{where} {key} must be {SETTINGS[key].demand}, got {_shown(value)}")
    return dict(table)


def _shown(value: object) -> str:
    """Return a value for a message."""
    try:
        return repr(value)
    except ValueError:  # hexadecimal numbers may be too large to be written as decimal ones
        return "a number with too many digits"
