"""Metrics explained: what each is, what it takes, when not to use it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from hyperbaton.errors import InputError
from hyperbaton.metrics.options import parse_spec, shown, unknown
from hyperbaton.metrics.registry import REGISTRY, SETS

SAMPLE = {  # an option that is worth showing, by metric
    "kendall": "bp=off",
    "pef": "beta=0.5,unaligned=left",
    "pet": "gamma=0.2",
    "full": "order=ulam,bp=off",
    "senscore": "order=kendall,alpha=0.7",
    "lrscore": "order=hamming,lexical=bleu1,alpha=0.3",
    "ribes": "order=spearman,tok=none",
    "adjacency": "weight=ref",
    "meteor_frag": "params=de",
    "dted": "weight=aligned,parser=spacy:en_core_web_sm",
    "invwer": "case=mixed",
    "bleu": "tok=intl",
    "chrf": "nw=2",
}


def metric_dict(name: str) -> dict[str, Any]:
    """All that is to be said of a metric, for JSON."""
    name, _ = parse_spec(name)
    if name not in REGISTRY:
        raise InputError(unknown("metric", name, REGISTRY))
    kind = REGISTRY[name]
    variant = kind.VARIANTS[name]
    low, high = kind.range_of(name)
    allowed = kind.allowed(name, variant.defaults)
    return {
        "name": name,
        "about": variant.about,
        "higher_is_better": kind.higher_is_better,
        "range": [bound if math.isfinite(bound) else None for bound in (low, high)],
        "paper": variant.paper,
        "caution": variant.caution,
        "options": {
            key: {
                "default": variant.defaults.get(key, option.default),
                "values": option.domain,
                "meaning": option.meaning,
            }
            for key, option in allowed.items()
        },
        "example": f"hyperbaton score -r ref.txt sys.txt -m {example(name)}",
    }


def example(name: str) -> str:
    """A metric as it may be typed."""
    return f"{name}:{SAMPLE[name]}" if name in SAMPLE else name


def explain(name: str) -> str:
    """A metric for people."""
    found = metric_dict(name)
    low, high = found["range"]
    direction = "higher is better" if found["higher_is_better"] else "lower is better"
    span = f"{shown(low or 0.0)} and more" if high is None else f"0 to {shown(high)}"
    if low is None:
        span += ", or a little less"
    lines = [
        f"{found['name']}: {found['about']}",
        f"  {direction}, {span}",
        f"  {found['caution']}",
        f"  paper: {found['paper']}",
    ]
    if found["options"]:
        lines.append("  options:")
        for key, option in found["options"].items():
            default = option["default"]
            text = "" if default is None else f"={shown(default)}"
            lines.append(f"    {key}{text}  ({option['values']}) {option['meaning']}")
    lines.append(f"  example: {found['example']}")
    return "\n".join(lines)


def overview(wanted: Iterable[str]) -> str:
    """Metrics, a line each, and the sets of them."""
    width = max(map(len, REGISTRY))
    lines = []
    for name in dict.fromkeys(metric_dict(spec)["name"] for spec in wanted):
        kind = REGISTRY[name]
        arrow = "↑" if kind.higher_is_better else "↓"
        high = kind.range_of(name)[1]
        span = f"0…{shown(high)}" if math.isfinite(high) else "0…"
        lines.append(f"{name:<{width}}  {arrow} {span:<5}  {kind.VARIANTS[name].about}")
    lines += ["", "sets of metrics:"]
    lines += [f"  {name}: {' '.join(members)}" for name, members in SETS.items() if name != "all"]
    lines.append("  all: every one of them that needs the texts alone")
    return "\n".join(lines)
