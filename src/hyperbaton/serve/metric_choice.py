"""The metrics that the page offers: those that need only texts, without options that name files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hyperbaton.errors import InputError
from hyperbaton.metrics.linking import MatchersOption
from hyperbaton.metrics.options import Option, parse_spec
from hyperbaton.metrics.registry import expand, find_class, make_metric, names
from hyperbaton.metrics.resources import Resources
from hyperbaton.metrics.soft_order import OFF, REFERENCES
from hyperbaton.views.catalogue import metric_dict

MAX_METRICS = 100
MAX_SPEC = 200  # characters of a metric with its options
# Options of other types may take the name of a file, which the server must not open.
CLOSED_TYPES = (Option, MatchersOption)
CLOSED_VALUES = (REFERENCES, OFF)


def check_metric_specs(specs: Iterable[str], language: str | None = None) -> list[str]:
    """Return metrics as the command line expands them, after checking that the page offers them.

    Raises
    ------
    InputError
        If there are too many metrics, or one is not valid, needs more than texts, or has an option
        that names a file or a parser.
    """
    expanded = expand(specs)
    if not expanded:
        raise InputError("no metric was given")
    if len(expanded) > MAX_METRICS:
        raise InputError(f"there are more than {MAX_METRICS} metrics")
    for spec in expanded:
        if len(spec) > MAX_SPEC:
            raise InputError(f"{spec[:40]}…: a metric may have at most {MAX_SPEC} characters")
        _check_metric(spec, Resources(language))
    return expanded


def _check_metric(spec: str, resources: Resources) -> None:
    name, options = parse_spec(spec, names())
    metric_class = find_class(name)
    if metric_class.VARIANTS[name].trees:
        raise InputError(
            f"{name} needs dependency trees, which the page does not read: use hyperbaton score"
        )
    defaults = metric_class.VARIANTS[name].defaults
    known = metric_class.options_for(name, {**defaults, **options})
    for key, value in options.items():
        if key in known and type(known[key]) not in CLOSED_TYPES and value not in CLOSED_VALUES:
            raise _names_file(spec, f"{key}={value}")
    # Creating a metric reads no file. It finds everything else that is wrong with its options.
    metric = make_metric(spec, resources)
    files = metric.needs.files
    if files:
        raise _names_file(spec, files[0])


def _names_file(spec: str, what: str) -> InputError:
    return InputError(
        f"{spec}: {what} names a file or a program, which the page does not open: use hyperbaton "
        "score"
    )


def offered_metrics() -> list[dict[str, Any]]:
    """Return the descriptions of the metrics that need only texts."""
    return [
        {**metric_dict(name), "slow": variant.slow}
        for name in names()
        if not (variant := find_class(name).VARIANTS[name]).trees
    ]
