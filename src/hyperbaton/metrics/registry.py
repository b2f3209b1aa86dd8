"""All metrics by name."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.metrics.aligned import Adjacency, MeteorFrag
from hyperbaton.metrics.base import Metric, StrPath
from hyperbaton.metrics.composite import Full, LRscore, SenScore
from hyperbaton.metrics.dependency import Dted
from hyperbaton.metrics.options import parse_spec, plain, unknown
from hyperbaton.metrics.order import MEASURES, OrderMetric
from hyperbaton.metrics.rates import ErrorRateMetric
from hyperbaton.metrics.ribes import Ribes
from hyperbaton.metrics.sacre import AvgBleu, Bleu, Chrf, Ter
from hyperbaton.metrics.signature import Signature

CLASSES: tuple[type[Metric], ...] = (
    OrderMetric,
    Adjacency,
    MeteorFrag,
    Dted,
    Full,
    SenScore,
    LRscore,
    Ribes,
    ErrorRateMetric,
    Bleu,
    AvgBleu,
    Chrf,
    Ter,
)
REGISTRY: dict[str, type[Metric]] = {name: kind for kind in CLASSES for name in kind.VARIANTS}
SETS: dict[str, tuple[str, ...]] = {
    # docs/evidence.md says why these
    "default": ("bleu", "chrf", "full", "pef:bp=off", "adjacency", "cder"),
    "order": (*MEASURES, "adjacency", "meteor_frag"),
    "edit": ("wer", "per", "cder", "invwer", "ter"),
    "all": tuple(name for name in REGISTRY if name != "dted"),  # what needs the texts alone
}
TESTS = ("seed", "bs", "ar")  # keys that say how a test was made, not the metric


def names() -> tuple[str, ...]:
    """The names of all metrics.

    >>> "pef" in names()
    True
    """
    return tuple(REGISTRY)


def is_error_rate(name: str) -> bool:
    """Whether a metric of this name, with options or without, is better if it is lower.

    >>> is_error_rate("WER"), is_error_rate("invwer:case=lc"), is_error_rate("bleu")
    (True, True, False)
    """
    kind = REGISTRY.get(plain(name.partition(":")[0]))
    return kind is not None and not kind.higher_is_better


def get(
    spec: str,
    language: str | None = None,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    parser: str | None = None,
    **more: object,
) -> Metric:
    """The metric of a text such as ``pef`` or ``full:order=ulam,bp=off``.

    >>> get("full:order=ulam,bp=off")
    hyperbaton.metrics.get('full:order=ulam,lexical=bleu1,alpha=0.5,bp=off,...')
    >>> get("full", order="ulam", bp="off") == get("full:order=ulam,bp=off")
    True

    ``parser`` is for metrics over trees that do not say which they want.
    """
    if not isinstance(spec, str):
        raise InputTypeError(f"a metric is a text such as 'pef:bp=off', not {type(spec).__name__}")
    name, options = parse_spec(spec, {**REGISTRY, **SETS})
    if name in SETS:
        raise InputError(f"{name!r} is a set of metrics, not one: {', '.join(SETS[name])}")
    if name not in REGISTRY:
        raise InputError(unknown("metric", name, REGISTRY))
    for key in more:
        if plain(key) in options:
            raise InputError(f"{spec!r} gives {plain(key)}, which is given as an argument, too")
    given = {**options, **{plain(key): value for key, value in more.items()}}
    if parser is not None and "parser" in REGISTRY[name].allowed(name, given):
        given.setdefault("parser", parser)
    return REGISTRY[name](name, language, wordnet, paraphrases, **given)


def expand(specs: Iterable[str]) -> list[str]:
    """Names of sets of metrics replaced by their members; nothing twice.

    >>> expand(["edit", "pef,wer"])
    ['wer', 'per', 'cder', 'invwer', 'ter', 'pef']

    A comma separates metrics, but in a metric with options it separates those.
    """
    single = (
        one.strip()
        for spec in specs
        for one in ([spec] if ":" in spec else spec.split(","))
        if one.strip()
    )
    members = (member for one in single for member in SETS.get(plain(one), (one,)))
    return list(dict.fromkeys(members))


def from_signature(
    text: str | Signature, wordnet: StrPath | None = None, paraphrases: StrPath | None = None
) -> Metric:
    """The metric that made a number, from the signature beside it, long or short.

    >>> metric = get("pef:beta=0.5", language="en")
    >>> from_signature(metric.signature(1)) == metric
    True

    It warns if the metric here has another signature: if versions of what it stands on differ. A
    number over alignments that were given gives a metric that insists on them.
    """
    if isinstance(text, Signature):
        text = text.format()
    elif not isinstance(text, str):
        raise InputTypeError(f"a signature is a text, not {type(text).__name__}")
    given = Signature.parse(text)
    name = plain(given.name)
    if name not in REGISTRY:
        raise InputError(unknown("metric", name, REGISTRY))
    fields = dict(given)
    # exact+stem+synonym(wordnet-3.0).en: matchers, versions of their data, language
    align, _, language = re.sub(r"\([^)]*\)", "", fields.pop("align", "")).partition(".")
    if align:
        fields["align"] = align
    kind = REGISTRY[name]
    allowed = kind.allowed(name, fields)
    options = {key: value for key, value in fields.items() if key in allowed}
    metric = kind(name, language or None, wordnet, paraphrases, **options)
    here = dict(metric.signature(fields.get("nrefs")))
    unsaid = [key for key in here if key not in dict(given)]
    if unsaid:
        warnings.warn(f"the signature does not say {', '.join(unsaid)}", stacklevel=2)
    other = [key for key, value in given if key not in TESTS and here.get(key) != value]
    if other:
        theirs = ", ".join(f"{key}:{value}" for key, value in given if key in other)
        ours = ", ".join(f"{key}:{here.get(key, '–')}" for key in other)
        warnings.warn(f"the signature says {theirs}, but here it is {ours}", stacklevel=2)
    return metric
