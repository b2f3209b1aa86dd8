"""Options of metrics: what they may be, and metrics as they are typed, ``name:key=value,…``."""

from __future__ import annotations

import difflib
import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from hyperbaton.errors import InputError

Value = str | int | float


@dataclass(frozen=True)
class Option:
    """What an option may be: one of ``choices``, or a number from ``least`` to ``most``.

    ``default`` is None where it depends on the language; ``meaning`` is for people. A number may
    have so many ``digits`` after the point at most. The default of a ``silent`` one goes without
    saying in signatures.
    """

    default: Value | None
    meaning: str
    choices: tuple[str, ...] = ()
    least: float = 0
    most: float = 1
    whole: bool = False
    digits: int | None = None
    silent: bool = False

    def read(self, name: str, given: object) -> Value:
        """A value, checked; a text is read as it is typed."""
        if self.choices:
            text = ("no", "yes")[given] if isinstance(given, bool) else given
            if text not in self.choices:
                raise InputError(f"{name} is one of {', '.join(self.choices)}, not {given!r}")
            return str(text)
        kind = "whole number" if self.whole else "number"
        try:
            if isinstance(given, bool):
                raise TypeError
            number = int(given) if self.whole else float(given)  # type: ignore[call-overload, arg-type]
            if self.whole and not isinstance(given, str) and number != given:
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{name} is a {kind}, not {given!r}") from None
        if math.isnan(number) or not self.least <= number <= self.most:
            limits = (
                f"from {shown(self.least)} to {shown(self.most)}"
                if self.most < math.inf
                else f"at least {shown(self.least)}"
            )
            raise InputError(f"{name} is {limits}, not {given}")
        if self.digits is not None and number != round(number, self.digits):
            raise InputError(f"{name} has {self.digits} digits after the point at most: {given}")
        return number

    @property
    def numeric(self) -> bool:
        """Whether it is a number."""
        return not self.choices

    @property
    def domain(self) -> str:
        """What may be given, for people."""
        if self.choices:
            return "|".join(self.choices)
        return f"{shown(self.least)}…{shown(self.most) if self.most < math.inf else ''}"


def shown(value: Value) -> str:
    """A value as signatures have it: the shortest text that is read back as the same.

    >>> shown(0.6), shown(0.0), shown(1e-6), shown("off")
    ('0.6', '0', '1e-06', 'off')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return str(value)


def plain(name: str) -> str:
    """A name as tables have it; ``-`` and ``_`` are the same, and so are ``PEF`` and ``pef``.

    >>> plain("LR-HB1")
    'lr_hb1'
    """
    return name.strip().replace("-", "_").lower()


def parse_spec(text: str, names: Container[str] = ()) -> tuple[str, dict[str, str]]:
    """Take a metric as it is typed apart; ``names`` are those of metrics, for a hint.

    >>> parse_spec("full:order=ulam,bp=off")
    ('full', {'order': 'ulam', 'bp': 'off'})
    """
    name, colon, rest = text.partition(":")
    options: dict[str, str] = {}
    for part in rest.split(",") if colon else ():
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            one = part.strip()
            hint = f"; {one} is a metric: -m for each" if plain(one) in names else ""
            raise InputError(f"{text!r}: {one!r} is not an option such as bp=off{hint}")
        if plain(key) in options:
            raise InputError(f"{text!r} gives {plain(key)} twice")
        options[plain(key)] = value.strip()
    return plain(name), options


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """What to say of a name that there is not, with the nearest one that there is."""
    names = list(known)
    near = difflib.get_close_matches(name, names, 3, 0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
    return f"there is no {what} {name!r}; {hint}"


def read_options(
    metric: str, allowed: Mapping[str, Option], given: Mapping[str, object]
) -> dict[str, Value | None]:
    """All options of a metric: those given, checked, and the defaults of the others."""
    for key in given:
        if key not in allowed:
            raise InputError(unknown(f"option of {metric}", key, allowed))
    return {
        key: option.read(f"{metric}: {key}", given[key]) if key in given else option.default
        for key, option in allowed.items()
    }
