"""All metrics by name, those of other packages included."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from hyperbaton.alignment.choices import ENCODER
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.lines import StrPath
from hyperbaton.metrics.inputs import check_list
from hyperbaton.metrics.metric import FOLD, Metric, Resources, Variant
from hyperbaton.metrics.options import ALIASES, Option, normalize_name, parse_spec
from hyperbaton.metrics.signature import KEY, LONG_KEYS, PACKAGE_LABELS, Signature
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.registries import load, unknown_name_message

if TYPE_CHECKING:
    from hyperbaton.alignment.encoders import Encoder

M = TypeVar("M", bound=type[Metric])

# A row for each class: its module and name, and its variants, which are the names of metrics. A
# class is imported when one of its metrics is asked for.
BUILTIN_CLASSES: Mapping[str, tuple[str, ...]] = {
    "order_metrics:OrderMetric": tuple(MEASURES),
    "order_metrics:Adjacency": ("adjacency",),
    "order_metrics:MeteorFrag": ("meteor_frag",),
    "soft_order:Order": ("order",),
    "dependency:Dted": ("dted",),
    "composite:Full": ("full", "hyper"),
    "composite:SenScore": ("senscore",),
    "composite:LRscore": ("lrscore", "lr_hb1", "lr_hb4", "lr_kb1", "lr_kb4"),
    "order_metrics:Ribes": ("ribes",),
    "error_rates:ErrorRateMetric": ("wer", "per", "cder", "invwer"),
    "sacrebleu_metrics:Bleu": ("bleu",),
    "sacrebleu_metrics:AvgBleu": ("avgbleu",),
    "sacrebleu_metrics:Chrf": ("chrf",),
    "sacrebleu_metrics:Ter": ("ter",),
}
BUILTIN_NAMES = tuple(name for variants in BUILTIN_CLASSES.values() for name in variants)
TREE_METRICS = ("dted",)  # which need more than the texts
# The class of every metric, or where it is found.
_classes: dict[str, type[Metric] | str] = {
    name: f"hyperbaton.metrics.{row}"
    for row, variants in BUILTIN_CLASSES.items()
    for name in variants
}
ORDER_MEASURES = tuple(name for name, info in MEASURES.items() if info.measures_order)
# Sets hold Hyperbaton's own metrics, so that they do not depend on what is installed.
SETS: Mapping[str, tuple[str, ...]] = {
    "default": ("order", "chrf", "bleu"),  # see docs/which-metric.md
    # Those that measure how far an order factorizes give a reversed sentence 1.
    "permutations": (*ORDER_MEASURES, "adjacency", "meteor_frag"),
    "edit": ("wer", "per", "cder", "invwer", "ter"),
    # Those of the five papers; their defaults are the papers' settings.
    "papers": (
        *("kendall", "spearman", "hamming", "ulam", "fuzzy", "pet", "pef", "full"),
        *(name for name in MEASURES if name not in ORDER_MEASURES),
        *("senscore", "wer", "per", "invwer", "meteor_frag"),
        *("lr_hb1", "lr_hb4", "lr_kb1", "lr_kb4"),
    ),
    "all": tuple(name for name in BUILTIN_NAMES if name not in TREE_METRICS),
}
# Signature keys that describe a test, or where the links came from, but not the metric.
OTHER_KEYS = ("seed", "bs", "ar", "aligner")
# Signature keys that an option of another package would be confused with.
CONSTRUCTOR_ARGUMENTS = ("self", "name", "resources", "spec", "language", "wordnet", "paraphrases")
RESERVED_KEYS = (
    *OTHER_KEYS,
    "nrefs",
    "least",
    "sacrebleu",
    "pystemmer",
    "model",
    "version",
    "plugin",
    "v",
)
ENTRY_POINT_GROUP = "hyperbaton.metrics"
_entry_points_loaded = False


def register(metric_class: M) -> M:
    """Add a metric of another package, so that every function and command knows it.

    It can be used as a decorator. A package that announces its class in the entry-point group
    ``hyperbaton.metrics`` need not call it.

    Parameters
    ----------
    metric_class : type
        A subclass of :class:`hyperbaton.Metric` with ``VARIANTS``.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    InputError
        If a name is taken or invalid, or if signatures use an option's name for something else.
    InputTypeError
        If it is not a subclass of :class:`hyperbaton.Metric`, or has no names.
    """
    if not (isinstance(metric_class, type) and issubclass(metric_class, Metric)):
        raise InputTypeError(f"a metric must be a subclass of hyperbaton.Metric: {metric_class!r}")
    variants = getattr(metric_class, "VARIANTS", None)
    if not variants:
        raise InputTypeError(f"{metric_class.__name__} has no VARIANTS, which name its metrics")
    if not isinstance(variants, Mapping) or not all(
        isinstance(name, str) and isinstance(variant, Variant) for name, variant in variants.items()
    ):
        raise InputTypeError(
            f"{metric_class.__name__}.VARIANTS must be a mapping from names to Variant objects"
        )
    if inspect.isabstract(metric_class):
        missing = ", ".join(sorted(metric_class.__abstractmethods__))
        raise InputError(f"{metric_class.__name__} does not define {missing}")
    for name in metric_class.VARIANTS:
        if normalize_name(name) != name or not KEY.fullmatch(name) or name == "none":
            raise InputError(f"{name!r} is not a valid name of a metric: use lower case and _")
        if name in SETS or (name in _classes and find_class(name) is not metric_class):
            raise InputError(f"there is already a metric {name!r}")
        options = metric_class.options_for(name, metric_class.VARIANTS[name].defaults)
        for key, option in options.items():
            _check_option_name(name, key)
            if not isinstance(option, Option):
                kind = type(option).__name__
                raise InputTypeError(f"{name}: the option {key!r} must be an Option, got {kind}")
            if option.default is not None:
                option.read(f"{name}: the default of {key}", option.default)
    _classes.update(dict.fromkeys(variants, metric_class))
    return metric_class


def _check_option_name(metric: str, key: str) -> None:
    """Raise an error if an option of a metric cannot be written in specs or signatures."""
    if normalize_name(key) != key or not KEY.fullmatch(key):
        raise InputError(
            f"{metric}: {key!r} is not a valid name of an option: use lower case and _"
        )
    reasons = {
        f"signatures write {key} for {LONG_KEYS.get(key)}": LONG_KEYS.get(key, key) != key,
        "it is an argument of every metric": key in CONSTRUCTOR_ARGUMENTS,
        f"signatures have their own {key}": key in RESERVED_KEYS,
    }
    for reason, applies in reasons.items():
        if applies:
            raise InputError(f"{metric}: the option {key!r} needs another name: {reason}")


def find_class(name: str) -> type[Metric]:
    """Return the class of a metric.

    Raises
    ------
    InputError
        If there is no such metric.
    """
    # Installed packages are searched only for names that are not known yet.
    if name not in _classes and name not in names():
        raise InputError(unknown_name_message("metric", name, names()))
    metric_class: type[Metric] = load(_classes[name])
    return metric_class


def names() -> tuple[str, ...]:
    """Return the names of all metrics.

    Returns
    -------
    tuple of str
        The names, including those of metrics from other packages.

    Examples
    --------
    >>> "pef" in names()
    True
    """
    global _entry_points_loaded
    if not _entry_points_loaded:
        _entry_points_loaded = True
        for metric_class in load_entry_points():
            try:
                register(metric_class)
            except Exception as error:  # whatever another package raises
                warnings.warn(f"the metric {metric_class!r} is left out: {error}", stacklevel=2)
    return tuple(_classes)


def load_entry_points() -> Iterator[type]:
    """Return the metric classes that installed packages announce.

    A package that cannot be loaded is skipped with a warning, so that it does not break others.
    """
    for entry in metadata.entry_points(group=ENTRY_POINT_GROUP):
        try:
            metric_class = entry.load()
        except (Exception, SystemExit) as error:  # whatever another package raises
            why = f"{type(error).__name__}: {error}"
            warnings.warn(f"the metric {entry.value} cannot be loaded: {why}", stacklevel=2)
            continue
        if entry.dist is not None and isinstance(metric_class, type):
            PACKAGE_LABELS[metric_class] = f"{entry.dist.name}-{entry.dist.version}"
        yield metric_class


def is_error_rate(name: str) -> bool:
    """Return whether lower values of a metric are better; False for unknown metrics.

    >>> is_error_rate("WER"), is_error_rate("invwer:case=lc"), is_error_rate("bleu")
    (True, True, False)
    """
    metric = normalize_name(name.partition(":")[0])
    return metric in names() and not find_class(metric).higher_is_better


def get(
    spec: str,
    language: str | None = None,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    parser: str | None = None,
    **options: object,
) -> Metric:
    """Return the metric that a text such as ``pef`` or ``full:order=ulam,bp=off`` describes.

    Parameters
    ----------
    spec : str
        Name of the metric, with options or without.
    language, wordnet, paraphrases, parser
        See :class:`~hyperbaton.metrics.metric.Resources`.
    **options
        More options.

    Returns
    -------
    Metric
        The metric.

    Raises
    ------
    InputError
        If the name or an option is invalid. The message suggests close matches.

    Examples
    --------
    >>> get("full:order=ulam,bp=off")
    hyperbaton.metrics.get('full:order=ulam,lexical=bleu1,alpha=0.5,bp=off,...')
    >>> get("full", order="ulam", bp="off") == get("full:order=ulam,bp=off")
    True
    """
    resources = Resources.from_arguments(language, wordnet, paraphrases, parser)
    return make_metric(spec, resources, options)


def make_metric(
    spec: str, resources: Resources, more_options: Mapping[str, object] = MappingProxyType({})
) -> Metric:
    """Return the metric that a text and further options describe."""
    if not isinstance(spec, str):
        kind = type(spec).__name__
        raise InputTypeError(f"a metric must be a string such as 'pef:bp=off', got {kind}")
    name, options = parse_spec(spec, {*_classes, *SETS})
    if name in SETS:
        raise InputError(f"{name!r} is a set of metrics, not a metric: {', '.join(SETS[name])}")
    metric_class = find_class(name)
    given: dict[str, object] = dict(options)
    for key, value in more_options.items():
        if normalize_name(key) in options:
            raise InputError(f"{spec!r} sets {normalize_name(key)}, which is also an argument")
        given[normalize_name(key)] = value
    if resources.parser is not None and "parser" in metric_class.options_for(name, given):
        given.setdefault("parser", resources.parser)
    return metric_class(name, resources, **given)


def expand(specs: Iterable[str]) -> list[str]:
    """Replace sets of metrics by their members, and drop repetitions.

    A comma separates metrics, and the options of a metric.

    >>> expand(["edit", "pef,wer"])
    ['wer', 'per', 'cder', 'invwer', 'ter', 'pef']
    >>> expand(["bleu,pef:bp=off,beta=0.5,wer"])
    ['bleu', 'pef:bp=off,beta=0.5', 'wer']
    """
    single = (part.strip() for spec in specs for part in split_specs(spec) if part.strip())
    members = (member for spec in single for member in SETS.get(normalize_name(spec), (spec,)))
    return list(dict.fromkeys(members))


def split_specs(text: str) -> list[str]:
    """Split a list of metrics at the commas that do not separate options.

    What follows a metric with options is another metric if it has a colon, or if a metric or a set
    has this name. Everything else is an option, which may be wrong.

    Raises
    ------
    InputError
        If an option follows a metric without a colon.
    """
    specs: list[str] = []
    for part in text.split(","):
        key, equals, _ = part.partition("=")
        is_option = bool(equals) and ":" not in key
        if is_option and specs and ":" not in specs[-1]:
            metric = specs[-1].strip()
            raise InputError(
                f"{text!r}: a colon separates a metric from its options: {metric}:{part.strip()}"
            )
        if specs and (is_option or (":" in specs[-1] and not _is_metric(part))):
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    return specs


def _is_metric(text: str) -> bool:
    """Return whether a text is a metric: a known name, or a name with options."""
    name = normalize_name(text)
    return ":" in text or name in SETS or name in ALIASES or name in names()


def metrics_by_spec(
    metrics: Sequence[str | Metric] | str | Metric,
    resources: Resources = Resources(),  # noqa: B008 - frozen
) -> dict[str, Metric]:
    """Return metrics keyed by what the caller wrote; an object by what one would write for it.

    Raises
    ------
    InputError
        If there are none, or if two different metrics have the same name.
    """
    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    named: dict[str, Metric] = {}
    for given in check_list(metrics, "metrics", "metrics"):
        if not isinstance(given, (str, Metric)):
            kind = given.__name__ if isinstance(given, type) else type(given).__name__
            raise InputTypeError(
                f"a metric must be a string such as 'pef:bp=off' or a Metric object, got {kind}"
            )
        for spec in [given.spec] if isinstance(given, Metric) else expand([given]):
            metric = given if isinstance(given, Metric) else make_metric(spec, resources)
            if named.setdefault(spec, metric) != metric:
                raise InputError(f"two metrics have the name {spec}")
    if not named:
        raise InputError("no metrics were given")
    return named


def from_signature(
    text: str | Signature,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    encoder: Encoder | str | None = None,
) -> Metric:
    """Return the metric that computed a number, from the number's signature, long or short.

    A signature over given alignments returns a metric that insists on given alignments.

    Parameters
    ----------
    text : str or Signature
        The signature.
    wordnet, paraphrases : path, optional
        Data of the matchers ``synonym`` and ``paraphrase``.
    encoder : Encoder or str, optional
        The encoder with its settings, such as ``encoder:vectors.txt``, if the signature names one.

    Returns
    -------
    Metric
        The metric.

    Warns
    -----
    UserWarning
        If the metric has another signature here, for example because versions differ.

    Examples
    --------
    >>> metric = get("pef:beta=0.5", language="en")
    >>> from_signature(metric.signature(1)) == metric
    True
    """
    if isinstance(text, Signature):
        text = text.format()
    elif not isinstance(text, str):
        raise InputTypeError(f"a signature must be a string, got {type(text).__name__}")
    given = Signature.parse(text)
    name = normalize_name(given.name)
    metric_class = find_class(name)
    fields = dict(given)
    align, language = _read_align(fields.pop("align", ""), encoder)
    if align:
        fields["align"] = str(align)
    known = metric_class.options_for(name, fields)
    if known.get("fold") == FOLD:  # standard.tr: folding, and the language of its lower case
        fields["fold"], _, folded_language = fields.get("fold", "none").partition(".")
        language = language or folded_language
    options: dict[str, Any] = {key: value for key, value in fields.items() if key in known}
    if "align" in options:
        options["align"] = align
    resources = Resources.from_arguments(language or None, wordnet, paraphrases)
    metric = metric_class(name, resources, **options)
    here = dict(metric.signature(fields.get("nrefs")))
    missing = [key for key in here if key not in dict(given)]
    if missing:
        warnings.warn(f"the signature lacks {', '.join(missing)}", stacklevel=2)
    differing = [key for key, value in given if key not in OTHER_KEYS and here.get(key) != value]
    if differing:
        theirs = ", ".join(f"{key}:{value}" for key, value in given if key in differing)
        ours = ", ".join(f"{key}:{here.get(key, '–')}" for key in differing)
        warnings.warn(f"the signature says {theirs}, but here it is {ours}", stacklevel=2)
    return metric


def _read_align(text: str, encoder: Encoder | str | None) -> tuple[Encoder | str, str]:
    """Return the matchers of a signature, or the encoder in their place, and their language.

    A signature says ``exact+stem+synonym(wordnet-3.0).en``, with versions of data, or
    ``encoder(…)``.
    """
    align, _, language = re.sub(r"\([^)]*\)", "", text).partition(".")
    if align != ENCODER:
        return align, language
    if encoder is None:
        raise InputError(f"the signature names an encoder: give it as encoder, {ENCODER}:PATH")
    return encoder, language
