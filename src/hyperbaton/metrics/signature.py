"""Signatures: everything that changes a number, in one line that can be read back."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from importlib import metadata

from hyperbaton.errors import InputError
from hyperbaton.metrics.options import Value, shown

# Every key has a short form of its own.
SHORT = {
    "order": "o",
    "lexical": "l",
    "alpha": "a",
    "beta": "b",
    "gamma": "g",
    "params": "p",
    "bp": "bp",
    "unaligned": "u",
    "nulls": "nu",
    "weight": "w",
    "inversion": "i",
    "budget": "bu",
    "rescale": "r",
    "flat": "f",
    "match": "m",
    "parser": "ps",
    "model": "pm",
    "exact": "we",
    "stem": "ws",
    "synonym": "wy",
    "paraphrase": "wp",
    "smooth": "s",
    "eff": "e",
    "nc": "nc",
    "nw": "nw",
    "space": "sp",
    "norm": "n",
    "punct": "pt",
    "asian": "as",
    "nrefs": "#",
    "case": "c",
    "tok": "t",
    "align": "al",
    "seed": "rs",
    "bs": "bs",
    "ar": "ar",
    "sacrebleu": "sb",
    "pystemmer": "st",
    "version": "sv",
    "v": "v",
}
LONG = {short: key for key, short in SHORT.items()}


class Signature:
    """A metric's name and its keys, in order.

    >>> signature = Signature("pef", [("beta", 0.6), ("bp", "off"), ("v", "0.1.0")])
    >>> print(signature)
    pef|beta:0.6|bp:off|v:0.1.0
    >>> signature.format(short=True)
    'pef|b:0.6|bp:off|v:0.1.0'
    >>> Signature.parse("pef|b:0.6|bp:off|v:0.1.0") == signature
    True
    """

    def __init__(self, name: str, fields: Iterable[tuple[str, Value]]) -> None:
        self.name = name
        self.info = {key: shown(value) for key, value in fields}

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature, long or short."""
        name, *parts = text.strip().split("|")
        fields: dict[str, str] = {}
        for part in parts:
            key, colon, value = part.partition(":")
            key = LONG.get(key, key)
            if not colon or key not in SHORT:
                raise InputError(f"{part!r} is no part of a signature such as bp:off")
            if key in fields:
                raise InputError(f"the signature has {key} twice")
            fields[key] = value
        return cls(name, fields.items())

    def format(self, short: bool = False) -> str:
        """One line, with long keys or with short ones."""
        parts = (f"{SHORT[key] if short else key}:{value}" for key, value in self)
        return "|".join([self.name, *parts])

    def update(self, key: str, value: Value) -> None:
        """Add or change a key, as sacreBLEU's paired tests do."""
        if key not in SHORT:
            raise InputError(f"{key!r} is no key of a signature")
        self.info[key] = shown(value)
        for version in ("version", "v"):  # always the last
            if version in self.info:
                self.info[version] = self.info.pop(version)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.info.items())

    def __str__(self) -> str:
        return self.format()

    def __repr__(self) -> str:
        return f"Signature.parse({self.format()!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signature) and self.format() == other.format()

    def __hash__(self) -> int:
        return hash(self.format())


@functools.cache
def version_of(package: str) -> str:
    """The version of what is installed."""
    return metadata.version(package)
