"""Signatures: everything that changes a number, in one line that can be read back."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata

from hyperbaton.errors import InputError
from hyperbaton.metrics.options import Value, format_value

# Short forms are unique. A key that is not listed, such as an option of another package's metric,
# has no short form and is always written out.
SHORT_KEYS_TABLE = """
order:o lexical:l alpha:a beta:b gamma:g params:p tau:ta pi:pi theta:th precedence:pr bp:bp
unaligned:u nulls:nu weight:w inversion:i budget:bu rescale:r flat:f match:m parser:ps model:pm
exact:we stem:ws synonym:wy paraphrase:wp smooth:s eff:e nc:nc nw:nw space:sp norm:n punct:pt
asian:as nrefs:# case:c tok:t fold:fo align:al aligner:sa seed:rs bs:bs ar:ar sacrebleu:sb
combine:co least:le pystemmer:st version:sv plugin:pl v:v
"""
SHORT_KEYS = dict(pair.split(":") for pair in SHORT_KEYS_TABLE.split())
# What stands in a signature where test sets differ.
VARYING = {"nrefs": "var", "precedence": "references", "aligner": "trained"}
LONG_KEYS = {short: key for key, short in SHORT_KEYS.items()}
SOURCE = "source"  # the origin of links through the source
KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


# Packages and versions of the classes that entry points lead to. Others are named after modules.
PACKAGE_LABELS: dict[type, str] = {}


@dataclass(frozen=True)
class Provenance:
    """Where the alignments and trees of a batch come from. Signatures depend on it.

    Attributes
    ----------
    alignments : str
        Empty if the metric finds its own, ``"given"`` if the caller gave links between system and
        reference, ``"source"`` if the links go through the source.
    trees : bool
        Whether the caller gave dependency trees.
    aligner : str
        Signature of the source aligner that found links through the source. For given links, the
        tokeniser of the source; empty if it was split at white space.
    """

    alignments: str = ""
    trees: bool = False
    aligner: str = ""


COMPUTED = Provenance()


class Signature:
    """The name of a metric and its keys, in order.

    >>> signature = Signature("pef", [("beta", 0.6), ("bp", "off"), ("v", "0.2.0")])
    >>> print(signature)
    pef|beta:0.6|bp:off|v:0.2.0
    >>> signature.format(short=True)
    'pef|b:0.6|bp:off|v:0.2.0'
    >>> Signature.parse("pef|b:0.6|bp:off|v:0.2.0") == signature
    True
    """

    def __init__(self, name: str, fields: Iterable[tuple[str, Value]]) -> None:
        self.name = name
        self.info = {key: format_value(value) for key, value in fields}

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature, long or short."""
        name, *parts = text.strip().split("|")
        fields: dict[str, str] = {}
        for part in parts:
            key, colon, value = part.partition(":")
            key = LONG_KEYS.get(key, key)
            if not colon or not KEY.fullmatch(key):
                raise InputError(f"{part!r} is not part of a signature, such as bp:off")
            if key in fields:
                raise InputError(f"the signature has {key} twice")
            fields[key] = value
        return cls(name, fields.items())

    def format(self, short: bool = False) -> str:
        """Return the signature as one line, with long or short keys."""
        parts = (f"{SHORT_KEYS.get(key, key) if short else key}:{value}" for key, value in self)
        return "|".join([self.name, *parts])

    def update(self, key: str, value: Value) -> None:
        """Add or change a key, as sacreBLEU's paired tests do. Versions stay last."""
        if not KEY.fullmatch(key):
            raise InputError(f"{key!r} is not a valid key of a signature")
        self.info[key] = format_value(value)
        for version in ("version", "v"):
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


def common_signature(signatures: Iterable[Signature]) -> Signature:
    """Return the signature of one metric on several test sets.

    What differs between test sets is the number of references, what was counted in them, and the
    source aligner that was trained on them.

    >>> one, two = (Signature("order", [("precedence", label)]) for label in ("7-a", "9-b"))
    >>> print(common_signature([one, two]))
    order|precedence:references
    """
    common, *others = signatures
    fields = {
        key: VARYING.get(key, value)
        if any(dict(other).get(key) != value for other in others)
        else value
        for key, value in common
    }
    return Signature(common.name, fields.items())


def reference_count(counts: Iterable[int]) -> int | str:
    """Return the number of references per segment, or ``"var"`` if it varies.

    >>> reference_count([2, 2]), reference_count([1, 2])
    (2, 'var')
    """
    distinct = set(counts)
    return distinct.pop() if len(distinct) == 1 else "var"


@functools.cache
def package_version(package: str) -> str:
    """Return the version of an installed package."""
    return metadata.version(package)


def package_label(metric_class: type) -> str | None:
    """Return the package and version that define a metric; None for Hyperbaton itself."""
    package = metric_class.__module__.partition(".")[0]
    if package == "hyperbaton":
        return None
    if metric_class not in PACKAGE_LABELS:
        PACKAGE_LABELS[metric_class] = _label_module(package)
    return PACKAGE_LABELS[metric_class]


def _label_module(package: str) -> str:
    distributions = metadata.packages_distributions().get(package)
    if distributions:
        return f"{distributions[0]}-{metadata.version(distributions[0])}"
    version = getattr(sys.modules.get(package), "__version__", None)
    return package if version is None else f"{package}-{version}"
