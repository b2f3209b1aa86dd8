"""Hyperbaton's metrics in lm-evaluation-harness. Importing this module registers them.

The harness calls a metric's function for each document and its aggregation once for all. A
function here only keeps the reference, the translation and the options of the task file. The
aggregation scores the corpus, because ``hyper`` and ``order`` are fitted on all references.

The function of a metric is an attribute of this module: ``hyperbaton.adapters.lm_eval.pef``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hyperbaton.adapters.hosts import MissingHost
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.metrics.metric import Resources
from hyperbaton.metrics.registry import is_error_rate, make_metric, names
from hyperbaton.registries import unknown_name_message
from hyperbaton.runs.scoring import score

try:
    # The harness registers its own metrics only as long as there are no others.
    import lm_eval.api.metrics  # noqa: F401
    from lm_eval.api import registry
except ImportError as error:
    raise MissingHost("lm-evaluation-harness", "hyperbaton[lm-eval]", error) from None

# What a task file may give for a metric. ``options`` are those of the metric, as in "bp=off".
OPTIONS = ("language", "options", "parser", "wordnet", "paraphrases", "threads")

# References, translation, and the name of the metric with the options of the task file.
Item = tuple[Any, Any, dict[str, Any]]

# Settings and functions of metrics that users registered under names of their own.
OWN_METRICS: dict[str, tuple[tuple[str, dict[str, Any]], Callable[..., Item]]] = {}


def collector(metric: str) -> Callable[..., Item]:
    """Return the function of a metric that the harness calls for each document."""

    def collect(references: Sequence[Any], predictions: Sequence[Any], **options: Any) -> Item:
        # Nothing is checked here: the harness takes a TypeError for another calling convention.
        (reference,), (prediction,) = references, predictions
        return reference, prediction, {"metric": metric, **options}

    collect.__name__ = collect.__qualname__ = metric
    collect.__doc__ = f"Keep a translation and its references for {metric}."
    return collect


def aggregation(
    name: str, metric: str, fixed: Mapping[str, Any]
) -> Callable[[Sequence[Item]], float]:
    """Return the function of a metric with fixed options that is called for all documents."""

    def aggregate(items: Sequence[Item]) -> float:
        checked = checked_items(name, items)
        return corpus_value(metric, [(*item[:2], {**fixed, **item[2]}) for item in checked])

    aggregate.__name__ = aggregate.__qualname__ = f"{name}_corpus"
    aggregate.__doc__ = f"Return the value of {metric} for a corpus."
    return aggregate


def checked_items(metric: str, items: Sequence[Item]) -> Sequence[Item]:
    """Return the items after checking that they come from a metric's function."""
    for k, item in enumerate(items):
        is_item = isinstance(item, (tuple, list)) and len(item) == 3
        if not is_item or not isinstance(item[2], Mapping):
            raise InputError(
                f"{metric}: document {k} must be references and a translation, got {item!r}; if a "
                "document has several references, the task needs process_results"
            )
        found = item[2].get("metric")
        if found != metric:
            raise InputError(f"the aggregation of {metric} was given to the metric {found}")
    return items


def corpus_value(metric: str, items: Sequence[Item]) -> float:
    """Return the value of a metric for the items of all documents.

    Raises
    ------
    InputError, InputTypeError
        If the options or the texts are invalid.
    """
    references, predictions, given = zip(*items, strict=True) if items else ((), (), ({},))
    for options in given:
        if options != given[0]:
            raise InputError(f"{metric}: two documents have different options")
    arguments = {name: value for name, value in given[0].items() if name != "metric"}
    for name in arguments:
        if name not in OPTIONS:
            raise InputError(unknown_name_message("option", name, OPTIONS, owner=metric))
    options = arguments.pop("options", None)
    if options is not None and not isinstance(options, str):
        raise InputTypeError(
            f"{metric}: options must be a string such as bp=off, got {type(options).__name__}"
        )
    spec = metric if options is None else f"{metric}:{options}"
    return float(score(predictions, references, [spec], **arguments)[spec])


def register(
    name: str, metric: str, language: str | None = None, **resources: Any
) -> Callable[..., Item]:
    """Register a metric with options under a name of your own.

    The harness tells metrics apart by their names alone, so that two variants of a metric need
    two names.

    Parameters
    ----------
    name : str
        The name of the metric and of its aggregation in task files, such as ``"pef_order"``.
    metric : str
        A metric of Hyperbaton, with options or without, such as ``"pef:bp=off"``.
    language : str, optional
        Language code or BCP 47 tag.
    **resources
        ``parser``, ``wordnet``, ``paraphrases`` and ``threads``, as for :func:`hyperbaton.score`.

    Returns
    -------
    callable
        The function for ``!function`` in a task file.

    Raises
    ------
    InputError
        If the name is taken, or if there is no such metric.
    """
    chosen = make_metric(metric, Resources.from_arguments(language))
    fixed = {"language": language, **resources}
    if OWN_METRICS.get(name, (None,))[0] == (metric, fixed):
        return OWN_METRICS[name][1]  # the harness runs a utils.py once for each !function
    if name in registry.METRIC_REGISTRY or name in registry.AGGREGATION_REGISTRY:
        raise InputError(f"lm-evaluation-harness has another metric {name!r} already")
    function = add_to_registry(name, metric, fixed, chosen.higher_is_better)
    OWN_METRICS[name] = ((metric, fixed), function)
    return function


def add_to_registry(
    name: str, metric: str, fixed: Mapping[str, Any], higher_is_better: bool
) -> Callable[..., Item]:
    """Register a metric and its aggregation by the same name, and return its function."""
    registry.register_aggregation(name)(aggregation(name, metric, fixed))
    function: Callable[..., Item] = registry.register_metric(
        metric=name,
        higher_is_better=higher_is_better,
        output_type="generate_until",
        aggregation=name,
    )(collector(name))
    return function


def register_metrics() -> dict[str, Callable[..., Item]]:
    """Register every metric whose name the harness does not use, and return their functions.

    The harness has its own ``bleu``, ``chrf`` and ``ter``.
    """
    functions = {}
    for name in names():
        if name not in registry.METRIC_REGISTRY and name not in registry.AGGREGATION_REGISTRY:
            functions[name] = add_to_registry(name, name, {}, not is_error_rate(name))
    return functions


FUNCTIONS = register_metrics()


def __getattr__(name: str) -> Callable[..., Item]:
    """Return the function of a metric, for ``!function`` in a task file."""
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    raise AttributeError(unknown_name_message("metric", name, FUNCTIONS))
