"""Metrics under names of the user's own, for hosts in which a name with options is awkward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.registry import make_metric, metrics_by_spec
from hyperbaton.metrics.resources import Resources

Metrics: TypeAlias = Sequence[str | Metric] | Mapping[str, str | Metric] | str | Metric


def named_metrics(metrics: Metrics, language: str | None) -> dict[str, Metric]:
    """Return metrics by name: the user's own, or what the user wrote.

    Parameters
    ----------
    metrics : str, Metric, or sequence or mapping of them
        The metrics, as :func:`hyperbaton.score` takes them, or a metric for each name.
    language : str, optional
        Language code or BCP 47 tag, for metrics given by name.

    Raises
    ------
    InputError, InputTypeError
        If a metric or a name is invalid.

    Examples
    --------
    >>> {name: metric.spec for name, metric in named_metrics({"order": "pef:bp=off"}, "en").items()}
    {'order': 'pef:bp=off'}
    """
    resources = Resources.from_arguments(language)
    if not isinstance(metrics, Mapping):
        return metrics_by_spec(metrics, resources)
    if not metrics:
        raise InputError("no metrics were given")
    named = {}
    for name, metric in metrics.items():
        if not isinstance(name, str) or not isinstance(metric, (str, Metric)):
            kinds = f"{type(name).__name__} and {type(metric).__name__}"
            raise InputTypeError(f"metrics must map names to metrics, got {kinds}")
        named[name] = metric if isinstance(metric, Metric) else make_metric(metric, resources)
    return named
