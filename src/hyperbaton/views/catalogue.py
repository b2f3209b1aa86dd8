"""Descriptions of metrics for people: what each measures, its options, when not to use it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from hyperbaton.metrics.options import format_value, parse_spec
from hyperbaton.metrics.registry import SETS, find_class, names


def metric_dict(spec: str) -> dict[str, Any]:
    """Return everything there is to say about a metric, for JSON."""
    name, _ = parse_spec(spec)
    metric_class = find_class(name)
    variant = metric_class.VARIANTS[name]
    options = metric_class.options_for(name, variant.defaults)
    example = f"{name}:{variant.example}" if variant.example else name
    return {
        "name": name,
        "about": variant.description,
        "higher_is_better": metric_class.higher_is_better,
        "range": [bound if math.isfinite(bound) else None for bound in metric_range(name)],
        "paper": variant.paper,
        "caution": variant.caution,
        "options": {
            key: {
                "default": variant.defaults.get(key, option.default),
                "values": option.domain,
                "meaning": option.meaning,
            }
            for key, option in options.items()
        },
        "example": f"hyperbaton score -r ref.txt sys.txt -m {example}",
    }


def metric_range(name: str) -> tuple[float, float]:
    """Return the bounds of a metric with its default options."""
    metric_class = find_class(name)
    return metric_class.VARIANTS[name].range or metric_class.RANGE


def format_range(name: str) -> str:
    """Return the range of a metric.

    >>> format_range("pef"), format_range("wer"), format_range("pef_beer")
    ('0…1', '0…', '…1')
    """
    low, high = (
        format_value(bound) if math.isfinite(bound) else "" for bound in metric_range(name)
    )
    return f"{low}…{high}"


def describe_metric(spec: str) -> str:
    """Return the description of a metric as text."""
    description = metric_dict(spec)
    direction = "higher is better" if description["higher_is_better"] else "lower is better"
    lines = [
        f"{description['name']}: {description['about']}",
        f"  {direction}, {format_range(description['name'])}",
        f"  {description['caution']}",
        f"  paper: {description['paper']}",
    ]
    if description["options"]:
        lines.append("  options:")
        for key, option in description["options"].items():
            default = option["default"]
            text = "" if default is None else f"={format_value(default)}"
            lines.append(f"    {key}{text}  ({option['values']}) {option['meaning']}")
    lines.append(f"  example: {description['example']}")
    return "\n".join(lines)


def list_metrics(specs: Iterable[str]) -> str:
    """Return a line for each metric, and the sets of metrics."""
    width = max(map(len, names()))
    lines = []
    for name in dict.fromkeys(parse_spec(spec)[0] for spec in specs):
        description = metric_dict(name)
        arrow = "↑" if description["higher_is_better"] else "↓"
        lines.append(f"{name:<{width}}  {arrow} {format_range(name):<5}  {description['about']}")
    lines += ["", "sets of metrics:"]
    lines += [f"  {name}: {' '.join(members)}" for name, members in SETS.items() if name != "all"]
    lines.append("  all: every metric of Hyperbaton that needs only the texts")
    return "\n".join(lines)
