"""Options of metrics, and the notation ``name:key=value,…`` in which metrics are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Container, Mapping
from dataclasses import dataclass

from hyperbaton.errors import InputError
from hyperbaton.registries import unknown_name_message

Value = str | int | float
# The sets of metrics. The command line shows their names without loading any metric.
SET_NAMES = ("default", "permutations", "edit", "papers", "all")


@dataclass(frozen=True)
class Option:
    """An option of a metric: one of several words, or a number within bounds.

    Attributes
    ----------
    default : str, int, float or None
        Default value; None if it depends on the language or on other options.
    meaning : str
        Description for people.
    choices : collection of str
        Valid words. The option is a number if this is empty.
    least, most : float
        Bounds of a number.
    whole : bool
        Whether the number must be an integer.
    digits : int, optional
        Maximum number of decimals.
    silent : bool
        Whether signatures omit the default value.
    form : str
        The valid values for people, if they are neither listed words nor numbers. A subclass reads
        them.
    derive : callable, optional
        Returns the default from the language and the values of the options before this one, if it
        depends on them.
    """

    default: Value | None
    meaning: str
    choices: Collection[str] = ()
    least: float = 0
    most: float = 1
    whole: bool = False
    digits: int | None = None
    silent: bool = False
    form: str = ""
    derive: Callable[[str | None, Mapping[str, Value | None]], Value] | None = None

    def read(self, name: str, given: object) -> Value:
        """Return the value of an option after checking it; text is parsed.

        Raises
        ------
        InputError
            If the value is not valid. The message starts with ``name``.
        """
        if self.choices:
            text = ("no", "yes")[given] if isinstance(given, bool) else given
            if text not in self.choices:
                raise InputError(f"{name} must be one of {', '.join(self.choices)}, got {given!r}")
            return str(text)
        number = self._read_number(name, given)
        if math.isnan(number) or not self.least <= number <= self.most:
            least, most = format_value(self.least), format_value(self.most)
            limits = f"between {least} and {most}" if self.most < math.inf else f"at least {least}"
            raise InputError(f"{name} must be {limits}, got {given}")
        if self.digits is not None and number != round(number, self.digits):
            raise InputError(f"{name} must have at most {self.digits} decimals, got {given}")
        return number

    def _read_number(self, name: str, given: object) -> int | float:
        try:
            if isinstance(given, bool):
                raise TypeError
            number = int(given) if self.whole else float(given)  # type: ignore[call-overload, arg-type]
            if self.whole and not isinstance(given, str) and number != given:
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            kind = "a whole number" if self.whole else "a number"
            raise InputError(f"{name} must be {kind}, got {given!r}") from None
        return number

    @property
    def numeric(self) -> bool:
        """Whether the option is a number."""
        return not (self.choices or self.form)

    @property
    def domain(self) -> str:
        """The valid values, for people."""
        if not self.numeric:
            return self.form or "|".join(self.choices)
        most = format_value(self.most) if self.most < math.inf else ""
        return f"{format_value(self.least)}…{most}"


def format_value(value: Value) -> str:
    """Format a value for a signature: the shortest text that is read back as the same value.

    >>> format_value(0.6), format_value(0.0), format_value(1e-6), format_value("off")
    ('0.6', '0', '1e-06', 'off')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return str(value)


def normalize_name(name: str) -> str:
    """Normalise the name of a metric or option: lower case, and ``_`` for ``-``.

    >>> normalize_name("LR-HB1")
    'lr_hb1'
    """
    return name.strip().replace("-", "_").lower()


# Other names of metrics with options: name and options.
ALIASES = {"chrf++": ("chrf", {"nw": "2"})}


def parse_spec(text: str, metric_names: Container[str] = ()) -> tuple[str, dict[str, str]]:
    """Split a metric as users write it into its name and its options.

    Parameters
    ----------
    text : str
        Such as ``pef`` or ``full:order=ulam,bp=off``.
    metric_names : container of str
        Known metrics, for a hint where a metric is written in the place of an option.

    >>> parse_spec("full:order=ulam,bp=off")
    ('full', {'order': 'ulam', 'bp': 'off'})
    >>> parse_spec("chrF++")
    ('chrf', {'nw': '2'})
    """
    name, colon, rest = text.partition(":")
    if colon and "," in name:
        raise InputError(f"{text!r} has several metrics: give one")
    name, implied = ALIASES.get(normalize_name(name), (name, {}))
    options: dict[str, str] = dict(implied)
    for part in rest.split(",") if colon else ():
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            wrong = part.strip()
            is_metric = normalize_name(wrong) in metric_names
            hint = f"; {wrong} is a metric: give it by itself" if is_metric else ""
            raise InputError(f"{text!r}: {wrong!r} is not an option such as bp=off{hint}")
        if normalize_name(key) in options:
            raise InputError(f"{text!r} sets {normalize_name(key)} twice")
        options[normalize_name(key)] = value.strip()
    return normalize_name(name), options


def read_options(
    metric: str, known: Mapping[str, Option], given: Mapping[str, object], language: str | None
) -> dict[str, Value | None]:
    """Return the value of every option of a metric: the given ones, checked, and defaults.

    Raises
    ------
    InputError
        If an option is unknown or its value is not valid.
    """
    for key in given:
        if key not in known:
            raise InputError(unknown_name_message("option", key, known, metric))
    values: dict[str, Value | None] = {}
    for key, option in known.items():
        if key in given:
            values[key] = option.read(f"{metric}: {key}", given[key])
        elif option.derive is not None:
            values[key] = option.derive(language, values)
        else:
            values[key] = option.default
    return values
