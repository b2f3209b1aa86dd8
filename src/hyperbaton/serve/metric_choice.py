"""The metrics that the page offers: those that need only texts, without options that name files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hyperbaton.errors import InputError
from hyperbaton.metrics.alignment_metrics import MatchersOption
from hyperbaton.metrics.options import Option, parse_spec
from hyperbaton.metrics.registry import expand, find_class, metric_classes
from hyperbaton.metrics.soft_order import OFF, REFERENCES
from hyperbaton.report.catalogue import metric_dict

# Options of other types may take the name of a file, which the server must not open.
CLOSED_TYPES = (Option, MatchersOption)
CLOSED_VALUES = (REFERENCES, OFF)


def check_metric_specs(specs: Iterable[str]) -> list[str]:
    """Return metrics as the command line expands them, after checking that the page offers them.

    Raises
    ------
    InputError
        If a metric is unknown, needs more than texts, or has an option that names a file or a
        parser.
    """
    expanded = expand(specs)
    for spec in expanded:
        name, options = parse_spec(spec, metric_classes())
        metric_class = find_class(name)
        if metric_class.needs_trees:
            raise InputError(
                f"{name} needs dependency trees, which the page does not read: use hyperbaton score"
            )
        known = metric_class.options_for(name, options)
        for key, value in options.items():
            if key in known and type(known[key]) not in CLOSED_TYPES and value not in CLOSED_VALUES:
                raise InputError(
                    f"{spec}: {key}={value} names a file or a program, which the page does not "
                    "open: use hyperbaton score"
                )
    return expanded


def offered_metrics() -> list[dict[str, Any]]:
    """Return the descriptions of the metrics that need only texts."""
    return [
        {**metric_dict(name), "slow": metric_class.VARIANTS[name].slow}
        for name, metric_class in metric_classes().items()
        if not metric_class.needs_trees
    ]
